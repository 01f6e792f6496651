"""Writes the classes of `octavo.augment` from the descriptions in octavo/augment.hpp.

    python write_augment_types.py FOLDER OUTPUT

FOLDER contains the package `octavo` with its module `_core`.
"""

from __future__ import annotations

import sys
import textwrap
from typing import Any

_HEAD = '''"""The operations of augmentations, and the mixing. Written by write_augment_types.py; do not edit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ._augment_base import Operation, Parameters, Range
'''
_WIDTH = 116

#: What one number means for a range, by the value of OneNumber.
_ONE_NUMBER = {
    1: "",
    2: "One number ``x`` is the range from ``-x`` to ``x``.",
    3: "One number ``x`` is the range from ``max(0, 1 - x)`` to ``1 + x``.",
}


def _limits(parameter: dict[str, Any]) -> str:
    """A sentence; empty if there are no limits, or if they say nothing to a reader."""
    least, most, without_least, without_most = parameter["limits"]
    is_side = most >= 2**24
    if parameter["type"] in ("bool",) or "choices" in parameter or abs(most) == float("inf") or is_side:
        return ""
    if without_least or without_most:
        lower, upper = "Above" if without_least else "At least", "below" if without_most else "at most"
        return f"{lower} {least:g}, {upper} {most:g}."
    return f"{least:g} to {most:g}."


def _help(parameter: dict[str, Any]) -> str:
    sentences = [parameter["help"], _limits(parameter), _ONE_NUMBER.get(parameter["one_number"], "")]
    return " ".join(sentence for sentence in sentences if sentence)


def _wrapped(text: str, indent: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def _docstring(struct: dict[str, Any]) -> str:
    summary = textwrap.fill(struct["summary"], _WIDTH - 4, break_on_hyphens=False).replace("\n", "\n    ")
    parts = [f'    """{summary}']
    if struct["details"]:
        parts.append(_wrapped(struct["details"], "    "))
    if struct["parameters"]:
        entries = "\n".join(
            f"    {parameter['name']}\n{_wrapped(_help(parameter), ' ' * 8)}" for parameter in struct["parameters"]
        )
        parts.append(f"    Parameters\n    ----------\n{entries}")
    text = "\n\n".join(parts)
    return f'{text}"""' if len(parts) == 1 else f'{text}\n    """'


def _class(struct: dict[str, Any], base: str) -> str:
    fields = ""
    for parameter in struct["parameters"]:
        default = f" = {parameter['default']!r}" if "default" in parameter else ""
        fields += f"\n    {parameter['name']}: {parameter['type']}{default}"
    text = f"\n\n@dataclass(frozen=True)\nclass {struct['name']}({base}):\n{_docstring(struct)}\n"
    return text + (f"{fields}\n" if fields else "")


def main(folder: str, output: str) -> None:
    """Writes the file `output`."""
    sys.path.insert(0, folder)
    from octavo import _core

    structs = _core.describe_augmentation_types()
    choices = {p["type"]: p["choices"] for struct in structs for p in struct["parameters"] if "choices" in p}
    text = _HEAD
    names = [struct["name"] for struct in structs]
    text += "\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in sorted([*names, *choices])) + "]\n"
    for name, values in sorted(choices.items()):
        text += f"\n{name} = Literal[{', '.join(f'{value!r}' for value in values)}]".replace("'", '"')
    text += "\n"
    for struct in structs:
        text += _class(struct, "Parameters" if struct is structs[-1] else "Operation")
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
