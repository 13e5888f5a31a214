"""A pod with several ranks: the trainer starts and reaps them. A signal reaches all of them, and none outlives the
trainer."""

import os
import re
import signal
import subprocess
import tempfile
import time

from support import DEADLINE, STEPS, check, command, env, free_port, newest, trainer

STEPS = STEPS // 4
FLAGS = ["--max_steps", STEPS, "--checkpoint-every", 5, "--threads", 1]


def pod(node, nodes, processes, port, *flags, **more):
    told = {"PET_NNODES": nodes, "PET_NODE_RANK": node, "PET_NPROC_PER_NODE": processes, "WORLD_SIZE": int(nodes) * processes,
            "RANK": node, "PET_MASTER_ADDR": "localhost", "PET_MASTER_PORT": port, **more}
    return subprocess.Popen(command(*FLAGS, *flags), env={**env, **{k: str(v) for k, v in told.items() if v is not None}}, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def lives(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pids, deadline=DEADLINE):
    end = time.monotonic() + deadline
    while any(lives(pid) for pid in pids):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


with tempfile.TemporaryDirectory() as folder:
    trainer(*FLAGS, "--checkpoint-dir", f"{folder}/alone")
    whole = newest(f"{folder}/alone").read_bytes()

    port = free_port()
    pods = [pod(node, 2, 2, port, "--checkpoint-dir", f"{folder}/four") for node in range(2)]
    said = [one.communicate(timeout=DEADLINE)[1] for one in pods]
    check([one.returncode for one in pods] == [0, 0], "".join(said))
    check(newest(f"{folder}/four").read_bytes() == whole, "2 pods of 2 ranks: the weights differ")
    check("rank 3 of 4 is connected to the others" in said[1], said[1])

    # SIGTERM to the pod, as Kubernetes sends it.
    flags = ["--checkpoint-dir", f"{folder}/two"]
    run = pod(0, 1, 2, free_port(), *flags)
    run.stdout.readline()
    ranks = children(run.pid)
    check(len(ranks) == 2, f"{len(ranks)} ranks")
    run.send_signal(signal.SIGTERM)
    err = run.communicate(timeout=DEADLINE)[1]
    check(run.returncode == 143 and err.count("stopped by SIGTERM at step") == 2, f"exit status {run.returncode}: {err}")

    # A rank is killed: the pod exits with the status of the rank that ends first.
    run = pod(0, 1, 2, free_port(), *flags)
    run.stdout.readline()
    ranks = children(run.pid)
    os.kill(ranks[1], signal.SIGKILL)
    start = time.monotonic()
    err = run.communicate(timeout=DEADLINE)[1]
    check(run.returncode in (137, 138), f"exit status {run.returncode}: {err}")
    check(time.monotonic() - start < 60, "the pod took longer than a minute to end")

    # The pod's first process is killed, and its ranks die with it.
    run = pod(0, 1, 2, free_port(), *flags)
    run.stdout.readline()
    ranks = children(run.pid)
    run.kill()
    run.communicate(timeout=DEADLINE)
    check(gone(ranks), "ranks outlive their pod")

    run = pod(0, 1, 2, free_port(), *flags)
    err = run.communicate(timeout=DEADLINE)[1]
    check(run.returncode == 0, err)
    check(newest(f"{folder}/two").read_bytes() == whole, "stopped and killed: the weights differ")

    # An elastic job begins with the ranks that exist. A wrong flag ends all of them at once.
    elastic = {"PET_NNODES": "1:2", "PET_NODE_RANK": None, "WORLD_SIZE": None, "RANK": None, "PET_MASTER_ADDR": None,
               "PET_MASTER_PORT": None, "PET_RDZV_ENDPOINT": f"localhost:{free_port()}"}
    pods = [pod(0, 1, 2, 0, "--checkpoint-dir", f"{folder}/elastic", **{**elastic, "POD_NAME": f"e-worker-{i}"}) for i in range(2)]
    said = [one.communicate(timeout=DEADLINE)[1] for one in pods]
    check([one.returncode for one in pods] == [0, 0], "".join(said))
    check(re.search("rank 3 of 4 is connected to the others", said[1]), said[1])
    check(newest(f"{folder}/elastic").read_bytes() == whole, "elastic: the weights differ")
    run = pod(0, 1, 2, free_port(), "--data", "/nowhere")
    err = run.communicate(timeout=DEADLINE)[1]
    check(run.returncode == 1, f"exit status {run.returncode}: {err}")
