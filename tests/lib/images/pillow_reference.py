"""The expected pixels of an image file: Pillow's decode, followed by the conversions of docs/conversions.md.

Pillow decodes. Where its conversions differ from Octavo's (16 bits, alpha, inks, orientation), this script applies the
documented formulas to Pillow's raw decode, in plain NumPy. Exits with 77 if Pillow or NumPy is missing.
"""

import struct
import sys
import zlib

try:
    import numpy
    from PIL import Image, ImageOps
except ImportError as error:
    print("missing:", error)
    sys.exit(77)

# Octavo's limit; Pillow refuses images above twice this number.
Image.MAX_IMAGE_PIXELS = (256 << 20) // 2


def narrow_16(values):
    return ((values.astype(numpy.uint32) + 128) // 257).astype(numpy.uint8)


def over(values, alpha, background):
    """round((v * a + b * (255 - a)) / 255), halves up; `values` are gray [h,w] or RGB [h,w,3]. The result is RGB."""
    if values.ndim == 2:
        values = numpy.repeat(values[:, :, None], 3, axis=2)
    alpha = alpha.astype(numpy.int64)[:, :, None]
    composed = values.astype(numpy.int64) * alpha + numpy.array(background) * (255 - alpha)
    return ((2 * composed + 255) // 510).astype(numpy.uint8)


def inks_to_light(inks):
    """255 - k, minus the fraction i / 255 of it, rounded with halves up."""
    inks = inks.astype(numpy.int64)
    left = 255 - inks[:, :, 3:]
    return (left - (2 * inks[:, :, :3] * left + 255) // 510).astype(numpy.uint8)


class Png:
    """The chunks of a PNG file and its 16-bit samples, because Pillow keeps only their upper bytes for color."""

    PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]

    def __init__(self, data):
        self.chunks = {}
        at = 8
        while at + 8 <= len(data):
            length, name = struct.unpack(">I4s", data[at : at + 8])
            self.chunks[name] = self.chunks.get(name, b"") + data[at + 8 : at + 8 + length]
            at += 12 + length
        header = struct.unpack(">IIBBBBB", self.chunks[b"IHDR"])
        self.width, self.height, self.depth, self.color_type, self.interlaced = *header[:4], header[6]

    def samples_16(self):
        channels = {0: 1, 2: 3, 4: 2, 6: 4}[self.color_type]
        samples = numpy.zeros((self.height, self.width, channels), numpy.uint16)
        data = zlib.decompress(self.chunks[b"IDAT"])
        for x, y, x_step, y_step in self.PASSES if self.interlaced else [(0, 0, 1, 1)]:
            part = samples[y::y_step, x::x_step]
            if part.size == 0:
                continue
            row_bytes, before = part.shape[1] * channels * 2, None
            for row in range(part.shape[0]):
                before = self.unfiltered(data[0], data[1 : 1 + row_bytes], before, channels * 2)
                data = data[1 + row_bytes :]
                part[row] = numpy.frombuffer(before, ">u2").reshape(part.shape[1:])
        return samples

    @staticmethod
    def unfiltered(kind, row, above, pixel_bytes):
        row = bytearray(row)
        above = above or bytes(len(row))
        for i in range(len(row)):
            left = row[i - pixel_bytes] if i >= pixel_bytes else 0
            corner = above[i - pixel_bytes] if i >= pixel_bytes else 0
            estimate = left + above[i] - corner
            nearest = min((left, above[i], corner), key=lambda value: abs(estimate - value))
            row[i] = row[i] + (0, left, above[i], (left + above[i]) // 2, nearest)[kind] & 255
        return bytes(row)


def png_in_16_bits(png, image, background):
    """16-bit color, or gray with alpha. Reads the samples here; their upper bytes must match Pillow's."""
    samples = png.samples_16()
    pillow = numpy.asarray(image).reshape(png.height, png.width, -1)
    upper = (samples >> 8).astype(numpy.uint8)
    if not numpy.array_equal(upper[:, :, :1], pillow[:, :, :1]) or not numpy.array_equal(upper[:, :, -1], pillow[:, :, -1]):
        raise AssertionError("the reference's own PNG reader differs from Pillow")
    alpha = None
    if b"tRNS" in png.chunks:
        transparent = struct.unpack(">3H", png.chunks[b"tRNS"])
        alpha = numpy.where((samples == transparent).all(axis=2), 0, 255)
    colors = narrow_16(samples)
    if png.color_type in (4, 6):
        alpha, colors = colors[:, :, -1], colors[:, :, :-1]
    if colors.shape[2] == 1:
        colors = colors[:, :, 0]
    return colors if alpha is None else over(colors, alpha, background)


def gray_of_pillow(image):
    """Gray values in 8 bits, and as stored, for comparison with the transparent value."""
    stored = numpy.asarray(image)
    if image.mode == "1":
        return stored.astype(numpy.uint8) * 255, stored
    if image.mode == "L":
        return stored, stored
    if image.mode not in ("I", "I;16", "I;16B"):
        raise AssertionError(f"no conversion is stated for Pillow's mode {image.mode}")
    return narrow_16(stored), stored


def gray(image, png, background):
    values, stored = gray_of_pillow(image)
    transparent = image.info.get("transparency")
    if png is None or transparent is None:
        return values
    # Pillow reports the transparent value as stored, but scales pixels of few bits.
    if png.depth < 8:
        transparent = transparent * 255 // ((1 << png.depth) - 1)
    return over(values, numpy.where(stored == transparent, 0, 255), background)


def colored(image, background):
    if image.mode == "CMYK":
        return inks_to_light(numpy.asarray(image))
    if image.mode == "RGB" and "transparency" in image.info and image.format == "PNG":
        values = numpy.asarray(image)
        opaque = (values != image.info["transparency"]).any(axis=2)
        return over(values, numpy.where(opaque, 255, 0), background)
    if image.mode in ("P", "PA", "LA", "RGBA", "RGBa"):
        values = numpy.asarray(image.convert("RGBA"))
        return over(values[:, :, :3], values[:, :, 3], background)
    return numpy.asarray(image.convert("RGB"))


def is_lossy(data, image):
    if image.format == "TIFF":
        return image.info.get("compression") in ("jpeg", "webp")
    return image.format == "JPEG" or (image.format == "WEBP" and b"VP8 " in data[:4096])


def orientation_of(image):
    return image.getexif().get(0x0112, 1) if image.format in ("JPEG", "PNG", "WEBP", "TIFF") else 1


def conversions(image, png, orientation):
    """The conversions applied here to Pillow's raw decode, in words."""
    notes = []
    if (png and png.depth == 16) or image.mode in ("I", "I;16", "I;16B"):
        notes.append("16 bits by (v + 128) / 257")
    if image.mode in ("LA", "RGBA", "PA", "RGBa") or "transparency" in image.info:
        notes.append("alpha over the background")
    if image.mode == "CMYK":
        notes.append("inks by the stated formula")
    if orientation in range(2, 9):
        notes.append("turned upright")
    return notes


def decode(path, background):
    """Returns uint8 [h,w] or [h,w,3], whether the format is lossy, and notes. Raises Pillow's exceptions."""
    with open(path, "rb") as file:
        data = file.read()
    with Image.open(path) as image:
        orientation = orientation_of(image)  # before decoding, because Pillow then closes some files
        image.load()
        png = Png(data) if image.format == "PNG" else None
        notes, lossy = conversions(image, png, orientation), is_lossy(data, image)
        # Pillow rotates TIFF files itself.
        is_turned = orientation in range(2, 9) and image.format != "TIFF"
        upright = ImageOps.exif_transpose(image) if is_turned else image
        if png and png.depth == 16 and png.color_type != 0:
            pixels = png_in_16_bits(png, image, background)
        elif image.mode in ("1", "L", "I", "I;16", "I;16B"):
            pixels = gray(upright, png, background)
        else:
            pixels = colored(upright, background)
        return pixels, lossy, notes
