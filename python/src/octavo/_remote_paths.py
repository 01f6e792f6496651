"""Refuses addresses of remote files where only local ones can be used."""

from __future__ import annotations

import os

from ._remote.addresses import is_address, shown


def check_is_local(path: str | os.PathLike[str], action: str) -> None:
    """Raises ValueError for an address such as ``s3://bucket/photos.h5``."""
    if is_address(path):
        raise ValueError(
            f"{action} {shown(os.fspath(path))!r}: it is a remote address, but this needs a local or mounted file; "
            "copy the file first (docs/how-to/remote-data.md)"
        )
