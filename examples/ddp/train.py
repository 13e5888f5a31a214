"""PyTorch DDP in a job that may be preempted: on SIGTERM to any rank all ranks stop after the same step, rank 0 writes a
checkpoint, and they exit with a status that makes the cluster start them again. They continue where they stopped, even
with another number of ranks. See ../README.md."""

import argparse
import os
import pathlib

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import kml_job

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=1000)
parser.add_argument("--batch-size", type=int, default=64, help="of all ranks together")
parser.add_argument("--checkpoint-dir", type=pathlib.Path, default="checkpoints")
parser.add_argument("--checkpoint-every", type=int, default=500, help="steps")
options = parser.parse_args()

# PyTorchJob and kml's job-indexed set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, torchrun also LOCAL_RANK.
device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0))) if torch.cuda.is_available() else torch.device("cpu")
if device.type == "cuda":
    torch.cuda.set_device(device)
dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
rank, world = dist.get_rank(), dist.get_world_size()
if options.batch_size % world:
    parser.error(f"--batch-size {options.batch_size} cannot be divided among {world} ranks")

torch.manual_seed(1)
examples = torch.randn(4096, 64)
labels = (examples @ torch.randn(64, 10)).argmax(1)
examples, labels = examples.to(device), labels.to(device)
model = torch.nn.Sequential(torch.nn.Linear(64, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

# All ranks load the newest checkpoint: the folder is on a volume that they share.
file, step = options.checkpoint_dir / "newest.pt", 0
if file.exists():
    state = torch.load(file, map_location=device)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    step = state["step"]
    print(f"rank {rank} of {world} resumes after step {step}", flush=True)
shared = DistributedDataParallel(model)


def save():
    """Writes the checkpoint, complete or not at all. The other ranks wait until it is on disk."""
    if rank == 0:
        options.checkpoint_dir.mkdir(parents=True, exist_ok=True)
        with open(file.with_suffix(".part"), "wb") as part:
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, part)
            part.flush()
            os.fsync(part.fileno())
        file.with_suffix(".part").replace(file)
    dist.barrier()


def rows(step):
    """This rank's part of the step's batch. It depends only on the step, so a resumed run reads on where it stopped."""
    each = len(examples) // options.batch_size
    order = torch.randperm(len(examples), generator=torch.Generator().manual_seed(step // each))
    return order.view(each, -1)[step % each][rank::world].to(device)


def train(attempt):
    global step
    while step < options.steps:
        if kml_job.any_stopping():
            save()
            return kml_job.START_AGAIN
        picked = rows(step)
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(shared(examples[picked]), labels[picked])
        loss.backward()  # DDP averages the gradients of all ranks
        optimizer.step()
        step += 1
        if attempt:
            attempt.step = step
            if step % 50 == 0:
                kml_job.metrics(step=step, loss=loss.item())
        if step % options.checkpoint_every == 0:
            save()
    save()
    with torch.no_grad():
        final = torch.nn.functional.cross_entropy(model(examples), labels).item()
    if attempt:
        kml_job.metrics(step=step, final_loss=final)
    return 0


with kml_job.ranks(options.checkpoint_dir, step) as attempt:
    status = train(attempt)
    if attempt and status and not kml_job.stopping():
        attempt.reason = "another rank was stopped"
dist.destroy_process_group()
kml_job.leave(status)
