"""What the tests of torchdata's StatefulDataLoader state about saving and resuming, stated of `octavo.Loader`."""

from __future__ import annotations

import copy
import io
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import octavo
import pytest
from numbered import COUNT, OPTIONS, SIZE, epochs_of, flat, numbers_in, write_numbers

torch = pytest.importorskip("torch")

BATCHES = 5
ORDERS: dict[str, dict[str, Any]] = {
    "in file order": {},
    "shuffled": {"shuffle": True},
    "in blocks": {"shuffle": "blocks"},
    "in windows": {"shuffle": "windows:12"},
    "without the last batch": {"shuffle": True, "drop_last": True},
    "carried over": {"shuffle": True, "carry_over": True},
    "weighted": {"weights": [1 + number % 3 for number in range(COUNT)]},
    "balanced": {"balance": [number % 4 for number in range(COUNT)]},
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> octavo.Store:
    path = write_numbers(tmp_path_factory.mktemp("torchdata") / "numbers.h5")
    return octavo.Store(octavo.Dataset(path)["train"], device="cpu")


def new_loader(data: Any, **options: Any) -> octavo.Loader:
    return octavo.Loader(data, **{**OPTIONS, "shuffle": True, **options})


def stream(loader: octavo.Loader, epochs: int) -> Iterator[tuple[int, list[int]]]:
    """The batches of several epochs, each with its number of the loop."""
    for epoch in range(epochs):
        for batch in loader:
            yield epoch, numbers_in(batch)


def rest(loader: octavo.Loader) -> list[list[int]]:
    """The batches of one iteration."""
    return [numbers_in(batch) for batch in loader]


# ---- A state at any step ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
def test_a_run_goes_on_after_any_batch_as_if_it_had_not_stopped(store: octavo.Store, order: str) -> None:
    whole = list(stream(new_loader(store, **ORDERS[order]), 3))
    assert len(whole) > 2 * (BATCHES - 1)
    for taken in range(len(whole)):
        first = new_loader(store, **ORDERS[order])
        assert list(itertools.islice(stream(first, 3), taken)) == whole[:taken]
        resumed = new_loader(store, **ORDERS[order])
        resumed.load_state_dict(first.state_dict())
        done = whole[taken - 1][0] if taken > 0 else 0
        assert list(stream(resumed, 3 - done)) == [(epoch - done, batch) for epoch, batch in whole[taken:]], taken


def test_augmented_batches_go_on_bit_by_bit(store: octavo.Store) -> None:
    options = {"augment": octavo.augment.ColorJitter(brightness=0.5), "views": 2}
    whole = list(new_loader(store, **options))
    assert not torch.equal(whole[0][0][:, 0], whole[0][0][:, 1])
    first = new_loader(store, **options)
    for taken, _ in enumerate(first, 1):
        resumed = new_loader(store, **options)
        resumed.load_state_dict(first.state_dict())
        found = list(resumed)
        assert len(found) == BATCHES - taken
        for (images, labels), (expected, expected_labels) in zip(found, whole[taken:], strict=True):
            assert torch.equal(images, expected)
            assert torch.equal(labels, expected_labels)


def test_a_state_from_before_the_first_batch_is_the_whole_epoch(store: octavo.Store) -> None:
    loader = new_loader(store)
    unused, opened = loader.state_dict(), iter(loader)
    with_iterator = loader.state_dict()
    expected = [numbers_in(batch) for batch in opened]
    for state in (unused, with_iterator):
        loader.load_state_dict(state)
        assert rest(loader) == expected


def test_a_state_can_be_restored_again_and_again(store: octavo.Store) -> None:
    loader = new_loader(store)
    start = loader.state_dict()
    seen = [numbers_in(batch) for batch in itertools.islice(loader, 3)]
    middle = loader.state_dict()
    for _ in range(2):
        loader.load_state_dict(middle)
        assert seen + rest(loader) == epochs_of(store, shuffle=True)[0]
    loader.load_state_dict(start)
    assert rest(loader) == epochs_of(store, shuffle=True)[0]


def test_a_state_can_be_saved_right_after_one_is_restored(store: octavo.Store) -> None:
    expected = epochs_of(store, shuffle=True)[0]
    loader = new_loader(store)
    next(iter(loader))
    for step in (1, 2, 3):
        state = loader.state_dict()
        loader = new_loader(store)
        loader.load_state_dict(state)
        assert loader.state_dict() == state
        assert numbers_in(next(iter(loader))) == expected[step]
    loader.load_state_dict(loader.state_dict())
    assert rest(loader) == expected[4:]


# ---- The end of an epoch ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shuffle", [False, True])
def test_a_state_of_a_finished_epoch_begins_the_next_one(store: octavo.Store, shuffle: bool) -> None:
    loader = new_loader(store, shuffle=shuffle)
    first = rest(loader)
    state = loader.state_dict()
    second = rest(loader)
    assert sorted(flat(second)) == sorted(flat(first)) == list(range(COUNT))
    assert (first != second) == shuffle
    resumed = new_loader(store, shuffle=shuffle)
    resumed.load_state_dict(state)
    assert rest(resumed) == second


def test_after_the_last_batch_nothing_of_the_epoch_is_left(store: octavo.Store) -> None:
    loader = new_loader(store)
    for _ in zip(range(BATCHES), loader, strict=False):
        pass
    resumed = new_loader(store)
    resumed.load_state_dict(loader.state_dict())
    assert rest(resumed) == []
    assert rest(resumed) == epochs_of(store, 2, shuffle=True)[1]


def test_a_finished_state_is_restored_while_an_iterator_is_open(store: octavo.Store) -> None:
    loader = new_loader(store)
    rest(loader)
    finished = loader.state_dict()
    other = new_loader(store)
    opened = iter(other)
    next(opened), next(opened)
    other.load_state_dict(finished)
    assert rest(other) == epochs_of(store, 2, shuffle=True)[1]


def test_the_length_is_that_of_a_whole_epoch_after_resuming(store: octavo.Store) -> None:
    loader = new_loader(store)
    for _ in itertools.islice(loader, 3):
        pass
    resumed = new_loader(store)
    resumed.load_state_dict(loader.state_dict())
    assert len(resumed) == BATCHES
    assert len(rest(resumed)) == 2
    assert len(resumed) == len(rest(resumed)) == BATCHES


# ---- Several iterators and loaders -----------------------------------------------------------------------------------


def test_the_state_is_that_of_the_newest_iterator(store: octavo.Store) -> None:
    first, second = epochs_of(store, 2, shuffle=True)
    loader = new_loader(store)
    old, new = iter(loader), iter(loader)
    assert [numbers_in(next(old)), numbers_in(next(old))] == first[:2]
    assert numbers_in(next(new)) == second[0]
    assert numbers_in(next(old)) == first[2]  # the old one goes on, but does not move the state
    resumed = new_loader(store)
    resumed.load_state_dict(loader.state_dict())
    assert rest(resumed) == second[1:]


def test_an_iterator_that_is_not_used_does_not_count(store: octavo.Store) -> None:
    loader = new_loader(store)
    before = loader.state_dict()
    for _ in range(3):
        iter(loader)
    assert loader.state_dict() == before
    assert rest(loader) == epochs_of(store, shuffle=True)[0]


def test_an_iterator_from_before_restoring_does_not_move_the_state(store: octavo.Store) -> None:
    loader = new_loader(store)
    opened = iter(loader)
    next(opened)
    state = loader.state_dict()
    loader.load_state_dict(state)
    for _ in opened:
        pass
    assert loader.state_dict() == state
    assert rest(loader) == epochs_of(store, shuffle=True)[0][1:]


def test_a_loop_that_was_left_is_not_continued(store: octavo.Store) -> None:
    loader = new_loader(store)
    for _ in itertools.islice(loader, 2):
        pass
    assert rest(loader) == epochs_of(store, 2, shuffle=True)[1]


def test_an_exhausted_iterator_stays_exhausted(store: octavo.Store) -> None:
    loader = new_loader(store)
    iterator = iter(loader)
    assert len(list(iterator)) == BATCHES
    state = loader.state_dict()
    for _ in range(3):
        assert next(iterator, None) is None
    assert loader.state_dict() == state


def test_two_loaders_of_one_store_keep_states_of_their_own(store: octavo.Store) -> None:
    loaders = [new_loader(store, seed=seed) for seed in (1, 2)]
    expected = [epochs_of(store, shuffle=True, seed=seed)[0] for seed in (1, 2)]
    iterators = [iter(loader) for loader in loaders]
    for step in range(3):
        for iterator, batches in zip(iterators, expected, strict=True):
            assert numbers_in(next(iterator)) == batches[step]
    numbers_in(next(iterators[0]))
    states = [loader.state_dict() for loader in loaders]
    assert [state["step"] for state in states] == [4, 3]
    for loader, state, batches in zip(loaders, states, expected, strict=True):
        loader.load_state_dict(state)
        assert rest(loader) == batches[state["step"] :]


# ---- What a state is -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
def test_a_state_survives_json(store: octavo.Store, order: str) -> None:
    loader = new_loader(store, **ORDERS[order])
    rest(loader)
    iterator = iter(loader)
    next(iterator), next(iterator)
    state = loader.state_dict()
    text = json.dumps(state)
    expected = [numbers_in(batch) for batch in iterator]
    resumed = new_loader(store, **ORDERS[order])
    resumed.load_state_dict(json.loads(text))
    assert rest(resumed) == expected
    assert json.loads(text) == state


def test_a_state_is_a_checkpoint_of_plain_values(store: octavo.Store) -> None:
    loader = new_loader(store)
    next(iter(loader))
    file = io.BytesIO()
    torch.save(loader.state_dict(), file)
    file.seek(0)
    resumed = new_loader(store)
    resumed.load_state_dict(torch.load(file, weights_only=True))
    assert rest(resumed) == epochs_of(store, shuffle=True)[0][1:]


def test_a_saved_state_does_not_change_later(store: octavo.Store) -> None:
    loader = new_loader(store)
    iterator = iter(loader)
    next(iterator)
    state = loader.state_dict()
    kept = copy.deepcopy(state)
    next(iterator)
    assert loader.state_dict() != kept
    loader.load_state_dict(state)
    rest(loader)
    assert state == kept


def test_saving_a_state_changes_nothing(store: octavo.Store) -> None:
    loader, found = new_loader(store), []
    for _ in range(2):
        for batch in loader:
            assert loader.state_dict() == loader.state_dict()
            found.append(numbers_in(batch))
        loader.state_dict()
    assert found == flat(epochs_of(store, 2, shuffle=True))


@pytest.mark.parametrize(
    ("changed", "named"),
    [({"seed": 4}, "seed"), ({"shuffle": False}, "shuffle"), ({"drop_last": True}, "drop_last"), ({"repeats": 2}, "")],
)
def test_a_state_of_another_order_is_refused_and_changes_nothing(
    store: octavo.Store, changed: dict[str, Any], named: str
) -> None:
    other = new_loader(store, **changed)
    next(iter(other))
    loader = new_loader(store)
    next(iter(loader))
    before = loader.state_dict()
    with pytest.raises(ValueError, match=named or "chooses other samples"):
        loader.load_state_dict(other.state_dict())
    assert loader.state_dict() == before
    assert rest(loader) == epochs_of(store, 2, shuffle=True)[1]


def test_a_state_of_other_samples_is_refused(store: octavo.Store, tmp_path: Path) -> None:
    other = new_loader(write_numbers(tmp_path / "other.h5", val=1, train=COUNT))  # as many samples, each one larger
    with pytest.raises(ValueError, match="it is from other samples"):
        new_loader(store).load_state_dict(other.state_dict())


def test_a_copy_of_a_loader_continues_on_its_own(store: octavo.Store, tmp_path: Path) -> None:
    import pickle

    loader = new_loader(write_numbers(tmp_path / "numbers.h5"))
    iterator = iter(loader)
    next(iterator)
    twin = pickle.loads(pickle.dumps(loader))
    next(iterator)
    assert twin.state_dict()["step"] == 1
    twin.load_state_dict(twin.state_dict())
    assert rest(twin) == epochs_of(store, shuffle=True)[0][1:]


# ---- Compared with a DataLoader --------------------------------------------------------------------------------------


@pytest.mark.parametrize("drop_last", [False, True])
def test_batches_in_file_order_are_those_of_a_data_loader(store: octavo.Store, drop_last: bool) -> None:
    numbers = torch.arange(COUNT)
    images = (numbers.double() / 255).float().reshape(-1, 1, 1, 1).expand(-1, 1, 4, 4)
    data = torch.utils.data.TensorDataset(images, numbers)
    reference = list(torch.utils.data.DataLoader(data, batch_size=SIZE, drop_last=drop_last))
    loader = new_loader(store, shuffle=False, drop_last=drop_last)
    assert len(loader) == len(reference)
    for (images, labels), (expected, expected_labels) in zip(loader, reference, strict=True):
        torch.testing.assert_close(images, expected, rtol=1e-6, atol=0)
        assert torch.equal(labels, expected_labels)
        assert (images.dtype, labels.dtype) == (expected.dtype, expected_labels.dtype)


def test_the_order_does_not_depend_on_random_numbers_of_the_program(store: octavo.Store) -> None:
    options = {"augment": octavo.augment.ColorJitter(brightness=0.5)}
    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = [(images.clone(), labels) for images, labels in new_loader(store, **options)]
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    for (images, labels), (expected, expected_labels) in zip(new_loader(store, **options), first, strict=True):
        assert torch.equal(images, expected)
        assert torch.equal(labels, expected_labels)


def test_workers_are_refused_when_the_loader_is_created(store: octavo.Store) -> None:
    # torchdata refuses a state from another number of workers; a loader has none.
    with pytest.raises(TypeError, match="num_workers"):
        new_loader(store, num_workers=2)
