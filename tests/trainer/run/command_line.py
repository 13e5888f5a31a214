"""Exit statuses and output of the command line, as a pod's log and a shell see them."""

import os
import pathlib
import subprocess
import tempfile

from support import TRAINER, accuracies, check, command, env, metrics, trainer

help_text = trainer("--help").stdout
check("--max_steps N" in help_text and "probability to KEEP" in help_text, help_text)
check(trainer("--version").stdout.startswith("kml-trainer "), "--version")
check("did you mean --max_steps?" in trainer("--max_step=5", expect=2).stderr, "the nearest flag")
check("no usable GPU" in trainer("--device=cuda", env={**env, "CUDA_VISIBLE_DEVICES": ""}, expect=1).stderr,
      "--device=cuda")
check("training on the CPU" in trainer("--device=auto", "--max_steps=0", env={**env, "CUDA_VISIBLE_DEVICES": ""}).stderr, "--device=auto says what it took")
check("training on the CPU" not in trainer("--device=cpu", "--max_steps=0").stderr, "--device=cpu")
nine = {**env, "WORLD_SIZE": "9", "RANK": "1", "MASTER_ADDR": "localhost"}
said = trainer("--max_steps=1", env=nine, expect=2).stderr
check("at most 8 ranks give exactly the result of one" in said and "--fast" in said, said)
said = trainer("--max_steps=1", "--fast", "--meeting-timeout=1", env=nine, expect=138).stderr
check("waiting for rank 0 at localhost, port 29500" in said and "error: the ranks could not connect to each other" in said, said)
check("launch=\"--launch=single\"" in trainer("--max_steps=1", "--launch=single", env=nine).stderr, "--launch=single")
check(list(accuracies(trainer("--max_steps=11", env={**env, "WORLD_SIZE": "1", "RANK": "0"}).stdout)) == [0, 10],
      "steps 0 to 10")
check("the training has diverged" in trainer("--max_steps=9", "--learning_rate=1e30",
                                              expect=1).stderr, "divergence")

# A line can be read as soon as it is written, even through a pipe.
run = subprocess.Popen(command("--max_steps=1000000"), env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
check(run.stdout.readline().startswith("Accuracy at step 0:"), "the first line")
run.terminate()
run.communicate()
check(run.returncode == 143, f"SIGTERM without checkpoints: {run.returncode}")

with tempfile.TemporaryDirectory() as folder:
    trainer("--max_steps=21", "--checkpoint-every=10", "--checkpoint-dir", folder, "--metrics", f"{folder}/m", "--progress-every=3600")
    lines = metrics(f"{folder}/m")
    check(all(line["schema"] == 1 and line["device"] == "cpu" for line in lines), str(lines))
    # A checkpoint is reported when it is on disk: before the next one, and before the end.
    events = [line["event"] for line in lines if line["event"] != "checkpoint"]
    check(events == ["start", "evaluation"] + ["update"] * 9 + ["evaluation"] + ["update"] * 9 +
          ["evaluation", "progress", "evaluation", "end"], str(events))
    check([line["step"] for line in lines if line["event"] == "checkpoint"] == [10, 20, 21], str(lines))
    # If a finished run is started again, it does nothing.
    said = trainer("--max_steps=21", "--checkpoint-dir", folder)
    check(said.stdout == "" and "resumed at step 21" in said.stderr, said.stderr)
    check("its seed is 1, this run's is 2" in trainer("--seed=2", "--checkpoint-dir", folder, expect=1).stderr, "another run")
    pathlib.Path(folder, "file").touch()
    check("ENOTDIR" in trainer("--checkpoint-dir", f"{folder}/file/x", expect=1).stderr, "no folder")
    check("cannot write metrics" in trainer("--metrics", "/dev/full", "--max_steps=5", expect=1).stderr, "full metrics")
