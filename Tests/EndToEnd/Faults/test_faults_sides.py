"""Each side of a trace is what its peer had: compared with what a real client and a real server
received, byte by byte, for each action."""

from __future__ import annotations

import json
import re
import socket
import threading

import pytest
from faults import ask, dial_fixture, faulty_fixture, simperium_fixture
from ports import closed_port
from programs import curl, eventually
from sides import disagreements, rebuilt_differently, received, texts
from wire import RawClient
from websockets.exceptions import ConnectionClosed

__all__ = ["dial_fixture", "faulty_fixture", "simperium_fixture"]

BODY = b"<a>" + b"0123456789" * 20 + b"</a>"
ANSWER = (b"HTTP/1.1 201 Created\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT\r\nContent-Type: text/xml\r\n"
          b"Content-Length: %d\r\n\r\n%s")

# What happens to the first of two exchanges: its sides and fates, one of the client's side first.
HTTP = {
    "503": [("client", "lost", 503)],
    "503 forwarded": [("client", "altered", 503), ("server", "altered", 201)],
    "lose-answer": [("client", "lost", None), ("server", "lost", 201)],
    "drop close": [("client", "lost", None)],
    "truncate 5": [("client", "altered", 201), ("server", "altered", 201)],
    "corrupt at=30 count=2": [("client", "altered", 201), ("server", "altered", 201)],
    "corrupt at=30 count=2 sender=client": [("client", "altered", 201), ("server", "altered", 201)],
    "length -4": [("client", "altered", 201), ("server", "altered", 201)],
    "content-type a/b": [("client", "altered", 201), ("server", "altered", 201)],
    "content-type a/b sender=client": [("client", "altered", 201), ("server", "altered", 201)],
    "cut-xml 50": [("client", "altered", 201), ("server", "altered", 201)],
    'set-header X-A "b c"': [("client", "altered", 201), ("server", "altered", 201)],
    'set-header X-A "b c" sender=client': [("client", "altered", 201), ("server", "altered", 201)],
    "remove-header Date": [("client", "altered", 201), ("server", "altered", 201)],
    "latency 80ms": [("client", "late", 201), ("server", "late", 201)],
    "latency 80ms sender=server": [("client", "late", 201), ("server", "late", 201)],
    "slice 50 pause=5ms sender=server": [("client", "late", 201), ("server", "late", 201)],
    "bandwidth 2000 sender=server": [("client", "late", 201), ("server", "late", 201)],
    "repeat": [("both", "same", 201), ("server", "repeated", 201)],
    "answer-twice": [("both", "same", 201)],
    "cut 60 sender=server": [("client", "lost", None), ("server", "lost", 201)],
    "cut 200 sender=server": [("client", "altered", 201), ("server", "altered", 201)],
}


class Peer:
    """A server that keeps each byte that it gets."""

    def __init__(self, start):
        self.got = b""
        self.requests: list[tuple[bytes, bytes]] = []
        self._lock = threading.Lock()
        self.url = start(self._serve).url

    def _serve(self, accepted: socket.socket) -> None:
        data = b""
        while True:
            try:
                more = accepted.recv(65536)
            except OSError:
                return
            if not more:
                return
            with self._lock:
                self.got += more
            data += more
            while (head := data.partition(b"\r\n\r\n"))[1]:
                length = int((re.search(rb"(?i)content-length: *(\d+)", head[0]) or [0, 0])[1])
                if len(head[2]) < length:
                    break
                body, data = head[2][:length], head[2][length:]
                with self._lock:
                    self.requests.append((head[0].split()[1], body))
                try:
                    accepted.sendall(ANSWER % (len(body), body))
                except OSError:
                    return


@pytest.mark.parametrize("action", HTTP)
def test_each_has_what_it_received(faulty, raw_origin, tmp_path, action):
    peer = Peer(raw_origin)
    deck = faulty(peer.url, f"path:/hit => {action}")
    got = b""
    for path in ("/hit", "/free"):
        with RawClient(deck.port) as raw:
            # The client closes once the server could have answered, and gets all until then.
            raw.connection.settimeout(1)
            raw.send(f"POST {path} HTTP/1.1\r\nHost: {deck.address}\r\nContent-Type: text/xml\r\n"
                     f"Content-Length: {len(BODY)}\r\n\r\n".encode() + BODY)
            try:
                while more := raw.connection.recv(65536):
                    got += more
            except (TimeoutError, ConnectionResetError):
                pass
    deck.finish()
    assert received(deck.trace, 1) == got
    assert received(deck.trace, 0) == peer.got
    rows = deck.sql("SELECT side, fate, status FROM any_exchange WHERE path = '/hit' ORDER BY id")
    assert rows == HTTP[action]
    assert deck.sql("SELECT side, fate FROM any_exchange WHERE path = '/free'") == [("both", "same")]
    assert deck.sql(
        "SELECT x.path, CAST(s.request_body AS BLOB) FROM server_exchange s "
        "JOIN any_exchange x ON x.id = s.id ORDER BY x.started_ns, x.id") == [
            (path.decode(), body) for path, body in peer.requests]
    assert deck.sql("SELECT CAST(request_body AS BLOB) FROM exchange ORDER BY id") == [(BODY,)] * 2
    assert not disagreements(deck.trace)
    assert not rebuilt_differently(deck.trace, tmp_path)


@pytest.mark.parametrize("kind", ["http", "https"])
def test_without_a_rule_a_tunnel_is_on_both_sides(record, origin, tls_origin, certificates, trust,
                                                  tmp_path, kind):
    deck = record("--quiet", "--server-ca", certificates.authority)
    server = {"http": origin, "https": tls_origin}[kind]
    curl("-p", "-x", deck.url, "--cacert", trust, f"{server.url}/one", f"{server.url}/two")
    deck.finish()
    assert deck.sql("SELECT side, fate, method, status FROM any_exchange ORDER BY id") == [
        ("both", "same", "CONNECT", 200), ("both", "same", "GET", 200), ("both", "same", "GET", 200)]
    assert deck.sql("SELECT count(*) FROM server_exchange") == [(3,)]
    assert not disagreements(deck.trace)
    assert not rebuilt_differently(deck.trace, tmp_path)


@pytest.mark.parametrize("rule", ["path:/none => 503", "=> latency 50ms", "=> repeat",
                                  "=> set-header X-A b sender=client"])
def test_a_server_that_is_not_there_had_nothing(faulty, tmp_path, rule):
    port = closed_port()
    deck = faulty(f"http://127.0.0.1:{port}", rule)
    assert ask(deck, "/").status == 502
    deck.finish()
    assert deck.sql("SELECT side, fate, status, outcome FROM any_exchange") == [
        ("client", "lost", 502, "complete")]
    assert not disagreements(deck.trace)
    assert not rebuilt_differently(deck.trace, tmp_path)


# What happens to the first change of a client, or to what the server says about it.
SOCKETS = {
    "command:c sender:client => drop first=1": ["lost"],
    "command:c sender:client => latency 80ms first=1": ["late", "late"],
    "command:c sender:client => repeat first=1": ["repeated"],
    "command:c sender:client => error 440 first=1": ["lost", "synthesized"],
    "command:c sender:client => error 440 forwarded first=1": ["altered", "altered"],
    "command:c sender:client => change-unknown first=1": ["lost", "synthesized"],
    'command:c sender:client => send "0:h:9" first=1': ["synthesized"],
    "command:c sender:client => reorder first=1": ["late", "late"],
    "command:c sender:server => drop first=1": ["lost"],
    "command:c sender:server => reorder first=1": ["late", "late"],
    "command:c sender:server => foreign-ccids first=1": ["altered", "altered"],
    "command:c sender:server => unknown-channel first=1": ["altered", "altered"],
    "command:h sender:server => wrong-heartbeat first=1": ["altered", "altered"],
    "command:c sender:server => compact count=2": ["lost", "altered", "altered"],
    'command:c sender:server => send "0:c:[]" first=1': ["synthesized"],
    "command:c sender:server => latency 80ms first=1": ["late", "late"],
    "command:c sender:server => repeat first=1": ["repeated"],
}


@pytest.mark.parametrize("rule", SOCKETS)
def test_each_has_the_messages_that_it_received(faulty, dial, simperium, tmp_path, rule):
    deck = faulty(simperium.url, rule)
    client = dial(deck, joins=False)
    sent: list[str] = []
    got: list[str] = []

    def say(text: str, seconds: float = 0.8) -> None:
        sent.append(text)
        client.send(text)
        try:
            while True:
                got.append(client.socket.recv(seconds))
        except (TimeoutError, ConnectionClosed):
            pass

    say("0:init:" + json.dumps({"clientid": "c1", "api": "1.1", "token": "t", "app_id": "app",
                                "name": "notes", "library": "test", "version": "1"}))
    for number in (1, 2):
        say("0:c:" + json.dumps({"id": f"k{number}", "o": "M", "ccid": str(number) * 32,
                                 "v": {"a": {"o": "+", "v": number}}}))
    say("h:1")
    client.socket.close()
    deck.finish()
    assert texts(deck.trace, "client", 0) == sent
    assert texts(deck.trace, "client", 1) == got
    eventually(lambda: simperium.seen, "messages at the server")
    assert texts(deck.trace, "server", 0) == list(simperium.seen)
    assert [fate for fate, in deck.sql(
        "SELECT fate FROM any_message WHERE side <> 'both' AND opcode = 1 ORDER BY id")
            ] == SOCKETS[rule], deck.sql("SELECT id, sender, side, fate, payload FROM any_message")
    assert not disagreements(deck.trace)
    assert not rebuilt_differently(deck.trace, tmp_path)
