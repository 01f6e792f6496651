"""Batches as pictures."""

from __future__ import annotations

import operator
import os
from pathlib import Path

from . import _core, _pack
from .loader import Loader


class Picture:
    """A PNG. Notebooks show it."""

    def __init__(self, png: bytes) -> None:
        self.png = png

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the PNG to a file, which is replaced if it exists."""
        Path(path).write_bytes(self.png)

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"Picture({len(self.png)} bytes of PNG)"


def view(
    loader: Loader,
    step: int,
    *,
    epoch: int | None = None,
    count: int | None = None,
    columns: int | None = None,
    scale: int | None = None,
) -> Picture:
    """Draws a batch as training sees it: augmented, but with the values from before the normalization.

    >>> octavo.view(loader, 3, epoch=7).save("batch.png")

    `Loader.indices` has the samples, row by row, and `Loader.drawn` what was drawn for each. The views of a sample are
    next to each other.

    Parameters
    ----------
    loader
        The loader.
    step
        The batch of the epoch, from 0; negative steps count from the end.
    epoch
        The epoch; None: the current one.
    count
        Draw only the first samples of the batch.
    columns
        Images per row. None: as many as make the picture about square.
    scale
        Draw each pixel as a square with this side. None: a readable size.

    Raises
    ------
    IndexError
        If there is no such batch.
    ValueError
        If the picture would have more than 2**28 pixels, or an option is invalid.
    """
    number = loader.epoch if epoch is None else operator.index(epoch)
    if number < 0:
        raise ValueError(f"epoch is {number}; epochs count from 0")
    for name, value in (("count", count), ("columns", columns), ("scale", scale)):
        if value is not None and operator.index(value) < 1:
            raise ValueError(f"{name} is {value}; it must be at least 1")
    options = loader._resolved_for(number)
    sampling = _core.Sampling() if options.sampling is None else options.sampling.to_native()
    png: bytes = _pack.draw_batch(
        loader.store._usable(), options.spec(), loader.batch_size, loader._maker.shuffle, loader.seed, loader.drop_last,
        loader.carry_over, loader.rank, loader.world_size, sampling, number, loader._step(step, number),
        count or loader.batch_size, columns or 0, scale or 0,
    )  # fmt: skip
    return Picture(png)
