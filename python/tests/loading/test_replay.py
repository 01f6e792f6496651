"""Fingerprints, drawn parameters and pictures of batches."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from conftest import write_packed
from octavo import augment

SHAPE = (3, 12, 14)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_packed(tmp_path_factory.mktemp("replay") / "data.h5", 23, SHAPE).path


def loader_of(path: Path, **options: Any) -> octavo.Loader:
    given = {"batch_size": 5, "shuffle": True, "seed": 3, "device": "cpu", "framework": "numpy", "progress": False}
    return octavo.Loader(path, **{**given, **options})


OPERATIONS = [augment.RandomCrop(8, padding=2, border="constant"), augment.HorizontalFlip(), augment.Cutout(3)]


def test_fingerprints_tell_epochs_and_seeds_apart(path: Path) -> None:
    loader = loader_of(path, augment=OPERATIONS)
    first = loader.fingerprint()
    assert len(first) == 16
    assert int(first, 16) >= 0
    assert loader.fingerprint(0) == first
    assert loader.fingerprint(1) != first
    assert loader_of(path, augment=OPERATIONS, rank=1, world_size=2).fingerprint() == first
    assert loader_of(path, augment=OPERATIONS, normalize="unit").fingerprint() == first
    assert loader_of(path, augment=OPERATIONS, augment_seed=4).fingerprint() != first
    assert loader_of(path, augment=OPERATIONS, weights=np.arange(23)).fingerprint() != first
    loader.set_epoch(1)
    assert loader.fingerprint() == loader.fingerprint(1)
    with pytest.raises(ValueError, match="epoch is -1; epochs count from 0"):
        loader.fingerprint(-1)


def test_fingerprints_of_pixels_see_the_values(path: Path) -> None:
    loader = loader_of(path, augment=OPERATIONS)
    pixels = loader.fingerprint(pixels=True)
    assert loader_of(path, augment=OPERATIONS, residency="streamed").fingerprint(pixels=True) == pixels
    assert loader_of(path, augment=OPERATIONS, normalize="unit").fingerprint(pixels=True) != pixels


def test_the_drawn_numbers_make_the_images(path: Path) -> None:
    images = octavo.Dataset(path).split().images[:].view(np.uint8) ^ 0x80
    loader = loader_of(path, augment=OPERATIONS[:2], normalize="unit", views=2)
    loader.set_epoch(3)
    batch, _ = loader[1]
    drawn = loader.drawn(1)
    assert [sample.index for sample in drawn] == loader.indices(1).tolist()
    names = set()
    for sample, made in zip(drawn, batch, strict=True):
        assert sample.mix is None
        for steps, image in zip(sample.views, made, strict=True):
            padded = np.pad(images[sample.index], ((0, 0), (2, 2), (2, 2)))
            for name, numbers in steps:
                names.add(name)
                if name == "crop":
                    top, left = int(numbers["top"]) + 2, int(numbers["left"]) + 2
                    padded = padded[:, top : top + 8, left : left + 8]
                else:
                    assert name == "flip_x"
                    padded = padded[..., ::-1]
            np.testing.assert_array_equal(np.rint(image * 255), padded)
    assert names == {"crop", "flip_x"}
    with pytest.raises(IndexError, match="batch 5 is out of range"):
        loader.drawn(5)


def test_mixed_samples_name_their_partner(path: Path) -> None:
    mix = augment.Mix(mixup_alpha=0.4, per_sample=True)
    loader = loader_of(path, mix=mix, num_classes=10, normalize="unit")
    plain, mixed = loader_of(path, normalize="unit"), loader[2][0]
    for place, sample in enumerate(loader.drawn(2)):
        assert sample.mix is not None
        name, numbers = sample.mix
        assert name == "mixup"
        partner = plain.indices(2).tolist().index(numbers["partner"])
        assert partner == (place - 1) % 5
        expected = numbers["own"] * plain[2][0][place] + numbers["other"] * plain[2][0][partner]
        np.testing.assert_allclose(mixed[place], expected, atol=1e-6)


def test_a_batch_is_drawn_as_training_sees_it(path: Path) -> None:
    image_of = pytest.importorskip("PIL.Image")
    loader = loader_of(path, augment=OPERATIONS[:2], dtype="float16")
    picture = octavo.view(loader, 2, epoch=4, columns=5, scale=1, captions=False)
    shown = np.asarray(image_of.open(io.BytesIO(picture.png)))
    assert shown.shape == (1 + 9, 1 + 5 * 9, 3)
    exact = loader_of(path, augment=OPERATIONS[:2], normalize="unit")
    exact.set_epoch(4)
    for place, image in enumerate(exact[2][0]):
        cell = shown[1:9, 1 + 9 * place : 9 + 9 * place]
        np.testing.assert_array_equal(cell, np.rint(image * 255).transpose(1, 2, 0))
    assert picture._repr_png_() == picture.png
    assert loader.epoch == 0


def test_pictures_follow_operations_that_depend_on_the_epoch(path: Path, tmp_path: Path) -> None:
    image_of = pytest.importorskip("PIL.Image")
    loader = loader_of(path, augment=lambda epoch: augment.CenterCrop(4 + epoch))
    octavo.view(loader, -1, epoch=2, count=1, scale=1, captions=False).save(tmp_path / "batch.png")
    with pytest.raises(ValueError, match=r"v\.jpg'; the picture is a PNG; use a name that ends in \.png"):
        octavo.view(loader, 0, count=1).save(tmp_path / "v.jpg")
    with image_of.open(tmp_path / "batch.png") as image:
        assert image.size == (8, 8)
    with pytest.raises(IndexError, match="batch 5 is out of range"):
        octavo.view(loader, 5)
    with pytest.raises(ValueError, match="count is 0; it must be at least 1"):
        octavo.view(loader, 0, count=0)
