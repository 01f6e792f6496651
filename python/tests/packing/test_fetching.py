"""Fetching datasets from a local server."""

from __future__ import annotations

import hashlib
import json
import struct
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import octavo
import pytest


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture(autouse=True, params=["default client", "Python's client"])
def client(request: pytest.FixtureRequest) -> Iterator[None]:
    """The HTTP client of the build, and the one that replaces libcurl."""
    octavo.known_sets()
    octavo._fetch.choose_http_client(request.param == "Python's client")
    yield
    octavo._fetch.choose_http_client(False)


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a folder with two IDX files."""
    folder = tmp_path / "published"
    folder.mkdir()
    images = np.arange(2000 * 10 * 10, dtype=np.uint32).astype(np.uint8)
    (folder / "train-images-idx3-ubyte").write_bytes(struct.pack(">IIII", 0x803, 2000, 10, 10) + images.tobytes())
    labels = (np.arange(2000) % 10).astype(np.uint8)
    (folder / "train-labels-idx1-ubyte").write_bytes(struct.pack(">II", 0x801, 2000) + labels.tobytes())
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def description(tmp_path: Path, published: str) -> Path:
    files = [
        {"name": path.name, "bytes": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
        for path in sorted((tmp_path / "published").iterdir())
    ]
    path = tmp_path / "set.json"
    path.write_text(json.dumps({"name": "tiny", "mirrors": [published], "files": files}))
    return path


def test_a_set_is_fetched_once_and_packed(tmp_path: Path, description: Path) -> None:
    fetched = octavo.fetch(description=description, folder=tmp_path / "tiny", progress=False)
    assert fetched.folder == fetched.source == tmp_path / "tiny"
    assert [file.was_there for file in fetched.files] == [False, False]
    assert fetched.received_bytes == 2000 * 101 + 16 + 8
    assert octavo.pack(fetched.source, tmp_path / "tiny.h5").splits == {"train": 2000}
    again = octavo.fetch(description=description, folder=tmp_path / "tiny", progress=False)
    assert [file.was_there for file in again.files] == [True, True]
    assert again.received_bytes == 0


def test_the_folder_has_the_name_of_the_set(tmp_path: Path, description: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert octavo.fetch(description=description, progress=False).folder == Path("tiny")
    assert (tmp_path / "tiny" / "train-labels-idx1-ubyte").stat().st_size == 2008


def test_the_files_to_pack_can_be_given_by_split(tmp_path: Path, description: Path) -> None:
    given = json.loads(description.read_text())
    for pack, source in (
        (["train-images-idx3-ubyte"], [tmp_path / "tiny" / "train-images-idx3-ubyte"]),
        (["val=train-images-idx3-ubyte"], {"val": [tmp_path / "tiny" / "train-images-idx3-ubyte"]}),
    ):
        description.write_text(json.dumps({**given, "pack": pack}))
        fetched = octavo.fetch(description=description, folder=tmp_path / "tiny", progress=False)
        assert fetched.source == source
    assert octavo.pack(fetched.source, tmp_path / "tiny.h5").splits == {"val": 2000}


def test_progress_is_in_bytes_and_can_cancel_the_download(tmp_path: Path, description: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    octavo.fetch(description=description, folder=tmp_path / "a", progress=lambda *told: seen.append(told))
    assert seen
    assert all(stage.split()[0] in ("fetching", "checking") for stage, _, _ in seen)
    assert {total for _, _, total in seen} <= {2000 * 100 + 16, 2008}

    def stop(*told: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        octavo.fetch(description=description, folder=tmp_path / "b", progress=stop)


def test_a_bar_shows_bytes(tmp_path: Path, description: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    octavo.fetch(description=description, folder=tmp_path / "a", progress=True)
    assert "B/s" in capsys.readouterr().err


def test_errors_have_the_documented_types(tmp_path: Path, description: Path, published: str) -> None:
    given = json.loads(description.read_text())
    with pytest.raises(OSError, match="HTTP status 404"):
        octavo.fetch("mnist", tmp_path / "a", mirrors=published, retries=0, progress=False)
    description.write_text(json.dumps({**given, "files": [{**given["files"][0], "sha256": "0" * 64}]}))
    with pytest.raises(octavo.FormatError, match=r"its SHA-256 is .*, not 0000"):
        octavo.fetch(description=description, folder=tmp_path / "a", progress=False)
    assert not (tmp_path / "a").exists()
    with pytest.raises(ValueError, match="no known set"):
        octavo.fetch("imagenet")
    with pytest.raises(TypeError, match="either"):
        octavo.fetch()
    with pytest.raises(ValueError, match="timeout is 0"):
        octavo.fetch("mnist", timeout=0)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "train-images-idx3-ubyte.gz").write_text("mine")
    with pytest.raises(ValueError, match="not the published one"):
        octavo.fetch("mnist", tmp_path / "b", mirrors=[published])


def test_known_sets_describe_themselves() -> None:
    sets = {known.name: known for known in octavo.known_sets()}
    assert sets["cifar10"].bytes == 170_052_171
    assert sets["cifar10"].files[0].md5 == "c32a1d4ab5d03f1284b67883e8d87530"
    assert "MIT" in sets["fashion-mnist"].license
