"""Writes small image files in every format and mode that Pillow can write; exits with 77 if Pillow is missing.

usage: make_with_pillow.py FOLDER
"""

import io
import os
import struct
import sys

try:
    import numpy
    from PIL import Image, ImageCms, PngImagePlugin, features
except ImportError as error:
    print("missing:", error)
    sys.exit(77)

WIDTH, HEIGHT = 37, 23
ORIENTATION = 0x0112


def picture():
    """Gradients with some noise, so that no two rows are equal."""
    y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH]
    ramps = numpy.stack([x * 6, y * 11, (x + y) * 4], axis=2)
    noise = numpy.random.default_rng(7).integers(0, 16, ramps.shape)
    return Image.fromarray((ramps + noise).clip(0, 255).astype(numpy.uint8))


def exif(orientation):
    block = Image.Exif()
    block[ORIENTATION] = orientation
    return block


def app1(body):
    return b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body


def wide_gray():
    values = numpy.asarray(picture().convert("L")).astype(numpy.uint16) * 257
    return Image.fromarray(values + numpy.arange(WIDTH, dtype=numpy.uint16) * 5 % 200)


def pictures():
    """The images to save, by mode. Each one is saved in all formats that support its mode."""
    rgb = picture()
    alpha = Image.fromarray((numpy.arange(WIDTH * HEIGHT) % 256).astype(numpy.uint8).reshape(HEIGHT, WIDTH))
    rgba = rgb.copy()
    rgba.putalpha(alpha)
    return {
        "1": rgb.convert("1"),
        "L": rgb.convert("L"),
        "LA": rgba.convert("LA"),
        "P": rgb.quantize(40),
        "RGB": rgb,
        "RGBA": rgba,
        "CMYK": rgb.convert("CMYK"),
        "YCbCr": rgb.convert("YCbCr"),
        "I;16": wide_gray(),
        "I": rgb.convert("L").convert("I"),
        "F": rgb.convert("L").convert("F"),
        "LAB": ImageCms.profileToProfile(rgb, ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB"), outputMode="LAB"),
    }


class Maker:
    def __init__(self, folder):
        self.folder = folder
        self.pictures = pictures()

    def path(self, name):
        return os.path.join(self.folder, name)

    def save(self, name, mode, **options):
        self.pictures[mode].save(self.path(name), **options)

    def text(self, name, head, values):
        with open(self.path(name), "wb") as file:
            file.write(head.encode() + values)

    def jpeg_of(self, mode, **options):
        file = io.BytesIO()
        self.pictures[mode].save(file, "JPEG", quality=95, **options)
        return file.getvalue()

    def jpeg(self):
        for mode in ("L", "RGB", "CMYK"):
            self.text(f"{mode}.jpg", "", self.jpeg_of(mode))
        inks, rgb = self.jpeg_of("CMYK"), self.jpeg_of("RGB")
        at = inks.index(b"\xff\xee")
        self.text("CMYK_without_adobe.jpg", "", inks[:at] + inks[at + 2 + struct.unpack(">H", inks[at + 2 : at + 4])[0] :])
        # Transform 2 in the last byte of the marker means YCCK.
        self.text("YCCK.jpg", "", inks[: at + 15] + b"\2" + inks[at + 16 :])
        first, second = app1(exif(3).tobytes()), app1(exif(6).tobytes())
        self.text("two_exif.jpg", "", rgb[:2] + first + second + rgb[2:])
        scan = rgb.index(b"\xff\xda")
        last = scan + 6 + 2 * rgb[scan + 4]  # the last coefficient of the scan
        self.text("zero_se.jpg", "", rgb[:last] + b"\0" + rgb[last + 1 :])
        progressive = self.jpeg_of("RGB", progressive=True)
        scan = progressive.index(b"\xff\xda")
        end = progressive.index(b"\xff\xc4", scan)
        self.text("repeated_scan.jpg", "", progressive[:end] + progressive[scan:])

    def png(self):
        for orientation in range(1, 9):
            self.save(f"turned_{orientation}.png", "RGB", exif=exif(orientation))
        packet = PngImagePlugin.PngInfo()
        packet.add_itxt("XML:com.adobe.xmp", '<rdf:Description tiff:Orientation="8"/>')
        self.save("turned_by_xmp.png", "RGB", pnginfo=packet)
        self.save("turned_by_exif.png", "LA", pnginfo=packet, exif=exif(5))

    def bmp(self):
        for mode in ("1", "L", "P", "RGB", "RGBA"):
            self.save(f"{mode}.bmp", mode)

    def gif(self):
        for mode in ("1", "L", "P", "RGB"):
            self.save(f"{mode}.gif", mode)
        self.save("not_interlaced.gif", "P", interlace=0)
        self.save("transparent.gif", "P", transparency=3)
        self.save("transparent_gray.gif", "L", transparency=100)
        self.save("animated.gif", "P", save_all=True, append_images=[self.pictures["L"].convert("P")])
        self.save("optimized.gif", "P", optimize=True)

    def pnm(self):
        for mode, name in (("1", "raw.pbm"), ("L", "raw.pgm"), ("RGB", "raw.ppm"), ("I", "wide.pgm")):
            self.save(name, mode)
        size = f"# a comment\n{WIDTH} {HEIGHT}\n"
        gray = numpy.asarray(self.pictures["L"])
        words = lambda values: " ".join(str(value) for value in values.ravel()).encode()
        self.text("plain.pbm", f"P1\n{size}", (gray > 99).astype(numpy.uint8).tobytes().replace(b"\0", b"0").replace(b"\1", b"1"))
        self.text("plain.pgm", f"P2\n{size}255\n", words(gray))
        self.text("plain.ppm", f"P3\n{size}255 #\n", words(numpy.asarray(self.pictures["RGB"])))
        self.text("plain_101.pgm", f"P2\n{size}101\n", words(gray % 102))
        self.text("comment.pgm", f"P5\n{size}255# a comment\n\n", gray.tobytes())
        self.text("raw_101.pgm", f"P5\n{size}101\n", (gray % 102).tobytes())
        wide = numpy.asarray(self.pictures["RGB"]).astype(">u2") * 4 + 3
        self.text("raw_1023.ppm", f"P6\n{size}1023\n", wide.astype(">u2").tobytes())

    def tiff(self):
        compressions = {
            "1": ("raw", "tiff_ccitt", "group3", "group4", "tiff_lzw", "packbits"),
            "L": ("raw", "tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg", "lzma", "zstd"),
            "RGB": ("raw", "tiff_lzw", "tiff_deflate", "packbits", "jpeg", "lzma", "zstd", "webp"),
            "P": ("raw", "tiff_lzw"),
            "RGBA": ("raw", "tiff_lzw", "webp"),
            "CMYK": ("raw", "tiff_lzw", "jpeg"),
            "I;16": ("raw", "tiff_lzw"),
            "LA": ("raw", "tiff_adobe_deflate"),
            "YCbCr": ("jpeg",),
            "I": ("raw",),
            "F": ("raw",),
            "LAB": ("raw",),
        }
        for mode, names in compressions.items():
            for name in names:
                self.save(f"{mode.replace(';', '_')}_{name}.tif", mode, compression=None if name == "raw" else name)
        for orientation in range(1, 9):
            self.save(f"turned_{orientation}.tif", "RGB", tiffinfo={ORIENTATION: orientation})
        self.save("pages.tif", "RGB", save_all=True, append_images=[self.pictures["L"]])

    def webp(self):
        if not features.check("webp"):
            return
        for mode in ("L", "P", "RGB", "RGBA", "LA"):
            self.save(f"{mode}_lossy.webp", mode)
            self.save(f"{mode}_lossless.webp", mode, lossless=True)
        self.save("animated.webp", "RGBA", save_all=True, append_images=[self.pictures["RGB"]], lossless=True)
        self.save("animated_lossy.webp", "RGB", save_all=True, append_images=[self.pictures["RGBA"]])
        for orientation in range(1, 9):
            self.save(f"turned_{orientation}.webp", "RGB", exif=exif(orientation), lossless=True)


def main():
    maker = Maker(sys.argv[1])
    for format_name in ("bmp", "gif", "jpeg", "png", "pnm", "tiff", "webp"):
        getattr(maker, format_name)()


main()
