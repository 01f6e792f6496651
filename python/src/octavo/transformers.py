"""A mixin for the Trainer of Hugging Face Transformers. Needs Transformers, which `octavo` alone does not import."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._conversion.class_numbers import REMEDY, class_difference
from ._loading.loader_options import split_options
from ._optional import is_installed, missing
from .dataset import Dataset, Split
from .loader import Loader, check_options
from .store import Store, resolve_normalize

if TYPE_CHECKING:
    _Trainer = Any
else:
    if not is_installed("transformers"):
        raise missing(__name__, "transformers")
    _Trainer = object


class TrainerMixin(_Trainer):  # type: ignore[misc]  # the Trainer of Transformers, which may be missing
    """Makes a ``transformers.Trainer`` train and evaluate on splits of dataset files.

    >>> class Trainer(octavo.transformers.TrainerMixin, transformers.Trainer):
    ...     pass
    >>> dataset = octavo.Dataset("photos.h5")
    >>> trainer = Trainer(
    ...     model, arguments, train_dataset=dataset["train"], eval_dataset=dataset["val"],
    ...     loader={"normalize": "imagenet", "augment": octavo.augment.HorizontalFlip()},
    ... )

    Each split is loaded once, however often it is evaluated. Batch sizes, the seed, ``dataloader_drop_last`` and the
    device are those of the arguments. Training shuffles; evaluation shows each sample once. All splits are normalized
    with the statistics of the split for training, also those of other files, which must have the same class numbers.
    With several processes, the loss of an evaluation is that of one process, and so are metrics. Training can be
    resumed in the middle of an epoch. Of a split with masks and without labels, the masks are the labels, as models for
    segmentation expect them. Datasets that are not splits are left to the Trainer.

    Parameters
    ----------
    loader
        Options of `octavo.Loader`. Those that choose, change or leave out samples, such as `augment`, are for training
        only. `keys` is ``("pixel_values", "labels")`` unless given; with masks that are the labels,
        ``("pixel_values", "labels", None)``, and `mask_dtype` is int64.

    Raises
    ------
    ValueError, TypeError
        If an option of the loader is invalid, ``mix`` or ``label_smoothing`` would change the loss of the model to
        binary cross-entropy, a dataset is a path, a loader or a part of a split, the options of the loader would have
        no effect, because the dataset is not a split, a split has masks and labels and no option says which are the
        labels, or the class numbers of a split for evaluation are not those of training.
    """

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        # A Trainer before the mixin would make its own loaders.
        for base in cls.__mro__[: cls.__mro__.index(TrainerMixin)]:
            if base.__module__.startswith("transformers.") and "get_train_dataloader" in vars(base):
                raise TypeError(
                    f"class {cls.__name__} has the base {base.__name__} before TrainerMixin, so the mixin would have "
                    f"no effect; write class {cls.__name__}(octavo.transformers.TrainerMixin, {base.__name__})"
                )

    def __init__(self, *arguments: Any, loader: Mapping[str, Any] | None = None, **options: Any) -> None:
        _check_options_of_trainer(loader or {})
        self._of_all, self._of_training, self._of_store = split_options(loader or {})
        self._stores: dict[tuple[str, str], Store] = {}
        _check_datasets(options)
        super().__init__(*arguments, **options)
        self._check_loader_has_effect()
        self._normalize_as_in_training()
        self._check(self.train_dataset, {**self._of_all, **self._of_training})
        evaluated = self.eval_dataset
        for split in evaluated.values() if isinstance(evaluated, dict) else [evaluated]:
            self._check(split, self._of_all)
        self._check_loss_of_soft_labels()

    def _check_loader_has_effect(self) -> None:
        """Raises ValueError if `loader` has options for datasets that the Trainer loads itself."""
        evaluated = self.eval_dataset
        given = [self.train_dataset, *(evaluated.values() if isinstance(evaluated, dict) else [evaluated])]
        others = [dataset for dataset in given if dataset is not None and not isinstance(dataset, Split)]
        if not others:
            return
        unused = list(self._of_training) if others[0] is self.train_dataset else []
        if not any(isinstance(dataset, Split) for dataset in given):
            unused = [*self._of_all, *self._of_training, *self._of_store]
        if unused:
            raise ValueError(
                f"train with loader={{{unused[0]!r}: ...}}: it has no effect on a {type(others[0]).__name__}, which "
                "the Trainer loads itself; pack it with octavo.pack_dataset and pass a split, or leave out loader="
            )

    def _check_loss_of_soft_labels(self) -> None:
        """Raises ValueError if Transformers would choose binary cross-entropy, because of the type of mixed labels."""
        used = [name for name in ("mix", "label_smoothing") if self._of_training.get(name)]
        is_of_classes = isinstance(self.train_dataset, Split) and self.train_dataset.label_kind == "class"
        if not used or not is_of_classes or _has_own_loss(self):
            return
        config = getattr(self.model, "config", None)
        if getattr(config, "problem_type", "") is None and getattr(config, "num_labels", 0) > 1:
            raise ValueError(
                f"train with {used[0]}: labels become probabilities, for which a model without problem_type has "
                "binary cross-entropy; pass compute_loss_func= with the cross-entropy, or override compute_loss; for "
                'binary cross-entropy, set model.config.problem_type = "multi_label_classification"'
            )

    def _normalize_as_in_training(self) -> None:
        """Measures the normalization of all splits on the one for training."""
        normalize = resolve_normalize(self._of_all.get("normalize", "default"))
        if normalize.is_measured and normalize.statistics is None and isinstance(self.train_dataset, Split):
            self._of_all["normalize"] = dataclasses.replace(normalize, statistics=self.train_dataset)

    def get_train_dataloader(self) -> Any:
        """Shuffled batches of the split for training."""
        if not isinstance(self.train_dataset, Split):
            return super().get_train_dataloader()
        options = {"shuffle": True, "drop_last": self.args.dataloader_drop_last, "seed": self.args.seed}
        if self.args.data_seed is not None:
            options["seed"] = self.args.data_seed
        size = self._train_batch_size * self.args.world_size
        return self._loader_of(self.train_dataset, size, {**options, **self._of_training})

    def get_eval_dataloader(self, eval_dataset: Any = None) -> Any:
        """Batches of a split for evaluation."""
        split = self.eval_dataset if eval_dataset is None else eval_dataset
        if isinstance(split, str) and isinstance(self.eval_dataset, dict):
            split = self.eval_dataset[split]
        _check_dataset("eval_dataset", split)
        if not isinstance(split, Split):
            return super().get_eval_dataloader(eval_dataset)
        self._check_classes(split)
        return self._loader_of(split, self.args.eval_batch_size * self.args.world_size, {})

    def get_test_dataloader(self, test_dataset: Any) -> Any:
        """Batches of a split for predictions."""
        _check_dataset("test_dataset", test_dataset)
        if not isinstance(test_dataset, Split):
            return super().get_test_dataloader(test_dataset)
        return self.get_eval_dataloader(test_dataset)

    def prediction_step(
        self, model: Any, inputs: Any, prediction_loss_only: bool, ignore_keys: list[str] | None = None
    ) -> tuple[Any, Any, Any]:
        """As in the Trainer, with the mean loss over the samples of all processes, each counted once."""
        loss, logits, labels = super().prediction_step(model, inputs, prediction_loss_only, ignore_keys)
        loader = self.callback_handler.eval_dataloader
        if loss is None or self.args.world_size == 1 or not isinstance(loader, Loader):
            return loss, logits, labels
        from torch import distributed

        share = loader.share
        if share.own > 0 and share.repeats > 0:
            own = {name: part[: share.own] for name, part in inputs.items()}
            loss, _, _ = super().prediction_step(model, own, True, ignore_keys)
        total = loss.double() * share.own
        distributed.all_reduce(total)
        return (total / share.batch).to(loss.dtype), logits, labels

    def _check(self, split: Any, options: Mapping[str, Any]) -> None:
        if isinstance(split, Split):
            self._check_classes(split)
            check_options(split, **{**_of_model(split, options), **self._of_store})

    def _check_classes(self, split: Split) -> None:
        """Raises ValueError if a split for evaluation has other class numbers than that for training."""
        if isinstance(self.train_dataset, Split):
            difference = class_difference(self.train_dataset, split)
            if difference is not None:
                raise ValueError(f"evaluate split {split.name!r}: {difference}; {REMEDY}")

    def _loader_of(self, split: Split, batch_size: int, options: Mapping[str, Any]) -> Loader[Any]:
        key = (str(split.dataset.path), split.name)
        if key not in self._stores:
            self._stores[key] = Store(split, device=self.args.device, **self._of_store)
        of_model = _of_model(split, {**self._of_all, **options})
        return Loader(self._stores[key], batch_size=batch_size, **of_model)


def _has_own_loss(trainer: Any) -> bool:
    """Whether the user decides how the loss is computed."""
    own = type(trainer).compute_loss
    is_of_library = str(getattr(own, "__module__", "")).startswith("transformers.")
    return not is_of_library or getattr(trainer, "compute_loss_func", None) is not None


def _of_model(split: Split, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, and those that name the parts of a batch as models do, and give masks the type of labels."""
    has_masks = split.has_masks and options.get("masks") in (None, True)
    if has_masks and "keys" not in options and split.label_kind != "none":
        raise ValueError(
            f"load split {split.name!r}: it has masks and labels; for segmentation, pass "
            "loader={'keys': ('pixel_values', 'labels', None)}, for classification loader={'masks': False}"
        )
    keys = options.get("keys", ("pixel_values", "labels", None) if has_masks else ("pixel_values", "labels"))
    are_labels = has_masks and keys is not None and tuple(keys)[1:2] == ("labels",)
    return {**({"mask_dtype": "int64"} if are_labels else {}), **options, "keys": keys}


#: Options of a loader that the arguments of a Trainer decide, and which of them.
_OF_ARGUMENTS = {
    "batch_size": "per_device_train_batch_size and per_device_eval_batch_size",
    "seed": "seed and data_seed",
    "device": "use_cpu, or CUDA_VISIBLE_DEVICES",
    "rank": "the launcher",
    "world_size": "the launcher",
}


def _check_options_of_trainer(loader: Mapping[str, Any]) -> None:
    for name, instead in _OF_ARGUMENTS.items():
        if name in loader:
            raise TypeError(f"loader has {name!r}, which the Trainer decides; use its arguments: {instead}")


def _check_datasets(options: Mapping[str, Any]) -> None:
    _check_dataset("train_dataset", options.get("train_dataset"))
    evaluated = options.get("eval_dataset")
    for dataset in evaluated.values() if isinstance(evaluated, dict) else [evaluated]:
        _check_dataset("eval_dataset", dataset)


def _check_dataset(argument: str, given: Any) -> None:
    """Raises TypeError if `given` refers to a split in a way that a Trainer does not understand."""
    if isinstance(given, (str, os.PathLike)):
        raise TypeError(f"{argument} is the path {str(given)!r}; pass a split, octavo.Dataset({str(given)!r})[...]")
    if isinstance(given, Dataset):
        raise TypeError(f"{argument} is a Dataset; pass one of its splits, such as dataset[{given.split_names[0]!r}]")
    if isinstance(given, Loader):
        raise TypeError(f"{argument} is a Loader; pass its split, loader.dataset, and its options as loader={{...}}")
    if isinstance(getattr(given, "dataset", None), Split) and hasattr(given, "indices"):
        remedy = "its indices as loader={'indices': ...}" if argument == "train_dataset" else "pack it as its own split"
        joint = ", and" if argument == "train_dataset" else "; or"
        raise TypeError(f"{argument} is a {type(given).__name__} of a split; pass the split{joint} {remedy}")
