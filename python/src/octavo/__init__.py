"""Octavo: packs image datasets into int8 once, and serves training batches from memory.

>>> loader = octavo.Loader("cifar10.h5", "train", batch_size=512, shuffle=True, seed=7, device="cuda")
>>> for epoch in range(10):
...     for images, labels in loader:
...         train_step(images, labels)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import augment, recipes
from ._core import (
    DeviceError,
    DeviceInfo,
    FormatError,
    UnavailableError,
    __version__,
    backends,
    cuda_problem,
    devices,
)
from ._loading.loader_records import DrawnSample, Share
from ._remote.byte_source import ByteSource, remote_file
from .dataset import Dataset, ImageArray, MaskArray, Split
from .graph_loader import GraphLoader
from .loader import Loader
from .memory import find_batch_size, plan
from .normalize import Normalize
from .store import Store

if TYPE_CHECKING:
    from ._fetch import FetchedFile, RemoteFile, RemoteSet, known_sets
    from ._pack import PackSummary, ReindexSummary, SampleFailure, VerifyResult
    from .dataset_files import export, reindex, repack
    from .dataset_packing import pack_dataset
    from .dataset_sharding import ShardedPackDataset
    from .fetching import Fetched, fetch
    from .packing import PackingWarning, pack
    from .reports import DoctorReport, Finding, MemoryReport, Report, doctor, info, report, verify
    from .sharding import MergeSummary, ShardedPack, merge
    from .viewing import Picture, view
    from .writer import Writer

for _error in (DeviceError, FormatError, UnavailableError):
    _error.__module__ = __name__  # how tracebacks name them


def _sheet_html(split: Split, most: int) -> str:
    from ._notebook import sheet_html  # loads the libraries for pictures

    return sheet_html(split, most)


Split._sheet_html = _sheet_html

# Loaded when first used: packing and fetching need libraries that training does not.
_LAZY_MODULES = {
    "DoctorReport": "reports",
    "Fetched": "fetching",
    "FetchedFile": "_fetch",
    "Finding": "reports",
    "PackSummary": "_pack",
    "PackingWarning": "packing",
    "Picture": "viewing",
    "RemoteFile": "_fetch",
    "ReindexSummary": "_pack",
    "RemoteSet": "_fetch",
    "MemoryReport": "reports",
    "MergeSummary": "sharding",
    "Report": "reports",
    "SampleFailure": "_pack",
    "ShardedPack": "sharding",
    "ShardedPackDataset": "dataset_sharding",
    "VerifyResult": "_pack",
    "Writer": "writer",
    "doctor": "reports",
    "export": "dataset_files",
    "fetch": "fetching",
    "info": "reports",
    "known_sets": "_fetch",
    "merge": "sharding",
    "pack": "packing",
    "pack_dataset": "dataset_packing",
    "reindex": "dataset_files",
    "repack": "dataset_files",
    "report": "reports",
    "verify": "reports",
    "view": "viewing",
}

# Modules that need a framework; `octavo.lightning` imports it when first used.
_INTEGRATIONS = ("jax", "keras", "lightning", "transformers")

__all__ = [
    "ByteSource",
    "Dataset",
    "DeviceError",
    "DeviceInfo",
    "DoctorReport",
    "DrawnSample",
    "Fetched",
    "FetchedFile",
    "Finding",
    "FormatError",
    "GraphLoader",
    "ImageArray",
    "Loader",
    "MaskArray",
    "MemoryReport",
    "MergeSummary",
    "Normalize",
    "PackSummary",
    "PackingWarning",
    "Picture",
    "ReindexSummary",
    "RemoteFile",
    "RemoteSet",
    "Report",
    "SampleFailure",
    "ShardedPack",
    "ShardedPackDataset",
    "Share",
    "Split",
    "Store",
    "UnavailableError",
    "VerifyResult",
    "Writer",
    "__version__",
    "augment",
    "backends",
    "cuda_problem",
    "devices",
    "doctor",
    "export",
    "fetch",
    "find_batch_size",
    "info",
    "known_sets",
    "merge",
    "pack",
    "pack_dataset",
    "plan",
    "recipes",
    "reindex",
    "remote_file",
    "repack",
    "report",
    "verify",
    "view",
]


def __getattr__(name: str) -> Any:
    if name in _INTEGRATIONS:
        return importlib.import_module(f".{name}", __name__)
    module = _LAZY_MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{module}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
