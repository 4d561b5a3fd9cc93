"""Proves: the same client and server exchange the same bytes with Tapedeck and without.

Every script is played three times over raw sockets of ours: directly, through the proxy, and
(in the parameters) in whole writes and in pieces of a few bytes. What both ends received has to be
equal byte for byte, apart from the rewrites that are on the closed list: the address of the server
in Host, Origin and Location of a reverse proxy, and the request target of a forward proxy. The trace
has to hold the same bytes again: as received, and with the patches applied as forwarded.
"""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import pytest
from wire import CLIENT, SERVER, Conversation, Step, client, connect_through, recorded, server


def masked(opcode: int, payload: bytes, key: bytes = b"\x11\x22\x33\x44", first: int = 0x80) -> bytes:
    """A WebSocket frame as a client sends it."""
    size = len(payload)
    length = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size)
    body = bytes(byte ^ key[at % 4] for at, byte in enumerate(payload))
    return bytes([first | opcode]) + length + key + body


def unmasked(opcode: int, payload: bytes, first: int = 0x80) -> bytes:
    """A WebSocket frame as a server sends it."""
    size = len(payload)
    length = bytes([size]) if size < 126 else b"\x7e" + struct.pack(">H", size)
    return bytes([first | opcode]) + length + payload


OK = "HTTP/1.1 200 OK\nContent-Length: 2\n\nok"
UPGRADE = ("GET /sock/1/app/websocket HTTP/1.1\nHost: AUTHORITY\nOrigin: http://AUTHORITY\n"
           "Connection: keep-alive, Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n\n")
SWITCH = ("HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\nConnection: Upgrade\n"
          "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\n\n")

SCRIPTS: dict[str, list[Step]] = {
    "keep-alive": [
        client("GET /one HTTP/1.1\nHost: AUTHORITY\nUser-Agent: raw/1\nAccept: */*\n\n"),
        server(OK),
        client("POST /two?x=1#y HTTP/1.1\nhost:AUTHORITY\nContent-Length: 5\n\nhello"),
        server("HTTP/1.1 201 Created\nServer: raw\ncontent-length: 4\nX-Empty:\n\nmade"),
    ],
    "odd but legal heads": [
        client("GET /%7Ea/../b;c?d=e&&f HTTP/1.1\nHost:   AUTHORITY  \nX-A: 1\nx-a:\t2 \n"
               "Cookie: a=b; c=d\nConnection: keep-alive\nX-Bytes: ".replace("\n", "\r\n").encode()
               + b"\xff\xfe\r\n\r\n"),
        server("HTTP/1.1 200\nContent-Length:   2  \nSet-Cookie: a\nSet-Cookie: b\n\nok"),
    ],
    "pipelining": [
        client("GET /1 HTTP/1.1\nHost: AUTHORITY\n\nPOST /2 HTTP/1.1\nHost: AUTHORITY\n"
               "Content-Length: 3\n\nabcGET /3 HTTP/1.1\nHost: AUTHORITY\n\n"),
        server(OK + "HTTP/1.1 404 Not Found\nContent-Length: 0\n\n" + OK),
    ],
    "chunked both ways with extensions and trailers": [
        client("POST /up HTTP/1.1\nHost: AUTHORITY\nTransfer-Encoding: chunked\nTrailer: X-Sum\n\n"
               "5;ext=\"a b\";q\nhello\n0A \n0123456789\n000\nX-Sum: 15\n\n"),
        server("HTTP/1.1 200 OK\ntransfer-encoding: Chunked\n\n3;a\nabc\n1\nd\n0;last\n"
               "X-Trailer: yes\nX-Other: no\n\n"),
        client("GET /after HTTP/1.1\nHost: AUTHORITY\n\n"),
        server(OK),
    ],
    "100-continue and 103": [
        client("PUT /big HTTP/1.1\nHost: AUTHORITY\nExpect: 100-continue\nContent-Length: 6\n\n"),
        server("HTTP/1.1 100 Continue\n\n"),
        client("sixsix"),
        server("HTTP/1.1 103 Early Hints\nLink: </a.css>\n\nHTTP/1.1 200 OK\n"
               "Content-Length: 2\n\nok"),
        client("GET /next HTTP/1.1\nHost: AUTHORITY\n\n"),
        server(OK),
    ],
    "expectation refused": [
        client("PUT /big HTTP/1.1\nHost: AUTHORITY\nExpect: 100-continue\nContent-Length: 6\n"
               "Connection: close\n\n"),
        server("HTTP/1.1 417 Expectation Failed\nContent-Length: 0\nConnection: close\n\n",
               ends=True),
    ],
    "bodies that are not there": [
        client("HEAD /a HTTP/1.1\nHost: AUTHORITY\n\n"),
        server("HTTP/1.1 200 OK\nContent-Length: 1000\n\n"),
        client("GET /b HTTP/1.1\nHost: AUTHORITY\n\n"),
        server("HTTP/1.1 204 No Content\n\n"),
        client("GET /c HTTP/1.1\nHost: AUTHORITY\nIf-None-Match: \"x\"\n\n"),
        server("HTTP/1.1 304 Not Modified\nContent-Length: 77\nETag: \"x\"\n\n"),
        client("HEAD /d HTTP/1.1\nHost: AUTHORITY\n\n"),
        server("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n"),
        client("GET /e HTTP/1.1\nHost: AUTHORITY\n\n"),
        server(OK),
    ],
    "body until the end": [
        client("GET /stream HTTP/1.0\nHost: AUTHORITY\n\n"),
        server("HTTP/1.0 200 OK\nContent-Type: text/plain\n\nsome "),
        server("and the rest", ends=True),
    ],
    "compressed body": [
        client("GET /z HTTP/1.1\nHost: AUTHORITY\nAccept-Encoding: gzip\n\n"),
        server(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: "
               + str(len(gzip.compress(b"a" * 5000, mtime=0))).encode() + b"\r\n\r\n"
               + gzip.compress(b"a" * 5000, mtime=0)),
    ],
    "half-close by the client": [
        client("GET /half HTTP/1.1\nHost: AUTHORITY\n\n", ends=True),
        server("HTTP/1.1 200 OK\n\nanswered after the client had ended", ends=True),
    ],
    "redirect": [
        client("GET /moved HTTP/1.1\nHost: AUTHORITY\n\n"),
        server("HTTP/1.1 302 Found\nLocation: http://AUTHORITY/arrived?x=1\nContent-Length: 0\n\n"),
        client("GET /arrived?x=1 HTTP/1.1\nHost: AUTHORITY\n\n"),
        server("HTTP/1.1 302 Found\nLocation: /relative\nContent-Length: 0\n\n"),
        client("GET /relative HTTP/1.1\nHost: AUTHORITY\nOrigin: http://AUTHORITY\n\n"),
        server("HTTP/1.1 302 Found\nLocation: http://elsewhere.example/\nContent-Length: 0\n\n"),
    ],
    "two lengths": [
        client("POST /smuggle HTTP/1.1\nHost: AUTHORITY\nContent-Length: 10\n"
               "Transfer-Encoding: chunked\n\n5\nhello\n0\n\n"),
        server(OK),
    ],
    "response with two lengths": [
        client("GET /smuggled HTTP/1.1\nHost: AUTHORITY\n\n"),
        server("HTTP/1.1 200 OK\nContent-Length: 10\nTransfer-Encoding: chunked\n\n"
               "5\nhello\n0\n\n"),
    ],
    "unknown upgrade": [
        client("GET /raw HTTP/1.1\nHost: AUTHORITY\nConnection: Upgrade\nUpgrade: noise/2\n\n"),
        server("HTTP/1.1 101 Switching Protocols\nConnection: Upgrade\nUpgrade: noise/2\n\n"),
        client(bytes(range(256))),
        server(bytes(reversed(range(256)))),
        client(b"HTTP/1.1 200 OK\r\n\r\nHost: AUTHORITX\r\n", ends=True),
        server(b"\0\r\n\r\nbye", ends=True),
    ],
    "WebSocket with fragments, pings, bad text and close": [
        client(UPGRADE),
        server(SWITCH),
        client(masked(1, b"0:init:{\"name\":\"notes\"}") + masked(9, b"ping")),
        server(unmasked(10, b"ping") + unmasked(1, b"0:auth:a@b.c")),
        client(masked(1, b"h:", first=0) + masked(9, b"") + masked(0, b"0")),
        server(unmasked(10, b"") + unmasked(1, b"h:", first=0) + unmasked(0, b"1")),
        server(unmasked(1, b"not text: \xff\xfe") + unmasked(2, bytes(300))),
        client(masked(8, b"\x03\xe8bye")),
        server(unmasked(8, b"\x03\xe8bye"), ends=True),
    ],
    "WebSocket that breaks the rules": [
        client(UPGRADE),
        server(SWITCH),
        # Unmasked from the client, a reserved opcode, RSV bits nobody agreed on, a lone continuation.
        client(unmasked(1, b"unmasked") + masked(3, b"reserved") + masked(1, b"rsv", first=0xF0)),
        server(masked(1, b"masked") + unmasked(0, b"lone") + unmasked(8, b"\x00")),
    ],
    "garbage instead of a response": [
        client("GET / HTTP/1.1\nHost: AUTHORITY\n\n"),
        server(b"\x16\x03\x01 this is no HTTP\r\n\r\n" + bytes(range(256)), ends=True),
    ],
    "more than was announced": [
        client("GET / HTTP/1.1\nHost: AUTHORITY\n\n"),
        server(OK + "\n\nstray bytes after the response", ends=True),
    ],
    "response cut short": [
        client("GET / HTTP/1.1\nHost: AUTHORITY\n\n"),
        server("HTTP/1.1 200 OK\nContent-Length: 100\n\nonly this", ends=True),
    ],
}
PIECES = [0, 3]


def directly(script: list[Step]) -> dict[str, bytes]:
    """What both ends see without any proxy."""
    conversation = Conversation()
    port = int(conversation.server_address.rpartition(":")[2])
    conversation.play(script, port)
    return {end: conversation.seen(end, port) for end in (CLIENT, SERVER)}


def check_trace(trace: Path, conversation: Conversation) -> None:
    """The trace has to hold what was sent, and with its patches what was received."""
    ends = conversation.ends
    assert recorded(trace, 0, forwarded=True) == bytes(ends[SERVER].received)
    assert recorded(trace, 1, forwarded=True) == bytes(ends[CLIENT].received)


@pytest.mark.parametrize("pieces", PIECES)
@pytest.mark.parametrize("name", SCRIPTS)
def test_reverse_rewrites_only_the_address(record, trace, name, pieces) -> None:
    """Host, Origin and Location name the other side; every other byte is as it was."""
    script = SCRIPTS[name]
    expected = directly(script)
    conversation = Conversation()
    proxy = record("--to", f"http://{conversation.server_address}")
    conversation.play(script, proxy.port, pieces)
    for end in (SERVER, CLIENT):
        assert conversation.seen(end, proxy.port) == expected[end]
    proxy.finish()
    check_trace(trace, conversation)
    reasons = {row[0] for row in proxy.sql("SELECT DISTINCT reason FROM patch")}
    assert reasons <= {"host", "origin", "location"}


@pytest.mark.parametrize("pieces", PIECES)
@pytest.mark.parametrize("name", [name for name in SCRIPTS if name != "redirect"])
def test_reverse_with_keep_host_changes_nothing(record, trace, name, pieces) -> None:
    """With --keep-host and names that are not ours, not one byte differs."""
    script = [Step(step.sender, step.data.replace(b"AUTHORITY", b"app.example:81"), step.ends)
              for step in SCRIPTS[name]]
    expected = directly(script)
    conversation = Conversation()
    proxy = record("--to", f"http://{conversation.server_address}", "--keep-host")
    conversation.play(script, proxy.port, pieces)
    for end in (SERVER, CLIENT):
        assert bytes(conversation.ends[end].received) == expected[end]
    proxy.finish()
    assert proxy.sql("SELECT count(*) FROM patch") == [(0,)]
    check_trace(trace, conversation)


@pytest.mark.parametrize("pieces", PIECES)
@pytest.mark.parametrize("name", SCRIPTS)
def test_connect_changes_nothing(record, name, pieces) -> None:
    """Inside CONNECT there is nothing to rewrite at all."""
    expected = directly(SCRIPTS[name])
    conversation = Conversation()
    server_port = int(conversation.server_address.rpartition(":")[2])
    script = [Step(step.sender,
                   step.data.replace(b"AUTHORITY", conversation.server_address.encode()), step.ends)
              for step in SCRIPTS[name]]
    proxy = record()
    conversation.play(script, proxy.port, pieces,
                      prepare=connect_through(proxy.port, conversation.server_address))
    for end in (SERVER, CLIENT):
        assert conversation.seen(end, server_port) == expected[end]
    proxy.finish()
    assert proxy.sql("SELECT count(*) FROM patch") == [(0,)]
    assert recorded(proxy.trace, 1, True) == bytes(conversation.ends[CLIENT].received)
    assert recorded(proxy.trace, 0, True).endswith(bytes(conversation.ends[SERVER].received))


# In a forward proxy the next request may be for another server, so that what a server sends unasked
# does not go on.
FORWARD = [name for name in SCRIPTS if name not in ("odd but legal heads", "more than was announced")]


@pytest.mark.parametrize("pieces", PIECES)
@pytest.mark.parametrize("name", FORWARD)
def test_forward_rewrites_only_the_target(record, name, pieces) -> None:
    """A request in absolute form arrives in origin form; every other byte is as it was."""
    expected = directly(SCRIPTS[name])
    conversation = Conversation()
    server_port = int(conversation.server_address.rpartition(":")[2])
    address = conversation.server_address.encode()

    def absolute(data: bytes) -> bytes:
        for method in (b"GET", b"POST", b"PUT", b"HEAD"):
            data = data.replace(method + b" /", method + b" http://" + address + b"/")
        return data.replace(b"AUTHORITY", address)

    proxy = record()
    # The steps of the client are longer by what the proxy takes out again.
    conversation.play(
        [Step(step.sender, step.data.replace(b"AUTHORITY", address), step.ends,
              absolute(step.data) if step.sender == CLIENT else None)
         for step in SCRIPTS[name]], proxy.port, pieces)
    for end in (SERVER, CLIENT):
        assert conversation.seen(end, server_port) == expected[end]
    proxy.finish()
    check_trace(proxy.trace, conversation)
    reasons = {row[0] for row in proxy.sql("SELECT DISTINCT reason FROM patch")}
    assert reasons == {"request-target"}


def test_two_lengths_are_marked(record) -> None:
    """What two parsers could read differently is forwarded and has a note in the trace."""
    conversation = Conversation()
    proxy = record("--to", f"http://{conversation.server_address}")
    conversation.play(SCRIPTS["two lengths"], proxy.port)
    proxy.finish()
    assert proxy.sql("SELECT code FROM note WHERE sender = 0") != []
