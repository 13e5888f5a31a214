. "$(dirname "$0")/lib.sh"
# `kml logs --metrics` prints the latest values of each pod, continuously on a terminal and once in a pipe.
expect 0 "$KML" submit --name many --array 0-1 --wait -- sh -c \
  'for step in 1 2 3; do echo "step=$step loss=0.$((9 - step))$JOB_COMPLETION_INDEX"; done; echo "{\"acc\": 0.5}"; echo words'
expect 0 "$KML" logs many --metrics
[ "$out" = "POD  step  loss      acc
0    3     0.6 █▄▁   0.5 ▄
1    3     0.61 █▄▁  0.5 ▄" ] || fail "$out"
expect 0 "$KML" logs -f many --metrics --rank 1
[ "$(wc -l <<<"$out")" = 2 ] || fail "$out"
expect 0 "$KML" submit --name trainer --wait -- sh -c 'echo "Accuracy at step 0: 0.1"; echo "Accuracy at step 10: 0.7"'
expect 0 "$KML" logs trainer --metrics
contains "$out" "0.7 ▁█"
# Watched metrics come first, however many settings the program prints before them.
expect 0 "$KML" submit --name settings --wait -- sh -c \
  'echo "{$(for n in 1 2 3 4 5 6 7 8 9 10 11 12; do printf "\"setting$n\": $n, "; done) \"seed\": 1}"; echo "step=1 loss=0.5"'
expect 0 "$KML" logs settings --metrics
[[ $out == "POD "*" step  loss   seed "* ]] || fail "$out"
expect 0 "$KML" submit --name silent --wait -- echo words
expect 0 "$KML" logs silent --metrics
contains "$err" "no line has metrics"
expect 2 "$KML" logs many --metrics -o json
expect 0 "$KML" submit --name piped -- sh -c 'echo loss=2; until [ -e on ]; do sleep 0.05; done; echo loss=1'
"$KML" logs -f piped --metrics --save copy >table &
follower=$!
follows() { grep -q loss=2 copy/*/*/*/*.log; }
eventually follows
[ ! -s table ] || fail "a table before the end: $(cat table)"
touch on
wait $follower || fail "kml logs ended with $?"
[[ "$(cat table)" == "POD "*"1 █▁" ]] || fail "$(cat table)"
expect 0 "$KML" submit --name live -- sh -c 'echo loss=2; until [ -e go ]; do sleep 0.05; done; echo loss=1'
python3 - "$KML" <<'P'
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
        open("go", "w").close()
assert "1 █▁".encode() in shown, shown
assert b"\x1b[2A" in shown, shown
assert os.waitpid(pid, 0)[1] == 0
P
