"""Normalization of batches: the mean that is subtracted and the divisor."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from . import _core
from ._loading.frameworks import to_host
from ._warn import warn

if TYPE_CHECKING:
    import numpy.typing as npt

    from .dataset import Split

Mean = Literal["none", "dataset", "channel", "pixel", "batch"]
_MEANS = ("none", "dataset", "channel", "pixel", "batch")
Std = Literal["dataset", "channel"]
Unit = Literal["unit", "levels", "source"]
_UNITS = ("unit", "levels", "source")
Preset = Literal["default", "unit", "standard", "imagenet"]


@dataclass(frozen=True)
class Normalize:
    """The normalization of batches: ``y = (x - mean) / std``, as one fused multiply-add with a single rounding.

    ``Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))`` gives the values of ``torchvision.transforms.Normalize``
    with the same arguments, after ``ToTensor()``.

    Parameters
    ----------
    mean
        The number to subtract, or one per channel, in `unit`. Or what is measured: ``"dataset"``, one mean over all
        channels; ``"channel"``, each channel's mean; ``"pixel"``, the mean image; ``"batch"``, the batch's own mean
        (not with several ranks); or ``"none"``.
    std
        The divisor, or one per channel, in `unit`; not 0. Or what is measured: ``"channel"``, each channel's standard
        deviation, with ``mean="channel"``; ``"dataset"``, one over all channels, with the other means. None: 128,
        in the unit of the data before packing.
    unit
        The unit of numbers: ``"unit"``: values are in 0 ... 1, as in torchvision; ``"levels"``: in 0 ... 255;
        ``"source"``: in the units of the data before packing. For 8-bit images, levels and source units are the same.
    statistics
        The split whose statistics are measured; by default ``train`` of the same file if it exists, else the loaded
        split.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid, or numbers cannot be in `unit`, such as a mean of 123.7 in 0 ... 1.
    """

    mean: Mean | float | Sequence[float] = "dataset"
    std: Std | float | Sequence[float] | None = None
    unit: Unit = "unit"
    statistics: Split | None = None

    def __post_init__(self) -> None:
        for argument in ("mean", "std"):
            value = getattr(self, argument)
            # Arrays and tensors have neither the equality nor the hash that a field needs, and lists no hash.
            if hasattr(value, "__array__") or isinstance(value, list):
                object.__setattr__(self, argument, tuple(_numbers(argument, to_host(value))))
        if self.unit not in _UNITS:
            raise ValueError(f"unit is {self.unit!r}; it must be one of {', '.join(map(repr, _UNITS))}")
        if isinstance(self.mean, str):
            if self.mean not in _MEANS:
                raise ValueError(f"mean is {self.mean!r}; it must be numbers or one of {', '.join(map(repr, _MEANS))}")
        else:
            if self.std is None:
                raise ValueError("mean is given without std; pass both")
            _check_unit("mean", self.mean, self.unit)
        if isinstance(self.std, str):
            expected = "channel" if self.mean == "channel" else "dataset"
            if self.std != expected:
                raise ValueError(f"std is {self.std!r}; with mean={self.mean!r} it must be numbers or {expected!r}")
        elif self.std is not None:
            _check_unit("std", self.std, self.unit)

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
            pair = _pair_text(name)
            hint = f"; for these numbers, pass octavo.Normalize{pair}" if pair else ""
            raise ValueError(f"normalize is {name!r}; it must be a Normalize or one of {known}{hint}") from None

    @property
    def is_measured(self) -> bool:
        """Whether the numbers come from the statistics of a split."""
        return self.mean in ("dataset", "channel", "pixel") or isinstance(self.std, str)

    def check_channels(self, channels: int) -> None:
        """Raises ValueError unless mean and std have one number, or one per channel."""
        for argument, value in (("mean", self.mean), ("std", self.std)):
            count = 1 if value is None or isinstance(value, str) else len(_numbers(argument, value))
            if count not in (1, channels):
                raise ValueError(f"{argument} has {count} numbers; the images have {channels} channels")

    def check_range(self, split: str, scale: npt.NDArray[np.float64], zero_point: npt.NDArray[np.float64]) -> None:
        """Checks that the numbers suit a split whose values before packing are ``scale * level + zero_point``.

        Warns if the default divisor, 128, is far from their range. Raises ValueError if given numbers of 8-bit images
        are those of another unit.
        """
        if self.unit == "source" and (scale == 1.0).all() and (zero_point == 0.0).all():
            for argument, value in (("mean", self.mean), ("std", self.std)):
                if value is not None and not isinstance(value, str):
                    _check_unit(argument, value, "levels")
        ends = np.stack([zero_point, zero_point + 255.0 * scale])
        low, high = ends.min(), ends.max()
        if self.std is None and not 32.0 <= high - low <= 2040.0:
            warn(
                f"the values of {split!r} range from {low:.6g} to {high:.6g}, but the normalization divides by 128; "
                "pass normalize='standard', or a Normalize with a std",
                UserWarning,
            )

    def inverse(self, images: Any, split: Split | None = None, *, channels_last: bool = False) -> Any:
        """The values before the normalization, ``y * std + mean``: for example, to show images of a batch.

        >>> loader.normalize.inverse(images, loader.dataset).round().clip(0, 255)

        Parameters
        ----------
        images
            Normalized images, [..., C, H, W], as a torch tensor or an array.
        split
            The loaded split, if the numbers are measured and no `statistics` are given.
        channels_last
            Whether `images` are [..., H, W, C], as NumPy arrays of a loader with ``memory_format="channels_last"`` are.

        Returns
        -------
        torch.Tensor or numpy.ndarray
            float32, of the same shape and on the same device: 0 ... 255 for 8-bit images. For others, levels if numbers
            are given and `unit` is not ``"source"``; otherwise the unit of the data before packing.

        Raises
        ------
        ValueError
            If the mean is the batch's own, or `split` is missing.
        """
        if self.mean == "batch":
            raise ValueError("the mean is that of each batch, which is not kept; it cannot be added again")
        mean, std = self._mean_and_std(split)
        if channels_last:
            mean, std = (np.moveaxis(number, 0, -1) for number in (mean, std))
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(images, torch.Tensor):
            mean, std = (torch.as_tensor(number, device=images.device) for number in (mean, std))
            return images.float() * std + mean
        return np.asarray(images, np.float32) * std + mean

    @property
    def _is_of_levels(self) -> bool:
        """Whether the normalization is of the stored 8-bit levels; otherwise of the values before packing."""
        has_numbers = not (isinstance(self.mean, str) and (self.std is None or isinstance(self.std, str)))
        return has_numbers and self.unit != "source"

    def _mean_and_std(self, split: Split | None) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Both as [C or 1, H or 1, W or 1], in levels or in the unit of the values before packing."""
        scale = 255.0 if self.unit == "unit" else 1.0
        measured = self._measured(split) if self.is_measured else None
        mean = std = np.zeros((1, 1, 1))
        if not isinstance(self.mean, str):
            mean = scale * np.reshape(_numbers("mean", self.mean), (-1, 1, 1))
        elif measured is not None and self.mean == "dataset":
            mean = np.mean(measured.mean, keepdims=True)
        elif measured is not None and self.mean != "none":
            mean = measured.mean if self.mean == "channel" else measured.mean_image
        if self.std is None:
            std = np.full((1, 1, 1), 128.0)
        elif not isinstance(self.std, str):
            std = scale * np.reshape(_numbers("std", self.std), (-1, 1, 1))
        elif measured is not None:
            overall = np.sqrt(np.mean(measured.std**2 + measured.mean**2) - np.mean(measured.mean) ** 2)
            std = measured.std if self.std == "channel" else np.reshape(overall, (1, 1, 1))
        return mean.astype(np.float32), std.astype(np.float32)

    def _measured(self, split: Split | None) -> _Measured:
        """The statistics that are used, in the unit of the normalization."""
        used = self._measured_split(split)
        statistics = used.statistics
        scale, zero = (np.reshape(number, (-1, 1, 1)) for number in (statistics.scale, statistics.zero_point))
        mean, std = (np.reshape(number, (-1, 1, 1)) for number in (statistics.mean, statistics.std))
        mean_image = np.asarray(used.mean_image, np.float64)
        if not self._is_of_levels:
            return _Measured(mean, std, mean_image)
        return _Measured((mean - zero) / scale, std / np.abs(scale), (mean_image - zero) / scale)

    def _measured_split(self, split: Split | None) -> Split:
        """The split whose statistics are used."""
        if self.statistics is not None:
            return self.statistics
        if split is None:
            raise ValueError("the numbers are measured; pass the loaded split, or give Normalize(statistics=)")
        return split.dataset["train"] if "train" in split.dataset.split_names else split

    def to_native(self) -> _core.BatchSpec:
        """A native spec with this normalization."""
        spec = _core.BatchSpec()
        scale = 255.0 if self.unit == "unit" else 1.0
        if isinstance(self.mean, str):
            spec.center = self.mean
        else:
            spec.center, spec.center_values = "values", [scale * number for number in _numbers("mean", self.mean)]
        if isinstance(self.std, str):
            spec.divisor = "std"
        elif self.std is not None:
            spec.divisor_values = [scale * number for number in _numbers("std", self.std)]
        spec.of_stored_values = self._is_of_levels
        if self.statistics is not None:
            spec.statistics = self.statistics.statistics
        return spec


class _Measured(NamedTuple):
    """Statistics of a split: mean and std are [C, 1, 1]."""

    mean: npt.NDArray[np.float64]
    std: npt.NDArray[np.float64]
    mean_image: npt.NDArray[np.float64]


def _check_unit(argument: str, value: float | Sequence[float], unit: Unit) -> None:
    """Raises ValueError if the numbers of `argument` cannot be in `unit`, or are no mean or standard deviation."""
    numbers = np.abs(_numbers(argument, value))
    if argument == "std" and not numbers.all():
        raise ValueError("std is 0; it must be nonzero")
    if not np.isfinite(numbers).all():
        raise ValueError(f"{argument} is {value}; it must be finite")
    if unit == "unit" and numbers.max() > 1.0:
        raise ValueError(f"{argument} is {value}, in values of 0 ... 1; for values of 0 ... 255, pass unit='levels'")
    if unit == "levels" and (numbers.max() > 255.0 or (argument == "std" and numbers.max() < 1.0)):
        raise ValueError(f"{argument} is {value}, in values of 0 ... 255; for values of 0 ... 1, pass unit='unit'")


def _pair_text(given: Any) -> str:
    """The text of a mean and a standard deviation: of a Normalize of torchvision, or of a pair; else empty."""
    pair = (given.mean, given.std) if hasattr(given, "mean") and hasattr(given, "std") else given
    try:
        mean, std = (_numbers("normalize", part) for part in pair if not isinstance(part, str))
    except (TypeError, ValueError):
        return ""
    return repr((tuple(mean), tuple(std)))


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
    "unit": Normalize("none", 1.0),
    "standard": Normalize("channel", "channel"),
    "imagenet": Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
}
