"""Shared by the benchmarks: a server of their own, the timing of whole processes, and the printing of figures."""

import contextlib
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

KML = os.environ.get("KML", "kml")


def figure(name, value, unit, bar, ok):
    """Prints one figure; `bar` is the text of the limit that it is compared with."""
    print(f"{name} {value:.4g} {unit} {bar} {'ok' if ok else 'short'}", flush=True)


def wall(argv, runs, env=None):
    """Median wall time of a command, in seconds; its output is discarded."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, env=env)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


@contextlib.contextmanager
def own_server(*flags):
    """An embedded server with its own state folder; yields a function that runs kml with it."""
    with tempfile.TemporaryDirectory(prefix="kml-bench-") as folder:
        env = {**os.environ, "KML_STATE_DIR": folder, "HOME": folder}
        env.pop("KUBECONFIG", None)

        def kml(*arguments, **options):
            done = subprocess.run([KML, *arguments], env=env, cwd=folder, capture_output=True, text=True, **options)
            if done.returncode != 0:
                sys.exit(f"kml {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
            return done.stdout

        kml.env = env
        kml.folder = pathlib.Path(folder)
        kml("local", "up", *flags)
        try:
            yield kml
        finally:
            subprocess.run([KML, "local", "down", "--force"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
