"""The speed of loaders over the same samples, for reports."""

from __future__ import annotations

import importlib.util
import itertools
import math
import os
import statistics
import time
from collections.abc import Iterator
from typing import Any

from ..dataset import Split
from ..loader import Loader
from ..normalize import Normalize
from .torch_work import synchronize

_SECONDS = 0.4
_ROUNDS = 3
_MOST_BYTES = 1 << 28


def measure(split: Split, device: Any, batch_size: int) -> tuple[list[tuple[str, float]], str]:
    """Images per second of `Loader` and, if PyTorch is installed, of its DataLoader over samples in memory.

    Both shuffle, and center and scale in the same way. They take turns; the result is the median of several rounds.
    Empty for a split with less than one batch. The second result is why there is no DataLoader, or empty.
    """
    if len(split) < batch_size:
        few = f"split {split.name} has {len(split):,} samples, fewer than a batch of {batch_size:,}"
        return [], f"Not compared with a PyTorch DataLoader: {few}."
    loader = Loader(
        split, batch_size=batch_size, device=device, shuffle=True, drop_last=True, progress=False,
        normalize=Normalize("dataset", 128.0, "source", split), rank=0, world_size=1,
    )  # fmt: skip
    streams = {f"octavo.Loader on {loader.device}": _batches(loader)}
    has_torch = importlib.util.find_spec("torch") is not None
    missing = "" if has_torch else "Not compared with a PyTorch DataLoader: PyTorch is not installed."
    if has_torch:
        workers = min(4, len(os.sched_getaffinity(0)))
        streams[f"torch DataLoader, {workers} workers, samples in memory"] = _batches(
            _torch_loader(split, batch_size, workers)
        )
    speeds: dict[str, list[float]] = {name: [] for name in streams}
    for stream in streams.values():
        _images_per_second(stream, 0.0, batch_size)
    for _ in range(_ROUNDS):
        for name, stream in streams.items():
            speeds[name].append(_images_per_second(stream, _SECONDS, batch_size))
    return [(name, statistics.median(rounds)) for name, rounds in speeds.items()], missing


def _batches(loader: Any) -> Iterator[Any]:
    return itertools.chain.from_iterable(itertools.repeat(loader))


def _images_per_second(stream: Iterator[Any], seconds: float, batch_size: int) -> float:
    begin = time.perf_counter()
    count = 0
    while count == 0 or time.perf_counter() - begin < seconds:
        next(stream)
        count += batch_size
    synchronize()
    return count / (time.perf_counter() - begin)


class _Samples:
    """A map-style dataset of samples in memory, centered and scaled one by one, as a DataLoader expects."""

    def __init__(self, samples: Any, labels: Any, mean: float) -> None:
        self._samples, self._labels, self._mean = samples, labels, mean

    def __len__(self) -> int:
        return len(self._samples)

    def __getitem__(self, index: int) -> Any:
        image = (self._samples[index].float() - self._mean) / 128
        return image if self._labels is None else (image, self._labels[index])


def _torch_loader(split: Split, batch_size: int, workers: int) -> Any:
    import torch

    # A part is as fast as the whole, and fits in memory.
    rows = min(len(split), max(batch_size, _MOST_BYTES // math.prod(split.shape)))
    samples: Any = _Samples(torch.from_numpy(split[:rows][0].copy()), split.labels, float(split.mean.mean()))
    return torch.utils.data.DataLoader(
        samples, batch_size, shuffle=True, drop_last=True, num_workers=workers, persistent_workers=True
    )
