"""Images in memory, with the interface of a split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


class ArraySplit:
    """Images and labels in memory, for `Store.from_arrays`; has the attributes of a `Split` that loaders use."""

    name = "arrays"
    has_masks = False

    def __init__(self, images: npt.NDArray[Any], labels: npt.ArrayLike | None, classes: Sequence[str]) -> None:
        self.images = _checked_images(images)
        self.labels, self.label_kind = _checked_labels(labels, len(self.images))
        self.classes = [str(name) for name in classes]

    def _opened(self) -> None:
        """There is nothing to open."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """(C, H, W) of an image."""
        channels, height, width = self.images.shape[1:]
        return channels, height, width

    @property
    def label_shape(self) -> tuple[int, ...]:
        """The shape of one label: () for a class number or a single target, else (K,)."""
        return () if self.labels is None else self.labels.shape[1:]

    def __len__(self) -> int:
        return len(self.images)

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.shape))
        return f"ArraySplit({len(self)} images of {shape}, labels: {self.label_kind})"


def _checked_images(images: npt.NDArray[Any]) -> npt.NDArray[np.int8]:
    array = np.asarray(images)
    if array.ndim != 4 or array.size == 0:
        raise ValueError(f"images have shape {array.shape}; they must be [N, C, H, W], with N at least 1")
    if array.shape[3] in (1, 3) and array.shape[1] not in (1, 3):
        raise ValueError(
            f"images have shape {array.shape}, which looks like [N, H, W, C]; they must be [N, C, H, W]: "
            "pass np.ascontiguousarray(images.transpose(0, 3, 1, 2))"
        )
    if array.dtype == np.uint8:
        codes: npt.NDArray[np.int8] = np.bitwise_xor(array, 0x80, order="C").view(np.int8)
        return codes
    if array.dtype != np.int8:
        raise ValueError(f"images are {array.dtype}; they must be int8 (uint8 minus 128) or uint8")
    if not array.flags.c_contiguous:
        raise ValueError("images are not contiguous; pass np.ascontiguousarray(images)")
    return array


def _checked_labels(labels: npt.ArrayLike | None, count: int) -> tuple[npt.NDArray[Any] | None, str]:
    if labels is None:
        return None, "none"
    array = np.asarray(labels)
    if array.ndim not in (1, 2) or len(array) != count or array.size == 0:
        raise ValueError(f"labels have shape {array.shape}; for {count} images they must be [{count}] or [{count}, K]")
    if array.dtype.kind == "f":
        targets = array.reshape(count) if array.size == count else array
        return np.ascontiguousarray(targets, np.float32), "target"
    if array.dtype.kind not in "iu":
        raise ValueError(f"labels are {array.dtype}; they must be integers, or floats for targets")
    least, most = (0, 1) if array.ndim == 2 else (0, 2**31 - 1)
    if array.min() < least or array.max() > most:
        kind = "multi-labels of 0 and 1" if array.ndim == 2 else "class numbers, starting at 0"
        raise ValueError(f"labels range from {array.min()} to {array.max()}; they must be {kind}")
    return np.ascontiguousarray(array, np.int32), "multi_label" if array.ndim == 2 else "class"
