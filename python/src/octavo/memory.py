"""What fits: planned from the file, or found by trying."""

from __future__ import annotations

import gc
import json
import operator
import os
import resource
import sys
import traceback
from collections.abc import Callable
from typing import Any, Literal

from . import _frameworks, _native
from .dataset import Dataset
from .reports import Report
from .store import checked_limit

#: What the errors say by which libraries tell that memory does not suffice, where they have no exception for it.
_SIGNS_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "ALLOC_FAILED")


def plan(
    data: str | os.PathLike[str] | Dataset,
    split: str | None = None,
    *,
    device: Any = "auto",
    memory: int | str | None = None,
    model: Any = None,
    parameters: int | None = None,
    optimizer: Literal["sgd", "momentum", "adam"] = "momentum",
    activations: int | str = 0,
    precision: Literal["float32", "mixed"] = "float32",
    dtype: Any = None,
    batch_size: int | None = None,
    prefetch: int | None = None,
) -> Report:
    """Plans the memory of training on a split: which residency, how large a batch. Computed; nothing is loaded.

    >>> print(octavo.plan("imagenet.h5", memory="24GiB", parameters=25_600_000, activations="90MiB"))

    Parameters
    ----------
    data
        A dataset file or a `Dataset`.
    split
        By default ``train`` if there is one, else the first.
    device
        As of `Loader`: the memory that is free there now.
    memory
        Plan for a GPU that is not here, of so many bytes, or ``"24GiB"``.
    model
        A ``torch.nn.Module``, whose trainable parameters are counted.
    parameters
        Or their number. Without either, a fifth of the memory is left to the model.
    optimizer
        What it keeps for each parameter: sgd nothing, momentum 4 bytes, adam 8.
    activations
        What is kept for the backward pass for each sample of a batch, in bytes or as ``"90MiB"``.
    precision
        ``"mixed"``: a half-size copy of the parameters is kept beside them.
    dtype
        Of batches, as of `Loader`.
    batch_size
        That must fit. None: 256, or less if that must be.
    prefetch
        As of `Loader`.

    Returns
    -------
    Report
        A mapping with every figure (``residency``, ``largest_batch``, ``memory_limit_bytes`` to be passed to a loader,
        ``parts``, ``forms``, ``well_known``, ...); as text, tables for people.

    Raises
    ------
    ValueError
        For numbers that make no sense, or a split that is not there.
    FormatError, OSError, UnavailableError
        As `Store` does.
    """
    if model is not None and parameters is not None:
        raise ValueError("model and parameters say the same; give one of them")
    if model is not None:
        parameters = sum(tensor.numel() for tensor in model.parameters() if tensor.requires_grad)
    if precision not in ("float32", "mixed"):
        raise ValueError(f"precision is {precision!r}; it must be 'float32' or 'mixed'")
    dataset = data if isinstance(data, Dataset) else Dataset(data)
    figures, text = _native.plan(
        dataset._opened(),
        split or "",
        None if memory is not None and device == "auto" else _frameworks.resolve_device(device),
        checked_limit("memory", memory),
        operator.index(parameters or 0),
        optimizer,
        precision == "mixed",
        checked_limit("activations", activations or None),
        4 if _frameworks.resolve_dtype(dtype) == "float32" else 2,
        operator.index(batch_size or 0),
        -1 if prefetch is None else operator.index(prefetch),
    )
    return Report(json.loads(figures), text)


def find_batch_size(
    step: Callable[[int], Any], *, start: int = 16, largest: int = 65536, margin: float = 0.1, device: Any = "auto"
) -> int:
    """The largest batch that a training step has memory for, found by running it.

    >>> def step(batch_size):
    ...     images, labels = next(iter(octavo.Loader(store, batch_size=batch_size)))
    ...     train_step(images, labels)
    >>> batch_size = octavo.find_batch_size(step)

    Batches are doubled until memory does not suffice, then the place in between is searched for. Each size is tried
    twice, since optimizers take their memory at the first step. What a try has taken is freed before the next.

    On the CPU, where the system would end the process instead of refusing memory, a size is not tried that would, by
    how the sizes before it grew, take more than four fifths of what is free.

    Parameters
    ----------
    step
        Called with a batch size; to do what training does with such a batch, the optimizer's step included. It changes
        the model: begin anew afterwards. If it raises anything else than that memory does not suffice, so does this.
    start
        The first size that is tried; smaller ones only if that is too large.
    largest
        The largest size that is tried.
    margin
        Of the size that is found, this part is given up, so that a step that takes a little more does not fail.
    device
        Where the step takes its memory, as of `Loader`.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    MemoryError
        If memory does not suffice for a batch of one sample.
    ValueError
        For start or largest below 1, or a margin outside [0, 1).
    """
    start, largest = operator.index(start), operator.index(largest)
    if not 1 <= start <= largest:
        raise ValueError(f"start is {start} and largest {largest}; they must be at least 1, and largest the larger")
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
        raise MemoryError("find a batch size: memory does not suffice for a batch of one sample")
    return max(1, int(fitting * (1 - margin)))


def _next_size(fitting: int, failing: int, largest: int) -> int | None:
    """Between the largest size that fits and the smallest that does not; None once they are close."""
    if failing - fitting <= max(1, fitting // 64):
        return None
    if failing > largest:  # none has failed
        return min(2 * fitting, largest)
    return (fitting + failing) // 2


def _fits(step: Callable[[int], Any], size: int) -> bool:
    try:
        for _ in range(2):
            step(size)
            _synchronize()
    except Exception as error:
        if not _is_memory(error):
            raise
        # The frames of the failed step hold its tensors.
        traceback.clear_frames(error.__traceback__)
        return False
    finally:
        _free()
    return True


def _is_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError) or "OutOfMemory" in type(error).__name__:
        return True
    return isinstance(error, RuntimeError) and any(sign in str(error) for sign in _SIGNS_OF_MEMORY)


def _cuda() -> Any:
    """torch.cuda, if torch was imported and has begun to use a GPU."""
    torch = sys.modules.get("torch")
    return torch.cuda if torch is not None and torch.cuda.is_initialized() else None


def _synchronize() -> None:
    if (cuda := _cuda()) is not None:
        cuda.synchronize()


def _free() -> None:
    gc.collect()
    if (cuda := _cuda()) is not None:
        cuda.empty_cache()


class _HostGuard:
    """Foretells what a batch would take of the host's memory, from what smaller ones took."""

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
        # The peak of the next one, above what the process holds already.
        free = _native.devices()[0].free_bytes
        return free is None or last_peak + growth - resident <= 0.8 * free
