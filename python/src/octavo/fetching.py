"""Downloads published image datasets."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import _fetch, _progress

_Path = str | os.PathLike[str]


@dataclass(frozen=True)
class Fetched:
    """A downloaded set, and the cost of fetching it."""

    #: Where its files are.
    folder: Path
    #: For `pack`: the folder, files, or files by split.
    source: Path | list[Path] | dict[str, list[Path]]
    #: The result for each file: ``name``, ``bytes``, ``was_there``, ``received_bytes``, ``url``.
    files: list[_fetch.FetchedFile]
    received_bytes: int
    elapsed_seconds: float


def fetch(
    name: str | None = None,
    folder: _Path | None = None,
    *,
    description: _Path | None = None,
    mirrors: str | Sequence[str] = (),
    retries: int = 3,
    timeout: int = 30,
    force: bool = False,
    progress: _progress.Progress = None,
) -> Fetched:
    """Fetches an image set from its publisher; the same as the command ``octavo fetch``.

    Files that exist and have the right checksums are not fetched again. If a call is interrupted, the next one resumes
    it.

    >>> octavo.pack(octavo.fetch("cifar10").source, "cifar10.h5")

    Parameters
    ----------
    name
        One of `known_sets`, such as ``"mnist"``.
    folder
        The target folder; None: a folder named after the set.
    description
        Instead of a name, a JSON file that describes another set: see docs/sources.md.
    mirrors
        Base addresses to fetch the files from, instead of the set's own.
    retries
        Further attempts at each address after a transient failure.
    timeout
        An attempt ends after this many seconds without a connection, or with less than 1 KiB per second.
    force
        Replace files with the same names but other contents.
    progress
        None: a tqdm bar on a terminal, if tqdm is installed; True: always; False: no bar; or a function
        ``(stage, done, total)``, in bytes, which can cancel the work by raising.

    Returns
    -------
    Fetched
        The folder, what to pack, and what was received.

    Raises
    ------
    FormatError
        If a downloaded file has the wrong checksum, or the description is invalid.
    OSError
        If no server can be reached, or the folder cannot be written.
    ValueError
        If the set is unknown, or a file with other contents exists and `force` is not set.
    UnavailableError
        In a build without libcurl.
    """
    if (name is None) == (description is None):
        raise TypeError("fetch() takes either the name of a set or a description")
    for argument, value, least, most in (("retries", retries, 0, 1000), ("timeout", timeout, 1, 86400)):
        if not least <= operator.index(value) <= most:
            raise ValueError(f"{argument} is {value}; it must be in {least} ... {most}")
    wanted = _fetch.known_set(name) if name is not None else _fetch.read_set(Path(description or ""))
    options = _fetch.FetchOptions()
    options.mirrors = [mirrors] if isinstance(mirrors, str) else list(mirrors)
    options.retries = operator.index(retries)
    options.stall_seconds = operator.index(timeout)
    options.replace_existing = bool(force)
    target = Path(wanted.name if folder is None else folder)
    with _progress.shown(progress) as on_progress:
        summary = _fetch.fetch_set(wanted, target, options, on_progress)
    source = _source(target, wanted.pack)
    return Fetched(target, source, summary.files, summary.received_bytes, summary.elapsed_seconds)


def _source(folder: Path, parts: Sequence[str]) -> Path | list[Path] | dict[str, list[Path]]:
    """`parts`, [SPLIT=]FILE below the folder, in the form that `pack` accepts; the folder itself if there are none."""
    if not parts:
        return folder
    splits: dict[str, list[Path]] = {}
    for part in parts:
        split, _, file = part.rpartition("=")
        splits.setdefault(split, []).append(folder / file)
    return splits[""] if list(splits) == [""] else splits
