"""Compares the trainer with PyTorch's layers, losses, gradients and optimizers; only the random numbers are the
trainer's own."""

import os
import sys
import tempfile

import numpy as np
import support
import torch
from draws import dropout_mask, shuffled
from plain import CNN, MLP, cosine, initial
from support import mnist, newest, tensors, trainer
from torch.nn import functional

SEED, KEEP = 7, 0.9
images, labels = mnist("train")
order = shuffled(SEED, 0, len(labels))


def logits(p, x, mask):
    if "conv1.weight" in p:
        x = x.reshape(-1, 1, 28, 28)
        for layer in ("conv1", "conv2"):  # kml: [row, column, from, to]; PyTorch: [to, from, row, column]
            x = functional.relu(functional.conv2d(x, p[f"{layer}.weight"].permute(3, 2, 0, 1), p[f"{layer}.bias"]))
        x = functional.max_pool2d(x, 2).permute(0, 2, 3, 1).flatten(1)
    hidden = functional.relu(functional.linear(x, p["hidden.weight"].T, p["hidden.bias"])) * mask
    return functional.linear(hidden, p["output.weight"].T, p["output.bias"])


def train(shapes, dtype, batch, updates, optimizer, rate):
    p = {name: torch.tensor(value, dtype=dtype, requires_grad=True) for name, value in initial(shapes, SEED).items()}
    optimizer = optimizer(p.values())
    for update in range(updates):
        chosen = order[update * batch:(update + 1) * batch]
        mask = dropout_mask(SEED, update * batch, batch, shapes["hidden.bias"][0], KEEP)
        x = torch.tensor(images[chosen], dtype=dtype) / 255
        loss = functional.cross_entropy(logits(p, x, torch.tensor(mask, dtype=dtype)), torch.tensor(labels[chosen], dtype=torch.long))
        optimizer.zero_grad()
        loss.backward()
        optimizer.param_groups[0]["lr"] = rate(update + 1)
        optimizer.step()
    return {name: value.detach().numpy() for name, value in p.items()}


def compare(title, shapes, precision, batch, steps, updates, most, flags=(), optimizer=torch.optim.Adam, rate=lambda number: 0.001):
    """PyTorch computes in double precision. In single precision, its own rounding errors, which are also printed,
    change weights more."""
    support.TRAINER = os.environ["TRAINER" if precision == "single" else "TRAINER_DOUBLE"]
    expected = train(shapes, torch.float64, batch, updates, optimizer, rate)
    with tempfile.TemporaryDirectory() as folder:
        trainer("--max_steps", steps, "--seed", SEED, "--batch-size", batch, "--checkpoint-dir", folder, *flags)
        found, metadata = tensors(newest(folder))
    assert metadata["updates"] == str(updates), metadata
    difference = distance(shapes, found, expected)
    own = ""
    if precision == "single":
        own = f" (PyTorch's own in single: {distance(shapes, train(shapes, torch.float32, batch, updates, optimizer, rate), expected):.1e})"
    far = np.mean(np.concatenate([abs(found[name] - expected[name]).ravel() > most for name in shapes]))
    ok = far < 1e-5 if precision == "single" else far == 0  # Adam amplifies gradients near 0
    print(f"{title}, {updates} updates, {precision}: largest difference {difference:.1e}{own}, bar {most:.0e}, beyond it {far:.0e} of the weights {'ok' if ok else 'SHORT'}",
          flush=True)
    return ok


def distance(shapes, found, expected):
    return max(abs(found[name] - expected[name]).max() for name in shapes)


FEW = ["--evaluate-every=0"]
SGD = [*FEW, "--optimizer=sgd", "--schedule=cosine", "--warm-up=5"]


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0, momentum=0.9)


results = [compare("MLP, Adam", MLP, "single", 100, 50, 50, 1e-5, FEW),
           compare("MLP, Adam, the demo", MLP, "double", 100, 500, 450, 1e-8),
           compare("MLP, SGD, cosine", MLP, "double", 100, 50, 50, 1e-8, SGD, sgd, lambda n: cosine(0.05, n, 50, 5)),
           compare("CNN, SGD, cosine", CNN, "single", 20, 50, 50, 1e-5, ["--model=cnn", *SGD], sgd, lambda n: cosine(0.05, n, 50, 5)),
           compare("CNN, Adam", CNN, "double", 20, 50, 50, 1e-8, ["--model=cnn", *FEW])]
sys.exit(not all(results))
