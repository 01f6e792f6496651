"""What `import octavo` loads, and what the rest of the package loads when it is first used."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import octavo
import pytest
from conftest import Packed

# Prints the shared libraries in memory as JSON lists: after importing NumPy and modules of the standard library that
# load libraries of their own, and after each statement. Leaves out the extension modules of the standard library.
PROBE = """
import bz2, hashlib, json, lzma, numpy, sys, sysconfig
own = sysconfig.get_config_var("DESTSHARED")
def libraries():
    paths = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
    return sorted(path for path in paths if not path.startswith(own))
lists = [libraries()]
for statement in sys.argv[1:]:
    exec(statement)
    lists.append(libraries())
print(json.dumps(lists))
"""


def libraries_after(*statements: str) -> list[set[str]]:
    """The libraries that are loaded after NumPy, and then after each statement."""
    run = subprocess.run([sys.executable, "-c", PROBE, *statements], capture_output=True, text=True, check=True)
    return [{Path(path).name for path in paths} for paths in json.loads(run.stdout)]


def test_importing_and_serving_batches_loads_few_libraries(packed: Packed):
    loop = f"import octavo; list(octavo.Loader({str(packed.path)!r}, batch_size=8, device='cpu', framework='numpy'))"
    before, after = libraries_after(loop)
    added = after - before
    assert len(added) <= 8, added
    assert any(name.startswith(("_core.", "_native.")) for name in added)


@pytest.mark.parametrize("heavy", ["hdf5", "blas", "curl", "archive", "jpeg", "tiff", "icu", "cublas"])
def test_importing_loads_no_library_for_packing_fetching_or_training(heavy: str):
    before, after = libraries_after("import octavo")
    assert not [name for name in after - before if heavy in name]


@pytest.mark.skipif(importlib.util.find_spec("octavo._native") is not None, reason="one library for all modules")
def test_packing_and_fetching_load_their_libraries_when_first_used():
    _, imported, packing, fetching = libraries_after("import octavo", "octavo.pack", "octavo.fetch")
    assert any(name.startswith("_pack.") for name in packing - imported)
    assert any(name.startswith("_fetch.") for name in fetching - packing)
    _, _, fetching_first = libraries_after("import octavo", "octavo.fetch")
    assert not [name for name in fetching_first if name.startswith(("_pack.", "libhdf5", "libtiff"))]


def test_names_that_load_later_are_attributes_of_the_package():
    assert set(octavo.__all__) <= set(dir(octavo))
    for name in octavo.__all__:
        assert getattr(octavo, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'Pack'"):
        octavo.Pack  # noqa: B018
