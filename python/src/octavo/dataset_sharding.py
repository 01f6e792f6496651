"""Packs Python datasets with many workers, which share nothing but a folder."""

from __future__ import annotations

import hashlib
import operator
import os
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from . import _core, _pack
from ._argument_names import check_names
from ._conversion.dataset_checks import check_is_dataset
from ._conversion.dataset_classes import SplitClasses
from ._conversion.dataset_samples import Slice, splits_of
from ._conversion.label_keys import label_keys_of
from ._conversion.sample_names import paths_of
from ._path_lock import PathTakenError
from .dataset_packing import OWN_OPTIONS, WRITER_OPTIONS, pack_dataset, packed
from .packing import pack_options
from .sharding import ShardJob
from .writer import Writer

_Path = str | os.PathLike[str]

#: Arguments of `pack_dataset` that shards do not have: those that choose samples would have to know all of them.
_OTHER_ARGUMENTS = frozenset(
    {"dataset", "path", "split", "append", "reproducible", "holdout", "seed", "limit", "groups", "group_by"}
)
#: Arguments that do not change the samples, or have a place of their own in what a shard records.
_OF_WORKERS = frozenset({"threads", "progress", "force", "memory", "model_speed", "compress"})
#: Seconds between two looks for what another worker packs.
_POLL_SECONDS = 0.2


class ShardedPackDataset(ShardJob):
    """Packs a Python dataset in shards: `pack_dataset` as a picklable function of the number of a shard.

    >>> job = octavo.ShardedPackDataset({"train": train, "test": test}, "packed", shards=64, size=224)
    >>> with concurrent.futures.ProcessPoolExecutor() as workers:
    ...     list(workers.map(job, range(64)))
    >>> job.merge()

    Each worker reads only the samples of its shards, packs them into a file, and moves the file into the folder when
    it is complete. Shards that are there are not packed again. Two workers may pack the same shard.

    Parameters
    ----------
    dataset
        As for `pack_dataset`, with ``__len__`` and ``__getitem__``. It must have a pickle if workers are other
        processes.
    path
        The folder, as for `ShardedPack`.
    shards
        The number of shards.
    split
        The name of the split; ignored if `dataset` is a mapping of splits.
    threads
        The number of threads of each call; 0: all that the process may use.
    options
        The other arguments of `pack_dataset`, except `append`, `reproducible`, and those that choose among all samples:
        `holdout`, `seed`, `limit`, `groups` and `group_by`. ``compress`` names an encoding, because ``"auto"`` depends
        on the samples. Pass `channels` if some images are gray and others are RGB.

    Raises
    ------
    ValueError, TypeError
        For invalid options, or a dataset without a length.
    """

    def __init__(
        self,
        dataset: Any,
        path: _Path | tuple[Any, str],
        *,
        shards: int,
        split: str = "train",
        threads: int = 1,
        **options: Any,
    ) -> None:
        check_names("octavo.ShardedPackDataset", options, (OWN_OPTIONS | WRITER_OPTIONS) - _OTHER_ARGUMENTS)
        if options.get("compress") == "auto":
            raise ValueError("compress is 'auto', which depends on the samples; name the encoding of all shards")
        check_is_dataset(dataset)
        super().__init__(path, shards)
        self._parts = splits_of(dataset, split)
        for name, part in self._parts.items():
            if not (hasattr(part, "__len__") and hasattr(part, "__getitem__")):
                raise TypeError(
                    f"split {name!r} is a {type(part).__name__}, which has no length or no samples by number; pack it "
                    "with octavo.pack_dataset"
                )
        self._lengths = {name: len(part) for name, part in self._parts.items()}
        if self.shards > max(self._lengths.values()):
            raise ValueError(f"shards is {shards}; the largest split has {max(self._lengths.values()):,} samples")
        self._options = {**options, "threads": threads}
        self._pack_options()
        self._digest = _digest_of(self._parts, options)

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
            If there is no such shard; if its file is of another dataset, or was packed with other options; for invalid
            samples, as in `pack_dataset`.
        OSError
            If a file cannot be read or written.
        Exception
            Whatever the dataset raises, with a note that names the sample.
        """
        number = operator.index(shard)
        of_dataset = _pack.CollectedShard(number, self.shards, self._digest, list(self._lengths.items()))
        record = of_dataset.record(self._pack_options())
        if self._remote is None:
            return self._pack_shard(of_dataset, self.path, number)

        def pack(folder: Path, is_there: Callable[[str], bool]) -> str | None:
            return None if is_there(record) else str(self._pack_shard(of_dataset, folder, number))

        return self._upload(number, pack, bool(self._options.get("force")))

    def _pack_options(self) -> _pack.PackOptions:
        options = self._options
        return pack_options(
            None,
            True,
            bool(options.get("force")),
            options["threads"],
            options.get("compress", "none"),
            options.get("max_error"),
            options.get("memory"),
            options.get("model_speed"),
        )

    def _pack_shard(self, shard: _pack.CollectedShard, folder: Path, number: int) -> Path:
        file = folder / _pack.shard_file_name(number, self.shards)
        folder.mkdir(parents=True, exist_ok=True)
        while not shard.is_in(folder, self._pack_options()):
            try:
                packed(self._arguments(shard, file), lambda **made: _ShardWriter(shard, file, **made))
                break
            except (PathTakenError, FileExistsError):  # another worker packs it
                time.sleep(_POLL_SECONDS)
        return file

    def _arguments(self, shard: _pack.CollectedShard, file: Path) -> dict[str, Any]:
        """Those of `pack_dataset` for the samples of a shard."""
        slices = {name: Slice(part, *shard.range_of(name, self._lengths[name])) for name, part in self._parts.items()}
        own = {name: value for name, value in self._options.items() if name in OWN_OPTIONS}
        others = {name: value for name, value in self._options.items() if name not in OWN_OPTIONS}
        defaults = pack_dataset.__kwdefaults__ or {}
        return {**defaults, **own, "dataset": slices, "path": file, "options": others}

    def __repr__(self) -> str:
        splits = ", ".join(f"{name}: {length}" for name, length in self._lengths.items())
        return f"ShardedPackDataset({{{splits}}}, {self._shown_path()!r}, shards={self.shards})"


class _ShardWriter(Writer):
    """Writes the samples of one shard."""

    def __init__(self, shard: _pack.CollectedShard, file: Path, **options: Any) -> None:
        super().__init__(file, **options)
        self._shard = shard

    def _pack_source(self, source: _pack.SpooledSource, on_progress: Any) -> _pack.PackSummary:
        _, summary = _pack.pack_spooled_shard(source, self._path.parent, self._shard, self._options, on_progress)
        return summary


def _digest_of(parts: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """Tells datasets apart, and options that change samples; the same in every process."""
    label_keys = label_keys_of(options.get("label_key"), parts)
    described: list[Any] = [_core.__version__]
    for name, part in parts.items():
        classes = SplitClasses(name, part, label_keys[name]).names
        described.append((name, len(part), getattr(part, "_fingerprint", None), classes, paths_of(part)))
    described += [(name, _described(value)) for name, value in sorted(options.items()) if name not in _OF_WORKERS]
    return hashlib.sha256(repr(described).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _described(value: Any) -> str:
    """A text for an argument, without addresses in memory."""
    if hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))
