"""What the exceptions of libraries for remote files mean, and what to do about them."""

from __future__ import annotations

import errno
import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from .addresses import without_secrets

_Result = TypeVar("_Result")

_MOST_CHARACTERS = 300
#: Statuses of HTTP that may be another one next time; so are those from 500 on.
_PASSING_STATUSES = (408, 425, 429)


class Retries(NamedTuple):
    """How often a request is repeated, in addition to what a library does by itself."""

    most: int = 4
    first_seconds: float = 0.1
    #: None is begun after this time.
    within_seconds: float = 60.0


RETRIES = Retries()


class ChangedError(Exception):
    """The object is not the one that was opened."""


class ShortError(Exception):
    """The bytes of a range are fewer or more than it has."""


@dataclass(frozen=True)
class Problem:
    """Why a request failed."""

    text: str
    error_number: int = 0
    may_pass: bool = False

    def about(self, action: str, name: str) -> str:
        """The message."""
        return f'{action} "{name}": {self.text}'


class ProblemError(Exception):
    """A problem that another process has found."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.text)
        self.problem = problem

    def __reduce__(self) -> tuple[type[ProblemError], tuple[Problem]]:
        return type(self), (self.problem,)


def problem_of(error: BaseException) -> Problem:
    """The problem behind an exception of a library."""
    if isinstance(error, ProblemError):
        return error.problem
    if isinstance(error, FileNotFoundError) and isinstance(error.__cause__, Exception):
        error = error.__cause__  # fsspec's HTTP client raises it for every failure
    kind, text = type(error).__name__, _one_line(error)
    status = _status_of(error, text)
    if isinstance(error, ChangedError) or kind == "PreconditionError" or status == 412:
        return Problem("the file was changed while it was read; open it again")
    if isinstance(error, ShortError):
        return Problem(f"{text}; try again, or copy the file first", may_pass=True)
    if isinstance(error, FileNotFoundError) or kind == "NotFoundError" or status == 404:
        return Problem(f"there is no such object{_of(status)}; check the address", errno.ENOENT)
    if "169.254.169.254" in text or "credential" in text.lower() or "anonymous" in text.lower():
        return Problem(
            f"no valid credentials were found ({text}); set them in the environment, or AWS_SKIP_SIGNATURE=true for a "
            "public bucket (docs/how-to/remote.md)",
            errno.EACCES,
        )
    if isinstance(error, PermissionError) or kind in ("PermissionDeniedError", "UnauthenticatedError") or (
        status in (401, 403)
    ):  # fmt: skip
        return Problem(f"access is denied{_of(status)}; check the credentials, and that they may read it", errno.EACCES)
    if isinstance(error, ImportError):
        return Problem(f"{text}; install what is missing, or copy the file first")
    if isinstance(error, (NotImplementedError, TypeError, AttributeError)) or kind == "NotSupportedError":
        return Problem(f"{text}; it cannot be read in ranges, so copy the file first")
    lasts = status is not None and 400 <= status < 500 and status not in _PASSING_STATUSES
    return Problem(f"{text}; check the address and the network, and try again", may_pass=not lasts)


def with_retries(work: Callable[[], _Result], is_needed: Callable[[], bool] = lambda: True) -> _Result:
    """The result of `work`, which is repeated as long as its problems may pass.

    The pauses grow and are random, so that many clients do not come back at the same time.
    """
    begin = time.monotonic()
    for number in range(RETRIES.most):
        try:
            return work()
        except Exception as error:
            pause = RETRIES.first_seconds * 2**number * random.uniform(0.5, 1.5)
            if not problem_of(error).may_pass or time.monotonic() + pause - begin > RETRIES.within_seconds:
                raise
        time.sleep(pause)
        if not is_needed():
            break
    return work()


def check_sizes(ranges: list[tuple[int, int]], buffers: list[memoryview], length: int) -> None:
    """Raises ShortError unless each buffer has the bytes of its range."""
    if len(buffers) != len(ranges):
        raise ShortError(f"asked for {len(ranges)} ranges, got {len(buffers)}")
    for (begin, end), buffer in zip(ranges, buffers, strict=True):
        if buffer.nbytes == end - begin:
            continue
        if buffer.nbytes == length:
            raise NotImplementedError("asked for a range, got the whole file")
        raise ShortError(f"asked for bytes {begin} to {end}, got {buffer.nbytes} of {end - begin}")


def _status_of(error: BaseException, text: str) -> int | None:
    """The status of HTTP, if the exception names it."""
    for holder in (error, getattr(error, "response", None)):
        for name in ("status", "status_code"):
            status = getattr(holder, name, None)
            if isinstance(status, int) and 100 <= status < 600:
                return status
    found = re.search(r"status code: (\d{3})", text)
    return int(found[1]) if found else None


def _of(status: int | None) -> str:
    return "" if status is None else f" (HTTP {status})"


def _one_line(error: BaseException) -> str:
    """The text of an exception on one line, without secrets."""
    text = " ".join(str(error).partition("Debug source")[0].split())
    text = without_secrets(text).rstrip(":; .") or type(error).__name__
    return text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS] + "..."
