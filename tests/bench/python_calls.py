import os
import statistics
import subprocess
import sys
import tempfile
import time

import submitit
from bench import figure, own_server

import kml


def double(x):
    return 2 * x


def median(executor, rounds):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        assert executor.submit(double, 21).result() == 42
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def imported():
    program = "import time; t = time.perf_counter(); import kml; print(time.perf_counter() - t)"
    return float(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout)


with own_server() as run, tempfile.TemporaryDirectory() as folder:
    os.environ.update(run.env)
    with kml.Executor() as executor:
        ours = median(executor, 21)
    theirs = median(submitit.LocalExecutor(folder=folder), 5)
loaded = statistics.median(imported() for _ in range(21)) * 1e3
figure("python.import", loaded, "ms", "<=50", loaded <= 50)
figure("python.call", ours, "s", f"<=0.5_and_<=submitit({theirs:.2f})", ours <= min(0.5, theirs))
