"""kml logs --metrics and kml top jobs read the trainer's lines: loss, speed, progress and estimated end."""

import json
import os
import subprocess
import tempfile
import time

from support import DEADLINE, MNIST, TRAINER, check

with tempfile.TemporaryDirectory() as folder:
    settings = {**os.environ, "KML_STATE_DIR": f"{folder}/state", "HOME": folder}
    settings.pop("KUBECONFIG", None)

    def kml(*arguments):
        done = subprocess.run([os.environ["KML"], *arguments], env=settings, cwd=folder, capture_output=True, text=True, timeout=DEADLINE)
        check(done.returncode == 0, f"kml {arguments}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    kml("local", "up")
    try:
        kml("submit", "--name", "train", "--", TRAINER, "--data", str(MNIST), "--max_steps", "1000000", "--threads", "1", "--metrics", "-",
            "--progress-every", "1", "--checkpoint-dir", f"{folder}/checkpoints")
        deadline = time.monotonic() + DEADLINE
        while True:
            (job,) = json.loads(kml("top", "jobs", "-o", "json")) or [{}]
            numbers = job.get("metrics", {})
            if "images_per_second" in numbers and job.get("estimatedEnd") and job.get("lastCheckpoint"):
                break
            check(time.monotonic() < deadline, f"kml top jobs has not told of progress: {job}")
            time.sleep(0.2)
        check(job["steps"] == 1000000 and 0 < job["step"] < 1000000, str(job))
        check({"loss", "learning_rate", "accuracy", "update_p50", "update_p99", "flops", "exchange_share"} <= set(numbers), str(job))
        header, row = kml("logs", "train", "--metrics").splitlines()
        check("loss" in header and "images_per_second" in header and "▁" in row, header + row)
        kml("cancel", "train")
    finally:
        subprocess.run([os.environ["KML"], "local", "down", "--force"], env=settings, capture_output=True)
