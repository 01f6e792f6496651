"""Epochs, iterations and saved states of loaders."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import numpy as np
import octavo
import pytest
from conftest import Packed, write_packed
from octavo import augment


def loader_of(data: Any, **options: Any) -> octavo.Loader:
    return octavo.Loader(data, **{"framework": "numpy", "device": "cpu", "batch_size": 10, "shuffle": True, **options})


def first_labels(loader: octavo.Loader) -> list[int]:
    return next(iter(loader))[1].tolist()


def orders(loader: octavo.Loader, epochs: int) -> list[list[int]]:
    """The labels of the first batch of each epoch."""
    found = []
    for epoch in range(epochs):
        loader.set_epoch(epoch)
        found.append(loader[0][1].tolist())
    loader.set_epoch(0)
    return found


def test_every_iteration_is_a_new_epoch(packed: Packed) -> None:
    loader = loader_of(packed.path)
    expected = orders(loader_of(packed.path), 4)
    assert [first_labels(loader) for _ in range(3)] == expected[:3]
    assert loader.epoch == 2
    assert len(list(loader)) == 5
    assert loader.epoch == 4  # a whole epoch 3 was shown
    assert [first_labels(loader_of(packed.path)) for _ in range(2)] == [expected[0]] * 2


@pytest.mark.parametrize("take", [1, 3, 5])
def test_epochs_that_are_cut_short_differ(packed: Packed, take: int) -> None:
    expected = orders(loader_of(packed.path), 3)
    loader, found = loader_of(packed.path), []
    for _ in range(3):
        for step, (_, labels) in enumerate(loader):
            if step == 0:
                found.append(labels.tolist())
            if step + 1 == take:
                break
    assert found == expected
    loader = loader_of(packed.path)
    assert [list(itertools.islice(loader, take))[0][1].tolist() for _ in range(3)] == expected  # noqa: RUF015


def test_two_iterations_at_once_are_two_epochs(packed: Packed) -> None:
    loader = loader_of(packed.path)
    expected = orders(loader_of(packed.path), 2)
    (_, left), (_, right) = next(zip(loader, loader, strict=True))
    assert [left.tolist(), right.tolist()] == expected


def test_set_epoch_says_which_epoch_comes_next(packed: Packed) -> None:
    loader = loader_of(packed.path)
    expected = orders(loader_of(packed.path), 6)
    loader.set_epoch(4)
    assert first_labels(loader) == expected[4]
    assert first_labels(loader) == expected[5]
    loader.set_epoch(5)
    assert first_labels(loader) == expected[5]
    iter(loader)
    loader.set_epoch(0)
    assert [first_labels(loader), first_labels(loader)] == expected[:2]
    with pytest.raises(ValueError, match="epoch is -1"):
        loader.set_epoch(-1)
    with pytest.raises(ValueError, match="the last one is"):
        loader.set_epoch(2**63)


@pytest.mark.parametrize("taken", [0, 1, 4, 5, 7])
def test_iteration_resumes_from_a_saved_state(packed: Packed, taken: int) -> None:
    options = {"batch_size": 10, "shuffle": True, "seed": 3}
    whole = loader_of(packed.path, **options)
    expected = [images for _ in range(3) for images, _ in whole]
    first = loader_of(packed.path, **options)
    list(itertools.islice((batch for _ in range(3) for batch in first), taken))
    state = json.loads(json.dumps(first.state_dict()))
    # After the last batch, nothing is left of the epoch.
    assert (state["epoch"], state["step"]) == ((0, 5) if taken == 5 else divmod(taken, 5))

    # On another number of ranks, and in a loop that sets each epoch.
    resumed = [loader_of(packed.path, **options, rank=rank, world_size=2) for rank in range(2)]
    for loader in resumed:
        loader.load_state_dict(state)
        assert loader.state_dict() == state
    shares = []
    for loader in resumed:
        batches = []
        for epoch in range(loader.epoch, 3):
            loader.set_epoch(epoch)
            batches += [images for images, _ in loader]
        shares.append(batches)
    assert len(shares[0]) == 15 - taken
    for wanted, *parts in zip(expected[taken:], *shares, strict=True):
        np.testing.assert_array_equal(np.concatenate(parts), wanted)


def test_a_restored_place_stays_until_a_batch_is_yielded(packed: Packed) -> None:
    loader = loader_of(packed.path)
    expected = [images for images, _ in loader]
    loader.load_state_dict({**loader.state_dict(), "epoch": 0, "step": 3})
    iter(loader)  # as in frameworks that check whether it is iterable
    assert loader.state_dict()["step"] == 3
    np.testing.assert_array_equal(next(iter(loader))[0], expected[3])
    assert (loader.epoch, loader.state_dict()["step"]) == (0, 4)
    next(iter(loader))
    assert (loader.epoch, loader.state_dict()["step"]) == (1, 1)


def test_a_state_is_plain_and_describes_the_batches(packed: Packed) -> None:
    loader = loader_of(packed.path, augment=augment.HorizontalFlip(), seed=3)
    next(iter(loader))
    state = json.loads(json.dumps(loader.state_dict()))
    data = state.pop("data")
    assert len(data) == 16
    assert state.pop("normalization").startswith("(x - dataset mean) / 128 [")
    assert re.fullmatch(r"HorizontalFlip\(\), seed=3 \[[0-9a-f]{16}\]", state.pop("augmentation"))
    assert state == {
        "order": 1, "epoch": 0, "step": 1, "seed": 3, "batch_size": 10, "sample_count": 47, "shuffle": True,
        "drop_last": False, "split": "train",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": 5}, "it is from a loader with seed 0; this one has 5"),
        ({"shuffle": False}, 'shuffle "global"; this one has "none"'),
        ({"shuffle": "windows:20"}, 'shuffle "global"; this one has "windows:20"'),
        ({"drop_last": True}, "drop_last false; this one has true"),
        ({"carry_over": True}, "carry_over false; this one has true"),
        ({"indices": list(range(47))}, "chooses other samples; pass the same indices"),
        ({"normalize": "unit"}, r'normalization "\(x - dataset mean\) / 128 .*; this one has "\(x - 0'),
        ({"augment": augment.HorizontalFlip()}, 'augmentation none; this one has "HorizontalFlip'),
        ({"views": 2}, "views=2"),
    ],
)
def test_a_state_of_other_batches_is_refused(packed: Packed, options, message) -> None:
    state = loader_of(packed.path).state_dict()
    loader = loader_of(packed.path, **options)
    with pytest.raises(ValueError, match=message):
        loader.load_state_dict(state)
    assert (loader.epoch, loader.state_dict()["step"]) == (0, 0)


def test_only_digests_of_normalization_and_augmentation_are_compared(packed: Packed) -> None:
    for loader in (
        loader_of(packed.path, augment=augment.HorizontalFlip()),
        octavo.GraphLoader(packed.path, augment=augment.HorizontalFlip(), batch_size=10, device="cpu"),
    ):
        state = loader.state_dict()
        for name in ("normalization", "augmentation"):
            text, digest = state[name].split("[")
            loader.load_state_dict({**state, name: "another text, with the same digest [" + digest})
            with pytest.raises(ValueError, match=f'{name} "{re.escape(text)}'):
                loader.load_state_dict({**state, name: f"{text}[0{digest[1:-1]}0]"})


def test_other_entries_of_a_state_are_ignored(packed: Packed) -> None:
    loader = loader_of(packed.path)
    loader.load_state_dict({**loader.state_dict(), "step": 2, "run": object(), 5: None})
    assert loader.state_dict()["step"] == 2


def test_a_state_of_other_samples_is_refused(packed: Packed, tmp_path) -> None:
    with octavo.Writer(tmp_path / "two.h5", layout="chw") as writer:
        for split in ("train", "test"):
            for value, label in zip(packed.values, packed.labels, strict=True):
                writer.append(value, label, split=split)
    state = loader_of(packed.path).state_dict()
    loader_of(tmp_path / "two.h5").load_state_dict(state)  # the same samples in another file
    with pytest.raises(ValueError, match='from the split "train"; this loader serves "test"'):
        loader_of(octavo.Dataset(tmp_path / "two.h5")["test"], normalize="default").load_state_dict(state)
    other = write_packed(tmp_path / "other.h5", 47, (3, 8, 6), classes=5)
    with pytest.raises(ValueError, match="from other samples"):
        loader_of(other.path).load_state_dict(
            {**state, "normalization": loader_of(other.path).state_dict()["normalization"]}
        )


def test_what_does_not_change_batches_may_change(packed: Packed) -> None:
    state = loader_of(packed.path).state_dict()
    state["step"] = 2
    for options in ({"dtype": "float16"}, {"memory_format": "channels_last"}, {"residency": "streamed"},
                    {"rank": 1, "world_size": 2}):  # fmt: skip
        loader = loader_of(packed.path, **options)
        loader.load_state_dict(state)
        assert loader.state_dict() == state


def test_a_state_belongs_to_the_augmentation_of_its_epoch(packed: Packed) -> None:
    def operations(epoch: int) -> Any:
        return augment.CenterCrop(4 if epoch < 2 else 6)

    loader = loader_of(packed.path, augment=operations)
    loader.set_epoch(2)
    next(iter(loader))
    state = loader.state_dict()
    resumed = loader_of(packed.path, augment=operations)
    resumed.load_state_dict(state)
    assert next(iter(resumed))[0].shape == (10, 3, 6, 6)
    with pytest.raises(ValueError, match=r'augmentation "CenterCrop\(size=\(6, 6\)\)'):
        loader_of(packed.path, augment=lambda epoch: augment.CenterCrop(4)).load_state_dict(state)


@pytest.mark.parametrize(
    "wrong",
    [
        {}, {"step": "x"}, {"step": 1.5}, {"step": True}, {"step": object}, {"epoch": None}, {"epoch": 2**62 + 1},
        {"order": 2}, {"step": 6}, {"epoch": -1}, {"samples": 48}, {"data": b"0"}, {"epoch_offset": "x"},
    ],
    ids=str,
)  # fmt: skip
def test_an_invalid_state_is_refused(packed: Packed, wrong: dict[str, Any]) -> None:
    loader = loader_of(packed.path)
    with pytest.raises(ValueError, match=r"loader state: |other samples"):
        loader.load_state_dict({**loader.state_dict(), **wrong} if wrong else {})
    assert loader.state_dict()["step"] == 0
