"""Batches as torch tensors: allocated by torch, and on a GPU filled in place on torch's current stream."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any

import torch
import torch.utils.data
import torch.utils.dlpack

from .. import _core
from .integrations import check_trainer
from .samplers import LoaderSampler


class TorchAllocator:
    """Tensors on one device; the axes are always [B, C, H, W], channels_last changes only the strides."""

    def __init__(self, device: str) -> None:
        self._device = torch.device(device)
        self.stream: Callable[[], int] | None = None
        if self._device.type == "cuda":
            if not torch.cuda.is_available():
                raise RuntimeError(
                    f"put batches on {device}: torch finds no CUDA device; install a CUDA build of torch, or use "
                    "framework='dlpack'"
                )
            self.stream = lambda: torch.cuda.current_stream(self._device).cuda_stream

    @property
    def address(self) -> Callable[[Any], int]:
        address: Callable[[Any], int] = torch.Tensor.data_ptr
        return address

    def images(self, shape: tuple[int, int, int], dtype: str, channels_last: bool) -> Callable[[int], Any]:
        options: dict[str, Any] = {"dtype": getattr(torch, dtype), "device": self._device}
        if channels_last:
            options["memory_format"] = torch.channels_last
        empty = torch.empty
        return lambda count: empty((count, *shape), **options)

    def recycled_images(
        self, maker: _core.BatchMaker, shape: tuple[int, int, int], dtype: str, channels_last: bool
    ) -> Callable[[int, int, int, int], Any]:
        # A single torch call: each costs some 10 us here, because making the batch evicted torch's code from the cache.
        make, from_dlpack = maker.make_recycled, torch.utils.dlpack.from_dlpack
        return lambda epoch, step, labels, masks: from_dlpack(make(epoch, step, labels, masks))

    def recycled_masks(self, maker: _core.BatchMaker, shape: tuple[int, ...], dtype: str) -> Callable[[int, int], Any]:
        make, from_dlpack = maker.recycled_masks, torch.utils.dlpack.from_dlpack
        return lambda epoch, step: from_dlpack(make(epoch, step))

    def with_views(self, views: int) -> Callable[[Any], Any]:
        return lambda images: images if views == 1 else images.unflatten(0, (-1, views))

    def labels(self, shape: tuple[int, ...], dtype: str) -> Callable[[int], Any]:
        empty, device, numbers = torch.empty, self._device, getattr(torch, dtype)
        return lambda count: empty((count, *shape), dtype=numbers, device=device)


# torch may be missing when types are checked.
_SequentialSampler: Any = torch.utils.data.SequentialSampler
_Sampler: Any = torch.utils.data.Sampler


class SequentialLoaderSampler(LoaderSampler, _SequentialSampler):  # type: ignore[misc]
    """The sampler of a loader in file order: Lightning overfits batches only if it finds this class."""


class OtherLoaderSampler(LoaderSampler, _Sampler):  # type: ignore[misc]
    """The sampler of any other loader."""


def register_iterable(kind: type) -> None:
    """Makes DataLoader(loader, batch_size=None) iterate over a loader instead of indexing it."""
    torch.utils.data.IterableDataset.register(kind)


def check_data_loader(caller: FrameType) -> None:
    """Raises an error if `caller` is a DataLoader that would repeat or collate batches.

    RuntimeError in a worker process, since every worker would yield every batch; TypeError if batches would be collated
    again, as with the default batch_size=1 of a DataLoader.
    """
    if torch.utils.data.get_worker_info() is not None:
        raise RuntimeError("a Loader in a DataLoader needs num_workers=0; it has no use for worker processes")
    check_trainer(caller)
    is_fetcher = caller.f_globals.get("__name__") == "torch.utils.data._utils.fetch"
    if is_fetcher and caller.f_locals.get("auto_collation"):
        raise TypeError(
            "a Loader makes batches already, which a DataLoader would collate again; iterate over the Loader itself, "
            "or pass batch_size=None to the DataLoader"
        )
