"""Decodes LC8 rows as ``docs/format.md`` defines them ("Coded rows"), without Octavo."""

import numpy as np

CLASS_STARTS = (1, 2, 3, 5, 7, 11, 15, 23, 31, 47, 63, 95, 127, 191, 255)


class Codes:
    """The prefix codes of each class, from ``/<split>/row_tables``: ``{(bit count, bits): (base, extra bits)}``."""

    def __init__(self, stored):
        stored = iter(np.asarray(stored, np.uint8).tolist())
        self.classes = []
        for _ in range(16):
            bins, base = [], -128
            while base < 128:
                byte = next(stored)
                bins.append((byte & 15, base, byte >> 4))
                base += 1 << (byte >> 4)
            codes, code, length = {}, 0, 0
            for prefix_bits, base, extra_bits in sorted(bins):
                code <<= prefix_bits - length
                length = prefix_bits
                codes[length, code] = base, extra_bits
                code += 1
            self.classes.append(codes)
        assert next(stored, None) is None


class Bits:
    """Reads bits of the payload, from the lowest bit of each byte on."""

    def __init__(self, payload, start):
        self.value = int.from_bytes(payload.tobytes(), "little") >> start
        self.used = 0

    def take(self, count):
        taken = self.value >> self.used & (1 << count) - 1
        self.used += count
        return taken

    def residual(self, codes):
        code = length = 0
        while (length, code) not in codes:
            code = code << 1 | self.take(1)
            length += 1
        base, extra_bits = codes[length, code]
        return base + self.take(extra_bits)


def decode_row(row, shape, codes):
    """The codes of a row, int8 [C,H,W]."""
    channels, height, width = shape
    values = channels * height * width
    if len(row) == (values + 3) // 4 * 4:
        return row[:values].view(np.int8).reshape(shape)
    bands = -(-height // 64)
    band_rows = -(-height // bands)
    strips = -(-width // 8)
    groups = -(-strips // 4)
    words = row.view("<u4")
    places = words[1 : 1 + bands * groups] if bands * groups > 1 else [0]
    lengths_at = 1 + (bands * groups if bands * groups > 1 else 0)
    length_words = -(-12 * channels * bands * strips // 32)
    lengths = int.from_bytes(words[lengths_at : lengths_at + length_words].tobytes(), "little")
    payload = words[lengths_at + length_words :].view(np.uint8)
    image = np.zeros(shape, np.int8)
    strip_number = 0
    for group_number in range(bands * groups):
        band, group = divmod(group_number, groups)
        bit = 32 * int(places[group_number])
        for plane in range(channels):
            edge = None
            for strip in range(4 * group, min(4 * group + 4, strips)):
                length = lengths >> (12 * strip_number) & 4095
                strip_number += 1
                tile = image[plane, band * band_rows : (band + 1) * band_rows, 8 * strip : 8 * strip + 8]
                bits = Bits(payload, bit)
                if length == 4095:
                    for y, x in np.ndindex(tile.shape):
                        tile[y, x] = np.uint8(bits.take(8)).view(np.int8)
                    edge = [(int(code), 16) for code in tile[:, -1]]
                    bit += 8 * tile.size
                else:
                    edge = decode_strip(bits, codes, tile, edge)
                    assert bits.used == length
                    bit += length
    if channels == 3 and words[0] & 1:
        image[0] += image[1]
        image[2] += image[1]
    return image


def decode_strip(bits, codes, tile, left_edge):
    """Writes the codes of a strip to ``tile``, int8 [rows,columns]. Returns its last column: codes and magnitudes."""
    columns = tile.shape[1]
    above, magnitudes, edge = [0] * columns, [8] * columns, []
    above_left_of_strip = 0, 8
    for y in range(len(tile)):
        first = above[0], magnitudes[0]
        (left, left_magnitude), (above_left, above_left_magnitude) = (
            (first, first) if left_edge is None else (left_edge[y], above_left_of_strip)
        )
        if left_edge is not None:
            above_left_of_strip = left_edge[y]
        is_zero = left_magnitude == 0 and not any(magnitudes) and bits.take(1)
        row, row_magnitudes = [], []
        for x in range(columns):
            next_magnitude = magnitudes[min(x + 1, columns - 1)]
            around = 2 * (left_magnitude + magnitudes[x]) + above_left_magnitude + next_magnitude
            residual = 0
            if not is_zero:
                residual = bits.residual(codes.classes[sum(around >= start for start in CLASS_STARTS)])
            prediction = sorted((left, above[x], left + above[x] - above_left))[1]
            above_left, above_left_magnitude = above[x], magnitudes[x]
            left, left_magnitude = (prediction + residual + 128) % 256 - 128, abs(residual)
            row.append(left)
            row_magnitudes.append(left_magnitude)
        tile[y] = above = row
        magnitudes = row_magnitudes
        edge.append((left, left_magnitude))
    return edge
