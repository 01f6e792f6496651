"""Batches of samples that two ranks hold together, compared with samples that each rank holds.

    python bench/python/sharded.py FILE [--batch-size 256] [--batches 40] [--rounds 5] [--model] [--shared-memory]

FILE is a dataset file, for example of 3x224x224. The ranks are processes of this machine that exchange samples through
gloo, as machines do; with --shared-memory, they map one copy, as ranks of one machine do by default. With --model, a
step of matrix products follows each batch, to see what the exchange adds to it. Checks first that both give the same
batches. Needs the Python package and PyTorch.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import octavo
import torch
from octavo._loading import rank_exchange
from torch import distributed

RANKS = 2


def take(loader: Any, count: int, weights: Any) -> None:
    taken = 0
    while taken < count:
        for images, *_ in loader:
            if weights is not None:
                features = images.flatten(1)[:, : weights.shape[0]]
                for _ in range(8):
                    features = torch.tanh(features @ weights)
            taken += 1
            if taken == count:
                break


def digest_of(loader: Any) -> str:
    hashes = hashlib.sha256()
    for step in range(min(3, len(loader))):
        hashes.update(loader[step][0].numpy().tobytes())
    return hashes.hexdigest()


def measure(rank: int, arguments: argparse.Namespace, port: int, results: Path) -> None:
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(RANKS), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    rank_exchange.shares_host_memory = arguments.shared_memory
    distributed.init_process_group("gloo")
    options = {"batch_size": arguments.batch_size, "shuffle": True, "device": "cpu", "threads": 1, "drop_last": True}
    loaders = {name: octavo.Loader(arguments.file, residency=name, **options) for name in ("device", "sharded")}
    assert len({digest_of(loader) for loader in loaders.values()}) == 1
    weights = torch.randn(2048, 2048) / 64 if arguments.model else None
    times: dict[str, list[float]] = {name: [] for name in loaders}
    for _ in range(arguments.rounds):
        for name, loader in loaders.items():
            distributed.barrier()
            start = time.perf_counter()
            take(loader, arguments.batches, weights)
            distributed.barrier()
            times[name].append(time.perf_counter() - start)
    if rank == 0:
        ratio = statistics.median(a / b for a, b in zip(times["device"], times["sharded"], strict=True))
        spread = sorted(a / b for a, b in zip(times["device"], times["sharded"], strict=True))
        store = loaders["sharded"].store
        moved = (
            0
            if arguments.shared_memory
            else arguments.batch_size * (RANKS - 1) / RANKS * store.device_bytes * RANKS / len(store)
        )
        results.write_text(
            f"{arguments.file.name}: {arguments.batches} batches of {arguments.batch_size}, {RANKS} ranks; "
            f"{moved / 2**20:.1f} MiB exchanged for a batch\n"
            f"  each rank holds all    {1000 * statistics.median(times['device']) / arguments.batches:8.2f} ms a batch\n"
            f"  ranks hold a half each {1000 * statistics.median(times['sharded']) / arguments.batches:8.2f} ms a batch\n"
            f"  {ratio:.2f} of the speed ({spread[0]:.2f} to {spread[-1]:.2f})\n"
        )
    for loader in loaders.values():
        loader.close()
    distributed.destroy_process_group()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--batches", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--shared-memory", action="store_true")
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder, "results")
        torch.multiprocessing.spawn(measure, (parser.parse_args(), 29531, results), nprocs=RANKS)
        print(results.read_text(), end="")


if __name__ == "__main__":
    main()
