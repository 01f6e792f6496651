"""Batches with no framework except NumPy."""

from __future__ import annotations

import threading
import weakref
from pathlib import Path

import numpy as np
import octavo
import pytest
from conftest import Packed, centered


def numpy_loader(data, **options) -> octavo.Loader:
    return octavo.Loader(data, framework="numpy", device="cpu", **options)


def epoch_of(loader: octavo.Loader) -> np.ndarray:
    return np.concatenate([images for images, _ in loader])


def test_a_batch_holds_the_defined_values(packed: Packed) -> None:
    loader = numpy_loader(packed.path, batch_size=10, shuffle=True, seed=5)
    mean = packed.values.mean(dtype=np.float64)
    for step, (images, labels) in enumerate(loader):
        rows = loader.indices(step)
        assert images.dtype == np.float32
        assert labels.dtype == np.int64
        assert images.shape == (len(rows), 3, 8, 6)
        np.testing.assert_array_equal(labels, packed.labels[rows])
        np.testing.assert_array_equal(images, centered(packed, rows, mean, 128.0))


@pytest.mark.parametrize(
    ("normalize", "center", "divisor"),
    [
        ("unit", 0.0, 255.0),
        (octavo.Normalize("none", 1.0, "levels"), 0.0, 1.0),
        (octavo.Normalize([1, 2, 3], [4, 5, 6], "levels"), np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])),
        (octavo.Normalize(7, 9, unit="source"), 7.0, 9.0),
        (
            octavo.Normalize((0.5, 0.25, 0.125), 0.5),
            255 * np.array([0.5, 0.25, 0.125]),
            255 * np.array([0.5, 0.5, 0.5]),
        ),
    ],
)
def test_normalizations(packed: Packed, normalize, center, divisor) -> None:
    loader = numpy_loader(packed.path, batch_size=47, normalize=normalize)
    images, _ = loader[0]
    np.testing.assert_array_equal(images, centered(packed, np.arange(47), center, divisor))


def test_standard_normalization_has_mean_zero_and_deviation_one(packed: Packed) -> None:
    images, _ = numpy_loader(packed.path, batch_size=47, normalize="standard")[0]
    np.testing.assert_allclose(images.mean(axis=(0, 2, 3), dtype=np.float64), 0.0, atol=1e-6)
    np.testing.assert_allclose(images.std(axis=(0, 2, 3), dtype=np.float64), 1.0, atol=1e-6)


def test_statistics_of_another_split(packed: Packed, tmp_path) -> None:
    rng = np.random.default_rng(1)
    with octavo.Writer(tmp_path / "dark.h5", layout="chw") as writer:
        for _ in range(9):
            writer.append(rng.integers(0, 50, (3, 8, 6), dtype=np.uint8), 0)
    dark = octavo.Dataset(tmp_path / "dark.h5").split()
    images, _ = numpy_loader(packed.path, batch_size=47, normalize=octavo.Normalize(statistics=dark))[0]
    expected = centered(packed, np.arange(47), float(dark.mean.mean()), 128.0)
    np.testing.assert_allclose(images, expected, rtol=0, atol=1e-6)


def test_types_and_layouts_hold_the_same_values(packed: Packed) -> None:
    images, _ = numpy_loader(packed.path, batch_size=47)[0]
    half, labels = numpy_loader(packed.path, batch_size=47, dtype=np.float16, label_dtype="int32")[0]
    assert labels.dtype == np.int32
    np.testing.assert_array_equal(half, images.astype(np.float16))
    last, _ = numpy_loader(packed.path, batch_size=47, memory_format="channels_last")[0]
    assert last.shape == (47, 8, 6, 3)
    np.testing.assert_array_equal(last.transpose(0, 3, 1, 2), images)


def test_dlpack_tensors_hold_the_same_values(packed: Packed) -> None:
    loader = octavo.Loader(packed.path, framework="dlpack", device="cpu", batch_size=10, shuffle=True)
    expected = numpy_loader(packed.path, batch_size=10, shuffle=True)
    for (images, labels), (wanted, wanted_labels) in zip(loader, expected, strict=True):
        np.testing.assert_array_equal(np.from_dlpack(images), wanted)
        np.testing.assert_array_equal(np.from_dlpack(labels), wanted_labels)


def test_an_epoch_visits_every_sample_once_in_a_new_order(packed: Packed) -> None:
    loader = numpy_loader(packed.path, batch_size=10, shuffle=True, seed=1)
    assert len(loader) == 5
    orders = []
    for epoch in range(3):
        assert loader.epoch == epoch
        orders.append(np.concatenate([loader.indices(step) for step in range(len(loader))]))
        np.testing.assert_array_equal(np.concatenate([labels for _, labels in loader]), packed.labels[orders[-1]])
    for order in orders:
        np.testing.assert_array_equal(np.sort(order), np.arange(47))
    assert not np.array_equal(orders[0], orders[1])
    other = numpy_loader(packed.path, batch_size=10, shuffle=True, seed=2)
    assert not np.array_equal(other.indices(0), orders[0][:10])


def test_without_shuffle_the_order_is_file_order(packed: Packed) -> None:
    loader = numpy_loader(packed.path, batch_size=10)
    for _ in range(2):
        np.testing.assert_array_equal(np.concatenate([labels for _, labels in loader]), packed.labels)


def test_drop_last_drops_the_short_batch(packed: Packed) -> None:
    loader = numpy_loader(packed.path, batch_size=10, drop_last=True)
    assert len(loader) == 4
    assert [len(images) for images, _ in loader] == [10, 10, 10, 10]
    assert [len(images) for images, _ in numpy_loader(packed.path, batch_size=10)] == [10, 10, 10, 10, 7]
    assert [len(images) for images, _ in numpy_loader(packed.path, batch_size=47)] == [47]


def test_a_split_smaller_than_a_batch_is_one_short_batch(packed: Packed) -> None:
    loader = numpy_loader(packed.path, batch_size=512, shuffle=True)
    assert (loader.batch_size, len(loader)) == (512, 1)
    assert [len(images) for images, _ in loader] == [47]


def test_a_batch_by_number_is_always_the_same(packed: Packed) -> None:
    loader = numpy_loader(packed.path, batch_size=10, shuffle=True)
    batches = [images for images, _ in loader]
    loader.set_epoch(0)
    for step in (4, 0, 2, 2, -1):
        np.testing.assert_array_equal(loader[step][0], batches[step])
    assert loader.state_dict()["step"] == 0
    for step, (images, _) in enumerate(loader):
        np.testing.assert_array_equal(loader[step][0], images)
    for step in (5, -6):
        with pytest.raises(IndexError, match="out of range; the epoch has 5"):
            loader[step]


def test_batches_that_are_kept_do_not_change(large: Packed) -> None:
    loader = numpy_loader(large.path, batch_size=512, shuffle=True)
    kept = [(images, images.copy()) for images, _ in loader]
    epoch_of(loader)
    for images, copy in kept:
        np.testing.assert_array_equal(images, copy)


@pytest.mark.parametrize("ranks", [2, 3, 7])
def test_ranks_share_the_batches_of_one(packed: Packed, ranks: int) -> None:
    options = {"batch_size": 10, "shuffle": True}  # the last batch has 7 samples
    for step, (images, labels) in enumerate(numpy_loader(packed.path, **options)):
        shares = [numpy_loader(packed.path, **options, rank=rank, world_size=ranks)[step] for rank in range(ranks)]
        sizes = [len(share[0]) for share in shares]
        assert max(sizes) - min(sizes) <= 1
        np.testing.assert_array_equal(np.concatenate([share[0] for share in shares]), images)
        np.testing.assert_array_equal(np.concatenate([share[1] for share in shares]), labels)


def test_nothing_keeps_a_released_batch_alive(packed: Packed) -> None:
    batches = iter(numpy_loader(packed.path, batch_size=10))
    images, labels = next(batches)
    seen = weakref.ref(images)
    del images, labels
    assert seen() is None


def test_options_are_refused_before_anything_is_loaded(packed: Packed, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(*arguments: object, **options: object) -> None:
        raise AssertionError("it was loaded")

    monkeypatch.setattr(octavo.Store, "__init__", load)
    for options in ({"label_dtype": "float32"}, {"normalize": octavo.Normalize([0.5, 0.2], 0.5)}, {"batch_size": 0}):
        with pytest.raises(ValueError, match=r"label_dtype|mean|batch_size"):
            numpy_loader(packed.path, **{"batch_size": 10, **options})


def test_batches_centered_on_their_own_mean_are_right_on_several_threads(large: Packed) -> None:
    loader = numpy_loader(large.path, batch_size=100, shuffle=True, normalize=octavo.Normalize("batch"))
    expected = [images for images, _ in loader]
    loader.set_epoch(0)
    wrong: list[int] = []

    def look(first: int) -> None:
        for step in range(first, len(loader), 2):
            if not np.array_equal(loader[step][0], expected[step]):
                wrong.append(step)

    threads = [threading.Thread(target=look, args=(number % 2,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_an_older_iteration_does_not_change_the_state(packed: Packed) -> None:
    loader = numpy_loader(packed.path, batch_size=10)
    older = iter(loader)
    next(older)
    newer = iter(loader)
    next(newer)
    list(older)
    assert loader.state_dict()["step"] == 1
    assert loader.epoch == 1


def test_loaders_share_a_store(packed: Packed) -> None:
    store = octavo.Store(packed.path, device="cpu")
    train, evaluate = numpy_loader(store, batch_size=5, shuffle=True), numpy_loader(store, batch_size=47)
    assert train.store is evaluate.store
    np.testing.assert_array_equal(
        np.concatenate([train[step][0] for step in range(len(train))])[np.argsort(np.concatenate(
            [train.indices(step) for step in range(len(train))]))], evaluate[0][0])  # fmt: skip
    images, labels = store.gather([3, 3, 46], framework="numpy")
    np.testing.assert_array_equal(images, evaluate[0][0][[3, 3, 46]])
    np.testing.assert_array_equal(labels, packed.labels[[3, 3, 46]])
    with pytest.raises(IndexError, match="sample 47"):
        store.gather([47], framework="numpy")


def test_labels_of_every_kind(tmp_path) -> None:
    image = np.zeros((4, 4), np.uint8)
    with octavo.Writer(tmp_path / "out.h5") as writer:
        for row in range(6):
            writer.append(image, [row % 2, 1, 0], split="multi")
            writer.append(image, [0.5 * row, -1.0], split="target")
            writer.append(image, split="none")
    _, labels = numpy_loader(tmp_path / "out.h5", split="multi", batch_size=6)[0]
    assert labels.dtype == np.float32
    np.testing.assert_array_equal(labels, [[row % 2, 1, 0] for row in range(6)])
    _, labels = numpy_loader(tmp_path / "out.h5", split="multi", batch_size=6, label_dtype="int64")[0]
    assert labels.dtype == np.int64
    np.testing.assert_array_equal(labels, [[row % 2, 1, 0] for row in range(6)])
    _, labels = numpy_loader(tmp_path / "out.h5", split="target", batch_size=6)[0]
    np.testing.assert_array_equal(labels, np.array([[0.5 * row, -1.0] for row in range(6)], np.float32))
    images, labels = numpy_loader(tmp_path / "out.h5", split="none", batch_size=6)[0]
    assert labels is None
    assert images.shape == (6, 1, 4, 4)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"batch_size": 0}, ValueError, "batch_size is 0"),
        ({"batch_size": -3}, ValueError, "batch_size is -3"),
        ({"batch_size": 48, "drop_last": True}, ValueError, "so drop_last leaves no batch"),
        ({"batch_size": 23, "rank": 0, "world_size": 2}, ValueError, "1 sample for 2 ranks; use drop_last"),
        ({"batch_size": 2.5}, TypeError, "batch_size is 2.5; it must be a whole number"),
        ({"batch_size": 2**64}, ValueError, r"batch_size is 18446744073709551616; it must be below"),
        ({"split": "nowhere"}, ValueError, "nowhere"),
        ({"device": "gpu"}, ValueError, "gpu"),
        ({"device": "cuda:x"}, ValueError, "cuda:x"),
        ({"dtype": "int8"}, ValueError, "dtype is 'int8'"),
        ({"dtype": np.float64}, ValueError, "dtype is"),
        ({"label_dtype": "float32"}, ValueError, "label_dtype is float32"),
        ({"label_dtype": "uint8"}, ValueError, "label_dtype is 'uint8'"),
        ({"memory_format": "rows"}, ValueError, "memory_format is 'rows'"),
        ({"normalize": "magic"}, ValueError, "normalize is 'magic'"),
        ({"normalize": octavo.Normalize([0.5, 0.2], 0.5)}, ValueError, "mean has 2 numbers"),
        ({"normalize": octavo.Normalize("batch"), "rank": 0, "world_size": 2}, ValueError, "own mean"),
        ({"rank": 1}, ValueError, "rank and world_size"),
        ({"rank": 2, "world_size": 2}, ValueError, "rank is 2"),
        ({"seed": -1}, ValueError, "seed is -1"),
        ({"framework": "jax"}, ValueError, "framework is 'jax'"),
        ({"threads": -1}, ValueError, "threads is -1"),
    ],
)
def test_invalid_options_are_refused(packed: Packed, options, error, message) -> None:
    split = options.pop("split", None)
    with pytest.raises(error, match=message):
        octavo.Loader(packed.path, split, **{"framework": "numpy", "device": "cpu", "batch_size": 10, **options})


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"num_workers": 4}, "no num_workers=, as a DataLoader has: it has no worker processes"),
        ({"transform": len}, "no transform=, .* use augment="),
        ({"sampler": []}, "no sampler=, .* use shuffle="),
        ({"worker": 4}, "octavo.Loader has no argument 'worker'; help"),
    ],
)
def test_arguments_of_a_data_loader_are_explained(packed: Packed, option, message) -> None:
    with pytest.raises(TypeError, match=message):
        numpy_loader(packed.path, **option)


def test_data_of_another_type_is_refused(tmp_path) -> None:
    with pytest.raises(TypeError, match="data is of type int; pass a dataset file"):
        octavo.Loader(3)
    with pytest.raises(FileNotFoundError):
        octavo.Loader(tmp_path / "missing.h5")
    (tmp_path / "text.h5").write_text("no such file" * 1000)
    with pytest.raises(octavo.FormatError, match=r"text\.h5"):
        octavo.Loader(tmp_path / "text.h5")


@pytest.mark.skipif(len(octavo.devices()) > 1, reason="there is a GPU")
def test_a_missing_gpu_is_unavailable(packed: Packed) -> None:
    with pytest.raises(octavo.UnavailableError, match="cpu"):
        octavo.Loader(packed.path, device="cuda", framework="dlpack")


def test_repr_shows_what_changes_the_images(packed: Packed) -> None:
    plain = repr(octavo.Loader(packed.path, device="cpu"))
    assert "augment" not in plain
    assert "mix" not in plain
    loader = octavo.Loader(
        packed.path, device="cpu", augment=octavo.augment.HorizontalFlip(), views=2, label_smoothing=0.1
    )
    assert f"augment=[{octavo.augment.HorizontalFlip()!r}], label_smoothing=0.1, views=2, batches=" in repr(loader)


def test_single_targets_are_one_number_for_each_sample(tmp_path: Path) -> None:
    octavo.pack_dataset([(np.zeros((2, 2), np.uint8), 0.5 * row) for row in range(3)], tmp_path / "a.h5")
    labels = octavo.Loader(tmp_path / "a.h5", device="cpu", framework="numpy")[0][1]
    assert (labels.shape, labels.tolist()) == ((3,), [0.0, 0.5, 1.0])


@pytest.mark.parametrize(
    ("augment", "message"),
    [
        (octavo.augment.HorizontalFlip, r"the class HorizontalFlip; pass an operation, HorizontalFlip\(\.\.\.\)"),
        (lambda epoch: epoch, "augment contains 0"),
        (lambda epoch: [octavo.augment.HorizontalFlip], "augment contains <class"),
        ("flip", "augment contains 'flip'"),
    ],
)
def test_what_is_not_an_operation_is_refused(packed: Packed, augment: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        octavo.Loader(packed.path, device="cpu", framework="numpy", augment=augment)  # type: ignore[call-overload]


def test_arguments_of_a_wrong_type_are_named(packed: Packed) -> None:
    for name, value in (("batch_size", "32"), ("batch_size", 2.5), ("seed", "x")):
        with pytest.raises(TypeError, match=f"{name} is {value!r}; it must be a whole number"):
            octavo.Loader(packed.path, device="cpu", framework="numpy", **{name: value})
    loader = octavo.Loader(packed.path, device="cpu", framework="numpy")
    with pytest.raises(TypeError, match="state is a str; pass a result of state_dict"):
        loader.load_state_dict("state")  # type: ignore[arg-type]
    part = octavo.Loader(packed.path, device="cpu", framework="numpy", indices=[3, 5])
    assert (part.samples_per_epoch, len(part.dataset)) == (2, len(loader.dataset))
    with pytest.raises(ValueError, match="chooses other samples; pass the same indices"):
        loader.load_state_dict(part.state_dict())


def test_the_epoch_can_be_set_as_that_of_a_sampler(packed: Packed) -> None:
    loader = octavo.Loader(packed.path, device="cpu", framework="numpy", shuffle=True)
    loader.batch_sampler.sampler.set_epoch(3)
    assert loader.epoch == 3
