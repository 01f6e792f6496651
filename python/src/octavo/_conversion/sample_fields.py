"""Which fields of a sample are its image, mask, label, name and metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from . import images as _images
from .dataset_classes import LABEL_KEYS, SplitClasses
from .label_keys import LabelKey
from .plain_values import as_json
from .several_labels import SeveralLabels

_IMAGE_KEYS = ("image", "img", "pixel_values", "images", "x")
_MASK_KEYS = ("mask", "masks", "segmentation_mask", "semantic_mask", "segmentation", "annotation", "label", "labels")


_NAME_KEYS = ("file_name", "filename", "image_path", "path", "__key__", "image_id", "id")


class SampleFields:
    """Which fields of a sample are its image, mask, label, name and metadata; others are noted."""

    def __init__(
        self,
        image: str | None,
        mask: str | Literal[False] | None,
        name: str | Literal[False] | None,
        columns: list[str],
        needed: list[str],
    ) -> None:
        self._image, self._mask, self._name = image, mask, name
        self._columns = columns
        self._needed = needed  # kept if a sample has them
        self._several = SeveralLabels()
        self._found: set[str] = set()
        self._left_out: set[str] = set()

    def parts_of(self, sample: Any, where: str, classes: SplitClasses) -> tuple[Any, Any, Any]:
        """The image, mask and label of a sample; None for what it does not have."""
        if isinstance(sample, Mapping):
            image, mask, label, field = self._fields_of(sample, classes.label_key, where)
        else:
            self._check_has_fields(sample, classes.label_key, where)
            (image, mask, label), field = self._of_sequence(sample, where), None
            mask = None if self._mask is False else mask
            label = None if classes.label_key is False else label
        return image, mask, classes.label_of(label, field, where)

    def _check_has_fields(self, sample: Any, label: LabelKey, where: str) -> None:
        """Raises ValueError if an argument names a field, which a sample other than a mapping does not have."""
        keys = {"image_key": self._image, "mask_key": self._mask, "label_key": label, "name_key": self._name}
        if named := [f"{argument}={key!r}" for argument, key in keys.items() if key]:
            raise ValueError(
                f"{where}: {named[0]} names a field, but the sample is of type {type(sample).__name__}; leave it out, "
                "or make samples that are mappings"
            )

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

    def _fields_of(self, sample: Mapping[Any, Any], label_key: LabelKey, where: str) -> tuple[Any, Any, Any, Any]:
        image = _key(sample, self._image, _IMAGE_KEYS, where)
        if image is None:
            raise ValueError(f"{where}: no image found among the fields {list(sample)}; name it with image_key=")
        mask = None if self._mask is False else _mask_key(sample, self._mask, image, where)
        labels = _label_fields(sample, label_key, where)
        label = None
        if not labels and label_key is not False and (label_key is not None or len(sample) > 1):
            named = label_key if isinstance(label_key, str) else None
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
        return {name: as_json(sample[name]) for name in [*self._columns, *needed]}

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


def _label_fields(sample: Mapping[Any, Any], label_key: LabelKey, where: str) -> list[str]:
    """The fields of the label, if there are several."""
    if isinstance(label_key, str):
        if label_key in sample or "," not in label_key:
            return []
        fields = [field.strip() for field in label_key.split(",")]
    else:
        fields = list(label_key or ())
    for field in fields:
        _key(sample, field, (), where)
    return fields


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
