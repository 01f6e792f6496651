"""The memory report, and verification of dataset files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _frameworks, _progress
from .dataset import Dataset

if TYPE_CHECKING:
    from . import _pack


class Report(Mapping[str, Any]):
    """The result of `report` or `plan`: a mapping with every figure; ``str()`` gives a readable table."""

    def __init__(self, figures: dict[str, Any], text: str) -> None:
        self._figures = figures
        self._text = text

    def __getitem__(self, key: str) -> Any:
        return self._figures[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Report({self._figures!r})"


def report(
    data: str | os.PathLike[str] | Dataset,
    split: str | None = None,
    *,
    device: Any = "auto",
    batch_size: int = 512,
    progress: _progress.Progress = None,
) -> Report:
    """Measures the memory that int8 storage saves on a device: bytes as float32, float16 and int8, speed, exactness.

    Call it while nothing else in the process allocates or frees memory.

    Parameters
    ----------
    data
        A dataset file or a `Dataset`.
    split
        By default ``train`` if it exists, else the first split.
    device
        As in `Loader`.
    batch_size
        Samples per batch, for the batch buffers and the measured gathers.
    progress
        As in `Store`.

    Raises
    ------
    ValueError
        If there is no such split, or batch_size is below 1.
    FormatError, OSError, MemoryError, UnavailableError
        See `Store`.
    """
    from . import _lab, _pack

    dataset = data if isinstance(data, Dataset) else Dataset(data)
    name = _frameworks.resolve_device(device)
    with _progress.shown(progress) as on_progress:
        native = dataset._opened()
        model_bytes = _lab.default_model_bytes(native, split or "", name, batch_size)
        figures, text = _pack.report(native, split or "", name, batch_size, model_bytes, on_progress)
    return Report(json.loads(figures), text)


def verify(
    path: str | os.PathLike[str], *, threads: int = 0, progress: _progress.Progress = None
) -> _pack.VerifyResult:
    """Checks every byte of a dataset file: header, index, metadata, every sample; and recomputes the statistics.

    Returns
    -------
    VerifyResult
        True if the file is intact; otherwise ``defects`` lists each problem and its location.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If threads is negative.
    """
    from . import _pack

    if threads < 0:
        raise ValueError(f"threads is {threads}; it must be 0 for all, or the number of threads")
    with _progress.shown(progress) as on_progress:
        return _pack.verify(Path(path), threads, on_progress)
