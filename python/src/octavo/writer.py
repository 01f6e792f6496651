"""Packs samples produced by Python code, one at a time."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _pack, _progress
from ._annotate import annotate
from ._argument_names import explaining_names
from ._conversion import images as _images
from ._conversion.block import Block, Sample, text_of
from ._conversion.conversion_counts import ConversionCounts
from ._conversion.labels import Label, as_multi_labels, to_label
from ._conversion.mask_colors import ColorTable, MaskColors, read_colors
from ._conversion.resizing import Resizing
from ._conversion.stored_file import StoredFile
from ._path_lock import PathLock
from ._remote_paths import check_is_local
from .dataset import Dataset
from .packing import (
    Holdout,
    check_target,
    checked_classes,
    pack_options,
    sampling_options,
    warned,
)

_Path = str | os.PathLike[str]

_SPLIT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


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
        The axes of NumPy arrays and tensors: ``"hwc"``, ``"chw"``, or ``"auto"``: the layout that gives 1 or 3
        channels. If both or neither do, tensors are chw, and arrays are an error.
    size, fit, background
        As in `pack`: resize all images, and their masks.
    value_range
        For images of more than 8 bits: (low, high), the values that become 0 and 255, or one such pair for each
        channel.
    mask_colors
        The class of each color, if masks are RGB: a file as in `pack`, or a mapping from (R, G, B) or ``"#RRGGBB"`` to
        numbers or names. A color without a class is an error.
    holdout, group_by, seed, limit, compress, max_error, memory, model_speed, append
        As in `pack`.
    allow_loss, allow_mismatch, reproducible
        As in `pack`.
    force, threads, progress
        As in `pack`. Columns are those of the metadata, paths are the names of the samples.

    Raises
    ------
    FileExistsError
        If `path` exists and `force` is not set.
    OSError
        If its folder is not writable, the file to append to does not exist, or another writer of `path` is active.
    ValueError, TypeError
        For invalid options.
    """

    @explaining_names("octavo.Writer")
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
        value_range: tuple[float, float] | Sequence[tuple[float, float]] | None = None,
        mask_colors: MaskColors | None = None,
        holdout: Holdout = 0.0,
        group_by: str | None = None,
        seed: int = 0,
        limit: int | None = None,
        compress: Literal["none", "deflate", "lp8", "lc8", "auto"] = "none",
        max_error: int | None = None,
        memory: int | str | None = None,
        model_speed: float | None = None,
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
        self._options = pack_options(None, reproducible, force, threads, compress, max_error, memory, model_speed)
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
        self._value_range = _checked_range(value_range)
        self._quantizers: dict[str, _images.Quantizer] = {}  # by split
        self._allow_mismatch = bool(allow_mismatch)
        self._mask_table = None if mask_colors is None else ColorTable(read_colors(mask_colors))
        check_is_local(path, "write")
        self._stored = StoredFile(Dataset(path)) if append else None
        self._check_stored()
        self._progress = progress
        self._source: _pack.SpooledSource | None = _pack.SpooledSource(self._path.parent, self._classes, self._notes())
        self._path_lock = PathLock(self._path)
        self._blocks: dict[str, Block] = {}
        self._counts = ConversionCounts()
        self._lock = threading.RLock()

    def _check_stored(self) -> None:
        """Raises ValueError if classes of this writer do not suit the file to append to."""
        if self._stored is None:
            return
        if not self._allow_mismatch:
            self._stored.check_classes(self._classes)
        if self._mask_table is not None:
            self._stored.check_mask_classes(self._mask_table.names)

    def _notes(self) -> str:
        """What the provenance says about the writer, as JSON."""
        notes: dict[str, Any] = {"made_by": "octavo.Writer"}
        if self._mask_table is not None and self._mask_table.names:
            notes["mask_classes"] = {str(number): name for number, name in self._mask_table.names.items()}
        return json.dumps(notes)

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
            by `pack` and ``PIL.ImageOps.exif_transpose``, with a note.
        label
            A class number, also as text, or the name of one of the classes; K integers 0 or 1 (multi-labels); K floats
            (targets; but multi-labels if they are all 0 or 1, one for each of several classes); or None. -1, NaN, "?"
            and empty text are missing labels: an error.
        mask
            A value for each pixel, such as its class: a PIL image (of a palette, the indices count) or whole numbers
            0 ... 255 [H, W]; with `mask_colors`, colors. For all samples of a split, or for none. An image with an EXIF
            orientation is not turned if only its stored pixels have the size of the mask, with a note; it is an error
            if the size does not tell.
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

    def _append(
        self, image: Any, label: Any, mask: Any, split: str, name: str | None, metadata: Mapping[str, Any]
    ) -> None:
        source = self._opened()
        quantizer = self._quantizer_of(split)
        with _naming(self._where(split, name)):
            image, mask, turn = _images.aligned(image, mask)
            sample = self._to_sample(image, label, mask, split, name, metadata, quantizer)
            is_gray = sample.pixels.shape[0] == 1
            sample.pixels = self._as_rgb_if_others_are(sample.pixels)
            turns_others_rgb = self._turns_others_rgb(sample.pixels)
            block = self._block_for(split, sample, turns_others_rgb)
            block.check(sample, checks_channels=not turns_others_rgb)
        if turns_others_rgb:
            self._convert_to_rgb(source)
        block.add(sample)
        self._blocks[split] = block
        self._counts.gray += is_gray
        self._counts.add(turn)
        if quantizer is not None:
            self._quantizers[split] = quantizer
            quantizer.count_last()
        if block.is_full():
            self._flush(source, split)

    def _where(self, split: str, name: str | None) -> str:
        """What is done, at the beginning of messages."""
        number = self._blocks[split].total if split in self._blocks else 0
        origin = f" ({name})" if name and name != f"{split}#{number}" else ""
        return f"append to split {split!r}, sample {number}{origin}"

    def _to_sample(
        self, image: Any, label: Any, mask: Any, split: str, name: str | None, metadata: Mapping[str, Any],
        quantizer: _images.Quantizer | None,
    ) -> Sample:  # fmt: skip
        pixels = _images.to_pixels(image, self._channels, self._layout, quantizer)
        checked_label = self._to_label(label, split)
        classes = None if mask is None else self._to_mask(mask)
        if classes is not None and classes.shape != pixels.shape[1:]:
            raise ValueError(f"its mask is {text_of(classes.shape)}, its image {text_of(pixels.shape[1:])}")
        if self._resizing is not None and 0 not in pixels.shape:
            pixels, classes = self._resizing(pixels, classes)
        values = json.dumps(list(metadata.values()), allow_nan=False)
        return Sample(pixels, checked_label, classes, name, list(metadata), values)

    def _to_label(self, given: Any, split: str) -> Label:
        """The label of a sample. Floats are multi-labels if they look like it, and no earlier ones were targets."""
        label = to_label(given, self._class_numbers)
        known = self._blocks.get(split)
        if known is not None and known.label_kind != "multi_label":
            return label
        return as_multi_labels(label, len(self._classes)) or label

    def _to_mask(self, mask: Any) -> npt.NDArray[np.uint8]:
        if self._mask_table is None:
            return _images.to_mask(mask)
        return _images.to_mask_of_colors(mask, self._mask_table)

    def _block_for(self, split: str, sample: Sample, turns_others_rgb: bool) -> Block:
        """The block of the split, which is new if this is its first sample."""
        if split in self._blocks:
            return self._blocks[split]
        if not _SPLIT_NAME.fullmatch(split):
            raise ValueError(
                f"{split!r} is not a valid split name; use up to 64 letters, digits, '_', '.' and '-', starting with a "
                "letter or digit"
            )
        shape = sample.pixels.shape
        if 0 in shape:
            raise ValueError(f"it is {text_of(shape)}; an image has at least one pixel")
        self._check_split(split, (1, *shape[1:]) if turns_others_rgb else shape)
        return Block(sample)

    def _check_split(self, split: str, shape: tuple[int, ...]) -> None:
        """Raises ValueError if the file has this split, or if the samples of another split have another shape."""
        stored = {} if self._stored is None else self._stored.shapes
        if split in stored and self._stored is not None and not self._stored.has_shards:
            raise ValueError("the file has this split already; append to a split of another name")
        if self._allow_mismatch or shape in stored.values():
            return
        for other, known in (stored | {name: block.shape for name, block in self._blocks.items()}).items():
            if known != shape:
                raise ValueError(
                    f"it is {text_of(shape)}, the samples of split {other!r} are {text_of(known)}; convert them with "
                    "size= and channels=, or accept this with allow_mismatch=True"
                )

    def _as_rgb_if_others_are(self, pixels: _images.Pixels) -> _images.Pixels:
        channels = {block.shape[0] for block in self._blocks.values()}
        if self._stored is not None:
            channels |= {shape[0] for shape in self._stored.shapes.values()}
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
        with self._discarding_on_errors():
            for split, block in self._blocks.items():
                if block.shape[0] == 1:
                    block.convert_to_rgb(source, split)

    def _flush(self, source: _pack.SpooledSource, split: str) -> None:
        with self._discarding_on_errors():
            self._blocks[split].flush(source, split, self._quantizers.get(split))

    @contextmanager
    def _discarding_on_errors(self) -> Iterator[None]:
        """Discards all samples if some of them are lost, so that a complete file is no longer possible."""
        try:
            yield
        except BaseException:
            self.discard()
            raise

    def _quantizer_of(self, split: str) -> _images.Quantizer | None:
        if self._value_range is None:
            return None
        return self._quantizers.get(split) or _images.Quantizer(self._value_range)

    @property
    def is_closed(self) -> bool:
        """Whether the file is complete, or all samples were discarded."""
        return self._source is None

    def leave_out(self, number: int, name: str, reason: str) -> None:
        """Records a sample that cannot be packed, for the result and the provenance of the file."""
        with self._lock:
            self._opened().leave_out(number, name, reason)

    def count_turn(self, turn: _images.Turn) -> None:
        """Counts an image that was turned upright, or kept as stored, before it was appended."""
        with self._lock:
            self._counts.add(turn)

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
            for split in self._blocks:
                self._flush(source, split)
            if not source.splits:
                raise ValueError(f"pack {str(self._path)!r}: no sample was appended")
            self._add_notes(source)
            self._path_lock.release()  # the native writer takes it
            with _progress.shown(self._progress) as on_progress:
                return warned(self._pack_source(source, on_progress))
        finally:
            self.discard()

    def _pack_source(self, source: _pack.SpooledSource, on_progress: Any) -> _pack.PackSummary:
        appends = self._stored is not None
        return _pack.pack_spooled(source, self._path, self._source_options, self._options, appends, on_progress)

    def _add_notes(self, source: _pack.SpooledSource) -> None:
        has_become_rgb = {block.shape[0] for block in self._blocks.values()} == {3}
        total = sum(block.total for block in self._blocks.values())
        for note in self._counts.notes(total, has_become_rgb):
            source.add_remark(note)
        for split, quantizer in self._quantizers.items():
            quantizer.add_notes(source, split)

        for split, block in self._blocks.items():
            if block.has_float_bits:
                source.add_remark(
                    f"split {split!r}: labels that are floats, all 0 or 1 and one for each class, are multi-labels"
                )

    def discard(self) -> None:
        """Discards all appended samples; no file appears."""
        with self._lock:
            self._source = None
            self._blocks.clear()
            self._path_lock.release()

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


def _checked_range(given: tuple[float, float] | Sequence[tuple[float, float]] | None) -> _images.Ranges | None:
    """The ranges. Raises ValueError or TypeError if they are not (low, high), or one such pair for each channel."""
    if given is None:
        return None
    if isinstance(given, str):
        raise ValueError(
            f"value_range is {given!r}; a writer sees one sample at a time and cannot measure a range, so pass "
            "(low, high), or pack files with octavo.pack()"
        )
    ranges = _images.ranges_of(given)
    if ranges is None:
        raise TypeError(f"value_range is {given!r}; it must be (low, high), two numbers, or one pair for each channel")
    _images.Quantizer(ranges)  # checks the order
    return ranges


@contextmanager
def _naming(where: str) -> Iterator[None]:
    """Errors begin with `where`."""
    try:
        yield
    except TypeError as error:
        raise TypeError(f"{where}: {error}") from error
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    except Exception as error:  # for example, an image that PIL cannot decode
        annotate(error, where)
        raise
