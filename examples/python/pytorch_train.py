#!/usr/bin/env python3
"""Trains a small convolutional network on a dataset file, on a GPU if available.

pytorch_train.py FILE.h5 [--epochs E] [--batch-size B] [--lr LR] [--seed S] [--device auto|cpu|cuda]

Needs a split `train` with classes. If there is a split `test` or `val`, prints its accuracy after each epoch.
"""

from __future__ import annotations

import argparse
import time

import octavo
import torch
from torch import nn


def make_model(shape: tuple[int, int, int], class_count: int) -> nn.Module:
    """Two convolutions and a linear layer, for small images."""
    return nn.Sequential(
        nn.Conv2d(shape[0], 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.AdaptiveMaxPool2d(4),
        nn.Flatten(),
        nn.Linear(32 * 4 * 4, class_count),
    )


@torch.no_grad()
def accuracy(model: nn.Module, loader: octavo.Loader) -> float:
    """The fraction of samples that the model classifies correctly."""
    model.eval()
    right = sum((model(images).argmax(1) == labels).sum().item() for images, labels in loader)
    model.train()
    return right / len(loader.dataset)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="auto")
    arguments = parser.parse_args()

    dataset = octavo.Dataset(arguments.file)
    options = {"device": arguments.device, "normalize": "standard"}
    train = octavo.Loader(
        dataset, "train", batch_size=arguments.batch_size, shuffle=True, seed=arguments.seed, drop_last=True, **options
    )
    held_out = next((name for name in ("test", "val") if name in dataset.split_names), None)
    test = (
        octavo.Loader(dataset, held_out, batch_size=min(1000, len(dataset[held_out])), **options) if held_out else None
    )

    torch.manual_seed(arguments.seed)
    split = train.dataset
    model = make_model(split.shape, len(split.classes) or int(split.labels.max()) + 1).to(train.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=arguments.lr, momentum=0.9, weight_decay=5e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, arguments.lr, total_steps=arguments.epochs * len(train))

    for epoch in range(arguments.epochs):
        start = time.perf_counter()
        total = torch.zeros((), device=train.device)
        for images, labels in train:
            loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.detach()
        line = f"epoch {epoch + 1}: loss {total.item() / len(train):.4f}"
        if test is not None:
            line += f", {held_out} accuracy {accuracy(model, test):.2%}"
        print(f"{line}, {time.perf_counter() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main()
