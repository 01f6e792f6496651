"""Masks: packed, read, and augmented like their images."""

from __future__ import annotations

import io
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import octavo
import pytest
from augment_reference import masked
from coded_rows import decoded_rows, stored_rows
from conftest import Packed
from octavo import augment
from test_augment import random_operations

N, H, W = 12, 10, 14


def samples() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(5)
    return random.integers(0, 256, (N, 3, H, W), np.uint8), random.integers(0, 21, (N, H, W), np.uint8)


@pytest.fixture(scope="module", params=["none", "deflate", "lp8", "lc8"])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file whose red channel is the mask of the image, too."""
    file = tmp_path_factory.mktemp("masks") / "data.h5"
    images, masks = samples()
    images[:, 0] = masks
    with octavo.Writer(file, layout="chw", compress=request.param) as writer:
        for number, (image, mask) in enumerate(zip(images, masks, strict=True)):
            writer.append(image, number % 3, mask=mask)
    return file


def loader_of(path: Path, **options: Any) -> octavo.Loader:
    return octavo.Loader(path, batch_size=5, device="cpu", framework="numpy", progress=False, **options)


def test_a_file_with_masks_has_format_version_2(path: Path) -> None:
    dataset = octavo.Dataset(path)
    assert dataset._opened().format_version == 2
    split = dataset.split()
    images, masks = samples()
    assert split.has_masks
    assert split.masks is not None
    assert split.masks.shape == (N, H, W)
    assert split.masks.dtype == np.uint8
    np.testing.assert_array_equal(split.masks[:], masks)
    np.testing.assert_array_equal(split.masks[[3, 1]][:, 2:4], masks[[3, 1]][:, 2:4])
    image, mask, label = split[7]
    np.testing.assert_array_equal(image[1:], images[7, 1:])
    np.testing.assert_array_equal(mask, masks[7])
    assert label == 1
    assert octavo.verify(path)


def test_h5py_reads_masks(path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(path) as file:
        masks = file["train/masks"]
        assert masks.dtype == np.uint8
        if "encoding" in masks.attrs:
            masks = decoded_rows(file["train"], "masks", (1, H, W)).view(np.uint8)
        np.testing.assert_array_equal(masks[:], samples()[1][:, None])


def test_a_file_without_masks_keeps_format_version_1(tmp_path: Path) -> None:
    with octavo.Writer(tmp_path / "data.h5") as writer:
        writer.append(np.zeros((4, 4), np.uint8), 0)
    dataset = octavo.Dataset(tmp_path / "data.h5")
    assert dataset._opened().format_version == 1
    assert dataset.split().masks is None
    with pytest.raises(ValueError, match="masks is True, but the samples have no masks"):
        octavo.Loader(dataset, masks=True, device="cpu", progress=False)


@pytest.mark.parametrize("residency", ["device", "hybrid", "streamed", "window"])
@pytest.mark.parametrize("dtype", ["uint8", "int64"])
def test_batches_have_masks_in_every_residency(path: Path, residency: Any, dtype: str) -> None:
    _, masks = samples()
    sizes = {"hybrid": {"resident": 4}, "window": {"window": 6}}.get(residency, {})
    loader = loader_of(path, shuffle=True, mask_dtype=dtype, residency=residency, **sizes)
    seen = 0
    for step, (images, batch, labels) in enumerate(loader):
        assert batch.dtype == dtype
        np.testing.assert_array_equal(batch, masks[loader.indices(step)])
        np.testing.assert_array_equal(labels, loader.indices(step) % 3)
        seen += len(images)
    assert seen == N


MOVES = [
    augment.HorizontalFlip(),
    augment.VerticalFlip(),
    augment.RandomCrop(8, padding=3, border="reflect"),
    augment.Affine((-40, 40), translate_x=0.2, translate_y=0.2, fill=255, interpolation="nearest"),
    augment.RandomCrop((9, 12), padding=4, border="constant", fill=255),
]


def test_masks_move_with_their_images(path: Path) -> None:
    for views in (1, 2):
        loader = loader_of(path, shuffle=True, augment=MOVES, views=views, normalize="unit")
        for images, masks, _ in loader:
            assert masks.shape == (*images.shape[:-3], 9, 12)
            np.testing.assert_array_equal(np.rint(images[..., 0, :, :] * 255), masks)


def test_colors_and_erasures_leave_masks(path: Path) -> None:
    changes = [augment.ColorJitter(0.4, 0.4, 0.4), augment.Equalize(), augment.RandomErasing(1.0), augment.Cutout(5)]
    plain, changed = loader_of(path), loader_of(path, augment=changes)
    for (_, expected, _), (_, masks, _) in zip(plain, changed, strict=True):
        np.testing.assert_array_equal(masks, expected)


def test_resized_masks_have_the_pixels_under_their_centers(path: Path) -> None:
    _, masks = samples()
    rows, columns = [int((y + 0.5) * H / 7) for y in range(7)], [int((x + 0.5) * W / 20) for x in range(20)]
    _, batch, _ = loader_of(path, augment=augment.Resize((7, 20)))[0]
    np.testing.assert_array_equal(batch, masks[:5][:, rows][:, :, columns])


def test_padding_has_the_ignored_value(path: Path) -> None:
    padded = augment.CenterCrop((H + 2, W + 4))
    _, masks, _ = loader_of(path, augment=padded, mask_dtype="int64", ignore_index=-100)[0]
    assert (masks[:, 0] == -100).all()
    assert (masks[:, :, :2] == -100).all()
    np.testing.assert_array_equal(masks[:, 1:-1, 2:-2], samples()[1][:5])


@pytest.mark.parametrize("case", range(60))
def test_masks_have_the_values_of_the_second_implementation(tmp_path: Path, case: int) -> None:
    random = np.random.default_rng(case)
    shape = (int(random.choice([1, 3, 5])), int(random.integers(1, 30)), int(random.integers(1, 30)))
    stored = random.integers(0, 256, (7, *shape[1:]), np.uint8)
    with octavo.Writer(tmp_path / "data.h5", layout="chw", channels=None) as writer:
        for mask in stored:
            writer.append(random.integers(0, 256, shape, np.uint8), mask=mask)
    operations = random_operations(Random(f"mask {case}"), shape)
    loader = loader_of(tmp_path / "data.h5", shuffle=True, augment=operations, augment_seed=case, views=1 + case % 2)
    loader.set_epoch(case)
    for step, (_, masks, _) in enumerate(loader):
        of_views = masks if loader.views > 1 else masks[:, None]
        for index, views in zip(loader.indices(step), of_views, strict=True):
            for view, shown in enumerate(views):
                wanted = masked(stored[index], operations, seed=case, epoch=case, index=int(index), view=view)
                np.testing.assert_array_equal(shown, wanted, err_msg=f"case {case}: {operations}")


def test_gather_returns_masks(path: Path) -> None:
    store = octavo.Store(path, device="cpu", progress=False)
    assert store.has_masks
    _, masks, _ = store.gather([4, 2, 4], framework="numpy")
    np.testing.assert_array_equal(masks, samples()[1][[4, 2, 4]])


def test_masks_can_be_left_in_the_file(path: Path) -> None:
    with_masks = octavo.Store(path, device="cpu", progress=False)
    store = octavo.Store(path, device="cpu", progress=False, masks=False)
    assert not store.has_masks
    mask_bytes = N * H * W
    compression = octavo.Dataset(path).split().compression
    if compression in ("lp8", "lc8"):  # each mask also has an offset, and decoders read on a little
        mask_bytes = sum(len(stored_mask(path, row)) for row in range(N)) + 8 * (N + 1) + 1024
    if compression == "lc8":  # decoders have 17 tables of 256 words
        mask_bytes += 4 * 17 * 256
    assert with_masks.device_bytes - store.device_bytes == mask_bytes
    for data in (store, path):
        images, labels = next(iter(loader_of(data, masks=False)))  # type: ignore[arg-type]
        assert images.shape == (5, 3, H, W)
        assert labels.shape == (5,)
    images, labels = next(iter(octavo.Loader(with_masks, batch_size=5, masks=False, framework="numpy")))
    assert images.shape == (5, 3, H, W)


def test_invalid_options_name_their_argument(path: Path) -> None:
    with pytest.raises(ValueError, match="ignore_index is -1; with masks of uint8"):
        loader_of(path, ignore_index=-1)
    with pytest.raises(ValueError, match="mask_dtype is 'float32'; it must be one of int64, uint8"):
        loader_of(path, mask_dtype="float32")
    with pytest.raises(ValueError, match="samples with masks cannot be mixed"):
        loader_of(path, mix=augment.Mix(mixup_alpha=0.2))
    loader_of(path, mix=augment.Mix(mixup_alpha=0.2), masks=False)


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (np.zeros((3, 4), np.uint8), "its mask is 3x4, its image 4x4"),
        (np.zeros((3, 4, 4), np.uint8), r"its mask has shape \(3, 4, 4\); expected \[H, W\]"),
        (np.full((4, 4), -1), "its mask has values from -1 to -1; expected 0 ... 255"),
        (np.full((4, 4), 256), "its mask has values from 256 to 256"),
        (np.zeros((4, 4)), "its mask has float64 values; expected whole numbers"),
        ("mask.png", "its mask is a str"),
        (None, "some samples of the split have masks, others do not"),
    ],
)
def test_masks_that_do_not_fit_are_refused(tmp_path: Path, mask: Any, message: str) -> None:
    with octavo.Writer(tmp_path / "data.h5") as writer:
        writer.append(np.zeros((4, 4), np.uint8), 0, mask=np.ones((4, 4), bool))
        with pytest.raises((ValueError, TypeError), match=f"append to split 'train', sample 1: {message}"):
            writer.append(np.zeros((4, 4), np.uint8), 0, mask=mask)
        writer.append(np.zeros((4, 4), np.uint8), 0, mask=np.full((4, 4), 255))
    masks = octavo.Dataset(tmp_path / "data.h5").split().masks
    assert masks is not None
    assert (masks[0] == 1).all()
    assert (masks[1] == 255).all()


def test_a_palette_image_is_a_mask_of_its_indices(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    classes = np.arange(16, dtype=np.uint8).reshape(4, 4)
    palette = image.fromarray(classes, mode="P")
    palette.putpalette([250, 100, 7] * 256)
    with octavo.Writer(tmp_path / "data.h5") as writer:
        writer.append(np.zeros((4, 4), np.uint8), mask=palette)
    masks = octavo.Dataset(tmp_path / "data.h5").split().masks
    assert masks is not None
    np.testing.assert_array_equal(masks[0], classes)


def test_datasets_of_images_and_masks_are_packed(tmp_path: Path) -> None:
    images, masks = samples()
    pairs = list(zip(images, masks, strict=True))
    triples = [(image, mask, 1) for image, mask in pairs]
    fields = [{"image": image, "annotation": mask, "scene": 3} for image, mask in pairs]
    for number, dataset in enumerate((pairs, triples, fields)):
        path = tmp_path / f"{number}.h5"
        octavo.pack_dataset(dataset, path, layout="chw", progress=False)
        split = octavo.Dataset(path).split()
        assert split.masks is not None
        np.testing.assert_array_equal(split.masks[:], masks)
        assert split.label_kind == ("class" if number == 1 else "none")
    octavo.pack_dataset(fields, tmp_path / "plain.h5", layout="chw", mask_key=False, label_key="scene", progress=False)
    assert octavo.Dataset(tmp_path / "plain.h5").split().masks is None


def stored_mask(path: Path, row: int) -> bytes:
    """The bytes of a mask in the file."""
    if octavo.Dataset(path).split().compression not in ("lp8", "lc8"):
        return samples()[1][row].tobytes()
    h5py = pytest.importorskip("h5py")
    with h5py.File(path) as file:
        return stored_rows(file["train"], "masks")[row].tobytes()


def test_damage_to_a_mask_is_found(path: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.h5"
    content = bytearray(path.read_bytes())
    place = content.index(stored_mask(path, 6))
    content[place + 3] ^= 1
    damaged.write_bytes(content)
    result = octavo.verify(damaged)
    assert not result
    assert result.defects[0].where == "/train/images sample 6"
    assert "its mask" in result.defects[0].what
    for residency in ("device", "streamed"):
        with pytest.raises(octavo.FormatError, match="sample 6 is damaged"):
            list(loader_of(damaged, masks=False, residency=residency))


def write_images(folder: Path, count: int = 2) -> None:
    image = pytest.importorskip("PIL.Image")
    (folder / "images").mkdir()
    (folder / "masks").mkdir()
    for number in range(count):
        image.new("RGB", (4, 3), (number, 2, 3)).save(folder / f"images/{number}.jpg")


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB"])
@pytest.mark.parametrize("suffix", [".png", ".tif"])
def test_masks_are_read_as_they_are_stored(tmp_path: Path, mode: str, suffix: str) -> None:
    if suffix == ".tif" and mode in ("1", "P"):
        pytest.skip("TIFF masks are gray")
    write_images(tmp_path)
    image = pytest.importorskip("PIL.Image")
    classes = np.array([[0, 1, 1, 0], [1, 1, 0, 0], [0, 1, 0, 1]], np.uint8)
    for number in range(2):
        mask = image.fromarray(classes.astype(bool) if mode == "1" else classes, mode=None if mode == "1" else "L")
        if mode == "P":
            mask = image.fromarray(classes, mode="P")
            mask.putpalette([200, 100, 50] * 256)
        elif mode == "RGB":
            mask = mask.convert("RGB")
        mask.save(tmp_path / f"masks/{number}{suffix}")
    octavo.pack(tmp_path, tmp_path / "out.h5", progress=False)
    masks = octavo.Dataset(tmp_path / "out.h5").split().masks
    assert masks is not None
    np.testing.assert_array_equal(masks[:], np.stack([classes] * 2))


@pytest.mark.parametrize(
    ("save", "message"),
    [
        (lambda image, path: image.new("L", (4, 3)).save(path, "JPEG"), "it is a JPEG file, .*; save masks as PNG"),
        (lambda image, path: image.new("RGB", (4, 3), (1, 2, 3)).save(path), "it has colors; expected one channel"),
        (lambda image, path: image.new("RGBA", (4, 3)).save(path), "it has transparent pixels"),
        (lambda image, path: image.new("RGBA", (4, 3), (1, 2, 3, 255)).save(path), "it has colors; .*mask_colors="),
        (lambda image, path: image.new("I;16", (4, 3)).save(path), "it has more than 8 bits"),
        (lambda image, path: path.write_bytes(b"\x89PNG\r\n\x1a\n"), "cut short"),
    ],
)
def test_masks_that_cannot_be_read_are_bad_samples(tmp_path: Path, save: Any, message: str) -> None:
    write_images(tmp_path)
    image = pytest.importorskip("PIL.Image")
    image.new("L", (4, 3), 1).save(tmp_path / "masks/0.png")
    save(image, tmp_path / "masks/1.png")
    with pytest.raises(octavo.FormatError, match=f"1.jpg.*its mask masks/1.png: .*{message}"):
        octavo.pack(tmp_path, tmp_path / "out.h5", progress=False)
    summary = octavo.pack(tmp_path, tmp_path / "out.h5", on_error="skip", progress=False)
    assert summary.splits == {"train": 1}


def test_masks_are_packed_only_if_wanted(tmp_path: Path) -> None:
    write_images(tmp_path, 1)
    image = pytest.importorskip("PIL.Image")
    image.new("L", (4, 3), 1).save(tmp_path / "masks/0.png")
    octavo.pack(tmp_path, tmp_path / "out.h5", masks="off", progress=False)
    assert octavo.Dataset(tmp_path / "out.h5").classes == ["images", "masks"]
    with pytest.raises(ValueError, match="masks is 'no'; it must be 'auto', 'off', or the name of the mask"):
        octavo.pack(tmp_path, tmp_path / "new.h5", masks="no", progress=False)
    with pytest.raises(ValueError, match="it does not end in the extension of an image"):
        octavo.pack(tmp_path, tmp_path / "new.h5", masks="{stem}", progress=False)


def test_masks_next_to_images_are_named_by_a_pattern(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    for number in range(3):
        image.new("RGB", (4, 3), (number, 2, 3)).save(tmp_path / f"{number}.png")
        image.new("L", (4, 3), number).save(tmp_path / f"{number}_mask.png")
    summary = octavo.pack(tmp_path, tmp_path / "out.h5", masks="{stem}_mask.png", progress=False)
    assert summary.splits == {"train": 3}
    masks = octavo.Dataset(tmp_path / "out.h5").split().masks
    assert masks is not None
    np.testing.assert_array_equal(masks[:], np.arange(3)[:, None, None].repeat(3, 1).repeat(4, 2))


ROAD, CAR = (128, 64, 128), (0, 0, 142)


@pytest.mark.parametrize("mode", ["RGB", "P", "array", "tensor"])
def test_the_colors_of_masks_become_classes(tmp_path: Path, mode: str) -> None:
    image = pytest.importorskip("PIL.Image")
    classes = np.array([[0, 1, 1, 0], [1, 1, 0, 0], [0, 1, 0, 1]], np.uint8)
    colors = np.array([ROAD, CAR], np.uint8)[classes]
    mask: Any = {"array": colors, "tensor": colors}.get(mode)
    if mode == "tensor":
        mask = pytest.importorskip("torch").from_numpy(np.moveaxis(colors, -1, 0).copy())
    elif mode != "array":
        mask = image.fromarray(colors) if mode == "RGB" else image.fromarray(colors).quantize(4)
    pixels = np.zeros((3, 4), np.uint8)
    octavo.pack_dataset(
        [(pixels, mask)], tmp_path / "out.h5", mask_colors={ROAD: "road", "#00008E": "car"}, progress=False
    )
    dataset = octavo.Dataset(tmp_path / "out.h5")
    assert dataset.mask_classes == {0: "road", 1: "car"}
    masks = dataset.split().masks
    assert masks is not None
    np.testing.assert_array_equal(masks[0], classes)


def test_masks_of_colors_without_their_classes_name_the_option(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    photo = image.new("RGB", (4, 3))
    for mask, message in (
        (photo, r"its mask has mode RGB; expected one channel .*; if colors stand for classes, pass mask_colors="),
        (np.zeros((3, 4, 3), np.uint8), r"expected \[H, W\]; if colors stand for classes, pass mask_colors="),
        (np.zeros((3, 4, 2), np.uint8).transpose(2, 0, 1), r"expected \[H, W\]$"),
    ):
        with pytest.raises(ValueError, match=message):
            octavo.pack_dataset([(photo, mask, 0)], tmp_path / "a.h5")


def test_files_of_colors_become_classes(tmp_path: Path) -> None:
    write_images(tmp_path)
    image = pytest.importorskip("PIL.Image")
    (tmp_path / "colors.csv").write_text("name,r,g,b\nroad,128,64,128\ncar,0,0,142\n")
    image.new("RGB", (4, 3), ROAD).save(tmp_path / "masks/0.png")
    image.new("RGB", (4, 3), CAR).quantize(4).save(tmp_path / "masks/1.gif")
    octavo.pack(tmp_path, tmp_path / "out.h5", mask_colors=tmp_path / "colors.csv", progress=False)
    dataset = octavo.Dataset(tmp_path / "out.h5")
    masks = dataset.split().masks
    assert masks is not None
    assert (masks[0] == 0).all()
    assert (masks[1] == 1).all()
    assert dataset.mask_classes == {0: "road", 1: "car"}
    with pytest.raises(octavo.FormatError, match=r"1.jpg.*masks/1.gif: it has the color #00008E, which is not in"):
        octavo.pack(tmp_path, tmp_path / "new.h5", mask_colors={ROAD: 0}, progress=False)
    image.new("RGB", (4, 3), ROAD).save(tmp_path / "masks/0.jpg")
    (tmp_path / "masks/0.png").unlink()
    with pytest.raises(octavo.FormatError, match=r"it is a JPEG file, which may change colors"):
        octavo.pack(tmp_path, tmp_path / "new.h5", mask_colors=tmp_path / "colors.csv", progress=False)


@pytest.mark.parametrize(
    ("colors", "message"),
    [
        ({ROAD: 0}, "append to split 'train', sample 0: its mask has the color #00008E, which is not in mask_colors"),
        ({(1, 2): 0}, r"mask_colors has the key \(1, 2\); it must be \(R, G, B\)"),
        ({"#80408": 0}, "mask_colors has the key '#80408'"),
        ({(1, 2, 256): 0}, "mask_colors has the key"),
        ({ROAD: 0, CAR: "car"}, 'color #00008E: class "car" is a name, earlier ones are not'),
        ({ROAD: 256}, "class 256 is not a whole number from 0 to 255"),
        ({}, "there are no colors"),
    ],
)
def test_colors_that_do_not_fit_are_refused(tmp_path: Path, colors: Any, message: str) -> None:
    mask = np.full((4, 4, 3), CAR, np.uint8)
    with pytest.raises(ValueError, match=message), octavo.Writer(tmp_path / "out.h5", mask_colors=colors) as writer:
        writer.append(np.zeros((4, 4), np.uint8), mask=mask)


def test_a_mask_that_is_not_of_colors_is_refused(tmp_path: Path) -> None:
    with octavo.Writer(tmp_path / "out.h5", mask_colors={ROAD: 0}) as writer:
        writer.append(np.zeros((1, 1), np.uint8), mask=np.full((1, 1, 3), ROAD, np.uint8))
        with pytest.raises(ValueError, match="with mask_colors it must be uint8"):
            writer.append(np.zeros((4, 4), np.uint8), mask=np.zeros((4, 4, 2), np.uint8))
        with pytest.raises(TypeError, match="its mask is a str"):
            writer.append(np.zeros((4, 4), np.uint8), mask="mask.png")


def test_info_shows_the_shares_of_mask_classes(tmp_path: Path) -> None:
    with octavo.Writer(tmp_path / "out.h5", mask_colors={ROAD: "road", CAR: "car", (0, 0, 0): 255}) as writer:
        for number in range(4):
            mask = np.full((2, 2, 3), ROAD if number else CAR, np.uint8)
            mask[0, 0] = 0
            writer.append(np.zeros((2, 2), np.uint8), mask=mask)
    report = octavo.info(tmp_path / "out.h5")
    split = report["splits"]["train"]
    assert split["mask_counts"] == {0: 9, 1: 3, 255: 4}
    assert split["mask_samples"] == 4
    assert split["mask_bytes"] == 16
    assert "  masks, 2 classes  uint8 " in str(report)
    assert """
Masks: share of the pixels
  class         train
  0 road       56.2 %
  1 car        18.8 %
  255 ignored  25.0 %
""" in str(report)
    assert "none" not in str(report)


def test_info_shows_that_a_small_class_has_pixels(tmp_path: Path) -> None:
    mask = np.zeros((64, 64), np.uint8)
    mask[0, 0] = 7
    octavo.pack_dataset({"train": [(mask, mask)], "val": [(mask, mask * 0)]}, tmp_path / "out.h5")
    assert """
  class    train      val
  0      100.0 %  100.0 %
  7       <0.1 %    0.0 %
""" in str(octavo.info(tmp_path / "out.h5"))


def test_view_draws_masks_over_images(path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    loader = loader_of(path)
    for data, step in ((path, None), (loader, 0)):
        options = {} if step is None else {"step": step}
        shown, plain = (
            np.asarray(image.open(io.BytesIO(octavo.view(data, masks=masks, scale=1, columns=5, **options).png)))  # type: ignore[call-overload]
            for masks in (True, False)
        )
        # The legend is below the samples; the masks tint most pixels.
        assert shown.shape[0] > plain.shape[0]
        assert shown.shape[1:] == plain.shape[1:]
        first = (slice(1, 1 + H), slice(1, 1 + W))
        _, masks = samples()
        np.testing.assert_array_equal(shown[first][masks[0] == 0], plain[first][masks[0] == 0])
        tinted = (plain[first][masks[0] == 1].astype(int) + (230, 159, 0) + 1) // 2
        np.testing.assert_array_equal(shown[first][masks[0] == 1], tinted)


def test_info_shows_the_distribution_of_targets(tmp_path: Path) -> None:
    with octavo.Writer(tmp_path / "out.h5") as writer:
        for target in ([0.5, 1.0], [1.5, 1.0], [4.0, 1.0]):
            writer.append(np.zeros((2, 2), np.uint8), target)
    report = octavo.info(tmp_path / "out.h5")
    first, second = report["splits"]["train"]["targets"]
    assert (first["min"], first["mean"], first["max"], first["count"]) == (0.5, 2.0, 4.0, 3)
    assert sum(first["histogram"]) == 3
    assert (second["min"], second["max"], second["not_finite"]) == (1.0, 1.0, 0)
    assert """
Targets
  split  target  min  mean  max  histogram, from min to max
  train       0  0.5     2    4  |#   #          #|
              1    1     1    1  |""" in str(report)


def test_info_counts_multi_labels(tmp_path: Path) -> None:
    with octavo.Writer(tmp_path / "out.h5") as writer:
        for label in ([1, 0, 1], [1, 0, 0]):
            writer.append(np.zeros((2, 2), np.uint8), label)
    assert octavo.info(tmp_path / "out.h5")["splits"]["train"]["class_counts"] == {0: 2, 1: 0, 2: 1}


def test_an_option_of_masks_without_masks_is_refused(packed: Packed) -> None:
    with pytest.raises(ValueError, match="mask_dtype is 'int64', but batches have no masks"):
        octavo.Loader(packed.path, device="cpu", mask_dtype="int64")


def test_masks_of_other_classes_are_not_appended(tmp_path: Path) -> None:
    def write(colors: dict[Any, Any], split: str, **options: Any) -> None:
        with octavo.Writer(tmp_path / "a.h5", mask_colors=colors, **options) as writer:
            mask = np.full((2, 2, 3), next(iter(colors)), np.uint8)
            writer.append(np.zeros((2, 2), np.uint8), mask=mask, split=split)

    write({ROAD: "road"}, "train")
    write({CAR: "road"}, "val", append=True)
    with pytest.raises(ValueError, match="mask value 0 is 'road' in the file, but 'car' in mask_colors; give"):
        write({CAR: "car", ROAD: "road"}, "test", append=True)
    assert octavo.Dataset(tmp_path / "a.h5").split_names == ["train", "val"]


@pytest.mark.parametrize("given", [1.0, True, np.True_, None, b"road", [1]])
def test_a_class_of_colors_is_an_integer_or_a_name(tmp_path: Path, given: Any) -> None:
    with pytest.raises(TypeError, match=r"mask_colors has the class .* for the key \(5, 5, 5\); it must be an integer"):
        octavo.Writer(tmp_path / "out.h5", mask_colors={(5, 5, 5): given})


def test_a_class_of_colors_may_be_a_numpy_integer(tmp_path: Path) -> None:
    colors: Any = {CAR: np.uint8(7)}
    with octavo.Writer(tmp_path / "out.h5", mask_colors=colors) as writer:
        writer.append(np.zeros((2, 2), np.uint8), mask=np.full((2, 2, 3), CAR, np.uint8))
    masks = octavo.Dataset(tmp_path / "out.h5").split().masks
    assert masks is not None
    assert (masks[0] == 7).all()


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "LA", "PA", "RGBA", "P with transparency"])
def test_colors_of_images_are_those_of_files(tmp_path: Path, mode: str) -> None:
    image = pytest.importorskip("PIL.Image")
    mask = image.new("RGBA", (4, 3), (255, 255, 255, 255))
    mask.putpixel((1, 0), (0, 0, 0, 255))
    if mode in ("LA", "PA", "RGBA"):
        mask.putpixel((2, 0), (255, 255, 255, 0))  # transparent: over black
    mask = mask.convert(mode[:1] if mode.startswith("P ") else mode)
    if mode == "P with transparency":
        mask.info["transparency"] = mask.getpixel((0, 0))
    colors: Any = {(0, 0, 0): 3, (255, 255, 255): 4}
    octavo.pack_dataset([(np.zeros((3, 4), np.uint8), mask)], tmp_path / "a.h5", mask_colors=colors, progress=False)
    masks = octavo.Dataset(tmp_path / "a.h5").split().masks
    assert masks is not None
    expected = np.full((3, 4), 4, np.uint8)
    expected[0, 1] = 3
    if mode in ("LA", "PA", "RGBA"):
        expected[0, 2] = 3
    elif mode == "P with transparency":
        expected[:] = 3
    np.testing.assert_array_equal(masks[0], expected)
    if mode == "PA":
        return  # no file format
    (tmp_path / "in/images").mkdir(parents=True)
    (tmp_path / "in/masks").mkdir()
    image.new("RGB", (4, 3)).save(tmp_path / "in/images/a.png")
    mask.save(tmp_path / "in/masks/a.png")
    octavo.pack(tmp_path / "in", tmp_path / "b.h5", mask_colors=colors, progress=False)
    of_files = octavo.Dataset(tmp_path / "b.h5").split().masks
    assert of_files is not None
    np.testing.assert_array_equal(of_files[0], expected)


@pytest.mark.parametrize("mode", ["I", "I;16", "F", "CMYK", "YCbCr", "HSV"])
def test_images_without_8_bit_colors_are_not_masks_of_colors(tmp_path: Path, mode: str) -> None:
    image = pytest.importorskip("PIL.Image")
    with octavo.Writer(tmp_path / "out.h5", mask_colors={(0, 0, 0): 0, (255, 255, 255): 1}) as writer:
        writer.append(np.zeros((1, 1), np.uint8), mask=np.zeros((1, 1), np.uint8))
        with pytest.raises(ValueError, match=f"its mask has mode {mode}; with mask_colors it must be one of 1, L, P"):
            writer.append(np.zeros((2, 2), np.uint8), mask=image.new(mode, (2, 2)))


def test_a_batch_has_the_names_of_mask_classes_in_its_legend(tmp_path: Path) -> None:
    def drawn(name: str) -> bytes:
        path = tmp_path / f"{name}.h5"
        with octavo.Writer(path, mask_colors={ROAD: "background", CAR: name}, reproducible=True) as writer:
            writer.append(np.zeros((64, 200), np.uint8), mask=np.full((64, 200, 3), CAR, np.uint8))
        return octavo.view(loader_of(path, shuffle=False), 0).png

    assert drawn("car") != drawn("bus")


def test_a_key_of_none_leaves_out_a_part(tmp_path: Path) -> None:
    with octavo.Writer(tmp_path / "a.h5") as writer:
        writer.append(np.zeros((4, 4), np.uint8), mask=np.ones((4, 4), np.uint8))
    options: dict[str, Any] = {"device": "cpu", "framework": "numpy"}
    batch = octavo.Loader(tmp_path / "a.h5", keys=("pixel_values", "labels", None), **options)[0]
    assert list(batch) == ["pixel_values", "labels"]
    assert batch["labels"].tolist() == np.ones((1, 4, 4)).tolist()
    for keys in (("pixel_values", "labels"), (None, None, None), ("x", "x", None)):
        with pytest.raises(ValueError, match="expected 3 different names, for images, masks, labels; None leaves"):
            octavo.Loader(tmp_path / "a.h5", keys=keys, **options)
