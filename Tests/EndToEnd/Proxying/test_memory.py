"""Proves: what waits for peers that do not read is bounded, for each and for all together."""

from __future__ import annotations

import random
import re
import socket
import threading
from pathlib import Path

import pytest
from programs import eventually
from wire import RawClient, is_alive

MEBIBYTE = 1 << 20
CLIENTS = 300


def resident(pid: int) -> int:
    """Bytes that a process has in memory now."""
    return int(re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())[1]) * 1024


def test_clients_that_do_not_read(record, raw_origin) -> None:
    """300 clients ask for 20 MB each and read nothing: the servers are stopped, and others served."""
    written: dict[int, int] = {}
    lock = threading.Lock()

    def serve(connection: socket.socket) -> None:
        data = b""
        while b"\r\n\r\n" not in data:
            if not (piece := connection.recv(4096)):
                return
            data += piece
        if data.startswith(b"GET /alive"):
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            return
        # Without these the system itself would keep megabytes for each.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16384)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (20 * MEBIBYTE))
        for _ in range(20 * 64):
            connection.sendall(bytes(MEBIBYTE // 64))
            with lock:
                written[connection.fileno()] = written.get(connection.fileno(), 0) + MEBIBYTE // 64

    server = raw_origin(serve)
    # What is recorded of a body is bounded elsewhere.
    proxy = record("--to", f"http://127.0.0.1:{server.port}", "--only", "elsewhere.example")
    assert is_alive(proxy.port, proxy.address)
    before = resident(proxy.pid)
    clients = []
    for _ in range(CLIENTS):
        client = RawClient(proxy.port)
        client.send(f"GET /big HTTP/1.1\r\nHost: {proxy.address}\r\n\r\n".encode())
        clients.append(client)
    eventually(lambda: len(written) == CLIENTS, "all servers to send")
    last = [-1, 0]

    def has_settled() -> bool:
        total = sum(written.values())
        last[1] = last[1] + 1 if total == last[0] else 0
        last[0] = total
        return last[1] >= 50

    eventually(has_settled, "the servers to be stopped")
    grown = resident(proxy.pid) - before
    # Up to 128 KiB of waiting bytes, a buffer for reads, and what a connection itself takes.
    assert grown < CLIENTS * 200 * 1024, f"{grown / CLIENTS / 1024:.0f} KiB for each client"
    assert is_alive(proxy.port, proxy.address)
    # Who reads after all gets everything.
    assert clients[7].read_until(b"\r\n\r\n").startswith(b"HTTP/1.1 200")
    assert len(clients[7].read_exactly(20 * MEBIBYTE)) == 20 * MEBIBYTE
    for client in clients:
        client.close()
    assert is_alive(proxy.port, proxy.address)
    proxy.finish()


@pytest.mark.parametrize("rewritten", [[], ["--keep-host"]], ids=["held", "passed-on"])
def test_heads_that_never_end(record, raw_origin, rewritten) -> None:
    """400 clients send 200 KB of a head each: all together are held within --memory, and others
    served; also where the start of a head goes on at once, and only framing keeps it."""
    def serve(connection: socket.socket) -> None:
        while data := connection.recv(65536):
            if data.startswith(b"GET /alive"):
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    server = raw_origin(serve)
    proxy = record("--to", f"http://127.0.0.1:{server.port}", "--only", "elsewhere.example",
                   "--memory", "4MiB", *rewritten)
    assert is_alive(proxy.port, proxy.address)
    before = resident(proxy.pid)
    head = b"GET /long HTTP/1.1\r\nHost: a\r\n" + b"".join(
        b"X-%d: %s\r\n" % (number, b"y" * 1000) for number in range(200))
    clients = []
    for _ in range(400):
        clients.append(RawClient(proxy.port))
        # What is not read waits in the system's buffers, or here.
        clients[-1].connection.setblocking(False)
        try:
            clients[-1].connection.send(head)
        except BlockingIOError:
            pass
    assert is_alive(proxy.port, proxy.address)
    grown = resident(proxy.pid) - before
    # The budget, a read of 32 KiB and what a connection itself takes.
    assert grown < (4 << 20) + 400 * 200 * 1024, f"{grown / MEBIBYTE:.0f} MiB"
    for client in clients:
        client.close()
    assert is_alive(proxy.port, proxy.address)
    proxy.finish()


def test_sizes_of_reads(record, raw_origin) -> None:
    """A long body is read in up to 128 KiB; what follows it, and a body of unknown length, in up to 32."""
    content = random.Random(1).randbytes(16 * MEBIBYTE)
    head = b"HTTP/1.1 200 OK\r\n"

    def serve(connection: socket.socket) -> None:
        for path, length in ((b"/known", True), (b"/small", True), (b"/unknown", False)):
            data = b""
            while b"\r\n\r\n" not in data:
                if not (piece := connection.recv(4096)):
                    return
                data += piece
            body = content if path != b"/small" else content[:100]
            connection.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) * length
                               + b"\r\n" * (not length) + body)
        connection.shutdown(socket.SHUT_WR)

    server = raw_origin(serve)
    proxy = record("--to", f"http://127.0.0.1:{server.port}")
    with RawClient(proxy.port) as client:
        for path, size in (("known", len(content)), ("small", 100), ("unknown", len(content))):
            client.send(f"GET /{path} HTTP/1.1\r\nHost: {proxy.address}\r\n\r\n".encode())
            client.read_until(b"\r\n\r\n")
            received = client.read_exactly(size)
            assert received == content[:size]
    proxy.finish()
    chunks = proxy.sql("SELECT id, length(bytes) FROM chunk WHERE sender = 1 ORDER BY id")
    starts = [first for (first,) in proxy.sql(
        "SELECT response_chunk_id FROM http_exchange ORDER BY id")]
    known, small, unknown = ([size for number, size in chunks if first <= number < end]
                             for first, end in zip(starts, [*starts[1:], 1 << 40]))
    assert 32768 < max(known) <= 131072, max(known)
    assert sum(small) < 1000
    assert max(unknown) <= 32768, max(unknown)
