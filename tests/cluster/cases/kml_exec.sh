. "$(dirname "$0")/lib.sh"
# Tests `kml exec` and `kml attach` in containers on a real node: exit codes, complete streams, terminals, and that no
# command is left behind.
b=/bin/busybox
expect 0 "$KML" submit --name j --nodes 2 "${on_node1[@]}" -- $b sh -c "trap : HUP; while :; do $b date; $b sleep 1; done"
expect 0 "$KML" submit --name waits --image none --node-selector no=where --no-check -- true
expect 1 "$KML" exec waits -- $b true
contains "$err" "is not running"
eventually timeout 100 "$KML" exec j/0 -- $b true
eventually timeout 100 "$KML" exec j/1 -- $b true

for code in 0 1 137 255; do expect "$code" timeout 1000 "$KML" exec j/0 -- $b sh -c "exit $code"; done
expect 127 timeout 1000 "$KML" exec j/0 -- nothing-of-that-name
for i in $(seq 15); do
  [ "$(echo -n "a$i" | timeout 1000 "$KML" exec -i j/1 -- $b cat)" = "a$i" ] || fail "echo $i"
done
want=$(seq 1 2000000 | sha256sum)
[ "$(timeout 1000 "$KML" exec j/0 -- $b seq 1 2000000 | sha256sum)" = "$want" ] || fail "the output was cut"
# Sends data into the pod and back. A slow reader slows down the writer, and the end of the input ends `cat`.
[ "$(seq 1 2000000 | timeout 1000 "$KML" exec -i j/0 -- $b cat | sha256sum)" = "$want" ] || fail "the input was cut"
# A command that closes its standard output continues to read.
expect 0 timeout 1000 "$KML" exec -i j/0 -- $b sh -c "exec >&-; exec $b cat >/closed" < <(seq 1 2000000)
[ "$(timeout 1000 "$KML" exec j/0 -- $b cat /closed | sha256sum)" = "$want" ] || fail "the input of a command without output was cut"
expect 0 timeout 1000 "$KML" exec j --all-ranks -- $b hostname
[ "$(sort <<<"$out")" = $'0 | j-0\n1 | j-1' ] || fail "all ranks: $out"
expect 4 timeout 1000 "$KML" exec j --all-ranks -- $b sh -c 'case $HOSTNAME in *-1) exit 4; esac'
contains "$(timeout 1000 "$KML" exec j -- $b sh -c 'echo error >&2' 2>&1 >/dev/null)" error

# A signal that ends kml also ends the command that it started in the pod, as it would at a terminal.
runs() { timeout 1000 "$KML" exec j/0 -- $b ps | grep -q "sleep $1\$"; }
gone() { ! runs "$1"; }
number=7000
for signal in TERM HUP INT; do
  number=$((number + 1))
  # Uses neither `timeout`, which would receive the signal itself, nor a background job, because a
  # script's background jobs ignore SIGINT.
  python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler); os.execv(sys.argv[1], sys.argv[1:])' \
    "$KML" exec j/0 -- $b sh -c "$b sleep $number; :" 2>"$work/ended" &
  eventually runs $number
  kill -$signal $!
  got=0; wait $! || got=$?
  [ "$got" = $((128 + $(kill -l $signal))) ] || fail "exit $got after SIG$signal: $(cat "$work/ended")"
  # Prints kml's messages, in case it could not end the command.
  cat "$work/ended"
  eventually gone $number
done
# A command that ignores the signal is killed.
"$KML" exec j/0 -- $b sh -c "trap '' TERM; $b sleep 7100; $b sleep 7101" &
eventually runs 7100
kill -TERM $!; wait $! || true
eventually gone 7100; eventually gone 7101
# A command whose reader is gone is killed, too.
set +o pipefail
timeout 1000 "$KML" exec j/0 -- $b sh -c "while :; do echo line; done; $b sleep 7200" | head -1 >/dev/null
set -o pipefail

cat >terminal.py <<'P'
import fcntl, os, pathlib, signal, struct, sys, termios
sys.path.insert(0, os.environ["SOURCE"] + "/tests/support")
from terminal import Terminal

b, kml = "/bin/busybox", os.environ["KML"]

def mode(terminal):
    return termios.tcgetattr(terminal.fd)

def exec_in(*words):
    # A shell that keeps running holds the terminal open, so that its mode can be checked after kml has ended.
    return Terminal(["sh", "-c", '"$@"; echo "exit $?"; read end', "sh", kml, "exec", "-it", "j/0", "--", *words])

def shown(terminal, text):
    terminal.until(lambda lines: any(text in line for line in lines), 600)

def end(terminal, code):
    shown(terminal, f"exit {code}")
    assert mode(terminal)[3] & (termios.ECHO | termios.ICANON) == termios.ECHO | termios.ICANON, "left raw"
    os.write(terminal.fd, b"\n")
    assert terminal.finish(600) == 0

# The terminal's size arrives a moment after the command has started, or after the input that was sent before
# it, as with kubectl. Without a size, stty prints an error and exits with 0.
wait_for_size = lambda size: f"until [ \"$({b} stty size)\" = '{size}' ]; do {b} sleep 0.1; done; echo size {size}; "
t = exec_in(b, "sh", "-c", wait_for_size("24 80") + "read line; echo got $line; " + wait_for_size("50 132") + "read rest; exit 7")
shown(t, "size 24 80")
fcntl.ioctl(t.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 132, 0, 0))
os.write(t.fd, "grüße\r".encode())
shown(t, "got grüße")
shown(t, "size 50 132")
os.write(t.fd, b"\r")
end(t, 7)

# Ctrl-C goes to the command, and ~. to kml.
t = exec_in(b, "sh", "-c", f"trap 'echo caught' INT; echo begun; while :; do {b} sleep 0.2; done")
shown(t, "begun")
os.write(t.fd, b"\x03")
shown(t, "caught")
os.write(t.fd, b"\r~.")
end(t, 129)

# A shell stops kml and lets it continue. However kml ends, it restores the terminal.
t = Terminal(["sh", "-c", 'set -m; "$@"; echo stopped; read line; fg; echo "exit $?"', "sh", kml, "exec", "-it", "j/0", "--",
              b, "sh", "-c", f"echo begun; {b} sleep 7300"])
shown(t, "begun")
raw = mode(t)[3]
child = int(pathlib.Path(f"/proc/{t.pid}/task/{t.pid}/children").read_text())
os.kill(child, signal.SIGTSTP)
shown(t, "stopped")
assert mode(t)[3] & termios.ICANON, "raw while it is stopped"
os.write(t.fd, b"\n")
while mode(t)[3] != raw:
    t.read(0.1)
os.kill(child, signal.SIGTERM)
shown(t, "exit 143")
assert mode(t)[3] & termios.ICANON, "left raw"
assert t.finish(600) == 0
P
export KML SOURCE
timeout 1000 python3 terminal.py
eventually gone 7300

# If the pod is deleted during the command, this is not a success.
timeout 1000 "$KML" exec j/1 -- $b sh -c 'echo begun; while :; do :; done' >"$work/begun" 2>"$work/ended" & session=$!
eventually grep -q begun "$work/begun"
k delete pod -l batch.kubernetes.io/job-completion-index=1 --grace-period=1 --wait=false >/dev/null
got=0; wait $session || got=$?
[ "$got" != 0 ] || fail "a session whose pod was deleted succeeded: $(cat "$work/ended")"

# A user without the right gets an error that names it.
need_user ana
k create role reader --verb=get,list,watch --resource=jobs.batch,pods >/dev/null
k create rolebinding reader --role=reader --serviceaccount="$namespace:ana" >/dev/null
may ana list pods
expect 4 timeout 1000 "$KML" --context ana exec job/j/0 -- $b true
contains "$err" 'cannot get resource "pods/exec"'
