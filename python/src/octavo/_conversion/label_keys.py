"""The field of the label in the samples of each split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .dataset_samples import by_split

#: A field, several of them, False for samples without labels, or None for the usual names.
LabelKey = str | Sequence[str] | Literal[False] | None


def label_keys_of(given: LabelKey | Mapping[str, LabelKey], parts: Mapping[str, Any]) -> dict[str, LabelKey]:
    """The field of each split, which a mapping gives by split.

    Raises
    ------
    TypeError, ValueError
        If `given` is something else, or names a split that is not one of `parts`.
    """
    if not isinstance(given, Mapping):
        return dict.fromkeys(parts, _checked(given))
    named = {name: _checked(key) for name, key in by_split(given, parts, "label_key").items()}
    return {name: named.get(name) for name in parts}


def _checked(key: Any) -> LabelKey:
    if key is None or key is False or isinstance(key, str):
        return key
    if not isinstance(key, (list, tuple)) or not all(isinstance(name, str) for name in key):
        raise TypeError(
            f"label_key is {key!r}; it must be a field, a sequence of fields, False, or a mapping from splits to these"
        )
    return False if not key else key[0] if len(key) == 1 else key
