"""Processes, threads and memory."""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import textwrap
import threading
import weakref

import numpy as np
import octavo
import pytest
from conftest import Packed, write_packed


def resident_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_child_of_fork_can_use_open_datasets(large: Packed) -> None:
    loader = octavo.Loader(large.path, framework="numpy", device="cpu", batch_size=1000, shuffle=True)
    dataset = octavo.Dataset(large.path)
    expected = [images for images, _ in loader]
    child = os.fork()
    if child == 0:
        # The child reports only its exit code.
        code = 1
        try:
            loader.set_epoch(0)
            same = all(np.array_equal(a, b) for (a, _), b in zip(loader, expected, strict=True))
            same = same and np.array_equal(dataset.split().images[5], large.codes[5])
            same = same and octavo.Loader(large.path, framework="numpy", device="cpu")[0][0].shape[0] == 256
            code = 0 if same else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_loaders_in_several_threads_serve_the_same(large: Packed) -> None:
    store = octavo.Store(large.path, device="cpu")
    expected = octavo.Loader(store, framework="numpy", batch_size=512, shuffle=True)
    wanted = [images for images, _ in expected]
    failures: list[str] = []

    def iterate() -> None:
        loader = octavo.Loader(store, framework="numpy", batch_size=512, shuffle=True)
        for (images, _), other in zip(loader, wanted, strict=True):
            if not np.array_equal(images, other):
                failures.append("differs")

    threads = [threading.Thread(target=iterate) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_released_loader_is_freed_at_once(packed: Packed) -> None:
    loader = octavo.Loader(packed.path, device="cpu", batch_size=10)
    next(iter(loader))
    loader.sampler.set_epoch(1)
    seen = weakref.ref(loader)
    del loader
    assert seen() is None


def test_opening_and_closing_repeatedly_leaks_no_memory(large: Packed) -> None:
    def use() -> None:
        loader = octavo.Loader(large.path, framework="numpy", device="cpu", batch_size=512, shuffle=True)
        for images, _ in loader:
            images[0, 0, 0, 0] = 1.0
        with octavo.Dataset(large.path) as dataset:
            np.asarray(dataset.split().images[:100])
            assert dataset.split().statistics.mean.shape == (3,)

    for _ in range(10):
        use()
    gc.collect()
    before = resident_bytes()
    for _ in range(40):
        use()
    gc.collect()
    # A store uses 9 MB, so leaking one in ten would be detected.
    assert resident_bytes() - before < 20e6


def test_batches_outlive_their_loader(large: Packed) -> None:
    loader = octavo.Loader(large.path, framework="dlpack", device="cpu", batch_size=100)
    images, _ = loader[0]
    array = np.from_dlpack(images)
    copy = array.copy()
    del loader, images
    gc.collect()
    np.testing.assert_array_equal(array, copy)


def test_a_thread_that_iterates_does_not_disturb_the_end_of_the_process(large: Packed) -> None:
    script = textwrap.dedent("""
        import sys, threading, time, octavo
        loader = octavo.Loader(sys.argv[1], framework=sys.argv[2], device="cpu", batch_size=int(sys.argv[3]))
        def iterate():
            while True:
                for batch in loader:
                    pass
        for _ in range(3):
            threading.Thread(target=iterate, daemon=True).start()
        time.sleep(0.3)
        sys.exit(7)
    """)
    for framework, batch_size in (("numpy", "512"), ("numpy", "1"), ("dlpack", "8")):
        command = [sys.executable, "-c", script, str(large.path), framework, batch_size]
        assert subprocess.run(command, timeout=60).returncode == 7


def test_a_view_keeps_the_memory_of_its_batch(large: Packed) -> None:
    loader = octavo.Loader(large.path, framework="numpy", device="cpu", batch_size=512, shuffle=True)
    view = loader[0][0][7, 1]
    copy = view.copy()
    for _ in range(3):
        for images, _ in loader:
            images[:] = 0.0
    np.testing.assert_array_equal(view, copy)


def test_memory_of_batches_is_recycled(large: Packed) -> None:
    loader = octavo.Loader(large.path, framework="numpy", device="cpu", batch_size=512, shuffle=True)
    places = {images.ctypes.data for _ in range(5) for images, _ in loader}
    assert len(places) <= 3


def test_a_closed_loader_frees_its_samples(tmp_path) -> None:
    many = write_packed(tmp_path / "many.h5", 20_000, (3, 32, 32))  # 61 MB
    loader = octavo.Loader(many.path, framework="numpy", device="cpu", batch_size=64)
    images = loader[0][0]
    expected = images.copy()
    full = resident_bytes()
    loader.close()
    gc.collect()
    assert full - resident_bytes() > 50_000_000
    np.testing.assert_array_equal(images, expected)
    for use in (lambda: next(iter(loader)), lambda: loader[0], lambda: len(loader), loader.state_dict):
        with pytest.raises(ValueError, match="is closed"):
            use()
    assert repr(loader).endswith("closed)")
    loader.close()


def test_a_loader_leaves_a_shared_store_open(packed: Packed) -> None:
    with octavo.Store(packed.path, device="cpu") as store:
        with octavo.Loader(store, framework="numpy", batch_size=10) as loader:
            assert len(loader[0][0]) == 10
        with pytest.raises(ValueError, match="the loader is closed"):
            loader[0]
        assert len(octavo.Loader(store, framework="numpy", batch_size=10)) == 5
    with pytest.raises(ValueError, match="is closed; load it again"):
        octavo.Loader(store, framework="numpy")
    assert repr(store).endswith("closed)")


def test_pickling_opens_again(packed: Packed) -> None:
    loader = octavo.Loader(packed.path, "train", framework="numpy", device="cpu", batch_size=10, shuffle=True, seed=3)
    batches = iter(loader)
    next(batches)
    copy = pickle.loads(pickle.dumps(loader))
    assert copy.state_dict() == loader.state_dict()
    copy.load_state_dict(copy.state_dict())
    np.testing.assert_array_equal(next(iter(copy))[0], next(batches)[0])
    store = octavo.Store(packed.path, device="cpu", residency="hybrid", resident=20)
    again = pickle.loads(pickle.dumps(octavo.Loader(store, framework="numpy", batch_size=10)))
    assert (again.store.residency, again.store.resident) == ("hybrid", 20)
    with pytest.raises(TypeError, match="arrays cannot be pickled"):
        pickle.dumps(octavo.Store.from_arrays(packed.codes, device="cpu"))
