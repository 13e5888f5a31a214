"""An elastic job that began with one rank lets later ones join, and ends with the bytes of one process."""

import json
import re
import subprocess
import tempfile

from support import DEADLINE, check, command, env, free_port, metrics, newest, trainer

FLAGS = ["--checkpoint-every", 0, "--threads", 1]


def pod(number, port, *flags):
    told = {"PET_NNODES": "1:3", "PET_RDZV_ENDPOINT": f"localhost:{port}", "PET_RDZV_CONF": "last_call_timeout=5", "POD_NAME": f"job-worker-{number}"}
    return subprocess.Popen(command(*FLAGS, *flags), env={**env, **told}, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_for(stream, text):
    for line in stream:
        if found := re.search(text, line):
            return found
    check(False, f"ended, and never said: {text}")


with tempfile.TemporaryDirectory() as folder:
    flags = ["--checkpoint-dir", f"{folder}/grown", "--metrics", f"{folder}/metrics"]
    # They arrive when some steps are done and the end is far away.
    port = free_port()
    first = pod(0, port, "--max_steps", 1000000, *flags)
    first.stdout.readline()
    others = []
    for number in (1, 2):
        others.append(pod(number, port, "--max_steps", 1000000, *flags))
        wait_for(first.stderr, f"rank 0 of {number + 1} is connected to the others")
        resumed = wait_for(first.stderr, "resumed at step (\\d+)")
    while int(wait_for(first.stdout, "Accuracy at step (\\d+)")[1]) <= int(resumed[1]):
        pass
    others[1].terminate()
    said = [one.communicate(timeout=DEADLINE) for one in (first, *others)]
    codes = [one.returncode for one in (first, *others)]
    check(codes == [138, 138, 143], f"exit statuses {codes}: {said}")
    check("more ranks have been added: all ranks connect again, at step" in said[1][1], said[1][1])

    lines = metrics(f"{folder}/metrics")
    updates = [line["update"] for line in lines if line["event"] == "update"]
    check(updates == list(range(1, len(updates) + 1)), f"an update was done twice, or left out: {updates}")
    starts, stops = ([line for line in lines if line["event"] == event] for event in ("start", "stop"))
    check([line["ranks"] for line in starts] == [1, 2, 3], starts)
    check([line["signal"] for line in stops] == [0, 0, 15], stops)
    check([line["step"] for line in starts] == [0] + [line["step"] for line in stops[:2]], lines)
    reasons = [json.loads(line).get("reason") for line in open(f"{folder}/grown/attempts.jsonl")]
    check([reason for reason in reasons if reason] == ["more ranks", "more ranks", "SIGTERM"], reasons)

    # Continues to the end of the run in one process, and compares it with one process from the beginning.
    end = stops[-1]["step"] + 1
    for name in ("grown", "alone"):
        trainer(*FLAGS, "--max_steps", end, "--checkpoint-dir", f"{folder}/{name}")
    check(newest(f"{folder}/grown").read_bytes() == newest(f"{folder}/alone").read_bytes(), "the weights differ")
