"""Operations with the parameters of torchvision's: the same images, or within one level. Needs torchvision."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import octavo
import pytest
from augment_reference import Draws, erased, mixing, policy, resized_part
from comparison import ks_distance, ks_limit, write_photos
from octavo import augment

torch = pytest.importorskip("torch")
v2 = pytest.importorskip("torchvision.transforms.v2")
functional = v2.functional
BILINEAR, NEAREST = functional.InterpolationMode.BILINEAR, functional.InterpolationMode.NEAREST
BICUBIC = functional.InterpolationMode.BICUBIC
COUNT = 12
POLICY = "Identity ShearX ShearY TranslateX TranslateY Rotate Brightness Color Contrast Sharpness Posterize Solarize"
POLICY = [*POLICY.split(), "AutoContrast", "Equalize"]


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, torch.Tensor]:
    """A dataset file, and its images [N,3,H,W]."""
    path = tmp_path_factory.mktemp("torchvision") / "data.h5"
    return path, torch.from_numpy(write_photos(path))


def augmented(path: Path, *operations: augment.Operation, views: int = 1) -> np.ndarray:
    store = octavo.Store(path, device="cpu", progress=False)
    images, _ = store.gather(
        np.arange(COUNT), framework="numpy", normalize="unit", augment=operations, augment_seed=3, views=views
    )
    return np.rint(np.asarray(images) * 255).astype(np.int64)


MOVES = [(13.0, 1.1, (0.0, 0.0)), (-31.0, 0.8, (10.0, -5.0)), (90.0, 1.0, (0.0, 0.0)), (0.0, 1.0, (44.0, 0.0))]


def affine(degrees: float, scale: float, shear: tuple[float, float], interpolation) -> augment.Affine:
    x, y = shear
    return augment.Affine(
        (degrees, degrees), scale=(scale, scale), shear_x=(x, x), shear_y=(y, y), interpolation=interpolation
    )


def moved(images: torch.Tensor, degrees: float, scale: float, shear: tuple[float, float], interpolation):
    return functional.affine(images, degrees, [0, 0], scale, list(shear), interpolation)


EXACT: list[tuple[augment.Operation, Callable[[torch.Tensor], torch.Tensor]]] = [
    (augment.HorizontalFlip(1.0), functional.horizontal_flip),
    (augment.VerticalFlip(1.0), functional.vertical_flip),
    (augment.CenterCrop((31, 20)), lambda images: functional.center_crop(images, [31, 20])),
    (augment.CenterCrop((51, 70)), lambda images: functional.center_crop(images, [51, 70])),
    (augment.Solarize(100, 1.0), lambda images: functional.solarize(images, 100)),
    (augment.Posterize(3, 1.0), lambda images: functional.posterize(images, 3)),
    (augment.Invert(1.0), functional.invert),
    (augment.Equalize(1.0), functional.equalize),
    *((affine(*given, "nearest"), lambda images, given=given: moved(images, *given, NEAREST)) for given in MOVES),
]


def bicubic(images: torch.Tensor, size: list[int]) -> torch.Tensor:
    """Resized as on a GPU, in floats: on the CPU, torchvision limits uint8 values between the two axes."""
    resized = functional.resize(images.float(), size, BICUBIC, antialias=True)
    return resized.round().clamp(0, 255).to(torch.uint8)


WITHIN_ONE_LEVEL: list[tuple[augment.Operation, Callable[[torch.Tensor], torch.Tensor]]] = [
    *((augment.ColorJitter(brightness=(f, f)), lambda images, f=f: functional.adjust_brightness(images, f))
      for f in (0.0, 0.37, 1.0, 1.4, 1.99)),
    *((augment.ColorJitter(contrast=(f, f)), lambda images, f=f: functional.adjust_contrast(images, f))
      for f in (0.0, 0.37, 1.0, 1.4, 1.99)),
    *((augment.ColorJitter(saturation=(f, f)), lambda images, f=f: functional.adjust_saturation(images, f))
      for f in (0.0, 0.37, 1.0, 1.4, 1.99)),
    *((augment.ColorJitter(hue=(h, h)), lambda images, h=h: functional.adjust_hue(images, h))
      for h in (-0.5, -0.21, 0.0, 0.03, 0.4)),
    *((augment.Sharpness(f, 1.0), lambda images, f=f: functional.adjust_sharpness(images, f))
      for f in (0.0, 0.5, 1.0, 1.9)),
    *((augment.Gamma(g), lambda images, g=g: functional.adjust_gamma(images, g)) for g in (0.3, 1.0, 2.2)),
    *((affine(*given, "bilinear"), lambda images, given=given: moved(images, *given, BILINEAR)) for given in MOVES),
    (augment.Grayscale(1.0), lambda images: functional.rgb_to_grayscale(images, 3)),
    (augment.AutoContrast(1.0), functional.autocontrast),
    (augment.GaussianBlur(5, 1.3), lambda images: functional.gaussian_blur(images, [5, 5], [1.3, 1.3])),
    (augment.GaussianBlur(23, 0.7), lambda images: functional.gaussian_blur(images, [23, 23], [0.7, 0.7])),
    (augment.Resize((30, 71)), lambda images: functional.resize(images, [30, 71], BILINEAR, antialias=True)),
    (augment.Resize(30), lambda images: functional.resize(images, [30], BILINEAR, antialias=True)),
    (augment.Resize((30, 71), interpolation="bicubic"),
     lambda images: bicubic(images, [30, 71])),
    (augment.Resize((160, 200), interpolation="bicubic"),
     lambda images: bicubic(images, [160, 200])),
    (augment.Resize((30, 71), False), lambda images: functional.resize(images, [30, 71], BILINEAR, antialias=False)),
]  # fmt: skip


def name_of(given: object) -> str:
    return str(given) if isinstance(given, augment.Operation) else ""


@pytest.mark.parametrize(("operation", "function"), EXACT, ids=name_of)
def test_images_are_those_of_torchvision(photos, operation, function) -> None:
    path, images = photos
    np.testing.assert_array_equal(augmented(path, operation), function(images).numpy())


@pytest.mark.parametrize(("operation", "function"), WITHIN_ONE_LEVEL, ids=name_of)
def test_levels_are_within_one_of_torchvision(photos, operation, function) -> None:
    path, images = photos
    difference = np.abs(augmented(path, operation) - function(images).numpy().astype(np.int64))
    assert difference.max() <= 1


@pytest.mark.parametrize("kind", ["TrivialAugmentWide", "RandAugment"])
@pytest.mark.parametrize("number", range(14))
def test_policies_have_the_operations_and_magnitudes_of_torchvision(photos, kind: str, number: int) -> None:
    # The second implementation gives the bits of the first one (test_augment.py), for words of our choice.
    _, images = photos
    codes = (images[3].numpy() ^ 0x80).view(np.int8)
    policy_ = getattr(v2, kind)()
    assert set(policy_._AUGMENTATION_SPACE) == set(POLICY)
    magnitudes_of, is_signed = policy_._AUGMENTATION_SPACE[POLICY[number]]
    for level in (0, 1, 7, 18, 30):
        for sign in (-1, 1):
            words = [-(-number * 2**32 // 14), -(-level * 2**32 // 31), 0 if sign < 0 else 2**31]
            operation = augment.TrivialAugment() if kind == "TrivialAugmentWide" else augment.RandAugment(1, level)
            ours = policy(codes, operation, words).astype(np.int64) + 128
            magnitudes = magnitudes_of(31, 44, 60)
            magnitude = 0.0 if magnitudes is None else float(magnitudes[level]) * (sign if is_signed else 1)
            theirs = policy_._apply_image_or_video_transform(
                images[3], POLICY[number], magnitude, NEAREST, policy_._fill
            )
            differs = np.abs(ours - theirs.numpy().astype(np.int64)) > 1
            assert differs.mean() < 0.03, (level, sign)  # at 135 degrees, many places are between two pixels


@pytest.mark.parametrize("kind", ["MixUp", "CutMix"])
def test_batches_are_mixed_like_those_of_torchvision(photos, kind: str) -> None:
    path, _ = photos
    mix = augment.Mix(mixup_alpha=0.4) if kind == "MixUp" else augment.Mix(cutmix_alpha=1.0)
    loader = octavo.Loader(
        path, framework="numpy", device="cpu", normalize="unit", batch_size=COUNT, mix=mix, num_classes=5, seed=3
    )
    for epoch in range(8):
        loader.set_epoch(epoch)
        images, labels = loader[0]
        (own, _), cut = mixing(mix, Draws(3, epoch, 0, 0, 16 * 24), 44, 60)
        plain, numbers = octavo.Loader(
            path, framework="torch", device="cpu", normalize="unit", batch_size=COUNT
        )[0]  # fmt: skip
        parameters = {"lam": float(own), "lam_adjusted": float(own), "batch_size": COUNT, "num_classes": 5}
        parameters |= {
            "labels": numbers,
            "box": () if cut is None else (cut[1].start, cut[0].start, cut[1].stop, cut[0].stop),
        }
        theirs = getattr(v2, kind)(num_classes=5)
        np.testing.assert_allclose(images, theirs.transform(plain, parameters).numpy(), atol=2e-7)
        np.testing.assert_allclose(labels, theirs.transform(numbers, parameters).numpy(), atol=2e-7)


@pytest.mark.parametrize("kind", ["RandomResizedCrop", "RandomErasing"])
def test_drawn_rectangles_have_the_distribution_of_torchvision(kind: str) -> None:
    torch.manual_seed(1)
    height, width, count = 120, 200, 100_000
    image = torch.zeros(3, height, width, dtype=torch.uint8)
    ours, theirs = np.empty((count, 4)), np.empty((count, 4))
    if kind == "RandomResizedCrop":
        operation, transform, slot = augment.RandomResizedCrop(8), v2.RandomResizedCrop(8), 16 * 8
        draw = resized_part
    else:
        operation, transform, slot = augment.RandomErasing(1.0), v2.RandomErasing(1.0), 16 * 6
        draw = erased
    for i in range(count):
        rows, columns = draw(operation, Draws(5, 0, i, 0, slot), height, width)
        ours[i] = rows.start, columns.start, rows.stop - rows.start, columns.stop - columns.start
        drawn = transform.make_params([image])
        names = ("top", "left", "height", "width") if kind == "RandomResizedCrop" else ("i", "j", "h", "w")
        theirs[i] = [drawn[name] for name in names]
    for column in range(4):
        assert ks_distance(ours[:, column], theirs[:, column]) < ks_limit(count)


# ---- Packing ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Photos of several sizes, all with smooth areas and edges."""
    image = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(4)
    (tmp_path / "photos" / "a").mkdir(parents=True)
    for number in range(6):
        coarse = image.fromarray(rng.integers(0, 256, (7, 9, 3), dtype=np.uint8))
        coarse.resize((70 + 7 * number, 61), number % 2 * 2).save(tmp_path / "photos" / "a" / f"{number}.png")
    return tmp_path / "photos"


def packed_pixels(path: Path) -> np.ndarray:
    images = octavo.Dataset(path)["train"][:][0]
    return images.astype(np.int64)


def test_pack_dataset_stores_exactly_the_pixels_of_a_transform(folder: Path, tmp_path: Path) -> None:
    folders = pytest.importorskip("torchvision.datasets")
    pixels_of = v2.Compose([v2.Resize(40), v2.CenterCrop(32)])
    expected = np.stack([np.moveaxis(np.asarray(image), -1, 0) for image, _ in folders.ImageFolder(folder, pixels_of)])
    floats_of = v2.Compose([pixels_of, v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])
    for number, transform in enumerate((pixels_of, floats_of)):
        octavo.pack_dataset(folders.ImageFolder(folder), tmp_path / f"{number}.h5", transform=transform)
        np.testing.assert_array_equal(packed_pixels(tmp_path / f"{number}.h5"), expected)


@pytest.mark.parametrize("side", [24, 90])
def test_stretched_images_are_within_one_level_of_resize(folder: Path, tmp_path: Path, side: int) -> None:
    folders = pytest.importorskip("torchvision.datasets")
    resized = folders.ImageFolder(folder, v2.Resize((side, side)))
    expected = np.stack([np.moveaxis(np.asarray(image), -1, 0).astype(np.int64) for image, _ in resized])
    octavo.pack_dataset(folders.ImageFolder(folder), tmp_path / "a.h5", size=side, fit="stretch")
    assert np.abs(packed_pixels(tmp_path / "a.h5") - expected).max() == 1
