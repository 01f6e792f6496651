"""A LightningDataModule over a dataset file. Needs Lightning, which `octavo` alone does not import."""

from __future__ import annotations

import dataclasses
import importlib
import os
from typing import Any

from .dataset import Dataset
from .loader import Loader
from .store import resolve_normalize

# Both are the same framework: `lightning` is its new name.
try:
    _lightning = importlib.import_module("lightning.pytorch")
except ImportError:
    _lightning = importlib.import_module("pytorch_lightning")
_DataModule: Any = _lightning.LightningDataModule


class DataModule(_DataModule):  # type: ignore[misc]  # Lightning may be missing when types are checked
    """The splits of a dataset file as loaders for a Lightning trainer.

    >>> data = octavo.lightning.DataModule("photos.h5", batch_size=512, augment=octavo.augment.HorizontalFlip())
    >>> trainer.fit(model, data)

    Each process makes its loaders when the trainer asks for them, so ranks and devices are known. Training shuffles and
    augments; evaluation does neither. All take the statistics of the normalization from the training split. Lightning
    saves the position of the training loader in its checkpoints.

    Parameters
    ----------
    path
        The dataset file.
    batch_size
        Samples per training batch, of all ranks together.
    eval_batch_size
        Samples per batch of evaluation; None: `batch_size`.
    train, val, test
        Names of the splits. None: ``val`` and ``test``, if the file has them; otherwise there is no such loader.
    shuffle
        The order of training, as in `Loader`.
    augment, mix, label_smoothing, views
        Of training, as in `Loader`.
    options
        Others of `Loader`, for all splits, such as ``normalize``, ``dtype`` or ``seed``. ``device`` is that of the
        trainer, unless given.

    Attributes
    ----------
    classes : list of str
        Class names in label order; empty if unknown.
    shape : tuple of int
        (C, H, W) of a sample in the file.

    Raises
    ------
    ValueError
        If the file lacks a split that is named, or an option is invalid.
    FormatError, OSError
        See `Dataset`.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        batch_size: int = 256,
        eval_batch_size: int | None = None,
        train: str = "train",
        val: str | None = None,
        test: str | None = None,
        shuffle: bool | str = True,
        augment: Any = (),
        mix: Any = None,
        label_smoothing: float = 0.0,
        views: int = 1,
        **options: Any,
    ) -> None:
        super().__init__()
        dataset = Dataset(path)
        training = dataset.split(train)
        self.classes, self.shape = dataset.classes, training.shape
        self._path, self._splits = path, {"train": train}
        for role, name in (("val", val), ("test", test)):
            if name is not None or role in dataset.split_names:
                self._splits[role] = dataset.split(name or role).name
        self._batch_size = batch_size
        self._eval_batch_size = batch_size if eval_batch_size is None else eval_batch_size
        self._of_training = {
            "shuffle": shuffle, "augment": augment, "mix": mix, "label_smoothing": label_smoothing, "views": views,
        }  # fmt: skip
        normalize = resolve_normalize(options.pop("normalize", "default"))
        if normalize.is_measured and normalize.statistics is None:
            normalize = dataclasses.replace(normalize, statistics=training)
        self._options = {"normalize": normalize, **options}

    def _loader(self, role: str, batch_size: int, **options: Any) -> Loader[Any]:
        chosen = {**self._options, **options}
        if "device" not in chosen:
            chosen["device"] = self.trainer.strategy.root_device
        return Loader(self._path, self._splits[role], batch_size=batch_size, **chosen)

    def train_dataloader(self) -> Loader[Any]:
        """Shuffled and augmented batches of the training split."""
        return self._loader("train", self._batch_size, **self._of_training)

    def _evaluation(self, role: str) -> Loader[Any] | list[Any]:
        return self._loader(role, self._eval_batch_size) if role in self._splits else []

    def val_dataloader(self) -> Loader[Any] | list[Any]:
        """The split for validation in file order; an empty list if there is none."""
        return self._evaluation("val")

    def test_dataloader(self) -> Loader[Any] | list[Any]:
        """The split for tests in file order; an empty list if there is none."""
        return self._evaluation("test")

    predict_dataloader = test_dataloader
