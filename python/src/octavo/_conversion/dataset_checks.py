"""Errors for what is not a Python dataset, with the call that packs it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..dataset import Dataset


def check_is_dataset(dataset: Any) -> None:
    """Raises TypeError for what other functions pack, for batches, and for arrays of all images and all labels."""
    if isinstance(dataset, Dataset):
        raise TypeError("dataset is a dataset file; use octavo.repack")
    if isinstance(dataset, (str, os.PathLike)):
        raise TypeError(f"dataset is the path {str(dataset)!r}; pack files and folders with octavo.pack()")
    if hasattr(dataset, "batch_size") and hasattr(dataset, "dataset"):
        raise TypeError(f"dataset is a {type(dataset).__name__}, which makes batches; pass its dataset")
    _check_fields(dataset)
    for part in dataset.values() if isinstance(dataset, Mapping) else [dataset]:
        check_is_no_table("dataset", part)
        _check_arrays(part)
        if not (hasattr(part, "__getitem__") or hasattr(part, "__iter__")):
            raise TypeError(
                f"dataset is of type {type(part).__name__}; pass a dataset or an iterable of samples, or a mapping "
                "from split names to them"
            )


def check_is_no_table(argument: str, value: Any) -> None:
    """Raises TypeError for a table of pandas or Polars."""
    if type(value).__name__ == "DataFrame":
        write = "write_csv('list.csv')" if hasattr(value, "write_csv") else "to_csv('list.csv', index=False)"
        raise TypeError(
            f"{argument} is a DataFrame; write it as an image list, .{write}, and pack that with "
            "octavo.pack('list.csv', ...); or pass zip(images, labels) to octavo.pack_dataset()"
        )


def _check_arrays(part: Any) -> None:
    """Raises TypeError for (images, labels), which would be a dataset of two samples."""
    if isinstance(part, (tuple, list)) and len(part) in (2, 3) and _are_columns(part):
        raise TypeError(
            f"dataset is a {type(part).__name__} of {len(part)} arrays; pass pairs of one image and its label, "
            "zip(images, labels), or {'train': zip(...), 'test': zip(...)}"
        )


def _check_fields(dataset: Any) -> None:
    """Raises TypeError for {"image": images, "label": labels}, which would be a dataset of two splits."""
    if isinstance(dataset, Mapping) and _are_columns(list(dataset.values())):
        raise TypeError(
            f"dataset is a mapping of the arrays {', '.join(map(repr, dataset))}, but it must be from split names to "
            "datasets; pass pairs of one image and its label, zip(images, labels)"
        )


def _are_columns(values: Any) -> bool:
    """Whether these are arrays of images and labels of the same samples."""
    axes = [_axes_of(value) for value in values]
    if not any(count >= 3 for count in axes) or not any(count == 1 for count in axes):
        return False
    return 0 not in axes and len({len(value) for value in values}) == 1


def _axes_of(value: Any) -> int:
    """The number of axes of an array, a tensor, or a list of numbers or names; 0 of anything else."""
    if isinstance(value, (tuple, list)):
        return int(all(isinstance(item, (int, float, str)) for item in value))
    return 0 if str(getattr(value, "dtype", "object")) == "object" else getattr(value, "ndim", 0)
