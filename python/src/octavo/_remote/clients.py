"""Clients that fetch ranges of one object, with one library each."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NamedTuple, Protocol

from .. import _core
from .addresses import scheme_of
from .problems import ChangedError, ProblemError, problem_of

Ranges = list[tuple[int, int]]


class Description(NamedTuple):
    """What an object is."""

    length: int
    #: Changes when the bytes change.
    identity: str
    #: Of HTTP; for requests that fail if it is another one. Empty if there is none.
    etag: str = ""


class Client(Protocol):
    """Fetches ranges of one object. Thread-safe."""

    #: How many threads call it at a time, and for how many ranges.
    threads: int
    ranges_per_call: int
    #: Whether fetch() raises ChangedError if the object is another one; otherwise it is described again now and then.
    compares: bool

    def describe(self) -> Description:
        """Asks what the object is."""
        ...

    def fetch(self, ranges: Ranges, opened: Description) -> Sequence[Any]:
        """The bytes of the ranges, as buffers; of the object that was described so."""
        ...


class ObstoreClient:
    """Reads with a store of obstore: one request for each range, each on the condition that the object is the same."""

    threads = 192
    ranges_per_call = 1
    compares = True

    def __init__(self, store: Any, path: str) -> None:
        import obstore

        self._obstore = obstore
        self._store = store
        self._path = path

    def describe(self) -> Description:
        try:
            # Not head(): the signature of a presigned URL is only for GET. It also shows that ranges work.
            meta = self._obstore.get(self._store, self._path, options={"range": (0, 1)}).meta
        except Exception as error:
            if "416" not in str(error):
                raise
            meta = self._obstore.head(self._store, self._path)  # it is empty
        return _described(meta)

    def fetch(self, ranges: Ranges, opened: Description) -> list[Any]:
        # A weak ETag never matches.
        condition = {"if_match": opened.etag} if opened.etag and not opened.etag.startswith("W/") else {}
        buffers = []
        for bounds in ranges:
            options: Any = {"range": bounds, **condition}
            result = self._obstore.get(self._store, self._path, options=options)
            if _described(result.meta) != opened:
                raise ChangedError
            buffers.append(result.bytes())
        return buffers


def _described(meta: Any) -> Description:
    """From obstore's ObjectMeta."""
    etag = meta.get("e_tag") or ""
    return Description(meta["size"], f"{etag or meta.get('last_modified')} {meta['size']}", etag)


class RangesClient:
    """Reads with any object that has ``get_ranges(path, starts=, ends=)`` and ``head(path)``, as stores have."""

    threads = 8
    ranges_per_call = 16
    compares = False

    def __init__(self, store: Any, path: str) -> None:
        self._store = store
        self._path = path

    def describe(self) -> Description:
        return _described(self._store.head(self._path))

    def fetch(self, ranges: Ranges, opened: Description) -> list[Any]:
        begins, ends = [begin for begin, _ in ranges], [end for _, end in ranges]
        return list(self._store.get_ranges(self._path, starts=begins, ends=ends))


class FsspecClient:
    """Reads with a file system of fsspec: many ranges per call, which asynchronous ones fetch at the same time."""

    compares = False

    def __init__(self, file_system: Any, path: str) -> None:
        self._file_system = file_system
        self._path = path
        is_asynchronous = bool(getattr(file_system, "async_impl", False))
        self.threads = 4 if is_asynchronous else 16
        self.ranges_per_call = 64 if is_asynchronous else 1

    def describe(self) -> Description:
        self._file_system.invalidate_cache(self._path)
        info = self._file_system.info(self._path)
        if info.get("type") == "directory":
            raise ProblemError(problem_of(FileNotFoundError(self._path)))
        if info.get("size") is None:
            raise NotImplementedError("the length is unknown")
        names = ("etag", "e_tag", "version", "versionid", "generation", "md5hash", "content-md5", "crc32c", "mtime",
                 "last-modified", "lastmodified", "last_modified", "modified", "created")  # fmt: skip
        known = {name.lower(): value for name, value in info.items()}
        return Description(int(info["size"]), " ".join(str(known[name]) for name in names if known.get(name)))

    def fetch(self, ranges: Ranges, opened: Description) -> list[Any]:
        begins, ends = [begin for begin, _ in ranges], [end for _, end in ranges]
        paths = [self._path] * len(ranges)
        return list(self._file_system.cat_ranges(paths, begins, ends, on_error="raise"))


# ---- For URLs ------------------------------------------------------------------------------------------------------

_OBSTORE_SCHEMES = ("s3", "s3a", "gs", "az", "adl", "azure", "abfs", "abfss", "http", "https")


def is_of_obstore(store: Any) -> bool:
    """Whether it is a store of obstore."""
    return type(store).__module__.partition(".")[0] == "obstore"


def obstore_reads(url: str) -> bool:
    """Whether obstore knows the scheme."""
    return scheme_of(url) in _OBSTORE_SCHEMES


def open_with_obstore(url: str) -> ObstoreClient:
    """A client for a URL; credentials and endpoints come from the environment."""
    from obstore.store import HTTPStore

    if scheme_of(url) in ("http", "https"):
        options: Any = {"user_agent": f"octavo/{_core.__version__}", "connect_timeout": "10s", "timeout": "60s"}
        if scheme_of(url) == "http":
            options["allow_http"] = True
        return ObstoreClient(HTTPStore(url, client_options=options, retry_config=_retries()), "")
    folder, _, name = url.rpartition("/")
    return ObstoreClient(store_of_url(folder), name)


def store_of_url(url: str) -> Any:
    """A store of obstore for a folder; credentials and endpoints come from the environment."""
    from obstore.store import from_url

    # Options of the client would replace those of the environment, such as AWS_ALLOW_HTTP.
    return from_url(url, retry_config=_retries())


def _retries() -> Any:
    return {
        "max_retries": 5,
        "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=10), "base": 2},
        "retry_timeout": timedelta(seconds=60),
    }


def open_with_fsspec(url: str) -> FsspecClient:
    """A client for a URL; raises ImportError if a package for its scheme is not installed."""
    import fsspec.core

    file_system, path = fsspec.core.url_to_fs(url)
    return FsspecClient(file_system, path)


# ---- After fork() --------------------------------------------------------------------------------------------------

#: The process that may have started obstore's threads. A child of fork() has none of them, and would wait for them.
_first_process = os.getpid()
_is_child_without_obstore = False


def _note_fork() -> None:
    global _is_child_without_obstore
    if "obstore" in sys.modules:
        _is_child_without_obstore = True


os.register_at_fork(after_in_child=_note_fork)


def needs_another_process() -> bool:
    """Whether obstore does not work here: it was loaded before fork()."""
    return _is_child_without_obstore
