"""CIFAR as published for Python: pickled batches."""

from __future__ import annotations

import pickle
import struct
import tarfile
from pathlib import Path

import numpy as np
import octavo
import pytest

RNG = np.random.default_rng(5)


class CallsSystem:
    def __reduce__(self):
        import os

        return os.system, ("touch pwned",)


def batch(count: int = 6, key: str = "labels", classes: int = 10) -> dict[str, object]:
    """A batch with the keys of the published ones, as Python 3 text."""
    return {
        "batch_label": "a batch",
        key: [int(label) for label in RNG.integers(0, classes, count)],
        "data": RNG.integers(0, 256, (count, 3072), dtype=np.uint8),
    }


def write(path: Path, content: object, protocol: int = 2) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(content, protocol=protocol))


def write_cifar10(folder: Path) -> tuple[list[dict], dict]:
    train, test = [batch(6), batch(5)], batch(4)
    for number, content in enumerate(train, 1):
        write(folder / f"data_batch_{number}", content)
    write(folder / "test_batch", test)
    write(folder / "batches.meta", {"label_names": [f"class {i}" for i in range(10)]})
    return train, test


def check(path: Path, train: list[dict], test: dict, key: str = "labels") -> None:
    dataset = octavo.Dataset(path)
    for name, batches in (("train", train), ("test", [test])):
        split = dataset.split(name)
        images = np.concatenate([content["data"] for content in batches]).reshape(-1, 3, 32, 32)
        np.testing.assert_array_equal(np.asarray(split.images).astype(np.int16) + 128, images)
        np.testing.assert_array_equal(split.labels, np.concatenate([content[key] for content in batches]))
    assert octavo.verify(path)


@pytest.mark.parametrize("form", ["folder", "parent folder", "archive"])
def test_cifar10_is_packed_from_its_pickles(tmp_path: Path, form: str):
    folder = tmp_path / "in" / "cifar-10-batches-py"
    train, test = write_cifar10(folder)
    source = {"folder": folder, "parent folder": folder.parent, "archive": tmp_path / "cifar-10-python.tar.gz"}[form]
    if form == "archive":
        with tarfile.open(source, "w:gz") as archive:
            archive.add(folder, folder.name)
    octavo.pack(source, tmp_path / "c.h5")
    check(tmp_path / "c.h5", train, test)
    assert octavo.Dataset(tmp_path / "c.h5").split("train").classes[3] == "class 3"


def test_batches_as_written_by_python_2_are_read(tmp_path: Path):
    def text(content: bytes) -> bytes:
        short = len(content) < 256
        return b"U" + bytes([len(content)]) + content if short else b"T" + struct.pack("<I", len(content)) + content

    dtype = (
        b"cnumpy\ndtype\n(" + text(b"u1") + b"K\0K\1tR(K\3" + text(b"|") + b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb"
    )
    array = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\0t" + text(b"b") + b"tR(K\1(K\2M\0\x0ct"
    array += dtype + b"\x89" + text(b"\5" * 3072 + b"\xf9" * 3072) + b"tb"
    labels = text(b"labels") + b"]q\2(K\6K\1e"
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "data_batch_1").write_bytes(b"\x80\2}q\1(" + labels + text(b"data") + array + b"u.")
    octavo.pack(tmp_path / "in", tmp_path / "c.h5")
    split = octavo.Dataset(tmp_path / "c.h5").split("train")
    assert split.labels.tolist() == [6, 1]
    assert [int(image[0, 0, 0]) + 128 for image in split.images] == [5, 249]


def test_cifar100_uses_the_fine_labels(tmp_path: Path):
    train, test = batch(7, "fine_labels", 100), batch(3, "fine_labels", 100)
    for name, content in (("train", train), ("test", test)):
        write(tmp_path / "in" / name, {**content, "coarse_labels": [0] * len(content["data"])})
    write(tmp_path / "in" / "meta", {"fine_label_names": [f"fine {i}" for i in range(100)], "coarse_label_names": []})
    octavo.pack(tmp_path / "in", tmp_path / "c.h5", holdout=0.0)
    check(tmp_path / "c.h5", [train], test, "fine_labels")


def test_options_apply_to_pickles(tmp_path: Path):
    write_cifar10(tmp_path / "in")
    octavo.pack(tmp_path / "in", tmp_path / "c.h5", limit=2, classes=list("abcdefghij"), compress="deflate")
    dataset = octavo.Dataset(tmp_path / "c.h5")
    assert len(dataset.split("train")) == 2
    assert dataset.split("train").classes[1] == "b"
    octavo.pack({"all": tmp_path / "in" / "data_batch_1"}, tmp_path / "one.h5")
    assert octavo.Dataset(tmp_path / "one.h5").split_names == ["all"]
    assert octavo.Dataset(tmp_path / "one.h5").split("all").classes[0] == "class 0"
    with pytest.raises(ValueError, match="it holds 'train' and 'test'"):
        octavo.pack({"all": tmp_path / "in"}, tmp_path / "two.h5")
    with pytest.raises(ValueError, match="cannot be packed together"):
        octavo.pack([tmp_path / "in", tmp_path / "c.h5"], tmp_path / "two.h5")


def test_reproducible_files_of_pickles_are_equal(tmp_path: Path):
    write_cifar10(tmp_path / "in")
    for name in ("a.h5", "b.h5"):
        octavo.pack(tmp_path / "in", tmp_path / name, reproducible=True)
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (CallsSystem(), "system"),
        ({"labels": [1], "data": CallsSystem()}, "system"),
        ({"labels": [1, 2], "data": np.zeros((1, 3072), np.uint8)}, "not a CIFAR batch"),
        ({"labels": [1], "data": np.zeros((1, 3072), np.int8)}, "not a CIFAR batch"),
        ({"labels": [1], "data": np.zeros((1, 3071), np.uint8)}, "not a CIFAR batch"),
        ({"labels": [100], "data": np.zeros((1, 3072), np.uint8)}, "labels that are not class numbers"),
        ({"labels": ["1"], "data": np.zeros((1, 3072), np.uint8)}, "labels that are not class numbers"),
        ({"data": np.zeros((1, 3072), np.uint8)}, "not a CIFAR batch"),
        ([1, 2], "not a CIFAR batch"),
    ],
)
def test_other_pickles_are_refused_and_run_nothing(tmp_path: Path, monkeypatch, content: object, problem: str):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in" / "data_batch_1", content)
    write(tmp_path / "in" / "batches.meta", {"label_names": [f"class {i}" for i in range(10)]})
    with pytest.raises(ValueError, match=problem):
        octavo.pack(tmp_path / "in", tmp_path / "c.h5")
    assert not (tmp_path / "pwned").exists()
    assert not (tmp_path / "c.h5").exists()


def test_a_damaged_pickle_is_refused(tmp_path: Path):
    write(tmp_path / "in" / "data_batch_1", batch())
    whole = (tmp_path / "in" / "data_batch_1").read_bytes()
    (tmp_path / "in" / "data_batch_1").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="data_batch_1 cannot be unpickled"):
        octavo.pack(tmp_path / "in", tmp_path / "c.h5")


def test_batches_that_claim_too_much_are_refused(tmp_path: Path):
    (tmp_path / "in").mkdir()
    with (tmp_path / "in" / "data_batch_1").open("wb") as file:
        file.write(b"\x80\x02")
        file.truncate((256 << 20) + 1)
    with pytest.raises(ValueError, match="data_batch_1 has 268435457 bytes"):
        octavo.pack(tmp_path / "in", tmp_path / "c.h5")


def test_a_pickle_without_a_dictionary_or_names_is_refused(tmp_path: Path):
    write(tmp_path / "in" / "data_batch_1", 5)
    with pytest.raises(ValueError, match="not a CIFAR batch"):
        octavo.pack(tmp_path / "in", tmp_path / "c.h5")


def test_the_program_names_the_python_command(tmp_path: Path):
    import subprocess
    import sys

    write_cifar10(tmp_path / "in")
    program = [sys.executable, "-m", "octavo", "pack", str(tmp_path / "in"), "-o", str(tmp_path / "c.h5")]
    run = subprocess.run(program, capture_output=True, text=True)
    assert run.returncode == 1
    assert "Python pickle" in run.stderr
    assert "octavo.pack(" in run.stderr
