"""Explains arguments of a name that a function does not have."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def check_names(function: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raises TypeError for the first name that is not known, with the one that is probably meant."""
    names = sorted(known)
    for name in given:
        if name not in names:
            close = difflib.get_close_matches(name, names, n=1)
            remedy = f"did you mean {close[0]!r}?" if close else f"help({function}) lists them"
            raise TypeError(f"{function} has no argument {name!r}; {remedy}")


def explaining_names(function: str) -> Callable[[Function], Function]:
    """Makes a function, which messages call `function`, suggest the names of its arguments."""

    def decorate(decorated: Function) -> Function:
        known = [name for name in inspect.signature(decorated).parameters if name != "self"]

        @functools.wraps(decorated)
        def explaining(*arguments: Any, **options: Any) -> Any:
            check_names(function, options, known)
            return decorated(*arguments, **options)

        return explaining  # type: ignore[return-value]

    return decorate
