"""Packing in shards: the speed of two workers compared with one, and the time and memory of merging.

    python bench/python/shards.py FOLDER [--shards 8] [--size 224] [--rounds 5]

FOLDER has images to pack. Merging is measured with 1,000 shards of a million samples of 8x8. Needs the Python package
and the program octavo, which its wheel installs.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import octavo


def seconds_of_packing(folder: Path, shards: int, size: int, workers: int) -> float:
    with tempfile.TemporaryDirectory() as out, ProcessPoolExecutor(workers) as pool:
        list(pool.map(int, range(workers)))  # all have started
        job = octavo.ShardedPack(folder, Path(out, "packed"), shards=shards, size=size)
        start = time.perf_counter()
        list(pool.map(job, range(shards)))
        return time.perf_counter() - start


def packing(folder: Path, shards: int, size: int, rounds: int) -> None:
    seconds_of_packing(folder, shards, size, 2)  # reads the images into the page cache
    times = [[seconds_of_packing(folder, shards, size, workers) for workers in (1, 2)] for _ in range(rounds)]
    one, two = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"packing {folder} in {shards} shards: {one:.3f} s with 1 worker, {two:.3f} s with 2: {one / two:.2f}x")


def merging(rounds: int) -> None:
    program = Path(sys.executable).with_name("octavo")
    with tempfile.TemporaryDirectory() as work:
        samples = np.random.default_rng(0).integers(0, 256, (1_000_000, 8, 8), dtype=np.uint8)
        np.save(Path(work, "samples.npy"), samples)
        out = str(Path(work, "packed"))
        command = [program, "pack", str(Path(work, "samples.npy")), "-o", out, "--shards", "1000", "--quiet"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        code = (
            "import octavo, resource, sys, time; start = time.perf_counter(); summary = octavo.merge(sys.argv[1]); "
            "print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, summary.splits)"
        )
        times = []
        for _ in range(rounds):
            run = subprocess.run([sys.executable, "-c", code, out], check=True, capture_output=True, text=True)
            seconds, kibibytes, splits = run.stdout.split(maxsplit=2)
            assert splits.strip() == "{'train': 1000000}", splits
            times.append(float(seconds))
        print(f"merging 1,000 shards: {statistics.median(times):.2f} s, {int(kibibytes) / 1024:.0f} MiB with Python")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", octavo.PackingWarning)
    packing(arguments.folder, arguments.shards, arguments.size, arguments.rounds)
    merging(arguments.rounds)


if __name__ == "__main__":
    main()
