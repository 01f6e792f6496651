#!/usr/bin/env python3
"""Compares training with and without the augmentation of airbench94, with a small residual network.

airbench.py FILE.h5 [--samples N] [--epochs E] [--seeds N] [--width W] [--batch-size B] [--lr LR]
            [--device auto|cpu|cuda]

Needs splits `train` and `test` of small images with classes, such as CIFAR-10 or Fashion-MNIST. Both trainings have the
same order of samples, the same initial weights and the same label smoothing.
"""

from __future__ import annotations

import argparse
import statistics
import time

import octavo
import torch
from torch import nn


class Residual(nn.Module):
    """Two convolutions whose result is added to their input; the first one halves the size."""

    def __init__(self, channels: int, out_channels: int) -> None:
        super().__init__()
        self.reduce = nn.Sequential(
            nn.Conv2d(channels, out_channels, 3, padding=1, bias=False),
            nn.MaxPool2d(2),
            nn.BatchNorm2d(out_channels),
            nn.GELU(),
        )
        self.refine = nn.Sequential(
            nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(out_channels),
            nn.GELU(),
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        reduced = self.reduce(images)
        return reduced + self.refine(reduced)


def make_model(channels: int, width: int, class_count: int) -> nn.Module:
    return nn.Sequential(
        Residual(channels, width),
        Residual(width, 2 * width),
        Residual(2 * width, 4 * width),
        nn.AdaptiveMaxPool2d(1),
        nn.Flatten(),
        nn.Linear(4 * width, class_count),
    )


@torch.no_grad()
def accuracy(model: nn.Module, loader: octavo.Loader, weights: tuple[float, ...] = (1.0,)) -> float:
    """The fraction of samples that the model classifies correctly, with the weighted predictions of all views."""
    model.eval()
    right = 0
    for images, labels in loader:
        views = images if loader.views > 1 else images[:, None]
        scores = sum(weight * model(views[:, i]) for i, weight in enumerate(weights))
        right += (scores.argmax(1) == labels).sum().item()
    return right / len(loader.dataset)


def train(loader: octavo.Loader, width: int, epochs: int, lr: float, seed: int) -> nn.Module:
    torch.manual_seed(seed)
    class_count = loader[0][1].shape[1]  # labels are probabilities
    model = make_model(loader.dataset.shape[0], width, class_count).to(loader.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, nesterov=True, weight_decay=5e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, lr, total_steps=epochs * len(loader), pct_start=0.2)
    for _ in range(epochs):
        for images, probabilities in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), probabilities).backward()
            optimizer.step()
            schedule.step()
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--samples", type=int, help="train on the first N samples")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--batch-size", type=int, default=512)
    parser.add_argument("--lr", type=float, default=0.2)
    parser.add_argument("--device", default="auto")
    arguments = parser.parse_args()

    recipe = octavo.recipes.airbench94()
    options = {"device": arguments.device, "normalize": "standard"}
    store = octavo.Store(octavo.Dataset(arguments.file).split("train"), device=arguments.device)
    tests = octavo.Store(octavo.Dataset(arguments.file).split("test"), device=arguments.device)
    size = min(1000, len(tests))
    test = octavo.Loader(tests, batch_size=size, **options)
    views = octavo.Loader(tests, **{**recipe.evaluation, **options, "batch_size": size})
    found: dict[str, list[float]] = {
        "no augmentation": [],
        "airbench94": [],
        "airbench94, six views": [],
    }
    for seed in range(arguments.seeds):
        for name, operations in (
            ("no augmentation", ()),
            ("airbench94", recipe.train["augment"]),
        ):
            loader = octavo.Loader(
                store, batch_size=arguments.batch_size, shuffle=True, seed=seed, drop_last=True, augment=operations,
                indices=range(arguments.samples) if arguments.samples else None,
                label_smoothing=recipe.train["label_smoothing"], **options,
            )  # fmt: skip
            start = time.perf_counter()
            model = train(loader, arguments.width, arguments.epochs, arguments.lr, seed)
            seconds = time.perf_counter() - start
            found[name].append(accuracy(model, test))
            if operations:
                found["airbench94, six views"].append(accuracy(model, views, recipe.view_weights))
            print(
                f"seed {seed}, {name}: {found[name][-1]:.4f} after {seconds:.1f} s",
                flush=True,
            )
    for name, values in found.items():
        print(f"{name}: mean {statistics.fmean(values):.4f} of {' '.join(f'{value:.4f}' for value in values)}")


if __name__ == "__main__":
    main()
