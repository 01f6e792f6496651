"""Adds notes to exceptions that other code raised."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def annotate(error: Exception, note: str) -> None:
    """Adds a note to the message of an exception raised by other code."""
    if sys.version_info >= (3, 11):
        error.add_note(note)
    elif isinstance(error, OSError) and error.strerror:
        error.strerror = f"{error.strerror} ({note})"
    elif error.args and isinstance(error.args[0], str):
        error.args = (f"{error.args[0]} ({note})", *error.args[1:])


def annotated_call(function: Callable[[Any], Any], value: Any, what: str) -> Any:
    """The result of ``function(value)``; an exception gets a note that names the call."""
    try:
        return function(value)
    except Exception as error:
        annotate(error, f"while calling {what}")
        raise
