"""What training frameworks expect of loaders, where a loader meets them without being told to.

No framework is imported here: if a program uses one, it is loaded already.
"""

from __future__ import annotations

import functools
import sys
from types import FrameType
from typing import Any

from .._warn import warn

_LIGHTNING = ("lightning.pytorch", "pytorch_lightning")


def gradient_state() -> Any:
    """The ``GradientState`` of Accelerate, if the program has an ``Accelerator`` (as Transformers' Trainer has)."""
    return _accelerate_state("GradientState")


def needs_equal_shares(world_size: int) -> bool:
    """Whether these ranks are Accelerate's, whose ``gather()`` needs the same number of samples on each."""
    state = _accelerate_state("PartialState")
    return gradient_state() is not None and state is not None and state.num_processes == world_size


def check_trainer(caller: FrameType | None) -> None:
    """Raises TypeError if `caller` is a DataLoader that a plain ``transformers.Trainer`` made."""
    if "transformers" not in sys.modules:
        return
    while caller is not None and caller.f_globals.get("__name__") == "torch.utils.data.dataset":
        caller = caller.f_back  # a Subset
    if caller is None or caller.f_globals.get("__name__") != "torch.utils.data._utils.fetch":
        return
    # While a fetcher is made, it does not have the function yet.
    collate = caller.f_locals.get("collate_fn") or getattr(caller.f_locals.get("self"), "collate_fn", None)
    collate = getattr(collate, "data_collator", collate)  # a Trainer wraps that of the user
    if str(getattr(collate, "__module__", "")).startswith("transformers."):
        raise TypeError(
            "load a split: a transformers.Trainer reads splits and loaders only with octavo.transformers.TrainerMixin; "
            "use class Trainer(octavo.transformers.TrainerMixin, transformers.Trainer) and pass the split itself"
        )


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
