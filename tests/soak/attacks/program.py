"""Pods of the embedded server that kill, hide, flood and destroy."""

import os
import pathlib
import signal
import sys
import time

from attacks.common import LocalServer, eventually


PROGRAM = r"""
import os, pathlib, random, signal, sys, time
marker, seed, victim, parts = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4].split(",")
draw = random.Random(seed)
folder = pathlib.Path(os.environ["ATTACK_STATE"], "local/pods", os.environ["KML_POD_UID"])
def parents():
    pid = os.getppid()
    while pid > 1 and (name := open(f"/proc/{pid}/comm").read().strip()) in ("kml-keeper", "kml-shim"):
        yield pid
        pid = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
def kill_parents():
    for pid in list(parents())[::draw.choice([1, -1])][:draw.choice([1, 2])]:
        os.kill(pid, signal.SIGKILL)
def stop_parents():
    for pid in list(parents())[:draw.choice([1, 2])]:
        os.kill(pid, signal.SIGSTOP)
def daemonise():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 256)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(10000)
        os._exit(0)
def random_bytes():
    for _ in range(50):
        os.write(1, draw.randbytes(20000))
def endless_line():
    for _ in range(300):
        os.write(draw.choice([1, 2]), b"x" * 65536)
def escapes():
    for _ in range(2000):
        os.write(1, b"HOSTILE\x1b]52;c;ZXZpbA==\x07\x1b[?1049h\xc2\x9b?1337h\r\n"[draw.randrange(9):])
def termination():
    if os.path.exists("/dev/termination-log"):
        with open("/dev/termination-log", "r+b") as file:
            file.write(draw.choice([draw.randbytes(3000), b"\x1b]52;c;x\x07" * 3, b"x" * 10_000_000]))
def destroy():
    files = [path for path in folder.rglob("*")]
    for path in draw.sample(files, min(len(files), draw.randint(1, 4))):
        try:
            if path.is_dir():
                path.rename(f"{path}-away")
            else:
                path.unlink()
            draw.choice([lambda: None, lambda: path.write_bytes(draw.randbytes(5000)), lambda: path.mkdir(), lambda: path.symlink_to(victim),
                         lambda: path.symlink_to("/dev/zero"), lambda: os.mkfifo(path), lambda: path.write_text('{"phase": "Running", "pid": 1}')])()
        except OSError:
            pass
def ignore():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
def close_all():
    os.closerange(0, 256)
for part in parts:
    globals()[part]()
time.sleep(draw.choice([0, 0.3, 10000]))
sys.exit(draw.choice([0, 1, 200]))
"""
PARTS = ["kill_parents", "stop_parents", "daemonise", "random_bytes", "endless_line", "escapes", "termination", "destroy", "ignore", "close_all"]


def processes(marker):
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            text = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
            if f"\0ATTACK={marker}\0".encode() in b"\0" + text and b"KML_POD_UID=" in text:
                found[int(pid)] = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()[-80:]
        except OSError:
            pass
    return found


class Program(LocalServer):
    def attack(self, draw):
        marker, victim, names = f"{os.getpid()}-{self.attacks}", self.deep / "victim", []
        victim.write_text("whole")
        for number in range(draw.randint(1, 3)):
            names.append(f"attack-{self.attacks}-{number}")
            parts = ",".join(draw.sample(PARTS, draw.randint(1, 4)))
            self.kml("submit", "--name", names[-1], "--gpus", "1", "--grace", "1s", "--retries", draw.choice(["0", "2"]), "--env", f"ATTACK={marker}", "--env",
                     f"ATTACK_STATE={self.deep / 'state'}", "--", sys.executable, "-c", PROGRAM, marker, str(draw.randrange(1 << 30)), str(victim), parts, codes=(0,))
        time.sleep(draw.choice([0, 0.2, 1]))
        before = len(self.found)
        self.kml("list", codes=(0,))
        for name in names:
            self.kml(*draw.choice([["status", name], ["why", name], ["logs", name], ["logs", "--first-error", name]]))
        for name in names:
            self.kml("cancel", name)
            self.kml("wait", name, "--timeout", "60s", codes=(0, 3))
            self.kml("delete", name, codes=(0,))
            self.kml("wait", "--for=delete", name, "--timeout", "60s", codes=(0, 1))
        if not eventually(lambda: not processes(marker)):
            self.fault(f"processes are left: {processes(marker)}")
            for pid in processes(marker):
                os.kill(pid, signal.SIGKILL)
        self.kml("submit", "--name", f"all-{self.attacks}", "--gpus", "2", "--wait", "--timeout", "60s", "--", "true", codes=(0,))
        if victim.read_text() != "whole":
            self.fault("a link out of the pod's folder is written through")
        if not pathlib.Path(f"/proc/{self.pid}").exists():
            self.fault("the server has ended: " + (self.deep / "state/local/server.log").read_text()[-500:])
        self.found[before:] = [f"{what}; the round's parts: {names} {parts}" for what in self.found[before:]]
        if len(self.found) > before:  # the next round begins with an undamaged server
            self.end()
            self.kml("local", "up", "--fake-gpus", "2")
            self.pid = int((self.deep / "state/local/server.pid").read_text())
