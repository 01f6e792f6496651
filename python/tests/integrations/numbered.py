"""Dataset files whose samples are numbers, so that a test knows which samples a batch has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import octavo

COUNT = 47
SIZE = 10
#: 47 samples make four whole batches and one of seven samples.
OPTIONS: dict[str, Any] = {"device": "cpu", "batch_size": SIZE, "normalize": "unit", "seed": 3}


def write_numbers(path: Path, **counts: int) -> Path:
    """Writes splits of 1x4x4 images whose pixels and labels are 0, 1, 2, ...; numbers go on from split to split."""
    number = 0
    with octavo.Writer(path) as writer:
        for split, count in (counts or {"train": COUNT}).items():
            for _ in range(count):
                writer.append(np.full((4, 4), number, np.uint8), number, split=split)
                number += 1
    return path


def numbers_in(batch: Any) -> list[int]:
    """The numbers of the samples of a batch, whose images and labels must agree."""
    images, labels = batch.values() if isinstance(batch, dict) else batch
    numbers = [int(label) for label in labels]
    pixels = np.asarray(images, np.float64).reshape(len(numbers), -1) * 255
    assert np.allclose(pixels, np.array(numbers).reshape(-1, 1)), "an image has the label of another"
    return numbers


def epochs_of(data: Any, count: int = 1, **options: Any) -> list[list[list[int]]]:
    """The numbers in each batch of each epoch of a new loader."""
    loader = octavo.Loader(data, **{**OPTIONS, **options})
    return [[numbers_in(batch) for batch in loader] for _ in range(count)]


def flat(lists: Any) -> list[Any]:
    """The items of lists, in one list."""
    return [item for items in lists for item in items]
