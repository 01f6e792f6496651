"""Packs files and folders; also the options that all ways of packing share."""

from __future__ import annotations

import errno
import operator
import os
import shlex
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

from . import _core, _pack, _progress
from ._argument_names import explaining_names
from ._conversion import images as _images
from ._conversion.cifar_pickles import find_batches
from ._conversion.dataset_checks import check_is_no_table
from ._conversion.mask_colors import MaskColors, read_colors
from ._remote.written import written
from ._remote_paths import check_is_local
from ._warn import warn
from .dataset import Dataset, Split

#: How many of the skipped samples a warning names.
_NAMED_SAMPLES = 3

_Path = str | os.PathLike[str]
Holdout = float | str | tuple[int, int]
#: Path, split, images, labels and file of labels.
_Source = tuple[Path, str, str, str, str]


def checked_size(size: int | tuple[int, int]) -> tuple[int, int]:
    """The size as (height, width)."""
    try:
        height, width = size if isinstance(size, Iterable) else (size, size)
        sides = operator.index(height), operator.index(width)
    except (TypeError, ValueError):  # such as "64x64"
        sides = 0, 0
    if min(sides) < 1:
        raise ValueError(f"size is {size!r}; it must be (height, width), or one number for both, at least 1")
    return sides


def checked_classes(classes: Sequence[str] | None) -> list[str]:
    """The class names. Raises ValueError if one is repeated."""
    names = list(classes or ())
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"classes name {name!r} twice; give each class a name of its own")
        seen.add(name)
    return names


def checked_fit(fit: str) -> _pack.Fit:
    """The fit of this name."""
    chosen: _pack.Fit = _choice(_pack.Fit, "fit", fit)
    return chosen


def checked_background(background: tuple[int, int, int]) -> tuple[int, int, int]:
    """The color, if it is three numbers in 0 ... 255."""
    if len(background) != 3 or not all(0 <= value <= 255 for value in background):
        raise ValueError(f"background is {background}; it must be three numbers in 0 ... 255")
    return background


def _checked_holdout(holdout: Holdout) -> _pack.Holdout:
    if isinstance(holdout, str):
        return _pack.Holdout.parse(holdout)
    if isinstance(holdout, tuple):
        if len(holdout) != 2:
            raise ValueError(f"holdout is {holdout}; a tuple must be (fold, number of folds), such as (0, 5)")
        return _pack.Holdout.parse(f"{operator.index(holdout[0])}:{operator.index(holdout[1])}")
    if not 0 <= holdout < 1:
        raise ValueError(f"holdout is {holdout}; it must be at least 0 and below 1, such as 0.2")
    return _pack.Holdout(holdout)


def sampling_options(holdout: Holdout, seed: int, limit: int | None, group_by: str | None) -> _pack.SourceOptions:
    """The options that choose samples."""
    if limit is not None and operator.index(limit) < 1:
        raise ValueError(f"limit is {limit}; it must be at least 1")
    if not 0 <= operator.index(seed) < 2**64:
        raise ValueError(f"seed is {seed}; it must be in [0, 2**64)")
    options = _pack.SourceOptions()
    options.holdout, options.seed, options.limit = _checked_holdout(holdout), seed, limit
    options.group_by = group_by or ""
    return options


def _value_range(given: tuple[float, float] | Sequence[tuple[float, float]] | str) -> _pack.ValueRange:
    chosen = _pack.ValueRange()
    kinds = _pack.ValueRangeKind
    if not isinstance(given, str):
        ranges = _images.ranges_of(given)
        if ranges is None:
            raise ValueError(f"value_range is {given}; it must be (low, high), one such pair per channel, or a string")
        chosen.kind = kinds.given
        chosen.low, chosen.high = ranges[0]
        chosen.by_channel = list(ranges) if len(ranges) > 1 else []
    elif given.startswith("percentile:"):
        chosen.kind = kinds.percentile
        chosen.percentile = float(given.removeprefix("percentile:"))
    elif given == "minmax":
        chosen.kind = kinds.measured
    elif given != "auto":
        raise ValueError(f"value_range is {given!r}; it must be (low, high), 'minmax', 'percentile:99.9' or 'auto'")
    return chosen


def _columns(columns: Sequence[str]) -> list[str]:
    """The value of the native option: an empty list stands for "auto"."""
    if columns == "auto":
        return []
    return [columns] if isinstance(columns, str) else list(columns) or ["none"]


def _label_columns(given: str | Sequence[str] | None) -> list[str]:
    """The columns. Raises ValueError or TypeError for what does not name one, such as False for no labels."""
    if given is None:
        return []
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, bool) and not isinstance(names, Iterable):
        raise TypeError(f"label_column is {given!r}; it must be a column, or a sequence of columns")
    if isinstance(names, bool) or not all(names) or not list(names):
        raise ValueError(
            f"label_column is {given!r}; it must name a column; to pack images without labels, use "
            "octavo.pack_dataset(label_key=False)"
        )
    return list(names)


@explaining_names("octavo.pack")
def pack(
    source: _Path | Sequence[_Path] | Mapping[str, _Path | Sequence[_Path]],
    path: _Path,
    *,
    format: str = "auto",
    size: int | tuple[int, int] | None = None,
    fit: Literal["crop", "pad", "stretch"] = "crop",
    channels: Literal[1, 3] | None = None,
    background: tuple[int, int, int] = (0, 0, 0),
    classes: Sequence[str] | None = None,
    class_map: Mapping[str, str] | None = None,
    class_order: Literal["bytes", "natural"] = "bytes",
    masks: str = "auto",
    mask_colors: MaskColors | None = None,
    layout: Literal["auto", "hw", "hwc", "chw"] = "auto",
    path_column: str | None = None,
    image_root: str | os.PathLike[str] | None = None,
    label_column: str | Sequence[str] | None = None,
    label_separator: str | None = "auto",
    label_kind: Literal["auto", "class", "target"] = "auto",
    columns: Sequence[str] | Literal["auto", "all", "none"] = "auto",
    value_range: tuple[float, float] | Sequence[tuple[float, float]] | str = "auto",
    select: str = "",
    limit: int | None = None,
    holdout: Holdout = 0.0,
    group_by: str | None = None,
    seed: int = 0,
    names: bool | None = None,
    compress: Literal["none", "deflate", "lp8", "lc8", "auto"] = "none",
    max_error: int | None = None,
    memory: int | str | None = None,
    model_speed: float | None = None,
    allow_loss: bool = False,
    allow_mismatch: bool = False,
    on_error: Literal["stop", "skip"] = "stop",
    max_pixels: int | None = None,
    max_ratio: int | None = None,
    reproducible: bool = False,
    force: bool = False,
    append: bool = False,
    dry_run: bool = False,
    threads: int = 0,
    progress: _progress.Progress = None,
) -> _pack.PackSummary:
    """Packs image files into one int8 dataset file, like the command ``octavo pack``.

    Parameters
    ----------
    source
        A file or folder, several of them, or a mapping from split names to them. Without a mapping, splits are detected
        by name. ``"FILE::IMAGES::LABELS"`` selects arrays in a file with several, and
        ``"FILE::IMAGES::LABEL_FILE::LABELS"`` labels in another file; ``"FILE::SPLIT"`` selects a split of a dataset
        file.
    path
        The file to write. It appears complete or not at all. Or an address, such as ``s3://bucket/photos.h5``: the file
        is packed on the local disk (`tempfile.gettempdir`), uploaded in parts, and compared with what the store has.
    format
        The format of the sources, such as ``"idx"``; ``"auto"`` detects it from their contents. An unknown name raises
        an error that lists all formats.
    size
        Resize all images to (height, width), or to a square. None: all images must have the same size.
    fit
        How to resize: crop to the center, pad with `background`, or stretch.
    channels
        1: gray, 3: RGB; None: gray if all images are gray.
    background
        The RGB color behind transparency and padding.
    classes
        Class names in label order; None: taken from the source.
    class_map
        Maps class names of the source to new names; classes that map to the same name are merged.
    class_order
        How class folders are sorted: by bytes, as in torchvision, or naturally, with numbers by value.
    layout
        The axis order of images in arrays, after the axis N.
    masks
        ``"auto"``: a folder of masks next to a folder of images, such as ``masks`` and ``images``, or a column ``mask``
        of a list, holds the masks of the images, which are PNG, TIFF or PNM files with one value per pixel.
        ``"off"``: no masks are packed. Otherwise the name of the mask of an image, with ``{stem}`` for the name of the
        image without its extension: ``"{stem}_mask.png"``, or ``"../masks/{stem}.png"`` from the folder of the image;
        or both names, ``"img_{stem}=mask_{stem}.png"``. Files with such names are never samples.
    mask_colors
        The class of each color, if masks are RGB: a file with lines ``R,G,B,CLASS`` or ``#RRGGBB CLASS``, a CSV or a
        JSON file (docs/sources.md), or a mapping from (R, G, B) or ``"#RRGGBB"`` to numbers or names. A color without
        a class is an error.
    path_column
        The column of an image list that holds the paths; None: the one whose files exist.
    image_root
        The folder that the paths in image lists are relative to, or in if they are absolute; None: that of the list.
    label_column
        The column of an image list that holds the labels; None: ``label``, ``class``, ``target`` or similar. Several,
        as a sequence or separated by commas, must hold numbers: multi-labels if all are 0 and 1, else targets.
    label_separator
        What separates several classes in one label, as in ``"haze primary water"``: ``"space"``, ``"comma"``,
        ``"semicolon"``, ``"bar"``, ``"tab"`` or any text. The labels are then multi-labels. None or ``"none"``: each
        label is one class. ``"auto"``: guessed if the labels leave no doubt.
    label_kind
        The labels of image lists, arrays and WebDataset shards: classes or targets; ``"auto"``: whole numbers and names
        are classes, other numbers targets.
    columns
        Columns of an image list to keep with each sample, as `Split.columns`; ``"all"``: all that have no other role;
        ``"none"`` or an empty sequence: none; ``"auto"``: all if their text has at most 64 MiB, else none.
    value_range
        For arrays and images that do not hold bytes, the values that map to 0 and 255: (low, high), one such pair for
        each channel, ``"minmax"``, ``"percentile:99.9"``, or ``"auto"``: exact if possible, else measured.
    select
        Pack only samples whose class name or path matches this glob.
    limit
        The maximum number of samples per split.
    holdout
        What of ``train`` becomes the split ``val``: a fraction of each class, below 1, selected by a hash; one of
        several folds, ``(0, 5)`` or ``"0:5"``; or the samples with a value of a column, ``"fold=0"``. Fractions and
        folds have the same share of each class of multi-labels, too, as nearly as possible.
    group_by
        Keep all samples of a group, such as a patient, in one split: a column of the image list, which is then kept, or
        of the dataset file; or ``"path:REGEX"``, whose first capture group, or whole match, in the path of a sample is
        its group. The holdout takes whole groups; a group in two splits is an error.
    seed
        The seed of that hash.
    names
        Store the origin of each sample, for `Split.sample_name`. None: if samples are files.
    compress
        ``"lp8"``: each sample on its own, lossless; by a third for CIFAR-10, by half for larger photographs. It stays
        compressed in memory, and batches are decoded from there.
        ``"lc8"``: the same, a fifth smaller, but slower to decode.
        ``"deflate"``: a smaller file, by about a fifth for photographs; compressed and decompressed on all threads.
        Reading single samples in random order from it is slow: see docs/residencies.md.
        ``"auto"``: the fastest of ``"none"``, ``"lp8"`` and ``"lc8"`` that fits in `memory`; without `memory`,
        ``"lp8"`` if samples shrink; with `model_speed`, the smallest that is fast enough. Sizes are
        estimated from up to 1,000 samples, and a note gives them.
    max_error
        With ``"lp8"`` and ``"lc8"``, the largest change of a value, for a smaller file: 0 to 3. Values become multiples
        of 2 * max_error + 1; the result and `report` give the loss. None: 0, or for dataset files the one that they
        have.
    memory
        For `compress` ``"auto"``: the memory of a device for samples, in bytes or as ``"24GiB"``.
    model_speed
        For `compress` ``"auto"``: the samples per second that a model takes. The smallest encoding is chosen that the
        processors of this machine decode at this speed, so the choice depends on the machine.
    allow_loss
        Accept that quantizing keeps fewer than 16 levels of numbers that have more values, because of a wrong range,
        outliers or a fill value, or that most values are outside the range.
    allow_mismatch
        Accept splits of several image shapes, and classes that ``train``, or with `append` the file, lacks.
    on_error
        What to do about unreadable samples. Skipped ones are listed in the result and in the file's provenance.
    max_pixels
        The maximum number of pixels of an image, by its header; None: 2**28.
    max_ratio
        The maximum size of the contents of an archive, by its headers, divided by its own size; None: 1100.
    reproducible
        Equal input gives an identical file: no time or command line is stored.
    append
        Add the splits to `path`, an existing dataset file: a new file with all splits replaces it. It keeps its
        compression.
    force
        Replace `path` if it exists.
    dry_run
        Write nothing; only determine splits, samples and bytes.
    threads
        The number of threads; 0: all that this process may use.
    progress
        None: a tqdm bar on a terminal, if tqdm is installed; True: always; False: no bar; or a function
        ``(stage, done, total)``, which can cancel the work by raising.

    Returns
    -------
    PackSummary
        Samples of each split, notes, skipped samples, bytes, seconds.

    Warns
    -----
    PackingWarning
        For each note: what was dropped, changed or guessed; and for skipped samples.

    Raises
    ------
    FileExistsError
        If `path` exists and `force` is not set.
    FormatError
        If a source is damaged; the message names the sample.
    OSError
        If a file cannot be read or written.
    ValueError, TypeError
        For invalid options, or if `source` is not a path.
    """
    request = requested(locals())
    sources, source_options, options = request.sources, request.source_options, request.options
    with _without_pickles(sources, source_options) as (sources, has_pickles):
        if dry_run:
            return warned(_pack.survey_files(sources, source_options, None))
        if has_pickles:  # the provenance would otherwise name only temporary files
            options.command_line = f"octavo.pack({source!r}, {str(path)!r})"
        with written(path, force=force, append=append) as local:
            check_target(local, force or append)
            with _progress.shown(progress) as on_progress:
                summary = _pack.pack_files(sources, local, source_options, options, append, on_progress)
    return warned(summary)


@dataclass(frozen=True)
class Request:
    """What `pack` is asked for, checked."""

    sources: list[_Source]
    source_options: _pack.SourceOptions
    options: _pack.PackOptions


def requested(arguments: Mapping[str, Any]) -> Request:
    """Checks the arguments of `pack`, by name. Raises ValueError or TypeError."""
    given = SimpleNamespace(**arguments)
    sources = _sources(given.source)
    source_options = sampling_options(given.holdout, given.seed, given.limit, given.group_by)
    source_options.format = given.format
    source_options.fit = checked_fit(given.fit)
    source_options.class_order = _choice(_pack.ClassOrder, "class_order", given.class_order)
    source_options.layout = _choice(_pack.ArrayLayout, "layout", given.layout)
    source_options.range = _value_range(given.value_range)
    source_options.with_masks = given.masks != "off"
    if given.masks not in ("auto", "off"):
        if "{stem}" not in given.masks:
            raise ValueError(
                f"masks is {given.masks!r}; it must be 'auto', 'off', or the name of the mask of an image, such as "
                "'{stem}_mask.png'"
            )
        source_options.mask_pattern = given.masks
    if given.mask_colors is not None:
        source_options.mask_colors = read_colors(given.mask_colors)
    if given.on_error not in ("stop", "skip"):
        raise ValueError(f"on_error is {given.on_error!r}; it must be 'stop' or 'skip'")
    if given.channels not in (None, 1, 3):
        raise ValueError(f"channels is {given.channels!r}; it must be 1, 3 or None")
    if given.size is not None:
        source_options.size = checked_size(given.size)
    source_options.channels = given.channels
    source_options.background = checked_background(given.background)
    for name, most in (("max_pixels", given.max_pixels), ("max_ratio", given.max_ratio)):
        if most is not None and not 1 <= operator.index(most) < 2**63:
            raise ValueError(f"{name} is {most}; it must be at least 1")
    if given.max_pixels is not None:
        source_options.largest_image_pixels = given.max_pixels
    if given.max_ratio is not None:
        source_options.largest_archive_ratio = given.max_ratio
    source_options.path_column = given.path_column or ""
    source_options.image_root = "" if given.image_root is None else os.fspath(given.image_root)
    source_options.label_columns = _label_columns(given.label_column)
    source_options.label_separator = "none" if given.label_separator is None else given.label_separator
    source_options.label_kind = given.label_kind
    source_options.columns = _columns(given.columns)
    source_options.allow_mismatch = bool(given.allow_mismatch)
    source_options.class_names = checked_classes(given.classes)
    source_options.class_map = dict(given.class_map or {})
    source_options.select = given.select
    source_options.skip_unreadable = given.on_error == "skip"
    options = pack_options(
        given.names,
        given.reproducible,
        given.force,
        given.threads,
        given.compress,
        given.max_error,
        given.memory,
        given.model_speed,
    )
    source_options.thread_count = given.threads
    options.skip_bad_samples = given.on_error == "skip"
    options.allow_loss = bool(given.allow_loss)
    options.allow_mismatch = bool(given.allow_mismatch)
    return Request(sources, source_options, options)


class PackingWarning(UserWarning):
    """What packing dropped, changed or guessed: a note of a `PackSummary`."""


def warned(summary: _pack.PackSummary) -> _pack.PackSummary:
    """Warns of each note of the summary and of skipped samples, at the line that called the package."""
    for note in summary.notes:
        warn(note, PackingWarning)
    if summary.skipped:
        warn(_note_on_skipped(summary.skipped), PackingWarning)
    return summary


def _note_on_skipped(skipped: list[_pack.SampleFailure]) -> str:
    count = "1 sample was" if len(skipped) == 1 else f"{len(skipped):,} samples were"
    first = "; ".join(f"{sample.name}: {sample.reason}" for sample in skipped[:_NAMED_SAMPLES])
    more = "; ..." if len(skipped) > _NAMED_SAMPLES else ""
    return f"{count} skipped, which the result lists: {first}{more}"


@contextmanager
def _without_pickles(sources: list[_Source], options: _pack.SourceOptions) -> Iterator[tuple[list[_Source], bool]]:
    """Replaces CIFAR batches that are pickled for Python by arrays in a temporary folder."""
    found = [find_batches(path) for path, *_ in sources] if options.format in ("auto", "cifar10", "cifar100") else []
    if not any(found):
        yield sources, False
        return
    if not all(found):
        raise ValueError("CIFAR pickles cannot be packed together with other sources; use append=True for each in turn")
    options.format = "npy"
    with tempfile.TemporaryDirectory() as folder:
        arrays: list[_Source] = []
        for (path, split, *_), batches in zip(sources, found, strict=True):
            assert batches is not None
            if not options.class_names:
                options.class_names = batches.class_names()
            splits = batches.splits()
            if split and len(splits) > 1:
                raise ValueError(f"read {str(path)!r} as split {split!r}: it holds {' and '.join(map(repr, splits))}")
            for held in splits:
                batches.write_split(held, Path(folder), name := f"{path.name}-{len(arrays)}")
                arrays.append((Path(folder, f"{name}-images.npy"), split or held, "", "", ""))
        yield arrays, True


def _sources(
    source: _Path | Sequence[_Path] | Mapping[str, _Path | Sequence[_Path]],
) -> list[tuple[Path, str, str, str, str]]:
    splits = source.items() if isinstance(source, Mapping) else [("", source)]
    sources = []
    for split, paths in splits:
        for path in _paths(paths):
            file, images, labels, label_file = _named_arrays(path)
            sources.append((Path(file), str(split), images, labels, label_file))
    return sources


def _paths(given: _Path | Sequence[_Path]) -> list[_Path]:
    """The paths. Raises TypeError if it is something else, such as a dataset of Python."""
    paths = [given] if isinstance(given, (str, os.PathLike)) else given
    check_is_no_table("source", given)
    checked: list[_Path] = []
    for path in paths if isinstance(paths, Iterable) or hasattr(paths, "__getitem__") else [paths]:
        if not isinstance(path, (str, os.PathLike)):
            if isinstance(given, (Dataset, Split)):
                raise TypeError(
                    f"source is a {type(given).__name__}; pass the path of its file, or 'FILE::SPLIT', to "
                    "octavo.repack()"
                )
            raise TypeError(
                f"source is a {type(given).__name__}, not a path or several; pack datasets of Python and arrays in "
                "memory with octavo.pack_dataset()"
            )
        check_is_local(path, "pack")
        checked.append(path)
    return checked


def _named_arrays(path: _Path) -> tuple[_Path, str, str, str]:
    """Splits "FILE::IMAGES::LABEL_FILE::LABELS" into its parts; only the first must be there.

    An existing path is always taken as a path, even with "::". Returns the file, the images, the labels and their file.
    """
    file = path
    names: list[str] = []
    while isinstance(file, str) and "::" in file and len(names) < 3 and not os.path.exists(file):
        file, name = file.rsplit("::", 1)
        names.insert(0, name)
    images = names[0] if names else ""
    labels = names[-1] if len(names) > 1 else ""
    return file, images, labels, names[1] if len(names) > 2 else ""


def _choice(kind: Any, argument: str, name: str) -> Any:
    known = {member.name: member for member in kind}
    if name not in known:
        raise ValueError(f"{argument} is {name!r}; it must be one of {', '.join(map(repr, known))}")
    return known[name]


def pack_options(
    names: bool | None,
    reproducible: bool,
    force: bool,
    threads: int,
    compress: str = "none",
    max_error: int | None = None,
    memory: int | str | None = None,
    model_speed: float | None = None,
) -> _pack.PackOptions:
    """The options that all ways of packing share. Raises ValueError if the number of threads is negative."""
    if operator.index(threads) < 0:
        raise ValueError(f"threads is {threads}; it must be 0 for all, or the number of threads")
    options = _pack.PackOptions()
    options.with_names = None if names is None else bool(names)
    options.reproducible = bool(reproducible)
    options.chooses_compression = compress == "auto"
    if compress != "auto":
        options.compression = _choice(_pack.Compression, "compress", compress)
    if memory is not None and compress != "auto":
        raise ValueError(f"memory is {memory!r}; it is used only with compress='auto'")
    if isinstance(memory, str):
        options.memory_bytes = _core.parse_memory_size(memory)
    elif memory is not None:
        options.memory_bytes = operator.index(memory)
    if model_speed is not None and compress != "auto":
        raise ValueError(f"model_speed is {model_speed!r}; it is used only with compress='auto'")
    options.samples_per_second = None if model_speed is None else float(model_speed)
    options.max_error = None if max_error is None else operator.index(max_error)
    options.replace_existing = bool(force)
    options.thread_count = threads
    options.command_line = shlex.join(sys.argv)
    return options


def check_target(path: _Path, force: bool) -> None:
    """Raises FileExistsError, before any work, if `path` exists and must not be replaced."""
    if not force and os.path.lexists(path):
        raise FileExistsError(
            errno.EEXIST, f"pack {str(path)!r}: the file exists; choose another name, or replace it with force=True"
        )
