"""Listing devices, and the reason why CUDA is unavailable."""

from __future__ import annotations

import warnings

import octavo
import pytest
from conftest import Packed
from octavo._loading import frameworks as _frameworks


def test_the_cpu_is_listed_first_with_its_memory() -> None:
    cpu = octavo.devices()[0]
    assert cpu.device == "cpu"
    assert cpu.problem is None
    assert cpu.free_bytes is not None
    assert 0 < cpu.free_bytes <= cpu.total_bytes


def test_there_is_a_gpu_or_a_reason_for_its_absence() -> None:
    problem = octavo.cuda_problem()
    assert (problem is None) == (len(octavo.devices()) > 1)
    assert problem is None or len(problem) > 10


@pytest.fixture
def old_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine whose driver is too old."""
    monkeypatch.setattr(octavo._core, "parse_device", lambda name: "cpu" if name == "auto" else name)
    monkeypatch.setattr(octavo._core, "cpu_fallback_reason", lambda: "the NVIDIA driver is too old; update it")
    _frameworks._warn_of_cpu.cache_clear()


@pytest.mark.usefixtures("old_driver")
def test_auto_warns_once_if_the_driver_is_too_old(packed: Packed) -> None:
    with pytest.warns(RuntimeWarning, match="device='auto' uses the CPU: the NVIDIA driver is too old"):
        octavo.Loader(packed.path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        octavo.Store(packed.path)


@pytest.mark.usefixtures("old_driver")
def test_requesting_the_cpu_does_not_warn(packed: Packed) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        octavo.Loader(packed.path, device="cpu")


@pytest.mark.usefixtures("old_driver")
def test_planning_for_another_machine_does_not_list_devices(packed: Packed) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert octavo.plan(packed.path, memory="24GiB")["device"] == "a device of 24.0 GiB"
