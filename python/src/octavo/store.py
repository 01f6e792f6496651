"""Samples in the memory of a device."""

from __future__ import annotations

import atexit
import operator
import os
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _core, _progress
from ._argument_names import check_names
from ._argument_types import check_types, whole_number
from ._augment_base import checked_operations
from ._conversion.soft_labels import SoftLabels, resolve_soft_labels
from ._loading import frameworks as _frameworks
from ._loading.loader_options import ArrayStoreOptions, GatherOptions, StoreOptions
from ._loading.loader_options import Residency as Residency  # where users find it
from ._loading.masks import Masks, resolve_masks
from ._options import described_by, describes, options_of, types_of, with_defaults
from ._remote.byte_source import Location, is_location
from ._wrong_data import wrong_data
from .arrays import ArraySplit
from .augment import Operation
from .dataset import Dataset, Split
from .normalize import Normalize, Preset

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Unpack

#: The data that a store or a loader can be created from.
Data = Location | Dataset | Split


class SpecOptions(NamedTuple):
    """What the values of batches are, checked."""

    normalize: Normalize
    dtype: str
    channels_last: bool
    augment: tuple[Operation, ...]
    augment_seed: int
    views: int
    soft_labels: SoftLabels | None
    masks: Masks | None


@describes(StoreOptions)
class Store:
    """The images of one split in the memory of one device, at one byte per value; all of them, or as many as fit.

    Several loaders can share a store without copying the samples. Its memory is freed with the last of them. A store
    is a context manager, which closes it. Pickling passes the arguments, so another process loads the samples again.

    Parameters
    ----------
    data
        A dataset file, a `Dataset` or a `Split`.
    split
        The split of the file; by default ``train`` if it exists, else the first split.
    options
        See `octavo._loading.loader_options.StoreOptions`.

    Raises
    ------
    FormatError
        If the file is not an Octavo dataset file, or a sample is damaged; the message names it. For samples that are
        read when a batch needs them, loaders raise it.
    OSError
        If the file cannot be read.
    MemoryError
        If the device does not have enough memory for the requested residency.
    octavo.UnavailableError
        If this build or machine does not have the device.
    ValueError
        If the split does not exist or the device name is invalid.
    """

    @described_by(StoreOptions)
    def __init__(self, data: Data, split: str | None = None, **options: Unpack[StoreOptions]) -> None:
        self._load(data, split, options, shares=False)

    @classmethod
    def _of_ranks(cls, data: Data, split: str | None, **options: Any) -> Store:
        """A store that the residency "auto" may share with the other ranks of ``torch.distributed``."""
        store = cls.__new__(cls)
        store._load(data, split, options, shares=True)
        return store

    def _load(self, data: Data, split: str | None, options: Mapping[str, Any], shares: bool) -> None:
        check_names("octavo.Store", options, {"data", "split", *options_of(StoreOptions)})
        self._arguments: dict[str, Any] | None = {**options}
        self._arguments.pop("progress", None)  # of this process
        arguments = with_defaults(StoreOptions, options)
        self._split: Split | ArraySplit = find_split(data, split)
        opened = self._split._opened()
        name = _frameworks.resolve_device(arguments["device"])
        check_types(arguments, types_of(StoreOptions))
        if arguments["threads"] < 0:
            raise ValueError(f"threads is {arguments['threads']}; it must be 0 for all, or the number of threads")
        load = _load_options(arguments)
        load.verify_checksums, load.with_masks = bool(arguments["verify"]), bool(arguments["masks"])
        if arguments["residency"] == "sharded":
            self._share(load, name, is_auto=False)
        elif arguments["residency"] == "auto" and shares:
            self._share(load, name, is_auto=True)
        with _progress.shown(arguments["progress"]) as on_progress:
            self._native: _core.Store | None = _core.Store.load(opened, name, load, on_progress)
        self._process = os.getpid()
        if self.residency == "sharded":
            _leave_at_exit(self)
        self._torch_note = _torch_note(self._opened().residency_reason, name)
        self._prepared: tuple[SpecOptions, tuple[tuple[int, int, int], _core.PreparedSpec]] | None = None

    @staticmethod
    def _share(load: _core.LoadOptions, device: str, is_auto: bool) -> None:
        """Lets the library connect the ranks of ``torch.distributed``."""
        from ._loading import rank_exchange

        ranks = rank_exchange.rank_count()
        if ranks > (1 if is_auto else 0):
            load.set_exchange(rank_exchange.connect(device, is_auto))
            load.shares_host_memory = rank_exchange.shares_host_memory
        elif not is_auto:
            raise ValueError(
                "residency is 'sharded', but this process is not a rank of a process group; call "
                "torch.distributed.init_process_group() first, or use another residency"
            )

    @classmethod
    @described_by(ArrayStoreOptions)
    def from_arrays(
        cls,
        images: npt.NDArray[Any],
        labels: npt.ArrayLike | None = None,
        *,
        classes: Sequence[str] = (),
        copy: bool = False,
        **options: Unpack[ArrayStoreOptions],
    ) -> Store:
        """Creates a store from images in memory, without a file.

        On the CPU, int8 images are used in place and must not change while the store is in use. On a GPU, samples that
        are not resident are read from the array.

        Parameters
        ----------
        images
            int8 [N, C, H, W]: uint8 values minus 128; or uint8 [N, C, H, W], which are converted and therefore copied.
            Transpose [N, H, W, C] first: ``np.ascontiguousarray(images.transpose(0, 3, 1, 2))``.
        labels
            Integers [N]: class numbers; integers [N, K]: multi-labels of 0 and 1; floats [N, K]: targets.
        classes
            Class names.
        copy
            Copy the images, so that the array may change afterwards.
        options
            See `octavo._loading.loader_options.ArrayStoreOptions`.

        Raises
        ------
        ValueError
            If an array has another type or shape, or is not contiguous, or the images look like [N, H, W, C]: the last
            axis is 1 or 3, and the second is neither.
        MemoryError, UnavailableError
            See `Store`.
        """
        names = options_of(ArrayStoreOptions)
        check_names("octavo.Store.from_arrays", options, {"images", "labels", "classes", "copy", *names})
        arguments = with_defaults(ArrayStoreOptions, options)
        split = ArraySplit(images, labels, classes)
        samples = _core.HostSamples(split)
        samples.set_images(split.images)
        if split.labels is not None:
            samples.set_labels(split.label_kind, split.labels)
        samples.class_names = split.classes
        store = cls.__new__(cls)
        store._split = split
        store._native = _core.Store.load_from_memory(
            samples, bool(copy), _frameworks.resolve_device(arguments["device"]), _load_options(arguments)
        )
        store._process = os.getpid()
        store._arguments = None
        store._torch_note = _torch_note(store._opened().residency_reason, store.device)
        store._prepared = None
        return store

    def _opened(self) -> _core.Store:
        if self._native is None:
            raise ValueError(f"the store of {self._split!r} is closed; load it again")
        return self._native

    def _usable(self) -> _core.Store:
        """The native store. Raises RuntimeError if it is on a GPU and another process loaded it."""
        native = self._opened()
        if native.device != "cpu" and os.getpid() != self._process:
            raise RuntimeError(
                f"use a store on {self.device} in process {os.getpid()}: it was loaded before fork() by process "
                f"{self._process}, and CUDA does not survive fork(); load it in the child, or start workers with spawn"
            )
        return native

    def close(self) -> None:
        """Frees the memory, once the loaders of this store are closed too: later use raises ValueError.

        Batches stay valid. With the residency ``"sharded"``, this rank leaves the others: loaders of this store, on
        all ranks, make no further batches.
        """
        if self._native is not None:
            self._native.leave_ranks()
        self._native, self._prepared = None, None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        if self._arguments is None:
            raise TypeError("a store of arrays cannot be pickled; pickle the arrays, and load them again")
        return _load_again, (self._split, self._arguments)

    @property
    def split(self) -> Split | ArraySplit:
        """The loaded split, or the arrays."""
        return self._split

    @property
    def device(self) -> str:
        """``"cpu"`` or ``"cuda:0"``."""
        return self._opened().device

    @property
    def device_bytes(self) -> int:
        """Bytes that the store occupies on the device."""
        return self._opened().device_bytes

    @property
    def residency(self) -> str:
        """``"device"``, ``"hybrid"``, ``"streamed"``, ``"window"`` or ``"sharded"``."""
        return self._opened().residency

    @property
    def residency_reason(self) -> str:
        """With residency ``"auto"``, the reason why not all samples are in device memory; otherwise empty."""
        return self._opened().residency_reason + self._torch_note

    @property
    def resident(self) -> int:
        """The number of samples in device memory: the first ones of the split, or those of this rank."""
        return self._opened().resident_count

    @property
    def window(self) -> int:
        """Samples per window with the residency ``"window"``; otherwise 0."""
        return self._opened().window_samples

    @property
    def has_masks(self) -> bool:
        """Whether samples have masks: the split has them, and they were loaded."""
        return self._opened().has_masks

    def __len__(self) -> int:
        return self._opened().sample_count

    @described_by(GatherOptions)
    def gather(
        self,
        indices: Sequence[int] | npt.NDArray[np.integer[Any]],
        **options: Unpack[GatherOptions],
    ) -> tuple[Any, ...]:
        """The normalized images, the masks and the labels of the given samples, in the given order.

        Parameters
        ----------
        indices
            B sample indices in [0, len(self)); any order, repetition allowed.
        options
            See `octavo._loading.loader_options.GatherOptions`.

        Returns
        -------
        images, labels; or images, masks, labels
            As yielded by a `Loader`.

        Raises
        ------
        IndexError
            If an index is out of range.
        """
        native = self._usable()
        check_names("octavo.Store.gather", options, {"indices", *options_of(GatherOptions)})
        arguments = with_defaults(GatherOptions, options)
        rows = self._checked_rows(indices)
        kind = _frameworks.resolve_framework(arguments["framework"], self.device)
        if kind == "dlpack":
            raise ValueError("framework is 'dlpack', which gather() does not support; use 'torch' or 'numpy'")
        allocator = _frameworks.make_allocator(kind, self.device)
        spec = self._spec_options(arguments)
        label_type = _frameworks.resolve_label_dtype(
            arguments["label_dtype"], "target" if spec.soft_labels else self._split.label_kind
        )
        shape, prepared = self._prepare(spec)
        images = allocator.images(shape, spec.dtype, spec.channels_last)(len(rows) * spec.views)
        labels = None
        if self._split.label_kind != "none":
            label_shape = (spec.soft_labels.width,) if spec.soft_labels else self._split.label_shape
            labels = allocator.labels(label_shape, label_type)(len(rows))
        masks = None
        if spec.masks is not None:
            mask_shape = shape[1:] if spec.views == 1 else (spec.views, *shape[1:])
            masks = allocator.labels(mask_shape, spec.masks.dtype)(len(rows))
        native.gather(
            rows=rows,
            spec=prepared,
            images=allocator.address(images),
            image_shape=[len(rows) * spec.views, *shape],
            labels=0 if labels is None else allocator.address(labels),
            label_dtype=label_type,
            masks=0 if masks is None else allocator.address(masks),
            stream=0 if allocator.stream is None else allocator.stream(),
            epoch=operator.index(arguments["epoch"]),
        )
        images = allocator.with_views(spec.views)(images)
        return (images, labels) if masks is None else (images, masks, labels)

    def _checked_rows(self, indices: Any) -> list[int]:
        if np.asarray(indices).dtype == np.bool_:
            raise IndexError("indices are a boolean mask; pass np.flatnonzero(mask)")
        rows = [operator.index(index) for index in indices]
        for row in rows:
            if not 0 <= row < len(self):
                raise IndexError(f"sample {row} is out of range for {self._split!r}")
        return rows

    def _spec_options(self, arguments: Mapping[str, Any]) -> SpecOptions:
        return SpecOptions(
            normalize=resolve_normalize(arguments["normalize"]),
            dtype=_frameworks.resolve_dtype(arguments["dtype"]),
            channels_last=_frameworks.resolve_channels_last(arguments["memory_format"]),
            augment=checked_operations(arguments["augment"]),
            augment_seed=operator.index(arguments["augment_seed"]),
            views=operator.index(arguments["views"]),
            soft_labels=resolve_soft_labels(
                self._split, arguments["mix"], arguments["label_smoothing"], arguments["num_classes"]
            ),
            masks=resolve_masks(self.has_masks, arguments["masks"], arguments["mask_dtype"], arguments["ignore_index"]),
        )

    def _prepare(self, options: SpecOptions) -> tuple[tuple[int, int, int], _core.PreparedSpec]:
        """The shape of the images, and the prepared spec.

        Both are cached for the next call: preparing a spec allocates and copies device memory.
        """
        if self._prepared is None or self._prepared[0] != options:
            spec = make_spec(options)
            self._prepared = (options, (spec.image_shape(self._split.shape), self._opened().prepare(spec)))
        return self._prepared[1]

    def __repr__(self) -> str:
        if self._native is None:
            return f"Store({self._split!r}, closed)"
        return f"Store({self._split!r}, {self.device}, {self.residency}, {self.device_bytes / 2**20:.1f} MiB)"


def _leave_at_exit(store: Store) -> None:
    """Leaves the other ranks before the interpreter finalizes, while the thread of the store may still call Python."""
    if not _sharing:
        atexit.register(_leave_all)
    _sharing.add(store)


#: The stores that this process shares with other ranks.
_sharing: weakref.WeakSet[Store] = weakref.WeakSet()


def _leave_all() -> None:
    for store in list(_sharing):
        store.close()


def _load_again(split: Split, arguments: dict[str, Any]) -> Store:
    return Store(split, **arguments)


def _torch_note(residency_reason: str, device: str) -> str:
    """If memory was short, a note on the device memory that torch caches without using it."""
    torch = sys.modules.get("torch")
    if not residency_reason or device == "cpu" or torch is None or not torch.cuda.is_initialized():
        return ""
    cached = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    if cached < 2**20:
        return ""
    mebibytes = f"{cached / 2**20:.0f} MiB"
    return f". torch caches {mebibytes} of unused memory on that device; torch.cuda.empty_cache() frees it"


def _load_options(arguments: Mapping[str, Any]) -> _core.LoadOptions:
    """The library's options, for those of a device and a residency."""
    load = _core.LoadOptions()
    load.thread_count = _checked_count("threads", arguments["threads"], 0)
    load.residency = str(arguments["residency"])
    load.memory_limit_bytes = checked_limit("memory_limit", arguments["memory_limit"])
    if arguments["resident"] is not None:
        load.resident_count = _checked_count("resident", arguments["resident"], 0)
    if arguments["window"] is not None:
        load.window_samples = _checked_count("window", arguments["window"], 1)
    return load


def checked_limit(name: str, limit: int | str | None, parse: Callable[[str], int] = _core.parse_memory_size) -> int:
    """A memory limit in bytes; 0 for no limit."""
    if limit is None:
        return 0
    return parse(limit) if isinstance(limit, str) else _checked_count(name, limit, 1)


def _checked_count(name: str, value: int, least: int) -> int:
    number = whole_number(name, value)
    if not least <= number < 2**63:
        raise ValueError(f"{name} is {number}; it must be at least {least}")
    return number


def make_spec(options: SpecOptions) -> _core.BatchSpec:
    """The library's specification of batches. Raises ValueError, naming the argument or the operation."""
    if not 0 <= options.augment_seed < 2**64:
        raise ValueError(f"augment_seed is {options.augment_seed}; it must be in [0, 2**64)")
    spec = options.normalize.to_native()
    spec.dtype, spec.layout = options.dtype, "nhwc" if options.channels_last else "nchw"
    spec.augment = [operation._to_native() for operation in options.augment]
    spec.augment_seed, spec.views = options.augment_seed, options.views
    soft_labels = options.soft_labels
    if soft_labels is not None:
        spec.mix = None if soft_labels.mix is None else soft_labels.mix._to_native()
        spec.soft_classes, spec.label_smoothing = soft_labels.classes, soft_labels.smoothing
    spec.with_masks = options.masks is not None
    if options.masks is not None:
        options.masks.set_in(spec)
    return spec


def resolve_normalize(normalize: Normalize | Preset) -> Normalize:
    """The preset with this name, or the given Normalize itself."""
    return normalize if isinstance(normalize, Normalize) else Normalize.preset(normalize)


def find_split(data: Data, split: str | None) -> Split:
    """The split that `data` and `split` refer to."""
    if isinstance(data, Split):
        if split is not None and split != data.name:
            raise ValueError(f"split is {split!r}, but data is already the split {data.name!r}")
        return data
    if isinstance(data, Dataset):
        return data.split(split)
    if is_location(data):
        return Dataset(data).split(split)
    raise wrong_data("load samples", "data", data, "a dataset file, a Dataset, a Split or a Store")
