#!python
"""The program octavo: calls it in the library of the installed package, without importing the package."""

import ctypes
import glob
import importlib.machinery
import importlib.util
import os
import sys


def folders_of(package: str) -> list[str]:
    """Where the package is installed; empty if it is not."""
    spec = importlib.util.find_spec(package)
    return list(spec.submodule_search_locations or []) if spec else []


def find_library() -> str:
    """The path of the library in the installed package."""
    for folder in folders_of("octavo"):
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            library = os.path.join(folder, "_native" + suffix)
            if os.path.exists(library):
                return library
    sys.exit("octavo: error: run the octavo program: its package is not installed for this Python; reinstall it")


# Training on the CPU uses the OpenBLAS in NumPy's wheel.
for folder in folders_of("numpy"):
    for openblas in glob.glob(os.path.join(os.path.dirname(folder), "numpy.libs", "lib*openblas*.so*")):
        os.environ.setdefault("OCTAVO_OPENBLAS", openblas)
# Downloads use Python's HTTP client, which the package sets.
if sys.argv[1:2] == ["fetch"]:
    import octavo

    octavo.known_sets()

arguments = [b"octavo", *map(os.fsencode, sys.argv[1:])]
program = ctypes.CDLL(find_library()).octavo_main
sys.exit(program(len(arguments), (ctypes.c_char_p * (len(arguments) + 1))(*arguments)))
