"""A second implementation of "Random draws" and "Augmentation" in docs/numerics.md, in NumPy, from that page alone."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from octavo import augment

KINDS = (
    *(augment.HorizontalFlip, augment.VerticalFlip, augment.AlternatingFlip, augment.RandomCrop, augment.CenterCrop),
    *(augment.Cutout, augment.RandomErasing, augment.NormalizedJitter, augment.RandomResizedCrop, augment.Resize),
    *(augment.Affine, augment.ColorJitter, augment.Grayscale, augment.ChannelPermutation, augment.Solarize),
    *(augment.Posterize, augment.Invert, augment.Gamma, augment.AutoContrast, augment.Equalize, augment.Sharpness),
    *(augment.GaussianBlur, augment.TrivialAugment, augment.RandAugment, augment.Mix, augment.ViewFlip),
    *(augment.ViewShift, object, augment.TimmRandAugment, augment.GaussianNoise),
)
Codes = npt.NDArray[np.int8]
Levels = npt.NDArray[np.int64]
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


def sin_cos(degrees: float) -> tuple[float, float]:
    q = math.floor(degrees / 90 + 0.5)
    t = (degrees - 90 * q) * (math.pi / 180)
    s, c = 1.0, 1.0
    for k in range(18, 0, -2):
        s = 1 - s * (t * t) / (k * (k + 1))
        c = 1 - c * (t * t) / ((k - 1) * k)
    s = t * s
    return ((s, c), (c, -s), (-s, -c), (-c, s))[q % 4]


def permutation(count: int, word: int) -> list[int]:
    return list(list(itertools.permutations(range(count)))[below(math.factorial(count), word)])


def half(difference: int) -> int:
    if difference <= 0:
        return -(-difference // 2)
    return round(difference / 2)  # Python rounds halves to even


def crop(codes: Codes, top: int, left: int, size: tuple[int, int], border: str, fill: Codes) -> Codes:
    rows, columns = np.arange(size[0]) + top, np.arange(size[1]) + left
    inside = [(at >= 0) & (at < count) for at, count in ((rows, codes.shape[1]), (columns, codes.shape[2]))]
    shown = []
    for at, count in ((rows, codes.shape[1]), (columns, codes.shape[2])):
        mirrored = np.where(at < 0, -at, np.where(at >= count, 2 * (count - 1) - at, at))
        shown.append(mirrored if border == "reflect" else np.clip(at, 0, count - 1))
    out = codes[:, shown[0][:, None], shown[1][None, :]]
    if border == "constant":
        out = np.where(inside[0][:, None] & inside[1][None, :], out, fill[:, None, None])
    return out


def axis_weights(count: int, out_count: int, antialias: bool, is_cubic: bool) -> npt.NDArray[np.int64]:
    """[out_count, count]: the weight of each pixel in each output, in multiples of 2^-14."""
    reach = 2 * (max(count, out_count) if antialias else out_count)
    centers = (2 * np.arange(out_count, dtype=np.int64) + 1) * count
    places = (2 * np.arange(count, dtype=np.int64) + 1) * out_count
    distances = np.abs(places[None, :] - centers[:, None])
    raw = np.maximum(reach - distances, 0)
    if is_cubic:
        t = np.minimum(distances, 2 * reach) * (2**40 // reach) // 2**24
        inner, outer = 3 * t**3 - 5 * 2**16 * t**2 + 2**49, 5 * 2**16 * t**2 - t**3 - 2**35 * t + 2**50
        raw = np.where(distances < 2 * reach, np.where(t < 2**16, inner, outer) >> 33, 0)
    passed = np.cumsum(raw, axis=1)
    total = passed[:, -1:]
    due = (passed * 2**15 + total) // (2 * total)
    return np.diff(due, axis=1, prepend=0)


def resized(codes: Codes, size: tuple[int, int], op: augment.Resize | augment.RandomResizedCrop) -> Codes:
    is_cubic = op.interpolation == "bicubic"
    down, across = (axis_weights(codes.shape[1 + i], size[i], op.antialias, is_cubic) for i in range(2))
    return filtered(codes, down, across, 7 if is_cubic else 8)


def filtered(codes: Codes, down: Levels, across: Levels, bits: int = 8) -> Codes:
    columns = (np.einsum("yk,ckx->cyx", down, codes.astype(np.int64) + 128) + 2 ** (13 - bits)) >> (14 - bits)
    sums = np.einsum("xk,cyk->cyx", across, columns) + 2 ** (13 + bits)
    return (np.clip(sums >> (14 + bits), 0, 255) - 128).astype(np.int8)


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


def blurred(codes: Codes, op: augment.GaussianBlur, word: int) -> Codes:
    radius, sigma = op.kernel_size // 2, between(*ranged(op.sigma), word)
    scale = -0.5 / (sigma * sigma) / LN2
    bell = [exp2(scale * d * d) if scale * d * d >= -64 else 0.0 for d in range(radius + 1)]
    total = 1.0
    for d in range(1, radius + 1):
        total += 2 * bell[d]
    weights = [math.floor(one / total * 2**14 + 0.5) for one in bell]
    weights[0] = 2**14 - 2 * sum(weights[1:])
    axes = []
    for count in codes.shape[1:]:
        axis = np.zeros((count, count), np.int64)
        for d in range(-radius, radius + 1):
            at = np.abs(np.arange(count) + d)
            np.add.at(axis, (np.arange(count), np.where(at >= count, 2 * (count - 1) - at, at)), weights[abs(d)])
        axes.append(axis)
    return filtered(codes, *axes)


def warped(codes: Codes, matrix: Sequence[float], op: augment.Affine) -> Codes:
    """`matrix` is xx, xy, mx, yx, yy, my."""
    _, height, width = codes.shape
    places = []
    for (along_x, along_y, move), side in ((matrix[:3], width), (matrix[3:], height)):
        start = along_x * (0.5 - 0.5 * width) + along_y * (0.5 - 0.5 * height) + move + 0.5 * side
        fixed_x, fixed_y, fixed_start = (math.floor(number * 2.0**32 + 0.5) for number in (along_x, along_y, start))
        columns = [(fixed_x * x) >> 16 for x in range(width)]
        rows = [(fixed_y * y + fixed_start) >> 16 for y in range(height)]
        places.append(np.add.outer(np.array(rows, np.int64), np.array(columns, np.int64)))
    x, y = places
    fill = codes_of(op.fill, codes.shape[0])[:, None, None]

    def pixels(row: Levels, column: Levels) -> Levels:
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
        found = codes[:, np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)]
        return np.where(inside, found, fill).astype(np.int64)

    if op.interpolation == "nearest":
        return pixels(y >> 16, x >> 16).astype(np.int8)
    x, y = x - 2**15, y - 2**15
    f, g = (x % 2**16) >> 5, (y % 2**16) >> 5
    row, column = y >> 16, x >> 16
    upper, lower = (
        (pixels(at, column) + 128) * (2**11 - f) + (pixels(at, column + 1) + 128) * f for at in (row, row + 1)
    )
    return (((upper * (2**11 - g) + lower * g + 2**21) >> 22) - 128).astype(np.int8)


def affine_matrix(degrees: float, right: float, down: float, scale: float, shear: Sequence[float]) -> list[float]:
    (sx, cx), (_, cy), (s, cos) = sin_cos(shear[0]), sin_cos(shear[1]), sin_cos(degrees)
    sin_less, cos_less = sin_cos(degrees - shear[1])
    t, a, c = sx / cx, cos_less / cy, sin_less / cy
    b, d = -(a * t + s), cos - c * t
    xx, xy, yx, yy = d / scale, -b / scale, -c / scale, a / scale
    return [xx, xy, -(xx * right + xy * down), yx, yy, -(yx * right + yy * down)]


def luma(u: Levels) -> Levels:
    return (9798 * u[0] + 19235 * u[1] + 3735 * u[2] + 2**14) >> 15 if len(u) == 3 else u[0]


def blend(u: Levels, base: Levels | int, factor: float) -> Levels:
    return np.clip(base + ((u - base) * math.floor(factor * 2**12 + 0.5) >> 12), 0, 255)


def hue(u: Levels, turns: float) -> Levels:
    if len(u) != 3:
        return u
    (r, g, b), low, high = u, u.min(0), u.max(0)
    k = high - low
    p = np.where(r == high, 16 * (g - b), np.where(g == high, 32 * k + 16 * (b - r), 64 * k + 16 * (r - g)))
    p = (p + ((math.floor(turns * 24576 + 0.5) % 24576) * k >> 8)) % np.maximum(96 * k, 1)
    parts = (np.abs(p - 48 * k) - 16 * k, 32 * k - np.abs(p - 32 * k), 32 * k - np.abs(p - 64 * k))
    return np.where(k == 0, u, np.stack([low + ((np.clip(part, 0, 16 * k) + 8) >> 4) for part in parts]))


def sharpened(u: Levels, factor: float) -> Levels:
    out, (_, h, w) = u.copy(), u.shape
    if h > 2 and w > 2:
        total = sum(u[:, y : h - 2 + y, x : w - 2 + x] for y in range(3) for x in range(3))
        middle = u[:, 1:-1, 1:-1]
        out[:, 1:-1, 1:-1] = blend(middle, (total + 4 * middle + 6) // 13, factor)
    return out


def stretched(u: Levels, equalizes: bool) -> Levels:
    out = u.copy()
    for c, plane in enumerate(u):
        low, high, step = plane.min(), plane.max(), (plane.size - (plane == plane.max()).sum()) // 255
        if equalizes and step > 0:
            below = np.concatenate([[0], np.cumsum(np.bincount(plane.ravel(), minlength=256))[:-1]])
            out[c] = np.minimum(255, (below + step // 2) // step)[plane]
        elif not equalizes and low < high:
            out[c] = (plane - low) * 255 // (high - low)
    return out


def recolored(name: str, u: Levels, amount: float) -> Levels:
    """The levels after a change of this name."""
    if name == "contrast":
        total, count = int(luma(u).sum()), luma(u).size
        return blend(u, (2 * total + count) // (2 * count), amount)
    if name == "gamma":
        exponents = [amount * log2(level / 255) for level in range(1, 256)]
        table = [0] + [0 if e < -64 else math.floor(255 * exp2(e) + 0.5) for e in exponents]
        return np.array(table)[u]
    return {
        "brightness": lambda: blend(u, 0, amount),
        "saturation": lambda: blend(u, luma(u), amount) if len(u) == 3 else u,
        "hue": lambda: hue(u, amount),
        "solarize": lambda: np.where(u >= amount, 255 - u, u),
        "solarize_add": lambda: np.where(u < 128, u + int(amount), u),
        "invert": lambda: 255 - u,
        "posterize": lambda: u & (0xFF00 >> int(amount) & 0xFF),
        "autocontrast": lambda: stretched(u, False),
        "equalize": lambda: stretched(u, True),
        "sharpness": lambda: sharpened(u, amount),
    }[name]()


POLICY = "identity shear_x shear_y translate_x translate_y rotate brightness saturation contrast sharpness posterize"
POLICY += " solarize autocontrast equalize"
TIMM_POLICY = "autocontrast equalize invert rotate posterize solarize solarize_add saturation contrast brightness"
TIMM_POLICY += " sharpness shear_x shear_y translate_x translate_y"


def nearest(codes: Codes, height: int, width: int) -> Codes:
    axes = ((codes.shape[1], height), (codes.shape[2], width))
    rows, columns = ((2 * np.arange(out) + 1) * count // (2 * out) for count, out in axes)
    return codes[:, rows[:, None], columns[None, :]]


def for_mask(op: augment.Operation) -> augment.Operation:
    """The operation on a mask: nearest pixels, and the ignored value 255 beyond the edge."""
    if isinstance(op, (augment.Cutout, augment.RandomErasing)):
        return dataclasses.replace(op, probability=0.0, value=0)
    given = {"fill": 255, "interpolation": "nearest"}
    return dataclasses.replace(op, **{name: value for name, value in given.items() if hasattr(op, name)})


def masked(mask: Levels, operations: Sequence[augment.Operation], **draws: int) -> Levels:
    """The mask [H,W] of a sample, with the draws that `augmented` has for these arguments."""
    kept = [for_mask(op) for op in operations if not isinstance(op, augment.NormalizedJitter)]
    one, half_range = [np.float32(1)], [np.float32(128)]
    return augmented(coded(mask[None]), one, half_range, kept, is_mask=True, **draws)[0].astype(np.int64)


def policy(
    codes: Codes, op: augment.TrivialAugment | augment.RandAugment, words: Sequence[int], is_mask: bool = False
) -> Codes:
    name, wide, (_, height, width) = (
        POLICY.split()[below(14, words[0])],
        isinstance(op, augment.TrivialAugment),
        codes.shape,
    )
    level = below(31, words[1]) if isinstance(op, augment.TrivialAugment) else op.magnitude
    sign = -1 if words[2] < 2**31 else 1
    t, share = sign * level / 30, level / 30
    if name == "identity":
        return codes
    if name.startswith(("shear", "translate", "rotate")):
        m, side = t * (0.99 if wide else 0.3), width if name.endswith("x") else height
        n = sign * math.floor(share * (32.0 if wide else 150 / 331 * side))
        matrix = {
            "shear_x": [1, m, m * (0.5 * height), 0, 1, 0],
            "shear_y": [1, 0, 0, m, 1, m * (0.5 * width)],
            "translate_x": [1, 0, -n, 0, 1, 0],
            "translate_y": [1, 0, 0, 0, 1, -n],
            "rotate": affine_matrix(-t * (135.0 if wide else 30.0), 0, 0, 1, (0, 0)),
        }[name]
        return warped(codes, matrix, op)
    if is_mask:
        return codes
    amount: float = 1 + t * (0.99 if wide else 0.9)
    if name == "posterize":
        amount = 8 - (2 * level * (6 if wide else 4) + 30) // 60
    if name == "solarize":
        amount = math.ceil(255 * (30 - level) / 30)
    return coded(recolored(name, levels_of(codes), amount))


def timm_policy(codes: Codes, op: augment.TimmRandAugment, draws: Draws, is_mask: bool = False) -> Codes:
    w, v = draws.words(), draws.words(1)
    if not w[0] / 2**32 < op.probability:
        return codes
    u = (((v[0] * 2**32 + v[1]) // 2**12) + 0.5) / 2**52
    normal = math.sqrt(-2 * LN2 * log2(u)) * sin_cos(360 * (v[2] / 2**32))[1]
    share = min(max(op.magnitude + op.deviation * normal, 0.0), 10.0) / 10
    t = -share if w[2] < 2**31 else share
    name, (_, height, width) = TIMM_POLICY.split()[below(15, w[1])], codes.shape
    matrices = {
        "shear_x": [1, t * 0.3, t * 0.3 * (0.5 * height), 0, 1, 0],
        "shear_y": [1, 0, 0, t * 0.3, 1, t * 0.3 * (0.5 * width)],
        "translate_x": [1, 0, t * 0.45 * width, 0, 1, 0],
        "translate_y": [1, 0, 0, 0, 1, t * 0.45 * height],
    }
    if name == "rotate":
        return warped(codes, affine_matrix(-t * 30, 0, 0, 1, (0, 0)), op)
    if name in matrices:
        return warped(codes, matrices[name], op)
    if is_mask:
        return codes
    whole = {"posterize": 4 - math.floor(share * 4), "solarize": 256 - math.floor(share * 256)}
    whole["solarize_add"] = math.floor(share * 110)
    return coded(recolored(name, levels_of(codes), whole.get(name, max(0.1, 1 + t * 0.9))))


def levels_of(codes: Codes) -> Levels:
    return codes.astype(np.int64) + 128


def coded(levels: Levels) -> Codes:
    return (levels - 128).astype(np.int8)


def ranged(value: float | tuple[float, float]) -> tuple[float, float]:
    return value if isinstance(value, tuple) else (value, value)


def per_channel(value: float | Sequence[float], channels: int) -> npt.NDArray[np.float64]:
    return np.broadcast_to(np.asarray(value, np.float64), channels)


def codes_of(value: float | Sequence[float], channels: int) -> Codes:
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
    codes: Codes,
    scale: Sequence[np.float32],
    shift: Sequence[np.float32],
    operations: Sequence[augment.Operation],
    *,
    seed: int,
    epoch: int,
    index: int,
    view: int = 0,
    is_mask: bool = False,
) -> npt.NDArray[np.float32]:
    """The augmented, normalized image of a sample with these codes [C,H,W]; `scale` and `shift` are [C]."""
    channels = codes.shape[0]
    seen: dict[type, int] = {}
    maps: npt.NDArray[np.float32] | None = None
    for op in operations:
        slot = 16 * KINDS.index(type(op)) + seen.get(type(op), 0)
        seen[type(op)] = seen.get(type(op), 0) + getattr(op, "count", 1)
        draws = Draws(seed, epoch, index, view, slot)
        words = draws.words()
        applied = words[0] / 2**32 < getattr(op, "probability", 1.0)
        _, height, width = codes.shape
        if isinstance(op, augment.AlternatingFlip):
            if (draws.words(epoch=0)[0] < 2**31) == (epoch % 2 == 0):
                codes = codes[:, :, ::-1]
        elif isinstance(op, augment.HorizontalFlip):
            codes = codes[:, :, ::-1] if applied else codes
        elif isinstance(op, augment.ViewFlip):
            codes = codes[:, :, ::-1] if view % 2 else codes
        elif isinstance(op, augment.ViewShift):
            top, left = ((0, 0), (-1, -1), (1, 1), (-1, 1), (1, -1))[view // 2 % 5]
            codes = crop(codes, top * op.pixels, left * op.pixels, (height, width), "reflect", codes[:, 0, 0])
        elif isinstance(op, augment.VerticalFlip):
            codes = codes[:, ::-1, :] if applied else codes
        elif isinstance(op, augment.RandomCrop):
            h, w = np.broadcast_to((height, width) if op.size is None else op.size, 2).tolist()
            top = below(height + 2 * op.padding - h + 1, words[1]) - op.padding
            left = below(width + 2 * op.padding - w + 1, words[2]) - op.padding
            codes = crop(codes, top, left, (h, w), op.border, codes_of(op.fill, channels))
        elif isinstance(op, augment.CenterCrop):
            h, w = np.broadcast_to(op.size, 2).tolist()
            codes = crop(codes, half(height - h), half(width - w), (h, w), "constant", codes_of(op.fill, channels))
        elif isinstance(op, augment.RandomResizedCrop):
            rows, columns = resized_part(op, draws, height, width)
            codes, out = codes[:, rows, columns], np.broadcast_to(op.size, 2).tolist()
            codes = nearest(codes, *out) if is_mask else resized(codes, out, op)
        elif isinstance(op, augment.Resize):
            sides = (height, width)
            out = op.size if isinstance(op.size, tuple) else [op.size * side // min(sides) for side in sides]
            codes = nearest(codes, *out) if is_mask else resized(codes, out, op)
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
        elif isinstance(op, augment.TrivialAugment):
            codes = policy(codes, op, words, is_mask)
        elif isinstance(op, augment.RandAugment):
            for n in range(op.count):
                codes = policy(codes, op, Draws(seed, epoch, index, view, slot + n).words(), is_mask)
        elif isinstance(op, augment.TimmRandAugment):
            for n in range(op.count):
                codes = timm_policy(codes, op, Draws(seed, epoch, index, view, slot + n), is_mask)
        elif applied and (isinstance(op, augment.Affine) or not is_mask):
            codes = changed(codes, op, words, draws.words(1))
    maps = maps_of(codes, scale, shift) if maps is None else maps
    # The product is exact in double, and the sum has at most 53 bits for codes and maps like these.
    return (codes.astype(np.float64) * maps[0] + maps[1]).astype(np.float32)


def changed(codes: Codes, op: augment.Operation, w: Sequence[int], v: Sequence[int]) -> Codes:
    """An affine image, or one with other colors."""
    u, (channels, height, width) = levels_of(codes), codes.shape
    if isinstance(op, augment.Affine):
        moves = [op.translate_x * width, op.translate_y * height]
        right, down = (math.floor(between(-most, most, word) + 0.5) for most, word in zip(moves, w[1:3], strict=True))
        degrees, x, y = ((-n, n) if isinstance(n, float) else n for n in (op.degrees, op.shear_x, op.shear_y))
        shear = [between(*x, v[2]), between(*y, v[3])]
        return warped(codes, affine_matrix(between(*degrees, v[0]), right, down, between(*op.scale, v[1]), shear), op)
    if isinstance(op, augment.GaussianBlur):
        return blurred(codes, op, w[1])
    if isinstance(op, augment.GaussianNoise):
        return coded(noisy(u, op, w))
    if isinstance(op, augment.ChannelPermutation):
        return codes[permutation(channels, w[1])]
    if isinstance(op, augment.ColorJitter):
        names, given = ("brightness", "contrast", "saturation"), (op.brightness, op.contrast, op.saturation)
        ranges = [(max(0, 1 - n), 1 + n) if isinstance(n, float) else n for n in given]
        ranges.append((-op.hue, op.hue) if isinstance(op.hue, float) else op.hue)
        for i in permutation(4, w[1]):
            u = recolored((*names, "hue")[i], u, between(*ranges[i], v[i]))
        return coded(u)
    if isinstance(op, augment.Grayscale):
        return coded(recolored("saturation", u, 0))
    if isinstance(op, augment.Invert):
        return coded(255 - u)
    amount = {"threshold": 0, "bits": 0, "gamma": w[1], "factor": w[1]}
    field = next((field for field in amount if hasattr(op, field)), None)
    value = 0.0 if field is None else between(*ranged(getattr(op, field)), amount[field])
    return coded(recolored(type(op).__name__.lower(), u, value))


def noisy(u: Levels, op: augment.GaussianNoise, w: Sequence[int]) -> Levels:
    factor = math.floor(between(*ranged(op.deviation), w[1]) * (255 * 65536 / math.sqrt(43690)) + 0.5)
    pairs = [philox([i, 0, 0, 0], w[2] << 32 | w[3]) for i in range((u.size + 1) // 2)]
    sums = [sum((word >> shift & 255) for word in half for shift in (0, 8, 16, 24)) for p in pairs
            for half in (p[:2], p[2:])]  # fmt: skip
    noise = (np.array(sums[: u.size], np.int64) - 1020).reshape(u.shape)
    return np.clip(u + (noise * factor + 2**15 >> 16), 0, 255)


def beta(draws: Draws, alpha: float) -> float:
    for block in range(1, 65):
        w = draws.words(block)
        for first, second in ((w[0], w[1]), (w[2], w[3])):
            a, b = (log2((word + 0.5) / 2**32) * (1 / alpha) for word in (first, second))
            if sum(exp2(e) if e >= -64 else 0.0 for e in (a, b)) <= 1:
                return 0.0 if b - a > 64 else 1.0 if b - a < -64 else 1 / (1 + exp2(b - a))
    return 0.5


Weights = tuple[np.float32, np.float32]


def mixing(mix: augment.Mix, draws: Draws, height: int, width: int) -> tuple[Weights, tuple[slice, slice] | None]:
    """The weights of the labels of a sample and its partner, and the rectangle of CutMix; None for MixUp."""
    w = draws.words()
    share_of_cutmix = mix.cutmix_share if mix.mixup_alpha and mix.cutmix_alpha else 1.0 if mix.cutmix_alpha else 0.0
    if not w[0] / 2**32 < mix.probability:
        return (np.float32(1), np.float32(0)), (slice(0, 0), slice(0, 0))
    if not w[1] / 2**32 < share_of_cutmix:
        share = beta(draws, mix.mixup_alpha)
        return (np.float32(share), np.float32(1 - share)), None
    half_side = 0.5 * math.sqrt(1 - beta(draws, mix.cutmix_alpha))
    cut = []
    for count, word in ((height, w[2]), (width, w[3])):
        center, reach = below(count, word), math.floor(half_side * count)
        cut.append(slice(max(center - reach, 0), min(center + reach, count)))
    shown = (cut[0].stop - cut[0].start) * (cut[1].stop - cut[1].start) / (height * width)
    return (np.float32(1 - shown), np.float32(shown)), (cut[0], cut[1])


def maps_of(codes: Codes, scale: Sequence[np.float32], shift: Sequence[np.float32]) -> npt.NDArray[np.float32]:
    """[2, C, H, W]: scale and shift of each value."""
    maps = np.empty((2, *codes.shape), np.float32)
    maps[0] = np.asarray(scale, np.float32)[:, None, None]
    maps[1] = np.asarray(shift, np.float32)[:, None, None]
    return maps
