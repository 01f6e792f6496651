#!/usr/bin/env python3
"""Writes the four data files in this folder from scikit-learn's copy of the digits (needs scikit-learn and NumPy)."""
import gzip
import pathlib
import struct

import numpy
import sklearn.datasets

TRAIN_COUNT = 1437


def idx_bytes(array):
    """The array as an IDX file of unsigned bytes: 0, 0, type 8, rank, big-endian extents, values."""
    extents = b"".join(struct.pack(">I", extent) for extent in array.shape)
    return struct.pack(">HBB", 0, 8, array.ndim) + extents + array.astype(numpy.uint8).tobytes()


def main():
    digits = sklearn.datasets.load_digits()
    images, labels = digits.images, digits.target
    assert images.shape == (1797, 8, 8) and images.min() == 0 and images.max() == 16
    pixels = numpy.rint(images * 255 / 16)  # rint rounds halves to even; the one tie, 8 -> 127.5, becomes 128

    folder = pathlib.Path(__file__).parent
    splits = {"train": slice(0, TRAIN_COUNT), "t10k": slice(TRAIN_COUNT, None)}
    for name, rows in splits.items():
        for kind, array in (("images-idx3", pixels[rows]), ("labels-idx1", labels[rows])):
            # No name or time in the header, so every run with the same zlib writes the same bytes.
            packed = gzip.compress(idx_bytes(array), compresslevel=9, mtime=0)
            (folder / f"{name}-{kind}-ubyte.gz").write_bytes(packed)


if __name__ == "__main__":
    main()
