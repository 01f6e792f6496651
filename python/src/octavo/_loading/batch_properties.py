"""The properties of a loader that follow from its batches."""

from __future__ import annotations

from ..arrays import ArraySplit
from ..augment import Mix, Operation
from ..dataset import Split
from ..normalize import Normalize
from ..store import Store
from .batch_options import BatchOptions


class BatchProperties:
    """The part of `Loader` and `GraphLoader` that shows what their batches are."""

    _store: Store
    _carry_over: bool

    @property
    def _options(self) -> BatchOptions:
        """The options of the batches."""
        raise NotImplementedError

    @property
    def store(self) -> Store:
        """The store of samples; other loaders can share it."""
        return self._store

    @property
    def dataset(self) -> Split | ArraySplit:
        """The split that the samples belong to."""
        return self._store.split

    @property
    def device(self) -> str:
        """The device of the batches: ``"cpu"`` or, for example, ``"cuda:0"``."""
        return self._store.device

    @property
    def samples_per_epoch(self) -> int:
        """The samples of an epoch, of all ranks together; with `indices` or `weights`, not all of `dataset`."""
        sampling = self._options.sampling
        return len(self.dataset) if sampling is None else sampling.epoch_samples

    @property
    def batch_size(self) -> int:
        """Samples per batch; with several ranks, the total over all ranks."""
        return self._options.batch_size

    @property
    def seed(self) -> int:
        """The seed of the order."""
        return self._options.seed

    @property
    def carry_over(self) -> bool:
        """Whether samples that do not fill the last batch begin the next epoch."""
        return self._carry_over

    @property
    def normalize(self) -> Normalize:
        """The normalization of the images."""
        return self._options.normalize

    @property
    def framework(self) -> str:
        """``"torch"``, ``"numpy"`` or ``"dlpack"``."""
        return self._options.framework

    @property
    def augment(self) -> tuple[Operation, ...]:
        """The operations on the images; those of the last epoch that made a batch, if they depend on the epoch."""
        return self._options.augment

    @property
    def augment_seed(self) -> int:
        """The seed of the augmentation."""
        return self._options.augment_seed

    @property
    def views(self) -> int:
        """Images per sample."""
        return self._options.views

    @property
    def mix(self) -> Mix | None:
        """MixUp and CutMix."""
        return self._options.mix

    @property
    def label_smoothing(self) -> float:
        """The share of a probability of 1 that all classes get."""
        return self._options.label_smoothing
