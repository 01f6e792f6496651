"""Exchanges samples between the ranks of ``torch.distributed``, for the residency ``"sharded"``."""

from __future__ import annotations

import collections
import contextlib
import datetime
import itertools
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from .rank_agreement import find_store

#: How long a rank may take to answer. A rank whose model is busy answers: a thread of its own does so.
_PATIENCE_SECONDS = 20
#: How long ranks that noticed a failure wait to hear of each other.
_INQUEST_SECONDS = 5
#: Whether ranks of one machine share the memory of their samples on the CPU; False: they exchange them, as machines do.
shares_host_memory = True
#: How long the residency "auto" waits for other ranks to load the samples too.
_AUTO_SECONDS = 60

_exchange_numbers = itertools.count()

#: The tensors of the last operations. A thread of gloo drops its references a moment after an operation ends. Were they
#: the last ones, it would need the GIL for that, and ``destroy_process_group()`` holds the GIL while it waits for it.
_last_tensors: collections.deque[tuple[Any, ...]] = collections.deque(maxlen=16)


def rank_count() -> int:
    """The number of ranks of ``torch.distributed``; 0 without a process group."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return 0
    return int(distributed.get_world_size())


def connect(device: str, is_auto: bool) -> Callable[[], TorchExchange | None]:
    """A function that connects the ranks, which all call it.

    With `is_auto`, it returns None if some of them do not call it: their samples may fit on their devices.
    """

    def connect_now() -> TorchExchange | None:
        # The number is taken here, so that only connections count, which ranks make in the same order.
        meeting = _Meeting(f"octavo/exchange/{next(_exchange_numbers)}")
        if is_auto and not meeting.attend(_AUTO_SECONDS):
            return None
        if not is_auto:
            meeting.attend(None)
        return TorchExchange(device, meeting)

    return connect_now


class _Meeting:
    """Ranks that tell each other, through the store of ``torch.distributed``, that they are there."""

    def __init__(self, prefix: str) -> None:
        import torch.distributed as distributed

        self._prefix, self._store = prefix, find_store()
        self._rank, self._world_size = distributed.get_rank(), distributed.get_world_size()

    def attend(self, seconds: float | None) -> bool:
        """Waits for all ranks. False if some did not come in time, or gave up before."""
        if self._store is None:
            return True
        self._store.set(f"{self._prefix}/here/{self._rank}", "1")
        end = None if seconds is None else time.monotonic() + seconds
        keys = [f"{self._prefix}/here/{rank}" for rank in range(self._world_size)]
        while not self._store.check(keys):
            if self._store.check([f"{self._prefix}/over"]):
                return False
            if end is not None and time.monotonic() > end:
                self._store.set(f"{self._prefix}/over", "1")
                return False
            time.sleep(0.05)
        return not self._store.check([f"{self._prefix}/over"])

    def absent_ranks(self) -> list[int]:
        """The ranks that do not answer now. All others call this too; may be called once."""
        found: list[list[int]] = []

        def ask() -> None:
            self._store.set(f"{self._prefix}/alive/{self._rank}", "1")
            end = time.monotonic() + _INQUEST_SECONDS
            absent = list(range(self._world_size))
            while absent and time.monotonic() < end:
                absent = [rank for rank in absent if not self._store.check([f"{self._prefix}/alive/{rank}"])]
                found.append(absent)
                time.sleep(0.05)

        if self._store is None:
            return []
        # The process that keeps the store may be the one that does not answer.
        thread = threading.Thread(target=_quietly, args=(ask,), name="octavo-absent-ranks", daemon=True)
        thread.start()
        thread.join(_INQUEST_SECONDS + 1)
        return found[-1] if found else []


def _quietly(work: Callable[[], None]) -> None:
    with contextlib.suppress(RuntimeError):  # the process that keeps the store has ended
        work()


class TorchExchange:
    """What the library asks of an exchange, with groups of ``torch.distributed`` of its own.

    Small messages go through gloo, which notices within `_PATIENCE_SECONDS` if a rank does not answer. Samples on GPUs
    go through NCCL if the default group does.
    """

    def __init__(self, device: str, meeting: _Meeting) -> None:
        import torch
        import torch.distributed as distributed

        self.rank, self.world_size = distributed.get_rank(), distributed.get_world_size()
        self._torch, self._distributed, self._meeting = torch, distributed, meeting
        self._device = torch.device(device)
        patience = datetime.timedelta(seconds=_PATIENCE_SECONDS)
        self._control = distributed.new_group(backend="gloo", timeout=patience)
        self._data = self._control
        if self._device.type == "cuda" and "nccl" in str(distributed.get_backend()):
            self._data = distributed.new_group(backend="nccl", timeout=patience)

    def all_gather(self, own: bytes) -> bytes:
        """The bytes of all ranks, in their order."""
        sent = self._torch.frombuffer(bytearray(own), dtype=self._torch.uint8)
        gathered = self._torch.empty((self.world_size, len(own)), dtype=self._torch.uint8)
        parts = list(gathered)
        _last_tensors.append((sent, parts))
        self._run(lambda: self._distributed.all_gather(parts, sent, group=self._control))
        return bytes(gathered.numpy())

    def all_to_all(
        self, send: Any, send_bytes: Sequence[int], receive: Any, receive_bytes: Sequence[int], stream: int
    ) -> None:
        """Sends `send_bytes` bytes to each rank, and receives `receive_bytes` from each, ordered on the stream."""
        empty = self._torch.empty(0, dtype=self._torch.uint8, device=self._device)
        sent = empty if send is None else self._torch.from_dlpack(send)
        received = empty if receive is None else self._torch.from_dlpack(receive)
        if self._device.type != "cuda":
            self._exchange(received, sent, receive_bytes, send_bytes)
            return
        with self._torch.cuda.device(self._device), self._torch.cuda.stream(self._stream_at(stream)):
            if self._data is not self._control:
                self._exchange(received, sent, receive_bytes, send_bytes)
                return
            on_host = self._torch.empty(received.shape, dtype=self._torch.uint8)
            self._exchange(on_host, sent.cpu(), receive_bytes, send_bytes)
            received.copy_(on_host)

    def _exchange(self, received: Any, sent: Any, receive_bytes: Sequence[int], send_bytes: Sequence[int]) -> None:
        _last_tensors.append((received, sent))
        self._run(
            lambda: self._distributed.all_to_all_single(
                received, sent, list(receive_bytes), list(send_bytes), group=self._data
            )
        )

    def _stream_at(self, address: int) -> Any:
        if address == 0:
            return self._torch.cuda.default_stream(self._device)
        return self._torch.cuda.ExternalStream(address, device=self._device)

    def _run(self, work: Callable[[], Any]) -> None:
        """Calls work(), and names the ranks that did not answer if it fails."""
        try:
            work()
        except ValueError as error:
            raise RuntimeError(
                "the process group was destroyed while the samples of a split were shared by its ranks; close the "
                "loader first"
            ) from error
        except RuntimeError as error:
            # Closing the connections tells the other ranks at once.
            for group in {id(group): group for group in (self._data, self._control)}.values():
                _quietly(lambda group=group: self._distributed.destroy_process_group(group))  # type: ignore[misc]
            absent = [rank for rank in self._meeting.absent_ranks() if rank != self.rank]
            problem = " ".join(str(error).split())
            if absent:
                one = len(absent) == 1
                ranks = ("rank " if one else "ranks ") + ", ".join(map(str, absent))
                problem = f"{ranks} {'does' if one else 'do'} not answer: stopped, or ended by an error"
            raise RuntimeError(f"exchange samples: {problem}") from None
