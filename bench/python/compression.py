"""How small are packed images, compared with float32 and with image formats, on the same pixels?

    python3 bench/python/compression.py [--size SIDE] [--limit N] SOURCE...

SOURCE is anything that `octavo pack` reads. Packs it plain, with deflate, LP8 and LC8, which must give the same pixels,
and with largest errors of 1 to 3, which no pixel may exceed. Encodes each image as PNG, WebP, QOI and JPEG XL, losslessly,
as far as these are installed. Prints how many
times smaller each is than float32. Octavo's figures count the images and, for LP8 and LC8, the 4 bytes of each size, without
labels and checksums; those of image formats count whole files. Needs NumPy and Pillow; optional: the packages `qoi` and `pillow-jxl-plugin`.
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import octavo
from PIL import Image


def pillow_bytes(pixels: np.ndarray, kind: str, **options: object) -> int:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind, **options)
    return file.tell()


def formats() -> dict[str, Callable[[np.ndarray], int]]:
    """The bytes of an image, uint8 [H,W] or [H,W,3], in each format that is installed."""
    found: dict[str, Callable[[np.ndarray], int]] = {"PNG, optimized": lambda p: pillow_bytes(p, "PNG", optimize=True)}
    if "WEBP" in Image.registered_extensions().values():
        found["WebP, lossless"] = lambda p: pillow_bytes(p, "WEBP", lossless=True, quality=100, method=6)
    if importlib.util.find_spec("qoi"):
        import qoi

        found["QOI"] = lambda p: len(
            qoi.encode(np.repeat(p[..., None], 3, 2) if p.ndim == 2 else np.ascontiguousarray(p))
        )
    if importlib.util.find_spec("pillow_jxl"):
        import pillow_jxl  # noqa: F401

        found["JPEG XL, lossless"] = lambda p: pillow_bytes(p, "JXL", lossless=True)
    return found


def pixels_of(split: octavo.Split) -> np.ndarray:
    """uint8 [N,C,H,W]."""
    return split.images[:].view(np.uint8) ^ 0x80


def measure(source: str, size: int | None, limit: int | None, folder: Path) -> None:
    """Prints the table of one source."""
    options = {"size": size} if size else {}
    octavo.pack(source, folder / "plain.h5", limit=limit, **options)
    plain = octavo.Dataset(folder / "plain.h5")
    split = plain.split()
    pixels = pixels_of(split)
    rows = [("float32", 4.0 * pixels.size), ("int8 (Octavo)", float(pixels.size))]
    for compress in ("deflate", "lp8", "lc8"):
        octavo.repack(folder / "plain.h5", folder / f"{compress}.h5", compress=compress)
        coded = octavo.Dataset(folder / f"{compress}.h5").split()
        if not np.array_equal(pixels_of(coded), pixels):
            raise SystemExit(f"{compress} gives other pixels")
        # Coded rows also have the size of each sample, in 4 bytes.
        sizes = 4.0 * len(coded) if compress != "deflate" else 0.0
        rows.append((f"{compress} (Octavo)", coded.stored_bytes + sizes))
    for compress in ("lp8", "lc8"):
        for max_error in (1, 2, 3):
            path = folder / f"{compress}-{max_error}.h5"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", octavo.PackingWarning)
                octavo.repack(folder / "plain.h5", path, compress=compress, max_error=max_error)
            coded = octavo.Dataset(path).split()
            errors = np.abs(pixels_of(coded).astype(np.int16) - pixels)
            if errors.max() > max_error:
                raise SystemExit(f"{compress} changes a value by {errors.max()}, more than {max_error}")
            psnr = 10 * np.log10(255**2 / np.mean(errors.astype(np.float64) ** 2))
            name = f"{compress}, max error {max_error} ({psnr:.1f} dB)"
            rows.append((name, coded.stored_bytes + 4.0 * len(coded)))
    images = pixels.transpose(0, 2, 3, 1)
    if images.shape[3] not in (1, 3):
        print("image formats need 1 or 3 channels")
    else:
        images = images[..., 0] if images.shape[3] == 1 else images
        rows += [(name, float(sum(map(count, images)))) for name, count in formats().items()]
    shape = "x".join(map(str, split.shape))
    print(f"\n{Path(source).name}: {len(split):,} images of {shape}\n")
    print("| form | bytes per image | times smaller than float32 |\n|---|---|---|")
    for name, count in rows:
        print(f"| {name} | {count / len(split):,.0f} | {rows[0][1] / count:.2f} |")


def main() -> None:
    """Measures each source."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", nargs="+")
    parser.add_argument("--size", type=int, help="resize images to squares of this side")
    parser.add_argument("--limit", type=int, help="pack at most this many images")
    arguments = parser.parse_args()
    for source in arguments.source:
        with tempfile.TemporaryDirectory() as folder:
            measure(source, arguments.size, arguments.limit, Path(folder))


if __name__ == "__main__":
    main()
