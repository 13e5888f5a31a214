# sweep run --detach returns to the terminal, and the engine survives the terminal. Early errors are still printed
# there.
. "$(dirname "$0")/lib.sh"
engine_of() { "$KML" sweep status "$1" | sed -n 's/^engine: process \([0-9]*\) .*/\1/p'; }
trap 'status=$?; for s in hup slow; do kill -9 $(engine_of $s) 2>/dev/null || true; done; finish $status' EXIT
until_go=(sh -c "until [ -e '$work/go' ]; do sleep 0.05; done; echo score={x}")

# The command starts in another folder, from a terminal that is closed afterwards.
mkdir there
cat >shell.py <<'P'
import os, pty, re, sys
pid, fd = pty.fork()
if pid == 0:
    os.chdir("there")
    run = '"$KML" sweep run hup --detach --param x=1..3 --maximize score --parallel 1 -- sh "$PWD/../t.sh" {x}'
    os.execvp("bash", ["bash", "-c", run + "; echo exit=$?; exec sleep 1000"])
text = b""
while not re.search(rb"exit=\d", text):
    text += os.read(fd, 4096)
sys.stdout.write(text.decode())
os.close(fd)  # the shell and its programs get SIGHUP
_, status = os.waitpid(pid, 0)
assert os.WIFSIGNALED(status), status
P
printf '%s\n' "until [ -e '$work/go' ]; do sleep 0.05; done" 'echo score=$1' >t.sh
shown=$(timeout 1000 python3 shell.py)
contains "$shown" "sweep hup is running in the background"
contains "$shown" "exit=0"
engine=$(engine_of hup)
kill -HUP "$engine"
[ "$(readlink /proc/$engine/cwd)" = "$work/there" ] || fail "it works in $(readlink /proc/$engine/cwd)"
for fd in 0 1 2; do [[ "$(readlink /proc/$engine/fd/$fd)" != /dev/pts/* ]] || fail "it has the terminal"; done
expect 0 "$KML" sweep list
contains "$out" "process $engine of"
expect 1 "$KML" sweep run hup
contains "$err" "by process $engine of"
touch go
expect 0 "$KML" sweep attach hup
contains "$err" "3 of 3 trials done"
expect 0 "$KML" sweep logs hup --engine
contains "$out" "trial 2 complete"
rm go

# A killed engine is reported, and the sweep can continue in the background.
slow() { "$KML" sweep run slow --param x=1..3 --maximize score --parallel 2 "$@"; }
expect 0 slow --detach -- "${until_go[@]}"
kill -9 "$(engine_of slow)"
eventually sh -c '"$KML" sweep status slow | grep -q "no engine is running"'
expect 1 "$KML" sweep attach slow
contains "$err" "no engine is running sweep slow"
contains "$err" "kml sweep resume slow"
expect 0 "$KML" local down
expect 0 "$KML" sweep resume slow --detach
[ -n "$(engine_of slow)" ] || fail "$("$KML" sweep status slow)"
expect 0 "$KML" local down
contains "$err" "sweep slow is running, and will start the server again"
expect 0 "$KML" sweep stop slow
expect 3 "$KML" sweep attach slow
contains "$err" "stopped"
expect 0 "$KML" sweep run slow --detach
contains "$out" "running in the background"
touch go
expect 0 "$KML" sweep attach slow
expect 0 "$KML" sweep run slow --detach # has nothing left to do
contains "$err" "3 of 3 trials done"

# Early errors.
echo "kind: Nonsense" >bad.yaml
expect 2 "$KML" sweep run bad -f bad.yaml --detach
expect 2 "$KML" sweep run bad --detach --in-cluster --param x=1..3 --maximize y -- echo y={x}
contains "$err" "--detach cannot be used with --in-cluster"
expect 0 "$KML" submit --name taken-t00000-r0-a0 -- true
expect 2 "$KML" sweep run taken --detach --param x=1..3 --maximize y -- echo y={x}
contains "$err" "job taken-t00000-r0-a0 already exists"
expect 0 "$KML" sweep run dry --detach --dry-run --param x=1..3 --maximize y -- echo y={x}
expect 0 "$KML" sweep list -o name
[ "$out" = $'hup\nslow\ntaken' ] || fail "$out"
kubeconfig_of_cluster
for detach in "" --detach; do
  expect 5 env KUBECONFIG=kubeconfig "$KML" sweep run away $detach --param x=1..3 --maximize y --image i -- echo y={x}
done
