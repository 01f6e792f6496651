"""Datasets that consist of others, as in ``torch.utils.data``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


def concatenated(part: Any) -> Sequence[Any]:
    """The parts of a ``ConcatDataset``."""
    inner = getattr(part, "datasets", None)
    return inner if isinstance(inner, (list, tuple)) else ()


def nested(part: Any) -> Iterator[Any]:
    """A dataset, and all those in it, such as in a ``Subset`` or a ``ConcatDataset``."""
    if part is None:
        return
    yield part
    yield from nested(getattr(part, "dataset", None))
    for inner in concatenated(part):
        yield from nested(inner)
