#!/usr/bin/env python3
"""Times batches from a dataset file made by Octavo and by alternatives, in one process, on the CPU.

peers.py LIBRARY FILE.h5 [--batch-size B] [--rounds R] [--json OUT]

LIBRARY is the library built from bench/python/gather.cpp. Every alternative makes the same batches: random rows of the
split `train`, as float32, centered and scaled per channel. Results are compared before anything is timed. All but
torch.compile write to preallocated memory. Alternatives whose library is not installed are skipped and counted. Each
uses as many threads as the process may use. They are timed in turn; only the epochs of DataLoaders run afterwards.
"""
import argparse
import ctypes
import json
import os
import statistics
import sys
import time

import numpy as np

IDLE_SECONDS = 0.3  # before each timing, so that no threads of the previous library are still busy-waiting
TOLERANCE = 1e-5  # the others round after every operation, Octavo rounds once


def read_packed(path):
    """Values uint8 [N,C,H,W], mean and standard deviation [C] of the split train."""
    import h5py

    with h5py.File(path) as file:
        split = file["train"]
        values = split["images"][:].view(np.uint8) ^ 0x80
    per_channel = values.transpose(1, 0, 2, 3).reshape(values.shape[1], -1)
    counts = np.stack([np.bincount(channel, minlength=256) for channel in per_channel])
    levels = np.arange(256)
    mean = (counts * levels).sum(1) / counts.sum(1)
    spread = np.sqrt((counts * (levels - mean[:, None]) ** 2).sum(1) / counts.sum(1))
    return values, mean, spread


class Octavo:
    """The library under test, through ctypes."""

    def __init__(self, library, path, shape):
        self.library = ctypes.CDLL(library)
        self.library.octavo_bench_open.restype = ctypes.c_void_p
        self.store = ctypes.c_void_p(self.library.octavo_bench_open(os.fsencode(path)))
        if not self.store:
            sys.exit(1)
        self.shape = shape

    def gather(self, rows, out):
        status = self.library.octavo_bench_gather(self.store, rows.ctypes.data_as(ctypes.c_void_p),
                                                  ctypes.c_int64(len(rows)), out.ctypes.data_as(ctypes.c_void_p))
        if status != 0:
            sys.exit(1)
        return out


def octavo_way(library, path, values, batch):
    octavo = Octavo(library, path, values.shape[1:])
    out = np.empty((batch, *values.shape[1:]), np.float32)
    return lambda rows: octavo.gather(rows, out)


def numpy_way(values, mean, spread, batch):
    mean32, spread32 = (x.astype(np.float32).reshape(-1, 1, 1) for x in (mean, spread))

    drawn = np.empty((batch, *values.shape[1:]), np.uint8)
    out = np.empty(drawn.shape, np.float32)

    def make(rows):
        np.take(values, rows, axis=0, out=drawn, mode="clip")  # other modes buffer the result
        np.subtract(drawn, mean32, out=out)
        return np.divide(out, spread32, out=out)

    return make


def h5py_way(path, mean, spread):
    import h5py

    images = h5py.File(path)["train/images"]
    mean32, spread32 = (x.astype(np.float32).reshape(-1, 1, 1) for x in (mean, spread))

    def batch(rows):
        order = np.argsort(rows)
        out = np.empty((len(rows), *images.shape[1:]), np.float32)
        out[order] = images[rows[order]].view(np.uint8) ^ 0x80  # h5py requires ascending rows
        out -= mean32
        out /= spread32
        return out

    return batch


def torch_ways(values, mean, spread, batch):
    """Pairs of name and function."""
    import torch

    torch.set_num_threads(len(os.sched_getaffinity(0)))
    data = torch.from_numpy(values)
    mean32, spread32 = (torch.tensor(x, dtype=torch.float32).reshape(1, -1, 1, 1) for x in (mean, spread))
    resident = (data.float() - mean32) / spread32

    drawn = torch.empty((batch, *values.shape[1:]), dtype=torch.uint8)
    out = torch.empty(drawn.shape, dtype=torch.float32)

    def eager(rows):
        torch.index_select(data, 0, rows, out=drawn)
        return out.copy_(drawn).sub_(mean32).div_(spread32)

    def chain(rows):
        return (data[rows].float() - mean32) / spread32

    def with_tensor(function):
        return lambda rows: function(torch.from_numpy(rows)).numpy()

    yield "PyTorch, eager: index_select, copy_, sub_, div_", with_tensor(eager)
    yield "PyTorch, float32 in memory (4 x the bytes): index_select", with_tensor(
        lambda rows: torch.index_select(resident, 0, rows, out=out))
    if hasattr(torch, "compile"):
        try:
            compiled = torch.compile(chain, dynamic=False)
            compiled(torch.zeros(batch, dtype=torch.int64))
            yield "PyTorch, torch.compile", with_tensor(compiled)
        except Exception as error:  # no compiler, an unsupported Python: the row is skipped
            yield f"SKIPPED: torch.compile: {type(error).__name__}", None


def dataloader_ways(values, mean, spread, batch):
    """Pairs of a name and a function from rows to seconds: whole epochs over these rows, with the default collate."""
    import torch

    mean32, spread32 = (torch.tensor(x, dtype=torch.float32).reshape(-1, 1, 1) for x in (mean, spread))

    class Samples(torch.utils.data.Dataset):
        def __len__(self):
            return len(values)

        def __getitem__(self, index):
            return (torch.from_numpy(values[index]).float() - mean32) / spread32

    def epoch(workers):
        def run(rows):
            loader = torch.utils.data.DataLoader(Samples(), batch_size=batch, sampler=rows, num_workers=workers)
            batches = iter(loader)
            first = next(batches)
            start = time.perf_counter()  # the workers are running
            count = sum(len(images) for images in batches)
            return (time.perf_counter() - start) / count * batch, first.numpy()

        return run

    yield 0, epoch(0)
    yield 2, epoch(2)


def quartile_spread(seconds):
    low, _, high = statistics.quantiles(seconds, n=4)
    return (high - low) / statistics.median(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("file")
    parser.add_argument("--batch-size", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    batch = arguments.batch_size

    values, mean, spread = read_packed(arguments.file)
    generator = np.random.default_rng(1)

    def draw(count):
        return generator.choice(len(values), count, replace=False).astype(np.int64)

    ways = {"Octavo": octavo_way(arguments.library, arguments.file, values, batch),
            "NumPy: take, subtract, divide": numpy_way(values, mean, spread, batch),
            "h5py: images[sorted rows]": h5py_way(arguments.file, mean, spread)}
    loaders = {}
    versions = {"numpy": np.__version__}
    skipped = 0
    try:
        import torch

        versions["torch"] = torch.__version__
        for name, way in torch_ways(values, mean, spread, batch):
            if way is None:
                print(name)
                skipped += 1
            else:
                ways[name] = way
        loaders.update(dataloader_ways(values, mean, spread, batch))
    except ImportError:
        print("SKIPPED: PyTorch is not installed")
        skipped += 1

    check_rows = draw(batch)
    expected = ((values[check_rows].astype(np.float64) - mean.reshape(-1, 1, 1)) / spread.reshape(-1, 1, 1))
    for name, way in ways.items():
        if np.abs(way(check_rows) - expected).max() > TOLERANCE:
            sys.exit(f"{name}: the results are wrong, so nothing was timed")

    repeats = max(1, min(50, len(values) // batch))
    seconds = {name: [] for name in ways}
    for _ in range(arguments.rounds):
        rows = [draw(batch) for _ in range(repeats)]
        for name, way in ways.items():
            time.sleep(IDLE_SECONDS)
            slow = name.startswith("h5py")  # a few batches are enough: it is a thousand times slower
            for chosen in rows[:1] if slow else rows:  # not timed: after the pause, virtual machines map memory again
                way(chosen)
            start = time.perf_counter()
            for chosen in rows[:1] if slow else rows:
                way(chosen)
            seconds[name].append((time.perf_counter() - start) / (1 if slow else repeats))
    if loaders:
        best = {}
        for workers, run in loaders.items():
            times = []
            for _ in range(3):
                rows = draw(min(len(values), 40 * batch))
                elapsed, first = run(rows)
                expected = (values[rows[:batch]] - mean.reshape(-1, 1, 1)) / spread.reshape(-1, 1, 1)
                if np.abs(first - expected).max() > TOLERANCE:
                    sys.exit("DataLoader: the results are wrong, so nothing was timed")
                times.append(elapsed)
            best[workers] = times
        workers = min(best, key=lambda count: statistics.median(best[count]))
        seconds[f"PyTorch, DataLoader with {workers} workers, the better of 0 and 2"] = best[workers]

    ours = statistics.median(seconds["Octavo"])
    rows = []
    shape = "x".join(map(str, values.shape[1:]))
    print(f"batches of {batch} of {len(values)} samples {shape}, {len(os.sched_getaffinity(0))} threads, "
          + ", ".join(f"{name} {version}" for name, version in versions.items()))
    print(f"  {'':58} {'ms a batch':>10} {'images/s':>12} {'spread':>7} {'Octavo is':>10}")
    for name, times in seconds.items():
        median = statistics.median(times)
        rows.append({"section": f"batches of {batch} of {shape}", "name": name, "median_seconds": median,
                     "spread": quartile_spread(times), "images_per_second": batch / median,
                     "octavo_is_faster_by": median / ours})
        print(f"  {name:58} {median * 1e3:10.3f} {batch / median:12.0f} {rows[-1]['spread']:6.1%} {median / ours:9.2f}x")
    if skipped:
        print(f"{skipped} skipped")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"benchmark": "peers", "versions": versions, "skipped": skipped, "rows": rows}, file, indent=2)


if __name__ == "__main__":
    main()
