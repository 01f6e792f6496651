"""Appended samples of one split that wait to be spooled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _pack
from . import images as _images
from .labels import Label, mismatch

#: Samples are passed to the native code in blocks of about this size.
_BLOCK_BYTES = 1 << 20


@dataclass
class Sample:
    """A sample as it is stored."""

    pixels: npt.NDArray[np.uint8]
    label: Label
    mask: npt.NDArray[np.uint8] | None
    name: str | None
    #: The names of its metadata, and the values as a JSON array.
    columns: list[str]
    metadata: str


class Block:
    """Samples of one split that have not been spooled yet; they have the form of the first one."""

    def __init__(self, first: Sample) -> None:
        self.shape = first.pixels.shape
        self.total = 0
        #: Some multi-labels were passed as floats.
        self.has_float_bits = False
        self._label_form = first.label.form
        self._has_names = first.name is not None
        self._columns = first.columns
        self._most = max(1, _BLOCK_BYTES // max(1, int(np.prod(self.shape))))
        self._pixels = np.empty((self._most, *self.shape), np.uint8)
        self._masks = None if first.mask is None else np.empty((self._most, *self.shape[1:]), np.uint8)
        self._labels: list[npt.NDArray[Any]] = []
        self._names: list[str] = []
        self._metadata: list[str] = []

    @property
    def label_kind(self) -> str:
        """The kind of the labels, as `Label.kind`."""
        return self._label_form[0]

    def check(self, sample: Sample, *, checks_channels: bool = True) -> None:
        """Raises ValueError if the sample has another form."""
        skipped = 0 if checks_channels else 1
        if sample.pixels.shape[skipped:] != self.shape[skipped:]:
            raise ValueError(
                f"it is {text_of(sample.pixels.shape)}, earlier ones are {text_of(self.shape)}; convert all images "
                "with size= and channels="
            )
        if sample.label.form != self._label_form:
            raise ValueError(mismatch(sample.label, self._label_form, earlier_were_floats=self.has_float_bits))
        if (sample.name is not None) != self._has_names:
            raise ValueError("some samples of the split have names, others do not; pass name= for all or none")
        if (sample.mask is not None) != (self._masks is not None):
            raise ValueError("some samples of the split have masks, others do not; pass mask= for all or none")
        if sample.columns != self._columns:
            raise ValueError(f"its metadata has the columns {sample.columns}; earlier samples have {self._columns}")

    def add(self, sample: Sample) -> None:
        """Adds a sample of this form; there must be room."""
        self._pixels[len(self._labels)] = sample.pixels
        if self._masks is not None and sample.mask is not None:
            self._masks[len(self._labels)] = sample.mask
        self._labels.append(sample.label.numbers)
        if sample.name is not None:
            self._names.append(sample.name)
        if self._columns:
            self._metadata.append(sample.metadata)
        self.has_float_bits = self.has_float_bits or sample.label.were_floats
        self.total += 1

    def convert_to_rgb(self, source: _pack.SpooledSource, split: str) -> None:
        """Repeats the channel of all gray samples."""
        if self.total > len(self._labels):
            source.convert_to_rgb(split)
        self.shape = (3, *self.shape[1:])
        # As many samples as before, so that those that wait fit.
        self._pixels = np.repeat(self._pixels, 3, axis=1)

    def is_full(self) -> bool:
        """Whether there is no room for another sample."""
        return len(self._labels) == self._most

    def flush(self, source: _pack.SpooledSource, split: str, quantizer: _images.Quantizer | None) -> None:
        """Spools the samples."""
        count = len(self._labels)
        if count == 0:
            return
        form = self._form(quantizer)
        pixels, labels, names, metadata = self._pixels[:count], np.stack(self._labels), self._names, self._metadata
        masks = None if self._masks is None else self._masks[:count]
        self._labels, self._names, self._metadata = [], [], []
        kind = self.label_kind
        if kind == "none":
            source.append_unlabeled(split, form, pixels, names, masks, metadata)
        elif kind == "target":
            source.append_targets(split, form, pixels, labels, names, masks, metadata)
        else:
            source.append_classes(split, form, pixels, labels, names, masks, metadata)

    def _form(self, quantizer: _images.Quantizer | None) -> _pack.SplitForm:
        form = _pack.SplitForm()
        form.color = getattr(_pack.Color, _images.color_of(self.shape[0]))
        form.columns = self._columns
        if quantizer is not None:
            form.source_dtype = quantizer.dtype
            form.quantize(quantizer.scale.tolist(), quantizer.low.tolist())
        return form


def text_of(shape: tuple[int, ...]) -> str:
    """A shape such as ``3x32x32``."""
    return "x".join(str(axis) for axis in shape)
