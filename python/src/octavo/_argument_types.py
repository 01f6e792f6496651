"""Checks the types of arguments before they reach native code, whose errors show its own signatures."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

#: Whole numbers below 2**63, and whether they may be None.
_WHOLE_NUMBERS = {
    "batch_size": True, "augment_seed": True, "views": False, "ignore_index": False, "num_classes": True,
    "samples_per_epoch": True, "repeats": False, "threads": False, "resident": True, "window": True, "prefetch": True,
    "rank": True, "world_size": True, "batches_per_launch": False,
}  # fmt: skip
#: Truth values, and whether they may be None.
_TRUTHS = {
    "drop_last": False, "carry_over": False, "equal_shares": True, "masks": True, "replacement": False, "verify": False
}  # fmt: skip


def check_types(arguments: Mapping[str, Any]) -> None:
    """Checks those of a loader that are present. Raises TypeError or ValueError, naming the argument."""
    for name, value in arguments.items():
        if name in _WHOLE_NUMBERS and not (value is None and _WHOLE_NUMBERS[name]):
            number = whole_number(name, value)
            if number >= 2**63 and name != "augment_seed":  # a seed may be any number below 2**64
                raise ValueError(f"{name} is {number}; it must be below 2**63")
        elif name in _TRUTHS and not (value is None and _TRUTHS[name]):
            _check_truth(name, value)
        elif name == "label_smoothing" and not isinstance(value, numbers.Real):
            raise TypeError(f"{name} is {value!r}; it must be a number")


def whole_number(name: str, value: Any) -> int:
    """The value as an int. Raises TypeError, naming the argument, if it is not a whole number."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; it must be a whole number") from None


def is_truth(value: Any) -> bool:
    """Whether it is True, False, or a number that equals one of them. Text such as "no" would count as true."""
    is_number = isinstance(value, numbers.Integral) and value in (0, 1)
    return isinstance(value, (bool, np.bool_)) or is_number


def _check_truth(name: str, value: Any) -> None:
    if not is_truth(value):
        raise TypeError(f"{name} is {value!r}; it must be True or False")
