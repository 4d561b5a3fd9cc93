"""Proves that archives that we write are read by a program that we did not write, and that what is
exported comes back equal."""

from __future__ import annotations

import base64
import gzip
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
from origins import AnsweringServer, EchoSocket
from programs import Recording, curl, sql, tapedeck
from websockets.sync.client import connect

haralyzer = pytest.importorskip("haralyzer", reason="PyPI's haralyzer is not installed")

WORDS = ("größer\n" * 400_000).encode()
PICTURE = bytes(range(256)) * 8_000
EXCHANGES = """
    SELECT e.method, e.url, e.status, x.reason, x.outcome, CAST(e.request_body AS BLOB),
      CAST(e.response_body AS BLOB)
    FROM exchange e JOIN http_exchange x ON x.id = e.id WHERE e.method <> 'CONNECT' ORDER BY e.id
"""
FIELDS = """
    SELECT b.sender, substr(b.head, instr(b.head, x'0A')) FROM body b
    JOIN http_exchange x ON x.id = b.exchange_id
    WHERE x.method <> 'CONNECT' AND b.coding = '' ORDER BY b.id
"""
MESSAGES = """
    SELECT m.sender, m.opcode, CAST(m.payload AS BLOB), m.size,
      (m.at_ns - (SELECT min(started_ns) FROM http_exchange)) / 1000000
    FROM message m ORDER BY m.id
"""


class Site(AnsweringServer):
    """Texts, pictures, forms and cookies."""

    def answer(self, method: str, path: str, headers: Message,
               body: bytes) -> tuple[int, dict[str, str], bytes]:
        """Status, header fields and body for a request."""
        match path.partition("?")[0]:
            case "/words":
                return 200, {"Content-Type": "text/plain; charset=utf-8",
                             "Content-Encoding": "gzip"}, gzip.compress(WORDS, mtime=0)
            case "/picture":
                return 200, {"Content-Type": "image/png"}, PICTURE
            case "/moved":
                return 302, {"Location": "/words", "Set-Cookie": "a=b; Path=/; HttpOnly"}, b""
            case _:
                return 201, {"Content-Type": "application/octet-stream"}, body


@pytest.fixture
def site() -> Iterator[Site]:
    """The site."""
    started = Site()
    yield started
    started.end()


@pytest.fixture
def recorded(site: Site, record: Callable[..., Recording],
             echo_socket: Callable[..., EchoSocket], tmp_path: Path) -> Path:
    """A trace of requests with curl and a compressed WebSocket."""
    octets = tmp_path / "octets"
    octets.write_bytes(bytes(range(256)))
    proxy = record()
    for arguments in (
            ["/words"], ["/picture"], ["/moved?a=b%20c&a=d"], ["/form", "-d", "a=1&b=%C3%A9+x"],
            ["/bytes", "--data-binary", f"@{octets}"], ["/words", "--head"],
            ["/json", "-d", '{"ü": "\\n"}'],
    ):
        path, *rest = arguments
        curl("--proxy", proxy.url, "-o", "/dev/null", site.url + path, *rest)
    echo = echo_socket()
    with connect(f"ws://{echo.address}/", proxy=proxy.url, max_size=None) as socket:
        for message in ("größe", bytes(range(256)), "long " * 200_000):
            socket.send(message)
            socket.recv()
    proxy.finish()
    return proxy.trace


@pytest.fixture
def archive(recorded: Path, tmp_path: Path) -> Path:
    """The same as an archive."""
    path = tmp_path / "out.har"
    tapedeck("export", recorded, path)
    return path


def test_another_reader_finds_what_the_trace_has(recorded: Path, archive: Path) -> None:
    parser = haralyzer.HarParser(json.loads(archive.read_text()))
    assert parser.creator["name"] == "Tapedeck" and parser.version == "1.2"
    entries = parser.har_data["entries"]
    trace = sql(recorded, EXCHANGES)
    assert len(entries) == len(trace) == 8
    for raw, row in zip(entries, trace, strict=True):
        entry = haralyzer.HarEntry(raw)
        url = entry.url.replace("ws://", "http://")
        assert (entry.request.method, url, entry.status) == row[:3]
        assert entry.startTime is not None and entry.time >= 0
        assert body_of(raw["response"]["content"])[:1 << 19] == (row[6] or b"")[:1 << 19]
    assert body_of(entries[0]["response"]["content"]) == WORDS
    assert body_of(entries[1]["response"]["content"]) == PICTURE
    assert entries[2]["response"]["cookies"] == [
        {"name": "a", "value": "b", "path": "/", "httpOnly": True}]
    assert entries[2]["response"]["redirectURL"] == "/words"
    assert entries[3]["request"]["postData"]["params"] == [
        {"name": "a", "value": "1"}, {"name": "b", "value": "é x"}]
    assert body_of(entries[4]["request"]["_content"]) == bytes(range(256))
    # Programs that know HAR 1.2 alone find a character for each byte.
    assert entries[4]["request"]["postData"]["text"].encode("latin-1") == bytes(range(256))
    assert entries[0]["serverIPAddress"] == "127.0.0.1"
    messages = entries[-1]["_webSocketMessages"]
    assert [message["data"] for message in messages if message["opcode"] == 1] == [
        "größe", "größe", "long " * 200_000, "long " * 200_000]
    assert (archive.stat().st_mode & 0o777) == 0o600


def test_it_comes_back_equal(recorded: Path, archive: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.tape"
    tapedeck("import", archive, again)
    assert sql(again, EXCHANGES) == sql(recorded, EXCHANGES)
    came, went = sql(again, MESSAGES), sql(recorded, MESSAGES)
    assert [row[:-1] for row in came] == [row[:-1] for row in went]
    # The archive has seconds as a fraction, which may end just below a millisecond.
    assert all(abs(a[-1] - b[-1]) <= 1 for a, b in zip(came, went, strict=True))
    # Of a coded body the length is another, and the coding is gone.
    coded = sql(recorded, "SELECT id FROM body WHERE coding <> '' AND size > 0")
    assert len(coded) == 1
    fields = sql(again, FIELDS)
    for row in sql(recorded, FIELDS):
        assert row in fields
    says = sql(again, "SELECT detail FROM event WHERE kind = 'warning' AND detail LIKE '%gzip%'")
    assert len(says) == 1


def test_a_photo_as_characters_keeps_its_bytes(record, site, tmp_path) -> None:
    """An archive of a browser has a character for each byte of a multipart body."""
    photo = bytes(range(256)) * 20
    body = b"--B\r\nContent-Type: image/jpeg\r\n\r\n" + photo + b"\r\n--B--\r\n"
    kind = "multipart/form-data; boundary=B"
    entry = {
        "startedDateTime": "2026-01-01T00:00:00Z", "time": 1,
        "request": {
            "method": "POST", "url": "http://example.org/a/demo/receiver/", "httpVersion": "HTTP/1.1",
            "headers": [{"name": "Content-Type", "value": kind}], "bodySize": len(body),
            "postData": {"mimeType": kind, "text": body.decode("latin-1")}},
        "response": {"status": 201, "statusText": "Created", "httpVersion": "HTTP/1.1",
                     "headers": [], "content": {"size": 0, "mimeType": ""}}}
    archive = tmp_path / "photo.har"
    archive.write_text(json.dumps({"log": {"version": "1.2", "creator": {}, "entries": [entry]}}))
    trace = tmp_path / "photo.tape"
    tapedeck("import", archive, trace)
    assert sql(trace, "SELECT CAST(request_body AS BLOB) FROM exchange") == [(body,)]
    again = tmp_path / "again.har"
    tapedeck("export", trace, again)
    request = json.loads(again.read_text())["log"]["entries"][0]["request"]
    assert request["postData"]["text"].encode("latin-1") == body
    assert base64.b64decode(request["_content"]["text"]) == body


def test_numbers_far_apart(record, site, tmp_path) -> None:
    """A trace from elsewhere may have any numbers; what lies between them is not looked at."""
    proxy = record("--to", site.url)
    for path in ("/one", "/two", "/three"):
        curl("-o", "/dev/null", f"{proxy.url}{path}")
    proxy.finish()
    archives = [tmp_path / "near.har", tmp_path / "far.har"]
    tapedeck("export", proxy.trace, archives[0])
    with closing(sqlite3.connect(proxy.trace)) as writer, writer:
        writer.execute("UPDATE any_exchange SET id = id << 32")
        writer.execute("UPDATE http_body SET id = (exchange_id << 33) + sender, exchange_id = exchange_id << 32")
    tapedeck("export", proxy.trace, archives[1])
    near, far = (json.loads(archive.read_text())["log"]["entries"] for archive in archives)
    assert near == far and len(far) == 3


def test_a_damaged_archive_is_refused(archive: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.har"
    cut.write_bytes(archive.read_bytes()[:1_000])
    trace = tmp_path / "cut.tape"
    done = tapedeck("import", cut, trace, status=65)
    assert "byte 1000" in done.stderr, done.stderr
    assert not trace.exists()
    tapedeck("export", tmp_path / "none.tape", tmp_path / "none.har", status=66)
    assert not (tmp_path / "none.har").exists()


def body_of(content: dict[str, Any]) -> bytes:
    """The bytes of a body in an archive."""
    text = content.get("text", "")
    return base64.b64decode(text) if content.get("encoding") == "base64" else text.encode()
