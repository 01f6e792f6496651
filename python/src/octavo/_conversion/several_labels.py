"""One label of the numbers in several fields of a sample."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .plain_values import as_json

#: All whole numbers up to this one are exact as float32.
_LARGEST_WHOLE = 2**24


class SeveralLabels:
    """The labels of several fields: multi-labels if all numbers are integers, 0 or 1, else targets, for all samples."""

    def __init__(self) -> None:
        self._first = ""  # the first sample that has a label
        self._are_targets = False

    def of(self, sample: Mapping[Any, Any], fields: list[str], where: str) -> npt.NDArray[Any]:
        """The label of a sample."""
        numbers = [as_json(sample[field]) for field in fields]
        if not all(isinstance(number, (bool, int, float)) for number in numbers):
            raise ValueError(f"{where}: the label fields {fields} must be numbers; name one field of text")
        if not all(isinstance(number, int) or math.isfinite(number) for number in numbers):
            raise ValueError(f"{where}: the label fields {fields} are {numbers}, not all finite")
        large = [number for number in numbers if isinstance(number, int) and abs(number) > _LARGEST_WHOLE]
        if large:
            raise ValueError(
                f"{where}: the label {large[0]} is too large for a target, which is a float32; convert it to float"
            )
        are_bits = all(isinstance(number, int) and number in (0, 1) for number in numbers)
        if not self._first:
            self._first, self._are_targets = where, not are_bits
        if not are_bits and not self._are_targets:
            raise ValueError(
                f"{where}: the label fields {fields} are {numbers}, but those of earlier samples, from {self._first} "
                "on, are multi-labels, 0 and 1; convert all to float, which makes them targets"
            )
        return np.array(numbers, np.float64 if self._are_targets else np.int32)  # stored as float32
