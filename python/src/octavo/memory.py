"""Memory planning: computed from the file, or measured by running a training step."""

from __future__ import annotations

import json
import operator
import os
import resource
from collections.abc import Callable
from typing import Any, Literal

from . import _core
from ._loading import frameworks as _frameworks
from ._loading.torch_work import free_unused, synchronize
from ._remote.byte_source import Location
from .dataset import Dataset, Split, dataset_and_split
from .reports import Report
from .store import checked_limit

#: Texts by which to recognize out-of-memory errors of libraries that have no exception type for them.
_SIGNS_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "ALLOC_FAILED")


def plan(
    data: Location | Dataset | Split,
    split: str | None = None,
    *,
    device: Any = "auto",
    memory: int | str | None = None,
    devices: int = 1,
    model: Any = None,
    parameters: int | None = None,
    optimizer: Literal["sgd", "momentum", "adam"] = "momentum",
    activations: int | str = 0,
    precision: Literal["float32", "mixed"] = "float32",
    dtype: Any = None,
    batch_size: int | None = None,
    prefetch: int | None = None,
    estimate: int = 1000,
) -> Report:
    """Plans the memory for training on a split: residency and batch size. Computed; no device is needed.

    >>> print(octavo.plan("imagenet.h5", memory="24GiB", parameters=25_600_000, activations="90MiB"))

    Parameters
    ----------
    data
        A dataset file, a `Dataset` or a `Split`.
    split
        By default ``train`` if it exists, else the first split.
    device
        Plan for the memory that is free on this device now; see `Loader`.
    memory
        Plan for a GPU with this much memory instead, in bytes or as ``"24GiB"``; no such GPU is needed.
    devices
        The number of such devices that share each batch, with one process for each: ``ranks`` of the result says what
        they hold together, and `batch_size` is that of all of them.
    model
        A ``torch.nn.Module``, whose trainable parameters are counted.
    parameters
        The number of parameters, instead of a model. Without either, a fifth of the memory is reserved for the model.
    optimizer
        Its state per parameter: sgd none, momentum 4 bytes, adam 8 bytes.
    activations
        Memory kept for the backward pass, per sample of a batch, in bytes or as ``"90MiB"``.
    precision
        ``"mixed"``: an additional half-precision copy of the parameters is kept.
    dtype
        Type of the batches, as in `Loader`.
    batch_size
        A batch size that must fit. None: 256, or less if memory requires it.
    prefetch
        As in `Loader`.
    estimate
        Samples to encode, to estimate what repacking would save (``repacks``), for each class too. 0 reads only the
        header of the file.

    Returns
    -------
    Report
        A mapping with every figure (``residency``, ``largest_batch``, ``memory_limit_bytes`` to pass to a loader,
        ``parts``, ``forms``, ``repacks``, ``well_known``,
        ``ranks``, ...); ``str()`` gives readable tables.

    Raises
    ------
    ValueError
        For invalid numbers, or a split that does not exist.
    FormatError, OSError, UnavailableError
        See `Store`.
    """
    if model is not None and parameters is not None:
        raise ValueError("model and parameters are alternatives; give one of them")
    if model is not None:
        parameters = sum(tensor.numel() for tensor in model.parameters() if tensor.requires_grad)
    if precision not in ("float32", "mixed"):
        raise ValueError(f"precision is {precision!r}; it must be 'float32' or 'mixed'")
    dataset, split = dataset_and_split(data, split, "plan")
    options = _core.PlanOptions()
    options.split = split or ""
    if memory is None or device != "auto":
        options.device = _frameworks.resolve_device(device)
    options.memory_bytes = checked_limit("memory", memory)
    options.model = _model_memory(parameters, optimizer, precision, activations)
    options.dtype = _frameworks.resolve_dtype(dtype)
    options.batch_size = operator.index(batch_size or 0)
    options.world_size = operator.index(devices)
    options.estimated_samples = operator.index(estimate)
    if prefetch is not None:
        options.prefetch = operator.index(prefetch)
    figures, text = _core.plan(dataset._opened(), options)
    return Report(json.loads(figures), text)


def _model_memory(parameters: int | None, optimizer: str, precision: str, activations: int | str) -> _core.ModelMemory:
    model = _core.ModelMemory()
    model.parameter_count = operator.index(parameters or 0)
    model.optimizer, model.mixed_precision = optimizer, precision == "mixed"
    model.activation_bytes_per_sample = checked_limit(
        "activations", activations or None, lambda text: _core.parse_memory_size(text, "MiB")
    )
    return model


def find_batch_size(
    step: Callable[[int], Any], *, start: int = 16, largest: int = 65536, margin: float = 0.1, device: Any = "auto"
) -> int:
    """The largest batch that a training step has memory for, found by running it.

    >>> def step(batch_size):
    ...     images, labels = octavo.Loader(store, batch_size=batch_size)[0]
    ...     train_step(images, labels)
    >>> batch_size = octavo.find_batch_size(step, largest=len(store))

    Doubles the batch size until memory runs out, then bisects. Each size runs twice, because optimizers allocate their
    state in the first step. The memory of a trial is freed before the next one.

    On the CPU, the system would kill the process instead of refusing memory. A size is therefore skipped if the growth
    of the previous sizes predicts that it needs more than four fifths of the free memory.

    Parameters
    ----------
    step
        Called with a batch size; must run a complete training step with such a batch, including the optimizer. It
        changes the model, so create the model again afterwards. Exceptions other than out-of-memory errors propagate.
    start
        The first size to try; smaller sizes are tried only if it is too large.
    largest
        The largest size to try. Pass the number of samples: a larger batch has no more than these.
    margin
        The fraction by which the result is reduced, so that a step with slightly higher memory use does not fail.
    device
        The device on which the step allocates memory, as in `Loader`.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    MemoryError
        If there is not enough memory for a batch of one sample.
    ValueError
        If start is below 1 or above largest, or margin is outside [0, 1).
    """
    start, largest = operator.index(start), operator.index(largest)
    if not 1 <= start <= largest:
        raise ValueError(f"start is {start} and largest is {largest}; expected 1 <= start <= largest")
    if not 0 <= margin < 1:
        raise ValueError(f"margin is {margin}; it must be in [0, 1)")
    guard = _HostGuard() if _frameworks.resolve_device(device) == "cpu" else None
    fitting, failing = 0, largest + 1
    size: int | None = start
    while size is not None:
        if (guard is None or guard.allows(size)) and _fits(step, size):
            fitting = size
            if guard is not None:
                guard.learn(size)
        else:
            failing = size
        size = _next_size(fitting, failing, largest)
    if fitting == 0:
        raise MemoryError("find a batch size: not enough memory for a batch of one sample")
    return max(1, int(fitting * (1 - margin)))


def _next_size(fitting: int, failing: int, largest: int) -> int | None:
    """The next size to try, between the largest that fits and the smallest that fails; None once they are close."""
    if failing - fitting <= max(1, fitting // 64):
        return None
    if failing > largest:  # no size has failed yet
        return min(2 * fitting, largest)
    return (fitting + failing) // 2


def _fits(step: Callable[[int], Any], size: int) -> bool:
    try:
        for _ in range(2):
            step(size)
            synchronize()
    except Exception as error:
        if not _is_memory(error):
            raise
        # The frames of the failed step keep its tensors alive.
        import traceback

        traceback.clear_frames(error.__traceback__)
        return False
    finally:
        free_unused()
    return True


def _is_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError) or "OutOfMemory" in type(error).__name__:
        return True
    return isinstance(error, RuntimeError) and any(sign in str(error) for sign in _SIGNS_OF_MEMORY)


class _HostGuard:
    """Predicts the host memory use of a batch size from that of smaller ones."""

    def __init__(self) -> None:
        self._tried: list[tuple[int, int]] = [(0, self._peak_bytes())]

    @staticmethod
    def _peak_bytes() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    def learn(self, size: int) -> None:
        if size > self._tried[-1][0]:
            self._tried.append((size, self._peak_bytes()))

    def allows(self, size: int) -> bool:
        if len(self._tried) < 2:
            return True
        (size_before, peak_before), (last_size, last_peak) = self._tried[-2:]
        growth = (last_peak - peak_before) / (last_size - size_before) * (size - last_size)
        with open("/proc/self/statm") as statm:
            resident = int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        # The predicted peak, minus the memory that the process holds already, must fit.
        free = _core.devices()[0].free_bytes
        return free is None or last_peak + growth - resident <= 0.8 * free
