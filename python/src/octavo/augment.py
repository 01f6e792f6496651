"""Random augmentation of the images of a batch, in the same kernel that makes the batch.

>>> from octavo import augment
>>> loader = octavo.Loader(
...     "cifar10.h5", batch_size=500, shuffle=True, normalize="standard",
...     augment=[augment.RandomCrop(padding=4), augment.HorizontalFlip(), augment.Cutout(8)],
... )

Operations are applied in the given order. Each image has its own random numbers. They depend on the seed, the epoch,
the index of the sample, the view and the kind of the operation, and on nothing else: not on the batch size, the rank,
the residency, the number of threads or the device. The page *Numerics* of the documentation defines every bit.

Operations change stored values, 0 ... 255, before the normalization. Only `NormalizedJitter`, and erasures with
``normalized=True``, change normalized values; they come last.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from . import _core

__all__ = [
    "AlternatingFlip",
    "CenterCrop",
    "Cutout",
    "HorizontalFlip",
    "NormalizedJitter",
    "Operation",
    "RandomCrop",
    "RandomErasing",
    "RandomResizedCrop",
    "Resize",
    "VerticalFlip",
]

#: What a crop shows beyond the edge of an image: `fill`, the nearest pixel, or the image mirrored at its edge pixels,
#: which are not repeated.
Border = Literal["constant", "edge", "reflect"]


class Operation:
    """An operation on the images of a batch. The subclasses are dataclasses; their fields are the parameters."""

    def _to_native(self) -> Any:
        """The equivalent operation of the library."""
        native = getattr(_core, type(self).__name__)()
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            given = getattr(self, field.name)
            try:
                setattr(native, field.name, _converted(type(self), field.name, given))
            except TypeError:
                raise TypeError(f"{type(self).__name__}: {field.name} is {given!r}; expected {field.type}") from None
        return native


@dataclass(frozen=True)
class HorizontalFlip(Operation):
    """Mirrors left and right with `probability`."""

    probability: float = 0.5


@dataclass(frozen=True)
class AlternatingFlip(Operation):
    """Mirrors left and right: a random half of the samples in even epochs, the other half in odd epochs.

    So a sample is seen from both sides in any two consecutive epochs (K. Jordan, "94% on CIFAR-10 in 3.29 seconds",
    2024).
    """


@dataclass(frozen=True)
class VerticalFlip(Operation):
    """Mirrors top and bottom with `probability`."""

    probability: float = 0.5


@dataclass(frozen=True)
class RandomCrop(Operation):
    """Pads all sides, then cuts out a part at a random position; all positions are equally likely.

    Parameters
    ----------
    size
        (height, width) of the output, or one number for both. None: the size stays.
    padding
        Pixels added at each side. ``border="reflect"`` needs fewer than the image has.
    border
        What the padding shows.
    fill
        For ``border="constant"``: one stored value, 0 ... 255, or one per channel for at most 4 channels.
    """

    size: int | tuple[int, int] | None = None
    padding: int = 4
    border: Border = "reflect"
    fill: float | Sequence[float] = 0


@dataclass(frozen=True)
class CenterCrop(Operation):
    """Cuts out the center of `size`, (height, width) or one number; a smaller image is padded with `fill` first."""

    size: int | tuple[int, int]
    fill: float | Sequence[float] = 0


@dataclass(frozen=True)
class RandomResizedCrop(Operation):
    """Cuts out a part of random size and shape, and resizes it, like ``torchvision.transforms.v2.RandomResizedCrop``.

    The area is uniform, the ratio log-uniform. After ten parts that do not fit in the image, the largest part with an
    allowed ratio is taken at the center. The filter is bilinear, in integers; with antialiasing, the
    result differs from Pillow's by at most one level.

    Parameters
    ----------
    size
        (height, width) of the output, or one number for both.
    area
        The range of its area, as a share of the image; torchvision's ``scale``.
    ratio
        The range of its width divided by its height.
    antialias
        Average all pixels when reducing. False: plain bilinear, which skips pixels.
    """

    size: int | tuple[int, int]
    area: tuple[float, float] = (0.08, 1.0)
    ratio: tuple[float, float] = (3 / 4, 4 / 3)
    antialias: bool = True


@dataclass(frozen=True)
class Resize(Operation):
    """Resizes the whole image to `size`, (height, width) or one number for both, with a bilinear filter."""

    size: int | tuple[int, int]
    antialias: bool = True


@dataclass(frozen=True)
class Cutout(Operation):
    """Fills a square (T. DeVries and G. Taylor, 2017).

    Parameters
    ----------
    size
        The side of the square in pixels.
    probability
        The probability that a square is filled at all.
    inside
        The square lies in the image. False: only its center does, and what is outside is cut off.
    normalized
        `value` replaces normalized values. False: stored values, 0 ... 255.
    value
        One number, or one per channel for at most 4 channels.
    """

    size: int = 8
    probability: float = 1.0
    inside: bool = True
    normalized: bool = True
    value: float | Sequence[float] = 0.0


@dataclass(frozen=True)
class RandomErasing(Operation):
    """Fills a rectangle of random size and shape, with the laws of ``torchvision.transforms.v2.RandomErasing``.

    The area is uniform, the ratio log-uniform; after ten rectangles that are not smaller than the image, nothing is
    erased.

    Parameters
    ----------
    probability
        The probability that a rectangle is erased at all.
    area
        The range of its area, as a share of the image.
    ratio
        The range of its height divided by its width.
    normalized, value
        As in `Cutout`.
    """

    probability: float = 0.5
    area: tuple[float, float] = (0.02, 0.33)
    ratio: tuple[float, float] = (0.3, 3.3)
    normalized: bool = True
    value: float | Sequence[float] = 0.0


@dataclass(frozen=True)
class NormalizedJitter(Operation):
    """Changes the normalized values of an image: v becomes ``(v + shift) * factor``, not clamped.

    Both numbers are uniform in their ranges.
    """

    shift: tuple[float, float] = (0.0, 0.0)
    factor: tuple[float, float] = (1.0, 1.0)


def checked_operations(augment: Operation | Sequence[Operation] | None) -> tuple[Operation, ...]:
    """The operations as a tuple. Raises TypeError if there is something else among them."""
    operations = (augment,) if isinstance(augment, Operation) else tuple(augment or ())
    for operation in operations:
        if not isinstance(operation, Operation) or not dataclasses.is_dataclass(operation):
            raise TypeError(
                f"augment contains {operation!r}; expected operations of octavo.augment, such as HorizontalFlip()"
            )
    return operations


def _converted(operation: type[Operation], field: str, value: Any) -> Any:
    """The value of a field as the library's operation expects it. Raises TypeError or ValueError."""
    if field in ("fill", "value"):
        return [float(number) for number in np.atleast_1d(np.asarray(value, dtype=np.float64))]
    if field == "border":
        borders = _core.Border.__members__
        if value not in borders:
            known = ", ".join(map(repr, borders))
            raise ValueError(f"{operation.__name__}: border is {value!r}; it must be one of {known}")
        return borders[value]
    if field == "size" and operation is not Cutout and value is not None:
        height, width = np.broadcast_to(np.asarray(value), 2).tolist()
        return operator.index(height), operator.index(width)
    return value
