"""Reads tensors on a GPU: with torch, or with the fake CUDA runtime that OCTAVO_FAKE_CUDA names."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np
import pytest


class _Tensor(ctypes.Structure):
    """DLTensor of dlpack.h."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


def fake_runtime() -> ctypes.CDLL | None:
    """The fake CUDA runtime, if octavo uses it."""
    path = os.environ.get("OCTAVO_FAKE_CUDA")
    return ctypes.CDLL(path) if path else None


def _tensor(array: Any) -> tuple[Any, _Tensor]:
    capsule = array.__dlpack__()
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return capsule, _Tensor.from_address(get_pointer(capsule, b"dltensor"))


def to_host(array: Any) -> np.ndarray:
    """The values of a DLPack tensor whose work is done; half types are returned as bits."""
    runtime = fake_runtime()
    if runtime is None:
        torch = pytest.importorskip("torch")
        tensor = torch.from_dlpack(array).cpu()
        return (tensor.view(torch.int16) if tensor.element_size() == 2 else tensor).numpy()
    capsule, tensor = _tensor(array)
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    kinds = {(2, 32): np.float32, (2, 16): np.int16, (4, 16): np.int16, (0, 32): np.int32, (0, 64): np.int64}
    host = np.empty(shape, kinds[tensor.code, tensor.bits])
    assert (
        runtime.cudaMemcpy(
            ctypes.c_void_p(host.ctypes.data), ctypes.c_void_p(tensor.data), ctypes.c_size_t(host.nbytes), 2
        )
        == 0
    )
    del capsule
    return host
