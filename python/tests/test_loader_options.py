"""The options of a loader that type checkers know."""

from __future__ import annotations

import inspect

import octavo
from octavo._loader_options import LoaderOptions


def test_type_checkers_know_every_option_of_a_loader() -> None:
    arguments = set(inspect.signature(octavo.Loader.__init__).parameters)
    assert set(LoaderOptions.__annotations__) == arguments - {"self", "data", "split", "framework", "keys"}
