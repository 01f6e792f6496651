"""Shows on the site the options of functions that accept ``**options``, as `help` does.

The options are described in `octavo._loading.loader_options`, once for all functions that have them.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import griffe


class Options(griffe.Extension):
    """For mkdocstrings: takes the signature and the docstring of such a function from the installed package."""

    def on_class(self, *, cls: griffe.Class, **options: Any) -> None:
        """Replaces the docstring of a class whose constructor has options."""
        create = cls.members.get("__init__")
        if isinstance(create, griffe.Function) and (found := _described(create)):
            _show_parameters(create, found)
            _replace_docstring(cls)

    def on_function(self, *, func: griffe.Function, **options: Any) -> None:
        """Replaces the docstring of a function with options."""
        if func.name != "__init__" and (found := _described(func)):
            _show_parameters(func, found)
            _replace_docstring(func)


def _described(function: griffe.Function) -> inspect.Signature | None:
    """The signature that the package gives a function in place of ``**options``; None for other functions."""
    if not any(decorator.callable_path.endswith(".described_by") for decorator in function.decorators):
        return None
    signature: inspect.Signature = _runtime(function).__signature__
    return signature


def _runtime(documented: griffe.Object) -> Any:
    found: Any = importlib.import_module(documented.module.path)
    for name in documented.path.removeprefix(documented.module.path + ".").split("."):
        found = getattr(found, name)
    return getattr(found, "__func__", found)  # of a class method


def _replace_docstring(documented: griffe.Object) -> None:
    if documented.docstring is not None:
        documented.docstring.value = inspect.getdoc(_runtime(documented)) or ""


def _show_parameters(function: griffe.Function, signature: inspect.Signature) -> None:
    named = [one for one in function.parameters if one.name != "options"]
    shared = [
        griffe.Parameter(
            name, annotation=one.annotation, kind=griffe.ParameterKind.keyword_only, default=repr(one.default)
        )
        for name, one in signature.parameters.items()
        if name not in {parameter.name for parameter in named}
    ]
    function.parameters = griffe.Parameters(*named, *shared)
