"""Packs one dataset with many workers, which share nothing but a folder."""

from __future__ import annotations

import errno
import inspect
import json
import operator
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from . import _pack, _progress
from ._conversion.cifar_pickles import find_batches
from ._core import FormatError
from ._remote.remote_folder import RemoteFolder, is_remote_folder, open_native
from ._warn import warn
from .dataset import Dataset
from .packing import PackingWarning, Request, check_target, pack, requested, warned

_Path = str | os.PathLike[str]

#: Arguments of `pack` that do not tell sources apart, or differ between workers.
_OF_WORKERS = frozenset(
    {"source", "path", "image_root", "threads", "progress", "force", "memory", "model_speed", "compress", "names"}
)
#: Arguments of `pack` that shards do not have.
_OTHER_ARGUMENTS = ("append", "dry_run", "reproducible", "path", "source")


@dataclass(frozen=True)
class MergeSummary:
    """What merging shards found."""

    #: The manifest, ``dataset.json``, or its address.
    path: Path | str
    shards: int
    #: The number of samples of each split.
    splits: dict[str, int]
    #: Samples that could not be read.
    skipped: int
    #: Of all shards.
    file_bytes: int
    elapsed_seconds: float


class ShardJob:
    """Packs shards into a folder, which may be in an object store; each is a call with its number."""

    #: The number of shards.
    shards: int
    #: The folder: a path, an address, or a store and the name of a folder in it.
    path: Any

    def __init__(self, path: Any, shards: int) -> None:
        self.shards = operator.index(shards)
        if self.shards < 1:
            raise ValueError(f"shards is {shards}; it must be at least 1")
        self._remote = RemoteFolder(path) if is_remote_folder(path) else None
        # Workers have other current folders.
        self.path = Path(os.path.abspath(path)) if self._remote is None else path

    def merge(self, vds: bool = False, force: bool = False) -> MergeSummary:
        """Makes one dataset of the shards; as `merge`."""
        return merge(self.path, vds, force)

    def _shown_path(self) -> str:
        return str(self.path) if self._remote is None else self._remote.name

    def _upload(self, shard: int, pack: Callable[[Path, Callable[[str], bool]], str | None], force: bool) -> str:
        """Packs a shard into a local folder and uploads it.

        `pack(folder, is_there)` returns the file; or None, without packing, if `is_there` is true for what the shard
        records of its source.
        """
        assert self._remote is not None
        remote, name = self._remote, _pack.shard_file_name(shard, self.shards)

        def is_there(record: str) -> bool:
            if force or name not in remote.names():
                return False
            if _record_in(remote, name) == json.loads(record):
                return True
            raise ValueError(
                f"pack {remote.source(name).name!r}: the file that is there is of another source, or was packed with "
                "other options or another version; remove it, or replace it with force=True"
            )

        with tempfile.TemporaryDirectory(prefix="octavo-") as folder:
            if (file := pack(Path(folder), is_there)) is not None:
                remote.upload(Path(file), name)
        return remote.source(name).name


def _record_in(folder: RemoteFolder, name: str) -> Any:
    """What a shard records of its source; None if the file is not a shard."""
    try:
        return Dataset(folder.source(name)).provenance.get("shard")
    except FormatError:
        return None


class ShardedPack(ShardJob):
    """Packs a source in shards: a picklable function of the number of a shard, for any engine.

    Each worker opens the source, packs its part of it into a file, and moves the file into the folder when it is
    complete. Shards that are there are not packed again, so to continue after a failure, run the same again. Two
    workers may pack the same shard.

    >>> job = octavo.ShardedPack("photos", "packed", shards=64, size=224)
    >>> with concurrent.futures.ProcessPoolExecutor() as workers:
    ...     list(workers.map(job, range(64)))
    >>> job.merge()
    >>> octavo.Loader("packed", batch_size=256)

    Parameters
    ----------
    source
        As for `pack`. Relative paths are made absolute. All workers must see the same files there.
    path
        The folder for the shards, which is created. Or one of an object store: an address such as
        ``s3://bucket/photos``, or a store of obstore or a file system of fsspec and the name of a folder in it. Then a
        shard is packed on the local disk (`tempfile.gettempdir`), uploaded in parts, and compared with what the store
        has. Credentials come from the environment, as for reading.
    shards
        The number of shards.
    threads
        The number of threads of each call; 0: all that the process may use.
    options
        The other arguments of `pack`, except `append`, `dry_run` and `reproducible`: shards always are.

    Raises
    ------
    ValueError, TypeError
        For invalid options.
    """

    def __init__(
        self,
        source: _Path | Sequence[_Path] | Mapping[str, _Path | Sequence[_Path]],
        path: _Path | tuple[Any, str],
        *,
        shards: int,
        threads: int = 1,
        **options: Any,
    ) -> None:
        known = set(inspect.signature(pack).parameters).difference(_OTHER_ARGUMENTS)
        for name in options:
            if name not in known:
                raise TypeError(
                    f"ShardedPack() has no argument {name!r}; expected those of octavo.pack, except append, dry_run "
                    "and reproducible"
                )
        super().__init__(path, shards)
        for name in ("image_root", "mask_colors"):
            if isinstance(options.get(name), str | os.PathLike):
                options[name] = os.path.abspath(options[name])
        self._arguments = {"source": _absolute(source), "path": "", "threads": threads, **options}
        self._request()

    def __call__(self, shard: int) -> Path | str:
        """Packs a shard, unless it is there.

        Parameters
        ----------
        shard
            Its number, from 0 on.

        Returns
        -------
        Path or str
            Its file, or its address.

        Raises
        ------
        ValueError
            If there is no such shard; if its file is of another source, or was packed with other options.
        FormatError
            If a source is damaged; the message names the sample.
        OSError
            If a file cannot be read or written.
        """
        request, shard = self._request(), operator.index(shard)
        for path, *_ in request.sources:
            if find_batches(path):
                raise ValueError(f"{str(path)!r} holds CIFAR batches that are pickled for Python; use octavo.pack")
        if self._remote is None:
            return Path(self._pack_into(request, shard, self.path, None))
        return self._upload(
            shard,
            lambda folder, is_there: self._pack_into(request, shard, folder, is_there) or None,
            bool(self._arguments.get("force")),
        )

    def _pack_into(self, request: Request, shard: int, folder: Path, is_there: Callable[[str], bool] | None) -> str:
        with _progress.shown(self._arguments.get("progress")) as on_progress:
            file, summary = _pack.pack_shard(
                request.sources,
                folder,
                shard,
                self.shards,
                request.source_options,
                request.options,
                repr({name: value for name, value in sorted(self._arguments.items()) if name not in _OF_WORKERS}),
                is_there,
                on_progress,
            )
        warned(summary)
        return str(file)

    def _request(self) -> Request:
        bound = inspect.signature(pack).bind(**self._arguments)
        bound.apply_defaults()
        return requested(bound.arguments)

    def __repr__(self) -> str:
        return f"ShardedPack({self._arguments['source']!r}, {self._shown_path()!r}, shards={self.shards})"


def merge(
    path: _Path | tuple[Any, str], vds: bool = False, force: bool = False, progress: _progress.Progress = None
) -> MergeSummary:
    """Makes one dataset of the shards in a folder, like the command ``octavo merge``.

    Checks that the shards have every sample of their source exactly once, and writes the manifest ``dataset.json``.
    `Dataset`, `Loader` and all commands then take the folder. Reads headers and statistics, and the samples of shards
    of more than about 30,000 samples, to count them again.

    Parameters
    ----------
    path
        The folder, also of an object store, as in `ShardedPack`. There, the manifest is uploaded last, so that the
        dataset appears when it is complete.
    vds
        Also write ``dataset.h5``, whose virtual datasets read the samples from the shards, for h5py and other programs.
    force
        Replace ``dataset.h5`` if it exists. The manifest of shards is always replaced, other files of its name never.
    progress
        As for `pack`.

    Raises
    ------
    FileExistsError
        If ``dataset.h5`` exists and `force` is not set.
    ValueError, FormatError
        With the first shard that is missing, damaged, or of another source; with `vds`, if images are compressed with
        ``"lp8"`` or ``"lc8"``, which HDF5 cannot read, or the folder is not a local one.
    OSError
        If a file cannot be read or written.
    """
    if is_remote_folder(path):
        if vds:
            raise ValueError("vds: HDF5 reads only local files; merge shards on a local disk")
        return _merged_remotely(RemoteFolder(path), progress)
    folder = Path(cast("_Path", path))
    if vds:
        check_target(folder / "dataset.h5", force)
    with _progress.shown(progress) as on_progress:
        return _warned(MergeSummary(*_pack.merge_shards(folder, bool(vds), bool(force), on_progress)))


def _merged_remotely(folder: RemoteFolder, progress: _progress.Progress) -> MergeSummary:
    files = folder.names()
    if "dataset.json" in files and b"octavo-shards" not in folder.begin_of("dataset.json"):
        raise FileExistsError(
            errno.EEXIST, f"merge {folder.name!r}: dataset.json is there, and is no manifest of shards; remove it"
        )
    with _progress.shown(progress) as on_progress:
        manifest, (_, *found) = _pack.merge_remote_shards(
            folder.name, files, lambda file: open_native(folder.source(file)), on_progress
        )
    with tempfile.TemporaryDirectory(prefix="octavo-") as local:
        Path(local, "dataset.json").write_text(manifest, encoding="utf-8")
        folder.upload(Path(local, "dataset.json"), "dataset.json")
    return _warned(MergeSummary(folder.source("dataset.json").name, *found))


def _warned(summary: MergeSummary) -> MergeSummary:
    if summary.skipped:
        warn(f"{summary.skipped:,} samples were skipped; octavo info names them", PackingWarning)
    return summary


def _absolute(source: Any) -> Any:
    """The paths of `source`, independent of the current folder."""
    if isinstance(source, str | os.PathLike):
        path, separator, names = os.fspath(source).partition("::")
        return os.path.abspath(path) + separator + names
    if isinstance(source, Mapping):
        return {split: _absolute(paths) for split, paths in source.items()}
    if isinstance(source, Sequence):
        return [_absolute(path) for path in source]
    return source
