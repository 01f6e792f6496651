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
import numbers
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _core
from ._augment_arguments import explain_arguments
from ._foreign_transforms import replacement_of, replacements

__all__ = [
    "Affine",
    "AlternatingFlip",
    "AutoContrast",
    "CenterCrop",
    "ChannelPermutation",
    "ColorJitter",
    "Cutout",
    "Equalize",
    "Gamma",
    "GaussianBlur",
    "Grayscale",
    "HorizontalFlip",
    "Invert",
    "Mix",
    "NormalizedJitter",
    "Operation",
    "Posterize",
    "RandAugment",
    "RandomCrop",
    "RandomErasing",
    "RandomResizedCrop",
    "Resize",
    "Sharpness",
    "Solarize",
    "TimmRandAugment",
    "TrivialAugment",
    "VerticalFlip",
    "ViewFlip",
    "ViewShift",
]

#: What a crop shows beyond the edge of an image: `fill`, the nearest pixel, or the image mirrored at its edge pixels,
#: which are not repeated.
Border = Literal["constant", "edge", "reflect"]

#: How an image between pixels is computed: the nearest pixel, or a weighted mean of the four nearest ones.
Interpolation = Literal["nearest", "bilinear"]
#: How resizing computes pixels; bicubic as in Pillow.
Resizing = Literal["bilinear", "bicubic"]

#: A number, or the range that it is drawn from.
Range = float | tuple[float, float]


#: The sample of its batch that a sample is mixed with: the one before (of the first one, the last), the one at the
#: same distance from the other end, or the one at the same place in a random order.
Partner = Literal["previous", "opposite", "shuffled"]


class _Parameters:
    """Parameters for the library. The subclasses are dataclasses."""

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


class Operation(_Parameters):
    """An operation on the images of a batch. The subclasses are dataclasses; their fields are the parameters."""


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
    allowed ratio is taken at the center. The filter computes in integers; with antialiasing, the
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
        Average all pixels when reducing. False: use only the nearest ones, 2 x 2 (bilinear) or 4 x 4 (bicubic).
    interpolation
        ``"bilinear"`` or ``"bicubic"``.
    """

    size: int | tuple[int, int]
    area: tuple[float, float] = (0.08, 1.0)
    ratio: tuple[float, float] = (3 / 4, 4 / 3)
    antialias: bool = True
    interpolation: Resizing = "bilinear"


@dataclass(frozen=True)
class Resize(Operation):
    """Resizes the whole image.

    Parameters
    ----------
    size
        (height, width) of the output; or one number, the shorter side: the other one keeps the ratio.
    antialias, interpolation
        As in `RandomResizedCrop`.
    """

    size: int | tuple[int, int]
    antialias: bool = True
    interpolation: Resizing = "bilinear"

    def _to_native(self) -> Any:
        native = super()._to_native()
        if np.ndim(self.size) == 0:
            native.shorter_side = int(self.size)  # type: ignore[arg-type]
        return native


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
class Affine(Operation):
    """Rotates, translates, scales and shears around the center, like ``torchvision.transforms.v2.RandomAffine``.

    All numbers are uniform in their ranges. For `degrees` and the shears, a number ``d`` is the range from ``-d`` to
    ``d``.

    Parameters
    ----------
    degrees
        The angle, clockwise.
    translate_x, translate_y
        The largest translation in both directions, as a share of the width and the height. Translations are whole
        pixels.
    scale
        The range of the scale, 0.01 to 100.
    shear_x, shear_y
        The angle of the shear in degrees, up to 80.
    interpolation
        How an image between pixels is computed.
    fill
        What is beyond the edge: one stored value, 0 ... 255, or one per channel for at most 4 channels.
    probability
        The probability that the image changes at all.
    """

    degrees: Range = 0.0
    translate_x: float = 0.0
    translate_y: float = 0.0
    scale: tuple[float, float] = (1.0, 1.0)
    shear_x: Range = 0.0
    shear_y: Range = 0.0
    interpolation: Interpolation = "nearest"
    fill: float | Sequence[float] = 0
    probability: float = 1.0


@dataclass(frozen=True)
class ColorJitter(Operation):
    """Changes brightness, contrast, saturation and hue in a random order, like
    ``torchvision.transforms.v2.ColorJitter``.

    Each result is clamped to 0 ... 255. Images have 1 or 3 channels; those of 1 have no saturation and no hue.

    Parameters
    ----------
    brightness, contrast, saturation
        A number ``b`` is the range of factors from ``max(0, 1 - b)`` to ``1 + b``. Factors are below 8.
    hue
        A number ``h`` is the range from ``-h`` to ``h``, in turns; at most 0.5.
    probability
        The probability that the image changes at all.
    """

    brightness: Range = 0.0
    contrast: Range = 0.0
    saturation: Range = 0.0
    hue: Range = 0.0
    probability: float = 1.0


@dataclass(frozen=True)
class Grayscale(Operation):
    """Replaces red, green and blue by the luma with `probability`. Images of 1 channel stay."""

    probability: float = 0.1


@dataclass(frozen=True)
class ChannelPermutation(Operation):
    """Puts the channels, at most 4, in a random order with `probability`."""

    probability: float = 1.0


@dataclass(frozen=True)
class Solarize(Operation):
    """Inverts all stored values from `threshold`, 0 ... 256, on."""

    threshold: int = 128
    probability: float = 0.5


@dataclass(frozen=True)
class Posterize(Operation):
    """Keeps the upper `bits`, 1 ... 8, of each stored value."""

    bits: int = 4
    probability: float = 0.5


@dataclass(frozen=True)
class Invert(Operation):
    """Inverts all values with `probability`."""

    probability: float = 0.5


@dataclass(frozen=True)
class Gamma(Operation):
    """Raises stored values, as shares of 255, to the power `gamma`, 0.01 ... 100: a number, or a range."""

    gamma: Range = (0.8, 1.25)
    probability: float = 1.0


@dataclass(frozen=True)
class AutoContrast(Operation):
    """Stretches the values of each channel to 0 ... 255 with `probability`."""

    probability: float = 0.5


@dataclass(frozen=True)
class Equalize(Operation):
    """Makes the histogram of each channel flat with `probability`."""

    probability: float = 0.5


@dataclass(frozen=True)
class Sharpness(Operation):
    """Blends an image with its mean over 3x3 pixels, like ``torchvision.transforms.v2.RandomAdjustSharpness``.

    A `factor` of 0 smooths, 1 changes nothing, 2 sharpens: a number below 8, or a range.
    """

    factor: Range = 2.0
    probability: float = 0.5


@dataclass(frozen=True)
class GaussianBlur(Operation):
    """Blurs an image, like ``torchvision.transforms.v2.GaussianBlur``. Borders are reflected.

    Parameters
    ----------
    kernel_size
        Pixels; odd, at most 63. Half of it is smaller than the image.
    sigma
        The standard deviation in pixels, 0.01 ... 1000: a number, or a range.
    probability
        The probability that the image is blurred at all.
    """

    kernel_size: int
    sigma: Range = (0.1, 2.0)
    probability: float = 1.0


@dataclass(frozen=True)
class TrivialAugment(Operation):
    """Applies one operation out of 14 with one of 31 magnitudes, like
    ``torchvision.transforms.v2.TrivialAugmentWide`` (S. Mueller and F. Hutter, 2021).

    Images have 1 or 3 channels. `interpolation` and `fill` are as in `Affine`.
    """

    interpolation: Interpolation = "nearest"
    fill: float | Sequence[float] = 0


@dataclass(frozen=True)
class RandAugment(Operation):
    """Applies `count` operations out of 14, all with the same `magnitude`, 0 ... 30, like
    ``torchvision.transforms.v2.RandAugment`` (E. Cubuk et al., 2019).

    Images have 1 or 3 channels. `interpolation` and `fill` are as in `Affine`.
    """

    count: int = 2
    magnitude: int = 9
    interpolation: Interpolation = "nearest"
    fill: float | Sequence[float] = 0


@dataclass(frozen=True)
class TimmRandAugment(Operation):
    """Applies `count` operations out of 15 like timm's RandAugment, ``"rand-m9-mstd0.5-inc1"``.

    Images have 1 or 3 channels.

    Parameters
    ----------
    count
        Operations, 1 ... 16.
    magnitude, deviation
        The mean and the standard deviation of the magnitudes, 0 ... 10 (``m`` and ``mstd``). Each operation of each
        image draws its own, and keeps it between 0 and 10.
    probability
        That an operation is applied, 0 ... 1.
    interpolation, fill
        As in `Affine`.
    """

    count: int = 2
    magnitude: float = 9.0
    deviation: float = 0.5
    probability: float = 0.5
    interpolation: Interpolation = "bilinear"
    fill: float | Sequence[float] = 128


@dataclass(frozen=True)
class ViewFlip(Operation):
    """Mirrors every second view left and right: views 1, 3, ... For test-time augmentation."""


@dataclass(frozen=True)
class ViewShift(Operation):
    """Shifts pairs of views by `pixels` along the diagonals. For test-time augmentation.

    Views 0 and 1 stay, 2 and 3 show the image moved down and right, 4 and 5 up and left, 6 to 9 along the other
    diagonal. Beyond the edge, the image is reflected.
    """

    pixels: int = 1


@dataclass(frozen=True)
class NormalizedJitter(Operation):
    """Changes the normalized values of an image: v becomes ``(v + shift) * factor``, not clamped.

    Both numbers are uniform in their ranges.
    """

    shift: tuple[float, float] = (0.0, 0.0)
    factor: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True)
class Mix(_Parameters):
    """Mixes pairs of samples of a batch, after all operations and the normalization.

    MixUp (H. Zhang et al., 2017) adds weighted values, CutMix (S. Yun et al., 2019) shows the partner in a rectangle.
    Labels become probabilities, or pairs. Each rank mixes its own samples.

    Parameters
    ----------
    mixup_alpha
        The weights of MixUp are from the beta distribution (alpha, alpha), 0.01 ... 2. 0: no MixUp.
    cutmix_alpha
        The areas of CutMix, in the same way. 0: no CutMix.
    cutmix_share
        The probability of CutMix, if both are used.
    probability
        The probability that samples are mixed at all.
    partner
        ``"previous"``, as torchvision mixes; ``"opposite"``, as timm does; or ``"shuffled"``.
    per_sample
        Each sample has its own random numbers. False: the batch has those of its first sample.
    pairs
        Labels become float32 [B, 3]: the class of the sample, that of its partner, and the weight of the first, for
        ``weight * loss(output, class) + (1 - weight) * loss(output, partner_class)``. False: probabilities.
    """

    mixup_alpha: float = 0.0
    cutmix_alpha: float = 0.0
    cutmix_share: float = 0.5
    probability: float = 1.0
    partner: Partner = "previous"
    per_sample: bool = False
    pairs: bool = False


def check_is_ours(augment: Any) -> None:
    """Raises TypeError if `augment` contains transforms of another library; it names the operations to use instead."""
    foreign = replacements(augment)
    if foreign is not None:
        raise TypeError(f"augment has {foreign}")


def checked_operations(augment: Operation | Sequence[Operation] | None) -> tuple[Operation, ...]:
    """The operations as a tuple. Raises TypeError if there is something else among them."""
    given = () if augment is None else augment
    operations = tuple(given) if isinstance(given, Sequence) and not isinstance(given, str) else (given,)
    check_is_ours(augment)
    for operation in operations:
        if not isinstance(operation, Operation) or not dataclasses.is_dataclass(operation):
            raise TypeError(
                f"augment contains {operation!r}; expected operations of octavo.augment, such as HorizontalFlip()"
            )
    return operations


def _range_around(field: str, number: float) -> tuple[float, float] | None:
    """The range that one number stands for. None: the field has no range."""
    if field in ("degrees", "shear_x", "shear_y", "hue"):
        return -number, number
    if field in ("brightness", "contrast", "saturation"):
        return max(0.0, 1.0 - number), 1.0 + number
    return (number, number) if field in ("gamma", "factor", "sigma") else None


def _checked_color(operation: type[_Parameters], field: str, value: Any) -> list[float]:
    try:
        return [float(number) for number in np.atleast_1d(np.asarray(value))]
    except (TypeError, ValueError):
        raise ValueError(
            f"{operation.__name__}: {field} is {value!r}; it must be one number, or one per channel, because it fills "
            "with one color"
        ) from None


def _converted(operation: type[_Parameters], field: str, value: Any) -> Any:
    """The value of a field as the library's operation expects it. Raises TypeError or ValueError."""
    if field in ("fill", "value"):
        return _checked_color(operation, field, value)
    if field in ("border", "interpolation", "partner"):
        members = getattr(_core, field.capitalize()).__members__
        if value not in members:
            known = ", ".join(map(repr, members))
            raise ValueError(f"{operation.__name__}: {field} is {value!r}; it must be one of {known}")
        return members[value]
    if field == "size" and operation is not Cutout and value is not None:
        height, width = np.broadcast_to(np.asarray(value), 2).tolist()
        return operator.index(height), operator.index(width)
    if operation is not NormalizedJitter and isinstance(value, numbers.Real):
        return _range_around(field, float(value)) or value
    return value


if not TYPE_CHECKING:  # a type checker would accept every name

    def __getattr__(name):
        """Raises AttributeError, which names the operation that replaces a transform of another library."""
        remedy = replacement_of(name)
        raise AttributeError(f"octavo.augment has no {name}{f'; {remedy}' if remedy else ''}", name=name)


for _name in __all__:
    if issubclass(globals()[_name], _Parameters):
        explain_arguments(globals()[_name])
