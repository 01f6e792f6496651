"""A mixin for the Trainer of Hugging Face Transformers. Needs Transformers, which `octavo` alone does not import."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._loader_options import split_options
from ._optional import is_installed, missing
from .dataset import Split
from .loader import Loader, check_options
from .store import Store

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
    device are those of the arguments. Training shuffles; evaluation shows each sample once. With several processes, the
    loss of an evaluation is that of one process, and so are metrics. Training can be resumed in the middle of an epoch.
    Datasets that are no splits are left to the Trainer.

    Parameters
    ----------
    loader
        Options of `octavo.Loader`. Those that choose, change or leave out samples, such as `augment`, are for training
        only. `keys` is ``("pixel_values", "labels")`` unless given.

    Raises
    ------
    ValueError, TypeError
        If an option of the loader is invalid.
    """

    def __init__(self, *arguments: Any, loader: Mapping[str, Any] | None = None, **options: Any) -> None:
        self._of_all, self._of_training, self._of_store = split_options(loader or {})
        self._stores: dict[tuple[str, str], Store] = {}
        super().__init__(*arguments, **options)
        self._check(self.train_dataset, {**self._of_all, **self._of_training})
        evaluated = self.eval_dataset
        for split in evaluated.values() if isinstance(evaluated, dict) else [evaluated]:
            self._check(split, self._of_all)

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
        if isinstance(split, str):
            split = self.eval_dataset[split]
        if not isinstance(split, Split):
            return super().get_eval_dataloader(eval_dataset)
        return self._loader_of(split, self.args.eval_batch_size * self.args.world_size, {})

    def get_test_dataloader(self, test_dataset: Any) -> Any:
        """Batches of a split for predictions."""
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
            check_options(split, **{**options, **self._of_store})

    def _loader_of(self, split: Split, batch_size: int, options: Mapping[str, Any]) -> Loader[Any]:
        key = (str(split.dataset.path), split.name)
        if key not in self._stores:
            self._stores[key] = Store(split, device=self.args.device, **self._of_store)
        of_all = {"keys": ("pixel_values", "labels"), **self._of_all, **options}
        return Loader(self._stores[key], batch_size=batch_size, **of_all)
