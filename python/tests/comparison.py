"""What comparisons with other libraries share: images, and the distance of two distributions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import octavo


def write_photos(path: Path) -> np.ndarray:
    """Writes a dataset file of 12 smooth and noisy images of 5 classes; returns the images [12,3,44,60]."""
    random = np.random.default_rng(0)
    y, x = np.mgrid[0:44, 0:60] / 10
    images = np.empty((12, 3, 44, 60), np.uint8)
    for i in range(12):
        waves = [np.sin(x * random.uniform(0.2, 2) + random.uniform(0, 6)) * np.cos(y * i / 5 + c) for c in range(3)]
        noise = random.normal(0, 8 if i % 2 else 60, (3, 44, 60))
        images[i] = np.clip(128 + random.uniform(20, 110) * np.stack(waves) + noise, 0, 255)
    images[0, :, :22] = 255
    images[0, :, 22:] = 0
    with octavo.Writer(path, layout="chw") as writer:
        for i, image in enumerate(images):
            writer.append(image, i % 5)
    return images


def ks_distance(first: np.ndarray, second: np.ndarray) -> float:
    """The largest difference of the two empirical distributions."""
    places = np.sort(np.concatenate([first, second]))
    return float(
        np.abs(
            np.searchsorted(np.sort(first), places, "right") / len(first)
            - np.searchsorted(np.sort(second), places, "right") / len(second)
        ).max()
    )


def ks_limit(count: int) -> float:
    """Two samples of `count` from one distribution are farther apart with probability 10^-4."""
    return 2.23 * (2 / count) ** 0.5
