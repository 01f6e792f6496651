"""The Trainer of Transformers: masks as labels, and datasets that are not splits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("accelerate")


def trainer_kind() -> Any:
    return type("Trainer", (octavo.transformers.TrainerMixin, transformers.Trainer), {})


def arguments_of(folder: Path) -> Any:
    return transformers.TrainingArguments(
        str(folder / "run"), report_to=[], use_cpu=True, disable_tqdm=True, num_train_epochs=1, save_strategy="no"
    )


class Pixels(torch.nn.Module):
    """Classifies each pixel, and keeps the labels. A further input would be an error."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.seen = torch.nn.Conv2d(1, 2, 1), []

    def forward(self, pixel_values: Any, labels: Any = None) -> dict[str, Any]:
        self.seen.append(labels)
        logits = self.layer(pixel_values)
        return {"loss": torch.nn.functional.cross_entropy(logits, labels, ignore_index=255), "logits": logits}


def write_masks(path: Path, has_labels: bool = False) -> octavo.Split:
    with octavo.Writer(path) as writer:
        for number in range(4):
            mask = np.full((4, 4), number % 2, np.uint8)
            writer.append(np.full((4, 4), 60 * number, np.uint8), number if has_labels else None, mask=mask)
    return octavo.Dataset(path)["train"]


def test_masks_without_labels_are_the_labels(tmp_path: Path) -> None:
    split, model = write_masks(tmp_path / "a.h5"), Pixels()
    trainer = trainer_kind()(model, arguments_of(tmp_path), train_dataset=split, eval_dataset=split)
    trainer.train()
    model.seen.clear()
    trainer.evaluate()
    [labels] = model.seen
    assert labels.dtype == torch.int64
    assert labels[:, 0, 0].tolist() == [0, 1, 0, 1]
    assert labels.shape == (4, 4, 4)


def test_a_split_with_masks_and_labels_needs_a_choice(tmp_path: Path) -> None:
    split = write_masks(tmp_path / "a.h5", has_labels=True)
    options: dict[str, Any] = {"train_dataset": split}
    with pytest.raises(ValueError, match=r"split 'train': it has masks and labels; for segmentation, .*'masks': False"):
        trainer_kind()(Pixels(), arguments_of(tmp_path), **options)
    chosen = {"keys": ("pixel_values", "labels", None)}
    trainer = trainer_kind()(Pixels(), arguments_of(tmp_path), **options, loader=chosen)
    batch = next(iter(trainer.get_train_dataloader()))
    assert (batch["labels"].shape, batch["labels"].dtype) == ((4, 4, 4), torch.int64)
    trainer = trainer_kind()(Pixels(), arguments_of(tmp_path), **options, loader={"masks": False})
    assert sorted(next(iter(trainer.get_train_dataloader()))["labels"].tolist()) == [0, 1, 2, 3]


def test_options_that_a_dataset_of_another_kind_would_ignore_are_refused(tmp_path: Path) -> None:
    split = write_masks(tmp_path / "a.h5")
    other = [{"pixel_values": np.zeros((1, 4, 4), np.float32), "labels": np.zeros((4, 4), np.int64)}] * 4
    build, model, arguments = trainer_kind(), Pixels(), arguments_of(tmp_path)
    with pytest.raises(ValueError, match=r"loader=\{'normalize': ...\}: it has no effect on a list, .*pack_dataset"):
        build(model, arguments, train_dataset=other, eval_dataset={"a": other}, loader={"normalize": "unit"})
    flip = {"normalize": "unit", "augment": octavo.augment.HorizontalFlip()}
    with pytest.raises(ValueError, match=r"loader=\{'augment': ...\}: it has no effect on a list"):
        build(model, arguments, train_dataset=other, eval_dataset=split, loader=flip)
    build(model, arguments, train_dataset=split, eval_dataset=other, loader=flip)
    build(model, arguments, train_dataset=other, eval_dataset=split, loader={"normalize": "unit"})
    build(model, arguments, loader=flip)
    build(model, arguments, train_dataset=other).train()


def test_a_trainer_without_the_mixin_is_refused(tmp_path: Path) -> None:
    split = write_masks(tmp_path / "a.h5")
    subset = torch.utils.data.Subset(split, [0, 1])
    loader = octavo.Loader(split, device="cpu")
    for given in (split, subset, loader):
        trainer = transformers.Trainer(Pixels(), arguments_of(tmp_path), train_dataset=given)
        with pytest.raises(TypeError, match=r"use class Trainer\(octavo.transformers.TrainerMixin, transformers.Train"):
            trainer.train()


def test_a_trainer_with_its_own_collator_may_read_a_split(tmp_path: Path) -> None:
    def collated(items: Any) -> dict[str, Any]:
        images, masks = zip(*items, strict=True)
        return {
            "pixel_values": torch.from_numpy(np.stack(images)).float(),
            "labels": torch.from_numpy(np.stack(masks)).long(),
        }

    model = Pixels()
    split = write_masks(tmp_path / "a.h5")
    transformers.Trainer(model, arguments_of(tmp_path), train_dataset=split, data_collator=collated).train()
    assert len(model.seen) == 1
