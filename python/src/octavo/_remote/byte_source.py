"""What a remote dataset is opened from: an address, or an object with ranged reads."""

from __future__ import annotations

import functools
import operator
import os
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from .. import _core
from .._optional import is_installed
from .._warn import warn
from .addresses import full_address, is_address, scheme_of, shown
from .clients import (
    Client,
    FsspecClient,
    ObstoreClient,
    RangesClient,
    is_of_obstore,
    needs_another_process,
    obstore_reads,
    open_with_fsspec,
    open_with_obstore,
)
from .fetching import Fetcher

#: How old, in seconds, what is known about an object may be if requests do not compare it.
CHECK_SECONDS = 5.0

#: Disk space of a cache whose size is not given.
CACHE_BYTES = 64 << 30

#: Also as an extra: octavo[remote].
INSTALL = "pip install obstore"


class Cache(NamedTuple):
    """A folder on a local disk that keeps what is read, and how large it may become."""

    folder: str
    most_bytes: int


def checked_cache(folder: str | os.PathLike[str] | None, size: int | str | None) -> Cache | None:
    """The cache that the arguments `cache` and `cache_size` describe, if there is one."""
    if folder is None:
        if size is not None:
            raise ValueError(f"cache_size is {size!r}, but there is no cache; pass its folder as cache")
        return None
    most_bytes = CACHE_BYTES
    if size is not None:
        most_bytes = _core.parse_memory_size(size) if isinstance(size, str) else operator.index(size)
    if most_bytes < 1:
        raise ValueError(f"cache_size is {size!r}; it must be a number of bytes above 0, or a text such as '200GiB'")
    return Cache(os.fspath(folder), most_bytes)


class FileOfSystem(Protocol):
    """A file that knows its file system, such as fsspec's OpenFile and the paths of universal_pathlib."""

    @property
    def fs(self) -> Any:
        """The file system."""
        ...

    @property
    def path(self) -> str:
        """The file in it."""
        ...


_NativeArguments = tuple[str, Callable[[_core.RangeQueue], None], float]


class ByteSource:
    """A dataset file that is not on this machine; `remote_file` makes one. It can be used wherever a path can.

    Nothing is opened before a dataset is. Pickling passes the address, or the given object.
    """

    def __init__(self, source: Any, path: str | None = None, cache: Cache | None = None) -> None:
        self._source = source
        self._path = path
        self._cache = cache
        self._name = _name_of(source, path)

    @property
    def name(self) -> str:
        """The address without secrets, as messages show it."""
        return self._name

    def _open(self) -> _core.Dataset:
        """Opens the dataset file, or the shards of a manifest."""
        dataset, problem = self._open_through_cache()
        if problem:
            warn(f"{problem}; reading goes on without the cache", RuntimeWarning)
        return dataset

    def _open_through_cache(self) -> tuple[_core.Dataset, str]:
        folder, most_bytes = self._cache or ("", 0)
        if not self._name.endswith(".json"):
            return _core.open_remote(self._native_arguments(), folder, most_bytes)
        opened: list[str] = []

        def shard_of(name: str) -> _NativeArguments:
            opened.append(name)
            # They share the threads; the number of shards is known when these start.
            return self._sibling(name)._native_arguments(lambda most: max(2, most // len(opened)))

        return _core.open_remote_shards(self._native_arguments(), shard_of, folder, most_bytes)

    def _with_cache(self, cache: Cache | None) -> ByteSource:
        return ByteSource(self._source, self._path, cache)

    def _native_arguments(self, threads_of: Callable[[int], int] = lambda most: most) -> _NativeArguments:
        make_client, compares = _client_maker(self._source, self._path)
        fetcher = Fetcher(self._name, make_client, threads_of)
        return self._name, fetcher.start, -1.0 if compares else CHECK_SECONDS

    def _make_client(self) -> Client:
        make_client, _ = _client_maker(self._source, self._path)
        return make_client()

    def _sibling(self, name: str) -> ByteSource:
        """The file with this name in the same folder."""
        if self._path is not None:
            return ByteSource(self._source, _in_folder_of(self._path, name))
        place, mark, query = self._source.partition("?")
        return ByteSource(_in_folder_of(place, name) + mark + query)

    def __reduce__(self) -> tuple[Any, ...]:
        return ByteSource, (self._source, self._path, self._cache)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ByteSource):
            return NotImplemented
        own, others = (self._path, self._name, self._cache), (other._path, other._name, other._cache)
        return own == others and (self._source is other._source or self._source == other._source)

    def __hash__(self) -> int:
        return hash((self._path, self._name))

    def __repr__(self) -> str:
        return f"ByteSource({self._name!r})"


#: Where a dataset file is: a path, an address, or a remote file.
Location = str | os.PathLike[str] | ByteSource | tuple[Any, str] | FileOfSystem


def remote_file(source: Any, path: str | None = None) -> ByteSource:
    """A dataset file that is read through an object of yours, to pass wherever a path can be passed.

    >>> store = obstore.store.S3Store("bucket", endpoint="https://minio.example.com")
    >>> loader = octavo.Loader(octavo.remote_file(store, "photos.h5"), batch_size=512)

    Parameters
    ----------
    source
        A store of obstore, a file system of fsspec, or an object of any class with the methods of one:
        ``get_ranges(path, starts=, ends=)``, which returns a buffer for each range, and ``head(path)``, which returns
        a dictionary with `size`, and `e_tag` or `last_modified`; or ``cat_ranges(paths, starts, ends)`` and
        ``info(path)``. Several threads call it. Or an address, without `path`.
    path
        The object in the store, or the file in the file system.

    Raises
    ------
    TypeError
        If the object has neither.
    """
    if path is None:
        found = find_source(source)
        if found is None:
            raise TypeError(f"open a remote file: got {type(source).__name__}; pass a store and a path, or an address")
        return found
    if not isinstance(path, str):
        raise TypeError(f"open a remote file: path is of type {type(path).__name__}; pass a str")
    if not _has_ranges(source):
        raise TypeError(
            f"open a remote file: {type(source).__name__} has neither get_ranges() and head() nor cat_ranges() and "
            "info(); pass a store of obstore or a file system of fsspec"
        )
    return ByteSource(source, path)


def find_source(data: Any) -> ByteSource | None:
    """The remote file that an address or an object names; None if it is something else, such as a local path."""
    if isinstance(data, ByteSource):
        return data
    if isinstance(data, str | os.PathLike) and type(data).__module__.partition(".")[0] != "upath":
        return _source_of_address(full_address(data)) if is_address(data) else None
    if isinstance(data, tuple):
        return remote_file(*data) if len(data) == 2 and _has_ranges(data[0]) else None
    # fsspec's OpenFile and its files, and universal_pathlib's paths.
    file_system, path = getattr(data, "fs", None), getattr(data, "path", None)
    if isinstance(path, str) and _has_ranges(file_system):
        return ByteSource(file_system, path)
    return None


def is_location(data: Any) -> bool:
    """Whether it is a path, or names a remote file."""
    return isinstance(data, str | os.PathLike) or find_source(data) is not None


def _has_ranges(source: Any) -> bool:
    return any(
        callable(getattr(source, read, None)) and callable(getattr(source, describe, None))
        for read, describe in (("get_ranges", "head"), ("cat_ranges", "info"))
    )


def _source_of_address(url: str) -> ByteSource:
    if scheme_of(url) == "file":
        raise ValueError(f'open "{shown(url)}": pass the path of a local file, without file:')
    place, mark, query = url.partition("?")
    return ByteSource(f"{place}dataset.json{mark}{query}" if place.endswith("/") else url)


def _in_folder_of(path: str, name: str) -> str:
    folder, slash, _ = path.rpartition("/")
    return folder + slash + name


def _name_of(source: Any, path: str | None) -> str:
    if path is None:
        return shown(os.fspath(source))
    if hasattr(source, "unstrip_protocol"):
        return shown(source.unstrip_protocol(path))
    return f"{type(source).__name__}/{path}"


def _client_maker(source: Any, path: str | None) -> tuple[Callable[[], Client], bool]:
    """What makes the client in the process that reads, and whether the client compares the object."""
    if path is None:
        return _client_maker_of_url(source)
    if is_of_obstore(source):
        return functools.partial(_make_obstore_client, source, path), True
    if callable(getattr(source, "get_ranges", None)):
        return functools.partial(RangesClient, source, path), False
    return functools.partial(_make_fsspec_client, source, path, os.getpid()), False


def _client_maker_of_url(url: str) -> tuple[Callable[[], Client], bool]:
    if obstore_reads(url) and is_installed("obstore"):
        return functools.partial(_make_url_client, url), True
    if is_installed("fsspec"):
        return functools.partial(_make_fsspec_url_client, url), False
    if obstore_reads(url):
        raise ImportError(f'open "{shown(url)}": reading it needs the extra octavo[remote]; run: {INSTALL}')
    raise ImportError(f'open "{shown(url)}": reading {scheme_of(url)}:// needs fsspec; run: pip install fsspec')


def _make_obstore_client(store: Any, path: str) -> Client:
    return _where_obstore_works(functools.partial(ObstoreClient, store, path))


def _make_url_client(url: str) -> Client:
    return _where_obstore_works(functools.partial(open_with_obstore, url))


def _where_obstore_works(make_client: functools.partial[ObstoreClient]) -> Client:
    if not needs_another_process():
        return make_client()
    from .worker_process import WorkerClient

    return WorkerClient(make_client)


def _make_fsspec_client(file_system: Any, path: str, process: int) -> Client:
    if os.getpid() != process and getattr(file_system, "async_impl", False):
        file_system = pickle.loads(pickle.dumps(file_system))  # its event loop is in the parent
    return FsspecClient(file_system, path)


def _make_fsspec_url_client(url: str) -> Client:
    return open_with_fsspec(url)
