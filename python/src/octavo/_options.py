"""Options that are described once: their types, their defaults and what they mean."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import textwrap
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

Object = TypeVar("Object", bound=Callable[..., Any])

#: The entry for ``**options`` in a docstring.
_ENTRY = re.compile(r"^( *)options\n(?:\1 +.*\n)+", re.MULTILINE)
_WIDTH = 120


@dataclass(frozen=True)
class Option:
    """The second part of the type of an option: ``Annotated[int, Option(0, "What it means.")]``."""

    default: Any
    text: str
    #: It chooses, changes or leaves out samples, so evaluation must not have it.
    is_for_training: bool = False


@functools.cache
def options_of(kind: type) -> dict[str, tuple[Any, Option]]:
    """The type and the description of each option of a TypedDict."""
    hints = typing.get_type_hints(kind, include_extras=True)
    return {name: (hint.__origin__, hint.__metadata__[0]) for name, hint in hints.items()}


def types_of(kind: type) -> dict[str, Any]:
    """The types of the options of `kind`."""
    return {name: annotation for name, (annotation, _) in options_of(kind).items()}


def with_defaults(kind: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """All options of `kind`, those that are not given with their defaults."""
    return {name: given.get(name, option.default) for name, (_, option) in options_of(kind).items()}


def described_by(kind: type) -> Callable[[Object], Object]:
    """Shows the options of `kind` in the signature of a function that accepts ``**options``, and in its docstring."""

    def decorate(function: Object) -> Object:
        signature = inspect.signature(function)
        fixed = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        function.__signature__ = signature.replace(parameters=[*fixed, *_parameters(kind)])  # type: ignore[attr-defined]
        return describes(kind)(function)

    return decorate


def describes(kind: type) -> Callable[[Object], Object]:
    """Replaces the entry ``options`` in the docstring of a class or a function by one for each option of `kind`."""

    def decorate(documented: Object) -> Object:
        if documented.__doc__ is not None:  # as it is with python -OO
            documented.__doc__ = _ENTRY.sub(lambda entry: _entries(kind, entry[1]), documented.__doc__)
        return documented

    return decorate


def _parameters(kind: type) -> list[inspect.Parameter]:
    return [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=_type_text(kind, name)
        )
        for name, (_, option) in options_of(kind).items()
    ]


def _type_text(kind: type, name: str) -> str:
    """The type of an option as it is written."""
    return _written_type(kind.__annotations__[name].__forward_arg__)


@functools.cache
def _written_type(annotation: str) -> str:
    annotated = typing.cast(ast.Subscript, ast.parse(annotation, mode="eval").body)
    return ast.unparse(typing.cast(ast.Tuple, annotated.slice).elts[0])


def _entries(kind: type, indent: str) -> str:
    """The options as in the section "Parameters" of a docstring."""
    return "".join(
        f"{indent}{name}\n{_wrapped(option.text, indent)}\n" for name, (_, option) in options_of(kind).items()
    )


@functools.cache
def _wrapped(text: str, indent: str) -> str:
    margin = indent + "    "
    lines = textwrap.wrap(text, _WIDTH - len(margin), break_long_words=False, break_on_hyphens=False)
    return textwrap.indent("\n".join(lines), margin)
