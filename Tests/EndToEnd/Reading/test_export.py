"""Proves that other programs read what `tapedeck export` writes: tshark the packets, the shell and
curl the script, Python the tables, and that what an export cannot be is refused."""

from __future__ import annotations

import csv
import json
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest
from captures import TSHARK
from programs import curl, environment, sql, tapedeck
from test_websockets import TEXTS, talk

needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
ODD = bytes(range(256)) + b"'\"$`\\ %d\n"


@pytest.fixture
def session(record, origin, tls_origin, echo_socket, trust, certificates, tmp_path) -> Path:
    """The trace of a proxy with plain and encrypted HTTP, bodies of bytes, and two WebSockets."""
    origin.seen.clear()
    tls_origin.seen.clear()
    body = tmp_path / "body"
    body.write_bytes(ODD * 300)
    plain, tls = echo_socket("deflate"), echo_socket("deflate", certificates.context())
    proxy = record("--server-ca", certificates.authority)
    through = ("-x", proxy.url, "--cacert", trust)
    curl(*through, f"{origin.url}/hello?a=b", f"{origin.url}/status/404")
    curl(*through, "-g", "-X", "PUT", "-H", "X-Odd: it's $5 `here`", "-H", "X-Empty;", "-H",
         "Content-Type: a/b", "--data-binary", f"@{body}", f"{origin.url}/put?a=[1]")
    curl(*through, "-A", "", "-H", "Accept:", "-d", "@not a file", f"{origin.url}/post")
    curl(*through, "-H", "Accept-Encoding: gzip", f"{origin.url}/coded/gzip")
    curl(*through, f"{tls_origin.url}/secret", f"{tls_origin.url}/again")
    talk(f"ws://{plain.address}/plain", proxy=proxy.url)
    talk(f"wss://{tls.address}/encrypted", proxy=proxy.url,
         ssl=ssl.create_default_context(cafile=trust))
    proxy.finish()
    return proxy.trace


def fields(file: Path, condition: str, *names: str) -> list[list[str]]:
    """What tshark says about the packets for which `condition` holds."""
    words = [word for name in names for word in ("-e", name)]
    done = subprocess.run(
        [*TSHARK, "-r", file, "-Y", condition, "-T", "fields", "-E", "separator=/t",
         "-E", "aggregator=\x1f", *words],
        check=True, capture_output=True, text=True, env=environment())
    return [line.split("\t") for line in done.stdout.splitlines()]


@needs_tshark
def test_tshark_sees_the_exchanges(session: Path, tmp_path: Path) -> None:
    """Every method, target and status, in order on its connection, on whatever port it was."""
    file = tmp_path / "session.pcapng"
    tapedeck("export", session, file)
    requests = [(row[1], row[2]) for row in fields(
        file, "http.request", "tcp.stream", "http.request.method", "http.request.uri")]
    kept = sql(session, "SELECT method, CASE method WHEN 'CONNECT' THEN host || ':' || port ELSE "
                        "path || coalesce('?' || query, '') END FROM http_exchange ORDER BY id")
    assert requests == kept
    statuses = [int(row[0]) for row in fields(file, "http.response", "http.response.code")]
    assert statuses == [row[0] for row in sql(session, "SELECT status FROM exchange ORDER BY id")]
    # One connection for each of the trace, and one for each tunnel that was asked for.
    streams = {row[0] for row in fields(file, "tcp", "tcp.stream")}
    assert len(streams) == sql(session, "SELECT count(*) FROM connection")[0][0] + sql(
        session, "SELECT count(*) FROM exchange WHERE method = 'CONNECT'")[0][0]


@needs_tshark
def test_tshark_sees_the_bodies(session: Path, tmp_path: Path) -> None:
    """The bodies that tshark puts together are those of the trace, byte for byte."""
    file = tmp_path / "session.pcapng"
    tapedeck("export", session, file)
    subprocess.run([*TSHARK, "-r", file, "-q", "--export-objects", f"http,{tmp_path}/objects"],
                   check=True, capture_output=True, env=environment())
    seen = sorted(path.read_bytes() for path in (tmp_path / "objects").iterdir())
    kept = sql(session, "SELECT CAST(content AS BLOB) FROM body WHERE size > 0")
    assert seen == sorted(bytes(row[0]) for row in kept)
    assert ODD * 300 in seen


@needs_tshark
def test_tshark_sees_the_messages(session: Path, tmp_path: Path) -> None:
    """tshark unmasks and inflates every WebSocket message to what the trace has."""
    file = tmp_path / "session.pcapng"
    tapedeck("export", session, file)
    seen = [text for row in fields(file, "websocket.payload.text", "websocket.payload.text")
            for text in row[0].split("\x1f")]
    kept = [row[0] for row in sql(
        session, "SELECT payload FROM message WHERE opcode = 1 AND frames = 1 ORDER BY id")]
    assert len(kept) == 4 * len(TEXTS) + 2
    # tshark does not put fragments together, and takes each for a message.
    assert [text for text in seen if text in kept] == kept
    opcodes = [int(code) for row in fields(file, "websocket", "websocket.opcode")
               for code in row[0].split("\x1f")]
    assert opcodes == [row[0] for row in sql(
        session, "SELECT f.opcode FROM frame f ORDER BY f.chunk_id, f.\"offset\"")]


@needs_tshark
def test_tshark_finds_nothing_wrong(session: Path, tmp_path: Path) -> None:
    """No segment is lost, repeated or out of order, and every checksum is right."""
    file = tmp_path / "session.pcapng"
    tapedeck("export", session, file)
    done = subprocess.run(
        [*TSHARK, "-r", file, "-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-Y",
         "tcp.analysis.flags || tcp.checksum.status == 0 || ip.checksum.status == 0 "
         "|| _ws.malformed"],
        check=True, capture_output=True, text=True, env=environment())
    assert done.stdout == ""


@needs_tshark
def test_only_connections_that_fit_the_filter(session: Path, tmp_path: Path) -> None:
    file = tmp_path / "some.pcapng"
    tapedeck("export", session, file, "status:404")
    assert [row[0] for row in fields(file, "http.request", "http.request.uri")] == [
        "/hello?a=b", "/status/404"]


def test_packets_come_back(session: Path, tmp_path: Path) -> None:
    """An import of the packets gives the same exchanges, frames and messages."""
    file, again = tmp_path / "session.pcapng", tmp_path / "again.tape"
    tapedeck("export", session, file)
    tapedeck("import", file, again)
    for query in (
            "SELECT method, path, query, status, reason, outcome FROM http_exchange",
            "SELECT sender, CAST(head AS BLOB), CAST(content AS BLOB), wire_size FROM body",
            "SELECT sender, opcode, fin, rsv, mask, header_size, payload_size FROM frame",
            "SELECT sender, opcode, CAST(payload AS BLOB), compressed, frames FROM message"):
        assert sorted(map(repr, sql(again, query))) == sorted(map(repr, sql(session, query)))
    assert sql(again, "SELECT count(*) FROM gap") == [(0,)]


def test_curl_script_repeats_the_requests(session: Path, origin, tls_origin, tmp_path: Path) -> None:
    """Run by sh, it sends each request as it came: method, target, fields and body."""
    script = tmp_path / "session.sh"
    tapedeck("export", session, script)
    text = script.read_text()
    assert text.startswith("#!/bin/sh\n")
    assert text.count("# A WebSocket") == 2
    # What was sent to a proxy came to the servers without the fields that are meant for it.
    first = [*origin.seen, *tls_origin.seen]
    origin.seen.clear()
    tls_origin.seen.clear()
    done = subprocess.run(["sh", script, "--insecure"], check=False, capture_output=True,
                          env=environment())
    assert done.returncode == 0, done.stderr
    second = [*origin.seen, *tls_origin.seen]

    def told(seen: list[tuple]) -> list[tuple]:
        return [(method, path, sorted(fields.items()), body)
                for method, path, fields, body in seen]

    assert told(second) == told(first)


@pytest.mark.parametrize("rows", ["lines", "exchanges", "messages", "commands", "changes"])
def test_tables_are_read_by_python(session: Path, tmp_path: Path, rows: str) -> None:
    """CSV and JSON lines hold the same rows."""
    table, lines = tmp_path / "a.csv", tmp_path / "a.jsonl"
    for file in (table, lines):
        tapedeck("export", session, file, "--rows", rows, "--bodies", "--raw-cells")
    with table.open(newline="", encoding="utf-8") as file:
        read = list(csv.DictReader(file))
    objects = [json.loads(line) for line in lines.read_text().splitlines()]
    assert len(read) == len(objects)
    for row, thing in zip(read, objects, strict=True):
        for name, value in thing.items():
            if isinstance(value, dict):
                value = "base64:" + value["base64"]
            # The module reads a line end within a cell as it is.
            assert row[name] == ("" if value is None else str(value)), name


def test_json_lines_are_those_of_ls(session: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    tapedeck("export", session, file)
    assert file.read_text() == tapedeck("ls", session, "--json").stdout
    assert tapedeck("export", session, "-", "--format", "jsonl", "status:404").stdout == (
        tapedeck("ls", session, "--json", "status:404").stdout)


def test_formulas_are_no_formulas(record, origin, tmp_path: Path) -> None:
    """What a peer put into a cell is not run by a spreadsheet."""
    proxy = record("--to", origin.url)
    curl(f"{proxy.url}/a?=1+1")
    proxy.finish()
    file = tmp_path / "a.csv"
    tapedeck("export", proxy.trace, file, "--rows", "exchanges")
    with file.open(newline="", encoding="utf-8") as read:
        assert [row["query"] for row in csv.DictReader(read)] == ["'=1+1"]


def test_text_by_its_name(session: Path, tmp_path: Path) -> None:
    """A folder is the text recording, and an import gives the trace back."""
    tapedeck("export", session, tmp_path / "folder")
    tapedeck("import", tmp_path / "folder", tmp_path / "again.tape")
    for query in ("SELECT * FROM chunk", "SELECT * FROM patch", "SELECT * FROM delivery",
                  "SELECT * FROM exchange", "SELECT * FROM server_exchange",
                  "SELECT * FROM any_message"):
        assert sql(tmp_path / "again.tape", query) == sql(session, query)


def test_what_cannot_be(session: Path, tmp_path: Path) -> None:
    """An ending that tells nothing, a file that is there, a trace that is none."""
    assert "--format" in tapedeck("export", session, tmp_path / "a.xyz", status=64).stderr
    there = tmp_path / "there.csv"
    there.write_text("mine")
    assert "already" in tapedeck("export", session, there, status=66).stderr
    assert there.read_text() == "mine"
    none = tmp_path / "none.tape"
    none.write_text("no trace")
    tapedeck("export", none, tmp_path / "b.pcapng", status=65)
    assert not (tmp_path / "b.pcapng").exists()
