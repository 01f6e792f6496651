"""Single batches of a loader, and what they are made of, for a look at what training saw."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Generic

import numpy as np

from ..store import Store
from .loader_position import LoaderPosition
from .loader_records import DrawnSample
from .loader_typing import BatchT

if TYPE_CHECKING:
    import numpy.typing as npt


class LoaderReplay(LoaderPosition, Generic[BatchT]):
    """The part of `Loader` that shows any batch of an epoch again, and what was drawn for it."""

    _store: Store

    def __getitem__(self, step: int) -> BatchT:
        """Batch `step` of the current epoch, independent of any iteration; negative steps count from the end.

        Raises
        ------
        IndexError
            If there is no such batch.
        """
        self._store._usable()
        batch: BatchT = self._batches.of(self.epoch)(self.epoch, self._step(step))
        return batch

    def indices(self, step: int) -> npt.NDArray[np.int64]:
        """int64 [B]: the indices of the samples in batch `step` of the current epoch.

        Raises
        ------
        IndexError
            If there is no such batch.
        """
        return self._batches.indices(self.epoch, self._step(step))

    def drawn(self, step: int) -> list[DrawnSample]:
        """The samples of batch `step` of the current epoch, and what the augmentation drew for each.

        Raises
        ------
        IndexError
            If there is no such batch.
        """
        return [DrawnSample(*sample) for sample in self._batches.drawn(self.epoch, self._step(step))]

    def fingerprint(self, epoch: int | None = None, *, pixels: bool = False) -> str:
        """A digest, 16 hex digits, of the samples of an epoch, their order, and everything that the augmentation draws.

        The same on every machine, device, residency and rank. Two runs with the same fingerprint have trained on the
        same batches.

        Parameters
        ----------
        epoch
            The epoch; None: the current one.
        pixels
            Also of the values of all batches, which this makes.

        Raises
        ------
        ValueError
            If the epoch is negative.
        """
        number = self.epoch if epoch is None else operator.index(epoch)
        if number < 0:
            raise ValueError(f"epoch is {number}; epochs count from 0")
        self._store._usable()
        return self._batches.fingerprint(number, bool(pixels))

    def _step(self, step: int, epoch: int | None = None) -> int:
        number, count = operator.index(step), self._batches.count(self.epoch if epoch is None else epoch)
        if not -count <= number < count:
            raise IndexError(f"batch {number} is out of range; the epoch has {count}")
        return number % count
