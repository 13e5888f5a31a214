"""The accuracy of the last weights, computed from the checkpoint by NumPy, equals the one that the trainer
printed."""

import random
import re
import tempfile

import numpy as np
from support import STEPS, check, metrics, mnist, newest, tensors, trainer

with tempfile.TemporaryDirectory() as folder:
    seed = random.randrange(2**63)
    said = trainer("--max_steps", STEPS, "--seed", seed, "--checkpoint-dir", folder, "--metrics", f"{folder}/metrics").stderr
    said = float(re.search(r"accuracy of the final weights: (\S+)", said)[1])
    weights, metadata = tensors(newest(folder))
    images, labels = mnist("t10k")
    hidden = np.maximum(images / 255 @ weights["hidden.weight"].astype(float) + weights["hidden.bias"], 0)
    scores = np.sort(hidden @ weights["output.weight"].astype(float) + weights["output.bias"])
    classes = (hidden @ weights["output.weight"].astype(float) + weights["output.bias"]).argmax(1)
    accuracy = (classes == labels).mean()
    ties = (scores[:, -1] - scores[:, -2] < 1e-4).sum() / len(labels)  # single precision may decide these either way
    print(f"seed {seed}: the trainer said {said}, NumPy says {accuracy}")
    check(abs(accuracy - said) <= ties + 5e-5, "the accuracies differ")
    check((metadata["step"], metadata["updates"], metadata["seed"]) == (str(STEPS), str(STEPS * 9 // 10), str(seed)), str(metadata))
    check(metrics(f"{folder}/metrics")[-1]["accuracy"] == said, "the metrics say otherwise")
