"""Packs Python datasets: torchvision, Hugging Face, or any iterable of samples."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _images, _pack, _progress
from ._annotate import annotate
from ._argument_names import check_names
from ._dataset_classes import LABEL_KEYS, SplitClasses, check_same_numbers, common_classes
from ._dataset_transforms import check_target_transform, frozen_augmentation
from .dataset import Dataset
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
    label_key: str | Sequence[str] | Literal[False] | None = None,
    mask_key: str | Literal[False] | None = None,
    mask_transform: Callable[[Any], Any] | None = None,
    name_key: str | Literal[False] | None = None,
    columns: str | Sequence[str] = (),
    groups: _Groups | Mapping[str, _Groups] | None = None,
    group_by: str | None = None,
    on_error: Literal["stop", "skip"] = "stop",
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
        The file to write. It appears complete or not at all.
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
        image. False: no labels, or no masks. Several label fields, as a sequence or separated by commas, must be
        numbers: multi-labels if all are integers, 0 or 1, in all samples, else targets.
    name_key
        The field with the origin of each sample, to be stored. None: ``file_name``, ``path``, ``__key__`` or similar,
        the file of an image that PIL opened, or the paths below ``dataset.root`` in ``dataset.samples``, as torchvision
        has them. False: no names.
    columns
        Fields to keep with each sample, as `Split.columns`.
    groups
        The group of each sample, such as its patient: a sequence with one for each sample, or a function of the sample
        as the dataset has it; for several splits, a mapping from their names. All samples of a group stay in one split,
        and `Split.columns` has the groups as ``group``.
    group_by
        Instead, the field with the group, which is then kept, or ``"path:REGEX"`` for the names, as in `pack`.
    on_error
        ``"skip"``: leave out samples that the dataset cannot provide or that do not fit; they are listed in the result.
    channels, layout, progress, options
        As in `Writer`: ``size``, ``fit``, ``background``, ``value_range``, ``mask_colors``, ``holdout``, ``seed``,
        ``limit``, ``compress``, ``append``, ``allow_loss``, ``allow_mismatch``, ``reproducible``, ``force`` and
        ``threads``.

    Warns
    -----
    PackingWarning
        For each note of the summary: for example, fields that are not packed.

    Raises
    ------
    ValueError, TypeError
        If a sample is invalid or does not match the earlier ones; the message names the split and the sample.
    Exception
        Whatever the dataset raises, with a note that names the sample. No file appears then.
    """
    if on_error not in ("stop", "skip"):
        raise ValueError(f"on_error is {on_error!r}; it must be 'stop' or 'skip'")
    check_names("octavo.pack_dataset", options, [*_WRITER_OPTIONS, *_OWN_OPTIONS])
    _check_is_dataset(dataset)
    parts = _splits_of(dataset, split)
    of_splits = {name: SplitClasses(name, part, label_key) for name, part in parts.items()}
    finds_names = classes is None
    allow_mismatch = bool(options.get("allow_mismatch"))
    if classes is None:
        classes = common_classes(list(of_splits.values()), allow_mismatch)
        for name, part in parts.items():
            check_target_transform([part], of_splits[name].names or classes)
    elif not allow_mismatch:
        check_same_numbers(list(of_splits.values()))
    kept = [columns] if isinstance(columns, str) else list(columns)
    groups_of = _groups_of_splits(groups, parts)
    if groups_of:
        if group_by is not None:
            raise ValueError("groups and group_by were both given; give one of them")
        if _GROUP_COLUMN in kept:
            raise ValueError(f"columns names {_GROUP_COLUMN!r}, the column for groups=; use group_by={_GROUP_COLUMN!r}")
        group_by = _GROUP_COLUMN
    present = [*kept, _GROUP_COLUMN] if groups_of else kept
    needed = [name for name in _columns_for_choice(group_by, options.get("holdout")) if name not in present]
    keys = _Keys(image_key, mask_key, label_key, name_key, kept, needed)
    with (
        _progress.shown(progress) as on_progress,
        Writer(
            path, classes=classes, channels=channels, layout=layout, group_by=group_by, progress=False, **options
        ) as writer,
    ):
        empty: list[str] = []
        for name, part in parts.items():
            total = len(part) if hasattr(part, "__len__") else 0
            number = -1
            skipped: list[str] = []
            paths = _paths_of(part)
            names = _Names(name, [] if name_key is False else paths)
            group_of = groups_of.get(name)
            for number, sample in enumerate(_samples(part, name, paths, on_error == "skip")):
                file = _in_brackets(paths[number] if number < len(paths) else None)
                where = f"split {name!r}, sample {number}{file}"
                try:
                    if isinstance(sample, _Unreadable):
                        raise sample.error
                    image, mask, label = keys.parts_of(sample, where, of_splits[name])
                    file = file or _in_brackets(getattr(image, "filename", None))
                    where = f"split {name!r}, sample {number}{file}"
                    origin = names.of(number, keys.name_of(sample, image, where))
                    turn: _images.Turn = "none"
                    if transform is not None or mask_transform is not None:
                        image, mask, turn = _aligned(image, mask, where)
                    if transform is not None:
                        image = _transformed(transform, image, f"transform with the image of {where}")
                    if mask_transform is not None and mask is not None:
                        mask = _transformed(mask_transform, mask, f"mask_transform with the mask of {where}")
                    metadata = keys.metadata_of(sample, where)
                    if group_of is not None:
                        metadata[_GROUP_COLUMN] = group_of(number, sample, where)
                    writer.append(image, label, mask=mask, split=name, metadata=metadata, name=origin)
                    writer.count_turn(turn)
                except Exception as error:
                    if on_error == "stop" or writer.is_closed:
                        raise
                    # The dataset file keeps this list; with name_key=False, it contains no names.
                    known = "" if name_key is False else file
                    skipped.append(f"{name}#{number}{known}: {error}")
                    writer.leave_out(number, f"{name}#{number}{known}", str(error))
                if on_progress is not None:
                    on_progress(f"reading {name}", number + 1, max(total, number + 1), 0, 0)
            if number < 0:
                empty.append(name)
            if len(skipped) > number >= 0:
                raise ValueError(
                    f"pack split {name!r}: no samples are left, because all {number + 1} were skipped, the first, "
                    f"{skipped[0]}; repair the samples, or leave out the split"
                )
            if group_of is not None:
                group_of.check_length(number + 1)
        if empty and len(empty) < len(parts):
            writer.add_note(f"not packed: the split {', '.join(map(repr, empty))}, which has no samples")
        notes_on_names = [note for split in of_splits.values() for note in split.notes(bool(classes))]
        for note in [
            *(notes_on_names if finds_names else ()),
            *keys.notes(),
            *frozen_augmentation([transform, mask_transform], parts),
        ]:
            writer.add_note(note)
        return writer.close()


#: Arguments of this function that `Writer` has too.
_OWN_OPTIONS = frozenset(inspect.signature(pack_dataset).parameters) - {"options"}
_WRITER_OPTIONS = frozenset(inspect.signature(Writer).parameters) - {"path"} - _OWN_OPTIONS


def _check_is_dataset(dataset: Any) -> None:
    """Raises TypeError for what other functions pack, and for batches."""
    if isinstance(dataset, Dataset):
        raise TypeError("dataset is a dataset file; use octavo.repack")
    if isinstance(dataset, (str, os.PathLike)):
        raise TypeError(f"dataset is the path {str(dataset)!r}; pack files and folders with octavo.pack()")
    if hasattr(dataset, "batch_size") and hasattr(dataset, "dataset"):
        raise TypeError(f"dataset is a {type(dataset).__name__}, which makes batches; pass its dataset")


def _in_brackets(file: Any) -> str:
    """`` (cat/7.jpg)``; empty if the file of a sample is not known."""
    return f" ({os.fspath(file)})" if file else ""


def _aligned(image: Any, mask: Any, where: str) -> tuple[Any, Any, _images.Turn]:
    try:
        return _images.aligned(image, mask)
    except Exception as error:  # its mask fits in two ways, or PIL cannot decode it
        annotate(error, f"while reading {where}")
        raise


def _transformed(transform: Callable[[Any], Any], value: Any, what: str) -> Any:
    try:
        return transform(value)
    except Exception as error:
        annotate(error, f"while calling {what}")
        raise


#: One group for each sample, or a function of a sample.
_Groups = Sequence[Any] | Callable[[Any], Any]

#: The column that keeps the groups.
_GROUP_COLUMN = "group"


class _GroupsOfSplit:
    """The groups of the samples of one split."""

    def __init__(self, split: str, given: _Groups, part: Any) -> None:
        self._split = split
        self._function = given if callable(given) else None
        self._groups = [] if callable(given) else list(given)
        if hasattr(part, "__len__"):
            self.check_length(len(part))

    def __call__(self, number: int, sample: Any, where: str) -> Any:
        if self._function is not None:
            group = _transformed(self._function, sample, f"groups with {where}")
        elif number < len(self._groups):
            group = self._groups[number]
        else:
            raise ValueError(f"groups has {len(self._groups)} elements; split {self._split!r} has more samples")
        group = _as_json(group)
        return None if group != group else group  # NaN: missing, as in pandas

    def check_length(self, sample_count: int) -> None:
        if self._function is None and len(self._groups) != sample_count:
            raise ValueError(
                f"groups has {len(self._groups)} elements for {sample_count} samples of split {self._split!r}; give "
                "one for each sample"
            )


def _groups_of_splits(
    groups: _Groups | Mapping[str, _Groups] | None, parts: Mapping[str, Any]
) -> dict[str, _GroupsOfSplit]:
    if groups is None:
        return {}
    if isinstance(groups, Mapping):
        given = {name if name in parts else _SPLIT_NAMES.get(name, name): group for name, group in groups.items()}
        if unknown := [name for name in given if name not in parts]:
            raise ValueError(f"groups names the split {unknown[0]!r}; dataset has {', '.join(map(repr, parts))}")
    elif callable(groups) or len(parts) == 1:
        given = dict.fromkeys(parts, groups)
    else:
        raise ValueError("groups is one sequence, but dataset has several splits; give a mapping from their names")
    return {name: _GroupsOfSplit(name, group, parts[name]) for name, group in given.items()}


def _columns_for_choice(group_by: str | None, holdout: Any) -> list[str]:
    """The fields that decide in which split a sample is."""
    fields = [group_by] if group_by and not group_by.startswith("path:") else []
    if isinstance(holdout, str) and "=" in holdout:
        fields.append(holdout.split("=", 1)[0])
    return fields


class _Unreadable:
    """A sample that the dataset could not provide."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _samples(part: Any, split: str, paths: list[str], may_skip: bool) -> Iterator[Any]:
    """The samples of a dataset; exceptions get a note that names the sample, and its file if `paths` has it.

    With `may_skip`, a map-style dataset gives an `_Unreadable` for a sample that raises; an iterator ends when it does.
    """
    number = 0
    try:
        # Map-style datasets need not raise IndexError at their end, so use their length.
        if hasattr(part, "__len__") and hasattr(part, "__getitem__"):
            for number in range(len(part)):
                try:
                    sample = part[number]
                except Exception as error:
                    if not may_skip:
                        raise
                    sample = _Unreadable(error)
                yield sample
        else:
            for number, sample in enumerate(part):
                yield sample
                number += 1
    except Exception as error:
        file = _in_brackets(paths[number] if number < len(paths) else None)
        annotate(error, f"while reading sample {number}{file} of split {split!r}")
        raise


#: Names that datasets have for a split, and the name that Octavo's defaults expect.
_SPLIT_NAMES = {"training": "train", "validation": "val", "valid": "val", "testing": "test"}


def _splits_of(dataset: Any, split: str) -> dict[str, Any]:
    if isinstance(dataset, Mapping):
        if not dataset:
            raise ValueError("dataset is an empty mapping; it must contain at least one split")
        names = [_SPLIT_NAMES.get(str(name), str(name)) for name in dataset]
        if len(set(names)) < len(names):
            names = [str(name) for name in dataset]
        return dict(zip(names, dataset.values(), strict=True))
    return {split: dataset}


_IMAGE_KEYS = ("image", "img", "pixel_values", "images", "x")
_MASK_KEYS = ("mask", "masks", "segmentation_mask", "semantic_mask", "segmentation", "annotation", "label", "labels")


_NAME_KEYS = ("file_name", "filename", "image_path", "path", "__key__", "image_id", "id")


class _Keys:
    """Which fields of a sample are its image, mask, label, name and metadata; others are noted."""

    def __init__(
        self,
        image: str | None,
        mask: str | Literal[False] | None,
        label: str | Sequence[str] | Literal[False] | None,
        name: str | Literal[False] | None,
        columns: list[str],
        needed: list[str],
    ) -> None:
        if isinstance(label, (list, tuple)) and len(label) == 1:
            label = label[0]
        self._image, self._mask, self._label, self._name = image, mask, label, name
        self._columns = columns
        self._needed = needed  # kept if a sample has them
        self._several = _SeveralLabels()
        self._found: set[str] = set()
        self._left_out: set[str] = set()

    def parts_of(self, sample: Any, where: str, classes: SplitClasses) -> tuple[Any, Any, Any]:
        """The image, mask and label of a sample; None for what it does not have."""
        if isinstance(sample, Mapping):
            image, mask, label, field = self._fields_of(sample, where)
        else:
            (image, mask, label), field = self._of_sequence(sample, where), None
        return image, mask, classes.label_of(label, field, where)

    def _of_sequence(self, sample: Any, where: str) -> tuple[Any, Any, Any]:
        if isinstance(sample, (tuple, list)):
            if len(sample) == 1:
                return sample[0], None, None
            if len(sample) == 2:
                return (sample[0], sample[1], None) if _images.is_mask(sample[1]) else (sample[0], None, sample[1])
            if len(sample) != 3 or not _images.is_mask(sample[1]):
                raise ValueError(f"{where}: it has {len(sample)} parts; expected an image, a mask if any, and a label")
            return sample[0], sample[1], sample[2]
        return sample, None, None

    def _fields_of(self, sample: Mapping[Any, Any], where: str) -> tuple[Any, Any, Any, Any]:
        image = _key(sample, self._image, _IMAGE_KEYS, where)
        if image is None:
            raise ValueError(f"{where}: no image found among the fields {list(sample)}; name it with image_key=")
        mask = None if self._mask is False else _mask_key(sample, self._mask, image, where)
        labels = self._label_fields(sample, where)
        label = None
        if not labels and self._label is not False and (self._label is not None or len(sample) > 1):
            named = self._label if isinstance(self._label, str) else None
            label = _key(sample, named, [key for key in LABEL_KEYS if key != mask], where)
            if label is None and mask is None:
                raise ValueError(
                    f"{where}: no label found among the fields {list(sample)}; name it with label_key=, or pass "
                    "label_key=False for a dataset without labels"
                )
        used = {image, mask, label, *labels, *self._columns, *self._needed, self._name_field(sample)}
        self._left_out.update(str(key) for key in sample if key not in used)
        values = self._several.of(sample, labels, where) if labels else None if label is None else sample[label]
        return sample[image], None if mask is None else sample[mask], values, label

    def _label_fields(self, sample: Mapping[Any, Any], where: str) -> list[str]:
        """The fields of the label, if there are several."""
        if isinstance(self._label, str):
            if self._label in sample or "," not in self._label:
                return []
            fields = [field.strip() for field in self._label.split(",")]
        else:
            fields = list(self._label or ())
        for field in fields:
            _key(sample, field, (), where)
        return fields

    def _name_field(self, sample: Mapping[Any, Any]) -> Any:
        if self._name:
            return self._name
        return None if self._name is False else next((key for key in _NAME_KEYS if key in sample), None)

    def name_of(self, sample: Any, image: Any, where: str) -> str | None:
        """The origin of a sample, if it says where it is from. `image` is as the dataset gave it."""
        if self._name is False:
            return None
        if isinstance(sample, Mapping) and (field := self._name_field(sample)) is not None:
            origin = sample[_key(sample, field, (), where)]
            return None if origin is None else str(origin)
        return getattr(image, "filename", None) or None

    def metadata_of(self, sample: Any, where: str) -> dict[str, Any]:
        """The fields to keep."""
        needed = [name for name in self._needed if isinstance(sample, Mapping) and name in sample]
        self._found.update(needed)
        if not self._columns and not needed:
            return {}
        if not isinstance(sample, Mapping):
            raise ValueError(f"{where}: columns= needs samples that are mappings, not {type(sample).__name__}")
        if missing := [name for name in self._columns if name not in sample]:
            raise ValueError(f"{where}: there is no field {missing[0]!r}; the sample has {list(sample)}")
        return {name: _as_json(sample[name]) for name in [*self._columns, *needed]}

    def notes(self) -> list[str]:
        """Which fields are not packed, and which are, though `columns` does not name them."""
        notes = []
        if self._left_out:
            names = ", ".join(map(repr, sorted(self._left_out)))
            notes.append(f"not packed: the field{'s' if len(self._left_out) > 1 else ''} {names}; keep with columns=")
        if self._found:
            names = ", ".join(map(repr, sorted(self._found)))
            notes.append(f"kept with each sample: {names}, because group_by= or holdout= names it")
        return notes


#: All whole numbers up to this one are exact as float32.
_LARGEST_WHOLE = 2**24


class _SeveralLabels:
    """The labels of several fields: multi-labels if all numbers are integers, 0 or 1, else targets, for all samples."""

    def __init__(self) -> None:
        self._first = ""  # the first sample that has a label
        self._are_targets = False

    def of(self, sample: Mapping[Any, Any], fields: list[str], where: str) -> npt.NDArray[Any]:
        """The label of a sample."""
        numbers = [_as_json(sample[field]) for field in fields]
        if not all(isinstance(number, (bool, int, float)) for number in numbers):
            raise ValueError(f"{where}: the label fields {fields} must be numbers; name one field of text")
        if not all(isinstance(number, int) or math.isfinite(number) for number in numbers):
            raise ValueError(f"{where}: the label fields {fields} are {numbers}, not all finite")
        large = [number for number in numbers if isinstance(number, int) and abs(number) > _LARGEST_WHOLE]
        if large:
            raise ValueError(
                f"{where}: the label {large[0]} is too large for a target, which is a float32; convert it to float"
            )
        are_bits = all(isinstance(number, int) and number in (0, 1) for number in numbers)
        if not self._first:
            self._first, self._are_targets = where, not are_bits
        if not are_bits and not self._are_targets:
            raise ValueError(
                f"{where}: the label fields {fields} are {numbers}, but those of earlier samples, from {self._first} "
                "on, are multi-labels, 0 and 1; convert all to float, which makes them targets"
            )
        return np.array(numbers, np.float64 if self._are_targets else np.int32)  # stored as float32


class _Names:
    """Names for the samples of a split: for all, or for none. `paths` are those that the dataset knows."""

    def __init__(self, split: str, paths: list[str]) -> None:
        self._split, self._paths = split, paths
        self._has_names: bool | None = None

    def of(self, number: int, name: str | None) -> str | None:
        """The name of the sample `number`, whose own name is `name`."""
        if name is None and number < len(self._paths):
            name = self._paths[number]
        if self._has_names is None:
            self._has_names = name is not None
        return (name or f"{self._split}#{number}") if self._has_names else None


def _paths_of(part: Any) -> list[str]:
    """The files of a dataset like torchvision's ImageFolder, relative to its folder; of a Subset, those of its part.

    Relative paths do not depend on the machine, and neither does what is held out by name.
    """
    if hasattr(part, "dataset") and hasattr(part, "indices"):
        paths = _paths_of(part.dataset)
        return [paths[index] for index in part.indices] if paths else []
    samples = getattr(part, "samples", None)
    if not isinstance(samples, list) or not all(isinstance(sample, (tuple, list)) for sample in samples):
        return []
    root = getattr(part, "root", None)
    is_folder = isinstance(root, (str, os.PathLike))
    return [os.path.relpath(str(path), root) if is_folder else str(path) for path, *_ in samples]


def _as_json(value: Any) -> Any:
    """The value with arrays and tensors as lists."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _as_json(part) for key, part in value.items()}
    return [_as_json(part) for part in value] if isinstance(value, (tuple, list)) else value


def _mask_key(sample: Mapping[Any, Any], wanted: str | None, image_name: str, where: str) -> str | None:
    if wanted is not None:
        return _key(sample, wanted, (), where)
    return next((key for key in _MASK_KEYS if key != image_name and _images.is_mask(sample.get(key))), None)


def _key(sample: Mapping[Any, Any], wanted: str | None, usual: Sequence[str], where: str) -> str | None:
    if wanted is not None:
        if wanted not in sample:
            raise ValueError(f"{where}: there is no field {wanted!r}; the sample has {list(sample)}")
        return wanted
    return next((key for key in usual if key in sample), None)
