"""Shared by the tests of the real trainer."""

import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys

import numpy as np

TRAINER = os.environ["TRAINER"]
MNIST = pathlib.Path(os.environ["MNIST"])
STEPS = int(os.environ["STEPS"])  # long enough for a run to be stopped several times
DEADLINE = 1500  # seconds, for any one run

env = {name: value for name, value in os.environ.items() if not re.match("PET_|OMPI_|TORCHELASTIC_|MASTER_|WORLD_SIZE|RANK|LOCAL_", name)}


def command(*flags, data=MNIST):
    return [TRAINER, "--data", str(data), *map(str, flags)]


def trainer(*flags, data=MNIST, expect=0, **options):
    """Runs the trainer to its end. The result has stdout and stderr as text."""
    done = subprocess.run(command(*flags, data=data), capture_output=True, text=True, timeout=DEADLINE,
                          **{"env": env, **options})
    check(done.returncode == expect, f"exit status {done.returncode}, expected {expect}\n{done.stdout}{done.stderr}")
    return done


def check(ok, text):
    if not ok:
        sys.exit(f"FAILED: {text}")


def accuracies(stdout):
    """{step: accuracy} from the demo's lines; fails if there are other lines."""
    lines = [re.fullmatch(r"Accuracy at step (\d+): (\d\.\d{4})", line) for line in stdout.splitlines()]
    check(all(lines), f"unexpected line in {stdout}")
    return {int(line[1]): float(line[2]) for line in lines}


def metrics(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]


def newest(folder):
    folder = pathlib.Path(folder)
    return folder / (folder / "LATEST").read_text().strip()


def tensors(path):
    """Tensors and metadata of a safetensors file, read by the format's own description."""
    content = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8:8 + length])
    metadata = header.pop("__metadata__")
    check(all(isinstance(value, str) for value in metadata.values()), "metadata must be strings")
    result = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        dtype = {"F32": np.float32, "F64": np.float64}[entry["dtype"]]
        result[name] = np.frombuffer(content[begin:end], dtype).reshape(entry["shape"])
    return result, metadata


def mnist(part):
    """Images (a row each, bytes) and labels of "train" or "t10k"."""
    images = np.fromfile(MNIST / f"{part}-images-idx3-ubyte", np.uint8)[16:].reshape(-1, 784)
    return images, np.fromfile(MNIST / f"{part}-labels-idx1-ubyte", np.uint8)[8:]


class Ranks:
    """A job of several processes on this machine, started as an operator would start them, one for each pod."""

    def __init__(self, world, *flags):
        self.port = free_port()
        self.processes = [self.start(rank, world, *flags) for rank in range(world)]

    def start(self, rank, world, *flags, **more):
        told = {"RANK": rank, "WORLD_SIZE": world, "MASTER_ADDR": "localhost", "MASTER_PORT": self.port, **more}
        return subprocess.Popen(command("--threads", 1, *flags), env={**env, **{k: str(v) for k, v in told.items()}}, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def wait(self, timeout=DEADLINE):
        """The exit statuses, in the ranks' order, rank 0's stdout, and the stderr of all."""
        said = [process.communicate(timeout=timeout) for process in self.processes]
        return [process.returncode for process in self.processes], said[0][0], "".join(err for _, err in said)


reserved = []


def free_port():
    """A port that no other process gets while this one lives: it is bound but not listened on, so that rank 0 can
    listen on it."""
    probe = socket.socket()
    reserved.append(probe)
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    probe.bind(("127.0.0.1", 0))
    return probe.getsockname()[1]


def ranks(world, *flags, expect=0):
    """Runs a job of several processes to its end."""
    codes, out, err = Ranks(world, *flags).wait()
    check(codes == [expect] * world, f"exit statuses {codes}, expected {expect}\n{out}{err}")
    return out, err
