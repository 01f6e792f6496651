"""What the tests of Lightning state about loaders and trainers, of `octavo.Loader` and `octavo.lightning`."""

from __future__ import annotations

import logging
import warnings
from pathlib import Path
from typing import Any

import octavo
import pytest
from numbered import COUNT, OPTIONS, epochs_of, flat, numbers_in, write_numbers

torch = pytest.importorskip("torch")
lightning = pytest.importorskip("lightning")

import octavo.lightning  # noqa: E402
from lightning.pytorch.callbacks import ModelCheckpoint  # noqa: E402
from lightning.pytorch.utilities.combined_loader import CombinedLoader  # noqa: E402

BATCHES = 5
VAL, TEST = 23, 12  # samples: three batches and two
pytestmark = pytest.mark.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lightning")
    return write_numbers(folder / "numbers.h5", train=COUNT, val=VAL, test=TEST)


def new_loader(path: Path, split: str = "train", **options: Any) -> octavo.Loader:
    return octavo.Loader(path, split, **{**OPTIONS, "shuffle": split == "train", **options})


def numbers_of(item: Any) -> Any:
    """The numbers of a batch, or of each batch of a combination."""
    if item is None:
        return None
    if isinstance(item, dict):
        return {name: numbers_of(part) for name, part in item.items()}
    if isinstance(item[0], torch.Tensor):
        return numbers_in(item)
    return [numbers_of(part) for part in item]


class Recorder(lightning.LightningModule):
    """Notes the samples of each batch of each stage."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.train_seen: list[Any] = []
        self.epochs: list[list[Any]] = []
        self.validations: list[list[Any]] = []
        self.test_seen: list[Any] = []
        self.predicted: list[Any] = []

    def on_train_epoch_start(self) -> None:
        self.epochs.append([])

    def training_step(self, batch: Any, step: int) -> Any:
        self.train_seen.append(numbers_of(batch))
        if not self.epochs:  # resumed in the middle of an epoch, which has begun then
            self.epochs.append([])
        self.epochs[-1].append(self.train_seen[-1])
        return self.weight.sum()

    def on_validation_epoch_start(self) -> None:
        self.validations.append([])

    def validation_step(self, batch: Any, step: int, dataloader_idx: int = 0) -> None:
        self.validations[-1].append((dataloader_idx, step, numbers_of(batch)))

    def test_step(self, batch: Any, step: int, dataloader_idx: int = 0) -> None:
        self.test_seen.append((dataloader_idx, step, numbers_of(batch)))

    def predict_step(self, batch: Any, step: int, dataloader_idx: int = 0) -> Any:
        return numbers_of(batch)

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), lr=0.0)


def new_trainer(**options: Any) -> Any:
    return lightning.Trainer(**{
        "accelerator": "cpu", "devices": 1, "logger": False, "enable_progress_bar": False, "max_epochs": 1,
        "enable_model_summary": False, "enable_checkpointing": False, "num_sanity_val_steps": 0, **options,
    })  # fmt: skip


def fit(train: Any, val: Any = None, ckpt_path: Path | None = None, **options: Any) -> tuple[Recorder, Any]:
    module, trainer = Recorder(), new_trainer(**options)
    arguments = {"datamodule": train} if isinstance(train, lightning.LightningDataModule) else {
        "train_dataloaders": train, "val_dataloaders": val
    }  # fmt: skip
    trainer.fit(module, **arguments, ckpt_path=ckpt_path, weights_only=None if ckpt_path is None else False)
    return module, trainer


def saving_every_step(folder: Path) -> dict[str, Any]:
    """Options of a trainer that saves a checkpoint after each step."""
    saving = ModelCheckpoint(dirpath=folder, filename="{step}", every_n_train_steps=1, save_top_k=-1)
    return {"callbacks": [saving], "enable_checkpointing": True}


def saved_at(folder: Path, step: int) -> Path:
    return folder / f"step={step}.ckpt"


def new_data(path: Path, **options: Any) -> Any:
    return octavo.lightning.DataModule(path, **{**OPTIONS, **options})


# ---- Limits of batches -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("limit", "count"), [(1, 1), (3, 3), (9, 5), (0.2, 1), (0.5, 2), (0.99, 4), (1.0, 5)])
@pytest.mark.parametrize("kind", ["loader", "module"])
def test_training_is_limited_to_a_number_or_a_share_of_batches(path: Path, limit: Any, count: int, kind: str) -> None:
    train = new_loader(path) if kind == "loader" else new_data(path)
    module, trainer = fit(train, limit_train_batches=limit, limit_val_batches=0, max_epochs=2)
    assert trainer.num_training_batches == count
    whole = epochs_of(path, 2, shuffle=True)
    assert module.epochs == [epoch[:count] for epoch in whole]


def test_training_without_batches_asks_for_none(path: Path) -> None:
    loader = new_loader(path)
    module, _ = fit(loader, limit_train_batches=0, max_epochs=2)
    assert module.train_seen == []
    assert loader.state_dict() == new_loader(path).state_dict()


@pytest.mark.parametrize(("limit", "count"), [(0, 0), (2, 2), (0.34, 1), (0.67, 2), (1.0, 3), (7, 3)])
def test_validation_is_limited_in_each_epoch(path: Path, limit: Any, count: int) -> None:
    val = epochs_of(octavo.Dataset(path)["val"])[0]
    for data in ((new_loader(path), new_loader(path, "val")), (new_data(path),)):
        module, _ = fit(*data, limit_val_batches=limit, max_epochs=2)
        shown = [[numbers for _, _, numbers in epoch] for epoch in module.validations]
        assert shown == ([val[:count]] * 2 if count else [])


@pytest.mark.parametrize(("limit", "count"), [(1, 1), (0.5, 1), (1.0, 2)])
def test_tests_and_predictions_are_limited(path: Path, limit: Any, count: int) -> None:
    whole = epochs_of(octavo.Dataset(path)["test"])[0]
    for data in (new_loader(path, "test"), new_data(path)):
        module = Recorder()
        trainer = new_trainer(limit_test_batches=limit, limit_predict_batches=limit)
        for _ in range(2):
            module.test_seen.clear()
            trainer.test(module, data, verbose=False)
            assert module.test_seen == [(0, step, numbers) for step, numbers in enumerate(whole[:count])]
        assert trainer.predict(module, data) == whole[:count]


def test_a_fast_run_shows_one_batch_of_each_loader(path: Path) -> None:
    module, _ = fit(new_data(path), fast_dev_run=True)
    assert module.train_seen == epochs_of(path, shuffle=True)[0][:1]
    assert [len(epoch) for epoch in module.validations] == [1]


# ---- Overfitting -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("limit", "count"), [(1, 1), (2, 2), (0.4, 2)])
def test_overfitting_shows_the_same_batches_in_each_epoch(path: Path, limit: Any, count: int) -> None:
    first = epochs_of(path)[0][:count]
    for train in (new_data(path), new_loader(path, shuffle=False)):
        module, _ = fit(train, overfit_batches=limit, max_epochs=3)
        assert module.epochs == [first] * 3


def test_overfitting_limits_validation_too(path: Path) -> None:
    module, _ = fit(new_data(path), overfit_batches=2, max_epochs=2)
    val = epochs_of(octavo.Dataset(path)["val"])[0]
    assert [[numbers for _, _, numbers in epoch] for epoch in module.validations] == [val[:2]] * 2


def test_overfitting_a_loader_that_shuffles_is_refused(path: Path) -> None:
    # Lightning makes a new DataLoader in file order instead, which it cannot of a loader.
    with pytest.raises(ValueError, match="needs to subclass"):
        fit(new_loader(path), overfit_batches=2)


# ---- Several loaders -------------------------------------------------------------------------------------------------


def combined(path: Path, mode: str, **options: Any) -> Any:
    return CombinedLoader({"a": new_loader(path, **options), "b": new_loader(path, "val", shuffle=True)}, mode)


def expected_of(path: Path, mode: str, epochs: int) -> list[list[Any]]:
    """What a combination of loaders shows, from the epochs of its loaders."""
    long = epochs_of(path, 2 * epochs, shuffle=True)
    short = epochs_of(octavo.Dataset(path)["val"], 2 * epochs, shuffle=True)
    found: list[list[Any]] = []
    for epoch in range(epochs):
        if mode == "max_size_cycle":
            second = short[2 * epoch] + short[2 * epoch + 1][:2]
            found.append([{"a": a, "b": b} for a, b in zip(long[epoch], second, strict=True)])
        elif mode == "max_size":
            second = [*short[epoch], None, None]
            found.append([{"a": a, "b": b} for a, b in zip(long[epoch], second, strict=True)])
        elif mode == "min_size":
            found.append([{"a": a, "b": b} for a, b in zip(long[epoch], short[epoch], strict=False)])
        else:
            found.append(long[epoch] + short[epoch])
    return found


@pytest.mark.parametrize("mode", ["min_size", "max_size_cycle", "max_size", "sequential"])
def test_loaders_are_combined_by_hand(path: Path, mode: str) -> None:
    loaders = combined(path, mode)
    for expected in expected_of(path, mode, 3):
        found = [numbers_of(batch) for batch, _, _ in loaders]
        assert found == expected
        assert len(loaders) == len(expected)


@pytest.mark.parametrize("mode", ["min_size", "max_size_cycle", "max_size"])
def test_loaders_are_combined_in_training(path: Path, mode: str) -> None:
    module, _ = fit(combined(path, mode), max_epochs=3)
    assert module.epochs == expected_of(path, mode, 3)


@pytest.mark.parametrize("mode", ["min_size", "max_size_cycle", "max_size"])
def test_combined_loaders_resume_in_the_middle_of_an_epoch(path: Path, tmp_path: Path, mode: str) -> None:
    # Lightning restores the loaders by itself. For the end of an epoch it needs the callback of the next test.
    whole, _ = fit(combined(path, mode), max_epochs=3, **saving_every_step(tmp_path))
    count = len(whole.epochs[0])
    for step in (1, 2, count + 1, count + 2):
        resumed, _ = fit(combined(path, mode), ckpt_path=saved_at(tmp_path, step), max_epochs=3)
        assert resumed.train_seen == whole.train_seen[step:], step


@pytest.mark.parametrize("mode", ["min_size", "max_size_cycle", "max_size"])
def test_combined_loaders_resume_anywhere_with_the_callback(path: Path, tmp_path: Path, mode: str) -> None:
    loaders = combined(path, mode)
    options = saving_every_step(tmp_path)
    options["callbacks"].append(octavo.lightning.LoaderCallback(loaders.flattened))
    whole, _ = fit(loaders, max_epochs=3, **options)
    assert whole.epochs == expected_of(path, mode, 3)
    count, differing = len(whole.epochs[0]), []
    for step in range(1, 2 * count + 1):
        loaders = combined(path, mode)
        callback = octavo.lightning.LoaderCallback(loaders.flattened)
        resumed, _ = fit(loaders, ckpt_path=saved_at(tmp_path, step), max_epochs=3, callbacks=[callback])
        if resumed.train_seen != whole.train_seen[step:]:
            differing.append(step)
            # A loader that was exhausted begins its next epoch, as a StatefulDataLoader does.
            assert [part["a"] for part in resumed.train_seen] == [part["a"] for part in whole.train_seen[step:]]
            assert resumed.train_seen[0]["b"] == whole.epochs[step // count + 1][0]["b"]
    assert differing == ([4, 9] if mode == "max_size" else [])


def test_several_validation_loaders_show_all_of_each_in_order(path: Path) -> None:
    val, test = (epochs_of(octavo.Dataset(path)[split])[0] for split in ("val", "test"))
    loaders = [new_loader(path, "val"), new_loader(path, "test")]
    module, trainer = fit(new_loader(path), loaders, max_epochs=2)
    expected = [(0, step, numbers) for step, numbers in enumerate(val)]
    expected += [(1, step, numbers) for step, numbers in enumerate(test)]
    assert module.validations == [expected] * 2
    assert trainer.num_val_batches == [3, 2]
    module, _ = fit(new_loader(path), loaders, max_epochs=1, limit_val_batches=1)
    assert module.validations == [[expected[0], expected[3]]]


def test_a_loader_of_training_is_used_for_validation_too(path: Path) -> None:
    whole = epochs_of(path, shuffle=False)[0]
    store = octavo.Store(octavo.Dataset(path)["train"], device="cpu")
    loaders = [octavo.Loader(store, **{**OPTIONS, "shuffle": shuffle}) for shuffle in (True, False)]
    module, _ = fit(*loaders, max_epochs=2)
    assert module.epochs == epochs_of(path, 2, shuffle=True)
    assert [[numbers for _, _, numbers in epoch] for epoch in module.validations] == [whole] * 2


# ---- Epochs and steps ------------------------------------------------------------------------------------------------


def test_a_sanity_check_does_not_move_training(path: Path) -> None:
    module, _ = fit(new_data(path), num_sanity_val_steps=2, max_epochs=2)
    assert [len(epoch) for epoch in module.validations] == [2, 3, 3]
    assert module.validations[1] == module.validations[2]
    assert module.epochs == epochs_of(path, 2, shuffle=True)


@pytest.mark.parametrize("kind", ["loader", "module"])
def test_steps_end_in_the_middle_of_an_epoch_and_go_on(path: Path, tmp_path: Path, kind: str) -> None:
    def train() -> Any:
        return new_loader(path) if kind == "loader" else new_data(path)

    whole = flat(epochs_of(path, 3, shuffle=True))
    limits = {"max_epochs": -1, "limit_val_batches": 0}
    first, trainer = fit(train(), max_steps=7, **limits)
    assert first.train_seen == whole[:7]
    assert trainer.global_step == 7
    trainer.save_checkpoint(tmp_path / "middle.ckpt")
    second, _ = fit(train(), ckpt_path=tmp_path / "middle.ckpt", max_steps=12, **limits)
    assert second.train_seen == whole[7:12]


@pytest.mark.parametrize("kind", ["callback", "module"])
def test_an_epoch_that_steps_cut_short_goes_on_without_a_limit_of_steps(path: Path, tmp_path: Path, kind: str) -> None:
    # Lightning 2.6 counts this epoch as complete, and does not restore a loader without the callback.
    def resumable() -> tuple[Any, dict[str, Any]]:
        if kind == "module":
            return new_data(path), {"limit_val_batches": 0}
        loader = new_loader(path)
        return loader, {"limit_val_batches": 0, "callbacks": [octavo.lightning.LoaderCallback(loader)]}

    whole = flat(epochs_of(path, 3, shuffle=True))
    train, options = resumable()
    _, trainer = fit(train, max_steps=7, max_epochs=-1, **options)
    trainer.save_checkpoint(tmp_path / "middle.ckpt")
    train, options = resumable()
    second, _ = fit(train, ckpt_path=tmp_path / "middle.ckpt", max_epochs=4, **options)
    assert second.train_seen[:8] == whole[7:15]


@pytest.mark.parametrize("steps", [5, 10])
@pytest.mark.parametrize("kind", ["loader", "module"])
def test_steps_that_end_with_an_epoch_go_on_with_the_next_one(
    path: Path, tmp_path: Path, kind: str, steps: int
) -> None:
    # Lightning 2.6 resumes with an epoch of a single batch, with a DataLoader too.
    def train() -> Any:
        return new_loader(path) if kind == "loader" else new_data(path)

    def resumed(data: Any, name: str) -> Recorder:
        limits = {"max_epochs": -1, "limit_val_batches": 0}
        _, trainer = fit(data(), max_steps=steps, **limits)
        trainer.save_checkpoint(tmp_path / name)
        return fit(data(), ckpt_path=tmp_path / name, max_steps=steps + 8, **limits)[0]

    numbers = torch.arange(COUNT)
    pixels = (numbers / 255).reshape(-1, 1, 1, 1).expand(-1, 1, 4, 4)
    reference = torch.utils.data.TensorDataset(pixels, numbers)
    of_data_loader = resumed(lambda: torch.utils.data.DataLoader(reference, batch_size=10), "data_loader.ckpt")
    found = resumed(train, "loader.ckpt")
    assert [len(epoch) for epoch in found.epochs] == [len(epoch) for epoch in of_data_loader.epochs]
    epochs = epochs_of(path, 8, shuffle=True)[steps // BATCHES :]
    assert found.epochs == [whole[: len(epoch)] for whole, epoch in zip(epochs, found.epochs, strict=False)]


def test_a_module_resumes_after_any_step(path: Path, tmp_path: Path) -> None:
    whole, _ = fit(new_data(path), max_epochs=2, **saving_every_step(tmp_path))
    assert whole.train_seen == flat(epochs_of(path, 2, shuffle=True))
    for step in range(1, 2 * BATCHES):
        resumed, _ = fit(new_data(path), ckpt_path=saved_at(tmp_path, step), max_epochs=2)
        assert resumed.train_seen == whole.train_seen[step:], step


def test_a_module_resumes_with_another_batch_size(path: Path, tmp_path: Path) -> None:
    whole = flat(flat(epochs_of(path, 2, shuffle=True)))
    fit(new_data(path), **saving_every_step(tmp_path))
    resumed, _ = fit(new_data(path, batch_size=7), ckpt_path=saved_at(tmp_path, 3), max_epochs=2, limit_val_batches=0)
    found = flat(resumed.train_seen)
    assert found == whole[30 : 30 + len(found)]
    assert len(found) >= COUNT - 30


@pytest.mark.parametrize("every", [1, 2])
def test_loaders_that_are_made_again_go_on_with_new_epochs(path: Path, every: int) -> None:
    made: list[Any] = []

    class Counted(octavo.lightning.DataModule):
        def train_dataloader(self) -> Any:
            made.append(super().train_dataloader())
            return made[-1]

    data = Counted(path, **OPTIONS)
    module, _ = fit(data, reload_dataloaders_every_n_epochs=every, max_epochs=4)
    assert module.epochs == epochs_of(path, 4, shuffle=True)
    assert len(made) == 4 // every
    assert len({id(loader.store) for loader in made}) == 1


def test_loaders_that_are_made_again_keep_a_restored_place(path: Path) -> None:
    # Epoch 3 of the loader is epoch 0 of the trainer.
    whole = epochs_of(path, 6, shuffle=True)
    loader = new_loader(path)
    loader.set_epoch(3)
    data = new_data(path)
    data.load_state_dict({"train": loader.state_dict()})
    module, _ = fit(data, reload_dataloaders_every_n_epochs=1, max_epochs=3, limit_val_batches=0)
    assert module.epochs == whole[3:]


def test_a_loader_that_a_hook_makes_again_shows_new_epochs(path: Path) -> None:
    class Maker(Recorder):
        def train_dataloader(self) -> Any:
            return new_loader(path)

    module, trainer = Maker(), new_trainer(reload_dataloaders_every_n_epochs=1, max_epochs=3)
    trainer.fit(module)
    assert module.epochs == epochs_of(path, 3, shuffle=True)


def test_a_loader_is_asked_for_once_if_it_is_not_made_again(path: Path) -> None:
    made: list[Any] = []

    class Maker(Recorder):
        def train_dataloader(self) -> Any:
            made.append(new_loader(path))
            return made[-1]

    module, trainer = Maker(), new_trainer(max_epochs=3)
    trainer.fit(module)
    assert len(made) == 1
    assert module.epochs == epochs_of(path, 3, shuffle=True)


@pytest.mark.parametrize("step", [2, 5, 7])
def test_a_run_that_makes_loaders_again_resumes(path: Path, tmp_path: Path, step: int) -> None:
    options = {"reload_dataloaders_every_n_epochs": 1, "max_epochs": 3, "limit_val_batches": 0}
    whole, _ = fit(new_data(path), **options, **saving_every_step(tmp_path))
    resumed, _ = fit(new_data(path), ckpt_path=saved_at(tmp_path, step), **options)
    assert resumed.train_seen == whole.train_seen[step:] == flat(epochs_of(path, 3, shuffle=True))[step:]


def test_a_second_fit_goes_on_with_new_epochs(path: Path) -> None:
    for train in (new_loader(path), new_data(path)):
        module, trainer = Recorder(), new_trainer(max_epochs=2, limit_val_batches=0)
        trainer.fit(module, train)
        trainer.fit_loop.max_epochs = 4
        trainer.fit(module, train)
        assert module.epochs == epochs_of(path, 4, shuffle=True)


@pytest.mark.parametrize(("interval", "expected"), [(2, [2, 4]), (0.5, [2, 4]), (1.0, [5]), (5, [5])])
def test_validation_in_the_middle_of_an_epoch_does_not_move_training(
    path: Path, interval: Any, expected: list[int]
) -> None:
    seen: list[int] = []

    class Module(Recorder):
        def on_validation_epoch_start(self) -> None:
            super().on_validation_epoch_start()
            seen.append(len(self.train_seen))

    module, trainer = Module(), new_trainer(max_epochs=2, val_check_interval=interval)
    trainer.fit(module, new_data(path))
    assert seen == [*expected, *(BATCHES + step for step in expected)]
    assert module.epochs == epochs_of(path, 2, shuffle=True)
    assert len({str(epoch) for epoch in module.validations}) == 1


def test_the_number_of_steps_is_known_before_training(path: Path) -> None:
    for options, expected in (({}, 15), ({"limit_train_batches": 2}, 6), ({"accumulate_grad_batches": 2}, 9)):
        module, trainer = Recorder(), new_trainer(max_epochs=3, **options)
        found: list[int] = []
        module.on_train_start = lambda trainer=trainer, found=found: found.append(trainer.estimated_stepping_batches)
        trainer.fit(module, new_loader(path))
        assert found == [expected]
        assert trainer.global_step == expected


def test_averages_weight_batches_by_their_samples(path: Path) -> None:
    class Module(Recorder):
        def validation_step(self, batch: Any, step: int) -> None:
            self.log("mean", batch[1].float().mean(), batch_size=len(batch[1]))

    trainer = new_trainer()
    found = trainer.validate(Module(), new_loader(path, "val"), verbose=False)
    assert found[0]["mean"] == pytest.approx(COUNT + (VAL - 1) / 2)


# ---- Warnings --------------------------------------------------------------------------------------------------------


def test_lightning_does_not_warn_of_workers_or_lengths(path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for data in ((new_loader(path), new_loader(path, "val")), (new_data(path),)):
            fit(*data, log_every_n_steps=1)
    texts = [str(warning.message) for warning in caught]
    for word in ("worker", "bottleneck", "length", "shuffl"):
        assert not [text for text in texts if word in text], word


# ---- Two processes ---------------------------------------------------------------------------------------------------


def in_two_processes(folder: Path) -> dict[str, Any]:
    """What a rank of a trainer with two devices sees."""
    found: dict[str, Any] = {}
    options = {"accelerator": "cpu", "devices": 2, "strategy": "ddp", "max_epochs": 2}
    saving = saving_every_step(folder / "saved")
    whole, _ = fit(new_data(folder / "numbers.h5"), **options, **saving)
    found["epochs"], found["validations"] = whole.epochs, whole.validations
    resumed, trainer = fit(new_data(folder / "numbers.h5"), ckpt_path=saved_at(folder / "saved", 3), **options)
    found["resumed"], found["rank"] = resumed.train_seen, trainer.global_rank
    return found


def test_two_devices_share_each_batch(tmp_path: Path) -> None:
    if not torch.distributed.is_available():
        pytest.skip("this torch has no torch.distributed")
    from processes import run_ranks

    path = write_numbers(tmp_path / "numbers.h5", train=COUNT, val=VAL)
    ranks = run_ranks(in_two_processes, tmp_path)
    assert [found["rank"] for found in ranks] == [0, 1]
    whole = epochs_of(path, 2, shuffle=True)
    epochs = [
        [flat(parts) for parts in zip(*shares, strict=True)]
        for shares in zip(*(r["epochs"] for r in ranks), strict=True)
    ]
    assert epochs == whole
    assert [flat(parts) for parts in zip(*(found["resumed"] for found in ranks), strict=True)] == flat(whole)[3:]
    val = [number for found in ranks for _, _, numbers in found["validations"][-1] for number in numbers]
    assert sorted(val) == list(range(COUNT, COUNT + VAL))
