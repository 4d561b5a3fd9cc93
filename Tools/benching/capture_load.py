"""How fast a file of packets becomes a trace, beside tshark taking the same packets apart."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import random
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from programs import ratios, spread

# Bytes of packets: of one large import, of the one of each round, and of tshark's.
SIZES = (500_000_000, 100_000_000, 20_000_000)
QUICK_SIZES = (50_000_000, 20_000_000, 5_000_000)
# Beside tshark that says everything, and beside one that counts requests alone.
BOUND_RATIO, BOUND_STATISTICS, BOUND_BYTES = 25.0, 2.0, 300e6
SEGMENT = 1448
MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Connection:
    """The packets of one TCP connection: raw IP, no checksums, each segment acknowledged."""

    def __init__(self, number: int, clock: Iterator[int], port: int):
        address = struct.pack("!BBH", 10, 9 + (number >> 16), number & 0xFFFF)
        self.ends = ((address, 40_000), (bytes((10, 1, 0, 1)), port))
        self.next = [1000, 2000]
        self.clock = clock

    def packet(self, sender: int, flags: int, payload: bytes = b"") -> bytes:
        """A packet with its record header."""
        (source, source_port), (target, target_port) = self.ends[sender], self.ends[1 - sender]
        length = 40 + len(payload)
        at = next(self.clock)
        packet = struct.pack("<IIII", at // 1_000_000, at % 1_000_000, length, length)
        packet += struct.pack("!BBHHHBBH", 0x45, 0, length, 0, 0x4000, 64, 6, 0) + source + target
        packet += struct.pack("!HHIIBBHHH", source_port, target_port, self.next[sender],
                              self.next[1 - sender], 0x50, flags, 65_535, 0, 0) + payload
        self.next[sender] += len(payload) + (1 if flags & 3 else 0)
        return packet

    def opened(self) -> bytes:
        """The handshake."""
        return self.packet(0, 2) + self.packet(1, 0x12) + self.packet(0, 0x10)

    def said(self, sender: int, data: bytes) -> bytes:
        """Data in segments, every other one acknowledged."""
        parts = []
        for number, start in enumerate(range(0, len(data), SEGMENT)):
            parts.append(self.packet(sender, 0x18, data[start:start + SEGMENT]))
            if number % 2:
                parts.append(self.packet(1 - sender, 0x10))
        parts.append(self.packet(1 - sender, 0x10))
        return b"".join(parts)

    def closed(self) -> bytes:
        """Both ends say their end."""
        return self.packet(0, 0x11) + self.packet(1, 0x11) + self.packet(0, 0x10)


def http(chance: random.Random, number: int, clock: Iterator[int]) -> bytes:
    """A kept-alive connection with twenty exchanges of some 16 KiB of JSON."""
    connection = Connection(number, clock, 80)
    parts = [connection.opened()]
    for exchange in range(20):
        body = json.dumps({"cases": [
            {"id": f"{number}-{exchange}-{case}", "name": f"name {chance.random()}",
             "modified": "2026-11-21T10:00:00Z", "open": True} for case in range(160)]}).encode()
        parts.append(connection.said(0, (
            f"GET /a/demo/cases/{exchange}?page={number} HTTP/1.1\r\nHost: example.org\r\n"
            "User-Agent: bench/1\r\nAccept: application/json\r\n\r\n").encode()))
        parts.append(connection.said(1, (
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body))
    return b"".join([*parts, connection.closed()])


def socket(chance: random.Random, number: int, clock: Iterator[int]) -> bytes:
    """A WebSocket with a hundred messages of some 2 KiB in each direction."""
    connection = Connection(number, clock, 80)
    key = base64.b64encode(chance.randbytes(16)).decode()
    accept = base64.b64encode(hashlib.sha1((key + MAGIC).encode()).digest()).decode()
    parts = [connection.opened(), connection.said(0, (
        "GET /sock/1/bench/websocket HTTP/1.1\r\nHost: example.org\r\nConnection: Upgrade\r\n"
        f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
    ).encode()), connection.said(1, (
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        f"Sec-WebSocket-Accept: {accept}\r\n\r\n").encode())]
    for message in range(100):
        text = json.dumps({"id": f"n{message}", "data": {
            "title": f"note {chance.random()}", "content": "lorem ipsum " * 150}}).encode()
        head = struct.pack("!BBH", 0x81, 0x80 | 126, len(text)) + bytes(4)
        parts.append(connection.said(0, head + text))
        parts.append(connection.said(1, struct.pack("!BBH", 0x81, 126, len(text)) + text))
    return b"".join([*parts, connection.closed()])


def write(path: Path, size: int) -> int:
    """Writes a capture of about `size` bytes, a third of them of WebSockets; its size."""
    chance = random.Random(7)

    def ticks() -> Iterator[int]:
        at = 1_790_000_000_000_000
        while True:
            at += 37
            yield at

    clock = ticks()
    # A few of each kind are made, and repeated between other ends.
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262_144, 101))
        number, of_sockets = 0, 0
        while file.tell() < size:
            make = socket if of_sockets * 3 < file.tell() else http
            data = make(chance, number, clock)
            of_sockets += len(data) if make is socket else 0
            file.write(data)
            number += 1
        return file.tell()


def run(*command: str | Path) -> tuple[float, int]:
    """Seconds and largest resident size in bytes of a program on one processor."""
    began = time.monotonic()
    with subprocess.Popen(["taskset", "-c", "0", *map(str, command)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command[0]} ended with {process.returncode}")
    return time.monotonic() - began, usage.ru_maxrss * 1024


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows of captures to `table`."""
    captures = [folder / f"capture-{number}.pcap" for number in range(3)]
    sizes = [write(path, size)
             for path, size in zip(captures, QUICK_SIZES if quick else SIZES, strict=True)]
    trace = folder / "capture.tape"

    def rate(number: int, *command: str | Path) -> tuple[float, int]:
        took, peak = run(*command)
        trace.unlink(missing_ok=True)
        return sizes[number] / took / 1e6, peak

    large, peak = rate(0, program, "import", captures[0], trace)
    ours, theirs, counting = [], [], []
    for _ in range(3 if quick else 7):
        ours.append(rate(1, program, "import", captures[1], trace)[0])
        theirs.append(rate(2, "tshark", "-r", captures[2], "-T", "json"))
        counting.append(rate(1, "tshark", "-r", captures[1], "-q", "-z", "http,stat"))
    others = [each for each, _ in theirs]
    table.add(f"import of {sizes[0] / 1e6:.0f} MB of packets, one processor",
              f"{large:.1f} MB/s, {peak / 1e6:.0f} MB", f"{BOUND_BYTES / 1e6:.0f} MB",
              peak <= BOUND_BYTES)
    table.add(f"import of {sizes[1] / 1e6:.0f} MB of them", f"{spread(ours, 1)} MB/s")
    table.add(f"tshark -T json, {sizes[2] / 1e6:.0f} MB of the same",
              f"{spread(others, 2)} MB/s, {max(memory for _, memory in theirs) / 1e6:.0f} MB")
    ratio, figure = ratios(ours, others, 1)
    table.add("import / tshark -T json", figure, f">= {BOUND_RATIO:.0f}", ratio >= BOUND_RATIO)
    rates = [each for each, _ in counting]
    table.add(f"tshark -q -z http,stat, {sizes[1] / 1e6:.0f} MB of the same",
              f"{spread(rates, 1)} MB/s, {max(memory for _, memory in counting) / 1e6:.0f} MB")
    ratio, figure = ratios(ours, rates, 2)
    table.add("import / tshark -q -z http,stat", figure, f">= {BOUND_STATISTICS:.0f}",
              ratio >= BOUND_STATISTICS)
    for path in captures:
        path.unlink()
