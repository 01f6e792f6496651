"""What the tests of Keras state about its data adapters, of `octavo.keras.Dataset` on each backend.

The backend of a process is fixed when Keras is imported, so each backend runs this file as a program that prints what
it observed; the tests compare that with the loader alone. The program and the tests are both below.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import octavo
import pytest
from numbered import COUNT, OPTIONS, epochs_of, numbers_in, write_numbers

np = pytest.importorskip("numpy")

BACKENDS = ("torch", "jax", "tensorflow")
BATCHES = 5
VAL = 23


def new_loader(path: Path, split: str = "train", **options: Any) -> octavo.Loader:
    return octavo.Loader(path, split, **{**OPTIONS, "framework": "numpy", "shuffle": split == "train", **options})


def value_of(number: int) -> int:
    """The loss of a sample: its label squared plus its pixel, so the sum over a batch shows which samples it has."""
    return number * number + number


# ---- The program -----------------------------------------------------------------------------------------------------


class Observer:
    """Trains a model whose loss reveals the samples of each batch, and whose weights stay."""

    def __init__(self, keras: Any, path: Path) -> None:
        self.keras, self.path = keras, path
        self.dataset = importlib.import_module("octavo.keras").Dataset

    def data(self, split: str = "train", **options: Any) -> Any:
        return self.dataset(new_loader(self.path, split, **options))

    def model(self) -> Any:
        keras = self.keras

        def loss(labels: Any, outputs: Any) -> Any:
            labels = keras.ops.cast(keras.ops.reshape(labels, (-1,)), "float32")
            return labels * labels + keras.ops.reshape(outputs, (-1,)) * (255 / 16)

        layers = [keras.layers.Flatten(), keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")]
        model = keras.Sequential(layers)
        model.compile(optimizer=keras.optimizers.SGD(0.0), loss=loss)
        return model

    def fit(self, train: Any, val: Any = None, model: Any = None, sizes: Any = None, **options: Any) -> Any:
        """The sums of the values of each batch, for each epoch of training and of validation."""
        seen: dict[str, list[list[float]]] = {"train": [], "val": []}

        class Watcher(self.keras.callbacks.Callback):
            def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
                seen["train"].append([])

            def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
                seen["train"][-1].append(float(logs["loss"]))

            def on_test_begin(self, logs: Any = None) -> None:
                seen["val"].append([])

            def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
                seen["val"][-1].append(float(logs["loss"]))

        history = (model or self.model()).fit(
            train, validation_data=val, verbose=0, callbacks=[Watcher()], **{"epochs": 2, **options}
        )
        return {**seen, "losses": history.history}


def observe(path: Path) -> dict[str, Any]:
    """What Keras saw of the loaders, in plain values."""
    import keras

    observer = Observer(keras, path)
    data, fit = observer.data, observer.fit
    found: dict[str, Any] = {"backend": keras.backend.backend()}
    found["lengths"] = [
        len(data(**options)) for options in ({}, {"drop_last": True}, {"batch_size": 47}, {"carry_over": True})
    ]

    train = data()
    found["epochs"] = fit(train)["train"]
    found["second fit"] = fit(train)["train"]
    found["in file order"] = fit(data(shuffle=False), shuffle=True)["train"]
    found["without the last batch"] = fit(data(drop_last=True))["train"]
    found["shuffle=False"] = fit(data(), shuffle=False)["train"]
    found["with validation"] = fit(data(), data("val"))
    found["limited"] = fit(data(), data("val"), epochs=4, steps_per_epoch=2, validation_steps=2)
    found["carried over"] = fit(data(carry_over=True), epochs=3)["train"]
    found["named"] = fit(data(keys=("pixels", "numbers")))["train"]
    try:
        data().workers = 3
    except ValueError as error:
        found["with workers"] = str(error)
    found["from epoch 1"] = fit(data(), initial_epoch=1, epochs=3)["train"]

    first = new_loader(path)
    fit(observer.dataset(first), epochs=1)
    state = json.loads(json.dumps(first.state_dict()))
    resumed = new_loader(path)
    resumed.load_state_dict(state)
    try:
        found["resumed"] = fit(observer.dataset(resumed), epochs=2)["train"]
    except Exception as error:
        found["resumed"] = repr(error)

    keras.utils.set_random_seed(1)
    layers = [keras.layers.Flatten(), keras.layers.Dense(3, activation="tanh"), keras.layers.Dense(1)]
    model = keras.Sequential(layers)
    model.compile(optimizer="sgd", loss="mse", metrics=["mae"])
    batches = list(new_loader(path, "val"))
    images, labels = (np.concatenate(parts) for parts in zip(*batches, strict=True))
    val = data("val")
    found["scores"] = [model.evaluate(val, verbose=0) for _ in range(2)]
    found["scores of arrays"] = model.evaluate(images, labels, batch_size=10, verbose=0)
    found["scores of 2 steps"] = [model.evaluate(val, steps=2, verbose=0) for _ in range(2)]
    found["scores after 2 steps"] = model.evaluate(val, verbose=0)
    found["scores of 20"] = model.evaluate(images[:20], labels[:20], batch_size=10, verbose=0)
    found["predictions"] = [model.predict(val, verbose=0).ravel().tolist() for _ in range(2)]
    found["predictions of arrays"] = model.predict(images, batch_size=10, verbose=0).ravel().tolist()

    # Training on a loader is training on its arrays.
    weights = model.get_weights()
    model.fit(data("val"), epochs=2, verbose=0)
    found["trained"] = [part.ravel().tolist() for part in model.get_weights()]
    model.set_weights(weights)
    model.compile(optimizer="sgd", loss="mse", metrics=["mae"])
    model.fit(images, labels, batch_size=10, epochs=2, shuffle=False, verbose=0)
    found["trained on arrays"] = [part.ravel().tolist() for part in model.get_weights()]

    closed = new_loader(path)
    of_closed = observer.dataset(closed)
    closed.close()
    try:
        fit(of_closed)
        found["error"] = ""
    except Exception as error:
        found["error"] = str(error)
    return found


# ---- The tests -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_numbers(tmp_path_factory.mktemp("keras") / "numbers.h5", train=COUNT, val=VAL)


@pytest.fixture(scope="module")
def programs(path: Path) -> Iterator[dict[str, Any]]:
    """The program on each backend that is installed; they run at the same time."""
    running = {}
    for backend in BACKENDS:
        # Importing Keras here would fix the backend of this process.
        if all(importlib.util.find_spec(name) is not None for name in ("keras", backend)):
            environment = {
                **os.environ, "KERAS_BACKEND": backend, "CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu",
                "TF_CPP_MIN_LOG_LEVEL": "3",
            }  # fmt: skip
            command = [sys.executable, __file__, str(path)]
            running[backend] = subprocess.Popen(
                command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
    yield running
    for process in running.values():
        process.kill()
        process.communicate()


@pytest.fixture(scope="module", params=BACKENDS)
def found(request: pytest.FixtureRequest, programs: dict[str, Any]) -> dict[str, Any]:
    """What the program observed on a backend."""
    if request.param not in programs:
        pytest.skip(f"could not find keras and {request.param}")
    output, errors = programs[request.param].communicate(timeout=200)
    assert programs[request.param].returncode == 0, errors
    observed: dict[str, Any] = json.loads(output.splitlines()[-1])
    assert observed["backend"] == request.param
    return observed


def sums_of(epochs: Any) -> list[list[int]]:
    """The sums of the values of the samples of each batch."""
    return [[sum(value_of(number) for number in batch) for batch in epoch] for epoch in epochs]


def assert_batches(found: list[list[float]], expected: list[list[list[int]]]) -> None:
    """Checks the running means of the loss that Keras reports against the batches that it should have seen."""
    means = []
    for epoch in expected:
        total = samples = 0
        means.append([])
        for batch in epoch:
            total += sum(value_of(number) for number in batch)
            samples += len(batch)
            means[-1].append(total / samples)
    assert [len(epoch) for epoch in found] == [len(epoch) for epoch in means]
    for epoch, wanted in zip(found, means, strict=True):
        assert epoch == pytest.approx(wanted, rel=1e-5)


def test_values_of_batches_differ(path: Path) -> None:
    sums = [total for epoch in sums_of(epochs_of(path, 4, shuffle=True)) for total in epoch]
    assert len(set(sums)) == len(sums)


def test_lengths_are_those_of_the_loader(found: dict[str, Any]) -> None:
    assert found["lengths"] == [5, 4, 1, 5]


def test_each_epoch_is_one_of_the_loader(found: dict[str, Any], path: Path) -> None:
    assert_batches(found["epochs"], epochs_of(path, 2, shuffle=True))


def test_a_second_fit_goes_on_with_new_epochs(found: dict[str, Any], path: Path) -> None:
    assert_batches(found["second fit"], epochs_of(path, 4, shuffle=True)[2:])


def test_the_order_is_that_of_the_loader_whatever_fit_is_told(found: dict[str, Any], path: Path) -> None:
    assert_batches(found["in file order"], epochs_of(path, 2))
    assert_batches(found["shuffle=False"], epochs_of(path, 2, shuffle=True))


def test_the_last_batch_is_dropped_as_by_the_loader(found: dict[str, Any], path: Path) -> None:
    assert_batches(found["without the last batch"], epochs_of(path, 2, shuffle=True, drop_last=True))


def test_validation_shows_all_of_its_split_after_each_epoch(found: dict[str, Any], path: Path) -> None:
    seen = found["with validation"]
    val = [numbers_in(batch) for batch in new_loader(path, "val")]
    assert_batches(seen["train"], epochs_of(path, 2, shuffle=True))
    assert_batches(seen["val"], [val] * 2)
    mean = sum(value_of(number) for number in range(COUNT, COUNT + VAL)) / VAL
    assert seen["losses"]["val_loss"] == pytest.approx([mean] * 2, rel=1e-5)


def test_limited_epochs_go_on_where_the_last_one_ended(found: dict[str, Any], path: Path) -> None:
    seen = found["limited"]
    first, second = epochs_of(path, 2, shuffle=True)
    assert_batches(seen["train"], [first[:2], first[2:4], first[4:], second[:2]])  # as Keras divides arrays
    assert [len(epoch) for epoch in seen["val"]] == [2] * 4


def test_carried_over_epochs_are_one_stream(found: dict[str, Any], path: Path) -> None:
    stream = [batch for epoch in epochs_of(path, 5, shuffle=True, carry_over=True) for batch in epoch]
    assert_batches(found["carried over"], [stream[at : at + BATCHES] for at in range(0, 15, BATCHES)])


def test_batches_may_have_names(found: dict[str, Any], path: Path) -> None:
    assert_batches(found["named"], epochs_of(path, 2, shuffle=True))


def test_workers_of_keras_are_refused(found: dict[str, Any]) -> None:
    # Its threads take batches in any order.
    assert "workers is 3" in found["with workers"]


def test_the_first_epoch_of_keras_is_the_next_one_of_the_loader(found: dict[str, Any], path: Path) -> None:
    # Keras does not tell a dataset what `initial_epoch` is; load_state_dict() or set_epoch() do.
    assert_batches(found["from epoch 1"], epochs_of(path, 2, shuffle=True))


def test_a_state_after_an_epoch_continues_with_the_next_one(found: dict[str, Any], path: Path) -> None:
    assert isinstance(found["resumed"], list), found["resumed"]
    assert_batches(found["resumed"], epochs_of(path, 3, shuffle=True)[1:])


def test_evaluating_gives_the_scores_of_arrays(found: dict[str, Any]) -> None:
    for scores in found["scores"]:
        assert scores == pytest.approx(found["scores of arrays"], rel=1e-5)
    assert found["scores of 20"] != pytest.approx(found["scores of arrays"], rel=1e-3)


def test_a_pass_that_was_not_finished_does_not_move_the_next_one(found: dict[str, Any]) -> None:
    for scores in found["scores of 2 steps"]:
        assert scores == pytest.approx(found["scores of 20"], rel=1e-5)
    assert found["scores after 2 steps"] == pytest.approx(found["scores of arrays"], rel=1e-5)


def test_predictions_are_those_of_arrays_in_their_order(found: dict[str, Any]) -> None:
    expected = found["predictions of arrays"]
    assert len(set(expected)) > VAL // 2
    for predictions in found["predictions"]:
        assert predictions == pytest.approx(expected, rel=1e-5)


def test_training_is_that_on_arrays(found: dict[str, Any]) -> None:
    for part, expected in zip(found["trained"], found["trained on arrays"], strict=True):
        assert part == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_errors_of_a_loader_reach_the_program(found: dict[str, Any]) -> None:
    assert "the loader is closed" in found["error"]


if __name__ == "__main__":
    result = observe(Path(sys.argv[1]))
    print(json.dumps(result))
