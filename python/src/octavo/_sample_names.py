"""The names of the samples of Python datasets."""

from __future__ import annotations

import os
from typing import Any


class SampleNames:
    """Names for the samples of a split: for all, or for none. `paths` are those that the dataset knows."""

    def __init__(self, split: str, paths: list[str]) -> None:
        self._split, self._paths = split, paths
        self._has_names: bool | None = None

    def of(self, number: int, name: str | None) -> str | None:
        """The name of the sample `number`, whose own name is `name`."""
        if name is None and number < len(self._paths):
            name = self._paths[number]
        if self._has_names is None:
            self._has_names = name is not None
        return (name or f"{self._split}#{number}") if self._has_names else None


def paths_of(part: Any) -> list[str]:
    """The files of a dataset like torchvision's ImageFolder, relative to its folder; of a Subset, those of its part.

    Relative paths do not depend on the machine, and neither does what is held out by name.
    """
    if hasattr(part, "dataset") and hasattr(part, "indices"):
        paths = paths_of(part.dataset)
        return [paths[index] for index in part.indices] if paths else []
    samples = getattr(part, "samples", None)
    if not isinstance(samples, list) or not all(isinstance(sample, (tuple, list)) for sample in samples):
        return []
    root = getattr(part, "root", None)
    is_folder = isinstance(root, (str, os.PathLike))
    return [os.path.relpath(str(path), root) if is_folder else str(path) for path, *_ in samples]
