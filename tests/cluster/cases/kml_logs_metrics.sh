. "$(dirname "$0")/lib.sh"
# Prints the latest metrics of each pod in a real cluster: at the end in a pipe, continuously on a terminal.
expect 0 "$KML" submit -t job-indexed --name train --nodes 2 "${on_node1[@]}" -- sh -c \
  'for step in 1 2 3; do echo "step=$step loss=0.$((9 - step))$RANK"; done; echo "{\"acc\": 0.5}"; echo words'
table="POD  step  loss      acc
0    3     0.6 █▄▁   0.5 ▄
1    3     0.61 █▄▁  0.5 ▄"
expect 0 "$KML" logs -f train --metrics
[ "$out" = "$table" ] || fail "$out"
expect 0 "$KML" logs train --metrics
[ "$out" = "$table" ] || fail "$out"
folder=$cluster_state/$namespace
rm -rf "$folder"
mkdir "$folder"
expect 0 "$KML" submit --name live "${on_node1[@]}" --mount "host$folder:/shared" -- sh -c \
  'echo loss=2; until [ -e /shared/go ]; do /bin/busybox sleep 0.1; done; echo loss=1'
python3 - "$KML" "$folder/go" <<'P'
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], [sys.argv[1], "logs", "-f", "live", "--metrics"])
shown = b""
while True:
    try:
        shown += os.read(terminal, 65536)
    except OSError:
        break
    if b"2 " in shown:
        open(sys.argv[2], "w").close()
assert "1 █▁".encode() in shown, shown
assert os.waitpid(pid, 0)[1] == 0
P
