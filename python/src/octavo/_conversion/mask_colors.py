"""The classes that the colors of masks stand for."""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .. import _pack

#: The classes of colors: a file, or a mapping from (R, G, B) or "#RRGGBB" to numbers or names.
MaskColors = str | os.PathLike[str] | Mapping[Any, int | str]


def read_colors(given: MaskColors) -> _pack.MaskColors:
    """The classes of the colors of masks.

    Raises
    ------
    FormatError, OSError
        If the file is damaged or cannot be read.
    ValueError
        If a color of the mapping is not one, or its class is not valid.
    TypeError
        If `given` is neither a file nor a mapping, or a class of the mapping is neither an integer nor a name.
    """
    from .. import _pack

    if isinstance(given, (str, os.PathLike)):
        return _pack.MaskColors.read(Path(given))
    if not isinstance(given, Mapping):
        raise TypeError(
            f"mask_colors is of type {type(given).__name__}; it must be a file or a mapping from colors to classes; "
            "for a sequence of colors in the order of their classes, pass {color: number for number, color in "
            "enumerate(colors)}"
        )
    return _pack.MaskColors.make([(_color(color), _class_text(color, given[color])) for color in given])


def _class_text(color: Any, given: Any) -> str:
    """A class number or name as text."""
    if isinstance(given, str):
        return given
    try:
        if isinstance(given, (bool, np.bool_)):
            raise TypeError
        return str(operator.index(given))
    except TypeError:
        raise TypeError(
            f"mask_colors has the class {given!r} for the key {color!r}; it must be an integer, or a name"
        ) from None


def _color(given: Any) -> tuple[int, int, int]:
    try:
        parts = bytes.fromhex(given[1:]) if isinstance(given, str) and given[:1] == "#" else tuple(given)
        red, green, blue = (operator.index(part) for part in parts)
    except (TypeError, ValueError):
        red = -1
    if red == -1 or not all(0 <= part <= 255 for part in (red, green, blue)):
        raise ValueError(f"mask_colors has the key {given!r}; it must be (R, G, B), from 0 to 255, or '#RRGGBB'")
    return red, green, blue


class ColorTable:
    """Maps the colors of masks to class numbers."""

    def __init__(self, colors: _pack.MaskColors) -> None:
        entries = sorted((red << 16 | green << 8 | blue, number) for (red, green, blue), number in colors.classes)
        self._colors = np.array([color for color, _ in entries], np.int64)
        self._numbers = np.array([number for _, number in entries], np.uint8)
        self.names = colors.names

    def __call__(self, mask: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """The class numbers [H, W] of RGB pixels [H, W, 3]."""
        wide = mask.astype(np.int64)
        pixels = wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]
        at = np.minimum(np.searchsorted(self._colors, pixels), len(self._colors) - 1)
        unknown = self._colors[at] != pixels
        if unknown.any():
            color = int(pixels[unknown][0])
            raise ValueError(
                f"its mask has the color #{color:06X}, which is not in mask_colors; add the color and its class"
            )
        return self._numbers[at]
