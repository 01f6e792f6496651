"""The HTTP client that replaces libcurl, against servers that misbehave."""

from __future__ import annotations

import hashlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import octavo
import pytest

CONTENT = bytes(range(256)) * 1000
Handler = Callable[[socket.socket, str], object]


@pytest.fixture(autouse=True)
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    octavo.known_sets()
    octavo._fetch.choose_http_client(True)
    yield
    octavo._fetch.choose_http_client(False)


@contextmanager
def server(handler: Handler) -> Iterator[str]:
    """Calls the handler with each connection and its request, and yields the address."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                request = connection.recv(65536).decode("latin-1")
                with suppress(OSError):  # the client has gone
                    handler(connection, request)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def fetch(address: str, folder: Path, retries: int = 0, progress: Any = False) -> octavo.Fetched:
    description = folder.with_suffix(".json")
    entry = {"name": "a.bin", "bytes": len(CONTENT), "sha256": hashlib.sha256(CONTENT).hexdigest()}
    description.write_text(json.dumps({"name": "tiny", "mirrors": [address], "files": [entry]}))
    return octavo.fetch(description=description, folder=folder, retries=retries, timeout=1, progress=progress)


def ok(body: bytes) -> bytes:
    return f'HTTP/1.1 200 OK\r\nContent-Length: {len(CONTENT)}\r\nETag: "x"\r\n\r\n'.encode() + body


def test_a_broken_download_is_resumed(tmp_path: Path) -> None:
    requests = []

    def handler(connection: socket.socket, request: str) -> None:
        requests.append(request)
        if "Range: bytes=" not in request:
            connection.sendall(ok(CONTENT[:70000]))
            return
        begin = int(request.split("Range: bytes=")[1].split("-")[0])
        head = f"Content-Range: bytes {begin}-{len(CONTENT) - 1}/{len(CONTENT)}\r\n"
        connection.sendall(f"HTTP/1.1 206 Partial Content\r\n{head}\r\n".encode() + CONTENT[begin:])

    with server(handler) as address:
        fetched = fetch(address, tmp_path / "set", retries=2)
    assert (tmp_path / "set" / "a.bin").read_bytes() == CONTENT
    assert fetched.received_bytes == len(CONTENT)
    assert len(requests) == 2
    assert 'If-range: "x"' in requests[1].replace("If-Range", "If-range")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (ok(CONTENT[:1000]), "the connection ended after 1000 of 256000 bytes"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123456789", "the server has 9 bytes"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + CONTENT + b"more", "sends more than the 256000 bytes"),
        (b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", "HTTP status 503"),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone", "HTTP status 404"),
        (b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n", "neither http nor https"),
        (b"HTTP/1.1 302 Found\r\nLocation: /a.bin\r\nConnection: close\r\n\r\n", "redirected more than 5 times"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "SSH-2.0"),
        (b"", "closed connection without response"),
    ],
)
def test_an_answer_that_is_not_the_file_is_an_error(tmp_path: Path, answer: bytes, reason: str) -> None:
    with (
        server(lambda connection, _: connection.sendall(answer)) as address,
        pytest.raises(OSError, match="a\\.bin") as error,
    ):
        fetch(address, tmp_path / "set")
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


def test_a_server_that_stalls_is_left_after_the_timeout(tmp_path: Path) -> None:
    done = threading.Event()

    def handler(connection: socket.socket, _: str) -> None:
        connection.sendall(ok(CONTENT[:100]))
        done.wait(20)

    begin = time.monotonic()
    with server(handler) as address:
        with pytest.raises(OSError, match="less than 1 KiB/s, for 1 s"):
            fetch(address, tmp_path / "set")
        done.set()
    assert time.monotonic() - begin < 10


def test_a_download_is_cancelled_while_the_server_is_silent(tmp_path: Path) -> None:
    done = threading.Event()

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with server(lambda *_: done.wait(20)) as address:
        with pytest.raises(KeyboardInterrupt):
            fetch(address, tmp_path / "set", progress=stop)
        done.set()


def test_an_address_that_nobody_answers_is_an_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(OSError, match="refused"):
        fetch(f"http://127.0.0.1:{port}/", tmp_path / "set")
