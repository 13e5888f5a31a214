"""Lightning in a job that may be preempted: Trainer(**kml_lightning.ranks(), ...), then fit(trainer, folder, model, ...)
instead of trainer.fit(model, ...). On SIGTERM to any rank all ranks stop after the same step, with a checkpoint, and exit
with a status that makes the cluster start them again. They continue from the newest checkpoint in `folder`, on a volume
that all ranks share. `kml logs --metrics` reads what the model logs. Needs kml_job.py.

To continue within an epoch takes a loader that knows where it was: torchdata's StatefulDataLoader with the Sampler below."""

import os
import pathlib
import signal

import torch
from lightning.pytorch import Callback
from lightning.pytorch.plugins.environments import KubeflowEnvironment
from torchdata.stateful_dataloader.sampler import StatefulDistributedSampler

import kml_job


class Sampler(StatefulDistributedSampler):
    """A rank's part of the data, in an order that a resumed run continues. Lightning's own sampler begins again with
    the first epoch's order."""

    def __init__(self, data, **named):
        super().__init__(data, int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("RANK", 0)), **named)

    def state_dict(self):
        return {**super().state_dict(), "epoch": self.epoch}

    def load_state_dict(self, state):
        self.set_epoch(state["epoch"])
        super().load_state_dict(state)


def ranks():
    """The Trainer's arguments for the job's ranks, which torchrun started, or of which each pod has one, and for Sampler."""
    return {"use_distributed_sampler": False, **_places()}


def _places():
    if "LOCAL_WORLD_SIZE" in os.environ:  # torchrun, which Lightning recognizes
        return {"devices": int(os.environ["LOCAL_WORLD_SIZE"]), "num_nodes": int(os.environ["GROUP_WORLD_SIZE"])}
    if "RANK" in os.environ:  # PyTorchJob and kml's job-indexed
        return {"devices": 1, "num_nodes": int(os.environ["WORLD_SIZE"]), "plugins": KubeflowEnvironment()}
    return {}


def fit(trainer, folder, model, *arguments, every=500, **named):
    """trainer.fit(), with everything described above, and a checkpoint every `every` steps. Does not return if the job was stopped."""
    newest = pathlib.Path(folder) / "newest.ckpt"
    first_step = 0
    if newest.exists():
        first_step = torch.load(newest, map_location="cpu", weights_only=False)["global_step"]
        print(f"rank {trainer.global_rank} of {trainer.world_size} resumes after step {first_step}", flush=True)
    status = 0
    with kml_job.ranks(folder, first_step) as attempt:
        trainer.callbacks.append(_Callback(attempt, newest, every))
        try:
            trainer.fit(model, *arguments, ckpt_path=str(newest) if newest.exists() else None, **named)
        except SystemExit as stopped:
            status = stopped.code
            if attempt and not kml_job.stopping():
                attempt.reason = "another rank was stopped"
    if status:
        kml_job.leave(status)


class _Callback(Callback):
    def __init__(self, attempt, newest, every):
        self.attempt = attempt  # None, except in rank 0
        self.newest = newest
        self.every = every

    def on_train_start(self, trainer, model):
        signal.signal(signal.SIGTERM, kml_job.note)  # Lightning's own handler communicates inside the signal handler, which may hang

    def on_train_batch_end(self, trainer, model, outputs, batch, batch_index):
        step = trainer.global_step
        if self.attempt:
            self.attempt.step = step
            if step % trainer.log_every_n_steps == 0:
                kml_job.metrics(step=step, **trainer.callback_metrics)
        stopping = kml_job.any_stopping()
        if stopping or step % self.every == 0:
            trainer.save_checkpoint(self.newest)
        if stopping and step != trainer.max_steps:
            raise SystemExit(kml_job.START_AGAIN)

    def on_train_end(self, trainer, model):
        trainer.save_checkpoint(self.newest)
