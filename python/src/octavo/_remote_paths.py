"""Recognizes addresses of remote files, which are copied first."""

from __future__ import annotations

import os
import re


def check_is_local(path: str | os.PathLike[str], action: str) -> None:
    """Raises ValueError for an address such as ``s3://bucket/photos.h5``."""
    text = os.fspath(path)
    if isinstance(text, str) and re.match(r"[A-Za-z][A-Za-z0-9+.-]*:/{1,2}[^/]", text) and not os.path.exists(text):
        raise ValueError(
            f"{action} {text!r}: it is a remote address, and only local or mounted files can be read; copy the file "
            "first (docs/how-to/remote-data.md)"
        )
