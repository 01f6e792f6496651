"""Which samples an epoch shows, how often, and with which probability."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from .. import _core
from .frameworks import to_host

if TYPE_CHECKING:
    from ..arrays import ArraySplit
    from ..dataset import Split

#: ``"classes"``, or the number of the group of each sample.
Balance = Literal["classes"] | npt.ArrayLike | None


@dataclass(frozen=True)
class Sampling:
    """Checked arguments. The arrays have an element for each sample to choose from."""

    indices: npt.NDArray[np.int64] | None
    weights: npt.NDArray[np.float64] | None
    groups: npt.NDArray[np.int64] | None
    samples_per_epoch: int
    repeats: int
    choice_count: int
    replacement: bool

    @property
    def epoch_samples(self) -> int:
        """Samples of an epoch."""
        choices = self.choice_count
        if self.weights is not None and not self.replacement:
            choices = int(np.count_nonzero(self.weights))
        return (self.samples_per_epoch or choices) * self.repeats

    def to_native(self) -> _core.Sampling:
        native = _core.Sampling()
        if self.indices is not None:
            native.set_indices(np.ascontiguousarray(self.indices))
        if self.weights is not None:
            native.set_weights(np.ascontiguousarray(self.weights))
        if self.groups is not None:
            native.set_groups(np.ascontiguousarray(self.groups))
        native.samples_per_epoch, native.repeats = self.samples_per_epoch, self.repeats
        native.replacement = self.replacement
        return native


def resolve_sampling(
    source: Split | ArraySplit,
    indices: npt.ArrayLike | None,
    weights: npt.ArrayLike | None,
    balance: Balance,
    samples_per_epoch: int | None,
    repeats: int,
    replacement: bool,
) -> Sampling | None:
    """None if an epoch shows every sample once. Raises ValueError or TypeError, naming the argument."""
    times = operator.index(repeats)
    if weights is None and not replacement:
        raise ValueError("replacement is False, but there are no weights; pass weights")
    if indices is None and weights is None and balance is None and samples_per_epoch is None and times == 1:
        return None
    if times < 1:
        raise ValueError(f"repeats is {times}; it must be at least 1")
    chosen = None if indices is None else _checked_indices(indices, len(source))
    count = len(source) if chosen is None else len(chosen)
    positions = 0 if samples_per_epoch is None else operator.index(samples_per_epoch)
    if samples_per_epoch is not None and positions < 1:
        raise ValueError(f"samples_per_epoch is {positions}; it must be at least 1")
    return Sampling(
        chosen,
        None if weights is None else _per_sample("weights", weights, np.float64, chosen, len(source)),
        None if balance is None else _groups(source, balance, chosen),
        positions,
        times,
        count,
        bool(replacement),
    )


def _checked_indices(indices: npt.ArrayLike, sample_count: int) -> npt.NDArray[np.int64]:
    array = np.asarray(to_host(indices))
    if array.dtype == np.bool_:
        if array.shape != (sample_count,):
            raise ValueError(f"indices are a mask of shape {array.shape}; expected ({sample_count},)")
        array = np.flatnonzero(array)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise ValueError("indices are not a list of whole numbers with at least one element, or a mask")
    return array.astype(np.int64, copy=False)


def _per_sample(
    argument: str, given: Any, dtype: type, indices: npt.NDArray[np.int64] | None, sample_count: int
) -> npt.NDArray[Any]:
    """Numbers of the chosen samples; those of all samples are accepted too."""
    if isinstance(given, (Mapping, Set)) or not hasattr(given, "__len__"):
        raise TypeError(f"{argument} is a {type(given).__name__}; expected a list or an array of numbers")
    try:
        array = np.asarray(to_host(given))
        array = array if dtype == np.int64 else array.astype(dtype, copy=False)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{argument} are not numbers: {error}") from None
    if dtype == np.int64 and array.dtype.kind not in "iu":
        raise ValueError(f"{argument} has type {array.dtype}; expected whole numbers")
    array = array.astype(dtype, copy=False)
    count = sample_count if indices is None else len(indices)
    if indices is not None and array.shape == (sample_count,) and sample_count != count:
        array = array[indices]
    if array.shape != (count,):
        raise ValueError(f"{argument} has shape {array.shape}; expected one number for each of {count} samples")
    return array


def _groups(source: Split | ArraySplit, balance: Any, indices: npt.NDArray[np.int64] | None) -> npt.NDArray[np.int64]:
    if not isinstance(balance, str):
        return _per_sample("balance", balance, np.int64, indices, len(source))
    if balance != "classes":
        raise ValueError(f"balance is {balance!r}; it must be 'classes' or the group of each sample")
    if source.label_kind != "class":
        raise ValueError(f"balance='classes' needs class numbers; the labels are of kind {source.label_kind!r}")
    return _per_sample("balance", source.labels, np.int64, indices, len(source))
