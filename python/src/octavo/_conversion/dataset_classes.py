"""The classes of Python datasets: their names, and one numbering for all splits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .label_keys import LabelKey
from .nested_datasets import concatenated

#: Fields of labels, in the order in which they are looked for.
LABEL_KEYS = ("label", "labels", "fine_label", "target", "targets", "y")


class SplitClasses:
    """The classes of the dataset of one split.

    Parameters
    ----------
    split
        The name of the split.
    part
        Its dataset.
    label_key
        The field of the label, if the user names it; False: its samples are packed without labels.
    """

    def __init__(self, split: str, part: Any, label_key: LabelKey) -> None:
        self.split, self.label_key = split, label_key
        keys = (label_key,) if isinstance(label_key, str) else LABEL_KEYS
        self._found = [] if label_key is False else _names_of(part, keys)
        longest = max(self._found, key=len, default=[])
        self._problem = next((text for names in self._found if (text := _disagreement(longest, names))), "")
        #: The class names in label order; empty if the dataset has none, or its parts disagree.
        self.names = [] if self._problem else longest
        self._type = type(part).__name__
        self._wrapped = [] if self._found else list(_wrapped_classes(part))
        self._list_widths = _list_widths(part)
        self._places: list[int] | None = None
        self._class_count = len(self.names)
        self._has_numbers = False

    def number_as(self, common: Sequence[str]) -> None:
        """Makes `label_of` return the numbers of the same names in `common`, which has all of them."""
        numbers = {name: number for number, name in enumerate(common)}
        places = [numbers[name] for name in self.names]
        self._places = None if places == list(range(len(common))) else places
        self._class_count = len(common)

    def label_of(self, label: Any, field: Any, where: str) -> Any:
        """The label of a sample, which is in this field if the sample is a mapping, with the common class numbers."""
        if label is not None and field in self._list_widths:
            label = _multi_labels(label, self._list_widths[field], where)
        self._has_numbers = self._has_numbers or _is_class_number(label)
        return label if self._places is None or label is None else self._renumbered(label, where)

    def _renumbered(self, label: Any, where: str) -> Any:
        assert self._places is not None
        if isinstance(label, str):
            is_number = label not in self.names and re.fullmatch(r"\s*\+?[0-9]+\s*", label)
            return self._place_of(int(label), where) if is_number else label
        values = np.asarray(label.detach().cpu() if hasattr(label, "detach") else label)
        if not (np.issubdtype(values.dtype, np.integer) or values.dtype == np.bool_):
            return label  # targets
        if values.ndim == 0:
            return label if values < 0 else self._place_of(int(values), where)
        if values.shape != (len(self._places),):
            raise ValueError(f"{where}: its label has shape {values.shape}; there are {len(self._places)} classes")
        numbers = np.zeros(self._class_count, np.int32)
        numbers[self._places] = values
        return numbers

    def _place_of(self, number: int, where: str) -> int:
        assert self._places is not None
        if number >= len(self._places):
            raise ValueError(f"{where}: its label {number} has no name; its split has {len(self._places)} classes")
        return self._places[number]

    def notes(self, has_classes: bool) -> list[str]:
        """What is noteworthy about the names; `has_classes`: the file has class names."""
        if not self._has_numbers or self.names:
            return []
        if has_classes:
            return [f"split {self.split!r} has no class names; its class numbers are taken as those of the others"]
        remedy = "name the classes with classes=, in the order of the labels"
        if self._problem:
            return [f"no class names: of the datasets in the {self._type}, {self._problem}; {remedy}"]
        if self._wrapped:
            return [
                f"no class names: the {self._type} has none; the {self._wrapped[0]} in it does, but labels may be "
                f"changed; {remedy}"
            ]
        return []


def common_classes(splits: Sequence[SplitClasses], allow_mismatch: bool) -> list[str]:
    """One numbering of the classes of all splits: that of the first split with names.

    Raises
    ------
    ValueError
        If another split has a class that the first one lacks, unless `allow_mismatch`: it gets the next number then.
    """
    named = [split for split in splits if split.names]
    if not named:
        return []
    names = list(named[0].names)
    for split in named[1:]:
        extra = [name for name in split.names if name not in names]
        if extra and not allow_mismatch:
            raise ValueError(
                f"number the classes: split {split.split!r} has a class {extra[0]!r} that split {named[0].split!r} "
                f"lacks; its classes are {', '.join(names[:8])}; rename it, or accept this with allow_mismatch=True"
            )
        names += extra
    for split in named:
        split.number_as(names)
    return names


def check_same_numbers(splits: Sequence[SplitClasses]) -> None:
    """Raises ValueError if two splits number their classes differently, which given class names cannot describe."""
    named = [split for split in splits if split.names]
    for split in named[1:]:
        difference = _first_difference(named[0].names, split.names)
        if difference:
            raise ValueError(
                f"number the classes: splits {named[0].split!r} and {split.split!r} have different ones, {difference}; "
                "leave out classes=, which numbers them by name, or give all splits the same numbers"
            )


def _first_difference(first: Sequence[str], other: Sequence[str]) -> str:
    """The first class that two datasets number differently; empty if one may only lack the last classes."""
    for number, (a, b) in enumerate(zip(first, other, strict=False)):
        if a != b:
            return f"class {number} is {a!r} and {b!r}"
    return ""


def _disagreement(names: Sequence[str], others: Sequence[str]) -> str:
    """How the names of one part of a dataset differ from those of another; empty if they agree."""
    if not others:
        return "one has no class names"
    difference = _first_difference(names, others)
    return f"two have other names, {difference}" if difference else ""


def _names_of(part: Any, keys: Sequence[str]) -> list[list[str]]:
    """The class names of a dataset; of one like ``torch.utils.data.Subset`` or ``ConcatDataset``, those of its parts.

    A part without names, next to others with names, has an empty list.
    """
    if own := _own_names(part, keys):
        return [own]
    if hasattr(part, "dataset"):
        return _names_of(part.dataset, keys)
    names = [name for inner in concatenated(part) for name in _names_of(inner, keys) or [[]]]
    return names if any(names) else []


def _own_names(part: Any, keys: Sequence[str]) -> list[str]:
    classes = getattr(part, "classes", None)
    if isinstance(classes, (list, tuple)):
        return [str(name) for name in classes]
    features = getattr(part, "features", None)
    if isinstance(features, Mapping):
        for key in keys:
            feature = features.get(key)
            inner = _ids_in(feature)
            names = getattr(feature if inner is None else inner, "names", None)
            if names:
                return [str(name) for name in names]
    return []


def _ids_in(feature: Any) -> Any:
    """The ClassLabel of a list of class numbers; None for other features.

    A list of a fixed length of a class with two names is multi-labels already.
    """
    inner = feature[0] if isinstance(feature, list) and len(feature) == 1 else getattr(feature, "feature", None)
    names = getattr(inner, "names", None)
    if not names or (getattr(feature, "length", -1) > 0 and len(names) == 2):
        return None
    return inner


def _list_widths(part: Any) -> dict[Any, int]:
    """The fields that Hugging Face declares as lists of class numbers, and the numbers of classes.

    Of a ``ConcatDataset``, those that all parts declare in the same way.
    """
    features = getattr(part, "features", None)
    if isinstance(features, Mapping):
        return {key: len(inner.names) for key, feature in features.items() if (inner := _ids_in(feature)) is not None}
    if hasattr(part, "dataset"):
        return _list_widths(part.dataset)
    widths = [_list_widths(inner) for inner in concatenated(part)]
    return dict(set.intersection(*(set(own.items()) for own in widths))) if widths else {}


def _multi_labels(label: Any, class_count: int, where: str) -> Any:
    """A list of class numbers as multi-labels."""
    numbers = np.asarray(label.detach().cpu() if hasattr(label, "detach") else label)
    bits = np.zeros(class_count, np.int32)
    if numbers.size == 0:
        return bits
    if numbers.ndim != 1 or not np.issubdtype(numbers.dtype, np.integer):
        raise ValueError(f"{where}: its label {label!r} is not a list of class numbers, as its feature says")
    if numbers.min() < 0 or numbers.max() >= class_count:
        raise ValueError(f"{where}: its label {label!r} has numbers without a class; there are {class_count} classes")
    if len(np.unique(numbers)) < len(numbers):
        raise ValueError(
            f"{where}: its label {label!r} names a class twice; its feature says that it lists the numbers of classes, "
            "so multi-labels need a feature of integers, cast_column(..., Sequence(Value('int64')))"
        )
    bits[numbers] = 1
    return bits


def _wrapped_classes(part: Any) -> Iterator[str]:
    """The types of datasets with class names in the attributes of another one."""
    for value in vars(part).values() if hasattr(part, "__dict__") else ():
        if hasattr(value, "__getitem__") and _names_of(value, LABEL_KEYS):
            yield type(value).__name__


def _is_class_number(label: Any) -> bool:
    if isinstance(label, (bool, float, str)) or label is None:
        return False
    dtype = getattr(label, "dtype", None)
    is_scalar = getattr(label, "ndim", 0) == 0
    return isinstance(label, int) or (is_scalar and dtype is not None and "int" in str(dtype))
