"""Samples on the device, in the file or in windows: the same batches."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import get_args

import numpy as np
import octavo
import pytest
from conftest import Packed, write_packed
from octavo import _core
from octavo.store import Residency

RESIDENCIES = [
    {"residency": "hybrid", "resident": 1000},
    {"residency": "hybrid", "memory_limit": 1_000_000},
    {"residency": "streamed"},
    {"residency": "streamed", "verify": False, "prefetch": 0},
    {"residency": "streamed", "prefetch": 7},
    {"residency": "auto", "memory_limit": "1MB"},
    {"residency": "auto", "memory_limit": "10KiB"},
]


def test_the_residencies_are_those_of_the_library() -> None:
    assert get_args(Residency) == _core.residencies


def loader_of(packed: Packed, **options) -> octavo.Loader:
    return octavo.Loader(packed.path, framework="numpy", device="cpu", batch_size=256, seed=4, **options)


@pytest.mark.parametrize("shuffle", [False, True, "blocks", "windows:700"])
def test_residencies_serve_the_same_batches(large: Packed, shuffle: bool | str) -> None:
    device = loader_of(large, shuffle=shuffle, residency="device")
    expected = [batch for _ in range(2) for batch in device]
    assert len(expected) == 24
    device.set_epoch(5)
    for residency in RESIDENCIES:
        loader = loader_of(large, shuffle=shuffle, **residency)
        assert loader.shuffle == shuffle
        served = (batch for _ in range(2) for batch in loader)
        for (images, labels), (other_images, other_labels) in zip(served, expected, strict=True):
            assert np.array_equal(images, other_images)
            assert np.array_equal(labels, other_labels)
        # Any batch, in any order.
        loader.set_epoch(5)
        for step in (3, 11, 0, 3, 4):
            assert np.array_equal(loader[step][0], device[step][0])


def test_windows_serve_their_own_order(large: Packed) -> None:
    loader = loader_of(large, shuffle=True, residency="window", window=700)
    assert loader.shuffle == "windows:700"
    assert loader.store.window == 700
    assert loader.store.residency == "window"
    device = loader_of(large, shuffle="windows:700", residency="device")
    for (images, _), (other, _) in zip(loader, device, strict=True):
        assert np.array_equal(images, other)
    state = loader.state_dict()
    assert state["shuffle"] == "windows:700"
    loader_of(large, shuffle="windows:700").load_state_dict(state)
    with pytest.raises(ValueError, match='shuffle "windows:700"'):
        loader_of(large, shuffle=True).load_state_dict(state)


def test_a_store_reports_where_its_samples_are(large: Packed) -> None:
    whole = octavo.Store(large.path, device="cpu")
    assert (whole.residency, whole.resident, whole.residency_reason) == ("device", 3000, "")
    part = octavo.Store(large.path, device="cpu", memory_limit="1MB")
    assert part.residency == "hybrid"
    assert part.resident == 1_000_000 // (3072 + 4)
    assert "the others are read from the file" in part.residency_reason
    assert "hybrid" in repr(part)
    rows = [2999, 0, 17, 2999]
    for a, b in zip(whole.gather(rows, framework="numpy"), part.gather(rows, framework="numpy"), strict=True):
        assert np.array_equal(a, b)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"residency": "nowhere"}, "expected auto, device, hybrid"),
        ({"memory_limit": "lots"}, "for example 24G,"),
        ({"memory_limit": 0}, "memory_limit is 0"),
        ({"residency": "hybrid", "resident": 3001}, "3001 of 3000"),
        ({"residency": "hybrid", "resident": -1}, "resident is -1"),
        ({"resident": 5}, "residency hybrid"),
        ({"residency": "window", "window": 0}, "window is 0"),
        ({"residency": "window", "window": 100}, "larger than a window"),
        ({"residency": "window", "shuffle": "blocks"}, "leaves the windows"),
        ({"shuffle": "somehow"}, "expected none, global, blocks"),
        ({"prefetch": -1}, "prefetch is -1"),
    ],
)
def test_invalid_options_are_refused(large: Packed, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        loader_of(large, **options)


def test_a_store_has_a_residency_already(large: Packed) -> None:
    store = octavo.Store(large.path, device="cpu", residency="streamed")
    assert octavo.Loader(store, batch_size=10, framework="numpy", prefetch=3).prefetch == 3
    with pytest.raises(ValueError, match="loaded already"):
        octavo.Loader(store, batch_size=10, residency="device")


def test_a_truncated_file_is_an_error_and_not_a_crash(tmp_path: Path) -> None:
    packed = write_packed(tmp_path / "data.h5", 1000, (3, 8, 8))
    loader = octavo.Loader(
        packed.path, framework="numpy", device="cpu", batch_size=100, residency="streamed", prefetch=1
    )
    batches = iter(loader)
    next(batches)
    os.truncate(packed.path, 50_000)
    with pytest.raises(OSError, match=r"data\.h5"):
        list(batches)


@pytest.mark.parametrize("residency", [{"residency": "streamed"}, {"residency": "window", "window": 700}])
def test_a_child_of_fork_can_keep_reading(large: Packed, residency: dict) -> None:
    loader = loader_of(large, shuffle=True, **residency)
    expected = [images for images, _ in loader]
    loader.set_epoch(0)
    next(iter(loader))  # the prefetch thread is running
    child = os.fork()
    if child == 0:
        code = 1
        try:
            same = np.array_equal(loader[7][0], expected[7])  # not the next batch
            loader.set_epoch(0)
            same = same and all(np.array_equal(a, b) for (a, _), b in zip(loader, expected, strict=True))
            code = 0 if same else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert np.array_equal(loader[1][0], expected[1])


def test_a_program_may_end_while_batches_are_read_ahead(large: Packed) -> None:
    program = (
        "import sys, octavo\n"
        "loader = octavo.Loader(sys.argv[1], framework='numpy', device='cpu', batch_size=64, residency='streamed')\n"
        "next(iter(loader))\n"
    )
    for _ in range(5):
        subprocess.run([sys.executable, "-c", program, str(large.path)], check=True, timeout=60)


def test_a_memory_limit_selects_a_smaller_residency(tmp_path: Path) -> None:
    """A file larger than the memory limit of the process is served correctly."""
    packed = write_packed(tmp_path / "data.h5", 4000, (3, 128, 128))  # 197 MB
    program = (
        "import os, resource, sys, hashlib, octavo\n"
        "if sys.argv[2] == 'limited':\n"
        "    used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        # The stack of each thread of the CPU backend reserves 8 MiB of address space and a guard page.
        "    limit = used + 130_000_000 + 9_000_000 * len(os.sched_getaffinity(0))\n"
        "    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))\n"
        "loader = octavo.Loader(sys.argv[1], framework='numpy', device='cpu', batch_size=10, shuffle=True, threads=2)\n"
        "digest = hashlib.sha256()\n"
        "for images, labels in loader:\n"
        "    digest.update(images); digest.update(labels)\n"
        "print(loader.store.residency, digest.hexdigest())\n"
    )
    run = {}
    for kind in ("free", "limited"):
        # One arena: each additional arena of the C library would reserve 64 MiB of address space.
        result = subprocess.run(
            [sys.executable, "-c", program, str(packed.path), kind],
            check=True, timeout=300, stdout=subprocess.PIPE, text=True, env=os.environ | {"MALLOC_ARENA_MAX": "1"},
        )  # fmt: skip
        run[kind] = result.stdout.split()
    assert run["free"][0] == "device"
    assert run["limited"][0] in ("hybrid", "streamed")
    assert run["free"][1] == run["limited"][1]


def test_arrays_in_memory_serve_the_same_batches(large: Packed) -> None:
    expected = loader_of(large, shuffle=True)
    for images in (large.codes, large.values):
        for options in ({}, {"copy": True}, {"residency": "streamed"}, {"residency": "hybrid", "resident": 100}):
            store = octavo.Store.from_arrays(images, large.labels, device="cpu", **options)
            loader = octavo.Loader(store, framework="numpy", batch_size=256, seed=4, shuffle=True)
            for step in (0, 5, 11):
                for a, b in zip(loader[step], expected[step], strict=True):
                    assert np.array_equal(a, b)
    assert "3000 images of 3x32x32" in repr(store)


def test_borrowed_arrays_live_as_long_as_their_readers(large: Packed) -> None:
    expected = loader_of(large, shuffle=True)[3][0]
    for options in ({}, {"residency": "streamed"}):
        loaders = [
            octavo.Loader(
                octavo.Store.from_arrays(large.codes.copy(), large.labels, device="cpu", **options),
                framework="numpy", batch_size=256, seed=4, shuffle=True,
            )
            for _ in range(10)
        ]  # fmt: skip
        for loader in loaders:
            assert np.array_equal(loader[3][0], expected)


def test_arrays_that_do_not_fit_are_refused() -> None:
    images = np.zeros((4, 1, 5, 5), np.int8)
    for wrong, labels, message in (
        (images[0], None, "shape"),
        (np.zeros((4, 8, 8, 3), np.uint8), None, r"looks like \[N, H, W, C\]; they must be \[N, C, H, W\]: pass np"),
        (np.zeros((4, 8, 8, 1), np.int8), None, "transpose"),
        (images.astype(np.float32), None, "float32"),
        (images[:, :, ::2], None, "contiguous"),
        (images, [1, 2, 3], "for 4 images"),
        (images, [1, 2, 3, -1], "class numbers"),
        (images, [[0, 2]] * 4, "0 and 1"),
        (images, ["a"] * 4, "integers"),
    ):
        with pytest.raises(ValueError, match=message):
            octavo.Store.from_arrays(wrong, labels, device="cpu")
    targets = octavo.Store.from_arrays(images, np.ones((4, 3)), device="cpu")
    assert octavo.Loader(targets, framework="numpy", batch_size=4)[0][1].shape == (4, 3)
    without = octavo.Store.from_arrays(images, device="cpu")
    assert octavo.Loader(without, framework="numpy", batch_size=4)[0][1] is None


def test_torch_cached_memory_is_mentioned_if_memory_was_short(monkeypatch) -> None:
    class Cuda:
        is_initialized = staticmethod(lambda: True)
        memory_reserved = staticmethod(lambda device: 700 << 20)
        memory_allocated = staticmethod(lambda device: 200 << 20)

    class Torch:
        cuda = Cuda

    from octavo.store import _torch_note

    monkeypatch.setitem(sys.modules, "torch", Torch)
    assert "torch caches 500 MiB" in _torch_note("Too little memory", "cuda:0")
    assert _torch_note("", "cuda:0") == ""
    assert _torch_note("Too little memory", "cpu") == ""
    Cuda.memory_allocated = staticmethod(lambda device: 700 << 20)
    assert _torch_note("Too little memory", "cuda:0") == ""


def test_sharded_needs_a_process_group(large: Packed) -> None:
    with pytest.raises(ValueError, match="not a rank of a process group"):
        octavo.Store(large.path, residency="sharded", device="cpu")
