"""Octavo: image datasets packed once into int8, and served to training at the speed of memory.

>>> loader = octavo.Loader("cifar10.h5", "train", batch_size=512, shuffle=True, seed=7, device="cuda")
>>> for epoch in range(10):
...     for images, labels in loader:
...         train_step(images, labels)
"""

from ._native import (
    DeviceError,
    DeviceInfo,
    FormatError,
    PackSummary,
    SampleFailure,
    UnavailableError,
    VerifyResult,
    __version__,
    backends,
    devices,
)
from .dataset import Dataset, ImageArray, Split
from .dataset_packing import pack_dataset
from .loader import Loader
from .memory import find_batch_size, plan
from .normalize import Normalize
from .packing import pack
from .reports import Report, report, verify
from .store import Store
from .writer import Writer

__all__ = [
    "Dataset",
    "DeviceError",
    "DeviceInfo",
    "FormatError",
    "ImageArray",
    "Loader",
    "Normalize",
    "PackSummary",
    "Report",
    "SampleFailure",
    "Split",
    "Store",
    "UnavailableError",
    "VerifyResult",
    "Writer",
    "__version__",
    "backends",
    "devices",
    "find_batch_size",
    "pack",
    "pack_dataset",
    "plan",
    "report",
    "verify",
]
