"""What a training program needs so that a job may be preempted, and so that kml can show its progress. One file without
dependencies (Python 3.8 or later): copy it beside your script.

    import kml_job
    with kml_job.attempt("checkpoints", step) as attempt:
        while step < steps and not kml_job.stopping():
            step += 1
            ...
            attempt.step = step
            kml_job.metrics(step=step, loss=loss)
    kml_job.leave()

With the ranks of PyTorch: any_stopping() instead of stopping(), ranks() instead of attempt().

As a program it runs a launcher that does not keep its workers' exit status: python kml_job.py torchrun ...
"""

import contextlib
import datetime
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile

START_AGAIN = 138  # another rank was stopped or lost: operators start a pod again if its status is 128 or more

_signal = 0


def note(number, frame):
    """The signal handler; stopping() returns whether it was called."""
    global _signal
    _signal = number


def stopping():
    """Whether this process was asked to stop, by SIGTERM (a preemption, a drained node) or SIGINT. Ranks are asked at
    different moments: let all of them agree, so that they stop at the same step."""
    return _signal != 0


def any_stopping():
    """Whether any rank of PyTorch's process group was asked to stop. All ranks must call this, and all
    get the same answer."""
    import torch
    import torch.distributed as dist
    if not dist.is_initialized():
        return stopping()
    flag = torch.tensor(float(stopping()), device="cuda" if "nccl" in dist.get_backend() else "cpu")
    dist.all_reduce(flag, dist.ReduceOp.MAX)
    return bool(flag)


def leave(status=0):
    """Ends the process at once, with that status, or with 128 + signal if it was asked to stop. Operators start a pod
    again if its status is 128 or more. Does not wait for threads, which may hang if another rank was lost."""
    status = 128 + _signal if _signal else status
    if status >= 128 and "KML_JOB_STATUS" in os.environ:
        pathlib.Path(os.environ["KML_JOB_STATUS"]).write_text(str(status))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def metrics(**values):
    """Prints a line that `kml logs --metrics`, `kml top jobs`, sweeps and runs read: metrics(step=10, loss=0.5)."""
    print(json.dumps({name: value if isinstance(value, (int, str)) else float(value) for name, value in values.items()}), flush=True)


class attempt:
    """Records when a process began and ended, and its steps, in attempts.jsonl in a folder that survives the pod, and in
    the log, where `kml history JOB` finds them. `first_step` is the number of steps done before. Set `step` to the number
    of steps done. The reason is the signal, an exception, "finished", or what you set."""

    def __init__(self, folder, first_step):
        self.first_step = self.step = first_step
        self.reason = None
        self._file = pathlib.Path(folder) / "attempts.jsonl"
        self._file.parent.mkdir(parents=True, exist_ok=True)
        earlier = {}
        if self._file.exists():
            for line in self._file.read_text().splitlines():
                try:
                    earlier[json.loads(line)["attempt"]] = line
                except (ValueError, KeyError, TypeError):  # a line that a killed process did not complete
                    pass
        for line in list(earlier.values())[-100:]:
            _print_attempt(line)
        self._about = {"attempt": max(earlier, default=0) + 1, "pod": os.environ.get("POD_NAME") or socket.gethostname(),
                       "node": os.environ.get("NODE_NAME", ""), "start": _now(), "first_step": first_step}
        self._write()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self._about["end"] = _now()
        if self.step > self.first_step:
            self._about["last_step"] = self.step - 1
        failed = f"error: {error}" if error and not isinstance(error, SystemExit) else None
        self._about["reason"] = failed or self.reason or (signal.Signals(_signal).name if _signal else "finished")
        self._write()

    def _write(self):
        line = json.dumps(self._about)
        _print_attempt(line)
        with open(self._file, "a") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())


@contextlib.contextmanager
def ranks(folder, first_step):
    """`attempt` for the ranks of PyTorch: None, except in rank 0. A rank that loses another one ends here, with a status that
    makes the cluster start it again."""
    rank, world = (int(os.environ.get(name, default)) for name, default in (("RANK", 0), ("WORLD_SIZE", 1)))
    try:
        with attempt(folder, first_step) if rank == 0 else contextlib.nullcontext() as record:
            yield record
    except RuntimeError as error:  # gloo and NCCL report a lost rank in this way
        if world == 1 or "onnect" not in str(error):
            raise
        print(f"rank {rank} lost another rank: {error}", file=sys.stderr, flush=True)
        leave(START_AGAIN)


def _print_attempt(line):
    print("kml-attempt: " + line, file=sys.stderr, flush=True)


def _now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


for _number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(_number, note)


def _launch(command):
    """Runs a launcher, passes signals on to it, and ends with the status of its workers: torchrun ends with 1 if they are
    stopped, which operators take for a failure."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "status"
        child = subprocess.Popen(command, env={**os.environ, "KML_JOB_STATUS": str(file)})
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, frame: (note(number, frame), child.send_signal(number)))
        code = child.wait()
        worker = int(file.read_text()) if file.exists() else 0
    leave(worker or (code if code >= 0 else 128 - code))


if __name__ == "__main__":
    _launch(sys.argv[1:])
