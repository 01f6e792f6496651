"""The options of `Loader`: their types, and which of them evaluation must not have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

import numpy.typing as npt

from ._argument_names import check_names
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


#: Options that choose, change or leave out samples: only training may have them.
_OF_TRAINING = frozenset({
    "shuffle", "augment", "augment_seed", "mix", "label_smoothing", "views", "drop_last", "carry_over", "indices",
    "weights", "balance", "samples_per_epoch", "repeats", "replacement",
})  # fmt: skip
#: Options of the store of a loader.
_OF_STORE = frozenset({"verify", "threads", "progress", "residency", "memory_limit", "resident", "window"})
_OTHERS = frozenset(LoaderOptions.__annotations__) | {"framework", "keys"}


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Options of all loaders, those of the loader for training only, and those of stores.

    Raises
    ------
    TypeError
        If a loader has no such option.
    """
    check_names("octavo.Loader", options, _OTHERS)
    of_all = {name: value for name, value in options.items() if name not in _OF_TRAINING | _OF_STORE}
    of_training = {name: value for name, value in options.items() if name in _OF_TRAINING}
    of_store = {name: value for name, value in options.items() if name in _OF_STORE}
    return of_all, of_training, of_store
