"""Packs the dataset of one split, sample by sample."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from .._annotate import annotate, annotated_call
from ..writer import Writer
from . import images as _images
from .dataset_classes import SplitClasses
from .dataset_samples import Slice, Unreadable, first_number, in_brackets, samples
from .dataset_transforms import RandomTransforms
from .sample_fields import SampleFields
from .sample_groups import GROUP_COLUMN, GroupsOfSplit
from .sample_names import SampleNames, paths_of

#: How many samples without labels are held back at most, until it is known whether others have labels.
_MOST_HELD = 16


@dataclasses.dataclass(frozen=True)
class Rules:
    """How the samples of all splits are packed."""

    fields: SampleFields
    transform: Callable[[Any], Any] | None
    mask_transform: Callable[[Any], Any] | None
    random_transforms: RandomTransforms
    may_skip: bool
    keeps_names: bool


@dataclasses.dataclass
class _Place:
    """Where a sample is, for messages."""

    split: str
    number: int
    #: In brackets; empty if it is not known.
    file: str

    def __str__(self) -> str:
        return f"split {self.split!r}, sample {self.number}{self.file}"


class SplitPacker:
    """Appends the samples of the dataset of one split to a writer.

    Parameters
    ----------
    writer, rules
        Those of all splits.
    split, part
        The name of the split, and its dataset.
    classes
        The classes of the dataset.
    group_of
        The groups of the samples, if they are given.
    """

    def __init__(
        self,
        writer: Writer,
        rules: Rules,
        split: str,
        part: Any,
        classes: SplitClasses,
        group_of: GroupsOfSplit | None,
    ) -> None:
        self.split = split
        self._writer, self._rules, self._part, self._classes, self._group_of = writer, rules, part, classes, group_of
        self._paths = paths_of(part)
        #: Whether the dataset is a slice of another one.
        self.is_slice = isinstance(part, Slice)
        self._first = first_number(part)
        self._names = SampleNames(split, self._first, self._paths if rules.keeps_names else [])
        self._skipped: list[str] = []
        # Samples without labels before the first label; None: it is known what a sample without a label means.
        self._held: list[tuple[Any, _Place]] | None = [] if rules.may_skip and classes.label_key is not False else None
        self._is_unlabeled = False  # samples without labels were appended
        self._is_mixed = False

    def pack(self, on_progress: Callable[[str, int, int, int, int], Any] | None) -> int:
        """Appends all samples, and returns how many the dataset has.

        Raises
        ------
        ValueError
            If most samples were skipped, or there are more or fewer groups than samples.
        Exception
            Whatever the dataset and the writer raise, unless samples may be skipped.
        """
        count = 0
        expected = len(self._part) if hasattr(self._part, "__len__") else 0
        for sample in samples(self._part, self.split, self._paths, self._rules.may_skip):
            self._append_or_skip(sample, self._place_of(count))
            count += 1
            if on_progress is not None:
                on_progress(f"reading {self.split}", count, max(expected, count), 0, 0)
        self._release_held(others_have_labels=False)
        self._check_skipped(count)
        if self._group_of is not None:
            self._group_of.check_length(count)
        return count

    def _place_of(self, row: int) -> _Place:
        path = self._paths[row] if row < len(self._paths) else None
        return _Place(self.split, self._first + row, in_brackets(path))

    def _append_or_skip(self, sample: Any, place: _Place) -> None:
        try:
            if not self._is_held_back(sample, place):
                self._append(sample, place)
        except Exception as error:
            if not self._rules.may_skip or self._writer.is_closed or self._is_mixed:
                raise
            self._skip(place, str(error))

    def _skip(self, place: _Place, reason: str) -> None:
        # The dataset file keeps this list; without names, it contains none.
        known = f"{self.split}#{place.number}{place.file if self._rules.keeps_names else ''}"
        self._skipped.append(f"{known}: {reason}")
        self._writer.leave_out(place.number - self._first, known, reason)

    def _is_held_back(self, sample: Any, place: _Place) -> bool:
        """Whether a sample is kept for later, because it has no label, and the split may have labels or not."""
        if isinstance(sample, Unreadable) or (self._held is None and not self._is_unlabeled):
            return False
        has_label = self._rules.fields.parts_of(sample, str(place), self._classes)[2] is not None
        if self._held is None:
            self._check_still_unlabeled(has_label, place)
            return False
        if not has_label and len(self._held) < _MOST_HELD:
            self._held.append((sample, place))
            return True
        self._release_held(others_have_labels=has_label)
        return False

    def _check_still_unlabeled(self, has_label: bool, place: _Place) -> None:
        """Raises ValueError, which skips nothing, for a label after many samples without one."""
        if has_label:
            self._is_mixed = True
            raise ValueError(
                f"{place}: it has a label, but the first {_MOST_HELD} samples have none; leave out the samples without "
                "labels, or pack all without, as label_key=False does"
            )

    def _release_held(self, *, others_have_labels: bool) -> None:
        """Skips the samples that were held back, or appends them if the split has no labels."""
        held, self._held = self._held or [], None
        for sample, place in held:
            if others_have_labels:
                self._skip(place, "it has no label")
            else:
                self._is_unlabeled = True
                self._append_or_skip(sample, place)

    def _append(self, sample: Any, place: _Place) -> None:
        if isinstance(sample, Unreadable):
            raise sample.error
        fields = self._rules.fields
        image, mask, label = fields.parts_of(sample, str(place), self._classes)
        place.file = place.file or in_brackets(getattr(image, "filename", None))
        if mask is not None:
            self._rules.random_transforms.check_mask(self.split, str(place))
        name = self._names.of(place.number, fields.name_of(sample, image, str(place)))
        image, mask, turn = self._transformed(image, mask, str(place))
        metadata = fields.metadata_of(sample, str(place))
        if self._group_of is not None:
            metadata[GROUP_COLUMN] = self._group_of(place.number, sample, str(place))
        self._writer.append(image, label, mask=mask, split=self.split, metadata=metadata, name=name)
        self._writer.count_turn(turn)

    def _transformed(self, image: Any, mask: Any, where: str) -> tuple[Any, Any, _images.Turn]:
        """The image and the mask after the transforms, and what became of the orientation of the image before."""
        transform, mask_transform = self._rules.transform, self._rules.mask_transform
        if transform is None and mask_transform is None:
            return image, mask, "none"
        image, mask, turn = _aligned(image, mask, where)
        if transform is not None:
            image = annotated_call(transform, image, f"transform with the image of {where}")
        if mask_transform is not None and mask is not None:
            mask = annotated_call(mask_transform, mask, f"mask_transform with the mask of {where}")
        return image, mask, turn

    def _check_skipped(self, count: int) -> None:
        """Raises ValueError if more than half of the samples were skipped."""
        skipped = len(self._skipped)
        if 2 * skipped <= count:
            return
        found, remedy = f"{skipped} of {count} samples were skipped", "the samples that do not fit the others"
        if skipped == count:
            found, remedy = f"no samples are left, because all {count} were skipped", "the split"
        raise ValueError(
            f"pack split {self.split!r}: {found}, the first, {self._skipped[0]}; repair the samples, or leave out "
            f"{remedy}"
        )


def _aligned(image: Any, mask: Any, where: str) -> tuple[Any, Any, _images.Turn]:
    try:
        return _images.aligned(image, mask)
    except Exception as error:  # its mask fits in two ways, or PIL cannot decode it
        annotate(error, f"while reading {where}")
        raise
