"""What packing changed or left out is said, once, in one line."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import octavo
import pytest

Image = pytest.importorskip("PIL.Image")


def write_gray(path: Path, values: list[int], dtype: type = np.uint8) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.array([values], dtype)).save(path)


def test_16_bit_images_are_quantized_with_a_note(tmp_path: Path) -> None:
    write_gray(tmp_path / "a/1.png", [0, 1000, 2040], np.uint16)
    write_gray(tmp_path / "a/2.png", [4080, 8, 16], np.uint16)
    with pytest.warns(octavo.PackingWarning) as caught:
        summary = octavo.pack(tmp_path / "a", tmp_path / "out.h5")
    assert [str(warning.message) for warning in caught] == summary.notes
    assert summary.notes[0].startswith(
        "train: uint16 values from 0 to 4080 became 8-bit (6 different values; 5 of 256 levels used, "
    )
    assert caught[0].filename == __file__
    assert "note: train: uint16" in repr(summary)
    report = octavo.report(tmp_path / "out.h5")
    assert not report["certificate"]["lossless"]
    exact = octavo.pack(tmp_path / "a", tmp_path / "b.h5", value_range=(0, 255 * 8), names=False)
    assert octavo.Dataset(tmp_path / "b.h5").split().sample_name(0) is None
    assert "clipped" in exact.notes[0]


def test_names_of_files_are_stored_by_default(tmp_path: Path) -> None:
    for path in ("cat/1.png", "dog/2.png"):
        write_gray(tmp_path / "photos" / path, [1, 2, 3])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        summary = octavo.pack(tmp_path / "photos", tmp_path / "out.h5")
    assert summary.name_bytes == 2 * (len("cat/1.png") + 9)
    assert octavo.Dataset(tmp_path / "out.h5").split().sample_name(1) == "dog/2.png"
    assert repr(summary).startswith("PackSummary(train: 2 x 1x1x3, ")


def test_a_note_names_the_line_that_packs(tmp_path: Path) -> None:
    samples = [{"image": np.zeros((2, 2), np.uint8), "label": 0, "boxes": [1]}]
    for number in range(2):
        with pytest.warns(octavo.PackingWarning, match="boxes") as caught:
            octavo.pack_dataset(samples, tmp_path / f"{number}.h5")
        assert caught[0].filename == __file__
    writer = octavo.Writer(tmp_path / "a.h5")
    writer.append(np.zeros((2, 2), np.uint8))
    writer.add_note("mine")
    with pytest.warns(octavo.PackingWarning, match="mine") as caught, writer:
        pass
    assert caught[0].filename == __file__


def test_columns_of_a_list_are_kept(tmp_path: Path) -> None:
    for number in range(3):
        write_gray(tmp_path / f"photos/{number}.png", [number])
    (tmp_path / "photos/list.csv").write_text("file,breed,age\n0.png,pug,3\n1.png,collie,\n2.png,pug,12\n")
    octavo.pack(tmp_path / "photos", tmp_path / "out.h5", label_column="breed", columns="all")
    split = octavo.Dataset(tmp_path / "out.h5").split()
    assert split.classes == ["collie", "pug"]
    np.testing.assert_array_equal(split.columns["age"], [3, np.nan, 12])
    octavo.repack(tmp_path / "out.h5", tmp_path / "pugs.h5", select="pug")
    assert octavo.Dataset(tmp_path / "pugs.h5").split().columns["age"].tolist() == [3.0, 12.0]


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    """A folder with a list of four photos in another folder."""
    for number in range(4):
        write_gray(tmp_path / f"photos/train-jpg/{number}.png", [number])
    (tmp_path / "photos/train.csv").write_text(
        "id,image,a,b,tags,age\n9,0,1,0,x y,3\n8,1,0,1,y,4\n7,2,1,1,x y,5\n6,3,0,0,z y,6\n"
    )
    return tmp_path / "photos"


@pytest.mark.parametrize("label_column", ["a,b", ["a", "b"]])
def test_several_label_columns_are_multi_labels_and_others_stay(
    listed: Path, tmp_path: Path, label_column: str | list[str]
) -> None:
    with pytest.warns(octavo.PackingWarning, match="4 images of train.csv are found by name in 1 folder"):
        octavo.pack(listed, tmp_path / "a.h5", label_column=label_column, path_column="image")
    split = octavo.Dataset(tmp_path / "a.h5").split()
    assert split.classes == ["a", "b"]
    np.testing.assert_array_equal(split.labels, [[1, 0], [0, 1], [1, 1], [0, 0]])
    assert list(split.columns) == ["id", "tags", "age"]


def test_columns_are_left_out_on_request(listed: Path, tmp_path: Path) -> None:
    for number, columns in enumerate(("none", ())):
        with pytest.warns(octavo.PackingWarning, match="columns not packed: .*; keep them with columns="):
            octavo.pack(listed, tmp_path / f"{number}.h5", label_column="a", columns=columns)
        assert not octavo.Dataset(tmp_path / f"{number}.h5").split().columns


def test_tags_are_divided_or_refused_or_kept(listed: Path, tmp_path: Path) -> None:
    with pytest.raises(octavo.FormatError, match='label_separator="space", or make each one class with label_sep'):
        octavo.pack(listed, tmp_path / "a.h5", label_column="tags")
    with pytest.warns(octavo.PackingWarning):
        octavo.pack(listed, tmp_path / "a.h5", label_column="tags", label_separator="space")
    with pytest.warns(octavo.PackingWarning):
        octavo.pack(listed, tmp_path / "b.h5", label_column="tags", label_separator=None)
    np.testing.assert_array_equal(
        octavo.Dataset(tmp_path / "a.h5").split().labels, [[1, 1, 0], [0, 1, 0], [1, 1, 0], [0, 1, 1]]
    )
    assert octavo.Dataset(tmp_path / "b.h5").split().classes == ["x y", "y", "z y"]
    with pytest.raises(ValueError, match="label_separator= is empty"):
        octavo.pack(listed, tmp_path / "c.h5", label_column="tags", label_separator="")


def test_a_class_that_train_lacks_is_refused(tmp_path: Path) -> None:
    for path in ("train/dog/1.png", "val/Dog/2.png"):
        write_gray(tmp_path / path, [1])
    with pytest.raises(ValueError, match=r'"Dog" is not in split "train" \(there is "dog"\); rename .* class_map='):
        octavo.pack(tmp_path, tmp_path / "out.h5")
    assert octavo.pack(tmp_path, tmp_path / "out.h5", allow_mismatch=True).splits == {"train": 1, "val": 1}


def test_reindex_names_what_it_does_not_copy(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    octavo.pack_dataset([np.zeros((2, 2), np.uint8)], tmp_path / "a.h5")
    assert octavo.reindex(tmp_path / "a.h5", tmp_path / "same.h5").left_out == []
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        file["train/features"] = np.zeros(3)
        file["train"].attrs["note"] = "mine"
    with pytest.warns(octavo.PackingWarning, match="not copied: /train/features"):
        summary = octavo.reindex(tmp_path / "a.h5", tmp_path / "b.h5")
    assert summary.left_out == ["/train/features", "/train, attribute note"]
