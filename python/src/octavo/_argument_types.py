"""Checks the types of arguments before they reach native code, whose errors show its own signatures."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np


def check_types(arguments: Mapping[str, Any], types: Mapping[str, Any]) -> None:
    """Checks the arguments that are numbers or truth values. Raises TypeError or ValueError, naming the argument."""
    for name, value in arguments.items():
        kind = types.get(name)
        if value is None and kind in (int | None, bool | None):
            continue
        if kind in (int, int | None):
            _check_whole(name, value)
        elif kind in (bool, bool | None):
            _check_truth(name, value)
        elif kind is float and not isinstance(value, numbers.Real):
            raise TypeError(f"{name} is {value!r}; it must be a number")


def _check_whole(name: str, value: Any) -> None:
    number = whole_number(name, value)
    if number >= 2**63 and name not in ("seed", "augment_seed"):  # a seed may be any number below 2**64
        raise ValueError(f"{name} is {number}; it must be below 2**63")


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
