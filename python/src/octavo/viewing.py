"""Samples and batches as pictures."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable
from pathlib import Path
from typing import overload

from . import _pack
from ._remote.byte_source import Location, is_location
from ._wrong_data import wrong_data
from .dataset import Dataset, Split
from .loader import Loader

_SAMPLES = 100


class Picture:
    """A PNG. Notebooks show it."""

    def __init__(self, png: bytes) -> None:
        self.png = png

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the PNG to a .png file, which is replaced if it exists.

        Raises
        ------
        ValueError
            If `path` does not end in .png.
        OSError
            If it cannot be written.
        """
        if Path(path).suffix.lower() != ".png":
            raise ValueError(f"path is {os.fspath(path)!r}; the picture is a PNG; use a name that ends in .png")
        Path(path).write_bytes(self.png)

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"Picture({len(self.png)} bytes of PNG)"


@overload
def view(
    data: Loader,
    step: int,
    *,
    epoch: int | None = None,
    count: int | None = None,
    columns: int | None = None,
    scale: int | None = None,
    captions: bool = True,
    masks: bool = True,
) -> Picture: ...


@overload
def view(
    data: Dataset | Split | Location,
    *,
    split: str | None = None,
    indices: Iterable[int] | None = None,
    classes: str | int | Iterable[str | int] | None = None,
    count: int | None = None,
    first: int = 0,
    columns: int | None = None,
    scale: int | None = None,
    captions: bool = True,
    masks: bool = True,
) -> Picture: ...


def view(
    data: Loader | Dataset | Split | Location,
    step: int | None = None,
    *,
    epoch: int | None = None,
    split: str | None = None,
    indices: Iterable[int] | None = None,
    classes: str | int | Iterable[str | int] | None = None,
    count: int | None = None,
    first: int = 0,
    columns: int | None = None,
    scale: int | None = None,
    captions: bool = True,
    masks: bool = True,
) -> Picture:
    """Draws samples as they are stored, or a batch as training sees it.

    >>> octavo.view("photos.h5", classes=["cat", "dog"]).save("photos.png")
    >>> octavo.view(loader, 3, epoch=7).save("batch.png")

    Of a batch, the images are augmented, but have the values from before the normalization. `Loader.indices` has its
    samples, row by row, and `Loader.drawn` what was drawn for each. The views of a sample are next to each other.

    Parameters
    ----------
    data
        A loader, to draw a batch; else a dataset, a split, or the path of a dataset file, to draw stored samples.
    step
        With a loader: the batch of the epoch, from 0; negative steps count from the end.
    epoch
        With a loader: the epoch; None: the current one.
    split
        With a dataset: the name of the split; None: ``train`` if it exists, else the first one.
    indices
        Draw exactly these samples, in this order; negative indices count from the end. Not with `classes`, `first`
        and `count`.
    classes
        Draw only samples of these classes: names or numbers, or one of them.
    count
        Draw at most this many samples. None: 100, or the whole batch.
    first
        Begin with this sample.
    columns
        Images per row. None: as many as make the picture about square.
    scale
        Draw each pixel as a square with this side. None: a readable size.
    captions
        Write the class name below each image, and the sample's index if there is room. Only if the class names are
        known, and not in batches that mix samples.
    masks
        Draw masks over the images, half transparent in a color for each class, with the shares of the classes below.
        Class 0 is not drawn, and pixels to ignore (255) are striped.

    Raises
    ------
    IndexError
        If there is no such batch or sample.
    ValueError
        If there is no such split or class, no sample of the classes, the picture would have more than 2**28 pixels, or
        an option is invalid.
    TypeError
        If an option does not apply to `data`.
    FormatError
        If a sample is damaged.
    """
    for name, value in (("count", count), ("columns", columns), ("scale", scale)):
        if value is not None and operator.index(value) < 1:
            raise ValueError(f"{name} is {value}; it must be at least 1")
    if isinstance(data, Loader):
        if split is not None or indices is not None or classes is not None or first != 0:
            raise TypeError("split, indices, classes and first do not apply to a loader; pass a dataset")
        if step is None:
            raise TypeError("step is missing; pass the number of the batch, as in octavo.view(loader, 0)")
        return _view_batch(data, step, epoch, count, columns, scale, captions, masks)
    if not isinstance(data, (Dataset, Split)) and not is_location(data):
        raise wrong_data(
            "view",
            "data",
            data,
            "the path of a dataset file, a Dataset or a Split, or a Loader and the step of a batch",
        )
    if step is not None or epoch is not None:
        raise TypeError("step and epoch apply only to a loader")
    if indices is not None and (classes is not None or count is not None or first != 0):
        raise ValueError("indices do not go with classes, count and first; pass either indices or the others")
    chosen = _split_of(data, split)
    rows = [] if indices is None else [chosen.images._row(operator.index(index)) for index in indices]
    if indices is not None and not rows:
        raise ValueError("indices are empty; pass at least one")
    options = _sheet(count or _SAMPLES, columns, scale, captions, masks)
    options.indices, options.classes = rows, _class_numbers(chosen, classes)
    options.first = operator.index(first)
    return Picture(_pack.draw_samples(chosen._opened(), options))


def _sheet(
    count: int, columns: int | None, scale: int | None, captions: bool, masks: bool
) -> _pack.ContactSheetOptions:
    options = _pack.ContactSheetOptions()
    options.count, options.columns, options.scale = count, columns or 0, scale or 0
    options.captions, options.masks = captions, masks
    return options


def _split_of(data: Dataset | Split | Location, name: str | None) -> Split:
    if not isinstance(data, Split):
        return (data if isinstance(data, Dataset) else Dataset(data)).split(name)
    if name is not None:
        raise TypeError(f"split applies only to a dataset; data is the split {data.name!r} already")
    return data


def _class_numbers(split: Split, classes: str | int | Iterable[str | int] | None) -> list[int]:
    """The numbers of classes that are named by name or number."""
    if classes is None:
        return []
    if isinstance(classes, (str, int)):
        classes = [classes]
    numbers = []
    for each in classes:
        if isinstance(each, str):
            numbers.append(_pack.find_class(split._opened(), each))
            continue
        number = operator.index(each)
        end = len(split.classes) or 2**31
        if not 0 <= number < end:
            raise ValueError(f"class {number} does not exist; split {split.name!r} has classes 0 ... {end - 1}")
        numbers.append(number)
    if not numbers:
        raise ValueError("classes are empty; pass at least one")
    return numbers


def _view_batch(
    loader: Loader,
    step: int,
    epoch: int | None,
    count: int | None,
    columns: int | None,
    scale: int | None,
    captions: bool,
    masks: bool,
) -> Picture:
    number = loader.epoch if epoch is None else operator.index(epoch)
    if number < 0:
        raise ValueError(f"epoch is {number}; epochs count from 0")
    options = _sheet(count or loader.batch_size, columns, scale, captions, masks)
    options.loader = loader._batches.native_options(number)
    options.epoch, options.batch = number, loader._step(step, number)
    return Picture(_pack.draw_batch(loader.store._usable(), options, _mask_names(loader)))


def _mask_names(loader: Loader) -> dict[int, str]:
    """The names of mask values, for the legend; none for arrays."""
    return loader.dataset.dataset.mask_classes if isinstance(loader.dataset, Split) else {}
