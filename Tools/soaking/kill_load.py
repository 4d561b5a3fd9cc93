"""The peers of kill rounds, each a process of its own: an origin, and clients that note when what came."""

from __future__ import annotations

import json
import os
import select
import socket
import sys
import time
from contextlib import suppress

# Content of answers in bytes, a connection each: short ones, whole pages, and what takes the writer long.
SIZES = (40, 600, 30_000, 400_000)


class _Socket:
    """A connection with what is still to be sent."""

    def __init__(self, connection: socket.socket):
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = connection
        self.unsent = memoryview(b"")
        self.unread = b""

    def flush(self, poll: select.epoll) -> None:
        """Sends as much as goes and asks to be told when more does."""
        with suppress(BlockingIOError):
            self.unsent = self.unsent[self.socket.send(self.unsent):]
        poll.modify(self.socket, select.EPOLLIN | (select.EPOLLOUT if self.unsent else 0))


def _content(size: int) -> bytes:
    """Text whose words differ, so that it is decoded and indexed as real text is."""
    words = b" ".join(b"%d" % (number * 7919 % 99_991) for number in range(size // 4 + 8))
    return words[:size]


def serve() -> None:
    """Answers every request with as much text as its path says; prints the port first."""
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    answers = {b"%d" % size: b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: "
               b"%d\r\n\r\n" % size + _content(size) for size in SIZES}
    poll = select.epoll()
    poll.register(listener, select.EPOLLIN)
    poll.register(0, select.EPOLLIN)
    peers: dict[int, _Socket] = {}
    while True:
        for number, events in poll.poll():
            if number == 0:
                return
            if number == listener.fileno():
                peer = _Socket(listener.accept()[0])
                peers[peer.socket.fileno()] = peer
                poll.register(peer.socket, select.EPOLLIN)
                continue
            peer = peers[number]
            with suppress(BlockingIOError, OSError):
                if events & ~select.EPOLLOUT:
                    came = peer.socket.recv(65_536)
                    if not came:
                        raise ConnectionError
                    peer.unread += came
                while not peer.unsent and b"\r\n\r\n" in peer.unread:
                    head, _, peer.unread = peer.unread.partition(b"\r\n\r\n")
                    peer.unsent = memoryview(answers[head.split(b" ")[1].strip(b"/")])
                peer.flush(poll)
                continue
            poll.unregister(number)
            peers.pop(number).socket.close()


def ask(port: int) -> None:
    """Asks again and again until the proxy is gone, then prints when how much had come.

    One line of JSON for each connection: its own port, and pairs of seconds (monotonic) and bytes.
    """
    poll = select.epoll()
    lanes: dict[int, tuple[_Socket, bytes, int, list[tuple[float, int]]]] = {}
    whole: dict[int, int] = {}
    for size in SIZES:
        peer = _Socket(socket.create_connection(("127.0.0.1", port)))
        request = b"GET /%d HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" % size
        answer = len(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: "
                     b"%d\r\n\r\n" % size) + size
        lanes[peer.socket.fileno()] = (peer, request, answer, [])
        whole[peer.socket.fileno()] = 0
        poll.register(peer.socket, select.EPOLLIN)
        peer.socket.send(request)
    open_ = set(lanes)
    while open_:
        for number, _ in poll.poll():
            peer, request, answer, came = lanes[number]
            try:
                count = len(peer.socket.recv(262_144))
            except OSError:
                count = 0
            if not count:
                poll.unregister(number)
                open_.discard(number)
                continue
            whole[number] += count
            came.append((time.monotonic(), whole[number]))
            if whole[number] % answer == 0:
                with suppress(OSError):
                    peer.socket.send(request)
    for peer, _, _, came in lanes.values():
        print(json.dumps([peer.socket.getsockname()[1], came]))


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve()
    else:
        ask(int(sys.argv[2]))
    sys.stdout.flush()
    os._exit(0)
