"""Makes large JPEGs of the size of camera images, as mosaics of small photographs; for bench_photos.

    make_mosaics.py FOLDER OUT COUNT WIDTH HEIGHT

Each of the COUNT files shows a different selection of the images below FOLDER, at quality 90.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from PIL import Image


def main() -> None:
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    count, width, height = map(int, sys.argv[3:6])
    photos = [Image.open(path).convert("RGB") for path in sorted(folder.rglob("*.jpg"))]
    out.mkdir(parents=True)
    for number in range(count):
        choice = random.Random(number)
        mosaic = Image.new("RGB", (width, height))
        top = 0
        while top < height:
            left, lowest = 0, height
            while left < width:
                photo = choice.choice(photos)
                mosaic.paste(photo, (left, top))
                left += photo.width
                lowest = min(lowest, photo.height)
            top += lowest
        mosaic.save(out / f"{number:06}.jpg", quality=90)


if __name__ == "__main__":
    main()
