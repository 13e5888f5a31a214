"""attempts.jsonl records all attempts of a run that is stopped, is killed and fails; each attempt prints the
earlier ones."""

import fcntl
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile

from support import DEADLINE, check, command, env, trainer

PREFIX = "kml-attempt: "
FLAGS = ["--max_steps", 60, "--checkpoint-every", 10, "--threads", 2]


def printed(said):
    return [json.loads(line.removeprefix(PREFIX)) for line in said.splitlines() if line.startswith(PREFIX)]


def in_file(folder):
    lines = [json.loads(line) for line in pathlib.Path(folder, "attempts.jsonl").read_text().splitlines()]
    return list({line["attempt"]: line for line in lines}.values())


def stopped(flags, number, pod):
    """Stops a run after its first evaluation."""
    run = subprocess.Popen(command(*flags), env={**env, "POD_NAME": pod, "NODE_NAME": "n1"}, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run.stdout.readline()
    run.send_signal(number)
    return run.communicate(timeout=DEADLINE)[1]


with tempfile.TemporaryDirectory() as folder:
    flags = [*FLAGS, "--checkpoint-dir", f"{folder}/ck"]
    said = stopped(flags, signal.SIGTERM, "first")
    (first,) = in_file(f"{folder}/ck")
    check(printed(said)[-1] == first, f"printed {said}, wrote {first}")
    check((first["pod"], first["node"], first["first_step"], first["reason"]) == ("first", "n1", 0, "SIGTERM"), first)

    said = stopped(flags, signal.SIGKILL, "second")
    check(printed(said)[0] == first, said)
    first, second = in_file(f"{folder}/ck")
    check(second["first_step"] == first["last_step"] + 1, f"{first}, then {second}")
    check("reason" not in second and "last_step" not in second, second)

    # A start with other flags, or while another process holds the folder, is rejected and is not an attempt.
    before = in_file(f"{folder}/ck")
    trainer(*flags, "--seed", 9, expect=1)
    lock = os.open(f"{folder}/ck", os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    trainer(*flags, expect=1)
    os.close(lock)
    check(in_file(f"{folder}/ck") == before, "a refused run is an attempt")

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))

    said = trainer(*flags, expect=1, preexec_fn=small_files, restore_signals=False).stderr
    check(printed(said)[-1]["reason"].startswith("error: cannot write checkpoint"), said)

    # If the line cannot be written, the run continues.
    pathlib.Path(folder, "ck/attempts.jsonl").rename(f"{folder}/aside")
    pathlib.Path(folder, "ck/attempts.jsonl").symlink_to("/dev/full")
    done = trainer(*flags)
    check("cannot record this attempt" in done.stderr and "finished at step 60" in done.stderr, done.stderr)
    pathlib.Path(f"{folder}/aside").rename(f"{folder}/ck/attempts.jsonl")

    # An incomplete line.
    with open(f"{folder}/ck/attempts.jsonl", "a") as file:
        file.write('{"attempt": 4, "pod"')
    said = trainer(*flags[:1], 70, *flags[2:]).stderr
    numbers = [attempt["attempt"] for attempt in printed(said)]
    check(numbers == [1, 2, 3, 4, 4], said)
    last = printed(said)[-1]
    check((last["first_step"], last["last_step"], last["reason"]) == (60, 69, "finished"), last)
