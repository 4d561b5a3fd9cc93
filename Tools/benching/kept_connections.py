"""Kept connections on which one request after the other is made, by count or by the clock."""

from __future__ import annotations

import select
import socket
import time
from collections import deque

REQUEST = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


class KeptConnections:
    """Connections to one port whose requests are all alike, and so are their answers."""

    def __init__(self, port: int, count: int) -> None:
        """Opens them, and makes one request on each."""
        self._sockets: dict[int, socket.socket] = {}
        # Bytes of an answer, and those that have come of the next one.
        self._size = 0
        self._got: dict[int, int] = {}
        for _ in range(count):
            each = socket.create_connection(("127.0.0.1", port), timeout=60)
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._sockets[each.fileno()], self._got[each.fileno()] = each, 0
            each.sendall(REQUEST)
            if not self._size:
                self._size = first_answer(each)
            else:
                while not self._take(each.fileno()):
                    pass

    def close(self) -> None:
        """Closes all of them."""
        for each in self._sockets.values():
            each.close()

    def _take(self, number: int) -> bool:
        """Reads what has arrived; whether it completes an answer."""
        data = self._sockets[number].recv(65536)
        if not data:
            raise RuntimeError("a connection was closed")
        if not self._got[number] and not data.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(f"the answer begins with {data[:60]!r}")
        self._got[number] += len(data)
        if self._got[number] < self._size:
            return False
        self._got[number] = 0
        return True

    def ask(self, count: int) -> float:
        """Makes `count` requests, one at a time on each connection; seconds until all are answered."""
        poller = select.epoll()
        for number in self._sockets:
            poller.register(number, select.EPOLLIN)
        began, sent, answered = time.monotonic(), 0, 0
        for each in list(self._sockets.values())[:count]:
            each.sendall(REQUEST)
            sent += 1
        while answered < count:
            for number, _ in poller.poll():
                if self._take(number):
                    answered += 1
                    if sent < count:
                        self._sockets[number].sendall(REQUEST)
                        sent += 1
        poller.close()
        return time.monotonic() - began

    def ask_by_clock(self, rate: float, seconds: float) -> list[float]:
        """Makes `rate` requests a second, whatever becomes of those before.

        A request that finds no connection free waits for one, and that counts.

        - Returns: milliseconds from when each was due until its answer, ascending.
        """
        count = int(rate * seconds)
        free, due_of, took_ms = deque(self._sockets), {}, []
        began, sent = time.perf_counter(), 0
        while len(took_ms) < count:
            due = began + sent / rate
            now = time.perf_counter()
            while sent < count and free and due <= now:
                number = free.popleft()
                self._sockets[number].sendall(REQUEST)
                due_of[number] = due
                sent += 1
                due = began + sent / rate
            wait = max(0.0, due - now) if sent < count and free else None
            for number in select.select(list(due_of), [], [], wait)[0]:
                if self._take(number):
                    took_ms.append(1e3 * (time.perf_counter() - due_of.pop(number)))
                    free.append(number)
        return sorted(took_ms)


def first_answer(connection: socket.socket) -> int:
    """Reads an answer with a Content-Length; its size in bytes."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    length = int(fields[b"content-length"])
    while len(body) < length:
        body += connection.recv(65536)
    return len(head) + 4 + length
