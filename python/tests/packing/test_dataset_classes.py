"""The class names of Python datasets, and one numbering for all splits."""

from __future__ import annotations

import types
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest


class Named:
    """Like torchvision's ImageFolder: one image of each class."""

    def __init__(self, *classes: str) -> None:
        self.classes = list(classes)

    def __len__(self) -> int:
        return len(self.classes)

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        return np.full((4, 4), ord(self.classes[index][0]), np.uint8), index


class Concatenated:
    """Like torch.utils.data.ConcatDataset."""

    def __init__(self, *datasets: Any) -> None:
        self.datasets = list(datasets)

    def __len__(self) -> int:
        return sum(map(len, self.datasets))

    def __getitem__(self, index: int) -> Any:
        return [sample for part in self.datasets for sample in part][index]


class Wrapper:
    """A dataset of the user's own."""

    def __init__(self, photos: Any) -> None:
        self.photos = photos

    def __len__(self) -> int:
        return len(self.photos)

    def __getitem__(self, index: int) -> Any:
        return self.photos[index]


class Tagged:
    """A Hugging Face dataset whose label is a list of class numbers."""

    def __init__(self) -> None:
        self.features = {"label": types.SimpleNamespace(feature=types.SimpleNamespace(names=["a", "b", "c"]))}

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: int) -> dict[str, Any]:
        return [{"image": np.zeros((4, 4), np.uint8), "label": [2, 0]}][index]


def test_lists_of_class_numbers_are_found_in_parts_of_a_concatenation(tmp_path: Path) -> None:
    octavo.pack_dataset(Concatenated(Tagged(), Concatenated(Tagged())), tmp_path / "a.h5")
    split = octavo.Dataset(tmp_path / "a.h5").split()
    assert (split.label_kind, split.targets) == ("multi_label", [[1, 0, 1], [1, 0, 1]])


def named_labels(path: Path, split: str) -> dict[str, str]:
    """The first letter of the class whose image each class name has."""
    part = octavo.Dataset(path).split(split)
    return {part.classes[part.targets[row]]: chr(np.asarray(part[row][0]).flat[0]) for row in range(len(part))}


@pytest.mark.parametrize("classes", [("dog",), ("emu", "cat", "dog"), ("cat", "dog")])
def test_splits_are_numbered_by_the_names_of_the_first(tmp_path: Path, classes: tuple[str, ...]) -> None:
    octavo.pack_dataset({"train": Named("cat", "dog", "emu"), "val": Named(*classes)}, tmp_path / "a.h5")
    assert octavo.Dataset(tmp_path / "a.h5").classes == ["cat", "dog", "emu"]
    assert named_labels(tmp_path / "a.h5", "val") == {name: name[0] for name in classes}
    # The same rule as for a file that is extended.
    octavo.pack_dataset(Named("cat", "dog", "emu"), tmp_path / "b.h5")
    octavo.pack_dataset(Named(*classes), tmp_path / "b.h5", split="val", append=True)
    assert octavo.Dataset(tmp_path / "b.h5").split("val").targets == octavo.Dataset(tmp_path / "a.h5")["val"].targets


def test_a_class_that_the_first_split_lacks_is_an_error(tmp_path: Path) -> None:
    parts = {"train": Named("cat", "dog"), "val": Named("Cat", "dog")}
    with pytest.raises(ValueError, match="split 'val' has a class 'Cat' that split 'train' lacks; its classes are cat"):
        octavo.pack_dataset(parts, tmp_path / "a.h5")
    with pytest.raises(ValueError, match="class 0 is 'cat' and 'Cat'; leave out classes="):
        octavo.pack_dataset(parts, tmp_path / "a.h5", classes=["a", "b"])
    octavo.pack_dataset(parts, tmp_path / "a.h5", allow_mismatch=True)
    assert octavo.Dataset(tmp_path / "a.h5").classes == ["cat", "dog", "Cat"]
    assert named_labels(tmp_path / "a.h5", "val") == {"Cat": "C", "dog": "d"}


def test_multi_labels_and_text_are_numbered_by_name_too(tmp_path: Path) -> None:
    class Labeled(list):  # type: ignore[type-arg]
        classes = ("dog", "cat")

    image = np.zeros((4, 4), np.uint8)
    texts = Labeled([(image, "0"), (image, "cat")])
    octavo.pack_dataset({"train": Named("cat", "dog"), "val": texts}, tmp_path / "a.h5")
    assert octavo.Dataset(tmp_path / "a.h5")["val"].targets == [1, 0]

    class More(list):  # type: ignore[type-arg]
        classes = ("cat", "dog", "emu")

    parts = {"train": More([(image, [1, 0, 1])]), "val": Labeled([(image, [1, 0])])}
    octavo.pack_dataset(parts, tmp_path / "b.h5")
    np.testing.assert_array_equal(octavo.Dataset(tmp_path / "b.h5")["val"].labels, [[0, 1, 0]])
    parts["val"] = Labeled([(image, 2)])
    with pytest.raises(ValueError, match="split 'val', sample 0: its label 2 has no name; its split has 2 classes"):
        octavo.pack_dataset({"train": Named("cat", "dog"), "val": parts["val"]}, tmp_path / "c.h5")


def test_a_split_without_class_names_is_noted(tmp_path: Path) -> None:
    unnamed = [(np.zeros((4, 4), np.uint8), 1)]
    named = Named("cat", "dog")
    for number, parts in enumerate(({"train": named, "val": unnamed}, {"val": unnamed, "train": named})):
        with pytest.warns(octavo.PackingWarning, match="split 'val' has no class names; its class numbers are taken"):
            octavo.pack_dataset(parts, tmp_path / f"{number}.h5")
        assert len(octavo.Dataset(tmp_path / f"{number}.h5").classes) == 2


def test_concatenated_datasets_have_the_names_on_which_they_agree(tmp_path: Path) -> None:
    octavo.pack_dataset(Concatenated(Named("cat", "dog"), Named("cat")), tmp_path / "a.h5")
    assert octavo.Dataset(tmp_path / "a.h5").classes == ["cat", "dog"]
    others = (Named("dog", "emu"), "class 0 is 'cat' and 'dog'"), ([Named("cat")[0]], "one has no")
    for number, (other, reason) in enumerate(others):
        with pytest.warns(octavo.PackingWarning, match=f"no class names: .*{reason}.*; name the classes with classes="):
            octavo.pack_dataset(Concatenated(Named("cat", "dog"), other), tmp_path / f"{number}.h5")
        assert octavo.Dataset(tmp_path / f"{number}.h5").classes == []


def test_names_inside_of_a_wrapper_are_noted(tmp_path: Path) -> None:
    with pytest.warns(octavo.PackingWarning, match="no class names: the Wrapper has none; the Named in it does"):
        octavo.pack_dataset(Wrapper(Named("cat", "dog")), tmp_path / "a.h5")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        octavo.pack_dataset(Wrapper(Named("cat", "dog")), tmp_path / "b.h5", classes=["cat", "dog"])


class ClassLabel:
    """Like datasets.ClassLabel."""

    def __init__(self, *names: str) -> None:
        self.names = names


class ListOf:
    """Like datasets.Sequence and datasets.List."""

    def __init__(self, feature: Any, length: int = -1) -> None:
        self.feature, self.length = feature, length


class Rows(list):  # type: ignore[type-arg]
    """Like datasets.Dataset: rows with an image and a label."""

    def __init__(self, feature: Any, labels: list[Any], key: str = "label") -> None:
        super().__init__({"image": np.zeros((2, 2), np.uint8), key: label} for label in labels)
        self.features = {key: feature}


@pytest.mark.parametrize("feature", [ListOf(ClassLabel("a", "b", "c")), [ClassLabel("a", "b", "c")]])
def test_lists_of_class_numbers_are_multi_labels(tmp_path: Path, feature: Any) -> None:
    octavo.pack_dataset(Rows(feature, [[0, 1], [2], []]), tmp_path / "a.h5")
    split = octavo.Dataset(tmp_path / "a.h5").split()
    np.testing.assert_array_equal(split.labels, [[1, 1, 0], [0, 0, 1], [0, 0, 0]])
    assert split.classes == ["a", "b", "c"]
    with pytest.raises(ValueError, match=r"sample 0: its label \[3\] has numbers without a class; there are 3 classes"):
        octavo.pack_dataset(Rows(feature, [[3]]), tmp_path / "b.h5")
    with pytest.raises(ValueError, match=r"its label \[1, 1, 0\] names a class twice"):
        octavo.pack_dataset(Rows(feature, [[1, 1, 0]]), tmp_path / "b.h5")


def test_answers_of_two_classes_are_multi_labels_already(tmp_path: Path) -> None:
    octavo.pack_dataset(Rows(ListOf(ClassLabel("no", "yes"), 3), [[1, 1, 0]]), tmp_path / "a.h5")
    np.testing.assert_array_equal(octavo.Dataset(tmp_path / "a.h5").split().labels, [[1, 1, 0]])


def test_the_names_are_those_of_the_label_field(tmp_path: Path) -> None:
    rows = Rows(ClassLabel("animal", "plant"), [1, 0], "coarse")
    octavo.pack_dataset(rows, tmp_path / "a.h5", label_key="coarse")
    assert octavo.Dataset(tmp_path / "a.h5").classes == ["animal", "plant"]
