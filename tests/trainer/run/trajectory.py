"""The first 50 updates agree with an independent copy of the demo in NumPy: the same random numbers, the same
weights."""

import tempfile

import numpy as np
from plain import MLP, train
from support import check, mnist, newest, tensors, trainer

SEED, UPDATES = 3, 50
expected = train(MLP, *mnist("train"), SEED, 100, UPDATES)
with tempfile.TemporaryDirectory() as folder:
    trainer("--max_steps", 56, "--seed", SEED, "--checkpoint-dir", folder)  # 6 evaluations, 50 updates
    found, metadata = tensors(newest(folder))
    check(metadata["updates"] == str(UPDATES), str(metadata))
    for name in MLP:
        difference = abs(found[name] - expected[name])
        print(f"{name}: largest difference {difference.max():.1e}, median {np.median(difference):.1e}")
        check(difference.max() < 1e-5, name)
