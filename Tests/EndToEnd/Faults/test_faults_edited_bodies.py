"""Edits of bodies in every framing and coding, both ways, and of what cannot be edited."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from faults import ask, faults, faulty_fixture, feels, line, web_fixture
from programs import DEADLINE, tapedeck
from test_faults_edits import CODERS

__all__ = ["faulty_fixture", "web_fixture"]

JSON = b'{"v": 1, "name": "old"}'
XML = b"<?xml version='1.0'?>\n<a xmlns='http://a'><name>old</name></a>\n"
# What is edited: the words behind `edit`, its type, what is sent, and what is received.
EDITS: dict[str, tuple[str, str, bytes, bytes]] = {
    "json": ("json /v 22", "application/json", JSON, b'{"v": 22, "name": "old"}'),
    "json-remove": ("json-remove /v", "application/json", JSON, b'{"name": "old"}'),
    "xml": ("xml /a/name 'a<b'", "text/xml", XML, XML.replace(b"old", b"a&lt;b")),
    "replace": (r"""replace '"(\w+)": ' '"my $1":'""", "text/plain", JSON, b'{"my v":1, "my name":"old"}'),
    "form": ("form name 'a b'", "application/x-www-form-urlencoded", b"v=1&name=old", b"v=1&name=a+b"),
}


class Framed(ThreadingHTTPServer):
    """Answers with what is to be sent for `/EDIT/CODING/FRAMING`, and keeps what it is asked."""

    daemon_threads = True

    def __init__(self):
        outer = self
        self.asked: list[tuple[dict[str, str], bytes]] = []

        class Handler(BaseHTTPRequestHandler):
            """One connection."""

            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                """Answers."""
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.asked.append((dict(self.headers), body))
                _, edit, coding, framing = self.path.split("/")
                _, kind, content, _ = EDITS[edit]
                content = CODERS[coding][0](content)
                self.send_response(200)
                self.send_header("Content-Type", kind)
                if coding:
                    self.send_header("Content-Encoding", coding)
                if framing == "chunked":
                    self.send_header("Transfer-Encoding", "chunked")
                    self.end_headers()
                    for part in (content[:7], content[7:]):
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                    self.wfile.write(b"0\r\n\r\n")
                else:
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)

            def log_message(self, *_) -> None:
                """Says nothing."""

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


@pytest.fixture(name="framed")
def framed_fixture() -> Iterator[Framed]:
    """A server that answers in every framing."""
    server = Framed()
    yield server
    server.shutdown()
    server.server_close()


@feels("edit")
@pytest.mark.parametrize("edit", EDITS)
def test_every_framing_and_coding(faulty, framed, tmp_path, edit):
    words, kind, before, after = EDITS[edit]
    ways = [("client", "server"), ("client",)][edit == "form"]
    deck = faulty(framed.url, *(f"=> edit {words} sender={way}" for way in ways))
    count = 0
    for coding, (encoded, decoded) in CODERS.items():
        for framing in ("length", "chunked"):
            content = encoded(before)
            fields = {"Content_Type": kind} | ({"Content_Encoding": coding} if coding else {})
            body: bytes | Iterator[bytes] = content if framing == "length" else iter([content[:5], content[5:]])
            answer = ask(deck, f"/{edit}/{coding}/{framing}", body, method="POST", **fields)
            asked, got = framed.asked[-1]
            assert decoded(got) == after and asked["Content-Length"] == str(len(got)), (coding, framing)
            assert "Transfer-Encoding" not in asked and asked.get("Content-Encoding", "") == coding
            assert decoded(answer.body) == (after if "server" in ways else before), (coding, framing)
            assert answer.fields.get("content-encoding", "") == coding
            count += len(ways)
    faults(deck, count)
    deck.finish()
    rows = "SELECT rule, action, effect, problem, detail, exchange_id FROM intervention ORDER BY id"
    bodies = "SELECT fate, request_body, response_body FROM exchange ORDER BY id"
    theirs = bodies.replace("exchange", "server_exchange")
    kept = deck.sql(rows), deck.sql(bodies), deck.sql(theirs)
    assert {row[2:5] for row in kept[0]} == {("altered", None, None)}
    assert {row[0] for row in kept[1] + kept[2]} == {"altered"}
    assert {row[1] for row in kept[1]} == {row[2] for row in kept[2]} == {before.decode()}
    assert {row[1] for row in kept[2]} == {after.decode()}
    tapedeck("rebuild", deck.trace)
    assert (deck.sql(rows), deck.sql(bodies), deck.sql(theirs)) == kept
    assert tapedeck("diagnose", deck.trace, "--json").stdout == ""
    tapedeck("export", deck.trace, tmp_path / "text")
    tapedeck("import", tmp_path / "text", tmp_path / "again.tape")
    deck.trace = tmp_path / "again.tape"
    assert (deck.sql(rows), deck.sql(bodies), deck.sql(theirs)) == kept


@feels("edit")
def test_what_no_longer_fits_is_named(faulty, raw_origin):
    body = b"<OpenRosaResponse><message>old</message></OpenRosaResponse>"
    head = (b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-MD5: x\r\nETag: \"a\"\r\nDigest: sha-256=x\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body))
    origin = raw_origin(answering(head + body))
    deck = faulty(origin.url, "=> edit xml //message new", "=> edit header X-A b sender=client")
    path = "/a/demo/phone/restore/?version=2.0"
    assert b"new" in ask(deck, path, Authorization="AWS4-HMAC-SHA256 Credential=a, Signature=b").body
    faults(deck, 2)
    deck.finish()
    assert deck.sql("SELECT detail FROM intervention ORDER BY rule DESC") == [
        ("Authorization no longer fits the message",),
        ("Content-MD5, ETag, Digest no longer fit the message; the state hash that the client makes of its "
         "cases may differ from the server's",)]
    assert "Content-MD5, ETag, Digest no longer fit" in tapedeck("show", deck.trace, "2").stdout


def answering(answer: bytes, ask_first: threading.Event | None = None,
              then: bytes = b"") -> Callable[[socket.socket], None]:
    """Serves one answer for each request, and what follows it when it is asked to."""
    def serve(accepted: socket.socket) -> None:
        while accepted.recv(65536):
            accepted.sendall(answer)
            if ask_first is not None:
                ask_first.wait(DEADLINE)
                accepted.sendall(then)
                return
    return serve


def events(deck, first: bytes, has_come: threading.Event) -> bytes:
    """All that a client gets of `/events`, of which `first` is there while the server waits for it to be."""
    with socket.create_connection(("127.0.0.1", deck.port), timeout=DEADLINE) as client:
        client.sendall(b"GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
        came = b""
        while first not in came:
            came += client.recv(65536)
        has_come.set()
        while not came.endswith(b"0\r\n\r\n"):
            came += client.recv(65536)
    return came


@feels("edit")
@pytest.mark.parametrize("kind", ["text/event-stream", "multipart/x-mixed-replace; boundary=x"])
def test_an_event_stream_is_not_held_up(faulty, raw_origin, kind):
    has_come = threading.Event()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    origin = raw_origin(answering(head + b"a\r\ndata: one\n\r\n", has_come, b"0\r\n\r\n"))
    deck = faulty(origin.url, "=> edit json /a 1", "body~one => edit header X-A b")
    came = events(deck, b"data: one", has_come)
    assert b"X-A" not in came
    faults(deck, 1)
    deck.finish()
    assert deck.sql("SELECT problem FROM intervention") == [("an event stream is not held up until its body is there",)]


@feels("edit")
@pytest.mark.parametrize("way", ["client", "server"])
def test_a_body_that_is_too_large_passes(faulty, web, way):
    deck = faulty(web.url, f"=> edit json /v 2 sender={way}")
    body = b"[" + b"1," * (1 << 19) + b"1]"
    assert ask(deck, "/x", body, Content_Type="application/json").body == body
    faults(deck, 1)
    deck.finish()
    [(problem,)] = deck.sql("SELECT problem FROM intervention")
    assert problem.startswith("the body is longer than 1 MiB")


@feels("edit")
@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_large_answer_is_edited_while_it_comes(faulty, raw_origin, is_chunked):
    # More than the 1 MiB that is held of a body.
    body = b"one two three " * 100_000
    if is_chunked:
        parts = [body[place:place + 100_001] for place in range(0, len(body), 100_001)]
        framing = b"Transfer-Encoding: chunked"
        content = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
    else:
        framing, content = b"Content-Length: %d" % len(body), body
    origin = raw_origin(answering(b"HTTP/1.1 200 OK\r\n" + framing + b"\r\n\r\n" + content))
    deck = faulty(origin.url, "=> edit replace '(t)(wo|hree)' '$2$1'", "=> edit replace 'o {1,3}h' X")
    connection = line(deck)
    for _ in range(2):
        answer = ask(connection, "/x")
        assert answer.body == body.replace(b"two", b"wot").replace(b"three", b"hreet")
        assert answer.fields["transfer-encoding"] == "chunked" and "content-length" not in answer.fields
    connection.close()
    faults(deck, 4)
    deck.finish()
    assert deck.sql("SELECT DISTINCT problem FROM intervention") == [(None,)]
    rows = "SELECT fate, response_size, response_body FROM exchange ORDER BY id"
    kept = deck.sql(rows), deck.sql(rows.replace("exchange", "server_exchange"))
    assert [row[:2] for row in kept[0] + kept[1]] == [("altered", len(body))] * 4
    assert "wot" in kept[0][0][2] and "two" in kept[1][0][2]
    tapedeck("rebuild", deck.trace)
    assert (deck.sql(rows), deck.sql(rows.replace("exchange", "server_exchange"))) == kept
    assert tapedeck("diagnose", deck.trace, "--json").stdout == ""


@feels("edit")
def test_events_are_edited_as_they_come(faulty, raw_origin):
    has_come = threading.Event()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    origin = raw_origin(answering(head + b"a\r\ndata: one\n\r\n", has_come, b"3\r\none\r\n0\r\n\r\n"))
    deck = faulty(origin.url, "=> edit replace one two")
    came = events(deck, b"data: two\n", has_come)
    assert came.count(b"two") == 2 and b"one" not in came
    faults(deck, 1)
