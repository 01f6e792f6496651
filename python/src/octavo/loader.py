"""Batches for a training loop."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _frameworks, _native, _progress
from .arrays import ArraySplit
from .dataset import Split
from .normalize import Normalize, Preset
from .store import Data, Residency, Store, find_split, resolve_normalize

#: Images and their labels, or None where there are no labels.
Batch = tuple[Any, Any]

#: Of the order in which epochs visit the samples; a saved state carries it.
_ORDER_VERSION = 1

_LAST_EPOCH = 2**62
_USUAL_BATCH = 256

#: Host batches of this size and more are made in memory of batches that nobody holds any more: what malloc gives for
#: them is fresh from the system, and faulting it in takes longer than filling it (docs/performance.md).
_RECYCLED_BYTES = 128 << 10


class Loader:
    """An iterable of batches, in place of a ``torch.utils.data.DataLoader``.

    >>> loader = octavo.Loader("cifar10.h5", "train", batch_size=512, shuffle=True, seed=7, device="cuda")
    >>> for epoch in range(10):
    ...     for images, labels in loader:
    ...         train_step(images, labels)

    A batch is a function of file, split, seed, epoch, step, batch_size, drop_last and normalization, and of nothing
    else: device, threads, ranks and resuming change no bit. Its tensors are yours, ready on the current stream, to be
    changed or kept as long as wanted.

    Each iteration that hands out all its batches advances the epoch, and with it the order; one that is broken off is
    repeated by the next.

    Parameters
    ----------
    data
        A dataset file, a `Dataset`, a `Split`; or a `Store`, whose memory several loaders can share.
    split
        The split of the file; by default ``train`` if there is one, else the first.
    batch_size
        Samples of a batch, at most those of the split; with several ranks, over all ranks. None: 256, or all samples
        if they are fewer.
    shuffle
        True: a new order each epoch, over all samples. False: that of the file. ``"blocks"``: batches are slices of the
        file, in a new order each epoch. ``"windows:1000"``: stretches of 1000 samples come in a new order each epoch,
        and inside of each its samples do. Only True is a true global shuffle.
    seed
        Of the order.
    drop_last
        Leave out a last batch that would be short.
    device
        Where samples are kept and batches are made: ``"auto"`` (the first GPU, else the CPU), ``"cpu"``, ``"cuda"``,
        ``"cuda:1"`` or a ``torch.device``. With a `Store`, that of the store.
    normalize
        A `Normalize`, or the name of a preset: ``"default"``: (x - dataset mean) / 128; ``"unit"``: x / 255;
        ``"standard"``: each channel's mean and standard deviation; ``"imagenet"``.
    dtype
        Of images: float32, float16 or bfloat16, as a string, a NumPy or a torch type.
    memory_format
        ``"channels_last"`` (or ``torch.channels_last``) or ``"contiguous"``. With torch, batches are [B, C, H, W] in
        either, and differ in strides; NumPy arrays and DLPack tensors in channels_last are [B, H, W, C].
    label_dtype
        Of labels: int64 (the default for class numbers) or int32; float32 (the default) or an integer type for
        multi-labels; float32 for targets.
    rank, world_size
        The number of this process among those that share each batch; by default those of ``torch.distributed`` if it is
        initialized, else 0 and 1. Rank r takes the r-th part of each batch, so the batches as wholes do not depend on
        how many ranks there are.
    framework
        ``"torch"``, ``"numpy"``, ``"dlpack"`` (objects with ``__dlpack__``, for CuPy or JAX) or ``"auto"``: torch where
        it is installed, else NumPy, on a GPU DLPack.
    verify
        Compare every sample with its checksum when it is loaded.
    threads
        Threads that load; 0: all that this process may use.
    progress
        Of loading: None: a tqdm bar on a terminal, where tqdm is installed; True: in any case; False: none; or a
        function ``(stage, done, total)``.
    residency, memory_limit, resident, window
        Where the samples live, as of `Store`; a store that is given has one already. With ``"window"``, shuffle=True
        means ``"windows:N"`` for windows of N samples, which is what `shuffle` then is.
    prefetch
        Batches that are read ahead where samples are read from the file. None: 2. Fewer if memory does not suffice:
        `prefetch` tells.

    Raises
    ------
    ValueError
        For options that make no sense; the message names the argument.
    FormatError, OSError, MemoryError, UnavailableError
        As `Store` does.
    """

    def __init__(
        self,
        data: Data | Store,
        split: str | None = None,
        *,
        batch_size: int | None = None,
        shuffle: bool | str = False,
        seed: int = 0,
        drop_last: bool = False,
        device: Any = "auto",
        normalize: Normalize | Preset = "default",
        dtype: Any = None,
        memory_format: Any = None,
        label_dtype: Any = None,
        rank: int | None = None,
        world_size: int | None = None,
        framework: _frameworks.Framework = "auto",
        verify: bool = True,
        threads: int = 0,
        progress: _progress.Progress = None,
        residency: Residency = "auto",
        memory_limit: int | str | None = None,
        resident: int | None = None,
        window: int | None = None,
        prefetch: int | None = None,
    ) -> None:
        order = _order_name(shuffle)
        self.seed = _checked_seed(seed)
        depth = _checked_prefetch(prefetch)
        self.drop_last = bool(drop_last)
        self.normalize = resolve_normalize(normalize)
        self.rank, self.world_size = _resolve_ranks(rank, world_size)
        # All that can be wrong is found before anything is loaded.
        source: Split | ArraySplit = data.split if isinstance(data, Store) else find_split(data, split)
        source._opened()
        self.batch_size = _checked_batch_size(batch_size, source)
        self._channels_last = _frameworks.resolve_channels_last(memory_format)
        self._dtype = _frameworks.resolve_dtype(dtype)
        self._label_dtype = _frameworks.resolve_label_dtype(label_dtype, source.label_kind)
        spec = self.normalize.to_native(self._dtype, "nhwc" if self._channels_last else "nchw")
        self.normalize.check_channels(source.shape[0])
        name = _resolve_store_device(data, device)
        self.framework = _frameworks.resolve_framework(framework, name)
        allocator = None
        if self.framework != "dlpack":
            allocator = _frameworks.make_allocator(self.framework, name)
            allocator.images(source.shape, self._dtype, self._channels_last)

        if isinstance(data, Store) and (residency, memory_limit, resident, window) != ("auto", None, None, None):
            raise ValueError("the store has been loaded already; give residency and what goes with it to Store")
        if isinstance(data, Store) and split is not None and split != source.name:
            raise ValueError(f"split is {split!r}, but the store holds {source.name!r}")
        if isinstance(data, Store):
            self._store = data
        else:
            self._store = Store(
                find_split(data, split), device=name, verify=verify, threads=threads, progress=progress,
                residency=residency, memory_limit=memory_limit, resident=resident, window=window,
            )  # fmt: skip
        self._maker = _native.BatchMaker(
            self._store._usable(), spec, self._label_dtype, self.batch_size, order, self.seed, self.drop_last,
            self.rank, self.world_size, depth,
        )  # fmt: skip
        self.shuffle = _shuffle_of(self._maker.shuffle)
        self._make = self._batch_function(allocator)
        self._length = self._maker.batches_per_epoch
        # The place: `_handed_out` batches of `_epoch`; a restored place is where the next iteration begins.
        self._epoch = 0
        self._handed_out = 0
        self._is_restored = False
        self._iteration = 0

    # ---- Batches ---------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """Batches of an epoch; the same on every rank."""
        return self._length

    def __iter__(self) -> Iterator[Batch]:
        """The batches of an epoch.

        That after the last one that was handed out whole; or, after `load_state_dict`, the rest of that one.
        """
        self._store._usable()
        if self._handed_out >= self._length:
            self._epoch, self._handed_out = self._epoch + 1, 0
        # A restored place stays until a batch is handed out.
        first = self._handed_out if self._is_restored else 0
        self._handed_out = first
        self._iteration += 1
        return self._iterate(self._iteration, self._epoch, first)

    def _iterate(self, iteration: int, epoch: int, first: int) -> Iterator[Batch]:
        make = self._make
        for step in range(first, self._length):
            # Not kept in a variable: who lets go of a batch gets its memory back at once.
            batch = [make(epoch, step)]
            # An older iteration, which somebody still holds, moves nothing.
            if iteration == self._iteration:
                self._handed_out, self._is_restored = step + 1, False
            yield batch.pop()
        if iteration == self._iteration:
            self._epoch, self._handed_out = epoch + 1, 0

    def __getitem__(self, step: int) -> Batch:
        """Batch `step` of this epoch, whatever was handed out before; negative numbers count from the end.

        Raises
        ------
        IndexError
            If there is no such batch.
        """
        self._store._usable()
        return self._make(self._epoch, self._step(step))

    def indices(self, step: int) -> npt.NDArray[np.int64]:
        """int64 [B]: the numbers, in their split, of the samples of batch `step` of this epoch.

        Raises
        ------
        IndexError
            If there is no such batch.
        """
        return self._maker.rows(self._epoch, self._step(step))

    def _step(self, step: int) -> int:
        number = operator.index(step)
        if not -self._length <= number < self._length:
            raise IndexError(f"batch {number} is not among the {self._length} of an epoch")
        return number % self._length

    def _batch_function(self, allocator: _frameworks.Allocator | None) -> Callable[[int, int], Batch]:
        """What makes batch `step` of `epoch`; without an allocator in the library's own memory, for DLPack."""
        maker, has_labels = self._maker, self.dataset.label_kind != "none"
        usable = None if self.device == "cpu" else self._store._usable
        if allocator is None:

            def owned(epoch: int, step: int) -> Batch:
                if usable:
                    usable()
                return maker.make_owned(epoch, step)

            return owned
        layout = (self.dataset.shape, self._dtype, self._channels_last)
        new_images, recycled_images = allocator.images(*layout), allocator.recycled_images(maker, *layout)
        new_labels = allocator.labels(self.dataset.label_shape, self._label_dtype)
        make, count_of = maker.make, maker.batch_count
        address, stream = allocator.address, allocator.stream
        is_recycled = self.device == "cpu" and maker.largest_batch_bytes >= _RECYCLED_BYTES

        def batch(epoch: int, step: int) -> Batch:
            if usable:
                usable()
            count = count_of(step)
            labels = new_labels(count) if has_labels else None
            labels_at = address(labels) if has_labels else 0
            if is_recycled:
                return recycled_images(epoch, step, labels_at), labels
            images = new_images(count)
            make(epoch, step, address(images), labels_at, stream() if stream else 0)
            return images, labels

        return batch

    # ---- The place -------------------------------------------------------------------------------------------------

    @property
    def epoch(self) -> int:
        """The epoch that is iterated over, or else the one that comes next."""
        return self._epoch

    def set_epoch(self, epoch: int) -> None:
        """Makes `epoch` the one that the next iteration draws, from its first batch.

        After `load_state_dict` to a place in this very epoch, the place stays, so that a loop that sets each epoch can
        go on with a saved one.

        Raises
        ------
        ValueError
            If it is negative.
        """
        number = operator.index(epoch)
        if number < 0:
            raise ValueError(f"epoch is {number}; epochs count from 0")
        if number > _LAST_EPOCH:
            raise ValueError(f"epoch is {number}; the last one is {_LAST_EPOCH}")
        if self._is_restored and number == self._epoch:
            return
        self._epoch, self._handed_out, self._is_restored = number, 0, False
        self._iteration += 1

    def state_dict(self) -> dict[str, Any]:
        """The place after the batches that were handed out, to be saved beside the model; plain numbers."""
        epoch, step = self._epoch, self._handed_out
        if step >= self._length:
            epoch, step = epoch + 1, 0
        return {"order": _ORDER_VERSION, "epoch": epoch, "step": step, **self._options()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes to a place that `state_dict` gave: the next iteration begins there, on any number of ranks.

        Raises
        ------
        ValueError
            If it is of a loader with other options or another number of samples; the message names them. Nothing has
            changed then.
        """
        epoch, step = _checked_place(state, self._options())
        if not 0 <= epoch <= _LAST_EPOCH or not 0 <= step < self._length:
            raise ValueError(f"state is of batch {step} of epoch {epoch}, which does not exist")
        self._epoch, self._handed_out, self._is_restored = epoch, step, True
        self._iteration += 1

    def _options(self) -> dict[str, Any]:
        """What the order depends on."""
        return {
            "seed": self.seed,
            "batch_size": self.batch_size,
            "sample_count": len(self._store),
            "shuffle": self.shuffle,
            "drop_last": self.drop_last,
        }

    # ---- What it draws from ----------------------------------------------------------------------------------------

    @property
    def store(self) -> Store:
        """The samples on the device; another loader can draw from it too."""
        return self._store

    @property
    def dataset(self) -> Split | ArraySplit:
        """The split that batches are of."""
        return self._store.split

    @property
    def device(self) -> str:
        """Where batches are: ``"cpu"`` or ``"cuda:0"``."""
        return self._store.device

    @property
    def prefetch(self) -> int:
        """Batches that are read ahead."""
        return self._maker.prefetch

    def __repr__(self) -> str:
        return (
            f"Loader({self.dataset!r}, {self.device}, batch_size={self.batch_size}, shuffle={self.shuffle}, "
            f"seed={self.seed}, drop_last={self.drop_last}, batches={self._length})"
        )


def _checked_place(state: dict[str, Any], options: dict[str, Any]) -> tuple[int, int]:
    """Epoch and step of a saved state, which must be of a loader with these options."""
    try:
        order, epoch, step = (operator.index(state[key]) for key in ("order", "epoch", "step"))
        saved = {key: state[key] for key in options}
    except (KeyError, TypeError) as error:
        raise ValueError(f"state is not what state_dict() gave: {error}") from None
    if order != _ORDER_VERSION:
        raise ValueError(f"state is of order {order}, this version draws order {_ORDER_VERSION}")
    for key, value in options.items():
        if saved[key] != value:
            raise ValueError(f"state is of a loader with {key}={saved[key]}; this one has {key}={value}")
    return epoch, step


def _checked_batch_size(batch_size: int | None, split: Split | ArraySplit) -> int:
    if batch_size is None:
        return min(_USUAL_BATCH, len(split))
    number = operator.index(batch_size)
    if number < 1:
        raise ValueError(f"batch_size is {number}; it must be at least 1")
    if number > len(split):
        raise ValueError(
            f"batch_size is {number}, but split {split.name!r} has {len(split)} samples; choose at most as many"
        )
    return number


def _order_name(shuffle: bool | str) -> str:
    """What the library calls the order."""
    if isinstance(shuffle, str):
        return shuffle
    return "global" if shuffle else "none"


def _shuffle_of(order: str) -> bool | str:
    """The argument `shuffle` that means this order."""
    return order == "global" if order in ("global", "none") else order


def _checked_prefetch(prefetch: int | None) -> int:
    if prefetch is None:
        return -1
    number = operator.index(prefetch)
    if not 0 <= number <= 64:
        raise ValueError(f"prefetch is {number}; it must be in [0, 64]")
    return number


def _checked_seed(seed: int) -> int:
    number = operator.index(seed)
    if not 0 <= number < 2**64:
        raise ValueError(f"seed is {number}; it must be in [0, 2**64)")
    return number


def _resolve_store_device(data: Data | Store, device: Any) -> str:
    if not isinstance(data, Store):
        return _frameworks.resolve_device(device)
    if not (isinstance(device, str) and device == "auto") and _frameworks.resolve_device(device) != data.device:
        raise ValueError(f"device is {str(device)!r}, but the store is on {data.device}")
    return data.device


def _resolve_ranks(rank: int | None, world_size: int | None) -> tuple[int, int]:
    if (rank is None) != (world_size is None):
        raise ValueError("rank and world_size go together; give both or neither")
    if rank is None or world_size is None:
        # It can only be initialized where it was imported.
        distributed = sys.modules.get("torch.distributed")
        if distributed is None or not distributed.is_available() or not distributed.is_initialized():
            return 0, 1
        return distributed.get_rank(), distributed.get_world_size()
    rank, world_size = operator.index(rank), operator.index(world_size)
    if not 0 <= rank < world_size <= 2**31:
        raise ValueError(f"rank is {rank} of world_size {world_size}; ranks count from 0")
    return rank, world_size
