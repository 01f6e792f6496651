"""Packs samples produced by Python code, one at a time."""

from __future__ import annotations

import itertools
import json
import os
import re
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _images, _pack, _progress
from ._masks import ColorTable, MaskColors, read_colors
from .dataset import Dataset
from .packing import (
    Holdout,
    check_target,
    checked_background,
    checked_classes,
    checked_fit,
    checked_size,
    pack_options,
    sampling_options,
    warned,
)

_Path = str | os.PathLike[str]

_SPLIT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")

_UNTURNED_HINT = "; the image has EXIF orientation {}: pass it upright (PIL.ImageOps.exif_transpose)"

#: Appended samples are passed to the native code in blocks of about this size.
_BLOCK_BYTES = 1 << 20


class Writer:
    """Packs samples into a dataset file, one at a time; their number need not be known in advance.

    >>> with octavo.Writer("out.h5", classes=["cat", "dog"]) as writer:
    ...     for image, label in samples:
    ...         writer.append(image, label)

    Appended samples are spooled to an unnamed file on disk, so memory use does not grow. The complete file appears at
    the end of the ``with`` block. If the block raises, no file appears and an existing one stays unchanged.

    Parameters
    ----------
    path
        The file to write.
    classes
        Class names in label order, if the classes have names.
    channels
        1 (gray) or 3 (RGB): images are converted. None, as in `pack`: gray if all images are gray; if some are RGB,
        gray images become RGB, with a note. Other numbers of channels must match.
    layout
        The axes of NumPy arrays and tensors: ``"hwc"``, ``"chw"``, or ``"auto"``: tensors are chw; arrays are the
        layout that gives 1 or 3 channels.
    size, fit, background
        As in `pack`: resize all images, and their masks.
    value_range
        For images of more than 8 bits: (low, high), the values that become 0 and 255.
    mask_colors
        The class of each color, if masks are RGB: a file as in `pack`, or a mapping from (R, G, B) or ``"#RRGGBB"`` to
        numbers or names. A color without a class is an error.
    holdout, group_by, seed, limit, compress, append, allow_loss, allow_mismatch, reproducible, force, threads, progress
        As in `pack`. Columns are those of the metadata, paths are the names of the samples.

    Raises
    ------
    FileExistsError
        If `path` exists and `force` is not set.
    OSError
        If its folder is not writable, or the file to append to does not exist.
    ValueError
        For invalid options.
    """

    def __init__(
        self,
        path: _Path,
        *,
        classes: Sequence[str] | None = None,
        channels: int | None = None,
        layout: _images.Layout = "auto",
        size: int | tuple[int, int] | None = None,
        fit: Literal["crop", "pad", "stretch"] = "crop",
        background: tuple[int, int, int] = (0, 0, 0),
        value_range: tuple[float, float] | None = None,
        mask_colors: MaskColors | None = None,
        holdout: Holdout = 0.0,
        group_by: str | None = None,
        seed: int = 0,
        limit: int | None = None,
        compress: Literal["none", "deflate"] = "none",
        append: bool = False,
        allow_loss: bool = False,
        allow_mismatch: bool = False,
        reproducible: bool = False,
        force: bool = False,
        threads: int = 0,
        progress: _progress.Progress = None,
    ) -> None:
        if layout not in ("auto", "hwc", "chw"):
            raise ValueError(f"layout is {layout!r}; it must be 'auto', 'hwc' or 'chw'")
        self._options = pack_options(None, reproducible, force, threads, compress)
        self._options.allow_loss = bool(allow_loss)
        self._options.allow_mismatch = bool(allow_mismatch)
        self._source_options = sampling_options(holdout, seed, limit, group_by)
        check_target(path, force or append)
        self._path = Path(path)
        self._classes = checked_classes(classes)
        self._class_numbers = {name: number for number, name in enumerate(self._classes)}
        self._channels = channels
        self._layout = layout
        self._resizing = None if size is None else Resizing(size, fit, background)
        self._value_range = value_range
        self._quantizers: dict[str, _images.Quantizer] = {}  # by split
        if value_range is not None:
            _images.Quantizer(*value_range)  # checks the range
        self._allow_mismatch = bool(allow_mismatch)
        self._stored = Dataset(path) if append else None
        if self._stored is not None:
            self._check_classes(self._stored, self._classes)
        self._progress = progress
        self._mask_table = None if mask_colors is None else ColorTable(read_colors(mask_colors))
        made: dict[str, Any] = {"made_by": "octavo.Writer"}
        if self._mask_table is not None and self._mask_table.names:
            made["mask_classes"] = {str(number): name for number, name in self._mask_table.names.items()}
        notes = json.dumps(made)
        self._source: _pack.SpooledSource | None = _pack.SpooledSource(self._path.parent, self._classes, notes)
        self._blocks: dict[str, _Block] = {}
        self._gray_images = 0
        self._turned_images = 0
        self._unturned_images = 0  # images with masks
        self._lock = threading.RLock()

    def append(
        self,
        image: Any,
        label: Any = None,
        *,
        mask: Any = None,
        split: str = "train",
        name: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        """Appends one sample to `split`. Thread-safe; concurrent calls append in no particular order.

        Parameters
        ----------
        image
            A PIL image; uint8 [H, W], [H, W, C] or [C, H, W]; or floats in 0 ... 1, such as ``ToTensor()`` makes from
            8-bit images. A PIL image that still has an EXIF orientation, as a photo of a phone, is turned upright as
            by `pack` and ``PIL.ImageOps.exif_transpose``, with a note; not if `mask` is given.
        label
            A class number, also as text, or the name of one of the classes; K integers 0 or 1 (multi-labels); K floats
            (targets); or None. -1, NaN, "?" and empty text are missing labels: an error.
        mask
            A value for each pixel, such as its class: a PIL image (of a palette, the indices count) or whole numbers
            0 ... 255 [H, W]; with `mask_colors`, colors. For all samples of a split, or for none. Image and mask are
            used as they are, so they must be aligned: no EXIF orientation is applied.
        split
            The split; it is created with its first sample.
        name
            The origin of the sample, to be stored; for all samples of a split, or for none.
        metadata
            What else to keep with the sample, by column, as `Split.columns`: anything that JSON can hold. All samples
            of a split have the same columns.

        Raises
        ------
        ValueError, TypeError
            If the image is invalid, or its shape or label does not match earlier samples; the message names the split
            and the sample. The sample is not appended; the writer stays usable.
        OSError
            If the disk is full. All appended samples are discarded then.
        """
        with self._lock:
            self._append(image, label, mask, split, name, metadata or {})

    def _to_mask(self, mask: Any) -> npt.NDArray[np.uint8]:
        if self._mask_table is None:
            return _images.to_mask(mask)
        return _images.to_mask_of_colors(mask, self._mask_table)

    def _append(
        self, image: Any, label: Any, mask: Any, split: str, name: str | None, metadata: Mapping[str, Any]
    ) -> None:
        source = self._opened()
        block = self._blocks.get(split)
        number = block.total if block else 0
        origin = f" ({name})" if name and name != f"{split}#{number}" else ""
        where = f"append to split {split!r}, sample {number}{origin}: "
        try:
            quantizer = self._quantizer_of(split)
            orientation = _images.orientation_of(image)
            if mask is None:
                image, _ = _images.upright(image)
            pixels = _images.to_pixels(image, self._channels, self._layout, quantizer)
            kind, numbers = _label(label, self._class_numbers)
            classes = None if mask is None else self._to_mask(mask)
            if classes is not None and classes.shape != pixels.shape[1:]:
                hint = "" if orientation == 1 else _UNTURNED_HINT.format(orientation)
                raise ValueError(f"its mask is {_text(classes.shape)}, its image {_text(pixels.shape[1:])}{hint}")
            if self._resizing is not None and 0 not in pixels.shape:
                pixels, classes = self._resizing(pixels, classes)
            values = json.dumps(list(metadata.values()), allow_nan=False)
        except TypeError as error:
            raise TypeError(f"{where}{error}") from error
        except ValueError as error:
            raise ValueError(f"{where}{error}") from error
        except Exception as error:  # for example, an image that PIL cannot decode
            annotate(error, where.removesuffix(": "))
            raise
        is_gray = pixels.shape[0] == 1
        pixels = self._as_rgb_if_others_are(pixels)
        turns_others_rgb = self._turns_others_rgb(pixels)
        if block is None:
            if not _SPLIT_NAME.fullmatch(split):
                raise ValueError(
                    f"{where}{split!r} is not a valid split name; use up to 64 letters, digits, '_', '.' and '-', "
                    "starting with a letter or digit"
                )
            if 0 in pixels.shape:
                raise ValueError(f"{where}it is {_text(pixels.shape)}; an image has at least one pixel")
            self._check_split(split, (1, *pixels.shape[1:]) if turns_others_rgb else pixels.shape, where)
            block = self._blocks[split] = _Block(
                pixels.shape, kind, numbers.shape, has_masks=mask is not None, has_names=name is not None,
                columns=list(metadata),
            )  # fmt: skip
        if pixels.shape != block.shape and not turns_others_rgb:
            raise ValueError(
                f"{where}it is {_text(pixels.shape)}, earlier ones are {_text(block.shape)}; convert all images "
                "with size= and channels="
            )
        if kind != block.kind or numbers.shape != block.label_shape:
            raise ValueError(f"{where}{_label_mismatch(label, (kind, numbers.shape), (block.kind, block.label_shape))}")
        if (name is not None) != block.has_names:
            raise ValueError(f"{where}some samples of the split have names, others do not; pass name= for all or none")
        if (classes is not None) != (block.masks is not None):
            raise ValueError(f"{where}some samples of the split have masks, others do not; pass mask= for all or none")
        if list(metadata) != block.columns:
            raise ValueError(
                f"{where}its metadata has the columns {list(metadata)}; earlier samples have {block.columns}"
            )
        if turns_others_rgb:
            self._convert_to_rgb(source)
        block.add(pixels, numbers, classes, name, values)
        self._gray_images += is_gray
        if orientation != 1:
            self._turned_images += mask is None
            self._unturned_images += mask is not None
        if quantizer is not None:
            self._quantizers[split] = quantizer
            quantizer.count_last()
        if block.is_full():
            try:
                block.flush(source, split, quantizer)
            except BaseException:
                self.discard()  # some samples are lost, so a complete file is no longer possible
                raise

    def _as_rgb_if_others_are(self, pixels: _images.Pixels) -> _images.Pixels:
        channels = {block.shape[0] for block in self._blocks.values()}
        channels |= {split.shape[0] for split in self._stored or ()}
        is_converted = self._channels is None and pixels.shape[0] == 1 and channels == {3}
        return np.repeat(pixels, 3, axis=0) if is_converted else pixels

    def _turns_others_rgb(self, pixels: _images.Pixels) -> bool:
        """Whether this is the first RGB image, after gray ones of its size. Stored splits keep their channels."""
        shapes = {block.shape for block in self._blocks.values()}
        return (
            self._channels is None
            and self._stored is None
            and pixels.shape[0] == 3
            and shapes == {(1, *pixels.shape[1:])}
        )

    def _convert_to_rgb(self, source: _pack.SpooledSource) -> None:
        try:
            for split, block in self._blocks.items():
                if block.shape[0] == 1:
                    block.convert_to_rgb(source, split)
        except BaseException:
            self.discard()  # some samples are lost, as when a block cannot be written
            raise

    def _note_on_color(self) -> str | None:
        channels = {block.shape[0] for block in self._blocks.values()}
        if not self._gray_images or channels != {3}:
            return None
        total = sum(block.total for block in self._blocks.values())
        images = "1 gray image" if self._gray_images == 1 else f"{self._gray_images:,} gray images"
        return f"{images} of {total:,} became RGB, as the others are; for gray samples, pass channels=1"

    def _notes_on_orientation(self) -> list[str]:
        notes = []
        if count := self._turned_images:
            images, its = ("1 image was", "its") if count == 1 else (f"{count:,} images were", "their")
            notes.append(f"{images} turned upright, as {its} EXIF orientation says")
        if count := self._unturned_images:
            images, its = (
                ("1 image with a mask was", "its") if count == 1 else (f"{count:,} images with a mask were", "their")
            )
            notes.append(
                f"{images} not turned upright as {its} EXIF orientation says, to stay aligned with {its} mask; for "
                "upright samples, turn both before packing"
            )
        return notes

    def _quantizer_of(self, split: str) -> _images.Quantizer | None:
        if self._value_range is None:
            return None
        return self._quantizers.get(split) or _images.Quantizer(*self._value_range)

    def _check_classes(self, stored: Dataset, classes: Sequence[str]) -> None:
        """Raises ValueError if samples of these classes cannot be appended to the file."""
        known = dict.fromkeys(stored.classes)
        missing = [name for name in classes if name not in known]
        if known and missing and not self._allow_mismatch:
            raise ValueError(
                f"append to {str(self._path)!r}: the file has no class {missing[0]!r}; its classes are "
                f"{', '.join(list(known)[:8])}; accept this with allow_mismatch=True"
            )

    def _check_split(self, split: str, shape: tuple[int, ...], where: str) -> None:
        """Raises ValueError if the file has this split, or if the samples of another split have another shape."""
        stored = [] if self._stored is None else list(self._stored)
        if any(other.name == split for other in stored):
            raise ValueError(f"{where}the file has this split already; append to a split of another name")
        shapes = {other.name: other.shape for other in stored} | {name: b.shape for name, b in self._blocks.items()}
        if self._allow_mismatch or shape in [other.shape for other in stored]:
            return
        for other, known in shapes.items():
            if known != shape:
                raise ValueError(
                    f"{where}it is {_text(shape)}, the samples of split {other!r} are {_text(known)}; convert "
                    "them with size= and channels=, or accept this with allow_mismatch=True"
                )

    @property
    def is_closed(self) -> bool:
        """Whether the file is complete, or all samples were discarded."""
        return self._source is None

    def leave_out(self, number: int, name: str, reason: str) -> None:
        """Records a sample that cannot be packed, for the result and the provenance of the file."""
        with self._lock:
            self._opened().leave_out(number, name, reason)

    def count_turned(self) -> None:
        """Counts an image that was turned upright before it was appended."""
        with self._lock:
            self._turned_images += 1

    def add_note(self, note: str) -> None:
        """Adds a sentence to the notes of the result and of the provenance."""
        with self._lock:
            self._opened().add_remark(note)

    def close(self) -> _pack.PackSummary:
        """Completes the file. A ``with`` block calls this at its end.

        Raises
        ------
        ValueError
            If nothing was appended; no file appears then.
        """
        with self._lock:
            return self._close()

    def _close(self) -> _pack.PackSummary:
        source = self._opened()
        try:
            for split, block in self._blocks.items():
                block.flush(source, split, self._quantizers.get(split))
            if not source.splits:
                raise ValueError(f"pack {str(self._path)!r}: no sample was appended")
            if note := self._note_on_color():
                source.add_remark(note)
            for note in self._notes_on_orientation():
                source.add_remark(note)
            for split, quantizer in self._quantizers.items():
                quantizer.add_notes(source, split)
            with _progress.shown(self._progress) as on_progress:
                summary = _pack.pack_spooled(
                    source, self._path, self._source_options, self._options, self._stored is not None, on_progress
                )
            return warned(summary)
        finally:
            self.discard()

    def discard(self) -> None:
        """Discards all appended samples; no file appears."""
        with self._lock:
            self._source = None
            self._blocks.clear()

    def _opened(self) -> _pack.SpooledSource:
        if self._source is None:
            raise ValueError(f"the writer of {str(self._path)!r} is closed; create another one")
        return self._source

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, exception_type: type[BaseException] | None, *exception: object) -> None:
        if exception_type is not None:
            self.discard()
        elif self._source is not None:
            self.close()


class _Block:
    """Samples of one split that have not been spooled yet."""

    def __init__(
        self,
        shape: tuple[int, ...],
        kind: str,
        label_shape: tuple[int, ...],
        *,
        has_masks: bool,
        has_names: bool,
        columns: list[str],
    ) -> None:
        self.shape = shape
        self.kind = kind
        self.label_shape = label_shape
        self.has_names = has_names
        self.columns = columns
        self.total = 0
        self._most = max(1, _BLOCK_BYTES // max(1, int(np.prod(shape))))
        self._pixels = np.empty((self._most, *shape), np.uint8)
        self.masks = np.empty((self._most, *shape[1:]), np.uint8) if has_masks else None
        self._labels: list[npt.NDArray[Any]] = []
        self._names: list[str] = []
        self._metadata: list[str] = []

    def add(
        self,
        pixels: npt.NDArray[np.uint8],
        label: npt.NDArray[Any],
        mask: npt.NDArray[np.uint8] | None,
        name: str | None,
        metadata: str,
    ) -> None:
        self._pixels[len(self._labels)] = pixels
        if self.masks is not None and mask is not None:
            self.masks[len(self._labels)] = mask
        self._labels.append(label)
        if name is not None:
            self._names.append(name)
        if self.columns:
            self._metadata.append(metadata)
        self.total += 1

    def convert_to_rgb(self, source: _pack.SpooledSource, split: str) -> None:
        """Repeats the channel of all gray samples."""
        if self.total > len(self._labels):
            source.convert_to_rgb(split)
        self.shape = (3, *self.shape[1:])
        # As many samples as before, so that those that wait fit.
        self._pixels = np.repeat(self._pixels, 3, axis=1)

    def is_full(self) -> bool:
        return len(self._labels) == self._most

    def flush(self, source: _pack.SpooledSource, split: str, quantizer: _images.Quantizer | None) -> None:
        count = len(self._labels)
        if count == 0:
            return
        form = _pack.SplitForm()
        form.color = getattr(_pack.Color, _images.color_of(self.shape[0]))
        form.columns = self.columns
        if quantizer is not None:
            form.source_dtype = quantizer.dtype
            form.quantize(quantizer.scale, quantizer.low)
        pixels, labels, names, metadata = self._pixels[:count], np.stack(self._labels), self._names, self._metadata
        masks = None if self.masks is None else self.masks[:count]
        self._labels, self._names, self._metadata = [], [], []
        if self.kind == "none":
            source.append_unlabeled(split, form, pixels, names, masks, metadata)
        elif self.kind == "target":
            source.append_targets(split, form, pixels, labels, names, masks, metadata)
        else:
            source.append_classes(split, form, pixels, labels, names, masks, metadata)


class Resizing:
    """Resizes images and masks as ``octavo pack --size`` does."""

    def __init__(self, size: int | tuple[int, int], fit: str, background: tuple[int, int, int]) -> None:
        self._size = checked_size(size)
        self._fit = checked_fit(fit)
        self._background = checked_background(background)

    def __call__(
        self, pixels: npt.NDArray[np.uint8], mask: npt.NDArray[np.uint8] | None
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8] | None]:
        """The image [C, H, W] and the mask [H, W], if there is one, at the new size."""
        resized = _pack.resized(np.ascontiguousarray(pixels), self._size, self._fit, self._background)
        if mask is None:
            return resized, None
        return resized, _pack.resized_mask(np.ascontiguousarray(mask[np.newaxis]), self._size, self._fit)[0]


def _number_of_text(label: str, class_numbers: Mapping[str, int]) -> int:
    """The class that a text names: one of the class names, or a decimal integer, as in all sources."""
    if label in class_numbers:
        return class_numbers[label]
    text = label.strip()
    if text in ("", "?", "-1") or text.lower() == "nan":
        raise ValueError(f"it has no label ({label!r})")
    if re.fullmatch(r"\+?[0-9]+", text):
        return int(text)
    names = list(itertools.islice(class_numbers, 8))
    known = f"the classes are {', '.join(names)}" if names else "name the classes with classes="
    raise ValueError(f"its label {label!r} is not the name of a class; {known}")


def _label(label: Any, class_numbers: Mapping[str, int]) -> tuple[str, npt.NDArray[Any]]:
    """The kind and the checked numbers of a label."""
    class_count = len(class_numbers)
    if label is None:
        return "none", np.empty(0, np.int32)
    if isinstance(label, str):
        label = _number_of_text(label, class_numbers)
    if hasattr(label, "detach"):  # a tensor
        label = label.detach().cpu().numpy()
    numbers = np.asarray(label)
    if numbers.ndim > 1 or numbers.size == 0:
        raise ValueError(f"its label has shape {numbers.shape}; it must be one number or a 1-D sequence of numbers")
    if np.issubdtype(numbers.dtype, np.floating):
        targets = np.atleast_1d(numbers).astype(np.float32)
        if not np.isfinite(targets).all():
            raise ValueError(f"its label {label!r} is not finite")
        return "target", targets
    if not np.issubdtype(numbers.dtype, np.integer) and numbers.dtype != np.bool_:
        raise TypeError(f"its label is {label!r}, not a class number, multi-labels or targets")
    if numbers.ndim == 0 and numbers == -1:
        raise ValueError("it has no label (-1)")
    if numbers.dtype != np.bool_ and (numbers.min() < 0 or numbers.max() > 2**31 - 1):
        raise ValueError(f"its label {label!r} is not in 0 ... 2**31 - 1")
    if numbers.ndim == 0:
        if class_count and numbers >= class_count:
            raise ValueError(f"its label {label!r} has no name; there are {class_count} classes")
        return "class", numbers.astype(np.int32)
    if numbers.max() > 1:
        raise ValueError(f"its label {label!r} has values other than 0 and 1; pass floats for targets")
    if class_count and numbers.size != class_count:
        raise ValueError(f"its label has {numbers.size} numbers; there are {class_count} classes")
    return "multi_label", numbers.astype(np.int32)


def _label_mismatch(label: Any, given: tuple[str, tuple[int, ...]], earlier: tuple[str, tuple[int, ...]]) -> str:
    """Says how the kind and shape of a label differ from those of earlier labels."""
    nouns = {"class": "class number", "multi_label": "multi-label", "target": "target"}

    def plural(kind: str, shape: tuple[int, ...]) -> str:
        return f"{shape[0]} {nouns[kind]}s" if shape and shape[0] > 1 else f"{nouns[kind]}s"

    kinds = {given[0], earlier[0]}
    if "none" in kinds:
        remedy = "pass a label with all samples of a split, or with none"
    elif "target" in kinds and len(kinds) > 1:
        remedy = "pass floats for targets"
    else:
        remedy = "all labels of a split have one kind and length"
    is_one = not given[1] or given[1][0] == 1
    this = (
        "it has no label"
        if given[0] == "none"
        else f"its label {label!r} is {f'a {nouns[given[0]]}' if is_one else plural(*given)}"
    )
    others = "earlier samples have no labels" if earlier[0] == "none" else f"earlier labels are {plural(*earlier)}"
    return f"{this}, {others}; {remedy}"


def annotate(error: Exception, note: str) -> None:
    """Adds a note to the message of an exception raised by other code."""
    if sys.version_info >= (3, 11):
        error.add_note(note)
    elif isinstance(error, OSError) and error.strerror:
        error.strerror = f"{error.strerror} ({note})"
    elif error.args and isinstance(error.args[0], str):
        error.args = (f"{error.args[0]} ({note})", *error.args[1:])


def _text(shape: Sequence[int]) -> str:
    return "x".join(str(axis) for axis in shape)
