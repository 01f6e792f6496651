"""Computes, without measuring, what exchanging samples costs on several GPUs and machines.

    python bench/python/exchange_model.py

A small simulation. Each rank exchanges the samples of the batches ahead, at most two of them, while the model works on
one. An exchange begins when all ranks have room, and a step when all ranks have its batch, because gradients are
averaged. Bandwidths are those of data sheets, times of steps are assumptions; both are varied by a tenth at random.
"""

from __future__ import annotations

import random
from typing import NamedTuple

PIXELS = 3 * 224 * 224
#: Bytes per value on the device: of one byte each, and as photographs of 224x224 take with each encoding.
ENCODINGS = {"int8": 1.0, "lp8": 4 / 6.91, "lc8": 4 / 8.56}
LATENCY = 50e-6  # of a message to the next rank; the messages before an exchange go around all of them
AHEAD = 2
STEPS = 400


class Cluster(NamedTuple):
    name: str
    ranks: int
    bytes_per_second: float  # of a rank, in each direction


class Model(NamedTuple):
    name: str
    step_seconds: float
    own_batch: int


CLUSTERS = (Cluster("8 H200, NVLink 400 GB/s", 8, 400e9), Cluster("16 machines of 8, 50 GB/s each", 128, 50e9 / 8))
MODELS = (Model("ResNet-50, 256 a GPU", 0.100, 256), Model("ViT-B/16, 128 a GPU", 0.120, 128))


def received_bytes(cluster: Cluster, model: Model, bytes_per_value: float) -> float:
    """What a rank receives for a batch: the share of its samples that it does not hold."""
    return model.own_batch * PIXELS * bytes_per_value * (cluster.ranks - 1) / cluster.ranks


def stalled_share(cluster: Cluster, model: Model, bytes_per_value: float, seed: int = 1) -> float:
    """The share of the time in which the model waits for samples."""
    rng = random.Random(seed)
    exchange = received_bytes(cluster, model, bytes_per_value) / cluster.bytes_per_second
    here: list[float] = []  # when the samples of each batch are here
    begins: list[float] = []  # when the model begins with it
    free, waited, now = 0.0, 0.0, 0.0
    for step in range(STEPS):
        room = begins[step - AHEAD - 1] if step > AHEAD else 0.0
        slowest = max(exchange * rng.uniform(0.9, 1.1) for _ in range(cluster.ranks))
        free = max(free, room) + cluster.ranks * LATENCY + slowest
        here.append(free)
        begin = max(now, here[step])
        if step > 0:
            waited += begin - now
        begins.append(begin)
        now = begin + max(model.step_seconds * rng.uniform(0.9, 1.1) for _ in range(cluster.ranks))
    return waited / (now - begins[0])


def main() -> None:
    print("| cluster | model | encoding | MB received | exchange | step | model waits |")
    print("|---|---|---|---:|---:|---:|---:|")
    for cluster in CLUSTERS:
        for model in MODELS:
            for encoding, bytes_per_value in ENCODINGS.items():
                received = received_bytes(cluster, model, bytes_per_value)
                print(
                    f"| {cluster.name} | {model.name} | {encoding} | {received / 1e6:.1f} | "
                    f"{1e3 * (cluster.ranks * LATENCY + received / cluster.bytes_per_second):.1f} ms | "
                    f"{1e3 * model.step_seconds:.0f} ms | {stalled_share(cluster, model, bytes_per_value):.1%} |"
                )
    print()
    images = 14_197_122  # of ImageNet-21K
    for encoding, bytes_per_value in ENCODINGS.items():
        total = images * (PIXELS * bytes_per_value + 12)
        print(f"ImageNet-21K at 224x224 as {encoding}: {total / 1e9:,.0f} GB, {total / 8e9:.1f} GB on each of 8 GPUs")


if __name__ == "__main__":
    main()
