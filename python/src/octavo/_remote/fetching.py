"""The threads that fetch what the readers of an open dataset ask for."""

from __future__ import annotations

import _thread
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .clients import Client, Description
from .problems import Problem, check_sizes, problem_of, with_retries

if TYPE_CHECKING:
    from .. import _core


class Fetcher:
    """Serves the queue of one open dataset, in each process that reads it.

    A client is made when a thread needs it, so that none exists before fork().
    """

    def __init__(self, name: str, make_client: Callable[[], Client], threads_of: Callable[[int], int]) -> None:
        self._name = name
        self._make_client = make_client
        self._threads_of = threads_of  #: how many threads to use, of those that the client can
        self._opened: Description | None = None
        self._process = -1
        self._begin_process()

    def _begin_process(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()  # the parent's may be locked
        self._client: Client | None = None
        self._thread_count = 0

    def start(self, queue: _core.RangeQueue) -> None:
        """Starts the first thread for a queue. Called by the library; does not wait."""
        if self._process != os.getpid():
            self._begin_process()
        self._thread_count = 1
        # Not threading.Thread: its start() waits, and the interpreter would wait for it at exit.
        _thread.start_new_thread(self._work, (queue,))

    def _work(self, queue: _core.RangeQueue) -> None:
        most = 1
        while requests := queue.next(most):
            try:
                client = self._opened_client()
                most = client.ranges_per_call
                self._add_thread(queue, client)
            except BaseException as error:
                _fail(queue, requests, self._problem("open", error))
                continue
            self._serve(queue, client, requests)

    def _opened_client(self) -> Client:
        with self._lock:
            if self._client is None:
                self._client = self._make_client()
            return self._client

    def _add_thread(self, queue: _core.RangeQueue, client: Client) -> None:
        if not queue.needs_another_thread():
            return
        with self._lock:
            if self._thread_count >= self._threads_of(client.threads):
                return
            self._thread_count += 1
        _thread.start_new_thread(self._work, (queue,))

    def _serve(self, queue: _core.RangeQueue, client: Client, requests: list[Any]) -> None:
        try:
            if requests[0][1] is None:
                self._describe(queue, client, requests[0][0])
            else:
                self._fetch(queue, client, requests)
        except BaseException as error:  # the reader raises it
            action = "open" if self._opened is None else "read"
            _fail(queue, requests, self._problem(action, error))

    def _describe(self, queue: _core.RangeQueue, client: Client, number: int) -> None:
        description = with_retries(client.describe)
        if self._opened is None:
            self._opened = description
        queue.describe(number, description.length, description.identity)

    def _fetch(self, queue: _core.RangeQueue, client: Client, requests: list[Any]) -> None:
        ranges = [(begin, end) for _, begin, end in requests]
        opened = self._opened
        assert opened is not None  # readers ask for the length first

        def fetch() -> list[memoryview]:
            buffers = [memoryview(buffer) for buffer in client.fetch(ranges, opened)]
            check_sizes(ranges, buffers, opened.length)
            return buffers

        for (number, _, _), buffer in zip(requests, with_retries(fetch), strict=True):
            queue.deliver(number, buffer)

    def _problem(self, action: str, error: BaseException) -> Problem:
        problem = problem_of(error)
        return Problem(problem.about(action, self._name), problem.error_number)


def _fail(queue: _core.RangeQueue, requests: list[Any], problem: Problem) -> None:
    for number, _, _ in requests:
        queue.fail(number, problem.text, problem.error_number)
