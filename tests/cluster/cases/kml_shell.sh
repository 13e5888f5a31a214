. "$(dirname "$0")/lib.sh"
# `kml shell` and `kml attach` on a real node: a shell in a terminal or from a pipe, the output of the program from now on.
b=/bin/busybox
go=$cluster_state/go-$namespace
rm -rf "$go" && mkdir "$go"
expect 0 "$KML" submit --name j "${on_node1[@]}" --retries 0 --mount "host$go:/go:ro" -- \
  $b sh -c "b=$b; i=0; until [ -e /go/end ]; do echo line \$i; i=\$((i + 1)); \$b sleep 0.2; done; echo last; exit 9"
eventually timeout 20 "$KML" exec j -- $b true
[ "$(echo "echo \$((6 * 7)); exit 5" | timeout 60 "$KML" shell j; echo "exit $?")" = $'42\nexit 5' ] || fail "shell of a pipe"
cat >shell.py <<'P'
import os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/support")
from terminal import Terminal

terminal = Terminal([os.environ["KML"], "shell", "j"])
terminal.until(lambda lines: any(line.endswith("#") or line.endswith("$") for line in lines), 60)
os.write(terminal.fd, b"echo $((6 * 7)); exit 6\r")
assert terminal.finish(60) == 6, terminal.lines()
assert "42" in terminal.lines(), terminal.lines()

terminal = Terminal([os.environ["KML"], "attach", "j"])
terminal.until(lambda lines: any(line.startswith("line ") for line in lines), 60)
os.write(terminal.fd, b"\x03")
assert terminal.finish(60) == 130, terminal.lines()
shown = "".join(terminal.lines())  # over the lines' ends
assert "from now on" in shown and "the job continues" in shown, shown
P
export KML SOURCE
timeout 100 python3 shell.py
timeout 100 "$KML" attach j >"$work/lines" 2>"$work/notes" & attached=$!
eventually grep -q line "$work/lines"
touch "$go/end"
got=0; wait $attached || got=$?
[ "$got" = 9 ] || fail "exit $got, not the container's: $(cat "$work/notes")"
[ "$(tail -1 "$work/lines")" = last ] || fail "the end is missing: $(tail -3 "$work/lines")"
