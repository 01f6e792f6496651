"""Progress bars, with and without tqdm."""

from __future__ import annotations

import builtins
import logging
from pathlib import Path
from typing import Any

import octavo
import pytest
from conftest import write_packed


@pytest.fixture
def without_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def fake(name: str, *rest: Any) -> Any:
        if name.split(".")[0] == "tqdm":
            raise ModuleNotFoundError(f"No module named {name!r}")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", fake)


@pytest.mark.usefixtures("without_tqdm")
def test_without_tqdm_errors_have_no_other_cause(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "octavo")
    (tmp_path / "a.h5").write_bytes(b"damaged")
    for progress in (None, True):
        with pytest.raises(octavo.FormatError) as caught:
            octavo.pack(tmp_path / "a.h5", tmp_path / "b.h5", format="octavo", progress=progress)
        assert caught.value.__context__ is None
    assert "tqdm is not installed; no progress bar is shown" in caplog.text
    # The work itself is done.
    packed = write_packed(tmp_path / "c.h5", 10, (1, 4, 4))
    with pytest.warns(RuntimeWarning, match="progress is True, but tqdm is not installed, .*; run: pip install tqdm"):
        assert octavo.verify(packed.path, progress=True)
