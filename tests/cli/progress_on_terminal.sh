. "$(dirname "$0")/lib.sh"
# on_terminal COMMAND...: runs the command with a terminal as standard error, and prints what the terminal gets.
on_terminal() {
  python3 - "$@" <<'P'
import os, pty, subprocess, sys
terminal, other = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=other)
os.close(other)
text = b""
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    text += piece
    if b"held is suspended, " in text and b"resumed" not in text:
        text += subprocess.run([os.environ["KML"], "resume", "held"], stdout=subprocess.PIPE).stdout
process.wait()
sys.stdout.buffer.write(text)
P
}
export TERM=xterm
shown=$(on_terminal "$KML" submit --name slow --wait -- sleep 2)
contains "$shown" $'\rjob slow is '
[[ "$shown" == *$'\r\033[Kkml: job slow succeeded'* ]] || fail "the line is not taken away: $shown"
expect 0 "$KML" submit --name quiet --wait -- sleep 1
[[ "$err" != *$'\r'* ]] || fail "progress in a pipe: $err"
expect 0 "$KML" submit --name held --set spec.suspend=true -- true
shown=$(on_terminal timeout 1000 "$KML" logs -f held)
contains "$shown" "after it was submitted"
