"""Opening files and reading their contents."""

from __future__ import annotations

import io
import pickle
import warnings
from pathlib import Path

import numpy as np
import octavo
import pytest
from conftest import Packed, write_packed


def test_a_dataset_describes_its_contents(packed: Packed) -> None:
    with octavo.Dataset(packed.path) as dataset:
        assert dataset.split_names == ["train"]
        assert dataset.classes[3] == "class 3"
        assert dataset.file_bytes == packed.path.stat().st_size
        assert dataset.provenance["format"] == "appended"
        train = dataset["train"]
        assert len(train) == 47
        assert train.shape == (3, 8, 6)
        assert train.label_kind == "class"
        assert train.classes == dataset.classes
        assert "47 images of 3x8x6" in repr(train)
        assert [split.name for split in dataset] == ["train"]
        assert "train" in dataset
        assert train in dataset
        assert octavo.Dataset(packed.path)["train"] in dataset
        assert "test" not in dataset
        assert 0 not in dataset
        with pytest.raises(KeyError):
            dataset["test"]
        with pytest.raises(ValueError, match="test"):
            dataset.split("test")


def test_a_split_of_another_file_is_not_in_a_dataset(packed: Packed, tmp_path: Path) -> None:
    octavo.pack_dataset([(np.zeros((2, 2), np.uint8), 0)], tmp_path / "other.h5")
    assert octavo.Dataset(tmp_path / "other.h5")["train"] not in octavo.Dataset(packed.path)


def test_statistics_are_exact(packed: Packed) -> None:
    train = octavo.Dataset(packed.path).split()
    by_channel = packed.values.transpose(1, 0, 2, 3).reshape(3, -1)
    np.testing.assert_allclose(train.mean, by_channel.mean(axis=1, dtype=np.float64), rtol=1e-15)
    np.testing.assert_allclose(train.std, by_channel.std(axis=1, dtype=np.float64), rtol=1e-12)
    np.testing.assert_array_equal(train.histogram, [np.bincount(channel, minlength=256) for channel in by_channel])
    np.testing.assert_array_equal(train.mean_image, packed.values.mean(axis=0, dtype=np.float64).astype(np.float32))


def test_statistics_print_as_one_line(tmp_path: Path) -> None:
    with octavo.Writer(tmp_path / "two.h5", layout="chw") as writer:
        for value in (10, 11, 10):  # mean 10.333..., variance 2/9
            writer.append(np.stack([np.full((2, 2), value, np.uint8), np.full((2, 2), 200, np.uint8)]), 0)
    assert repr(octavo.Dataset(tmp_path / "two.h5").split().statistics) == (
        "Statistics(mean=[10.33, 200], std=[0.4714, 0])"
    )


@pytest.mark.parametrize(
    "index",
    [
        0, -1, 46, slice(3, 7), slice(None), slice(None, None, -1), slice(40, 3, -7), slice(5, 5), ..., [], [4, 4, -2],
        np.array([1, 0]), (..., 0), (..., slice(0, 2)), (..., 1, slice(2)), (), (3, ..., 1), np.array(4),
        np.arange(47) % 5 == 0, (slice(3, 7), 0), (2, slice(None), 1), (..., ),
    ],
)  # fmt: skip
def test_images_are_indexed_as_an_array_is(packed: Packed, index) -> None:
    images = octavo.Dataset(packed.path).split("train").images
    assert images.shape == packed.codes.shape
    expected = packed.codes[:0] if isinstance(index, list) and not index else packed.codes[index]
    taken = images[index]
    assert taken.dtype == np.int8
    np.testing.assert_array_equal(taken, expected)


def test_all_images_as_one_array(packed: Packed) -> None:
    train = octavo.Dataset(packed.path).split()
    np.testing.assert_array_equal(np.asarray(train.images), packed.codes)
    np.testing.assert_array_equal(train.images[0].view("uint8") ^ 0x80, packed.values[0])
    np.testing.assert_array_equal(train.labels, packed.labels)


def test_a_split_is_a_map_style_dataset(packed: Packed) -> None:
    train = octavo.Dataset(packed.path).split()
    image, label = train[5]
    assert (image.dtype, type(label), label) == (np.uint8, int, 5)
    np.testing.assert_array_equal(image, packed.values[5])
    np.testing.assert_array_equal(train[-1][0], packed.values[-1])
    for index in (slice(3, 7), [4, 2], np.arange(47) % 5 == 0):
        images, labels = train[index]
        np.testing.assert_array_equal(images, packed.values[index])
        np.testing.assert_array_equal(labels, packed.labels[index])
    assert train.targets == packed.labels.tolist()
    assert train.class_to_idx == {f"class {number}": number for number in range(10)}
    assert [label for _, label in train] == train.targets
    with pytest.raises(IndexError, match="out of range"):
        train[47]


def test_a_sample_without_a_label_is_a_tuple_too(tmp_path: Path) -> None:
    image = np.zeros((1, 2, 2), np.uint8)
    octavo.pack_dataset([image], tmp_path / "a.h5")
    assert [part.shape for part in octavo.Dataset(tmp_path / "a.h5").split()[0]] == [(1, 2, 2)]
    octavo.pack_dataset([(image, image[0])], tmp_path / "b.h5")
    assert [part.shape for part in octavo.Dataset(tmp_path / "b.h5").split()[0]] == [(1, 2, 2), (2, 2)]


@pytest.mark.parametrize("index", [47, -48, [0, 47], [0.5], np.zeros(3, bool), "x", True, ([0, 1], [0, 2])])
def test_an_index_out_of_range_is_an_index_error(packed: Packed, index) -> None:
    images = octavo.Dataset(packed.path).split().images
    with pytest.raises((IndexError, TypeError)):
        images[index]


def test_a_closed_dataset_raises_an_error(packed: Packed) -> None:
    dataset = octavo.Dataset(packed.path)
    split = dataset.split()
    dataset.close()
    for use in (
        lambda: dataset.split_names,
        lambda: split.images[0],
        lambda: split.labels,
        lambda: octavo.Loader(split),
    ):
        with pytest.raises(ValueError, match="closed"):
            use()
    assert "closed" in repr(dataset)


def test_datasets_can_be_passed_to_other_processes(packed: Packed) -> None:
    dataset = octavo.Dataset(packed.path)
    assert pickle.loads(pickle.dumps(dataset)).split_names == ["train"]
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(dataset.split())).images[3], packed.codes[3])


def test_a_pickled_split_notices_another_file(tmp_path: Path) -> None:
    packed = write_packed(tmp_path / "a.h5", 20, (1, 2, 2))
    dataset = octavo.Dataset(packed.path)
    pickled = [pickle.dumps(dataset), pickle.dumps(dataset["train"])]
    assert [type(pickle.loads(one)) for one in pickled] == [octavo.Dataset, octavo.Split]
    write_packed(tmp_path / "b.h5", 20, (1, 2, 2), classes=3).path.replace(packed.path)
    for one in pickled:
        with pytest.raises(ValueError, match=r"a\.h5' has changed since a dataset of it was pickled"):
            pickle.loads(one)


def test_a_notebook_shows_a_contact_sheet(packed: Packed) -> None:
    shown = octavo.Dataset(packed.path)._repr_html_()
    assert shown.count("data:image/png;base64,iVBOR") == 1
    assert "47 images" in shown


@pytest.fixture
def pets(tmp_path) -> Path:
    """Nine 8x8 images of one value each, 20 times their index; the classes cat, dog and owl take turns."""
    with octavo.Writer(tmp_path / "pets.h5", classes=["cat", "dog", "owl"]) as writer:
        for row in range(9):
            writer.append(np.full((8, 8), 20 * row, np.uint8), row % 3)
    return tmp_path / "pets.h5"


def shown(picture: octavo.Picture) -> list[int]:
    """The values of the samples on a sheet that is one row high and has scale 1."""
    image_of = pytest.importorskip("PIL.Image")
    pixels = np.asarray(image_of.open(io.BytesIO(picture.png)))
    return pixels[1, 1::9].tolist()


def test_stored_samples_become_pictures(pets: Path) -> None:
    dataset = octavo.Dataset(pets)
    one_row = {"columns": 9, "scale": 1}
    assert shown(octavo.view(pets, **one_row)) == [20 * row for row in range(9)]
    assert shown(octavo.view(str(pets), count=2, first=3, **one_row)) == [60, 80]
    assert shown(octavo.view(dataset, indices=[-1, 0, 4], **one_row)) == [160, 0, 80]
    assert shown(octavo.view(dataset["train"], classes="dog", **one_row)) == [20, 80, 140]
    assert shown(octavo.view(dataset, split="train", classes=["owl", 0], count=3, **one_row)) == [0, 40, 60]
    assert octavo.view(pets).png == octavo.view(dataset, split="train", indices=range(9)).png


def test_pictures_have_class_names_below_the_images(pets: Path) -> None:
    image_of = pytest.importorskip("PIL.Image")
    plain = np.asarray(image_of.open(io.BytesIO(octavo.view(pets, columns=9, captions=False).png)))
    named = np.asarray(image_of.open(io.BytesIO(octavo.view(pets, columns=9).png)))
    assert plain.shape == (66, 9 * 65 + 1)
    assert named.shape == (66 + 9, 9 * 65 + 1)
    np.testing.assert_array_equal(named[:65], plain[:65])
    loader = octavo.Loader(pets, batch_size=9, device="cpu")
    assert octavo.view(loader, 0, columns=9).png == octavo.view(pets, columns=9).png
    assert octavo.view(loader, 0, columns=9, captions=False).png == octavo.view(pets, columns=9, captions=False).png


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"classes": "foo"}, ValueError, 'unknown class "foo" of split train; expected cat, dog or owl'),
        ({"classes": 3}, ValueError, r"class 3 does not exist; split 'train' has classes 0 \.\.\. 2"),
        ({"classes": []}, ValueError, "classes are empty"),
        ({"indices": [9]}, IndexError, "sample 9 is out of range"),
        ({"indices": []}, ValueError, "indices are empty"),
        ({"indices": [1], "classes": "cat"}, ValueError, "indices do not go with"),
        ({"first": 9}, ValueError, "from index 9"),
        ({"count": 0}, ValueError, "count is 0"),
        ({"split": "test"}, ValueError, "test"),
        ({"step": 0}, TypeError, "only to a loader"),
    ],
)
def test_pictures_of_samples_that_do_not_exist_are_refused(pets: Path, options, error, message) -> None:
    with pytest.raises(error, match=message):
        octavo.view(pets, **options)


def test_a_picture_of_a_batch_takes_the_options_of_batches(pets: Path) -> None:
    loader = octavo.Loader(pets, batch_size=9, device="cpu")
    with pytest.raises(TypeError, match="do not apply to a loader"):
        octavo.view(loader, 0, classes="cat")
    with pytest.raises(TypeError, match="step is missing"):
        octavo.view(loader)


def test_info_describes_a_file(tmp_path) -> None:
    with octavo.Writer(tmp_path / "out.h5", classes=["cat", "dog", "owl"]) as writer:
        for row in range(5):
            image = np.full((1, 2, 2), row, np.uint8)
            writer.append(image, row % 2, name=f"{row}.png", metadata={"age": row}, split="train" if row else "val")
    facts = octavo.info(tmp_path / "out.h5")
    train = facts["splits"]["train"]
    assert (train["samples"], train["shape"], train["class_counts"]) == (4, (1, 2, 2), {0: 2, 1: 2, 2: 0})
    assert train["mean"] == [2.5]
    assert train["columns"] == ["age"]
    assert facts["format_version"] == 3
    text = str(facts)
    size = (tmp_path / "out.h5").stat().st_size
    assert text.startswith(
        f"out.h5: 5 samples of 1x2x2 in 2 splits, 3 classes; {size / 1024:.1f} KiB, as float32 80 B\n"
    )
    assert (
        """
Splits
  split  samples  shape  color  labels  source  float32  int8  in the file
  val          1  1x2x2  gray   class   uint8      16 B   4 B        plain
  train        4  1x2x2  gray   class   uint8      64 B  16 B        plain
  columns of val: age
  columns of train: age

Classes: 3
  label  name  val  train
      0  cat     1      2
      1  dog     0      2
      2  owl     0      0

Sizes and outliers
  labels of val    no samples: 2 classes (dog, owl)
  labels of train  no samples: 1 class (owl)
"""
        in text
    )
    assert facts["splits"]["train"]["label_outliers"] == "no samples: 1 class (owl)"


def test_info_counts_multi_labels_and_many_classes(tmp_path: Path) -> None:
    images = [np.full((1, 2, 2), row, np.uint8) for row in range(30)]
    octavo.pack_dataset([(image, [1, row % 2]) for row, image in enumerate(images)], tmp_path / "multi.h5")
    text = str(octavo.info(tmp_path / "multi.h5"))
    assert "  multi-label x 2  " in text
    assert "      0           30\n      1           15\n" in text
    octavo.pack_dataset([(image, row) for row, image in enumerate(images)] * 2, tmp_path / "many.h5", holdout=0.5)
    text = str(octavo.info(tmp_path / "many.h5"))
    assert "  held out of train: share 0.5, seed 0\n" in text
    assert "\nClasses: 30, without names\n" in text
    assert "\n  and 20 more\n" in text


def test_info_shows_what_quantizing_lost_and_the_sizes_of_files(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    for row in range(3):
        image.fromarray(np.full((6 + row, 6), row, np.uint8)).save(tmp_path / f"{row}.png")
    with pytest.warns(octavo.PackingWarning):
        octavo.pack(tmp_path, tmp_path / "a.h5", format="folder", size=3)
    assert "  images of train  6x6 to 8x6, median 7x6; 0 enlarged, 0 of unusual size\n" in str(
        octavo.info(tmp_path / "a.h5")
    )
    deep = [(np.linspace(0, row, 16, dtype=np.float32).reshape(4, 4), row) for row in range(3)]
    with pytest.warns(octavo.PackingWarning):
        octavo.pack_dataset(deep, tmp_path / "b.h5", value_range=(0, 2))
    report = octavo.info(tmp_path / "b.h5")
    assert f"  train is lossy: {report['splits']['train']['loss']}\n" in str(report)


def test_a_contact_sheet_stays_small_in_a_saved_notebook(tmp_path) -> None:
    noise = np.random.default_rng(0)
    with octavo.Writer(tmp_path / "out.h5") as writer:
        for row in range(60):
            writer.append(noise.integers(0, 256, (3, 50, 40), np.uint8), row % 2, split="train" if row % 3 else "val")
    dataset = octavo.Dataset(tmp_path / "out.h5")
    assert len(dataset._repr_html_()) < 60_000
    assert len(dataset.split()._repr_html_()) < 60_000


def test_names_of_samples(tmp_path) -> None:
    with octavo.Writer(tmp_path / "out.h5") as writer:
        for row in range(3):
            writer.append(np.zeros((2, 2), np.uint8), row, name=f"image-{row}.png")
    assert octavo.Dataset(tmp_path / "out.h5").split().sample_name(-1) == "image-2.png"


def test_several_files_are_verified_and_damaged_samples_have_their_names(tmp_path: Path) -> None:
    images = np.arange(12, dtype=np.uint8).reshape(3, 2, 2)
    for name in ("a.h5", "b.h5"):
        with octavo.Writer(tmp_path / name, classes=["x"]) as writer:
            for row, image in enumerate(images):
                writer.append(image, 0, name=f"cats/{row}.png")
    damaged = bytearray((tmp_path / "b.h5").read_bytes())
    damaged[damaged.find((images ^ 0x80).tobytes()) + 4] ^= 1
    (tmp_path / "b.h5").write_bytes(damaged)
    first, second = octavo.verify([tmp_path / "a.h5", tmp_path / "b.h5"])
    assert first
    assert not second
    assert [(defect.where, defect.sample_name) for defect in second.defects] == [
        ("/train/images sample 1", "cats/1.png")
    ]
    assert "cats/1.png" in repr(second.defects[0])


def test_a_damaged_sample_is_named(packed: Packed) -> None:
    assert octavo.verify(packed.path)
    damaged = bytearray(packed.path.read_bytes())
    place = damaged.find(packed.codes[17].tobytes())
    damaged[place] ^= 1
    packed.path.write_bytes(damaged)
    result = octavo.verify(packed.path)
    assert not result
    assert next(defect.where for defect in result.defects) == "/train/images sample 17"
    with pytest.raises(octavo.FormatError, match="17"):
        octavo.Loader(packed.path, framework="numpy", device="cpu")
    with pytest.raises(octavo.FormatError, match="17"):
        octavo.Dataset(packed.path).split().images[17]
    with pytest.raises(ValueError, match="17"):  # FormatError is a ValueError
        octavo.Dataset(packed.path).split().images[10:20]


def test_the_report_adds_up(packed: Packed) -> None:
    figures = octavo.report(packed.path, device="cpu", batch_size=8)
    assert figures["sample_count"] == 47
    assert figures["certificate"]["lossless"] is True
    assert "int8" in str(figures)
    with pytest.raises(ValueError, match="nowhere"):
        octavo.report(packed.path, "nowhere", device="cpu")


def test_large_class_numbers_are_counted(tmp_path: Path) -> None:
    octavo.pack_dataset([(np.zeros((2, 2), np.uint8), 2_000_000_000)] * 3, tmp_path / "a.h5")
    assert octavo.info(tmp_path / "a.h5")["splits"]["train"]["class_counts"] == {2_000_000_000: 3}


def test_a_notebook_shows_a_split_for_evaluation_without_a_warning(tmp_path: Path) -> None:
    octavo.pack_dataset([np.zeros((2, 2), np.uint8)] * 3, tmp_path / "a.h5", split="test")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "<img" in octavo.Dataset(tmp_path / "a.h5")["test"]._repr_html_()
