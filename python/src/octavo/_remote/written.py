"""Files that are written to an object store."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .addresses import full_address
from .remote_folder import RemoteFolder, is_folder_address


@contextmanager
def written(path: str | os.PathLike[str], *, force: bool, append: bool) -> Iterator[Path]:
    """Where to write a dataset file on a local disk. If `path` is an address, the file is uploaded at the end.

    Raises
    ------
    FileExistsError
        If the object exists and `force` is not set.
    ValueError
        If samples are to be appended to an object.
    OSError
        If it cannot be uploaded.
    """
    if not is_folder_address(path):
        yield Path(path)
        return
    place, _, name = full_address(path).rpartition("/")
    folder = RemoteFolder(place)
    where = folder.source(name).name
    if append:
        raise ValueError(
            f"append to {where!r}: an object cannot be changed; copy it to a local disk, append, upload it"
        )
    if not name.endswith(".h5"):
        raise ValueError(f"pack {where!r}: name a file that ends with .h5")
    if not force and name in folder.names():
        raise FileExistsError(
            errno.EEXIST, f"pack {where!r}: the object exists; choose another name, or replace it with force=True"
        )
    with tempfile.TemporaryDirectory(prefix="octavo-") as local:
        yield Path(local, name)
        folder.upload(Path(local, name), name)
