"""Random augmentation of the images of a batch, in the same kernel that makes the batch.

>>> from octavo import augment
>>> loader = octavo.Loader(
...     "cifar10.h5", batch_size=500, shuffle=True, normalize="standard",
...     augment=[augment.RandomCrop(padding=4), augment.HorizontalFlip(), augment.Cutout(8)],
... )

Operations are applied in the given order. Each image has its own random numbers. They depend on the seed, the epoch,
the index of the sample, the view and the kind of the operation, and on nothing else: not on the batch size, the rank,
the residency, the number of threads or the device. The page *Numerics* of the documentation defines every bit.

Operations change stored values, 0 ... 255, before the normalization. Only `NormalizedJitter`, and erasures with
``normalized=True``, change normalized values; they come last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _augment_types
from ._augment_arguments import explain_arguments
from ._augment_base import Operation, Parameters
from ._augment_types import *  # noqa: F403
from ._conversion.foreign_transforms import replacement_of

__all__ = ["Operation", *_augment_types.__all__]


if not TYPE_CHECKING:  # a type checker would accept every name

    def __getattr__(name):
        """Raises AttributeError, which names the operation that replaces a transform of another library."""
        remedy = replacement_of(name)
        raise AttributeError(f"octavo.augment has no {name}{f'; {remedy}' if remedy else ''}", name=name)


for _name in _augment_types.__all__:
    _type = globals()[_name]
    if isinstance(_type, type) and issubclass(_type, Parameters):
        _type.__module__ = __name__  # where users find it, and pickles look for it
        explain_arguments(_type)
