. "$(dirname "$0")/lib.sh"
# on_terminal COMMAND...: prints what a terminal with 60 columns gets.
on_terminal() {
  python3 - "$@" <<'P'
import fcntl, os, pty, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
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
sys.stdout.buffer.write(text)
P
}
export TERM=xterm
unset NO_COLOR
expect 3 "$KML" submit --name painter --wait -- sh -c 'printf "\033[31mred\033[0m \033]52;c;ZXZpbA==\007clip \033[2Jcleared\n"; exit 1'
expect 0 "$KML" logs painter
contains "$out" $'\033]52'
shown=$(on_terminal "$KML" logs painter)
contains "$shown" $'\033[31mred'
[[ "$shown" != *']52'* && "$shown" != *'[2J'* ]] || fail "an escape sequence reached the terminal"
contains "$(on_terminal "$KML" list)" $'\033['
[[ "$("$KML" list)" != *$'\033['* ]] || fail "colours in a pipe"
plain=$(NO_COLOR=1 on_terminal "$KML" list)
[[ "$plain" != *$'\033['* ]] || fail "colours with NO_COLOR"
