"""What newcomers try first, and the error that leads them on."""

from __future__ import annotations

import inspect
import pickle
import re
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import octavo
import pytest
from conftest import Packed
from octavo import augment


def transform_of(library: str, name: str, **fields: object) -> object:
    """An object of a class of this name in the package `library`, which need not be installed."""
    made = type(name, (), {"__module__": f"{library}.transforms", "__call__": lambda self, image: image})()
    vars(made).update(fields)
    return made


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("RandomHorizontalFlip", "use HorizontalFlip(probability)"),
        ("RandomCrop", 'use RandomCrop(size, padding, border="constant")'),
        ("Normalize", "use normalize=octavo.Normalize(mean, std)"),
        ("ToTensor", "leave it out, batches are normalized floats"),
        ("ElasticTransform", "octavo.augment has none, apply it to the batches"),
    ],
)
def test_a_transform_of_torchvision_is_an_error_that_names_the_operation(packed: Packed, name: str, instead: str):
    message = f"augment has transforms of torchvision; use operations of octavo.augment instead: {name}: {instead}"
    for given in (transform_of("torchvision", name), [augment.VerticalFlip(), transform_of("torchvision", name)]):
        with pytest.raises(TypeError) as caught:
            octavo.Loader(packed.path, augment=given, device="cpu")
        assert str(caught.value) == message


def test_every_transform_of_a_composition_is_named(packed: Packed):
    parts = [transform_of("torchvision", name) for name in ("RandomHorizontalFlip", "ToTensor", "RandomHorizontalFlip")]
    composed = transform_of("torchvision", "Compose", transforms=parts)
    with pytest.raises(TypeError, match=r": RandomHorizontalFlip: use [^;]*; ToTensor: leave [^;]*$"):
        octavo.Loader(packed.path, augment=composed, device="cpu")
    with pytest.raises(TypeError, match="Compose: use a list of operations"):
        octavo.Loader(packed.path, augment=transform_of("torchvision", "Compose", transforms=[]), device="cpu")


@pytest.mark.parametrize(
    ("value", "names", "instead"),
    [
        (0.0, ("ToTensor", "Normalize", "RandomErasing"), "use RandomErasing(probability, area, ratio, value=value)"),
        (
            0.0,
            ("RandomErasing", "Normalize"),
            "use RandomErasing(probability, area, ratio, normalized=False, value=255 *",
        ),
        (
            "random",
            ("RandomErasing",),
            "use RandomErasing(probability, area, ratio), which fills with one color; it has",
        ),
        (None, ("RandomErasing",), "use RandomErasing(probability, area, ratio), which fills with one color; it has"),
    ],
)
def test_an_erasure_is_replaced_by_what_fills_alike(
    packed: Packed, value: object, names: tuple[str, ...], instead: str
):
    with pytest.raises(TypeError, match=rf"RandomErasing: {re.escape(instead)}"):
        octavo.Loader(packed.path, augment=[transform_of("torchvision", name, value=value) for name in names])


@pytest.mark.parametrize("operation", [augment.RandomErasing(value="random"), augment.Cutout(value=None)])  # type: ignore[arg-type]
def test_a_color_that_is_not_a_number_is_an_error(packed: Packed, operation: augment.Operation):
    with pytest.raises(
        ValueError, match=r"(RandomErasing|Cutout): value is .*; it must be one number, or one per chan"
    ):
        octavo.Loader(packed.path, augment=operation, device="cpu")


def test_classes_and_functions_of_other_libraries_are_recognized(packed: Packed):
    flip = transform_of("albumentations", "HorizontalFlip")
    with pytest.raises(TypeError, match=r"transforms of Albumentations; .*HorizontalFlip: use HorizontalFlip"):
        octavo.Loader(packed.path, augment=type(flip), device="cpu")
    function = types.FunctionType((lambda image: image).__code__, {"__name__": "torchvision.transforms.functional"})
    with pytest.raises(TypeError, match="transforms of torchvision"):
        octavo.Loader(packed.path, augment=function, device="cpu")


def test_modules_of_torch_are_recognized(packed: Packed):
    nn = pytest.importorskip("torch.nn")
    with pytest.raises(TypeError, match=r"transforms of PyTorch; .*Dropout: octavo.augment has none"):
        octavo.Loader(packed.path, augment=nn.Sequential(nn.Dropout()), device="cpu")


def test_every_replacement_is_an_operation():
    from octavo._conversion.foreign_transforms import _REPLACEMENTS

    for text in _REPLACEMENTS.values():
        if text.startswith("use ") and "(" in text and "=octavo" not in text and not text.startswith("use mix="):
            assert text.removeprefix("use ").partition("(")[0] in augment.__all__, text


def test_transforms_of_torchvision_have_replacements():
    v2 = pytest.importorskip("torchvision.transforms.v2")
    from octavo._conversion.foreign_transforms import replacements

    for transform in (v2.RandomHorizontalFlip(), v2.CenterCrop(4), v2.ColorJitter(), v2.RandomErasing(), v2.ToImage()):
        assert "has none" not in (replacements(transform) or "has none")


def test_a_function_of_images_is_an_error_that_says_what_augment_calls(packed: Packed):
    with pytest.raises(
        TypeError, match=r"called with the number of the epoch and returns operations of octavo.augment"
    ):
        octavo.Loader(packed.path, augment=lambda image: image[0], device="cpu")


def test_a_misspelled_split_lists_the_splits(packed: Packed):
    dataset = octavo.Dataset(packed.path)
    with pytest.raises(KeyError) as caught:
        dataset["trian"]
    assert 'no such split; did you mean "train"? It has train' in caught.value.args[0]
    with pytest.raises(ValueError, match='did you mean "train"'):
        octavo.Loader(packed.path, "Train", device="cpu")
    with pytest.raises(KeyError, match=r"splits have names, got 0; data.h5 has train"):
        dataset[0]  # type: ignore[index]
    dataset.close()
    with pytest.raises(ValueError, match="is closed"):
        dataset["train"]


@pytest.mark.parametrize("name", ["photos", "photos.zip", "photos.csv", "photos.jpg", "photos.npy"])
def test_data_that_is_not_packed_is_an_error_with_the_command(tmp_path: Path, name: str):
    path = tmp_path / name
    path.write_bytes(b"some bytes") if path.suffix else path.mkdir()
    for opened in (octavo.Dataset, octavo.Loader, octavo.Store):
        with pytest.raises(
            (octavo.FormatError, OSError), match=r"pack it first: `octavo pack \S+ -o photos.h5`"
        ) as caught:
            opened(path)
        assert str(path) in str(caught.value)


def test_a_memory_size_without_a_unit_asks_for_one(packed: Packed):
    for call in (
        lambda: octavo.plan(packed.path, memory="24"),
        lambda: octavo.Loader(packed.path, memory_limit="24", device="cpu"),
    ):
        with pytest.raises(ValueError, match=r'memory size "24" has no unit; write 24GiB'):
            call()


@pytest.mark.parametrize(
    ("module", "package", "hidden"),
    [
        ("lightning", "lightning", ("lightning", "pytorch_lightning")),
        ("keras", "keras", ("keras",)),
        ("jax", "jax", ("jax",)),
        ("transformers", "transformers", ("transformers",)),
    ],
)
def test_a_module_for_a_missing_framework_names_the_package_to_install(
    module: str, package: str, hidden: tuple[str, ...]
):
    hide = "".join(f"sys.modules[{name!r}] = None; " for name in hidden)
    for use in (f"import octavo.{module}", f"import octavo; octavo.{module}"):
        code = f"import sys; {hide}{use}"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert run.returncode == 1
        last = run.stderr.strip().splitlines()[-1]
        expected = f"octavo.{module} needs {package}, which is not installed; run: pip install {package}"
        assert last == f"ModuleNotFoundError: {expected}"


def test_the_package_lists_its_public_names_only():
    assert dir(octavo) == sorted(octavo.__all__)


def test_what_another_function_packs_is_an_error_that_names_it(packed: Packed, tmp_path: Path):
    samples = [(np.zeros((4, 4), np.uint8), 0)]
    for given in (samples, np.zeros((3, 4, 4), np.uint8), {"train": samples}, None):
        with pytest.raises(TypeError, match=r"not a path or several; pack .* with octavo.pack_dataset\(\)"):
            octavo.pack(given, tmp_path / "a.h5")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"dataset is the path 'photos'; pack files and folders with octavo.pack\(\)"):
        octavo.pack_dataset("photos", tmp_path / "a.h5")
    loader = octavo.Loader(packed.path, device="cpu")
    with pytest.raises(TypeError, match="dataset is a Loader, which makes batches; pass its dataset"):
        octavo.pack_dataset(loader, tmp_path / "a.h5")
    for given in (None, 3, {"train": 3}):
        with pytest.raises(
            TypeError, match=r"dataset is of type (NoneType|int); pass a dataset or an iterable of samples"
        ):
            octavo.pack_dataset(given, tmp_path / "a.h5")


def test_arrays_of_all_images_and_labels_are_an_error_that_zips_them(tmp_path: Path):
    images, labels = np.zeros((4, 5, 6), np.uint8), np.array([0, 1, 0, 1])
    for given in ((images, labels), [images, labels.tolist()], (images, ["a", "b", "a", "b"]), {"x": (images, labels)}):
        with pytest.raises(TypeError, match=r"dataset is a (tuple|list) of 2 arrays; pass .*, zip\(images, labels\)"):
            octavo.pack_dataset(given, tmp_path / "a.h5")
    fields = {"image": np.zeros((4, 5, 6, 3), np.uint8), "label": labels}
    with pytest.raises(TypeError, match=r"mapping of the arrays 'image', 'label', but .* zip\(images, labels\)"):
        octavo.pack_dataset(fields, tmp_path / "a.h5")
    octavo.pack_dataset(zip(images, labels, strict=True), tmp_path / "a.h5")
    # Arrays of images are splits and samples.
    octavo.pack_dataset({"train": images, "test": images[:2]}, tmp_path / "b.h5")
    octavo.pack_dataset([images[0], images[1]], tmp_path / "c.h5")
    octavo.pack_dataset([(images[0], 1), (images[1], 0)], tmp_path / "d.h5")


def test_a_table_is_an_error_that_says_how_to_pack_it(tmp_path: Path):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"path": ["a.png"], "label": [1]})
    message = r"is a DataFrame; write it as an image list, \.to_csv\('list\.csv', index=False\), and pack that"
    with pytest.raises(TypeError, match=f"source {message}"):
        octavo.pack(table, tmp_path / "a.h5")
    for given in (table, {"train": table}):
        with pytest.raises(TypeError, match=f"dataset {message}"):
            octavo.pack_dataset(given, tmp_path / "a.h5")


def test_an_image_that_is_a_list_names_the_format_of_hugging_face(tmp_path: Path):
    with pytest.raises(TypeError, match=r"it is a list, .*; .* dataset\.with_format\('numpy'\)"):
        octavo.pack_dataset([{"image": [[0, 1], [2, 3]], "label": 1}], tmp_path / "a.h5")


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("RandomErasing", {"p": 0.5}, "'p'; it is called probability"),
        ("RandomErasing", {"scale": (0.1, 0.2)}, "'scale'; it is called area"),
        ("ColorJitter", {"p": 0.5}, "'p'; it is called probability"),
        ("RandomResizedCrop", {"size": 4, "scale": (0.5, 1)}, "'scale'; it is called area"),
        ("RandomCrop", {"padding_mode": "edge"}, "'padding_mode'; it is called border"),
        ("Affine", {"translate": (0.1, 0.1)}, "'translate'; it is called translate_x and translate_y"),
        ("RandomCrop", {"p": 0.5}, "'p'; help(octavo.augment.RandomCrop) lists them"),
        ("RandomCrop", {"paddding": 4}, "'paddding'; did you mean 'padding'?"),
        ("Mix", {"alpha": 1.0}, "'alpha'; it is called mixup_alpha"),
    ],
)
def test_arguments_of_other_libraries_name_ours(name: str, arguments: dict[str, object], message: str):
    with pytest.raises(TypeError, match=re.escape(f"octavo.augment.{name} has no argument {message}")):
        getattr(augment, name)(**arguments)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("RandomHorizontalFlip", "; use HorizontalFlip(probability)"), ("RandomApply", "; use the probability of each"),
        ("Flop", ""),
    ],
)  # fmt: skip
def test_transforms_that_augment_lacks_name_the_operation(name: str, remedy: str):
    with pytest.raises(AttributeError, match=re.escape(f"octavo.augment has no {name}{remedy}")):
        getattr(augment, name)


def test_operations_still_show_their_arguments():
    assert list(inspect.signature(augment.RandomCrop).parameters) == ["size", "padding", "border", "fill"]
    assert pickle.loads(pickle.dumps(augment.RandomCrop(8))) == augment.RandomCrop(size=8)


@pytest.mark.parametrize("columns", [False, True, [], "", ["a", ""]])
def test_label_columns_that_name_none_are_an_error(tmp_path: Path, columns):
    with pytest.raises(ValueError, match=r"label_column is .*; it must name a column; .*label_key=False"):
        octavo.pack(tmp_path, tmp_path / "a.h5", label_column=columns)
    with pytest.raises(TypeError, match="label_column is 3; it must be a column"):
        octavo.pack(tmp_path, tmp_path / "a.h5", label_column=3)  # type: ignore[arg-type]


def test_colors_without_classes_are_an_error_that_numbers_them(tmp_path: Path):
    with pytest.raises(TypeError, match=r"mask_colors is of type list; it must be a file or a mapping"):
        octavo.pack(tmp_path, tmp_path / "a.h5", mask_colors=[(0, 0, 0), (255, 0, 0)])  # type: ignore[arg-type]


def test_class_numbers_as_floats_name_the_kind_of_labels(packed: Packed):
    with pytest.raises(ValueError, match=r"label_dtype is float32; class numbers .*label_kind='target'"):
        octavo.Loader(packed.path, label_dtype="float32", device="cpu")


@pytest.mark.parametrize("address", ["s3://bucket/photos.h5", "https://host/photos.h5", "gs://bucket/photos.h5"])
def test_a_remote_address_where_only_files_can_be_used_is_an_error_that_names_the_page(address: str, tmp_path: Path):
    message = r"it is a remote address, .*; copy the file first \(docs/how-to/remote-data.md\)"
    for refused in (octavo.Writer, lambda source: octavo.pack(source, tmp_path / "a.h5"),
                    lambda source: octavo.repack(source, tmp_path / "a.h5"),
                    lambda source: octavo.reindex(source, tmp_path / "a.h5")):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            refused(address)
        with pytest.raises(ValueError, match=message):
            refused(Path(address))
    if (docs := Path(__file__).parents[2] / "docs").is_dir():
        assert (docs / "how-to" / "remote-data.md").is_file()


def test_misspelled_arguments_name_the_one_that_is_meant(packed: Packed, tmp_path: Path):
    path, calls = tmp_path / "a.h5", []
    calls.append(("octavo.Loader has no argument 'batchsize'; did you mean 'batch_size'?",
                  lambda: octavo.Loader(packed.path, batchsize=3)))  # fmt: skip
    calls.append(("octavo.Store has no argument 'residence'; did you mean 'residency'?",
                  lambda: octavo.Store(packed.path, residence="device")))  # fmt: skip
    calls.append(("octavo.pack has no argument 'sizes'; did you mean 'size'?", lambda: octavo.pack("a", path, sizes=3)))
    calls.append(("octavo.Writer has no argument 'channel'; did you mean 'channels'?",
                  lambda: octavo.Writer(path, channel=3)))  # fmt: skip
    calls.append(("octavo.pack_dataset has no argument 'hold_out'; did you mean 'holdout'?",
                  lambda: octavo.pack_dataset([], path, hold_out=0.2)))  # fmt: skip
    calls.append(("octavo.Loader has no argument 'learning'; help(octavo.Loader) lists them",
                  lambda: octavo.Loader(packed.path, learning=3)))  # fmt: skip
    for message, call in calls:
        with pytest.raises(TypeError) as caught:
            call()
        assert str(caught.value) == message


def test_a_subclass_of_a_loader_may_have_other_arguments(packed: Packed):
    class Named(octavo.Loader):
        def __init__(self, path: Path, *, title: str, **options: object) -> None:
            super().__init__(path, **options)
            self.title = title

    assert Named(packed.path, title="mine", device="cpu").title == "mine"


@pytest.mark.parametrize(
    "name",
    [
        "split", "batch_size", "equal_shares", "keys", "augment_seed", "views", "label_smoothing", "masks",
        "ignore_index", "num_classes", "samples_per_epoch", "repeats", "replacement", "verify", "threads", "progress",
        "memory_limit", "resident", "window", "prefetch", "drop_last", "carry_over", "seed", "rank", "world_size",
    ],
)  # fmt: skip
def test_values_of_a_wrong_type_are_named(packed: Packed, name: str):
    for wrong in (object(), 3.5, {"a": 1}):
        if name == "label_smoothing" and wrong == 3.5:
            continue
        ranks = {"rank": 0, "world_size": 1} if name in ("rank", "world_size") else {}
        with pytest.raises((TypeError, ValueError), match=rf"{name} is ") as caught:
            octavo.Loader(packed.path, device="cpu", **{**ranks, name: wrong})  # type: ignore[call-overload]
        assert "argument types" not in str(caught.value)


def test_text_is_not_a_truth_value(packed: Packed):
    with pytest.raises(TypeError, match="drop_last is 'no'; it must be True or False"):
        octavo.Loader(packed.path, drop_last="no", device="cpu")  # type: ignore[call-overload]
    assert octavo.Loader(packed.path, drop_last=np.bool_(True), device="cpu").drop_last


def test_a_function_that_returns_no_operations_is_an_error_that_says_what_augment_calls(packed: Packed):
    with pytest.raises(TypeError, match=r"called with the number of the epoch and returns operations .* contains 0"):
        octavo.Loader(packed.path, augment=lambda image: image, device="cpu")


def test_a_data_loader_over_a_loader_must_not_collate(packed: Packed):
    data = pytest.importorskip("torch.utils.data")
    loader = octavo.Loader(packed.path, batch_size=10, device="cpu")
    for options in ({}, {"batch_size": 10}):
        with pytest.raises(TypeError, match=r"a DataLoader would collate again; .* pass batch_size=None"):
            next(iter(data.DataLoader(loader, **options)))
    assert len(next(iter(data.DataLoader(loader, batch_size=None)))[0]) == 10


def test_a_module_for_a_framework_is_imported_when_used():
    code = """
import sys, types
sys.modules["transformers"] = types.ModuleType("transformers")  # enough for the mixin
import octavo
assert "octavo.transformers" not in sys.modules
print(octavo.transformers.TrainerMixin.__name__)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stdout == "TrainerMixin\n", run.stderr


def other_data(packed: Packed) -> list[object]:
    """What is not a dataset file, but has samples or something to do with one."""
    return [np.zeros((2, 3, 4, 4), np.uint8), [1, 2], None, 3, octavo.Store(packed.path, device="cpu")]


@pytest.mark.parametrize(
    "function",
    [
        octavo.Dataset, octavo.Loader, octavo.Store, octavo.plan, octavo.info, octavo.report, octavo.doctor,
        octavo.verify, octavo.view, lambda data: octavo.export(data, "out"),
    ],
)  # fmt: skip
def test_data_of_another_type_is_an_error_that_says_what_to_pass(packed: Packed, function):
    for data in other_data(packed):
        if isinstance(data, octavo.Store) and function is octavo.Loader:
            continue
        has_samples = isinstance(data, (np.ndarray, list))
        remedy = "; pack it first with octavo.pack_dataset()" if has_samples else ""
        kind = type(data).__name__
        with pytest.raises(
            TypeError, match=rf"^[a-z ]+: (data|path) is of type {kind}; pass [^;]+{re.escape(remedy)}$"
        ):
            function(data)


def test_a_split_is_data_or_an_error_that_says_what_to_pass(packed: Packed):
    dataset = octavo.Dataset(packed.path)
    split = dataset["train"]
    assert octavo.plan(split, device="cpu")["split"] == "train"
    assert octavo.report(split, device="cpu", batch_size=8)["split"] == "train"
    with pytest.raises(ValueError, match="split is 'val', but data is already the split 'train'"):
        octavo.report(split, "val", device="cpu")
    for function in (octavo.info, octavo.doctor, lambda data: octavo.export(data, "out")):
        with pytest.raises(TypeError, match=r"data is a Split; pass its dataset, split\.dataset"):
            function(split)
    with pytest.raises(TypeError, match=r"path is a Dataset; pass the path of its file, \.path"):
        octavo.verify(dataset)  # type: ignore[call-overload]
    for function in (octavo.pack, octavo.repack):
        with pytest.raises(TypeError, match=r"source is a Dataset; pass the path of its file, .* octavo\.repack\(\)"):
            function(dataset, "out.h5")
