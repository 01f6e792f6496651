"""Checks the arguments of a loader before anything is loaded."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, get_args

from .._argument_names import check_names
from .._argument_types import check_types, is_truth
from .._augment_base import check_is_ours, checked_operations
from .._options import types_of
from ..store import Data, Store
from .batch_options import BatchOptions, resolve_batch_options
from .loader_options import AllLoaderOptions, GraphLoaderOptions, Residency

_NO_WORKERS = "it has no worker processes, and makes batches on the device"

#: Arguments of ``torch.utils.data.DataLoader`` that a loader does not have, and what to use instead.
DATA_LOADER_ARGUMENTS = {
    "num_workers": _NO_WORKERS,
    "pin_memory": _NO_WORKERS,
    "prefetch_factor": _NO_WORKERS,
    "persistent_workers": _NO_WORKERS,
    "multiprocessing_context": _NO_WORKERS,
    "worker_init_fn": _NO_WORKERS,
    "timeout": _NO_WORKERS,
    "in_order": _NO_WORKERS,
    "transform": "use augment=, or transform= of octavo.pack_dataset()",
    "collate_fn": "use mix=, views= or keys=",
    "sampler": "use shuffle=, indices=, weights= or balance=",
    "batch_sampler": "use batch_size= and indices=, weights= or balance=",
    "generator": "use seed=",
}

#: Arguments of a `Loader` that a `GraphLoader` does not have, and why.
_ONLY_OF_LOADERS = {
    "drop_last": "all its batches are complete; with carry_over=True, no sample is left out",
    "equal_shares": "all its batches are complete, so ranks share them equally",
    "keys": "use a Loader",
    "prefetch": "use a Loader; all samples are on the device",
    "memory_limit": "use a Loader; all samples are on the device",
    "replacement": "use a Loader; a graph draws with replacement",
    "residency": "all samples are on the device",
    "resident": "use a Loader; all samples are on the device",
    "window": "use a Loader; all samples are on the device",
}


def check_loader_names(kind: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raises TypeError for an argument that a loader of this kind does not have, and names what to use instead."""
    names = {"data", "split", *known}
    for name in given:
        if name in DATA_LOADER_ARGUMENTS:
            raise TypeError(f"a {kind} has no {name}=, as a DataLoader has: {DATA_LOADER_ARGUMENTS[name]}")
        if name in _ONLY_OF_LOADERS and name not in names:
            raise TypeError(f"a {kind} has no {name}=, as a Loader has: {_ONLY_OF_LOADERS[name]}")
    check_names(f"octavo.{kind}", given, names)


def resolve_arguments(
    data: Data | Store, split: str | None, options: Mapping[str, Any]
) -> tuple[str, int, BatchOptions]:
    """The name of the order, the batches to read ahead, and the options of batches, for a loader with all options."""
    check_types(options, types_of(AllLoaderOptions))
    augment, weights = options["augment"], options["weights"]
    _check_augment(augment)
    if options["carry_over"] and callable(weights):
        raise ValueError("carry_over is not available with weights that change between epochs")
    if options["carry_over"] and options["drop_last"]:
        raise ValueError("drop_last and carry_over exclude each other; use one of them")
    if options["residency"] not in get_args(Residency):
        *names, last = get_args(Residency)
        raise ValueError(f"residency is {options['residency']!r}; expected {', '.join(names)} or {last}")
    shuffle = options["shuffle"]
    order = shuffle if isinstance(shuffle, str) else "global" if shuffle else "none"
    depth = _checked_prefetch(options["prefetch"])
    resolved = resolve_batch_options(
        data, split, options, _operations_at_first(augment), weights(0) if callable(weights) else weights
    )
    checked_keys(options["keys"], resolved.masks is not None)
    return order, depth, resolved


def resolve_graph_arguments(data: Data | Store, split: str | None, options: Mapping[str, Any]) -> BatchOptions:
    """The options of batches, for a loader for graphs with all options."""
    shuffle, augment = options["shuffle"], options["augment"]
    if not is_truth(shuffle):
        raise ValueError(f"shuffle is {shuffle!r}; graphs support True (global shuffle) and False (file order)")
    check_types(options, types_of(GraphLoaderOptions))
    _check_augment(augment)
    for name in ("augment", "weights"):
        if callable(options[name]):
            raise TypeError(f"{name} of a graph cannot depend on the epoch; use a Loader")
    return resolve_batch_options(data, split, options, augment, options["weights"])


def _check_augment(augment: Any) -> None:
    """Raises TypeError for what is callable, but not a function of the epoch."""
    check_is_ours(augment)
    if isinstance(augment, type):
        raise TypeError(f"augment is the class {augment.__name__}; pass an operation, {augment.__name__}(...)")


def _operations_at_first(augment: Any) -> Any:
    """The operations of the first epoch."""
    if not callable(augment):
        return augment
    try:
        return checked_operations(augment(0))
    except (TypeError, AttributeError) as error:
        raise TypeError(
            f"augment is a function, which is called with the number of the epoch and returns operations of "
            f"octavo.augment; {augment!r} failed: {error}"
        ) from error


def checked_keys(keys: Sequence[str | None] | None, has_masks: bool) -> tuple[str | None, ...] | None:
    """The keys as a tuple. Raises ValueError if they are not those of the parts of a batch."""
    if keys is None:
        return None
    parts = ("images", "masks", "labels") if has_masks else ("images", "labels")
    # The order of a set is not that of its names.
    is_unordered = isinstance(keys, (str, Set, Mapping)) or not hasattr(keys, "__len__")
    named = [] if is_unordered else [key for key in keys if key is not None]
    if not named or len(keys) != len(parts) or len(set(named)) != len(named):
        raise ValueError(
            f"keys is {keys!r}; expected {len(parts)} different names, for {', '.join(parts)}; None leaves a part out"
        )
    return tuple(keys)


def _checked_prefetch(prefetch: int | None) -> int:
    if prefetch is None:
        return -1
    number = operator.index(prefetch)
    if not 0 <= number <= 64:
        raise ValueError(f"prefetch is {number}; it must be in [0, 64]")
    return number
