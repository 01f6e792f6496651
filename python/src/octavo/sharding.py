"""Packs one dataset with many workers, which share nothing but a folder."""

from __future__ import annotations

import inspect
import operator
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _pack, _progress
from ._conversion.cifar_pickles import find_batches
from ._warn import warn
from .packing import PackingWarning, Request, check_target, pack, requested, warned

_Path = str | os.PathLike[str]

#: Arguments of `pack` that do not tell sources apart, or differ between workers.
_OF_WORKERS = frozenset({"source", "path", "image_root", "threads", "progress", "force", "memory", "compress", "names"})
#: Arguments of `pack` that shards do not have.
_OTHER_ARGUMENTS = ("append", "dry_run", "reproducible", "path", "source")


@dataclass(frozen=True)
class MergeSummary:
    """What merging shards found."""

    #: The manifest, ``dataset.json``.
    path: Path
    shards: int
    #: The number of samples of each split.
    splits: dict[str, int]
    #: Samples that could not be read.
    skipped: int
    #: Of all shards.
    file_bytes: int
    elapsed_seconds: float


class ShardedPack:
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
        The folder for the shards, which is created.
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
        path: _Path,
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
        self.shards = operator.index(shards)
        if self.shards < 1:
            raise ValueError(f"shards is {shards}; it must be at least 1")
        self.path = Path(os.path.abspath(path))
        # Workers have other current folders.
        for name in ("image_root", "mask_colors"):
            if isinstance(options.get(name), str | os.PathLike):
                options[name] = os.path.abspath(options[name])
        self._arguments = {"source": _absolute(source), "path": self.path, "threads": threads, **options}
        self._request()

    def __call__(self, shard: int) -> Path:
        """Packs a shard, unless it is there.

        Parameters
        ----------
        shard
            Its number, from 0 on.

        Returns
        -------
        Path
            Its file.

        Raises
        ------
        ValueError
            If there is no such shard; if its file is of another source, or was packed with other options.
        FormatError
            If a source is damaged; the message names the sample.
        OSError
            If a file cannot be read or written.
        """
        request = self._request()
        for path, *_ in request.sources:
            if find_batches(path):
                raise ValueError(f"{str(path)!r} holds CIFAR batches that are pickled for Python; use octavo.pack")
        with _progress.shown(self._arguments.get("progress")) as on_progress:
            file, summary = _pack.pack_shard(
                request.sources,
                self.path,
                operator.index(shard),
                self.shards,
                request.source_options,
                request.options,
                repr({name: value for name, value in sorted(self._arguments.items()) if name not in _OF_WORKERS}),
                on_progress,
            )
        warned(summary)
        return Path(file)

    def merge(self, vds: bool = False, force: bool = False) -> MergeSummary:
        """Makes one dataset of the shards; as `merge`."""
        return merge(self.path, vds, force)

    def _request(self) -> Request:
        bound = inspect.signature(pack).bind(**self._arguments)
        bound.apply_defaults()
        return requested(bound.arguments)

    def __repr__(self) -> str:
        return f"ShardedPack({self._arguments['source']!r}, {str(self.path)!r}, shards={self.shards})"


def merge(path: _Path, vds: bool = False, force: bool = False, progress: _progress.Progress = None) -> MergeSummary:
    """Makes one dataset of the shards in a folder, like the command ``octavo merge``.

    Checks that the shards have every sample of their source exactly once, and writes the manifest ``dataset.json``.
    `Dataset`, `Loader` and all commands then take the folder. Reads headers and statistics, and the samples of shards
    of more than about 30,000 samples, to count them again.

    Parameters
    ----------
    path
        The folder.
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
        ``"lp8"`` or ``"lc8"``, which HDF5 cannot read.
    OSError
        If a file cannot be read or written.
    """
    if vds:
        check_target(Path(path, "dataset.h5"), force)
    with _progress.shown(progress) as on_progress:
        summary = MergeSummary(*_pack.merge_shards(Path(path), bool(vds), bool(force), on_progress))
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
