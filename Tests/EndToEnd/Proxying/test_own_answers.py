"""Answers that Tapedeck makes itself are those of a server that behaves: our own rules about servers,
on a recording of a proxy before the one that answers, find nothing wrong with them."""

from __future__ import annotations

import email.utils
import json
import re
import time

import pytest
from programs import DEADLINE, TAPEDECK, Program, tapedeck
from serving import Server, form
from wire import RawClient

FORM = form("one").encode()
ROSA = "X-OpenRosa-Version: 3.0\r\n"
BASIC = "Authorization: Basic YWRhOnNlY3JldA==\r\n"
# Name: request line and fields, and a body. Kinds of requests that rules about servers tell apart.
REQUESTS = {
    "restore": ("GET /a/demo/phone/restore/?version=2.0&since=0123456789abcdef&device_id=d HTTP/1.1",
                ROSA + BASIC, b""),
    "submission": ("POST /a/demo/receiver/ HTTP/1.1", ROSA + BASIC + "Content-Type: text/xml\r\n",
                   FORM),
    "form list": ("GET /a/demo/formList HTTP/1.1", ROSA, b""),
    "simperium": ("POST /1/app/authorize/ HTTP/1.1", "Content-Type: application/json\r\n",
                  b'{"username":"ada","password":"secret"}'),
    "page": ("GET /page HTTP/1.1", "", b""),
}
REFUSALS = [400, 401, 403, 404, 405, 407, 409, 410, 413, 415, 426, 429, 500, 501, 502, 503, 504]
# What the protocol has a ready answer for, besides those.
READY = {"restore": [202, 406, 412], "submission": [406, 422]}


def say(port: int, kind: str, fields: str = "", host: str = "127.0.0.1") -> bytes:
    """Makes one request of a kind on a connection of its own; gives the answer."""
    line, own, body = REQUESTS[kind]
    with RawClient(port) as client:
        client.send(f"{line}\r\nHost: {host}\r\n{own}{fields}Content-Length: {len(body)}\r\n"
                    f"Connection: close\r\n\r\n".encode() + body)
        return client.read_to_end()


def blamed(proxy) -> dict[str, list[str]]:
    """The rules that the servers of a recording broke, with what was said about each."""
    proxy.finish()
    said = tapedeck("diagnose", proxy.trace, "--json", "--blame", "server",
                    "--fail-on", "never").stdout
    found: dict[str, list[str]] = {}
    for row in map(json.loads, said.splitlines()):
        if row.get("kind") == "undecided":
            continue
        found.setdefault(row["rule"], []).append(row["message"])
    return found


def is_fresh(answer: bytes) -> bool:
    """Whether an answer is dated now."""
    match = re.search(rb"\r\nDate: ([^\r]+)\r\n", answer)
    assert match, answer
    date = email.utils.parsedate_to_datetime(match[1].decode())
    return abs(date.timestamp() - time.time()) < DEADLINE


@pytest.fixture(name="outer")
def outer_fixture(record, tmp_path):
    """Starts a proxy before another that answers."""
    return lambda url: record("--to", url, to=tmp_path / "outer.tape")


@pytest.mark.parametrize("how", ["", " forwarded"])
def test_answers_of_faults(record, outer, serve, how) -> None:
    server = serve()
    rules = [part for status in REFUSALS + sum(READY.values(), [])
             for part in ("--fault", f"request.header.x-want:{status} => {status}{how}")]
    inner = record("--to", f"http://127.0.0.1:{server.port}", *rules)
    before = outer(inner.url)
    for kind in REQUESTS:
        for status in REFUSALS + READY.get(kind, []):
            answer = say(before.port, kind, f"X-Want: {status}\r\n")
            assert answer.startswith(f"HTTP/1.1 {status} ".encode()), answer
            assert is_fresh(answer), answer
            if kind in ("restore", "submission", "form list"):
                assert b"\r\nX-OpenRosa-Version: 3.0\r\n" in answer
    assert blamed(before) == {}


def test_answers_of_serve(outer, serve) -> None:
    server = serve()
    before = outer(f"http://127.0.0.1:{server.port}")
    for kind in REQUESTS:
        assert is_fresh(say(before.port, kind))
    others = [b"GET /page HTTP/1.1\r\n\r\n", b"DELETE /1/app/authorize/ HTTP/1.1\r\n\r\n",
              b"GET /a/demo/phone/restore/ HTTP/1.1\r\n\r\n", b"PUT /submission HTTP/1.1\r\n\r\n",
              b"POST /1/app/authorize/ HTTP/1.1\r\nContent-Length: 1\r\n\r\n{",
              b"GET /tapedeck/connections HTTP/1.1\r\n\r\n", b"GET /sock/1/app HTTP/1.1\r\n\r\n"]
    for request in others:
        with RawClient(before.port) as client:
            client.send(request.replace(b"\r\n\r\n", b"\r\nHost: h\r\nConnection: close\r\n\r\n", 1))
            assert is_fresh(client.read_to_end())
    with RawClient(server.port) as client:
        client.send(b"nonsense\r\n\r\n")
        assert is_fresh(client.read_to_end())
    assert blamed(before) == {}


def test_answers_of_record(record, outer, tmp_path) -> None:
    # Nobody listens on the port of a server that has ended.
    gone = Server()
    gone.stop()
    inner = record("--to", f"http://127.0.0.1:{gone.port}")
    before = outer(inner.url)
    for kind in REQUESTS:
        answer = say(before.port, kind)
        assert answer.startswith(b"HTTP/1.1 502 ") and is_fresh(answer)
        assert (b"\r\nX-OpenRosa-Version: 3.0\r\n" in answer) == (ROSA in REQUESTS[kind][1])
    other = say(inner.port, "restore", host="evil.example")
    assert other.startswith(b"HTTP/1.1 421 ") and is_fresh(other)
    assert b"\r\nX-OpenRosa-Version: 3.0\r\n" in other
    assert blamed(before) == {}
    forward = record(to=tmp_path / "forward.tape")
    before = record("--to", forward.url, to=tmp_path / "before.tape")
    refused = say(before.port, "page")
    assert refused.startswith(b"HTTP/1.1 400 ") and is_fresh(refused)
    assert blamed(before) == {}


def test_answers_of_a_replay(record, outer, serve, program, tmp_path) -> None:
    server = serve()
    source = record("--to", f"http://127.0.0.1:{server.port}", to=tmp_path / "source.tape")
    say(source.port, "simperium")
    source.finish()
    for mode in ("lenient", "model"):
        replay: Program = program(TAPEDECK, "replay", "server", source.trace, "--listen",
                                  "127.0.0.1:0", f"--{mode}")
        port = int(replay.await_line(r"^listening on 127\.0\.0\.1:(\d+)$")[1])
        before = record("--to", f"http://127.0.0.1:{port}", to=tmp_path / f"{mode}.tape")
        for kind in REQUESTS:
            assert is_fresh(say(before.port, kind))
        with RawClient(port) as client:
            client.send(b"nonsense\r\n\r\n")
            assert is_fresh(client.read_to_end())
        assert blamed(before) == {}


def test_answers_of_control(record, outer) -> None:
    deck = record("--control-listen", "127.0.0.1:0")
    url = deck.await_line(r"^control at (\S+) token (\w+)$")[1]
    before = outer(url)
    for kind in ("page", "simperium", "restore"):
        assert is_fresh(say(before.port, kind))
    assert blamed(before) == {}
