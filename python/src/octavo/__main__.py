"""``python -m octavo`` runs the ``octavo`` program that is installed with the package."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig


def main() -> int:
    """Replaces this process with the program."""
    program = shutil.which("octavo", path=sysconfig.get_path("scripts")) or shutil.which("octavo")
    if program is None:
        print("octavo: error: run the octavo program: it is not installed; reinstall the package", file=sys.stderr)
        return 1
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
