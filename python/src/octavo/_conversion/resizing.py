"""Resizes the samples of a writer."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .. import _pack
from ..packing import checked_background, checked_fit, checked_size


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
