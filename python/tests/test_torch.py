"""Batches as torch tensors, compared with torch's own data loader."""

from __future__ import annotations

import runpy
import sys
import warnings
from pathlib import Path

import numpy as np
import octavo
import pytest
from conftest import Packed

torch = pytest.importorskip("torch")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"


def test_batches_are_tensors_of_the_requested_type(packed: Packed) -> None:
    expected = octavo.Loader(packed.path, framework="numpy", device="cpu", batch_size=10, shuffle=True)[2][0]
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        for memory_format in (torch.contiguous_format, torch.channels_last):
            loader = octavo.Loader(
                packed.path, batch_size=10, shuffle=True, device=torch.device("cpu"), dtype=dtype,
                memory_format=memory_format,
            )  # fmt: skip
            images, labels = loader[2]
            assert images.dtype == dtype
            assert labels.dtype == torch.int64
            assert images.shape == (10, 3, 8, 6)
            assert images.is_contiguous(memory_format=memory_format)
            assert torch.equal(images, torch.from_numpy(expected).to(dtype))
    images, labels = octavo.Loader(packed.path, batch_size=10, device="cpu", label_dtype=torch.int32)[0]
    assert labels.dtype == torch.int32
    torch.nn.functional.cross_entropy(torch.zeros(10, 10), labels.long())


def test_gather_gives_tensors(packed: Packed) -> None:
    store = octavo.Store(packed.path, device="cpu")
    images, labels = store.gather(torch.tensor([4, 2, 4]), normalize="unit", dtype=torch.bfloat16)
    assert images.dtype == torch.bfloat16
    assert labels.tolist() == [4, 2, 4]


class UnitScale(torch.utils.data.Dataset):
    """The usual pipeline: ToTensor(), then Normalize(mean, std), as in torchvision."""

    def __init__(self, packed: Packed, mean: float, std: float) -> None:
        self.packed, self.mean, self.std = packed, mean, std

    def __len__(self) -> int:
        return len(self.packed.values)

    def __getitem__(self, index: int):
        image = torch.from_numpy(self.packed.values[index]).to(torch.float32).div(255)
        return image.sub(self.mean).div(self.std), int(self.packed.labels[index])


def loader_beside(packed: Packed, mean: float, std: float):
    """An octavo loader, and a torch loader with the same order."""
    loader = octavo.Loader(
        packed.path, batch_size=10, shuffle=True, seed=4, device="cpu",
        normalize=octavo.Normalize(mean, std),
    )  # fmt: skip
    order = [loader.indices(step).tolist() for step in range(len(loader))]
    return loader, torch.utils.data.DataLoader(UnitScale(packed, mean, std), batch_sampler=order)


def test_batches_equal_those_of_a_data_loader(packed: Packed) -> None:
    mean, std = 0.4375, 0.25
    loader, reference = loader_beside(packed, mean, std)
    for step, ((images, labels), (wanted, wanted_labels)) in enumerate(zip(loader, reference, strict=True)):
        assert torch.equal(labels, wanted_labels)
        # In units of the result, torch's first rounding, of u8 / 255 below 1, is at most 2^-25 / std, and so is that of
        # its subtraction. Octavo rounds the folded scale and shift, and the result.
        assert (images - wanted).abs().max() <= 2**-24 / std + 2**-22
        exact = (packed.values[loader.indices(step)].astype(np.float64) / 255 - mean) / std
        ours, theirs = np.abs(images.numpy() - exact).max(), np.abs(wanted.numpy() - exact).max()
        assert ours <= theirs + 2**-23


def test_a_model_trains_the_same_with_either_loader(packed: Packed) -> None:
    losses = []
    for batches in loader_beside(packed, 0.5, 0.5):
        torch.manual_seed(0)
        model = torch.nn.Sequential(
            torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(4 * 6 * 4, 10)
        )
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        for images, labels in batches:
            loss = torch.nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    ours, theirs = losses[: len(losses) // 2], losses[len(losses) // 2 :]
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_ranks_are_those_of_torch_distributed(packed: Packed, tmp_path: Path) -> None:
    distributed = torch.distributed
    if not distributed.is_available():
        pytest.skip("this torch has no torch.distributed")
    distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/rendezvous", rank=0, world_size=1)
    try:
        loader = octavo.Loader(packed.path, device="cpu", batch_size=10)
        assert (loader.rank, loader.world_size) == (0, 1)
    finally:
        distributed.destroy_process_group()


def test_ranks_of_a_larger_world(packed: Packed, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = torch.distributed
    monkeypatch.setattr(distributed, "is_initialized", lambda: True)
    monkeypatch.setattr(distributed, "get_rank", lambda: 1)
    monkeypatch.setattr(distributed, "get_world_size", lambda: 4)
    loader = octavo.Loader(packed.path, device="cpu", batch_size=10)
    assert (loader.rank, loader.world_size) == (1, 4)
    assert len(loader[0][0]) == 3  # positions 2, 3 and 4 of 10


def test_ranks_are_resolved_when_a_batch_is_made(packed: Packed, monkeypatch: pytest.MonkeyPatch) -> None:
    loader = octavo.Loader(packed.path, device="cpu", batch_size=10)
    whole = loader[0][0]
    assert "rank=0 of 1" in repr(loader)
    distributed = torch.distributed
    monkeypatch.setattr(distributed, "is_initialized", lambda: True)
    monkeypatch.setattr(distributed, "get_rank", lambda: 1)
    monkeypatch.setattr(distributed, "get_world_size", lambda: 2)
    assert torch.equal(loader[0][0], whole[5:])
    assert torch.equal(next(iter(loader))[0], whole[5:])
    assert "rank=1 of 2" in repr(loader)


def test_a_launcher_without_a_process_group_is_warned_about(packed: Packed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    loader = octavo.Loader(packed.path, device="cpu", batch_size=10)
    with pytest.warns(RuntimeWarning, match=r"WORLD_SIZE is 2, but this process makes whole batches; call"):
        next(iter(loader))
    with pytest.warns(RuntimeWarning, match="WORLD_SIZE is 2"):
        octavo.GraphLoader(packed.path, device="cpu", batch_size=10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        next(iter(loader))  # once is enough
        next(iter(octavo.Loader(packed.path, device="cpu", batch_size=10, rank=0, world_size=1)))
        monkeypatch.setenv("WORLD_SIZE", "1")
        next(iter(octavo.Loader(packed.path, device="cpu", batch_size=10)))


def test_single_targets_have_the_shape_of_a_data_loader(tmp_path: Path) -> None:
    images = np.zeros((6, 4, 4), np.uint8)
    values = [0.5 * row for row in range(6)]
    octavo.pack_dataset(list(zip(images, values, strict=True)), tmp_path / "out.h5")
    dataset = octavo.Dataset(tmp_path / "out.h5").split()
    assert dataset.labels.shape == (6,)
    for loader in (octavo.Loader(dataset, device="cpu"), octavo.Loader(dataset, device="cpu", framework="dlpack")):
        labels = torch.from_dlpack(loader[0][1])
        assert labels.shape == (6,)
        assert labels.tolist() == values
    arrays = octavo.Store.from_arrays(images[:, None], np.array(values)[:, None], device="cpu")
    assert octavo.Loader(arrays)[0][1].tolist() == values


def test_torch_tensors_are_packed(tmp_path: Path) -> None:
    pixels = torch.arange(3 * 4 * 5, dtype=torch.uint8).reshape(3, 4, 5)
    dataset = torch.utils.data.TensorDataset(torch.stack([pixels, pixels + 1]).float() / 255, torch.tensor([1, 0]))
    octavo.pack_dataset(dataset, tmp_path / "out.h5")
    train = octavo.Dataset(tmp_path / "out.h5").split()
    assert np.array_equal(train.images[1].view(np.uint8) ^ 0x80, (pixels + 1).numpy())
    assert train.labels.tolist() == [1, 0]


def test_the_example_trains(packed: Packed, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(
        sys, "argv", ["pytorch_train.py", str(packed.path), "--epochs", "2", "--batch-size", "16", "--device", "cpu"]
    )
    runpy.run_path(str(EXAMPLES / "pytorch_train.py"), run_name="__main__")
    assert "epoch 2" in capsys.readouterr().out


def test_the_comparison_of_augmentation_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    path = tmp_path / "data.h5"
    with octavo.Writer(path, classes=["dark", "bright"], layout="chw") as writer:
        for split, count in (("train", 40), ("test", 40)):
            for i in range(count):
                writer.append(np.full((1, 28, 28), 60 + 120 * (i % 2), np.uint8), i % 2, split=split)
    arguments = [
        "--samples",
        "32",
        "--epochs",
        "20",
        "--batch-size",
        "8",
        "--seeds",
        "1",
        "--width",
        "8",
        "--lr",
        "0.02",
    ]
    monkeypatch.setattr(sys, "argv", ["airbench.py", str(path), "--device", "cpu", *arguments])
    runpy.run_path(str(EXAMPLES / "airbench.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines[-3:]] == ["no augmentation", "airbench94", "airbench94, six views"]
    assert all(float(line.split()[-1]) > 0.9 for line in lines[-3:])


def test_lightning_accepts_a_loader(large: Packed, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("lightning")
    monkeypatch.setattr(sys, "argv", ["lightning_train.py", str(large.path), "--epochs", "1", "--device", "cpu"])
    runpy.run_path(str(EXAMPLES / "lightning_train.py"), run_name="__main__")
