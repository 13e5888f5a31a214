"""One session on a GPU machine: its deadline, its table of results, and the runs of the trainer in it."""

import array
import gzip
import hashlib
import json
import math
import os
import pathlib
import shutil
import signal
import statistics
import struct
import subprocess
import tempfile
import time

RESERVE = 5  # seconds kept for the end of the session


class Session:
    def __init__(self, kit, out, seconds):
        self.end = time.monotonic() + seconds
        self.kit, self.out = kit, out
        self.trainer = kit / "kml-trainer"
        self.is_small = bool(os.environ.get("REHEARSAL"))  # on the emulator: few steps, small networks
        self.precisions = ("bf16",) if self.is_small else ("tf32", "bf16", "fp32")
        self.failed = 0
        self.table = []
        out.mkdir(parents=True, exist_ok=True)
        self.log = open(out / "log", "w")
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="kml-gpu-"))
        self.data = self.work / "mnist"
        self.data.mkdir()
        for packed in (kit / "mnist").glob("*.gz"):
            (self.data / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
        libraries = [str(kit / "lib"), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
        self.env = {**os.environ, "LD_LIBRARY_PATH": ":".join(libraries), "OPENBLAS_NUM_THREADS": "8"}

    def left(self):
        return self.end - time.monotonic() - RESERVE

    def note(self, name, text):
        """Adds a row to the table."""
        self.table.append(f"{name:46} {text}")
        print(self.table[-1], flush=True)

    def check(self, name, is_right, text):
        self.failed += not is_right
        self.note(name, text if is_right else f"FAILED {text}")

    def run(self, argv, limit=40, env=None):
        """Runs a program. Returns its exit status, its seconds, stdout and stderr. The status is "late" if it was
        killed at the limit, and None if no time was left to start it."""
        if self.left() < RESERVE:
            return None, 0, "", ""
        begun = time.monotonic()
        process = subprocess.Popen([str(word) for word in argv], env=env or self.env, text=True, errors="replace",
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = process.communicate(timeout=min(limit, self.left()))
            status = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            status = "late"
        seconds = time.monotonic() - begun
        self.log.write(f"\n$ {process.args}\n  -> {status}, {seconds:.1f} s\n{out[-3000:]}{err[-6000:]}")
        self.log.flush()
        return status, seconds, out, err

    def missing_gpu(self):
        """Why no GPU can be used; empty if one can."""
        status, _, _, err = self.run([self.trainer, "--device", "cuda", "--max_steps", 0, "--hidden", 1, "--data", self.data])
        return "" if status == 0 else err or f"exit status {status}"

    def close(self):
        (self.out / "table").write_text("\n".join(self.table) + "\n")
        shutil.rmtree(self.work, ignore_errors=True)


class Training:
    """A run of the trainer, with its metrics and its last checkpoint."""

    def __init__(self, session, name, flags, limit=40, env=None, before=()):
        folder, lines = session.work / name, session.work / f"{name}.jsonl"
        argv = [*before, session.trainer, "--data", session.data, "--metrics", lines, "--checkpoint-dir", folder,
                "--checkpoint-every", 0, *flags]
        self.status, self.wall, _, self.err = session.run(argv, limit, env)
        self.events = [json.loads(line) for line in lines.read_text().splitlines()] if lines.exists() else []
        updates = [event for event in self.events if event["event"] == "update"]
        self.losses = [event["loss"] for event in updates]
        times = [event["seconds"] for event in updates]
        self.update = statistics.median(times[len(times) // 2:]) if times else math.nan  # without the start
        end = next((event for event in self.events if event["event"] == "end"), {})
        self.seconds, self.accuracy = end.get("seconds", math.nan), end.get("accuracy", math.nan)
        self.weights, self.digest = read_checkpoint(folder)

    @property
    def is_done(self):
        return self.status == 0

    def __str__(self):
        if self.status is None:
            return "LEFT OUT: no time"
        if self.is_done:
            losses = f"loss {self.losses[0]:.6f} -> {self.losses[-1]:.6f}" if self.losses else "no updates"
            return f"ok, accuracy {self.accuracy:.4f}, {losses}, {self.wall:.2f} s"
        words = [line.strip() for line in self.err.splitlines() if "error" in line or "why:" in line]
        return f"exit status {self.status}: {' | '.join(words[-2:])[:150]}"


def read_checkpoint(folder):
    """All 32-bit numbers (parameters and moments) of the newest checkpoint, and a digest of all tensors."""
    try:
        content = (folder / (folder / "LATEST").read_text().strip()).read_bytes()
    except OSError:
        return None, None
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8:8 + length])
    header.pop("__metadata__", None)
    data, digest, numbers = content[8 + length:], hashlib.sha256(), array.array("f")
    for name in sorted(header):
        begin, end = header[name]["data_offsets"]
        digest.update(data[begin:end])
        if header[name]["dtype"] == "F32":
            numbers.frombytes(data[begin:end])
    return numbers, digest.hexdigest()


def distance(a, b):
    """How much two trainings differ: the largest relative difference of a loss, and the norm of the difference of
    the weights and moments relative to their norm. Infinite if one of them failed, or has fewer losses."""
    if not (a.is_done and b.is_done and len(a.losses) == len(b.losses)):
        return math.inf, math.inf
    losses = max(abs(x / y - 1) for x, y in zip(a.losses, b.losses))
    apart = math.dist(a.weights, b.weights) / math.hypot(*b.weights)
    return losses, apart


def check_near(session, name, a, b, most):
    losses, weights = distance(a, b)
    session.check(name, losses <= most and weights <= most, f"losses {losses:.1e} apart, weights {weights:.1e} of their norm (at most {most:.0e})")


def check_same(session, name, a, b):
    if a.is_done and b.is_done and a.digest == b.digest:
        return session.check(name, True, "the same bits")
    losses, weights = distance(a, b)
    session.check(name, False, f"other bits: losses {losses:.1e} apart, weights {weights:.1e} of their norm; {a}; {b}")


def ranks(session, name, world, flags, env=None, before=lambda rank: ()):
    """Runs `world` ranks on this machine, and returns rank 0; `before` gives the words before a rank's command."""
    env = env or session.env
    port = 20000 + (os.getpid() + world) % 20000

    def surroundings(rank):
        return {**env, "RANK": str(rank), "WORLD_SIZE": str(world), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}

    flags = ["--threads", 1, *flags]
    others = []
    for rank in range(1, world):
        argv = [*before(rank), session.trainer, "--data", session.data, "--checkpoint-every", 0, *flags]
        others.append(subprocess.Popen([str(word) for word in argv], env=surroundings(rank), stdout=subprocess.DEVNULL,
                                       stderr=session.log, start_new_session=True))
    first = Training(session, name, flags, limit=60, env=surroundings(0), before=before(0))
    for other in others:
        try:
            other.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(other.pid, signal.SIGKILL)
    return first
