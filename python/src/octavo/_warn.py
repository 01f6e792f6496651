"""Warnings at the line of the user's code."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from types import FrameType

_PACKAGE = Path(__file__).parent


def warn(message: str, category: type[Warning]) -> None:
    """Warns at the line that called the package, however deep in it this is: Python shows a text once for a line."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and Path(frame.f_code.co_filename).parent == _PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
