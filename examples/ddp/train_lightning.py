"""A model trained by Lightning, in a job that may be preempted. See ../README.md."""

import argparse

import lightning
import torch
from torchdata.stateful_dataloader import StatefulDataLoader

import kml_job
import kml_lightning

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=1000)
parser.add_argument("--batch-size", type=int, default=32, help="of a rank")
parser.add_argument("--checkpoint-dir", default="checkpoints")
options = parser.parse_args()


class Classifier(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(64, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10))

    def loss(self, batch):
        pixels, labels = batch
        return torch.nn.functional.cross_entropy(self.layers(pixels), labels)

    def training_step(self, batch):
        loss = self.loss(batch)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


torch.manual_seed(1)
pixels = torch.randn(4096, 64)
labels = (pixels @ torch.randn(64, 10)).argmax(1)
data = torch.utils.data.TensorDataset(pixels, labels)
loader = StatefulDataLoader(data, batch_size=options.batch_size, sampler=kml_lightning.Sampler(data))
trainer = lightning.Trainer(
    **kml_lightning.ranks(), max_steps=options.steps, logger=False, enable_checkpointing=False, enable_progress_bar=False,
    enable_model_summary=False)
model = Classifier()
kml_lightning.fit(trainer, options.checkpoint_dir, model, loader, every=400)
if trainer.is_global_zero:
    with torch.no_grad():
        kml_job.metrics(step=options.steps, final_loss=model.eval().cpu().loss((pixels, labels)).item())
