"""A loader for ``model.fit()`` of Keras 3. Needs Keras, which `octavo` alone does not import."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from ._optional import import_framework
from .loader import Loader

_keras: Any = import_framework(__name__, "keras", package="keras")
_PyDataset: Any = _keras.utils.PyDataset


class Dataset(_PyDataset):  # type: ignore[misc]  # Keras may be missing when types are checked
    """The batches of a loader for ``fit``, ``evaluate`` and ``predict``, on every backend of Keras.

    >>> train = octavo.Loader("photos.h5", "train", batch_size=256, shuffle=True, memory_format="channels_last",
    ...                       framework="numpy")
    >>> model.fit(octavo.keras.Dataset(train), epochs=10)

    Each epoch of Keras is an epoch of the loader, in the loader's order: the argument `shuffle` of ``fit`` has no
    effect. Batches are (images, labels), (images, masks) or (images, (masks, labels)), and (images,) without either.
    With `carry_over`, epochs of Keras have ``len(loader)`` batches each, and the loader's go on from one to the next.

    Images are in the axes of the loader. Keras expects [B, H, W, C] unless ``keras.config.image_data_format()`` says
    otherwise: use ``framework="numpy", memory_format="channels_last"``.

    Parameters
    ----------
    loader
        A loader of any framework. Batches of JAX on a GPU are taken over without a copy; TensorFlow gets them in host
        memory.
    """

    def __init__(self, loader: Loader[Any]) -> None:
        super().__init__()
        self._loader = loader
        self._backend = str(_keras.backend.backend())
        self._owner = threading.get_ident()
        self._lock = threading.Lock()
        self._batches: Iterator[Any] | None = None
        # Keras builds a model with the first batch of a pass, and then begins the pass again.
        self._taken, self._first = 0, None

    def __len__(self) -> int:
        return len(self._loader)

    @property
    def workers(self) -> int:
        """One: the loader makes batches in threads of its own."""
        return 1

    @workers.setter
    def workers(self, value: int) -> None:
        if value > 1:
            raise ValueError(f"workers is {value}; a loader makes batches in threads of its own, so it is 1")

    @property
    def num_batches(self) -> int:
        """The number of batches. Keras reads it when a pass over them begins."""
        if not self._is_peeking():
            with self._lock:
                if self._taken > 1:
                    self._first = None
                    # With carry_over, the passes of Keras and the epochs differ in length: passes go on.
                    if not self._loader.carry_over:
                        self._batches = None
                elif self._taken == 1 and len(self._loader) == 1:
                    self._first = self._batches = None
                self._taken = 0
        return len(self._loader)

    def on_epoch_begin(self) -> None:
        """Called by Keras."""
        self._owner = threading.get_ident()

    def __getitem__(self, index: int) -> Any:
        """The next batch of the pass; Keras may ask in any order."""
        if self._is_peeking():
            return self._converted(self._loader[index])
        with self._lock:
            return self._converted(self._next())

    def _next(self) -> Any:
        self._taken += 1
        if self._first is not None and self._taken == 1:
            return self._first
        batch = None if self._batches is None else next(self._batches, None)
        # A place may be restored that has nothing left of its epoch.
        while batch is None:
            self._batches = iter(self._loader)
            batch = next(self._batches, None)
        self._first = batch if self._taken == 1 else None
        return batch

    def _is_peeking(self) -> bool:
        """Whether Keras only looks at batches: with TensorFlow, which takes those of a pass in threads of its own."""
        return self._backend == "tensorflow" and threading.get_ident() == self._owner

    def _converted(self, batch: Any) -> Any:
        parts = list(batch.values()) if isinstance(batch, dict) else list(batch)
        images, *rest = (self._array(part) for part in parts if part is not None)
        if not rest:
            return (images,)
        return (images, rest[0]) if len(rest) == 1 else (images, tuple(rest))

    def _array(self, part: Any) -> Any:
        if self._backend == "torch" or isinstance(part, np.ndarray):
            return part
        if getattr(getattr(part, "device", None), "type", "") == "cpu":  # a torch tensor
            return part.numpy()
        if self._backend == "jax":
            return importlib.import_module("jax").dlpack.from_dlpack(part)
        return part.cpu().numpy() if hasattr(part, "cpu") else np.from_dlpack(part)
