"""What the transforms of a dataset would spoil when it is packed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .foreign_transforms import COLOR_TRANSFORMS, random_transforms
from .nested_datasets import nested


class RandomTransforms:
    """The random transforms that change each sample once when it is packed, the same in every epoch.

    Parameters
    ----------
    transform, mask_transform
        Those that are given for images and masks.
    parts
        The datasets by split, whose own transforms count, too.
    """

    def __init__(self, transform: Any, mask_transform: Any, parts: Mapping[str, Any]) -> None:
        given = [*random_transforms(transform), *random_transforms(mask_transform)]
        own = {split: [name for one in nested(part) for name in _own(one)] for split, part in parts.items()}
        self._names = list(dict.fromkeys([*given, *(name for names in own.values() for name in names)]))
        self._separate = {
            split: [name for name in [*given, *_drawn_separately(part)] if name not in COLOR_TRANSFORMS]
            for split, part in parts.items()
        }
        self._unused = [name for part in parts.values() for name in _elsewhere(part) if name not in self._names]

    def check(self, is_accepted: bool) -> None:
        """Raises ValueError if there are any, unless they are accepted."""
        if self._names and not is_accepted:
            raise ValueError(
                f"pack the dataset: the random transforms {', '.join(self._names)} would change each sample once, the "
                "same in every epoch; leave them out and pass augment= to octavo.Loader, or accept this with "
                "allow_random=True"
            )

    def check_mask(self, split: str, where: str) -> None:
        """Raises ValueError if a sample with a mask, in the middle of packing, would not fit its mask any more."""
        if self._separate[split]:
            raise ValueError(
                f"{where}: {self._separate[split][0]} would change the image and its mask differently, because each "
                "call draws its own numbers; leave it out and pass augment= to octavo.Loader, which moves both in the "
                "same way"
            )

    def notes(self) -> list[str]:
        """What is accepted, or perhaps overlooked."""
        if self._names:
            return [
                f"the random transforms {', '.join(self._names)} changed each sample once, the same in every epoch; "
                "pack without them, and pass augment= to octavo.Loader"
            ]
        if self._unused:
            return [
                f"the dataset has the random transforms {', '.join(dict.fromkeys(self._unused))}; if it applied them, "
                "they changed each sample once, the same in every epoch"
            ]
        return []


#: The attributes of a dataset that hold transforms of images and masks.
_TRANSFORMS = ("transform", "transforms", "target_transform")


def _own(owner: Any) -> list[str]:
    """The random transforms of a dataset."""
    return [name for attribute in _TRANSFORMS for name in random_transforms(getattr(owner, attribute, None))]


def _drawn_separately(part: Any) -> list[str]:
    """The random transforms of a dataset that are called once for the image and once for the mask, as in torchvision.

    The transforms in its attribute ``transforms`` alone are called once for both.
    """
    owners = [one for one in nested(part) if type(getattr(one, "transforms", None)).__name__ == "StandardTransform"]
    return [name for one in owners for name in _own(one)]


def _elsewhere(part: Any) -> list[str]:
    """The random transforms in other attributes of a dataset, which may or may not use them."""
    values = (value for one in nested(part) if hasattr(one, "__dict__") for value in vars(one).values())
    return [name for value in values for name in random_transforms(value)]


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
