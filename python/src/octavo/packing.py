"""Packing files and folders, and what every way of packing has in common."""

from __future__ import annotations

import errno
import operator
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from . import _native, _progress

_Path = str | os.PathLike[str]


_Format = Literal[
    "auto",
    "idx",
    "cifar10",
    "cifar100",
    "stl10",
    "npy",
    "mat",
    "hdf5",
    "octavo",
    "manifest",
    "archive",
    "folder",
]


def _value_range(given: tuple[float, float] | str) -> _native.ValueRange:
    chosen = _native.ValueRange()
    kinds = _native.ValueRangeKind
    if not isinstance(given, str):
        if len(given) != 2:
            raise ValueError(f"value_range is {given}; it must be (low, high), or a word")
        chosen.kind = kinds.given
        chosen.low, chosen.high = float(given[0]), float(given[1])
    elif given.startswith("percentile:"):
        chosen.kind = kinds.percentile
        chosen.percentile = float(given.removeprefix("percentile:"))
    elif given == "minmax":
        chosen.kind = kinds.measured
    elif given != "auto":
        raise ValueError(f"value_range is {given!r}; it must be (low, high), 'minmax', 'percentile:99.9' or 'auto'")
    return chosen


def pack(
    source: _Path | Sequence[_Path] | Mapping[str, _Path | Sequence[_Path]],
    path: _Path,
    *,
    format: _Format = "auto",
    size: tuple[int, int] | None = None,
    fit: Literal["crop", "pad", "stretch"] = "crop",
    channels: Literal[1, 3] | None = None,
    background: tuple[int, int, int] = (0, 0, 0),
    classes: Sequence[str] | None = None,
    class_map: Mapping[str, str] | None = None,
    class_order: Literal["bytes", "natural"] = "bytes",
    layout: Literal["auto", "hw", "hwc", "chw"] = "auto",
    value_range: tuple[float, float] | str = "auto",
    select: str = "",
    limit: int | None = None,
    holdout: float = 0.0,
    seed: int = 0,
    names: bool = False,
    compress: Literal["none", "deflate"] = "none",
    on_error: Literal["stop", "skip"] = "stop",
    max_pixels: int | None = None,
    max_ratio: int | None = None,
    reproducible: bool = False,
    force: bool = False,
    append: bool = False,
    dry_run: bool = False,
    threads: int = 0,
    progress: _progress.Progress = None,
) -> _native.PackSummary:
    """Packs image files into one int8 file; the same as the command ``octavo pack``.

    Parameters
    ----------
    source
        A file or folder, several, or a mapping from split names to them. Splits are found by their names else.
        ``"FILE::IMAGES::LABELS"`` names the arrays of a file of several, ``"FILE::SPLIT"`` the split of a dataset file.
    path
        The file to write. It appears complete or not at all.
    format
        What the sources are; ``"auto"`` finds out from their contents.
    size
        (height, width) that images are brought to; None: all are equal already.
    fit
        How: the center is cut out, the image is fitted into `background`, or distorted.
    channels
        1: gray, 3: RGB; None: gray if all images are.
    background
        RGB behind transparency and padding.
    classes
        Class names in label order; None: those of the source.
    class_map
        New names of classes by their names in the source; classes that get one name become one.
    class_order
        How class folders are sorted: by bytes, as torchvision does, or with numbers by their value.
    layout
        How images lie in arrays, behind the axis N.
    value_range
        Of arrays that do not hold bytes, the numbers that become 0 and 255: (low, high), ``"minmax"``,
        ``"percentile:99.9"``, or ``"auto"``: exact where that is possible, else measured.
    select
        A glob on class names or paths: only these.
    limit
        At most so many samples a split.
    holdout
        The share of ``train``, below 1, that becomes the split ``val``, chosen by a hash.
    seed
        Of that hash.
    names
        Store where each sample came from.
    compress
        ``"deflate"``: a smaller file, deflated on all threads and inflated on all when it is loaded; for photographs by
        a fifth or so. Single samples in random order then take long to read from it: see docs/residencies.md.
    on_error
        What to do about a sample that cannot be read. Those skipped are in the result and in the file's provenance.
    max_pixels
        The most pixels that an image may claim; None: 2**28.
    max_ratio
        How many times its own bytes an archive may claim to hold; None: 1100.
    reproducible
        Equal input gives equal bytes: no time, no command line.
    append
        Add the splits to `path`, which is packed already: a new file with all of them takes its place.
    force
        Replace `path` if it is there.
    dry_run
        Write nothing: only find out splits, samples and bytes.
    threads
        0: all that this process may use.
    progress
        None: a tqdm bar on a terminal, where tqdm is installed; True: in any case; False: none; or a function
        ``(stage, done, total)``, which can stop the work by raising.

    Returns
    -------
    PackSummary
        Samples of each split, what was skipped, bytes, seconds.

    Raises
    ------
    FileExistsError
        If `path` is there and `force` is not set.
    FormatError
        If a source is damaged; the message names the sample.
    OSError, ValueError
        If a file cannot be read or written; for options that make no sense.
    """
    sources = _sources(source)
    source_options = _native.SourceOptions()
    source_options.format = _choice(_native.SourceFormat, "format", format)
    source_options.fit = _choice(_native.Fit, "fit", fit)
    source_options.class_order = _choice(_native.ClassOrder, "class_order", class_order)
    source_options.layout = _choice(_native.ArrayLayout, "layout", layout)
    source_options.range = _value_range(value_range)
    if on_error not in ("stop", "skip"):
        raise ValueError(f"on_error is {on_error!r}; it must be 'stop' or 'skip'")
    if channels not in (None, 1, 3):
        raise ValueError(f"channels is {channels!r}; it must be 1, 3 or None")
    if size is not None:
        if len(np.atleast_1d(size)) != 2 or min(size) < 1:
            raise ValueError(f"size is {size}; it must be (height, width), both at least 1")
        source_options.size = (operator.index(size[0]), operator.index(size[1]))
    if limit is not None and operator.index(limit) < 1:
        raise ValueError(f"limit is {limit}; it must be at least 1")
    if len(background) != 3 or not all(0 <= value <= 255 for value in background):
        raise ValueError(f"background is {background}; it must be three numbers in 0 ... 255")
    if not 0 <= operator.index(seed) < 2**64:
        raise ValueError(f"seed is {seed}; it must be in [0, 2**64)")
    source_options.channels = channels
    source_options.background = background
    for name, given in (("max_pixels", max_pixels), ("max_ratio", max_ratio)):
        if given is not None and not 1 <= operator.index(given) < 2**63:
            raise ValueError(f"{name} is {given}; it must be at least 1")
    if max_pixels is not None:
        source_options.largest_image_pixels = max_pixels
    if max_ratio is not None:
        source_options.largest_archive_ratio = max_ratio
    source_options.class_names = list(classes or ())
    source_options.class_map = dict(class_map or {})
    source_options.select = select
    source_options.limit = limit
    source_options.holdout = holdout
    source_options.seed = seed
    source_options.skip_unreadable = on_error == "skip"
    options = pack_options(names, reproducible, force, threads, compress)
    source_options.thread_count = threads
    options.skip_bad_samples = on_error == "skip"
    if dry_run:
        return _native.survey_files(sources, source_options, None)
    check_target(path, force or append)
    with _progress.shown(progress) as on_progress:
        return _native.pack_files(sources, Path(path), source_options, options, append, on_progress)


def _sources(
    source: _Path | Sequence[_Path] | Mapping[str, _Path | Sequence[_Path]],
) -> list[tuple[Path, str, str, str]]:
    splits = source.items() if isinstance(source, Mapping) else [("", source)]
    sources = []
    for split, paths in splits:
        for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
            file, images, labels = _named_arrays(path)
            sources.append((Path(file), str(split), images, labels))
    return sources


def _named_arrays(path: _Path) -> tuple[_Path, str, str]:
    """FILE, IMAGES and LABELS of "FILE::IMAGES::LABELS"; a path that exists is a path, whatever signs it holds."""
    if not isinstance(path, str) or "::" not in path or os.path.exists(path):
        return path, "", ""
    file, images, *labels = path.split("::", 2)
    return file, images, labels[0] if labels else ""


def _choice(kind: Any, argument: str, name: str) -> Any:
    known = {member.name: member for member in kind}
    if name not in known:
        raise ValueError(f"{argument} is {name!r}; it must be one of {', '.join(map(repr, known))}")
    return known[name]


def pack_options(
    names: bool, reproducible: bool, force: bool, threads: int, compress: str = "none"
) -> _native.PackOptions:
    """What every way of packing has in common. Raises ValueError for a negative number of threads."""
    if operator.index(threads) < 0:
        raise ValueError(f"threads is {threads}; it must be 0 for all, or the number of threads")
    options = _native.PackOptions()
    options.with_names = bool(names)
    options.reproducible = bool(reproducible)
    options.compression = _choice(_native.Compression, "compress", compress)
    options.replace_existing = bool(force)
    options.thread_count = threads
    options.command_line = shlex.join(sys.argv)
    return options


def check_target(path: _Path, force: bool) -> None:
    """Raises FileExistsError, before any work, if there is something under `path` that may not be replaced."""
    if not force and os.path.lexists(path):
        raise FileExistsError(
            errno.EEXIST, f"pack {str(path)!r}: it exists; choose another name, or replace it with force=True"
        )
