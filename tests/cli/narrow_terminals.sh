# No line of a table is wider than the terminal, even if the names are long.
. "$(dirname "$0")/lib.sh"
cat >widest.py <<'P'
import fcntl, os, pty, re, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
text = b""
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    text += piece
os.waitpid(pid, 0)
lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.decode()).splitlines()
lines = [line.rpartition("\r")[2] for line in lines]
# Sentences, and names after a title, are not cut.
lines = [line for line in lines if not re.match(r"kml: |[A-Z]+ ?[a-z]+ +", line) and " trials done, " not in line]
print(max(map(len, lines), default=0), max(lines, key=len, default=""))
P
export TERM=xterm
long=a-very-long-name-of-a-job-that-somebody-has-given
expect 0 "$KML" local up --fake-gpus 1
expect 3 "$KML" submit --name "$long-1" --wait -- sh -c 'echo "step=1 validation_loss_of_the_whole_set=0.123456"; exit 1'
expect 0 "$KML" submit --name "$long-2" --wait -- sh -c 'echo "step=1 validation_loss_of_the_whole_set=0.123456 accuracy_of_the_whole_set=0.5"' sh --learning_rate_of_the_encoder 0.123456789
expect 0 "$KML" submit --name "$long-3" --gpus 1 -- sleep 10000
expect 0 "$KML" submit --name "$long-4" --gpus 1 --no-check -- sleep 10000
expect 0 "$KML" submit --name a-very-long-name-of-a-schedule --cron @daily -- true
expect 0 "$KML" sweep run a-very-long-name-of-a-sweep --param learning_rate_of_the_encoder=0.1,0.2 --algorithm grid --minimize validation_loss \
  -- sh -c 'echo "validation_loss=0.123456"' sh '{learning_rate_of_the_encoder}'
expect 0 "$KML" serve a-very-long-name-of-an-endpoint -- python3 -m http.server --bind 127.0.0.1 '$(PORT)'
commands=(list "list nodes" queue history "history $long-2" "status $long-3" "top jobs" "top nodes" runs "runs compare $long-1 $long-2"
  "sweep list" "sweep status a-very-long-name-of-a-sweep" "schedule list" "serve list"
  "serve status a-very-long-name-of-an-endpoint" "template list" "eff $long-2" usage "artifact list")
for columns in 40 60 80; do
  for command in "${commands[@]}"; do
    read -r widest line <<<"$(python3 widest.py $columns "$KML" $command)"
    [ "$widest" -le $columns ] || echo "$columns columns: kml $command prints $widest: $line" >>wrong
  done
done
[ ! -e wrong ] || fail "$(cat wrong)"
