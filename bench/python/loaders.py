#!/usr/bin/env python3
"""Times one epoch of iteration without a model: Octavo and alternatives, on the same images, batches and threads.

loaders.py [--shapes CxHxW:N,...] [--batch-size B] [--rounds R] [--device cpu|cuda] [--json OUT]

Every alternative yields normalized float32 batches and int64 labels, in Octavo's order, which the others get as
precomputed index tensors. All batches of an epoch are compared before anything is timed. The alternatives take turns.
Each turn is a pause, in which the threads of the previous one go to sleep; one epoch that is not timed, because after a
pause a virtual machine may map memory again, which took tens of milliseconds for 150 MB; and one timed epoch. Slow
alternatives run part of an epoch. Those whose library is missing are skipped and counted. Reports medians.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import octavo

IDLE_SECONDS = 0.3
TOLERANCE = 1e-5  # the others round after every operation, Octavo rounds once
# Batches per epoch, and rounds, for alternatives that are ten to hundreds of times slower.
LOADED_BATCHES = 40
DECODED_BATCHES = 12
SLOW_ROUNDS = 5


class Epoch:
    """The images, and the order of one epoch."""

    def __init__(self, folder: Path, shape: tuple[int, int, int], count: int, batch_size: int, device: str) -> None:
        rng = np.random.default_rng(1)
        self.values = rng.integers(0, 256, (count, *shape), dtype=np.uint8)
        self.labels = rng.integers(0, 10, count)
        self.batch_size = batch_size
        self.device = device
        self.path = folder / "images.h5"
        with octavo.Writer(self.path, layout="chw", progress=False) as writer:
            for image, label in zip(self.values, self.labels, strict=True):
                writer.append(image, label)
        self.store = octavo.Store(self.path, device=device, progress=False)
        split = self.store.split
        self.mean, self.std = split.mean, split.std
        loader = self.octavo_loader()
        self.rows = [loader.indices(step) for step in range(len(loader))]

    def octavo_loader(self, **options) -> octavo.Loader:
        return octavo.Loader(
            self.store, batch_size=self.batch_size, shuffle=True, seed=3, normalize="standard", **options
        )

    def constants(self, torch):
        """Mean and standard deviation [1, C, 1, 1] as float32."""
        return (
            torch.tensor(x, dtype=torch.float32, device=self.device).reshape(1, -1, 1, 1) for x in (self.mean, self.std)
        )

    def expected(self, step: int) -> tuple[np.ndarray, np.ndarray]:
        rows = self.rows[step]
        mean, std = (x.reshape(-1, 1, 1) for x in (self.mean, self.std))
        return ((self.values[rows] - mean) / std).astype(np.float32), self.labels[rows]


# ---- Alternatives: a name, and a function that returns an iterator over an epoch -----------------------------------


def octavo_way(epoch: Epoch, framework: str):
    loader = epoch.octavo_loader(framework=framework)

    def batches():
        loader.set_epoch(0)
        return iter(loader)

    return batches


def streamed_way(epoch: Epoch):
    """Reads the rows of each batch from the file, and compares each with its checksum. The page cache has the file."""
    loader = octavo.Loader(
        epoch.path, batch_size=epoch.batch_size, shuffle=True, seed=3, normalize="standard", device=epoch.device,
        residency="streamed", progress=False,
    )  # fmt: skip

    def batches():
        loader.set_epoch(0)
        return iter(loader)

    return batches


def memmap_way(epoch: Epoch, folder: Path, torch):
    """Rows of a mapped file of the same values, which is in the page cache."""
    mean, std = epoch.constants(torch)
    np.save(folder / "values.npy", epoch.values)
    mapped = np.load(folder / "values.npy", mmap_mode="r")
    labels = torch.from_numpy(epoch.labels).to(epoch.device)

    def batches():
        for rows in epoch.rows:
            images = torch.from_numpy(mapped[rows]).to(epoch.device)
            yield images.float().sub_(mean).div_(std), labels[rows]

    return batches


def numpy_way(epoch: Epoch):
    mean, std = (x.astype(np.float32).reshape(-1, 1, 1) for x in (epoch.mean, epoch.std))

    def batches():
        for rows in epoch.rows:
            images = epoch.values[rows].astype(np.float32)
            images -= mean
            images /= std
            yield images, epoch.labels[rows]

    return batches


def torch_ways(epoch: Epoch, torch):
    mean, std = epoch.constants(torch)
    data = torch.from_numpy(epoch.values).to(epoch.device)
    labels = torch.from_numpy(epoch.labels).to(epoch.device)
    order = [torch.from_numpy(rows).to(epoch.device) for rows in epoch.rows]

    def eager():
        for rows in order:
            yield data[rows].float().sub_(mean).div_(std), labels[rows]

    yield "PyTorch: resident uint8, x[idx].float().sub_().div_()", eager, 0

    if hasattr(torch, "compile"):

        @functools.partial(torch.compile, dynamic=False)
        def chain(rows):
            return (data[rows].float() - mean) / std, labels[rows]

        def compiled():
            return (chain(rows) for rows in order)

        try:
            for _ in compiled():  # short last batches are compiled separately
                pass
            yield "PyTorch: the same under torch.compile", compiled, 0
        except Exception as error:  # no compiler, an unsupported Python
            yield f"torch.compile: {type(error).__name__}", None, 0

    # As in airbench: normalize everything once, then gather rows; needs 4 times the memory.
    resident = torch.empty(data.shape, dtype=torch.float32, device=epoch.device)
    for start in range(0, len(data), 4096):
        resident[start : start + 4096] = (data[start : start + 4096].float() - mean) / std

    def sliced():
        return ((resident[rows], labels[rows]) for rows in order)

    yield "PyTorch, airbench-style: float32 resident (4 x the memory), x[idx]", sliced, 0

    host_data, host_labels = torch.from_numpy(epoch.values), torch.from_numpy(epoch.labels)
    tensors = torch.utils.data.TensorDataset(host_data, host_labels)
    for workers in (0, 2):

        def loaded(workers=workers):
            loader = torch.utils.data.DataLoader(
                tensors, batch_sampler=[rows.tolist() for rows in epoch.rows], num_workers=workers
            )
            for images, targets in loader:
                images = images.to(epoch.device)
                yield images.float().sub_(mean).div_(std), targets.to(epoch.device)

        yield f"DataLoader over a TensorDataset, {workers} workers, normalized by batch", loaded, LOADED_BATCHES


def folder_ways(epoch: Epoch, torch, folder: Path, count: int):
    """A DataLoader over PNG files, decoded by Pillow as in ImageFolder; for the first samples of the order."""
    from PIL import Image

    mean, std = epoch.constants(torch)
    wanted = np.unique(np.concatenate(epoch.rows[:count]))
    files = {}
    for row in wanted:
        files[int(row)] = folder / f"{row}.png"
        pixels = epoch.values[row]
        Image.fromarray(pixels[0] if len(pixels) == 1 else pixels.transpose(1, 2, 0)).save(files[int(row)])

    class Folder(torch.utils.data.Dataset):
        def __len__(self):
            return len(epoch.values)

        def __getitem__(self, index):
            with Image.open(files[index]) as image:
                pixels = np.array(image)
            planar = pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1).copy()
            return torch.from_numpy(planar), int(epoch.labels[index])

    for workers in (0, 2):

        def loaded(workers=workers):
            loader = torch.utils.data.DataLoader(
                Folder(), batch_sampler=[rows.tolist() for rows in epoch.rows[:count]], num_workers=workers
            )
            for images, targets in loader:
                images = images.to(epoch.device)
                yield images.float().sub_(mean).div_(std), targets.to(epoch.device)

        yield f"DataLoader over PNG files, {workers} workers, normalized by batch", loaded, count


def all_ways(epoch: Epoch, folder: Path):
    """Name, function and number of batches (0: an epoch) of every alternative; without a function, it was skipped."""
    try:
        import torch
    except ImportError:
        yield "Octavo, NumPy arrays", octavo_way(epoch, "numpy"), 0
        yield "NumPy: x[idx].astype(float32), -=, /=", numpy_way(epoch), 0
        yield "PyTorch is not installed", None, 0
        return
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    yield "Octavo", octavo_way(epoch, "torch"), 0
    yield "Octavo, streamed from a file", streamed_way(epoch), 0
    yield "np.memmap of a file: x[idx], then PyTorch's .float().sub_().div_()", memmap_way(epoch, folder, torch), 0
    yield "NumPy: x[idx].astype(float32), -=, /=", numpy_way(epoch), 0
    yield from torch_ways(epoch, torch)
    yield from folder_ways(epoch, torch, folder, DECODED_BATCHES)
    try:
        import ffcv  # noqa: F401

        yield "FFCV is installed, but this script has no loop for it", None, 0
    except ImportError:
        yield "FFCV is not installed", None, 0


# ---- Checking and timing -------------------------------------------------------------------------------------------


def to_numpy(tensor) -> np.ndarray:
    return tensor if isinstance(tensor, np.ndarray) else tensor.cpu().numpy()


def check(epoch: Epoch, name: str, batches, most: int) -> None:
    steps = 0
    for step, (images, labels) in enumerate(batches()):
        expected, expected_labels = epoch.expected(step)
        if np.abs(to_numpy(images) - expected).max() > TOLERANCE or (to_numpy(labels) != expected_labels).any():
            sys.exit(f"{name}: batch {step} is wrong, so nothing was timed")
        steps += 1
        if steps == most:
            return
    if steps != len(epoch.rows) and not most:
        sys.exit(f"{name}: {steps} batches in place of {len(epoch.rows)}, so nothing was timed")


def timed(epoch: Epoch, batches, most: int, synchronize) -> float:
    """Seconds of an epoch; for a slow alternative, from its second batch, when its workers are running."""
    iterator = batches()
    if most == 0:
        for _ in iterator:
            pass
        iterator = batches()
        synchronize()
        start = time.perf_counter()
        for _ in iterator:
            pass
        synchronize()
        return time.perf_counter() - start
    next(iterator)
    start = time.perf_counter()
    done = sum(1 for _ in zip(range(most - 1), iterator, strict=False))
    synchronize()
    seconds = time.perf_counter() - start
    iterator.close()
    return seconds / max(1, done) * len(epoch.rows)


def step_cost(epoch: Epoch, framework: str) -> tuple[float, float]:
    """Seconds of a step at batch_size 1: in the loop, and of the native call alone."""
    loader = octavo.Loader(epoch.store, batch_size=1, shuffle=True, framework=framework)
    images, labels = np.empty(epoch.values[0].shape, np.float32), np.empty(1, np.int64)
    make, at, labels_at = loader._batches._maker.make, images.ctypes.data, labels.ctypes.data
    steps = min(len(loader), 20000)
    in_loop, alone = [], []
    for _ in range(7):
        loader.set_epoch(0)
        iterator = iter(loader)
        start = time.perf_counter()
        for _ in range(steps):
            next(iterator)
        middle = time.perf_counter()
        for step in range(steps):
            make(0, step, at, labels_at, 0, 0)
        in_loop.append((middle - start) / steps)
        alone.append((time.perf_counter() - middle) / steps)
    return statistics.median(in_loop), statistics.median(alone)


def quartile_spread(seconds: list[float]) -> float:
    low, _, high = statistics.quantiles(seconds, n=4)
    return (high - low) / statistics.median(seconds)


def copy_way(epoch: Epoch):
    """Copies as many bytes, read and written, as an epoch moves; on one thread, in blocks of a batch."""
    moved = epoch.values.nbytes * 5  # one byte read, four written
    block = np.ones(min(moved // 2, epoch.values[0].nbytes * 5 * epoch.batch_size // 2), np.uint8)
    source, target = np.tile(block, 8), np.ones(8 * len(block), np.uint8)

    def batches():
        for number in range(moved // 2 // len(block)):
            place = slice(number % 8 * len(block), (number % 8 + 1) * len(block))
            np.copyto(target[place], source[place])
            yield None

    return batches


def measure(epoch: Epoch, folder: Path, rounds: int) -> tuple[dict[str, list[float]], list[str]]:
    """Seconds of an epoch for every alternative, and the skipped ones."""
    ways, skipped = {"a copy of as many bytes, one thread": (copy_way(epoch), 0)}, []
    for way, batches, most in all_ways(epoch, folder):
        if batches is None:
            skipped.append(way)
        else:
            check(epoch, way, batches, most)
            ways[way] = (batches, most)
    torch = sys.modules.get("torch")
    synchronize = torch.cuda.synchronize if torch and epoch.device != "cpu" else lambda: None
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for round_number in range(rounds):
        for way, (batches, most) in ways.items():
            if most > 0 and round_number >= SLOW_ROUNDS:
                continue
            time.sleep(IDLE_SECONDS)
            seconds[way].append(timed(epoch, batches, most, synchronize))
    return seconds, skipped


def report(epoch: Epoch, seconds: dict[str, list[float]]) -> list[dict]:
    """Prints the table and returns its rows."""
    count, shape = len(epoch.values), "x".join(map(str, epoch.values.shape[1:]))
    ours = next(statistics.median(times) for way, times in seconds.items() if way.startswith("Octavo"))
    section = f"an epoch of {count} images {shape}, batches of {epoch.batch_size}, on {epoch.device}"
    print(f"{section}\n  {'':72} {'images/s':>12} {'GB/s':>7} {'spread':>7} {'Octavo is':>10}")
    rows = []
    for way, times in seconds.items():
        median = statistics.median(times)
        row = {"section": section, "name": way, "median_seconds": median, "spread": quartile_spread(times)}
        row |= {"images_per_second": count / median, "octavo_is_faster_by": median / ours}
        rows.append(row)
        speed = epoch.values.nbytes * 5 / median / 1e9
        print(f"  {way:72} {count / median:12.0f} {speed:7.2f} {row['spread']:6.1%} {median / ours:9.2f}x")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", default="1x28x28:60000,3x32x32:50000", help="shape:count, separated by commas")
    parser.add_argument("--batch-size", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--json")
    arguments = parser.parse_args()

    rows: list[dict] = []
    versions = {"octavo": octavo.__version__, "numpy": np.__version__}
    for entry in arguments.shapes.split(","):
        shape, _, count = entry.partition(":")
        channels, height, width = map(int, shape.split("x"))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            epoch = Epoch(folder, (channels, height, width), int(count), arguments.batch_size, arguments.device)
            seconds, skipped = measure(epoch, folder, arguments.rounds)
            rows += report(epoch, seconds)
            if arguments.device == "cpu":
                framework = "torch" if "torch" in sys.modules else "numpy"
                step, kernel = step_cost(epoch, framework)
                rows.append({"section": "a step of the loop at batch_size 1, next to the compiled call in it",
                             "name": f"{shape}, {framework}", "median_seconds": step, "spread": 0.0,
                             "fraction_of_reference": kernel / step})  # fmt: skip
                print(f"  a step at batch_size 1: {step * 1e6:.2f} us, {(step - kernel) * 1e6:.2f} beyond the kernel\n")
    if "torch" in sys.modules:
        versions["torch"] = sys.modules["torch"].__version__
    print(f"{len(os.sched_getaffinity(0))} threads, " + ", ".join(f"{name} {text}" for name, text in versions.items()))
    for reason in skipped:
        print(f"SKIPPED: {reason}")
    if arguments.json:
        document = {"benchmark": "loaders", "versions": versions, "skipped": len(skipped), "rows": rows}
        Path(arguments.json).write_text(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
