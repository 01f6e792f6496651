"""Imports frameworks that `octavo` alone does not need."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import Any


def import_framework(user: str, *names: str, package: str) -> Any:
    """The first of the modules `names` that is installed, for the module `user`, such as ``octavo.lightning``.

    Raises ModuleNotFoundError, which names the package to install, if there is none.
    """
    for name in names:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            # Another module of this name may be installed, without the part. What it imports is its own affair.
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
    raise missing(user, package)


def is_installed(name: str) -> bool:
    """Whether there is a module of this name, without importing it."""
    if name in sys.modules:
        return sys.modules[name] is not None
    return importlib.util.find_spec(name) is not None


def missing(user: str, package: str) -> ModuleNotFoundError:
    """The error of a module whose framework is not installed."""
    return ModuleNotFoundError(
        f"{user} needs {package}, which is not installed; run: pip install {package}", name=package
    )
