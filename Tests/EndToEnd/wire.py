"""Conversations of raw bytes, and what each side saw of them.

A script says who sends what, in order. Each step waits until the other side has everything that
was sent so far, so that the same script gives the same conversation with a proxy in between and
without one.
"""

from __future__ import annotations

import random
import socket
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from programs import DEADLINE, eventually, sql

CLIENT, SERVER = "client", "server"


@dataclass(frozen=True)
class Step:
    """`sender` sends `data`; with `ends` it sends no more after it.

    `sent` is what it really writes where a proxy is to make `data` of that.
    """

    sender: str
    data: bytes = b""
    ends: bool = False
    sent: bytes | None = None


def client(text: str | bytes, ends: bool = False) -> Step:
    """The client sends; in text, every newline becomes CR LF."""
    return Step(CLIENT, _wire(text), ends)


def server(text: str | bytes, ends: bool = False) -> Step:
    """The server sends; in text, every newline becomes CR LF."""
    return Step(SERVER, _wire(text), ends)


def _wire(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.replace("\n", "\r\n").encode()


@dataclass
class End:
    """One end of a conversation: its socket and all it has received."""

    name: str
    connection: socket.socket | None = None
    received: bytearray = field(default_factory=bytearray)
    ended: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)

    def attach(self, connection: socket.socket) -> None:
        """Reads from now on."""
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.changed:
            self.connection = connection
            self.changed.notify_all()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                data = self.connection.recv(65536)
            except OSError:
                data = b""
            with self.changed:
                self.received += data
                self.ended = not data
                self.changed.notify_all()
            if not data:
                return

    def wait(self, ready: Callable[[], bool], what: str) -> None:
        """Waits for something to be true of this end."""
        with self.changed:
            assert self.changed.wait_for(ready, DEADLINE), (
                f"the {self.name} waits in vain for {what}; it has {bytes(self.received)!r}, "
                f"ended: {self.ended}")


class Conversation:
    """Plays a script between a client and an origin of ours.

    AUTHORITY in a script stands for the address of the server as the side that sends knows it:
    for the client the address it talks to, for the server its own.
    """

    def __init__(self) -> None:
        self.ends = {CLIENT: End(CLIENT), SERVER: End(SERVER)}
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.server_address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        try:
            accepted, _ = self._listener.accept()
        except OSError:
            return
        self.ends[SERVER].attach(accepted)

    def play(self, script: Iterable[Step], port: int, pieces: int = 0, seed: int = 1,
             prepare: Callable[[socket.socket], None] = lambda _: None) -> None:
        """Plays `script` with the client connected to `port` of this machine.

        With `pieces` above 0, data goes out in writes of 1 to `pieces` bytes.
        """
        dice = random.Random(seed)
        connection = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
        connection.settimeout(None)
        prepare(connection)
        self.ends[CLIENT].attach(connection)
        expected = {CLIENT: 0, SERVER: 0}
        names = {CLIENT: f"127.0.0.1:{port}", SERVER: self.server_address}
        try:
            for step in script:
                other = SERVER if step.sender == CLIENT else CLIENT
                data = _fill(step.sent or step.data, names[step.sender])
                # What the other end gets names the server as that end knows it.
                expected[other] += len(_fill(step.data, names[other]))
                self._send(step, data, dice, pieces)
                goal = expected[other]
                receiver = self.ends[other]
                receiver.wait(lambda g=goal, r=receiver: len(r.received) >= g, f"{goal} bytes")
                if step.ends:
                    receiver.wait(lambda r=receiver: r.ended, "the end of the stream")
        finally:
            self.close()

    def _send(self, step: Step, data: bytes, dice: random.Random, pieces: int) -> None:
        end = self.ends[step.sender]
        end.wait(lambda: end.connection is not None, "a connection")
        at = 0
        while at < len(data):
            size = dice.randint(1, pieces) if pieces else len(data)
            end.connection.sendall(data[at:at + size])
            at += size
        if step.ends:
            end.connection.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Hangs up."""
        self._listener.close()
        for end in self.ends.values():
            if end.connection:
                end.connection.close()

    def seen(self, by: str, port: int) -> bytes:
        """What an end received, with the address of the server replaced by AUTHORITY."""
        name = self.server_address if by == SERVER else f"127.0.0.1:{port}"
        return bytes(self.ends[by].received).replace(name.encode(), b"AUTHORITY")


def _fill(data: bytes, authority: str) -> bytes:
    return data.replace(b"AUTHORITY", authority.encode())


def recorded(trace: Path, sender: int, forwarded: bool) -> bytes:
    """The bytes that a sender sent according to a trace: as received, or as forwarded."""
    stream = bytearray()
    for number, data in sql(
        trace, "SELECT id, bytes FROM chunk WHERE sender = ? AND origin = 0 ORDER BY id", sender
    ):
        piece = bytearray(data)
        if forwarded:
            for offset, removed, inserted in sql(
                trace, 'SELECT "offset", removed, inserted FROM patch WHERE chunk_id = ? '
                       'ORDER BY "offset" DESC, id DESC', number
            ):
                piece[offset:offset + removed] = inserted
        stream += piece
    return bytes(stream)


def connect_through(port: int, target: str) -> Callable[[socket.socket], None]:
    """Asks a proxy with CONNECT for `target` on a socket that is already connected to it."""
    def prepare(connection: socket.socket) -> None:
        connection.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = connection.recv(1)
            assert byte, f"the proxy hung up: {head!r}"
            head += byte
        assert head.startswith(b"HTTP/1.1 200"), head
    return prepare


class RawClient:
    """A TCP client that sends what it is told and reads with a deadline."""

    def __init__(self, port: int):
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = bytearray()

    def send(self, data: bytes) -> None:
        """Sends all of it, or stops in silence where the other side has hung up."""
        try:
            self.connection.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def wait_until_read(self) -> None:
        """Until the other process has taken all that was sent out of its socket."""
        near, far = (f":{end[1]:04X}" for end in (
            self.connection.getsockname(), self.connection.getpeername()))

        def is_read() -> bool:
            rows = (row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:])
            return any(row[1].endswith(far) and row[2].endswith(near)
                       and row[4].endswith(":00000000") for row in rows)

        eventually(is_read, "what was sent to be read")

    def read_until(self, mark: bytes) -> bytes:
        """Everything up to and including `mark`, or up to the end of the stream."""
        start = 0
        while (at := self.buffer.find(mark, start)) < 0:
            start = max(0, len(self.buffer) - len(mark))
            if not (data := self._receive()):
                rest, self.buffer = bytes(self.buffer), bytearray()
                return rest
            self.buffer += data
        found = bytes(self.buffer[:at + len(mark)])
        del self.buffer[:at + len(mark)]
        return found

    def read_to_end(self, keep: int = 1 << 20) -> bytes:
        """What comes until the other side hangs up; the first `keep` bytes of it."""
        while data := self._receive():
            if len(self.buffer) < keep:
                self.buffer += data
        found, self.buffer = bytes(self.buffer[:keep]), bytearray()
        return found

    def _receive(self) -> bytes:
        try:
            return self.connection.recv(65536)
        except ConnectionResetError:
            return b""

    def read_exactly(self, count: int) -> bytes:
        """`count` bytes, or fewer at the end of the stream."""
        while len(self.buffer) < count:
            if not (data := self._receive()):
                break
            self.buffer += data
        found = bytes(self.buffer[:count])
        del self.buffer[:count]
        return found

    def close(self) -> None:
        """Hangs up."""
        self.connection.close()

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *_) -> None:
        self.close()


def is_alive(port: int, host: str) -> bool:
    """Whether a proxy answers a simple request, asked through a fresh connection."""
    def probe() -> bool:
        with RawClient(port) as raw:
            raw.send(f"GET /alive HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            return raw.read_until(b"\r\n").startswith(b"HTTP/1.1 200")
    return eventually(probe, "an answer from the proxy")
