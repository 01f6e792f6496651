"""Training frameworks over a loader: what they see is what the loader alone would serve."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from conftest import Packed, write_packed

torch = pytest.importorskip("torch")

OPTIONS: dict[str, Any] = {"device": "cpu", "batch_size": 10, "shuffle": True, "seed": 3, "normalize": "unit"}


def epochs(path: Path, count: int, **options: Any) -> list[list[float]]:
    """The mean of each batch of each epoch: distinct, and quick to compare."""
    loader = octavo.Loader(path, **{**OPTIONS, **options})
    return [[images.double().mean().item() for images, _ in loader] for _ in range(count)]


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.Linear(3 * 8 * 6, 10)

    def forward(self, images: Any) -> Any:
        return self.layer(images.flatten(1))


# ---- Lightning -------------------------------------------------------------------------------------------------------


def lightning_parts(**options: Any) -> tuple[Any, Any]:
    """A module that records the batches it sees, and a trainer."""
    lightning = pytest.importorskip("lightning")

    class Recorder(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.model, self.seen = Model(), []

        def training_step(self, batch: Any, step: int) -> Any:
            images, labels = batch
            self.seen.append(images.double().mean().item())
            return torch.nn.functional.cross_entropy(self.model(images), labels)

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.01)

    trainer = lightning.Trainer(
        accelerator="cpu", devices=1, logger=False, enable_progress_bar=False, enable_model_summary=False, **options
    )
    return Recorder(), trainer


def test_lightning_sees_whole_epochs(packed: Packed) -> None:
    module, trainer = lightning_parts(max_epochs=3, enable_checkpointing=False)
    trainer.fit(module, octavo.Loader(packed.path, **OPTIONS))
    assert module.seen == list(chain(*epochs(packed.path, 3)))


def test_lightning_with_limited_batches_sees_new_epochs(packed: Packed) -> None:
    module, trainer = lightning_parts(max_epochs=3, limit_train_batches=3, enable_checkpointing=False)
    trainer.fit(module, octavo.Loader(packed.path, **OPTIONS))
    assert len(set(module.seen)) == 9
    assert {round(mean, 12) for mean in module.seen} <= {
        round(mean, 12) for epoch in epochs(packed.path, 10) for mean in epoch[:3]
    }


def test_lightning_resumes_in_the_middle_of_an_epoch(packed: Packed, tmp_path: Path) -> None:
    callbacks = pytest.importorskip("lightning.pytorch.callbacks")
    saving = callbacks.ModelCheckpoint(dirpath=tmp_path, filename="{step}", every_n_train_steps=1, save_top_k=-1)
    module, trainer = lightning_parts(max_epochs=3, callbacks=[saving])
    trainer.fit(module, octavo.Loader(packed.path, **OPTIONS))
    for step in (3, 5, 8):
        resumed, trainer = lightning_parts(max_epochs=3, enable_checkpointing=False)
        checkpoint = next(tmp_path.glob(f"step={step}*.ckpt"))
        trainer.fit(resumed, octavo.Loader(packed.path, **OPTIONS), ckpt_path=checkpoint, weights_only=False)
        assert resumed.seen == module.seen[step:], step


def test_a_data_module_serves_all_splits(tmp_path: Path) -> None:
    pytest.importorskip("lightning")
    from octavo.lightning import DataModule

    noise = torch.Generator().manual_seed(0)
    with octavo.Writer(tmp_path / "out.h5") as writer:
        for number in range(70):
            image = torch.randint(0, 256, (3, 8, 6), generator=noise, dtype=torch.uint8)
            writer.append(image, number % 10, split="train" if number < 40 else "val" if number < 60 else "test")
    path = tmp_path / "out.h5"
    data = DataModule(path, batch_size=10, eval_batch_size=20, seed=3, normalize="unit", device="cpu")
    module, trainer = lightning_parts(max_epochs=2, enable_checkpointing=False)
    seen: list[tuple[str, int, float]] = []

    class Evaluator(type(module)):
        def validation_step(self, batch: Any, step: int) -> None:
            seen.append(("val", len(batch[0]), batch[0].double().mean().item()))

        def test_step(self, batch: Any, step: int) -> None:
            seen.append(("test", len(batch[0]), batch[0].double().mean().item()))

    module = Evaluator()
    trainer.fit(module, data)
    assert module.seen == list(chain(*epochs(path, 2)))
    expected = octavo.Loader(path, "val", batch_size=20, normalize="unit", device="cpu")
    mean = next(iter(expected))[0].double().mean().item()
    assert ("val", 20, mean) in seen
    trainer.test(module, data, verbose=False)
    assert [(split, size) for split, size, _ in seen if split == "test"] == [("test", 10)]
    with pytest.raises(ValueError, match="training"):
        DataModule(path, train="training")
    with pytest.raises(ValueError, match="valid"):
        DataModule(path, val="valid")


def test_lightning_resumes_between_epochs(packed: Packed, tmp_path: Path) -> None:
    expected = list(chain(*epochs(packed.path, 3)))
    module, trainer = lightning_parts(max_epochs=2, enable_checkpointing=False)
    trainer.fit(module, octavo.Loader(packed.path, **OPTIONS))
    trainer.save_checkpoint(tmp_path / "last.ckpt")
    again, trainer = lightning_parts(max_epochs=3, enable_checkpointing=False)
    trainer.fit(again, octavo.Loader(packed.path, **OPTIONS), ckpt_path=str(tmp_path / "last.ckpt"), weights_only=False)
    assert module.seen + again.seen == expected


def test_a_data_module_normalizes_with_the_statistics_of_training(tmp_path: Path) -> None:
    pytest.importorskip("lightning")
    from octavo.lightning import DataModule

    with octavo.Writer(tmp_path / "folds.h5") as writer:
        for split, value in (("train", 0), ("fold", 100), ("rest", 200)):
            for row in range(6):
                writer.append(np.full((4, 4), value + row, np.uint8), row, split=split)
    data = DataModule(
        tmp_path / "folds.h5", train="fold", val="rest", shuffle="windows:2", batch_size=2, eval_batch_size=6,
        device="cpu",
    )  # fmt: skip
    train, val = data.train_dataloader(), data.val_dataloader()
    assert (train.shuffle, val.shuffle, len(train), len(val)) == ("windows:2", False, 3, 1)
    assert val[0][0][0, 0, 0, 0] == (200 - 102.5) / 128
    assert data.test_dataloader() == []
    module, trainer = lightning_parts(max_epochs=1, enable_checkpointing=False)
    module.test_step = module.predict_step = module.training_step
    for run in (trainer.test, trainer.predict):
        with pytest.raises(ValueError, match=r"\(\) needs the split 'test', which folds.h5 lacks; pass test= to Data"):
            run(module, data)


# ---- Hugging Face ----------------------------------------------------------------------------------------------------


def test_accelerate_keeps_batches_and_saves_the_place(packed: Packed, tmp_path: Path) -> None:
    accelerate = pytest.importorskip("accelerate")
    accelerator = accelerate.Accelerator(cpu=True)
    loader, model = octavo.Loader(packed.path, **OPTIONS), Model()
    model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.01))
    accelerator.register_for_checkpointing(loader)
    expected, seen = epochs(packed.path, 2), []
    for step, (images, labels) in enumerate(loader):
        seen.append(images.double().mean().item())
        accelerator.backward(torch.nn.functional.cross_entropy(model(images), labels))
        optimizer.step()
        if step == 2:
            accelerator.save_state(str(tmp_path))
    assert seen == expected[0]
    accelerator.load_state(str(tmp_path))
    assert [images.double().mean().item() for images, _ in loader] == expected[0][3:]
    assert [images.double().mean().item() for images, _ in loader] == expected[1]


def test_the_trainer_of_transformers_trains(packed: Packed, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    seen = []

    class Classifier(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = Model()

        def forward(self, pixel_values: Any, labels: Any) -> dict[str, Any]:
            seen.append(pixel_values.double().mean().item())
            logits = self.model(pixel_values)
            return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}

    class Trainer(transformers.Trainer):
        def get_train_dataloader(self) -> octavo.Loader:
            return octavo.Loader(packed.path, **OPTIONS, keys=("pixel_values", "labels"))

    arguments = transformers.TrainingArguments(
        output_dir=str(tmp_path), num_train_epochs=3, report_to=[], save_strategy="no", use_cpu=True, disable_tqdm=True
    )
    Trainer(Classifier(), arguments).train()
    assert seen == list(chain(*epochs(packed.path, 3)))


def test_keys_name_the_parts_of_a_batch(packed: Packed) -> None:
    batch = octavo.Loader(packed.path, **OPTIONS, keys=["image", "label"])[0]
    images, labels = octavo.Loader(packed.path, **OPTIONS)[0]
    assert list(batch) == ["image", "label"]
    assert torch.equal(batch["image"], images)
    assert torch.equal(batch["label"], labels)
    for keys in ("ab", ["image"], ["a", "a"], ["a", "b", "c"]):
        with pytest.raises(ValueError, match="2 different names, for images, labels"):
            octavo.Loader(packed.path, **OPTIONS, keys=keys)


# ---- DistributedDataParallel -----------------------------------------------------------------------------------------


def train_rank(rank: int, world_size: int, path: Path, folder: Path) -> None:
    """Trains a model with gradients averaged over the ranks, and saves its weights."""
    torch.set_num_threads(1)
    distributed = torch.distributed
    loader = octavo.Loader(path, **{**OPTIONS, "batch_size": 12})  # made before the ranks are known
    distributed.init_process_group("gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=world_size)
    model = torch.nn.parallel.DistributedDataParallel(Model())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    sizes = []
    for _ in range(2):
        for images, labels in loader:
            sizes.append(len(images))
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()
    torch.save((model.module.state_dict(), sizes), folder / f"{rank}.pt")
    distributed.destroy_process_group()


def whole_batches(path: Path) -> Iterator[tuple[Any, Any]]:
    loader = octavo.Loader(path, **{**OPTIONS, "batch_size": 12})
    for _ in range(2):
        yield from loader


def test_ranks_train_the_model_of_one_process(tmp_path: Path) -> None:
    if not torch.distributed.is_available():
        pytest.skip("this torch has no torch.distributed")
    packed = write_packed(tmp_path / "data.h5", 44, (3, 8, 6))  # the last batch has 8 samples, 4 for each rank
    torch.multiprocessing.spawn(train_rank, (2, packed.path, tmp_path), nprocs=2)
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for images, labels in whole_batches(packed.path):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
    for rank in range(2):
        weights, sizes = torch.load(tmp_path / f"{rank}.pt")
        assert sizes == [6, 6, 6, 4] * 2
        for name, value in model.state_dict().items():
            torch.testing.assert_close(weights[name], value, rtol=1e-5, atol=1e-6)
