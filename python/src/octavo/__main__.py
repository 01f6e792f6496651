"""``python -m octavo``: the program ``octavo`` that came with the package."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig


def main() -> int:
    """Runs the program in place of this process."""
    program = shutil.which("octavo", path=sysconfig.get_path("scripts")) or shutil.which("octavo")
    if program is None:
        print("octavo: error: run the program octavo: it is not installed beside this package", file=sys.stderr)
        return 1
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
