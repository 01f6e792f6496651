"""Tells the build the version, which stands in the CMakeLists.txt of the whole."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any


def dynamic_metadata(field: str, settings: dict[str, Any]) -> str:
    """Reads the version from the library's CMakeLists.txt, beside this folder or, in an sdist, inside it."""
    here = Path(__file__).resolve().parent.parent
    for cmake_lists in (here / "cpp" / "CMakeLists.txt", here.parent / "CMakeLists.txt"):
        if cmake_lists.exists():
            match = re.search(r"project\(octavo VERSION (\S+)", cmake_lists.read_text())
            if match:
                return match.group(1)
    raise RuntimeError("build octavo: the library's CMakeLists.txt was not found beside the folder python/")
