"""The dataset that a writer appends to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..dataset import Dataset


class StoredFile:
    """The dataset that a writer appends to, and what new samples must have in common with it."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        #: Whether samples can be added to its splits.
        self.has_shards = "shards" in dataset.provenance
        #: The shapes of its splits by name.
        self.shapes = {split.name: tuple(split.shape) for split in dataset}

    def check_classes(self, classes: Sequence[str]) -> None:
        """Raises ValueError if the file has classes, and lacks one of these."""
        known = dict.fromkeys(self._dataset.classes)
        missing = [name for name in classes if name not in known]
        if known and missing:
            raise ValueError(
                f"append to {str(self._dataset.path)!r}: the file has no class {missing[0]!r}; its classes are "
                f"{', '.join(list(known)[:8])}; accept this with allow_mismatch=True"
            )

    def check_mask_classes(self, names: Mapping[int, str]) -> None:
        """Raises ValueError if a mask value means another class in the file."""
        known = self._dataset.mask_classes if any(split.has_masks for split in self._dataset) else {}
        for value in sorted(known.keys() & names.keys()):
            if known[value] != names[value]:
                raise ValueError(
                    f"append to {str(self._dataset.path)!r}: mask value {value} is {known[value]!r} in the file, but "
                    f"{names[value]!r} in mask_colors; give the classes the numbers of the file"
                )
