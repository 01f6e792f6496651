"""What a type checker knows about batches. tools/test_python.sh checks this file with mypy; it is never run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy.typing as npt
import octavo

if TYPE_CHECKING:
    import torch
    from typing_extensions import assert_type


def torch_batches(loader: octavo.Loader) -> None:
    assert_type(octavo.Loader("a.h5", "train", batch_size=4, shuffle=True), octavo.Loader[tuple[torch.Tensor, ...]])
    for images, labels in loader:
        assert_type(images, torch.Tensor)
        assert_type(labels, torch.Tensor)
    images, masks, labels = octavo.Loader("a.h5", masks=True)[0]
    assert_type(masks, torch.Tensor)


def numpy_batches() -> None:
    for images, labels in octavo.Loader("a.h5", framework="numpy", dtype="float16"):
        assert_type(images, npt.NDArray[Any])
        assert_type(labels, npt.NDArray[Any])


def mappings() -> None:
    with octavo.Loader("a.h5", keys=("pixel_values", "labels"), framework="numpy") as loader:
        assert_type(loader[0], dict[str, npt.NDArray[Any]])
    assert_type(octavo.Loader("a.h5", keys=("x", "y"))[0], dict[str, torch.Tensor])


def mistakes() -> None:
    octavo.Loader("a.h5", batchsize=4)  # type: ignore[call-overload]
    octavo.GraphLoader("a.h5", batchsize=4)  # type: ignore[call-arg]
    octavo.GraphLoader("a.h5", shuffle="blocks")  # type: ignore[arg-type]
    octavo.Store("a.h5", batch_size=4)  # type: ignore[call-arg]
    print(octavo.Loader("a.h5", framework="numpy")[0].images)  # type: ignore[attr-defined]
