"""Labels as probabilities of classes."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..augment import Mix

if TYPE_CHECKING:
    from ..arrays import ArraySplit
    from ..dataset import Split


@dataclass(frozen=True)
class SoftLabels:
    """What labels become: float32 [B, width]."""

    mix: Mix | None
    #: Of probabilities; 0 for pairs.
    classes: int
    smoothing: float

    @property
    def width(self) -> int:
        return self.classes or 3


def resolve_soft_labels(
    source: Split | ArraySplit, mix: Mix | None, label_smoothing: float, num_classes: int | None
) -> SoftLabels | None:
    """None if labels stay class numbers. Raises TypeError or ValueError, naming the argument."""
    if mix is not None and not isinstance(mix, Mix):
        raise TypeError(f"mix is {mix!r}; expected octavo.augment.Mix")
    smoothing = float(label_smoothing)
    if mix is None and smoothing == 0.0:
        if num_classes is not None:
            raise ValueError("num_classes is for mix and label_smoothing; pass one of them too")
        return None
    if source.label_kind != "class":
        raise ValueError(f"mix and label_smoothing need class numbers; the labels are of kind {source.label_kind!r}")
    labels = source.labels
    assert labels is not None
    largest = int(labels.max())
    if mix is not None and mix.pairs:
        if smoothing != 0.0 or num_classes is not None:
            raise ValueError("labels become pairs; pass label_smoothing to the loss, and omit num_classes")
        if largest >= 2**24:
            raise ValueError(f"a label is {largest}; float32 pairs are exact below 2**24")
        return SoftLabels(mix, 0, 0.0)
    names = len(getattr(source, "classes", ()))
    classes = operator.index(num_classes) if num_classes is not None else names or largest + 1
    if largest >= classes:
        raise ValueError(f"num_classes is {classes}, but a label is {largest}; class numbers are below num_classes")
    return SoftLabels(mix, classes, smoothing)
