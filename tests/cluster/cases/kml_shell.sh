. "$(dirname "$0")/lib.sh"
# Tests `kml shell` and `kml attach` on a real node: a shell in a terminal or from a pipe, and the program's output from
# now on.
b=/bin/busybox
go=$cluster_state/go-$namespace
rm -rf "$go" && mkdir "$go"
expect 0 "$KML" submit --name j "${on_node1[@]}" --retries 0 --mount "host$go:/go:ro" -- \
  $b sh -c "b=$b; i=0; until [ -e /go/end ]; do echo line \$i; i=\$((i + 1)); \$b sleep 0.2; done; echo last; exit 9"
# Starts two jobs with an open standard input. One is a terminal; the other is a pipe, whose end the job does
# not notice.
for name in asks reads; do
  sed "s/NAME/$name/; s/TTY/$([ $name = asks ] && echo true || echo false)/" <<'Y'
apiVersion: batch/v1
kind: Job
metadata: {name: NAME}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      nodeSelector: {kubernetes.io/hostname: node1}
      containers: [{name: main, image: "localhost/busybox:1", stdin: true, tty: TTY, command: [/bin/busybox, sh, -c,
        "while read line; do echo got $line; [ $line != end ] || exit 6; done; exit 5"]}]
---
Y
done >inputs.yaml
expect 0 "$KML" submit -f inputs.yaml
for name in j asks reads; do eventually timeout 100 "$KML" exec $name -- $b true; done
[ "$(echo "echo \$((6 * 7)); exit 5" | timeout 1000 "$KML" shell j; echo "exit $?")" = $'42\nexit 5' ] || fail "shell of a pipe"
cat >shell.py <<'P'
import os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/support")
from terminal import Terminal

terminal = Terminal([os.environ["KML"], "shell", "j"])
terminal.until(lambda lines: any(line.endswith("#") or line.endswith("$") for line in lines), 600)
os.write(terminal.fd, b"echo $((6 * 7)); exit 6\r")
assert terminal.finish(600) == 6, terminal.lines()
assert "42" in terminal.lines(), terminal.lines()

terminal = Terminal([os.environ["KML"], "attach", "j"])
terminal.until(lambda lines: any(line.startswith("line ") for line in lines), 600)
os.write(terminal.fd, b"\x03")
assert terminal.finish(600) == 130, terminal.lines()
shown = "".join(terminal.lines())  # over the lines' ends
assert "new output is shown" in shown and "the job continues" in shown, shown

def typed(text, shown):
    terminal = Terminal([os.environ["KML"], "attach", "asks"])
    terminal.until(lambda lines: any("detaches" in line for line in lines), 600)
    os.write(terminal.fd, text)
    terminal.until(lambda lines: any(shown in line for line in lines), 600)
    return terminal

terminal = typed(b"one\r", "got one")
os.write(terminal.fd, b"\r~.")
assert terminal.finish(600) == 0, terminal.lines()
assert "detached from asks/" in "".join(terminal.lines()), terminal.lines()
assert typed(b"end\r", "got end").finish(600) == 6
P
export KML SOURCE
timeout 1000 python3 shell.py
# Piped input arrives, and the output continues after it.
echo one | timeout 1000 "$KML" attach reads >"$work/one" 2>"$work/notes" & first=$!
eventually grep -qx 'got one' "$work/one"
expect 6 timeout 1000 "$KML" attach reads <<<end
got=0; wait $first || got=$?
[ "$got" = 6 ] || fail "exit $got, not the container's: $(cat "$work/notes")"
timeout 1000 "$KML" attach j >"$work/lines" 2>"$work/notes" & attached=$!
eventually grep -q line "$work/lines"
touch "$go/end"
got=0; wait $attached || got=$?
[ "$got" = 9 ] || fail "exit $got, not the container's: $(cat "$work/notes")"
[ "$(tail -1 "$work/lines")" = last ] || fail "the end is missing: $(tail -3 "$work/lines")"
