"""Requests with the HTTP client of Python's standard library, for builds without libcurl, such as the wheels."""

from __future__ import annotations

import http.client
import queue
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from ._core import __version__

_MOST_REDIRECTS = 5
_BLOCK_BYTES = 256 * 1024
_SLOWEST_BYTES_PER_SECOND = 1024

Outcome = tuple[Literal["complete", "broken", "refused"], str]


class _Head(NamedTuple):
    """The status line and headers of a response."""

    lines: list[bytes]


class _RefusedError(Exception):
    """The request will fail again in the same way."""


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a limited number of redirects, to http and https only."""

    # The base class ends a long chain with an ordinary error of status 302, so this class counts first.
    max_redirections = max_repeats = _MOST_REDIRECTS + 1

    def __init__(self) -> None:
        self._followed = 0

    def http_error_302(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> Any:
        target = urllib.parse.urljoin(req.full_url, headers.get("location", ""))
        if urllib.parse.urlsplit(target).scheme not in ("http", "https"):
            raise _RefusedError("redirected to a URL that is neither http nor https")
        if self._followed == _MOST_REDIRECTS:
            raise _RefusedError(f"redirected more than {_MOST_REDIRECTS} times")
        self._followed += 1
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def get(
    url: str,
    headers: list[str],
    stall_seconds: int,
    take_header: Callable[[bytes], bool],
    take_body: Callable[[bytes], bool],
    go_on: Callable[[], bool],
) -> Outcome:
    """Sends a GET request and passes the response on, until a function returns False.

    The network is used on another thread, so that `go_on` is called several times a second, whatever the server does.
    """
    events: queue.Queue[_Head | bytes | Outcome] = queue.Queue(maxsize=8)
    is_over = threading.Event()
    arguments = (url, headers, stall_seconds, events, is_over)
    # A daemon: a name lookup that hangs must not delay the end of the process.
    threading.Thread(target=_receive, args=arguments, name="octavo-http", daemon=True).start()
    try:
        return _pass_on(events, stall_seconds, take_header, take_body, go_on)
    finally:
        is_over.set()


def _pass_on(
    events: queue.Queue[_Head | bytes | Outcome],
    stall_seconds: int,
    take_header: Callable[[bytes], bool],
    take_body: Callable[[bytes], bool],
    go_on: Callable[[], bool],
) -> Outcome:
    begin, received = time.monotonic(), 0
    while go_on():
        try:
            event = events.get(timeout=0.1)
        except queue.Empty:
            event = b""
        if isinstance(event, _Head):
            if not all(take_header(line) for line in event.lines):
                break
        elif isinstance(event, bytes):
            if event and not take_body(event):
                break
            received += len(event)
        else:
            return event
        elapsed = time.monotonic() - begin
        if elapsed >= stall_seconds:
            if received < elapsed * _SLOWEST_BYTES_PER_SECOND:
                return "broken", f"no connection, or less than 1 KiB/s, for {stall_seconds} s"
            begin, received = time.monotonic(), 0
    return "complete", ""


def _receive(
    url: str,
    headers: list[str],
    stall_seconds: int,
    events: queue.Queue[_Head | bytes | Outcome],
    is_over: threading.Event,
) -> None:
    """Runs on a thread of its own; the last event is the outcome."""

    def send(event: _Head | bytes | Outcome) -> bool:
        while not is_over.is_set():
            try:
                events.put(event, timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    try:
        with _open(url, headers, stall_seconds) as response:
            if not send(_Head(_head_lines(response))):
                return
            while block := response.read1(_BLOCK_BYTES):
                if not send(block):
                    return
        outcome: Outcome = ("complete", "")
    except _RefusedError as error:
        outcome = ("refused", str(error))
    except TimeoutError:
        outcome = ("broken", f"no connection, or less than 1 KiB/s, for {stall_seconds} s")
    except http.client.IncompleteRead:
        outcome = ("complete", "")  # the receiver counts the bytes
    except urllib.error.URLError as error:
        lasting = isinstance(error.reason, ssl.SSLError) or "unknown url type" in str(error.reason)
        outcome = ("refused" if lasting else "broken", _one_line(error.reason))
    except ValueError as error:  # the URL is malformed
        outcome = ("refused", _one_line(error))
    except Exception as error:
        outcome = ("broken", _one_line(error))
    send(outcome)


def _one_line(error: object) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _open(url: str, headers: list[str], stall_seconds: int) -> Any:
    """The response, whatever its status."""
    request = urllib.request.Request(url)
    request.add_header("User-Agent", f"octavo/{__version__}")
    for header in headers:
        name, _, value = header.partition(": ")
        request.add_header(name, value)
    # Proxies come from the environment.
    try:
        return urllib.request.build_opener(_Redirects).open(request, timeout=stall_seconds)
    except urllib.error.HTTPError as error:
        return error


def _head_lines(response: Any) -> list[bytes]:
    lines = [f"HTTP/1.1 {response.status}", *(f"{name}: {value}" for name, value in response.headers.items())]
    return [line.encode("latin-1", "replace") for line in lines]
