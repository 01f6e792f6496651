"""How many images a writer changed, and the notes about them."""

from __future__ import annotations

from dataclasses import dataclass

from .images import Turn


@dataclass
class ConversionCounts:
    """How many images a writer changed, or left as they are although it changes others."""

    #: Images with one channel, which may become RGB.
    gray: int = 0
    #: Images that were turned upright.
    turned: int = 0
    #: Images that stayed as stored, because their masks have that size.
    kept: int = 0

    def add(self, turn: Turn) -> None:
        """Counts what became of the EXIF orientation of an image."""
        self.turned += turn == "turned"
        self.kept += turn == "kept"

    def notes(self, sample_count: int, has_become_rgb: bool) -> list[str]:
        """A sentence for each kind of change."""
        notes = []
        if self.gray and has_become_rgb:
            images = "1 gray image" if self.gray == 1 else f"{self.gray:,} gray images"
            notes.append(
                f"{images} of {sample_count:,} became RGB, as the others are; for gray samples, pass channels=1"
            )
        if self.turned:
            images, its = ("1 image was", "its") if self.turned == 1 else (f"{self.turned:,} images were", "their")
            notes.append(f"{images} turned upright, as {its} EXIF orientation says")
        if self.kept:
            one = self.kept == 1
            images, its = (
                ("1 image with a mask was", "its") if one else (f"{self.kept:,} images with a mask were", "their")
            )
            notes.append(
                f"{images} not turned upright as {its} EXIF orientation says, to stay aligned with {its} mask; for "
                "upright samples, turn both before packing"
            )
        return notes
