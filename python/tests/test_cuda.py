"""Batches on a GPU; skipped, and counted, where there is none."""

from __future__ import annotations

import os

import numpy as np
import octavo
import pytest
from conftest import Packed

has_gpu = len(octavo.devices()) > 1
needs_gpu = pytest.mark.skipif(not has_gpu, reason="no CUDA device in this build and machine")


def torch_with_cuda():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this torch has no CUDA")
    return torch


@needs_gpu
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("memory_format", ["contiguous", "channels_last"])
def test_a_gpu_makes_the_bits_of_the_cpu(packed: Packed, dtype: str, memory_format: str) -> None:
    torch = torch_with_cuda()
    options = {
        "batch_size": 10,
        "shuffle": True,
        "dtype": dtype,
        "memory_format": memory_format,
        "normalize": "standard",
    }
    on_cpu = octavo.Loader(packed.path, device="cpu", framework="torch", **options)
    on_gpu = octavo.Loader(packed.path, device="cuda", framework="torch", **options)
    for (images, labels), (wanted, wanted_labels) in zip(on_gpu, on_cpu, strict=True):
        assert images.device.type == "cuda"
        assert images.stride() == wanted.stride()
        assert torch.equal(images.cpu(), wanted)
        assert torch.equal(labels.cpu(), wanted_labels)


@needs_gpu
def test_batches_are_ready_on_the_current_stream_and_counted_by_torch(large: Packed) -> None:
    torch = torch_with_cuda()
    loader = octavo.Loader(large.path, device="cuda", batch_size=512, shuffle=True)
    expected = [images.cpu() for images, _ in loader]
    loader.set_epoch(0)
    stream = torch.cuda.Stream()
    before = torch.cuda.memory_allocated()
    with torch.cuda.stream(stream):
        kept = [images for images, _ in loader]
        sums = [images.double().sum() for images in kept]
    assert torch.cuda.memory_allocated() - before >= 3000 * 3 * 32 * 32 * 4
    stream.synchronize()
    for images, total, wanted in zip(kept, sums, expected, strict=True):
        assert torch.equal(images.cpu(), wanted)
        assert torch.isclose(total.cpu(), wanted.double().sum())


@needs_gpu
def test_dlpack_tensors_are_on_the_gpu(packed: Packed) -> None:
    torch = torch_with_cuda()
    images, _ = octavo.Loader(packed.path, device="cuda", framework="dlpack", batch_size=10)[0]
    wanted, _ = octavo.Loader(packed.path, device="cpu", framework="numpy", batch_size=10)[0]
    assert images.__dlpack_device__()[0] == 2
    np.testing.assert_array_equal(torch.from_dlpack(images).cpu().numpy(), wanted)


@needs_gpu
def test_a_child_of_fork_is_refused_with_a_sentence(packed: Packed) -> None:
    loader = octavo.Loader(packed.path, device="cuda", framework="dlpack", batch_size=10)
    batches = iter(loader)
    next(batches)
    child = os.fork()
    if child == 0:
        refused = 0
        for use in (lambda: next(batches), lambda: loader[0], lambda: next(iter(loader))):
            try:
                use()
            except RuntimeError as error:
                refused += "fork" in str(error)
        os._exit(refused)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
