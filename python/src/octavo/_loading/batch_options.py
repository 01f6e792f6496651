"""The options that `Loader` and `GraphLoader` share: checked, and resolved for their data."""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .. import _core
from .._argument_types import whole_number
from .._augment_base import checked_operations
from .._conversion.class_numbers import REMEDY, class_difference
from .._conversion.soft_labels import SoftLabels, resolve_soft_labels
from .._warn import warn
from ..arrays import ArraySplit
from ..augment import Mix, Operation
from ..dataset import Split
from ..normalize import Normalize
from ..store import Data, SpecOptions, Store, find_split, make_spec, resolve_normalize
from . import frameworks as _frameworks
from .masks import Masks, resolve_masks
from .sampling import Sampling, resolve_sampling

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
    mix: Mix | None
    label_smoothing: float
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
            SpecOptions(
                self.normalize, self.dtype, self.channels_last, self.augment, self.augment_seed, self.views,
                self.soft_labels, self.masks,
            )
        )  # fmt: skip

    def to_native(self, order: str) -> _core.LoaderOptions:
        """The library's options, for batches in this order."""
        options = _core.LoaderOptions()
        options.spec, options.shuffle = self.spec(), order
        options.batch_size, options.seed = self.batch_size, self.seed
        options.rank, options.world_size = self.rank, self.world_size
        if self.sampling is not None:
            options.sampling = self.sampling.to_native()
        return options

    def mask_shape(self, image_shape: tuple[int, int, int]) -> tuple[int, ...]:
        """The shape of the masks of a sample in a batch whose images are of `image_shape`."""
        return image_shape[1:] if self.views == 1 else (self.views, *image_shape[1:])

    def open_store(self, data: Data | Store, split: str | None, shares: bool, **load: Any) -> Store:
        """The given store, or a new one of the data; `load` has the options of `Store`.

        With `shares`, the residency "auto" may share the samples with the ranks of ``torch.distributed``.
        """
        if not isinstance(data, Store):
            load_store = Store._of_ranks if shares else Store
            return load_store(find_split(data, split), None, device=self.device, masks=self.masks is not None, **load)
        if split is not None and split != self.source.name:
            raise ValueError(f"split is {split!r}, but the store holds {self.source.name!r}")
        return data


def resolve_batch_options(
    data: Data | Store, split: str | None, options: Mapping[str, Any], augment: Any, weights: Any
) -> BatchOptions:
    """Checks the options of a loader and loads nothing. Raises ValueError, naming the argument.

    `augment` and `weights` are those of the first epoch.
    """
    seed = _checked_seed(options["seed"])
    resolved = resolve_normalize(options["normalize"])
    ranks = resolve_ranks(options["rank"], options["world_size"])
    source: Split | ArraySplit = data.split if isinstance(data, Store) else find_split(data, split)
    source._opened()
    sampling = resolve_sampling(
        source, options["indices"], weights, options["balance"], options["samples_per_epoch"], options["repeats"],
        options.get("replacement", True),
    )  # fmt: skip
    size = _checked_batch_size(options["batch_size"], len(source) if sampling is None else sampling.epoch_samples)
    channels_last = _frameworks.resolve_channels_last(options["memory_format"])
    number_type = _frameworks.resolve_dtype(options["dtype"])
    soft_labels = resolve_soft_labels(source, options["mix"], options["label_smoothing"], options["num_classes"])
    label_kind = source.label_kind if soft_labels is None else "target"
    label_type = _frameworks.resolve_label_dtype(options["label_dtype"], label_kind)
    _check_normalization(resolved, source)
    name = _resolve_store_device(data, options["device"])
    augment_seed = options["augment_seed"]
    return BatchOptions(
        source=source,
        batch_size=size,
        seed=seed,
        normalize=resolved,
        dtype=number_type,
        channels_last=channels_last,
        label_dtype=label_type,
        rank=ranks[0],
        world_size=ranks[1],
        device=name,
        framework=_frameworks.resolve_framework(options["framework"], name),
        augment=checked_operations(augment),
        augment_seed=seed if augment_seed is None else operator.index(augment_seed),
        views=operator.index(options["views"]),
        mix=options["mix"],
        label_smoothing=float(options["label_smoothing"]),
        soft_labels=soft_labels,
        sampling=sampling,
        masks=resolve_masks(
            data.has_masks if isinstance(data, Store) else source.has_masks, options["masks"], options["mask_dtype"],
            options["ignore_index"],
        ),
    )  # fmt: skip


def _check_normalization(normalize: Normalize, source: Split | ArraySplit) -> None:
    """Raises ValueError if samples cannot be normalized so, and warns of statistics of other data."""
    normalize.check_channels(source.shape[0])
    if isinstance(source, Split):
        statistics = source.statistics
        normalize.check_range(source.name, statistics.scale, statistics.zero_point)
    _warn_of_own_statistics(normalize, source)
    _warn_of_other_classes(normalize, source)


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
            f"{source.dataset._file_name} has no split 'train', so {source.name!r} is normalized with its own "
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
