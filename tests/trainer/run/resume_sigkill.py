"""A run killed at random moments, as by kill -9, ends with the bytes of an uninterrupted one."""

import random
import subprocess
import tempfile
import time

from support import DEADLINE, STEPS, check, command, env, metrics, newest, trainer

KILLS = 10
FLAGS = ["--max_steps", STEPS, "--seed", 6, "--checkpoint-every", 7]

with tempfile.TemporaryDirectory() as folder:
    start = time.monotonic()
    trainer(*FLAGS, "--checkpoint-dir", f"{folder}/whole")
    whole = time.monotonic() - start
    flags = [*FLAGS, "--checkpoint-dir", f"{folder}/killed", "--metrics", f"{folder}/metrics"]
    killed = 0
    for _ in range(KILLS):
        run = subprocess.Popen(command(*flags), env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            run.wait(random.uniform(0, whole / 2))
            break
        except subprocess.TimeoutExpired:
            run.kill()
            run.wait(DEADLINE)
            killed += 1
    trainer(*flags)

    # Every attempt continues from a checkpoint, with the next update, and skips none.
    done = 0
    for line in metrics(f"{folder}/metrics"):
        if line["event"] == "start":
            check(line["updates"] <= done and line["step"] % 7 in (0, STEPS % 7), f"{line} after update {done}")
            done = line["updates"]
        elif line["event"] == "update":
            check(line["update"] == done + 1, f"{line} after update {done}")
            done += 1
    check(newest(f"{folder}/whole").read_bytes() == newest(f"{folder}/killed").read_bytes(), "the weights differ")
    print(f"killed {killed} times: the same bytes")
