"""A folder of an object store to which files are written."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from .. import _core
from .._optional import is_installed
from .addresses import full_address, has_query, is_address, scheme_of, shown
from .byte_source import INSTALL, ByteSource, remote_file
from .clients import Client, is_of_obstore, needs_another_process, obstore_reads, store_of_url
from .problems import problem_of, with_retries
from .worker_process import in_another_process

_Result = TypeVar("_Result")

#: What is compared with the local file at a time.
_BLOCK_BYTES = 8 << 20
#: Parts of an upload are larger if there would be more than this. S3 allows 10,000.
_MOST_PARTS = 9000
_COMPARING_THREADS = 8
#: Of a source that the library reads.
_NATIVE_THREADS = 24


class _Place(NamedTuple):
    """An object of a store: of obstore or fsspec, or None with an address."""

    store: Any
    path: str


class RemoteFolder:
    """A folder of an object store. Nothing is opened before a method is called.

    Parameters
    ----------
    place
        An address, such as ``s3://bucket/photos``, or a store of obstore or a file system of fsspec and the name of
        the folder in it.

    Raises
    ------
    ValueError
        If the address has a query, which the files in it cannot have, or is that of a local folder.
    TypeError
        If the store has no files that can be written.
    """

    def __init__(self, place: Any) -> None:
        # A Path writes the "//" of an address as "/".
        store, path = (None, full_address(place)) if is_folder_address(place) else place
        self._store: Any = store
        if self._store is None and has_query(path):
            raise ValueError(f"write to {shown(path)!r}: an address with a query cannot be written")
        if self._store is None and scheme_of(path) == "file":
            raise ValueError(f"write to {shown(path)!r}: pass the path of a local folder, without file:")
        if self._store is not None and not is_of_obstore(self._store) and not _has_files(self._store):
            raise TypeError(
                f"write to a folder: {type(self._store).__name__} has no put_file(), ls() and rm_file(); pass a store "
                "of obstore or a file system of fsspec"
            )
        self._path = path.rstrip("/") + "/"

    @property
    def name(self) -> str:
        """The address without secrets, as messages show it."""
        return self.source("").name

    def source(self, name: str) -> ByteSource:
        """A file in the folder, for reading."""
        return ByteSource(self._path + name) if self._store is None else remote_file(self._store, self._path + name)

    def names(self) -> list[str]:
        """The files in the folder; none if there is no such folder.

        Raises
        ------
        OSError
            If they cannot be listed.
        """
        return self._call("list", self.name, _names, _Place(self._store, self._path))

    def begin_of(self, name: str) -> bytes:
        """Up to 4,096 bytes of a file.

        Raises
        ------
        OSError
            If it cannot be read.
        """
        source = self.source(name)
        return self._call("read", source.name, _begin_of, source)

    def upload(self, file: Path, name: str) -> None:
        """Writes a file to the folder, in parts, and compares what the store has with it.

        It appears under its name when it is complete. It replaces another one.

        Raises
        ------
        OSError
            If it cannot be written, or differs from the file; it is removed then.
        """
        where = self.source(name).name
        self._call("write", where, _upload, _Place(self._store, self._path + name), os.fspath(file))
        if not self._call("compare", where, _is_equal, self.source(name), os.fspath(file)):
            self._call("remove", where, _remove, _Place(self._store, self._path + name))
            raise OSError(f'write "{where}": the store has other bytes than were sent; they are removed; try again')

    def _call(self, action: str, name: str, function: Callable[..., _Result], *arguments: Any) -> _Result:
        try:
            if needs_another_process():
                return in_another_process(functools.partial(function, *arguments))
            return function(*arguments)
        except ImportError:
            raise
        except Exception as error:
            problem = problem_of(error)
            text = problem.about(action, name)
            raise OSError(problem.error_number, text) if problem.error_number else OSError(text) from error

    def __reduce__(self) -> tuple[Any, ...]:
        return RemoteFolder, (self._path if self._store is None else (self._store, self._path),)

    def __repr__(self) -> str:
        return f"RemoteFolder({self.name!r})"


def is_folder_address(place: Any) -> bool:
    """Whether it is an address, and not a local path."""
    return isinstance(place, str | os.PathLike) and is_address(place)


def is_remote_folder(place: Any) -> bool:
    """Whether `RemoteFolder` accepts it."""
    return is_folder_address(place) or (isinstance(place, tuple) and len(place) == 2 and isinstance(place[1], str))


def _has_files(store: Any) -> bool:
    return all(callable(getattr(store, name, None)) for name in ("put_file", "ls", "rm_file", "cat_ranges", "info"))


# ---- In the process that has the clients ---------------------------------------------------------------------------


def _opened(place: _Place) -> _Place:
    """The store of an address, and the path in it."""
    if place.store is not None:
        return place
    if obstore_reads(place.path) and is_installed("obstore"):
        folder, _, name = place.path.rpartition("/")
        return _Place(store_of_url(folder), name)
    if is_installed("fsspec"):
        import fsspec.core

        return _Place(*fsspec.core.url_to_fs(place.path))
    package = INSTALL if obstore_reads(place.path) else "pip install fsspec"
    raise ImportError(f'write to "{shown(place.path)}": {scheme_of(place.path)}:// needs a package; run: {package}')


def _names(place: _Place) -> list[str]:
    store, folder = _opened(place)
    if is_of_obstore(store):
        import obstore

        listed = obstore.list_with_delimiter(store, folder or None)
        paths = [entry["path"] for entry in listed["objects"]]
    else:
        store.invalidate_cache()
        try:
            paths = store.ls(folder, detail=False)
        except FileNotFoundError:
            return []
    return [path.rstrip("/").rpartition("/")[2] for path in paths]


def _upload(place: _Place, file: str) -> None:
    store, path = _opened(place)
    if is_of_obstore(store):
        import obstore

        part_bytes = max(_BLOCK_BYTES, -(-os.path.getsize(file) // _MOST_PARTS))
        with_retries(lambda: obstore.put(store, path, Path(file), chunk_size=part_bytes))
    else:
        store.makedirs(path.rpartition("/")[0], exist_ok=True)
        store.put_file(file, path)


def _remove(place: _Place) -> None:
    store, path = _opened(place)
    if is_of_obstore(store):
        import obstore

        obstore.delete(store, path)
    else:
        store.rm_file(path)


def _begin_of(source: ByteSource) -> bytes:
    client = source._make_client()
    opened = with_retries(client.describe)
    if opened.length == 0:
        return b""
    (buffer,) = with_retries(lambda: client.fetch([(0, min(opened.length, 4096))], opened))
    return bytes(buffer)


def _is_equal(source: ByteSource, file: str) -> bool:
    """Whether a remote file has the bytes of a local one."""
    client: Client = source._make_client()
    opened = with_retries(client.describe)
    total = os.path.getsize(file)
    if opened.length != total:
        return False

    def is_equal(begin: int) -> bool:
        end = min(begin + _BLOCK_BYTES, total)
        (buffer,) = with_retries(lambda: client.fetch([(begin, end)], opened))
        with open(file, "rb") as local:
            local.seek(begin)
            return local.read(end - begin) == bytes(buffer)

    with ThreadPoolExecutor(_COMPARING_THREADS) as threads:
        return all(threads.map(is_equal, range(0, total, _BLOCK_BYTES)))


def open_native(source: ByteSource) -> _core.ByteSource:
    """A remote file for functions of the library that open many, one after another."""
    return _core.remote_source(source._native_arguments(lambda most: min(most, _NATIVE_THREADS)))
