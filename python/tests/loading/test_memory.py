"""Memory: planned, and found by trying batch sizes."""

from __future__ import annotations

import numpy as np
import octavo
import pytest
from conftest import Packed


def test_a_plan_shows_what_fits(large: Packed) -> None:
    planned = octavo.plan(large.path, memory="64MiB", parameters=1_000_000, optimizer="adam", batch_size=100)
    assert planned["residency"] == "device"
    assert {part["name"]: part["bytes"] for part in planned["parts"]}["samples, int8"] == 3000 * 3072
    assert planned["largest_batch"] >= 100
    assert "largest batch" in str(planned)
    assert planned["repacks"][0]["compression"] == "lp8"
    assert planned["repacks"][0]["encoded_count"] == 1000
    assert octavo.plan(large.path, memory="64MiB", estimate=0)["repacks"] == []
    small = octavo.plan(large.path, memory="4MiB", batch_size=16)
    assert small["residency"] == "hybrid"
    store = octavo.Store(large.path, device="cpu", memory_limit=small["memory_limit_bytes"])
    assert (store.residency, store.resident) == ("hybrid", small["resident_count"])


def test_a_plan_counts_the_parameters_of_a_model(large: Packed) -> None:
    class Tensor:
        def __init__(self, count: int, requires_grad: bool = True) -> None:
            self.requires_grad = requires_grad
            self._count = count

        def numel(self) -> int:
            return self._count

    class Model:
        def parameters(self):
            return iter([Tensor(1000), Tensor(500, requires_grad=False), Tensor(24)])

    planned = octavo.plan(large.path, memory="64MiB", model=Model())
    assert {part["name"]: part["bytes"] for part in planned["parts"]}["parameters"] == 4 * 1024
    with pytest.raises(ValueError, match="give one of them"):
        octavo.plan(large.path, model=Model(), parameters=3)
    with pytest.raises(ValueError, match='"90" has no unit; write 90MiB'):
        octavo.plan(large.path, memory="64mib", activations="90")


@pytest.mark.parametrize(
    "options", [{"memory": "much"}, {"memory": 0}, {"parameters": -1}, {"optimizer": "lion"}, {"precision": "double"},
                {"batch_size": -4}, {"split": "nowhere"}]
)  # fmt: skip
def test_invalid_plans_are_refused(large: Packed, options: dict) -> None:
    with pytest.raises(ValueError, match=r"\w"):  # any message
        octavo.plan(large.path, **options)


class Steps:
    """Steps that fail above a limit, and the sizes that were tried."""

    def __init__(self, limit: int, error: Exception | None = None) -> None:
        self.limit = limit
        self.error = error or MemoryError()
        self.sizes: list[int] = []

    def __call__(self, size: int) -> None:
        self.sizes.append(size)
        if size > self.limit:
            raise self.error


@pytest.mark.parametrize("limit", [1, 2, 3, 15, 16, 17, 100, 1000, 4097])
def test_the_largest_batch_is_found(limit: int) -> None:
    step = Steps(limit)
    found = octavo.find_batch_size(step, margin=0, device="cpu")
    assert limit - max(1, limit // 64) < found <= limit
    assert len(step.sizes) < 50


def test_a_margin_is_kept_and_bounds_are_respected() -> None:
    assert 850 <= octavo.find_batch_size(Steps(1000), device="cpu") <= 900
    assert octavo.find_batch_size(Steps(10**9), largest=300, margin=0, device="cpu") == 300
    with pytest.raises(MemoryError, match="one sample"):
        octavo.find_batch_size(Steps(0), device="cpu")


def test_out_of_memory_errors_of_libraries_are_recognized_and_others_propagate() -> None:
    lacks = RuntimeError("CUDA error: out of memory")
    assert octavo.find_batch_size(Steps(40, lacks), margin=0, device="cpu") == 40
    with pytest.raises(RuntimeError, match="shapes"):
        octavo.find_batch_size(Steps(40, RuntimeError("shapes do not fit")), device="cpu")
    for options in ({"start": 0}, {"start": 5, "largest": 4}, {"margin": 1}):
        with pytest.raises(ValueError, match=r"start|margin"):
            octavo.find_batch_size(Steps(40), device="cpu", **options)


def test_memory_of_a_failed_step_is_freed() -> None:
    kept: list[int] = []

    class Big:
        def __init__(self) -> None:
            kept.append(1)

        def __del__(self) -> None:
            kept.pop()

    def step(size: int) -> None:
        held = Big()
        assert len(kept) == 1, "what an earlier try has taken is still there"
        if size > 20:
            raise MemoryError
        del held

    assert octavo.find_batch_size(step, margin=0, device="cpu") == 20


def test_on_the_cpu_no_size_is_tried_that_would_kill_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    free = 300 << 20
    monkeypatch.setattr(octavo._core, "devices", lambda: [type("Info", (), {"free_bytes": free})()])
    largest = 0

    def step(size: int) -> None:
        nonlocal largest
        largest = max(largest, size)
        np.ones(size << 20, np.uint8).sum()

    assert octavo.find_batch_size(step, start=32, device="cpu", margin=0) >= 32
    assert largest < 1024  # that would be a gigabyte
