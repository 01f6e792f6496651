#!/usr/bin/env python3
"""A TCP proxy that stands for a network: it adds a round-trip time and limits the bytes per second of all answers.

slow_link.py PORT [--milliseconds 20] [--megabits 1000]: connects clients to 127.0.0.1:PORT, and prints its own port.

Every request, and the handshake of every connection, waits for the round-trip time. All connections share the rate, in
the order in which their bytes arrive. `rclone serve s3` sends ranges with status 200, which clients refuse; the link
corrects it to 206.
"""

import argparse
import asyncio
import collections

MOST_QUEUED_BYTES = 1 << 20  # of a connection; more stays in the buffers of the server's socket
READ_BYTES = 256 << 10
WRONG_STATUS, RIGHT_STATUS = b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 206 Partial Content\r\n"


class Link:
    """When the bytes of all connections have passed."""

    def __init__(self, seconds, bytes_per_second):
        self.seconds, self.bytes_per_second = seconds, bytes_per_second
        self.loop = asyncio.get_running_loop()
        self.is_free_at = 0.0

    def time_of(self, count):
        """When these bytes have passed, after all earlier ones."""
        self.is_free_at = max(self.is_free_at, self.loop.time()) + count / self.bytes_per_second
        return self.is_free_at


class Server(asyncio.BufferedProtocol):
    """The server's side of a connection: its bytes reach the client at the rate of the link."""

    def __init__(self, link, client):
        self.link, self.client = link, client
        self.buffer = bytearray(READ_BYTES)
        self.queue = collections.deque()  # timers of one time may run in any order
        self.queued_bytes = 0
        self.is_paused = self.is_closed = False

    def connection_made(self, transport):
        self.transport = transport

    def get_buffer(self, size_hint):
        return self.buffer

    def buffer_updated(self, count):
        data = bytes(memoryview(self.buffer)[:count])
        if data.startswith(WRONG_STATUS) and b"\r\nContent-Range: " in data.partition(b"\r\n\r\n")[0]:
            data = RIGHT_STATUS + data[len(WRONG_STATUS) :]
        self.queue.append(data)
        self.queued_bytes += len(data)
        self.link.loop.call_at(self.link.time_of(len(data)), self.deliver)
        if self.queued_bytes > MOST_QUEUED_BYTES:
            self.transport.pause_reading()
            self.is_paused = True

    def deliver(self):
        data = self.queue.popleft()
        self.queued_bytes -= len(data)
        self.client.write(data)
        if self.is_closed:
            if self.queued_bytes == 0:
                self.client.close()
        elif self.is_paused and self.queued_bytes <= MOST_QUEUED_BYTES:
            self.is_paused = False
            self.transport.resume_reading()

    def connection_lost(self, error):
        self.is_closed = True
        if self.queued_bytes == 0:
            self.client.close()


class Client(asyncio.Protocol):
    """The client's side: its requests reach the server after the round-trip time."""

    def __init__(self, link, port):
        self.link, self.port = link, port
        self.server = None
        self.queue = collections.deque()
        self.due_count = 0  # of the queue, if the server has not answered the handshake yet

    def connection_made(self, transport):
        self.transport = transport
        self.opened = self.link.loop.time()
        self.connecting = self.link.loop.create_task(self.connect())

    async def connect(self):
        try:
            server, _ = await self.link.loop.create_connection(
                lambda: Server(self.link, self.transport), "127.0.0.1", self.port
            )
        except OSError:
            self.transport.close()
            return
        self.server = server
        while self.due_count > 0:
            self.due_count -= 1
            server.write(self.queue.popleft())
        if self.transport.is_closing():
            server.close()

    def data_received(self, data):
        due = max(self.link.loop.time(), self.opened + self.link.seconds) + self.link.seconds
        self.queue.append(data)
        self.link.loop.call_at(due, self.forward)

    def forward(self):
        if self.server:
            self.server.write(self.queue.popleft())
        else:
            self.due_count += 1

    def connection_lost(self, error):
        if self.server:
            self.server.close()


async def run(arguments):
    link = Link(arguments.milliseconds / 1000, arguments.megabits * 1e6 / 8)
    server = await link.loop.create_server(lambda: Client(link, arguments.port), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("port", type=int)
    parser.add_argument("--milliseconds", type=float, default=20)
    parser.add_argument("--megabits", type=float, default=1000)
    try:
        asyncio.run(run(parser.parse_args()))
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
