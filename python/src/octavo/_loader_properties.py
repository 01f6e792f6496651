"""The properties of a loader, most of which are its arguments."""

from __future__ import annotations

from ._batch_factory import BatchFactory
from ._batch_options import resolve_ranks
from ._loader_records import Share
from .arrays import ArraySplit
from .augment import Mix, Operation
from .dataset import Split
from .normalize import Normalize
from .store import Store


class LoaderProperties:
    """The part of `Loader` that shows its arguments."""

    _store: Store
    _batches: BatchFactory
    _shuffle: bool | str
    _drop_last: bool
    _carry_over: bool
    _mix: Mix | None
    _label_smoothing: float
    _given_ranks: tuple[int | None, int | None]
    _last_batch: tuple[int, int] | None

    @property
    def store(self) -> Store:
        """The store of samples; other loaders can share it."""
        return self._store

    @property
    def dataset(self) -> Split | ArraySplit:
        """The split that the samples belong to."""
        return self._store.split

    @property
    def samples_per_epoch(self) -> int:
        """The samples of an epoch, of all ranks together; with `indices` or `weights`, not all of `dataset`."""
        sampling = self._batches.options.sampling
        return len(self.dataset) if sampling is None else sampling.epoch_samples

    @property
    def batch_size(self) -> int:
        """Samples per batch; with several ranks, the total over all ranks."""
        return self._batches.options.batch_size

    @property
    def shuffle(self) -> bool | str:
        """The order: True, False, ``"blocks"`` or ``"windows:N"``."""
        return self._shuffle

    @property
    def seed(self) -> int:
        """The seed of the order."""
        return self._batches.options.seed

    @property
    def drop_last(self) -> bool:
        """Whether the last batch of an epoch is dropped if it is incomplete."""
        return self._drop_last

    @property
    def carry_over(self) -> bool:
        """Whether samples that do not fill the last batch begin the next epoch."""
        return self._carry_over

    @property
    def normalize(self) -> Normalize:
        """The normalization of the images."""
        return self._batches.options.normalize

    @property
    def framework(self) -> str:
        """``"torch"``, ``"numpy"`` or ``"dlpack"``."""
        return self._batches.options.framework

    @property
    def augment_seed(self) -> int:
        """The seed of the augmentation."""
        return self._batches.options.augment_seed

    @property
    def views(self) -> int:
        """Images per sample."""
        return self._batches.options.views

    @property
    def mix(self) -> Mix | None:
        """MixUp and CutMix."""
        return self._mix

    @property
    def label_smoothing(self) -> float:
        """The share of a probability of 1 that all classes get."""
        return self._label_smoothing

    @property
    def device(self) -> str:
        """The device of the batches: ``"cpu"`` or, for example, ``"cuda:0"``."""
        return self._store.device

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
    def augment(self) -> tuple[Operation, ...]:
        """The operations on the images; those of the last epoch that made a batch, if they depend on the epoch."""
        return self._batches.options.augment

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
