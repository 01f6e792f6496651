"""Measures how many planted copies `octavo doctor` finds, and what else it reports.

    python3 bench/python/doctor_recall.py OCTAVO FILE.h5 [COUNT]

Copies COUNT (1,000) evenly chosen samples of a dataset file in each of several ways, packs them as the split `test` of a
new file whose split `train` has all samples of FILE, and counts the pairs that the doctor reports. Needs NumPy, h5py and
Pillow.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
from PIL import Image


def resized(image: Image.Image, share: float, up: Image.Resampling) -> Image.Image:
    width, height = image.size
    small = image.resize((round(width * share), round(height * share)), Image.Resampling.BILINEAR)
    return small.resize((width, height), up)


def recompressed(image: Image.Image, quality: int) -> Image.Image:
    file = io.BytesIO()
    image.save(file, "JPEG", quality=quality)
    return Image.open(file).convert(image.mode)


def cropped(image: Image.Image) -> Image.Image:
    width, height = image.size
    return image.resize(
        image.size, Image.Resampling.BILINEAR, box=(0.02 * width, 0.02 * height, 0.98 * width, 0.98 * height)
    )


WAYS: dict[str, Callable[[Image.Image], Image.Image]] = {
    "JPEG, quality 75": lambda image: recompressed(image, 75),
    "JPEG, quality 50": lambda image: recompressed(image, 50),
    "75 % and back, bilinear": lambda image: resized(image, 0.75, Image.Resampling.BILINEAR),
    "75 % and back, bicubic": lambda image: resized(image, 0.75, Image.Resampling.BICUBIC),
    "50 % and back": lambda image: resized(image, 0.5, Image.Resampling.BILINEAR),
    "brightness + 10": lambda image: image.point(lambda value: min(255, value + 10)),
    "contrast * 0.8": lambda image: image.point(lambda value: int(value * 0.8)),
    "mirrored": lambda image: image.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
    "mirrored, JPEG 75": lambda image: recompressed(image.transpose(Image.Transpose.FLIP_LEFT_RIGHT), 75),
    "rotated by 180 degrees": lambda image: image.transpose(Image.Transpose.ROTATE_180),
    "cropped by 2 % per side": cropped,
}


def samples_of(path: str) -> np.ndarray:
    """All images, uint8 [N, C, H, W]."""
    with h5py.File(path) as file:
        splits = [file[name]["images"][:] for name in file if isinstance(file[name], h5py.Group)]
    return (np.concatenate(splits).astype(np.int16) + 128).astype(np.uint8)


def copied(sample: np.ndarray, way: Callable[[Image.Image], Image.Image]) -> np.ndarray:
    image = Image.fromarray(sample[0] if len(sample) == 1 else np.ascontiguousarray(sample.transpose(1, 2, 0)))
    pixels = np.asarray(way(image))
    return pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)


def main() -> None:
    octavo, path = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    samples = samples_of(path)
    rows = np.linspace(0, len(samples) - 1, min(count, len(samples))).astype(int)
    print(f"{path}: {len(samples):,} samples, {len(rows):,} copies in each way")
    print("| copy | found | other pairs across splits |\n|---|---|---|")
    for name, way in WAYS.items():
        with tempfile.TemporaryDirectory() as folder:
            np.save(Path(folder, "train.npy"), samples)
            np.save(Path(folder, "test.npy"), np.stack([copied(samples[row], way) for row in rows]))
            packed = str(Path(folder, "copies.h5"))
            sources = [f"{split}={folder}/{split}.npy" for split in ("train", "test")]
            subprocess.run([octavo, "pack", *sources, "-o", packed, "--layout", "chw", "--quiet"],
                           check=True, capture_output=True)  # fmt: skip
            command = [octavo, "doctor", packed, "--json", "--quiet", "--examples", "100000"]
            report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        found, other = set(), 0
        for finding in report["findings"]:
            if finding["check"] not in ("near_across_splits", "equal_across_splits"):
                continue
            for example in finding["examples"]:
                train = {sample["row"] for sample in example["samples"] if sample["split"] == "train"}
                test = {sample["row"] for sample in example["samples"] if sample["split"] == "test"}
                hits = {row for row in test if rows[row] in train}
                found |= hits
                other += not hits
        print(f"| {name} | {len(found):,} ({100 * len(found) / len(rows):.1f} %) | {other:,} |", flush=True)


if __name__ == "__main__":
    main()
