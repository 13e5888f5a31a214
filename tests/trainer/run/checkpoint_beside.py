"""Training goes on while a checkpoint is written, however long that takes; one that cannot be written ends the run."""

import fcntl
import json
import os
import pathlib
import select
import subprocess
import tempfile

from support import DEADLINE, check, command, env

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "checkpoints").mkdir()
    # Lines go through a pipe that holds a few of them, so that the run is never far ahead of this reader.
    os.mkfifo(folder / "metrics")
    pipe = os.open(folder / "metrics", os.O_RDWR)
    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
    lines = os.fdopen(pipe)
    run = subprocess.Popen(command("--max_steps=300", "--hidden=20", "--evaluate-every=0", "--checkpoint-every=100", "--checkpoint-dir",
                                   folder / "checkpoints", "--metrics", folder / "metrics"), env=env, stderr=subprocess.PIPE, text=True)
    check(json.loads(lines.readline())["event"] == "start", "the first line")
    # A disk that takes its time: who opens this pipe waits for a reader.
    slow = folder / "checkpoints/step-0000000100.safetensors.tmp"
    os.mkfifo(slow)
    while (line := json.loads(lines.readline()))["step"] < 150:
        check(line["event"] == "update", line)
    # And that fails, as pipes cannot be synced.
    slow.read_bytes()
    while run.poll() is None:  # it may still have lines to write
        if select.select([pipe], [], [], 0.1)[0]:
            os.read(pipe, 4096)
    said = run.communicate(timeout=DEADLINE)[1]
    check(run.returncode == 1, f"exit status {run.returncode}: {said}")
    check("error: cannot write checkpoint" in said and "step-0000000100" in said and "  fix: make room" in said, said)
