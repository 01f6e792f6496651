"""Adds notes to exceptions that other code raised."""

from __future__ import annotations

import sys


def annotate(error: Exception, note: str) -> None:
    """Adds a note to the message of an exception raised by other code."""
    if sys.version_info >= (3, 11):
        error.add_note(note)
    elif isinstance(error, OSError) and error.strerror:
        error.strerror = f"{error.strerror} ({note})"
    elif error.args and isinstance(error.args[0], str):
        error.args = (f"{error.args[0]} ({note})", *error.args[1:])
