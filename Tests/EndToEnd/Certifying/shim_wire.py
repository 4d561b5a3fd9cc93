"""The wire of `shim.py`: a proxy that shows a mutation every request, answer and message."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import struct
from dataclasses import dataclass, field
from urllib.parse import urlsplit

MOST_HEAD = 1 << 16
TEXT, CLOSE = 1, 8


class Stream:
    """One side of a connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self.reader, self.writer = reader, writer
        self.ahead = b""
        self.is_reset = False

    async def some(self) -> bytes:
        """What comes next; empty at the end."""
        ahead, self.ahead = self.ahead, b""
        try:
            return ahead or await self.reader.read(1 << 16)
        except ConnectionError:
            self.is_reset = True
            return b""

    async def until(self, mark: bytes) -> bytes:
        """All up to and with a mark; what there is where the stream ends before it."""
        found = b""
        while mark not in found and len(found) < MOST_HEAD:
            more = await self.some()
            if not more:
                return found
            found += more
        end = found.find(mark) + len(mark)
        self.ahead = found[end:]
        return found[:end]

    async def exactly(self, count: int) -> bytes:
        """So many bytes; fewer where the stream ends before."""
        found, self.ahead = self.ahead, b""
        while len(found) < count:
            more = await self.some()
            if not more:
                return found
            found += more
        self.ahead = found[count:]
        return found[:count]

    async def ended(self) -> None:
        """Returns when the other side has ended; what comes before is kept."""
        before = self.ahead
        while more := await self.some():
            before += more
        self.ahead = before

    def send(self, data: bytes) -> None:
        """Sends bytes."""
        self.writer.write(data)

    def close(self) -> None:
        """Ends it."""
        self.writer.close()

    def reset(self) -> None:
        """Ends it with RST."""
        if own := self.writer.get_extra_info("socket"):
            own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


@dataclass
class Message:
    """A request or an answer."""

    first: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""
    # Whether its end came.
    is_whole: bool = True
    # As it came; empty where it was made here.
    raw: bytes = b""

    @property
    def status(self) -> int:
        """Status of an answer; 0 where none came."""
        word = self.first.split(" ")[1:2]
        return int(word[0]) if word and word[0].isdigit() else 0

    @property
    def target(self) -> str:
        """Target of a request."""
        return self.first.split(" ")[1]

    def get(self, name: str) -> str:
        """The field of this name; empty where there is none."""
        return next((value for key, value in self.fields if key.lower() == name.lower()), "")

    def without(self, *names: str) -> Message:
        """The same without these fields."""
        low = [name.lower() for name in names]
        return self.with_(fields=[each for each in self.fields if each[0].lower() not in low])

    def with_field(self, name: str, value: str) -> Message:
        """The same with this field."""
        rest = self.without(name)
        return rest.with_(fields=[*rest.fields, (name, value)])

    def with_(self, **changes) -> Message:
        """The same with other parts, and the length of its body."""
        kept = {"first": self.first, "fields": self.fields, "body": self.body}
        return Message(**(kept | changes))

    def data(self) -> bytes:
        """As it is sent: as it came, where nothing was changed."""
        if self.raw:
            return self.raw
        is_chunked = "chunked" in self.get("transfer-encoding").lower()
        head, body = self.fields, self.body
        if is_chunked:
            body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if body else b"0\r\n\r\n"
        elif self.get("content-length") or body:
            head = [each for each in head if each[0].lower() != "content-length"]
            head = [*head, ("Content-Length", str(len(body)))]
        lines = [self.first, *(f"{name}: {value}" for name, value in head)]
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


async def read_message(stream: Stream, method: str = "") -> Message | None:
    """Reads a request, or the answer to one with `method`; None where nothing comes."""
    raw = await stream.until(b"\r\n\r\n")
    if not raw.endswith(b"\r\n\r\n"):
        return Message("", raw=raw, is_whole=False) if raw else None
    first, *lines = raw.decode("latin-1").split("\r\n")[:-2]
    message = Message(first, [(name, value.strip()) for name, _, value in
                              (line.partition(":") for line in lines)])
    length = message.get("content-length")
    if method == "HEAD" or (method and message.status in (101, 204, 304)):
        pass
    elif "chunked" in message.get("transfer-encoding").lower():
        while True:
            size = await stream.until(b"\r\n")
            raw += size
            if not size.endswith(b"\r\n"):
                message.is_whole = False
                break
            count = int(size.split(b";")[0], 16)
            part = await stream.exactly(count + 2)
            raw, message.body = raw + part, message.body + part[:count]
            message.is_whole = len(part) == count + 2
            if not count or not message.is_whole:
                break
    elif length.isdigit():
        message.body = await stream.exactly(int(length))
        message.is_whole = len(message.body) == int(length)
        raw += message.body
    elif method:
        while more := await stream.some():
            message.body += more
        message.is_whole, raw = False, raw + message.body
    message.raw = raw
    return message


@dataclass
class Frame:
    """A frame of a WebSocket."""

    opcode: int
    payload: bytes
    is_whole: bool
    raw: bytes

    @staticmethod
    async def read(stream: Stream) -> Frame | None:
        """The next frame; None at the end."""
        head = await stream.exactly(2)
        if len(head) < 2:
            return None
        size, more = head[1] & 127, {126: 2, 127: 8}.get(head[1] & 127, 0)
        extended = await stream.exactly(more)
        size = int.from_bytes(extended, "big") if more else size
        mask = await stream.exactly(4 if head[1] & 128 else 0)
        body = await stream.exactly(size)
        if len(body) < size:
            return None
        payload = bytes(byte ^ mask[place % 4] for place, byte in enumerate(body)) if mask else body
        is_whole = bool(head[0] & 128) and not head[0] & 112
        return Frame(head[0] & 15, payload, is_whole, head + extended + mask + body)

    @staticmethod
    def text(text: str, is_masked: bool) -> bytes:
        """A text as a frame."""
        data = text.encode()
        size = bytes([len(data)]) if len(data) < 126 else (
            b"\x7e" + struct.pack("!H", len(data)) if len(data) < 1 << 16
            else b"\x7f" + struct.pack("!Q", len(data)))
        if not is_masked:
            return bytes([128 | TEXT]) + size + data
        mask = os.urandom(4)
        return (bytes([128 | TEXT, size[0] | 128]) + size[1:] + mask
                + bytes(byte ^ mask[place % 4] for place, byte in enumerate(data)))


class Line:
    """A WebSocket through the shim."""

    def __init__(self, client: Stream, server: Stream, opening: Message):
        self.client, self.server, self.opening = client, server, opening

    def to_server(self, text: str) -> None:
        """Sends the server a message."""
        self.server.send(Frame.text(text, True))

    def to_client(self, text: str) -> None:
        """Sends the client a message."""
        self.client.send(Frame.text(text, False))


class Mutation:
    """What is done to the traffic: here nothing."""

    # The shim, which can open more connections.
    shim: Shim

    async def request(self, wire: Wire, request: Message) -> Message | None:
        """The answer that the client gets to a request; None for none."""
        return await wire.ask(request)

    def opens(self) -> bool:
        """Whether the client may open a WebSocket."""
        return True

    def client_said(self, line: Line, text: str) -> None:
        """The client sent a message."""
        line.to_server(text)

    def server_said(self, line: Line, text: str) -> None:
        """The server sent a message."""
        line.to_client(text)

    def server_ended(self, line: Line) -> None:
        """The server has closed a WebSocket, or ended its connection."""


class Wire:
    """A connection of the client, and the one to the server that it leads to."""

    def __init__(self, shim: Shim, client: Stream):
        self.shim, self.client = shim, client
        self.server: Stream | None = None
        self.is_reset = False

    async def ask(self, request: Message) -> Message | None:
        """Sends a request, and waits for its answer as long as the client does; None for none."""
        if self.server is None:
            self.server = await self.shim.connect()
        server = self.server
        server.send(request.data())
        answering = asyncio.ensure_future(read_message(server, request.first.split(" ")[0]))
        leaving = asyncio.ensure_future(self.client.ended())
        try:
            await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not answering.done():
                server.close()
                return None
            answer = answering.result()
        finally:
            for task in (answering, leaving):
                task.cancel()
            await asyncio.gather(answering, leaving, return_exceptions=True)
        if answer is None or not answer.is_whole or "close" in answer.get("connection").lower():
            self.is_reset = server.is_reset
            server.close()
            self.server = None
        return answer

    async def serve(self) -> None:
        """Forwards requests until one side ends, or a WebSocket begins."""
        mutation = self.shim.mutation
        try:
            while request := await read_message(self.client):
                if request.get("upgrade"):
                    await self.upgrade(request)
                    break
                request = self.shim.addressed(request)
                answer = await mutation.request(self, request)
                if answer is None:
                    break
                self.client.send(answer.data())
                await self.client.writer.drain()
                if not answer.is_whole or "close" in answer.get("connection").lower():
                    break
        except (ConnectionError, ValueError):
            self.is_reset = True
        finally:
            (self.client.reset if self.is_reset else self.client.close)()
            if self.server:
                self.server.close()

    async def upgrade(self, request: Message) -> None:
        """Forwards a WebSocket."""
        if not self.shim.mutation.opens():
            return
        self.server = await self.shim.connect()
        self.server.send(self.shim.addressed(request).data())
        answer = await read_message(self.server, "GET")
        line = Line(self.client, self.server, request)
        if answer is None:
            return
        self.client.send(answer.data())
        if answer.status != 101:
            return
        # SockJS has frames of its own in those of the WebSocket: no mutant needs them.
        is_plain = request.target.endswith("/websocket") and request.target.count("/") < 5
        ends = [asyncio.ensure_future(self.forward(line, is_client, is_plain))
                for is_client in (True, False)]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if not ends[0].done():
            self.shim.mutation.server_ended(line)
        for end in ends:
            end.cancel()
        await asyncio.gather(*ends, return_exceptions=True)

    async def forward(self, line: Line, is_client: bool, is_plain: bool) -> None:
        """Forwards what one side of a WebSocket sends, until it ends."""
        source, sink = (line.client, line.server) if is_client else (line.server, line.client)
        mutation = self.shim.mutation
        try:
            while frame := await Frame.read(source):
                if frame.opcode != TEXT or not frame.is_whole or not is_plain:
                    sink.send(frame.raw)
                elif is_client:
                    mutation.client_said(line, frame.payload.decode())
                else:
                    mutation.server_said(line, frame.payload.decode())
                await sink.writer.drain()
            self.is_reset = source.is_reset
        except ConnectionError:
            self.is_reset = True


class Shim:
    """The proxy."""

    def __init__(self, mutation: Mutation, url: str):
        place = urlsplit(url)
        self.host, self.port = place.hostname or "", place.port or 80
        self.mutation = mutation
        mutation.shim = self
        self.own_port = 0

    async def connect(self) -> Stream:
        """A connection to the server."""
        return Stream(*await asyncio.open_connection(self.host, self.port))

    def addressed(self, request: Message) -> Message:
        """A request as the client would have sent it to the server."""
        own, there = f"127.0.0.1:{self.own_port}".encode(), f"{self.host}:{self.port}".encode()
        head, mark, body = request.raw.partition(b"\r\n\r\n")
        request.raw = head.replace(own, there) + mark + body
        request.fields = [(name, value.replace(own.decode(), there.decode()))
                          for name, value in request.fields]
        return request

    async def run(self, command: list[str]) -> int:
        """Serves the client until it ends; its exit status."""
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await Wire(self, Stream(reader, writer)).serve()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        self.own_port = server.sockets[0].getsockname()[1]
        there, here = f"{self.host}:{self.port}", f"127.0.0.1:{self.own_port}"
        values = {name: value.replace(there, here) for name, value in os.environ.items()
                  if name.startswith("TAPEDECK_")}
        client = await asyncio.create_subprocess_exec(*command, env=os.environ | values)
        for sort in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(sort, client.terminate)
        try:
            return await client.wait()
        finally:
            if client.returncode is None:
                client.kill()
            server.close()
