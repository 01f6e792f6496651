"""The properties of a `Loader`: those of its batches, and those of the order and of the ranks."""

from __future__ import annotations

from .batch_factory import BatchFactory
from .batch_options import BatchOptions, resolve_ranks
from .batch_properties import BatchProperties
from .loader_records import Share


class LoaderProperties(BatchProperties):
    """The part of `Loader` that shows its arguments."""

    _batches: BatchFactory
    _shuffle: bool | str
    _drop_last: bool
    _given_ranks: tuple[int | None, int | None]
    _last_batch: tuple[int, int] | None

    @property
    def _options(self) -> BatchOptions:
        return self._batches.options

    @property
    def shuffle(self) -> bool | str:
        """The order: True, False, ``"blocks"`` or ``"windows:N"``."""
        return self._shuffle

    @property
    def drop_last(self) -> bool:
        """Whether the last batch of an epoch is dropped if it is incomplete."""
        return self._drop_last

    @property
    def share(self) -> Share:
        """The part that this rank has of the last batch that was yielded.

        Raises
        ------
        ValueError
            If no batch was yielded.
        """
        if self._last_batch is None:
            raise ValueError("no batch was yielded yet, so there is no share of it")
        own, repeats, batch = self._batches.share(*self._last_batch)
        return Share(own, repeats, batch, own * self._batches.options.world_size / batch)

    @property
    def rank(self) -> int:
        """The rank of this process, of those that share each batch."""
        return resolve_ranks(*self._given_ranks)[0]

    @property
    def world_size(self) -> int:
        """The number of processes that share each batch."""
        return resolve_ranks(*self._given_ranks)[1]

    @property
    def prefetch(self) -> int:
        """The number of batches that are read ahead."""
        return self._batches.prefetch
