"""Keeps other writers away from a path."""

from __future__ import annotations

import errno
import fcntl
import os
import weakref
from pathlib import Path

#: File systems without locks; there, the caller must prevent concurrent writers.
_WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


class PathTakenError(OSError):
    """Another writer holds the lock."""


class PathLock:
    """The lock on ``PATH.lock`` that every writer of a dataset file holds (docs/format.md, "How a file is written").

    The system releases it when the process ends.

    Raises
    ------
    PathTakenError
        If another writer holds it, in this process or another one.
    OSError
        If the file of the lock cannot be created.
    """

    def __init__(self, path: Path) -> None:
        lock_path = path.with_name(path.name + ".lock")
        descriptor = _locked(lock_path)
        if descriptor is None:
            raise PathTakenError(
                f"write {str(path)!r}: another writer is active (it holds {str(lock_path)!r}); close or discard it, or "
                "wait for it to finish"
            )
        self._release = weakref.finalize(self, _release, descriptor, lock_path, os.getpid())

    def release(self) -> None:
        """Lets others write to the path."""
        self._release()


def _locked(lock_path: Path) -> int | None:
    """A descriptor of the file, which is locked; None if somebody else holds the lock."""
    while True:
        descriptor = os.open(lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _WITHOUT_LOCKS:
                os.close(descriptor)
                if isinstance(error, BlockingIOError):
                    return None
                raise
        if _is_current(descriptor, lock_path):
            return descriptor
        os.close(descriptor)


def _is_current(descriptor: int, lock_path: Path) -> bool:
    """Whether it is still the file at that path: whoever releases a lock removes the file."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(lock_path))
    except FileNotFoundError:
        return False


def _release(descriptor: int, lock_path: Path, process: int) -> None:
    if os.getpid() == process:  # a child of fork() has a copy of the descriptor, but not the lock
        lock_path.unlink(missing_ok=True)
    os.close(descriptor)
