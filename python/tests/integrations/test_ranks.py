"""Two processes train and score as one does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest

torch = pytest.importorskip("torch")
if not torch.distributed.is_available():
    pytest.skip("this torch has no torch.distributed", allow_module_level=True)

from processes import run_ranks  # noqa: E402

SAMPLES = {"train": 47, "val": 23}  # neither is a multiple of the batch size nor of the number of ranks


def write_numbers(folder: Path) -> Path:
    """A file whose images and labels are their own number."""
    with octavo.Writer(folder / "data.h5", layout="chw", force=True) as writer:
        for split, count in SAMPLES.items():
            for number in range(count):
                writer.append(np.full((1, 4, 4), number * 5, np.uint8), number, split=split)
    return folder / "data.h5"


def loader_of(folder: Path, split: str = "train", **options: Any) -> octavo.Loader:
    options = {"batch_size": 10, "device": "cpu", "normalize": "standard", **options}
    return octavo.Loader(folder / "data.h5", split, **options)


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.Linear(16, 47)

    def forward(self, pixel_values: Any, labels: Any = None) -> dict[str, Any]:
        logits = self.layer(pixel_values.flatten(1))
        return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_numbers(tmp_path)
    return tmp_path


# ---- DistributedDataParallel -----------------------------------------------------------------------------------------


def gradients_of(folder: Path, equal_shares: bool) -> list[Any]:
    """The gradient of each batch, averaged over the ranks."""
    loader = loader_of(folder, shuffle=True, equal_shares=equal_shares)
    torch.distributed.init_process_group("gloo")
    model = torch.nn.parallel.DistributedDataParallel(Net())
    found = []
    for images, labels in loader:
        share = loader.share
        assert len(images) == share.own + share.repeats
        model.zero_grad()
        loss = model(images[: share.own], labels[: share.own])["loss"] * share.loss_scale
        loss.backward()
        found.append(model.module.layer.weight.grad.clone())
    torch.distributed.destroy_process_group()
    return found


@pytest.mark.parametrize("equal_shares", [False, True])
def test_the_average_gradient_is_that_of_one_process(folder: Path, equal_shares: bool) -> None:
    model, expected = Net(), []
    for images, labels in loader_of(folder, shuffle=True):
        model.zero_grad()
        model(images, labels)["loss"].backward()
        expected.append(model.layer.weight.grad.clone())
    for found in run_ranks(gradients_of, folder, equal_shares):
        for own, wanted in zip(found, expected, strict=True):
            torch.testing.assert_close(own, wanted, rtol=1e-5, atol=1e-7)


def test_a_share_is_asked_for_after_a_batch(folder: Path) -> None:
    loader = loader_of(folder, rank=1, world_size=2)
    with pytest.raises(ValueError, match="no batch was yielded yet"):
        _ = loader.share
    sizes = []
    for images, _ in loader:
        sizes.append((len(images), *loader.share))
    assert sizes == [(5, 5, 0, 10, 1.0)] * 4 + [(4, 4, 0, 7, 8 / 7)]


def difference_of_seeds(folder: Path, rank_has_own_seed: bool) -> str:
    """The error of the first batch on this rank, with the other rank ahead; empty if there is none."""
    torch.distributed.init_process_group("gloo")
    rank = torch.distributed.get_rank()
    loader = loader_of(folder, shuffle=True, seed=3 + rank * rank_has_own_seed)
    alone = loader_of(folder, shuffle=True, seed=rank, rank=0, world_size=1)
    assert len(alone[0][0]) == 10  # batches of its own, so seeds may differ
    message = ""
    if rank == 1:
        torch.distributed.barrier()
    try:
        next(iter(loader))
    except ValueError as error:
        message = str(error)
    if rank == 0:
        torch.distributed.barrier()
    torch.distributed.destroy_process_group()
    return message


def test_ranks_with_different_seeds_are_refused(folder: Path) -> None:
    assert run_ranks(difference_of_seeds, folder, False) == ["", ""]
    first, second = run_ranks(difference_of_seeds, folder, True)
    assert first == ""  # it was the only one yet
    assert second.startswith("ranks must serve parts of the same batches, but seed is 4 on rank 1 and 3 on rank 0; ")


def write_part(folder: Path, name: str, count: int) -> None:
    with octavo.Writer(folder / f"{name}.h5", layout="chw", force=True) as writer:
        for number in range(count):
            writer.append(np.full((1, 4, 4), number + count, np.uint8), number)


def errors_of_own_samples(folder: Path) -> list[str]:
    """The errors of rank 1, after rank 0, for a file, a file and a batch size, and a split of its own."""
    torch.distributed.init_process_group("gloo")
    rank = torch.distributed.get_rank()
    part = octavo.Loader(folder / "part.h5", batch_size=10, shuffle=True, device="cpu")
    shared = [loader_of(folder, shuffle=True), part, loader_of(folder, "val")]
    if rank == 0:
        _ = shared[-1][0]  # a look at a batch is not a different order of loaders
    torch.distributed.barrier()
    assert [len(list(loader)) for loader in shared] == [5, 2, 3]
    own_file = octavo.Loader(folder / ("data.h5", "part.h5")[rank], batch_size=8, seed=rank, device="cpu")
    own_split = loader_of(folder, ("train", "val")[rank], batch_size=9)
    own_both = octavo.Loader(folder / ("data.h5", "part.h5")[rank], batch_size=(8, 4)[rank], device="cpu")
    if rank == 1:
        torch.distributed.barrier()
    messages = []
    for loader in (own_file, own_both, own_split):
        try:
            next(iter(loader))
        except ValueError as error:
            messages.append(str(error))
    if rank == 0:
        torch.distributed.barrier()
    torch.distributed.destroy_process_group()
    return messages


def test_ranks_with_different_samples_are_refused(folder: Path) -> None:
    write_part(folder, "part", 20)
    first, second = run_ranks(errors_of_own_samples, folder)
    assert first == []  # it was the only one yet
    own_file, own_both, own_split = second
    assert own_file.startswith("ranks must serve parts of the same batches, but data is '")
    assert "split is 'val' on rank 1 and 'train' on rank 0; pass the same file and arguments on every rank" in own_split
    assert own_both.startswith("ranks must serve parts of the same batches, but data is '")
    assert ", and batch_size is 4 on rank 1 and 8 on rank 0; pass the same file and arguments" in own_both


# ---- Accelerate ------------------------------------------------------------------------------------------------------


def gathered_by_accelerate(folder: Path) -> Any:
    accelerate = pytest.importorskip("accelerate")
    accelerator, found, flags = accelerate.Accelerator(cpu=True), [], []
    loader = loader_of(folder)
    for _, labels in loader:
        found += accelerator.gather_for_metrics(labels).tolist()
        flags.append((len(labels), accelerator.gradient_state.end_of_dataloader))
    with pytest.raises(ValueError, match="batch_size of 9 cannot be shared equally by 2 ranks"):
        next(iter(loader_of(folder, batch_size=9)))
    return found, flags


def test_accelerate_gathers_each_sample_once(folder: Path) -> None:
    pytest.importorskip("accelerate")
    for found, flags in run_ranks(gathered_by_accelerate, folder):
        assert found == list(range(47))
        assert flags == [(5, False)] * 4 + [(4, True)]


# ---- Transformers ----------------------------------------------------------------------------------------------------


def trainer_of(folder: Path, **options: Any) -> Any:
    import octavo.transformers
    import transformers

    transformers.logging.set_verbosity_error()

    class Trainer(octavo.transformers.TrainerMixin, transformers.Trainer):
        pass

    dataset, world_size = octavo.Dataset(folder / "data.h5"), int(options.pop("world_size", 1))
    arguments = transformers.TrainingArguments(
        str(folder / "run"), report_to=[], use_cpu=True, disable_tqdm=True, seed=3,
        per_device_train_batch_size=10 // world_size, per_device_eval_batch_size=10 // world_size,
        **{"save_strategy": "no", **options},
    )  # fmt: skip
    model = Net()
    model.seen = []
    model.register_forward_pre_hook(
        lambda module, positional, named: module.seen.append(named["labels"].tolist()), with_kwargs=True
    )

    def metrics(prediction: Any) -> dict[str, float]:
        return {"sum": float(prediction.label_ids.sum()), "count": len(prediction.predictions)}

    return Trainer(
        model, arguments, train_dataset=dataset["train"], eval_dataset=dataset["val"], compute_metrics=metrics,
        loader={"normalize": "standard"},
    )  # fmt: skip


def scores_of_transformers(folder: Path, world_size: int) -> dict[str, float]:
    trainer = trainer_of(folder, world_size=world_size, num_train_epochs=1)
    before = trainer.evaluate()
    trainer.train()
    stores = dict(trainer._stores)
    trainer.evaluate()
    assert trainer._stores == stores  # each split was loaded once
    return {name: before[f"eval_{name}"] for name in ("loss", "sum", "count")}


def test_the_scores_of_transformers_are_those_of_one_process(folder: Path) -> None:
    pytest.importorskip("transformers")
    [alone] = run_ranks(scores_of_transformers, folder, 1, world_size=1)
    images, labels = loader_of(folder, "val", batch_size=23, normalize="standard")[0]
    expected = Net()(images, labels)["loss"].item()
    assert alone == {"loss": pytest.approx(expected, rel=1e-6), "sum": sum(range(23)), "count": 23}
    for found in run_ranks(scores_of_transformers, folder, 2):
        assert found == {**alone, "loss": pytest.approx(expected, rel=1e-6)}


def test_training_of_transformers_resumes_in_the_middle_of_an_epoch(folder: Path) -> None:
    pytest.importorskip("transformers")
    whole = trainer_of(folder, num_train_epochs=3, save_strategy="steps", save_steps=7)
    whole.train()
    expected = [labels.tolist() for _ in range(3) for _, labels in loader_of(folder, shuffle=True, seed=3)]
    assert len(whole.model.seen) == 15
    assert whole.model.seen[:5] == expected[:5]
    resumed = trainer_of(folder, num_train_epochs=3)
    resumed.train(resume_from_checkpoint=str(folder / "run/checkpoint-7"))
    assert resumed.model.seen == whole.model.seen[7:]


def test_options_of_a_trainer_are_checked(folder: Path) -> None:
    pytest.importorskip("transformers")
    import octavo.transformers
    import transformers

    class Trainer(octavo.transformers.TrainerMixin, transformers.Trainer):
        pass

    arguments = transformers.TrainingArguments(str(folder / "run"), report_to=[], use_cpu=True)
    split = octavo.Dataset(folder / "data.h5")["train"]
    with pytest.raises(TypeError, match="no argument 'shuffel'; did you mean 'shuffle'"):
        Trainer(Net(), arguments, train_dataset=split, loader={"shuffel": True})
    with pytest.raises(ValueError, match="residency"):
        Trainer(Net(), arguments, train_dataset=split, loader={"residency": "gpu"})
    with pytest.raises(TypeError, match=r"loader has 'batch_size', .* per_device_train_batch_size"):
        Trainer(Net(), arguments, train_dataset=split, loader={"batch_size": 4})


@pytest.mark.parametrize("option", [{"mix": octavo.augment.Mix(mixup_alpha=0.2)}, {"label_smoothing": 0.1}])
def test_mixed_labels_need_a_loss(folder: Path, option: dict[str, Any]) -> None:
    transformers = pytest.importorskip("transformers")
    kind = type("Trainer", (octavo.transformers.TrainerMixin, transformers.Trainer), {})
    arguments = transformers.TrainingArguments(str(folder / "run"), report_to=[], use_cpu=True)

    class Configured(Net):
        def __init__(self, problem_type: str | None) -> None:
            super().__init__()
            self.config = transformers.PretrainedConfig(num_labels=4, problem_type=problem_type)

    split = octavo.Dataset(folder / "data.h5")["train"]
    options: dict[str, Any] = {"train_dataset": split, "loader": option}
    with pytest.raises(ValueError, match=f"train with {next(iter(option))}: .* pass compute_loss_func="):
        kind(Configured(None), arguments, **options)
    kind(Configured("multi_label_classification"), arguments, **options)
    kind(Configured(None), arguments, **options, compute_loss_func=lambda *_: None)
    kind(Configured(None), arguments, train_dataset=split)
    own = type("Own", (kind,), {"compute_loss": lambda *_: None})
    own(Configured(None), arguments, **options)


def test_a_trainer_before_the_mixin_is_refused() -> None:
    transformers = pytest.importorskip("transformers")
    with pytest.raises(TypeError, match=r"write class Reversed\(octavo.transformers.TrainerMixin, Trainer\)"):
        type("Reversed", (transformers.Trainer, octavo.transformers.TrainerMixin), {})


def test_datasets_that_only_refer_to_a_split_are_refused(folder: Path) -> None:
    transformers = pytest.importorskip("transformers")
    kind = type("Trainer", (octavo.transformers.TrainerMixin, transformers.Trainer), {})
    arguments = transformers.TrainingArguments(str(folder / "run"), report_to=[], use_cpu=True)
    dataset = octavo.Dataset(folder / "data.h5")
    split = dataset["train"]
    for given, message in (
        (str(folder / "data.h5"), "train_dataset is the path .*; pass a split"),
        (dataset, r"train_dataset is a Dataset; pass one of its splits, such as dataset\['train'\]"),
        (loader_of(folder), "train_dataset is a Loader; pass its split, loader.dataset"),
        (torch.utils.data.Subset(split, [0, 2]), r"train_dataset is a Subset of a split; .* loader={'indices': ...}"),
    ):
        with pytest.raises(TypeError, match=message):
            kind(Net(), arguments, train_dataset=given)
    with pytest.raises(TypeError, match="eval_dataset is a Loader"):
        kind(Net(), arguments, train_dataset=split, eval_dataset={"val": loader_of(folder, "val")})
    with pytest.raises(TypeError, match="eval_dataset is the path"):
        kind(Net(), arguments, train_dataset=split).get_eval_dataloader("other.h5")


def test_a_trainer_evaluates_another_file_as_it_trains(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    kind = type("Trainer", (octavo.transformers.TrainerMixin, transformers.Trainer), {})
    arguments = transformers.TrainingArguments(
        str(tmp_path / "run"), report_to=[], use_cpu=True, per_device_eval_batch_size=2
    )
    splits = {}
    for name, value, classes in (("train", 100, ["cat", "dog"]), ("test", 200, ["cat", "dog"]), ("odd", 200, ["dog"])):
        with octavo.Writer(tmp_path / f"{name}.h5", classes=classes) as writer:
            for _ in range(2):
                writer.append(np.full((4, 4), value, np.uint8), 0, split=name)
        splits[name] = octavo.Dataset(tmp_path / f"{name}.h5")[name]
    trainer = kind(Net(), arguments, train_dataset=splits["train"], eval_dataset=splits["test"])
    assert trainer.get_eval_dataloader()[0]["pixel_values"][0, 0, 0, 0] == (200 - 100) / 128
    message = "class 'dog' is 0 in odd.h5 and 1 in train.h5; pack both into one file, or pass the same classes="
    with pytest.raises(ValueError, match=message):
        kind(Net(), arguments, train_dataset=splits["train"], eval_dataset=splits["odd"])
    with pytest.raises(ValueError, match=message):
        trainer.get_test_dataloader(splits["odd"])


# ---- Lightning -------------------------------------------------------------------------------------------------------


def scores_of_lightning(folder: Path, devices: int, uses_module: bool) -> dict[str, float]:
    import lightning
    from octavo.lightning import DataModule

    class Scorer(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.net = Net()

        def validation_step(self, batch: Any, step: int) -> None:
            images, labels = batch
            values = {"label": labels.double().mean(), "loss": self.net(images, labels)["loss"]}
            self.log_dict(values, sync_dist=True, batch_size=len(labels))

    trainer = lightning.Trainer(
        accelerator="cpu", devices=devices, strategy="ddp" if devices > 1 else "auto", logger=False,
        enable_progress_bar=False, enable_model_summary=False, enable_checkpointing=False,
    )  # fmt: skip
    data: Any = loader_of(folder, "val")
    if uses_module:
        data = DataModule(folder / "data.h5", batch_size=10, normalize="standard", drop_last=True)
    [found] = trainer.validate(Scorer(), data, verbose=False)
    return dict(found)


@pytest.mark.parametrize("uses_module", [False, True])
def test_the_scores_of_lightning_are_those_of_one_process(folder: Path, uses_module: bool) -> None:
    pytest.importorskip("lightning")
    [alone] = run_ranks(scores_of_lightning, folder, 1, uses_module, world_size=1)
    assert alone["label"] == 11
    for found in run_ranks(scores_of_lightning, folder, 2, uses_module):
        assert found == {"label": 11, "loss": pytest.approx(alone["loss"], rel=1e-6)}
