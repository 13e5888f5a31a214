"""A model trained by Hugging Face's Trainer, in a job that may be preempted. See ../README.md."""

import argparse

import kml_huggingface  # before transformers
import torch
from transformers import Trainer, TrainingArguments

import kml_job

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=1000)
parser.add_argument("--batch-size", type=int, default=32, help="of a rank")
parser.add_argument("--checkpoint-dir", default="checkpoints")
options = parser.parse_args()


class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(64, 512), torch.nn.ReLU(), torch.nn.Dropout(), torch.nn.Linear(512, 10))

    def forward(self, pixels, labels):
        logits = self.layers(pixels)
        return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}


torch.manual_seed(1)
pixels = torch.randn(4096, 64)
labels = (pixels @ torch.randn(64, 10)).argmax(1)
trainer = Trainer(
    model=Classifier(),
    train_dataset=[{"pixels": row, "labels": label} for row, label in zip(pixels, labels)],
    args=TrainingArguments(
        output_dir=options.checkpoint_dir, max_steps=options.steps, per_device_train_batch_size=options.batch_size,
        logging_steps=50, save_steps=400, save_total_limit=2, use_cpu=not torch.cuda.is_available(), report_to="none",
        disable_tqdm=True),
)
kml_huggingface.train(trainer)
if trainer.is_world_process_zero():
    with torch.no_grad():
        model = trainer.model.eval().cpu()
        kml_job.metrics(step=options.steps, final_loss=model(pixels, labels)["loss"].item())
