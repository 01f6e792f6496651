"""What the doctor finds in a dataset file."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import octavo
import pytest


@pytest.fixture
def noise() -> np.ndarray:
    return np.random.default_rng(3).integers(0, 256, (80, 1, 8, 8), dtype=np.uint8)


def packed(path: Path, train: np.ndarray, test: np.ndarray) -> Path:
    file = path / "a.h5"
    with octavo.Writer(file, layout="chw") as writer:
        for split, images in (("train", train), ("test", test)):
            for row, image in enumerate(images):
                writer.append(image, row % 2, split=split)
    return file


def test_a_sound_file_has_no_findings(tmp_path: Path, noise: np.ndarray) -> None:
    report = octavo.doctor(packed(tmp_path, noise[:50], noise[50:]), strict=True)
    assert list(report) == []
    assert not report
    assert repr(report).startswith("a.h5: nothing found in 80 samples of 2 splits; checked for ")
    assert "group_by=" in report.limits[0]


def test_findings_have_a_check_examples_and_a_remedy(tmp_path: Path, noise: np.ndarray) -> None:
    noise[61] = noise[7]
    file = packed(tmp_path, noise[:50], noise[50:])
    report = octavo.doctor(file)
    assert len(report) == 1
    finding = report[0]
    assert (finding.check, finding.severity, finding.count) == ("equal_across_splits", "error", 1)
    assert finding.examples == [{"samples": [{"split": "train", "row": 7}, {"split": "test", "row": 11}]}]
    assert "pack again" in finding.remedy
    assert report.errors == [finding]
    assert report.warnings == report.notes == []
    assert "error: 1 image is in more than one split: train #7 = test #11" in str(report)
    assert octavo.doctor(octavo.Dataset(file), examples=0)[0].examples == []
    with pytest.raises(ValueError, match=r"a\.h5: 1 error in 80 samples"):
        octavo.doctor(file, strict=True)


def test_samples_are_grouped_by_a_column(tmp_path: Path, noise: np.ndarray) -> None:
    with octavo.Writer(tmp_path / "a.h5", layout="chw") as writer:
        for row, image in enumerate(noise[:20]):
            writer.append(image, split="train" if row < 10 else "test", metadata={"patient": row // 4})
    report = octavo.doctor(tmp_path / "a.h5")
    assert [finding.check for finding in report] == ["shared_group"]
    assert report[0].examples[0]["detail"] == "2"  # samples 8 to 11
    with pytest.raises(ValueError, match="no column"):
        octavo.doctor(tmp_path / "a.h5", group_by="video")


def test_a_file_name_that_is_not_utf_8_is_shown_escaped(tmp_path: Path, noise: np.ndarray) -> None:
    file = packed(tmp_path, noise[:50], noise[50:]).rename(tmp_path / os.fsdecode(b"\xb9\xb7.h5"))
    assert repr(octavo.doctor(file)).startswith("\\xB9\\xB7.h5: nothing found in ")


def test_invalid_arguments_are_refused(tmp_path: Path, noise: np.ndarray) -> None:
    file = packed(tmp_path, noise[:50], noise[50:])
    with pytest.raises(ValueError, match="threads is -1"):
        octavo.doctor(file, threads=-1)
    with pytest.raises(ValueError, match="examples is -1"):
        octavo.doctor(file, examples=-1)
    with pytest.raises(ValueError, match='group_by="path:\\(" has an invalid regular expression'):
        octavo.doctor(file, group_by="path:(")
