"""How fast are augmented batches, compared with torchvision v2 on the same images, in the same process?

    python3 bench/python/augmentation.py [--threads N] [--rounds N]

Prints images per second: of Octavo, whose images each have their own random numbers; of torchvision, image by image,
which is the same task; and of torchvision once per batch, whose images all get the same. Images are random bytes in
memory, and batches have 256 of them. Needs the Python package, torch and torchvision.
"""

import argparse
import os
import statistics
import time

import numpy as np
import octavo
import torch
from octavo import augment
from torchvision.transforms import v2

BATCH = 256
JITTER = (0.4, 0.4, 0.4, 0.1)
TASKS = [
    (
        "3x32x32, crop, flip",
        32,
        [augment.RandomCrop(padding=4), augment.HorizontalFlip()],
        [v2.RandomCrop(32, padding=4, padding_mode="reflect"), v2.RandomHorizontalFlip()],
    ),
    (
        "3x256x256, resized crop 224, flip",
        256,
        [augment.RandomResizedCrop(224), augment.HorizontalFlip()],
        [v2.RandomResizedCrop(224, antialias=True), v2.RandomHorizontalFlip()],
    ),
    (
        "the same, color jitter",
        256,
        [augment.RandomResizedCrop(224), augment.HorizontalFlip(), augment.ColorJitter(*JITTER)],
        [v2.RandomResizedCrop(224, antialias=True), v2.RandomHorizontalFlip(), v2.ColorJitter(*JITTER)],
    ),
    (
        "the same, TrivialAugment",
        256,
        [augment.RandomResizedCrop(224), augment.HorizontalFlip(), augment.TrivialAugment()],
        [v2.RandomResizedCrop(224, antialias=True), v2.RandomHorizontalFlip(), v2.TrivialAugmentWide()],
    ),
]


def images_per_second(make, count: int, rounds: int) -> float:
    """The median of some rounds, after one that does not count. `make` makes `count` images."""
    make()
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        make()
        seconds.append(time.perf_counter() - start)
    return count / statistics.median(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    print(f"{arguments.threads} threads, images/s: Octavo, torchvision per image, torchvision per batch")
    for name, side, operations, transforms in TASKS:
        count = 16 * BATCH if side == 32 else 4 * BATCH
        images = np.random.default_rng(0).integers(0, 256, (count, 3, side, side), dtype=np.uint8)
        finish = [v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5] * 3, [0.25] * 3)]
        transform = v2.Compose([*transforms, *finish])
        tensors = torch.from_numpy(images)
        loader = octavo.Loader(
            octavo.Store.from_arrays(images, np.zeros(count, np.int64), threads=arguments.threads), batch_size=BATCH,
            shuffle=True, augment=operations, normalize=octavo.Normalize([0.5] * 3, [0.25] * 3),
            framework="torch",
        )  # fmt: skip
        some = tensors[:BATCH]
        ours = images_per_second(lambda loader=loader: [None for _ in loader], count, arguments.rounds)
        each = images_per_second(
            lambda some=some, transform=transform: torch.stack([transform(image) for image in some]), BATCH,
            arguments.rounds,
        )  # fmt: skip
        whole = images_per_second(lambda some=some, transform=transform: transform(some), BATCH, arguments.rounds)
        print(f"  {name:35} {ours:12,.0f} {each:10,.0f} ({ours / each:4.0f}x) {whole:10,.0f} ({ours / whole:4.1f}x)")


if __name__ == "__main__":
    main()
