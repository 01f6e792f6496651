"""The splits and the samples of Python datasets."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._annotate import annotate


def in_brackets(file: Any) -> str:
    """`` (cat/7.jpg)``; empty if the file of a sample is not known."""
    return f" ({os.fspath(file)})" if file else ""


class Unreadable:
    """A sample that the dataset could not provide."""

    def __init__(self, error: Exception) -> None:
        self.error = error


class Slice:
    """Samples [first, first + count) of a map-style dataset, in the form of ``torch.utils.data.Subset``."""

    def __init__(self, dataset: Any, first: int, count: int) -> None:
        self.dataset = dataset
        self.indices = range(first, first + count)

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, number: int) -> Any:
        return self.dataset[self.indices[number]]


def samples(part: Any, split: str, paths: Sequence[str | None], may_skip: bool) -> Iterator[Any]:
    """The samples of a dataset; exceptions get a note that names the sample, and its file if `paths` has it.

    With `may_skip`, a map-style dataset gives an `Unreadable` for a sample that raises; an iterator ends when it does.
    """
    number, first = 0, first_number(part)
    try:
        # Map-style datasets need not raise IndexError at their end, so use their length.
        if hasattr(part, "__len__") and hasattr(part, "__getitem__"):
            for number in range(len(part)):
                try:
                    sample = part[number]
                except Exception as error:
                    if not may_skip:
                        raise
                    sample = Unreadable(error)
                yield sample
        else:
            for number, sample in enumerate(part):
                yield sample
                number += 1
    except Exception as error:
        file = in_brackets(paths[number] if number < len(paths) else None)
        annotate(error, f"while reading sample {first + number}{file} of split {split!r}")
        raise


def first_number(part: Any) -> int:
    """The number of the first sample of a dataset, in the dataset that it is a slice of."""
    return part.indices.start if isinstance(part, Slice) else 0


#: Names that datasets have for a split, and the name that Octavo's defaults expect.
SPLIT_NAMES = {"training": "train", "validation": "val", "valid": "val", "testing": "test"}


def by_split(given: Mapping[str, Any], parts: Mapping[str, Any], argument: str) -> dict[str, Any]:
    """What a mapping gives for each split, by the names that the splits have in the file.

    Raises
    ------
    ValueError
        If it names a split that is not one of `parts`.
    """
    named = {name if name in parts else SPLIT_NAMES.get(name, name): value for name, value in given.items()}
    if unknown := [name for name in named if name not in parts]:
        raise ValueError(f"{argument} names the split {unknown[0]!r}; dataset has {', '.join(map(repr, parts))}")
    return named


def splits_of(dataset: Any, split: str) -> dict[str, Any]:
    if isinstance(dataset, Mapping):
        if not dataset:
            raise ValueError("dataset is an empty mapping; it must contain at least one split")
        names = [SPLIT_NAMES.get(str(name), str(name)) for name in dataset]
        if len(set(names)) < len(names):
            names = [str(name) for name in dataset]
        return dict(zip(names, dataset.values(), strict=True))
    return {split: dataset}
