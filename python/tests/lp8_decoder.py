"""Decodes LP8 rows as ``docs/format.md`` defines them ("Coded rows"), without Octavo."""

import numpy as np


def decode_row(row, shape):
    """The codes of a row, int8 [C,H,W]."""
    channels, height, width = shape
    values = channels * height * width
    if len(row) == (values + 3) // 4 * 4:
        return row[:values].view(np.int8).reshape(shape)
    bands = -(-height // 32)
    band_rows = -(-height // bands)
    columns = -(-width // 8)
    tiles = channels * bands * columns
    records = row[: 16 * tiles].view("<u4").reshape(channels, bands, columns, 4)
    payload = row[16 * tiles :]
    codes = np.zeros(shape, np.uint8)
    for plane in range(channels):
        for band in range(bands):
            for column in range(columns):
                tile = codes[plane, band * band_rows : (band + 1) * band_rows, 8 * column : 8 * column + 8]
                decode_tile(records[plane, band, column], payload, tile)
    if channels == 3 and records[0, 0, 0, 3] >> 23 & 1:
        codes[0] += codes[1]
        codes[2] += codes[1]
    return codes.view(np.int8)


def decode_tile(record, payload, tile):
    """Writes the codes of a tile to ``tile``, uint8 [rows,columns]."""
    numbers = int.from_bytes(record[:3].tobytes(), "little")
    place = int(record[3])
    at = 4 * (place & 0x3FFFFF)
    is_vertical = place >> 22 & 1
    above = np.full(tile.shape[1], place >> 24, np.uint8)
    for y in range(len(tile)):
        number = numbers >> (3 * y) & 7
        width = 8 if number == 7 else number
        size = -(-width * tile.shape[1] // 8)
        bits = int.from_bytes(payload[at : at + size].tobytes(), "little")
        at += size
        residuals = [(bits >> (width * x) & (1 << width) - 1) - (1 << width >> 1) for x in range(tile.shape[1])]
        steps = np.array(residuals) if is_vertical else np.cumsum(residuals)
        above = tile[y] = (above + steps & 0xFF).astype(np.uint8)
