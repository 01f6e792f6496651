"""Batches for CUDA graphs: each call makes the next batch in the same tensors."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _core
from ._argument_types import whole_number
from ._loading import frameworks as _frameworks
from ._loading.batch_options import BatchOptions, warn_of_ranks
from ._loading.batch_properties import BatchProperties
from ._loading.loader_arguments import check_loader_names, resolve_graph_arguments
from ._loading.loader_options import GraphLoaderOptions, ReadOptions
from ._loading.saved_states import LAST_EPOCH, plain_state, saved_place
from ._options import described_by, describes, options_of, with_defaults
from .store import Data, Store

if TYPE_CHECKING:
    from typing_extensions import Unpack


@describes(GraphLoaderOptions)
class GraphLoader(BatchProperties):
    """The batches of a `Loader` for a training step that is captured in a CUDA graph. All of them are complete.

    Each `next` makes the next batch, epoch after epoch, in `images` and `labels`, whose addresses never change. The
    position is kept on the device, so a captured `next` makes the next batch at every replay:

    >>> loader = octavo.GraphLoader("cifar10.h5", "train", batch_size=512, shuffle=True, seed=7, device="cuda")
    >>> train_step(*loader.next())  # warm up, as torch.cuda.graph needs it
    >>> loader.seek(0)
    >>> graph = torch.cuda.CUDAGraph()
    >>> with torch.cuda.graph(graph):
    ...     loss = train_step(*loader.next())
    >>> for _ in range(10 * len(loader)):
    ...     graph.replay()

    With ``torch.compile(mode="reduce-overhead")``, call `next` before the compiled step: its inputs stay in place.

    All samples must be in device memory, and the order is file order or a global shuffle. The device selects the
    samples of each batch. Not thread-safe; `next` and the replays of a graph must run on one stream.

    Parameters
    ----------
    data
        A dataset file, a `Dataset` or a `Split`; or a `Store`, whose memory several loaders can share.
    split
        The split of the file; by default ``train`` if it exists, else the first split.
    options
        See `octavo._loading.loader_options.GraphLoaderOptions`.

    Raises
    ------
    ValueError, TypeError
        For invalid options; for a batch size larger than the split, since every batch must be complete; for a store
        whose samples are not all on the device.
    FormatError, OSError, MemoryError, UnavailableError
        See `Store`.
    """

    @described_by(GraphLoaderOptions)
    def __init__(self, data: Data | Store, split: str | None = None, **options: Unpack[GraphLoaderOptions]) -> None:
        check_loader_names("GraphLoader", options, options_of(GraphLoaderOptions))
        arguments = with_defaults(GraphLoaderOptions, options)
        batch = self._batch_options = resolve_graph_arguments(data, split, arguments)
        self._shuffle, self._carry_over = bool(arguments["shuffle"]), bool(arguments["carry_over"])
        if arguments["rank"] is None:
            warn_of_ranks(self.world_size)
        load = {name: arguments[name] for name in options_of(ReadOptions)}
        load["threads"] = arguments["threads"]
        self._store = batch.open_store(data, split, shares=False, residency="device", **load)
        self._maker = _core.GraphMaker(
            self._store._usable(), self._native_options(), batch.label_dtype,
            operator.index(arguments["batches_per_launch"]),
        )  # fmt: skip
        self._stream: Callable[[], int] | None = None
        if self.framework == "dlpack":
            self._make_tensors()
        else:
            self._allocate(batch)

    def _native_options(self) -> _core.LoaderOptions:
        native = self._options.to_native("global" if self._shuffle else "none")
        native.drop_last, native.carry_over, native.prefetch = not self._carry_over, self._carry_over, 0
        return native

    def _make_tensors(self) -> None:
        """Makes the tensors of the batches in memory of the library, for DLPack."""
        made = self._maker.make_tensors()
        (self._images, self._image_address), (self._labels, self._label_address) = made[:2]
        self._masks, self._mask_address = made[2]

    def _allocate(self, options: BatchOptions) -> None:
        """Allocates the tensors of the batches in memory of the framework."""
        allocator = _frameworks.make_allocator(self.framework, options.device)
        self._stream = allocator.stream
        count, source = self._maker.samples_per_launch, options.source
        image_shape = options.spec().image_shape(source.shape)
        images = allocator.images(image_shape, options.dtype, options.channels_last)(count * options.views)
        self._images = allocator.with_views(options.views)(images)
        self._labels = None
        if source.label_kind != "none":
            self._labels = allocator.labels(options.label_shape, options.label_dtype)(count)
        self._masks = None
        if options.masks is not None:
            self._masks = allocator.labels(options.mask_shape(image_shape), options.masks.dtype)(count)
        self._image_address = allocator.address(self._images)
        self._label_address = 0 if self._labels is None else allocator.address(self._labels)
        self._mask_address = 0 if self._masks is None else allocator.address(self._masks)

    @property
    def images(self) -> Any:
        """The tensor that receives the images of every batch."""
        return self._images

    @property
    def labels(self) -> Any:
        """The tensor that receives the labels of every batch; None for a split without labels."""
        return self._labels

    @property
    def masks(self) -> Any:
        """The tensor that receives the masks of every batch; None if batches have no masks."""
        return self._masks

    def __len__(self) -> int:
        """The number of batches in the first epoch; all are complete."""
        return self._maker.batches_per_epoch(0)

    def next(self) -> tuple[Any, ...]:
        """Enqueues the next batch on the current stream, into `images`, `labels` and `masks`.

        Returns (images, labels), or (images, masks, labels) if batches have masks: always the same tensors.
        """
        self._store._usable()
        self._maker.next(self._image_address, self._label_address, self._mask_address, self._current_stream())
        return (self._images, self._labels) if self._masks is None else (self._images, self._masks, self._labels)

    def seek(self, epoch: int, step: int = 0) -> None:
        """Makes batch `step` of `epoch` the next one. Waits for the current stream; cannot be captured.

        Raises
        ------
        ValueError
            If there is no such batch, or the current stream is being captured.
        """
        number, place = whole_number("epoch", epoch), whole_number("step", step)
        count = self._maker.batches_per_epoch(number) if 0 <= number <= LAST_EPOCH else 0
        if not 0 <= place < count:
            raise ValueError(f"there is no batch {place} of epoch {number}; it has {count} batches")
        self._store._usable()
        self._maker.seek(number, place, self._current_stream())

    def state_dict(self) -> dict[str, Any]:
        """The position of the next batch, to save with the model; `Loader.load_state_dict` accepts it too.

        Waits for the current stream; cannot be captured.
        """
        self._store._usable()
        state: dict[str, Any] = json.loads(self._maker.state(self._current_stream()))
        return state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restores a state from `state_dict` of this class, or of a `Loader` with the same options.

        Raises
        ------
        ValueError
            If the state is from a loader with other samples or other batches; the message names the difference.
        """
        saved = plain_state(state)
        epoch, samples, _ = saved_place(saved, self._maker.place_of)
        if self.carry_over:
            samples += epoch * self.samples_per_epoch % self.batch_size
        if samples % self.batch_size:
            raise ValueError(
                f"state is from a loader with batch_size={saved['batch_size']}; no batch of {self.batch_size} begins "
                "at its place, as a graph needs; use a Loader"
            )
        step = samples // self.batch_size
        if step >= self._maker.batches_per_epoch(epoch):
            epoch, step = epoch + 1, 0
        self.seek(epoch, step)

    def _current_stream(self) -> int:
        return 0 if self._stream is None else self._stream()

    @property
    def _options(self) -> BatchOptions:
        return self._batch_options

    @property
    def shuffle(self) -> bool:
        """Whether the order is a global shuffle."""
        return self._shuffle

    @property
    def rank(self) -> int:
        """The rank of this process, of those that share each batch."""
        return self._options.rank

    @property
    def world_size(self) -> int:
        """The number of processes that share each batch."""
        return self._options.world_size

    def __repr__(self) -> str:
        return (
            f"GraphLoader({self._store.split!r}, {self.device}, batch_size={self.batch_size}, shuffle={self.shuffle}, "
            f"seed={self.seed}, batches={len(self)}, rank={self.rank} of {self.world_size})"
        )
