"""Progress bars, by tqdm where it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

#: What the compiled part calls: (stage, done samples, of how many, done bytes, of how many).
NativeProgress = Callable[[str, int, int, int, int], None]

#: None: a bar on a terminal; True: a bar in any case; False: none. Or a function (stage, done, total).
Progress = bool | Callable[[str, int, int], None] | None


class _Bar:
    """One tqdm bar for each stage."""

    def __init__(self, make_bar: Callable[..., Any], disable: bool | None) -> None:
        self._make_bar = make_bar
        self._disable = disable
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int, done_bytes: int, total_bytes: int) -> None:
        if stage != self._stage:
            self.close()
            self._bar = self._make_bar(total=total, desc=stage, unit=" samples", disable=self._disable)
            self._stage = stage
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


@contextmanager
def shown(progress: Progress) -> Iterator[NativeProgress | None]:
    """What to pass to the compiled part, while the bar that it draws on is open."""
    if progress is False:
        yield None
    elif progress is None or progress is True:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            yield None
            return
        # tqdm takes None for: only on a terminal.
        bar = _Bar(tqdm, disable=False if progress else None)
        try:
            yield bar
        finally:
            bar.close()
    elif callable(progress):
        yield lambda stage, done, total, done_bytes, total_bytes: progress(stage, done, total)
    else:
        raise TypeError(f"progress is {progress!r}; it must be True, False, None or a function")
