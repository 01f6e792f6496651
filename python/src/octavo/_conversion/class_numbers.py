"""Compares the class numbers of two splits, which may be in different files."""

from __future__ import annotations

from ..dataset import Split


def class_difference(trained: Split, other: Split) -> str | None:
    """How the classes of `other` differ from those of the split that a model is trained on.

    None if they do not, or if one of them has no class names. `other` may lack the last classes.
    """
    if not trained.classes or not other.classes:
        return None
    numbers = trained.class_to_idx
    for number, name in enumerate(other.classes):
        if name not in numbers:
            return f"class {number} of {_named(other)} is {name!r}, which {_named(trained)} lacks"
        if numbers[name] != number:
            return f"class {name!r} is {number} in {_named(other)} and {numbers[name]} in {_named(trained)}"
    return None


#: What to do about it.
REMEDY = "pack both into one file, or pass the same classes= to both"


def _named(split: Split) -> str:
    return split.dataset._file_name
