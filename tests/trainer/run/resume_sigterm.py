"""A run stopped by SIGTERM several times ends with the bytes of an uninterrupted one, without repeating an update."""

import random
import signal
import subprocess
import tempfile

from support import DEADLINE, STEPS, check, command, env, metrics, newest, trainer

FLAGS = ["--max_steps", STEPS, "--seed", 5, "--checkpoint-every", 0, "--threads", 2]

with tempfile.TemporaryDirectory() as folder:
    trainer(*FLAGS, "--checkpoint-dir", f"{folder}/whole")
    stopped = 0
    for attempt in range(STEPS):
        run = subprocess.Popen(command(*FLAGS, "--checkpoint-dir", f"{folder}/stopped", "--metrics", f"{folder}/metrics"),
                               env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(random.randint(1, STEPS // 40)):  # after this number of evaluations
            run.stdout.readline()
        run.send_signal(signal.SIGTERM)
        _, said = run.communicate(timeout=DEADLINE)
        check(attempt == 0 or "resumed at step" in said, said)
        if run.returncode == 0:
            break
        check(run.returncode == 143, f"exit status {run.returncode}: {said}")
        check("stopped by SIGTERM at step" in said, said)
        stopped += 1
    check(stopped >= 3, f"only {stopped} stops")

    lines = metrics(f"{folder}/metrics")
    updates = [line["update"] for line in lines if line["event"] == "update"]
    check(updates == list(range(1, STEPS - STEPS // 10 + 1)), f"updates {updates}")
    stops = [line["step"] for line in lines if line["event"] == "stop"]
    starts = [line["step"] for line in lines if line["event"] == "start"]
    check(starts[1:] == stops, f"stopped at {stops}, started at {starts}")
    check(newest(f"{folder}/whole").read_bytes() == newest(f"{folder}/stopped").read_bytes(), "the weights differ")
    print(f"{stopped} stops at steps {stops}: the same bytes")
