"""pack_dataset and Writer: sizes, holdout, names, metadata, samples that fail, and classes by name."""

from __future__ import annotations

import math
import re
import warnings
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import octavo
import pytest

Pairs = list[tuple[np.ndarray, int]]


def pairs(count: int = 8, side: int = 6) -> Pairs:
    return [(np.full((side, side), number, np.uint8), number % 2) for number in range(count)]


def test_images_of_several_sizes_are_resized_like_files(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(0)
    photos = [image.fromarray(rng.integers(0, 256, (20 + n, 30, 3), dtype=np.uint8)) for n in range(3)]
    for number, photo in enumerate(photos):
        photo.save(tmp_path / f"{number}.png")
    for fit in ("crop", "pad", "stretch"):
        options: dict[str, Any] = {"size": (8, 12), "fit": fit, "background": (1, 2, 3), "force": True}
        octavo.pack_dataset(photos, tmp_path / "a.h5", **options)
        with pytest.warns(octavo.PackingWarning, match="no labels"):
            octavo.pack(tmp_path, tmp_path / "b.h5", format="folder", **options)
        np.testing.assert_array_equal(octavo.Dataset(tmp_path / "a.h5").split().images[:],
                                      octavo.Dataset(tmp_path / "b.h5").split().images[:])  # fmt: skip


def test_masks_are_resized_to_the_nearest_pixel(tmp_path: Path) -> None:
    mask = np.arange(16, dtype=np.uint8).reshape(4, 4)
    with octavo.Writer(tmp_path / "a.h5", size=2) as writer:
        writer.append(np.zeros((4, 4), np.uint8), mask=mask)
    # The pixels under the centers: rows and columns 1 and 3.
    masks = octavo.Dataset(tmp_path / "a.h5").split().masks
    assert masks is not None
    assert masks[0].tolist() == [[5, 7], [13, 15]]


def test_a_holdout_is_stratified(tmp_path: Path) -> None:
    summary = octavo.pack_dataset(pairs(24), tmp_path / "a.h5", holdout=0.25, seed=3)
    assert summary.splits == {"train": 18, "val": 6}
    labels = octavo.Dataset(tmp_path / "a.h5")["val"].labels
    assert labels is not None
    assert np.bincount(labels).tolist() == [3, 3]
    assert octavo.pack_dataset(pairs(24), tmp_path / "b.h5", limit=5).splits == {"train": 5}


def test_groups_stay_in_one_split(tmp_path: Path) -> None:
    # Ten patients with two samples of each class: a fifth is two patients.
    patients = [f"p{number // 4}" for number in range(40)]
    summary = octavo.pack_dataset(pairs(40), tmp_path / "a.h5", groups=patients, holdout=0.2)
    assert summary.splits == {"train": 32, "val": 8}
    assert summary.notes == ["val has 20 % of the samples (asked: 20 %) in 2 of 10 groups"]
    dataset = octavo.Dataset(tmp_path / "a.h5")
    train, val = (set(dataset[name].columns["group"]) for name in ("train", "val"))
    assert len(val) == 2
    assert not train & val
    assert np.bincount(dataset["val"].labels).tolist() == [4, 4]
    # A function of the sample gives the same groups: image number n is full of n.
    octavo.pack_dataset(pairs(40), tmp_path / "b.h5", groups=lambda pair: f"p{pair[0][0, 0] // 4}", holdout=0.2)
    assert set(octavo.Dataset(tmp_path / "b.h5")["val"].columns["group"]) == val
    with pytest.raises(ValueError, match="groups has 39 elements for 40 samples"):
        octavo.pack_dataset(pairs(40), tmp_path / "c.h5", groups=patients[1:], holdout=0.2)
    with pytest.raises(ValueError, match="groups and group_by were both given"):
        octavo.pack_dataset(pairs(40), tmp_path / "c.h5", groups=patients, group_by="patient", holdout=0.2)
    with pytest.raises(ValueError, match='1 sample of split "train" has no value in this column'):
        octavo.pack_dataset(pairs(40), tmp_path / "c.h5", groups=[None, *patients[1:]], holdout=0.2)


def test_a_field_names_the_groups_or_the_fold(tmp_path: Path) -> None:
    samples = [
        {"image": np.full((2, 2), n, np.uint8), "label": n % 2, "patient": n // 2, "fold": n // 4} for n in range(8)
    ]
    with pytest.warns(octavo.PackingWarning):
        summary = octavo.pack_dataset(samples, tmp_path / "a.h5", group_by="patient", holdout="fold=1")
    assert "kept with each sample: 'fold', 'patient', because group_by= or holdout= names it" in summary.notes
    assert octavo.Dataset(tmp_path / "a.h5")["val"].columns["patient"].tolist() == [2, 2, 3, 3]
    # The field of the holdout is kept next to groups that a function gives.
    with pytest.warns(octavo.PackingWarning):
        octavo.pack_dataset(samples, tmp_path / "b.h5", groups=lambda sample: sample["patient"], holdout="fold=1")
    val = octavo.Dataset(tmp_path / "b.h5")["val"].columns
    assert (val["fold"].tolist(), val["group"].tolist()) == ([1, 1, 1, 1], [2, 2, 3, 3])


def test_a_split_is_appended_to_a_file(tmp_path: Path) -> None:
    octavo.pack_dataset(pairs(), tmp_path / "a.h5", classes=["cat", "dog"])
    octavo.pack_dataset(pairs(4), tmp_path / "a.h5", split="test", classes=["cat", "dog"], append=True)
    assert octavo.Dataset(tmp_path / "a.h5").split_names == ["train", "test"]
    with pytest.raises(ValueError, match="the file has no class 'owl'; its classes are cat, dog"):
        octavo.pack_dataset(pairs(4), tmp_path / "a.h5", split="more", classes=["cat", "owl"], append=True)
    with pytest.raises(ValueError, match="it is 1x3x3, the samples of split 'train' are 1x6x6"):
        octavo.pack_dataset(pairs(4, 3), tmp_path / "a.h5", split="more", classes=["cat", "dog"], append=True)


def test_what_cannot_be_appended_is_refused_at_the_first_sample(tmp_path: Path) -> None:
    octavo.pack_dataset(pairs(), tmp_path / "a.h5")
    with pytest.raises(FileNotFoundError, match=r"none\.h5"):
        octavo.Writer(tmp_path / "none.h5", append=True)
    with pytest.raises(ValueError, match="holdout is 20; it must be at least 0 and below 1"):
        octavo.Writer(tmp_path / "b.h5", holdout=20)
    writer = octavo.Writer(tmp_path / "a.h5", append=True)
    with pytest.raises(ValueError, match="split 'train', sample 0: the file has this split already"):
        writer.append(np.zeros((6, 6), np.uint8), 0)
    writer.append(np.zeros((6, 6), np.uint8), 0, split="val")
    assert writer.close().splits == {"train": 8, "val": 1}


def test_splits_of_several_shapes_are_refused_unless_accepted(tmp_path: Path) -> None:
    splits = {"train": pairs(), "val": pairs(4, 3)}
    with pytest.raises(ValueError, match="it is 1x3x3, the samples of split 'train' are 1x6x6"):
        octavo.pack_dataset(splits, tmp_path / "a.h5")
    assert octavo.pack_dataset(splits, tmp_path / "a.h5", allow_mismatch=True).splits == {"train": 8, "val": 4}


def test_a_class_can_be_given_by_name(tmp_path: Path) -> None:
    with octavo.Writer(tmp_path / "a.h5", classes=["cat", "dog"]) as writer:
        writer.append(np.zeros((2, 2), np.uint8), "dog")
        writer.append(np.zeros((2, 2), np.uint8), 0)
        with pytest.raises(ValueError, match="'owl' is not the name of a class; the classes are cat, dog"):
            writer.append(np.zeros((2, 2), np.uint8), "owl")
    assert octavo.Dataset(tmp_path / "a.h5").split().targets == [1, 0]
    with octavo.Writer(tmp_path / "b.h5") as writer:
        with pytest.raises(ValueError, match="name the classes with classes="):
            writer.append(np.zeros((2, 2), np.uint8), "dog")
        writer.append(np.zeros((2, 2), np.uint8), 0)


def test_a_label_that_is_text_is_that_class(tmp_path: Path) -> None:
    with octavo.Writer(tmp_path / "a.h5") as writer:
        writer.append(np.zeros((2, 2), np.uint8), "10")
        writer.append(np.zeros((2, 2), np.uint8), np.str_(" 007 "))
        for missing in ("-1", "", "?", "NaN", -1, np.int64(-1)):
            with pytest.raises(ValueError, match="it has no label"):
                writer.append(np.zeros((2, 2), np.uint8), missing)
    assert octavo.Dataset(tmp_path / "a.h5").split().targets == [10, 7]
    with octavo.Writer(tmp_path / "b.h5", classes=["owl", "0"]) as writer:
        writer.append(np.zeros((2, 2), np.uint8), "0")  # a name before a number
    assert octavo.Dataset(tmp_path / "b.h5").split().targets == [1]


class Photos:
    """Like torchvision's ImageFolder."""

    def __init__(self, broken: int = -1) -> None:
        self.classes = ["cat", "dog"]
        self.samples = [(f"photos/{number}.png", number % 2) for number in range(6)]
        self.root: str | None = None
        self._broken = broken

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        if index == self._broken:
            raise OSError("cannot identify image file")
        return np.full((4, 4), index, np.uint8), self.samples[index][1]


class Part:
    """Like torch.utils.data.Subset."""

    def __init__(self, dataset: Any, indices: list[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: int) -> Any:
        return self.dataset[self.indices[index]]


def test_names_and_classes_come_from_the_dataset(tmp_path: Path) -> None:
    octavo.pack_dataset(Photos(), tmp_path / "a.h5")
    split = octavo.Dataset(tmp_path / "a.h5").split()
    assert split.sample_name(3) == "photos/3.png"
    assert split.classes == ["cat", "dog"]
    octavo.pack_dataset(Part(Part(Photos(), [5, 3, 1]), [2, 0]), tmp_path / "b.h5")
    part = octavo.Dataset(tmp_path / "b.h5").split()
    assert part.classes == ["cat", "dog"]
    assert [part.sample_name(0), part.sample_name(1)] == ["photos/1.png", "photos/5.png"]
    octavo.pack_dataset(Photos(), tmp_path / "c.h5", name_key=False)
    assert octavo.Dataset(tmp_path / "c.h5").split().sample_name(0) is None


class Joined:
    """Like torch.utils.data.ConcatDataset; `is_stack`: like a StackDataset of them."""

    def __init__(self, *datasets: Any, is_stack: bool = False) -> None:
        self.datasets, self._samples = list(datasets), [part[index] for part in datasets for index in range(len(part))]
        self._count = len(datasets[0]) if is_stack else len(self._samples)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> Any:
        return self._samples[index]


def photos_in(root: str) -> Photos:
    photos = Photos()
    photos.samples, photos.root = [(f"{root}/{path}", label) for path, label in photos.samples], root
    return photos


def names_in(dataset: Any, path: Path) -> list[str | None]:
    octavo.pack_dataset(dataset, path, classes=["cat", "dog"], force=True)
    split = octavo.Dataset(path).split()
    return [split.sample_name(row) for row in range(len(split))]


def test_names_are_found_in_parts_of_joined_datasets(tmp_path: Path) -> None:
    first, again = photos_in("/data/a"), photos_in("/data/a")
    joined = Part(Joined(Part(first, [2, 0]), again), [1, 7, 0])
    assert names_in(joined, tmp_path / "a.h5") == ["photos/0.png", "photos/5.png", "photos/2.png"]
    # The ends of the folders that differ.
    joined = Joined(Part(first, [0]), Part(photos_in("/data/b"), [0]))
    assert names_in(joined, tmp_path / "a.h5") == ["a/photos/0.png", "b/photos/0.png"]
    joined = Joined(Part(photos_in("/x/train"), [0]), Part(photos_in("/y/train"), [0]))
    assert names_in(joined, tmp_path / "a.h5") == ["x/train/photos/0.png", "y/train/photos/0.png"]
    # Samples of a part without files have their number.
    assert names_in(Joined(Joined(pairs(1, 4)), Part(first, [0])), tmp_path / "a.h5") == ["train#0", "photos/0.png"]
    assert names_in(Joined(pairs(1), pairs(1)), tmp_path / "a.h5") == [None, None]
    assert names_in(Joined(first, again, is_stack=True), tmp_path / "a.h5") == [None] * 6


def test_names_are_found_in_a_concatenation_of_torch(tmp_path: Path) -> None:
    data = pytest.importorskip("torch.utils.data")
    joined = data.ConcatDataset([photos_in("/data/a"), data.Subset(photos_in("/data/b"), [3])])
    names = names_in(data.Subset(joined, [0, 6]), tmp_path / "a.h5")
    assert names == ["a/photos/0.png", "b/photos/3.png"]


def test_names_of_files_do_not_depend_on_their_folder(tmp_path: Path) -> None:
    for place in ("here", "elsewhere/deep"):
        photos = Photos()
        photos.samples = [(str(tmp_path / place / path), label) for path, label in photos.samples]
        photos.root = str(tmp_path / place)
        octavo.pack_dataset(photos, tmp_path / "a.h5", holdout=0.5, force=True)
        dataset = octavo.Dataset(tmp_path / "a.h5")
        names = [split.sample_name(row) for split in dataset for row in range(len(split))]
        if place == "here":
            expected = names
    assert sorted(expected) == [f"photos/{number}.png" for number in range(6)]
    assert names == expected


def test_a_transform_does_not_lose_the_name_of_a_file(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    for number in range(2):
        image.fromarray(np.full((4, 4), number, np.uint8)).save(tmp_path / f"{number}.png")
    photos = [image.open(tmp_path / f"{number}.png") for number in range(2)]
    octavo.pack_dataset(photos, tmp_path / "a.h5", transform=lambda photo: photo.resize((2, 2)))
    split = octavo.Dataset(tmp_path / "a.h5").split()
    assert (split.shape, split.sample_name(1)) == ((1, 2, 2), str(tmp_path / "1.png"))


def test_samples_that_fail_are_skipped_on_request(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="cannot identify"):
        octavo.pack_dataset(Photos(broken=2), tmp_path / "a.h5")
    assert not (tmp_path / "a.h5").exists()
    summary = octavo.pack_dataset(Photos(broken=2), tmp_path / "a.h5", on_error="skip")
    assert summary.splits == {"train": 5}
    skipped = [(sample.name, sample.reason) for sample in summary.skipped]
    assert skipped == [("train#2 (photos/2.png)", "cannot identify image file")]
    assert octavo.Dataset(tmp_path / "a.h5").split().sample_name(2) == "photos/3.png"
    assert "skipped: 1, the first is train#2 (photos/2.png): cannot identify image file" in repr(summary)
    summary = octavo.pack_dataset(Photos(broken=2), tmp_path / "a.h5", on_error="skip", name_key=False, force=True)
    assert [sample.name for sample in summary.skipped] == ["train#2"]
    wrong_shape = [*pairs(2), (np.zeros((3, 3), np.uint8), 0), *pairs(1)]
    assert octavo.pack_dataset(wrong_shape, tmp_path / "b.h5", on_error="skip").splits == {"train": 3}


def message_of(error: BaseException) -> str:
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


def test_the_file_of_a_sample_that_fails_is_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="cannot identify") as caught:
        octavo.pack_dataset(Photos(broken=2), tmp_path / "a.h5")
    assert "while reading sample 2 (photos/2.png) of split 'train'" in message_of(caught.value)
    with pytest.raises(ValueError, match=r"sample 0 \(photos/0\.png\): it is 1x0x4"):
        octavo.pack_dataset(Photos(), tmp_path / "a.h5", transform=lambda image: image[:0])
    with pytest.raises(ZeroDivisionError) as divided:
        octavo.pack_dataset(Photos(), tmp_path / "a.h5", transform=lambda image: 1 // 0, name_key=False)
    assert "sample 0 (photos/0.png)" in message_of(divided.value)
    # PIL knows the file of an image that it opened.
    image = pytest.importorskip("PIL.Image")
    file = tmp_path / "cut.png"
    image.fromarray(np.random.default_rng(0).integers(0, 256, (64, 64), dtype=np.uint8)).save(file)
    file.write_bytes(file.read_bytes()[:1000])
    for transform in (None, lambda photo: photo):
        with pytest.raises(OSError) as cut:  # noqa: PT011  (the message is that of PIL)
            octavo.pack_dataset([image.open(file)], tmp_path / "a.h5", transform=transform)
        assert f"sample 0 ({file})" in message_of(cut.value)
        options: dict[str, Any] = {"transform": transform, "on_error": "skip", "force": True}
        summary = octavo.pack_dataset([(image.open(file), 0), *pairs(1, 64)], tmp_path / "b.h5", **options)
        assert [sample.name for sample in summary.skipped] == [f"train#0 ({file})"]


def test_fields_are_kept_or_noted(tmp_path: Path) -> None:
    samples = [
        {"image": np.full((2, 2), n, np.uint8), "label": n, "id": f"x{n}", "caption": f"photo {n}", "boxes": np.eye(2)}
        for n in range(3)
    ]
    with pytest.warns(octavo.PackingWarning, match="not packed: the field 'boxes'; keep with columns="):
        summary = octavo.pack_dataset(samples, tmp_path / "a.h5", columns=["caption"])
    assert summary.notes == ["not packed: the field 'boxes'; keep with columns="]
    split = octavo.Dataset(tmp_path / "a.h5").split()
    assert split.columns == {"caption": ["photo 0", "photo 1", "photo 2"]}
    assert split.sample_name(1) == "x1"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        octavo.pack_dataset(samples, tmp_path / "b.h5", columns=["caption", "boxes"])
    assert octavo.Dataset(tmp_path / "b.h5").split().columns["boxes"][0] == [[1.0, 0.0], [0.0, 1.0]]
    with pytest.raises(ValueError, match="there is no field 'weight'"):
        octavo.pack_dataset(samples, tmp_path / "c.h5", columns=["weight"])
    with pytest.raises(ValueError, match="there is no field 'path'"):
        octavo.pack_dataset(samples, tmp_path / "c.h5", name_key="path")
    octavo.pack_dataset(samples, tmp_path / "d.h5", columns="caption", progress=False)
    assert list(octavo.Dataset(tmp_path / "d.h5").split().columns) == ["caption"]


@pytest.mark.parametrize("label_key", ["a,b", ("a", "b")])
def test_several_label_fields_are_one_label(tmp_path: Path, label_key: str | tuple[str, str]) -> None:
    image = np.zeros((2, 2), np.uint8)
    flags = [{"image": image, "a": True, "b": 0}, {"image": image, "a": 0, "b": np.int64(1)}]
    octavo.pack_dataset(flags, tmp_path / "a.h5", label_key=label_key)
    np.testing.assert_array_equal(octavo.Dataset(tmp_path / "a.h5").split().labels, [[1, 0], [0, 1]])
    octavo.pack_dataset([{"image": image, "a": 0.5, "b": 2}], tmp_path / "b.h5", label_key=label_key)
    np.testing.assert_array_equal(octavo.Dataset(tmp_path / "b.h5").split().labels, [[0.5, 2.0]])
    with pytest.raises(ValueError, match=r"sample 0: the label fields .* must be numbers; name one field of text"):
        octavo.pack_dataset([{"image": image, "a": "cat", "b": 1}], tmp_path / "c.h5", label_key=label_key)
    with pytest.raises(ValueError, match="there is no field 'b'"):
        octavo.pack_dataset([{"image": image, "a": 1}], tmp_path / "c.h5", label_key=label_key)


def _pack_fields(path: Path, *labels: tuple[object, ...], **options: object) -> octavo.Split:
    samples = [{"image": np.zeros((2, 2), np.uint8)} | dict(zip("ab", label, strict=False)) for label in labels]
    octavo.pack_dataset(samples, path, progress=False, **{"label_key": "a,b", **options})  # type: ignore[arg-type]
    return octavo.Dataset(path).split()


def test_several_label_fields_have_one_kind_in_all_samples(tmp_path: Path) -> None:
    whole = _pack_fields(tmp_path / "a.h5", (31, 180), (1, 0)).labels
    assert whole.dtype == np.float32
    np.testing.assert_array_equal(whole, [[31, 180], [1, 0]])
    mixed = _pack_fields(tmp_path / "b.h5", (0.5, 2.0), (1, 0)).labels
    np.testing.assert_array_equal(mixed, [[0.5, 2], [1, 0]])
    with pytest.raises(
        ValueError, match=r"sample 1: .* are \[0.5, 2\], but .* from split 'train', sample 0 on, are multi"
    ):
        _pack_fields(tmp_path / "c.h5", (1, 0), (0.5, 2))
    for wrong, message in (((2**40, 1), "too large for a target"), ((math.nan, 1), "not all finite")):
        with pytest.raises(ValueError, match=f"sample 1: .*{message}"):
            _pack_fields(tmp_path / "c.h5", (31, 180), wrong)


def test_one_label_field_in_a_sequence_is_as_if_it_were_alone(tmp_path: Path) -> None:
    split = _pack_fields(tmp_path / "a.h5", ("dog",), ("cat",), label_key=["a"], classes=["cat", "dog"])
    np.testing.assert_array_equal(split.labels, [1, 0])


def test_metadata_is_typed_by_column(tmp_path: Path) -> None:
    with octavo.Writer(tmp_path / "a.h5") as writer:
        for n in range(3):
            ages = {"age": n, "weight": None if n == 1 else 0.5 * n, "tag": "x" if n else None}
            writer.append(np.zeros((2, 2), np.uint8), metadata=ages)
        with pytest.raises(ValueError, match="its metadata has the columns"):
            writer.append(np.zeros((2, 2), np.uint8), metadata={"age": 3})
        with pytest.raises(ValueError, match="sample 3"):
            writer.append(np.zeros((2, 2), np.uint8), metadata={"age": float("nan"), "weight": 1, "tag": ""})
    columns = octavo.Dataset(tmp_path / "a.h5").split().columns
    assert columns["age"].dtype == np.int64
    assert columns["age"].tolist() == [0, 1, 2]
    np.testing.assert_array_equal(columns["weight"], [0.0, np.nan, 1.0])
    assert columns["tag"] == [None, "x", "x"]


def test_values_of_more_than_8_bits_need_a_range(tmp_path: Path) -> None:
    image = np.array([[0, 100], [400, 600]], np.uint16)
    with octavo.Writer(tmp_path / "a.h5") as writer:
        with pytest.raises(ValueError, match=r"uint16 values range from 0 to 600; pass value_range=\(low, high\)"):
            writer.append(image)
        with pytest.raises(ValueError, match="int16 values range from -257 to 257"):
            writer.append(np.array([[-257, 257]], np.int16))
        writer.append(np.full((2, 2), 257, np.uint16))  # 8-bit values that were written as 16 bits
    writer = octavo.Writer(tmp_path / "b.h5", value_range=(0, 510))
    writer.append(image)
    with pytest.raises(ValueError, match="8 bits"):
        writer.append(image.astype(np.uint8))
    with pytest.warns(octavo.PackingWarning, match="uint16 values from 0 to 600 .*1 value outside 0 to 510 was"):
        writer.close()
    split = octavo.Dataset(tmp_path / "b.h5").split()
    assert split[0][0].tolist() == [[[0, 50], [200, 255]]]
    assert split.statistics.scale.tolist() == [2.0]


def test_a_pil_image_of_16_bits_is_not_cut_to_8(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    photo = image.fromarray(np.array([[0, 4095]], np.uint16))
    assert photo.mode == "I;16"
    with pytest.raises(ValueError, match="uint16 values range from 0 to 4095"):
        octavo.pack_dataset([photo], tmp_path / "a.h5")


@pytest.mark.parametrize("channels", [2, 4])
def test_images_that_cannot_be_resized_are_named(tmp_path: Path, channels: int) -> None:
    writer = octavo.Writer(tmp_path / "a.h5", size=2, layout="hwc")
    with pytest.raises(ValueError, match=f"split 'train', sample 0: .*{channels}"):
        writer.append(np.zeros((4, 4, channels), np.uint8), 0)


def test_the_splits_of_a_dataset_dict_get_the_usual_names(tmp_path: Path) -> None:
    splits = {"train": pairs(), "validation": pairs(4)}
    assert octavo.pack_dataset(splits, tmp_path / "a.h5").splits == {"train": 8, "val": 4}


def test_classes_with_one_name_are_refused(tmp_path: Path) -> None:
    for pack in (octavo.Writer, lambda path, classes: octavo.pack_dataset(pairs(), path, classes=classes)):
        with pytest.raises(ValueError, match="classes name 'cat' twice"):
            pack(tmp_path / "a.h5", classes=["cat", "cat"])


def test_a_split_without_samples_is_noted(tmp_path: Path) -> None:
    with pytest.warns(octavo.PackingWarning, match="not packed: the split 'test', which has no samples"):
        octavo.pack_dataset({"train": pairs(), "test": []}, tmp_path / "a.h5")
    with pytest.raises(TypeError, match=r"use octavo\.repack"):
        octavo.pack_dataset(octavo.Dataset(tmp_path / "a.h5"), tmp_path / "b.h5")


def test_float_images_beyond_the_levels_name_the_remedy(tmp_path: Path) -> None:
    writer = octavo.Writer(tmp_path / "a.h5")
    for value, message in ((0.3, r"pass value_range=\(0, 1\)"), (float("nan"), "it contains NaN or infinity")):
        with pytest.raises(ValueError, match=message):
            writer.append(np.full((2, 2), value, np.float32))


@pytest.mark.parametrize("gray_first", [True, False])
@pytest.mark.parametrize("splits", [("train", "train"), ("train", "test")])
def test_gray_and_rgb_images_become_rgb_as_from_a_folder(
    tmp_path: Path, splits: tuple[str, str], gray_first: bool
) -> None:
    # More than one block, so that gray samples are on disk when the first RGB image comes.
    count = 40
    random = np.random.default_rng(1)
    gray = list(random.integers(0, 256, (count, 200, 300), dtype=np.uint8))
    rgb = list(random.integers(0, 256, (count, 200, 300, 3), dtype=np.uint8))
    parts = [gray, rgb] if gray_first else [rgb, gray]
    writer = octavo.Writer(tmp_path / "a.h5")
    for split, images in zip(splits, parts, strict=True):
        for number, image in enumerate(images):
            writer.append(image, number % 3, split=split)
    with pytest.warns(octavo.PackingWarning, match="40 gray images of 80 became RGB") as caught:
        writer.close()
    assert len(caught) == 1
    data = octavo.Dataset(tmp_path / "a.h5")
    found = np.concatenate([data[split][:][0] for split in dict.fromkeys(splits)])
    expected = [np.stack([i, i, i]) if i.ndim == 2 else i.transpose(2, 0, 1) for part in parts for i in part]
    np.testing.assert_array_equal(found, expected)


def test_gray_images_stay_gray_and_other_channels_do_not_mix(tmp_path: Path) -> None:
    gray, rgb = np.zeros((2, 5), np.uint8), np.zeros((2, 5, 3), np.uint8)
    with octavo.Writer(tmp_path / "gray.h5") as writer:
        writer.append(gray)
    with octavo.Writer(tmp_path / "asked.h5", channels=1) as writer:
        writer.append(gray)
        with pytest.raises(ValueError, match="3"):
            writer.append(rgb)
    for path in ("gray.h5", "asked.h5"):
        assert octavo.Dataset(tmp_path / path).split().shape == (1, 2, 5)
    # The samples of a file cannot change.
    with octavo.Writer(tmp_path / "gray.h5", append=True) as writer:
        writer.append(gray, split="test")
        with pytest.raises(ValueError, match="it is 3x2x5"):
            writer.append(rgb, split="val")
    # A refused image changes nothing.
    with octavo.Writer(tmp_path / "b.h5") as writer:
        writer.append(gray, 0)
        with pytest.raises(ValueError, match="earlier labels are class numbers"):
            writer.append(rgb)
        with pytest.raises(ValueError, match="it is 3x4x5, earlier ones are 1x2x5"):
            writer.append(np.zeros((4, 5, 3), np.uint8), 0)
    assert octavo.Dataset(tmp_path / "b.h5").split().shape == (1, 2, 5)


def test_deep_gray_and_rgb_images_share_the_range(tmp_path: Path) -> None:
    writer = octavo.Writer(tmp_path / "a.h5", value_range=(0, 510))
    writer.append(np.full((2, 5), 100, np.uint16))
    writer.append(np.full((2, 5, 3), 201, np.uint16))
    with pytest.warns(octavo.PackingWarning, match="1 gray image of 2 became RGB"):
        writer.close()
    split = octavo.Dataset(tmp_path / "a.h5").split()
    assert split.statistics.scale.tolist() == [2.0] * 3
    report = octavo.report(tmp_path / "a.h5", device="cpu")
    assert report["certificate"]["largest_error"] == [1.0] * 3


@pytest.mark.parametrize("dtype", [np.uint16, np.float32])
def test_a_range_that_leaves_few_levels_is_refused(tmp_path: Path, dtype: Any) -> None:
    images = np.random.default_rng(0).integers(200, 1002, (20, 32, 32)).astype(dtype)
    images[3, 4, 5] = 65535
    np.save(tmp_path / "x.npy", images)
    lost = r"5 of 256 levels used, 1\.7 effective bits"
    with pytest.raises(ValueError, match=rf'{lost}.*value_range="percentile:99\.9".*allow_loss='):
        octavo.pack(tmp_path / "x.npy", tmp_path / "a.h5", layout="hw")
    writer = octavo.Writer(tmp_path / "a.h5", value_range=(200, 65535))
    for image in images:
        writer.append(image)
    with pytest.raises(ValueError, match=lost):
        writer.close()
    assert not (tmp_path / "a.h5").exists()
    with pytest.warns(octavo.PackingWarning, match=rf'{lost}.*value_range="percentile:99\.9" keeps more'):
        octavo.pack(tmp_path / "x.npy", tmp_path / "a.h5", layout="hw", allow_loss=True)
    report = octavo.report(tmp_path / "a.h5", device="cpu")
    assert report["certificate"]["level_use"]["levels"] == 5
    assert ", lossy: largest error 1" in str(report)
    with pytest.warns(octavo.PackingWarning, match=r"256 of 256 levels used, 8\.0 effective bits"):
        octavo.pack(tmp_path / "x.npy", tmp_path / "b.h5", layout="hw", value_range="percentile:99.9")


def _bands() -> Any:
    """Ten images of five bands, far apart and of different spread."""
    generator = np.random.default_rng(0)
    bands = generator.normal([300, 800, 3000, 9000, 200], [30, 60, 300, 1500, 5], (10, 16, 16, 5))
    return bands.clip(0, 65535).astype(np.uint16)


def test_a_band_that_a_shared_range_destroys_is_refused(tmp_path: Path) -> None:
    writer = octavo.Writer(tmp_path / "a.h5", value_range=(0, 65535), layout="hwc")
    for image in _bands():
        writer.append(image)
    with pytest.raises(ValueError, match=r"most uint16 values of channel 4 from .*worst channel 4: 1 of"):
        writer.close()


def test_each_channel_can_have_a_range(tmp_path: Path) -> None:
    ranges = [(150, 450), (450, 1150), (1500, 4500), (1500, 16500), (170, 230)]
    images = _bands()
    with pytest.warns(octavo.PackingWarning, match=r"worst channel \d: .*, largest error .* in channel 3\)"):
        octavo.pack_dataset([(image, 0) for image in images], tmp_path / "a.h5", value_range=ranges, layout="hwc")
    np.save(tmp_path / "x.npy", images)
    with pytest.warns(octavo.PackingWarning, match="worst channel"):
        octavo.pack(tmp_path / "x.npy", tmp_path / "b.h5", layout="hwc", value_range=ranges)
    first, second = (octavo.Dataset(tmp_path / name).split() for name in ("a.h5", "b.h5"))
    assert np.array_equal(first.images[:], second.images[:])
    assert first.statistics.scale.tolist() == pytest.approx([(high - low) / 255 for low, high in ranges])
    assert octavo.info(tmp_path / "a.h5")["splits"]["train"]["ranges"] == [pytest.approx(pair) for pair in ranges]
    assert "  ranges of train, by channel: 150 to 450, 450 to 1150, " in str(octavo.info(tmp_path / "a.h5"))
    certificates = [octavo.report(tmp_path / name, device="cpu")["certificate"] for name in ("a.h5", "b.h5")]
    assert certificates[0]["largest_error"] == pytest.approx(certificates[1]["largest_error"])
    assert certificates[0]["clipped_count"] == certificates[1]["clipped_count"]
    for key in ("channel", "levels", "effective_bits", "relative_error", "clipped_share"):
        assert certificates[0]["level_use"][key] == pytest.approx(certificates[1]["level_use"][key])


def test_a_wrong_number_of_ranges_is_refused(tmp_path: Path) -> None:
    writer = octavo.Writer(tmp_path / "a.h5", value_range=[(0, 1), (0, 2)], layout="hwc")
    with pytest.raises(ValueError, match="it has 5 channels, value_range has 2 ranges"):
        writer.append(_bands()[0])
    writer.discard()
    np.save(tmp_path / "x.npy", _bands())
    with pytest.raises(ValueError, match="2 ranges for 5 channels; give one for all channels, or one for each"):
        octavo.pack(tmp_path / "x.npy", tmp_path / "b.h5", layout="hwc", value_range=[(0, 1), (0, 2)])
    with pytest.raises(ValueError, match="the lower end must be below the upper end"):
        octavo.Writer(tmp_path / "a.h5", value_range=[(0, 1), (2, 2)])


def test_a_range_that_leaves_out_most_values_is_refused(tmp_path: Path) -> None:
    images = np.random.default_rng(0).normal(size=(20, 32, 32)).astype(np.float32)
    lost = r"most float32 values from -[0-9.]+ to [0-9.]+ are outside the range 0 to 1 \(.*, 6. % of the values clipped"
    for allow_loss in (False, True):
        writer = octavo.Writer(tmp_path / "a.h5", value_range=(0, 1), allow_loss=allow_loss)
        for image in images:
            writer.append(image)
        if allow_loss:
            with pytest.warns(octavo.PackingWarning, match=r"values outside 0 to 1 were clipped"):
                writer.close()
        else:
            with pytest.raises(ValueError, match=lost):
                writer.close()
    use = octavo.report(tmp_path / "a.h5", device="cpu")["certificate"]["level_use"]
    assert use["is_mostly_clipped"]
    assert 0.6 < use["clipped_share"] < 0.7
    assert use["effective_bits"] < 1.0
    octavo.repack(tmp_path / "a.h5", tmp_path / "b.h5")
    assert octavo.report(tmp_path / "b.h5", device="cpu")["certificate"]["level_use"] == use
    assert "is lossy: 256 of 256 levels used" in str(octavo.info(tmp_path / "b.h5"))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1, 2, 0.5], "its label 0.5 is a target, earlier labels are class numbers; pass floats for targets"),
        ([0.5, 1], "its label 1 is a class number, earlier labels are targets; pass floats for targets"),
        ([[0, 1], [0.5, 1.0]], r"its label \[0.5, 1.0\] is 2 targets, earlier labels are 2 multi-labels; pass floats"),
        ([[0, 1], [0, 1, 1]], r"is 3 multi-labels, earlier labels are 2 multi-labels; all labels of a split"),
        ([1, [0, 1]], r"is 2 multi-labels, earlier labels are class numbers; all labels of a split have one kind"),
        ([[0, 3]], r"its label \[0, 3\] has values other than 0 and 1; pass floats for targets"),
        ([1, None], "it has no label, earlier labels are class numbers; pass a label with all samples"),
        ([None, 1], "sample 1: its label 1 is a class number, earlier samples, from sample 0 on, have no labels; pass"),
    ],
)
def test_labels_of_several_kinds_are_named(tmp_path: Path, labels: list[Any], message: str) -> None:
    image = np.zeros((2, 2), np.uint8)
    with pytest.raises(ValueError, match=message):
        octavo.pack_dataset([{"image": image, "label": label} for label in labels], tmp_path / "a.h5")
    octavo.pack_dataset([(image, float(label)) for label in (1, 2, 0.5)], tmp_path / "b.h5")


@pytest.mark.parametrize("size", ["64", "64x64", (64,), (64, 0), 0, 6.5, (4, "4")])
def test_a_size_that_is_none_is_named(tmp_path: Path, size: Any) -> None:
    message = re.escape(f"size is {size!r}; it must be (height, width), or one number for both, at least 1")
    with pytest.raises(ValueError, match=message):
        octavo.pack_dataset(pairs(), tmp_path / "a.h5", size=size)
    with pytest.raises(ValueError, match=message):
        octavo.pack(tmp_path, tmp_path / "a.h5", size=size)


def test_a_size_may_be_a_number_of_numpy(tmp_path: Path) -> None:
    octavo.pack_dataset(pairs(), tmp_path / "a.h5", size=np.int64(3))  # type: ignore[arg-type]
    octavo.pack_dataset(pairs(), tmp_path / "b.h5", size=[3, 2])  # type: ignore[arg-type]
    assert [octavo.Dataset(tmp_path / name).split().shape for name in ("a.h5", "b.h5")] == [(1, 3, 3), (1, 3, 2)]


def test_a_split_whose_samples_were_all_skipped_is_an_error(tmp_path: Path) -> None:
    splits: dict[str, Any] = {"train": pairs(2), "val": [("no image", 0), ("none either", 0)]}
    with pytest.raises(ValueError, match=r"pack split 'val': no samples are left, because all 2 were skipped, .*val#0"):
        octavo.pack_dataset(splits, tmp_path / "a.h5", on_error="skip")
    with pytest.warns(octavo.PackingWarning, match="1 sample was skipped, which the result lists: train#0"):
        octavo.pack_dataset([*splits["val"][:1], *splits["train"]], tmp_path / "a.h5", on_error="skip")


def test_a_sample_without_a_label_is_skipped_wherever_it_is(tmp_path: Path) -> None:
    images = [image for image, _ in pairs()]
    for missing in (0, 3):
        samples = [(image, None if number == missing else number % 2) for number, image in enumerate(images)]
        with pytest.warns(octavo.PackingWarning, match=f"1 sample was skipped.*: train#{missing}"):
            octavo.pack_dataset(samples, tmp_path / "a.h5", on_error="skip", force=True)
        split = octavo.Dataset(tmp_path / "a.h5").split()
        assert (len(split), split.label_kind) == (7, "class")
    late = [*((image, None) for image, _ in pairs(20)), *pairs(30)]
    with pytest.raises(ValueError, match="sample 20: it has a label, but the first 16 samples have none"):
        octavo.pack_dataset(late, tmp_path / "c.h5", on_error="skip")
    # Without any label, the split has none, however many samples it has.
    for count in (8, 40):
        samples = [(image, None) for image, _ in pairs(count)]
        summary = octavo.pack_dataset(samples, tmp_path / "b.h5", on_error="skip", force=True)
        split = octavo.Dataset(tmp_path / "b.h5").split()
        assert (summary.splits, split.label_kind) == ({"train": count}, "none")
        assert split.images[:, 0, 0, 0].tolist() == [n - 128 for n in range(count)]


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        ((np.zeros((3, 6), np.uint8), 0), "it is 1x6x6, earlier ones are 1x3x6"),
        ((pairs()[0][0], 0.5), "its label 0 is a class number, earlier labels are targets"),
    ],
)
def test_a_first_sample_that_differs_from_all_others_is_an_error(tmp_path: Path, odd: Any, reason: str) -> None:
    message = f"pack split 'train': 8 of 9 samples were skipped, the first, train#.*{reason}"
    with pytest.raises(ValueError, match=message):
        octavo.pack_dataset([odd, *pairs()], tmp_path / "a.h5", on_error="skip")
    assert not (tmp_path / "a.h5").exists()


class Transformed:
    """A dataset with the attributes of torchvision's."""

    classes: ClassVar = ["cat", "dog"]

    def __init__(self, transform: Any = None, target_transform: Any = None) -> None:
        self.transform, self.target_transform = transform, target_transform

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> tuple[np.ndarray, Any]:
        image, label = pairs()[index]
        return image, label if self.target_transform is None else self.target_transform(label)


def transforms_of(*names: str) -> list[Any]:
    """Objects of classes of these names in torchvision, which need not be installed."""
    made = [type(name, (), {"__module__": "torchvision.transforms", "__call__": lambda _, x: x}) for name in names]
    return [kind() for kind in made]


def test_random_transforms_are_refused_before_packing(tmp_path: Path) -> None:
    [composed] = transforms_of("Compose")
    composed.transforms = transforms_of("Resize", "RandomCrop", "ColorJitter", "ToTensor")
    message = (
        "random transforms RandomCrop, ColorJitter would change each sample once, .* augment= to octavo.Loader, or"
    )
    for dataset, options in [
        (Transformed(composed), {}),
        (Joined(Part(Transformed(composed), [0])), {}),
        (Transformed(target_transform=composed), {}),
        (pairs(), {"transform": composed}),
        (pairs(), {"mask_transform": composed}),
    ]:
        with pytest.raises(ValueError, match=message):
            octavo.pack_dataset(dataset, tmp_path / "a.h5", **options)
    note = "the random transforms RandomCrop, ColorJitter changed each sample once, .* pass augment= to octavo.Loader"
    with pytest.warns(octavo.PackingWarning, match=note):
        octavo.pack_dataset(Transformed(composed), tmp_path / "a.h5", allow_random=True)


def test_transforms_that_draw_nothing_are_packed(tmp_path: Path) -> None:
    always, never, neither = transforms_of("RandomHorizontalFlip", "RandomVerticalFlip", "RandomErasing")
    always.p, never.p, neither.p = 1.0, 0.0, 0
    [fixed] = transforms_of("Compose")
    fixed.transforms = [*transforms_of("Resize", "CenterCrop", "Normalize"), always, never, neither]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        octavo.pack_dataset(Transformed(fixed), tmp_path / "a.h5", transform=fixed)


def test_random_transforms_in_other_attributes_are_noted(tmp_path: Path) -> None:
    dataset = Transformed()
    [dataset.flip] = transforms_of("RandomHorizontalFlip")  # type: ignore[attr-defined]
    with pytest.warns(octavo.PackingWarning, match="has the random transforms RandomHorizontalFlip; if it applied"):
        octavo.pack_dataset(dataset, tmp_path / "a.h5")


def test_images_and_masks_that_draw_separately_are_refused(tmp_path: Path) -> None:
    masked = [(np.zeros((4, 4), np.uint8), np.ones((4, 4), np.uint8))]
    crop, jitter = transforms_of("RandomCrop", "ColorJitter")
    message = r"sample 0: RandomCrop would change the image and its mask differently, .* moves both in the same way"
    for options in ({"transform": crop}, {"mask_transform": crop}):
        with pytest.raises(ValueError, match=message):
            octavo.pack_dataset(masked, tmp_path / "a.h5", allow_random=True, **options)
    with pytest.warns(octavo.PackingWarning, match="the random transforms ColorJitter changed"):
        octavo.pack_dataset(masked, tmp_path / "a.h5", allow_random=True, transform=jitter)


def test_masks_of_a_dataset_of_torchvision_must_be_transformed_with_the_images(tmp_path: Path) -> None:
    vision = pytest.importorskip("torchvision.datasets.vision")
    v2, tv_tensors = pytest.importorskip("torchvision.transforms.v2"), pytest.importorskip("torchvision.tv_tensors")

    class Segmentation(vision.VisionDataset):
        def __len__(self) -> int:
            return 1

        def __getitem__(self, index: int) -> Any:
            image = tv_tensors.Image(np.arange(64, dtype=np.uint8).reshape(1, 8, 8))
            return self.transforms(image, tv_tensors.Mask(image[0]))

    crop = v2.RandomCrop(4)
    with pytest.raises(ValueError, match="RandomCrop would change the image and its mask differently"):
        octavo.pack_dataset(Segmentation("", None, crop, crop), tmp_path / "a.h5", allow_random=True)
    with pytest.warns(octavo.PackingWarning, match="the random transforms RandomCrop changed each sample once"):
        octavo.pack_dataset(Segmentation("", crop), tmp_path / "a.h5", allow_random=True)
    image, mask = octavo.Dataset(tmp_path / "a.h5").split()[0]
    np.testing.assert_array_equal(image[0], mask)


def test_class_names_that_do_not_fit_the_labels_are_refused(tmp_path: Path) -> None:
    swapped = Transformed(target_transform=lambda label: 1 - label)
    with pytest.raises(ValueError, match="target_transform that changes the number 0 of class 'cat'; pass classes="):
        octavo.pack_dataset(swapped, tmp_path / "a.h5")
    octavo.pack_dataset(swapped, tmp_path / "a.h5", classes=["dog", "cat"])
    same = Transformed(target_transform=lambda label: np.int64(label))
    one_hot = Transformed(target_transform=lambda label: np.eye(2, dtype=np.int64)[label])
    for number, dataset in enumerate((same, one_hot)):
        octavo.pack_dataset(dataset, tmp_path / f"{number}.h5")
        assert octavo.Dataset(tmp_path / f"{number}.h5").classes == ["cat", "dog"]


def test_a_missing_label_names_the_remedies(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"it has no label \(-1\); leave .* label=None, or label_key=False"):
        octavo.pack_dataset([(pairs()[0][0], -1)], tmp_path / "a.h5")


def test_labels_of_tuples_are_dropped_on_request(tmp_path: Path) -> None:
    image, mask = pairs()[0][0], np.ones((6, 6), np.uint8)
    for number, sample in enumerate([(image, -1), (image, "id_7"), (image, mask, -1), (image,), image]):
        octavo.pack_dataset([sample], tmp_path / f"{number}.h5", label_key=False)
        split = octavo.Dataset(tmp_path / f"{number}.h5").split()
        assert (split.label_kind, split.has_masks) == ("none", number == 2)
    octavo.pack_dataset([(image, mask, 1)], tmp_path / "b.h5", mask_key=False)
    split = octavo.Dataset(tmp_path / "b.h5").split()
    assert (split.label_kind, split.has_masks) == ("class", False)


def test_labels_of_one_split_are_dropped_on_request(tmp_path: Path) -> None:
    class Unlabeled(Transformed):
        classes: ClassVar = ["unknown"]

    splits = {"train": Transformed(), "validation": Transformed(), "test": Unlabeled()}
    octavo.pack_dataset(splits, tmp_path / "a.h5", label_key={"test": False})
    dataset = octavo.Dataset(tmp_path / "a.h5")
    assert [dataset[name].label_kind for name in ("train", "val", "test")] == ["class", "class", "none"]
    assert dataset.classes == ["cat", "dog"]
    fields: list[dict[str, Any]] = [{"image": pairs()[0][0], "kind": 1}]
    octavo.pack_dataset({"train": fields, "test": fields}, tmp_path / "b.h5", label_key={"train": "kind", "test": []})
    assert octavo.Dataset(tmp_path / "b.h5")["train"].label_kind == "class"
    with pytest.raises(ValueError, match="label_key names the split 'tset'; dataset has 'train', 'val', 'test'"):
        octavo.pack_dataset(splits, tmp_path / "c.h5", label_key={"tset": False})
    with pytest.raises(TypeError, match="label_key is True; it must be a field"):
        octavo.pack_dataset(splits, tmp_path / "c.h5", label_key=True)  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ["image_key", "mask_key", "label_key", "name_key"])
def test_a_field_of_samples_that_are_tuples_is_an_error(tmp_path: Path, key: str) -> None:
    options: dict[str, Any] = {key: "x"}
    with pytest.raises(ValueError, match=f"sample 0: {key}='x' names a field, but the sample is of type tuple"):
        octavo.pack_dataset(pairs(), tmp_path / "a.h5", **options)


def test_the_layout_of_tensors_is_found_like_that_of_arrays(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    image = torch.arange(8 * 8 * 3, dtype=torch.uint8).reshape(8, 8, 3)
    octavo.pack_dataset([image], tmp_path / "a.h5")
    octavo.pack_dataset([image.permute(2, 0, 1)], tmp_path / "b.h5")
    found, expected = (octavo.Dataset(tmp_path / name).split().images[:] for name in ("a.h5", "b.h5"))
    np.testing.assert_array_equal(found, expected)
    # What is not clear is [C, H, W].
    octavo.pack_dataset([torch.zeros(3, 5, 3, dtype=torch.uint8)], tmp_path / "c.h5")
    octavo.pack_dataset([torch.zeros(5, 4, 4, dtype=torch.uint8)], tmp_path / "d.h5")
    assert [octavo.Dataset(tmp_path / name).split().shape for name in ("c.h5", "d.h5")] == [(3, 5, 3), (5, 4, 4)]


def test_what_the_samples_of_a_split_lack_is_noted(tmp_path: Path) -> None:
    with octavo.Writer(tmp_path / "a.h5", value_range=(0, 1000)) as writer:
        writer.append(np.arange(256, dtype=np.uint16).reshape(16, 16), 0, name="a.tif", metadata={"age": 7})
    split = octavo.Dataset(tmp_path / "a.h5").split()
    note = "not packed: the units (scale and zero_point), the columns 'age', the names of the split 'train'"
    with pytest.warns(octavo.PackingWarning, match=re.escape(note)):
        octavo.pack_dataset(split, tmp_path / "b.h5")
    # A file without these loses nothing.
    octavo.pack_dataset(pairs(), tmp_path / "c.h5")
    assert octavo.pack_dataset(octavo.Dataset(tmp_path / "c.h5").split(), tmp_path / "d.h5").notes == []


def test_floats_of_0_and_1_for_each_class_are_multi_labels(tmp_path: Path) -> None:
    bits = [np.float32([1, 0, 1]), [0.0, 0.0, 0.0], np.array([0.0, 1.0, 0.0])]
    samples = [(image, label) for (image, _), label in zip(pairs(), bits, strict=False)]
    with pytest.warns(octavo.PackingWarning, match="'train': labels that are floats, all 0 or 1 and one for"):
        octavo.pack_dataset(samples, tmp_path / "a.h5", classes=["a", "b", "c"])
    split = octavo.Dataset(tmp_path / "a.h5").split()
    assert (split.label_kind, split.labels.tolist()) == ("multi_label", [[1, 0, 1], [0, 0, 0], [0, 1, 0]])
    # Without classes, of another number, or with other numbers before, they are targets.
    soft = [(pairs()[0][0], [0.2, 0.8, 0.0]), *samples]
    for number, (given, classes) in enumerate([(samples, None), (samples, ["a", "b"]), (soft, ["a", "b", "c"])]):
        octavo.pack_dataset(given, tmp_path / f"{number}.h5", classes=classes)
        assert octavo.Dataset(tmp_path / f"{number}.h5").split().label_kind == "target"
    with pytest.raises(ValueError, match="3 targets, earlier labels are 3 multi-labels; floats that are all 0 or 1"):
        octavo.pack_dataset([*samples, *soft], tmp_path / "b.h5", classes=["a", "b", "c"])
