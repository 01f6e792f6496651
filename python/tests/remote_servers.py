"""Places of remote files for tests: a web server, which is also a fake S3, and stores in memory that misbehave."""

from __future__ import annotations

import http.server
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class ObjectServer:
    """Serves objects by their path, in ranges, on threads of this process."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.etag = '"1"'
        self.ignores_ranges = False
        self.statuses: list[int] = []  # of the next responses
        self.requests: list[tuple[str, str | None]] = []  # path and range
        self.headers: list[dict[str, str]] = []
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_: Any) -> None:
                pass

            def do_HEAD(self) -> None:
                owner._answer(self, with_body=False)

            def do_GET(self) -> None:
                owner._answer(self, with_body=True)

        return Handler

    def _answer(self, request: http.server.BaseHTTPRequestHandler, with_body: bool) -> None:
        path, wanted = request.path.partition("?")[0], request.headers.get("Range")
        self.requests.append((path, wanted))
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        content = self.objects.get(path)
        condition = request.headers.get("If-Match", self.etag)
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", wanted or "")
        status, body = 200, content or b""
        if self.statuses:
            status, body = self.statuses.pop(0), b""
        elif content is None:
            status = 404
        elif condition != self.etag:
            status, body = 412, b""
        elif found and not self.ignores_ranges:
            begin, end = int(found[1]), min(int(found[2]) + 1, len(content))
            status, body = 206, content[begin:end]
        request.send_response(status)
        if status == 206:
            request.send_header("Content-Range", f"bytes {begin}-{end - 1}/{len(content or b'')}")
        request.send_header("Content-Length", str(len(body)))
        request.send_header("ETag", self.etag)
        request.send_header("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT")
        request.end_headers()
        if with_body:
            request.wfile.write(body)


@contextmanager
def serving() -> Iterator[ObjectServer]:
    server = ObjectServer()
    try:
        yield server
    finally:
        server.close()


def serve_file(path: str, bucket: str) -> str:
    """The URL of a server with this file, for pages of the documentation; it ends with the process."""
    server = ObjectServer()
    server.objects[f"/{bucket}/{path}"] = Path(path).read_bytes()
    return server.url


class RangeStore:
    """A store with get_ranges() and head(), of one object. Counts calls, and fails as often as it is told."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.version = "1"
        self.calls: list[list[tuple[int, int]]] = []
        self.failures: list[BaseException] = []  # raised by the next calls
        self.cuts = 0  # how many of the next calls return a byte less
        self.heads = 0
        self.seconds = 0.0  # of each call

    def head(self, path: str) -> dict[str, Any]:
        self.heads += 1
        return {"path": path, "size": len(self.content), "e_tag": self.version, "last_modified": None}

    def get_ranges(self, path: str, *, starts: Sequence[int], ends: Sequence[int]) -> list[bytes]:
        ranges = list(zip(starts, ends, strict=True))
        self.calls.append(ranges)
        time.sleep(self.seconds)
        if self.failures:
            raise self.failures.pop(0)
        if self.cuts > 0:
            self.cuts -= 1
            return [self.content[begin : end - 1] for begin, end in ranges]
        return [self.content[begin:end] for begin, end in ranges]

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """Of all calls."""
        return [each for call in self.calls for each in call]


class FolderStore:
    """A file system in memory with the methods of fsspec that writing and reading need. Misbehaves if it is told."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.versions = 0
        self.changes_bytes = False
        self.failure: BaseException | None = None

    def makedirs(self, path: str, exist_ok: bool) -> None:
        pass

    def invalidate_cache(self, path: str | None = None) -> None:
        pass

    def put_file(self, local: str, path: str) -> None:
        if self.failure is not None:
            raise self.failure
        content = bytearray(Path(local).read_bytes())
        content[-1] ^= self.changes_bytes
        self.files[path] = bytes(content)
        self.versions += 1

    def rm_file(self, path: str) -> None:
        del self.files[path]

    def ls(self, folder: str, detail: bool) -> list[str]:
        paths = [path for path in self.files if path.startswith(folder.rstrip("/") + "/")]
        if not paths:
            raise FileNotFoundError(folder)
        return paths

    def info(self, path: str) -> dict[str, Any]:
        if path not in self.files:
            raise FileNotFoundError(path)
        return {"size": len(self.files[path]), "mtime": self.versions}

    def cat_ranges(self, paths: list[str], starts: list[int], ends: list[int], on_error: str) -> list[bytes]:
        return [self.files[path][begin:end] for path, begin, end in zip(paths, starts, ends, strict=True)]
