"""Batches on a GPU; skipped, and counted, on a machine without one."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import numpy as np
import octavo
import pytest
from conftest import Packed
from device_memory import fake_runtime, to_host

has_gpu = len(octavo.devices()) > 1
needs_gpu = pytest.mark.skipif(not has_gpu, reason="no CUDA device in this build or machine")


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
def test_a_child_of_fork_gets_a_clear_error(packed: Packed) -> None:
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


@needs_gpu
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("memory_format", ["contiguous", "channels_last"])
@pytest.mark.parametrize("options", [{}, {"residency": "hybrid", "resident": 20}, {"residency": "streamed"}])
def test_dlpack_batches_are_those_of_the_cpu(packed: Packed, dtype: str, memory_format: str, options) -> None:
    common = {"batch_size": 10, "shuffle": True, "seed": 2, "dtype": dtype, "memory_format": memory_format}
    on_cpu = octavo.Loader(packed.path, device="cpu", framework="numpy", **common)
    on_gpu = octavo.Loader(packed.path, device="cuda", framework="dlpack", **common, **options)
    for _ in range(2):
        for (images, labels), (wanted, wanted_labels) in zip(on_gpu, on_cpu, strict=True):
            bits = wanted.view(np.int16) if dtype == "float16" else wanted
            np.testing.assert_array_equal(to_host(images), bits)
            np.testing.assert_array_equal(to_host(labels), wanted_labels)


@needs_gpu
def test_dlpack_batches_that_are_kept_do_not_change(packed: Packed) -> None:
    loader = octavo.Loader(packed.path, device="cuda", framework="dlpack", batch_size=5)
    kept = [images for images, _ in loader]
    wanted = [images for images, _ in octavo.Loader(packed.path, device="cpu", framework="numpy", batch_size=5)]
    for images, expected in zip(kept, wanted, strict=True):
        np.testing.assert_array_equal(to_host(images), expected)


@needs_gpu
def test_a_graph_loader_makes_the_batches_of_a_loader(packed: Packed) -> None:
    options = {"batch_size": 9, "shuffle": True, "seed": 5}
    graph_loader = octavo.GraphLoader(packed.path, device="cuda", framework="dlpack", **options)
    on_cpu = octavo.Loader(packed.path, device="cpu", framework="numpy", drop_last=True, **options)
    for _ in range(2):
        for wanted, wanted_labels in on_cpu:
            images, labels = graph_loader.next()
            graph_loader.state_dict()  # waits
            np.testing.assert_array_equal(to_host(images), wanted)
            np.testing.assert_array_equal(to_host(labels), wanted_labels)


@needs_gpu
def test_a_captured_graph_makes_the_next_batch_and_a_loader_is_refused(packed: Packed) -> None:
    torch = torch_with_cuda()
    options = {"batch_size": 9, "shuffle": True, "seed": 5, "framework": "torch"}
    loader = octavo.Loader(packed.path, device="cuda", **options)
    graph_loader = octavo.GraphLoader(loader.store, **options)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        graph_loader.next()
        with pytest.raises(ValueError, match="GraphLoader"):
            loader[0]
    on_cpu = octavo.Loader(packed.path, device="cpu", drop_last=True, **options)
    for _ in range(2):
        for wanted, wanted_labels in on_cpu:
            graph.replay()
            assert torch.equal(graph_loader.images.cpu(), wanted)
            assert torch.equal(graph_loader.labels.cpu(), wanted_labels)


def test_graphs_on_the_fake_runtime(packed: Packed) -> None:
    """The same without torch, on a stream created by the test."""
    runtime = fake_runtime()
    if runtime is None:
        pytest.skip("the fake CUDA runtime is not in use")
    stream, graph, replayed = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    options = {"batch_size": 9, "shuffle": True, "seed": 5}
    loader = octavo.Loader(packed.path, device="cuda", framework="dlpack", **options)
    graph_loader = octavo.GraphLoader(loader.store, framework="dlpack", **options)
    graph_loader._stream = lambda: stream.value
    assert runtime.cudaStreamCreateWithFlags(ctypes.byref(stream), 1) == 0
    assert runtime.cudaStreamBeginCapture(stream, 0) == 0
    images, _ = graph_loader.next()
    with pytest.raises(ValueError, match="GraphLoader"):
        loader._batches._maker.make(0, 0, graph_loader._image_address, graph_loader._label_address, 0, stream.value)
    with pytest.raises(ValueError, match="capture"):
        graph_loader.seek(0)
    assert runtime.cudaStreamEndCapture(stream, ctypes.byref(graph)) == 0
    assert runtime.cudaGraphInstantiate(ctypes.byref(replayed), graph, ctypes.c_ulonglong(0)) == 0
    on_cpu = octavo.Loader(packed.path, device="cpu", framework="numpy", drop_last=True, **options)
    for _ in range(2):
        for wanted, _ in on_cpu:
            assert runtime.cudaGraphLaunch(replayed, stream) == 0
            assert runtime.cudaStreamSynchronize(stream) == 0
            np.testing.assert_array_equal(to_host(images), wanted)
    assert runtime.cudaGraphExecDestroy(replayed) == 0
    assert runtime.cudaGraphDestroy(graph) == 0
    del graph_loader
    assert runtime.cudaStreamDestroy(stream) == 0


@pytest.mark.parametrize(
    ("statement", "contexts"),
    [
        ("octavo.devices()", []),
        ("octavo.Loader(path, device='cpu', framework='numpy')[0]", []),
        ("octavo.Loader(path, device='cuda:1', framework='dlpack')[0]", ["context 1"]),
        ("octavo.Loader(path, device='cuda:1', framework='dlpack', residency='streamed')[0]", ["context 1"]),
        ("octavo.GraphLoader(path, device='cuda:0', framework='dlpack', batch_size=9).next()", ["context 0"]),
    ],
)
def test_only_requested_devices_are_used(packed: Packed, tmp_path, statement: str, contexts) -> None:
    if fake_runtime() is None:
        pytest.skip("the fake CUDA runtime, which lists contexts, is not in use")
    log = tmp_path / "calls"
    log.touch()
    subprocess.run(
        [sys.executable, "-c", f"import octavo; path = {str(packed.path)!r}; {statement}"],
        env={**os.environ, "FAKE_CUDA_LOG": str(log)},
        check=True,
    )
    assert [line.rsplit(" ", 1)[0] for line in log.read_text().splitlines() if line.startswith("context")] == contexts
