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
        Its samples are (image, label) pairs, single images, or mappings with an image and a label. Or a mapping from
        split names to such datasets. Images and labels can be anything that `Writer.append` accepts.
    path
        The file to write. It appears complete or not at all.
    split
        The name of the split; ignored if `dataset` is a mapping of splits.
    classes
        Class names in label order; None: taken from the dataset's ``classes`` or ``features``.
    transform
        Called with each image before it is packed, for example to resize all images to one size.
    image_key, label_key
        Field names in samples that are mappings. None: ``image``, ``img`` or similar; ``label``, ``labels``,
        ``fine_label``, ``target`` or similar. ``label_key=False``: no labels.
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
                image, label = _image_and_label(sample, image_key, label_key, where)
                if transform is not None:
                    try:
                        image = transform(image)
                    except Exception as error:
                        annotate(error, f"while calling transform with the image of {where}")
                        raise
                writer.append(image, label, split=name)
                if on_progress is not None:
                    on_progress(f"reading {name}", number + 1, max(total, number + 1), 0, 0)
        return writer.close()


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


def _image_and_label(
    sample: Any, image_key: str | None, label_key: str | Literal[False] | None, where: str
) -> tuple[Any, Any]:
    if isinstance(sample, Mapping):
        image_name = _key(sample, image_key, _IMAGE_KEYS, where)
        if image_name is None:
            raise ValueError(f"{where}: no image found among the fields {list(sample)}; name it with image_key=")
        if label_key is False or (label_key is None and len(sample) == 1):
            return sample[image_name], None
        label_name = _key(sample, label_key, _LABEL_KEYS, where)
        if label_name is None:
            raise ValueError(
                f"{where}: no label found among the fields {list(sample)}; name it with label_key=, or pass "
                "label_key=False for a dataset without labels"
            )
        return sample[image_name], sample[label_name]
    if isinstance(sample, (tuple, list)):
        if len(sample) == 1:
            return sample[0], None
        if len(sample) != 2:
            raise ValueError(f"{where}: it has {len(sample)} parts; expected an image and a label")
        return sample[0], sample[1]
    return sample, None


def _key(sample: Mapping[Any, Any], wanted: str | None, usual: Sequence[str], where: str) -> str | None:
    if wanted is not None:
        if wanted not in sample:
            raise ValueError(f"{where}: there is no field {wanted!r}; the sample has {list(sample)}")
        return wanted
    return next((key for key in usual if key in sample), None)
