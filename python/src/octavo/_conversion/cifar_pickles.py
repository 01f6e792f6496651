"""Reads CIFAR-10 and CIFAR-100 as published for Python: pickled batches in a folder or a tar archive.

The published archives are cifar-10-python.tar.gz and cifar-100-python.tar.gz (Krizhevsky 2009).
"""

from __future__ import annotations

import functools
import io
import os
import pickle
import re
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

_BATCH = re.compile(r"data_batch_\d+|test_batch|train|test")
_META = ("batches.meta", "meta")
_ARCHIVE = re.compile(r"cifar-100?-python\.tar(\.gz)?|cifar-100?-python\.tgz")
_MOST_BYTES = 256 << 20  # of a batch; a published one has at most 155 MB
_MOST_ARCHIVE_BYTES = 1 << 30  # of all batches in an archive; the published ones have 186 MB
_CIFAR10_CLASSES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]


def _encode(text: str, encoding: str) -> bytes:
    """How Python 3 writes bytes into a pickle of protocol 2."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"it encodes text as {encoding}, which a CIFAR batch does not need")
    return text.encode("latin1")


# The names that NumPy's pickles use. Nothing else that a pickle names is looked up, let alone called.
_RECONSTRUCT = np.empty(0).__reduce__()[0]
_ALLOWED: dict[tuple[str, str], Any] = {
    ("numpy.core.multiarray", "_reconstruct"): _RECONSTRUCT,
    ("numpy._core.multiarray", "_reconstruct"): _RECONSTRUCT,
    ("_codecs", "encode"): _encode,
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"it refers to {module}.{name}, which a CIFAR batch does not need")
        return _ALLOWED[module, name]


def _is_pickle(start: bytes) -> bool:
    return len(start) == 2 and start[0] == 0x80 and 2 <= start[1] <= 5


class Batches:
    """The pickled batches and class names of one source.

    Raises ValueError, naming the file, if a batch is damaged or not a CIFAR batch.
    """

    def __init__(self, source: Path, batches: dict[str, Callable[[], bytes]], meta: Callable[[], bytes] | None) -> None:
        self._source = source
        self._batches = batches
        self._meta = meta

    def splits(self) -> list[str]:
        """train, test, or both."""
        return sorted({_split_of(name) for name in self._batches}, reverse=True)

    def write_split(self, split: str, folder: Path, name: str) -> None:
        """Writes NAME-images.npy, uint8 [N, 3, 32, 32], and NAME-labels.npy, int32 [N]."""
        batches = [self._read_batch(batch) for batch in sorted(self._batches) if _split_of(batch) == split]
        np.save(folder / f"{name}-images.npy", np.concatenate([images for images, _ in batches]))
        np.save(folder / f"{name}-labels.npy", np.concatenate([labels for _, labels in batches]))

    def class_names(self) -> list[str]:
        """The names in the file of class names; without one, those of CIFAR-10, or none for CIFAR-100."""
        if self._meta is not None:
            meta = self._unpickle("its file of class names", self._meta)
            names = meta.get("fine_label_names", meta.get("label_names")) if isinstance(meta, dict) else None
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                raise ValueError(f"read {str(self._source)!r}: its file of class names has no list of names")
            return names
        first = self._unpickle(name := next(iter(self._batches)), self._batches[name])
        is_cifar100 = isinstance(first, dict) and "fine_labels" in first
        return [] if is_cifar100 else _CIFAR10_CLASSES

    def _read_batch(self, name: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        batch = self._unpickle(name, self._batches[name])
        fields = batch if isinstance(batch, dict) else {}
        data: Any = fields.get("data")
        labels = fields.get("fine_labels", fields.get("labels"))
        is_batch = isinstance(data, np.ndarray) and data.dtype == np.uint8 and data.ndim == 2 and data.shape[1] == 3072
        if not is_batch or not isinstance(labels, list) or len(labels) != len(data):
            raise ValueError(f"read {str(self._source)!r}: {name} is a pickle, but not a CIFAR batch")
        if not all(type(label) is int and 0 <= label < 100 for label in labels):
            raise ValueError(f"read {str(self._source)!r}: {name} has labels that are not class numbers")
        return data.reshape(-1, 3, 32, 32), np.asarray(labels, np.int32)

    def _unpickle(self, name: str, read: Callable[[], bytes]) -> Any:
        try:
            return _Unpickler(io.BytesIO(read()), encoding="latin1").load()
        except OSError:
            raise
        except Exception as error:  # a damaged pickle raises almost anything
            raise ValueError(f"read {str(self._source)!r}: {name} cannot be unpickled: {error}") from error


def _split_of(name: str) -> str:
    return "test" if name.startswith("test") else "train"


def find_batches(source: str | os.PathLike[str]) -> Batches | None:
    """The pickled CIFAR batches that a folder, published archive or file holds; None if it is something else."""
    path = Path(source)
    if path.is_dir():
        for folder in [path, *_only_subfolder(path)]:
            if found := _in_folder(path, folder.iterdir()):
                return found
        return None
    if not path.is_file():
        return None
    if _ARCHIVE.fullmatch(path.name) and tarfile.is_tarfile(path):
        return _in_archive(path)
    return _in_folder(path, [path])


def _check_bytes(source: Path, name: str, count: int) -> None:
    """Limits the size, because a pickle can expand to a multiple of it."""
    if count > _MOST_BYTES:
        raise ValueError(f"read {str(source)!r}: {name} has {count} bytes; a CIFAR batch has at most {_MOST_BYTES}")


def _only_subfolder(path: Path) -> list[Path]:
    folders: list[Path] = []
    with os.scandir(path) as entries:
        for entry in entries:
            if not entry.name.startswith(".") and entry.is_dir():
                folders.append(Path(entry.path))
            if len(folders) > 1:
                return []
    return folders


def _in_folder(source: Path, files: Iterable[Path]) -> Batches | None:
    batches: dict[str, Callable[[], bytes]] = {}
    for file in sorted(file for file in files if _BATCH.fullmatch(file.name)):
        if not file.is_file():
            continue
        with file.open("rb") as stream:
            if not _is_pickle(stream.read(2)):
                continue
        _check_bytes(file, file.name, file.stat().st_size)
        batches[file.name] = file.read_bytes
    if not batches:
        return None
    folder = file.parent
    metas = [folder / name for name in _META if (folder / name).is_file()]
    return Batches(source, batches, metas[0].read_bytes if metas else None)


def _in_archive(path: Path) -> Batches | None:
    contents: dict[str, bytes] = {}
    total_bytes = 0
    with tarfile.open(path) as archive:
        for member in archive:
            name = Path(member.name).name
            if not member.isfile() or not (_BATCH.fullmatch(name) or name in _META):
                continue
            _check_bytes(path, name, member.size)
            total_bytes += member.size
            if total_bytes > _MOST_ARCHIVE_BYTES:
                raise ValueError(f"read {str(path)!r}: its batches have more than {_MOST_ARCHIVE_BYTES} bytes")
            stream = archive.extractfile(member)
            contents[name] = stream.read() if stream is not None else b""
    batches: dict[str, Callable[[], bytes]] = {
        name: functools.partial(bytes, data) for name, data in contents.items() if _is_pickle(data[:2])
    }
    meta = next((batches.pop(name) for name in _META if name in batches), None)
    return Batches(path, batches, meta) if batches else None
