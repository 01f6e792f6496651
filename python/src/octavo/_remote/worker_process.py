"""Runs a client in another process, for children of fork() that cannot use its library.

The two exchange pickled messages through pipes: a call with its arguments, and its result or a Problem.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any, TypeVar, cast

from .clients import Client, Description, Ranges
from .problems import ProblemError, problem_of

_LENGTH = struct.Struct("<Q")
_Result = TypeVar("_Result")


class WorkerClient:
    """A client like the one that `make_client` makes, which runs in a process of its own."""

    threads = 1
    ranges_per_call = 64
    compares = True

    def __init__(self, make_client: Callable[[], Client]) -> None:
        # A NotImplementedError is not tried again.
        if not sys.executable:
            raise NotImplementedError("obstore does not work after fork(), and there is no Python program to run it in")
        try:
            pickle.dumps(make_client)
        except Exception as error:
            raise NotImplementedError(
                f"obstore does not work after fork(), and its store has no pickle: {error}"
            ) from None
        self._lock = threading.Lock()
        self._process = _start("main")
        self._call("open", make_client)

    def describe(self) -> Description:
        """See `Client`."""
        description: Description = self._call("describe")
        return description

    def fetch(self, ranges: Ranges, opened: Description) -> list[bytes]:
        """See `Client`."""
        buffers: list[bytes] = self._call("fetch", ranges, opened)
        return buffers

    def _call(self, name: str, *arguments: Any) -> Any:
        to, back = self._process.stdin, self._process.stdout
        assert to is not None
        assert back is not None
        with self._lock:
            _send(to, (name, *arguments))
            message = _receive(back)
        if message is None:
            raise RuntimeError("the process that reads remotely has ended")
        result, problem = message
        if problem is not None:
            raise ProblemError(problem)
        return result


def in_another_process(function: Callable[[], _Result]) -> _Result:
    """The result of a function that has a pickle.

    Raises
    ------
    ProblemError
        If it raises an exception.
    """
    process = _start("call_once")
    assert process.stdin is not None
    assert process.stdout is not None
    _send(process.stdin, function)
    process.stdin.close()
    message = _receive(process.stdout)
    process.wait()
    if message is None:
        raise RuntimeError("the process that uses obstore has ended")
    result, problem = message
    if problem is not None:
        raise ProblemError(problem)
    return cast("_Result", result)


def _start(function: str) -> subprocess.Popen[bytes]:
    """Another process that runs a function of this module."""
    code = f"from {__name__} import {function}; {function}()"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
    return subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )


def call_once() -> None:
    """The other process of `in_another_process`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    back = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is not a message
    try:
        _send(back, (_receive(sys.stdin.buffer)(), None))
    except Exception as error:
        _send(back, (None, problem_of(error)))


def main() -> None:
    """The other process of a `WorkerClient`, until the first one ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the first one
    back = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is not a message
    client: Any = None

    with ThreadPoolExecutor(WorkerClient.ranges_per_call) as pool:
        while (message := _receive(sys.stdin.buffer)) is not None:
            name, *arguments = message
            try:
                if name == "open":
                    client, result = arguments[0](), None
                elif name == "describe":
                    result = client.describe()
                else:
                    result = _fetch(pool, client, *arguments)
                _send(back, (result, None))
            except Exception as error:
                _send(back, (None, problem_of(error)))


def _fetch(pool: ThreadPoolExecutor, client: Client, ranges: Ranges, opened: Description) -> list[bytes]:
    step = client.ranges_per_call
    calls = [ranges[begin : begin + step] for begin in range(0, len(ranges), step)]
    return [bytes(buffer) for buffers in pool.map(lambda call: client.fetch(call, opened), calls) for buffer in buffers]


def _send(file: IO[bytes], message: Any) -> None:
    content = pickle.dumps(message)
    file.write(_LENGTH.pack(len(content)))
    file.write(content)
    file.flush()


def _receive(file: IO[bytes]) -> Any:
    """The next message; None at the end."""
    head = file.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    content = file.read(_LENGTH.unpack(head)[0])
    return pickle.loads(content)
