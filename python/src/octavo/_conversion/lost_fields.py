"""What the samples of a split lack that its file has."""

from __future__ import annotations

from typing import Any

from ..dataset import Split
from .nested_datasets import nested


def notes_on_splits(part: Any) -> list[str]:
    """What packing the samples of splits loses, also in a ``Subset`` or a ``ConcatDataset``."""
    notes = []
    for split in nested(part):
        if isinstance(split, Split) and (lost := _lost_of(split)):
            notes.append(
                f"not packed: {', '.join(lost)} of the split {split.name!r}, whose samples are stored bytes and "
                "labels; octavo.repack() keeps them"
            )
    return notes


def _lost_of(split: Split) -> list[str]:
    found, native = split.statistics, split._opened()
    is_quantized = bool((found.scale != 1.0).any() or (found.zero_point != 0.0).any())
    columns = ", ".join(map(repr, native.columns))
    lost = {
        "the units (scale and zero_point)": is_quantized,
        f"the columns {columns}": bool(columns),
        "the names": native.sample_name(0) is not None,
    }
    return [text for text, is_lost in lost.items() if is_lost]
