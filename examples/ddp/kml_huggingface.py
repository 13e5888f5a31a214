"""Hugging Face's Trainer in a job that may be preempted. Import this before you make the TrainingArguments, and call
train(trainer) instead of trainer.train(). On SIGTERM to any rank all ranks stop after the same step, with a checkpoint, and
exit with a status that makes the cluster start them again. They continue from the newest complete checkpoint in
`output_dir`, on a volume that all ranks share. `kml logs --metrics` reads what the Trainer logs. Needs kml_job.py."""

import json
import os
import pathlib
import sys

import torch.distributed as dist
from transformers import TrainerCallback

import kml_job

# PyTorchJob and kml's job-indexed start one rank in a pod, and set no LOCAL_RANK, which the Trainer needs.
if "RANK" in os.environ:
    os.environ.setdefault("LOCAL_RANK", "0")

COMPLETE = "kml-complete"  # a file in the folder of a checkpoint to which all ranks have written


def train(trainer):
    """trainer.train(), with everything described above. Returns what that returns, or does not return if the job was stopped."""
    if trainer.args.world_size != int(os.environ.get("WORLD_SIZE", 1)):  # each rank would train alone
        sys.exit(f"the Trainer uses {trainer.args.world_size} rank of {os.environ['WORLD_SIZE']}: on CPUs, set use_cpu=True")
    checkpoint = _newest(trainer.args.output_dir)
    first_step = json.loads((checkpoint / "trainer_state.json").read_text())["global_step"] if checkpoint else 0
    if checkpoint:
        print(f"rank {trainer.args.process_index} of {trainer.args.world_size} resumes after step {first_step}", flush=True)
    with kml_job.ranks(trainer.args.output_dir, first_step) as attempt:
        callback = _Callback(attempt)
        trainer.add_callback(callback)
        result = trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        if attempt and callback.stopped and not kml_job.stopping():
            attempt.reason = "another rank was stopped"
    if callback.stopped:
        kml_job.leave(kml_job.START_AGAIN)
    return result


class _Callback(TrainerCallback):
    def __init__(self, attempt):
        self.attempt = attempt  # None, except in rank 0
        self.stopped = False

    def on_step_end(self, args, state, control, **kwargs):
        if self.attempt:
            self.attempt.step = state.global_step
        if kml_job.any_stopping() and state.global_step < state.max_steps:
            self.stopped = control.should_save = control.should_training_stop = True

    def on_save(self, args, state, control, **kwargs):
        if dist.is_initialized():
            dist.barrier()
        if self.attempt:
            (pathlib.Path(args.output_dir) / f"checkpoint-{state.global_step}" / COMPLETE).touch()

    def on_log(self, args, state, control, logs=None, **kwargs):
        if self.attempt:
            numbers = {name: value for name, value in (logs or {}).items() if isinstance(value, (int, float))}
            kml_job.metrics(step=state.global_step, **numbers)


def _newest(folder):
    """The newest complete checkpoint, or None."""
    complete = [file.parent for file in pathlib.Path(folder).glob(f"checkpoint-*/{COMPLETE}")]
    return max(complete, key=lambda folder: int(folder.name.rpartition("-")[2]), default=None)
