"""One rank of a small gang that takes steps together, with a planted fault: for tests/cli/hang.sh and tests/soak/hang.

    hang_rank.py FOLDER SIZE CULPRIT FAULT [SECONDS]

Rank 0 is the hub of a Unix socket in FOLDER. Its number is JOB_COMPLETION_INDEX. Like NCCL, the ranks do not notice when
one of them has ended. With GANG=gloo, they use PyTorch's Gloo instead. The fault comes at the fifth step of the rank
CULPRIT, which first makes the file at_fault; `compile` comes before the first step of each rank, and `slow` is no fault.
SECONDS is the mean length of a step. Without py-spy, `mismatch` cannot be recognized.
"""
import os
import pathlib
import random
import signal
import socket
import sys
import threading
import time

FOLDER, SIZE, CULPRIT, FAULT = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
SECONDS = float(sys.argv[5]) if len(sys.argv) > 5 else 0.1
RANK = int(os.environ["JOB_COMPLETION_INDEX"])
FAULT_STEP = 5


class Group:
    def __init__(self):
        self.peers = []
        if RANK == 0:
            hub = socket.socket(socket.AF_UNIX)
            hub.bind(str(FOLDER / "hub.new"))
            hub.listen(SIZE)
            os.rename(FOLDER / "hub.new", FOLDER / "hub")
            self.peers = [hub.accept()[0] for _ in range(SIZE - 1)]
            self.hub = hub
        else:
            while not (FOLDER / "hub").exists():
                time.sleep(0.05)
            peer = socket.socket(socket.AF_UNIX)
            peer.connect(str(FOLDER / "hub"))
            self.peers = [peer]

    def receive(self, peer):
        if not peer.recv(1):
            self.wait_without_end()

    def wait_without_end(self):
        never, self.other = socket.socketpair()
        never.recv(1)

    def all_reduce(self):
        for peer in self.peers:
            if RANK == 0:
                self.receive(peer)
        for peer in self.peers:
            try:
                peer.send(b"x")
            except BrokenPipeError:
                self.wait_without_end()
        if RANK != 0:
            self.receive(self.peers[0])

    def broadcast(self):
        self.wait_without_end()


class Gloo:
    def __init__(self):
        global torch
        import torch.distributed
        torch.distributed.init_process_group("gloo", init_method=f"file://{FOLDER}/store", rank=RANK, world_size=SIZE)

    def all_reduce(self):
        torch.distributed.all_reduce(torch.ones(4))

    def broadcast(self):
        torch.distributed.broadcast(torch.ones(4), RANK)
        torch.distributed.barrier()


class DataLoader:
    def __next__(self):
        fifo = FOLDER / f"fifo-{RANK}"
        if not fifo.exists():
            os.mkfifo(fifo)
        # A writer that writes nothing.
        with open(os.open(fifo, os.O_RDWR), "rb", buffering=0) as data:
            return data.read(1)


def save_checkpoint(seconds):
    print("saving checkpoint", flush=True)
    end = time.monotonic() + seconds
    with open(FOLDER / "checkpoint", "wb") as out:
        while time.monotonic() < end:
            out.write(os.urandom(1 << 18))
            out.flush()
            out.seek(0)
            time.sleep(0.05)


def work(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(range(10000))


def read_much(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with open("/dev/zero", "rb", buffering=0) as data:
            data.read(1 << 18)
        time.sleep(0.1)


def fail(group):
    threading.Thread(target=time.sleep, args=(100000,)).start()  # keeps the process
    if FAULT == "exception":
        raise ValueError("no such batch")


def plant(group):
    (FOLDER / "at_fault").touch()
    if FAULT == "sleep":
        time.sleep(100000)
    elif FAULT == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif FAULT == "input":
        next(DataLoader())
    elif FAULT == "open":
        os.mkfifo(FOLDER / "nobody-writes")
        open(FOLDER / "nobody-writes", "rb")
    elif FAULT == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    elif FAULT == "exception":
        fail(group)
    elif FAULT == "mismatch":
        group.broadcast()
    elif FAULT == "checkpoint":
        save_checkpoint(100000)
    elif FAULT == "work":
        work(100000)
    elif FAULT == "read":
        read_much(100000)


def end_with_folder():
    while FOLDER.exists():
        time.sleep(1)
    os._exit(1)


def main():
    threading.Thread(target=end_with_folder, daemon=True).start()
    if (FOLDER / "at_fault").exists():  # this is its second start, of which the other ranks know nothing
        print("starting again", flush=True)
        Group().all_reduce()
    if FAULT == "compile":
        (FOLDER / "at_fault").touch()
        work(100000)
    group = Gloo() if os.environ.get("GANG") == "gloo" else Group()
    chance = random.Random(RANK)
    for step in range(1, 1_000_000):
        print(f"step={step} loss={1 / step:.4f}", flush=True)
        if step == FAULT_STEP and FAULT == "slow":
            (FOLDER / "at_fault").touch()
        if step == FAULT_STEP and RANK == CULPRIT:
            plant(group)
        time.sleep(SECONDS * chance.uniform(0.7, 1.3))
        group.all_reduce()


main()
