"""Progress bars, drawn by tqdm if it is installed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ._warn import warn

#: Called by the native code: (stage, samples done, samples in total, bytes done, bytes in total).
NativeProgress = Callable[[str, int, int, int, int], None]

#: None: a bar on a terminal; True: always a bar; False: no bar. Or a function (stage, done, total), in samples, or in
#: bytes for stages that do not count samples.
Progress = bool | Callable[[str, int, int], None] | None


class _Bar:
    """One tqdm bar for each stage."""

    def __init__(self, make_bar: Callable[..., Any], disable: bool | None) -> None:
        self._make_bar = make_bar
        self._disable = disable
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int, done_bytes: int, total_bytes: int) -> None:
        in_bytes = total == 0 and total_bytes > 0
        if in_bytes:
            done, total = done_bytes, total_bytes
        if stage != self._stage:
            self.close()
            unit: dict[str, Any] = {"unit": "B", "unit_scale": True} if in_bytes else {"unit": " samples"}
            # A resumed download starts at the bytes that exist.
            initial = done if in_bytes else 0
            self._bar = self._make_bar(total=total, desc=stage, initial=initial, disable=self._disable, **unit)
            self._stage = stage
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _tqdm() -> Callable[..., Any] | None:
    # The caller's work must not run inside this `except`: its errors would show this one as their cause.
    try:
        from tqdm.auto import tqdm
    except ImportError:
        logging.getLogger("octavo").debug("tqdm is not installed; no progress bar is shown")
        return None
    return tqdm  # type: ignore[no-any-return]


@contextmanager
def shown(progress: Progress) -> Iterator[NativeProgress | None]:
    """The callback for the native code; its progress bar is open while the context is active."""
    make_bar = _tqdm() if progress is None or progress is True else None
    if progress is True and make_bar is None:
        warn("progress is True, but tqdm is not installed, so there is no bar; run: pip install tqdm", RuntimeWarning)
    if make_bar is not None:
        # To tqdm, disable=None means: show the bar only on a terminal.
        bar = _Bar(make_bar, disable=False if progress else None)
        try:
            yield bar
        finally:
            bar.close()
    elif progress is None or isinstance(progress, bool):
        yield None
    elif callable(progress) and not isinstance(progress, type):
        yield lambda stage, done, total, done_bytes, total_bytes: progress(
            stage, *((done, total) if total > 0 or total_bytes == 0 else (done_bytes, total_bytes))
        )
    else:
        raise TypeError(f"progress is {progress!r}; it must be True, False, None or a function")
