"""One pass over the batches of an epoch."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import integrations as _integrations

if TYPE_CHECKING:
    from ..loader import Loader


class Iteration:
    """An iterator over the rest of an epoch. Several threads may take batches from it.

    It begins when the first batch is asked for, since frameworks create iterators that they do not use.

    Parameters
    ----------
    loader
        Its loader.
    item_of
        A function of a loader, an epoch and a step that returns what the iterator yields; None: batches.
    """

    def __init__(self, loader: Loader[Any], item_of: Callable[[Loader[Any], int, int], Any] | None = None) -> None:
        self._loader, self._item_of = loader, item_of
        self._lock = threading.Lock()
        self._number = 0  # of the iteration; 0: it has not begun
        self._is_done = False
        self._epoch, self._first, self._next, self._count = 0, 0, 0, 0
        self._make: Callable[[int, int], Any] = self._not_begun
        self._before = loader._position.place
        self._gradient_state: Any = None
        # What Accelerate reads, for example to know that `gather_for_metrics` has to drop repeated samples.
        self.end_of_dataloader = False
        self.remainder = -1

    def __iter__(self) -> Iteration:
        return self

    def __next__(self) -> Any:
        with self._lock:
            self._loader._check_open()
            if self._is_done:
                raise StopIteration
            if self._number == 0:
                self._begin()
            step = self._next
            if step >= self._count:
                self._finish()
                raise StopIteration
            self._next = step + 1
        try:
            item = self._make(self._epoch, step)
        except BaseException:
            self._take_back(step)
            raise
        self.end_of_dataloader = step + 1 == self._count
        self._loader._hand_out(self._number, self._epoch, step)
        return item

    def _begin(self) -> None:
        loader = self._loader
        self._number, self._before, place = loader._position.begin()
        try:
            self._first = self._next = place.step
            self._epoch = place.epoch
            make = loader._batches.of(place.epoch)
            self._make = make if self._item_of is None else self._item_maker(self._item_of)
            self._count = loader._batches.count(place.epoch)
        except BaseException:
            loader._position.take_back(self._number, self._before)
            self._number = 0
            raise
        self._gradient_state = _integrations.gradient_state()
        if self._gradient_state is not None and self._count > 0:
            last = loader._batches.share(place.epoch, self._count - 1)[2]
            self.remainder = last % loader.batch_size
            self._gradient_state._add_dataloader(self)

    @staticmethod
    def _not_begun(epoch: int, step: int) -> Any:
        raise AssertionError("the iteration has not begun")

    def _item_maker(self, item_of: Callable[[Loader[Any], int, int], Any]) -> Callable[[int, int], Any]:
        return lambda epoch, step: item_of(self._loader, epoch, step)

    def _take_back(self, step: int) -> None:
        """A batch could not be made: the next call tries it again."""
        with self._lock:
            if self._next != step + 1:
                return  # another thread has taken batches meanwhile
            self._next = step
            if step == self._first:
                self._loader._position.take_back(self._number, self._before)
                self._number = 0

    def _finish(self) -> None:
        self._is_done = True
        self._loader._position.finish(self._number)
        if self._gradient_state is not None:
            self._gradient_state._remove_dataloader(self)
