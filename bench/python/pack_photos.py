"""Packs a folder of images with Pillow, in one process per core, and h5py; run by bench_photos.

    pack_photos.py FOLDER FILE HEIGHT WIDTH PROCESSES full|draft

`full` decodes whole images, as most scripts do; `draft` lets Pillow decode a JPEG at 1/2, 1/4 or 1/8 of its size, if
the result is at least twice the target size. Prints the seconds, without the start of Python and the processes.
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
        pool.map(abs, range(processes))  # waits until all of them have started
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
