"""Stands for one extension module of this package, and takes it from the library that contains all of them."""

import importlib.machinery
import importlib.util
import pathlib
import sys


def _load(name: str) -> None:
    folder = pathlib.Path(__file__).parent
    library = next(
        (folder / f"_native{suffix}")
        for suffix in importlib.machinery.EXTENSION_SUFFIXES
        if (folder / f"_native{suffix}").exists()
    )
    loader = importlib.machinery.ExtensionFileLoader(name, str(library))
    spec = importlib.util.spec_from_file_location(name, library, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    # The import system returns what is in sys.modules now.
    sys.modules[name] = module
    loader.exec_module(module)


_load(__name__)
