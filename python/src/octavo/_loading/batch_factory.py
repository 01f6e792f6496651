"""Makes any batch of a loader, by epoch and step."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._augment_base import checked_operations
from ..store import Store
from . import frameworks as _frameworks
from . import integrations as _integrations
from .batch_options import BatchOptions, resolve_ranks, warn_of_ranks
from .rank_agreement import RankAgreement, find_store
from .sampling import resolve_sampling

#: Host batches of at least this size reuse the memory of released batches: for blocks this large, malloc returns fresh
#: pages, and faulting them in takes longer than filling them (docs/performance.md).
_RECYCLED_BYTES = 128 << 10

Make = Callable[[int, int], Any]


class BatchFactory:
    """Makes the batches of a loader. Keeps no place. Thread-safe.

    What depends on the epoch, such as its augmentation, and on the process, such as its rank, is prepared when the
    first batch of an epoch is asked for.

    Parameters
    ----------
    store
        The samples.
    options
        Those of epoch 0.
    allocator
        Of the framework; None: batches are in library memory, for DLPack.
    order, drop_last, carry_over, prefetch
        How an epoch is divided into batches, and how many are read ahead.
    augment, weights
        Functions of the epoch, or anything else.
    ranks
        The given rank and number of ranks; None: to be found out.
    equal_shares
        Whether ranks have as many samples; None: if the framework needs it.
    keys
        The names of the parts of a batch, None for those to leave out; None: batches are tuples.
    """

    def __init__(
        self,
        store: Store,
        options: BatchOptions,
        allocator: _frameworks.Allocator | None,
        *,
        order: str,
        drop_last: bool,
        carry_over: bool,
        prefetch: int,
        augment: Any,
        weights: Any,
        ranks: tuple[int | None, int | None],
        equal_shares: bool | None,
        keys: tuple[str | None, ...] | None,
    ) -> None:
        self._store, self._allocator, self._keys = store, allocator, keys
        self._order, self._drop_last, self._carry_over, self._prefetch = order, drop_last, carry_over, prefetch
        self._augment_of = augment if callable(augment) else None
        self._weights_of = weights if callable(weights) else None
        self._weights_epoch = 0
        self._given_ranks, self._given_equal_shares = ranks, equal_shares
        self._has_checked_ranks = ranks[0] is not None
        self._agreement: RankAgreement | None = None
        self._lock = threading.RLock()
        self._maker: Any = None  # a BatchMaker, until it is closed
        self._make: Any = None
        self._prepare(options, bool(equal_shares), (0, 0))

    @property
    def options(self) -> BatchOptions:
        """The options of the batches that were prepared last."""
        return self._options

    @property
    def is_closed(self) -> bool:
        """Whether it makes no more batches."""
        return isinstance(self._maker, _Closed)

    @property
    def has_epochs_of_own_length(self) -> bool:
        """Whether weights that change may give each epoch another number of batches."""
        return self._weights_of is not None

    @property
    def shuffle(self) -> str:
        """The library's name for the order."""
        return str(self._maker.shuffle)

    @property
    def prefetch(self) -> int:
        """The number of batches that are read ahead."""
        return int(self._maker.prefetch)

    def close(self) -> None:
        """Frees memory; everything else raises ValueError afterwards."""
        self._maker = self._make = _Closed()

    def of(self, epoch: int) -> Make:
        """The function of (epoch, step) that makes the batches of `epoch`."""
        with self._lock:
            options, equal_shares = self._with_ranks(self._options)
            options = self._with_augmentation(self._with_weights(options, epoch), epoch)
            if options is not self._options or equal_shares != self._equal_shares:
                self._prepare(options, equal_shares, self._origin)
            self._weights_epoch = epoch
            self._check_agreement()
            make: Make = self._make
            return make

    def _check_agreement(self) -> None:
        """Raises ValueError if other ranks of the process group serve other batches."""
        if self._options.world_size == 1 or self._given_ranks[0] is not None:
            return
        if self._agreement is None:
            store = find_store()
            if store is None:
                return
            state = json.loads(self._maker.state(0, 0))
            self._agreement = RankAgreement(self._options.rank, self._options.world_size, state, store)
        self._agreement.check()

    def count(self, epoch: int) -> int:
        """The number of batches of `epoch`."""
        if self._weights_of is not None:
            self.of(epoch)
        return int(self._maker.batches_per_epoch(epoch))

    def indices(self, epoch: int, step: int) -> npt.NDArray[np.int64]:
        """int64 [B]: the samples of a batch."""
        self.of(epoch)
        indices: npt.NDArray[np.int64] = self._maker.indices(epoch, step)
        return indices

    def drawn(self, epoch: int, step: int) -> list[Any]:
        """What the augmentation draws for each sample of a batch: (index, views, mix)."""
        self.of(epoch)
        samples: list[Any] = self._maker.drawn(epoch, step)
        return samples

    def share(self, epoch: int, step: int) -> tuple[int, int, int]:
        """The samples of a batch that only this rank has, its repeats, and the samples of all ranks."""
        share: tuple[int, int, int] = self._maker.share(epoch, step)
        return share

    def fingerprint(self, epoch: int, pixels: bool) -> str:
        """A digest of an epoch; see `Loader.fingerprint`."""
        self.of(epoch)
        return str(self._maker.fingerprint(epoch, pixels))

    def state(self, epoch: int, step: int) -> dict[str, Any]:
        """The state of a loader whose next batch is this one, which may be the one after the last of its epoch."""
        self.of(epoch)
        state: dict[str, Any] = json.loads(self._maker.state(epoch, step))
        return state

    def place_of(self, state: str, epoch: int) -> tuple[int, int]:
        """Epoch of a saved state, and its samples before the place. The state is of this epoch, if it fits.

        Raises
        ------
        ValueError
            If the state is of other batches; the message names the difference.
        """
        with self._lock:
            self.of(epoch)
            place: tuple[int, int] = self._maker.place_of(state)
            return place

    def go_to(self, epoch: int, samples: int) -> tuple[int, int]:
        """The epoch and step of the batch that begins after this many samples of an epoch.

        If none begins there, as after resuming with another batch size, batches are divided again from there on.

        Raises
        ------
        ValueError
            If ranks cannot share the last batch of the epoch then.
        """
        with self._lock:
            before = self._origin
            for origin in (before, (0, 0), (epoch, samples)):
                if origin != self._origin:
                    try:
                        self._prepare(self._options, self._equal_shares, origin)
                    except BaseException:
                        self._prepare(self._options, self._equal_shares, before)
                        raise
                place: tuple[int, int] | None = self._maker.batch_at(epoch, samples)
                if place is not None:
                    return place
            raise AssertionError(f"no batch begins after {samples} samples of epoch {epoch}")

    def native_options(self, epoch: int) -> _core.LoaderOptions:
        """The library's options of the batches of `epoch`."""
        with self._lock:
            self.of(epoch)
            return self._to_native(self._options, self._equal_shares, self._origin)

    # ---- Preparing -------------------------------------------------------------------------------------------------

    def _with_ranks(self, options: BatchOptions) -> tuple[BatchOptions, bool]:
        """The options with the ranks of this process, and whether they have equal shares."""
        rank, world_size = resolve_ranks(*self._given_ranks)
        if not self._has_checked_ranks:
            self._has_checked_ranks = True
            warn_of_ranks(world_size)
        equal_shares = self._given_equal_shares
        if equal_shares is None:
            equal_shares = world_size > 1 and _integrations.needs_equal_shares(world_size)
        if not equal_shares:
            _integrations.prepare_for_ranks(world_size)
        if (rank, world_size) != (options.rank, options.world_size):
            options = dataclasses.replace(options, rank=rank, world_size=world_size)
        return options, equal_shares

    def _with_weights(self, options: BatchOptions, epoch: int) -> BatchOptions:
        """The options with the weights of `epoch`."""
        given = options.sampling
        if self._weights_of is None or given is None or epoch == self._weights_epoch:
            return options
        sampling = resolve_sampling(
            options.source, given.indices, self._weights_of(epoch), given.groups, given.samples_per_epoch or None,
            given.repeats, given.replacement,
        )  # fmt: skip
        return dataclasses.replace(options, sampling=sampling)

    def _with_augmentation(self, options: BatchOptions, epoch: int) -> BatchOptions:
        """The options with the augmentation of `epoch`."""
        if self._augment_of is None:
            return options
        operations = checked_operations(self._augment_of(epoch))
        return options if operations == options.augment else dataclasses.replace(options, augment=operations)

    def _to_native(self, options: BatchOptions, equal_shares: bool, origin: tuple[int, int]) -> _core.LoaderOptions:
        native = options.to_native(self._order)
        native.drop_last, native.carry_over, native.equal_shares = self._drop_last, self._carry_over, equal_shares
        native.origin, native.prefetch = origin, self._prefetch
        return native

    def _prepare(self, options: BatchOptions, equal_shares: bool, origin: tuple[int, int]) -> None:
        """Prepares batches with these options; an error changes nothing."""
        native = self._to_native(options, equal_shares, origin)
        self._maker = _core.BatchMaker(self._store._usable(), native, options.label_dtype)
        self._options, self._equal_shares, self._origin = options, equal_shares, origin
        self._make = _keyed(self._batch_function(), self._keys)

    def _batch_function(self) -> Make:
        """A function of (epoch, step) that makes that batch."""
        maker, options, allocator = self._maker, self._options, self._allocator
        if allocator is None:
            owned: Make = maker.make_owned
            return owned
        has_labels = options.source.label_kind != "none"
        layout = (options.spec().image_shape(options.source.shape), options.dtype, options.channels_last)
        new_images, recycled_images = allocator.images(*layout), allocator.recycled_images(maker, *layout)
        new_labels = allocator.labels(options.label_shape, options.label_dtype)
        masks_of = self._mask_function(allocator, layout[0])
        make, count_of = maker.make, maker.batch_count
        address, stream, views = allocator.address, allocator.stream, options.views
        with_views = allocator.with_views(views)
        is_recycled = self._store.device == "cpu" and maker.largest_batch_bytes >= _RECYCLED_BYTES

        def batch(epoch: int, step: int) -> Any:
            count = count_of(epoch, step)
            labels = new_labels(count) if has_labels else None
            labels_at = address(labels) if has_labels else 0
            masks = masks_of(epoch, step) if masks_of else None
            masks_at = address(masks) if masks_of else 0
            if is_recycled:
                images = recycled_images(epoch, step, labels_at, masks_at)
            else:
                images = new_images(count * views)
                make(epoch, step, address(images), labels_at, masks_at, stream() if stream else 0)
            return (with_views(images), masks, labels) if masks_of else (with_views(images), labels)

        return batch

    def _mask_function(self, allocator: _frameworks.Allocator, image_shape: tuple[int, int, int]) -> Make | None:
        """A function of epoch and step that allocates their masks; None if batches have none."""
        masks, maker = self._options.masks, self._maker
        if masks is None:
            return None
        shape = self._options.mask_shape(image_shape)
        if self._store.device == "cpu" and maker.largest_mask_bytes >= _RECYCLED_BYTES:
            return allocator.recycled_masks(maker, shape, masks.dtype)
        new_masks = allocator.labels(shape, masks.dtype)
        return lambda epoch, step: new_masks(maker.batch_count(epoch, step))


class _Closed:
    """What a closed loader has in place of its batches."""

    def __getattr__(self, name: str) -> Any:
        raise ValueError("the loader is closed; create it again")

    def __call__(self, *arguments: Any) -> Any:
        raise ValueError("the loader is closed; create it again")


def _keyed(make: Make, keys: tuple[str | None, ...] | None) -> Make:
    """A function that makes the same batches as mappings with these keys, if there are any."""
    if keys is None:
        return make
    return lambda epoch, step: {key: part for key, part in zip(keys, make(epoch, step), strict=True) if key is not None}
