"""Reads coded rows with h5py, and decodes them without Octavo."""

import lc8_decoder
import lp8_decoder
import numpy as np


def stored_rows(group, name="images"):
    """The rows of ``/<split>/images``, or ``masks``, as a list of arrays of bytes."""
    sizes = group[("mask_" if name == "masks" else "") + "row_bytes"][:]
    ends = np.cumsum(sizes, dtype=np.int64)
    rows = group[name][:]
    return [np.asarray(rows[end - size : end], np.uint8) for end, size in zip(ends, sizes, strict=True)]


def decoded_rows(group, name, shape):
    """The codes of all rows, int8 [N,C,H,W]."""
    rows = stored_rows(group, name)
    if group[name].attrs["encoding"] == b"lp8":
        decoded = np.stack([lp8_decoder.decode_row(row, shape) for row in rows])
    else:
        codes = lc8_decoder.Codes(group[("mask_" if name == "masks" else "") + "row_tables"][:])
        decoded = np.stack([lc8_decoder.decode_row(row, shape, codes) for row in rows])
    step = np.uint8(2 * group[name].attrs.get("max_error", 0) + 1)
    return ((decoded.view(np.uint8) ^ 0x80) * step ^ 0x80).view(np.int8)
