#!/usr/bin/env python3
"""Records what tqdm, rich, pip and curl write while they show progress, as NAME.json here: what each write(2) brought, as
text of Latin-1, in its order. It needs a network, and makes a virtual environment in a temporary folder.

tqdm writes the same wherever it writes; rich and pip show nothing but on a terminal, so theirs is one.
"""

import http.server
import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ["tqdm==4.66.5", "rich==13.8.1", "pip==24.2"]
TQDM = """
import time
from tqdm import tqdm
for i in tqdm(range(5), desc="steps", ncols=60):
    time.sleep(0.12)
print("done", flush=True)
"""
NESTED = """
import sys, time
from tqdm import tqdm
for epoch in tqdm(range(2), desc="epochs", ncols=60):
    for step in tqdm(range(3), desc="steps", ncols=60, leave=False):
        time.sleep(0.12)
    tqdm.write(f"epoch {epoch} loss=0.5", file=sys.stderr)
print("done", file=sys.stderr)
"""
RICH = """
import time
from rich.console import Console
from rich.progress import Progress
console = Console(force_terminal=True, width=70)
with Progress(console=console) as progress:
    tasks = [progress.add_task(f"[red]task {i}", total=4) for i in range(3)]
    for step in range(4):
        for task in tasks:
            progress.update(task, advance=1)
        progress.console.print(f"step {step}")
        time.sleep(0.15)
console.print("[bold]done")
"""


class Slow(http.server.BaseHTTPRequestHandler):
    """A file of 4 MiB that takes a second; for pip a wheel."""

    def do_GET(self):
        body = wheel() if self.path.endswith(".whl") else bytes(4 << 20)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        step = max(len(body) // 10, 1)
        for at in range(0, len(body), step):
            self.wfile.write(body[at : at + step])
            threading.Event().wait(0.12)

    def log_message(self, *_):
        pass


def wheel():
    import io
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("large/__init__.py", b"")
        archive.writestr("large/data", bytes(3 << 20))
        archive.writestr("large-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: large\nVersion: 1.0\n")
        archive.writestr("large-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: record\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("large-1.0.dist-info/RECORD", "")
    return buffer.getvalue()


def record(name, argv, on_terminal):
    reader, writer = pty.openpty() if on_terminal else os.pipe()
    if on_terminal:
        import fcntl, struct, termios
        fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
    env = {**os.environ, "TERM": "xterm-256color", "PYTHONUNBUFFERED": "1", "LC_ALL": "C.UTF-8"}
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=writer, stderr=writer, env=env)
    os.close(writer)
    pieces = []
    while True:
        try:
            piece = os.read(reader, 65536)
        except OSError:
            break
        if not piece:
            break
        pieces.append(piece.replace(b"\r\n", b"\n").decode("latin-1") if on_terminal else piece.decode("latin-1"))
    if process.wait() != 0:
        sys.exit(f"{name}: exit {process.returncode}: {''.join(pieces)}")
    (HERE / f"{name}.json").write_text(json.dumps(pieces, indent=0) + "\n")
    print(f"{name}: {len(pieces)} pieces, {sum(map(len, pieces))} bytes")


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = f"{folder}/bin/python"
    subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    record("tqdm", [python, "-c", TQDM], False)
    record("tqdm_nested", [python, "-c", NESTED], False)
    record("rich", [python, "-c", RICH], True)
    record("pip", [python, "-m", "pip", "install", "--no-cache-dir", "--no-deps", f"{url}/large-1.0-py3-none-any.whl"], True)
    record("curl", ["curl", "-o", f"{folder}/file", f"{url}/file"], False)
