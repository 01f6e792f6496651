"""Files of coded rows are decoded by a second implementation, which knows only the description of the format."""

from pathlib import Path

import numpy as np
import octavo
import pytest
from coded_rows import decoded_rows

h5py = pytest.importorskip("h5py")

GOLDEN = Path(__file__).parents[3] / "tests/golden"
ENCODINGS = ["lp8", "lc8"]


def decoded(path, split, encoding):
    with h5py.File(path) as file:
        group = file[split]
        assert group["images"].attrs["encoding"] == encoding.encode()
        return decoded_rows(group, "images", group["mean_image"].shape)


@pytest.mark.parametrize("name", ["v1-lp8", "v1-lc8", "v4-lc8"])
@pytest.mark.parametrize("split", ["train", "val"])
def test_golden_file(split, name):
    path = GOLDEN / f"{name}.h5"
    if not path.exists():
        pytest.skip("not in a source tree")
    assert np.array_equal(decoded(path, split, name[3:]), octavo.Dataset(path)[split].images[:])


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


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("max_error", [1, 2, 3])
def test_largest_error(tmp_path, max_error, encoding):
    generator = np.random.default_rng(2)
    images = np.clip(generator.normal(130, 3, (40, 3, 32, 32)) + 20 * generator.normal(size=(40, 1, 1, 1)), 0, 255)
    images = images.astype(np.uint8)
    images[0] = generator.integers(0, 256, images[0].shape)
    np.savez(tmp_path / "a.npz", x_train=images, y_train=np.arange(40) % 4)
    exact = tmp_path / "exact.h5"
    octavo.pack(tmp_path / "a.npz", exact, compress=encoding)
    path = tmp_path / "rounded.h5"
    with pytest.warns(octavo.PackingWarning, match=rf"\(largest error {max_error}, PSNR"):
        octavo.pack(tmp_path / "a.npz", path, compress=encoding, max_error=max_error)
    split = octavo.Dataset(path)["train"]
    step = 2 * max_error + 1
    rounded = (images.astype(int) + max_error) // step * step
    assert split.max_error == max_error
    assert np.array_equal(split.images[:].view(np.uint8) ^ 0x80, rounded)
    assert np.array_equal(decoded(path, "train", encoding).view(np.uint8) ^ 0x80, rounded)
    assert split.stored_bytes < octavo.Dataset(exact)["train"].stored_bytes
    assert octavo.verify(path)

    # Batches are those of a plain file with the same values.
    octavo.repack(path, tmp_path / "plain.h5", compress="none")
    assert octavo.Dataset(tmp_path / "plain.h5")["train"].max_error == 0
    augment = [octavo.augment.RandomCrop(32, padding=4), octavo.augment.ColorJitter(0.4, 0.4, 0.4, 0.1)]
    for options in ({}, {"residency": "streamed"}, {"augment": augment}):
        batches = [
            octavo.Loader(file, "train", batch_size=16, shuffle=True, seed=3, device="cpu", **options)
            for file in (path, tmp_path / "plain.h5")
        ]
        for coded, plain in zip(*batches, strict=True):
            assert np.array_equal(np.asarray(coded[0]), np.asarray(plain[0]))

    # Repacking keeps the largest error, and reports it.
    octavo.repack(path, tmp_path / "again.h5")
    assert octavo.Dataset(tmp_path / "again.h5")["train"].max_error == max_error
    figures = octavo.info(tmp_path / "again.h5")
    assert f"{encoding} with max error {max_error}" in str(figures)
    assert f"largest error {max_error}, PSNR" in figures["splits"]["train"]["loss"]
    report = octavo.report(path, device="cpu")
    assert not report["certificate"]["lossless"]
    assert report["certificate"]["psnr_db"] > 35


def test_largest_error_needs_a_compression(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((2, 8, 8), np.uint8))
    with pytest.raises(ValueError, match="compression none store values exactly; choose lp8 or lc8"):
        octavo.pack(tmp_path / "a.npy", tmp_path / "a.h5", max_error=1)
    for compress in ("lp8", "auto"):
        for max_error in (-1, 4, 100):
            with pytest.raises(ValueError, match="expected 0 to 3"):
                octavo.pack(tmp_path / "a.npy", tmp_path / "a.h5", compress=compress, max_error=max_error)


def test_two_losses(tmp_path):
    """Rounding again, and rounding what was quantized: the largest error is a bound."""
    images = np.random.default_rng(4).integers(0, 256, (30, 16, 16), np.uint8)
    np.save(tmp_path / "a.npy", images)
    with pytest.warns(octavo.PackingWarning, match="multiples of 3"):
        octavo.pack(tmp_path / "a.npy", tmp_path / "a.h5", compress="lp8", max_error=1)
    with pytest.warns(octavo.PackingWarning, match=r"multiples of 5 \(largest error at most 3\)"):
        octavo.repack(tmp_path / "a.h5", tmp_path / "b.h5", max_error=2)
    assert octavo.info(tmp_path / "b.h5")["splits"]["train"]["loss"] == "largest error at most 3"
    rounded = octavo.Dataset(tmp_path / "b.h5")["train"].images[:, 0].view(np.uint8) ^ 0x80
    assert np.abs(rounded - images.astype(int)).max() <= 3

    coarse = images.astype(np.float32)
    coarse[0, 0, 0] = 1e6
    np.save(tmp_path / "c.npy", coarse)
    with pytest.raises(ValueError, match="fewer than 16 levels"):
        octavo.pack(tmp_path / "c.npy", tmp_path / "c.h5", compress="lp8", max_error=1)
    with pytest.warns(octavo.PackingWarning):
        octavo.pack(tmp_path / "c.npy", tmp_path / "c.h5", allow_loss=True)
    with pytest.warns(octavo.PackingWarning, match="float32 values are rounded to multiples of 7 of 255"):
        octavo.repack(tmp_path / "c.h5", tmp_path / "d.h5", compress="lp8", max_error=3)
    assert "at most" in octavo.info(tmp_path / "d.h5")["splits"]["train"]["loss"]


def test_automatic_compression(tmp_path):
    height, width = np.indices((32, 32))
    images = np.stack([3 * height + 5 * width + 9 * i for i in range(50)]).astype(np.uint8)
    np.save(tmp_path / "smooth.npy", images)
    np.save(tmp_path / "noise.npy", np.random.default_rng(1).integers(0, 256, images.shape, np.uint8))

    def chosen(name, **options):
        with pytest.warns(octavo.PackingWarning, match="compression: "):
            octavo.pack(tmp_path / name, tmp_path / "a.h5", compress="auto", force=True, **options)
        return octavo.Dataset(tmp_path / "a.h5")["train"].compression

    assert chosen("smooth.npy") == "lp8"
    assert chosen("noise.npy") == "none"
    assert chosen("smooth.npy", memory=images.nbytes) == "none"
    assert chosen("smooth.npy", memory=images.nbytes - 1) == "lp8"
    assert chosen("smooth.npy", memory="1KiB") == "lc8"
    assert chosen("noise.npy", memory="1KiB") == "none"  # the smallest
    # For the speed of a model, the smallest that is decoded as fast.
    assert chosen("smooth.npy", model_speed=1) == "lc8"
    assert chosen("noise.npy", model_speed=1) == "none"
    assert chosen("smooth.npy", model_speed=1e12) == "none"
    assert chosen("smooth.npy", model_speed=1e12, max_error=1) == "lp8"
    assert chosen("smooth.npy", memory="1GiB", max_error=1) == "lp8"  # which "none" cannot have
    speeds = r"compression: lc8, .* decode at 1 samples/s \(estimates: none .*, lp8 .* at [0-9,]+ samples/s, lc8 "
    with pytest.warns(octavo.PackingWarning, match=speeds):
        octavo.pack(tmp_path / "smooth.npy", tmp_path / "s.h5", compress="auto", model_speed=1)
    with pytest.warns(octavo.PackingWarning, match="compression: lc8"):
        octavo.repack(tmp_path / "a.h5", tmp_path / "b.h5", compress="auto", memory="1KiB")
    assert octavo.Dataset(tmp_path / "b.h5")["train"].max_error == 1
    with octavo.Writer(tmp_path / "c.h5", compress="auto") as writer:
        for image in images:
            writer.append(image)
    assert octavo.Dataset(tmp_path / "c.h5")["train"].compression == "lp8"
    octavo.repack(tmp_path / "a.h5", tmp_path / "e.h5", compress="auto", memory="1GiB")  # keeps all values as they are
    assert octavo.Dataset(tmp_path / "e.h5")["train"].compression == "none"
    with pytest.raises(ValueError, match="at least 1 byte"):
        octavo.pack(tmp_path / "smooth.npy", tmp_path / "d.h5", compress="auto", memory=0)
    with pytest.raises(ValueError, match="only with compress='auto'"):
        octavo.pack(tmp_path / "smooth.npy", tmp_path / "d.h5", memory="1GiB")
    with pytest.raises(ValueError, match="only with compress='auto'"):
        octavo.pack(tmp_path / "smooth.npy", tmp_path / "d.h5", model_speed=100)
    with pytest.raises(ValueError, match=r"model_speed. is -1\.0; expected"):
        octavo.pack(tmp_path / "smooth.npy", tmp_path / "d.h5", compress="auto", model_speed=-1)
