"""What training frameworks expect of loaders, where a loader meets them without being told to.

No framework is imported here: if a program uses one, it is loaded already.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from ._warn import warn

_LIGHTNING = ("lightning.pytorch", "pytorch_lightning")


def gradient_state() -> Any:
    """The ``GradientState`` of Accelerate, if the program has an ``Accelerator`` (as Transformers' Trainer has)."""
    return _accelerate_state("GradientState")


def wants_equal_shares(world_size: int) -> bool:
    """Whether these ranks are Accelerate's, whose ``gather()`` needs the same number of samples on each."""
    state = _accelerate_state("PartialState")
    return gradient_state() is not None and state is not None and state.num_processes == world_size


def _accelerate_state(name: str) -> Any:
    state: Any = getattr(sys.modules.get("accelerate.state"), name, None)
    # Creating the first one would have effects on a later Accelerator.
    return state() if getattr(state, "_shared_state", None) else None


def prepare_for_ranks(world_size: int) -> None:
    """To be called before ranks share batches unevenly."""
    if world_size > 1:
        for name in _LIGHTNING:
            if name in sys.modules:
                _count_samples_exactly(name)


def warn_of_short_epochs() -> None:
    """To be called if a framework counts epochs that differ in length."""
    if any(name in sys.modules for name in _LIGHTNING):
        _warn_of_short_epochs()


@functools.cache
def _warn_of_short_epochs() -> None:
    warn(
        "with carry_over, epochs differ by one batch, and Lightning does not validate after the shorter ones; use "
        "octavo.lightning.DataModule, or octavo.lightning.LoaderCallback with this loader",
        RuntimeWarning,
    )


@functools.cache
def _count_samples_exactly(package: str) -> None:
    """Makes Lightning divide by the exact number of samples if ranks have different numbers.

    Lightning averages the number of samples of a logged value over the ranks in an integer, which truncates it
    (Lightning #21859): the mean over ranks with 3 and 4 samples would be too large by a sixth.
    """
    result = sys.modules.get(f"{package}.trainer.connectors.logger_connector.result")
    metric = getattr(result, "_ResultMetric", None)
    compute = getattr(metric, "compute", None)
    if metric is None or compute is None:
        return  # a version that works differently

    @functools.wraps(compute)
    def exact(self: Any) -> Any:
        counted = getattr(self, "cumulated_batch_size", None)
        if counted is not None and not counted.is_floating_point():
            self.cumulated_batch_size = counted.to(self.value.dtype)
        return compute(self)

    metric.compute = exact
