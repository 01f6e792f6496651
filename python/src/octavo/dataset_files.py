"""Dataset files as a whole: exporting them, making new ones from them, and rebuilding changed ones."""

from __future__ import annotations

import inspect
import operator
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

from . import _pack, _progress, packing
from ._remote.byte_source import Location
from ._remote_paths import check_is_local
from ._warn import warn
from .dataset import Dataset, dataset_of

_Path = str | os.PathLike[str]

#: Options of `packing.pack` that mean something for images that are stored already.
_REPACK_OPTIONS = {
    "allow_mismatch", "append", "class_map", "dry_run", "force", "group_by", "holdout", "limit", "memory",
    "model_speed", "on_error", "progress", "reproducible", "seed", "select", "threads",
}  # fmt: skip


def export(
    data: Location | Dataset,
    folder: _Path,
    *,
    format: Literal["png", "npy"] = "png",
    threads: int = 0,
    progress: _progress.Progress = None,
) -> None:
    """Writes every sample of a dataset file below a folder, with unchanged values.

    Parameters
    ----------
    data
        A dataset file or a `Dataset`.
    folder
        An empty folder, or one that does not exist. After a failure, it is as before.
    format
        ``"png"``: one lossless PNG per sample in a folder per class, which `pack` turns into the same dataset again;
        images must have 1 or 3 channels. ``"npy"``: arrays ``SPLIT-images.npy``, uint8 [N, C, H, W],
        ``SPLIT-labels.npy``, and ``SPLIT-masks.npy`` if there are masks; without class names and columns.
    threads, progress
        As in `pack`.

    Warns
    -----
    PackingWarning
        If arrays leave out class names or columns, or the stored bytes are not source values (`Statistics.scale`).

    Raises
    ------
    FormatError
        If a sample is damaged.
    OSError
        If a file cannot be read or written.
    ValueError
        If the folder is not empty, or an option is invalid.
    """
    dataset = dataset_of(data, "export")
    formats = {"png": _pack.ExportFormat.png, "npy": _pack.ExportFormat.npy}
    if format not in formats:
        raise ValueError(f"format is {format!r}; it must be 'png' or 'npy'")
    if operator.index(threads) < 0:
        raise ValueError(f"threads is {threads}; it must be 0 for all, or the number of threads")
    with _progress.shown(progress) as on_progress:
        notes = _pack.export_dataset(dataset._opened(), Path(folder), formats[format], threads, on_progress)
    for note in notes:
        warn(note, packing.PackingWarning)


def repack(
    source: _Path | Sequence[_Path] | Mapping[str, _Path | Sequence[_Path]],
    path: _Path,
    *,
    compress: Literal["none", "deflate", "lp8", "lc8", "auto"] | None = None,
    max_error: int | None = None,
    names: bool | None = None,
    **options: Any,
) -> _pack.PackSummary:
    """Writes a new dataset file from others: a subset, a merge, or with another compression.

    >>> octavo.repack("photos.h5", "cats.h5", select="cat")
    >>> octavo.repack({"train": ["a.h5::train", "b.h5::train"]}, "both.h5")

    Parameters
    ----------
    source
        A dataset file, several, or a mapping from split names to them; ``"FILE::SPLIT"`` selects one split.
    path
        The file to write, or its address, as for `pack`. It appears complete or not at all.
    compress
        As in `pack`. None: as the first split of the first file.
    max_error
        As in `pack`. None: as in the files, if the new one is compressed by ``"lp8"`` or ``"lc8"``.
    names
        Whether to store the samples' names. None: if any file has them.
    options
        Others of `pack`: ``select``, ``limit``, ``class_map``, ``holdout``, ``group_by``, ``seed``, ``on_error``,
        ``append``, ``allow_mismatch``, ``dry_run``, ``memory``, ``model_speed``, ``reproducible``, ``force``,
        ``threads`` and ``progress``.

    Returns
    -------
    PackSummary
        As `pack`.

    Raises
    ------
    FileExistsError, FormatError, OSError, ValueError
        As `pack`.
    """
    if unknown := sorted(set(options) - _REPACK_OPTIONS):
        is_of_pack = unknown[0] in inspect.signature(packing.pack).parameters
        way = f"; octavo.pack(source, path, {unknown[0]}=...) changes the samples of a file" if is_of_pack else ""
        raise TypeError(f"repack() does not accept {unknown[0]!r}; it copies samples as they are{way}")
    datasets = [Dataset(file) for file, *_ in packing._sources(source)]
    if compress is None:
        compress = cast("Literal['none', 'deflate', 'lp8', 'lc8']", next(iter(datasets[0])).compression)
    if len(datasets) == 1 and not options.get("append"):
        options["allow_mismatch"] = True  # it was accepted when the file was packed
    return packing.pack(source, path, format="octavo", compress=compress, max_error=max_error, names=names, **options)


def reindex(
    path: _Path,
    new_path: _Path,
    *,
    accept_changes: bool = False,
    force: bool = False,
    progress: _progress.Progress = None,
) -> _pack.ReindexSummary:
    """Rebuilds a dataset file that another HDF5 program has changed: a new file, with new checksums and statistics.

    Parameters
    ----------
    path
        The changed file. It is read with the HDF5 library, in a process of its own.
    new_path
        The file to write.
    accept_changes
        Keep images and labels that differ from their checksums. Without it, they are an error.
    force
        Replace `new_path` if it exists.
    progress
        As in `pack`.

    Returns
    -------
    ReindexSummary
        The number of samples, and how many of them had changed.

    Raises
    ------
    FileExistsError
        If `new_path` exists and `force` is not set.
    FormatError
        If `path` is not a dataset file, or has changed samples and `accept_changes` is not set.
    OSError
        If a file cannot be read or written.
    """
    check_is_local(path, "reindex")
    packing.check_target(new_path, force)
    with _progress.shown(progress) as on_progress:
        summary = _pack.reindex(Path(path), Path(new_path), bool(accept_changes), bool(force), on_progress)
    for name in summary.left_out:
        warn(f"not copied: {name}", packing.PackingWarning)
    return summary
