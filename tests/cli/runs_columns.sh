# On a terminal, the table of `kml runs` starts with the names, and no line is wider than the terminal; --columns
# selects the other columns.
. "$(dirname "$0")/lib.sh"
export TERM=xterm NO_COLOR=1
on_terminal() { # COLUMNS COMMAND...
  python3 - "$@" <<'P'
import os, sys
import fcntl, pty, struct, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
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
sys.stdout.write(text.decode().replace("\r", ""))
P
}
long=$(printf 'x%.0s' {1..42000})
expect 0 "$KML" submit --name wide --wait -- sh -c 'for i in $(seq 60); do echo "metric_$i=0.$i"; done' sh --lr 0.1 "--text=$long"
expect 0 "$KML" submit --name other --wait -- sh -c 'echo accuracy=0.5' sh --lr 0.25 --text short
expect 0 "$KML" runs tag other "paper=$long"
for width in 80 200; do
  shown=$(on_terminal $width "$KML" runs)
  [ "$(python3 -c 'import sys; print(max(len(line.rstrip("\n")) for line in sys.stdin))' <<<"$shown")" -le $width ] || fail "wider than $width: $shown"
  [[ $shown == NAME* ]] || fail "$shown"
done
expect 0 "$KML" runs
[ "$(wc -L <<<"$out")" -lt 1000 ] || fail "a line of $(wc -L <<<"$out") characters"
expect 0 "$KML" runs --columns state,lr,accuracy,metric_1.max,tags.paper
read -r -a header <<<"$(head -1 <<<"$out")"
[ "${header[*]}" = "NAME STATE LR ACCURACY METRIC_1.MAX TAGS.PAPER" ] || fail "$out"
[[ $out =~ wide\ +Succeeded\ +0.1\ +-\ +0.1\ +- ]] || fail "$out"
[[ $out =~ other\ +Succeeded\ +0.25\ +0.5\ +-\ +xxx ]] || fail "$out"
[ "$(wc -L <<<"$out")" -lt 1000 ] || fail "a line of $(wc -L <<<"$out") characters"
expect 2 "$KML" runs --columns acuracy
contains "$err" 'did you mean "accuracy"?'

# A name is known if any run has it, even one that other flags leave out.
for flags in "--sort metric_1" "--columns metric_1" "--sort metric_1 --columns state,metric_1.max"; do
  for chosen in "--where lr>0.2" "--limit 1"; do
    expect 0 "$KML" runs $chosen $flags
    contains "$out" NAME
  done
  expect 2 "$KML" runs --where 'lr>0.2' ${flags//metric_1/metrik_1}
  contains "$err" 'no run has "metrik_1'
done

# kml history shows a readable command, without the program in which kml dev wraps it.
expect 3 "$KML" submit --name a-job-that-fails --wait -- sh -c 'exit 7' the command that is to be seen
expect 0 "$KML" dev --detach session
expect 0 "$KML" cancel session
for width in 100 120; do contains "$(on_terminal $width "$KML" history | grep a-job-that)" "sh -c 'exit 7' the command"; done
expect 0 "$KML" history
contains "$out" "kml dev"
[[ $out != *kml-dev* ]] || fail "the wrapper is shown: $out"
expect 0 "$KML" runs compare session wide
[[ $out != *kml-dev* ]] || fail "the wrapper is shown: $out"
expect 0 "$KML" list -o wide
[[ $out != *kml-dev* ]] || fail "the wrapper is shown: $out"
expect 0 "$KML" history --since 1h
[ "$(wc -l <<<"$out")" = 5 ] || fail "$out"
sed -i 's/"time":"20[0-9]*-/"time":"2020-/' "$XDG_STATE_HOME/kml/runs.jsonl"
expect 0 "$KML" history --since 1h
contains "$err" "no runs since then"
expect 0 "$KML" history
[ "$(wc -l <<<"$out")" = 5 ] || fail "$out"

# A metric and a parameter with the same name are told apart. The parameters of tasks are columns, too.
for i in 1 2; do expect 0 "$KML" submit --name both-$i --wait -- sh -c 'echo lr=0.05' sh --lr 0.$i; done
expect 0 "$KML" runs --where 'parameters.lr > 0.15 && lr < 0.1 && metrics.lr < 0.1' --columns parameters.lr,lr
[[ $out =~ both-2\ +0.2\ +0.05 && $out != *both-1* ]] || fail "$out"
expect 0 "$KML" runs compare both-1 both-2
[[ $out =~ parameters\.lr\ +0\.1\ +0.2 ]] || fail "$out"
expect 0 "$KML" submit --name tasks --array 0-1 --wait -- sh -c 'echo "loss=0.$KML_TASK"'
expect 0 "$KML" submit --name later --wait -- true
expect 0 "$KML" runs --columns loss,task --limit 1
contains "$out" later
