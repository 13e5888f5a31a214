# Help is as wide as $COLUMNS, otherwise as the terminal, otherwise 80 columns, and never wider than 100.
. "$(dirname "$0")/lib.sh"
widest() { awk '{ if (length > most) most = length } END { print most }'; }
unset COLUMNS
on_terminal() { # COLUMNS
  python3 - "$1" "$KML" <<'PY'
import fcntl, os, pty, struct, sys, termios
width, kml = int(sys.argv[1]), sys.argv[2]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    os.execv(kml, [kml, "logs", "--help"])
seen = b""
while True:
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    if not data:
        break
    seen += data
os.waitpid(pid, 0)
sys.stdout.write(seen.decode().replace("\r", ""))
PY
}
between() { # VALUE LEAST MOST
  [ "$1" -ge "$2" ] && [ "$1" -le "$3" ] || fail "the widest line has $1 columns, not $2 to $3"
}
between "$("$KML" logs --help | widest)" 75 80
between "$(COLUMNS=60 "$KML" logs --help | widest)" 55 60
between "$(COLUMNS=200 "$KML" logs --help | widest)" 95 100
between "$(on_terminal 60 | widest)" 55 60
between "$(on_terminal 200 | widest)" 95 100
between "$(COLUMNS=50 on_terminal 90 | widest)" 45 50
