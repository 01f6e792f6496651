"""Errors for arguments that are not dataset files."""

from __future__ import annotations

from typing import Any


def wrong_data(action: str, name: str, data: Any, expected: str) -> TypeError:
    """The error for an argument `name` of another type, with what to do."""
    return TypeError(f"{action}: {name} is of type {type(data).__name__}; pass {expected}{_remedy(data)}")


def _remedy(data: Any) -> str:
    if type(data).__module__.partition(".")[0] == __package__:
        return ""
    is_dataset = hasattr(data, "__getitem__") or hasattr(data, "__iter__")
    return "; pack it first with octavo.pack_dataset()" if is_dataset else ""
