"""Octavo: packs image datasets into int8 once, and serves training batches from memory.

>>> loader = octavo.Loader("cifar10.h5", "train", batch_size=512, shuffle=True, seed=7, device="cuda")
>>> for epoch in range(10):
...     for images, labels in loader:
...         train_step(images, labels)
"""

from ._native import (
    DeviceError,
    DeviceInfo,
    FetchedFile,
    FormatError,
    PackSummary,
    RemoteFile,
    RemoteSet,
    SampleFailure,
    UnavailableError,
    VerifyResult,
    __version__,
    backends,
    cuda_problem,
    devices,
    known_sets,
)
from .dataset import Dataset, ImageArray, Split
from .dataset_packing import pack_dataset
from .fetching import Fetched, fetch
from .graph_loader import GraphLoader
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
    "Fetched",
    "FetchedFile",
    "FormatError",
    "GraphLoader",
    "ImageArray",
    "Loader",
    "Normalize",
    "PackSummary",
    "RemoteFile",
    "RemoteSet",
    "Report",
    "SampleFailure",
    "Split",
    "Store",
    "UnavailableError",
    "VerifyResult",
    "Writer",
    "__version__",
    "backends",
    "cuda_problem",
    "devices",
    "fetch",
    "find_batch_size",
    "known_sets",
    "pack",
    "pack_dataset",
    "plan",
    "report",
    "verify",
]
