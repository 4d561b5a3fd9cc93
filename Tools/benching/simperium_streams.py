"""Simperium conversations made beforehand, so that driving them takes nearly no processor time."""

from __future__ import annotations

import json
import mmap
import os
import random
import select
import socket
import time
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from frames import frame

KEYS = 1_000
# Commands in flight at most, over all connections.
WINDOW = 512
WORDS = ["a", "day", "note", "of", "village", "when", "water", "was", "brought", "by", "ten", "people"]
HANDSHAKE = ("GET /sock/1/bench-%d/websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\n"
             "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n")
WELCOME = ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n%s\r\n")
DEFLATE = "Sec-WebSocket-Extensions: permessage-deflate\r\n"


@dataclass(frozen=True)
class Kind:
    """What is said: messages of both sides together, over how many connections, and how large."""

    name: str
    messages: int
    connections: int
    # Bytes of a client's command; that of the server has some more.
    size: int
    is_deflated: bool = False


class Stream:
    """All that one end of a connection sends, in a file, and where each of its frames ends."""

    def __init__(self, path: Path, is_masked: bool, is_deflated: bool) -> None:
        self.ends = array("Q")
        self._file = path.open("w+b")
        self._key = os.urandom(4) if is_masked else b""
        self._deflate = zlib.compressobj(wbits=-15) if is_deflated else None

    def add(self, text: bytes) -> None:
        """Adds a message."""
        if self._deflate:
            # The end of a flush is left out on the wire.
            text = (self._deflate.compress(text) + self._deflate.flush(zlib.Z_SYNC_FLUSH))[:-4]
        wire = frame(text, self._key, self._deflate is not None)
        self.ends.append((self.ends[-1] if self.ends else 0) + len(wire))
        self._file.write(wire)

    def ready(self) -> None:
        """All is added."""
        self._file.flush()
        self.data = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        self.view = memoryview(self.data)

    def close(self) -> None:
        """Lets go of the file."""
        self.view.release()
        self.data.close()
        self._file.close()

    def complete(self, size: int) -> int:
        """How many messages the first `size` bytes have."""
        return bisect_right(self.ends, size)

    def end(self, count: int) -> int:
        """Bytes of the first `count` messages."""
        return self.ends[min(count, len(self.ends)) - 1] if count else 0


def conversation(number: int, changes: int, size: int) -> Iterator[tuple[bytes, bytes]]:
    """What a client says and what the server answers: a bucket is opened, its objects are changed.

    Each connection has an application of its own, so that nobody else has to hear of its changes.
    """
    chance = random.Random(number)
    text = " ".join(chance.choice(WORDS) for _ in range(20_000))
    init = {"name": "notes", "clientid": f"b{number}", "app_id": f"bench-{number}", "api": "1.1",
            "token": "t", "library": "bench", "version": "1"}
    yield b"0:init:" + json.dumps(init).encode(), b"0:auth:user@example.org"
    for change in range(changes):
        version, key = divmod(change, KEYS)
        ccid = f"{chance.getrandbits(128):032x}"
        operation = "r" if version else "+"
        source = f'"sv":{version},' if version else ""
        start = f'{{"id":"n{key:03d}","o":"M","ccid":"{ccid}",{source}"v":{{"t":{{"o":"{operation}","v":"'
        room = max(1, size - len(start) - 9)
        place = chance.randrange(len(text) - room)
        value = f'"v":{{"t":{{"o":"{operation}","v":"{text[place:place + room]}"}}}}'
        yield (f"0:c:{start}{text[place:place + room]}\"}}}}}}".encode(),
               f'0:c:[{{"clientid":"b{number}","id":"n{key:03d}","o":"M",{value},"ccids":["{ccid}"],'
               f'"cv":"{change:024x}",{source}"ev":{version + 1}}}]'.encode())


class Conversation:
    """Both ends of a connection, which say what was made beforehand."""

    def __init__(self, folder: Path, number: int, kind: Kind) -> None:
        self.number, self.is_deflated = number, kind.is_deflated
        self.window = max(1, WINDOW // kind.connections)
        self.asks = Stream(folder / f"asks-{number}", True, kind.is_deflated)
        self.answers = Stream(folder / f"answers-{number}", False, kind.is_deflated)
        changes = kind.messages // kind.connections // 2 - 1
        for ask, answer in conversation(number, changes, kind.size):
            self.asks.add(ask)
            self.answers.add(answer)
        for stream in (self.asks, self.answers):
            stream.ready()

    @property
    def messages(self) -> int:
        """Messages of both sides."""
        return 2 * len(self.asks.ends)

    def connect(self, port: int, listener: socket.socket) -> None:
        """Opens it through the proxy on `port`, or to the listener itself."""
        extension = DEFLATE if self.is_deflated else ""
        self.client = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.client.sendall((HANDSHAKE % (self.number, extension)).encode())
        self.server, _ = listener.accept()
        read_head(self.server)
        self.server.sendall((WELCOME % extension).encode())
        read_head(self.client)
        for each in (self.client, self.server):
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            each.setblocking(False)
        # Bytes that the client has sent and received, and the server.
        self.asked = self.heard = self.taken = self.answered = 0

    def close(self) -> None:
        """Closes both ends; it may be opened again."""
        self.client.close()
        self.server.close()

    def forget(self) -> None:
        """Lets go of what it says."""
        self.asks.close()
        self.answers.close()

    @property
    def is_over(self) -> bool:
        """Whether every answer was received."""
        return self.heard == self.answers.ends[-1]

    def hear(self, is_client: bool) -> None:
        """Takes what has arrived at one end, which has to be what the other one said."""
        end, stream = (self.client, self.answers) if is_client else (self.server, self.asks)
        try:
            data = end.recv(262_144)
        except BlockingIOError:
            return
        at = self.heard if is_client else self.taken
        if not data or stream.data[at:at + len(data)] != data:
            raise RuntimeError("commands did not come through as they were")
        if is_client:
            self.heard += len(data)
        else:
            self.taken += len(data)

    def say(self) -> None:
        """Sends what each end has to say by now, as far as the sockets take it."""
        may = self.asks.end(self.answers.complete(self.heard) + self.window)
        must = self.answers.end(self.asks.complete(self.taken))
        try:
            if self.answered < must:
                self.answered += self.server.send(self.answers.view[self.answered:must])
            if self.asked < may:
                self.asked += self.client.send(self.asks.view[self.asked:may])
        except BlockingIOError:
            pass


def read_head(connection: socket.socket) -> None:
    """Reads the head of an upgrade, and no more."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            raise RuntimeError(f"no upgrade: {head!r}")
        head += byte


def hold(conversations: list[Conversation], port: int, listener: socket.socket) -> float:
    """Holds all conversations at once, through the proxy on `port`; the seconds it takes."""
    poller, ends = select.epoll(), {}
    for each in conversations:
        each.connect(port, listener)
        for end in (each.client, each.server):
            poller.register(end, select.EPOLLIN)
            ends[end.fileno()] = (each, end is each.client)
    began = time.monotonic()
    left = len(conversations)
    for each in conversations:
        each.say()
    while left:
        ready = poller.poll(0.005)
        for number, _ in ready:
            each, is_client = ends[number]
            was_over = each.is_over
            each.hear(is_client)
            each.say()
            left -= each.is_over and not was_over
        if not ready:
            # A socket that was full may have room again.
            for each in conversations:
                each.say()
        if time.monotonic() - began > 1_200:
            raise RuntimeError(f"{left} of {len(conversations)} conversations are not over")
    took = time.monotonic() - began
    poller.close()
    for each in conversations:
        each.close()
    return took
