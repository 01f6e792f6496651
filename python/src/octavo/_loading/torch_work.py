"""The work of torch on a GPU, and the memory that it needs, without importing torch."""

from __future__ import annotations

import gc
import sys
from typing import Any


def synchronize() -> None:
    """Waits for the work of torch on the current GPU, if torch uses one."""
    if (cuda := _cuda()) is not None:
        cuda.synchronize()


def free_unused() -> None:
    """Frees objects that nothing uses, and GPU memory that torch caches."""
    gc.collect()
    if (cuda := _cuda()) is not None:
        cuda.empty_cache()


def _cuda() -> Any:
    """torch.cuda, if torch is imported and has initialized CUDA."""
    torch = sys.modules.get("torch")
    return torch.cuda if torch is not None and torch.cuda.is_initialized() else None
