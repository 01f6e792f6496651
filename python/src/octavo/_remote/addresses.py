"""Recognizes URLs, and shows them without secrets."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

# A scheme of one letter would be a drive of Windows. fsspec chains schemes: simplecache::s3://bucket/photos.h5.
_ADDRESS = re.compile(r"(?:[A-Za-z][A-Za-z0-9]*::)*[A-Za-z][A-Za-z0-9+.-]+:/{1,3}[^/]")
_URL_IN_TEXT = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://[^\s\"'<>)\]]+")


def is_address(path: str | os.PathLike[str]) -> bool:
    """Whether it is an address such as ``s3://bucket/photos.h5``, and not a local file that has this name."""
    text = os.fspath(path)
    return isinstance(text, str) and _ADDRESS.match(text) is not None and not os.path.exists(text)


def full_address(path: str | os.PathLike[str]) -> str:
    """The address, whose ``//`` a Path has written as ``/``."""
    return re.sub(r":/(?!/)", "://", os.fspath(path), count=1)


def scheme_of(url: str) -> str:
    """The scheme in lower case: ``s3``."""
    return url.partition(":")[0].lower()


def shown(url: str) -> str:
    """The URL without user, password, query and fragment, which may be secrets."""
    head, separator, rest = url.partition("://")
    if not separator:
        return url
    place = re.split(r"[?#]", rest, maxsplit=1)[0]
    host, slash, path = place.partition("/")
    # The container of abfs://container@account.dfs.core.windows.net is not a user.
    keeps_user = head.rpartition("::")[2].lower().startswith(("abfs", "wasb"))
    return head + separator + (host if keeps_user else host.rpartition("@")[2]) + slash + path


def without_secrets(text: str) -> str:
    """A text, such as a message of a library, whose URLs are shown without secrets."""
    return _URL_IN_TEXT.sub(lambda url: shown(url[0]), text)


def has_query(url: str) -> bool:
    """Whether the URL has a query, such as the signature of a presigned one."""
    return bool(urlsplit(url).query)
