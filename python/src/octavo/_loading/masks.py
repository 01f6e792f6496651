"""The options of masks in batches."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from .. import _core
from . import frameworks as _frameworks


@dataclass(frozen=True)
class Masks:
    """The masks of batches: their type, and the value of pixels from beyond the edge of an image."""

    dtype: str
    ignore_index: int

    def set_in(self, spec: _core.BatchSpec) -> None:
        """Makes the batches of `spec` have these masks."""
        spec.mask_dtype, spec.ignored_mask_value = self.dtype, self.ignore_index


def resolve_masks(has_masks: bool, masks: bool | None, mask_dtype: Any, ignore_index: int) -> Masks | None:
    """The masks of batches of samples that may have masks; None: no masks."""
    dtype = "uint8" if mask_dtype is None else _frameworks.dtype_name(mask_dtype, "mask_dtype", _core.mask_dtypes)
    value = operator.index(ignore_index)
    if dtype == "uint8" and not 0 <= value <= 255:
        raise ValueError(f"ignore_index is {value}; with masks of uint8 it must be in [0, 255]; use mask_dtype='int64'")
    if masks and not has_masks:
        raise ValueError("masks is True, but the samples have no masks")
    if mask_dtype is not None and (masks is False or not has_masks):
        raise ValueError(f"mask_dtype is {mask_dtype!r}, but batches have no masks; leave it out")
    return Masks(dtype, value) if has_masks and masks is not False else None
