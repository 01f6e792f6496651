"""The position of a loader: which epoch it is in, and states that restore it."""

from __future__ import annotations

import operator
from typing import Any

from . import integrations as _integrations
from .batch_factory import BatchFactory
from .place import Position
from .saved_states import LAST_EPOCH, plain_state, saved_place


class LoaderPosition:
    """The part of `Loader` that counts epochs, and saves and restores its position."""

    _knows_its_trainer = False
    _batches: BatchFactory
    _position: Position
    _carry_over: bool

    @property
    def epoch(self) -> int:
        """The epoch of the last batch; after a whole epoch, `set_epoch` or `load_state_dict`, that of the next one."""
        return self._position.place.epoch

    def set_epoch(self, epoch: int) -> None:
        """Makes the next iteration start at the first batch of `epoch`.

        A place that `load_state_dict` restored stays, whatever the number: it is then what the caller calls this epoch,
        and the numbers after it are those of the epochs after it (docs/reference/resuming.md).

        Raises
        ------
        ValueError
            If it is negative or too large.
        """
        self._position.set_epoch(_checked_epoch(epoch))

    def _count_epoch(self, epoch: int) -> None:
        if self._carry_over and not self._knows_its_trainer:
            _integrations.warn_of_short_epochs()
        self._position.count_epoch(_checked_epoch(epoch))

    def state_dict(self) -> dict[str, Any]:
        """The position after the batches yielded so far, to save with the model; a dict of plain values.

        It also identifies the samples, the order, the normalization and the augmentation.
        """
        place = self._position.place
        state = self._batches.state(place.epoch, place.step)
        return {**state, "epoch_offset": place.offset} if place.offset else state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restores a state from `state_dict`: the next iteration starts there.

        Ranks, device, residency, type and memory format may differ. So may `batch_size`, except with shuffle="blocks":
        the loader continues with the next sample.

        Raises
        ------
        ValueError
            If the state is from a loader with other samples or another order; the message names the difference, and the
            loader stays unchanged.
        """
        saved = plain_state(state)
        # The augmentation may depend on the epoch.
        given = saved.get("epoch")
        known = given if isinstance(given, int) and 0 <= given <= LAST_EPOCH else 0
        epoch, samples, offset = saved_place(saved, lambda state: self._batches.place_of(state, known))
        epoch, step = self._batches.go_to(epoch, samples)
        self._position.restore(epoch, step, offset)


def _checked_epoch(epoch: int) -> int:
    number = operator.index(epoch)
    if number < 0:
        raise ValueError(f"epoch is {number}; epochs count from 0")
    if number > LAST_EPOCH:
        raise ValueError(f"epoch is {number}; the last one is {LAST_EPOCH}")
    return number
