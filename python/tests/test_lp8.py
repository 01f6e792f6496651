"""LP8 files are decoded by a second implementation, which knows only the description of the format."""

from pathlib import Path

import numpy as np
import octavo
import pytest
from lp8_decoder import decode_row, rows_of

h5py = pytest.importorskip("h5py")

GOLDEN = Path(__file__).parents[2] / "tests/golden/v1-lp8.h5"


def decoded(path, split):
    with h5py.File(path) as file:
        group = file[split]
        assert group["images"].attrs["encoding"] == b"lp8"
        shape = group["mean_image"].shape
        rows = rows_of(group["images"][:], group["row_bytes"][:])
    return np.stack([decode_row(row, shape) for row in rows])


@pytest.mark.parametrize("split", ["train", "val"])
def test_golden_file(split):
    if not GOLDEN.exists():
        pytest.skip("not in a source tree")
    assert np.array_equal(decoded(GOLDEN, split), octavo.Dataset(GOLDEN)[split].images[:])


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 32, 32), (1, 33, 13), (3, 70, 20), (1, 28, 28)])
def test_packed_images(tmp_path, shape):
    generator = np.random.default_rng(1)
    height, width = np.indices(shape[1:])
    steps = 9 * np.arange(6)[:, None, None, None]
    images = (3 * height + 5 * width + generator.integers(0, 6, (6, *shape)) + steps) % 256
    images[4] = generator.integers(0, 256, shape)
    images[5] = 200
    images = images.astype(np.uint8)
    np.save(tmp_path / "a.npy", images)
    octavo.pack(tmp_path / "a.npy", tmp_path / "a.h5", compress="lp8")
    assert np.array_equal(decoded(tmp_path / "a.h5", "train").view(np.uint8) ^ 0x80, images)
    assert octavo.verify(tmp_path / "a.h5")
