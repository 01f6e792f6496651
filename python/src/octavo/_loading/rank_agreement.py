"""Finds ranks that serve parts of different batches, as with ``seed=seed + rank`` or with a file for each rank."""

from __future__ import annotations

import collections
import hashlib
import json
import sys
from collections.abc import Mapping
from typing import Any

#: The loaders of two ranks are compared if these fields of their states are equal: loaders of the same samples,
#: whatever their options, similar loaders of any samples, and loaders of splits with the same name.
_COMPARED = (("data", "split"), ("batch_size", "shuffle"), ("split",))

#: Fields that usually differ together, as in two files or two splits. The first one says the most.
_OF_SAMPLES = ("split", "data", "sample_count", "normalization")

#: How many loaders of each kind this process has compared: loaders are compared in the order of their first batches.
_loader_counts: collections.Counter[str] = collections.Counter()


class RankAgreement:
    """Compares the states of the loaders of all ranks, through the store of ``torch.distributed``.

    No rank waits: each one publishes its state and compares it with those that are already there. Any difference is
    found, by the last rank at the latest.

    Parameters
    ----------
    state
        A result of `Loader.state_dict` for the first batch.
    """

    def __init__(self, rank: int, world_size: int, state: Mapping[str, Any], store: Any) -> None:
        self._rank, self._state, self._store = rank, dict(state), store
        prefixes = [_next_prefix({name: state[name] for name in fields}) for fields in _COMPARED]
        self._others = {(other, prefix) for other in range(world_size) for prefix in prefixes if other != rank}
        for prefix in prefixes:
            store.set(f"{prefix}/{rank}", json.dumps(self._state))

    def check(self) -> None:
        """Raises ValueError if another rank serves other batches."""
        for other in sorted(self._others):
            rank, prefix = other
            state = self._published(f"{prefix}/{rank}")
            if state is not None:
                self._compare(rank, state)
                self._others.remove(other)

    def _published(self, key: str) -> dict[str, Any] | None:
        """The state of a loader of another rank, if it is known."""
        try:
            return dict(json.loads(self._store.get(key))) if self._store.check([key]) else None
        except RuntimeError:  # the process that keeps the store has ended
            return None

    def _compare(self, rank: int, state: Mapping[str, Any]) -> None:
        different = [
            name
            for name in sorted(self._state.keys() | state.keys(), key=_by_importance)
            if self._state.get(name) != state.get(name)
        ]
        of_samples = [name for name in different if name in _OF_SAMPLES]
        named = of_samples[:1] + [name for name in different if name not in _OF_SAMPLES]
        if not named:
            return
        differences = ", and ".join(
            f"{name} is {self._state.get(name)!r} on rank {self._rank} and {state.get(name)!r} on rank {rank}"
            for name in named
        )
        raise ValueError(
            f"ranks must serve parts of the same batches, but {differences}; pass the same file and arguments on "
            "every rank, or rank=0, world_size=1 for batches of its own"
        )


def _by_importance(name: str) -> tuple[int, str]:
    """Sorts the fields of samples first, in their order."""
    return (_OF_SAMPLES.index(name) if name in _OF_SAMPLES else len(_OF_SAMPLES), name)


def _next_prefix(fields: Mapping[str, Any]) -> str:
    """What the keys of the next loader with these fields begin with."""
    kind = json.dumps(fields)
    prefix = f"octavo/{hashlib.sha256(kind.encode()).hexdigest()[:16]}/{_loader_counts[kind]}"
    _loader_counts[kind] += 1
    return prefix


def find_store() -> Any:
    """The store that the ranks of ``torch.distributed`` share; None if there is none, or this version has another."""
    distributed = sys.modules.get("torch.distributed.distributed_c10d")
    find = getattr(distributed, "_get_default_store", None)
    try:
        store = None if find is None else find()
    except ValueError:  # the ranks are known without a process group
        return None
    return store if hasattr(store, "check") else None
