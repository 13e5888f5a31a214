#!/usr/bin/env python3
"""The tests for a real GPU run from their kit on a bare machine, here on the emulator: they pass; a failure is in the
table, and neither a failure nor the end of the time hides the other results; without a GPU, they report that."""

import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

here = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(here.parent / "run"), str(here.parent / "cuda")]
from small_data import write_data
from support import TRAINER, check

SANITIZER = """#!/bin/sh
shift; tool=$1; shift 3; report=$2; shift 2
[ "$tool" != "$FINDS" ] || { echo "Race reported at 0x42" >"$report"; exit 9; }
"""
# Fails with the kernels whose name is in FAULT, like a program whose kernel accesses a wrong address.
FAULTY = """#!/bin/sh
case " $* " in *" --kernels $FAULT "*) echo "kml-trainer: error: the GPU failed to compute" >&2; exit 1 ;; esac
exec "$(dirname "$0")/real-trainer" "$@"
"""

with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    env = {**os.environ, "MNIST": str(write_data(work / "data", 28, (40, 20))), "TRAINER": TRAINER}
    subprocess.run([here / "kit", work / "kit.tgz"], check=True, env=env, capture_output=True)
    with tarfile.open(work / "kit.tgz") as packed:
        packed.extractall(work)
    bare = work / "bin"
    bare.mkdir()
    (bare / "compute-sanitizer").write_text(SANITIZER)
    (bare / "compute-sanitizer").chmod(0o755)
    bare_env = {"PATH": f"{bare}:/usr/bin:/bin", "REHEARSAL": "1", "HOME": str(work)}

    def session(seconds, *stages, **more):
        done = subprocess.run(["/usr/bin/python3", "-S", work / "kit/run", str(seconds), *stages], capture_output=True, text=True, cwd=work, env={**bare_env, **more})
        return done.returncode, re.sub(" +", " ", done.stdout + done.stderr)

    status, said = session(900, "machine", "smoke", "blame", "right", "speed", "sanitizer")
    check(status == 0 and "FAILED" not in said and "BROKE" not in said, said)
    for row in ("smoke cnn fast bf16", "bits mlp bf16: three kernels", "bits cnn bf16: 2 ranks over TCP", "speed mlp bf16 three", "racecheck mlp bf16"):
        check(row in said, f"no row {row} in {said}")
    check(re.sub(" +", " ", (work / "gpu-results/table").read_text()) in said, "another table")

    status, said = session(900, "sanitizer", FINDS="racecheck")
    check(status == 1 and "Race reported at 0x42" in said and "memcheck cnn bf16 fast exit status 0" in said, said)

    (work / "kit/kml-trainer").rename(work / "kit/real-trainer")
    (work / "kit/kml-trainer").write_text(FAULTY)
    (work / "kit/kml-trainer").chmod(0o755)
    status, said = session(900, "smoke", "blame", FAULT="plain")
    check(status == 1 and said.count("FAILED") == 2 and "smoke mlp sgd shift ok" in said, said)

    status, said = session(12, "smoke", "right", FAULT="none")
    check(status == 0 and "right LEFT OUT: no time" in said, said)
    status, said = session(60, EMULATED_GPUS="0", FAULT="none")
    check(status == 77 and "needs an NVIDIA GPU" in said, said)
    check(session("all")[0] == 1, "a wrong number of seconds")
