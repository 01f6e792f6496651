"""Makes the examples of docstrings, which begin with ``>>>``, code blocks on the site."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^>>> .*(?:\n(?:>>>|\.\.\.)(?: .*)?)*", re.MULTILINE)


class Doctests(griffe.Extension):
    """For mkdocstrings: without fences, Markdown takes the prompt for a quotation."""

    def on_object(self, *, obj: griffe.Object, **options: Any) -> None:
        """Puts fences around the examples in the docstring of a function, class or module."""
        if obj.docstring:
            text = obj.docstring.value
            obj.docstring.value = _EXAMPLE.sub(lambda match: f"```pycon\n{match[0]}\n```", text)
