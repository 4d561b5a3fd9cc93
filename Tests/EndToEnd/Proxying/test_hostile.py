"""Proves: whatever comes over the wire gives a clear error or a marked row; the proxy lives on, its
memory stays bounded, and what was recorded before is still there."""

from __future__ import annotations

import gzip
import hashlib
import io
import socket
import zlib

import pytest
from ports import closed_port
from programs import curl, eventually
from wire import RawClient, is_alive

# What the proxy may ever need: the bound for long sessions, 150 MB.
BOUND = 150_000_000
MEBIBYTE = 1 << 20


@pytest.fixture
def proxy(record, origin):
    """A reverse proxy that has recorded one exchange already."""
    started = record("--to", origin.url)
    curl(f"{started.url}/before")
    yield started
    assert is_alive(started.port, started.address), started.said()
    assert started.peak_memory() < BOUND, f"{started.peak_memory() / 1e6:.0f} MB"
    started.finish()
    assert started.sql("PRAGMA integrity_check") == [("ok",)]
    paths = [row[0] for row in started.sql("SELECT path FROM http_exchange ORDER BY id")]
    assert paths[0] == "/before" and "/alive" in paths


def drain(raw: RawClient) -> bytes:
    """What comes until the other side hangs up; the client has said all it has to say."""
    try:
        raw.connection.shutdown(socket.SHUT_WR)
    except OSError:
        pass
    return raw.read_to_end()


@pytest.mark.parametrize("garbage", [
    b"\x00" * 4096, b"\xff\xfe\r\n\r\n" * 10, b"SSH-2.0-OpenSSH_9\r\n", b"\r\n" * 1000,
    b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x00\x05hello",
    b"\x16\x03\x03\xff\xff" + b"\xaa" * 70_000, b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
], ids=range(12))
def test_garbage_on_the_listener(proxy, garbage) -> None:
    """Bytes that are no HTTP and no TLS end that connection at most."""
    with RawClient(proxy.port) as raw:
        raw.send(garbage)
        drain(raw)


def test_garbage_for_a_forward_proxy(record, origin) -> None:
    """A forward proxy that is not told where to go says so."""
    forward = record()
    for request in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x00\x01\x02\x03" * 100 + b"\r\n\r\n",
                    b"CONNECT nonsense HTTP/1.1\r\n\r\n", b"GET ftp://a/ HTTP/1.1\r\n\r\n"):
        with RawClient(forward.port) as raw:
            raw.send(request)
            answer = drain(raw)
        assert answer == b"" or answer.startswith(b"HTTP/1.1 4"), answer
    assert curl("-x", forward.url, f"{origin.url}/a").stdout
    forward.finish()


def test_unknown_host(record) -> None:
    """A name that nobody knows gives 502 with a word why, and a row."""
    forward = record()
    done = curl("-x", forward.url, "-w", "%{http_code}", "http://no-such-host.invalid/a")
    assert done.stdout.endswith(b"502") and b"no-such-host.invalid" in done.stdout
    forward.finish()
    assert forward.sql("SELECT host, status, is_local FROM http_exchange") == [
        ("no-such-host.invalid", 502, 1)]
    assert forward.sql("SELECT count(*) FROM event WHERE kind = 'refused'") == [(1,)]


def test_server_that_is_not_there(record) -> None:
    """A refused connection gives 502 as well, and the proxy goes on."""
    reverse = record("--to", f"http://127.0.0.1:{closed_port()}")
    for _ in range(2):
        assert curl("-w", "%{http_code}", f"{reverse.url}/a").stdout.endswith(b"502")
    reverse.finish()
    assert reverse.sql("SELECT status, is_local FROM http_exchange") == [(502, 1)] * 2


def test_header_flood(proxy) -> None:
    """A head with very many fields."""
    with RawClient(proxy.port) as raw:
        raw.send(b"GET /flood HTTP/1.1\r\nHost: a\r\n" + b"X-Flood: yes\r\n" * 400_000 + b"\r\n")
        drain(raw)


@pytest.mark.parametrize("start", [b"GET /", b"GET / HTTP/1.1\r\nHost: a\r\nX-Endless: "])
def test_endless_head(proxy, start) -> None:
    """A request line and a field that never end."""
    with RawClient(proxy.port) as raw:
        raw.send(start)
        for _ in range(128):
            raw.send(b"a" * MEBIBYTE)
        drain(raw)


def test_endless_response_head(record, raw_origin) -> None:
    """A server whose head never ends fills no memory either."""
    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nX-Endless: ")
        for _ in range(128):
            connection.sendall(b"a" * MEBIBYTE)

    server = raw_origin(serve)
    reverse = record("--to", server.url)
    with RawClient(reverse.port) as raw:
        raw.send(b"GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
        drain(raw)
    assert reverse.peak_memory() < BOUND
    reverse.finish()
    assert reverse.sql("SELECT count(*) FROM http_exchange WHERE problem IS NOT NULL "
                       "UNION ALL SELECT count(*) FROM note") != [(0,), (0,)]


def bomb(size: int) -> bytes:
    """Very many zeros, packed."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9, mtime=0) as stream:
        for _ in range(size // MEBIBYTE):
            stream.write(bytes(MEBIBYTE))
    return packed.getvalue()


def test_decompression_bomb(record, raw_origin) -> None:
    """256 MiB of zeros in 256 KiB: the client gets the bytes, the trace a bounded part."""
    packed = bomb(256 * MEBIBYTE)

    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
                           % len(packed) + packed)
        connection.recv(1)

    server = raw_origin(serve)
    reverse = record("--to", server.url)
    assert curl(f"{reverse.url}/bomb").stdout == packed
    reverse.finish()
    assert reverse.sql("SELECT length(content) < 20000000, wire_size FROM body WHERE sender = 1") == [
        (1, len(packed))]
    assert reverse.trace.stat().st_size < 20_000_000


UPGRADE = (b"GET /sock/1/app/websocket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n"
           b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n")
SWITCH = (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n%s\r\n")


@pytest.mark.parametrize("length", [1 << 63, (1 << 63) - 1, 1 << 40])
def test_frame_with_an_absurd_length(record, raw_origin, length) -> None:
    """A frame that claims 2^63 bytes passes as bytes, is marked, and costs no memory."""
    got: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(SWITCH % b"")
        while data := connection.recv(65536):
            got.append(data)
        connection.sendall(b"\x81\x03bye")

    server = raw_origin(serve)
    reverse = record("--to", server.url)
    frame = b"\x82\xff" + length.to_bytes(8, "big") + b"\x01\x02\x03\x04" + b"x" * MEBIBYTE
    with RawClient(reverse.port) as raw:
        raw.send(UPGRADE % b"")
        raw.read_until(b"\r\n\r\n")
        raw.send(frame)
        assert drain(raw) == b"\x81\x03bye"
    assert b"".join(got) == frame
    assert reverse.peak_memory() < BOUND
    reverse.finish()
    assert reverse.sql("SELECT 1 FROM message WHERE sender = 0 AND problem IS NOT NULL UNION ALL "
                       "SELECT 1 FROM note WHERE sender = 0 LIMIT 1") == [(1,)]


def test_compressed_message_bomb(record, raw_origin) -> None:
    """The same inside permessage-deflate."""
    squeeze = zlib.compressobj(9, wbits=-15)
    packed = b"".join(squeeze.compress(bytes(MEBIBYTE)) for _ in range(256))
    packed += squeeze.flush(zlib.Z_SYNC_FLUSH)[:-4]
    deflate = b"Sec-WebSocket-Extensions: permessage-deflate\r\n"

    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(SWITCH % deflate)
        connection.sendall(b"\xc2\x7f" + len(packed).to_bytes(8, "big") + packed)
        connection.recv(1)

    server = raw_origin(serve)
    reverse = record("--to", server.url)
    with RawClient(reverse.port) as raw:
        raw.send(UPGRADE % deflate)
        raw.read_until(b"\r\n\r\n")
        assert raw.read_exactly(10 + len(packed))[10:] == packed
        raw.connection.shutdown(socket.SHUT_WR)
    reverse.eventually_sql("SELECT 1 FROM message WHERE sender = 1")
    assert reverse.peak_memory() < BOUND
    reverse.finish()
    assert reverse.sql("SELECT length(payload) < 20000000 FROM message WHERE sender = 1") == [(1,)]


def send_much(connection: socket.socket, count: int, sent: list[int]) -> str:
    """Sends `count` MiB of changing bytes and counts them; returns their digest."""
    digest = hashlib.sha256()
    for number in range(count):
        piece = number.to_bytes(4, "big") * (MEBIBYTE // 4)
        digest.update(piece)
        connection.sendall(piece)
        sent[0] += 1
    return digest.hexdigest()


def test_slow_client_slows_the_server(record, raw_origin) -> None:
    """256 MiB to a client that does not read at first: the server has to wait, memory stays flat."""
    size, sent, digests = 256, [0], []

    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (size * MEBIBYTE))
        digests.append(send_much(connection, size, sent))

    server = raw_origin(serve)
    reverse = record("--to", server.url)
    with RawClient(reverse.port) as raw:
        raw.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        raw.send(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        raw.read_until(b"\r\n\r\n")
        still = [0, -1]

        def stalled() -> bool:
            still[0] = still[0] + 1 if still[1] == sent[0] else 0
            still[1] = sent[0]
            return still[0] > 100

        eventually(stalled, "the server to be held up")
        assert sent[0] < 96, f"the proxy took {sent[0]} MiB that nobody wants yet"
        digest, left = hashlib.sha256(), size * MEBIBYTE
        while left:
            data = raw.read_exactly(min(left, 65536))
            assert data, "the body ends early"
            digest.update(data)
            left -= len(data)
    assert [digest.hexdigest()] == digests
    assert reverse.peak_memory() < BOUND
    reverse.finish()
    assert reverse.sql("SELECT wire_size FROM body WHERE sender = 1") == [(size * MEBIBYTE,)]


def test_large_upload(record, raw_origin) -> None:
    """The same in the other direction, chunked."""
    size, digest = 128, hashlib.sha256()

    def serve(connection: socket.socket) -> None:
        stream = connection.makefile("rb")
        while stream.readline() != b"\r\n":
            pass
        while count := int(stream.readline(), 16):
            digest.update(stream.read(count))
            stream.readline()
        stream.readline()
        connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        connection.recv(1)

    server = raw_origin(serve)
    reverse = record("--to", server.url)
    sent = hashlib.sha256()
    with RawClient(reverse.port) as raw:
        raw.send(b"POST /up HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        for number in range(size):
            piece = number.to_bytes(4, "big") * (MEBIBYTE // 4)
            sent.update(piece)
            raw.send(b"%x\r\n" % len(piece) + piece + b"\r\n")
        raw.send(b"0\r\n\r\n")
        assert raw.read_until(b"\r\n\r\n").startswith(b"HTTP/1.1 201")
    assert sent.digest() == digest.digest()
    assert reverse.peak_memory() < BOUND
    reverse.finish()
    assert reverse.sql("SELECT size, outcome FROM body JOIN http_exchange x ON x.id = exchange_id "
                       "WHERE sender = 0") == [(size * MEBIBYTE, "complete")]


def test_many_connections(record, origin) -> None:
    """Two hundred clients at once that say little and stay."""
    reverse = record("--to", origin.url)
    clients = [RawClient(reverse.port) for _ in range(200)]
    for raw in clients:
        raw.send(f"GET /many HTTP/1.1\r\nHost: {reverse.address}\r\n\r\n".encode())
    for raw in clients:
        assert raw.read_until(b"\r\n\r\n").startswith(b"HTTP/1.1 200")
    for raw in clients:
        raw.close()
    reverse.finish()
    assert reverse.sql("SELECT count(*) FROM http_exchange WHERE outcome = 'complete'") == [(200,)]
