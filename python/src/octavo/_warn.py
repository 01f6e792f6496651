"""Warnings at the line of the user's code."""

from __future__ import annotations

import contextlib
import sys
import warnings
from pathlib import Path
from types import FrameType

_PACKAGE = Path(__file__).parent


def warn(message: str, category: type[Warning]) -> None:
    """Warns at the line that called the package, however deep in it this is: Python shows a text once for a line."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and _is_ours(frame):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def _is_ours(frame: FrameType) -> bool:
    """Whether it runs code of the package, or enters a context of it."""
    file = frame.f_code.co_filename
    return _PACKAGE in Path(file).parents or file == contextlib.__file__
