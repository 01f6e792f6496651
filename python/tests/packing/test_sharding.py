"""Packing in shards, and datasets of shards."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import octavo
import pytest
from conftest import Packed, write_packed
from octavo._remote import written
from octavo._remote.remote_folder import RemoteFolder
from remote_servers import FolderStore, RangeStore


def batches_of(path: Path, **options) -> list[np.ndarray]:
    loader = octavo.Loader(path, batch_size=7, shuffle=True, seed=3, device="cpu", framework="numpy", **options)
    return [images for _ in range(2) for images, _ in loader]


@pytest.fixture
def source(tmp_path: Path) -> Packed:
    return write_packed(tmp_path / "one.h5", 41, (3, 6, 5))


def test_processes_pack_shards_that_serve_the_same_batches(source: Packed, tmp_path: Path) -> None:
    job = octavo.ShardedPack(source.path, tmp_path / "out", shards=5, compress="lp8")
    with ProcessPoolExecutor(2) as workers:
        files = list(workers.map(job, [*range(5), 3]))
    assert files[5] == files[3] == tmp_path / "out" / "shard-00003-of-00005.h5"
    summary = job.merge()
    assert summary.path == tmp_path / "out" / "dataset.json"
    assert (summary.shards, summary.splits, summary.skipped) == (5, {"train": 41}, 0)
    assert summary.file_bytes == sum(path.stat().st_size for path in set(files))
    for path in (tmp_path / "out", summary.path):
        for residency in ("device", "streamed"):
            for mine, other in zip(
                batches_of(path, residency=residency), batches_of(source.path, residency="device"), strict=True
            ):
                np.testing.assert_array_equal(mine, other)
    dataset = octavo.Dataset(tmp_path / "out")
    whole = octavo.Dataset(source.path)
    np.testing.assert_array_equal(np.asarray(dataset.split().images), np.asarray(whole.split().images))
    assert not octavo.verify(tmp_path / "out").defects
    assert octavo.info(tmp_path / "out")["splits"]["train"]["samples"] == 41


def test_h5py_reads_the_samples_of_shards(source: Packed, tmp_path: Path) -> None:
    job = octavo.ShardedPack(source.path, tmp_path / "out", shards=3)
    for shard in range(3):
        job(shard)
    job.merge(vds=True)
    with h5py.File(tmp_path / "out" / "dataset.h5") as file:
        np.testing.assert_array_equal(file["train/images"][:].view(np.uint8) ^ 0x80, source.values)
        np.testing.assert_array_equal(file["train/labels"][:], source.labels)
    octavo.ShardedPack(source.path, tmp_path / "out", shards=3, compress="lc8", force=True)(1)
    with pytest.raises(FileExistsError, match=r"dataset\.h5.*the file exists"):
        job.merge(vds=True)
    with pytest.raises(ValueError, match=r"shard-00001.*lc8, which HDF5 cannot read"):
        job.merge(vds=True, force=True)


def test_a_job_is_checked_when_it_is_made(source: Packed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TypeError, match="no argument 'sise'"):
        octavo.ShardedPack(source.path, tmp_path / "out", shards=2, sise=3)
    with pytest.raises(TypeError, match="no argument 'append'"):
        octavo.ShardedPack(source.path, tmp_path / "out", shards=2, append=True)
    with pytest.raises(ValueError, match="shards is 0"):
        octavo.ShardedPack(source.path, tmp_path / "out", shards=0)
    with pytest.raises(ValueError, match="compress"):
        octavo.ShardedPack(source.path, tmp_path / "out", shards=2, compress="zip")
    # Relative paths do not depend on the folder of the worker.
    monkeypatch.chdir(tmp_path)
    job = pickle.loads(pickle.dumps(octavo.ShardedPack("one.h5", "out", shards=2)))
    monkeypatch.chdir("/")
    assert job(1).parent == tmp_path / "out"
    with pytest.raises(ValueError, match="expected 0 to 1"):
        job(2)
    with pytest.raises(ValueError, match="1 of 2 shards are missing: 0"):
        job.merge()


# ---- Python datasets -----------------------------------------------------------------------------------------------


class Photos:
    """A map-style dataset; some of its samples cannot be read."""

    classes = ("cat", "dog", "owl")

    def __init__(self, count: int, seed: int = 0, unreadable: tuple[int, ...] = ()) -> None:
        self.samples = [(f"photos/{number}.jpg", number % 3) for number in range(count)]
        self.root = "photos"
        self.images = np.random.default_rng(seed).integers(0, 256, (count, 6, 5, 3), dtype=np.uint8)
        self.unreadable = unreadable
        self.read: list[int] = []

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, number: int) -> dict[str, Any]:
        self.read.append(number)
        if number in self.unreadable:
            raise OSError("it cannot be read")
        return {"image": self.images[number], "label": number % 3, "day": number // 7}


def values_of(split: octavo.Split) -> np.ndarray:
    return np.asarray(split.images).view(np.uint8) ^ 0x80


def packed_dataset(path: Path, photos: Any, **options: Any) -> Path:
    octavo.pack_dataset(photos, path, columns="day", **options)
    return path


def test_a_python_dataset_is_packed_in_shards(tmp_path: Path) -> None:
    splits = {"train": Photos(41), "test": Photos(3, seed=1)}
    job = octavo.ShardedPackDataset(splits, tmp_path / "out", shards=5, columns="day", compress="lc8")
    with ProcessPoolExecutor(2) as workers:
        files = list(workers.map(pickle.loads(pickle.dumps(job)), [*range(5), 3]))
    assert files[5] == files[3] == tmp_path / "out" / "shard-00003-of-00005.h5"
    assert job.merge().splits == {"train": 41, "test": 3}
    whole = packed_dataset(tmp_path / "whole.h5", splits)
    assert len(batches_of(whole)) == 12
    for residency in ("device", "streamed"):
        for mine, other in zip(batches_of(job.path, residency=residency), batches_of(whole), strict=True):
            np.testing.assert_array_equal(mine, other)
    found, expected = octavo.Dataset(job.path)["train"], octavo.Dataset(whole)["train"]
    assert [found.sample_name(row) for row in range(41)] == [expected.sample_name(row) for row in range(41)]
    assert list(found.columns["day"]) == list(expected.columns["day"])
    assert octavo.Dataset(job.path).classes == octavo.Dataset(whole).classes == ["cat", "dog", "owl"]
    assert not octavo.verify(job.path).defects
    # A worker reads its own samples, once, and none of a shard that is there.
    again = Photos(41)
    octavo.ShardedPackDataset({"train": again, "test": splits["test"]}, job.path, shards=5, columns="day",
                              compress="lc8")(3)  # fmt: skip
    assert again.read == []
    octavo.ShardedPackDataset(again, tmp_path / "other", shards=5, columns="day")(1)
    assert sorted(again.read) == list(range(8, 16))
    with pytest.raises(ValueError, match="packed with other options"):
        octavo.ShardedPackDataset(splits, job.path, shards=5, compress="lc8")(3)


def test_a_sample_of_a_shard_has_its_number_in_the_dataset(tmp_path: Path) -> None:
    photos = Photos(20, unreadable=(17,))
    with pytest.raises(OSError, match="cannot be read") as error:
        octavo.ShardedPackDataset(photos, tmp_path / "out", shards=4, columns="day")(3)
    assert "sample 17 (17.jpg) of split 'train'" in "".join(error.value.__notes__)
    assert not list((tmp_path / "out").iterdir())
    job = octavo.ShardedPackDataset(photos, tmp_path / "out", shards=4, columns="day", on_error="skip")
    for shard in range(3):
        job(shard)
    with pytest.warns(octavo.PackingWarning, match="1 sample"):
        job(3)
    with pytest.warns(octavo.PackingWarning, match="1 samples were skipped"):
        summary = job.merge()
    assert (summary.splits, summary.skipped) == ({"train": 19}, 1)
    dataset = octavo.Dataset(job.path)
    assert dataset.provenance["skipped"][0]["name"].startswith("train#17 (17.jpg)")
    assert list(dataset["train"].columns["day"]) == [number // 7 for number in range(20) if number != 17]


def test_a_job_of_a_python_dataset_is_checked_when_it_is_made(tmp_path: Path) -> None:
    for options, message in (
        ({"holdout": 0.1}, "no argument 'holdout'"),
        ({"append": True}, "no argument 'append'"),
        ({"colums": "day"}, "did you mean 'columns'"),
    ):
        with pytest.raises(TypeError, match=message):
            octavo.ShardedPackDataset(Photos(8), tmp_path / "out", shards=2, **options)
    with pytest.raises(ValueError, match="largest split has 8 samples"):
        octavo.ShardedPackDataset(Photos(8), tmp_path / "out", shards=9)
    with pytest.raises(ValueError, match="name the encoding"):
        octavo.ShardedPackDataset(Photos(8), tmp_path / "out", shards=2, compress="auto")
    with pytest.raises(TypeError, match="no length"):
        octavo.ShardedPackDataset(iter([]), tmp_path / "out", shards=2)
    with pytest.raises(ValueError, match="expected 0 to 1"):
        octavo.ShardedPackDataset(Photos(8), tmp_path / "out", shards=2)(2)


# ---- Appending -----------------------------------------------------------------------------------------------------


def test_samples_are_appended_to_shards(tmp_path: Path) -> None:
    first, more, last = Photos(20), Photos(7, seed=1), Photos(4, seed=2)
    job = octavo.ShardedPackDataset(first, tmp_path / "out", shards=2, columns="day")
    job(0), job(1)
    job.merge()
    octavo.pack_dataset(more, tmp_path / "out", columns="day", append=True)
    alone = packed_dataset(tmp_path / "last.h5", last)
    octavo.pack(alone, tmp_path / "out", append=True)
    with pytest.warns(octavo.PackingWarning, match="has these samples already"):
        octavo.pack(alone, tmp_path / "out" / "dataset.json", append=True)
    images = np.concatenate([photos.images for photos in (first, more, last)]).transpose(0, 3, 1, 2)
    dataset = octavo.Dataset(tmp_path / "out")
    np.testing.assert_array_equal(values_of(dataset["train"]), images)
    assert not octavo.verify(tmp_path / "out").defects
    for sample, message in (
        ({"image": first.images[0, :5], "label": 1, "day": 0}, "it is 3x5x5, the samples of split 'train' are 3x6x5"),
        ({"image": first.images[0], "label": 1}, "has other columns"),
    ):
        with pytest.raises(ValueError, match=message):
            octavo.pack_dataset([sample], tmp_path / "out", append=True, classes=Photos.classes,
                                columns=["day"] if "day" in sample else ())  # fmt: skip
    assert len(octavo.Dataset(tmp_path / "out")["train"]) == 31


# ---- Object stores -------------------------------------------------------------------------------------------------


@pytest.fixture(params=["store", "fsspec memory", "obstore local", "obstore memory"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """A folder of an object store."""
    if request.param == "store":
        return (FolderStore(), "bucket/photos")
    if request.param == "fsspec memory":
        fsspec = pytest.importorskip("fsspec")
        fsspec.filesystem("memory").store.clear()
        return "memory://bucket/photos"
    stores = pytest.importorskip("obstore.store")
    if request.param == "obstore local":
        (tmp_path / "stored").mkdir()
        return (stores.LocalStore(tmp_path / "stored"), "bucket/photos")
    return (stores.MemoryStore(), "bucket/photos")


def dataset_in(folder: Any) -> Any:
    return f"{folder}/" if isinstance(folder, str) else (folder[0], f"{folder[1]}/dataset.json")


def test_shards_are_uploaded(folder: Any, source: Packed) -> None:
    job = octavo.ShardedPack(source.path, folder, shards=3, compress="lp8")
    assert str(job(1)).endswith("bucket/photos/shard-00001-of-00003.h5")
    with pytest.raises(ValueError, match="2 of 3 shards are missing: 0, 2"):
        job.merge()
    for shard in (0, 1, 2):
        job(shard)
    summary = job.merge()
    assert str(summary.path).endswith("bucket/photos/dataset.json")
    assert summary.splits == {"train": 41}
    for mine, other in zip(batches_of(dataset_in(folder)), batches_of(source.path), strict=True):
        np.testing.assert_array_equal(mine, other)
    with pytest.raises(ValueError, match="packed with other options"):
        octavo.ShardedPack(source.path, folder, shards=3)(1)
    octavo.ShardedPack(source.path, folder, shards=3, force=True)(1)
    assert octavo.merge(folder).splits == {"train": 41}
    with pytest.raises(ValueError, match="HDF5 reads only local files"):
        octavo.merge(folder, vds=True)


def test_shards_of_a_python_dataset_are_uploaded(folder: Any) -> None:
    photos = Photos(20)
    job = octavo.ShardedPackDataset(photos, folder, shards=2)
    job(0), job(1)
    count = len(photos.read)
    job(0)
    assert len(photos.read) == count
    assert job.merge().splits == {"train": 20}
    found = octavo.Dataset(dataset_in(folder))["train"]
    np.testing.assert_array_equal(values_of(found), photos.images.transpose(0, 3, 1, 2))


def test_an_upload_is_compared_with_the_file(source: Packed) -> None:
    store = FolderStore()
    job = octavo.ShardedPack(source.path, (store, "bucket"), shards=2)
    store.changes_bytes = True
    with pytest.raises(OSError, match=r"shard-00000-of-00002\.h5.*other bytes than were sent; they are removed"):
        job(0)
    assert store.files == {}
    store.changes_bytes, store.failure = False, PermissionError("403 Forbidden")
    with pytest.raises(PermissionError, match="access is denied"):
        job(0)
    store.failure = None
    with pytest.raises(TypeError, match="RangeStore has no put_file"):
        octavo.ShardedPack(source.path, (RangeStore(b""), "bucket"), shards=2)
    with pytest.raises(ValueError, match="an address with a query"):
        octavo.ShardedPack(source.path, "https://host/bucket?signature=1", shards=2)
    with pytest.raises(ValueError, match="without file:"):
        octavo.ShardedPack(source.path, "file:///tmp/shards", shards=2)
    store.files["bucket/dataset.json"] = b"{}"
    job(0), job(1)
    with pytest.raises(FileExistsError, match="is no manifest of shards"):
        job.merge()
    assert store.files["bucket/dataset.json"] == b"{}"


def test_a_file_is_packed_into_an_object_store(source: Packed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    store = FolderStore()
    monkeypatch.setattr(written, "RemoteFolder", lambda place: RemoteFolder((store, place.partition("://")[2])))
    octavo.pack(source.path, "s3://bucket/a/one.h5")
    octavo.repack(source.path, Path("s3://bucket/a/two.h5"), compress="lp8")
    octavo.pack_dataset(Photos(5), "s3://bucket/a/three.h5", columns="day")
    assert sorted(store.files) == ["bucket/a/one.h5", "bucket/a/three.h5", "bucket/a/two.h5"]
    for name in ("one", "two"):
        found = octavo.Dataset((store, f"bucket/a/{name}.h5"))["train"]
        np.testing.assert_array_equal(values_of(found), source.values)
    assert len(octavo.Dataset((store, "bucket/a/three.h5"))["train"]) == 5
    before = store.versions
    with pytest.raises(FileExistsError, match=r"s3://bucket/a/one\.h5|FolderStore/bucket/a/one\.h5"):
        octavo.pack(source.path, "s3://bucket/a/one.h5")
    with pytest.raises(ValueError, match="an object cannot be changed"):
        octavo.pack(source.path, "s3://bucket/a/one.h5", append=True)
    with pytest.raises(ValueError, match=r"ends with \.h5"):
        octavo.pack(source.path, "s3://bucket/a/")
    (tmp_path / "damaged.npy").write_bytes(b"no array")
    with pytest.raises(octavo.FormatError):
        octavo.pack(tmp_path / "damaged.npy", "s3://bucket/a/four.h5")
    assert store.versions == before
    octavo.pack(source.path, "s3://bucket/a/one.h5", force=True)
    assert store.versions == before + 1
