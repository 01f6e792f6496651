"""Packing files, and samples produced by Python code."""

from __future__ import annotations

import gc
import gzip
import os
import shutil
import signal
import struct
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import h5py
import numpy as np
import octavo
import pytest
from PIL import Image


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if not path.name.endswith(".lock")}


def values_of(path: Path, split: str = "train") -> np.ndarray:
    return np.asarray(octavo.Dataset(path).split(split).images).view(np.uint8) ^ 0x80


def write_idx(folder: Path, images: np.ndarray, labels: np.ndarray) -> None:
    header = struct.pack(">IIII", 0x803, *images.shape)
    (folder / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(header + images.tobytes()))
    (folder / "train-labels-idx1-ubyte").write_bytes(struct.pack(">II", 0x801, len(labels)) + labels.tobytes())


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    for number in range(6):
        folder = tmp_path / "photos" / f"class{number % 2}"
        folder.mkdir(parents=True, exist_ok=True)
        Image.fromarray(rng.integers(0, 256, (20 + number, 30, 3), dtype=np.uint8)).save(folder / f"{number}.png")
    return tmp_path / "photos"


def test_pack_gives_the_same_file_as_the_command(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    images, labels = rng.integers(0, 256, (50, 5, 4), dtype=np.uint8), rng.integers(0, 10, 50, dtype=np.uint8)
    (tmp_path / "idx").mkdir()
    write_idx(tmp_path / "idx", images, labels)
    summary = octavo.pack(tmp_path / "idx", tmp_path / "out.h5", classes=list("abcdefghij"), names=True)
    assert summary.splits == {"train": 50}
    assert summary.packed_bytes == 1000
    assert summary.file_bytes == (tmp_path / "out.h5").stat().st_size
    np.testing.assert_array_equal(values_of(tmp_path / "out.h5")[:, 0], images)
    train = octavo.Dataset(tmp_path / "out.h5").split()
    np.testing.assert_array_equal(train.labels, labels)
    assert train.classes == list("abcdefghij")
    # Other HDF5 programs can read the file too.
    with h5py.File(tmp_path / "out.h5") as file:
        np.testing.assert_array_equal(file["train/images"][:].view(np.uint8)[:, 0] ^ 0x80, images)


@pytest.mark.parametrize("images", ["smooth", "noise"])
def test_other_programs_read_deflated_files(tmp_path: Path, images: str) -> None:
    # 2,000 images of 28x28 are two chunks, the last one short.
    pixels = np.arange(2000 * 784, dtype=np.uint32) // 97
    if images == "noise":  # stored uncompressed
        pixels = np.random.default_rng(0).integers(0, 256, 2000 * 784)
    pixels = pixels.astype(np.uint8).reshape(2000, 28, 28)
    (tmp_path / "idx").mkdir()
    write_idx(tmp_path / "idx", pixels, (np.arange(2000) % 10).astype(np.uint8))
    octavo.pack(tmp_path / "idx", tmp_path / "out.h5", compress="deflate")
    split = octavo.Dataset(tmp_path / "out.h5").split()
    assert split.compression == "deflate"
    assert split.packed_bytes == 2000 * 784
    assert (split.stored_bytes < split.packed_bytes / 2) == (images == "smooth")
    np.testing.assert_array_equal(values_of(tmp_path / "out.h5")[:, 0], pixels)
    with h5py.File(tmp_path / "out.h5") as file:
        assert file["train/images"].compression == "gzip"
        np.testing.assert_array_equal(file["train/images"][:].view(np.uint8)[:, 0] ^ 0x80, pixels)
    assert octavo.verify(tmp_path / "out.h5")


def test_writers_deflate(tmp_path: Path) -> None:
    with octavo.Writer(tmp_path / "a.h5", compress="deflate") as writer:
        for value in range(5):
            writer.append(np.full((8, 8), value, np.uint8), value)
    assert octavo.Dataset(tmp_path / "a.h5").split().compression == "deflate"
    np.testing.assert_array_equal(values_of(tmp_path / "a.h5")[:, 0, 0, 0], range(5))
    with pytest.raises(ValueError, match="compress is 'zip'"):
        octavo.Writer(tmp_path / "b.h5", compress="zip")


def test_folders_are_packed_with_every_option(photos: Path, tmp_path: Path) -> None:
    summary = octavo.pack(
        {"val": photos}, tmp_path / "out.h5", size=(8, 9), fit="pad", channels=1, background=(1, 2, 3), limit=5
    )
    assert summary.splits == {"val": 5}
    split = octavo.Dataset(tmp_path / "out.h5").split("val")
    assert split.shape == (1, 8, 9)
    assert split.classes == ["class0", "class1"]
    with pytest.raises(ValueError, match="size"):
        octavo.pack(photos, tmp_path / "other.h5")
    octavo.pack([photos], tmp_path / "other.h5", size=(8, 8), select="class1", reproducible=True)
    assert len(octavo.Dataset(tmp_path / "other.h5").split()) == 3
    (photos / "class0" / "0.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    summary = octavo.pack(photos, tmp_path / "other.h5", size=8, on_error="skip", force=True)
    assert [Path(failure.name).name for failure in summary.skipped] == ["0.png"]


def test_a_dry_run_lists_what_would_be_skipped(tmp_path: Path) -> None:
    Image.fromarray(RGB).save(tmp_path / "a.png")
    (tmp_path / "list.csv").write_text("file_name,label\na.png,cat\nmissing.png,cat\n")
    plan = octavo.pack(tmp_path / "list.csv", tmp_path / "out.h5", on_error="skip", dry_run=True)
    assert plan.splits == {"train": 1}
    assert len(plan.skipped) == 1
    assert "missing.png" in plan.skipped[0].reason


def test_a_skipped_sample_prints_options_as_in_python(tmp_path: Path) -> None:
    (tmp_path / "photos" / "a").mkdir(parents=True)
    for name, side in (("large", 64), ("small", 4)):
        Image.fromarray(np.zeros((side, side), np.uint8)).save(tmp_path / "photos" / "a" / f"{name}.png")
    summary = octavo.pack(tmp_path / "photos", tmp_path / "out.h5", size=4, max_pixels=100, on_error="skip")
    (failure,) = summary.skipped
    assert "max_pixels=" in failure.reason
    assert repr(failure) == f"SampleFailure(name={failure.name!r}, reason={failure.reason!r})"


def test_arrays_and_splits_are_selected_and_classes_renamed(photos: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.zeros((4, 2, 2), np.uint8), y=np.arange(4), z=np.ones((3, 2, 2), np.uint8))
    assert octavo.pack(f"{tmp_path / 'a.npz'}::x::y", tmp_path / "a.h5").splits == {"train": 4}
    np.savez(tmp_path / "labels.npz", y=np.arange(2, 6), z=np.zeros(4))
    other = f"{tmp_path / 'a.npz'}::x::{tmp_path / 'labels.npz'}::y"
    assert octavo.pack(other, tmp_path / "other.h5").splits == {"train": 4}
    assert octavo.Dataset(tmp_path / "other.h5")["train"].labels.tolist() == [2, 3, 4, 5]
    with pytest.raises(ValueError, match="is given twice"):
        octavo.pack({"train": photos, "test": photos}, tmp_path / "b.h5", size=(2, 2))
    shutil.copytree(photos, tmp_path / "copy")
    octavo.pack({"train": photos, "test": tmp_path / "copy"}, tmp_path / "b.h5", size=(2, 2))
    one_class = {"class0": "all", "class1": "all"}
    summary = octavo.pack({"new": f"{tmp_path / 'b.h5'}::test"}, tmp_path / "c.h5", class_map=one_class)
    assert summary.splits == {"new": 6}
    assert octavo.Dataset(tmp_path / "c.h5").classes == ["all"]


def test_folds_are_disjoint_and_groups_stay_together(photos: Path, tmp_path: Path) -> None:
    seen: list[str] = []
    for fold in range(3):
        octavo.pack(photos, tmp_path / "a.h5", size=4, holdout=(fold, 3), force=True)
        val = octavo.Dataset(tmp_path / "a.h5")["val"]
        assert np.bincount(val.labels).tolist() == [1, 1]
        seen += [val.sample_name(row) for row in range(2)]
    assert len(set(seen)) == 6
    # Each digit is a group of its own.
    octavo.pack(photos, tmp_path / "b.h5", size=4)
    summary = octavo.repack(tmp_path / "b.h5", tmp_path / "c.h5", group_by="path:([0-9])[.]png", holdout="2:3")
    assert summary.splits == {"train": 4, "val": 2}
    provenance = octavo.Dataset(tmp_path / "c.h5").provenance
    assert provenance["notes"]["group_by"] == "path:([0-9])[.]png"
    assert provenance["notes"]["holdout"] == {"fold": 2, "folds": 3, "seed": 0}


def test_the_images_of_a_list_may_be_in_another_folder(photos: Path, tmp_path: Path) -> None:
    image = next(photos.rglob("*.png"))
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "folds.csv").write_text(f"file,label\n{image},cat\n")
    octavo.pack(tmp_path / "lists" / "folds.csv", tmp_path / "a.h5", image_root=photos)
    assert octavo.Dataset(tmp_path / "a.h5").split().sample_name(0) == image.relative_to(photos).as_posix()
    with pytest.raises(octavo.FormatError, match="image_root="):
        octavo.pack(tmp_path / "lists" / "folds.csv", tmp_path / "b.h5")


def test_limits_can_be_lowered(photos: Path, tmp_path: Path) -> None:
    with pytest.raises(octavo.FormatError, match="at most 1 are read"):
        octavo.pack(photos, tmp_path / "out.h5", size=(8, 8), max_pixels=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "jpeg"}, 'unknown format "jpeg"'),
        ({"fit": "zoom"}, "fit is 'zoom'"),
        ({"class_order": "none"}, "class_order is 'none'"),
        ({"on_error": "ask"}, "on_error is 'ask'"),
        ({"compress": "zip"}, "compress is 'zip'"),
        ({"channels": 2}, "channels is 2"),
        ({"size": (0, 4)}, "size is"),
        ({"limit": 0}, "limit is 0"),
        ({"max_pixels": 0}, "max_pixels is 0"),
        ({"max_ratio": 2**63}, "max_ratio is"),
        ({"holdout": 1.5}, "holdout is 1.5; it must be at least 0 and below 1"),
        ({"holdout": "0.2x"}, 'the holdout "0.2x": it is not a fraction'),
        ({"holdout": (5, 5)}, "the folds are numbered from 0 to 4"),
        ({"holdout": (0, 1, 2)}, "a tuple must be"),
        ({"holdout": 0.2, "group_by": "path:("}, r'group_by="path:\(" has an invalid regular expression'),
        ({"threads": -1}, "threads is -1"),
        ({"background": (300, 0, 0)}, "background is"),
        ({"seed": -1}, "seed is -1"),
        ({"size": 0}, "size is 0"),
    ],
)
def test_invalid_options_are_refused(photos: Path, tmp_path: Path, options, message) -> None:
    with pytest.raises(ValueError, match=message):
        octavo.pack(photos, tmp_path / "out.h5", **{"size": (8, 8), **options})
    assert files_in(tmp_path) == {"photos"}


def test_an_existing_file_stays(photos: Path, tmp_path: Path) -> None:
    (tmp_path / "out.h5").write_text("mine")
    for make in (
        lambda: octavo.pack(photos, tmp_path / "out.h5", size=(8, 8)),
        lambda: octavo.Writer(tmp_path / "out.h5"),
        lambda: octavo.pack_dataset([(np.zeros((2, 2), np.uint8), 0)], tmp_path / "out.h5"),
    ):
        with pytest.raises(FileExistsError, match="force=True"):
            make()
    with pytest.raises(ValueError, match="size"):
        octavo.pack(photos, tmp_path / "out.h5", force=True)
    assert (tmp_path / "out.h5").read_text() == "mine"


def test_several_paths_for_a_split_and_a_dry_run(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for number in range(3):
        records = rng.integers(0, 256, (4, 3073), dtype=np.uint8)
        records[:, 0] %= 10
        (tmp_path / f"part{number}.bin").write_bytes(records.tobytes())
    parts = [tmp_path / f"part{number}.bin" for number in range(3)]
    sources = {"train": parts[:2], "val": parts[2]}
    plan = octavo.pack(sources, tmp_path / "out.h5", format="cifar10", dry_run=True)
    assert plan.splits == {"train": 8, "val": 4}
    assert plan.packed_bytes == 12 * 3072
    assert not (tmp_path / "out.h5").exists()
    assert octavo.pack(sources, tmp_path / "out.h5", format="cifar10").splits == {"train": 8, "val": 4}


def test_a_writer_takes_samples_from_several_threads(tmp_path: Path) -> None:
    with octavo.Writer(tmp_path / "out.h5") as writer:

        def append(number: int) -> None:
            for _ in range(3000):
                writer.append(np.full((16, 16), number, np.uint8), number, split=f"split{number}")
                writer.append(np.full((16, 16), number, np.uint8), number, split="both")

        threads = [threading.Thread(target=append, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    dataset = octavo.Dataset(tmp_path / "out.h5")
    assert [len(dataset[f"split{number}"]) for number in range(3)] == [3000] * 3
    values = values_of(tmp_path / "out.h5", "both")[:, 0, 0, 0]
    np.testing.assert_array_equal(values, dataset["both"].labels)
    np.testing.assert_array_equal(np.bincount(values), [3000] * 3)


def test_file_names_that_are_not_utf8(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        octavo.Dataset(os.fsdecode(b"/nowhere/\xff.h5"))
    folder = tmp_path / "photos" / "a"
    folder.mkdir(parents=True)
    Image.fromarray(RGB).save(folder / "good.png")
    (folder / os.fsdecode(b"\xff.png")).write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    with pytest.warns(octavo.PackingWarning, match=os.fsdecode(b"a/\xff.png")):
        summary = octavo.pack(tmp_path / "photos", tmp_path / "out.h5", on_error="skip")
    assert summary.skipped[0].name.endswith(os.fsdecode(b"\xff.png"))
    assert "SampleFailure(name=" in repr(summary.skipped)


def test_progress_is_reported_and_can_cancel_the_work(photos: Path, tmp_path: Path) -> None:
    told = []
    octavo.pack(photos, tmp_path / "out.h5", size=(8, 8), progress=lambda *step: told.append(step))
    assert told[-1][1:] == (6, 6)

    def stop(*step: object) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        octavo.pack(photos, tmp_path / "other.h5", size=(8, 8), progress=stop)
    with pytest.raises(TypeError, match="progress is 3"):
        octavo.pack(photos, tmp_path / "third.h5", size=(8, 8), progress=3)


# ---- Writer --------------------------------------------------------------------------------------------------------


def test_a_writer_takes_samples_of_unknown_number(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (2500, 28, 28), dtype=np.uint8)  # more than one block
    with octavo.Writer(tmp_path / "out.h5", classes=list("abc")) as writer:
        for number, image in enumerate(images):
            writer.append(image, number % 3, split="test" if number % 5 == 0 else "train")
        assert files_in(tmp_path) == set()
    chosen = np.arange(2500) % 5 == 0
    np.testing.assert_array_equal(values_of(tmp_path / "out.h5", "test")[:, 0], images[chosen])
    np.testing.assert_array_equal(values_of(tmp_path / "out.h5")[:, 0], images[~chosen])
    train = octavo.Dataset(tmp_path / "out.h5").split("train")
    np.testing.assert_array_equal(train.labels, (np.arange(2500) % 3)[~chosen])
    assert octavo.verify(tmp_path / "out.h5")


def test_reproducible_writers_write_equal_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        with octavo.Writer(tmp_path / name, reproducible=True) as writer:
            writer.append(np.eye(4, dtype=np.uint8), 0)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


RGB = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (RGB, RGB.transpose(2, 0, 1)),
        (RGB.transpose(2, 0, 1), RGB.transpose(2, 0, 1)),
        (RGB[..., 0], RGB[np.newaxis, ..., 0]),
        (RGB.astype(np.int64), RGB.transpose(2, 0, 1)),
        (RGB.astype(np.float32) / np.float32(255), RGB.transpose(2, 0, 1)),
        (RGB[..., 0] > 20, np.where(RGB[np.newaxis, ..., 0] > 20, 255, 0)),
        (Image.fromarray(RGB), RGB.transpose(2, 0, 1)),
        (Image.fromarray(RGB[..., 0]), RGB[np.newaxis, ..., 0]),
        (Image.fromarray(RGB).convert("P", palette=Image.Palette.ADAPTIVE, colors=60), RGB.transpose(2, 0, 1)),
        (Image.fromarray((RGB[..., 0].astype(np.uint16)) * 257), RGB[np.newaxis, ..., 0]),
        (Image.fromarray(np.dstack([RGB, np.full((4, 5), 255, np.uint8)])), RGB.transpose(2, 0, 1)),
        (Image.fromarray(np.dstack([RGB, np.zeros((4, 5), np.uint8)])), np.zeros((3, 4, 5))),
    ],
)
def test_images_of_every_kind(tmp_path: Path, image, expected) -> None:
    with octavo.Writer(tmp_path / "out.h5") as writer:
        writer.append(image, 0)
    np.testing.assert_array_equal(values_of(tmp_path / "out.h5")[0], expected)


def test_gray_images_among_color_ones_need_channels(tmp_path: Path) -> None:
    gray = Image.fromarray(RGB[..., 0])
    with octavo.Writer(tmp_path / "out.h5", channels=3) as writer:
        writer.append(Image.fromarray(RGB), 0)
        writer.append(gray, 0)
    np.testing.assert_array_equal(values_of(tmp_path / "out.h5")[1], np.repeat(RGB[np.newaxis, ..., 0], 3, axis=0))


@pytest.mark.parametrize(
    ("image", "label", "error", "message"),
    [
        ("a.png", 0, TypeError, "it is a str"),
        (np.zeros((2, 3, 4, 5), np.uint8), 0, ValueError, "4 axes"),
        (np.zeros((3, 7, 3), np.uint8), 0, ValueError, "layout="),
        (np.zeros((4, 5, 3), np.complex64), 0, TypeError, "complex64"),
        (np.full((4, 5, 3), 300), 0, ValueError, "from 300 to 300"),
        (np.full((4, 5, 3), 0.3337), 0, ValueError, "a resize of floats; .* ToTensor after Resize, .* value_range"),
        (np.full((4, 5, 3), -0.3337), 0, ValueError, "from -0.3337 to -0.3337, not 8-bit .* before normalizing"),
        (np.full((4, 5, 3), 1.3337), 0, ValueError, "from 1.334 to 1.334, not 8-bit .* before normalizing"),
        (np.full((4, 5, 3), 2.0), 0, ValueError, "exceed 1"),
        (np.full((4, 5, 3), np.nan), 0, ValueError, "it contains NaN or infinity"),
        (np.zeros((4, 6, 3), np.uint8), 0, ValueError, "it is 3x4x6, earlier ones are 3x4x5"),
        (np.zeros((4, 5, 1), np.uint8), None, ValueError, "it has no label, earlier labels are class"),
        (RGB, -1, ValueError, "it has no label"),
        (RGB, 2**31, ValueError, "label"),
        (RGB, None, ValueError, "it has no label, earlier labels are class"),
        (RGB, [0, 1], ValueError, "is 2 multi-labels, earlier labels are class numbers"),
        (RGB, 0.5, ValueError, "is a target, earlier"),
        (RGB, "cat", ValueError, "'cat'"),
        (RGB, [[1, 2]], ValueError, "label has shape"),
        (RGB, 2, ValueError, "its label 2 has no name"),
        (RGB, float("nan"), ValueError, "not finite"),
        (RGB, [0, 3], ValueError, "0 and 1"),
    ],
)
def test_a_sample_that_does_not_match_is_named(tmp_path: Path, image, label, error, message) -> None:
    with octavo.Writer(tmp_path / "out.h5", classes=["a", "b"]) as writer:
        writer.append(RGB, 0)
        writer.append(RGB, 1)
        with pytest.raises(error, match=f"split 'train', sample 2: .*{message}"):
            writer.append(image, label)
        writer.append(RGB, 1)
    assert len(octavo.Dataset(tmp_path / "out.h5").split()) == 3


def test_nothing_appears_when_writing_fails(tmp_path: Path) -> None:
    (tmp_path / "out.h5").write_text("mine")

    def fail() -> None:
        with octavo.Writer(tmp_path / "out.h5", force=True) as writer:
            writer.append(RGB, 0)
            raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        fail()
    with pytest.raises(ValueError, match="no sample was appended"), octavo.Writer(tmp_path / "none.h5"):
        pass
    with (
        pytest.raises(ValueError, match="sample 0: its label 1 has no name"),
        octavo.Writer(tmp_path / "class.h5", classes=["one"]) as writer,
    ):
        writer.append(RGB, 1)
    with pytest.raises(ValueError, match="not a valid split name"), octavo.Writer(tmp_path / "name.h5") as writer:
        writer.append(RGB, 1, split="../x")
    assert files_in(tmp_path) == {"out.h5"}
    assert (tmp_path / "out.h5").read_text() == "mine"
    with pytest.raises(ValueError, match="closed"):
        writer.append(RGB, 0)
    with pytest.raises(OSError, match="nowhere"):
        octavo.Writer("/nowhere/out.h5")


# ---- pack_dataset --------------------------------------------------------------------------------------------------


class MapStyle:
    """Like torchvision datasets: classes, a length, and no IndexError at the end."""

    classes = ("cat", "dog")

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> tuple[Image.Image, int]:
        return Image.fromarray(RGB + np.uint8(index)), index % 2


class Rows:
    """Like Hugging Face datasets: mappings, and features that contain the class names."""

    class _Names:
        names = ("a", "b")

    features = {"label": _Names()}  # noqa: RUF012

    def __iter__(self):
        for index in range(4):
            yield {"image": Image.fromarray(RGB + np.uint8(index)), "label": index % 2, "id": index}


@pytest.mark.parametrize(
    "dataset", [MapStyle(), Rows(), [MapStyle()[i] for i in range(4)], (MapStyle()[i] for i in range(4))]
)
def test_datasets_of_every_style(tmp_path: Path, dataset) -> None:
    summary = octavo.pack_dataset(dataset, tmp_path / "out.h5", progress=False)
    assert summary.splits == {"train": 4}
    np.testing.assert_array_equal(
        values_of(tmp_path / "out.h5"), [(RGB + np.uint8(index)).transpose(2, 0, 1) for index in range(4)]
    )
    train = octavo.Dataset(tmp_path / "out.h5").split()
    np.testing.assert_array_equal(train.labels, [0, 1, 0, 1])
    assert train.classes == list(getattr(dataset, "classes", ["a", "b"] if isinstance(dataset, Rows) else []))


def test_several_splits_and_a_transform(tmp_path: Path) -> None:
    splits = {"train": MapStyle(), "val": Rows()}  # with other classes
    half = {"transform": lambda image: image.resize((2, 2))}
    octavo.pack_dataset(splits, tmp_path / "out.h5", **half, allow_mismatch=True)
    dataset = octavo.Dataset(tmp_path / "out.h5")
    assert dataset.split_names == ["train", "val"]
    assert dataset["val"].shape == (3, 2, 2)
    images_only = [RGB, RGB]
    octavo.pack_dataset(images_only, tmp_path / "images.h5")
    assert octavo.Dataset(tmp_path / "images.h5").split().labels is None


def test_a_dataset_that_fails_leaves_nothing(tmp_path: Path) -> None:
    class Failing(MapStyle):
        def __getitem__(self, index: int) -> tuple[Image.Image, int]:
            if index == 2:
                raise OSError("the third is broken")
            return super().__getitem__(index)

    with pytest.raises(OSError, match="the third is broken") as caught:
        octavo.pack_dataset(Failing(), tmp_path / "out.h5")
    assert "sample 2 of split 'train'" in "".join(getattr(caught.value, "__notes__", [str(caught.value)]))
    with pytest.raises(ValueError, match="split 'train', sample 1: it is 3x5x4"):
        octavo.pack_dataset([(RGB, 0), (RGB.transpose(1, 0, 2), 0)], tmp_path / "out.h5")
    with pytest.raises(ValueError, match="image_key"):
        octavo.pack_dataset([{"picture": RGB}], tmp_path / "out.h5")
    with pytest.raises(ValueError, match=r"sample 0: .*label_key"):
        octavo.pack_dataset([{"image": RGB, "kind": 1}], tmp_path / "out.h5")
    with pytest.raises(ZeroDivisionError) as caught:
        octavo.pack_dataset([(RGB, 0)], tmp_path / "out.h5", transform=lambda image: 1 // 0)
    assert "split 'train', sample 0" in "".join(getattr(caught.value, "__notes__", [str(caught.value)]))
    with pytest.raises(ValueError, match="no field 'picture'"):
        octavo.pack_dataset([{"image": RGB}], tmp_path / "out.h5", image_key="picture")
    with pytest.raises(ValueError, match="3 parts"):
        octavo.pack_dataset([(RGB, 0, 1)], tmp_path / "out.h5")
    assert files_in(tmp_path) == set()


# ---- Processes -----------------------------------------------------------------------------------------------------


def test_ctrl_c_stops_packing_and_leaves_nothing(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    (tmp_path / "idx").mkdir()
    images = rng.integers(0, 256, (20000, 28, 28), dtype=np.uint8)
    write_idx(tmp_path / "idx", images, np.zeros(20000, np.uint8))
    script = textwrap.dedent("""
        import signal, sys, time, octavo
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
        def slowly(*step):
            print("packing", flush=True)
            time.sleep(0.2)
        while True:
            octavo.pack(sys.argv[1], sys.argv[2], force=True, progress=slowly)
    """)
    command = [sys.executable, "-c", script, str(tmp_path / "idx"), str(tmp_path / "out.h5")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "packing\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert "KeyboardInterrupt" in errors
    assert files_in(tmp_path) <= {"idx", "out.h5"}
    if (tmp_path / "out.h5").exists():
        assert octavo.verify(tmp_path / "out.h5")


def test_the_command_comes_with_the_package(tmp_path: Path) -> None:
    version = subprocess.run([sys.executable, "-m", "octavo", "--version"], capture_output=True, text=True, check=True)
    assert version.stdout == f"octavo {octavo.__version__}\n"
    assert os.access(Path(sys.executable).parent / "octavo", os.X_OK)


def test_arrays_are_packed_and_appended(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    images = rng.integers(0, 256, (20, 6, 5, 3), np.uint8)
    np.savez(tmp_path / "train.npz", images=images, labels=np.arange(20))
    floats = rng.random((4, 3, 6, 5), np.float32)
    np.save(tmp_path / "x_test.npy", floats)
    path = tmp_path / "out.h5"
    octavo.pack(tmp_path / "train.npz", path)
    summary = octavo.pack(tmp_path / "x_test.npy", path, append=True)
    assert summary.splits == {"train": 20, "test": 4}
    np.testing.assert_array_equal(values_of(path), images.transpose(0, 3, 1, 2))
    # Floats in 0 ... 1 are quantized in steps of 1 / 255.
    np.testing.assert_array_equal(values_of(path, "test"), np.rint(floats.astype(np.float64) * 255))
    with pytest.raises(ValueError, match="has a split"):
        octavo.pack(tmp_path / "x_test.npy", path, append=True)


def test_the_value_range_can_be_given(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([[[0, 100]], [[200, 510]]], np.int32))
    octavo.pack(tmp_path / "x.npy", tmp_path / "out.h5", value_range=(0, 255))
    assert values_of(tmp_path / "out.h5").ravel().tolist() == [0, 100, 200, 255]
    octavo.pack(tmp_path / "x.npy", tmp_path / "out.h5", value_range="minmax", force=True)
    assert values_of(tmp_path / "out.h5").ravel().tolist() == [0, 50, 100, 255]
    with pytest.raises(ValueError, match="value_range"):
        octavo.pack(tmp_path / "x.npy", tmp_path / "out.h5", value_range="wide", force=True)


def test_the_types_of_options_list_what_the_library_knows() -> None:
    import typing

    from octavo import _pack

    signature = typing.get_type_hints(octavo.pack)
    assert set(typing.get_args(signature["compress"])) == {member.name for member in _pack.Compression} | {"auto"}
    assert set(typing.get_args(signature["fit"])) == {member.name for member in _pack.Fit}


def test_old_names_of_formats_are_accepted(photos: Path, tmp_path: Path) -> None:
    (photos / "list.csv").write_text(
        "path,label\n" + "\n".join(f"{p.relative_to(photos)},1" for p in photos.rglob("*.png"))
    )
    assert octavo.pack(photos / "list.csv", tmp_path / "a.h5", format="manifest", size=(4, 4)).splits


def test_a_second_writer_of_a_path_is_refused_when_it_is_made(photos: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    first = octavo.Writer(path)
    first.append(np.zeros((4, 4), np.uint8), 0)
    for writer in (lambda: octavo.Writer(path), lambda: octavo.Writer(path, force=True)):
        with pytest.raises(OSError, match=r"write '\S+a.h5': another writer is active .*; close or discard it"):
            writer()
    with pytest.raises(OSError, match="another writer is active"):
        octavo.pack(photos, path, size=8)
    first.close()
    octavo.Writer(path, force=True).discard()
    dropped = octavo.Writer(path, append=True)
    with pytest.raises(OSError, match="another writer is active"):
        octavo.Writer(path, append=True)
    del dropped
    gc.collect()
    assert [file.name for file in tmp_path.glob("a.h5*")] == ["a.h5"]


def test_skipped_samples_are_a_warning(photos: Path, tmp_path: Path) -> None:
    (photos / "cat").mkdir(exist_ok=True)
    for number in range(5):
        (photos / "cat" / f"bad{number}.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    with pytest.warns(octavo.PackingWarning, match=r"^5 samples were skipped, .*bad0.*; .*bad1.*; .*bad2.*; \.\.\.$"):
        summary = octavo.pack(photos, tmp_path / "a.h5", size=8, on_error="skip")
    assert len(summary.skipped) == 5


def test_a_writer_cannot_measure_a_range(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"cannot measure a range, so pass \(low, high\), or .* octavo.pack\(\)"):
        octavo.Writer(tmp_path / "a.h5", value_range="percentile:99.9")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="value_range is 3; it must be"):
        octavo.Writer(tmp_path / "a.h5", value_range=3)  # type: ignore[arg-type]
