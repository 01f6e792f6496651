"""What the tests of Grain and LitData state about resuming with other batch sizes and ranks, of `octavo.Loader`."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import octavo
import pytest
from numbered import COUNT, OPTIONS, epochs_of, flat, numbers_in, write_numbers

np = pytest.importorskip("numpy")

#: Legs of a run: batch size, ranks and batches until it stops. All fit into the first epoch.
LEGS = [(10, 1, 2), (6, 2, 2), (8, 3, 1)]
ORDERS: dict[str, dict[str, Any]] = {
    "in file order": {"shuffle": False},
    "shuffled": {"shuffle": True},
    "in windows": {"shuffle": "windows:12"},
    "without the last batch": {"shuffle": True, "drop_last": True},
    "weighted": {"weights": [1 + number % 3 for number in range(COUNT)]},
    "weighted without replacement": {"weights": [1 + number % 3 for number in range(COUNT)], "replacement": False},
    "balanced": {"balance": [number % 4 for number in range(COUNT)]},
    "some of them": {"indices": list(range(1, COUNT)), "shuffle": True},
    "repeated": {"repeats": 2, "shuffle": True},
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_numbers(tmp_path_factory.mktemp("grain") / "numbers.h5")


@pytest.fixture(scope="module")
def store(path: Path) -> octavo.Store:
    return octavo.Store(octavo.Dataset(path)["train"], device="cpu")


def new_loader(data: Any, **options: Any) -> octavo.Loader:
    return octavo.Loader(data, **{**OPTIONS, "framework": "numpy", **options})


def ranks_of(data: Any, world_size: int, state: dict[str, Any] | None = None, **options: Any) -> list[octavo.Loader]:
    """The loaders of all ranks, which continue at a state."""
    loaders = [new_loader(data, rank=rank, world_size=world_size, **options) for rank in range(world_size)]
    for loader in loaders:
        if state is not None:
            loader.load_state_dict(json.loads(json.dumps(state)))
    return loaders


def batches_of(loaders: list[octavo.Loader], count: int | None = None) -> list[list[int]]:
    """The numbers in the whole batches of an iteration, of the parts of all ranks."""
    shares = [[numbers_in(batch) for batch in itertools.islice(loader, count)] for loader in loaders]
    return [flat(parts) for parts in zip(*shares, strict=True)]


# ---- Other batch sizes and ranks -------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
def test_a_run_over_several_batch_sizes_and_ranks_shows_each_sample_in_its_order(
    store: octavo.Store, order: str
) -> None:
    options = ORDERS[order]
    epoch = flat(epochs_of(store, **{**options, "batch_size": 1, "drop_last": False})[0])
    found: list[int] = []
    state = None
    for batch_size, world_size, count in LEGS:
        loaders = ranks_of(store, world_size, state, batch_size=batch_size, **options)
        batches = batches_of(loaders, count)
        assert [len(batch) for batch in batches] == [batch_size] * count
        found += flat(batches)
        states = [loader.state_dict() for loader in loaders]
        state = states[0]
        assert all(other == state for other in states), "ranks save different places"
    assert found == epoch[: len(found)]
    last = flat(batches_of(ranks_of(store, 2, state, batch_size=7, **options)))
    missing = epoch[len(found) + len(last) :]
    assert found + last + missing == epoch
    assert len(missing) < 7 if options.get("drop_last") else not missing


@pytest.mark.parametrize("taken", range(6))
@pytest.mark.parametrize("batch_size", [1, 7, 10, 46, 47, 100])
def test_another_batch_size_shows_the_rest_of_the_epoch_once(store: octavo.Store, taken: int, batch_size: int) -> None:
    expected = epochs_of(store, 2, shuffle=True, batch_size=1)
    first = new_loader(store, shuffle=True)
    for _ in zip(range(taken), first, strict=False):
        pass
    resumed = new_loader(store, shuffle=True, batch_size=batch_size)
    resumed.load_state_dict(first.state_dict())
    assert flat(batches_of([resumed])) == flat(expected[0])[taken * 10 :]
    assert flat(batches_of([resumed])) == flat(expected[1])


@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 1), (2, 3), (4, 3), (3, 7)])
def test_another_number_of_ranks_makes_the_same_batches(store: octavo.Store, before: int, after: int) -> None:
    whole = epochs_of(store, 2, shuffle=True)
    for taken in range(1, 5):
        loaders = ranks_of(store, before, shuffle=True)
        assert batches_of(loaders, taken) == whole[0][:taken]
        for loader in loaders:  # a state of any rank will do
            resumed = ranks_of(store, after, loader.state_dict(), shuffle=True)
            assert batches_of(resumed) == whole[0][taken:]
            assert batches_of(resumed) == whole[1]


def test_samples_carried_over_are_one_stream(store: octavo.Store) -> None:
    stream = flat(flat(epochs_of(store, 6, shuffle=True, carry_over=True, batch_size=1)))
    assert [sorted(stream[at : at + COUNT]) for at in range(0, 3 * COUNT, COUNT)] == [list(range(COUNT))] * 3
    found: list[int] = []
    state = None
    for batch_size, world_size, count in [(10, 1, 3), (9, 3, 1), (12, 2, 2), (13, 1, None), (7, 3, 3)]:
        loaders = ranks_of(store, world_size, state, batch_size=batch_size, shuffle=True, carry_over=True)
        batches = batches_of(loaders, count)
        assert all(len(batch) == batch_size for batch in batches)
        found += flat(batches)
        state = loaders[0].state_dict()
    assert len(found) > 2 * COUNT
    assert found == stream[: len(found)]


def test_samples_carried_over_go_on_with_a_smaller_batch_size_between_epochs(store: octavo.Store) -> None:
    stream = flat(flat(epochs_of(store, 3, shuffle=True, carry_over=True, batch_size=1)))
    first = new_loader(store, shuffle=True, carry_over=True)
    found = flat(batches_of([first]))
    assert len(found) == 40  # 7 samples are left for the next batch
    resumed = new_loader(store, shuffle=True, carry_over=True, batch_size=3)
    resumed.load_state_dict(first.state_dict())
    found += flat(batches_of([resumed])) + flat(batches_of([resumed]))
    assert len(found) > COUNT
    assert found == stream[: len(found)]


def test_augmentation_of_a_sample_does_not_depend_on_batch_size_or_ranks(store: octavo.Store) -> None:
    options = {"shuffle": True, "augment": octavo.augment.ColorJitter(brightness=0.5)}
    whole = np.concatenate([images for images, _ in new_loader(store, **options)])
    assert not np.array_equal(whole, np.concatenate([images for images, _ in new_loader(store, shuffle=True)]))
    first = new_loader(store, **options)
    for _ in itertools.islice(first, 2):
        pass
    loaders = ranks_of(store, 2, first.state_dict(), batch_size=7, **options)
    parts = [images for shares in zip(*loaders, strict=True) for images, _ in shares]
    np.testing.assert_array_equal(np.concatenate(parts), whole[20:])


def test_blocks_keep_their_batch_size_and_change_their_ranks(store: octavo.Store) -> None:
    whole = epochs_of(store, shuffle="blocks")[0]
    first = new_loader(store, shuffle="blocks")
    for _ in itertools.islice(first, 2):
        pass
    with pytest.raises(ValueError, match="batch_size"):
        new_loader(store, shuffle="blocks", batch_size=6).load_state_dict(first.state_dict())
    assert batches_of(ranks_of(store, 3, first.state_dict(), shuffle="blocks")) == whole[2:]


def test_a_resumed_run_resumes_with_its_first_batch_size(store: octavo.Store) -> None:
    # Places that are no multiples of the batch size, twice in one epoch; later epochs are divided as usual.
    whole = epochs_of(store, 3, shuffle=True)
    first = new_loader(store, shuffle=True)
    for _ in itertools.islice(first, 1):
        pass
    second = new_loader(store, shuffle=True, batch_size=7)
    second.load_state_dict(first.state_dict())
    for _ in itertools.islice(second, 2):
        pass
    third = new_loader(store, shuffle=True)
    third.load_state_dict(second.state_dict())
    rest = batches_of([third])
    assert flat(rest) == flat(whole[0])[24:]
    assert sorted(len(batch) for batch in rest) == [3, 10, 10]
    again = [batches_of([third]) for _ in range(2)]
    assert [flat(batches) for batches in again] == [flat(batches) for batches in whole[1:]]


# ---- Ranks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("world_size", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("drop_last", [False, True])
def test_ranks_share_an_epoch_without_loss_or_repetition(store: octavo.Store, world_size: int, drop_last: bool) -> None:
    loaders = ranks_of(store, world_size, shuffle=True, drop_last=drop_last)
    assert {len(loader) for loader in loaders} == {4 if drop_last else 5}
    shares = [[numbers_in(batch) for batch in loader] for loader in loaders]
    assert {len(batches) for batches in shares} == {4 if drop_last else 5}
    served = sorted(flat(flat(shares)))
    assert len(served) == len(set(served)) == (40 if drop_last else COUNT)
    sizes = [[len(batch) for batch in batches] for batches in shares]
    assert all(max(parts) - min(parts) <= 1 for parts in zip(*sizes, strict=True))


@pytest.mark.parametrize("world_size", [2, 3, 4, 6, 12])
def test_equal_shares_repeat_samples_of_their_own_batch_only(store: octavo.Store, world_size: int) -> None:
    whole = epochs_of(store, shuffle=True, batch_size=12)[0]  # the last batch has 11 samples
    loaders = ranks_of(store, world_size, shuffle=True, equal_shares=True, batch_size=12)
    for step, parts in enumerate(zip(*loaders, strict=True)):
        numbers = [numbers_in(part) for part in parts]
        assert {len(part) for part in numbers} == {-(-len(whole[step]) // world_size)}
        joined = flat(numbers)
        assert joined[: len(whole[step])] == whole[step]
        assert set(joined) == set(whole[step])
        assert sum(loader.share.own for loader in loaders) == len(whole[step])


def test_a_last_batch_that_ranks_cannot_share_is_refused_before_training(tmp_path: Path) -> None:
    # Grain and LitData leave samples out or give such a rank nothing, which stops collective operations.
    path = write_numbers(tmp_path / "few.h5", train=9)
    with pytest.raises(ValueError, match="1 sample for 4 ranks"):
        ranks_of(path, 4, batch_size=4)
    for options, expected in ({"drop_last": True}, list(range(8))), ({"equal_shares": True}, [*range(9), 8, 8, 8]):
        assert flat(batches_of(ranks_of(path, 4, batch_size=4, **options))) == expected


def test_a_place_whose_rest_ranks_cannot_share_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    path = write_numbers(tmp_path / "few.h5", train=12)
    first = new_loader(path, batch_size=7)
    next(iter(first))  # five samples are left: one batch of four, and one of a single sample
    resumed = ranks_of(path, 2, batch_size=4)
    before = resumed[0].state_dict()
    with pytest.raises(ValueError, match="1 sample for 2 ranks"):
        resumed[0].load_state_dict(first.state_dict())
    assert resumed[0].state_dict() == before
    assert batches_of(resumed) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


# ---- States ----------------------------------------------------------------------------------------------------------


def test_each_epoch_is_another_permutation(store: octavo.Store) -> None:
    epochs = [flat(epoch) for epoch in epochs_of(store, 5, shuffle=True)]
    assert all(sorted(epoch) == list(range(COUNT)) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) == 5
    assert epochs == [flat(epoch) for epoch in epochs_of(store, 5, shuffle=True)]
    assert epochs[0] != flat(epochs_of(store, 1, shuffle=True, seed=4)[0])


def test_a_state_can_be_restored_backward_and_forward(store: octavo.Store) -> None:
    whole = epochs_of(store, 2, shuffle=True)
    loader, states = new_loader(store, shuffle=True), []
    for _ in range(2):
        states.append(loader.state_dict())
        for _ in loader:
            states.append(loader.state_dict())
    assert len(states) == 12
    for at in (7, 2, 9, 0, 5, 11, 6):
        loader.load_state_dict(states[at])
        assert batches_of([loader]) == whole[at // 6][at % 6 :], at


@pytest.mark.parametrize("residency", ["streamed", "hybrid", "device"])
def test_batches_that_were_read_ahead_do_not_count(path: Path, residency: str) -> None:
    whole = epochs_of(path, 2, shuffle=True)
    options = {"shuffle": True, "residency": residency, "prefetch": 4}
    if residency == "hybrid":
        options["resident"] = 20
    with new_loader(path, **options) as first, new_loader(path, **options) as resumed:
        for taken, batch in enumerate(first, 1):
            assert numbers_in(batch) == whole[0][taken - 1]
            resumed.load_state_dict(first.state_dict())
            assert batches_of([resumed]) == whole[0][taken:]
            assert batches_of([resumed]) == whole[1]


def test_a_state_restores_on_another_residency(path: Path) -> None:
    whole = epochs_of(path, shuffle=True)[0]
    with new_loader(path, shuffle=True, residency="streamed") as first:
        for _ in itertools.islice(first, 2):
            pass
        state = first.state_dict()
    with new_loader(path, shuffle=True, residency="device") as resumed:
        resumed.load_state_dict(state)
        assert batches_of([resumed]) == whole[2:]


def test_a_state_of_other_samples_is_refused_with_its_difference(store: octavo.Store, tmp_path: Path) -> None:
    state = new_loader(store, shuffle=True).state_dict()
    other = write_numbers(tmp_path / "other.h5", train=COUNT - 1)
    for data, options, named in [
        (other, {}, "sample"), (store, {"seed": 5}, "seed"), (store, {"shuffle": "windows:12"}, "shuffle"),
        (store, {"indices": [1, 2, 3]}, "indices"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=named):
            new_loader(data, **{"shuffle": True, **options}).load_state_dict(state)


@pytest.mark.parametrize("broken", [{"step": 9}, {"step": -1}, {"epoch": -1}, {"step": "two"}, {"step": None}])
def test_a_place_that_does_not_exist_is_refused(store: octavo.Store, broken: dict[str, Any]) -> None:
    loader = new_loader(store, shuffle=True)
    state = loader.state_dict()
    with pytest.raises(ValueError, match="state"):
        loader.load_state_dict({**state, **broken})
    with pytest.raises(ValueError, match="state"):
        loader.load_state_dict({})
    assert loader.state_dict() == state


# ---- Processes -------------------------------------------------------------------------------------------------------


def served(folder: Path, batch_size: int, count: int | None, state: dict[str, Any] | None, grouped: bool) -> Any:
    """The batches of a loader that learns its ranks from torch.distributed, and its state after them."""
    from torch import distributed

    loader = new_loader(folder / "numbers.h5", shuffle=True, batch_size=batch_size)  # made before the ranks are known
    if grouped:
        distributed.init_process_group("gloo")
    if state is not None:
        loader.load_state_dict(state)
    found = [numbers_in(batch) for batch in itertools.islice(loader, count)], loader.state_dict()
    if grouped:
        distributed.destroy_process_group()
    return found


def test_processes_resume_the_run_of_another_number_of_processes(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    if not torch.distributed.is_available():
        pytest.skip("this torch has no torch.distributed")
    from processes import run_ranks

    path = write_numbers(tmp_path / "numbers.h5")
    found, state = served(tmp_path, 10, 1, None, False)
    ranks = run_ranks(served, tmp_path, 8, 2, state, True)
    found += [flat(parts) for parts in zip(*(batches for batches, _ in ranks), strict=True)]
    assert [len(batch) for batch in found] == [10, 8, 8]
    assert ranks[0][1] == ranks[1][1]
    rest, _ = served(tmp_path, 6, None, ranks[1][1], False)
    assert flat(found + rest) == flat(epochs_of(path, shuffle=True)[0])
