"""The memory report, and verification of dataset files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _frameworks, _progress
from .dataset import Dataset, Split

if TYPE_CHECKING:
    from . import _pack


class Report(Mapping[str, Any]):
    """The result of `info`, `report` or `plan`: a mapping with every figure, which prints as readable text."""

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
        return self._text.rstrip("\n")


def info(data: str | os.PathLike[str] | Dataset) -> Report:
    """Describes a dataset file: its splits, classes, statistics and origin. Reads no images.

    >>> octavo.info("photos.h5")
    >>> octavo.info("photos.h5")["splits"]["train"]["class_counts"]

    Parameters
    ----------
    data
        A dataset file or a `Dataset`.

    Returns
    -------
    Report
        ``path``, ``file_bytes``, ``format_version``, ``created``, ``writer``, ``classes``, ``provenance``, and
        ``splits`` by name: ``samples``, ``shape``, ``label_kind``, ``label_shape``, ``has_masks``, ``has_names``,
        ``columns``, ``compression``, ``packed_bytes``, ``stored_bytes``, ``mean``, ``std``, ``source_dtype`` and, with
        class numbers, ``class_counts``.

    Raises
    ------
    FormatError, OSError
        See `Dataset`.
    """
    dataset = data if isinstance(data, Dataset) else Dataset(data)
    native = dataset._opened()
    splits = {split.name: _split_figures(split) for split in dataset}
    figures = {
        "path": str(dataset.path),
        "file_bytes": dataset.file_bytes,
        "format_version": native.format_version,
        "created": dataset.created,
        "writer": native.writer,
        "classes": dataset.classes,
        "splits": splits,
        "provenance": dataset.provenance,
    }
    samples = sum(split["samples"] for split in splits.values())
    lines = [f"{dataset.path.name}: {samples:,} samples, {dataset.file_bytes / 2**20:.1f} MiB"]
    for name, split in splits.items():
        extras = [name for name in ("masks", "names") if split[f"has_{name}"]]
        extras += [f"columns {', '.join(split['columns'])}"] if split["columns"] else []
        shape = "x".join(map(str, split["shape"]))
        mean = ", ".join(f"{value:.4g}" for value in split["mean"][:4])
        lines.append(
            f"  {name:8} {split['samples']:>9,}  {shape}  labels: {split['label_kind']}  mean: {mean}"
            + (f"  with {', '.join(extras)}" if extras else "")
        )
    if dataset.classes:
        shown = ", ".join(dataset.classes[:8]) + (", ..." if len(dataset.classes) > 8 else "")
        lines.append(f"  {len(dataset.classes)} classes: {shown}")
    return Report(figures, "\n".join(lines) + "\n")


def _split_figures(split: Split) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "samples": len(split),
        "shape": split.shape,
        "label_kind": split.label_kind,
        "label_shape": split.label_shape,
        "has_masks": split.has_masks,
        "has_names": split.sample_name(0) is not None,
        "columns": split._native.columns,
        "compression": split.compression,
        "packed_bytes": split.packed_bytes,
        "stored_bytes": split.stored_bytes,
        "mean": split.mean.tolist(),
        "std": split.std.tolist(),
        "source_dtype": split._native.source_dtype,
    }
    if split.label_kind == "class" and split.labels is not None:
        figures["class_counts"] = np.bincount(split.labels, minlength=len(split.classes)).tolist()
    return figures


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
