"""Progress bars, by tqdm where it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

#: What the compiled part calls: (stage, done samples, of how many, done bytes, of how many).
NativeProgress = Callable[[str, int, int, int, int], None]

#: None: a bar on a terminal; True: a bar in any case; False: none. Or a function (stage, done, total), in samples, or
#: in bytes where samples are not counted.
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
            # A download that goes on begins with what is there.
            initial = done if in_bytes else 0
            self._bar = self._make_bar(total=total, desc=stage, initial=initial, disable=self._disable, **unit)
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
        yield lambda stage, done, total, done_bytes, total_bytes: progress(
            stage, *((done, total) if total > 0 or total_bytes == 0 else (done_bytes, total_bytes))
        )
    else:
        raise TypeError(f"progress is {progress!r}; it must be True, False, None or a function")
