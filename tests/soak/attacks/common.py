"""Shared by the attacks of tests/soak/attack: runs kml on a terminal, and checks for things that it must never do
there."""

import http.server
import json
import os
import pathlib
import pty
import re
import resource
import select
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import hostile_server  # noqa: E402


KML = os.path.abspath(os.environ.get("KML", "build/release/kml"))
EVIL = hostile_server.EVIL
# kml's own sequences: colors, and those that draw its progress lines and screens.
OWN = re.compile(rb"\x1b\[[0-9;:]{0,126}m|\x1b\[[0-9;]{0,9}[HJKA]")
STEERS = re.compile(rb"\x1b|[\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]|\xc2[\x80-\x9f]")
MEMORY, MOST_USED, PATIENCE = 4 << 30, 1 << 30, 90


class Seen:
    """The result of one command on a terminal. `followed` is the number of seconds after which it is interrupted."""

    def __init__(self, argv, env, folder, followed=None, memory=MEMORY):
        self.argv, self.output, self.hung = argv, bytearray(), False
        self.asked, deadline = False, time.monotonic() + (PATIENCE if followed is None else followed)
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(folder)
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            os.execve(argv[0], argv, env)
        while True:
            left = deadline - time.monotonic()
            if left > 0 and select.select([fd], [], [], left)[0]:
                try:
                    piece = os.read(fd, 65536)
                except OSError:
                    break
                self.output += piece
                if len(self.output) > 1 << 23:  # a read returns only 4 KiB; cutting each time would take minutes
                    del self.output[:-(1 << 22)]
            elif left <= 0 and followed is not None and not self.asked:  # a command with -f is told to end
                os.kill(pid, signal.SIGINT)
                self.asked, deadline = True, time.monotonic() + PATIENCE
            elif left <= 0:
                os.kill(pid, signal.SIGKILL)
                self.hung = True
                break
        _, self.status, self.usage = os.wait4(pid, 0)
        os.close(fd)
        self.output = bytes(self.output)

    def faults(self, codes=(0, 1, 2, 3, 4, 5, 130)):
        if self.hung:
            yield f"goes on for more than {PATIENCE} s"
        elif os.WIFSIGNALED(self.status):
            if not (self.asked and os.WTERMSIG(self.status) == signal.SIGINT):
                yield f"killed by signal {os.WTERMSIG(self.status)}"
        elif os.waitstatus_to_exitcode(self.status) not in codes:
            yield f"exit code {os.waitstatus_to_exitcode(self.status)}"
        if self.usage.ru_maxrss << 10 > MOST_USED:
            yield f"{self.usage.ru_maxrss >> 10} MiB of memory"
        if steers := STEERS.search(OWN.sub(b"", self.output)):
            yield f"steers the terminal: {self.output[max(0, steers.start() - 40):][:120]!r}"


class Kind:
    def __init__(self, folder):
        self.work, self.attacks, self.found, self.seconds = folder, 0, [], 0.0
        self.deep = folder / "a/b/c/d"  # deep enough that a name with ../../.. still leads to a place that is checked
        self.home = self.deep / "home"
        self.home.mkdir(parents=True)
        kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
        self.env = {**kept, "HOME": str(self.home), "TERM": "xterm", "LC_ALL": "C.UTF-8", "COLUMNS": "120",
                    "KML_STATE_DIR": str(self.deep / "state"), "XDG_CONFIG_HOME": str(self.deep / "config")}

    def fault(self, what):
        self.found.append(what)

    def kml(self, *argv, folder=None, followed=None, codes=(0, 1, 2, 3, 4, 5, 130), memory=MEMORY):
        seen = Seen([KML, *argv], self.env, folder or self.home, followed, memory)
        self.attacks += 1
        for fault in seen.faults(codes):
            self.fault(f"kml {' '.join(argv)!r}: {fault}; it ends with {seen.output[-300:]!r}")
        return seen

    def end(self):
        pass


def kubeconfig(path, contexts):
    """Writes a kubeconfig with these contexts, each with the port of its server."""
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "current-context": next(iter(contexts)),
        "clusters": [{"name": f"c{n}", "cluster": {"server": f"http://127.0.0.1:{port}"}} for n, port in enumerate(contexts.values())],
        "users": [{"name": "u", "user": {}}],
        "contexts": [{"name": name, "context": {"cluster": f"c{n}", "user": "u"}} for n, name in enumerate(contexts)]}))


def serve(handler):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.handle_error = lambda *_: None  # it is normal that a client leaves early
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def eventually(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


class LocalServer(Kind):
    """An attack that uses its own embedded server."""

    def __init__(self, folder):
        super().__init__(folder)
        self.kml("local", "up", "--fake-gpus", "2", codes=(0,))
        self.pid = int((self.deep / "state/local/server.pid").read_text())
        self.attacks = 0

    def end(self):
        subprocess.run(["timeout", "60", KML, "local", "down", "--force"], env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
