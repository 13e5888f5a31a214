"""Stopped with 4 ranks, by SIGTERM to one of them, resumed with 2, and then with 8: ends with the bytes of an
uninterrupted process."""

import random
import signal
import tempfile

from support import STEPS, Ranks, check, metrics, newest, trainer

STEPS = STEPS // 2
FLAGS = ["--max_steps", STEPS, "--seed", 4, "--checkpoint-every", 0]

with tempfile.TemporaryDirectory() as folder:
    trainer(*FLAGS, "--checkpoint-dir", f"{folder}/whole")
    flags = [*FLAGS, "--checkpoint-dir", f"{folder}/stopped", "--metrics", f"{folder}/metrics"]
    for world in (4, 2):
        job = Ranks(world, *flags)
        for _ in range(3):
            job.processes[0].stdout.readline()
        asked = random.randrange(world)
        job.processes[asked].send_signal(signal.SIGTERM)
        codes, _, err = job.wait()
        check(codes == [143 if rank == asked else 138 for rank in range(world)], f"SIGTERM to rank {asked} of {world}: exit statuses {codes}\n{err}")
        check(err.count("stopped by SIGTERM at step") == world, err)
    codes, _, err = Ranks(8, *flags).wait()
    check(codes == [0] * 8, f"exit statuses {codes}\n{err}")

    lines = metrics(f"{folder}/metrics")
    updates = [line["update"] for line in lines if line["event"] == "update"]
    check(updates == list(range(1, STEPS - STEPS // 10 + 1)), f"updates {updates}")
    check([line["ranks"] for line in lines if line["event"] == "start"] == [4, 2, 8], str(lines))
    check(newest(f"{folder}/whole").read_bytes() == newest(f"{folder}/stopped").read_bytes(), "the weights differ")
