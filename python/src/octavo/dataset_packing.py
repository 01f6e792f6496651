"""Packs Python datasets: torchvision, Hugging Face, or any iterable of samples."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Literal

from . import _pack, _progress
from ._argument_names import check_names
from ._conversion import images as _images
from ._conversion.dataset_checks import check_is_dataset
from ._conversion.dataset_classes import SplitClasses, check_same_numbers, common_classes
from ._conversion.dataset_samples import splits_of
from ._conversion.dataset_transforms import RandomTransforms, check_target_transform
from ._conversion.label_keys import LabelKey, label_keys_of
from ._conversion.lost_fields import notes_on_splits
from ._conversion.sample_fields import SampleFields
from ._conversion.sample_groups import Groups, columns_for_choice, resolve_groups
from ._conversion.split_packer import Rules, SplitPacker
from ._remote.written import written
from .writer import Writer

_Path = str | os.PathLike[str]


def pack_dataset(
    dataset: Any,
    path: _Path,
    *,
    split: str = "train",
    classes: Sequence[str] | None = None,
    transform: Callable[[Any], Any] | None = None,
    channels: int | None = None,
    layout: _images.Layout = "auto",
    image_key: str | None = None,
    label_key: LabelKey | Mapping[str, LabelKey] = None,
    mask_key: str | Literal[False] | None = None,
    mask_transform: Callable[[Any], Any] | None = None,
    name_key: str | Literal[False] | None = None,
    columns: str | Sequence[str] = (),
    groups: Groups | Mapping[str, Groups] | None = None,
    group_by: str | None = None,
    on_error: Literal["stop", "skip"] = "stop",
    allow_random: bool = False,
    progress: _progress.Progress = None,
    **options: Any,
) -> _pack.PackSummary:
    """Packs any Python dataset: a map-style ``torch.utils.data.Dataset``, a Hugging Face dataset, or any iterable.

    Parameters
    ----------
    dataset
        Its samples are single images, (image, label), (image, mask), (image, mask, label), or mappings with an image
        and a label or a mask. Or a mapping from split names to such datasets. Images, masks and labels can be anything
        that `Writer.append` accepts, which turns PIL images upright by their EXIF orientation.
    path
        The file to write, or its address, as for `pack`. It appears complete or not at all.
    split
        The name of the split; ignored if `dataset` is a mapping of splits.
    classes
        Class names in label order; None: taken from the dataset's ``classes`` or ``features``. Splits that number
        them differently get the numbers of the first split, by name. Its classes must include those of the others,
        unless ``allow_mismatch`` is set; further classes get the next numbers then.
    transform
        Called with each image before it is packed, for example to resize all images to one size. Images are already
        upright then, or aligned with their masks.
    mask_transform
        The same for each mask. Resize masks to the nearest pixel, so that classes stay classes.
    image_key, label_key, mask_key
        Field names in samples that are mappings. None: ``image``, ``img`` or similar; ``label``, ``labels``,
        ``fine_label``, ``target`` or similar; ``mask``, ``segmentation_mask``, ``annotation`` or similar if that is an
        image. False: no labels, or no masks, also of samples that are tuples. Several label fields, as a sequence or
        separated by commas, must be numbers: multi-labels if all are integers, 0 or 1, in all samples, else targets.
        `label_key` may be a mapping from splits to fields: ``label_key={"test": False}`` packs only the test split
        without labels.
    name_key
        The field with the origin of each sample, to be stored. None: ``file_name``, ``path``, ``__key__`` or similar,
        the file of an image that PIL opened, or the paths below ``dataset.root`` in ``dataset.samples``, as torchvision
        has them, also in a ``Subset`` and a ``ConcatDataset``. False: no names.
    columns
        Fields to keep with each sample, as `Split.columns`.
    groups
        The group of each sample, such as its patient: a sequence with one for each sample, or a function of the sample
        as the dataset has it; for several splits, a mapping from their names. All samples of a group stay in one split,
        and `Split.columns` has the groups as ``group``.
    group_by
        Instead, the field with the group, which is then kept, or ``"path:REGEX"`` for the names, as in `pack`.
    on_error
        ``"skip"``: leave out samples that the dataset cannot provide or that do not fit, also those whose label is
        None if others have labels; they are listed in the result. It is an error if more than half are left out.
    allow_random
        Accept random transforms, such as ``RandomCrop``, in `transform` or the dataset. They change each sample once,
        the same in every epoch, whereas `augment` of `Loader` changes it each time it is shown. Transforms of
        torchvision, Albumentations and Kornia are recognized, functions are not. An image and its mask must move
        together: random transforms that are called for each of the two are an error in any case.
    channels, layout, progress, options
        As in `Writer`: ``size``, ``fit``, ``background``, ``value_range``, ``mask_colors``, ``holdout``, ``seed``,
        ``limit``, ``compress``, ``max_error``, ``memory``, ``model_speed``, ``append``, ``allow_loss``,
        ``allow_mismatch``, ``reproducible``, ``force`` and ``threads``.

    Warns
    -----
    PackingWarning
        For each note of the summary: for example, fields that are not packed.

    Raises
    ------
    ValueError, TypeError
        If a sample is invalid or does not match the earlier ones; the message names the split and the sample. If a
        transform is random.
    Exception
        Whatever the dataset raises, with a note that names the sample. No file appears then.
    """
    arguments = locals()
    with written(path, force=bool(options.get("force")), append=bool(options.get("append"))) as local:
        return packed(arguments, lambda **made: Writer(local, **made))


def packed(arguments: Mapping[str, Any], make_writer: Callable[..., Writer]) -> _pack.PackSummary:
    """Packs what these arguments of `pack_dataset` describe; the writer is made with arguments of `Writer`."""
    given = SimpleNamespace(**arguments)
    options = given.options
    if given.on_error not in ("stop", "skip"):
        raise ValueError(f"on_error is {given.on_error!r}; it must be 'stop' or 'skip'")
    check_names("octavo.pack_dataset", options, [*WRITER_OPTIONS, *OWN_OPTIONS])
    check_is_dataset(given.dataset)
    parts = splits_of(given.dataset, given.split)
    random = RandomTransforms(given.transform, given.mask_transform, parts)
    random.check(bool(given.allow_random))
    label_keys = label_keys_of(given.label_key, parts)
    of_splits = {name: SplitClasses(name, part, label_keys[name]) for name, part in parts.items()}
    classes = _numbered_classes(given.classes, of_splits, parts, bool(options.get("allow_mismatch")))
    kept = [given.columns] if isinstance(given.columns, str) else list(given.columns)
    groups_of, group_by = resolve_groups(given.groups, given.group_by, parts, kept)
    present = [*kept, *([group_by] if groups_of else ())]
    needed = [name for name in columns_for_choice(group_by, options.get("holdout")) if name not in present]
    fields = SampleFields(given.image_key, given.mask_key, given.name_key, kept, needed)
    rules = Rules(
        fields,
        given.transform,
        given.mask_transform,
        random,
        may_skip=given.on_error == "skip",
        keeps_names=given.name_key is not False,
    )
    with (
        _progress.shown(given.progress) as on_progress,
        make_writer(
            classes=classes, channels=given.channels, layout=given.layout, group_by=group_by, progress=False, **options
        ) as writer,
    ):
        packers = [
            SplitPacker(writer, rules, name, part, of_splits[name], groups_of.get(name)) for name, part in parts.items()
        ]
        empty = [packer.split for packer in packers if packer.pack(on_progress) == 0 and not packer.is_slice]
        if empty and len(empty) < len(parts):
            writer.add_note(f"not packed: the split {', '.join(map(repr, empty))}, which has no samples")
        notes_on_names = [note for names in of_splits.values() for note in names.notes(bool(classes))]
        for note in [
            *(notes_on_names if given.classes is None else ()),
            *fields.notes(),
            *random.notes(),
            *(note for part in parts.values() for note in notes_on_splits(part)),
        ]:
            writer.add_note(note)
        return writer.close()


def _numbered_classes(
    given: Sequence[str] | None, of_splits: Mapping[str, SplitClasses], parts: Mapping[str, Any], allow_mismatch: bool
) -> Sequence[str]:
    """The class names of the file. Raises ValueError if the splits cannot have the same numbers."""
    if given is not None:
        if not allow_mismatch:
            check_same_numbers(list(of_splits.values()))
        return given
    common = common_classes(list(of_splits.values()), allow_mismatch)
    for name, part in parts.items():
        if of_splits[name].label_key is not False:
            check_target_transform([part], of_splits[name].names or common)
    return common


#: Arguments of `pack_dataset`; those of `Writer` that it passes on.
OWN_OPTIONS = frozenset(inspect.signature(pack_dataset).parameters) - {"options"}
WRITER_OPTIONS = frozenset(inspect.signature(Writer).parameters) - {"path"} - OWN_OPTIONS
