"""What the transforms of a dataset would spoil when it is packed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ._foreign_transforms import random_transforms
from ._nested_datasets import nested


def frozen_augmentation(given: Iterable[Any], parts: Mapping[str, Any]) -> list[str]:
    """A note if `given` transforms, or those of the datasets `parts`, are random: packing draws from them once."""
    own = (getattr(owner, name, None) for part in parts.values() for owner in nested(part) for name in _TRANSFORMS)
    names = dict.fromkeys(name for transform in [*given, *own] for name in random_transforms(transform))
    if not names:
        return []
    return [
        f"the random transforms {', '.join(names)} changed each sample once, the same in every epoch; pack without "
        "them, and pass augment= to octavo.Loader"
    ]


#: The attributes of a dataset that hold transforms of images.
_TRANSFORMS = ("transform", "transforms")


def check_target_transform(parts: Iterable[Any], classes: Sequence[str]) -> None:
    """Raises ValueError if a dataset's ``target_transform`` changes the numbers that its class names belong to."""
    for owner in (owner for part in parts for owner in nested(part)):
        change = getattr(owner, "target_transform", None)
        if not callable(change):
            continue
        for number, name in enumerate(classes):
            if not _keeps_class(change, number, len(classes)):
                raise ValueError(
                    f"dataset has a target_transform that changes the number {number} of class {name!r}; pass classes= "
                    "in the order of the new numbers, or classes=[] for none"
                )


def _keeps_class(change: Callable[[int], Any], number: int, class_count: int) -> bool:
    """Whether a label stays the same class: as its number, or as a vector with the maximum there."""
    try:
        label = np.asarray(change(number))
    except Exception:  # it expects labels of another kind, which do not have the class names
        return True
    if label.ndim == 1 and label.size == class_count > 1:
        return int(label.argmax()) == number
    return bool(label.ndim == 0 and label == number)
