"""The labels of appended samples: their kinds, and their checked numbers."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_NOUNS = {"class": "class number", "multi_label": "multi-label", "target": "target"}
#: What to do about samples without a label, in a Writer and in pack_dataset().
_WITHOUT_LABELS = (
    "; leave such samples out, or pack the whole split without labels: label=None, or label_key=False of "
    'pack_dataset(), {"test": False} for one of several splits'
)
#: What to do about text that is not a label.
_NO_CLASS = "; if it is not a label, pass label=None, or label_key=False to pack_dataset()"


@dataclass(frozen=True)
class Label:
    """The label of a sample."""

    #: ``"class"``, ``"multi_label"``, ``"target"`` or ``"none"``.
    kind: str
    #: int32 or float32: a class number [], multi-labels or targets [K]; int32 [0] without a label.
    numbers: npt.NDArray[Any]
    #: What the caller passed, for messages.
    given: Any
    #: Multi-labels that were passed as floats.
    were_floats: bool = False

    @property
    def form(self) -> tuple[str, tuple[int, ...]]:
        """What is the same for all labels of a split: the kind and the shape."""
        return self.kind, self.numbers.shape


def to_label(given: Any, class_numbers: Mapping[str, int]) -> Label:
    """The label that `given` stands for: None, text, a number, or several.

    Raises
    ------
    ValueError, TypeError
        If it is not a label, or does not suit the classes.
    """
    if given is None:
        return Label("none", np.empty(0, np.int32), given)
    value = _number_of_text(given, class_numbers) if isinstance(given, str) else given
    if hasattr(value, "detach"):  # a tensor
        value = value.detach().cpu().numpy()
    numbers = np.asarray(value)
    if numbers.ndim > 1 or numbers.size == 0:
        raise ValueError(f"its label has shape {numbers.shape}; it must be one number or a 1-D sequence of numbers")
    if np.issubdtype(numbers.dtype, np.floating):
        return Label("target", _targets(numbers, given), given)
    _check_integers(numbers, given)
    if numbers.ndim == 0:
        if class_numbers and numbers >= len(class_numbers):
            raise ValueError(f"its label {given!r} has no name; there are {len(class_numbers)} classes")
        return Label("class", numbers.astype(np.int32), given)
    _check_multi_labels(numbers, given, len(class_numbers))
    return Label("multi_label", numbers.astype(np.int32), given)


def as_multi_labels(label: Label, class_count: int) -> Label | None:
    """Targets that are all 0 or 1, one for each class, as multi-labels; None for other labels."""
    is_one_for_each = label.kind == "target" and class_count > 1 and label.numbers.shape == (class_count,)
    if not is_one_for_each or not np.isin(label.numbers, (0, 1)).all():
        return None
    return Label("multi_label", label.numbers.astype(np.int32), label.given, were_floats=True)


def mismatch(label: Label, form: tuple[str, tuple[int, ...]], *, earlier_were_floats: bool) -> str:
    """Says how a label differs from earlier ones, which have this form, or were floats that became multi-labels."""
    (kind, shape), (earlier_kind, earlier_shape) = label.form, form
    kinds = {kind, earlier_kind}
    if "none" in kinds:
        remedy = "pass a label with all samples of a split, or with none, as label_key=False of pack_dataset() does"
    elif kind == "target" and earlier_were_floats:
        remedy = (
            "floats that are all 0 or 1, one for each class, are multi-labels; leave out classes= for targets, or pass "
            "0 and 1 in all samples"
        )
    elif "target" in kinds and len(kinds) > 1:
        remedy = "pass floats for targets"
    else:
        remedy = "all labels of a split have one kind and length"
    is_one = not shape or shape[0] == 1
    noun = "" if kind == "none" else f"a {_NOUNS[kind]}" if is_one else _plural(kind, shape)
    this = f"its label {label.given!r} is {noun}" if noun else "it has no label"
    if earlier_kind == "none":
        return f"{this}, earlier samples, from sample 0 on, have no labels; {remedy}"
    return f"{this}, earlier labels are {_plural(earlier_kind, earlier_shape)}; {remedy}"


def _plural(kind: str, shape: tuple[int, ...]) -> str:
    return f"{shape[0]} {_NOUNS[kind]}s" if shape and shape[0] > 1 else f"{_NOUNS[kind]}s"


def _number_of_text(label: str, class_numbers: Mapping[str, int]) -> int:
    """The class that a text names: one of the class names, or a decimal integer, as in all sources."""
    if label in class_numbers:
        return class_numbers[label]
    text = label.strip()
    if text in ("", "?", "-1") or text.lower() == "nan":
        raise ValueError(f"it has no label ({label!r}){_WITHOUT_LABELS}")
    if re.fullmatch(r"\+?[0-9]+", text):
        return int(text)
    names = list(itertools.islice(class_numbers, 8))
    known = f"the classes are {', '.join(names)}" if names else f"name the classes with classes={_NO_CLASS}"
    raise ValueError(f"its label {label!r} is not the name of a class; {known}")


def _targets(numbers: npt.NDArray[Any], given: Any) -> npt.NDArray[np.float32]:
    targets = np.atleast_1d(numbers).astype(np.float32)
    if not np.isfinite(targets).all():
        raise ValueError(f"its label {given!r} is not finite")
    return targets


def _check_integers(numbers: npt.NDArray[Any], given: Any) -> None:
    """Raises an error unless these are class numbers or multi-labels."""
    if numbers.dtype == np.bool_:
        return
    if not np.issubdtype(numbers.dtype, np.integer):
        raise TypeError(f"its label is {given!r}, not a class number, multi-labels or targets")
    if numbers.ndim == 0 and numbers == -1:
        raise ValueError(f"it has no label (-1){_WITHOUT_LABELS}")
    if numbers.min() < 0 or numbers.max() > 2**31 - 1:
        raise ValueError(f"its label {given!r} is not in 0 ... 2**31 - 1")


def _check_multi_labels(numbers: npt.NDArray[Any], given: Any, class_count: int) -> None:
    if numbers.max() > 1:
        raise ValueError(f"its label {given!r} has values other than 0 and 1; pass floats for targets")
    if class_count and numbers.size != class_count:
        raise ValueError(f"its label has {numbers.size} numbers; there are {class_count} classes")
