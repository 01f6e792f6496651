"""Times h5py writing and reading gzip-compressed images; run by bench_deflate.

    deflate_h5py.py write RAW FILE N C H W CHUNK_SAMPLES LEVEL    RAW: the int8 values in sequence
    deflate_h5py.py read FILE DATASET

Prints the seconds, without the start of Python; `read` also prints the sum of the values.
"""

from __future__ import annotations

import os
import sys
import time

import h5py
import numpy as np


def write(raw: str, path: str, axes: list[int], chunk_samples: int, level: int) -> None:
    values = np.fromfile(raw, np.int8).reshape(axes)
    start = time.perf_counter()
    with h5py.File(path, "w") as file:
        images = file.create_dataset(
            "images", axes, np.int8, chunks=(chunk_samples, *axes[1:]), compression="gzip", compression_opts=level
        )
        for first in range(0, axes[0], chunk_samples):
            images[first : first + chunk_samples] = values[first : first + chunk_samples]
    descriptor = os.open(path, os.O_RDWR)
    os.fsync(descriptor)
    os.close(descriptor)
    print(time.perf_counter() - start)


def read(path: str, dataset: str) -> None:
    with h5py.File(path) as file:
        start = time.perf_counter()
        values = file[dataset][:]
        seconds = time.perf_counter() - start
    print(seconds, values.sum(dtype=np.int64))


if __name__ == "__main__":
    verb, *arguments = sys.argv[1:]
    if verb == "write":
        raw, path, *numbers = arguments
        n, c, h, w, chunk_samples, level = map(int, numbers)
        write(raw, path, [n, c, h, w], chunk_samples, level)
    else:
        read(*arguments)
