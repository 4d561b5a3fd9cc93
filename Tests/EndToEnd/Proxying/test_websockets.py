"""Proves with Python `websockets` from PyPI: messages both ways, permessage-deflate on and off,
through a reverse proxy and through CONNECT, plain and over TLS."""

from __future__ import annotations

import json
import ssl

import pytest
from programs import TAPEDECK, eventually, tapedeck
from websockets.sync.client import connect

TEXTS = ["0:init:{\"name\":\"notes\",\"clientid\":\"test-1\",\"app_id\":\"app\",\"api\":\"1.1\","
         "\"token\":\"t\"}", "0:i::::10", "h:0", "ünïcode " * 40, "repeated " * 5000]


def talk(url: str, **options) -> None:
    """Sends texts, bytes, a fragmented message and a ping, and checks what comes back."""
    with connect(url, open_timeout=30, close_timeout=30, max_size=None, **options) as socket:
        for text in TEXTS:
            socket.send(text)
            assert socket.recv(30) == text
        socket.send(bytes(range(256)))
        assert socket.recv(30) == bytes(range(256))
        socket.send(["in ", "three ", "frames"])
        assert socket.recv(30) == "in three frames"
        assert socket.ping(b"are you there").wait(30)


def check(proxy, compressed: bool) -> None:
    """All messages of `talk` have to be in the trace, decoded, in both directions."""
    proxy.finish()
    sent = [*TEXTS, bytes(range(256)), "in three frames"]
    for sender in (0, 1):
        rows = proxy.sql("SELECT payload, compressed FROM message WHERE sender = ? AND opcode < 8 "
                         "ORDER BY id", sender)
        assert [payload for payload, _ in rows] == sent
        assert {bool(flag) for _, flag in rows} == {compressed}
    assert proxy.sql("SELECT sender FROM message WHERE opcode = 9") == [(0,)]
    assert proxy.sql("SELECT sender FROM message WHERE opcode = 10") == [(1,)]
    assert proxy.sql("SELECT close_code FROM message WHERE opcode = 8") == [(1000,), (1000,)]
    assert proxy.sql("SELECT frames FROM message WHERE sender = 0 AND payload = ?",
                     "in three frames") != [(1,)]
    assert proxy.sql("SELECT count(*) FROM message WHERE problem IS NOT NULL") == [(0,)]


@pytest.mark.parametrize("compression", ["deflate", None])
@pytest.mark.parametrize("tls", [False, True])
def test_reverse(record, echo_socket, trust, certificates, compression, tls) -> None:
    """Deflate stays negotiated with context takeover; every message is decoded."""
    server = echo_socket(compression, certificates.context() if tls else None)
    proxy = record("--to", server.url, "--server-ca", certificates.authority)
    context = ssl.create_default_context(cafile=trust) if tls else None
    talk(f"{'wss' if tls else 'ws'}://{proxy.address}/sock/1/app/websocket", ssl=context,
         compression=compression, proxy=None)
    check(proxy, compression is not None)


@pytest.mark.parametrize("compression", ["deflate", None])
@pytest.mark.parametrize("tls", [False, True])
def test_connect(record, echo_socket, trust, certificates, compression, tls) -> None:
    """A WebSocket client sends CONNECT for ws:// as well as for wss://."""
    server = echo_socket(compression, certificates.context() if tls else None)
    proxy = record("--server-ca", certificates.authority)
    context = ssl.create_default_context(cafile=trust) if tls else None
    talk(f"{'wss' if tls else 'ws'}://{server.address}/sock/1/app/websocket", ssl=context,
         compression=compression, proxy=proxy.url)
    check(proxy, compression is not None)


def test_simperium_commands_are_rows(record, program, tmp_path) -> None:
    """A session with `tapedeck serve`: commands and changes carry bucket, key and versions."""

    server = program(TAPEDECK, "serve", "--listen", "127.0.0.1:0")
    address = server.await_line(r"^listening on (\S+)$")[1]
    proxy = record("--to", f"http://{address}")
    with connect(f"ws://{proxy.address}/sock/1/test-app/websocket", proxy=None) as socket:
        socket.send('0:init:{"name":"notes","clientid":"test-1","app_id":"test-app","api":"1.1",'
                    '"token":"0123456789abcdef0123456789abcdef","library":"test","version":"1"}')
        assert socket.recv(30).startswith("0:auth:")
        socket.send("0:i::::10")
        reply = socket.recv(30)
        assert reply.startswith("0:i:{"), reply
        socket.send('0:c:{"clientid":"test-1","id":"note-1","o":"M","v":{"title":{"o":"+","v":'
                    '"abc"}},"ccid":"0123456789abcdef0123456789abcdef"}')
        reply = socket.recv(30)
        assert json.loads(reply.removeprefix("0:c:"))[0]["ev"] == 1, reply
        socket.send("h:0")
        assert socket.recv(30) == "h:1"
    proxy.await_line("note-1|notes")
    proxy.finish()
    assert proxy.sql("SELECT name, bucket FROM command WHERE sender = 0 ORDER BY id") == [
        ("init", "notes"), ("i", "notes"), ("c", "notes"), ("h", None)]
    assert proxy.sql("SELECT bucket, key, o, sv, ev FROM change ORDER BY id") == [
        ("notes", "note-1", "M", None, None), ("notes", "note-1", "M", None, 1)]
    assert proxy.sql("SELECT api FROM exchange") == [("simperium.socket",)]
    eventually(lambda: "note-1" in tapedeck("ls", proxy.trace).stdout, "note-1 in the listing")
