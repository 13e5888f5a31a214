"""The number of threads does not change any bit of the result."""

import tempfile

from support import STEPS, check, newest, trainer

with tempfile.TemporaryDirectory() as folder:
    results = set()
    for threads in (1, 2, 3, 7):
        trainer("--max_steps", STEPS // 3, "--threads", threads, "--checkpoint-dir", f"{folder}/{threads}")
        results.add(newest(f"{folder}/{threads}").read_bytes())
    check(len(results) == 1, "the weights differ")
