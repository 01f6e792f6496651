"""Batches for a training loop."""

from __future__ import annotations

import dataclasses
import inspect
import json
import operator
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, cast, get_args, overload

import numpy as np

from . import _core, _frameworks, _integrations, _progress
from ._batch_options import (
    LAST_EPOCH,
    BatchOptions,
    plain_state,
    resolve_batch_options,
    resolve_ranks,
    saved_place,
    warn_of_ranks,
)
from ._iteration import Iteration
from ._place import Place, Position
from ._samplers import LoaderBatchSampler, LoaderSampler, collate
from ._sampling import Balance, resolve_sampling
from .arrays import ArraySplit
from .augment import Mix, Operation, checked_operations
from .dataset import Split
from .normalize import Normalize, Preset
from .store import Data, Residency, Store

if TYPE_CHECKING:
    import numpy.typing as npt
    import torch
    from typing_extensions import TypeVar, Unpack

    from ._loader_options import LoaderOptions

    #: The type of a batch. A tuple has two parts, or three with masks, so it is unpacked without a cast.
    BatchT = TypeVar("BatchT", default=tuple[torch.Tensor, ...])
else:
    from typing import TypeVar

    BatchT = TypeVar("BatchT")


@dataclasses.dataclass(frozen=True)
class DrawnSample:
    """A sample of a batch, and what the augmentation drew for it."""

    #: Its index in the split.
    index: int
    #: For each of its images (one without `views`), the steps that changed it: (name, numbers), such as
    #: ``("crop", {"top": -2.0, "left": 3.0})``; docs/numerics.md, "Replay", lists them.
    views: list[list[tuple[str, dict[str, float]]]]
    #: If it is mixed: ``("mixup", {"partner": 7, "own": 0.8, "other": 0.2})``, or ``"cutmix"`` with a rectangle.
    mix: tuple[str, dict[str, float]] | None


class Share(NamedTuple):
    """What a rank has of a batch."""

    #: Samples that no other rank has.
    own: int
    #: Samples after them that repeat others of the batch; see `equal_shares`.
    repeats: int
    #: Samples of all ranks, without repeats.
    batch: int
    #: The factor for the mean loss over the own samples of a rank with which an average over ranks, such as
    #: ``DistributedDataParallel`` takes of gradients, is the mean over the batch.
    loss_scale: float


#: (images, labels), or (images, masks, labels) for a split with masks; labels are None for a split without labels. Or
#: the same as a mapping. `BatchT` is its type for callers.
Batch = Any

#: Host batches of at least this size reuse the memory of released batches: for blocks this large, malloc returns fresh
#: pages, and faulting them in takes longer than filling them (docs/performance.md).
_RECYCLED_BYTES = 128 << 10


_NO_WORKERS = "it has no worker processes, and makes batches on the device"

#: Arguments of ``torch.utils.data.DataLoader`` that a loader does not have, and what to use instead.
_DATA_LOADER_ARGUMENTS = {
    "num_workers": _NO_WORKERS,
    "pin_memory": _NO_WORKERS,
    "prefetch_factor": _NO_WORKERS,
    "persistent_workers": _NO_WORKERS,
    "multiprocessing_context": _NO_WORKERS,
    "worker_init_fn": _NO_WORKERS,
    "timeout": _NO_WORKERS,
    "in_order": _NO_WORKERS,
    "transform": "use augment=, or transform= of octavo.pack_dataset()",
    "collate_fn": "use mix=, views= or keys=",
    "sampler": "use shuffle=, indices=, weights= or balance=",
    "batch_sampler": "use batch_size= and indices=, weights= or balance=",
    "generator": "use seed=",
}


class Loader(Generic[BatchT]):
    """An iterable of batches that replaces a ``torch.utils.data.DataLoader``.

    >>> loader = octavo.Loader("cifar10.h5", "train", batch_size=512, shuffle=True, seed=7, device="cuda")
    >>> for epoch in range(10):
    ...     for images, labels in loader:
    ...         train_step(images, labels)

    For a split with masks, batches are (images, masks, labels). Type checkers know batches as tuples of torch tensors;
    with ``framework="numpy"``, of arrays; with `keys`, as dictionaries.

    A batch is a function of file, split, seeds, epoch, step, batch_size, drop_last, normalization and augmentation
    only: device, threads, ranks and resuming do not change a bit. The caller owns its tensors, which are ready on the
    current stream; change them or keep them as long as you like. A loader is a context manager, which closes it.
    Pickling passes the arguments and the position, so another process loads the samples again.

    Every iteration is a new epoch with an order of its own, even if the one before stopped early. Only after
    `load_state_dict` or `set_epoch` it continues where they say.

    Parameters
    ----------
    data
        A dataset file, a `Dataset` or a `Split`; or a `Store`, whose memory several loaders can share.
    split
        The split of the file; by default ``train`` if it exists, else the first split.
    batch_size
        Samples per batch; with several ranks, the total over all ranks. A smaller split gives one short batch. None:
        256, or the whole split if it is smaller.
    shuffle
        True: a new order each epoch, over all samples. False: file order. ``"blocks"``: batches are slices of the file,
        in a new order each epoch. ``"windows:1000"``: windows of 1000 samples in a new order each epoch, with the
        samples of each window shuffled. Only True is a true global shuffle.
    seed
        The seed of the order.
    drop_last
        Drop the last batch of an epoch if it is incomplete. Otherwise ranks share it evenly.
    carry_over
        Begin the first batch of an epoch with the samples that did not fill the last batch of the epoch before, so that
        every batch is complete and no sample is left out. An epoch then has the batches that end in it: ``len(loader)``
        of them, or one fewer. `total_steps` has the number of several epochs. Only with shuffle=True and False.
    device
        Where samples are stored and batches are made: ``"auto"`` (the first GPU, else the CPU), ``"cpu"``, ``"cuda"``,
        ``"cuda:1"`` or a ``torch.device``. With a `Store`, the store's device.
    normalize
        A `Normalize`, or the name of a preset: ``"default"``: (x - dataset mean) / 128; ``"unit"``: x / 255;
        ``"standard"``: each channel's mean and standard deviation; ``"imagenet"``.
    dtype
        Type of the images: float32, float16 or bfloat16, as a string, a NumPy type or a torch type.
    memory_format
        ``"channels_last"`` (or ``torch.channels_last``) or ``"contiguous"``. Torch batches are always [B, C, H, W] and
        differ only in strides; NumPy arrays and DLPack tensors in channels_last are [B, H, W, C].
    label_dtype
        Type of the labels: int64 (the default for class numbers) or int32; float32 (the default) or an integer type
        for multi-labels; float32 for targets.
    rank, world_size
        The rank of this process and the number of processes that share each batch. None: those of
        ``torch.distributed`` if it is initialized when a batch is made, else 0 and 1. Rank r gets the r-th part of each
        batch, so the whole batches do not depend on the number of ranks.
    equal_shares
        True: every rank has the same number of samples, as collective operations need: of a batch that ranks cannot
        share evenly, the last ones repeat samples. False: numbers differ by at most one, and nothing is repeated. None:
        True in a program with an ``accelerate.Accelerator``, which drops the repeats in ``gather_for_metrics()``; else
        False. `share` has the numbers of the last batch.
    keys
        Make batches mappings with these keys, such as ``("pixel_values", "labels")``, instead of tuples.
    framework
        ``"torch"``, ``"numpy"``, ``"dlpack"`` (objects with ``__dlpack__``, for CuPy or JAX) or ``"auto"``: torch if it
        is installed; otherwise NumPy on the CPU and DLPack on a GPU.
    augment
        Operations of `octavo.augment` on the images, in the order in which they are applied; or a function of the epoch
        that returns them, for example to change the size of the images.
    augment_seed
        The seed of the augmentation. None: `seed`. With another seed, the order stays and the augmentation changes.
    views
        Images per sample, each augmented on its own. With several, the images are [B, views, C, H, W].
    mix
        An `octavo.augment.Mix`: MixUp and CutMix. Labels become probabilities, float32 [B, num_classes].
    label_smoothing
        The share of a probability of 1 that all classes get, as in ``torch.nn.CrossEntropyLoss``. Labels become
        probabilities.
    num_classes
        The number of classes of these probabilities. None: the number of class names, or one more than the largest
        label of the split.
    masks
        Whether batches have masks. None: if the split has any. Masks have the geometry of their images, with nearest
        pixels; colors and erasures leave them as they are.
    mask_dtype
        Type of the masks: uint8 (the default) or int64.
    ignore_index
        In masks, the value of pixels from beyond the edge of an image, such as the padding of a crop.
    indices
        The samples of an epoch: their indices, each at most once, or a mask. None: all samples of the split.
    weights
        Draw samples with these probabilities, up to a common factor: one number for each sample, or a function of the
        epoch that returns them.
    replacement
        With `weights`: a sample may be drawn again. False: each draw is from the samples that are left, so that an
        epoch shows no sample twice, and ends when no sample with a weight above 0 is left.
    balance
        ``"classes"``: the classes take turns, so that a batch has as many samples of each, and a class starts again
        when all its samples were shown. Or the group number of each sample.
    samples_per_epoch
        With `weights` or `balance`: the samples of an epoch. None: as many as there are to choose from.
    repeats
        Show each sample this many times in a row, augmented differently (repeated augmentation).
    verify
        Check the checksum of every sample when it is loaded.
    threads
        Loading threads; 0: all that this process may use.
    progress
        Progress of loading. None: a tqdm bar on a terminal, if tqdm is installed; True: always a bar; False: no bar; or
        a function ``(stage, done, total)``.
    residency, memory_limit, resident, window
        Where the samples live: see `Store`. Not allowed with a `Store`, which has a residency already. With
        ``"window"``, shuffle=True means ``"windows:N"`` for windows of N samples, and the attribute `shuffle` shows it.
    prefetch
        Batches to read ahead when samples are read from the file. None: 2. Memory may allow fewer; the attribute
        `prefetch` has the actual depth.

    Raises
    ------
    ValueError
        For invalid options; the message names the argument.
    FormatError, OSError, MemoryError, UnavailableError
        See `Store`.
    """

    _knows_its_trainer = False
    # What `accelerate.skip_first_batches()` reads of a DataLoader.
    num_workers = 0
    prefetch_factor: int | None = None

    if not TYPE_CHECKING:

        def __new__(cls, *arguments: Any, **options: Any) -> Loader[Any]:
            """Explains arguments of a DataLoader."""
            for name in options:
                if name in _DATA_LOADER_ARGUMENTS:
                    raise TypeError(f"a Loader has no {name}=, as a DataLoader has: {_DATA_LOADER_ARGUMENTS[name]}")
            return super().__new__(cls)

    # What a batch is depends on `framework` and `keys`; "auto" is torch for type checkers.
    @overload
    def __init__(
        self: Loader[tuple[torch.Tensor, ...]],
        data: Data | Store,
        split: str | None = None,
        *,
        framework: Literal["auto", "torch"] = "auto",
        keys: None = None,
        **options: Unpack[LoaderOptions],
    ) -> None: ...

    @overload
    def __init__(
        self: Loader[dict[str, torch.Tensor]],
        data: Data | Store,
        split: str | None = None,
        *,
        framework: Literal["auto", "torch"] = "auto",
        keys: Sequence[str],
        **options: Unpack[LoaderOptions],
    ) -> None: ...

    @overload
    def __init__(
        self: Loader[tuple[npt.NDArray[Any], ...]],
        data: Data | Store,
        split: str | None = None,
        *,
        framework: Literal["numpy"],
        keys: None = None,
        **options: Unpack[LoaderOptions],
    ) -> None: ...

    @overload
    def __init__(
        self: Loader[dict[str, npt.NDArray[Any]]],
        data: Data | Store,
        split: str | None = None,
        *,
        framework: Literal["numpy"],
        keys: Sequence[str],
        **options: Unpack[LoaderOptions],
    ) -> None: ...

    @overload
    def __init__(
        self: Loader[Any],
        data: Data | Store,
        split: str | None = None,
        *,
        framework: _frameworks.Framework,
        keys: Sequence[str] | None = None,
        **options: Unpack[LoaderOptions],
    ) -> None: ...

    def __init__(
        self,
        data: Data | Store,
        split: str | None = None,
        *,
        batch_size: int | None = None,
        shuffle: bool | str = False,
        seed: int = 0,
        drop_last: bool = False,
        carry_over: bool = False,
        device: Any = "auto",
        normalize: Normalize | Preset = "default",
        dtype: Any = None,
        memory_format: Any = None,
        label_dtype: Any = None,
        rank: int | None = None,
        world_size: int | None = None,
        equal_shares: bool | None = None,
        keys: Sequence[str] | None = None,
        framework: _frameworks.Framework = "auto",
        augment: Operation | Sequence[Operation] | Callable[[int], Operation | Sequence[Operation]] = (),
        augment_seed: int | None = None,
        views: int = 1,
        mix: Mix | None = None,
        label_smoothing: float = 0.0,
        num_classes: int | None = None,
        masks: bool | None = None,
        mask_dtype: Any = None,
        ignore_index: int = 255,
        indices: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | Callable[[int], npt.ArrayLike] | None = None,
        balance: Balance = None,
        samples_per_epoch: int | None = None,
        repeats: int = 1,
        replacement: bool = True,
        verify: bool = True,
        threads: int = 0,
        progress: _progress.Progress = None,
        residency: Residency = "auto",
        memory_limit: int | str | None = None,
        resident: int | None = None,
        window: int | None = None,
        prefetch: int | None = None,
    ) -> None:
        self._arguments = {name: value for name, value in locals().items() if name not in ("self", "progress")}
        # Check every argument before loading anything.
        order, depth, options = _resolve(self._arguments)
        self._drop_last, self._carry_over = bool(drop_last), bool(carry_over)
        self._given_ranks, self._given_equal_shares = (rank, world_size), equal_shares
        self._has_checked_ranks = rank is not None
        self._dtype, self._channels_last = options.dtype, options.channels_last
        self._label_dtype = options.label_dtype
        self._mix, self._label_smoothing = mix, float(label_smoothing)
        self._label_shape = options.label_shape
        self._keys = _checked_keys(keys, options.masks is not None)
        image_shape = options.spec().image_shape(options.source.shape)
        allocator = None
        if options.framework != "dlpack":
            allocator = _frameworks.make_allocator(options.framework, options.device)
            allocator.images(image_shape, self._dtype, self._channels_last)

        if isinstance(data, Store) and (residency, memory_limit, resident, window) != ("auto", None, None, None):
            raise ValueError("the store is loaded already; pass residency and its options to Store instead")
        self._owns_store = not isinstance(data, Store)
        self._store = options.open_store(
            data, split, verify=verify, threads=threads, progress=progress, residency=residency,
            memory_limit=memory_limit, resident=resident, window=window,
        )  # fmt: skip
        self._resolved, self._allocator, self._order, self._depth = options, allocator, order, depth
        self._augment_of = augment if callable(augment) else None
        self._weights_of = weights if callable(weights) else None
        self._weights_epoch = 0
        self._equal_shares, self._origin = bool(equal_shares), (0, 0)
        self._preparing = threading.RLock()  # iterations in several threads may prepare batches of several epochs
        self._prepare(options.augment)
        self._shuffle = _shuffle_of(self._maker.shuffle)
        # Without a cycle of references, the memory is free as soon as the loader is released.
        loader = weakref.ref(self)
        self._position = Position(lambda epoch: cast("Loader[BatchT]", loader())._batches_in(epoch))
        self._last_batch: tuple[int, int] | None = None
        if options.framework == "torch":
            from ._torch import register_iterable

            register_iterable(type(self))

    # ---- Batches ---------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """The number of batches in an epoch; the same on every rank.

        With `carry_over`, the largest number; with weights that change between epochs, that of the current epoch.
        """
        if self.carry_over:
            return -(-self.samples_per_epoch // self.batch_size)
        return self._batches_in(self._position.place.epoch)

    def total_steps(self, epochs: int) -> int:
        """The number of batches in the first `epochs` epochs, as schedules of learning rates need it.

        Raises
        ------
        ValueError
            If `epochs` is negative.
        """
        number = operator.index(epochs)
        if number < 0:
            raise ValueError(f"epochs is {number}; it must be at least 0")
        if self.carry_over:
            return number * self.samples_per_epoch // self.batch_size
        if self._weights_of is None:
            return number * self._batches_in(0)
        return sum(self._batches_in(epoch) for epoch in range(number))

    def _batches_in(self, epoch: int) -> int:
        if self._weights_of is not None:
            self._make_of(epoch)
        return self._maker.batches_per_epoch(epoch)

    def __iter__(self) -> Iterator[BatchT]:
        """Iterates over the batches of a new epoch; after `load_state_dict`, over the rest of the restored one.

        Several threads may take batches from one iterator or from several; each batch is yielded once.
        """
        self._check_open()
        if "torch.utils.data" in sys.modules:
            from ._torch import refuse_workers

            refuse_workers()
        return Iteration(self)

    def _check_open(self) -> None:
        """Raises ValueError if the loader or its store is closed."""
        if isinstance(self._maker, _Closed):
            self._maker()
        self._store._usable()

    def _hand_out(self, iteration: int, epoch: int, step: int) -> None:
        """Batch `step` of `epoch` is handed out."""
        self._position.advance(iteration, step)
        self._last_batch = (epoch, step)

    def __getitem__(self, step: int) -> BatchT:
        """Batch `step` of the current epoch, independent of any iteration; negative steps count from the end.

        Raises
        ------
        IndexError
            If there is no such batch.
        """
        self._store._usable()
        return self._make_of(self.epoch)(self.epoch, self._step(step))

    def indices(self, step: int) -> npt.NDArray[np.int64]:
        """int64 [B]: the indices of the samples in batch `step` of the current epoch.

        Raises
        ------
        IndexError
            If there is no such batch.
        """
        self._make_of(self.epoch)
        return self._maker.rows(self.epoch, self._step(step))

    def drawn(self, step: int) -> list[DrawnSample]:
        """The samples of batch `step` of the current epoch, and what the augmentation drew for each.

        Raises
        ------
        IndexError
            If there is no such batch.
        """
        self._make_of(self.epoch)
        samples: list[Any] = self._maker.drawn(self.epoch, self._step(step))
        return [DrawnSample(*sample) for sample in samples]

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
        self._make_of(number)
        return self._maker.fingerprint(number, bool(pixels))

    def _step(self, step: int, epoch: int | None = None) -> int:
        number, count = operator.index(step), self._batches_in(self.epoch if epoch is None else epoch)
        if not -count <= number < count:
            raise IndexError(f"batch {number} is out of range; the epoch has {count}")
        return number % count

    def _prepare(self, operations: tuple[Operation, ...]) -> None:
        """Prepares batches with these operations."""
        spec, sampling = dataclasses.replace(self._resolved, augment=operations).spec(), self._resolved.sampling
        self._image_shape = spec.image_shape(self.dataset.shape)
        self._maker = _core.BatchMaker(
            self._store._usable(), spec, self._label_dtype, self.batch_size, self._order, self.seed, self.drop_last,
            self.carry_over, self._resolved.rank, self._resolved.world_size, self._equal_shares, self._origin,
            self._depth, _core.Sampling() if sampling is None else sampling.to_native(),
        )  # fmt: skip
        self._make: Any = _keyed(self._batch_function(self._allocator), self._keys)
        self._augment = operations

    def _make_of(self, epoch: int) -> Callable[[int, int], BatchT]:
        """The function of (epoch, step) that makes the batches of `epoch`."""
        with self._preparing:
            return self._prepared_for(epoch)

    def _prepared_for(self, epoch: int) -> Callable[[int, int], BatchT]:
        operations = self._augment
        if self._augment_of is not None:
            operations = checked_operations(self._augment_of(epoch))
        ranks = resolve_ranks(*self._given_ranks)
        if not self._has_checked_ranks:
            self._has_checked_ranks = True
            warn_of_ranks(ranks[1])
        equal_shares = self._given_equal_shares
        if equal_shares is None:
            equal_shares = ranks[1] > 1 and _integrations.wants_equal_shares(ranks[1])
        if not equal_shares:
            _integrations.prepare_for_ranks(ranks[1])
        has_new_ranks = (*ranks, equal_shares) != (self._resolved.rank, self._resolved.world_size, self._equal_shares)
        if has_new_ranks:
            self._resolved = dataclasses.replace(self._resolved, rank=ranks[0], world_size=ranks[1])
            self._equal_shares = equal_shares
        has_new_weights = self._weights_of is not None and epoch != self._weights_epoch
        if has_new_weights:
            self._set_weights(epoch)
        if has_new_ranks or has_new_weights or operations != self._augment:
            self._prepare(operations)
        make: Callable[[int, int], BatchT] = self._make
        return make

    def _resolved_for(self, epoch: int) -> BatchOptions:
        """The options of the batches of `epoch`."""
        self._make_of(epoch)
        return dataclasses.replace(self._resolved, augment=self._augment)

    def _set_weights(self, epoch: int) -> None:
        assert self._weights_of is not None
        given = self._resolved.sampling
        assert given is not None
        sampling = resolve_sampling(
            self.dataset, given.indices, self._weights_of(epoch), given.groups, given.samples_per_epoch or None,
            given.repeats, given.replacement,
        )  # fmt: skip
        self._resolved = dataclasses.replace(self._resolved, sampling=sampling)
        self._weights_epoch = epoch

    def _batch_function(self, allocator: _frameworks.Allocator | None) -> Callable[[int, int], Batch]:
        """A function of (epoch, step) that makes that batch; without an allocator, in library memory for DLPack."""
        maker, has_labels = self._maker, self.dataset.label_kind != "none"
        if allocator is None:
            return maker.make_owned
        layout = (self._image_shape, self._dtype, self._channels_last)
        new_images, recycled_images = allocator.images(*layout), allocator.recycled_images(maker, *layout)
        new_labels = allocator.labels(self._label_shape, self._label_dtype)
        masks_of = self._mask_function(allocator)
        make, count_of = maker.make, maker.batch_count
        address, stream, views = allocator.address, allocator.stream, self.views
        with_views = allocator.with_views(views)
        is_recycled = self.device == "cpu" and maker.largest_batch_bytes >= _RECYCLED_BYTES

        def batch(epoch: int, step: int) -> Batch:
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

    def _mask_function(self, allocator: _frameworks.Allocator) -> Callable[[int, int], Any] | None:
        """A function of epoch and step that allocates their masks; None if batches have none."""
        masks, maker = self._resolved.masks, self._maker
        if masks is None:
            return None
        shape = self._resolved.mask_shape(self._image_shape)
        if self.device == "cpu" and maker.largest_mask_bytes >= _RECYCLED_BYTES:
            return allocator.recycled_masks(maker, shape, masks.dtype)
        new_masks = allocator.labels(shape, masks.dtype)
        return lambda epoch, step: new_masks(maker.batch_count(epoch, step))

    # ---- Lifetime --------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Frees the memory of the samples, unless the loader was given a `Store`: later use raises ValueError.

        Batches stay valid.
        """
        if self._owns_store:
            self._store.close()
        self._maker, self._make = cast("_core.BatchMaker", _Closed()), _Closed()

    def __enter__(self) -> Loader[BatchT]:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        place = self._position.place
        return _create_again, (type(self), self._arguments, self._state_at(place.epoch, place.step), place)

    # ---- State -----------------------------------------------------------------------------------------------------

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
        if self.carry_over and not self._knows_its_trainer:
            _integrations.warn_of_short_epochs()
        self._position.count_epoch(_checked_epoch(epoch))

    @property
    def sampler(self) -> LoaderSampler:
        """The order of the samples, for code for DataLoaders: ``loader.sampler.set_epoch(epoch)`` counts epochs."""
        kind = LoaderSampler
        if self.framework == "torch":
            from . import _torch

            in_order = self.shuffle is False and self._resolved.sampling is None
            kind = _torch.SequentialLoaderSampler if in_order else _torch.OtherLoaderSampler
        return kind(self)

    @property
    def batch_sampler(self) -> LoaderBatchSampler:
        """The samples of each batch of this rank, for code for DataLoaders, such as ``skip_first_batches()``."""
        return LoaderBatchSampler(self, self.sampler)

    @property
    def collate_fn(self) -> Callable[[Sequence[Any]], Any]:
        """For code for DataLoaders: makes the batches that `batch_sampler` chooses."""
        return collate

    def state_dict(self) -> dict[str, Any]:
        """The position after the batches yielded so far, to save with the model; a dict of plain values.

        It also identifies the samples, the order, the normalization and the augmentation.
        """
        place = self._position.place
        state = self._state_at(place.epoch, place.step)
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
        epoch, samples, offset = saved_place(saved, self._state_at(known, 0))
        if samples <= -self.batch_size:
            # With carry_over, smaller batches: the next one ends in the epoch before.
            epoch, samples = epoch - 1, samples + self.samples_per_epoch
        step = self._maker.step_at(epoch, samples) if self._origin == (0, 0) else None
        if step is None:
            step = self._begin_batches_at(epoch, samples)
        self._position.restore(epoch, step, offset)

    def _begin_batches_at(self, epoch: int, samples: int) -> int:
        """Divides an epoch into batches such that one begins after `samples` of it; returns its step."""
        before = self._origin
        # Batches that begin at multiples of the batch size, if one begins there.
        for origin in ((0, 0), (epoch, samples)):
            self._origin = origin
            try:
                self._prepare(self._augment)
            except BaseException:
                self._origin = before
                self._prepare(self._augment)
                raise
            step = self._maker.step_at(epoch, samples)
            if step is not None:
                return step
        raise AssertionError(f"no batch begins after {samples} samples of epoch {epoch}")

    def _state_at(self, epoch: int, step: int) -> dict[str, Any]:
        self._make_of(epoch)
        state: dict[str, Any] = json.loads(self._maker.state(epoch, step))
        return state

    # ---- Properties ------------------------------------------------------------------------------------------------

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
        sampling = self._resolved.sampling
        return len(self.dataset) if sampling is None else sampling.epoch_samples

    @property
    def batch_size(self) -> int:
        """Samples per batch; with several ranks, the total over all ranks."""
        return self._resolved.batch_size

    @property
    def shuffle(self) -> bool | str:
        """The order: True, False, ``"blocks"`` or ``"windows:N"``."""
        return self._shuffle

    @property
    def seed(self) -> int:
        """The seed of the order."""
        return self._resolved.seed

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
        return self._resolved.normalize

    @property
    def framework(self) -> str:
        """``"torch"``, ``"numpy"`` or ``"dlpack"``."""
        return self._resolved.framework

    @property
    def augment_seed(self) -> int:
        """The seed of the augmentation."""
        return self._resolved.augment_seed

    @property
    def views(self) -> int:
        """Images per sample."""
        return self._resolved.views

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
        own, repeats, batch = self._maker.share(*self._last_batch)
        return Share(own, repeats, batch, own * self._resolved.world_size / batch)

    @property
    def augment(self) -> tuple[Operation, ...]:
        """The operations on the images; those of the last epoch that made a batch, if they depend on the epoch."""
        return self._augment

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
        return self._maker.prefetch

    def __repr__(self) -> str:
        if isinstance(self._maker, _Closed):
            return f"Loader({self.dataset!r}, closed)"
        return (
            f"Loader({self.dataset!r}, {self.device}, batch_size={self.batch_size}, shuffle={self.shuffle}, "
            f"seed={self.seed}, drop_last={self.drop_last}, {self._augmentation_text()}batches={len(self)}, "
            f"rank={self.rank} of {self.world_size})"
        )

    def _augmentation_text(self) -> str:
        """What changes the images and labels of this epoch, for `repr`; empty if nothing does."""
        text = f"augment=[{', '.join(map(repr, self._augment))}], " if self._augment else ""
        if self.mix is not None:
            text += f"mix={self.mix!r}, "
        if self.label_smoothing != 0.0:
            text += f"label_smoothing={self.label_smoothing}, "
        return text + (f"views={self.views}, " if self.views != 1 else "")


class _Closed:
    """What a closed loader has in place of its batches."""

    def __getattr__(self, name: str) -> Any:
        raise ValueError("the loader is closed; create it again")

    def __call__(self, *arguments: Any) -> Any:
        raise ValueError("the loader is closed; create it again")


def check_options(split: Split, **options: Any) -> None:
    """Checks options of a loader of this split, all but the device, without loading it.

    Raises
    ------
    ValueError, TypeError
        If an option is invalid.
    """
    parameters = inspect.signature(Loader.__init__).parameters.items()
    arguments = {name: parameter.default for name, parameter in parameters}
    arguments.update(options, data=split, split=None, device="cpu")
    _resolve(arguments)


#: Arguments of a loader that say what batches look like.
_OF_BATCHES = (
    "batch_size", "seed", "device", "normalize", "dtype", "memory_format", "label_dtype", "rank", "world_size",
    "framework", "augment_seed", "views", "mix", "label_smoothing", "num_classes", "masks", "mask_dtype",
    "ignore_index", "indices", "balance", "samples_per_epoch", "repeats", "replacement",
)  # fmt: skip


def _resolve(arguments: dict[str, Any]) -> tuple[str, int, BatchOptions]:
    """The name of the order, the batches to read ahead, and the options of batches, for arguments of a loader."""
    augment, weights = arguments["augment"], arguments["weights"]
    if isinstance(augment, type):
        raise TypeError(f"augment is the class {augment.__name__}; pass an operation, {augment.__name__}(...)")
    if arguments["carry_over"] and callable(weights):
        raise ValueError("carry_over is not available with weights that change between epochs")
    if arguments["carry_over"] and arguments["drop_last"]:
        raise ValueError("drop_last and carry_over exclude each other; use one of them")
    if arguments["residency"] not in get_args(Residency):
        *names, last = get_args(Residency)
        raise ValueError(f"residency is {arguments['residency']!r}; expected {', '.join(names)} or {last}")
    order = _order_name(arguments["shuffle"])
    depth = _checked_prefetch(arguments["prefetch"])
    options = resolve_batch_options(
        arguments["data"], arguments["split"], augment=augment(0) if callable(augment) else augment,
        weights=weights(0) if callable(weights) else weights, **{name: arguments[name] for name in _OF_BATCHES},
    )  # fmt: skip
    _checked_keys(arguments["keys"], options.masks is not None)
    return order, depth, options


def _create_again(
    kind: type[Loader[BatchT]], arguments: dict[str, Any], state: dict[str, Any], place: Place
) -> Loader[BatchT]:
    loader = kind(**arguments)
    try:
        loader.load_state_dict(state)
    except ValueError as error:
        loader.close()
        raise ValueError(f"the data of a loader changed after it was pickled: {error}") from None
    loader._position.copy_from(place)
    return loader


def _checked_epoch(epoch: int) -> int:
    number = operator.index(epoch)
    if number < 0:
        raise ValueError(f"epoch is {number}; epochs count from 0")
    if number > LAST_EPOCH:
        raise ValueError(f"epoch is {number}; the last one is {LAST_EPOCH}")
    return number


def _order_name(shuffle: bool | str) -> str:
    """The library's name for the order."""
    if isinstance(shuffle, str):
        return shuffle
    return "global" if shuffle else "none"


def _shuffle_of(order: str) -> bool | str:
    """The value of `shuffle` for this order."""
    return order == "global" if order in ("global", "none") else order


def _checked_keys(keys: Sequence[str] | None, has_masks: bool) -> tuple[str, ...] | None:
    if keys is None:
        return None
    parts = ("images", "masks", "labels") if has_masks else ("images", "labels")
    # The order of a set is not that of its names.
    is_unordered = isinstance(keys, (str, Set, Mapping))
    if is_unordered or len(keys) != len(parts) or len(set(keys)) != len(keys):
        raise ValueError(f"keys is {keys!r}; expected {len(parts)} different names, for {', '.join(parts)}")
    return tuple(keys)


def _keyed(make: Callable[[int, int], Batch], keys: tuple[str, ...] | None) -> Callable[[int, int], Batch]:
    """A function that makes the same batches as mappings with these keys, if there are any."""
    if keys is None:
        return make
    return lambda epoch, step: dict(zip(keys, make(epoch, step), strict=True))


def _checked_prefetch(prefetch: int | None) -> int:
    if prefetch is None:
        return -1
    number = operator.index(prefetch)
    if not 0 <= number <= 64:
        raise ValueError(f"prefetch is {number}; it must be in [0, 64]")
    return number
