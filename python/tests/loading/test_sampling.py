"""Subsets, weights, balanced classes and repeats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import octavo
import pytest
from augment_reference import Draws, log2
from conftest import Packed, write_packed
from octavo import augment


def sampled(data, **options) -> octavo.Loader:
    return octavo.Loader(data, framework="numpy", device="cpu", normalize="unit", **{"batch_size": 10, **options})


def epoch_indices(loader: octavo.Loader, epoch: int = 0) -> np.ndarray:
    loader.set_epoch(epoch)
    return np.concatenate([loader.indices(step) for step in range(len(loader))])


SAMPLINGS = [
    {"indices": [30, 3, 7, 21, 4, 8, 40, 1, 2, 5, 6]},
    {"indices": np.arange(47) % 3 == 0},
    {"weights": np.arange(47) % 5},
    {"weights": np.arange(20) + 1.0, "indices": np.arange(20) + 20, "samples_per_epoch": 35},
    {"weights": np.arange(47) % 5, "replacement": False},
    {"weights": np.arange(20) + 1.0, "indices": np.arange(20) + 20, "samples_per_epoch": 12, "replacement": False},
    {"balance": "classes"},
    {"balance": np.arange(47) % 4, "samples_per_epoch": 60},
    {"repeats": 3},
    {"repeats": 2, "indices": [5, 6, 7, 40, 41, 42]},
    {"carry_over": True},
    {"carry_over": True, "balance": "classes", "samples_per_epoch": 33},
]


@pytest.mark.parametrize("sampling", SAMPLINGS, ids=lambda given: ", ".join(given))
@pytest.mark.parametrize("shuffle", [False, True])
def test_batches_do_not_depend_on_where_samples_are(packed: Packed, sampling: dict, shuffle: bool) -> None:
    options = {"shuffle": shuffle, "seed": 3, "augment": [augment.RandomCrop(padding=2), augment.HorizontalFlip()]}
    options |= sampling
    whole = sampled(packed.path, **options)
    count = whole.total_steps(1)
    batches = [batch for _ in range(2) for batch in whole]
    for residency in ({"residency": "streamed"}, {"residency": "hybrid", "resident": 20}, {"threads": 1}):
        other = sampled(packed.path, **options, **residency)
        same = [batch for _ in range(2) for batch in other]
        for (images, labels), (wanted, wanted_labels) in zip(same, batches, strict=True):
            np.testing.assert_array_equal(images, wanted)
            np.testing.assert_array_equal(labels, wanted_labels)
    options["batch_size"] = 8  # no batch has a single sample
    ranks = [sampled(packed.path, **options, rank=rank, world_size=2) for rank in range(2)]
    for step, (wanted, _) in enumerate(sampled(packed.path, **options)):
        np.testing.assert_array_equal(np.concatenate([rank[step][0] for rank in ranks]), wanted)
    resumed = sampled(packed.path, **{**options, "batch_size": 10})
    resumed.load_state_dict({**whole.state_dict(), "epoch": 1, "step": 1})
    np.testing.assert_array_equal(next(iter(resumed))[0], batches[count + 1][0])


def test_a_subset_is_shown_once_per_epoch_in_its_order(packed: Packed) -> None:
    chosen = [30, 3, 7, 21, 4]
    loader = sampled(packed.path, indices=chosen, batch_size=2)
    assert epoch_indices(loader).tolist() == chosen
    np.testing.assert_array_equal(np.concatenate([labels for _, labels in loader]), packed.labels[chosen])
    shuffled = sampled(packed.path, indices=chosen, batch_size=2, shuffle=True, seed=1)
    epochs = [epoch_indices(shuffled, epoch).tolist() for epoch in range(4)]
    assert all(sorted(epoch) == sorted(chosen) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) > 1


def test_a_subset_of_all_samples_has_the_usual_order(packed: Packed) -> None:
    plain = sampled(packed.path, shuffle=True, seed=9)
    np.testing.assert_array_equal(
        epoch_indices(plain, 5), epoch_indices(sampled(packed.path, shuffle=True, seed=9, indices=range(47)), 5)
    )


def test_a_fold_and_the_rest_are_the_split(packed: Packed) -> None:
    folds = [epoch_indices(sampled(packed.path, indices=np.arange(47) % 5 == fold, batch_size=4)) for fold in range(5)]
    assert sorted(np.concatenate(folds)) == list(range(47))


def test_weights_are_the_frequencies(packed: Packed) -> None:
    weights = np.array([0, 1, 2, 5, 0, 10, *([0] * 41)], float)
    loader = sampled(packed.path, weights=weights, samples_per_epoch=36000, batch_size=1000, seed=2)
    counts = np.bincount(epoch_indices(loader), minlength=47)
    wanted = 36000 * weights / weights.sum()
    assert counts[weights == 0].sum() == 0
    # Chi-square with 3 degrees of freedom exceeds 21.1 with probability 10^-4.
    assert ((counts - wanted)[weights > 0] ** 2 / wanted[weights > 0]).sum() < 21.1
    assert epoch_indices(loader, 1).tolist() != epoch_indices(loader, 0).tolist()


def test_without_replacement_no_sample_is_shown_twice(packed: Packed) -> None:
    weights = np.arange(47) % 5
    loader = sampled(packed.path, weights=weights, replacement=False, seed=8)
    assert sorted(epoch_indices(loader)) == np.flatnonzero(weights).tolist()
    assert epoch_indices(loader, 1).tolist() != epoch_indices(loader, 0).tolist()
    # A few of many samples: the first draw has the probabilities of the weights, and heavy samples come first.
    few = sampled(packed.path, weights=weights, replacement=False, samples_per_epoch=10, seed=8)
    first = np.array([epoch_indices(few, epoch)[0] for epoch in range(4000)])
    counts = np.bincount(weights[first], minlength=5)
    groups = np.bincount(weights, minlength=5) * np.arange(5)
    expected = 4000 * groups / groups.sum()
    # Chi-square with 3 degrees of freedom exceeds 21.1 with probability 10^-4.
    assert ((counts - expected)[1:] ** 2 / expected[1:]).sum() < 21.1
    assert counts[0] == 0


def test_draws_without_replacement_follow_the_definition(packed: Packed) -> None:
    weights, seed, epoch = np.linspace(0.5, 9, 47), 21, 3
    keys = []
    for index, weight in enumerate(weights):
        word = Draws(seed, epoch, index, 0, 432).words()
        keys.append((-log2((((word[0] << 32 | word[1]) >> 12) + 0.5) / 2**52) / weight, index))
    loader = sampled(packed.path, weights=weights, replacement=False, seed=seed)
    assert epoch_indices(loader, epoch).tolist() == [index for _, index in sorted(keys)]


def test_samples_that_do_not_fill_a_batch_begin_the_next_epoch(packed: Packed) -> None:
    options = {"shuffle": True, "seed": 8, "augment": augment.RandomCrop(padding=2)}
    loader = sampled(packed.path, carry_over=True, **options)
    usual = sampled(packed.path, **options)
    counts, carried = [], []
    for _ in range(10):
        batches = [images for images, _ in loader]
        counts.append(len(batches))
        carried += batches
        assert loader.total_steps(len(counts)) == len(carried)
    assert len(loader) == 5  # what frameworks may rely on: no epoch has more
    assert counts == [47 * (epoch + 1) // 10 - 47 * epoch // 10 for epoch in range(10)]
    assert {len(images) for images in carried} == {10}
    np.testing.assert_array_equal(
        np.concatenate(carried), np.concatenate([images for _ in range(10) for images, _ in usual])
    )
    assert len({loader.fingerprint(epoch) for epoch in range(10)}) == 10


def test_a_state_resumes_in_a_batch_that_was_carried_over(packed: Packed) -> None:
    options = {"carry_over": True, "shuffle": True, "augment": augment.RandomCrop(padding=2)}
    loader = sampled(packed.path, **options)
    for _ in loader:
        pass
    state = loader.state_dict()
    assert (state["epoch"], state["step"]) == (1, 0)
    resumed = sampled(packed.path, **options)
    resumed.load_state_dict(state)
    np.testing.assert_array_equal(next(iter(resumed))[0], next(iter(loader))[0])
    resumed.load_state_dict({**state, "step": 4})
    with pytest.raises(ValueError, match="there is no batch 5 in epoch 0"):
        resumed.load_state_dict({**state, "epoch": 0, "step": 5})
    with pytest.raises(ValueError, match="carry_over true; this one has false"):
        sampled(packed.path, shuffle=True).load_state_dict(state)


@pytest.mark.parametrize("sampling", [one for one in SAMPLINGS if "replacement" not in one], ids=", ".join)
def test_a_graph_loader_selects_the_samples_of_a_loader(packed: Packed, sampling: dict) -> None:
    options = {"batch_size": 6, "shuffle": True, "seed": 3, "device": "cpu", "framework": "numpy", **sampling}
    options["augment"] = [augment.RandomCrop(padding=2), augment.HorizontalFlip()]
    graph_loader = octavo.GraphLoader(packed.path, **options)
    loader = octavo.Loader(packed.path, drop_last="carry_over" not in options, **options)
    for images, labels in [batch for _ in range(3) for batch in loader]:
        made, made_labels = graph_loader.next()
        np.testing.assert_array_equal(made, images)
        np.testing.assert_array_equal(made_labels, labels)
    loader.load_state_dict(graph_loader.state_dict())
    assert loader.epoch == 3


def test_weights_may_change_between_epochs(packed: Packed) -> None:
    def weights(epoch: int) -> np.ndarray:
        return (np.arange(47) % 2 == epoch % 2).astype(float)

    loader = sampled(packed.path, weights=weights)
    for epoch in range(4):
        shown = np.concatenate([loader.indices(step) for step in range(len(loader))])
        assert (shown % 2 == epoch % 2).all()
        for _ in loader:
            pass
    assert (epoch_indices(loader, 3) % 2 == 1).all()


def test_classes_take_turns(tmp_path: Path) -> None:
    packed = write_packed(tmp_path / "data.h5", 60, (1, 2, 2))
    labels = np.array([0] * 40 + [1] * 15 + [7] * 5)
    store = octavo.Store.from_arrays(packed.codes, labels, device="cpu")
    loader = sampled(store, balance="classes", batch_size=12, shuffle=True, seed=4)
    for epoch in range(3):
        shown = epoch_indices(loader, epoch)
        for step in range(len(loader)):
            assert np.bincount(labels[loader.indices(step)], minlength=8)[[0, 1, 7]].tolist() == [4, 4, 4]
        of_least = shown[labels[shown] == 7]
        assert len(of_least) == 20
        for turn in range(4):
            assert sorted(of_least[5 * turn : 5 * turn + 5]) == list(range(55, 60))
        of_most = shown[labels[shown] == 0]
        assert len(set(of_most)) == 20


def test_repeated_samples_are_augmented_differently(packed: Packed) -> None:
    loader = sampled(packed.path, repeats=3, batch_size=9, augment=augment.RandomCrop(padding=4), seed=1, shuffle=True)
    assert len(epoch_indices(loader)) == 3 * 47
    for step in range(3):
        rows = loader.indices(step)
        assert (rows.reshape(3, 3) == rows.reshape(3, 3)[:, :1]).all()
        images = loader[step][0].reshape(3, 3, -1)
        assert any((image[0] != image[1]).any() for image in images)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"indices": [1, 2, 1]}, "index 1 is given twice"),
        ({"indices": [1, 47]}, "index 47 does not exist"),
        ({"indices": [-1]}, "index -1 does not exist"),
        ({"indices": []}, "indices are not a list of whole numbers"),
        ({"indices": [0.5]}, "indices are not a list of whole numbers"),
        ({"indices": [True, False]}, "indices are a mask of shape"),
        ({"weights": np.zeros(47)}, "the sum of the weights is 0"),
        ({"weights": -np.ones(47)}, "a weight is negative"),
        ({"weights": np.full(47, np.nan)}, "a weight is negative or not finite"),
        ({"weights": np.ones(3)}, "weights has shape"),
        ({"weights": np.ones(47), "balance": "classes"}, "weights and groups cannot be combined"),
        ({"replacement": False}, "replacement is False, but there are no weights"),
        (
            {"weights": np.arange(47) % 2, "replacement": False, "samples_per_epoch": 24},
            "samples_per_epoch is 24, but only 23 samples have a weight above 0",
        ),
        ({"balance": "labels"}, "balance is 'labels'"),
        ({"balance": np.full(47, -1)}, "a group is negative"),
        ({"balance": np.full(47, 0.5)}, "balance has type float64; expected whole numbers"),
        ({"samples_per_epoch": 10}, "samples_per_epoch needs weights or groups"),
        ({"samples_per_epoch": 0, "balance": "classes"}, "samples_per_epoch is 0"),
        ({"repeats": 0}, "repeats is 0"),
        ({"repeats": 2, "shuffle": "blocks"}, 'sampling is not available with the order "blocks"'),
        ({"carry_over": True, "drop_last": True}, "drop_last and carry_over exclude each other"),
        ({"carry_over": True, "shuffle": "windows:9"}, 'carry_over is not available with the order "windows:9"'),
        ({"carry_over": True, "residency": "window", "window": 20}, "not available with the residency window"),
        ({"carry_over": True, "weights": lambda epoch: np.ones(47)}, "weights that change between epochs"),
        ({"indices": [1, 2], "batch_size": 3, "drop_last": True}, "batch_size 3 is larger than the 2 samples"),
    ],
    ids=lambda given: given if isinstance(given, str) else ", ".join(given),
)
def test_sampling_that_makes_no_sense_is_refused(packed: Packed, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sampled(packed.path, **{"batch_size": 1, **options})


def test_a_state_of_another_subset_is_refused(packed: Packed) -> None:
    state = sampled(packed.path, indices=range(20)).state_dict()
    with pytest.raises(ValueError, match="chooses other samples; pass the same indices"):
        sampled(packed.path, indices=range(1, 21)).load_state_dict(state)
    with pytest.raises(ValueError, match="chooses other samples; pass the same indices"):
        sampled(packed.path).load_state_dict(state)
    with pytest.raises(ValueError, match="chooses other samples; pass the same indices"):
        sampled(packed.path, indices=range(20)).load_state_dict(sampled(packed.path).state_dict())
