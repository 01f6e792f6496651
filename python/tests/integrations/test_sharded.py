"""Ranks of torch.distributed that hold a split together serve the batches of one process."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest

torch = pytest.importorskip("torch")
if not torch.distributed.is_available():
    pytest.skip("this torch has no torch.distributed", allow_module_level=True)

from octavo._loading import rank_exchange  # noqa: E402
from processes import run_ranks, run_ranks_apart  # noqa: E402

# Without the last 6 samples of 106, which 8 ranks cannot share.
OPTIONS: dict[str, Any] = {
    "batch_size": 20, "drop_last": True, "shuffle": True, "seed": 3, "device": "cpu", "framework": "numpy",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with data.h5: 106 samples, with masks."""
    random = np.random.default_rng(0)
    with octavo.Writer(tmp_path / "data.h5", layout="chw") as writer:
        for number in range(106):
            image, mask = random.integers(0, 256, (3, 8, 8), np.uint8), random.integers(0, 9, (8, 8), np.uint8)
            writer.append(image, number % 10, mask=mask)
    return tmp_path


def hashes_of(parts: list[list[list[bytes]]]) -> list[str]:
    """A digest of each batch, from the parts of all ranks: `parts[rank][batch]` has the bytes of each array."""
    assert len({len(batches) for batches in parts}) == 1
    batches = zip(*parts, strict=True)
    return [
        hashlib.sha256(b"".join(b"".join(array) for array in zip(*shares, strict=True))).hexdigest()
        for shares in batches
    ]


def taken(loader: octavo.Loader[Any], count: int | None = None) -> list[list[bytes]]:
    """The next batches of a loader, over epochs; None: the rest of this epoch."""
    found: list[list[bytes]] = []
    while count is None or len(found) < count:
        for batch in loader:
            found.append([np.ascontiguousarray(part).tobytes() for part in batch])
            if len(found) == count:
                break
        if count is None:
            break
    return found


@contextlib.contextmanager
def group() -> Any:
    torch.distributed.init_process_group("gloo")
    yield
    torch.distributed.destroy_process_group()


# ---- The stream ------------------------------------------------------------------------------------------------------


def two_epochs(path: Path, residency: str, options: dict[str, Any]) -> list[list[bytes]]:
    limit = {"memory_limit": 50 * (192 + 64 + 4)} if residency == "hybrid" else {}
    with octavo.Loader(path, residency=residency, **limit, **OPTIONS, **options) as loader:
        assert loader.store.residency == residency
        assert residency != "sharded" or loader.store.resident <= 106 // loader.world_size + 1
        return taken(loader) + taken(loader)


def of_every_residency(folder: Path, options: dict[str, Any]) -> Any:
    rank_exchange.shares_host_memory = False
    with group():
        return {
            residency: two_epochs(folder / "data.h5", residency, options)
            for residency in ("device", "hybrid", "streamed", "sharded")
        }


@pytest.mark.parametrize("world_size", [2, 3, 4, 5, 7, 8])
def test_batches_do_not_depend_on_ranks_or_residency(folder: Path, world_size: int) -> None:
    options: dict[str, Any] = {}
    if world_size % 2 == 0:
        options = {"augment": [octavo.augment.RandomCrop(padding=2)], "weights": np.arange(106) % 4}
    expected = hashes_of([two_epochs(folder / "data.h5", "device", options)])
    results = run_ranks(of_every_residency, folder, options, world_size=world_size)
    for residency in results[0]:
        assert hashes_of([result[residency] for result in results]) == expected, residency


def some_batches(folder: Path, count: int, state: Any, batch_size: int) -> Any:
    rank_exchange.shares_host_memory = False
    with group():
        options = {**OPTIONS, "batch_size": batch_size}
        with octavo.Loader(folder / "data.h5", residency="sharded", **options) as loader:
            if state is not None:
                loader.load_state_dict(state)
            return taken(loader, count), loader.state_dict()


def test_a_run_resumes_with_another_number_of_ranks(folder: Path) -> None:
    with octavo.Loader(folder / "data.h5", **OPTIONS) as whole:
        expected = hashes_of([taken(whole, 12)])
    state, found = None, []
    # In the middle of epochs of 5 batches.
    for world_size, count in ((2, 3), (8, 4), (2, 1), (8, 1), (2, 1), (1, 2)):
        results = run_ranks(some_batches, folder, count, state, 20, world_size=world_size) if world_size > 1 else None
        if results is None:
            with octavo.Loader(folder / "data.h5", **OPTIONS) as alone:
                alone.load_state_dict(state)
                results = [(taken(alone, count), None)]
        found += hashes_of([parts for parts, _ in results])
        state = results[0][1]
    assert found == expected


def automatic(folder: Path, limits: list[int]) -> Any:
    rank_exchange.shares_host_memory = False
    with group():
        limit = limits[torch.distributed.get_rank()]
        with octavo.Loader(folder / "data.h5", memory_limit=limit, **OPTIONS) as loader:
            alone = octavo.Store(folder / "data.h5", memory_limit=limit, device="cpu")
            return loader.store.residency, loader.store.residency_reason, alone.residency, taken(loader)


def test_auto_shares_what_is_too_large_for_one_rank(folder: Path) -> None:
    whole = 106 * (192 + 64 + 4)
    with octavo.Loader(folder / "data.h5", **OPTIONS) as loader:
        expected = hashes_of([taken(loader)])
    results = run_ranks(automatic, folder, [whole * 6 // 10] * 2)
    assert [result[0] for result in results] == ["sharded"] * 2
    assert "2 ranks hold them together" in results[0][1]
    assert [result[2] for result in results] == ["hybrid"] * 2  # a store of one rank alone
    assert hashes_of([result[3] for result in results]) == expected
    results = run_ranks(automatic, folder, [whole * 6 // 10, whole * 4 // 10])
    assert [result[0] for result in results] == ["hybrid"] * 2
    assert "rank 1 has no memory for its part" in results[0][1]
    assert hashes_of([result[3] for result in results]) == expected


def in_shared_memory(folder: Path) -> Any:
    with group(), octavo.Loader(folder / "data.h5", residency="sharded", **OPTIONS) as loader:
        mapped = sum("memfd:octavo" in line for line in Path("/proc/self/maps").read_text().splitlines())
        return loader.store.resident, mapped, taken(loader)


def test_ranks_of_one_machine_hold_the_samples_once(folder: Path) -> None:
    with octavo.Loader(folder / "data.h5", **OPTIONS) as whole:
        expected = hashes_of([taken(whole)])
    results = run_ranks(in_shared_memory, folder)
    assert [result[:2] for result in results] == [(106, 3)] * 2  # codes, masks and labels
    assert hashes_of([result[2] for result in results]) == expected


# ---- Ranks that fail -------------------------------------------------------------------------------------------------


def until_the_end(folder: Path, fault: str) -> Any:
    """Rank 1 fails in the third batch; what the other ranks raise, and after how many seconds."""
    rank_exchange.shares_host_memory = False
    torch.distributed.init_process_group("gloo")
    rank, failed = torch.distributed.get_rank(), folder / "failed"
    loader = octavo.Loader(folder / "data.h5", residency="sharded", **OPTIONS)
    try:
        for _ in range(1_000_000):
            for number, _ in enumerate(loader):
                if rank == 1 and number == 2:
                    failed.write_text(f"{os.getpid()}")
                    if fault == "raises":
                        raise KeyError("as a model may")
                    os.kill(os.getpid(), signal.SIGKILL if fault == "is killed" else signal.SIGSTOP)
    except OSError as error:
        if rank == 0 and fault == "is stopped":
            os.kill(int(failed.read_text()), signal.SIGKILL)
        return str(error), time.time() - failed.stat().st_mtime
    return None


@pytest.mark.parametrize("fault", ["raises", "is killed", "is stopped"])
def test_a_rank_that_fails_is_named(folder: Path, fault: str) -> None:
    results = run_ranks_apart(until_the_end, folder, fault, world_size=3)
    for rank in (0, 2):
        message, seconds = results[rank]
        assert "rank 1" in message
        assert seconds < 30
