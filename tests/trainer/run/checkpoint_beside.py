"""Training continues while a checkpoint is written, however long that takes. If it cannot be written, the run
ends. No rank ends with success before the last checkpoint is complete, however slow the disk is."""

import fcntl
import json
import os
import pathlib
import select
import subprocess
import tempfile
import time

from support import DEADLINE, Ranks, check, command, env


def narrow_pipe(path):
    """A pipe that holds only a few lines, so that its writer is never far ahead of its reader."""
    os.mkfifo(path)
    pipe = os.open(path, os.O_RDWR)
    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
    return pipe


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "checkpoints").mkdir()
    pipe = narrow_pipe(folder / "metrics")
    lines = os.fdopen(pipe)
    run = subprocess.Popen(command("--max_steps=300", "--hidden=20", "--evaluate-every=0", "--checkpoint-every=100", "--checkpoint-dir",
                                   folder / "checkpoints", "--metrics", folder / "metrics"), env=env, stderr=subprocess.PIPE, text=True)
    check(json.loads(lines.readline())["event"] == "start", "the first line")
    # A slow disk: opening this pipe waits for a reader.
    slow = folder / "checkpoints/step-0000000100.safetensors.tmp"
    os.mkfifo(slow)
    while (line := json.loads(lines.readline()))["step"] < 150:
        check(line["event"] in ("update", "progress"), line)
    # Then the write fails, because pipes cannot be synced.
    slow.read_bytes()
    while run.poll() is None:  # the run may still have lines to write
        if select.select([pipe], [], [], 0.1)[0]:
            os.read(pipe, 4096)
    said = run.communicate(timeout=DEADLINE)[1]
    check(run.returncode == 1, f"exit status {run.returncode}: {said}")
    check("error: cannot write checkpoint" in said and "step-0000000100" in said and "  fix: make the folder writable" in said, said)

    # The last checkpoint of two ranks: the second rank waits for it.
    lines = os.fdopen(narrow_pipe(folder / "of two"))
    job = Ranks(2, "--max_steps=100", "--hidden=20", "--evaluate-every=0", "--checkpoint-every=0", "--checkpoint-dir", folder / "two",
                "--metrics", folder / "of two", "--stall-timeout=5")
    while json.loads(lines.readline())["event"] != "start":
        pass
    slow = folder / "two/step-0000000100.safetensors.tmp"
    os.mkfifo(slow)
    while json.loads(lines.readline())["event"] != "evaluation":
        pass
    time.sleep(8)
    check([one.poll() for one in job.processes] == [None, None], "a rank has ended before the checkpoint was there")
    slow.read_bytes()
    codes, _, said = job.wait()
    check(codes == [1, 138] and "error: cannot write checkpoint" in said, f"exit statuses {codes}: {said}")
