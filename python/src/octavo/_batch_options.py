"""The options that `Loader` and `GraphLoader` share: checked, and resolved for their data."""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _core, _frameworks
from ._argument_types import whole_number
from ._augment_base import checked_operations
from ._class_numbers import REMEDY, class_difference
from ._masks import Masks, resolve_masks
from ._sampling import Balance, Sampling, resolve_sampling
from ._soft_labels import SoftLabels, resolve_soft_labels
from ._warn import warn
from .arrays import ArraySplit
from .augment import Mix, Operation
from .dataset import Split
from .normalize import Normalize, Preset
from .store import Data, Store, find_split, make_spec, resolve_normalize

if TYPE_CHECKING:
    import numpy.typing as npt

LAST_EPOCH = 2**62
_USUAL_BATCH = 256


@dataclass(frozen=True)
class BatchOptions:
    """What batches look like, where they are, and which of them this rank makes."""

    source: Split | ArraySplit
    batch_size: int
    seed: int
    normalize: Normalize
    dtype: str
    channels_last: bool
    label_dtype: str
    rank: int
    world_size: int
    device: str
    framework: str
    augment: tuple[Operation, ...]
    augment_seed: int
    views: int
    soft_labels: SoftLabels | None
    sampling: Sampling | None
    masks: Masks | None

    @property
    def label_shape(self) -> tuple[int, ...]:
        """The shape of the label of a sample in a batch."""
        return self.source.label_shape if self.soft_labels is None else (self.soft_labels.width,)

    def spec(self) -> _core.BatchSpec:
        """The specification of the batches."""
        return make_spec(
            self.normalize, self.dtype, self.channels_last, self.augment, self.augment_seed, self.views,
            self.soft_labels, self.masks,
        )  # fmt: skip

    def to_native(
        self,
        order: str,
        *,
        drop_last: bool = False,
        carry_over: bool = False,
        equal_shares: bool = False,
        origin: tuple[int, int] = (0, 0),
        prefetch: int = 0,
    ) -> _core.LoaderOptions:
        """The library's options. `origin` is an epoch and the number of its samples after which a batch begins."""
        sampling = _core.Sampling() if self.sampling is None else self.sampling.to_native()
        return _core.LoaderOptions(
            spec=self.spec(), batch_size=self.batch_size, shuffle=order, seed=self.seed, drop_last=drop_last,
            carry_over=carry_over, rank=self.rank, world_size=self.world_size, equal_shares=equal_shares, origin=origin,
            sampling=sampling, prefetch=prefetch,
        )  # fmt: skip

    def mask_shape(self, image_shape: tuple[int, int, int]) -> tuple[int, ...]:
        """The shape of the masks of a sample in a batch whose images are of `image_shape`."""
        return image_shape[1:] if self.views == 1 else (self.views, *image_shape[1:])

    def open_store(self, data: Data | Store, split: str | None, **load: Any) -> Store:
        """The given store, or a new one of the data; `load` has the options of `Store`."""
        if not isinstance(data, Store):
            return Store(find_split(data, split), device=self.device, masks=self.masks is not None, **load)
        if split is not None and split != self.source.name:
            raise ValueError(f"split is {split!r}, but the store holds {self.source.name!r}")
        return data


def resolve_batch_options(
    data: Data | Store,
    split: str | None,
    *,
    batch_size: int | None,
    seed: int,
    device: Any,
    normalize: Normalize | Preset,
    dtype: Any,
    memory_format: Any,
    label_dtype: Any,
    rank: int | None,
    world_size: int | None,
    framework: _frameworks.Framework,
    augment: Operation | Sequence[Operation],
    augment_seed: int | None,
    views: int,
    mix: Mix | None,
    label_smoothing: float,
    num_classes: int | None,
    masks: bool | None,
    mask_dtype: Any,
    ignore_index: int,
    indices: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    balance: Balance = None,
    samples_per_epoch: int | None = None,
    repeats: int = 1,
    replacement: bool = True,
) -> BatchOptions:
    """Checks the arguments and loads nothing. Raises ValueError, naming the argument."""
    checked_seed = _checked_seed(seed)
    resolved = resolve_normalize(normalize)
    ranks = resolve_ranks(rank, world_size)
    source: Split | ArraySplit = data.split if isinstance(data, Store) else find_split(data, split)
    source._opened()
    sampling = resolve_sampling(source, indices, weights, balance, samples_per_epoch, repeats, replacement)
    size = _checked_batch_size(batch_size, len(source) if sampling is None else sampling.epoch_samples)
    channels_last = _frameworks.resolve_channels_last(memory_format)
    number_type = _frameworks.resolve_dtype(dtype)
    soft_labels = resolve_soft_labels(source, mix, label_smoothing, num_classes)
    label_kind = source.label_kind if soft_labels is None else "target"
    label_type = _frameworks.resolve_label_dtype(label_dtype, label_kind)
    resolved.check_channels(source.shape[0])
    if isinstance(source, Split):
        statistics = source.statistics
        resolved.check_range(source.name, statistics.scale, statistics.zero_point)
    _warn_of_own_statistics(resolved, source)
    _warn_of_other_classes(resolved, source)
    name = _resolve_store_device(data, device)
    return BatchOptions(
        source=source,
        batch_size=size,
        seed=checked_seed,
        normalize=resolved,
        dtype=number_type,
        channels_last=channels_last,
        label_dtype=label_type,
        rank=ranks[0],
        world_size=ranks[1],
        device=name,
        framework=_frameworks.resolve_framework(framework, name),
        augment=checked_operations(augment),
        augment_seed=checked_seed if augment_seed is None else operator.index(augment_seed),
        views=operator.index(views),
        soft_labels=soft_labels,
        sampling=sampling,
        masks=resolve_masks(
            data.has_masks if isinstance(data, Store) else source.has_masks, masks, mask_dtype, ignore_index
        ),
    )


#: Options that a state holds only if they are set, and what they are otherwise.
_OPTIONAL: dict[str, Any] = {
    "carry_over": False, "sampling": None, "augmentation": None, "samples": None, "epoch_offset": 0
}  # fmt: skip
#: What a state says about its place, and what may differ.
_OF_PLACE = ("epoch", "step", "samples", "epoch_offset", "batch_size")


def plain_state(state: dict[str, Any]) -> dict[str, Any]:
    """The state with Python's own types: NumPy numbers, arrays of one element and the like become what they hold."""
    if not isinstance(state, Mapping):
        raise TypeError(f"state is a {type(state).__name__}; pass a result of state_dict()")
    return {
        key: value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value
        for key, value in state.items()
    }


def saved_place(state: dict[str, Any], here: dict[str, Any]) -> tuple[int, int, int]:
    """Epoch of a saved state, the samples of that epoch that come before its place, and its epoch_offset.

    The state must come from a loader like the one with the state `here`.
    """
    saved, own = {**_OPTIONAL, **state}, {**_OPTIONAL, **here}
    missing = [key for key in own if key not in saved]
    if missing:
        raise ValueError(f"state is not a result of state_dict(): it has no {missing[0]!r}")
    if saved["order"] != own["order"]:
        raise ValueError(f"state is of order version {saved['order']}; this version of octavo uses {own['order']}")
    if saved["split"] != own["split"]:
        raise ValueError(f"state is from the split {saved['split']!r}; this loader serves {own['split']!r}")
    for key in own:
        if key == "sampling" and saved[key] != own[key]:
            raise ValueError(
                "state is from a loader that chooses other samples; pass the same indices, weights, replacement, "
                "balance, samples_per_epoch and repeats"
            )
        may_differ = key in _OF_PLACE and not (key == "batch_size" and own["shuffle"] == "blocks")
        if not may_differ and key != "data" and saved[key] != own[key]:
            raise ValueError(f"state is from a loader with {key}={saved[key]!r}; this one has {key}={own[key]!r}")
    if saved["data"] != own["data"]:
        raise ValueError("state is from other samples; use the dataset file that it was saved with")
    return _place_in(saved)


def _place_in(saved: dict[str, Any]) -> tuple[int, int, int]:
    try:
        epoch, step, offset = (operator.index(saved[key]) for key in ("epoch", "step", "epoch_offset"))
        size, count = operator.index(saved["batch_size"]), operator.index(saved["sample_count"])
        # Batches before the place do not count if the loader was resumed with another batch size.
        samples = None if saved["samples"] is None else operator.index(saved["samples"])
    except TypeError as error:
        raise ValueError(f"state is not a result of state_dict(): {error}") from None
    is_place = size > 0 and count > 0 and 0 <= epoch <= LAST_EPOCH
    if is_place and samples is None:
        carried = epoch * count % size if saved["carry_over"] else 0
        batches = (carried + count) // size if saved["carry_over"] else -(-count // size)
        is_place = 0 <= step <= batches
        samples = min(step * size - carried, count)
    if not is_place or samples is None or samples > count:
        raise ValueError(f"state is at batch {step} of epoch {epoch}, which does not exist")
    return epoch, samples, offset


def warn_of_ranks(world_size: int) -> None:
    """Warns if the launcher of this process started another number of processes than share each batch."""
    launched = os.environ.get("WORLD_SIZE", "")
    if launched.isdecimal() and int(launched) != world_size:
        shared = "this process makes whole batches" if world_size == 1 else f"{world_size} processes share each batch"
        warn(
            f"WORLD_SIZE is {launched}, but {shared}; call torch.distributed.init_process_group() before the first "
            "batch, or pass rank and world_size",
            RuntimeWarning,
        )


def _checked_batch_size(batch_size: int | None, epoch_samples: int) -> int:
    if batch_size is None:
        return min(_USUAL_BATCH, epoch_samples)
    number = whole_number("batch_size", batch_size)
    if number < 1:
        raise ValueError(f"batch_size is {number}; it must be at least 1")
    return number


#: Names of splits that are not trained on.
_EVALUATION_SPLITS = ("test", "val", "valid", "validation", "eval", "dev", "holdout")


def _warn_of_own_statistics(normalize: Normalize, source: Split | ArraySplit) -> None:
    """Warns if samples for evaluation would be normalized with their own statistics, which training did not use."""
    if not isinstance(source, Split) or not normalize.is_measured or normalize.statistics is not None:
        return
    if source.name in _EVALUATION_SPLITS and "train" not in source.dataset.split_names:
        warn(
            f"{source.dataset.path.name} has no split 'train', so {source.name!r} is normalized with its own "
            "statistics; pass normalize=Normalize(..., statistics=) with the split that the model is trained on",
            UserWarning,
        )


def _warn_of_other_classes(normalize: Normalize, source: Split | ArraySplit) -> None:
    """Warns if the split with the statistics, which is the one for training, has other class numbers."""
    if isinstance(source, Split) and normalize.statistics is not None:
        difference = class_difference(normalize.statistics, source)
        if difference is not None:
            warn(f"the split of statistics= has other class numbers: {difference}; {REMEDY}", UserWarning)


def _checked_seed(seed: int) -> int:
    number = whole_number("seed", seed)
    if not 0 <= number < 2**64:
        raise ValueError(f"seed is {number}; it must be in [0, 2**64)")
    return number


def _resolve_store_device(data: Data | Store, device: Any) -> str:
    if not isinstance(data, Store):
        return _frameworks.resolve_device(device)
    if not (isinstance(device, str) and device == "auto") and _frameworks.resolve_device(device) != data.device:
        raise ValueError(f"device is {str(device)!r}, but the store is on {data.device}")
    return data.device


def resolve_ranks(rank: int | None, world_size: int | None) -> tuple[int, int]:
    """The given rank and number of ranks, or those of ``torch.distributed``. Raises ValueError if they are invalid."""
    if (rank is None) != (world_size is None):
        raise ValueError("rank and world_size go together; pass both or neither")
    if rank is None or world_size is None:
        # It can only be initialized if it was imported.
        distributed = sys.modules.get("torch.distributed")
        if distributed is None or not distributed.is_available() or not distributed.is_initialized():
            return 0, 1
        return distributed.get_rank(), distributed.get_world_size()
    rank, world_size = operator.index(rank), operator.index(world_size)
    if not 0 <= rank < world_size <= 2**31:
        raise ValueError(f"rank is {rank} of world_size {world_size}; ranks count from 0")
    return rank, world_size
