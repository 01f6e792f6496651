"""What the operations of `octavo.augment` have in common."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from . import _core
from ._conversion.foreign_transforms import replacements

#: A number, or the range that it is drawn from.
Range = float | tuple[float, float]


class Parameters:
    """Parameters for the library. The subclasses are dataclasses."""

    def _to_native(self) -> Any:
        """The equivalent struct of the library. Raises TypeError or ValueError, which name the parameter."""
        name = type(self).__name__
        native = getattr(_core, name)()
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            given = getattr(self, field.name)
            try:
                setattr(native, field.name, given)
            except TypeError:
                raise TypeError(f"{name}: {field.name} is {given!r}; expected {field.type}") from None
            except ValueError as error:
                raise ValueError(f"{name}: {field.name} is {given!r}; {error}") from None
        return native


class Operation(Parameters):
    """An operation on the images of a batch. The subclasses are dataclasses; their fields are the parameters."""


def check_is_ours(augment: Any) -> None:
    """Raises TypeError if `augment` contains transforms of another library; it names the operations to use instead."""
    foreign = replacements(augment)
    if foreign is not None:
        raise TypeError(f"augment has {foreign}")


def checked_operations(augment: Operation | Sequence[Operation] | None) -> tuple[Operation, ...]:
    """The operations as a tuple. Raises TypeError if there is something else among them."""
    given = () if augment is None else augment
    operations = tuple(given) if isinstance(given, Sequence) and not isinstance(given, str) else (given,)
    check_is_ours(augment)
    for operation in operations:
        if not isinstance(operation, Operation) or not dataclasses.is_dataclass(operation):
            raise TypeError(
                f"augment contains {operation!r}; expected operations of octavo.augment, such as HorizontalFlip()"
            )
    return operations
