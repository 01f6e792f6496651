"""Splits as notebooks show them."""

from __future__ import annotations

import base64
import html

import numpy as np

from .augment import Resize
from .dataset import Split
from .loader import Loader
from .viewing import view

_THUMBNAIL_SIDE = 28


def sheet_html(split: Split, most: int) -> str:
    """The name of the split, and a picture of at most so many of its samples, spread evenly."""
    count = min(most, len(split))
    spread = np.linspace(0, len(split) - 1, count).round().astype(np.int64)
    _, height, width = split.shape
    scale = min(1.0, _THUMBNAIL_SIDE / max(height, width))
    size = (max(1, round(height * scale)), max(1, round(width * scale)))
    # Streamed: only these samples are read.
    loader = Loader(
        split, batch_size=count, indices=spread, shuffle=False, augment=[Resize(size)], device="cpu",
        residency="streamed", normalize="unit", rank=0, world_size=1,
    )  # fmt: skip
    columns = min(8, count)
    picture = base64.b64encode(view(loader, 0, columns=columns, scale=1, captions=False).png).decode()
    zoom = max(64, 2 * size[1]) * columns
    return (
        f"<div>{html.escape(repr(split))}<br>"
        f'<img style="width: {zoom}px; max-width: 100%" src="data:image/png;base64,{picture}"></div>'
    )
