"""The options of `Loader` that do not change the type of a batch, for type checkers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypedDict

import numpy.typing as npt

from ._progress import Progress
from ._sampling import Balance
from .augment import Mix, Operation
from .normalize import Normalize, Preset
from .store import Residency


class LoaderOptions(TypedDict, total=False):
    """See `Loader`."""

    batch_size: int | None
    shuffle: bool | str
    seed: int
    drop_last: bool
    carry_over: bool
    device: Any
    normalize: Normalize | Preset
    dtype: Any
    memory_format: Any
    label_dtype: Any
    rank: int | None
    world_size: int | None
    equal_shares: bool | None
    augment: Operation | Sequence[Operation] | Callable[[int], Operation | Sequence[Operation]]
    augment_seed: int | None
    views: int
    mix: Mix | None
    label_smoothing: float
    num_classes: int | None
    masks: bool | None
    mask_dtype: Any
    ignore_index: int
    indices: npt.ArrayLike | None
    weights: npt.ArrayLike | Callable[[int], npt.ArrayLike] | None
    balance: Balance
    samples_per_epoch: int | None
    repeats: int
    replacement: bool
    verify: bool
    threads: int
    progress: Progress
    residency: Residency
    memory_limit: int | str | None
    resident: int | None
    window: int | None
    prefetch: int | None
