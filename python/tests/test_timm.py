"""Mixing, rectangles and operations with the parameters of timm's: the same, or within one level. Needs timm.

timm is given Octavo's random numbers in place of its own, so that both have the same parameters; the distributions are
compared separately. "Differences from timm" in docs/reference/augmentation.md lists what is not the same.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import octavo
import pytest
from augment_reference import Draws, below, beta, between, erased, mixing, resized_part
from comparison import ks_distance, ks_limit, write_photos
from octavo import augment

torch = pytest.importorskip("torch")
Image = pytest.importorskip("PIL.Image")
auto_augment, mixup, random_erasing, transforms = (
    pytest.importorskip(f"timm.data.{name}") for name in ("auto_augment", "mixup", "random_erasing", "transforms")
)
COUNT, HEIGHT, WIDTH, SEED = 12, 44, 60, 3
ERASING_SLOT, CROP_SLOT, POLICY_SLOT, MIX_SLOT, TIMM_POLICY_SLOT = (16 * kind for kind in (6, 8, 23, 24, 28))
FILL = (124, 116, 104)


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, np.ndarray]:
    """A dataset file, and its images [N,3,H,W]."""
    path = tmp_path_factory.mktemp("timm") / "data.h5"
    return path, write_photos(path)


def gathered(path: Path, *operations: augment.Operation, normalize="unit", epoch: int = 0) -> np.ndarray:
    store = octavo.Store(path, device="cpu", progress=False)
    images, _ = store.gather(
        np.arange(COUNT), framework="numpy", normalize=normalize, augment=operations, augment_seed=SEED, epoch=epoch
    )
    return np.asarray(images)


def augmented(path: Path, *operations: augment.Operation, epoch: int = 0) -> np.ndarray:
    """The levels of the images."""
    return np.rint(gathered(path, *operations, epoch=epoch) * 255).astype(np.int64)


def pillows(image: np.ndarray) -> Image.Image:
    return Image.fromarray(np.ascontiguousarray(image.transpose(1, 2, 0)))


def levels(image: Image.Image) -> np.ndarray:
    return np.asarray(image).transpose(2, 0, 1).astype(np.int64)


Function = Callable[[Image.Image], Image.Image]
EXACT: list[tuple[list[augment.Operation], Function]] = [
    *(([augment.Posterize(bits, 1.0)], lambda image, bits=bits: auto_augment.posterize(image, bits))
      for bits in range(1, 9)),
    *(([augment.Solarize(t, 1.0)], lambda image, t=t: auto_augment.solarize(image, t)) for t in (0, 1, 100, 255, 256)),
    ([augment.Invert(1.0)], auto_augment.invert),
    ([augment.Equalize(1.0)], auto_augment.equalize),
    # So few pixels that the sums of the histogram pass 255.
    ([augment.CenterCrop((18, 20)), augment.Equalize(1.0)],
     lambda image: auto_augment.equalize(image.crop((20, 13, 40, 31)))),
]  # fmt: skip


# timm uses Pillow, which blends in float32. Octavo's factors are multiples of 2^-12, so a product near a whole number
# may be on its other side when both round down. The weights of the luma are multiples of 2^-15, in Pillow of 2^-16.
WITHIN_ONE_LEVEL: list[tuple[list[augment.Operation], Function]] = [
    *(([augment.ColorJitter(brightness=(f, f))], lambda image, f=f: auto_augment.brightness(image, f))
      for f in (0.0, 0.1, 0.37, 1.0, 1.4, 1.9)),
    *(([augment.ColorJitter(contrast=(f, f))], lambda image, f=f: auto_augment.contrast(image, f))
      for f in (0.0, 0.1, 0.37, 1.0, 1.4, 1.9)),
    *(([augment.ColorJitter(saturation=(f, f))], lambda image, f=f: auto_augment.color(image, f))
      for f in (0.0, 0.1, 0.37, 1.0, 1.4, 1.9)),
    *(([augment.Sharpness(f, 1.0)], lambda image, f=f: auto_augment.sharpness(image, f))
      for f in (0.0, 0.1, 0.37, 1.0, 1.4, 1.9)),
    ([augment.Grayscale(1.0)], lambda image: auto_augment.desaturate(image, 1.0)),
]  # fmt: skip


def name_of(given: object) -> str:
    return str(given[-1]) if isinstance(given, list) else ""


@pytest.mark.parametrize(("operations", "function"), EXACT, ids=name_of)
def test_images_are_those_of_timm(photos, operations, function) -> None:
    path, images = photos
    theirs = np.stack([levels(function(pillows(image))) for image in images])
    np.testing.assert_array_equal(augmented(path, *operations), theirs)


@pytest.mark.parametrize(("operations", "function"), WITHIN_ONE_LEVEL, ids=name_of)
def test_levels_are_within_one_of_timm(photos, operations, function) -> None:
    path, images = photos
    theirs = np.stack([levels(function(pillows(image))) for image in images])
    assert np.abs(augmented(path, *operations) - theirs).max() <= 1


def test_autocontrast_is_that_of_timm_unless_the_result_is_whole(photos) -> None:
    # Pillow computes in doubles and rounds down, so a whole result may become the level below.
    path, images = photos
    theirs = np.stack([levels(auto_augment.auto_contrast(pillows(image))) for image in images])
    low, high = images.min((2, 3), keepdims=True).astype(int), images.max((2, 3), keepdims=True).astype(int)
    is_whole = (images - low) * 255 % np.maximum(high - low, 1) == 0
    difference = augmented(path, augment.AutoContrast(1.0)) - theirs
    assert not difference[~is_whole].any()
    assert set(np.unique(difference[is_whole])) <= {0, 1}


# In the order of Octavo. The names are those of the operations of timm whose strength increases with the magnitude.
POLICY = ["Identity", "ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate", "BrightnessIncreasing"]
POLICY += ["ColorIncreasing", "ContrastIncreasing", "SharpnessIncreasing", "PosterizeIncreasing", "SolarizeIncreasing"]
POLICY += ["AutoContrast", "Equalize"]


def test_randaugment_of_timm_has_two_other_operations_and_no_identity() -> None:
    names = [operation.name.replace("Rel", "") for operation in auto_augment.rand_augment_transform("rand-inc1").ops]
    assert sorted(names) == sorted({*POLICY, "Invert", "SolarizeAdd"} - {"Identity"})


def of_timms_policy(monkeypatch, name: str, image: Image.Image, level: int, sign: int, resample) -> Image.Image:
    """What timm makes of the image. The magnitude 10 of timm is the magnitude 30 of Octavo."""
    warp = {"fillcolor": FILL, "resample": resample}
    if name == "Identity":
        return image
    # These four have other magnitudes in timm's policy, so its functions are called with Octavo's. In timm,
    # translations are up to 0.45 of a side and not whole, 4 to 0 bits are kept, and thresholds go from 256 to 0.
    if name == "TranslateX":
        return auto_augment.translate_x_abs(image, -sign * math.floor(level / 30 * 150 / 331 * WIDTH), **warp)
    if name == "TranslateY":
        return auto_augment.translate_y_abs(image, -sign * math.floor(level / 30 * 150 / 331 * HEIGHT), **warp)
    if name == "PosterizeIncreasing":
        return auto_augment.posterize(image, 8 - math.floor(level / 30 * 4 + 0.5))
    if name == "SolarizeIncreasing":
        return auto_augment.solarize(image, math.ceil(255 * (30 - level) / 30))
    monkeypatch.setattr(auto_augment, "random", SimpleNamespace(random=lambda: 1.0 if sign < 0 else 0.0))
    operation = auto_augment.AugmentOp(name, 1.0, level / 3, {"img_mean": FILL, "interpolation": resample})
    return operation(image)


@pytest.mark.parametrize("level", [0, 1, 7, 18, 30])
@pytest.mark.parametrize("interpolation", ["nearest", "bilinear"])
def test_randaugment_has_the_operations_and_magnitudes_of_timm(photos, monkeypatch, interpolation, level) -> None:
    path, images = photos
    resample = Image.Resampling[interpolation.upper()]
    seen = set()
    for epoch in range(16):
        ours, black, white = (
            augmented(path, augment.RandAugment(1, level, interpolation, fill), epoch=epoch) for fill in (FILL, 0, 255)
        )
        for i in range(COUNT):
            words = Draws(SEED, epoch, i, 0, POLICY_SLOT).words()
            name, sign = POLICY[below(14, words[0])], -1 if words[2] < 2**31 else 1
            seen.add((name, sign))
            theirs = levels(of_timms_policy(monkeypatch, name, pillows(images[i]), level, sign, resample))
            difference = np.abs(ours[i] - theirs)
            if name == "Rotate" and interpolation == "nearest":
                # Pillow adds up places in multiples of 2^-16, so a place between two pixels may be in the other one.
                assert (difference > 0).any(axis=0).mean() < 0.005, (epoch, i, sign)
                continue
            inside, outside = black[i] == white[i], (black[i] == 0) & (white[i] == 255)
            is_exact = name in ("Identity", "TranslateX", "TranslateY", "PosterizeIncreasing", "SolarizeIncreasing")
            is_exact |= name == "Equalize" or (name.startswith("Shear") and interpolation == "nearest")
            assert difference[inside].max() <= (0 if is_exact else 1), (epoch, i, name, sign)
            assert difference[outside].max(initial=0) == 0, (epoch, i, name, sign)
            # Where an edge is visible, Octavo blends with the fill, Pillow repeats the edge pixels.
            assert (~inside & ~outside).mean() <= (0.05 if interpolation == "bilinear" else 0), (epoch, i, name)
    assert seen == {(name, sign) for name in POLICY for sign in (-1, 1)}


TIMM_POLICY = ["AutoContrast", "Equalize", "Invert", "Rotate", "PosterizeIncreasing", "SolarizeIncreasing"]
TIMM_POLICY += ["SolarizeAdd", "ColorIncreasing", "ContrastIncreasing", "BrightnessIncreasing", "SharpnessIncreasing"]
TIMM_POLICY += ["ShearX", "ShearY", "TranslateXRel", "TranslateYRel"]


# At magnitude 10 no bit is kept; Pillow refuses that.
@pytest.mark.parametrize("magnitude", [0.0, 0.7, 5.0, 7.3, 9.9])
@pytest.mark.parametrize("interpolation", ["nearest", "bilinear"])
def test_timms_randaugment_makes_the_images_of_timm(photos, monkeypatch, interpolation, magnitude) -> None:
    path, images = photos
    resample = Image.Resampling[interpolation.upper()]
    seen = set()
    for epoch in range(16):
        ours, black, white = (
            augmented(path, augment.TimmRandAugment(1, magnitude, 0.0, 1.0, interpolation, fill), epoch=epoch)
            for fill in (FILL, 0, 255)
        )
        for i in range(COUNT):
            words = Draws(SEED, epoch, i, 0, TIMM_POLICY_SLOT).words()
            name, sign = TIMM_POLICY[below(15, words[1])], -1 if words[2] < 2**31 else 1
            seen.add((name, sign))
            drawn = SimpleNamespace(random=lambda sign=sign: 1.0 if sign < 0 else 0.0)
            monkeypatch.setattr(auto_augment, "random", drawn)
            operation = auto_augment.AugmentOp(name, 1.0, magnitude, {"img_mean": FILL, "interpolation": resample})
            difference = np.abs(ours[i] - levels(operation(pillows(images[i]))))
            if name.startswith(("Rotate", "Shear", "Translate")) and interpolation == "nearest":
                # Pillow adds up places in multiples of 2^-16, so a place between two pixels may be in the other one.
                assert (difference > 0).any(axis=0).mean() < 0.005, (epoch, i, name, sign)
                continue
            inside, outside = black[i] == white[i], (black[i] == 0) & (white[i] == 255)
            is_exact = name in ("Equalize", "Invert", "PosterizeIncreasing", "SolarizeIncreasing", "SolarizeAdd")
            assert difference[inside].max() <= (0 if is_exact else 1), (epoch, i, name, sign)
            assert difference[outside].max(initial=0) == 0, (epoch, i, name, sign)
            assert (~inside & ~outside).mean() <= 0.05, (epoch, i, name)
    assert seen == {(name, sign) for name in TIMM_POLICY for sign in (-1, 1)}


def test_timms_randaugment_has_the_operations_and_the_noise_of_timm(photos, monkeypatch) -> None:
    given = auto_augment.rand_augment_transform("rand-m7-mstd0.5-inc1", {})
    assert [operation.name for operation in given.ops] == TIMM_POLICY
    assert {(operation.prob, operation.magnitude, operation.magnitude_std) for operation in given.ops} == {
        (0.5, 7, 0.5)
    }
    path, _ = photos
    operation = augment.TimmRandAugment(16, 7, 2.0)
    thresholds, applied = [], 0
    for seed in range(250):
        for sample in octavo.Loader(path, batch_size=COUNT, seed=seed, augment=operation).drawn(0):
            applied += len(sample.views[0])
            thresholds += [numbers["threshold"] for name, numbers in sample.views[0] if name == "solarize"]
    total = 16 * COUNT * 250
    assert abs(applied - total / 2) < 4 * math.sqrt(total) / 2
    assert len(thresholds) > 1000
    random.seed(1)
    of_timm = auto_augment.AugmentOp("SolarizeIncreasing", 1.0, 7, {"magnitude_std": 2.0})
    expected: list[int] = []
    monkeypatch.setattr(of_timm, "aug_fn", lambda image, threshold, **_: expected.append(threshold))
    for _ in thresholds:
        of_timm(None)
    assert ks_distance(np.array(thresholds), np.array(expected)) < ks_limit(len(thresholds))


class Numbers:
    """The module `random` with the words of a random erasing or random resized crop in place of its numbers."""

    def __init__(self, draws: Draws) -> None:
        self._draws, self._attempt, self._left = draws, 0, []

    def random(self) -> float:
        return self._draws.words()[0] / 2**32

    def uniform(self, low: float, high: float) -> float:
        if len(self._left) != 3:  # not the second number of an attempt
            self._attempt += 1
            self._left = self._draws.words(self._attempt)
        return between(low, high, self._left.pop(0))

    def randint(self, low: int, high: int) -> int:
        return low + below(high - low + 1, self._left.pop(0))


TIMM_AREA, TIMM_RATIO = (0.02, 1 / 3), (0.3, 1 / 0.3)


def test_erased_images_are_those_of_timm(photos, monkeypatch) -> None:
    path, _ = photos
    operation = augment.RandomErasing(0.7, area=TIMM_AREA, ratio=TIMM_RATIO)
    plain, erase = gathered(path, normalize="imagenet"), random_erasing.RandomErasing(0.7, device="cpu")
    for epoch in range(8):
        theirs = torch.from_numpy(plain.copy())
        for i, image in enumerate(theirs):
            monkeypatch.setattr(random_erasing, "random", Numbers(Draws(SEED, epoch, i, 0, ERASING_SLOT)))
            erase(image)
        np.testing.assert_array_equal(gathered(path, operation, normalize="imagenet", epoch=epoch), theirs.numpy())


def test_cropped_images_are_within_one_level_of_timm(photos, monkeypatch) -> None:
    path, images = photos
    theirs = transforms.RandomResizedCropAndInterpolation((32, 40), interpolation="bilinear")
    for epoch in range(4):
        ours = augmented(path, augment.RandomResizedCrop((32, 40)), epoch=epoch)
        for i in range(COUNT):
            monkeypatch.setattr(transforms, "random", Numbers(Draws(SEED, epoch, i, 0, CROP_SLOT)))
            assert np.abs(ours[i] - levels(theirs(pillows(images[i])))).max() <= 1


@pytest.mark.parametrize(("height", "width"), [(44, 60), (20, 60), (9, 310), (310, 9)])
def test_parts_are_those_of_timm(monkeypatch, height: int, width: int) -> None:
    # The second implementation gives the bits of the first one (test_augment.py). Few attempts fit in long images.
    operation, image = augment.RandomResizedCrop(8, (0.2, 1.0), (0.7, 1.4)), Image.new("L", (width, height))
    for i in range(200):
        draws = Draws(SEED, 0, i, 0, CROP_SLOT)
        rows, columns = resized_part(operation, draws, height, width)
        monkeypatch.setattr(transforms, "random", Numbers(draws))
        theirs = transforms.RandomResizedCropAndInterpolation.get_params(image, operation.area, operation.ratio)
        assert (rows.start, columns.start, rows.stop - rows.start, columns.stop - columns.start) == theirs


def cut_side(side: int, number: float) -> int:
    """The side of timm's rectangle of CutMix before it is clipped."""
    return int(side * math.sqrt(1 - number))


def replace_numpys_numbers(monkeypatch, mix: augment.Mix, draws: list[Draws]) -> None:
    """Gives timm's Mixup the numbers of these draws: one of the batch, or one of each sample."""
    words = np.array([one.words() for one in draws])
    has_both = mix.mixup_alpha > 0 and mix.cutmix_alpha > 0
    share = mix.cutmix_share if has_both else float(mix.cutmix_alpha > 0)
    is_cut = (words[:, 0] / 2**32 < mix.probability) & (words[:, 1] / 2**32 < share)
    columns = iter((1, 0) if has_both and mix.per_sample else (0, 1))
    centers = iter(words[is_cut, 2:].ravel().tolist())
    monkeypatch.setattr(np.random, "rand", lambda *_: np.squeeze(words[:, next(columns)] / 2**32))
    monkeypatch.setattr(np.random, "beta", lambda a, _, size=None: np.squeeze([beta(one, a) for one in draws]))
    monkeypatch.setattr(np.random, "randint", lambda low, high, size=None: low + below(high - low, next(centers)))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("per_sample", [False, True], ids=["batch", "elem"])
@pytest.mark.parametrize("alphas", [(0.4, 0.0), (0.0, 1.0), (0.2, 1.0)], ids=["MixUp", "CutMix", "both"])
def test_batches_are_mixed_like_those_of_timm(photos, monkeypatch, alphas, per_sample, smoothing) -> None:
    path, _ = photos
    mix = augment.Mix(*alphas, cutmix_share=0.6, probability=0.8, partner="opposite", per_sample=per_sample)
    options = {"device": "cpu", "normalize": "imagenet", "batch_size": COUNT}
    plain, numbers = octavo.Loader(path, framework="torch", **options)[0]
    loader = octavo.Loader(
        path, framework="numpy", mix=mix, num_classes=5, label_smoothing=smoothing, seed=SEED, **options
    )
    theirs = mixup.Mixup(
        *alphas, prob=0.8, switch_prob=0.6, mode="elem" if per_sample else "batch", label_smoothing=smoothing,
        num_classes=5,
    )  # fmt: skip
    same_rectangles = 0
    for epoch in range(6 if per_sample else 24):
        loader.set_epoch(epoch)
        images, labels = loader[0]
        draws = [Draws(SEED, epoch, i, 0, MIX_SLOT) for i in range(COUNT if per_sample else 1)]
        with monkeypatch.context() as patch:
            replace_numpys_numbers(patch, mix, draws)
            their_images, their_labels = (given.numpy() for given in theirs(plain.clone(), numbers))
        for i in range(COUNT):
            drawn = draws[i if per_sample else 0]
            _, cut = mixing(mix, drawn, HEIGHT, WIDTH)
            is_compared = np.ones((HEIGHT, WIDTH), bool)
            if cut is not None and drawn.words()[0] / 2**32 < mix.probability:
                # Octavo's sides are even, timm's are not: it halves an odd side, down at the start and up at the end.
                number = beta(drawn, mix.cutmix_alpha)
                is_compared[cut[0].stop :][: cut_side(HEIGHT, number) % 2] = False
                is_compared[:, cut[1].stop :][:, : cut_side(WIDTH, number) % 2] = False
                same_rectangles += is_compared.all()
            # With a weight for each sample, timm rounds it to float32 before it computes 1 - weight.
            np.testing.assert_allclose(
                images[i][:, is_compared], their_images[i][:, is_compared], atol=5e-7 if per_sample else 0, rtol=0
            )
            if is_compared.all():
                np.testing.assert_allclose(labels[i], their_labels[i], atol=2e-7, rtol=0)
    assert same_rectangles > 0 or mix.cutmix_alpha == 0


@pytest.mark.parametrize("smoothing", [0.1, 0.3])
def test_smooth_labels_are_those_of_timm(photos, smoothing: float) -> None:
    path, _ = photos
    options = {"device": "cpu", "framework": "torch", "batch_size": COUNT}
    _, numbers = octavo.Loader(path, **options)[0]
    _, labels = octavo.Loader(path, num_classes=7, label_smoothing=smoothing, **options)[0]
    theirs = mixup.mixup_target(numbers, 7, smoothing=smoothing)
    np.testing.assert_allclose(labels.numpy(), theirs.numpy(), atol=2e-7, rtol=0)


@pytest.mark.parametrize(("height", "width"), [(44, 60), (32, 32), (7, 5)])
def test_rectangles_of_cutmix_are_those_of_timm_with_even_sides(monkeypatch, height: int, width: int) -> None:
    mix = augment.Mix(cutmix_alpha=1.0)
    for i in range(500):
        draws = Draws(SEED, 0, i, 0, MIX_SLOT)
        (own, _), cut = mixing(mix, draws, height, width)
        number = beta(draws, 1.0)
        with monkeypatch.context() as patch:
            replace_numpys_numbers(patch, mix, [draws])
            theirs, weight = mixup.cutmix_bbox_and_lam((3, height, width), number)
        is_odd = [cut_side(side, number) % 2 for side in (height, width)]
        bottom, right = min(cut[0].stop + is_odd[0], height), min(cut[1].stop + is_odd[1], width)
        assert tuple(map(int, theirs)) == (cut[0].start, bottom, cut[1].start, right)
        if not any(is_odd):
            assert own == np.float32(weight)


class Canvas:
    """An image of 3x120x200 values that notes which rectangle is erased."""

    dtype = torch.float32

    def size(self) -> tuple[int, int, int]:
        return 3, 120, 200

    def __setitem__(self, place: tuple[slice, slice, slice], _) -> None:
        _, rows, columns = place
        self.rectangle = rows.start, columns.start, rows.stop - rows.start, columns.stop - columns.start


@pytest.mark.parametrize("kind", ["RandomResizedCrop", "RandomErasing"])
def test_drawn_rectangles_have_the_distribution_of_timm(kind: str) -> None:
    random.seed(1)
    height, width, count = 120, 200, 100_000
    image, canvas = Image.new("L", (width, height)), Canvas()
    ours, theirs = np.empty((count, 6)), np.empty((count, 6))
    if kind == "RandomResizedCrop":
        operation, slot, draw = augment.RandomResizedCrop(8), CROP_SLOT, resized_part
        transform = transforms.RandomResizedCropAndInterpolation(8)
    else:
        operation, slot, draw = augment.RandomErasing(1.0, TIMM_AREA, TIMM_RATIO), ERASING_SLOT, erased
        transform = random_erasing.RandomErasing(1.0, device="cpu")
    for i in range(count):
        rows, columns = draw(operation, Draws(5, 0, i, 0, slot), height, width)
        ours[i, :4] = rows.start, columns.start, rows.stop - rows.start, columns.stop - columns.start
        if kind == "RandomResizedCrop":
            theirs[i, :4] = transform.get_params(image, transform.scale, transform.ratio)
        else:
            transform(canvas)
            theirs[i, :4] = canvas.rectangle
    for drawn in (ours, theirs):
        drawn[:, 4], drawn[:, 5] = drawn[:, 2] * drawn[:, 3], drawn[:, 2] / drawn[:, 3]  # area and ratio
    for column in range(6):
        assert ks_distance(ours[:, column], theirs[:, column]) < ks_limit(count), column


@pytest.mark.parametrize("alpha", [0.2, 1.0])
def test_weights_have_the_distribution_of_timm(alpha: float) -> None:
    np.random.seed(1)
    count = 20_000
    ours = np.array([beta(Draws(5, 0, i, 0, MIX_SLOT), alpha) for i in range(count)])
    theirs, _ = mixup.Mixup(mixup_alpha=alpha, mode="elem")._params_per_elem(count)
    assert ks_distance(ours.astype(np.float32), theirs) < ks_limit(count)
