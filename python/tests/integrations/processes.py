"""Runs a function in several processes that form a group."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch


def _start(rank: int, world_size: int, port: int, folder: Path, body: Callable[..., Any], options: Any) -> None:
    os.environ.update(
        RANK=str(rank), WORLD_SIZE=str(world_size), LOCAL_RANK=str(rank), MASTER_ADDR="127.0.0.1",
        MASTER_PORT=str(port), ACCELERATE_USE_CPU="true", PL_TRAINER_DEVICES=str(world_size), CUDA_VISIBLE_DEVICES="",
    )  # fmt: skip
    torch.set_num_threads(1)
    torch.save(body(folder, *options), folder / f"result.{rank}.pt")


def run_ranks(body: Callable[..., Any], folder: Path, *options: Any, world_size: int = 2) -> list[Any]:
    """What ``body(folder, *options)`` returns in each process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = (world_size, port, folder, body, options)
    torch.multiprocessing.spawn(_start, arguments, nprocs=world_size)
    return [torch.load(folder / f"result.{rank}.pt", weights_only=False) for rank in range(world_size)]
