"""Batches for a training loop."""

from __future__ import annotations

import functools
import inspect
import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, overload

import numpy as np

from . import _frameworks, _progress
from ._batch_factory import BatchFactory
from ._iteration import Iteration
from ._loader_arguments import check_loader_names, checked_keys, resolve_arguments
from ._loader_position import LoaderPosition
from ._loader_properties import LoaderProperties
from ._loader_records import DrawnSample
from ._place import Place, Position
from ._samplers import LoaderBatchSampler, LoaderSampler, collate
from ._sampling import Balance
from .augment import Mix, Operation
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


#: (images, labels), or (images, masks, labels) for a split with masks; labels are None for a split without labels. Or
#: the same as a mapping. `BatchT` is its type for callers.
Batch = Any


class Loader(LoaderProperties, LoaderPosition, Generic[BatchT]):
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

    Every iteration is a new epoch with its own order, even if the one before stopped early. The first iteration after
    `load_state_dict` or `set_epoch` begins at the epoch and step that they set.

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
        Make batches mappings with these keys, such as ``("pixel_values", "labels")``, instead of tuples. None in place
        of a key leaves out that part: for masks without labels, ``("pixel_values", "labels", None)``.
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
        Progress of loading. None: a tqdm bar on a terminal, if tqdm is installed; True: always; False: no bar; or
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

    # What `accelerate.skip_first_batches()` reads of a DataLoader.
    num_workers = 0
    prefetch_factor: int | None = None

    if not TYPE_CHECKING:

        def __new__(cls, *arguments: Any, **options: Any) -> Loader[Any]:
            """Explains arguments that it does not have."""
            # A subclass may have arguments of its own.
            known = _argument_names() if cls.__init__ is Loader.__init__ else options
            check_loader_names("Loader", options, known)
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
        keys: Sequence[str | None],
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
        keys: Sequence[str | None],
        **options: Unpack[LoaderOptions],
    ) -> None: ...

    @overload
    def __init__(
        self: Loader[Any],
        data: Data | Store,
        split: str | None = None,
        *,
        framework: _frameworks.Framework,
        keys: Sequence[str | None] | None = None,
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
        keys: Sequence[str | None] | None = None,
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
        order, depth, options = resolve_arguments(self._arguments)
        self._drop_last, self._carry_over = bool(drop_last), bool(carry_over)
        self._mix, self._label_smoothing = mix, float(label_smoothing)
        allocator = None
        if options.framework != "dlpack":
            allocator = _frameworks.make_allocator(options.framework, options.device)
            allocator.images(options.spec().image_shape(options.source.shape), options.dtype, options.channels_last)

        if isinstance(data, Store) and (residency, memory_limit, resident, window) != ("auto", None, None, None):
            raise ValueError("the store is loaded already; pass residency and its options to Store instead")
        self._owns_store = not isinstance(data, Store)
        self._store = options.open_store(
            data, split, verify=verify, threads=threads, progress=progress, residency=residency,
            memory_limit=memory_limit, resident=resident, window=window,
        )  # fmt: skip
        self._given_ranks = (rank, world_size)
        self._batches = BatchFactory(
            self._store, options, allocator, order=order, drop_last=self._drop_last, carry_over=self._carry_over,
            prefetch=depth, augment=augment, weights=weights, ranks=self._given_ranks, equal_shares=equal_shares,
            keys=checked_keys(keys, options.masks is not None),
        )  # fmt: skip
        shuffled = self._batches.shuffle
        self._shuffle: bool | str = shuffled == "global" if shuffled in ("global", "none") else shuffled
        self._position = Position(self._batches.count)
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
        return self._batches.count(self.epoch)

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
        if not self._batches.has_epochs_of_own_length:
            return number * self._batches.count(0)
        return sum(self._batches.count(epoch) for epoch in range(number))

    def __iter__(self) -> Iterator[BatchT]:
        """Iterates over the batches of a new epoch; after `load_state_dict`, over the rest of the restored one.

        Several threads may take batches from one iterator or from several; each batch is yielded once.
        """
        self._check_open()
        if "torch.utils.data" in sys.modules:
            from ._torch import check_data_loader

            check_data_loader(sys._getframe(1))
        return Iteration(self)

    def _check_open(self) -> None:
        """Raises ValueError if the loader or its store is closed."""
        if self._batches.is_closed:
            raise ValueError("the loader is closed; create it again")
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
        batch: BatchT = self._batches.of(self.epoch)(self.epoch, self._step(step))
        return batch

    def indices(self, step: int) -> npt.NDArray[np.int64]:
        """int64 [B]: the indices of the samples in batch `step` of the current epoch.

        Raises
        ------
        IndexError
            If there is no such batch.
        """
        return self._batches.rows(self.epoch, self._step(step))

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

    # ---- For code for DataLoaders -----------------------------------------------------------------------------------

    @property
    def sampler(self) -> LoaderSampler:
        """The order of the samples, for code for DataLoaders: ``loader.sampler.set_epoch(epoch)`` counts epochs."""
        kind = LoaderSampler
        if self.framework == "torch":
            from . import _torch

            in_order = self.shuffle is False and self._batches.options.sampling is None
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

    # ---- Lifetime --------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Frees the memory of the samples, unless the loader was given a `Store`: later use raises ValueError.

        Batches stay valid.
        """
        if self._owns_store:
            self._store.close()
        self._batches.close()

    def __enter__(self) -> Loader[BatchT]:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        place = self._position.place
        return _create_again, (type(self), self._arguments, self._batches.state(place.epoch, place.step), place)

    def __repr__(self) -> str:
        if self._batches.is_closed:
            return f"Loader({self.dataset!r}, closed)"
        return (
            f"Loader({self.dataset!r}, {self.device}, batch_size={self.batch_size}, shuffle={self.shuffle}, "
            f"seed={self.seed}, drop_last={self.drop_last}, {self._augmentation_text()}batches={len(self)}, "
            f"rank={self.rank} of {self.world_size})"
        )

    def _augmentation_text(self) -> str:
        """What changes the images and labels of this epoch, for `repr`; empty if nothing does."""
        text = f"augment=[{', '.join(map(repr, self.augment))}], " if self.augment else ""
        if self.mix is not None:
            text += f"mix={self.mix!r}, "
        if self.label_smoothing != 0.0:
            text += f"label_smoothing={self.label_smoothing}, "
        return text + (f"views={self.views}, " if self.views != 1 else "")


@functools.cache
def _argument_names() -> frozenset[str]:
    return frozenset(inspect.signature(Loader.__init__).parameters) - {"self"}


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
    resolve_arguments(arguments)


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
