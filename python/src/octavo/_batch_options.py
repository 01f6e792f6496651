"""The options that `Loader` and `GraphLoader` share: checked, and resolved for their data."""

from __future__ import annotations

import operator
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _core, _frameworks
from ._masks import Masks, resolve_masks
from ._sampling import Balance, Sampling, resolve_sampling
from ._soft_labels import SoftLabels, resolve_soft_labels
from .arrays import ArraySplit
from .augment import Mix, Operation, checked_operations
from .dataset import Split
from .normalize import Normalize, Preset
from .store import Data, Store, find_split, make_spec, resolve_normalize

if TYPE_CHECKING:
    import numpy.typing as npt

#: Version of the order in which epochs visit the samples; saved states contain it.
ORDER_VERSION = 1

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
    ranks = _resolve_ranks(rank, world_size)
    source: Split | ArraySplit = data.split if isinstance(data, Store) else find_split(data, split)
    source._opened()
    sampling = resolve_sampling(source, indices, weights, balance, samples_per_epoch, repeats, replacement)
    size = _checked_batch_size(batch_size, source, len(source) if sampling is None else sampling.epoch_samples)
    channels_last = _frameworks.resolve_channels_last(memory_format)
    number_type = _frameworks.resolve_dtype(dtype)
    soft_labels = resolve_soft_labels(source, mix, label_smoothing, num_classes)
    label_kind = source.label_kind if soft_labels is None else "target"
    label_type = _frameworks.resolve_label_dtype(label_dtype, label_kind)
    resolved.check_channels(source.shape[0])
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


def order_options(
    loader: Any, shuffle: bool | str, drop_last: bool, carry_over: bool, sampling: Sampling | None
) -> dict[str, Any]:
    """The options that determine the order of a loader, as a state holds them."""
    options = {
        "seed": loader.seed,
        "batch_size": loader.batch_size,
        "sample_count": len(loader.store),
        "shuffle": shuffle,
        "drop_last": drop_last,
    }
    if carry_over:
        options["carry_over"] = True
    if sampling is not None:
        options["sampling"] = sampling.digest()
    return options


#: Options that a state holds only if they are set, and what they are otherwise.
_OPTIONAL = {"carry_over": False, "sampling": None}


def checked_place(state: dict[str, Any], options: dict[str, Any]) -> tuple[int, int]:
    """Epoch and step of a saved state, which must come from a loader with these options."""
    try:
        order, epoch, step = (operator.index(state[key]) for key in ("order", "epoch", "step"))
        options = {**_OPTIONAL, **options}
        saved = {key: state.get(key, _OPTIONAL[key]) if key in _OPTIONAL else state[key] for key in options}
    except (KeyError, TypeError) as error:
        raise ValueError(f"state is not a result of state_dict(): {error}") from None
    if order != ORDER_VERSION:
        raise ValueError(f"state is of order version {order}; this version of octavo uses {ORDER_VERSION}")
    for key, value in options.items():
        if saved[key] != value:
            raise ValueError(f"state is from a loader with {key}={saved[key]}; this one has {key}={value}")
    return epoch, step


def _checked_batch_size(batch_size: int | None, split: Split | ArraySplit, epoch_samples: int) -> int:
    if batch_size is None:
        return min(_USUAL_BATCH, epoch_samples)
    number = operator.index(batch_size)
    if number < 1:
        raise ValueError(f"batch_size is {number}; it must be at least 1")
    if number > epoch_samples:
        what = f"split {split.name!r}" if epoch_samples == len(split) else "an epoch"
        raise ValueError(f"batch_size is {number}, but {what} has {epoch_samples} samples; use at most that many")
    return number


def _checked_seed(seed: int) -> int:
    number = operator.index(seed)
    if not 0 <= number < 2**64:
        raise ValueError(f"seed is {number}; it must be in [0, 2**64)")
    return number


def _resolve_store_device(data: Data | Store, device: Any) -> str:
    if not isinstance(data, Store):
        return _frameworks.resolve_device(device)
    if not (isinstance(device, str) and device == "auto") and _frameworks.resolve_device(device) != data.device:
        raise ValueError(f"device is {str(device)!r}, but the store is on {data.device}")
    return data.device


def _resolve_ranks(rank: int | None, world_size: int | None) -> tuple[int, int]:
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
