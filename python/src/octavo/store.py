"""Samples in the memory of a device."""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _core, _frameworks, _progress
from ._argument_names import explaining_names
from ._argument_types import check_types, whole_number
from ._augment_base import checked_operations
from ._masks import Masks, resolve_masks
from ._soft_labels import SoftLabels, resolve_soft_labels
from ._wrong_data import wrong_data
from .arrays import ArraySplit
from .augment import Mix, Operation
from .dataset import Dataset, Split
from .normalize import Normalize, Preset

if TYPE_CHECKING:
    import numpy.typing as npt

#: The data that a store or a loader can be created from.
Data = str | os.PathLike[str] | Dataset | Split

#: The arguments of make_spec().
_SpecOptions = tuple[Normalize, str, bool, tuple[Operation, ...], int, int, SoftLabels | None, Masks | None]

#: Where samples live; docs/residencies.md explains which one to choose.
Residency = Literal["auto", "device", "hybrid", "streamed", "window"]


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
    device
        ``"auto"`` (the first GPU, else the CPU), ``"cpu"``, ``"cuda"``, ``"cuda:1"`` or a ``torch.device``.
    verify
        Check the checksum of every sample while loading.
    threads
        Loading threads; 0: all that this process may use.
    progress
        None: a tqdm bar on a terminal, if tqdm is installed; True: always; False: no bar; or a function
        ``(stage, done, total)``.
    residency
        Where the samples live. ``"device"``: all in device memory. ``"hybrid"``: the first ones in device memory, the
        others are read from the file when a batch needs them. ``"streamed"``: each batch is read from the file. These
        three serve the same batches, bit for bit. ``"window"``: windows of consecutive samples, one served while the
        next is read; the order of the batches stays within a window. ``"auto"``: the first of device, hybrid and
        streamed that fits into memory; `residency_reason` explains why it is not ``"device"``.
    memory_limit
        Device memory for the samples, in bytes or as ``"24GiB"``. None: four fifths of the free memory. A residency
        that needs more than the limit is an error; ``"auto"`` keeps what fits.
    resident
        For hybrid: the number of samples on the device. None: as many as the limit allows.
    window
        For window: samples per window. None: an eighth of the split, or what the limit allows.
    masks
        Load the masks, if the split has any.

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

    @explaining_names("octavo.Store")
    def __init__(
        self,
        data: Data,
        split: str | None = None,
        *,
        device: Any = "auto",
        verify: bool = True,
        threads: int = 0,
        progress: _progress.Progress = None,
        residency: Residency = "auto",
        memory_limit: int | str | None = None,
        resident: int | None = None,
        window: int | None = None,
        masks: bool = True,
    ) -> None:
        self._arguments: dict[str, Any] | None = {
            "device": device, "verify": verify, "threads": threads, "residency": residency,
            "memory_limit": memory_limit, "resident": resident, "window": window, "masks": masks,
        }  # fmt: skip
        self._split: Split | ArraySplit = find_split(data, split)
        opened = self._split._opened()
        name = _frameworks.resolve_device(device)
        check_types({"threads": threads, "resident": resident, "window": window})
        if threads < 0:
            raise ValueError(f"threads is {threads}; it must be 0 for all, or the number of threads")
        with _progress.shown(progress) as on_progress:
            self._native: _core.Store | None = _core.Store.load(
                opened, name, bool(verify), bool(masks), threads, on_progress, str(residency),
                checked_limit("memory_limit", memory_limit),
                -1 if resident is None else _checked_count("resident", resident, 0),
                0 if window is None else _checked_count("window", window, 1),
            )  # fmt: skip
        self._process = os.getpid()
        self._torch_note = _torch_note(self._opened().residency_reason, name)
        self._prepared: tuple[_SpecOptions, tuple[tuple[int, int, int], _core.PreparedSpec]] | None = None

    @classmethod
    def from_arrays(
        cls,
        images: npt.NDArray[Any],
        labels: npt.ArrayLike | None = None,
        *,
        classes: Sequence[str] = (),
        copy: bool = False,
        device: Any = "auto",
        threads: int = 0,
        residency: Residency = "auto",
        memory_limit: int | str | None = None,
        resident: int | None = None,
        window: int | None = None,
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
        device, threads, residency, memory_limit, resident, window
            As in `Store`.

        Raises
        ------
        ValueError
            If an array has another type or shape, or is not contiguous, or the images look like [N, H, W, C]: the last
            axis is 1 or 3, and the second is neither.
        MemoryError, UnavailableError
            See `Store`.
        """
        split = ArraySplit(images, labels, classes)
        store = cls.__new__(cls)
        store._split = split
        store._native = _core.Store.load_from_memory(
            split, split.images.ctypes.data, len(split), split.shape,
            0 if split.labels is None else split.labels.ctypes.data, split.label_kind,
            0 if split.labels is None else split.labels.size // len(split), split.classes, bool(copy),
            _frameworks.resolve_device(device), _checked_count("threads", threads, 0), str(residency),
            checked_limit("memory_limit", memory_limit),
            -1 if resident is None else _checked_count("resident", resident, 0),
            0 if window is None else _checked_count("window", window, 1),
        )  # fmt: skip
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

        Batches stay valid.
        """
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
        """``"device"``, ``"hybrid"``, ``"streamed"`` or ``"window"``."""
        return self._opened().residency

    @property
    def residency_reason(self) -> str:
        """With residency ``"auto"``, the reason why not all samples are in device memory; otherwise empty."""
        return self._opened().residency_reason + self._torch_note

    @property
    def resident(self) -> int:
        """The number of samples in device memory: samples [0, resident)."""
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

    def gather(
        self,
        indices: Sequence[int] | npt.NDArray[np.integer[Any]],
        *,
        normalize: Normalize | Preset = "default",
        dtype: Any = None,
        memory_format: Any = None,
        label_dtype: Any = None,
        framework: _frameworks.Framework = "auto",
        augment: Operation | Sequence[Operation] = (),
        augment_seed: int = 0,
        views: int = 1,
        mix: Mix | None = None,
        label_smoothing: float = 0.0,
        num_classes: int | None = None,
        masks: bool | None = None,
        mask_dtype: Any = None,
        ignore_index: int = 255,
        epoch: int = 0,
    ) -> tuple[Any, ...]:
        """The normalized images, the masks and the labels of the given samples, in the given order.

        Parameters
        ----------
        indices
            B sample indices in [0, len(self)); any order, repetition allowed.
        normalize, dtype, memory_format, label_dtype, framework
            As in `Loader`, except that ``"dlpack"`` is not supported.
        augment, augment_seed, views
            As in `Loader`. A sample is augmented as in the batches of a loader with these arguments.
        mix, label_smoothing, num_classes
            As in `Loader`. The samples are mixed with each other, as if they were a batch.
        masks, mask_dtype, ignore_index
            As in `Loader`.
        epoch
            The epoch of the samples: each epoch augments them differently.

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
        if np.asarray(indices).dtype == np.bool_:
            raise IndexError("indices are a boolean mask; pass np.flatnonzero(mask)")
        rows = [operator.index(index) for index in indices]
        for row in rows:
            if not 0 <= row < len(self):
                raise IndexError(f"sample {row} is out of range for {self._split!r}")
        kind = _frameworks.resolve_framework(framework, self.device)
        if kind == "dlpack":
            raise ValueError("framework is 'dlpack', which gather() does not support; use 'torch' or 'numpy'")
        allocator = _frameworks.make_allocator(kind, self.device)
        channels_last = _frameworks.resolve_channels_last(memory_format)
        number_type = _frameworks.resolve_dtype(dtype)
        soft_labels = resolve_soft_labels(self._split, mix, label_smoothing, num_classes)
        label_type = _frameworks.resolve_label_dtype(label_dtype, "target" if soft_labels else self._split.label_kind)
        options = (
            resolve_normalize(normalize), number_type, channels_last, checked_operations(augment),
            operator.index(augment_seed), operator.index(views), soft_labels,
            resolve_masks(self.has_masks, masks, mask_dtype, ignore_index),
        )  # fmt: skip
        shape, prepared = self._prepare(options)
        images = allocator.images(shape, number_type, channels_last)(len(rows) * views)
        labels = None
        if self._split.label_kind != "none":
            label_shape = (soft_labels.width,) if soft_labels else self._split.label_shape
            labels = allocator.labels(label_shape, label_type)(len(rows))
        mask_options, mask_array = options[-1], None
        if mask_options is not None:
            mask_shape = shape[1:] if views == 1 else (views, *shape[1:])
            mask_array = allocator.labels(mask_shape, mask_options.dtype)(len(rows))
        native.gather(
            rows,
            prepared,
            allocator.address(images),
            [len(rows) * views, *shape],
            0 if labels is None else allocator.address(labels),
            label_type,
            0 if mask_array is None else allocator.address(mask_array),
            0 if allocator.stream is None else allocator.stream(),
            operator.index(epoch),
        )
        images = allocator.with_views(views)(images)
        return (images, labels) if mask_array is None else (images, mask_array, labels)

    def _prepare(self, options: _SpecOptions) -> tuple[tuple[int, int, int], _core.PreparedSpec]:
        """The shape of the images, and the prepared spec.

        Both are cached for the next call: preparing a spec allocates and copies device memory.
        """
        if self._prepared is None or self._prepared[0] != options:
            spec = make_spec(*options)
            self._prepared = (options, (spec.image_shape(self._split.shape), self._opened().prepare(spec)))
        return self._prepared[1]

    def __repr__(self) -> str:
        if self._native is None:
            return f"Store({self._split!r}, closed)"
        return f"Store({self._split!r}, {self.device}, {self.residency}, {self.device_bytes / 2**20:.1f} MiB)"


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


def make_spec(
    normalize: Normalize,
    dtype: str,
    channels_last: bool,
    augment: tuple[Operation, ...],
    augment_seed: int,
    views: int,
    soft_labels: SoftLabels | None,
    masks: Masks | None,
) -> _core.BatchSpec:
    """The library's specification of batches. Raises ValueError, naming the argument or the operation."""
    if not 0 <= augment_seed < 2**64:
        raise ValueError(f"augment_seed is {augment_seed}; it must be in [0, 2**64)")
    spec = normalize.to_native(dtype, "nhwc" if channels_last else "nchw")
    spec.augment([operation._to_native() for operation in augment], augment_seed, views)
    if soft_labels is not None:
        mix = None if soft_labels.mix is None else soft_labels.mix._to_native()
        spec.soften_labels(mix, soft_labels.classes, soft_labels.smoothing)
    if masks is None:
        spec.omit_masks()
    else:
        masks.set_in(spec)
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
    if isinstance(data, (str, os.PathLike)):
        return Dataset(data).split(split)
    raise wrong_data("load samples", "data", data, "a dataset file, a Dataset, a Split or a Store")
