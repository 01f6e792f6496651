"""The samplers of a loader, for code that was written for a ``torch.utils.data.DataLoader``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .iteration import Iteration

if TYPE_CHECKING:
    from ..dataset import Split
    from ..loader import Loader


class BatchIndices(list[int]):
    """The indices of the samples of a batch, which can make the batch."""

    def __init__(self, loader: Loader[Any], epoch: int, step: int) -> None:
        super().__init__(loader._batches.indices(epoch, step).tolist())
        self._loader, self._epoch, self._step = loader, epoch, step

    def make(self) -> Any:
        """The batch, as the loader would have yielded it."""
        return self._loader._batches.of(self._epoch)(self._epoch, self._step)


class LoaderSampler:
    """The order of the samples. Iterating over it is an epoch of the loader."""

    def __init__(self, loader: Loader[Any]) -> None:
        self._loader = loader

    def __len__(self) -> int:
        return self._loader.samples_per_epoch

    def __iter__(self) -> Iterator[int]:
        for batch in Iteration(self._loader, BatchIndices):
            yield from batch

    def set_epoch(self, epoch: int) -> None:
        """Counts an epoch on, as frameworks do: see docs/reference/resuming.md."""
        self._loader._count_epoch(epoch)


class LoaderBatchSampler:
    """The samples of each batch of this rank. Iterating over it is an epoch of the loader."""

    def __init__(self, loader: Loader[Any], sampler: LoaderSampler) -> None:
        self._loader, self.sampler = loader, sampler

    @property
    def batch_size(self) -> int:
        """Samples of a batch, of all ranks together."""
        return self._loader.batch_size

    @property
    def drop_last(self) -> bool:
        """Whether a short last batch is left out."""
        return self._loader.drop_last

    def __len__(self) -> int:
        return len(self._loader)

    def __iter__(self) -> Iterator[list[int]]:
        return Iteration(self._loader, BatchIndices)

    def set_epoch(self, epoch: int) -> None:
        """As `LoaderSampler.set_epoch`."""
        self.sampler.set_epoch(epoch)


class Items(Sequence[Any]):
    """Items of a split, read when they are used. A DataLoader fetches these for the indices of a batch sampler."""

    def __init__(self, split: Split, indices: Sequence[int]) -> None:
        self._split, self.indices = split, indices

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return Items(self._split, self.indices[place])
        return self._split[self.indices[place]]


def collate(items: Sequence[Any]) -> Any:
    """The batch of items that a loader's batch sampler chose; others are collated as by torch."""
    if isinstance(items, Items) and isinstance(items.indices, BatchIndices):
        return items.indices.make()
    from torch.utils.data import default_collate

    return default_collate(list(items))
