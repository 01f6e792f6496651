"""Files of coded rows are decoded by a second implementation, which knows only the description of the format."""

from pathlib import Path

import numpy as np
import octavo
import pytest
from coded_rows import decoded_rows

h5py = pytest.importorskip("h5py")

GOLDEN = Path(__file__).parents[2] / "tests/golden"
ENCODINGS = ["lp8", "lc8"]


def decoded(path, split, encoding):
    with h5py.File(path) as file:
        group = file[split]
        assert group["images"].attrs["encoding"] == encoding.encode()
        return decoded_rows(group, "images", group["mean_image"].shape)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("split", ["train", "val"])
def test_golden_file(split, encoding):
    path = GOLDEN / f"v1-{encoding}.h5"
    if not path.exists():
        pytest.skip("not in a source tree")
    assert np.array_equal(decoded(path, split, encoding), octavo.Dataset(path)[split].images[:])


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 32, 32), (1, 33, 13), (3, 70, 20), (1, 28, 28), (1, 9, 45)])
def test_packed_images(tmp_path, shape, encoding):
    generator = np.random.default_rng(1)
    height, width = np.indices(shape[1:])
    steps = 9 * np.arange(6)[:, None, None, None]
    images = (3 * height + 5 * width + generator.integers(0, 6, (6, *shape)) + steps) % 256
    images[4] = generator.integers(0, 256, shape)
    images[5] = 200
    images[3, :, ::2, :8] = generator.integers(0, 256, images[3, :, ::2, :8].shape)  # strips that do not shrink
    images = images.astype(np.uint8)
    np.save(tmp_path / "a.npy", images)
    octavo.pack(tmp_path / "a.npy", tmp_path / "a.h5", compress=encoding)
    assert np.array_equal(decoded(tmp_path / "a.h5", "train", encoding).view(np.uint8) ^ 0x80, images)
    assert octavo.verify(tmp_path / "a.h5")
