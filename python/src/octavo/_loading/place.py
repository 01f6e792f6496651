"""Where a loader is, and where its next iteration begins (docs/reference/resuming.md)."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Place:
    """A place of a loader: `step` batches of `epoch` were handed out."""

    epoch: int = 0
    step: int = 0
    #: An iteration began in this epoch, so the next one begins another epoch.
    is_begun: bool = False
    #: A state was restored, and no iteration has begun since: the next one begins here.
    is_restored: bool = False
    #: What a framework that counts epochs on its own calls this epoch, minus `epoch`.
    offset: int = 0


class Position:
    """The place of a loader as calls change it. Thread-safe.

    Several iterations may be in use at once; only the newest one moves the place.
    """

    def __init__(self, batches_in: Callable[[int], int]) -> None:
        self._batches_in = batches_in
        self._lock = threading.RLock()
        self._place = Place()
        self._step = 0  # of the place, apart from it, since it changes with each batch
        self._iteration = 0
        # The last epoch that a framework counted to, and the epoch of the loader that it was.
        self._counted: tuple[int, int] | None = None

    @property
    def place(self) -> Place:
        """The current place."""
        with self._lock:
            return dataclasses.replace(self._place, step=self._step)

    def begin(self) -> tuple[int, Place, Place]:
        """Begins an iteration: its number, the place before, and that of its first batch."""
        with self._lock:
            before = place = self.place
            if place.is_begun:
                place = Place(place.epoch + 1, offset=place.offset)
            self._set(dataclasses.replace(place, is_begun=True, is_restored=False))
            self._iteration += 1
            return self._iteration, before, place

    def take_back(self, iteration: int, before: Place) -> None:
        """Undoes the beginning of an iteration whose first batch could not be made."""
        with self._lock:
            if iteration == self._iteration:
                self._set(before)

    def advance(self, iteration: int, step: int) -> None:
        """Batch `step` of an iteration is handed out."""
        with self._lock:
            if iteration == self._iteration and step >= self._step:
                self._step = step + 1

    def finish(self, iteration: int) -> None:
        """An iteration was asked for a batch after its last one."""
        with self._lock:
            if iteration == self._iteration:
                self._set(Place(self._place.epoch + 1, offset=self._place.offset))
                self._iteration += 1

    def set_epoch(self, number: int) -> None:
        """The next iteration is to begin the epoch that the caller calls `number`.

        A restored place stays: what the caller calls its epoch is remembered instead. If nothing of its epoch is left,
        a larger number than that of this epoch begins the next one.
        """
        with self._lock:
            place = self.place
            if place.is_restored:
                is_over = place.step > 0 and place.step >= self._batches_in(place.epoch)
                if is_over and number > place.epoch + place.offset:
                    self._go_to(place.epoch + 1, number)
                else:
                    self._set(dataclasses.replace(place, offset=number - place.epoch))
            else:
                self._go_to(number - place.offset if number >= place.offset else number, number)
            self._counted = (number, self._place.epoch)

    def count_epoch(self, number: int) -> None:
        """As `set_epoch`, for frameworks that count epochs on their own.

        If they count on by one, the next epoch of the loader begins, even if the loader has shown several meanwhile.
        """
        with self._lock:
            place, counted = self._place, self._counted
            if place.is_restored or counted is None or number != counted[0] + 1:
                return self.set_epoch(number)
            self._go_to(max(counted[1] + 1, place.epoch + place.is_begun), number)
            self._counted = (number, self._place.epoch)

    def restore(self, epoch: int, step: int, offset: int) -> None:
        """Goes to a saved place."""
        with self._lock:
            self._set(Place(epoch, step, is_restored=True, offset=offset))
            self._counted = None
            self._iteration += 1

    def copy_from(self, place: Place) -> None:
        """Goes to the place of a loader that was pickled."""
        with self._lock:
            self._set(place)
            self._iteration += 1

    def _go_to(self, epoch: int, number: int) -> None:
        self._set(Place(epoch, offset=number - epoch))
        self._iteration += 1

    def _set(self, place: Place) -> None:
        self._place, self._step = place, place.step
