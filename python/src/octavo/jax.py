"""Batches as JAX arrays. Needs JAX, which `octavo` alone does not import."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ._optional import import_framework
from .loader import Loader

_jax: Any = import_framework(__name__, "jax", package="jax")


def batches(loader: Loader[Any], sharding: Any = None) -> Iterator[Any]:
    """Iterates over an epoch of a loader, as `iter` does, with the batches as ``jax.Array``.

    >>> loader = octavo.Loader("photos.h5", batch_size=512, shuffle=True, framework="dlpack", label_dtype="int32")
    >>> for images, labels in octavo.jax.batches(loader):
    ...     state = train_step(state, images, labels)

    On a GPU, arrays are taken over by DLPack without a copy. Without 64-bit types in JAX (``jax_enable_x64``), labels
    of type int64 become int32.

    Parameters
    ----------
    loader
        Its batches may be of any framework.
    sharding
        A ``jax.sharding.Sharding`` of the parts of a batch; True: their first axis is divided among the local devices.
        None: the device of the loader.

    Raises
    ------
    ValueError
        If a batch cannot be divided among the devices.
    """
    place = _over_local_devices() if sharding is True else sharding
    for batch in loader:
        if isinstance(batch, dict):
            yield {name: _array(part, place) for name, part in batch.items()}
        else:
            yield tuple(_array(part, place) for part in batch)


def _over_local_devices() -> Any:
    mesh = _jax.sharding.Mesh(np.array(_jax.local_devices()), ("batch",))
    return _jax.sharding.NamedSharding(mesh, _jax.sharding.PartitionSpec("batch"))


def _array(part: Any, sharding: Any) -> Any:
    if part is None:
        return None
    if getattr(getattr(part, "device", None), "type", "") == "cpu":  # a torch tensor
        part = part.numpy()
    if isinstance(part, np.ndarray):
        if part.dtype == np.int64 and not _jax.config.jax_enable_x64:
            part = part.astype(np.int32)
        array = _jax.numpy.asarray(part)
    else:
        array = _jax.dlpack.from_dlpack(part)
    if sharding is None:
        return array
    try:
        return _jax.device_put(array, sharding)
    except ValueError as error:
        raise ValueError(
            f"divide a batch of {len(array)} samples among devices: {error}; use a batch_size that is a multiple of "
            "the number of devices, and drop_last=True"
        ) from None
