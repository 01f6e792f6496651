"""Values of samples as plain Python values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def as_json(value: Any) -> Any:
    """The value with arrays and tensors as lists."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): as_json(part) for key, part in value.items()}
    return [as_json(part) for part in value] if isinstance(value, (tuple, list)) else value
