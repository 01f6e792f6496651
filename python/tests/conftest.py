"""Small dataset files with known contents."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import octavo
import pytest


@dataclass
class Packed:
    """A dataset file and its contents: `values` uint8 [N, C, H, W]."""

    path: Path
    values: np.ndarray
    labels: np.ndarray

    @property
    def codes(self) -> np.ndarray:
        return (self.values.astype(np.int16) - 128).astype(np.int8)


def write_packed(path: Path, count: int, shape: tuple[int, int, int], classes: int = 10, **options) -> Packed:
    rng = np.random.default_rng(3)
    values = rng.integers(0, 256, (count, *shape), dtype=np.uint8)
    labels = np.arange(count) % classes
    with octavo.Writer(path, classes=[f"class {i}" for i in range(classes)], layout="chw", **options) as writer:
        for image, label in zip(values, labels, strict=True):
            writer.append(image, label)
    return Packed(path, values, labels)


@pytest.fixture
def packed(tmp_path: Path) -> Packed:
    return write_packed(tmp_path / "data.h5", 47, (3, 8, 6))


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Packed:
    """Large enough to split batches between threads: 3,000 images of 3x32x32."""
    return write_packed(tmp_path_factory.mktemp("large") / "large.h5", 3000, (3, 32, 32))


def centered(packed: Packed, rows: np.ndarray, center: float | np.ndarray, divisor: float | np.ndarray) -> np.ndarray:
    """The defined arithmetic: fmaf(code, a, b), one rounding; a and b are folded in double and rounded once.

    In double the product of an 8-bit code and a float32, plus a float32 of similar size, is exact.
    """
    a = np.float32(1.0 / np.asarray(divisor, np.float64))
    b = np.float32((128.0 - np.asarray(center, np.float64)) / divisor)
    codes = packed.codes[rows].astype(np.float64)
    if np.ndim(a):
        a, b = a.reshape(-1, 1, 1), b.reshape(-1, 1, 1)
    return (codes * np.float64(a) + np.float64(b)).astype(np.float32)
