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


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def _result(folder: Path, rank: int) -> Any:
    return torch.load(folder / f"result.{rank}.pt", weights_only=False)


def run_ranks(body: Callable[..., Any], folder: Path, *options: Any, world_size: int = 2) -> list[Any]:
    """What ``body(folder, *options)`` returns in each process."""
    arguments = (world_size, _free_port(), folder, body, options)
    torch.multiprocessing.spawn(_start, arguments, nprocs=world_size)
    return [_result(folder, rank) for rank in range(world_size)]


def run_ranks_apart(body: Callable[..., Any], folder: Path, *options: Any, world_size: int = 2) -> list[Any]:
    """The same, but the end of one process does not end the others; None for those that return nothing."""
    context = torch.multiprocessing.get_context("spawn")
    arguments = (world_size, _free_port(), folder, body, options)
    processes = [context.Process(target=_start, args=(rank, *arguments)) for rank in range(world_size)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return [_result(folder, rank) if (folder / f"result.{rank}.pt").exists() else None for rank in range(world_size)]
