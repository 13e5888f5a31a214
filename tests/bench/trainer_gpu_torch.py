"""Updates of the trainer's networks in PyTorch on a GPU, for tests/bench/trainer_gpu: prints the seconds for one
update."""

import argparse
import contextlib
import pathlib
import time

import numpy as np
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--data", type=pathlib.Path)
parser.add_argument("--model", choices=["mlp", "cnn"])
parser.add_argument("--mode", choices=["eager", "compile", "graph"])
parser.add_argument("--batch", type=int)
parser.add_argument("--precision", choices=["fp32", "tf32", "bf16"])
options = parser.parse_args()
torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = options.precision == "tf32"
torch.backends.cudnn.benchmark = True

images = np.fromfile(options.data / "train-images-idx3-ubyte", np.uint8)[16:].reshape(-1, 1, 28, 28)
labels = np.fromfile(options.data / "train-labels-idx1-ubyte", np.uint8)[8:]
images, labels = torch.from_numpy(images).cuda(), torch.from_numpy(labels).long().cuda()  # as bytes, like the trainer
if options.model == "mlp":
    model = nn.Sequential(nn.Flatten(), nn.Linear(784, 500), nn.ReLU(), nn.Dropout(0.1), nn.Linear(500, 10))
else:
    model = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                          nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.1), nn.Linear(128, 10))
model = model.cuda()
if options.model == "cnn":
    model = model.to(memory_format=torch.channels_last)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True, capturable=options.mode == "graph")
cast = torch.autocast("cuda", torch.bfloat16) if options.precision == "bf16" else contextlib.nullcontext()
chosen = torch.zeros(options.batch, dtype=torch.long, device="cuda")


def update():
    with cast:
        loss = nn.functional.cross_entropy(model(images[chosen].float() / 255).float(), labels[chosen])
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()


step = torch.compile(update) if options.mode == "compile" else update
order = torch.randperm(len(labels), device="cuda")
place = 0


def choose():
    global place
    if place + options.batch > len(order):
        place = 0
    chosen.copy_(order[place:place + options.batch])
    place += options.batch


side = torch.cuda.Stream()
with torch.cuda.stream(side):  # before the capture, some updates must run on a separate stream
    for _ in range(20):
        choose()
        step()
torch.cuda.current_stream().wait_stream(side)
if options.mode == "graph":
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        update()
    step = graph.replay
times = []
for _ in range(10):
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(200):
        choose()
        step()
    torch.cuda.synchronize()
    times.append((time.perf_counter() - start) / 200)
print(sorted(times)[len(times) // 2])
