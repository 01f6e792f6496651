"""A second implementation of "Random draws" and "Augmentation" in docs/numerics.md, in NumPy, from that page alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from octavo import augment

KINDS = {
    augment.HorizontalFlip: 0,
    augment.VerticalFlip: 1,
    augment.AlternatingFlip: 2,
    augment.RandomCrop: 3,
    augment.CenterCrop: 4,
    augment.Cutout: 5,
    augment.RandomErasing: 6,
    augment.NormalizedJitter: 7,
    augment.RandomResizedCrop: 8,
    augment.Resize: 9,
}
LN2 = math.log(2)


def philox(counter: Sequence[int], key: int) -> list[int]:
    """The four words at a counter."""
    c = list(counter)
    k = [key % 2**32, key >> 32]
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [second >> 32 ^ c[1] ^ k[0], second % 2**32, first >> 32 ^ c[3] ^ k[1], first % 2**32]
        k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
    return c


def between(low: float, high: float, word: int) -> float:
    return low + (high - low) * (word / 2**32)


def below(count: int, word: int) -> int:
    return word * count >> 32


def exp2(x: float) -> float:
    n = math.floor(x + 0.5)
    t = (x - n) * LN2
    r = 1.0
    for k in range(14, 0, -1):
        r = 1.0 + r * t / k
    return math.ldexp(r, n)


def log2(x: float) -> float:
    m, e = math.frexp(x)
    if m < 0.75:
        m, e = 2 * m, e - 1
    z = (m - 1) / (m + 1)
    s = 0.0
    for k in range(31, 0, -2):
        s = 1 / k + s * (z * z)
    return e + 2 * z * s / LN2


def half(difference: int) -> int:
    if difference <= 0:
        return -(-difference // 2)
    return round(difference / 2)  # Python rounds halves to even


def border_index(at: int, count: int, border: str) -> int | None:
    if 0 <= at < count:
        return at
    if border == "constant":
        return None
    if border == "edge":
        return min(max(at, 0), count - 1)
    return -at if at < 0 else 2 * (count - 1) - at


def crop(
    codes: npt.NDArray[np.int8], top: int, left: int, height: int, width: int, border: str, fill: npt.NDArray[np.int8]
) -> npt.NDArray[np.int8]:
    channels = codes.shape[0]
    out = np.empty((channels, height, width), np.int8)
    for y in range(height):
        for x in range(width):
            at_y = border_index(y + top, codes.shape[1], border)
            at_x = border_index(x + left, codes.shape[2], border)
            out[:, y, x] = fill if at_y is None or at_x is None else codes[:, at_y, at_x]
    return out


def axis_weights(count: int, out_count: int, antialias: bool) -> npt.NDArray[np.int64]:
    """[out_count, count]: the weight of each pixel in each output, in multiples of 2^-14."""
    reach = 2 * (max(count, out_count) if antialias else out_count)
    centers = (2 * np.arange(out_count, dtype=np.int64) + 1) * count
    places = (2 * np.arange(count, dtype=np.int64) + 1) * out_count
    raw = np.maximum(reach - np.abs(places[None, :] - centers[:, None]), 0)
    passed = np.cumsum(raw, axis=1)
    total = passed[:, -1:]
    due = (passed * 2**15 + total) // (2 * total)
    return np.diff(due, axis=1, prepend=0)


def resized(codes: npt.NDArray[np.int8], height: int, width: int, antialias: bool) -> npt.NDArray[np.int8]:
    down = axis_weights(codes.shape[1], height, antialias)
    across = axis_weights(codes.shape[2], width, antialias)
    columns = (np.einsum("yk,ckx->cyx", down, codes.astype(np.int64) + 128) + 2**5) >> 6
    return (((np.einsum("xk,cyk->cyx", across, columns) + 2**21) >> 22) - 128).astype(np.int8)


def resized_part(op: augment.RandomResizedCrop, draws: Draws, height: int, width: int) -> tuple[slice, slice]:
    """Rows and columns of the part that is resized."""
    low, high = log2(op.ratio[0]), log2(op.ratio[1])
    for attempt in range(1, 11):
        words = draws.words(attempt)
        area = height * width * between(*op.area, words[0])
        ratio = exp2(between(low, high, words[1]))
        w, h = math.floor(math.sqrt(area * ratio) + 0.5), math.floor(math.sqrt(area / ratio) + 0.5)
        if 1 <= h <= height and 1 <= w <= width:
            y, x = below(height - h + 1, words[2]), below(width - w + 1, words[3])
            return slice(y, y + h), slice(x, x + w)
    h, w = height, width
    if width / height < exp2(low):
        h = min(max(math.floor(width / exp2(low) + 0.5), 1), height)
    elif width / height > exp2(high):
        w = min(max(math.floor(height * exp2(high) + 0.5), 1), width)
    y, x = (height - h) // 2, (width - w) // 2
    return slice(y, y + h), slice(x, x + w)


def per_channel(value: float | Sequence[float], channels: int) -> npt.NDArray[np.float64]:
    return np.broadcast_to(np.asarray(value, np.float64), channels)


def codes_of(value: float | Sequence[float], channels: int) -> npt.NDArray[np.int8]:
    return (per_channel(value, channels) - 128).astype(np.int8)


class Draws:
    """The words of one operation on one image."""

    def __init__(self, seed: int, epoch: int, index: int, view: int, slot: int) -> None:
        self._seed, self._epoch, self._index = seed, epoch, index
        self._last = view << 24 | slot << 8

    def words(self, block: int = 0, epoch: int | None = None) -> list[int]:
        epoch = self._epoch if epoch is None else epoch
        return philox([self._index % 2**32, self._index >> 32, epoch, self._last | block], self._seed)


def erased(op: augment.Cutout | augment.RandomErasing, draws: Draws, height: int, width: int) -> tuple[slice, slice]:
    """Rows and columns of the rectangle."""
    words = draws.words()
    nothing = slice(0, 0), slice(0, 0)
    if not words[0] / 2**32 < op.probability:
        return nothing
    if isinstance(op, augment.RandomErasing):
        for attempt in range(1, 11):
            w = draws.words(attempt)
            area = height * width * between(*op.area, w[0])
            ratio = exp2(between(log2(op.ratio[0]), log2(op.ratio[1]), w[1]))
            h, wide = math.floor(math.sqrt(area * ratio) + 0.5), math.floor(math.sqrt(area / ratio) + 0.5)
            if 1 <= h < height and 1 <= wide < width:
                y, x = below(height - h + 1, w[2]), below(width - wide + 1, w[3])
                return slice(y, y + h), slice(x, x + wide)
        return nothing
    if op.inside:
        h, wide = min(op.size, height), min(op.size, width)
        y, x = below(height - h + 1, words[1]), below(width - wide + 1, words[2])
        return slice(y, y + h), slice(x, x + wide)
    y, x = below(height, words[1]) - op.size // 2, below(width, words[2]) - op.size // 2
    return slice(max(y, 0), min(y + op.size, height)), slice(max(x, 0), min(x + op.size, width))


def augmented(
    codes: npt.NDArray[np.int8],
    scale: Sequence[np.float32],
    shift: Sequence[np.float32],
    operations: Sequence[augment.Operation],
    *,
    seed: int,
    epoch: int,
    index: int,
    view: int = 0,
) -> npt.NDArray[np.float32]:
    """The augmented, normalized image of a sample with these codes [C,H,W]; `scale` and `shift` are [C]."""
    channels = codes.shape[0]
    seen: dict[type, int] = {}
    maps: npt.NDArray[np.float32] | None = None
    for op in operations:
        slot = 16 * KINDS[type(op)] + seen.get(type(op), 0)
        seen[type(op)] = seen.get(type(op), 0) + 1
        draws = Draws(seed, epoch, index, view, slot)
        words = draws.words()
        _, height, width = codes.shape
        if isinstance(op, augment.AlternatingFlip):
            if (draws.words(epoch=0)[0] < 2**31) == (epoch % 2 == 0):
                codes = codes[:, :, ::-1]
        elif isinstance(op, augment.HorizontalFlip):
            if words[0] / 2**32 < op.probability:
                codes = codes[:, :, ::-1]
        elif isinstance(op, augment.VerticalFlip):
            if words[0] / 2**32 < op.probability:
                codes = codes[:, ::-1, :]
        elif isinstance(op, augment.RandomCrop):
            h, w = np.broadcast_to((height, width) if op.size is None else op.size, 2).tolist()
            top = below(height + 2 * op.padding - h + 1, words[1]) - op.padding
            left = below(width + 2 * op.padding - w + 1, words[2]) - op.padding
            codes = crop(codes, top, left, h, w, op.border, codes_of(op.fill, channels))
        elif isinstance(op, augment.CenterCrop):
            h, w = np.broadcast_to(op.size, 2).tolist()
            codes = crop(codes, half(height - h), half(width - w), h, w, "constant", codes_of(op.fill, channels))
        elif isinstance(op, augment.RandomResizedCrop):
            rows, columns = resized_part(op, draws, height, width)
            codes = resized(codes[:, rows, columns], *np.broadcast_to(op.size, 2).tolist(), op.antialias)
        elif isinstance(op, augment.Resize):
            codes = resized(codes, *np.broadcast_to(op.size, 2).tolist(), op.antialias)
        elif isinstance(op, (augment.Cutout, augment.RandomErasing)):
            rows, columns = erased(op, draws, height, width)
            if op.normalized:
                maps = maps_of(codes, scale, shift) if maps is None else maps
                maps[0, :, rows, columns] = 0
                maps[1, :, rows, columns] = per_channel(op.value, channels).astype(np.float32)[:, None, None]
            else:
                codes = codes.copy()
                codes[:, rows, columns] = codes_of(op.value, channels)[:, None, None]
        elif isinstance(op, augment.NormalizedJitter):
            maps = maps_of(codes, scale, shift) if maps is None else maps
            s = np.float32(between(*op.shift, words[1]))
            f = np.float32(between(*op.factor, words[2]))
            maps[0] = maps[0] * f
            maps[1] = (maps[1] + s) * f
    maps = maps_of(codes, scale, shift) if maps is None else maps
    # The product is exact in double, and the sum has at most 53 bits for codes and maps like these.
    return (codes.astype(np.float64) * maps[0] + maps[1]).astype(np.float32)


def maps_of(
    codes: npt.NDArray[np.int8], scale: Sequence[np.float32], shift: Sequence[np.float32]
) -> npt.NDArray[np.float32]:
    """[2, C, H, W]: scale and shift of each value."""
    maps = np.empty((2, *codes.shape), np.float32)
    maps[0] = np.asarray(scale, np.float32)[:, None, None]
    maps[1] = np.asarray(shift, np.float32)[:, None, None]
    return maps
