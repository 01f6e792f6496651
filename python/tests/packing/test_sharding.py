"""Packing in shards, and datasets of shards."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import h5py
import numpy as np
import octavo
import pytest
from conftest import Packed, write_packed


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
