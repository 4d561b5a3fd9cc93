"""Sockets that keep what passed through them, and what HTTP and WebSocket make of those bytes.

The parsers here share nothing with Tapedeck: what they say is what a peer really had.
"""

from __future__ import annotations

import re
import socket
import zlib
from dataclasses import dataclass, field


class Tap:
    """A connected socket that keeps all bytes that were sent and received."""

    def __init__(self, connection: socket.socket, wire: socket.socket | None = None):
        self._socket = connection
        near = (wire or connection).getsockname()
        self.address = f"{near[0]}:{near[1]}"
        self.sent = bytearray()
        self.received = bytearray()
        # Whether the other side ended its stream, how, and whether a write failed.
        self.has_ended = self.is_broken = self.has_closed = False

    def sendall(self, data: bytes) -> None:
        """Sends; what was to be sent is kept even where it fails."""
        self.sent += data
        try:
            self._socket.sendall(data)
        except OSError:
            self.is_broken = True
            raise

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Receives."""
        try:
            data = self._socket.recv(size, flags)
        except (TimeoutError, BlockingIOError):
            raise
        except OSError:
            self.is_broken = True
            raise
        if not flags:
            self.received += data
            self.has_ended |= not data
        return data

    def settimeout(self, seconds: float | None) -> None:
        """As of a socket."""
        self._socket.settimeout(seconds)

    def shutdown(self, how: int) -> None:
        """As of a socket."""
        self.has_closed = True
        self._socket.shutdown(how)

    def close(self) -> None:
        """As of a socket."""
        self.has_closed = True
        self._socket.close()

    def fileno(self) -> int:
        """As of a socket."""
        return self._socket.fileno()

    @property
    def is_cut(self) -> bool:
        """Whether bytes may have been lost that this end cannot know of."""
        return self.is_broken or self.has_closed


@dataclass
class Head:
    """A request or a response with its body, as far as it came."""

    first: str
    fields: list[tuple[str, str]]
    body: bytes = b""
    is_whole: bool = False

    def value(self, name: str) -> str | None:
        """The value of a header field."""
        found = [value for key, value in self.fields if key.lower() == name]
        return found[0] if found else None

    @property
    def method(self) -> str:
        """Of a request."""
        return self.first.split(" ")[0]

    @property
    def target(self) -> str:
        """Of a request."""
        return self.first.split(" ")[1]

    @property
    def status(self) -> int:
        """Of a response."""
        return int(self.first.split(" ")[1])


def _head(data: bytes, at: int) -> tuple[Head, int] | None:
    end = data.find(b"\r\n\r\n", at)
    if end < 0:
        return None
    lines = data[at:end].decode("latin-1").split("\r\n")
    if "HTTP/1." not in lines[0] or lines[0].count(" ") < 2:
        return None
    fields = [(name.strip(), value.strip())
              for name, _, value in (line.partition(":") for line in lines[1:])]
    return Head(lines[0], fields), end + 4


def _chunked(data: bytes, at: int, head: Head) -> int:
    body = bytearray()
    while True:
        end = data.find(b"\r\n", at)
        if end < 0:
            break
        size = int(data[at:end].split(b";")[0], 16)
        if not size:
            last = data.find(b"\r\n", end + 2)
            head.is_whole = last >= 0
            at = last + 2 if last >= 0 else len(data)
            break
        body += data[end + 2:end + 2 + size]
        at = end + 4 + size
        if at > len(data):
            at = len(data)
            break
    head.body = bytes(body)
    return at


def requests(data: bytes) -> list[Head]:
    """The requests in a stream, up to one that asks for another protocol."""
    made, at = [], 0
    while found := _head(data, at):
        head, at = found
        if "chunked" in (head.value("transfer-encoding") or ""):
            at = _chunked(data, at, head)
        else:
            size = int(head.value("content-length") or 0)
            head.body = data[at:at + size]
            head.is_whole = len(head.body) == size
            at += size
        made.append(head)
        if head.value("upgrade") or head.method == "CONNECT":
            break
    return made


def responses(data: bytes, methods: list[str], has_ended: bool) -> tuple[list[Head], bytes]:
    """The final responses to requests of these methods, and what is left after them."""
    made: list[Head] = []
    at = 0
    while len(made) < len(methods) and data[at:at + 7] == b"HTTP/1." and (found := _head(data, at)):
        head, at = found
        if head.status < 200 and head.status != 101:
            continue
        size = head.value("content-length")
        if head.status in (101, 204, 304) or methods[len(made)] == "HEAD":
            head.is_whole = True
        elif "chunked" in (head.value("transfer-encoding") or ""):
            at = _chunked(data, at, head)
        elif size is not None:
            head.body = data[at:at + int(size)]
            head.is_whole = len(head.body) == int(size)
            at += int(size)
        else:
            head.body, at, head.is_whole = data[at:], len(data), has_ended
        made.append(head)
        if head.status == 101:
            break
    return made, data[at:]


@dataclass(frozen=True)
class Message:
    """A WebSocket message."""

    opcode: int
    payload: bytes
    is_compressed: bool

    def __str__(self) -> str:
        shown = self.payload[:60].decode("utf-8", "replace")
        return f"{self.opcode}:{len(self.payload)} {shown!r}"


@dataclass
class _Frames:
    data: bytes
    at: int = 0
    found: list[tuple[bool, int, int, bytes]] = field(default_factory=list)

    def take(self) -> bool:
        """The next frame: fin, rsv1, opcode, payload."""
        data, at = self.data, self.at
        if len(data) < at + 2:
            return False
        first, second = data[at], data[at + 1]
        at, size = at + 2, second & 127
        for mark, width in ((126, 2), (127, 8)):
            if second & 127 == mark:
                if len(data) < at + width:
                    return False
                size, at = int.from_bytes(data[at:at + width], "big"), at + width
        mask = b""
        if second & 128:
            mask, at = data[at:at + 4], at + 4
        payload = data[at:at + size]
        if len(payload) < size or at > len(data):
            return False
        if mask:
            whole = int.from_bytes(mask * (size // 4 + 1), "big") >> 8 * (4 - size % 4)
            payload = (int.from_bytes(payload, "big") ^ whole).to_bytes(size, "big")
        self.at = at + size
        self.found.append((bool(first & 128), first >> 6 & 1, first & 15, payload))
        return True


def messages(data: bytes, extensions: str, sender: str) -> list[Message]:
    """The messages in the bytes after a handshake that agreed on these extensions."""
    frames = _Frames(data)
    while frames.take():
        pass
    resets = f"{sender}_no_context_takeover" in extensions
    inflater = zlib.decompressobj(-15)
    made: list[Message] = []
    parts: list[bytes] = []
    kind = (0, 0)
    for fin, rsv1, opcode, payload in frames.found:
        if opcode >= 8:
            made.append(Message(opcode, payload, False))
            continue
        if opcode:
            kind, parts = (opcode, rsv1), []
        parts.append(payload)
        if not fin:
            continue
        whole = b"".join(parts)
        if kind[1]:
            if resets:
                inflater = zlib.decompressobj(-15)
            whole = inflater.decompress(whole + b"\0\0\xff\xff")
        made.append(Message(kind[0], whole, bool(kind[1])))
    return made


@dataclass
class Had:
    """What a peer had of one connection: pairs of request and response, and messages."""

    pairs: list[tuple[Head, Head | None]]
    sent: list[Message] = field(default_factory=list)
    received: list[Message] = field(default_factory=list)


def had(asked: bytes, answered: bytes, has_ended: bool, is_client: bool) -> Had:
    """What both directions of a connection say; `asked` are the bytes of the client."""
    sent = requests(asked)
    said, rest = responses(answered, [each.method for each in sent], has_ended)
    pairs = [(each, said[number] if number < len(said) else None)
             for number, each in enumerate(sent)]
    result = Had(pairs)
    if said and said[-1].status == 101:
        extensions = said[-1].value("sec-websocket-extensions") or ""
        begins = _upgraded(asked, len(said))
        ways = [messages(asked[begins:], extensions, "client"),
                messages(rest, extensions, "server")]
        result.sent, result.received = ways if is_client else ways[::-1]
    return result


def _upgraded(asked: bytes, count: int) -> int:
    """Where what follows the handshake begins; its request has no body."""
    at = 0
    for _ in range(count):
        found = _head(asked, at)
        at = found[1] + int(found[0].value("content-length") or 0)
    return at


def instance_id(body: bytes) -> str | None:
    """The instanceID of a form."""
    found = re.search(rb"<(?:\w+:)?instanceID>\s*([^<]*?)\s*</", body)
    return found[1].decode() if found else None
