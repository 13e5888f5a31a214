"""In double precision, the trainer gives nearly the same results as plain NumPy: for the whole demo, and for 12 updates
of the convolutional network."""

import os
import tempfile

import support
from plain import CNN, MLP, Adam, Sgd, cosine, train
from support import check, mnist, newest, tensors, trainer

support.TRAINER = os.environ["TRAINER_DOUBLE"]
SEED = 5
images, labels = mnist("train")


def compare(title, shapes, batch, steps, updates, most, flags, **how):
    expected = train(shapes, images, labels, SEED, batch, updates, **how)
    with tempfile.TemporaryDirectory() as folder:
        trainer("--max_steps", steps, "--seed", SEED, "--batch-size", batch, "--checkpoint-dir", folder, *flags)
        found, metadata = tensors(newest(folder))
    check(metadata["updates"] == str(updates), str(metadata))
    difference = max(abs(found[name] - expected[name]).max() for name in shapes)
    moved = max(abs(expected[name]).max() for name in shapes)
    print(f"{title}: largest difference {difference:.1e} after {updates} updates (largest weight {moved:.1f})")
    check(found["output.bias"].dtype == "float64" and difference < most, title)


compare("demo", MLP, 100, 500, 450, 1e-8, [])
FEW = ["--model=cnn", "--evaluate-every=0"]
compare("cnn, Adam", CNN, 20, 12, 12, 1e-8, FEW, optimizer=Adam)
compare("cnn, SGD, cosine", CNN, 20, 12, 12, 1e-10, [*FEW, "--optimizer=sgd", "--schedule=cosine", "--warm-up=3"], optimizer=Sgd,
        rate=lambda number: cosine(0.05, number, 12, 3))
