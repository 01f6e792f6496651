"""Augmented batches: the defined values, from every residency, and the errors."""

from __future__ import annotations

import dataclasses
import pickle
import random
from pathlib import Path

import numpy as np
import octavo
import pytest
from augment_reference import Draws, augmented, mixing
from conftest import Packed, write_packed
from octavo import augment


def maps_of(mean: float, divisor: float, channels: int) -> tuple[list[np.float32], list[np.float32]]:
    """Scale and shift of codes for the normalization (x - mean) / divisor."""
    scale, shift = np.float32(1.0 / divisor), np.float32((128.0 - mean) / divisor)
    return [scale] * channels, [shift] * channels


def expected(packed: Packed, rows, operations, *, seed: int, epoch: int = 0, view: int = 0) -> np.ndarray:
    scale, shift = maps_of(0.0, 255.0, packed.codes.shape[1])
    return np.stack(
        [
            augmented(packed.codes[row], scale, shift, operations, seed=seed, epoch=epoch, index=int(row), view=view)
            for row in rows
        ]
    )


def numpy_loader(data, operations, **options) -> octavo.Loader:
    return octavo.Loader(
        data, framework="numpy", device="cpu", normalize="unit", batch_size=13, augment=operations, **options
    )


def changing(random_: random.Random, shape: tuple[int, int, int], value) -> augment.Operation:
    """An operation that changes whole images of `shape`."""
    channels, height, width = shape
    interpolation, probability = random_.choice(["nearest", "bilinear"]), random_.choice([0.5, 1.0])
    strength = random_.random()
    kind = random_.randrange(14 if channels in (1, 3) else 9)
    if kind == 0:
        shear = random_.choice([0.0, 30 * strength, (-80.0, 80.0)])
        scale = random_.choice([(1.0, 1.0), (0.5, 1.5), (0.01, 100.0)])
        move = random_.random()
        fill = value(255)
        return augment.Affine(180 * strength, move, 1 - move, scale, shear, 3.0, interpolation, fill, probability)
    if kind == 1:
        kernel = 2 * random_.randint(0, min(height, width, 20) - 1) + 1
        return augment.GaussianBlur(kernel, (0.01, random_.uniform(0.01, 20)), probability)
    if kind == 2 and channels <= 4:
        return augment.ChannelPermutation(probability)
    if kind <= 8:
        return random_.choice(
            [
                augment.Solarize(random_.randint(0, 256), probability),
                augment.Posterize(random_.randint(1, 8), probability),
                augment.Invert(probability),
                augment.Gamma((0.01, random_.uniform(0.01, 10)), probability),
                augment.AutoContrast(probability),
                augment.Equalize(probability),
                augment.Sharpness((0.0, random_.uniform(0.0, 7.9)), probability),
                augment.GaussianNoise((0.0, random_.random()), probability),
            ]
        )
    if kind == 9:
        return augment.Grayscale(probability)
    if kind == 10:
        return augment.TrivialAugment(interpolation, value(255))
    if kind == 11:
        if random_.random() < 0.5:
            magnitude, deviation = random_.uniform(0, 10), random_.choice([0.0, 0.5, 8.0])
            return augment.TimmRandAugment(
                random_.randint(1, 2), magnitude, deviation, probability, interpolation, value(255)
            )
        return augment.RandAugment(random_.randint(1, 2), random_.randint(0, 30), interpolation, value(255))
    return augment.ColorJitter(
        *(random_.choice([0.0, strength, (0.0, 7.0 * strength)]) for _ in range(3)), strength / 2, probability
    )


def random_operations(random_: random.Random, shape: tuple[int, int, int]) -> list[augment.Operation]:
    """Operations that fit images of `shape`, in every combination of parameters."""
    channels, height, width = shape
    operations: list[augment.Operation] = []

    def value(highest: float) -> float | list[float]:
        if channels > 4 or random_.random() < 0.5:
            return float(random_.randint(0, int(highest)))
        return [float(random_.randint(0, int(highest))) for _ in range(channels)]

    def erasure(normalized: bool) -> augment.Operation:
        highest = 3 if normalized else 255
        if random_.random() < 0.5:
            return augment.Cutout(
                random_.randint(1, 12), random_.choice([0.5, 1.0]), random_.random() < 0.5, normalized, value(highest)
            )
        return augment.RandomErasing(
            random_.choice([0.5, 1.0]), (0.02, random_.uniform(0.02, 1)), (0.3, 3.3), normalized, value(highest)
        )

    for _ in range(random_.randint(0, 5)):
        kind = random_.randrange(9)
        if kind == 0:
            operations.append(augment.HorizontalFlip(random_.random()))
        elif kind == 1:
            operations.append(augment.VerticalFlip(random_.random()))
        elif kind == 2:
            operations.append(augment.AlternatingFlip())
        elif kind == 3:
            border = random_.choice(["constant", "edge", "reflect"])
            most = min(height, width) - 1 if border == "reflect" else 9
            padding = random_.randint(0, most)
            size = (random_.randint(1, height + 2 * padding), random_.randint(1, width + 2 * padding))
            size = random_.choice([size, None]) if padding else size
            operations.append(augment.RandomCrop(size, padding, border, value(255)))
            height, width = size or (height, width)
        elif kind == 4:
            height, width = random_.randint(1, 20), random_.randint(1, 20)
            operations.append(augment.CenterCrop((height, width), value(255)))
        elif kind == 5:
            operations.append(erasure(normalized=False))
        elif kind >= 7:
            operations.append(changing(random_, (channels, height, width), value))
        else:
            height, width = random_.randint(1, 40), random_.randint(1, 40)
            filter_ = {"antialias": random_.random() < 0.5, "interpolation": random_.choice(["bilinear", "bicubic"])}
            if random_.random() < 0.3:
                operations.append(augment.Resize((height, width), **filter_))
                if random_.random() < 0.3:
                    side = random_.randint(1, 12)
                    operations.append(augment.Resize(side, **filter_))
                    height, width = (side * of // min(height, width) for of in (height, width))
            else:
                area = random_.uniform(0.01, 1)
                operations.append(
                    augment.RandomResizedCrop((height, width), (area, random_.uniform(area, 1)), (0.3, 4), **filter_)
                )
    for _ in range(random_.randint(0, 2)):
        if random_.random() < 0.5:
            operations.append(augment.NormalizedJitter((-0.25, 0.5), (0.75, 1.25)))
        else:
            operations.append(erasure(normalized=True))
    return operations


@pytest.mark.parametrize("shape", [(1, 9, 17), (3, 8, 6), (3, 32, 32), (5, 4, 3)])
def test_a_second_implementation_gives_the_same_bits(tmp_path: Path, shape: tuple[int, int, int]) -> None:
    packed = write_packed(tmp_path / "data.h5", 13, shape)
    store = octavo.Store(packed.path, "train", device="cpu", progress=False)
    for case in range(60):
        random_ = random.Random(f"{shape} {case}")
        operations = random_operations(random_, shape)
        seed, epoch = random_.randrange(2**64), random_.randrange(2**32)
        loader = numpy_loader(store, operations, shuffle=True, seed=1, augment_seed=seed, views=1 + case % 2)
        loader.set_epoch(epoch)
        images, labels = loader[0]
        rows = loader.indices(0)
        np.testing.assert_array_equal(labels, packed.labels[rows])
        for view in range(loader.views):
            of_view = images[:, view] if loader.views > 1 else images
            wanted = expected(packed, rows, operations, seed=seed, epoch=epoch, view=view)
            np.testing.assert_array_equal(of_view, wanted, err_msg=f"case {case}, view {view}: {operations}")


def test_the_classes_have_the_parameters_of_the_library() -> None:
    types = octavo._core.describe_augmentation_types()
    for described in types:
        given = augment.__dict__[described["name"]]
        fields = {field.name: field for field in dataclasses.fields(given)}
        assert list(fields) == [parameter["name"] for parameter in described["parameters"]]
        for parameter in described["parameters"]:
            assert fields[parameter["name"]].default == parameter.get("default", dataclasses.MISSING)
    operations = {name for name in augment.__all__ if isinstance(getattr(augment, name), type)}
    assert operations == {described["name"] for described in types} | {"Operation"}
    assert pickle.loads(pickle.dumps(augment.RandomCrop(8))) == augment.RandomCrop(8)


def test_noise_is_nearly_normal(tmp_path: Path) -> None:
    with octavo.Writer(tmp_path / "gray.h5", layout="chw") as writer:
        for _ in range(13):
            writer.append(np.full((3, 64, 64), 128, np.uint8), 0, split="train")
    store = octavo.Store(tmp_path / "gray.h5", "train", device="cpu", progress=False)
    images, _ = numpy_loader(store, [augment.GaussianNoise(0.1)])[0]
    noise = images.astype(np.float64) * 255
    noise -= noise.mean()
    deviation = 0.1 * 255
    count = noise.size
    assert noise.std() == pytest.approx(deviation, rel=5 / np.sqrt(2 * count))
    assert (noise**4).mean() / noise.var() ** 2 == pytest.approx(3 - 0.15, abs=5 * np.sqrt(24 / count))
    within = [(np.abs(noise) < multiple * deviation).mean() for multiple in (1, 2, 3)]
    np.testing.assert_allclose(within, (0.6827, 0.9545, 0.9973), atol=0.01)
    assert abs(np.corrcoef(noise.ravel()[:-1], noise.ravel()[1:])[0, 1]) < 5 / np.sqrt(count)


def test_views_for_testing_are_mirrored_and_shifted(packed: Packed) -> None:
    operations = [augment.ViewShift(1), augment.ViewFlip()]
    images, _ = numpy_loader(packed.path, operations, views=10)[0]
    for view in range(10):
        wanted = expected(packed, range(13), operations, seed=0, view=view)
        np.testing.assert_array_equal(images[:, view], wanted, err_msg=f"view {view}")
    plain = images[:, 0]
    np.testing.assert_array_equal(images[:, 1], plain[..., ::-1])
    np.testing.assert_array_equal(images[:, 2][..., 1:, 1:], plain[..., :-1, :-1])
    np.testing.assert_array_equal(images[:, 4][..., :-1, :-1], plain[..., 1:, 1:])


def test_operations_may_depend_on_the_epoch(packed: Packed) -> None:
    def sizes(epoch: int) -> list[augment.Operation]:
        return [augment.RandomResizedCrop(8 + 4 * epoch), augment.HorizontalFlip()]

    loader = numpy_loader(packed.path, sizes, shuffle=True, seed=3)
    for epoch in range(3):
        fixed = numpy_loader(loader.store, sizes(epoch), shuffle=True, seed=3)
        fixed.set_epoch(epoch)
        for (images, labels), (wanted, wanted_labels) in zip(loader, fixed, strict=True):
            np.testing.assert_array_equal(images, wanted)
            np.testing.assert_array_equal(labels, wanted_labels)
        assert images.shape[-1] == 8 + 4 * epoch
        assert loader.augment == tuple(sizes(epoch))
    loader.set_epoch(1)
    assert loader[0][0].shape[-1] == 12
    with pytest.raises(TypeError, match="expected operations of octavo"):
        numpy_loader(packed.path, lambda epoch: ["flip"])
    with pytest.raises(TypeError, match="augment of a graph cannot depend on the epoch"):
        octavo.GraphLoader(packed.path, device="cpu", framework="numpy", augment=sizes)


def partners(mix: augment.Mix, draws: Draws, count: int) -> np.ndarray:
    if mix.partner == "previous":
        return np.roll(np.arange(count), 1)
    if mix.partner == "opposite":
        return np.arange(count)[::-1]
    low, high, *_ = draws.words(65)
    store = octavo.Store.from_arrays(np.zeros((count, 1, 1, 1), np.int8), device="cpu")
    order = octavo.Loader(store, batch_size=count, shuffle=True, seed=low | high << 32, framework="numpy")
    return order.indices(0)


@pytest.mark.parametrize("case", range(32))
def test_mixed_batches_have_the_values_of_the_second_implementation(tmp_path: Path, case: int) -> None:
    random_ = random.Random(f"mix {case}")
    shape = (random_.choice([1, 3]), random_.randint(1, 20), random_.randint(1, 20))
    packed = write_packed(tmp_path / "data.h5", 13, shape)
    operations = random_operations(random_, shape) if case % 2 else []
    alphas = random_.choice([(0.2, 0.0), (0.0, 1.0), (2.0, 0.01), (0.8, 1.0)])
    mix = augment.Mix(
        *alphas, random_.random(), random_.choice([0.5, 1.0]), random_.choice(["previous", "opposite", "shuffled"]),
        random_.random() < 0.5, pairs=case >= 24,
    )  # fmt: skip
    seed, epoch, smoothing = random_.randrange(2**64), random_.randrange(2**32), random_.choice([0.0, 0.1])
    smoothing *= not mix.pairs
    loader = octavo.Loader(
        packed.path, framework="numpy", device="cpu", normalize="unit", batch_size=5, shuffle=True, augment=operations,
        augment_seed=seed, mix=mix, label_smoothing=smoothing,
    )  # fmt: skip
    loader.set_epoch(epoch)
    classes = len(loader.dataset.classes)
    for step in range(len(loader)):
        images, labels = loader[step]
        rows = loader.indices(step)
        plain = expected(packed, rows, operations, seed=seed, epoch=epoch)
        draws = [Draws(seed, epoch, int(row), 0, 16 * 24) for row in rows]
        one_hot = np.eye(classes, dtype=np.float32)[packed.labels[rows]]
        for b, partner in enumerate(partners(mix, draws[0], len(rows))):
            (own, other), cut = mixing(mix, draws[b if mix.per_sample else 0], *plain.shape[2:])
            wanted = plain[b].copy()
            if cut is None:
                wanted = own * plain[b] + other * plain[partner]
            else:
                wanted[:, cut[0], cut[1]] = plain[partner][:, cut[0], cut[1]]
            np.testing.assert_array_equal(images[b], wanted, err_msg=f"{mix}, step {step}, image {b}")
            if mix.pairs:
                pair = [packed.labels[rows[b]], packed.labels[rows[partner]] if other else packed.labels[rows[b]], own]
                np.testing.assert_array_equal(labels[b], np.array(pair, np.float32))
                continue
            weights = own * one_hot[b] + other * one_hot[partner]
            rest, peak = np.float32(smoothing / classes), np.float32(1 - smoothing)
            np.testing.assert_array_equal(labels[b], rest + peak * weights)


OPERATIONS = [
    augment.AlternatingFlip(),
    augment.RandomCrop(padding=3),
    augment.Cutout(4),
    augment.NormalizedJitter((-0.1, 0.1), (0.9, 1.1)),
]


@pytest.mark.parametrize(
    "options",
    [
        {"residency": "hybrid", "resident": 20},
        {"residency": "streamed"},
        {"threads": 1},
        {"memory_format": "channels_last"},
    ],
    ids=str,
)
def test_augmented_batches_do_not_depend_on_where_samples_are(packed: Packed, options: dict) -> None:
    plain = numpy_loader(packed.path, OPERATIONS, shuffle=True, seed=4)
    other = numpy_loader(packed.path, OPERATIONS, shuffle=True, seed=4, **options)
    for epoch in range(2):
        for (images, labels), (other_images, other_labels) in zip(plain, other, strict=True):
            if options.get("memory_format"):
                other_images = other_images.transpose(0, 3, 1, 2)
            np.testing.assert_array_equal(images, other_images, err_msg=f"epoch {epoch}")
            np.testing.assert_array_equal(labels, other_labels)


def test_augmented_windows_and_ranks_and_batch_sizes_give_the_same_images(packed: Packed) -> None:
    windows = numpy_loader(packed.path, OPERATIONS, shuffle="windows:16", residency="window", window=16, seed=4)
    resident = numpy_loader(packed.path, OPERATIONS, shuffle="windows:16", seed=4)
    for (images, _), (other, _) in zip(windows, resident, strict=True):
        np.testing.assert_array_equal(images, other)
    whole = np.concatenate([images for images, _ in numpy_loader(packed.path, OPERATIONS, shuffle=True, seed=4)])
    ranks = [numpy_loader(packed.path, OPERATIONS, shuffle=True, seed=4, rank=rank, world_size=2) for rank in range(2)]
    parts = [images for both in zip(*ranks, strict=True) for images, _ in both]
    np.testing.assert_array_equal(whole, np.concatenate(parts))
    larger = octavo.Loader(
        packed.path, framework="numpy", device="cpu", normalize="unit", batch_size=47, augment=OPERATIONS, shuffle=True,
        seed=4,
    )  # fmt: skip
    np.testing.assert_array_equal(whole, larger[0][0])


def test_a_resumed_loader_augments_like_one_that_ran_through(packed: Packed) -> None:
    loader = numpy_loader(packed.path, OPERATIONS, shuffle=True, seed=4)
    batches = [images for _ in range(2) for images, _ in loader]
    resumed = numpy_loader(packed.path, OPERATIONS, shuffle=True, seed=4)
    resumed.load_state_dict({**loader.state_dict(), "epoch": 1, "step": 2})
    np.testing.assert_array_equal(batches[len(loader) + 2], next(iter(resumed))[0])


def test_gathered_samples_are_augmented_as_in_batches(packed: Packed) -> None:
    loader = numpy_loader(packed.path, OPERATIONS, shuffle=True, seed=4, views=2)
    loader.set_epoch(3)
    options = {"framework": "numpy", "normalize": "unit", "augment": OPERATIONS, "augment_seed": 4, "views": 2}
    for data in (loader.store, octavo.Store(packed.path, device="cpu", residency="streamed")):
        images, labels = data.gather(loader.indices(1), epoch=3, **options)
        np.testing.assert_array_equal(images, loader[1][0])
        np.testing.assert_array_equal(labels, loader[1][1])
        assert not np.array_equal(images, data.gather(loader.indices(1), **options)[0])
        with pytest.raises(ValueError, match="augment_seed is -1"):
            data.gather([0], augment_seed=-1)
        with pytest.raises(ValueError, match="epoch -1 is negative"):
            data.gather([0], epoch=-1)


def test_views_and_epochs_and_seeds_draw_differently(packed: Packed) -> None:
    operations = [augment.RandomCrop(padding=3, border="edge")]
    views = numpy_loader(packed.path, operations, views=3)
    images = views[0][0]
    assert images.shape == (13, 3, 3, 8, 6)
    assert not np.array_equal(images[:, 0], images[:, 1])
    np.testing.assert_array_equal(images[:, 0], numpy_loader(packed.path, operations)[0][0])
    later = numpy_loader(packed.path, operations)
    later.set_epoch(1)
    assert not np.array_equal(images[:, 0], later[0][0])
    reseeded = numpy_loader(packed.path, operations, augment_seed=1)
    assert not np.array_equal(images[:, 0], reseeded[0][0])
    np.testing.assert_array_equal(reseeded.indices(0), views.indices(0))


def test_a_crop_sets_the_size_of_batches(packed: Packed) -> None:
    loader = numpy_loader(packed.path, [augment.RandomCrop(5, padding=0)])
    assert loader[0][0].shape == (13, 3, 5, 5)
    assert numpy_loader(packed.path, augment.CenterCrop((10, 4)))[0][0].shape == (13, 3, 10, 4)


@pytest.mark.parametrize("interpolation", ["bilinear", "bicubic"])
def test_antialiased_resizing_is_within_one_level_of_pillow(tmp_path: Path, interpolation) -> None:
    image_module = pytest.importorskip("PIL.Image")
    shape = (2, 61, 83)
    packed = write_packed(tmp_path / "data.h5", 13, shape)
    for size in [(61, 83), (20, 31), (7, 100), (122, 40), (1, 1)]:
        loader = octavo.Loader(
            packed.path, framework="numpy", device="cpu", normalize=octavo.Normalize("none", 1.0, "levels"),
            batch_size=13, augment=augment.Resize(size, interpolation=interpolation),
        )  # fmt: skip
        images = loader[0][0]
        for image, values in zip(images, packed.values, strict=True):
            for channel, plane in zip(image, values, strict=True):
                # In floats, since Pillow limits uint8 values between its two passes.
                pillow = image_module.fromarray(plane.astype(np.float32), "F")
                resized = pillow.resize(size[::-1], image_module.Resampling[interpolation.upper()])
                assert np.abs(channel - np.clip(np.asarray(resized), 0, 255)).max() <= 1


def test_graph_batches_are_augmented_the_same(packed: Packed) -> None:
    graph = octavo.GraphLoader(
        packed.path, batch_size=13, shuffle=True, seed=4, framework="numpy", device="cpu", normalize="unit",
        augment=OPERATIONS, views=2,
    )  # fmt: skip
    loader = numpy_loader(packed.path, OPERATIONS, shuffle=True, seed=4, drop_last=True, views=2)
    for _ in range(2):
        for images, labels in loader:
            graph_images, graph_labels = graph.next()
            np.testing.assert_array_equal(images, graph_images)
            np.testing.assert_array_equal(labels, graph_labels)


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (augment.Resize(5, interpolation="nearest"), "it must be one of 'bilinear', 'bicubic'"),
        (augment.TrivialAugment("bicubic"), "it must be one of 'nearest', 'bilinear'"),
        (augment.HorizontalFlip(1.5), r"HorizontalFlip\(probability=1.5\): probability is 1.5; expected 0 to 1"),
        (augment.VerticalFlip(float("nan")), "probability is nan; expected a finite number"),
        (augment.RandomCrop(padding=6), "reflection needs a padding below the size of the image, 8x6"),
        (augment.RandomCrop(64), "it is larger than the padded image, 16x14"),
        (augment.RandomCrop(0), r"size is \(0, 0\); expected sides of 1 to 16777216 pixels"),
        (augment.RandomCrop(padding=-1, border="edge"), "padding is -1; expected 0 to 16777216"),
        (augment.RandomCrop(padding=1, fill=[1, 2]), "2 values for 3 channels"),
        (augment.RandomCrop(padding=1, border="constant", fill=256), "fill is 256; expected numbers of 0 to 255"),
        (augment.CenterCrop((0, 4)), r"size is \(0, 4\); expected sides of 1 to 16777216 pixels"),
        (augment.CenterCrop(2**24), "the size is too large"),
        (augment.Cutout(0), "size is 0; expected 1 to 16777216"),
        (augment.Cutout(2**24 + 1), "size is 16777217; expected 1 to"),
        (augment.Cutout(value=float("inf")), "value is inf; expected finite numbers"),
        (augment.RandomErasing(area=(0.5, 0.1)), "expected two numbers in ascending order"),
        (augment.RandomErasing(area=(0.0, 0.1)), "expected numbers above 0 and at most 1"),
        (augment.RandomErasing(ratio=(-1.0, 1.0)), "expected numbers of 1e-06 to 1e\\+06"),
        (augment.RandomResizedCrop(0), r"size is \(0, 0\); expected sides of 1 to 16777216 pixels"),
        (augment.RandomResizedCrop(8, ratio=(1.0, float("inf"))), "expected finite numbers"),
        (augment.RandomResizedCrop(8, area=(0.5, 1.5)), "expected numbers above 0 and at most 1"),
        (augment.Resize(70000), "images of more than 65535 pixels per side cannot be resized"),
        (augment.Affine(degrees=4000.0), "expected numbers of -3600 to 3600"),
        (augment.Affine(translate_x=1.5), "translate_x is 1.5; expected 0 to 1"),
        (augment.Affine(scale=(0.0, 1.0)), "expected numbers of 0.01 to 100"),
        (augment.Affine(shear_x=(0.0, 90.0)), "expected numbers of -80 to 80"),
        (augment.ColorJitter(brightness=8.0), "expected numbers at least 0 and below 8"),
        (augment.ColorJitter(contrast=(1.0, 8.0)), "expected numbers at least 0 and below 8"),
        (augment.ColorJitter(hue=0.6), "expected numbers of -0.5 to 0.5"),
        (augment.ColorJitter(saturation=(1.0, 0.5)), "expected two numbers in ascending order"),
        (augment.Solarize(257), "threshold is 257; expected 0 to 256"),
        (augment.Posterize(0), "bits is 0; expected 1 to 8"),
        (augment.Gamma(0.0), "expected numbers of 0.01 to 100"),
        (augment.Gamma(float("nan")), "expected finite numbers"),
        (augment.Sharpness(9), "expected numbers at least 0 and below 8"),
        (augment.GaussianBlur(4), "kernel_size is 4; expected an odd number"),
        (augment.GaussianBlur(63), "half of the kernel must be smaller than the image"),
        (augment.GaussianBlur(3, 0.0), "expected numbers of 0.01 to 1000"),
        (augment.ViewShift(100), "the shift must be smaller than the image"),
        (augment.RandAugment(0), "expected 1 to 16"),
        (augment.RandAugment(magnitude=31), "magnitude is 31; expected 0 to 30"),
        (augment.TimmRandAugment(17), "expected 1 to 16"),
        (augment.TimmRandAugment(magnitude=10.5), "magnitude is 10.5; expected 0 to 10"),
        (augment.TimmRandAugment(deviation=-0.5), "deviation is -0.5; expected 0 to 10"),
        (augment.NormalizedJitter(factor=(float("nan"), 1.0)), "expected finite numbers"),
    ],
    ids=str,
)
def test_operations_that_make_no_sense_are_refused(packed: Packed, operation, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        numpy_loader(packed.path, [operation])


def test_wrong_types_are_refused(packed: Packed) -> None:
    with pytest.raises(TypeError, match="expected operations of octavo"):
        numpy_loader(packed.path, ["flip"])
    with pytest.raises(TypeError, match="RandomCrop: size is '32'"):
        numpy_loader(packed.path, [augment.RandomCrop("32")])
    with pytest.raises(ValueError, match="border is 'mirror'; it must be one of 'constant', 'edge', 'reflect'"):
        numpy_loader(packed.path, [augment.RandomCrop(border="mirror")])
    with pytest.raises(ValueError, match="interpolation is 'cubic'; it must be one of 'nearest', 'bilinear'"):
        numpy_loader(packed.path, [augment.TrivialAugment("cubic")])
    with pytest.raises(TypeError, match="Gamma: gamma is '2'"):
        numpy_loader(packed.path, [augment.Gamma("2")])
    with pytest.raises(ValueError, match="0 views"):
        numpy_loader(packed.path, [], views=0)
    with pytest.raises(ValueError, match="augment_seed is -1"):
        numpy_loader(packed.path, [], augment_seed=-1)


@pytest.mark.parametrize(
    "operation",
    [augment.ColorJitter(0.1), augment.Grayscale(), augment.TrivialAugment(), augment.RandAugment()],
    ids=str,
)
def test_operations_on_colors_need_one_or_three_channels(tmp_path: Path, operation) -> None:
    data = write_packed(tmp_path / "data.h5", 20, (4, 8, 8)).path
    with pytest.raises(ValueError, match="images have 4 channels; it needs 1 or 3"):
        numpy_loader(data, [operation])
    data = write_packed(tmp_path / "more.h5", 20, (5, 8, 8)).path
    with pytest.raises(ValueError, match="images have 5 channels; at most 4 can change places"):
        numpy_loader(data, [augment.ChannelPermutation()])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mix": augment.Mix()}, "mixup_alpha and cutmix_alpha are 0"),
        ({"mix": augment.Mix(mixup_alpha=3.0)}, "mixup_alpha is 3; expected 0 to 2"),
        ({"mix": augment.Mix(cutmix_alpha=float("nan"))}, "cutmix_alpha is nan; expected a finite number"),
        ({"mix": augment.Mix(0.2, probability=1.5)}, "probability is 1.5; expected 0 to 1"),
        ({"mix": augment.Mix(0.2, 1.0, cutmix_share=-1.0)}, "cutmix_share is -1; expected 0 to 1"),
        ({"mix": augment.Mix(0.2, partner="next")}, "partner is 'next'; it must be one of 'previous', 'opposite'"),
        ({"mix": augment.Mix(0.2), "views": 2}, "samples of several views cannot be mixed"),
        ({"label_smoothing": 1.0}, "label_smoothing is not between 0 and 1"),
        ({"label_smoothing": 0.1, "num_classes": 2}, "num_classes is 2, but a label is"),
        ({"label_smoothing": 0.1, "num_classes": 1000}, "the number of classes is 1000, but the file has"),
        ({"mix": augment.Mix(0.2, pairs=True), "label_smoothing": 0.1}, "labels become pairs"),
        ({"mix": augment.Mix(0.2, pairs=True), "num_classes": 10}, "labels become pairs"),
        ({"num_classes": 10}, "num_classes is for mix and label_smoothing"),
        ({"label_smoothing": 0.1, "label_dtype": "int64"}, "label_dtype is int64"),
    ],
    ids=str,
)
def test_mixing_that_makes_no_sense_is_refused(packed: Packed, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        numpy_loader(packed.path, [], **options)


def test_only_class_numbers_become_probabilities(packed: Packed) -> None:
    targets = octavo.Store.from_arrays(packed.codes, np.zeros((len(packed.codes), 2), np.float32), device="cpu")
    with pytest.raises(ValueError, match="need class numbers; the labels are of kind 'target'"):
        numpy_loader(targets, [], label_smoothing=0.1)
    with pytest.raises(TypeError, match=r"mix is 0\.2"):
        numpy_loader(packed.path, [], mix=0.2)


def test_labels_are_smoothed_without_other_changes(packed: Packed) -> None:
    plain = numpy_loader(packed.path, [])
    for batch, smooth in zip(plain, numpy_loader(packed.path, [], label_smoothing=0.1), strict=True):
        np.testing.assert_array_equal(batch[0], smooth[0])
        classes = len(plain.dataset.classes)
        wanted = np.full((len(batch[1]), classes), 0.1 / classes)
        wanted[np.arange(len(batch[1])), batch[1]] += 0.9
        np.testing.assert_allclose(smooth[1], wanted, rtol=1e-6)


def test_gathered_samples_are_mixed_like_a_batch(packed: Packed) -> None:
    options = {"augment": OPERATIONS, "augment_seed": 4, "mix": augment.Mix(0.2, 1.0), "label_smoothing": 0.1}
    loader = octavo.Loader(
        packed.path, framework="numpy", device="cpu", normalize="unit", batch_size=13, shuffle=True, seed=4, **options
    )
    loader.set_epoch(2)
    images, labels = loader.store.gather(
        loader.indices(1), framework="numpy", normalize="unit", epoch=2, **options
    )  # fmt: skip
    np.testing.assert_array_equal(images, loader[1][0])
    np.testing.assert_array_equal(labels, loader[1][1])


def test_augmentation_that_would_spoil_a_training_run_is_refused(packed: Packed) -> None:
    with pytest.raises(ValueError, match="operations on normalized values come last"):
        numpy_loader(packed.path, [augment.Cutout(), augment.HorizontalFlip()])
    with pytest.raises(ValueError, match="at most 16 operations of one kind"):
        numpy_loader(packed.path, [augment.HorizontalFlip()] * 17)
    with pytest.raises(ValueError, match="at most 32 operations"):
        numpy_loader(packed.path, [augment.ColorJitter(0.1)] * 9)
    for center in ("pixel", "batch"):
        with pytest.raises(ValueError, match='use center="channel"'):
            octavo.Loader(
                packed.path, framework="numpy", device="cpu", normalize=octavo.Normalize(center),
                augment=augment.HorizontalFlip(),
            )  # fmt: skip
