"""Normalization of batches: the center that is subtracted and the divisor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from . import _core

if TYPE_CHECKING:
    from .dataset import Split

Center = Literal["none", "dataset", "channel", "pixel", "batch"]
_CENTERS = ("none", "dataset", "channel", "pixel", "batch")
Preset = Literal["default", "unit", "standard", "imagenet"]


@dataclass(frozen=True)
class Normalize:
    """The normalization of batches: ``y = (x - center) / divisor``, as one fused multiply-add with a single rounding.

    Parameters
    ----------
    center
        The value to subtract: ``"none"``; ``"dataset"``, one mean over all channels; ``"channel"``, each channel's
        mean; ``"pixel"``, the mean image; ``"batch"``, the batch's own mean (not with several ranks); or one number,
        or one per channel.
    divisor
        One number or one per channel, not 0; or ``"std"``: each channel's standard deviation with
        ``center="channel"``, else one standard deviation over all channels.
    of_stored_values
        ``center`` and ``divisor`` are in stored units, 0 ... 255, instead of source units. For 8-bit images the two
        are the same.
    statistics
        The split whose statistics are used; by default ``train`` of the same file if it exists, else the loaded split.
    """

    center: Center | float | Sequence[float] = "dataset"
    divisor: Literal["std"] | float | Sequence[float] = 128.0
    of_stored_values: bool = False
    statistics: Split | None = None

    @classmethod
    def preset(cls, name: Preset) -> Normalize:
        """The preset with this name.

        ``"default"``: subtract the dataset mean, divide by 128. ``"unit"``: map 0 ... 255 to 0 ... 1. ``"standard"``:
        mean and standard deviation of each channel. ``"imagenet"``: the usual RGB constants.

        Raises
        ------
        ValueError
            If the name is unknown.
        """
        try:
            return _PRESETS[name]
        except (KeyError, TypeError):
            known = ", ".join(repr(preset) for preset in _PRESETS)
            raise ValueError(f"normalize is {name!r}; it must be a Normalize or one of {known}") from None

    @classmethod
    def from_unit_scale(cls, mean: float | Sequence[float], std: float | Sequence[float]) -> Normalize:
        """The equivalent of ``torchvision.transforms.Normalize(mean, std)`` after ``ToTensor()``.

        `mean` and `std` refer to values in 0 ... 1.
        """
        center = [255.0 * value for value in _numbers("mean", mean)]
        divisor = [255.0 * value for value in _numbers("std", std)]
        return cls(center, divisor, of_stored_values=True)

    def check_channels(self, channels: int) -> None:
        """Raises ValueError unless center and divisor have one number, or one per channel."""
        for argument, value in (("center", self.center), ("divisor", self.divisor)):
            count = 1 if isinstance(value, str) else len(_numbers(argument, value))
            if count not in (1, channels):
                raise ValueError(f"{argument} has {count} numbers; the images have {channels} channels")

    def to_native(self, dtype: str, layout: str) -> _core.BatchSpec:
        """The equivalent native spec."""
        center, center_values = "values", []
        if isinstance(self.center, str):
            center = self.center
            if center not in _CENTERS:
                raise ValueError(f"center is {center!r}; it must be numbers or one of {', '.join(map(repr, _CENTERS))}")
        else:
            center_values = _numbers("center", self.center)
        divisor, divisor_values = "values", [1.0]
        if isinstance(self.divisor, str):
            divisor = self.divisor
            if divisor != "std":
                raise ValueError(f"divisor is {divisor!r}; it must be numbers or 'std'")
        else:
            divisor_values = _numbers("divisor", self.divisor)
            if 0.0 in divisor_values:
                raise ValueError("divisor is 0; it must be nonzero")
        statistics = None if self.statistics is None else self.statistics.statistics
        return _core.BatchSpec(
            center, center_values, divisor, divisor_values, self.of_stored_values, statistics, dtype, layout
        )


def _numbers(argument: str, value: float | Sequence[float]) -> list[float]:
    try:
        numbers = [float(number) for number in np.atleast_1d(np.asarray(value, dtype=np.float64))]
    except (TypeError, ValueError):
        raise TypeError(f"{argument} is {value!r}; it must be a number or a sequence of numbers") from None
    if not numbers:
        raise ValueError(f"{argument} is empty; pass one number, or one per channel")
    return numbers


_PRESETS: dict[str, Normalize] = {
    "default": Normalize(),
    "unit": Normalize("none", 255.0, of_stored_values=True),
    "standard": Normalize("channel", "std"),
    "imagenet": Normalize.from_unit_scale((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
}
