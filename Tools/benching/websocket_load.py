"""Simperium commands per second over one WebSocket, echoed, all of them in the trace."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import sqlite3
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path

from programs import Tapedeck

# Commands in flight at most; more would only measure buffers.
WINDOW = 512


class Frames:
    """Cuts WebSocket frames out of a stream; text and binary of at most 64 KiB, unfragmented."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """The payloads of the frames that are complete with `data`."""
        data = self._rest + data
        at, end, payloads = 0, len(data), []
        while at + 2 <= end:
            second = data[at + 1]
            size, head = second & 0x7F, 2
            if size == 126:
                if at + 4 > end:
                    break
                size, head = data[at + 2] << 8 | data[at + 3], 4
            key = None
            if second & 0x80:
                key = data[at + head:at + head + 4]
                head += 4
            if at + head + size > end:
                break
            payload = data[at + head:at + head + size]
            payloads.append(unmask(payload, key) if key else payload)
            at += head + size
        self._rest = data[at:]
        return payloads


def unmask(payload: bytes, key: bytes) -> bytes:
    """Applies a masking key."""
    size = len(payload)
    whole = key * (size // 4 + 1)
    return (int.from_bytes(payload, "big") ^ int.from_bytes(whole[:size], "big")).to_bytes(
        size, "big")


def frame(payload: bytes, key: bytes = b"") -> bytes:
    """A text frame, masked where there is a key."""
    size, mask = len(payload), 0x80 if key else 0
    head = bytes([0x81, mask | size]) if size < 126 else struct.pack(">BBH", 0x81, mask | 126, size)
    return head + key + (unmask(payload, key) if key else payload)


def serve(listener: socket.socket, answers: Callable[[], Callable[[bytes], bytes]]) -> None:
    """Accepts WebSockets one after the other; what `answers` gives for each answers messages."""
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(65536)
            connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                               b"Connection: Upgrade\r\n"
                               b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
            frames, answer = Frames(), answers()
            while data := connection.recv(262_144):
                connection.sendall(b"".join(frame(answer(each)) for each in frames.feed(data)))


def serve_echo(listener: socket.socket) -> None:
    """Accepts WebSockets one after the other and sends every message back."""
    serve(listener, lambda: bytes)


def command(number: int) -> bytes:
    """A `c` command of about 200 bytes; each is different."""
    return b"0:c:" + json.dumps({
        "clientid": "bench-1", "id": f"note-{number % 1000:04d}", "o": "M", "sv": number % 97 + 1,
        "v": {"content": {"o": "d", "v": f"=12\t-3\t+some text that was typed, number {number:08d}"}},
        "ccid": os.urandom(16).hex(),
    }, separators=(",", ":")).encode()


INIT = (b'0:init:{"name":"notes","clientid":"bench-1","app_id":"bench","api":"1.1","token":"t",'
        b'"library":"bench","version":"1"}')


def exchange(port: int, commands: list[bytes], take: Callable[[bytes], None],
             first: int = 0) -> float:
    """Sends commands, of which each is answered by a message that `take` gets; seconds it took.

    The `first` are sent one by one, each once the one before it is answered.
    """
    count = len(commands)
    frames_out = [frame(each, os.urandom(4)) for each in commands]
    got, arrived = 0, threading.Condition()

    def read() -> None:
        nonlocal got
        frames = Frames()
        while data := connection.recv(262_144):
            found = frames.feed(data)
            for payload in found:
                take(payload)
            with arrived:
                got += len(found)
                arrived.notify()
            if got >= count:
                return

    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(b"GET /sock/1/bench/websocket HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                           b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
                           b"Sec-WebSocket-Version: 13\r\n"
                           b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += connection.recv(1)
        reader = threading.Thread(target=read)
        reader.start()
        began, sent = time.monotonic(), 0
        while sent < count:
            with arrived:
                window = WINDOW if sent >= first and got >= first else 1
                while sent - got >= window and arrived.wait(60):
                    pass
                if sent - got >= window:
                    break
            batch = min(count - sent, WINDOW // 4 if sent >= first else 1)
            connection.sendall(b"".join(frames_out[sent:sent + batch]))
            sent += batch
        reader.join(120)
        took = time.monotonic() - began
    if got != count:
        raise RuntimeError(f"{got} answers to {count} commands")
    return took


def drive(port: int, commands: list[bytes]) -> float:
    """Sends commands to an echoing server, reads the echoes and returns the seconds it took.

    - Raises: RuntimeError if not every command came back in order and as it was.
    """
    digest = hashlib.sha256()
    took = exchange(port, commands, digest.update)
    if digest.digest() != hashlib.sha256(b"".join(commands)).digest():
        raise RuntimeError("commands did not come back as they were")
    return took


def rows(trace: Path, query: str) -> int:
    """One number from a trace that is being written."""
    database = sqlite3.connect(f"file:{trace}?mode=ro", uri=True, timeout=60)
    try:
        return database.execute(query).fetchone()[0]
    finally:
        database.close()


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows of the WebSocket load to `table`."""
    count, rounds = (40_000, 1) if quick else (200_000, 3)
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve_echo, args=(listener,), daemon=True).start()
    port = listener.getsockname()[1]
    commands = [INIT, *map(command, range(count))]
    direct = min(drive(port, commands) for _ in range(rounds))
    table.add("websocket echoed, no proxy", f"{2 * count / direct:,.0f} messages/s")
    for number in range(rounds):
        trace = folder / f"websocket-{number}.tape"
        deck = Tapedeck(program, folder, trace, "--to", f"http://127.0.0.1:{port}")
        took = drive(deck.port, commands)
        began = time.monotonic()
        expected = 2 * (count + 1)
        query = "SELECT count(*) FROM message WHERE opcode = 1"
        # The last message is in the trace when it can be read from it.
        while rows(trace, "SELECT coalesce(max(id), 0) FROM message") < expected:
            if time.monotonic() - began > 60:
                break
            time.sleep(0.01)
        behind = time.monotonic() - began
        peak = deck.peak_memory()
        deck.stop()
        stored = rows(trace, query)
        stored_commands = rows(trace, "SELECT count(*) FROM simperium_command WHERE "
                                      "name = 'c' AND problem IS NULL")
        rate = stored / (took + behind)
        table.add(f"websocket in the trace, run {number + 1}",
                  f"{rate:,.0f} messages/s ({count / took:,.0f} echoes/s, last one readable after "
                  f"{behind * 1000:.0f} ms), {peak / 1e6:.0f} MB", ">= 20,000", rate >= 20_000)
        table.add("websocket lost", f"{expected - stored} of {expected:,} messages, "
                  f"{2 * count - stored_commands} commands", "none",
                  stored == expected and stored_commands == 2 * count)
        trace.unlink()
    listener.close()
