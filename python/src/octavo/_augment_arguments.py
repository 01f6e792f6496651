"""Explains arguments of the operations of `octavo.augment` that other libraries call otherwise."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from ._argument_names import check_names

#: The names that torchvision, Albumentations and Kornia use, and ours. An operation has at most one of ours.
_OTHER_NAMES = {
    "p": ("probability",),
    "prob": ("probability",),
    "scale": ("area",),
    "padding_mode": ("border",),
    "translate": ("translate_x and translate_y",),
    "shear": ("shear_x and shear_y",),
    "num_ops": ("count",),
    "sharpness_factor": ("factor",),
    "brightness_limit": ("brightness",),
    "contrast_limit": ("contrast",),
    "alpha": ("mixup_alpha", "cutmix_alpha"),
    "length": ("size",),
}


def explain_arguments(operation: type) -> None:
    """Makes the constructor of an operation name its argument for one of another library."""
    create = operation.__init__  # type: ignore[misc]
    function = f"octavo.augment.{operation.__name__}"
    known = [name for name in inspect.signature(create).parameters if name != "self"]

    @functools.wraps(create)
    def explaining(self: Any, *arguments: Any, **options: Any) -> None:
        for name in options:
            if name not in known and (ours := _own_name(name, known)):
                raise TypeError(f"{function} has no argument {name!r}; it is called {ours}")
        check_names(function, options, known)
        create(self, *arguments, **options)

    operation.__init__ = explaining  # type: ignore[misc]


def _own_name(name: str, known: list[str]) -> str:
    """What the operation with the arguments `known` calls this one; empty if unknown."""
    return next((ours for ours in _OTHER_NAMES.get(name, ()) if ours.partition(" ")[0] in known), "")
