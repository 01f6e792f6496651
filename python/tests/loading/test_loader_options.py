"""The options of loaders and stores, which are described once."""

from __future__ import annotations

import inspect
import re
from typing import Any

import octavo
import pytest
from octavo._loading import loader_options as _loader_options
from octavo._loading.loader_options import AllLoaderOptions, GraphLoaderOptions, LoaderOptions
from octavo._options import options_of

FUNCTIONS = {
    octavo.Loader: AllLoaderOptions,
    octavo.GraphLoader: GraphLoaderOptions,
    octavo.Store: _loader_options.StoreOptions,
    octavo.Store.from_arrays: _loader_options.ArrayStoreOptions,
    octavo.Store.gather: _loader_options.GatherOptions,
}


@pytest.mark.parametrize(("function", "kind"), FUNCTIONS.items(), ids=lambda one: getattr(one, "__name__", ""))
def test_every_option_is_in_the_signature_and_in_the_help(function: Any, kind: type) -> None:
    parameters = inspect.signature(function).parameters
    documented = re.findall(r"^([a-z_]+)\n    \S", inspect.getdoc(function) or "", re.MULTILINE)
    assert documented == [name for name in parameters if name != "self"]
    for name, (_, option) in options_of(kind).items():
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters[name].default == option.default
        assert option.text.endswith(".")
    assert "options" not in parameters


def test_a_type_is_shown_as_it_is_written() -> None:
    parameters = inspect.signature(octavo.Loader).parameters
    assert parameters["memory_limit"].annotation == "int | str | None"
    assert parameters["balance"].annotation == "Balance"


def test_an_option_of_two_functions_is_described_for_each_or_shared() -> None:
    loader, graph = options_of(AllLoaderOptions), options_of(GraphLoaderOptions)
    own = {name for name in graph if loader.get(name) != graph[name]}
    assert own == {"shuffle", "carry_over", "augment", "weights", "batches_per_launch", "framework"}


def test_the_frameworks_name_the_options_for_training_only() -> None:
    pytest.importorskip("lightning")
    text = " ".join((octavo.lightning.DataModule.__doc__ or "").split())
    listed = re.search(r"are for training only: (.*?)\. The rest", text)
    assert listed is not None
    assert set(re.findall(r"`(\w+)`", listed[1])) == _loader_options.OF_TRAINING - {"shuffle"}


def test_options_of_stores_are_options_of_loaders() -> None:
    assert set(LoaderOptions.__annotations__) > _loader_options.OF_STORE
    names = {"verify", "threads", "progress", "residency", "memory_limit", "resident", "window"}
    assert names == _loader_options.OF_STORE


def test_a_misspelled_option_is_explained() -> None:
    with pytest.raises(TypeError, match=r"octavo.Store has no argument 'treads'; did you mean 'threads'"):
        octavo.Store("a.h5", treads=2)  # type: ignore[call-arg]
