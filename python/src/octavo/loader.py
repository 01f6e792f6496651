"""Batches for a training loop."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, overload

from ._loading import frameworks as _frameworks
from ._loading.batch_factory import BatchFactory
from ._loading.batch_options import BatchOptions
from ._loading.iteration import Iteration
from ._loading.loader_arguments import check_loader_names, checked_keys, resolve_arguments
from ._loading.loader_options import OF_STORE, AllLoaderOptions, ResidencyOptions
from ._loading.loader_properties import LoaderProperties
from ._loading.loader_replay import LoaderReplay
from ._loading.loader_typing import BatchT
from ._loading.place import Place, Position
from ._loading.samplers import LoaderBatchSampler, LoaderSampler, collate
from ._options import described_by, describes, options_of, with_defaults
from .dataset import Split
from .store import Data, Store

if TYPE_CHECKING:
    import numpy.typing as npt
    import torch
    from typing_extensions import Unpack

    from ._loading.loader_options import LoaderOptions


@describes(AllLoaderOptions)
class Loader(LoaderProperties, LoaderReplay[BatchT], Generic[BatchT]):
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
    options
        See `octavo._loading.loader_options.AllLoaderOptions`.

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

    @described_by(AllLoaderOptions)
    def __init__(self, data: Data | Store, split: str | None = None, **options: Any) -> None:
        check_loader_names("Loader", options, options_of(AllLoaderOptions))
        arguments = with_defaults(AllLoaderOptions, options)
        # Check every argument before loading anything.
        order, depth, batch = resolve_arguments(data, split, arguments)
        allocator = _allocator_of(batch)
        self._arguments = {"data": data, "split": split, **options}
        self._arguments.pop("progress", None)  # of this process
        self._owns_store = not isinstance(data, Store)
        if not self._owns_store:
            _check_has_no_residency(arguments)
        self._store = batch.open_store(
            data, split, shares=arguments["rank"] is None, **{name: arguments[name] for name in OF_STORE}
        )
        self._drop_last, self._carry_over = bool(arguments["drop_last"]), bool(arguments["carry_over"])
        self._given_ranks = (arguments["rank"], arguments["world_size"])
        self._batches = BatchFactory(
            self._store, batch, allocator, order=order, drop_last=self._drop_last, carry_over=self._carry_over,
            prefetch=depth, augment=arguments["augment"], weights=arguments["weights"], ranks=self._given_ranks,
            equal_shares=arguments["equal_shares"], keys=checked_keys(arguments["keys"], batch.masks is not None),
        )  # fmt: skip
        shuffled = self._batches.shuffle
        self._shuffle: bool | str = shuffled == "global" if shuffled in ("global", "none") else shuffled
        self._position = Position(self._batches.count)
        self._last_batch: tuple[int, int] | None = None
        if batch.framework == "torch":
            from ._loading.torch import register_iterable

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
            from ._loading.torch import check_data_loader

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

    # ---- For code for DataLoaders -----------------------------------------------------------------------------------

    @property
    def sampler(self) -> LoaderSampler:
        """The order of the samples, for code for DataLoaders: ``loader.sampler.set_epoch(epoch)`` counts epochs."""
        kind = LoaderSampler
        if self.framework == "torch":
            from ._loading import torch as _torch

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


def _allocator_of(batch: BatchOptions) -> _frameworks.Allocator | None:
    """Of the framework; None for DLPack. Raises ValueError if it cannot make these batches."""
    if batch.framework == "dlpack":
        return None
    allocator = _frameworks.make_allocator(batch.framework, batch.device)
    allocator.images(batch.spec().image_shape(batch.source.shape), batch.dtype, batch.channels_last)
    return allocator


def _check_has_no_residency(arguments: Mapping[str, Any]) -> None:
    """Raises ValueError if there are options of residencies, although the samples are loaded already."""
    if any(arguments[name] != option.default for name, (_, option) in options_of(ResidencyOptions).items()):
        raise ValueError("the store is loaded already; pass residency and its options to Store instead")


def check_options(split: Split, **options: Any) -> None:
    """Checks options of a loader of this split, all but the device, without loading it.

    Raises
    ------
    ValueError, TypeError
        If an option is invalid.
    """
    resolve_arguments(split, None, {**with_defaults(AllLoaderOptions, options), "device": "cpu"})


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
