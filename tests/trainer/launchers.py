"""The trainer with torchrun and mpirun; see launchers."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from support import DEADLINE, check, command, env, free_port, metrics, newest, trainer

FLAGS = ["--threads", 1, "--checkpoint-every", 5]
FOREVER = 1000000  # steps
os.environ["OMP_NUM_THREADS"] = "1"


def torchrun(nodes, processes, port, *flags, restarts=0, **more):
    return subprocess.Popen([os.environ["TORCHRUN"], f"--nnodes={nodes}", f"--nproc-per-node={processes}", "--rdzv-backend=c10d",
                             f"--rdzv-endpoint=localhost:{port}", "--rdzv-id=job", "--rdzv-conf=last_call_timeout=3",
                             f"--max-restarts={restarts}", "--monitor-interval=0.1", "--no-python", *command(*FLAGS, *flags)],
                            env={**env, **more}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def ends(launchers, expect=0):
    said = [launcher.communicate(timeout=DEADLINE)[0] for launcher in launchers]
    codes = [launcher.returncode for launcher in launchers]
    check(codes == [expect] * len(codes), f"exit statuses {codes}: {''.join(said)}")
    return "".join(said)


def go_on(launchers, until):
    while not until():
        for launcher in launchers:
            check(launcher.poll() is None, f"ended: {launcher.poll() is not None and launcher.communicate()[0]}")
        time.sleep(0.1)


def wait_for_checkpoint(folder):
    while not (folder / "LATEST").exists():
        time.sleep(0.05)


def starts(file):
    """The complete lines of event "start" in a file that is still being written."""
    return [line for line in metrics(file) if line["event"] == "start"]


def one_more_step(folder):
    """Runs one more step in one process. Returns the folder of a process that did all steps."""
    alone = folder.with_name(f"{folder.name} alone")
    end = int(newest(folder).stem.removeprefix("step-")) + 1
    for one in (alone, folder):
        trainer(*FLAGS, "--max_steps", end, "--checkpoint-dir", one)
    return alone


def works(title, folder, whole):
    check(newest(folder).read_bytes() == newest(whole).read_bytes(), f"{title}: the bytes differ from those of one process")
    print(f"{title}: the bytes of one process")


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    alone = work / "alone"
    trainer(*FLAGS, "--max_steps", 21, "--checkpoint-dir", alone)

    folder = work / "one node"
    said = ends([torchrun(1, 2, free_port(), "--max_steps", 21, "--checkpoint-dir", folder)])
    check('launch="torchrun\'s variables (LOCAL_RANK)"' in said and "rank 1 of 2 is connected to the others" in said, said)
    works("torchrun, a node of 2", folder, alone)

    for nodes, processes in (("2", 2), ("1:2", 2)):
        folder, port = work / f"nodes {nodes}", free_port()
        said = ends([torchrun(nodes, processes, port, "--max_steps", 21, "--checkpoint-dir", folder) for _ in range(2)])
        check("rank 3 of 4 is connected to the others" in said, said)
        works(f"torchrun, --nnodes {nodes} of {processes} each", folder, alone)

    # A rank is killed: torchrun starts all ranks again, and they continue.
    folder = work / "killed"
    run = torchrun(1, 2, free_port(), "--max_steps", FOREVER, "--checkpoint-dir", folder, "--metrics", work / "killed.jsonl", restarts=1)
    wait_for_checkpoint(folder)
    victim = subprocess.run(["pgrep", "-P", str(run.pid), "-f", "kml-trainer"], capture_output=True, text=True, check=True).stdout.split()[-1]
    os.kill(int(victim), signal.SIGKILL)
    go_on([run], lambda: len(starts(work / "killed.jsonl")) == 2)
    run.terminate()
    run.communicate(timeout=DEADLINE)
    works("torchrun, a rank killed and all started anew", folder, one_more_step(folder))

    # A node joins an elastic job: torchrun ends its ranks, and starts them again together with the new ones. If
    # torchrun 2.15 shares its store with the ranks, an agent that remains the first one does not tell the new one
    # where it is.
    folder, lines, port = work / "grown", work / "grown.jsonl", free_port()

    def node():
        return torchrun("1:2", 1, port, "--max_steps", FOREVER, "--checkpoint-dir", folder, "--metrics", lines, restarts=1,
                        TORCH_DISABLE_SHARE_RDZV_TCP_STORE="1")

    nodes = [node()]
    wait_for_checkpoint(folder)
    nodes.append(node())
    go_on(nodes, lambda: starts(lines)[-1]["ranks"] == 2)
    for agent in nodes:
        agent.terminate()
    for agent in nodes:
        agent.communicate(timeout=DEADLINE)
    works("torchrun, a node joined", folder, one_more_step(folder))

    if not shutil.which("mpirun"):
        sys.exit("no mpirun (Debian: openmpi-bin): that part was left out")
    for processes in (2, 4):
        folder = work / f"mpirun {processes}"
        said = ends([subprocess.Popen(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(processes),
                                       *command(*FLAGS, "--max_steps", 21, "--checkpoint-dir", folder)], env=env,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)])
        check(f"rank {processes - 1} of {processes} is connected to the others" in said and "mpirun (OMPI_COMM_WORLD_SIZE)" in said, said)
        works(f"mpirun -n {processes}", folder, alone)
