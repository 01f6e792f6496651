"""The names of the samples of Python datasets."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from .nested_datasets import concatenated


class SampleNames:
    """Names for the samples of a split: for all, or for none.

    Parameters
    ----------
    split, first
        The split, and the number of its first sample.
    paths
        Those that the dataset knows.
    """

    def __init__(self, split: str, first: int, paths: Sequence[str | None]) -> None:
        self._split, self._first, self._paths = split, first, paths
        self._has_names: bool | None = True if any(path is not None for path in paths) else None

    def of(self, number: int, name: str | None) -> str | None:
        """The name of the sample `number`, whose own name is `name`."""
        if name is None and number - self._first < len(self._paths):
            name = self._paths[number - self._first]
        if self._has_names is None:
            self._has_names = name is not None
        return (name or f"{self._split}#{number}") if self._has_names else None


#: A file, and the folder of the dataset that it is in, if there is one.
_File = tuple[str | None, str]


def paths_of(part: Any) -> list[str | None]:
    """The files of a dataset like torchvision's ImageFolder, relative to its folder; None for samples without one.

    Also through ``Subset`` and ``ConcatDataset``; then names begin with the folder of each dataset, if they differ.
    Relative paths do not depend on the machine, and neither does what is held out by name.
    """
    files = _files_of(part)
    prefixes = _prefixes(list(dict.fromkeys(file[0] for file in files if file is not None and file[0] is not None)))
    return [None if file is None else _name_of(file, prefixes) for file in files]


def _files_of(part: Any) -> list[_File | None]:
    """The file of each sample; empty if the dataset does not know them."""
    if hasattr(part, "dataset") and hasattr(part, "indices"):
        files = _files_of(part.dataset)
        return [files[index] for index in part.indices] if files else []
    if inner := concatenated(part):
        return _files_of_all(part, inner)
    samples = getattr(part, "samples", None)
    if not isinstance(samples, list) or not all(isinstance(sample, (tuple, list)) for sample in samples):
        return []
    root = getattr(part, "root", None)
    folder = os.path.abspath(root) if isinstance(root, (str, os.PathLike)) else None
    return [(folder, str(path)) for path, *_ in samples]


def _files_of_all(part: Any, inner: Sequence[Any]) -> list[_File | None]:
    files: list[_File | None] = []
    for one in [*inner, part]:
        if not hasattr(one, "__len__"):
            return []
    for one in inner:
        files += _files_of(one) or [None] * len(one)
    is_known = any(file is not None for file in files)
    return files if is_known and len(files) == len(part) else []  # a StackDataset has its parts side by side


def _name_of(file: _File, prefixes: dict[str, str]) -> str:
    folder, path = file
    return path if folder is None else os.path.join(prefixes[folder], os.path.relpath(path, folder))


def _prefixes(folders: Sequence[str]) -> dict[str, str]:
    """The shortest ends of folders that differ; of a single folder, nothing."""
    if len(folders) < 2:
        return dict.fromkeys(folders, "")
    parts = {folder: PurePath(folder).parts[1:] for folder in folders}
    ends: dict[str, str] = {}
    depth = 0
    while len(set(ends.values())) < len(folders):
        depth += 1
        ends = {folder: os.path.join("", *own[-depth:]) for folder, own in parts.items()}
    return ends
