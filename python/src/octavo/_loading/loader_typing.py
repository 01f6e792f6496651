"""What type checkers know about the batches of a loader."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from typing_extensions import TypeVar

    #: The type of a batch for callers: (images, labels), or (images, masks, labels) for a split with masks; or the same
    #: as a mapping. Labels are None for a split without labels. A tuple of any length is unpacked without a cast.
    BatchT = TypeVar("BatchT", default=tuple[torch.Tensor, ...])
else:
    from typing import TypeVar

    BatchT = TypeVar("BatchT")
