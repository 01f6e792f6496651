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
        if is_installed(name.partition(".")[0]):
            return importlib.import_module(name)
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
