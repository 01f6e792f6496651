"""The options of loaders and stores: each has its type, its default and its description here, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypedDict

import numpy.typing as npt

from .._argument_names import check_names
from .._options import Option, options_of
from .._progress import Progress
from ..augment import Mix, Operation
from ..normalize import Normalize, Preset
from .frameworks import Framework
from .sampling import Balance

#: Where samples live; docs/residencies.md explains which one to choose.
Residency = Literal["auto", "device", "hybrid", "streamed", "window", "sharded"]


# fmt: off
# One option takes as many lines as its text.
class EpochOptions(TypedDict, total=False):
    """The size of batches, and the seeds."""

    batch_size: Annotated[int | None, Option(None,
        "Samples per batch; with several ranks, the total over all ranks. A smaller split gives one short batch. None: "
        "256, or the whole split if it is smaller."
    )]
    seed: Annotated[int, Option(0, "The seed of the order.")]
    augment_seed: Annotated[int | None, Option(None,
        "The seed of the augmentation. None: `seed`. With another seed, the order stays and the augmentation changes.",
        is_for_training=True
    )]


class OrderOptions(TypedDict, total=False):
    """The order of a `Loader`, and how it is divided into batches."""

    shuffle: Annotated[bool | str, Option(False,
        'True: a new order each epoch, over all samples. False: file order. ``"blocks"``: batches are slices of the '
        'file, in a new order each epoch. ``"windows:1000"``: windows of 1000 samples in a new order each epoch, with '
        "the samples of each window shuffled. Only True is a true global shuffle. With the residency "
        '``"window"``, True means ``"windows:N"`` for windows of N samples, and the attribute `shuffle` shows it.',
        is_for_training=True
    )]
    drop_last: Annotated[bool, Option(False,
        "Drop the last batch of an epoch if it is incomplete. Otherwise ranks share it evenly.", is_for_training=True
    )]
    carry_over: Annotated[bool, Option(False,
        "Begin the first batch of an epoch with the samples that did not fill the last batch of the epoch before, so "
        "that every batch is complete and no sample is left out. An epoch then has the batches that end in it: "
        "``len(loader)`` of them, or one fewer. `total_steps` has the number of several epochs. Only with shuffle=True "
        "and False.",
        is_for_training=True
    )]


class EpochDependentOptions(TypedDict, total=False):
    """What may be a function of the epoch in a `Loader`."""

    augment: Annotated[Operation | Sequence[Operation] | Callable[[int], Operation | Sequence[Operation]], Option((),
        "Operations of `octavo.augment` on the images, in the order in which they are applied; or a function of the "
        "epoch that returns them, for example to change the size of the images.",
        is_for_training=True
    )]
    weights: Annotated[npt.ArrayLike | Callable[[int], npt.ArrayLike] | None, Option(None,
        "Draw samples with these probabilities, up to a common factor: one number for each sample, or a function of "
        "the epoch that returns them.",
        is_for_training=True
    )]
    replacement: Annotated[bool, Option(True,
        "With `weights`: a sample may be drawn again. False: each draw is from the samples that are left, so that an "
        "epoch shows no sample twice, and ends when no sample with a weight above 0 is left.",
        is_for_training=True
    )]


class ChoiceOptions(TypedDict, total=False):
    """Which samples an epoch shows."""

    indices: Annotated[npt.ArrayLike | None, Option(None,
        "The samples of an epoch: their indices, each at most once, or a mask. None: all samples of the split.",
        is_for_training=True
    )]
    balance: Annotated[Balance, Option(None,
        '``"classes"``: the classes take turns, so that a batch has as many samples of each, and a class starts again '
        "when all its samples were shown. Or the group number of each sample.",
        is_for_training=True
    )]
    samples_per_epoch: Annotated[int | None, Option(None,
        "With `weights` or `balance`: the samples of an epoch. None: as many as there are to choose from.",
        is_for_training=True
    )]
    repeats: Annotated[int, Option(1,
        "Show each sample this many times in a row, augmented differently (repeated augmentation).",
        is_for_training=True
    )]


class DeviceOptions(TypedDict, total=False):
    """Where samples are loaded, and by how many threads."""

    device: Annotated[Any, Option("auto",
        'Where samples are stored and batches are made: ``"auto"`` (the first GPU, else the CPU), ``"cpu"``, '
        '``"cuda"``, ``"cuda:1"`` or a ``torch.device``. A loader of a `Store` has the store\'s device.'
    )]
    threads: Annotated[int, Option(0, "Loading threads; 0: all that this process may use.")]


class ReadOptions(TypedDict, total=False):
    """How a file is loaded."""

    verify: Annotated[bool, Option(True, "Check the checksum of every sample when it is loaded.")]
    progress: Annotated[Progress, Option(None,
        "Progress of loading. None: a tqdm bar on a terminal, if tqdm is installed; True: always; False: no bar; or "
        "a function ``(stage, done, total)``."
    )]


class ResidencyOptions(TypedDict, total=False):
    """Where samples live. A loader of a `Store` has none of them: the store has a residency already."""

    residency: Annotated[Residency, Option("auto",
        'Where the samples live. ``"device"``: all in device memory. ``"hybrid"``: the first ones in device memory, '
        'the others are read from the file when a batch needs them. ``"streamed"``: each batch is read from the file. '
        'These three serve the same batches, bit for bit. ``"window"``: windows of consecutive samples, one served '
        'while the next is read; the order of the batches stays within a window. ``"sharded"``: each rank of '
        "``torch.distributed`` keeps a part of the samples, and ranks exchange those of each batch; all of them load "
        'the same split at the same time. ``"auto"``: the first of device, sharded (in a loader whose ranks are those '
        "of ``torch.distributed``), hybrid and streamed that fits into memory; `residency_reason` of the store "
        'explains why it is not ``"device"``. A `Store` has a residency already, so its loaders accept none of these '
        "four options."
    )]
    memory_limit: Annotated[int | str | None, Option(None,
        'Device memory for the samples, in bytes or as ``"24GiB"``. None: four fifths of the free memory. A residency '
        'that needs more than the limit is an error; ``"auto"`` keeps what fits.'
    )]
    resident: Annotated[int | None, Option(None,
        "For hybrid: the number of samples on the device. None: as many as the limit allows."
    )]
    window: Annotated[int | None, Option(None,
        "For window: samples per window. None: an eighth of the split, or what the limit allows."
    )]


class ValueOptions(TypedDict, total=False):
    """The values of batches."""

    normalize: Annotated[Normalize | Preset, Option("default",
        'A `Normalize`, or the name of a preset: ``"default"``: (x - dataset mean) / 128; ``"unit"``: x / 255; '
        '``"standard"``: each channel\'s mean and standard deviation; ``"imagenet"``.'
    )]
    dtype: Annotated[Any, Option(None,
        "Type of the images: float32, float16 or bfloat16, as a string, a NumPy type or a torch type."
    )]
    memory_format: Annotated[Any, Option(None,
        '``"channels_last"`` (or ``torch.channels_last``) or ``"contiguous"``. Torch batches are always [B, C, H, W] '
        "and differ only in strides; NumPy arrays and DLPack tensors in channels_last are [B, H, W, C]."
    )]
    label_dtype: Annotated[Any, Option(None,
        "Type of the labels: int64 (the default for class numbers) or int32; float32 (the default) or an integer type "
        "for multi-labels; float32 for targets."
    )]
    views: Annotated[int, Option(1,
        "Images per sample, each augmented on its own. With several, the images are [B, views, C, H, W].",
        is_for_training=True
    )]
    mix: Annotated[Mix | None, Option(None,
        "An `octavo.augment.Mix`: MixUp and CutMix. Labels become probabilities, float32 [B, num_classes].",
        is_for_training=True
    )]
    label_smoothing: Annotated[float, Option(0.0,
        "The share of a probability of 1 that all classes get, as in ``torch.nn.CrossEntropyLoss``. Labels become "
        "probabilities.",
        is_for_training=True
    )]
    num_classes: Annotated[int | None, Option(None,
        "The number of classes of these probabilities. None: the number of class names, or one more than the largest "
        "label of the split."
    )]
    masks: Annotated[bool | None, Option(None,
        "Whether batches have masks. None: if the split has any. Masks have the geometry of their images, with nearest "
        "pixels; colors and erasures leave them as they are."
    )]
    mask_dtype: Annotated[Any, Option(None, "Type of the masks: uint8 (the default) or int64.")]
    ignore_index: Annotated[int, Option(255,
        "In masks, the value of pixels from beyond the edge of an image, such as the padding of a crop."
    )]


class RankOptions(TypedDict, total=False):
    """Which part of each batch this process has."""

    rank: Annotated[int | None, Option(None,
        "The rank of this process, of those that share each batch. Rank r gets the r-th part of each batch, so the "
        "whole batches do not depend on the number of ranks. None: that of ``torch.distributed`` if it is initialized "
        "when a batch is made, else 0."
    )]
    world_size: Annotated[int | None, Option(None,
        "The number of processes that share each batch. None: that of ``torch.distributed``, or 1, as for `rank`."
    )]


class LoaderOptions(
    EpochOptions, OrderOptions, EpochDependentOptions, ChoiceOptions, ValueOptions, DeviceOptions, ReadOptions,
    ResidencyOptions, RankOptions, total=False,
):
    """The options of a `Loader` that do not change what type a batch has."""

    equal_shares: Annotated[bool | None, Option(None,
        "True: every rank has the same number of samples, as collective operations need: of a batch that ranks cannot "
        "share evenly, the last ones repeat samples. False: numbers differ by at most one, and nothing is repeated. "
        "None: True in a program with an ``accelerate.Accelerator``, which drops the repeats in "
        "``gather_for_metrics()``; else False. `share` has the numbers of the last batch."
    )]
    prefetch: Annotated[int | None, Option(None,
        "Batches to read ahead when samples are read from the file. None: 2. Memory may allow fewer; the attribute "
        "`prefetch` has the actual depth."
    )]


class AllLoaderOptions(LoaderOptions, total=False):
    """All options of a `Loader`."""

    framework: Annotated[Framework, Option("auto",
        '``"torch"``, ``"numpy"``, ``"dlpack"`` (objects with ``__dlpack__``, for CuPy or JAX) or ``"auto"``: torch if '
        "it is installed; otherwise NumPy on the CPU and DLPack on a GPU."
    )]
    keys: Annotated[Sequence[str | None] | None, Option(None,
        'Make batches mappings with these keys, such as ``("pixel_values", "labels")``, instead of tuples. None in '
        'place of a key leaves out that part: for masks without labels, ``("pixel_values", "labels", None)``.'
    )]


class GraphLoaderOptions(
    EpochOptions, ChoiceOptions, ValueOptions, DeviceOptions, ReadOptions, RankOptions, total=False
):
    """The options of a `GraphLoader`."""

    shuffle: Annotated[bool, Option(False, "True: a new order each epoch, over all samples. False: file order.")]
    carry_over: Annotated[bool, Option(False, "As in `Loader`. If False, incomplete last batches are dropped.")]
    augment: Annotated[Operation | Sequence[Operation], Option((),
        "Operations of `octavo.augment` on the images, in the order in which they are applied."
    )]
    weights: Annotated[npt.ArrayLike | None, Option(None,
        "Draw samples with these probabilities, up to a common factor: one number for each sample. Always with "
        "replacement."
    )]
    batches_per_launch: Annotated[int, Option(1,
        "Batches that one `next` makes, one after another in the tensors; useful for batches so small that a launch "
        "takes longer than the batch itself."
    )]
    framework: Annotated[Framework, Option("auto", "As in `Loader`.")]


class ArrayStoreOptions(DeviceOptions, ResidencyOptions, total=False):
    """The options of a `Store` of arrays."""


class StoreOptions(DeviceOptions, ReadOptions, ResidencyOptions, total=False):
    """The options of a `Store`."""

    masks: Annotated[bool, Option(True, "Load the masks, if the split has any.")]


class GatherOptions(ValueOptions, total=False):
    """The options of `Store.gather`."""

    framework: Annotated[Framework, Option("auto", 'As in `Loader`, except that ``"dlpack"`` is not supported.')]
    augment: Annotated[Operation | Sequence[Operation], Option((),
        "Operations of `octavo.augment`. A sample is augmented as in the batches of a loader with these arguments; the "
        "samples are mixed with each other, as if they were a batch."
    )]
    augment_seed: Annotated[int, Option(0, "The seed of the augmentation.")]
    epoch: Annotated[int, Option(0, "The epoch of the samples: each epoch augments them differently.")]

# fmt: on

#: Options that choose, change or leave out samples: only training may have them.
OF_TRAINING = frozenset(name for name, (_, option) in options_of(LoaderOptions).items() if option.is_for_training)
#: Options of a loader that its store has too, without the device, which both have.
OF_STORE = frozenset(options_of(StoreOptions)) & frozenset(options_of(LoaderOptions)) - {"device", "masks"}


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Options of all loaders, those of the loader for training only, and those of stores.

    Raises
    ------
    TypeError
        If a loader has no such option.
    """
    check_names("octavo.Loader", options, options_of(AllLoaderOptions))
    of_all = {name: value for name, value in options.items() if name not in OF_TRAINING | OF_STORE}
    of_training = {name: value for name, value in options.items() if name in OF_TRAINING}
    of_store = {name: value for name, value in options.items() if name in OF_STORE}
    return of_all, of_training, of_store
