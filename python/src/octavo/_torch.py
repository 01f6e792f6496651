"""Batches as torch tensors: allocated by torch's own allocator, filled in place on its current stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


class TorchAllocator:
    """Tensors on one device."""

    moves_axes = False

    def __init__(self, device: str) -> None:
        self._device = torch.device(device)
        if self._device.type == "cuda" and not torch.cuda.is_available():
            raise RuntimeError(
                f"put batches on {device}: this torch has no CUDA; install one that has, or use framework='dlpack'"
            )

    def images(self, shape: tuple[int, int, int, int], dtype: str, channels_last: bool) -> Callable[[int], Any]:
        _, channels, height, width = shape
        empty, device, numbers = torch.empty, self._device, getattr(torch, dtype)
        memory_format = torch.channels_last if channels_last else torch.contiguous_format
        return lambda count: empty(
            (count, channels, height, width), dtype=numbers, device=device, memory_format=memory_format
        )

    def labels(self, shape: tuple[int, ...], dtype: str) -> Callable[[int], Any]:
        empty, device, numbers = torch.empty, self._device, getattr(torch, dtype)
        return lambda count: empty((count, *shape), dtype=numbers, device=device)

    def address(self, tensor: Any) -> int:
        address: int = tensor.data_ptr()
        return address

    def stream(self) -> int:
        if self._device.type == "cpu":
            return 0
        stream: int = torch.cuda.current_stream(self._device).cuda_stream
        return stream
