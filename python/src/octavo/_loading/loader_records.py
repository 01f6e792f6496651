"""What a loader reports about a batch that it made."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple


@dataclasses.dataclass(frozen=True)
class DrawnSample:
    """A sample of a batch, and what the augmentation drew for it."""

    #: Its index in the split.
    index: int
    #: For each of its images (one without `views`), the steps that changed it: (name, numbers), such as
    #: ``("crop", {"top": -2.0, "left": 3.0})``; docs/numerics.md, "Replay", lists them.
    views: list[list[tuple[str, dict[str, float]]]]
    #: If it is mixed: ``("mixup", {"partner": 7, "own": 0.8, "other": 0.2})``, or ``"cutmix"`` with a rectangle.
    mix: tuple[str, dict[str, float]] | None


class Share(NamedTuple):
    """What a rank has of a batch."""

    #: Samples that no other rank has.
    own: int
    #: Samples after them that repeat others of the batch; see `equal_shares`.
    repeats: int
    #: Samples of all ranks, without repeats.
    batch: int
    #: The factor for the mean loss over the own samples of a rank with which an average over ranks, such as
    #: ``DistributedDataParallel`` takes of gradients, is the mean over the batch.
    loss_scale: float
