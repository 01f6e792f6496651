"""Batches as JAX arrays."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import octavo
import pytest
from conftest import Packed

jax = pytest.importorskip("jax")
from octavo.jax import batches  # noqa: E402


@pytest.mark.parametrize("framework", ["numpy", "dlpack", "torch"])
def test_arrays_have_the_values_of_the_loader(packed: Packed, framework: Any) -> None:
    if framework == "torch":
        pytest.importorskip("torch")
    options: dict[str, Any] = {"batch_size": 10, "shuffle": True, "device": "cpu", "label_dtype": "int32"}
    loader = octavo.Loader(packed.path, framework=framework, **options)
    expected = octavo.Loader(packed.path, framework="numpy", **options)
    for _ in range(2):
        count = 0
        for (images, labels), (values, numbers) in zip(batches(loader), expected, strict=True):
            assert isinstance(images, jax.Array)
            np.testing.assert_array_equal(np.asarray(images), values)
            np.testing.assert_array_equal(np.asarray(labels), numbers)
            count += 1
        assert count == 5


def test_batches_with_keys_and_wide_labels(packed: Packed) -> None:
    loader = octavo.Loader(packed.path, framework="numpy", device="cpu", keys=("x", "y"))
    batch = next(batches(loader))
    assert list(batch) == ["x", "y"]
    assert batch["y"].dtype == (np.int64 if jax.config.jax_enable_x64 else np.int32)
    np.testing.assert_array_equal(np.asarray(batch["y"]), packed.labels)


SHARDED = """
import sys, numpy, octavo
from octavo.jax import batches
loader = octavo.Loader(sys.argv[1], batch_size=10, framework="numpy", device="cpu", drop_last=True)
for images, labels in batches(loader, sharding=True):
    assert len(images.sharding.device_set) == 2, images.sharding
    numpy.testing.assert_array_equal(images, loader[loader.state_dict()["step"] - 1][0])
loader = octavo.Loader(sys.argv[1], batch_size=9, framework="numpy", device="cpu")
try:
    list(batches(loader, sharding=True))
except ValueError as error:
    assert "divide a batch of 9 samples" in str(error) and "drop_last" in str(error), error
    print("refused")
"""


def test_batches_are_divided_among_devices(packed: Packed) -> None:
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    result = subprocess.run(
        [sys.executable, "-c", SHARDED, str(packed.path)], env=environment, capture_output=True, text=True, check=False
    )
    assert result.stdout.strip() == "refused", result.stderr
