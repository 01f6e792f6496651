"""The normalization of batches: units, and statistics."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any, get_args

import numpy as np
import octavo
import pytest
from conftest import Packed
from octavo import Normalize, _core
from octavo.normalize import Preset


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("middle",), ValueError, "mean is 'middle'; it must be numbers or one of 'none', 'dataset'"),
        ((["a"], 1), TypeError, "mean is"),
        (([], 1), ValueError, "mean is empty"),
        ((0.5,), ValueError, "mean is given without std"),
        ((0.5, 0.0), ValueError, "std is 0"),
        ((0.5, float("nan")), ValueError, "std is nan; it must be finite"),
        (("none", "values"), ValueError, "std is 'values'; with mean='none' it must be numbers or 'dataset'"),
        (("dataset", "channel"), ValueError, "numbers or 'dataset'"),
        (("channel", "dataset"), ValueError, "numbers or 'channel'"),
        ((0.5, 0.5, "bytes"), ValueError, "unit is 'bytes'; it must be one of 'unit', 'levels', 'source'"),
        (((123.7, 116.3, 103.5), (58.4, 57.1, 57.4)), ValueError, r"mean is \(123.7.*pass unit='levels'"),
        ((0.0, 255.0), ValueError, "std is 255.0, in values of 0 ... 1; .*pass unit='levels'"),
        (((0.485, 0.456, 0.406), (0.229, 0.224, 0.225), "levels"), ValueError, "std is .*pass unit='unit'"),
        ((300.0, 1.0, "levels"), ValueError, "mean is 300.0"),
    ],
)
def test_numbers_that_cannot_be_right_are_refused(arguments: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        Normalize(*arguments)


def test_units_give_the_same_values(packed: Packed) -> None:
    def values(normalize: Normalize) -> Any:
        return octavo.Loader(packed.path, device="cpu", framework="numpy", normalize=normalize)[0][0]

    expected = values(Normalize((0.5, 0.25, 0.125), 0.25))
    for unit in ("levels", "source"):
        assert (values(Normalize((127.5, 63.75, 31.875), 63.75, unit)) == expected).all()
    assert (values(Normalize(0, 1)) == values(Normalize.preset("unit"))).all()


def test_the_presets_are_those_of_the_library() -> None:
    described = {name: str(Normalize.preset(name).to_native()) for name in get_args(Preset)}
    assert described == _core.presets


def packed_as(packed: Packed, path: Any, split: str) -> Any:
    with octavo.Writer(path, layout="chw") as writer:
        for value, label in zip(packed.values, packed.labels, strict=True):
            writer.append(value, label, split=split)
    return path


def test_the_own_statistics_of_a_test_split_are_warned_about(packed: Packed, tmp_path: Any) -> None:
    test = packed_as(packed, tmp_path / "test.h5", "test")
    for normalize in ("default", "standard", Normalize("dataset", 0.5)):
        with pytest.warns(UserWarning, match=r"test\.h5 has no split 'train', so 'test' is normalized with its own"):
            octavo.Loader(test, device="cpu", framework="numpy", normalize=normalize)
    train = octavo.Dataset(packed.path).split("train")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for normalize in ("unit", "imagenet", Normalize("channel", "channel", statistics=train)):
            octavo.Loader(test, device="cpu", framework="numpy", normalize=normalize)
        octavo.Loader(packed.path, device="cpu", framework="numpy")
        octavo.Loader(packed_as(packed, tmp_path / "all.h5", "all"), device="cpu", framework="numpy")


@pytest.mark.parametrize(
    "normalize",
    [
        Normalize(),
        Normalize("none", 1.0),
        Normalize("channel", "channel"),
        Normalize("dataset", "dataset"),
        Normalize("pixel", 64.0, "levels"),
        Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
        Normalize(100.0, (10.0, 20.0, 30.0), "source"),
    ],
    ids=str,
)
@pytest.mark.parametrize("channels_last", [False, True])
def test_the_inverse_gives_the_packed_values(packed: Packed, normalize: Normalize, channels_last: bool) -> None:
    layout = "channels_last" if channels_last else "contiguous"
    loader = octavo.Loader(
        packed.path, batch_size=47, device="cpu", framework="numpy", normalize=normalize, memory_format=layout
    )
    values = loader.normalize.inverse(loader[0][0], loader.dataset, channels_last=channels_last)
    assert values.dtype == np.float32
    expected = packed.values.transpose(0, 2, 3, 1) if channels_last else packed.values
    assert np.abs(values - expected).max() < 1e-4


@pytest.mark.parametrize(
    "normalize",
    [
        Normalize(),
        Normalize("none"),
        Normalize("none", "dataset"),
        Normalize("channel", "channel"),
        Normalize("pixel", "dataset"),
        Normalize("pixel", 64.0, "levels"),
        Normalize("pixel", 0.5, "source"),
        Normalize(0.5, "dataset"),
        Normalize(0.25, 0.5),
    ],
    ids=str,
)
def test_the_inverse_has_the_unit_of_the_normalization(tmp_path: Any, normalize: Normalize) -> None:
    # Channels with scales of their own: source = scale * level + low.
    random = np.random.default_rng(3)
    levels = random.integers(0, 256, (20, 2, 4, 5))
    levels[0, :, 0, :2] = 0, 255
    source = levels * np.array([0.5, 0.02]).reshape(2, 1, 1) - np.array([10.0, 0.3]).reshape(2, 1, 1)
    np.save(tmp_path / "images.npy", source.astype(np.float32))
    octavo.pack(tmp_path / "images.npy", tmp_path / "a.h5", layout="chw", value_range="minmax", progress=False)
    loader = octavo.Loader(tmp_path / "a.h5", device="cpu", framework="numpy", normalize=normalize)
    values = normalize.inverse(loader[0][0], loader.dataset)
    is_of_levels = normalize.unit != "source" and not (
        isinstance(normalize.mean, str) and not isinstance(normalize.std, float)
    )
    expected = levels if is_of_levels else source
    assert np.abs(values - expected).max() < 1e-4 * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize(("high", "is_warned"), [(1.0, True), (255.0, False), (1000.0, False), (50000.0, True)])
def test_a_divisor_that_does_not_suit_the_values_is_warned_about(tmp_path: Any, high: float, is_warned: bool) -> None:
    np.save(tmp_path / "x.npy", np.linspace(0, high, 64, dtype=np.float32).reshape(4, 4, 4))
    octavo.pack(tmp_path / "x.npy", tmp_path / "x.h5", value_range=(0, high), layout="hw", progress=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        octavo.Loader(tmp_path / "x.h5", device="cpu", framework="numpy")
    expected = f"the values of 'train' range from 0 to {high:g}, but the normalization divides by 128"
    assert [str(warning.message).partition(";")[0] for warning in caught] == [expected] * is_warned
    assert all(warning.filename == __file__ for warning in caught)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        octavo.Loader(tmp_path / "x.h5", device="cpu", framework="numpy", normalize="standard")


def test_numbers_of_another_unit_are_refused_for_8_bit_images(packed: Packed) -> None:
    normalize = Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225), "source")
    with pytest.raises(ValueError, match="pass unit='unit'"):
        octavo.Loader(packed.path, device="cpu", framework="numpy", normalize=normalize)


def test_the_inverse_needs_the_measured_numbers(packed: Packed) -> None:
    images = np.zeros((1, 3, 8, 6), np.float32)
    with pytest.raises(ValueError, match="pass the loaded split"):
        Normalize("channel", "channel").inverse(images)
    with pytest.raises(ValueError, match="that of each batch"):
        Normalize("batch").inverse(images)
    split = octavo.Dataset(packed.path).split()
    given = Normalize("channel", "channel", statistics=split)
    assert np.allclose(given.inverse(images)[0, :, 0, 0], split.mean)


def test_the_inverse_of_a_tensor_is_a_tensor(packed: Packed) -> None:
    torch = pytest.importorskip("torch")
    loader = octavo.Loader(packed.path, batch_size=47, device="cpu", normalize="imagenet", dtype="bfloat16")
    values = loader.normalize.inverse(loader[0][0])
    assert values.dtype == torch.float32
    assert (values - torch.from_numpy(packed.values)).abs().max() < 1


@pytest.mark.parametrize("normalize", [Normalize(0, 1, unit="source"), "standard"])
def test_a_split_with_another_range_than_train_keeps_its_source_values(tmp_path: Any, normalize: Any) -> None:
    random = np.random.default_rng(0)
    train = random.normal(1000, 200, (60, 8, 8)).clip(1, 65535).astype(np.uint16)
    val = (train // 2 + 300).astype(np.uint16)
    path = tmp_path / "a.h5"
    for split, images in (("train", train), ("val", val)):
        np.save(tmp_path / "x.npy", images)
        octavo.pack({split: tmp_path / "x.npy"}, path, layout="hw", append=split == "val", progress=False)
    loader = octavo.Loader(path, split="val", batch_size=60, device="cpu", framework="numpy", normalize=normalize)
    (images, _) = next(iter(loader))
    mean, std = (train.mean(), train.std()) if normalize == "standard" else (0.0, 1.0)
    # Half a step of the range of val, and rounding of the statistics of train.
    step = np.ptp(val) / 255
    assert np.abs(images[:, 0] * std + mean - val).max() < 0.5 * step + 3.0


def test_statistics_of_other_channels_name_the_option(tmp_path) -> None:
    octavo.pack_dataset([(np.full((3, 4, 4), row, np.uint8), row) for row in range(2)], tmp_path / "rgb.h5")
    octavo.pack_dataset([np.zeros((4, 4), np.uint8)], tmp_path / "gray.h5")
    normalize = Normalize("channel", "channel", statistics=octavo.Dataset(tmp_path / "rgb.h5").split())
    message = (
        "the statistics are of samples with 3 channels, but these have 1 channel; pack these with channels=3, or give"
    )
    with pytest.raises(ValueError, match=message):
        octavo.Loader(tmp_path / "gray.h5", normalize=normalize)[0]
    octavo.pack_dataset([np.zeros((4, 4), np.uint8)], tmp_path / "gray.h5", channels=3, force=True)
    octavo.Loader(tmp_path / "gray.h5", normalize=normalize)[0]


def test_arrays_and_tensors_are_numbers(packed: Packed) -> None:
    expected = octavo.Normalize((0.25, 0.5, 0.75), (0.5, 0.5, 0.5))
    given = [np.array([0.25, 0.5, 0.75]), [0.25, 0.5, 0.75]]
    if torch := sys.modules.get("torch"):
        given.append(torch.tensor([0.25, 0.5, 0.75]))
    for mean in given:
        made = octavo.Normalize(mean, np.full(3, 0.5))
        assert (made, hash(made)) == (expected, hash(expected))
        octavo.Loader(packed.path, normalize=made, device="cpu")[0]


def test_a_normalize_of_torchvision_is_an_error_with_ours(packed: Packed) -> None:
    theirs = type("Normalize", (), {"mean": [0.485, 0.456, 0.406], "std": (0.2, 0.2, 0.2)})()
    for given in (theirs, ((0.485, 0.456, 0.406), (0.2, 0.2, 0.2))):
        with pytest.raises(ValueError, match=r"octavo.Normalize\(\(0.485, 0.456, 0.406\), \(0.2, 0.2, 0.2\)\)$"):
            octavo.Loader(packed.path, normalize=given, device="cpu")


def test_statistics_of_other_classes_are_noted(tmp_path: Path) -> None:
    paths = [tmp_path / "train.h5", tmp_path / "test.h5", tmp_path / "part.h5"]
    for path, classes in zip(paths, (["bee", "cat", "dog"], ["cat", "dog"], ["bee", "cat"]), strict=True):
        with octavo.Writer(path, classes=classes) as writer:
            writer.append(np.zeros((4, 4), np.uint8), 1)
    normalize = octavo.Normalize("channel", statistics=octavo.Dataset(paths[0])["train"])
    with pytest.warns(UserWarning, match=r"class 'cat' is 0 in test.h5 and 1 in train.h5; pack both into one file"):
        octavo.Loader(paths[1], normalize=normalize, device="cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        octavo.Loader(paths[2], normalize=normalize, device="cpu")  # it has the first classes


def test_a_class_that_training_lacks_is_noted(tmp_path: Path) -> None:
    for name, classes in (("train", ["cat"]), ("test", ["cat", "dog"])):
        with octavo.Writer(tmp_path / f"{name}.h5", classes=classes) as writer:
            writer.append(np.zeros((4, 4), np.uint8), 0)
    normalize = octavo.Normalize("channel", statistics=octavo.Dataset(tmp_path / "train.h5")["train"])
    with pytest.warns(UserWarning, match="class 1 of test.h5 is 'dog', which train.h5 lacks"):
        octavo.Loader(tmp_path / "test.h5", normalize=normalize, device="cpu")
