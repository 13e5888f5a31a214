"""A full disk gives a clear error, and the previous checkpoint stays intact."""

import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile

from support import check, command, env, metrics, newest, tensors, trainer

FLAGS = ["--seed", 2, "--checkpoint-every", 10, "--threads", 2]


def check_full(done, reason, folder, before):
    check(done.returncode == 1, f"exit status {done.returncode}: {done.stderr}")
    check("error: cannot write checkpoint" in done.stderr and reason in done.stderr, done.stderr)
    check(newest(folder).read_bytes() == before, "the checkpoint before has changed")
    check(not list(pathlib.Path(folder).glob("*.tmp")), "a temporary file is left")


with tempfile.TemporaryDirectory() as folder:
    trainer(*FLAGS, "--max_steps", 10, "--checkpoint-dir", f"{folder}/ck")
    before = newest(f"{folder}/ck").read_bytes()

    # A limit of 1 MB for files: the checkpoint, of 5 MB, is cut in the middle.
    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))

    done = subprocess.run(command(*FLAGS, "--max_steps", 30, "--checkpoint-dir", f"{folder}/ck"), env=env, text=True,
                          capture_output=True, preexec_fn=small_files, restore_signals=False)
    check_full(done, "EFBIG", f"{folder}/ck", before)

    # A file system with space for one and a half checkpoints, if a namespace for it is allowed.
    script = f"""mount -t tmpfs -o size=7m none {folder}/disk && cp {folder}/ck/* {folder}/disk/ || exit 99
        "$@" --max_steps 30 --checkpoint-dir {folder}/disk; status=$?; cp -a {folder}/disk {folder}/after; exit $status"""
    pathlib.Path(folder, "disk").mkdir()
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", *command(*FLAGS)], env=env, text=True,
                          capture_output=True)
    if pathlib.Path(folder, "after").exists():
        check_full(done, "ENOSPC", f"{folder}/after", before)
        print("a full file system: as expected")
    else:
        print(f"no file system of our own here ({done.stderr.strip()}): only the file size limit was tried")

    # With free space again, the run continues where it stopped.
    said = trainer(*FLAGS, "--max_steps", 30, "--checkpoint-dir", f"{folder}/ck").stderr
    check("resumed at step 10" in said, said)
