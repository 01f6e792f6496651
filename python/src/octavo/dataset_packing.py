"""Packs Python datasets: torchvision, Hugging Face, or any iterable of samples."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from . import _images, _pack, _progress
from .writer import Writer, annotate

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
    label_key: str | Literal[False] | None = None,
    mask_key: str | Literal[False] | None = None,
    mask_transform: Callable[[Any], Any] | None = None,
    compress: Literal["none", "deflate"] = "none",
    reproducible: bool = False,
    force: bool = False,
    threads: int = 0,
    progress: _progress.Progress = None,
) -> _pack.PackSummary:
    """Packs any Python dataset: a map-style ``torch.utils.data.Dataset``, a Hugging Face dataset, or any iterable.

    Parameters
    ----------
    dataset
        Its samples are single images, (image, label), (image, mask), (image, mask, label), or mappings with an image
        and a label or a mask. Or a mapping from split names to such datasets. Images, masks and labels can be anything
        that `Writer.append` accepts.
    path
        The file to write. It appears complete or not at all.
    split
        The name of the split; ignored if `dataset` is a mapping of splits.
    classes
        Class names in label order; None: taken from the dataset's ``classes`` or ``features``.
    transform
        Called with each image before it is packed, for example to resize all images to one size.
    mask_transform
        The same for each mask. Resize masks to the nearest pixel, so that classes stay classes.
    image_key, label_key, mask_key
        Field names in samples that are mappings. None: ``image``, ``img`` or similar; ``label``, ``labels``,
        ``fine_label``, ``target`` or similar; ``mask``, ``segmentation_mask``, ``annotation`` or similar if that is an
        image. False: no labels, or no masks.
    channels, layout, compress, reproducible, force, threads, progress
        As in `Writer`.

    Raises
    ------
    ValueError, TypeError
        If a sample is invalid or does not match the earlier ones; the message names the split and the sample.
    Exception
        Whatever the dataset raises, with a note that names the sample. No file appears then.
    """
    parts = _splits_of(dataset, split)
    if classes is None:
        classes = _classes_of(next(iter(parts.values())))
    with (
        _progress.shown(progress) as on_progress,
        Writer(
            path, classes=classes, channels=channels, layout=layout, compress=compress, reproducible=reproducible,
            force=force, threads=threads, progress=False,
        ) as writer,
    ):  # fmt: skip
        for name, part in parts.items():
            total = len(part) if hasattr(part, "__len__") else 0
            for number, sample in enumerate(_samples(part, name)):
                where = f"split {name!r}, sample {number}"
                image, mask, label = _parts_of(sample, image_key, mask_key, label_key, where)
                if transform is not None:
                    image = _transformed(transform, image, f"transform with the image of {where}")
                if mask_transform is not None and mask is not None:
                    mask = _transformed(mask_transform, mask, f"mask_transform with the mask of {where}")
                writer.append(image, label, mask=mask, split=name)
                if on_progress is not None:
                    on_progress(f"reading {name}", number + 1, max(total, number + 1), 0, 0)
        return writer.close()


def _transformed(transform: Callable[[Any], Any], value: Any, what: str) -> Any:
    try:
        return transform(value)
    except Exception as error:
        annotate(error, f"while calling {what}")
        raise


def _samples(part: Any, split: str) -> Iterable[Any]:
    """The samples of a dataset; exceptions get a note that names the sample."""
    number = 0
    try:
        # Map-style datasets need not raise IndexError at their end, so use their length.
        if hasattr(part, "__len__") and hasattr(part, "__getitem__"):
            for number in range(len(part)):
                yield part[number]
        else:
            for number, sample in enumerate(part):
                yield sample
                number += 1
    except Exception as error:
        annotate(error, f"while reading sample {number} of split {split!r}")
        raise


def _splits_of(dataset: Any, split: str) -> dict[str, Any]:
    if isinstance(dataset, Mapping):
        if not dataset:
            raise ValueError("dataset is an empty mapping; it must contain at least one split")
        return {str(name): part for name, part in dataset.items()}
    return {split: dataset}


def _classes_of(dataset: Any) -> list[str]:
    classes = getattr(dataset, "classes", None)
    if isinstance(classes, (list, tuple)):
        return [str(name) for name in classes]
    features = getattr(dataset, "features", None)
    if isinstance(features, Mapping):
        for key in _LABEL_KEYS:
            names = getattr(features.get(key), "names", None)
            if names:
                return [str(name) for name in names]
    return []


_IMAGE_KEYS = ("image", "img", "pixel_values", "images", "x")
_LABEL_KEYS = ("label", "labels", "fine_label", "target", "targets", "y")
_MASK_KEYS = ("mask", "masks", "segmentation_mask", "semantic_mask", "segmentation", "annotation", "label", "labels")


def _parts_of(
    sample: Any,
    image_key: str | None,
    mask_key: str | Literal[False] | None,
    label_key: str | Literal[False] | None,
    where: str,
) -> tuple[Any, Any, Any]:
    """The image, mask and label of a sample; None for what it does not have."""
    if isinstance(sample, Mapping):
        image_name = _key(sample, image_key, _IMAGE_KEYS, where)
        if image_name is None:
            raise ValueError(f"{where}: no image found among the fields {list(sample)}; name it with image_key=")
        mask_name = None if mask_key is False else _mask_key(sample, mask_key, image_name, where)
        mask = None if mask_name is None else sample[mask_name]
        if label_key is False or (label_key is None and len(sample) == 1):
            return sample[image_name], mask, None
        usual = [key for key in _LABEL_KEYS if key != mask_name]
        label_name = _key(sample, label_key, usual, where)
        if label_name is None and mask is not None:
            return sample[image_name], mask, None
        if label_name is None:
            raise ValueError(
                f"{where}: no label found among the fields {list(sample)}; name it with label_key=, or pass "
                "label_key=False for a dataset without labels"
            )
        return sample[image_name], mask, sample[label_name]
    if isinstance(sample, (tuple, list)):
        if len(sample) == 1:
            return sample[0], None, None
        if len(sample) == 2:
            return (sample[0], sample[1], None) if _images.is_mask(sample[1]) else (sample[0], None, sample[1])
        if len(sample) != 3 or not _images.is_mask(sample[1]):
            raise ValueError(f"{where}: it has {len(sample)} parts; expected an image, a mask if any, and a label")
        return sample[0], sample[1], sample[2]
    return sample, None, None


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
