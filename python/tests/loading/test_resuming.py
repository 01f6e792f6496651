"""The protocol of docs/reference/resuming.md: every sequence of up to 6 calls, against a plain model."""

from __future__ import annotations

import dataclasses
import itertools
import threading
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from conftest import Packed, write_packed
from octavo._loading.place import Position

BATCHES = 2  # of an epoch
CALLS = ("iter", "next", "set_epoch 0", "set_epoch 1", "set_epoch 2", "count on", "save", "load")


@dataclasses.dataclass
class Model:
    """The table of the page, row by row."""

    epoch: int = 0
    step: int = 0
    state: str = "fresh"  # fresh, begun or restored
    offset: int = 0
    counted: tuple[int, int] | None = None
    iterator: list[int] | None = None  # epoch and next step of the newest iterator
    saved: tuple[int, int, int] = (0, 0, 0)

    def call(self, name: str) -> Any:
        if name == "iter":
            self.iterator = []
            return None
        if name == "next":
            return self.next()
        if name == "save":
            self.saved = (self.epoch, self.step, self.offset)
            return self.saved
        if name == "load":
            self.epoch, self.step, self.offset = self.saved
            self.state, self.counted = "restored", None
            self.iterator = None
            return None
        if name == "count on":
            number = 0 if self.counted is None else self.counted[0] + 1
            if self.state == "restored" or self.counted is None:
                return self.set_epoch(number)
            begun = self.state == "begun"
            self.go_to(max(self.counted[1] + 1, self.epoch + begun), number)
            return None
        return self.set_epoch(int(name[-1]))

    def next(self) -> tuple[int, int] | str:
        if self.iterator is None:
            return "no iterator"
        if not self.iterator:
            if self.state == "begun":
                self.epoch, self.step = self.epoch + 1, 0
            self.iterator, self.state = [self.epoch, self.step], "begun"
        epoch, step = self.iterator
        if step == BATCHES:
            self.epoch, self.step, self.state = epoch + 1, 0, "fresh"
            self.iterator = None
            return "end"
        self.iterator[1] = self.step = step + 1
        return epoch, step

    def set_epoch(self, number: int) -> None:
        if self.state != "restored":
            self.go_to(number - self.offset if number >= self.offset else number, number)
        elif self.step == BATCHES and number > self.epoch + self.offset:
            self.go_to(self.epoch + 1, number)
        else:
            self.offset = number - self.epoch
            self.counted = (number, self.epoch)

    def go_to(self, epoch: int, number: int) -> None:
        self.epoch, self.step, self.state, self.offset = epoch, 0, "fresh", number - epoch
        self.counted = (number, epoch)
        self.iterator = None


class Subject:
    """A position, with an iterator as loaders have it."""

    def __init__(self) -> None:
        self.position = Position(lambda epoch: BATCHES)
        self.iterator: list[int] | None = None
        self.saved = (0, 0, 0)
        self.last: int | None = None

    def call(self, name: str) -> Any:
        position = self.position
        if name == "iter":
            self.iterator = []
        elif name == "next":
            return self.next()
        elif name == "save":
            place = position.place
            self.saved = (place.epoch, place.step, place.offset)
            return self.saved
        elif name == "load":
            position.restore(*self.saved)
            self.iterator, self.last = None, None
        else:
            number = 0 if self.last is None else self.last + 1
            if name == "count on":
                position.count_epoch(number)
            else:
                number = int(name[-1])
                position.set_epoch(number)
            self.last = number
            if not position.place.is_restored:
                self.iterator = None
        return None

    def next(self) -> tuple[int, int] | str:
        if self.iterator is None:
            return "no iterator"
        if not self.iterator:
            number, _, place = self.position.begin()
            self.iterator = [number, place.epoch, place.step]
        number, epoch, step = self.iterator
        if step == BATCHES:
            self.position.finish(number)
            self.iterator = None
            return "end"
        self.position.advance(number, step)
        self.iterator[2] = step + 1
        return epoch, step


def test_all_sequences_of_six_calls_follow_the_table() -> None:
    for calls in itertools.product(CALLS, repeat=6):
        model, subject = Model(), Subject()
        for call in calls:
            expected, found = model.call(call), subject.call(call)
            place = subject.position.place
            assert (found, place.epoch, place.step, place.offset) == (
                expected, model.epoch, model.step, model.offset
            ), (calls, call)  # fmt: skip


def loader_of(data: Any, **options: Any) -> octavo.Loader:
    return octavo.Loader(data, **{"framework": "numpy", "device": "cpu", "batch_size": 10, "shuffle": True, **options})


class LoaderSubject:
    """A loader of two batches an epoch, which knows a batch by its labels."""

    def __init__(self, data: Any) -> None:
        self.loader = loader_of(data)
        self.iterator: Any = None
        self.last: int | None = None
        self.saved = self.loader.state_dict()

    def call(self, name: str, numbers: dict[tuple[int, ...], tuple[int, int]]) -> Any:
        if name == "iter":
            self.iterator = iter(self.loader)
        elif name == "next":
            if self.iterator is None:
                return "no iterator"
            batch = next(self.iterator, None)
            if batch is None:
                self.iterator = None
                return "end"
            return numbers[tuple(batch[1].tolist())]
        elif name == "save":
            self.saved = self.loader.state_dict()
            return self.saved["epoch"], self.saved["step"], self.saved.get("epoch_offset", 0)
        elif name == "load":
            self.loader.load_state_dict(self.saved)
            self.iterator, self.last = None, None
        else:
            if name == "count on":
                self.last = 0 if self.last is None else self.last + 1
                self.loader.sampler.set_epoch(self.last)
            else:
                self.last = int(name[-1])
                self.loader.set_epoch(self.last)
            if not self.loader._position.place.is_restored:
                self.iterator = None
        return None


@pytest.fixture(scope="module")
def two_batches(tmp_path_factory: pytest.TempPathFactory) -> octavo.Store:
    packed = write_packed(tmp_path_factory.mktemp("resuming") / "data.h5", 20, (1, 2, 2), classes=20)
    return octavo.Store(octavo.Dataset(packed.path)["train"], device="cpu")


def test_a_loader_follows_the_table(two_batches: octavo.Store) -> None:
    loader = loader_of(two_batches)
    numbers: dict[tuple[int, ...], tuple[int, int]] = {}
    for epoch in range(12):
        for step, (_, labels) in enumerate(loader):
            numbers[tuple(labels.tolist())] = (epoch, step)
    assert len(numbers) == 24
    for calls in itertools.product(CALLS, repeat=4):
        # Sequences of four calls in the middle of an epoch.
        model, subject = Model(), LoaderSubject(two_batches)
        for call in ("iter", "next", *calls):
            assert subject.call(call, numbers) == model.call(call), (calls, call)


@pytest.mark.parametrize("taken", range(8))
def test_a_resumed_loop_is_the_uninterrupted_one(two_batches: octavo.Store, taken: int) -> None:
    def batches(loader: octavo.Loader, count: Any, first: int, last: int, tell: str) -> Any:
        for number in range(first, last):
            if tell:
                (loader.sampler if tell == "sampler" else loader).set_epoch(number)
            for _, labels in loader:
                yield number, labels.tolist()
                next(count)

    for tell in ("", "loader", "sampler"):
        whole = list(batches(loader_of(two_batches), itertools.count(), 0, 4, tell))
        first = loader_of(two_batches)
        seen = list(itertools.islice(batches(first, itertools.count(), 0, 4, tell), taken))
        number = seen[-1][0] if seen else 0
        resumed = loader_of(two_batches)
        resumed.load_state_dict(first.state_dict())
        assert list(batches(resumed, itertools.count(), number, 4, tell)) == whole[taken:], tell


def test_an_epoch_of_the_framework_is_not_one_of_the_loader(two_batches: octavo.Store) -> None:
    whole = loader_of(two_batches)
    expected = [labels.tolist() for _ in range(4) for _, labels in whole]
    first = loader_of(two_batches)
    next(iter(first))
    resumed = loader_of(two_batches)
    resumed.load_state_dict(first.state_dict())
    found = []
    for number in (7, 8, 9):  # a framework that has counted seven epochs
        resumed.set_epoch(number)
        found += [labels.tolist() for _, labels in resumed]
    assert found == expected[1:6]
    state = resumed.state_dict()
    assert (state["epoch"], state["epoch_offset"]) == (3, 7)


def test_cycled_loaders_show_new_epochs(two_batches: octavo.Store) -> None:
    # As Lightning does with the shorter of two loaders: a second iteration before the framework counts on.
    whole = loader_of(two_batches)
    expected = [labels.tolist() for _ in range(6) for _, labels in whole]
    loader, found = loader_of(two_batches), []
    for number in range(2):
        loader.sampler.set_epoch(number)
        found += [labels.tolist() for _ in range(2) for _, labels in loader]
    assert found == expected[:8]


def test_threads_and_iterators_share_no_batch(two_batches: octavo.Store) -> None:
    expected = sorted(labels.tolist() for _ in range(3) for _, labels in loader_of(two_batches))[:2]
    assert expected
    for _ in range(20):
        loader, found = loader_of(two_batches, batch_size=1), []
        shared = iter(loader)

        def take(loader: octavo.Loader = loader, shared: Any = shared, found: list[int] = found) -> None:
            found.extend(int(labels[0]) for _, labels in shared)
            next(iter(loader))

        threads = [threading.Thread(target=take) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(found) == list(range(20))
        assert loader.epoch >= 3


def test_a_batch_that_failed_is_tried_again(two_batches: octavo.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    loader = loader_of(two_batches)
    expected = [labels.tolist() for _, labels in loader_of(two_batches)]
    real, failures = loader._batches._make, [True, False, True, False]

    def make(epoch: int, step: int) -> Any:
        if failures.pop(0):
            raise MemoryError
        return real(epoch, step)

    monkeypatch.setattr(loader._batches, "_make", make)
    batches = iter(loader)
    with pytest.raises(MemoryError):
        next(batches)
    assert (loader.epoch, loader.state_dict()["step"]) == (0, 0)
    found = [next(batches)[1].tolist()]
    with pytest.raises(MemoryError):
        next(batches)
    assert loader.state_dict()["step"] == 1
    assert [*found, next(batches)[1].tolist()] == expected


@pytest.mark.parametrize("carry_over", [False, True])
@pytest.mark.parametrize("ranks", [1, 2])
def test_another_batch_size_continues_with_the_next_sample(packed: Packed, carry_over: bool, ranks: int) -> None:
    def labels_of(loader: octavo.Loader, epochs: int) -> list[int]:
        return [label for _ in range(epochs) for _, labels in loader for label in labels.tolist()]

    options = {"carry_over": carry_over, "seed": 2}
    whole = labels_of(loader_of(packed.path, batch_size=1, **options), 7)
    for taken in range(12):
        first = loader_of(packed.path, **options)
        for _ in itertools.islice((batch for _ in range(4) for batch in first), taken):
            pass
        state = first.state_dict()
        resumed = [
            loader_of(packed.path, batch_size=6, rank=rank, world_size=ranks, **options) for rank in range(ranks)
        ]
        found: list[Any] = []
        if not carry_over and (47 - taken % 5 * 10) % 6 < ranks and taken % 5 > 0:
            with pytest.raises(ValueError, match="1 sample for 2 ranks"):
                resumed[0].load_state_dict(state)
            continue
        for loader in resumed:
            loader.load_state_dict(state)
            found.append([labels.tolist() for _ in range(2) for _, labels in loader])
        together = [label for parts in zip(*found, strict=True) for part in parts for label in part]
        served = min(taken * 10, 4 * 47) if carry_over else taken // 5 * 47 + taken % 5 * 10
        assert together == whole[served : served + len(together)]
        # It can be saved and restored again.
        again = loader_of(packed.path, **options)
        again.load_state_dict(resumed[0].state_dict())
        rest = labels_of(again, 1)
        assert rest == whole[served + len(together) :][: len(rest)]


def test_a_batch_of_another_size_is_drawn_as_it_is_made(packed: Packed) -> None:
    state = {**loader_of(packed.path).state_dict(), "step": 1}
    loader = loader_of(packed.path, batch_size=8)
    loader.load_state_dict(state)
    assert [len(labels) for _, labels in loader] == [8, 8, 8, 8, 5]
    loader.load_state_dict(state)
    step = loader.state_dict()["step"]
    assert loader.indices(step).tolist() == [sample.index for sample in loader.drawn(step)]
    np.testing.assert_array_equal(next(iter(loader))[0], loader[step][0])


def test_numbers_of_other_kinds_are_read(packed: Packed) -> None:
    loader = loader_of(packed.path)
    state = {**loader.state_dict(), "epoch": np.int64(1), "step": np.array(2), "drop_last": np.bool_(False)}
    loader.load_state_dict(state)
    assert (loader.epoch, loader.state_dict()["step"]) == (1, 2)


def test_a_pickled_loader_notices_other_data(tmp_path: Path) -> None:
    import pickle

    packed = write_packed(tmp_path / "a.h5", 20, (1, 2, 2))
    loader = loader_of(packed.path)
    next(iter(loader))
    pickled = pickle.dumps(loader)
    copy = pickle.loads(pickled)
    assert copy.state_dict() == loader.state_dict()
    np.testing.assert_array_equal(next(iter(copy))[0], next(iter(loader))[0])
    write_packed(tmp_path / "b.h5", 20, (1, 2, 2), classes=3).path.replace(tmp_path / "a.h5")
    with pytest.raises(ValueError, match="changed after it was pickled"):
        pickle.loads(pickled)
