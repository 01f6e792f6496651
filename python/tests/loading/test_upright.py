"""EXIF orientations of PIL images, as of the same files."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest

Image = pytest.importorskip("PIL.Image")
ImageOps = pytest.importorskip("PIL.ImageOps")

ORIENTATION = 0x0112


def save(path: Path, orientation: int, side: int = 10) -> Path:
    """An image with a different color in each corner."""
    pixels = np.zeros((side, 16, 3), np.uint8)
    pixels[: side // 2, :8], pixels[: side // 2, 8:], pixels[side // 2 :, :8] = (250, 0, 0), (0, 250, 0), (0, 0, 250)
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    path.parent.mkdir(exist_ok=True, parents=True)
    Image.fromarray(pixels).save(path, exif=exif)
    return path


def stored(path: Path) -> Any:
    return octavo.Dataset(path).split().images[:]


@pytest.mark.parametrize("suffix", ["jpg", "png", "tif"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_an_image_of_pil_is_turned_like_its_file(tmp_path: Path, suffix: str, orientation: int) -> None:
    file = save(tmp_path / "photos" / f"a.{suffix}", orientation)
    with pytest.warns(octavo.PackingWarning, match="no labels"):
        octavo.pack(tmp_path / "photos", tmp_path / "files.h5", format="folder")
    for number, image in enumerate((Image.open(file), Image.open(file).convert("RGB"))):
        path = tmp_path / f"{number}.h5"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", octavo.PackingWarning)
            summary = octavo.pack_dataset([image], path)
        np.testing.assert_array_equal(stored(path), stored(tmp_path / "files.h5"))
        upright = np.asarray(ImageOps.exif_transpose(Image.open(file)))
        np.testing.assert_array_equal(octavo.Dataset(path).split()[0][0], upright.transpose(2, 0, 1))
        is_turned = orientation != 1 and suffix != "tif"  # Pillow turns TIFF files itself
        note = "1 image was turned upright, as its EXIF orientation says"
        assert (note in summary.notes) == is_turned


def test_the_images_that_were_turned_are_counted_once(tmp_path: Path) -> None:
    photos = [Image.open(save(tmp_path / f"{n}.jpg", orientation)) for n, orientation in enumerate((6, 8, 6))]
    photos.append(Image.fromarray(np.zeros((16, 10, 3), np.uint8)))
    note = "3 images were turned upright, as their EXIF orientation says"
    with pytest.warns(octavo.PackingWarning, match=note):
        octavo.pack_dataset(photos, tmp_path / "a.h5")
    sizes = []

    def half(image: Any) -> Any:
        sizes.append(image.size)
        return image.reduce(2)

    with pytest.warns(octavo.PackingWarning, match=note):
        octavo.pack_dataset(photos, tmp_path / "b.h5", transform=half)
    assert sizes == [(10, 16)] * 4
    assert stored(tmp_path / "b.h5").shape == (4, 3, 8, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        octavo.pack_dataset([ImageOps.exif_transpose(photo) for photo in photos], tmp_path / "c.h5")
    np.testing.assert_array_equal(stored(tmp_path / "c.h5"), stored(tmp_path / "a.h5"))


def test_the_images_of_a_folder_that_were_turned_are_counted(tmp_path: Path) -> None:
    for number, orientation in enumerate((1, 6, 8)):
        save(tmp_path / "photos" / f"{number}.jpg", orientation, side=16)
    with pytest.warns(octavo.PackingWarning, match="2 images have an EXIF orientation; the pixels are turned upright"):
        octavo.pack(tmp_path / "photos", tmp_path / "a.h5", format="folder")


def test_an_image_with_a_mask_stays_aligned_with_it(tmp_path: Path) -> None:
    photo = Image.open(save(tmp_path / "a.jpg", 6))
    note = "1 image with a mask was not turned upright"
    with pytest.warns(octavo.PackingWarning, match=note):
        octavo.pack_dataset([(photo, np.zeros((10, 16), np.uint8))], tmp_path / "a.h5", transform=lambda image: image)
    assert stored(tmp_path / "a.h5").shape == (1, 3, 10, 16)
    assert octavo.Dataset(tmp_path / "a.h5").split().masks[0].shape == (10, 16)


@pytest.mark.parametrize("transform", [None, lambda image: image])
def test_an_image_is_turned_if_its_mask_has_the_upright_size(tmp_path: Path, transform: Any) -> None:
    photo = Image.open(save(tmp_path / "a.jpg", 6))
    mask = np.zeros((16, 10), np.uint8)
    mask[0, 0] = 1
    with pytest.warns(octavo.PackingWarning, match="1 image was turned upright"):
        octavo.pack_dataset([(photo, mask)], tmp_path / "a.h5", transform=transform)
    upright = np.asarray(ImageOps.exif_transpose(photo))
    split = octavo.Dataset(tmp_path / "a.h5").split()
    np.testing.assert_array_equal(split[0][0], upright.transpose(2, 0, 1))
    np.testing.assert_array_equal(split.masks[0], mask)


@pytest.mark.parametrize(("orientation", "side"), [(6, 16), (3, 10)])
@pytest.mark.parametrize("transform", [None, lambda image: image])
def test_a_mask_that_fits_an_image_turned_and_not_turned_is_an_error(
    tmp_path: Path, orientation: int, side: int, transform: Any
) -> None:
    photo = Image.open(save(tmp_path / "photos" / "images" / "a.jpg", orientation, side))
    mask = Image.fromarray(np.zeros((side, 16), np.uint8))
    (tmp_path / "photos" / "masks").mkdir()
    mask.save(tmp_path / "photos" / "masks" / "a.png")
    problem = f"EXIF orientation {orientation}, and its mask fits it turned and not turned"
    with pytest.raises(ValueError, match=problem):
        octavo.pack_dataset([(photo, mask)], tmp_path / "a.h5", transform=transform)
    with pytest.raises(ValueError, match=problem):  # as of files
        octavo.pack(tmp_path / "photos", tmp_path / "a.h5")
    octavo.pack_dataset([(np.asarray(photo), mask)], tmp_path / "a.h5", transform=transform)


def test_an_image_and_a_mask_with_orientations_are_both_turned(tmp_path: Path) -> None:
    photo = Image.open(save(tmp_path / "a.jpg", 6, 16))
    mask = Image.open(save(tmp_path / "a.png", 6, 16)).convert("L")
    with pytest.warns(octavo.PackingWarning, match="1 image was turned upright"):
        octavo.pack_dataset([(photo, mask)], tmp_path / "a.h5")
    np.testing.assert_array_equal(
        octavo.Dataset(tmp_path / "a.h5").split().masks[0], np.asarray(ImageOps.exif_transpose(mask))
    )


def test_damaged_exif_data_do_not_turn_an_image(tmp_path: Path) -> None:
    Image.new("RGB", (4, 2)).save(tmp_path / "a.jpg", exif=b"Exif\0\0no TIFF header")
    octavo.pack_dataset([Image.open(tmp_path / "a.jpg")], tmp_path / "a.h5")
    assert stored(tmp_path / "a.h5").shape == (1, 3, 2, 4)
