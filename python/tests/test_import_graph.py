"""The modules of the package import each other without circles, so that each can be read before those that use it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import octavo
import pytest

SOURCES = Path(octavo.__file__).parent


def is_for_types(node: ast.AST) -> bool:
    """Whether it is ``if TYPE_CHECKING:``, whose body never runs."""
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imported(node: ast.AST, package: tuple[str, ...], modules: set[str]) -> Iterator[str]:
    """The modules that a piece of code of this subpackage imports, also when a function of it is called."""
    if is_for_types(node):
        assert isinstance(node, ast.If)
        for child in node.orelse:
            yield from imported(child, package, modules)
        return
    if isinstance(node, ast.ImportFrom) and node.level > 0:
        base = package[: len(package) + 1 - node.level] + (() if node.module is None else (node.module,))
        names = [".".join((*base, alias.name)) for alias in node.names] + [".".join(base)]
        yield from (name for name in names if name in modules)  # the others are native, or no modules
    for child in ast.iter_child_nodes(node):
        yield from imported(child, package, modules)


def graph_of(sources: dict[str, str]) -> dict[str, set[str]]:
    """The modules that each module imports; all are named as seen from the package."""
    return {
        name: set(imported(ast.parse(text), tuple(name.split(".")[:-1]), set(sources)))
        for name, text in sources.items()
    }


def test_no_modules_import_each_other() -> None:
    paths = {path.relative_to(SOURCES).with_suffix(""): path for path in SOURCES.rglob("*.py")}
    graph = graph_of({".".join(name.parts): path.read_text() for name, path in paths.items()})
    assert graph["loader"] >= {"store", "dataset", "_loading.frameworks"}
    assert graph["_loading.batch_factory"] >= {"_loading.frameworks"}
    order = list(TopologicalSorter(graph).static_order())
    assert order.index("dataset") < order.index("loader") < order.index("__init__")


def test_a_circle_is_found_unless_it_is_of_types() -> None:
    lazy = {"a": "def call():\n    from ._in.b import one", "_in.b": "from .. import a, _core"}
    with pytest.raises(CycleError):
        TopologicalSorter(graph_of(lazy)).prepare()
    for_types = {"a": "if TYPE_CHECKING:\n    from .b import one\nelse:\n    import c", "b": "from . import a, _core"}
    TopologicalSorter(graph_of(for_types)).prepare()
