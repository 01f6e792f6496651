"""Packing files, folders, and samples that Python makes."""

from __future__ import annotations

import errno
import json
import operator
import os
import re
import shlex
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _images, _native, _progress

_Path = str | os.PathLike[str]

_SPLIT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")

#: Samples that are appended are handed on in blocks of about this size.
_BLOCK_BYTES = 1 << 20


def pack(
    source: _Path | Sequence[_Path] | Mapping[str, _Path | Sequence[_Path]],
    path: _Path,
    *,
    format: Literal["auto", "idx", "cifar10", "cifar100", "folder"] = "auto",
    size: tuple[int, int] | None = None,
    fit: Literal["crop", "pad", "stretch"] = "crop",
    channels: Literal[1, 3] | None = None,
    background: tuple[int, int, int] = (0, 0, 0),
    classes: Sequence[str] | None = None,
    class_order: Literal["bytes", "natural"] = "bytes",
    select: str = "",
    limit: int | None = None,
    holdout: float = 0.0,
    seed: int = 0,
    names: bool = False,
    on_error: Literal["stop", "skip"] = "stop",
    reproducible: bool = False,
    force: bool = False,
    dry_run: bool = False,
    threads: int = 0,
    progress: _progress.Progress = None,
) -> _native.PackSummary:
    """Packs image files into one int8 file; the same as the command ``octavo pack``.

    Parameters
    ----------
    source
        A file or folder, several, or a mapping from split names to them. Splits are found by their names else.
    path
        The file to write. It appears complete or not at all.
    format
        What the sources are; ``"auto"`` finds out from their contents.
    size
        (height, width) that images are brought to; None: all are equal already.
    fit
        How: the centre is cut out, the image is fitted into `background`, or distorted.
    channels
        1: gray, 3: RGB; None: gray if all images are.
    background
        RGB behind transparency and padding.
    classes
        Class names in label order; None: those of the source.
    class_order
        How class folders are sorted: by bytes, as torchvision does, or with numbers by their value.
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
    on_error
        What to do about a sample that cannot be read. Those skipped are in the result and in the file's provenance.
    reproducible
        Equal input gives equal bytes: no time, no command line.
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
    if operator.index(threads) < 0:
        raise ValueError(f"threads is {threads}; it must be 0 for all, or the number of threads")
    source_options.channels = channels
    source_options.background = background
    source_options.class_names = list(classes or ())
    source_options.select = select
    source_options.limit = limit
    source_options.holdout = holdout
    source_options.seed = seed
    source_options.skip_unreadable = on_error == "skip"
    source_options.thread_count = threads
    options = _pack_options(names, reproducible, force, threads)
    options.skip_bad_samples = on_error == "skip"
    if dry_run:
        return _native.survey_files(sources, source_options, None)
    _check_target(path, force)
    with _progress.shown(progress) as on_progress:
        return _native.pack_files(sources, Path(path), source_options, options, on_progress)


class Writer:
    """Packs samples that Python makes, one after another, into one file; their number need not be known.

    >>> with octavo.Writer("out.h5", classes=["cat", "dog"]) as writer:
    ...     for image, label in samples:
    ...         writer.append(image, label)

    What is appended waits on disk, in a file without a name, so memory does not grow. The file appears when the block
    ends, complete; if it ends with an exception nothing appears, and a file that was there stays as it was.

    Parameters
    ----------
    path
        The file to write.
    classes
        Class names in label order, if they have names.
    channels
        1: gray, 3: RGB: images are converted. None: those of the first image, which all others must have too.
    layout
        The axes of NumPy arrays and tensors: ``"hwc"``, ``"chw"``, or ``"auto"``: tensors are chw, arrays whichever has
        1 or 3 channels.
    reproducible, force, threads, progress
        As of `pack`.

    Raises
    ------
    FileExistsError
        If `path` is there and `force` is not set.
    OSError
        If its folder cannot be written.
    """

    def __init__(
        self,
        path: _Path,
        *,
        classes: Sequence[str] | None = None,
        channels: int | None = None,
        layout: _images.Layout = "auto",
        reproducible: bool = False,
        force: bool = False,
        threads: int = 0,
        progress: _progress.Progress = None,
    ) -> None:
        if layout not in ("auto", "hwc", "chw"):
            raise ValueError(f"layout is {layout!r}; it must be 'auto', 'hwc' or 'chw'")
        _check_target(path, force)
        self._path = Path(path)
        self._channels = channels
        self._layout = layout
        self._options = (reproducible, force, threads)
        self._progress = progress
        notes = json.dumps({"made_by": "octavo.Writer"})
        self._source: _native.SpooledSource | None = _native.SpooledSource(
            self._path.parent, list(classes or ()), notes
        )
        self._blocks: dict[str, _Block] = {}
        self._class_count = len(classes or ())
        self._lock = threading.RLock()

    def append(self, image: Any, label: Any = None, *, split: str = "train", name: str | None = None) -> None:
        """Appends one sample to `split`. Safe to call from several threads, which then decide the order.

        Parameters
        ----------
        image
            A PIL image; uint8 [H, W], [H, W, C] or [C, H, W]; or such floats in 0 ... 1 as ``ToTensor()`` makes of
            8-bit images.
        label
            A class number; K numbers 0 or 1 (integers: several classes) or K floats (targets); or None.
        split
            The split; its first sample makes it.
        name
            Where the sample came from, to be stored; for all samples of a split, or for none.

        Raises
        ------
        ValueError, TypeError
            If it is no image, or its shape or label does not match those before it; the message names split and sample.
            It is not appended then, and others can be.
        OSError
            If the disk is full. Everything is let go of then.
        """
        with self._lock:
            self._append(image, label, split, name)

    def _append(self, image: Any, label: Any, split: str, name: str | None) -> None:
        source = self._opened()
        block = self._blocks.get(split)
        number = block.total if block else 0
        where = f"append to split {split!r}, sample {number}: "
        try:
            pixels = _images.to_pixels(image, self._channels, self._layout)
            kind, numbers = _label(label, self._class_count)
        except TypeError as error:
            raise TypeError(f"{where}{error}") from error
        except ValueError as error:
            raise ValueError(f"{where}{error}") from error
        except Exception as error:  # such as an image that PIL cannot decode
            _annotate(error, where.removesuffix(": "))
            raise
        if block is None:
            if not _SPLIT_NAME.fullmatch(split):
                raise ValueError(
                    f"{where}{split!r} is no split name; use up to 64 letters, digits, '_', '.' and '-', the first a "
                    "letter or digit"
                )
            if 0 in pixels.shape:
                raise ValueError(f"{where}it is {_text(pixels.shape)}; an image has at least one pixel")
            block = self._blocks[split] = _Block(pixels.shape, kind, numbers.shape, name is not None)
        if pixels.shape != block.shape:
            raise ValueError(
                f"{where}it is {_text(pixels.shape)}, those before it are {_text(block.shape)}; bring all images of a "
                "split to one size and one number of channels"
            )
        if kind != block.kind or numbers.shape != block.label_shape:
            raise ValueError(f"{where}its label {label!r} is of another kind or length than those before it")
        if (name is not None) != block.has_names:
            raise ValueError(f"{where}either all samples of a split have names, or none")
        block.add(pixels, numbers, name)
        if block.is_full():
            try:
                block.flush(source, split)
            except BaseException:
                self.discard()  # part of what was appended is lost, so that a file would lack it
                raise

    def close(self) -> _native.PackSummary:
        """Completes the file. A ``with`` block does so at its end.

        Raises
        ------
        ValueError
            If nothing was appended, or a label does not fit `classes`; nothing appears then.
        """
        with self._lock:
            return self._close()

    def _close(self) -> _native.PackSummary:
        source = self._opened()
        try:
            for split, block in self._blocks.items():
                block.flush(source, split)
            if not source.splits:
                raise ValueError(f"pack {str(self._path)!r}: no sample was appended")
            reproducible, force, threads = self._options
            has_names = any(block.has_names for block in self._blocks.values())
            options = _pack_options(has_names, reproducible, force, threads)
            with _progress.shown(self._progress) as on_progress:
                return _native.pack_spooled(source, self._path, options, on_progress)
        finally:
            self.discard()

    def discard(self) -> None:
        """Lets go of everything that was appended; no file appears."""
        with self._lock:
            self._source = None
            self._blocks.clear()

    def _opened(self) -> _native.SpooledSource:
        if self._source is None:
            raise ValueError(f"the writer of {str(self._path)!r} is closed; make another one")
        return self._source

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, exception_type: type[BaseException] | None, *exception: object) -> None:
        if exception_type is not None:
            self.discard()
        elif self._source is not None:
            self.close()


def pack_dataset(
    dataset: Any,
    path: _Path,
    *,
    split: str = "train",
    classes: Sequence[str] | None = None,
    transform: Callable[[Any], Any] | None = None,
    channels: int | None = None,
    layout: _images.Layout = "auto",
    image_key: str | None = None,
    label_key: str | Literal[False] | None = None,
    reproducible: bool = False,
    force: bool = False,
    threads: int = 0,
    progress: _progress.Progress = None,
) -> _native.PackSummary:
    """Packs any dataset of Python: a map-style ``torch.utils.data.Dataset``, Hugging Face rows, any iterable.

    Parameters
    ----------
    dataset
        Its samples are (image, label) pairs, images alone, or mappings with an image and a label. Or a mapping from
        split names to such datasets. What `Writer.append` takes is an image or a label.
    path
        The file to write. It appears complete or not at all.
    split
        The name of the split, unless `dataset` has several.
    classes
        Class names in label order; None: those that the dataset has as ``classes``, or in its ``features``.
    transform
        Called with each image before it is packed: such as a function that brings all to one size.
    image_key, label_key
        In mappings; None: ``image``, ``img`` or the like, ``label``, ``labels``, ``fine_label`` or ``target``.
        ``label_key=False``: there are no labels.
    channels, layout, reproducible, force, threads, progress
        As of `Writer`.

    Raises
    ------
    ValueError, TypeError
        If a sample is none, or does not match those before it; the message names split and sample.
    Exception
        What the dataset raises, with a note that names the sample. Nothing appears then.
    """
    parts = _splits_of(dataset, split)
    if classes is None:
        classes = _classes_of(next(iter(parts.values())))
    with (
        _progress.shown(progress) as on_progress,
        Writer(
            path, classes=classes, channels=channels, layout=layout, reproducible=reproducible, force=force,
            threads=threads, progress=False,
        ) as writer,
    ):  # fmt: skip
        for name, part in parts.items():
            total = len(part) if hasattr(part, "__len__") else 0
            for number, sample in enumerate(_samples(part, name)):
                where = f"split {name!r}, sample {number}"
                image, label = _image_and_label(sample, image_key, label_key, where)
                if transform is not None:
                    try:
                        image = transform(image)
                    except Exception as error:
                        _annotate(error, f"while transform was called with the image of {where}")
                        raise
                writer.append(image, label, split=name)
                if on_progress is not None:
                    on_progress(f"reading {name}", number + 1, max(total, number + 1), 0, 0)
        return writer.close()


class _Block:
    """Samples of one split that have not been handed on yet."""

    def __init__(self, shape: tuple[int, ...], kind: str, label_shape: tuple[int, ...], has_names: bool) -> None:
        self.shape = shape
        self.kind = kind
        self.label_shape = label_shape
        self.has_names = has_names
        self.total = 0
        self._most = max(1, _BLOCK_BYTES // max(1, int(np.prod(shape))))
        self._pixels = np.empty((self._most, *shape), np.uint8)
        self._labels: list[npt.NDArray[Any]] = []
        self._names: list[str] = []

    def add(self, pixels: npt.NDArray[np.uint8], label: npt.NDArray[Any], name: str | None) -> None:
        self._pixels[len(self._labels)] = pixels
        self._labels.append(label)
        if name is not None:
            self._names.append(name)
        self.total += 1

    def is_full(self) -> bool:
        return len(self._labels) == self._most

    def flush(self, source: _native.SpooledSource, split: str) -> None:
        count = len(self._labels)
        if count == 0:
            return
        pixels, labels, names = self._pixels[:count], np.stack(self._labels), self._names
        color = getattr(_native.Color, _images.color_of(self.shape[0]))
        self._labels, self._names = [], []
        if self.kind == "none":
            source.append_unlabelled(split, pixels, color, names)
        elif self.kind == "target":
            source.append_targets(split, pixels, labels, color, names)
        else:
            source.append_classes(split, pixels, labels, color, names)


def _label(label: Any, class_count: int) -> tuple[str, npt.NDArray[Any]]:
    """Its kind, and its numbers, which the format allows."""
    if label is None:
        return "none", np.empty(0, np.int32)
    if hasattr(label, "detach"):  # a tensor
        label = label.detach().cpu().numpy()
    numbers = np.asarray(label)
    if numbers.ndim > 1 or numbers.size == 0:
        raise ValueError(f"its label has shape {numbers.shape}; it must be a number or a row of numbers")
    if np.issubdtype(numbers.dtype, np.floating):
        targets = np.atleast_1d(numbers).astype(np.float32)
        if not np.isfinite(targets).all():
            raise ValueError(f"its label {label!r} is not finite")
        return "target", targets
    if not np.issubdtype(numbers.dtype, np.integer) and numbers.dtype != np.bool_:
        raise TypeError(f"its label is {label!r}, not a class number, several, or targets")
    if numbers.dtype != np.bool_ and (numbers.min() < 0 or numbers.max() > 2**31 - 1):
        raise ValueError(f"its label {label!r} is negative or beyond 2**31 - 1")
    if numbers.ndim == 0:
        if class_count and numbers >= class_count:
            raise ValueError(f"its label {label!r} has no name; there are {class_count} classes")
        return "class", numbers.astype(np.int32)
    if numbers.max() > 1:
        raise ValueError(f"its label {label!r} is not one of 0 and 1 for each class")
    if class_count and numbers.size != class_count:
        raise ValueError(f"its label has {numbers.size} numbers; there are {class_count} classes")
    return "multi", numbers.astype(np.int32)


def _samples(part: Any, split: str) -> Iterable[Any]:
    """The samples of a dataset; what it raises gets a note that says where."""
    number = 0
    try:
        # Map-style datasets may raise no IndexError at their end: their length is asked.
        if hasattr(part, "__len__") and hasattr(part, "__getitem__"):
            for number in range(len(part)):
                yield part[number]
        else:
            for number, sample in enumerate(part):
                yield sample
                number += 1
    except Exception as error:
        _annotate(error, f"while sample {number} of split {split!r} was read")
        raise


def _annotate(error: Exception, note: str) -> None:
    """Adds a line to what an exception of somebody else's says."""
    if sys.version_info >= (3, 11):
        error.add_note(note)
    elif isinstance(error, OSError) and error.strerror:
        error.strerror = f"{error.strerror} ({note})"
    elif error.args and isinstance(error.args[0], str):
        error.args = (f"{error.args[0]} ({note})", *error.args[1:])


def _splits_of(dataset: Any, split: str) -> dict[str, Any]:
    if isinstance(dataset, Mapping):
        if not dataset:
            raise ValueError("dataset is an empty mapping; it must have splits")
        return {str(name): part for name, part in dataset.items()}
    return {split: dataset}


def _classes_of(dataset: Any) -> list[str]:
    classes = getattr(dataset, "classes", None)
    if isinstance(classes, (list, tuple)):
        return [str(name) for name in classes]
    features = getattr(dataset, "features", None)
    if isinstance(features, Mapping):
        for key in _LABEL_KEYS:
            names = getattr(features.get(key), "names", None)
            if names:
                return [str(name) for name in names]
    return []


_IMAGE_KEYS = ("image", "img", "pixel_values", "images", "x")
_LABEL_KEYS = ("label", "labels", "fine_label", "target", "targets", "y")


def _image_and_label(
    sample: Any, image_key: str | None, label_key: str | Literal[False] | None, where: str
) -> tuple[Any, Any]:
    if isinstance(sample, Mapping):
        image_name = _key(sample, image_key, _IMAGE_KEYS, where)
        if image_name is None:
            raise ValueError(f"{where}: it has the fields {list(sample)}; say which is the image by image_key=")
        if label_key is False or (label_key is None and len(sample) == 1):
            return sample[image_name], None
        label_name = _key(sample, label_key, _LABEL_KEYS, where)
        if label_name is None:
            raise ValueError(
                f"{where}: it has the fields {list(sample)}; say which is the label by label_key=, or that there is "
                "none by label_key=False"
            )
        return sample[image_name], sample[label_name]
    if isinstance(sample, (tuple, list)):
        if len(sample) == 1:
            return sample[0], None
        if len(sample) != 2:
            raise ValueError(f"{where}: it has {len(sample)} parts, not an image and a label")
        return sample[0], sample[1]
    return sample, None


def _key(sample: Mapping[Any, Any], wanted: str | None, usual: Sequence[str], where: str) -> str | None:
    if wanted is not None:
        if wanted not in sample:
            raise ValueError(f"{where}: there is no field {wanted!r}; it has {list(sample)}")
        return wanted
    return next((key for key in usual if key in sample), None)


def _sources(source: _Path | Sequence[_Path] | Mapping[str, _Path | Sequence[_Path]]) -> list[tuple[Path, str]]:
    splits = source.items() if isinstance(source, Mapping) else [("", source)]
    sources = []
    for split, paths in splits:
        for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
            sources.append((Path(path), str(split)))
    return sources


def _choice(kind: Any, argument: str, name: str) -> Any:
    known = {member.name: member for member in kind}
    if name not in known:
        raise ValueError(f"{argument} is {name!r}; it must be one of {', '.join(map(repr, known))}")
    return known[name]


def _pack_options(names: bool, reproducible: bool, force: bool, threads: int) -> _native.PackOptions:
    if operator.index(threads) < 0:
        raise ValueError(f"threads is {threads}; it must be 0 for all, or the number of threads")
    options = _native.PackOptions()
    options.with_names = bool(names)
    options.reproducible = bool(reproducible)
    options.replace_existing = bool(force)
    options.thread_count = threads
    options.command_line = shlex.join(sys.argv)
    return options


def _check_target(path: _Path, force: bool) -> None:
    if not force and os.path.lexists(path):
        raise FileExistsError(
            errno.EEXIST, f"pack {str(path)!r}: it exists; choose another name, or replace it with force=True"
        )


def _text(shape: Sequence[int]) -> str:
    return "x".join(str(axis) for axis in shape)
