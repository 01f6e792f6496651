"""Exporting, repacking and rebuilding dataset files."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path

import numpy as np
import octavo
import pytest
from conftest import Packed


def test_exported_arrays_have_the_packed_values(packed: Packed, tmp_path: Path) -> None:
    with pytest.warns(octavo.PackingWarning, match="arrays do not store class names; export PNG images"):
        octavo.export(packed.path, tmp_path / "arrays", format="npy")
    assert np.array_equal(np.load(tmp_path / "arrays" / "train-images.npy"), packed.values)
    assert np.array_equal(np.load(tmp_path / "arrays" / "train-labels.npy"), packed.labels)
    with pytest.raises(ValueError, match="not empty"):
        octavo.export(packed.path, tmp_path / "arrays")
    with pytest.raises(ValueError, match="'png' or 'npy'"):
        octavo.export(packed.path, tmp_path / "other", format="jpg")  # type: ignore[arg-type]


def test_exported_images_pack_into_the_same_dataset(packed: Packed, tmp_path: Path) -> None:
    seen: list[str] = []
    with octavo.Dataset(packed.path) as dataset:
        octavo.export(dataset, tmp_path / "images", progress=lambda stage, *_: seen.append(stage))
    assert seen
    octavo.pack(tmp_path / "images", tmp_path / "again.h5")
    split = octavo.Dataset(tmp_path / "again.h5").split()
    assert np.array_equal(np.asarray(split.images), packed.codes)
    assert np.array_equal(split.labels, packed.labels)


def test_columns_survive_an_export_as_images_but_not_as_arrays(tmp_path: Path) -> None:
    with octavo.Writer(tmp_path / "out.h5") as writer:
        for row in range(3):
            writer.append(np.full((2, 2), row, np.uint8), row, metadata={"age": 30 + row, "box": {"x": [row]}})
    octavo.export(tmp_path / "out.h5", tmp_path / "images")
    octavo.pack(tmp_path / "images", tmp_path / "again.h5")
    columns = octavo.Dataset(tmp_path / "again.h5").split().columns
    assert columns["age"].tolist() == [30, 31, 32]
    assert columns["box"] == [{"x": [0]}, {"x": [1]}, {"x": [2]}]
    with pytest.warns(octavo.PackingWarning, match="arrays do not store the columns age, box; export PNG images"):
        octavo.export(tmp_path / "out.h5", tmp_path / "arrays", format="npy")


def test_an_export_of_quantized_images_warns_that_bytes_are_not_source_values(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.linspace(0, 1, 32, dtype=np.float32).reshape(2, 4, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        octavo.pack(tmp_path / "x.npy", tmp_path / "x.h5", layout="hw")
    with pytest.warns(octavo.PackingWarning, match=r"source values are scale \* byte \+ zero_point"):
        octavo.export(tmp_path / "x.h5", tmp_path / "arrays", format="npy")


def test_a_subset_is_repacked_with_the_names_and_compression_of_its_source(packed: Packed, tmp_path: Path) -> None:
    octavo.repack(packed.path, tmp_path / "small.h5", compress="deflate", limit=20)
    assert octavo.repack(tmp_path / "small.h5", tmp_path / "some.h5", select="class 3").splits == {"train": 2}
    split = octavo.Dataset(tmp_path / "some.h5").split()
    assert split.compression == "deflate"
    assert np.array_equal(np.asarray(split.images), packed.codes[[3, 13]])
    with pytest.raises(TypeError, match=r"does not accept 'size'; .* octavo\.pack\(source, path, size=\.\.\.\)"):
        octavo.repack(packed.path, tmp_path / "other.h5", size=4)
    with pytest.raises(TypeError, match=r"does not accept 'sise'; it copies samples as they are$"):
        octavo.repack(packed.path, tmp_path / "other.h5", sise=4)


def test_a_split_that_does_not_fit_is_not_repacked_into_a_file(tmp_path: Path) -> None:
    for split, name in (("train", "dog"), ("val", "Dog")):
        octavo.pack_dataset([(np.zeros((2, 2), np.uint8), 0)], tmp_path / f"{split}.h5", split=split, classes=[name])
    with pytest.raises(ValueError, match='the class "Dog" is not in the file'):
        octavo.repack(tmp_path / "val.h5", tmp_path / "train.h5", append=True)
    octavo.repack(tmp_path / "val.h5", tmp_path / "train.h5", append=True, allow_mismatch=True)
    assert octavo.Dataset(tmp_path / "train.h5").classes == ["dog", "Dog"]


def test_dataset_files_are_merged_by_split(packed: Packed, tmp_path: Path) -> None:
    shutil.copy(packed.path, tmp_path / "copy.h5")
    octavo.repack({"train": [packed.path, tmp_path / "copy.h5"]}, tmp_path / "both.h5")
    assert np.array_equal(np.asarray(octavo.Dataset(tmp_path / "both.h5").split().labels), [*packed.labels] * 2)


def test_a_file_changed_with_h5py_is_rebuilt(packed: Packed, tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(packed.path, "r+") as file:
        file["train/labels"][5] = 9
    with pytest.raises(octavo.FormatError, match="accept_changes"):
        octavo.reindex(packed.path, tmp_path / "new.h5")
    summary = octavo.reindex(packed.path, tmp_path / "new.h5", accept_changes=True)
    assert summary.changed_samples == 1
    assert summary.sample_count == 47
    assert octavo.Dataset(tmp_path / "new.h5").split().labels[5] == 9
    assert octavo.verify(tmp_path / "new.h5")
    with pytest.raises(FileExistsError):
        octavo.reindex(packed.path, tmp_path / "new.h5", accept_changes=True)
