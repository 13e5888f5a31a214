. "$(dirname "$0")/lib.sh"
# Tests lines without a newline on a real node: containerd passes on a part of such a line only when the part
# has 16 KiB. A terminal shows that part at once; a pipe gets each line only once. The node can access the
# cluster's folder on this machine.
go=$cluster_state/go-$namespace
rm -rf "$go" && mkdir "$go"
expect 0 "$KML" submit --name bar --array 0-2 "${on_node1[@]}" --mount "host$go:/go:ro" -- /bin/busybox sh -c '
  b=/bin/busybox; echo first; pad=$($b printf %060d 0); i=0
  while [ $i -lt 400 ]; do $b printf "\r%s state %d." $pad $i; i=$((i + 1)); done
  until [ -e /go/on ]; do $b sleep 0.2; done; echo; echo last'
cat >watch.py <<'P'
import os, pathlib, re, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/support")
from terminal import Terminal

terminal = Terminal([os.environ["KML"], "logs", "-f", "bar"])
state = re.compile(r"([012]) \| 0{60} state (\d+)")
terminal.until(lambda lines: len([line for line in lines if state.match(line)]) == 3, 300)
pathlib.Path(os.environ["go"], "on").touch()
assert terminal.finish(300) == 0
for index in "012":
    lines = [line for line in terminal.lines() if line.startswith(f"{index} | ")]
    assert lines == [f"{index} | first", f"{index} | {'0' * 60} state 399.", f"{index} | last"], lines
P
export KML SOURCE go
timeout 1000 python3 watch.py
expect 0 "$KML" logs bar
[ "$(grep -c '^[012] | last$' <<<"$out")" = 3 ] && [ "$(grep -o 'state 399\.' <<<"$out" | wc -l)" = 3 ] || fail "in a pipe: $out"
