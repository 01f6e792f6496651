"""A LightningDataModule over a dataset file. Needs Lightning, which `octavo` alone does not import."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Sequence
from typing import Any

from ._loading import frameworks as _frameworks
from ._loading.loader_options import split_options
from ._optional import import_framework
from ._remote.byte_source import Location
from .dataset import Dataset
from .loader import Loader, check_options
from .store import Store, resolve_normalize

# Both are the same framework: `lightning` is its new name.
_lightning = import_framework(__name__, "lightning.pytorch", "pytorch_lightning", package="lightning")
_DataModule: Any = _lightning.LightningDataModule
_Callback: Any = _lightning.Callback


class DataModule(_DataModule):  # type: ignore[misc]  # Lightning may be missing when types are checked
    """The splits of a dataset file as loaders for a Lightning trainer.

    >>> data = octavo.lightning.DataModule("photos.h5", batch_size=512, augment=octavo.augment.HorizontalFlip())
    >>> trainer.fit(model, data)

    Each process makes its loaders when the trainer asks for them, so ranks and devices are known. Training shuffles and
    augments; evaluation shows each sample of its split once, in file order. All take the statistics of the
    normalization from the training split. Lightning saves the place of training in its checkpoints, and resumes there.
    With ``Trainer(overfit_batches=...)`` training is not shuffled, so every epoch has the same batches.

    Each split is loaded once, also if its loaders are made again. Without a trainer, loaders are on ``device="auto"``.

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
    options
        Others of `Loader`. Those that choose, change or leave out samples are for training only: `augment`,
        `augment_seed`, `mix`, `label_smoothing`, `views`, `drop_last`, `carry_over`, `indices`, `weights`, `balance`,
        `samples_per_epoch`, `repeats` and `replacement`. The rest, such as `normalize`, `dtype` or `seed`, are for all
        splits. `device` is that of the trainer, unless given.

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
    TypeError
        If a loader has no such option.
    FormatError, OSError
        See `Dataset`.
    """

    def __init__(
        self,
        path: Location,
        *,
        batch_size: int = 256,
        eval_batch_size: int | None = None,
        train: str = "train",
        val: str | None = None,
        test: str | None = None,
        shuffle: bool | str = True,
        **options: Any,
    ) -> None:
        super().__init__()
        shared, of_training, self._of_store = split_options(options)
        dataset = Dataset(path)
        training = dataset.split(train)
        self.classes, self.shape = dataset.classes, training.shape
        self._splits = {"train": training}
        for role, name in (("val", val), ("test", test)):
            if name is not None or role in dataset.split_names:
                self._splits[role] = dataset.split(name or role)
        evaluation_size = batch_size if eval_batch_size is None else eval_batch_size
        normalize = resolve_normalize(shared.get("normalize", "default"))
        if normalize.is_measured and normalize.statistics is None:
            normalize = dataclasses.replace(normalize, statistics=training)
        shared["normalize"] = normalize
        self._device = shared.pop("device", None)
        self._options = {role: {**shared, "batch_size": evaluation_size} for role in self._splits}
        self._options["train"] = {**shared, **of_training, "batch_size": batch_size, "shuffle": shuffle}
        for role, split in self._splits.items():
            check_options(split, **self._options[role], **self._of_store)
        self._stores: dict[str, Store] = {}
        self._training: _TrainingLoader | None = None
        self._restored: dict[str, Any] | None = None

    def train_dataloader(self) -> Loader[Any]:
        """Shuffled and augmented batches of the training split."""
        trainer = self.trainer
        options = {"shuffle": False} if trainer is not None and trainer.overfit_batches > 0 else {}
        loader = _TrainingLoader(self._store("train"), **{**self._options["train"], **options})
        state = self._restored
        before = self._training
        if state is None and before is not None and before.belongs_to(trainer) and trainer.current_epoch > 0:
            state = before.state_dict()  # reload_dataloaders_every_n_epochs
        if state is not None:
            loader.load_state_dict(state)
        loader.set_trainer(trainer)
        self._training, self._restored = loader, None
        return loader

    def val_dataloader(self) -> Loader[Any] | list[Any]:
        """The split for validation in file order; an empty list if there is none and it is not required."""
        return self._evaluation("val")

    def test_dataloader(self) -> Loader[Any] | list[Any]:
        """The split for tests in file order; an empty list if there is none and it is not required."""
        return self._evaluation("test")

    predict_dataloader = test_dataloader

    def state_dict(self) -> dict[str, Any]:
        """The place of training, which Lightning saves in a checkpoint."""
        return {} if self._training is None else {"train": self._training.state_dict()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores a place of training: the next training loader continues there."""
        self._restored = state_dict.get("train")

    def _evaluation(self, role: str) -> Loader[Any] | list[Any]:
        if role in self._splits:
            return Loader(self._store(role), **self._options[role])
        function = None if self.trainer is None else self.trainer.state.fn
        if function is not None and _EVALUATIONS.get(function.value) == role:
            dataset = self._splits["train"].dataset
            raise ValueError(
                f"trainer.{function.value}() needs the split {role!r}, which {dataset._file_name} lacks; pass "
                f"{role}= to DataModule, one of {', '.join(dataset.split_names)}"
            )
        return []

    def _store(self, role: str) -> Store:
        device = self._device
        if device is None:
            device = "auto" if self.trainer is None else self.trainer.strategy.root_device
        name = _frameworks.resolve_device(device)
        store = self._stores.get(role)
        if store is None or store.device != name:
            with_masks = self._options[role].get("masks") is not False
            store = Store(self._splits[role], device=name, masks=with_masks, **self._of_store)
            self._stores[role] = store
        return store


#: The split that a function of the trainer needs.
_EVALUATIONS = {"validate": "val", "test": "test", "predict": "test"}


class _TrainingLoader(Loader[Any]):
    """A loader that knows from its trainer whether an epoch is over."""

    _knows_its_trainer = True
    _trainer: weakref.ref[Any] | None = None

    def set_trainer(self, trainer: Any) -> None:
        self._trainer = None if trainer is None else weakref.ref(trainer)

    def belongs_to(self, trainer: Any) -> bool:
        return self._trainer is not None and trainer is not None and self._trainer() is trainer

    def state_dict(self) -> dict[str, Any]:
        return _state_of(self, None if self._trainer is None else self._trainer())

    def _hand_out(self, iteration: int, epoch: int, step: int) -> None:
        super()._hand_out(iteration, epoch, step)
        trainer = None if self._trainer is None else self._trainer()
        if trainer is not None:
            _set_batches(trainer, self, epoch)


def _set_batches(trainer: Any, loader: Loader[Any], epoch: int) -> None:
    """Tells a trainer the number of batches of an epoch, which it asks for once.

    After an epoch that is shorter, it would neither validate nor step the schedulers of learning rates.
    """
    is_whole = trainer.limit_train_batches == 1.0 and not trainer.overfit_batches
    if not loader.carry_over or not is_whole:
        return
    count = loader._batches.count(epoch)
    trainer.fit_loop.max_batches = count
    if isinstance(trainer.val_check_interval, float) and trainer.val_check_batch is not None:
        trainer.val_check_batch = max(1, int(count * trainer.val_check_interval))


def _state_of(loader: Loader[Any], trainer: Any) -> dict[str, Any]:
    """The state of a loader; after the last batch of an epoch of the trainer, that of the loader's next epoch."""
    place = loader._position.place
    if trainer is None or not trainer.is_last_batch or not place.is_begun:
        return Loader.state_dict(loader)
    state = loader._batches.state(place.epoch + 1, 0)
    return {**state, "epoch_offset": place.offset} if place.offset else state


class LoaderCallback(_Callback):  # type: ignore[misc]
    """Keeps a trainer and the loaders that are passed to it consistent. A `DataModule` needs no callback.

    >>> loader = octavo.Loader("photos.h5", batch_size=512, shuffle=True, carry_over=True)
    >>> trainer = lightning.Trainer(callbacks=[octavo.lightning.LoaderCallback(loader)])
    >>> trainer.fit(model, loader, ckpt_path="last.ckpt")

    It saves the places of loaders in checkpoints and restores them. Lightning does so by itself, but not if the module
    asks for ``trainer.estimated_stepping_batches`` (Lightning #20550), and not between epochs, where it only counts,
    which does not fit loaders that are cycled. An epoch that ``max_steps`` cut short is complete for a trainer without
    ``max_steps``, so its rest would be skipped. If the first loader has `carry_over`, the callback also tells the
    trainer the number of batches of each epoch; without it, epochs that are one batch shorter are not validated.

    Parameters
    ----------
    loaders
        A loader, or several in an order that stays the same.
    """

    def __init__(self, loaders: Loader[Any] | Sequence[Loader[Any]]) -> None:
        self._loaders = [loaders] if isinstance(loaders, Loader) else list(loaders)
        for loader in self._loaders:
            loader._knows_its_trainer = True
        self._trainer: Any = None
        self._restored: list[dict[str, Any]] = []

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Remembers the trainer, which knows whether an epoch is over."""
        self._trainer = weakref.ref(trainer)

    def state_dict(self) -> dict[str, Any]:
        """The places of the loaders."""
        trainer = None if self._trainer is None else self._trainer()
        return {"loaders": [_state_of(loader, trainer) for loader in self._loaders]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Keeps places until training starts."""
        states = state_dict["loaders"]
        if len(states) != len(self._loaders):
            raise ValueError(f"the checkpoint has places of {len(states)} loaders; there are {len(self._loaders)}")
        self._restored = states

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Tells the trainer the number of batches of the epoch."""
        place = self._loaders[0]._position.place
        _set_batches(trainer, self._loaders[0], place.epoch + place.is_begun)

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Restores the places."""
        for loader, state in zip(self._loaders, self._restored, strict=False):
            loader.load_state_dict(state)
        self._restored = []
