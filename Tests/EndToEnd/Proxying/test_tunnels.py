"""Tunnels that others open, and connections that send what nobody expects: everybody else goes on."""

from __future__ import annotations

import json
import socket
from pathlib import Path

from programs import curl


def said(data: bytes, port: int) -> socket.socket:
    """A connection that has sent `data`."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=20)
    connection.sendall(data)
    return connection


def until(connection: socket.socket, end: bytes) -> bytes:
    """What comes up to `end`, or until the connection ends."""
    got = b""
    while not got.endswith(end):
        more = connection.recv(65536)
        if not more:
            break
        got += more
    return got


def test_connect_to_a_server_stops_nobody(record, origin) -> None:
    """CONNECT with a byte behind it to a server that answers anything; many of them, and all go on."""
    proxy = record("--to", origin.url)
    stuck = []
    for _ in range(8):
        connection = said(b"CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\nx", proxy.port)
        assert until(connection, b"\r\n\r\n").startswith(b"HTTP/1.")
        stuck.append(connection)
    for _ in range(4):
        assert json.loads(curl(f"{proxy.url}/after").stdout)["path"] == "/after"
    for connection in stuck:
        connection.close()
    proxy.finish()


def test_https_through_a_proxy_behind_it(
        record, tls_origin, trust, certificates, tmp_path: Path) -> None:
    """`--to` another proxy with `--keep-host`: https through both, decoded by the first."""
    behind = record("--passthrough", "*", "--passthrough", "127.0.0.1", to=tmp_path / "behind.tape")
    proxy = record("--to", behind.url, "--keep-host", "--server-ca", certificates.authority)
    done = curl("-x", proxy.url, "--cacert", trust, f"{tls_origin.url}/far")
    assert json.loads(done.stdout)["path"] == "/far"
    proxy.finish()
    behind.finish()
    assert proxy.sql("SELECT method, status FROM exchange ORDER BY id") == [
        ("CONNECT", 200), ("GET", 200)]


def test_a_second_answer_is_not_the_next_server_s(record, origin) -> None:
    """A server that answers twice does not answer for another server of the same client."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = "127.0.0.1:%d" % listener.getsockname()[1]
        proxy = record()
        client = said(
            f"GET http://{address}/ HTTP/1.1\r\nHost: {address}\r\n\r\n".encode(), proxy.port)
        server, _ = listener.accept()
        server.settimeout(20)
        until(server, b"\r\n\r\n")
        server.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"
                       b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond")
        assert until(client, b"first").endswith(b"first")
        # The server's connection ends, and the client's, which has no other, with it.
        assert server.recv(100) == b""
        server.close()
        rest = b""
        try:
            client.sendall(
                f"GET {origin.url}/b HTTP/1.1\r\nHost: {origin.address}\r\n\r\n".encode())
            rest = client.recv(65536)
        except ConnectionError:
            pass
        assert b"second" not in rest
        client.close()
        proxy.finish()
    says = [row[0] for row in proxy.sql("SELECT detail FROM event WHERE kind = 'undelivered'")]
    assert len(says) == 1 and "without a request" in says[0]


def test_requests_that_nobody_answers_starve_nobody(record, origin) -> None:
    """Connections that pipeline without end are read no further, and others are answered."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        proxy = record()
        address = "127.0.0.1:%d" % silent.getsockname()[1]
        request = f"GET http://{address}/ HTTP/1.1\r\nHost: {address}\r\n\r\n".encode()
        floods = []
        for _ in range(4):
            flood = socket.create_connection(("127.0.0.1", proxy.port), timeout=20)
            flood.setblocking(False)
            sent, rest = 0, b""
            try:
                while sent < 64 << 20:
                    rest = rest or request * 500
                    count = flood.send(rest)
                    sent, rest = sent + count, rest[count:]
            except BlockingIOError:
                pass
            assert sent < 64 << 20
            floods.append(flood)
        for _ in range(4):
            done = curl("-x", proxy.url, f"{origin.url}/after")
            assert json.loads(done.stdout)["path"] == "/after"
        for flood in floods:
            flood.close()
        proxy.finish()


def test_a_head_that_never_ends_reaches_the_server(record) -> None:
    """What a client sends before it gives up is what the server gets, and an exchange."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        proxy = record("--to", "http://127.0.0.1:%d" % listener.getsockname()[1])
        client = said(b"GET / HTTP/1.1\r\nX: y", proxy.port)
        client.shutdown(socket.SHUT_WR)
        server, _ = listener.accept()
        server.settimeout(20)
        assert until(server, b"never") == b"GET / HTTP/1.1\r\nX: y"
        server.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        server.close()
        assert until(client, b"\r\n\r\n").startswith(b"HTTP/1.1 400")
        client.close()
        proxy.finish()
    assert proxy.sql("SELECT status FROM exchange") == [(400,)]
