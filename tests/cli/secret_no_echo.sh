. "$(dirname "$0")/lib.sh"
# A secret typed at a terminal is not shown. Afterwards, even after a signal, the terminal shows typed text again.
cat >typed.py <<'P'
import os, pty, signal, sys, termios, time

def shows(fd): return bool(termios.tcgetattr(fd)[3] & termios.ECHO)

def until(condition):
    end = time.time() + 600
    while not condition():
        assert time.time() < end, "never came true"
        time.sleep(0.01)

def run(ending):
    master, slave = pty.openpty()
    child = os.fork()
    if child == 0:
        os.setsid()
        for fd in (0, 1, 2): os.dup2(slave, fd)
        os.execv(sys.argv[1], [sys.argv[1], "submit", "--dry-run", "--secret", "X=-", "--", "true"])
    until(lambda: not shows(slave))
    if ending:
        os.kill(child, ending)
    else:
        os.write(master, b"hunter2\n\x04")
    status = os.waitpid(child, 0)[1]
    assert shows(slave), "the terminal stays silent"
    os.set_blocking(master, False)
    printed = os.read(master, 1 << 20) if not ending else b""
    assert b"hunter2" not in printed, printed
    return status, printed

status, printed = run(None)
assert status == 0 and b"kind: Job" in printed, (status, printed)
status, _ = run(signal.SIGINT)
assert status != 0, status
status, _ = run(signal.SIGTERM)
assert status != 0, status
P
expect 0 timeout 1000 python3 typed.py "$KML"
