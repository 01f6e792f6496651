"""Converts PIL images, NumPy arrays and torch tensors to uint8 arrays [C, H, W]."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from .. import _pack

Layout = Literal["auto", "hwc", "chw"]
Pixels = npt.NDArray[np.uint8]
#: The numbers that become 0 and 255: one pair for all channels, or one for each.
Ranges = Sequence[tuple[float, float]]
_Value = TypeVar("_Value", bound=np.generic)
#: What became of the EXIF orientation of an image: it has none, the image was turned, or it was kept as stored.
Turn = Literal["none", "turned", "kept"]

#: Values of a float image must be this close to whole 8-bit levels; the output of ToTensor() is within 2e-5.
_LEVEL_TOLERANCE = 1e-3

#: How far a bicubic resize may go beyond the values, as a share of their range.
_OVERSHOOT = 0.2

#: The EXIF tag of the orientation.
_ORIENTATION = 0x0112

#: The method of Pillow's ``Image.Transpose`` that makes an image of each EXIF orientation upright.
_TURNS = {
    2: "FLIP_LEFT_RIGHT",
    3: "ROTATE_180",
    4: "FLIP_TOP_BOTTOM",
    5: "TRANSPOSE",
    6: "ROTATE_270",
    7: "TRANSVERSE",
    8: "ROTATE_90",
}

#: The modes of PIL images that hold colors of 8 bits unchanged.
_COLOR_MODES = ("1", "L", "P", "RGB", "LA", "PA", "RGBA")


def to_pixels(image: Any, channels: int | None, layout: Layout, quantizer: Quantizer | None = None) -> Pixels:
    """The image as uint8 [C, H, W], values unchanged, or mapped by the quantizer.

    Raises
    ------
    TypeError
        If `image` is not an image, array or tensor.
    ValueError
        If its values are not 8-bit levels, or its axis order is ambiguous.
    """
    if _is_pil(image):
        pixels = _of_pil(image, channels, quantizer)
    elif _is_tensor(image):
        values = image.detach().cpu().numpy()
        pixels = _planar_levels(values, _layout_of_tensor(values.shape) if layout == "auto" else layout, quantizer)
    elif isinstance(image, np.ndarray) or hasattr(image, "__array__"):
        pixels = _planar_levels(np.asarray(image), layout, quantizer)
    else:
        hint = "; for a dataset of Hugging Face, pass dataset.with_format('numpy')" if isinstance(image, list) else ""
        raise TypeError(f"it is a {type(image).__name__}, not a PIL image, a NumPy array or a tensor{hint}")
    return _with_channels(pixels, channels)


def ranges_of(given: Any) -> Ranges | None:
    """One (low, high) for all channels, or one for each; None if it is neither."""
    try:
        ends = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        return None
    if ends.shape == (2,):
        ends = ends[np.newaxis]
    if ends.ndim != 2 or ends.shape[1] != 2 or len(ends) == 0:
        return None
    return [(low, high) for low, high in ends.tolist()]


class Quantizer:
    """Maps numbers to bytes, and keeps what that cost: value v stands for scale * v + low, in each channel."""

    def __init__(self, ranges: Ranges) -> None:
        for low, high in ranges:
            if not (low < high and np.isfinite(high - low)):
                raise ValueError(f"value_range is ({low}, {high}); the lower end must be below the upper end")
        self.low = np.array([low for low, _ in ranges], np.float64)
        self.scale = (np.array([high for _, high in ranges], np.float64) - self.low) / 255.0
        self.dtype = ""
        self._samples = 0
        self._channels: list[_ChannelCount] = []
        self._last: _Quantized | None = None

    def __call__(self, array: npt.NDArray[Any]) -> Pixels:
        """The levels of numbers [C, H, W]. `count_last` adds their loss, once the sample has been accepted."""
        if array.dtype in (np.uint8, np.bool_):
            raise ValueError("it has 8 bits, which value_range does not apply to")
        if self.dtype not in ("", array.dtype.name):
            raise ValueError(f"its values are {array.dtype}, earlier ones are {self.dtype}")
        if len(self.low) not in (1, len(array)):
            raise ValueError(
                f"it has {len(array)} channel{'s'[: len(array) != 1]}, value_range has {len(self.low)} ranges"
            )
        numbers = np.ascontiguousarray(array, np.float64)
        if not np.isfinite(numbers).all():
            raise ValueError("it contains NaN or infinity")
        steps = (numbers - self.low[:, None, None]) / self.scale[:, None, None]
        levels = np.clip(np.rint(steps), 0, 255).astype(np.uint8)
        self._last = _Quantized(levels, steps, numbers, array.dtype.name)
        return levels

    def count_last(self) -> None:
        """Adds the loss of the last sample."""
        assert self._last is not None
        self.dtype = self._last.dtype
        self._samples += 1
        self._channels += [_ChannelCount() for _ in range(len(self._last.levels) - len(self._channels))]
        for channel, levels, steps, numbers in zip(self._channels, *self._last[:3], strict=False):
            channel.add(levels, steps, numbers)

    def add_notes(self, source: _pack.SpooledSource, split: str) -> None:
        """Adds the loss of the samples of `split` to the notes of their source."""
        low = np.broadcast_to(self.low, len(self._channels)).tolist()
        scale = np.broadcast_to(self.scale, len(self._channels)).tolist()
        losses = [channel.loss(*ends) for channel, *ends in zip(self._channels, low, scale, strict=True)]
        levels = [channel.levels for channel in self._channels]
        source.add_quantization(split, self.dtype, self._samples, losses, levels)


class _Quantized(NamedTuple):
    """A sample [C, H, W] before and after."""

    levels: Pixels
    steps: npt.NDArray[np.float64]
    numbers: npt.NDArray[np.float64]
    dtype: str


class _ChannelCount:
    """What quantizing one channel cost; errors are in steps."""

    def __init__(self) -> None:
        self.levels = _pack.LevelCounter()
        self._numbers = 0
        self._largest_error = 0.0
        self._rounding_sum = 0.0
        self._clipped = 0
        self._smallest, self._largest = np.inf, -np.inf

    def add(self, levels: Pixels, steps: npt.NDArray[np.float64], numbers: npt.NDArray[np.float64]) -> None:
        rounded = np.rint(steps)
        self._numbers += steps.size
        self._largest_error = max(self._largest_error, float(np.abs(levels - steps).max()))
        self._rounding_sum += float(np.abs(rounded - steps).sum())
        self._smallest = min(self._smallest, float(numbers.min()))
        self._largest = max(self._largest, float(numbers.max()))
        self._clipped += int(np.count_nonzero(levels != rounded))
        self.levels.add(levels, steps, numbers)

    def loss(self, low: float, scale: float) -> _pack.ChannelLoss:
        loss = _pack.ChannelLoss()
        loss.low, loss.high = low, low + 255.0 * scale
        loss.largest_error = scale * self._largest_error
        loss.mean_rounding = scale * self._rounding_sum / max(1, self._numbers)
        loss.clipped, loss.smallest, loss.largest = self._clipped, self._smallest, self._largest
        return loss


def orientation_of(image: Any) -> int:
    """The EXIF orientation, 1 to 8, that an image of PIL still has; 1 for upright ones and everything else."""
    if not _is_pil(image):
        return 1
    image.load()  # Pillow turns TIFF files itself then
    try:
        orientation = image.getexif().get(_ORIENTATION, 1)
    except Exception:  # damaged metadata are ignored, as in files; the pixels are intact
        return 1
    return orientation if orientation in _TURNS else 1


def upright(image: Any) -> tuple[Any, bool]:
    """The image turned as its EXIF orientation says, like files and by ``PIL.ImageOps.exif_transpose``; whether it was.

    The turned image no longer has the orientation.
    """
    orientation = orientation_of(image)
    if orientation == 1:
        return image, False
    from PIL import Image

    return _without_orientation(image.transpose(Image.Transpose[_TURNS[orientation]])), True


def aligned(image: Any, mask: Any) -> tuple[Any, Any, Turn]:
    """The image and its mask, if any, without EXIF orientation, by the rule of files; what happened to the image.

    Each is turned by its own orientation. But a mask without orientation may have the size of the stored pixels of its
    image: then neither is turned.

    Raises
    ------
    ValueError
        If the size of the mask does not tell, because it fits the image turned and not turned.
    """
    orientation = orientation_of(image)
    if mask is None or orientation_of(mask) != 1 or orientation == 1 or not _fits_stored(image, mask):
        turned, is_turned = upright(image)
        return turned, upright(mask)[0], "turned" if is_turned else "none"
    if orientation < 5 or image.width == image.height:
        raise ValueError(
            f"it has the EXIF orientation {orientation}, and its mask fits it turned and not turned; pass both upright "
            "(PIL.ImageOps.exif_transpose) or, if they are aligned as they are, the image as an array"
        )
    return _without_orientation(image.copy()), mask, "kept"


def to_mask(mask: Any) -> Pixels:
    """The mask as uint8 [H, W]: the indices of a palette, not its colors; booleans as 0 and 1.

    Raises
    ------
    TypeError
        If `mask` is not an image, array or tensor of whole numbers.
    ValueError
        If its values are not in 0 ... 255, or it has several channels.
    """
    if _is_pil(mask) and mask.mode not in ("1", "L", "P", "I", "I;16"):
        raise ValueError(
            f"its mask has mode {mask.mode}; expected one channel of class numbers (L, P, 1 or I); if colors stand for "
            "classes, pass mask_colors="
        )
    if _is_tensor(mask):
        mask = mask.detach().cpu().numpy()
    elif not (_is_pil(mask) or isinstance(mask, np.ndarray) or hasattr(mask, "__array__")):
        raise TypeError(f"its mask is a {type(mask).__name__}, not a PIL image, a NumPy array or a tensor")
    values = np.asarray(mask)
    if values.ndim == 3 and values.shape[0] == 1:
        values = values[0]
    if values.ndim != 2:
        is_rgb = values.ndim == 3 and 3 in (values.shape[0], values.shape[-1])
        hint = "; if colors stand for classes, pass mask_colors=" if is_rgb else ""
        raise ValueError(f"its mask has shape {values.shape}; expected [H, W]{hint}")
    if values.dtype != np.bool_ and not np.issubdtype(values.dtype, np.integer):
        raise TypeError(f"its mask has {values.dtype} values; expected whole numbers")
    if values.dtype.itemsize > 1 and values.size and (values.min() < 0 or values.max() > 255):
        raise ValueError(f"its mask has values from {values.min()} to {values.max()}; expected 0 ... 255")
    if values.dtype == np.int8 and values.size and values.min() < 0:
        raise ValueError(f"its mask has values from {values.min()} to {values.max()}; expected 0 ... 255")
    return values.astype(np.uint8)


def to_mask_of_colors(mask: Any, table: Callable[[Pixels], Pixels]) -> Pixels:
    """The mask as uint8 [H, W]: the classes of its RGB colors by the table.

    Gray is RGB with equal parts, and transparent pixels are over black, as in files.

    Raises
    ------
    TypeError
        If `mask` is not an image, array or tensor.
    ValueError
        If it is not RGB or gray with 8 bits, or has a color that is not in the table.
    """
    if _is_pil(mask):
        if mask.mode not in _COLOR_MODES:
            raise ValueError(
                f"its mask has mode {mask.mode}; with mask_colors it must be one of {', '.join(_COLOR_MODES)}"
            )
        mask = _over_black(mask).convert("RGB")
    elif _is_tensor(mask):
        mask = mask.detach().cpu().numpy()
    elif not (isinstance(mask, np.ndarray) or hasattr(mask, "__array__")):
        raise TypeError(f"its mask is a {type(mask).__name__}, not a PIL image, a NumPy array or a tensor")
    values = np.asarray(mask)
    if values.ndim == 2:
        values = values[..., np.newaxis].repeat(3, axis=-1)
    if values.ndim == 3 and values.shape[-1] != 3 and values.shape[0] == 3:
        values = np.moveaxis(values, 0, -1)
    if values.ndim != 3 or values.shape[-1] != 3 or values.dtype != np.uint8:
        raise ValueError(f"its mask is {values.dtype} {values.shape}; with mask_colors it must be uint8 [H, W, 3]")
    return table(values)


def is_mask(value: Any) -> bool:
    """Whether a part of a sample can only be a mask: an image, or an array of two or more axes."""
    return _is_pil(value) or getattr(value, "ndim", 0) >= 2


def color_of(channels: int) -> Literal["gray", "rgb", "other"]:
    """The color kind of images with this many channels."""
    return "gray" if channels == 1 else "rgb" if channels == 3 else "other"


def _without_orientation(image: Any) -> Any:
    """The same image, a new one that nobody else has, without the metadata that may hold an orientation."""
    for key in ("exif", "Raw profile type exif", "xmp", "XML:com.adobe.xmp"):
        image.info.pop(key, None)
    return image


def _fits_stored(image: Any, mask: Any) -> bool:
    """Whether a mask has the size of the pixels of an image of PIL as they are stored."""
    if _is_pil(mask):
        return bool(mask.size == image.size)
    shape = tuple(getattr(mask, "shape", ()))
    size = (image.height, image.width)
    return size in (shape, shape[:2], shape[1:])


def _is_pil(image: Any) -> bool:
    pil = sys.modules.get("PIL.Image")
    return pil is not None and isinstance(image, pil.Image)


def _is_tensor(image: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(image, torch.Tensor)


def _of_pil(image: Any, channels: int | None, quantizer: Quantizer | None) -> Pixels:
    if image.mode.startswith("I;16") or image.mode in ("I", "F"):
        return _planar_levels(np.asarray(image), "hwc", quantizer)
    if quantizer is not None:
        raise ValueError(f"it has 8 bits (mode {image.mode}), which value_range does not apply to")
    if _has_alpha(image):
        image = _over_black(image)
    elif image.mode not in ("L", "RGB"):
        image = image.convert("L" if image.mode == "1" else "RGB")
    if channels == 1 and image.mode == "RGB":
        image = image.convert("L")
    return _planar(np.asarray(image), "hwc")


def _has_alpha(image: Any) -> bool:
    return image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info


def _over_black(image: Any) -> Any:
    """The image with transparent pixels over black, as in files; the same image if it has none."""
    if not _has_alpha(image):
        return image
    from PIL import Image

    opaque = image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", opaque.size, (0, 0, 0, 255)), opaque).convert("RGB")


def _planar_levels(array: npt.NDArray[Any], layout: Layout, quantizer: Quantizer | None) -> Pixels:
    """The values as 8-bit levels [C, H, W]."""
    return _planar(_levels(array), layout) if quantizer is None else quantizer(_planar(array, layout))


def _levels(array: npt.NDArray[Any]) -> Pixels:
    """The values as 8-bit levels, 0 ... 255."""
    if array.dtype == np.uint8:
        return array.view(np.uint8)
    if array.dtype == np.bool_:
        return np.where(array, np.uint8(255), np.uint8(0))
    if np.issubdtype(array.dtype, np.integer):
        if array.size and (array.min() < 0 or array.max() > 255):
            if array.dtype.itemsize > 1 and array.min() >= 0 and array.max() <= 65535 and not (array % 257).any():
                return (array // 257).astype(np.uint8)  # 8-bit values that were written as 16 bits
            raise ValueError(
                f"its {array.dtype} values range from {array.min()} to {array.max()}; pass value_range=(low, high), "
                "the values that become 0 and 255"
            )
        return array.astype(np.uint8)
    if np.issubdtype(array.dtype, np.floating):
        if not np.isfinite(array).all():
            raise ValueError("it contains NaN or infinity")
        levels = array.astype(np.float64) * 255.0
        nearest = np.rint(levels)
        if not (np.abs(levels - nearest) <= _LEVEL_TOLERANCE).all() or (array.size and not nearest.min() >= 0):
            raise ValueError(_not_levels(float(array.min()), float(array.max())))
        if array.size and nearest.max() > 255:
            raise ValueError("its float values exceed 1; pass uint8, or floats in 0 ... 1")
        return nearest.astype(np.uint8)
    raise TypeError(f"its values are {array.dtype}, not uint8")


def _not_levels(smallest: float, largest: float) -> str:
    """What is wrong with float values that are not 8-bit levels, and what to do."""
    if smallest >= -_OVERSHOOT and largest <= 1.0 + _OVERSHOOT:
        return (
            "its float values are not 8-bit levels in 0 ... 1, as after a resize of floats; convert to float last, "
            "such as with ToTensor after Resize, or pass value_range=(0, 1), which rounds them"
        )
    return (
        f"its float values are from {smallest:.4g} to {largest:.4g}, not 8-bit levels in 0 ... 1; pack the image "
        "before normalizing it, or pass value_range=(low, high), the values that become 0 and 255"
    )


def _layout_of_tensor(shape: tuple[int, ...]) -> Layout:
    """Chooses hwc if only that gives 1 or 3 channels; else chw, as torch has it."""
    return "hwc" if len(shape) == 3 and shape[2] in (1, 3) and shape[0] not in (1, 3) else "chw"


def _planar(pixels: npt.NDArray[_Value], layout: Layout) -> npt.NDArray[_Value]:
    """[H, W], [H, W, C] or [C, H, W] as [C, H, W]."""
    if pixels.ndim == 2:
        return pixels[np.newaxis]
    if pixels.ndim != 3:
        raise ValueError(f"it has {pixels.ndim} axes, not [H, W], [H, W, C] or [C, H, W]")
    if layout == "auto":
        first, last = pixels.shape[0] in (1, 3), pixels.shape[2] in (1, 3)
        if first == last:
            raise ValueError(
                f"its shape {pixels.shape} can be [H, W, C] or [C, H, W]; pass layout='hwc' or layout='chw'"
            )
        layout = "chw" if first else "hwc"
    return pixels if layout == "chw" else pixels.transpose(2, 0, 1)


def _with_channels(pixels: Pixels, channels: int | None) -> Pixels:
    if channels is None or pixels.shape[0] == channels:
        return pixels
    if pixels.shape[0] == 1:
        return np.repeat(pixels, channels, axis=0)
    raise ValueError(f"it has {pixels.shape[0]} channels, not {channels}")
