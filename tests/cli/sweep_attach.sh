# sweep attach shows another process's sweep live. Ctrl-C only ends the view.
. "$(dirname "$0")/lib.sh"
cat >t.sh <<T
until [ -e '$work/go' ]; do sleep 0.05; done
echo score=\$1
T
expect 0 "$KML" sweep run s1 --detach --param x=1..4 --maximize score --parallel 2 -- sh t.sh '{x}'
engine=$("$KML" sweep status s1 | sed -n 's/^engine: process \([0-9]*\) .*/\1/p')
trap 'status=$?; kill -9 $engine 2>/dev/null || true; finish $status' EXIT
export PYTHONPATH=$SOURCE/tests/support
cat >view.py <<'P'
import os, sys
from terminal import Terminal
kml = os.environ["KML"]
view = Terminal([kml, "sweep", "attach", "s1"], columns=100)
view.until(lambda lines: sum(" running" in line for line in lines) == 3)  # the summary and two trials
os.write(view.fd, b"\x03")
assert view.finish() == 130, view.lines()
assert any("sweep s1 is still running" in line for line in view.lines()), view.lines()
os.kill(int(sys.argv[1]), 0)
view = Terminal([kml, "sweep", "attach", "s1"], columns=100)
view.until(lambda lines: any("0 of 4 trials done" in line for line in lines))
open("go", "w").close()
assert view.finish() == 0, view.lines()
assert any("4 of 4 trials done" in line for line in view.lines()), view.lines()
P
timeout 1000 python3 view.py "$engine"
# For a finished sweep, sweep attach prints the result.
expect 0 "$KML" sweep attach s1
contains "$err" "best: x=4"

# In a pipe, sweep attach prints a line for each finished trial. If the sweep has no result, the exit code is
# that of `sweep run`.
rm go
"$KML" sweep run s2 --param x=1..2 --maximize nothing --parallel 1 --algorithm grid -- sh t.sh '{x}' >run.out 2>&1 &
run=$!
eventually sh -c '"$KML" sweep status s2 | grep -q "1 running"'
"$KML" sweep attach s2 >view.out 2>&1 &
view=$!
eventually sh -c "grep -q signalfd /proc/$view/fdinfo/* 2>/dev/null || ls -l /proc/$view/fd | grep -q signalfd"
touch go
got=0
wait $run || got=$?
[ $got = 3 ] || fail "exit $got: $(cat run.out)"
got=0
wait $view || got=$?
[ $got = 3 ] || fail "exit $got: $(cat view.out)"
contains "$(cat view.out)" "trial 1 "
expect 2 "$KML" sweep attach s3
