"""The demo in PyTorch, for tests/bench/trainer_cpu: the same network, distribution of initial values, steps and
evaluations."""

import argparse
import pathlib
import time

import numpy as np
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--data", type=pathlib.Path)
parser.add_argument("--max_steps", type=int)
parser.add_argument("--seed", type=int)
parser.add_argument("--threads", type=int)
options = parser.parse_args()
torch.set_num_threads(options.threads)
torch.manual_seed(options.seed)


def load(part):
    images = np.fromfile(options.data / f"{part}-images-idx3-ubyte", np.uint8)[16:].reshape(-1, 784)
    labels = np.fromfile(options.data / f"{part}-labels-idx1-ubyte", np.uint8)[8:]
    return torch.from_numpy(images).float() / 255, torch.from_numpy(labels).long()


train_images, train_labels = load("train")
test_images, test_labels = load("t10k")
model = nn.Sequential(nn.Linear(784, 500), nn.ReLU(), nn.Dropout(0.1), nn.Linear(500, 10))
for layer in (model[0], model[3]):
    nn.init.trunc_normal_(layer.weight, std=0.1, a=-0.2, b=0.2)
    nn.init.constant_(layer.bias, 0.1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
order = torch.randperm(len(train_images))

start = time.perf_counter()
updates = 0
for step in range(options.max_steps):
    if step % 10 == 0:
        model.eval()
        with torch.no_grad():
            accuracy = (model(test_images).argmax(1) == test_labels).float().mean().item()
        model.train()
        print(f"Accuracy at step {step}: {accuracy:.4f}", flush=True)
        continue
    batch = order[updates * 100:(updates + 1) * 100]
    loss = nn.functional.cross_entropy(model(train_images[batch]), train_labels[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    updates += 1
print(f"finished in {time.perf_counter() - start:.2f} s")
