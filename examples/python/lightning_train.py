#!/usr/bin/env python3
"""Like pytorch_train.py, but with Lightning: a LightningDataModule over dataset files takes ten lines.

lightning_train.py FILE.h5 [--epochs E] [--device auto|cpu|cuda]
"""

from __future__ import annotations

import argparse

import lightning
import octavo
import torch
from torch import nn


class PackedImages(lightning.LightningDataModule):
    """Each process creates its loaders when it runs, when ranks and devices are known."""

    def __init__(self, path: str, batch_size: int = 128) -> None:
        super().__init__()
        self.path, self.batch_size = path, batch_size

    def train_dataloader(self) -> octavo.Loader:
        device = self.trainer.strategy.root_device
        return octavo.Loader(self.path, "train", batch_size=self.batch_size, shuffle=True, device=device)


class Classifier(lightning.LightningModule):
    def __init__(self, shape: tuple[int, int, int], class_count: int) -> None:
        super().__init__()
        values = shape[0] * shape[1] * shape[2]
        self.model = nn.Sequential(nn.Flatten(), nn.Linear(values, 128), nn.ReLU(), nn.Linear(128, class_count))

    def training_step(self, batch: tuple[torch.Tensor, torch.Tensor], step: int) -> torch.Tensor:
        images, labels = batch
        loss = nn.functional.cross_entropy(self.model(images), labels)
        self.log("loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--device", default="auto")
    arguments = parser.parse_args()

    train = octavo.Dataset(arguments.file).split("train")
    trainer = lightning.Trainer(
        max_epochs=arguments.epochs, accelerator=arguments.device, devices=1, logger=False, enable_checkpointing=False
    )
    trainer.fit(Classifier(train.shape, len(train.classes) or 10), PackedImages(arguments.file))


if __name__ == "__main__":
    main()
