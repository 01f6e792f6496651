"""States of loaders, which are saved with a model. The library reads and compares them."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Mapping
from typing import Any

from .. import _core

#: The last epoch that a loader can go to.
LAST_EPOCH: int = _core.last_epoch


def plain_state(state: dict[str, Any]) -> dict[str, Any]:
    """The state with Python's own types: NumPy numbers, arrays of one element and the like become what they hold."""
    if not isinstance(state, Mapping):
        raise TypeError(f"state is a {type(state).__name__}; pass a result of state_dict()")
    return {
        key: value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value
        for key, value in state.items()
    }


def saved_place(state: Mapping[str, Any], place_of: Callable[[str], tuple[int, int]]) -> tuple[int, int, int]:
    """Epoch of a saved state, the samples of that epoch that come before its place, and its epoch_offset.

    `place_of` is that of a native maker of batches. It raises ValueError if the state does not fit.
    """
    # What JSON lacks becomes a text, which no field has that JSON can express.
    epoch, samples = place_of(json.dumps(state, default=repr, skipkeys=True))
    try:
        return epoch, samples, operator.index(state.get("epoch_offset", 0))
    except TypeError:
        raise ValueError(
            'read a loader state: "epoch_offset" has the wrong type; pass the state as it was saved'
        ) from None
