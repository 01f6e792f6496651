"""Packs a folder of images as one would in Python: Pillow in one process a core, h5py; for bench_photos, which runs it.

    pack_photos.py FOLDER FILE HEIGHT WIDTH PROCESSES full|draft

`full` decodes whole images, as most scripts do; `draft` lets Pillow decode a JPEG at a half, quarter or eighth, as far
as it stays at least twice the size. Prints the seconds, without those that Python and the processes take to start.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from functools import partial
from pathlib import Path

import h5py
import numpy as np
from PIL import Image


def read_image(path: Path, height: int, width: int, draft: bool) -> np.ndarray:
    with Image.open(path) as image:
        if draft:
            image.draft("RGB", (2 * width, 2 * height))
        resized = image.convert("RGB").resize((width, height), Image.Resampling.BILINEAR)
    return np.asarray(resized)


def main() -> None:
    folder, path = Path(sys.argv[1]), sys.argv[2]
    height, width, processes = map(int, sys.argv[3:6])
    images = sorted(folder.rglob("*.*"))
    read = partial(read_image, height=height, width=width, draft=sys.argv[6] == "draft")
    with multiprocessing.Pool(processes) as pool:
        pool.map(abs, range(processes))  # until all of them have started
        start = time.perf_counter()
        with h5py.File(path, "w") as file:
            dataset = file.create_dataset("images", (len(images), height, width, 3), np.uint8)
            for at, pixels in enumerate(pool.imap(read, images, chunksize=16)):
                dataset[at] = pixels
        descriptor = os.open(path, os.O_RDWR)
        os.fsync(descriptor)
        os.close(descriptor)
        print(time.perf_counter() - start)


if __name__ == "__main__":
    main()
