"""The targets of batches: torch tensors, NumPy arrays, or library memory for any consumer of DLPack.

Each framework provides functions that allocate tensors, and the stream to use. Batches are made in place.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from collections.abc import Callable
from typing import Any, Literal, Protocol

import numpy as np

from .. import _core
from .._warn import warn

Framework = Literal["auto", "torch", "numpy", "dlpack"]


class Allocator(Protocol):
    """What a loader needs from a framework."""

    def images(self, shape: tuple[int, int, int], dtype: str, channels_last: bool) -> Callable[[int], Any]:
        """A function of B that allocates the images of a batch; `shape` is (C, H, W)."""

    def recycled_images(
        self, maker: _core.BatchMaker, shape: tuple[int, int, int], dtype: str, channels_last: bool
    ) -> Callable[[int, int, int, int], Any]:
        """A function of epoch, step and addresses for labels and masks that returns the images, in recycled memory."""

    def recycled_masks(self, maker: _core.BatchMaker, shape: tuple[int, ...], dtype: str) -> Callable[[int, int], Any]:
        """A function of epoch and step that returns memory for its masks, each of `shape`, in recycled host memory."""

    def labels(self, shape: tuple[int, ...], dtype: str) -> Callable[[int], Any]:
        """A function of B that allocates labels or masks, each of `shape`."""

    def with_views(self, views: int) -> Callable[[Any], Any]:
        """A function that turns images [B * views, ...] into [B, views, ...]; it changes nothing for one view."""

    @property
    def address(self) -> Callable[[Any], int]:
        """A function that returns the address of a tensor's data."""

    @property
    def stream(self) -> Callable[[], int] | None:
        """A function that returns the stream to use; None: always the default stream."""


class NumpyAllocator:
    """NumPy arrays in host memory; channels_last arrays are [B, H, W, C]."""

    stream: Callable[[], int] | None = None

    def images(self, shape: tuple[int, int, int], dtype: str, channels_last: bool) -> Callable[[int], Any]:
        numbers, axes = _numpy_dtype(dtype), _axes(shape, channels_last)
        return lambda count: np.empty((count, *axes), numbers)

    def recycled_images(
        self, maker: _core.BatchMaker, shape: tuple[int, int, int], dtype: str, channels_last: bool
    ) -> Callable[[int, int, int, int], Any]:
        make, numbers, axes = maker.make_recycled_bytes, _numpy_dtype(dtype), _axes(shape, channels_last)
        return lambda epoch, step, labels, masks: make(epoch, step, labels, masks).view(numbers).reshape(-1, *axes)

    def recycled_masks(self, maker: _core.BatchMaker, shape: tuple[int, ...], dtype: str) -> Callable[[int, int], Any]:
        make, numbers = maker.recycled_mask_bytes, np.dtype(dtype)
        return lambda epoch, step: make(epoch, step).view(numbers).reshape(-1, *shape)

    def labels(self, shape: tuple[int, ...], dtype: str) -> Callable[[int], Any]:
        numbers = np.dtype(dtype)
        return lambda count: np.empty((count, *shape), numbers)

    def with_views(self, views: int) -> Callable[[Any], Any]:
        return lambda images: images if views == 1 else images.reshape(-1, views, *images.shape[1:])

    @property
    def address(self) -> Callable[[Any], int]:
        return lambda array: int(array.ctypes.data)


def _axes(shape: tuple[int, int, int], channels_last: bool) -> tuple[int, int, int]:
    channels, height, width = shape
    return (height, width, channels) if channels_last else shape


def _numpy_dtype(dtype: str) -> np.dtype[Any]:
    if dtype != "bfloat16":
        return np.dtype(dtype)
    try:
        import ml_dtypes
    except ImportError:
        raise ValueError(
            "dtype is bfloat16, which NumPy does not have; use float16 or float32, or install ml_dtypes"
        ) from None
    bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return bfloat16


def resolve_framework(framework: str, device: str) -> str:
    """The framework to use; ``"auto"`` is torch if it is installed (and can use the GPU), else NumPy or DLPack."""
    if framework not in ("auto", "torch", "numpy", "dlpack"):
        raise ValueError(f"framework is {framework!r}; it must be 'auto', 'torch', 'numpy' or 'dlpack'")
    if framework == "auto":
        if device == "cpu":
            return "torch" if _has_torch() else "numpy"
        return "torch" if _has_torch() and importlib.import_module("torch").cuda.is_available() else "dlpack"
    if framework == "torch" and not _has_torch():
        raise ValueError("framework is 'torch', which is not installed; install it, or use 'numpy' or 'dlpack'")
    if framework == "numpy" and device != "cpu":
        raise ValueError(f"framework is 'numpy', which has no arrays on {device}; use 'torch' or 'dlpack'")
    return framework


def _has_torch() -> bool:
    return "torch" in sys.modules or importlib.util.find_spec("torch") is not None


def make_allocator(framework: str, device: str) -> Allocator:
    """The allocator of ``"torch"`` or ``"numpy"``."""
    if framework == "numpy":
        return NumpyAllocator()
    from .torch import TorchAllocator

    return TorchAllocator(device)


def resolve_device(device: Any) -> str:
    """The name of the device given by a string or a ``torch.device``."""
    name = device if isinstance(device, str) else str(device)
    # torch numbers CPUs, too: launchers give each process torch.device("cpu", 0).
    if name.startswith("cpu:") and name[4:].isdecimal():
        name = "cpu"
    resolved = _core.parse_device(name)
    if name == "auto" and resolved == "cpu":
        reason = _core.cpu_fallback_reason()
        if reason is not None:
            _warn_of_cpu(reason)
    if name in ("auto", "cuda") and resolved != "cpu" and "torch" in sys.modules:
        # In torch, "cuda" is the current device, which distributed training chooses for each process.
        cuda = sys.modules["torch"].cuda
        if cuda.is_available() and cuda.is_initialized():
            return f"cuda:{cuda.current_device()}"
    return resolved


@functools.cache
def _warn_of_cpu(reason: str) -> None:
    """Warns once per reason why ``"auto"`` selects the CPU on a machine with a GPU."""
    warn(f"device='auto' uses the CPU: {reason}", RuntimeWarning)


def resolve_dtype(dtype: Any) -> str:
    """The name of the floating-point type given by a string, a NumPy type or a torch type. None: float32."""
    return dtype_name(dtype, "dtype", _core.image_dtypes) if dtype is not None else "float32"


def resolve_label_dtype(dtype: Any, label_kind: str) -> str:
    """The name of the label type. None: int64 for classes, float32 for multi-labels and targets."""
    if dtype is None:
        return "int64" if label_kind in ("class", "none") else "float32"
    name = dtype_name(dtype, "label_dtype", _core.label_dtypes)
    if label_kind == "target" and name != "float32":
        raise ValueError(f"label_dtype is {name}; the targets of this split are float32")
    if label_kind == "class" and name == "float32":
        raise ValueError(
            "label_dtype is float32; class numbers are int64 or int32; if they are targets, pack them again as floats, "
            "or lists and arrays with label_kind='target'"
        )
    return name


def resolve_channels_last(memory_format: Any) -> bool:
    """Whether a memory format (None, a string or a ``torch.memory_format``) is channels last."""
    name = "contiguous_format" if memory_format is None else str(memory_format).removeprefix("torch.")
    if name in ("channels_last", "contiguous", "contiguous_format", "preserve_format"):
        return name == "channels_last"
    raise ValueError(f"memory_format is {memory_format!r}; it must be 'channels_last' or 'contiguous'")


def to_host(values: Any) -> Any:
    """The same values in host memory, if they are a torch tensor."""
    return values.detach().cpu() if hasattr(values, "detach") else values


def dtype_name(dtype: Any, argument: str, known: tuple[str, ...]) -> str:
    """The name of a type given by a string, a NumPy type or a torch type; it must be one of `known`."""
    name = dtype if isinstance(dtype, str) else str(dtype).removeprefix("torch.")
    if name not in known:
        try:
            name = np.dtype(dtype).name
        except TypeError:
            name = str(dtype)
    if name not in known:
        raise ValueError(f"{argument} is {dtype!r}; it must be one of {', '.join(known)}")
    return name
