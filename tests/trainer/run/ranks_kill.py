"""A rank dies: the others exit within a minute, so that a controller restarts them, and the run resumes exactly.

The kill matrix is rank × phase × signal. KILL_MATRIX=whole tries all combinations (tests/soak/trainer), otherwise
five at random: each signal once, and SIGKILL in the phases "training" and "late".
"""

import itertools
import os
import random
import re
import signal
import tempfile
import time

from support import STEPS, Ranks, check, newest, ranks, trainer

WORLD = 3
FLAGS = ["--max_steps", STEPS // 4, "--seed", 7, "--checkpoint-every", 3]
PHASES = {  # a phase begins when rank 0 has written this line
    "meeting": (None, None),
    "evaluation": ("stdout", "Accuracy at step 10"),
    "training": ("stdout", "Accuracy at step 20"),
    "late": ("stdout", "Accuracy at step 40"),
}
matrix = list(itertools.product(range(WORLD), PHASES, (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM)))
if os.environ.get("KILL_MATRIX") != "whole":
    random.shuffle(matrix)
    matrix = [next(case for case in matrix if case[2] == number) for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM)] + \
             [next(case for case in matrix if case[1] == phase and case[2] == signal.SIGKILL) for phase in ("training", "late")]

with tempfile.TemporaryDirectory() as folder:
    trainer(*FLAGS, "--checkpoint-dir", f"{folder}/whole")
    whole = newest(f"{folder}/whole").read_bytes()
    slowest = 0
    for number, (victim, phase, kind) in enumerate(matrix):
        flags = [*FLAGS, "--checkpoint-dir", f"{folder}/{number}"]
        title = f"{kind.name} to rank {victim}, phase {phase}"
        _, line = PHASES[phase]
        # If a rank dies before the ranks have met, the others wait for it until the time limit.
        job = Ranks(WORLD, *flags, *(["--meeting-timeout", 5] if line is None else []))
        if line is None:
            time.sleep(random.uniform(0, 0.5))
        else:
            while not job.processes[0].stdout.readline().startswith(line):
                check(job.processes[0].poll() is None, f"{title}: ended early")
            time.sleep(random.uniform(0, 0.05))
        job.processes[victim].send_signal(kind)
        start = time.monotonic()
        codes, _, err = job.wait()
        took = time.monotonic() - start
        if line is not None:
            slowest = max(slowest, took)
        survivors = [code for rank, code in enumerate(codes) if rank != victim]
        if kind == signal.SIGTERM and line is not None:
            check(codes in ([143 if rank == victim else 138 for rank in range(WORLD)], [0] * WORLD), f"{title}: exit statuses {codes}\n{err}")
        elif line is not None:
            check(codes[victim] == -kind, f"{title}: exit statuses {codes}\n{err}")
            check(all(code == 138 for code in survivors), f"{title}: exit statuses {codes}\n{err}")
            check(took < 60, f"{title}: the others took {took:.1f} s")
            check(len(re.findall(r"\]: error: lost another rank", err)) == WORLD - 1, err)
        else:
            check(all(code >= 128 for code in survivors), f"{title}: exit statuses {codes}\n{err}")
        ranks(WORLD, *flags)
        check(newest(f"{folder}/{number}").read_bytes() == whole, f"{title}: the weights differ")
        print(f"{title}: exit statuses {codes} after {took:.2f} s, and the same bytes")
    print(f"{len(matrix)} kills; the slowest survivors took {slowest:.2f} s")
