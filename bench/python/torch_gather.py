#!/usr/bin/env python3
"""Times batches of random rows made by PyTorch on a GPU, with the shapes and arithmetic of bench_gather_cuda.

torch_gather.py [--gib G] [--rounds R] [--quick] [--json OUT]

There are three alternatives: eager operations on resident uint8 samples, the same with torch.compile, and slices of
samples that are resident as normalized values of the output type, at two or four times the memory. The batch of 512 x
784 bytes is also measured in a captured CUDA graph. Results are compared with NumPy before anything is timed. Times
come from CUDA events. The bytes of a row are those that a fused gather moves: each code read once and each value
written once. The reference is a copy on the device, measured in the same process.

Without PyTorch or a GPU, the exit status is 77, with the reason in the last line.
"""
import argparse
import json
import statistics
import sys

SHAPES = {"1x28x28": (1, 28, 28), "3x32x32": (3, 32, 32), "3x224x224": (3, 224, 224)}
BATCHES = (256, 512, 4096, 65536)
DTYPES = ("float32", "bfloat16")  # float16 takes the same time as bfloat16
LARGEST_OUTPUT = 4 << 30
GRAPH_BATCHES = 117  # an epoch of 60,000 samples in batches of 512
COMPARED_ROWS = 64


def skip(reason):
    print(reason)
    sys.exit(77)


def quartile_spread(times):
    if len(times) < 2:
        return 0.0
    first, middle, third = statistics.quantiles(times, n=4)
    return (third - first) / middle


class Timer:
    """Seconds on the device, over enough runs to take about a millisecond or more."""

    def __init__(self, torch, rounds):
        self.torch, self.rounds = torch, rounds

    def seconds(self, work, repeats):
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for i in range(repeats):
            work(i)
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / 1000 / repeats

    def measure(self, ways, repeats):
        """Median and spread of each alternative, timed in turn after a round that does not count."""
        times = {name: [] for name in ways}
        for turn in range(self.rounds + 1):
            for name, work in ways.items():
                elapsed = self.seconds(work, repeats)
                if turn > 0:
                    times[name].append(elapsed)
        return {name: (statistics.median(all_times), quartile_spread(all_times)) for name, all_times in times.items()}


class Samples:
    """Codes of one shape on the device, and their normalization."""

    def __init__(self, torch, shape, codes_bytes):
        self.torch, self.shape = torch, shape
        self.values = shape[0] * shape[1] * shape[2]
        self.count = max(COMPARED_ROWS, codes_bytes // self.values)
        # uint8, as is common today.
        self.codes = torch.randint(0, 256, (self.count, *shape), dtype=torch.uint8, device="cuda")
        channels = torch.arange(shape[0], dtype=torch.float32, device="cuda").reshape(1, -1, 1, 1)
        self.mean, self.scale = 120 + channels, 1 / (60 + channels)

    def rows(self, batch, number):
        """A different selection of rows for every batch of a run."""
        generator = self.torch.Generator(device="cuda").manual_seed(number)
        return self.torch.randint(0, self.count, (batch,), device="cuda", generator=generator)

    def ways(self, dtype):
        torch = self.torch

        def eager(rows):
            return self.codes[rows].float().sub_(self.mean).mul_(self.scale).to(dtype)

        found = {"eager": eager}
        try:
            codes, mean, scale = self.codes, self.mean, self.scale
            torch._dynamo.reset()  # it gives up on a function after compiling it for eight tensors
            compiled = torch.compile(lambda rows: ((codes[rows].float() - mean) * scale).to(dtype), dynamic=True)
            compiled(self.rows(COMPARED_ROWS, 0))
            found["torch.compile"] = compiled
        except Exception as error:  # no compiler, an unsupported Python
            print(f"SKIPPED: torch.compile: {type(error).__name__}: {str(error).splitlines()[0][:100]}")
        resident = torch.empty(self.codes.shape, dtype=dtype, device="cuda")
        for start in range(0, self.count, 65536):
            part = self.codes[start : start + 65536]
            resident[start : start + 65536] = ((part.float() - self.mean) * self.scale).to(dtype)
        found[f"resident {str(dtype).removeprefix('torch.')}, sliced"] = lambda rows: resident[rows]
        return found

    def check(self, ways, dtype):
        """Checks that every alternative gives NumPy's values, within the rounding of the type."""
        import numpy as np

        rows = self.rows(COMPARED_ROWS, 1)
        codes = self.codes[rows].cpu().numpy().astype(np.float64)
        expected = (codes - self.mean.cpu().numpy()) * self.scale.cpu().numpy().astype(np.float64)
        tolerance = {"float32": 1e-5, "bfloat16": 2e-2}[str(dtype).removeprefix("torch.")]
        for name, way in ways.items():
            actual = way(rows).double().cpu().numpy()
            if not np.allclose(actual, expected, rtol=tolerance, atol=tolerance):
                sys.exit(f"{name}, {self.shape}, {dtype}: the results are wrong, so nothing was timed")


def copy_rate(torch, timer, bytes_count):
    source = torch.zeros(bytes_count, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    median, spread = timer.measure({"copy": lambda _: target.copy_(source)}, 1)["copy"]
    return 2 * bytes_count, median, spread


def graph_of(torch, way, draws):
    """A captured graph that makes one batch for each selection of rows."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            way(draws[0])
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for rows in draws:
            way(rows)
    return graph


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gib", type=float, default=4, help="GiB of codes")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="one shape, one type, small batches")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    try:
        import numpy  # noqa: F401
        import torch
    except ImportError as error:
        skip(f"this python3 has no {error.name}")
    if not torch.cuda.is_available():
        skip(f"PyTorch {torch.__version__} sees no GPU")

    timer = Timer(torch, arguments.rounds)
    document = {"benchmark": "torch_gather", "torch": torch.__version__, "device": torch.cuda.get_device_name(0),
                "codes_gib": arguments.gib, "rows": []}

    def write():
        if arguments.json:
            with open(arguments.json, "w") as file:
                json.dump(document, file, indent=1)

    def add(section, name, moved_bytes, median, spread, reference):
        rate = moved_bytes / median
        print(f"{section:32} {name:44} {median * 1e3:9.4f} ms {rate / 1e9:9.1f} GB/s {spread:6.1%} {rate / reference:.3f}")
        document["rows"].append({"section": section, "name": name, "moved_bytes": moved_bytes, "median_seconds": median,
                                 "spread": spread, "bytes_per_second": rate, "fraction_of_reference": rate / reference})
        write()

    moved, median, spread = copy_rate(torch, timer, min(2 << 30, int(arguments.gib * 2**30)))
    reference = moved / median
    add("reference", "copy", moved, median, spread, reference)
    for shape_name in list(SHAPES)[: 1 if arguments.quick else None]:
        for dtype_name in DTYPES[: 1 if arguments.quick else None]:
            dtype = getattr(torch, dtype_name)
            samples = Samples(torch, SHAPES[shape_name], int(arguments.gib * 2**30))
            ways = samples.ways(dtype)
            samples.check(ways, dtype)
            section = f"{samples.values} B {shape_name} {dtype_name}"
            for batch in BATCHES[: 2 if arguments.quick else None]:
                # Eager mode needs the batch as float32 twice.
                if batch > samples.count or batch * samples.values * 4 > LARGEST_OUTPUT:
                    continue
                moved = batch * samples.values * (1 + dtype.itemsize)
                repeats = max(1, min(50, (1 << 30) // moved))
                draws = [samples.rows(batch, number) for number in range(repeats)]
                timed = {name: (lambda i, way=way: way(draws[i])) for name, way in ways.items()}
                for name, (median, spread) in timer.measure(timed, repeats).items():
                    add(section, f"{name} B={batch}", moved, median, spread, reference)
            if shape_name == "1x28x28":
                draws = [samples.rows(512, number) for number in range(GRAPH_BATCHES)]
                moved = 512 * samples.values * (1 + dtype.itemsize)
                for name, way in ways.items():
                    try:
                        graph = graph_of(torch, way, draws)
                    except Exception as error:
                        print(f"SKIPPED: a graph of {name}: {type(error).__name__}")
                        continue
                    median, spread = timer.measure({name: lambda _, graph=graph: graph.replay()}, 1)[name]
                    add(section, f"{name} B=512, replayed graph, one of {GRAPH_BATCHES}", moved, median / GRAPH_BATCHES,
                        spread, reference)
                    del graph
            del samples, ways
            torch.cuda.empty_cache()
    write()


if __name__ == "__main__":
    main()
