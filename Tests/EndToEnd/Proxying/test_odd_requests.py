"""What a trace says about requests that cannot be framed, servers that are not there, and schemes."""

from __future__ import annotations

import socket

import pytest
from ports import closed_port
from programs import curl


def urls(proxy) -> list[tuple]:
    """URL and status of every exchange but CONNECT."""
    return proxy.sql("SELECT url, status FROM exchange WHERE method <> 'CONNECT' ORDER BY id")


def refuse(accepted: socket.socket) -> None:
    """Answers 400 to whatever comes, and hangs up."""
    accepted.recv(65536)
    accepted.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno")
    accepted.shutdown(socket.SHUT_WR)
    accepted.recv(65536)


def say(port: int, data: bytes) -> bytes:
    """Sends bytes and reads until the other side has ended."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(data)
        received = b""
        while piece := client.recv(65536):
            received += piece
        return received


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_server_that_is_not_there_has_its_scheme(record, scheme) -> None:
    """The row of a request that no server got is about the server that should have got it."""
    server = f"{scheme}://127.0.0.1:{closed_port()}"
    proxy = record("--to", server)
    curl(f"{proxy.url}/a")
    proxy.finish()
    assert urls(proxy) == [(f"{server}/a", 502)]
    assert proxy.sql("SELECT is_tls FROM leg WHERE peer = 1") == [(int(scheme == "https"),)]


@pytest.mark.parametrize("tunnel", [[], ["-p"]])
def test_tls_to_the_proxy_is_not_the_scheme_of_the_server(record, origin, trust, tunnel) -> None:
    """A plain server is plain, however the client speaks to the proxy."""
    proxy = record()
    curl(*tunnel, "-x", f"https://{proxy.address}", "--proxy-cacert", trust, f"{origin.url}/a")
    proxy.finish()
    assert urls(proxy) == [(f"{origin.url}/a", 200)]


@pytest.mark.parametrize("rest", [
    b"Content-Length: -5\r\n\r\n", b"Content-Length: abc\r\n\r\n",
    b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"])
def test_the_answer_to_a_request_that_cannot_be_framed(record, raw_origin, rest) -> None:
    """The client got the answer, so the trace shows it, and the server did nothing wrong."""
    server = raw_origin(refuse)
    proxy = record("--to", server.url)
    received = say(proxy.port, b"POST /a HTTP/1.1\r\nHost: h\r\n" + rest)
    assert received.endswith(b"\r\n\r\nno")
    proxy.finish()
    assert urls(proxy) == [(f"{server.url}/a", 400)]
    assert proxy.sql("SELECT outcome FROM http_exchange") == [("request-cut",)]
    codes = {row[0] for row in proxy.sql("SELECT code FROM note")}
    assert "http.failed" in codes
    assert "http.response-without-request" not in codes


@pytest.mark.parametrize("rules", [[], ["--fault", "path~other => 503"]], ids=["plain", "judged"])
def test_a_request_without_a_version(record, raw_origin, rules) -> None:
    """HTTP/0.9: nothing follows the line, and its server does not wait for more."""
    def serve(accepted: socket.socket) -> None:
        if accepted.recv(65536) == b"GET /old\r\n":
            accepted.sendall(b"<html>old</html>")

    proxy = record("--to", f"http://127.0.0.1:{raw_origin(serve).port}", *rules)
    assert say(proxy.port, b"GET /old\r\n") == b"<html>old</html>"
    proxy.finish()


def test_an_upgrade_to_something_else_is_no_websocket(record, origin) -> None:
    """curl --http2 asks for h2c, and the server stays with HTTP/1.1."""
    proxy = record("--to", origin.url)
    curl("--http2", f"{proxy.url}/a")
    proxy.finish()
    assert proxy.sql("SELECT api, status FROM exchange") == [("http", 200)]
