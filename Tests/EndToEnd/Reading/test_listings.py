"""Proves: listings fit the terminal, have the wall clock, tables and statistics, and say what to do."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import pty
import re
import sqlite3
import struct
import subprocess
import termios
import time
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pytest
from programs import TAPEDECK, Program, Recording, curl, environment, eventually, tapedeck
from websockets.sync.client import connect

ROOT = Path(__file__).resolve().parents[3]
PLURALS = re.compile(
    r"\b1 (exchanges|messages|commands|connections|findings|errors|warnings|infos|faults|gaps|cases"
    r"|scenarios|forms|requests|WebSockets|sessions|rows|lines|chunks|bytes|entries|ledgers|fixtures)\b")


@pytest.fixture(scope="module")
def talk(tmp_path_factory, ca_dir: Path, origin) -> Path:
    """A trace of two sessions: some exchanges, one of them under a fault, with a long URL."""
    trace = tmp_path_factory.mktemp("listings") / "talk.tape"
    for session in range(2):
        proxy = Recording(trace, ca_dir, "--to", origin.url, "--fault",
                          "path:/busy => 503 name=busy retry-after=7")
        try:
            curl(f"{proxy.url}/hello")
            curl(f"{proxy.url}/busy", f"{proxy.url}/長い/{'long/' * 40}?q={session}")
            curl("-A", "Visitor/1", f"{proxy.url}/hello")
            proxy.finish()
        finally:
            proxy.kill()
    return trace


@pytest.fixture
def socket_trace(record, echo_socket) -> Path:
    """A trace of a WebSocket that carries no Simperium."""
    echo = echo_socket(compression=None)
    proxy = record("--to", echo.url)
    with connect(f"ws://{proxy.address}/chat", proxy=None, compression=None) as socket:
        for text in ("hello world", "second\nline"):
            socket.send(text)
            assert socket.recv(30) == text
        socket.send(b"\x00\x01\x02")
        socket.recv(30)
        eventually(lambda: any("hello world" in line for line in proxy.output), "a live line")
    proxy.finish()
    return proxy.trace


def columns(line: str) -> int:
    """Columns of a line on a terminal."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in line)


@pytest.mark.parametrize("width", [40, 80, 100, 132])
def test_lines_fit(talk, width) -> None:
    """No line on a terminal is wider than COLUMNS, and what is said about a row stays."""
    said = on_terminal("ls", talk, COLUMNS=str(width), PAGER="cat", NO_COLOR="1")
    lines = said.split("\r\n")
    assert max(map(columns, lines)) <= width, lines
    assert sum("fault busy" in line for line in lines) == (2 if width >= 80 else 0)
    assert sum("Retry-After 7" in line for line in lines) == (2 if width >= 100 else 0)
    whole = tapedeck("ls", talk, env=environment(COLUMNS=str(width))).stdout
    assert "long/" * 40 in whole


def test_time(talk) -> None:
    """Times are those of the session, the clock or the line before, and sessions are marked."""
    relative = tapedeck("ls", talk).stdout.splitlines()
    marks = [line for line in relative if line.startswith("──")]
    assert [mark.split(",")[0] for mark in marks] == ["── session 1", "── session 2"]
    zone = environment(TZ="Asia/Tokyo")
    clock = tapedeck("ls", talk, "--time", "clock", env=zone).stdout.splitlines()
    assert clock[0].endswith("+09:00")
    row = json.loads(tapedeck("ls", talk, "--json", "--limit", "1").stdout)
    moment = datetime.fromisoformat(row["time"])
    assert abs(moment.timestamp() - time.time()) < 3600 and row["time"].endswith("Z")
    hour = (moment.astimezone(UTC).hour + 9) % 24
    assert re.match(rf"#1 +{hour:02}:{moment:%M:%S}\.\d\d\d ", clock[1]), clock[1]
    deltas = tapedeck("ls", talk, "--time", "delta").stdout.splitlines()
    assert re.match(r"#2 +\+\d+\.\d\d\d ", deltas[2])


def test_at_takes_the_wall_clock(talk) -> None:
    """A filter picks rows by day, time of day and moment, as SQL with the same times does."""
    rows = [json.loads(line) for line in tapedeck("ls", talk, "--json").stdout.splitlines()]
    second = rows[4]
    found = tapedeck("ls", talk, f"at>={second['time']}", "--json").stdout.splitlines()
    assert [json.loads(line)["id"] for line in found] == [row["id"] for row in rows[4:]]
    utc = environment(TZ="UTC")
    day = second["time"][:10]
    assert len(tapedeck("ls", talk, f"at:{day}..", "--json", env=utc).stdout.splitlines()) == 8
    assert not tapedeck("ls", talk, "at:2001-01-01", "--json", env=utc).stdout
    clock = second["time"][11:19]
    hit = tapedeck("ls", talk, f"at:{clock}", "--json", env=utc).stdout
    assert f'"id":{second["id"]},' in hit
    assert "write a time since the start" in tapedeck(
        "faults", "check", "at:14:03 => 503", status=64).stderr


def test_tables(talk) -> None:
    """Columns, order, groups and statistics, as text, CSV and JSON."""
    table = on_terminal("ls", talk, "--columns", "id,status,path,duration", "--sort", "status:desc",
                        "--limit", "3", COLUMNS="60", PAGER="cat", NO_COLOR="1").split("\r\n")[:-1]
    assert table[0].split() == ["id", "status", "path", "duration"]
    assert [line.split()[1] for line in table[1:]] == ["503", "503", "200"]
    assert max(map(columns, table)) <= 60
    groups = [json.loads(line) for line in tapedeck(
        "ls", talk, "--group-by", "host,status", "--json").stdout.splitlines()]
    counts = {row["status"]: (row["count"], row["errors"]) for row in groups}
    assert counts[503] == (2, 2) and sum(count for count, _ in counts.values()) == 8
    stats = list(csv.DictReader(io.StringIO(
        tapedeck("ls", talk, "status:503", "--stats", "--csv").stdout)))
    assert len(stats) == 1 and stats[0]["count"] == stats[0]["errors"] == "2"
    assert int(stats[0]["p50_ns"]) <= int(stats[0]["p99_ns"]) <= int(stats[0]["max_ns"])
    rows = list(csv.DictReader(io.StringIO(tapedeck("ls", talk, "--csv").stdout)))
    assert len(rows) == 8 and all(row["time"].endswith("Z") for row in rows)
    lines = tapedeck("ls", talk, "--sort", "duration:desc", "--limit", "2").stdout.splitlines()
    assert sum(line.startswith("#") for line in lines) == 2
    assert "did you mean path" in tapedeck("ls", talk, "--columns", "pth", status=64).stderr
    assert "did you mean count" in tapedeck(
        "ls", talk, "--stats", "--sort", "cuont", status=64).stderr


def test_messages_of_a_socket(socket_trace) -> None:
    """Messages without commands are rows: in ls, found by text, on the page, with sizes."""
    rows = [json.loads(line) for line in tapedeck("ls", socket_trace, "--json").stdout.splitlines()]
    messages = [row for row in rows if row["kind"] == "message"]
    assert [row["payload"] for row in messages if row["opcode"] == 1] == [
        "hello world", "hello world", "second\nline", "second\nline"]
    assert len(tapedeck("ls", socket_trace, "text:hello").stdout.splitlines()) == 2
    assert len(tapedeck("ls", socket_trace, "kind:message").stdout.splitlines()) == len(messages)
    page = tapedeck("show", socket_trace, "1").stdout
    assert "── 8 messages, " in page and "→ text     11 B  hello world" in page, page
    socket = tapedeck("ls", socket_trace, "status:101").stdout
    assert re.search(r"27 B → +27 B", socket), socket
    tail = Program(TAPEDECK, "tail", "--all", socket_trace)
    try:
        tail.await_line("second⏎line")
    finally:
        tail.kill()


def test_live_lines_name_faults(record, origin) -> None:
    """A line of `record` says which rule touched it, as `tail` does."""
    proxy = record("--to", origin.url, "--fault", "path:/busy => 503 name=busy")
    curl(f"{proxy.url}/busy")
    eventually(lambda: any("fault busy" in line for line in proxy.output), "the name of the rule")
    proxy.finish()


def test_hints(talk, tmp_path: Path) -> None:
    """What looks like another tool's filter, or is no trace, gets an answer that helps."""
    assert "write 'method:GET and url~hello'" in tapedeck("ls", talk, "~m GET & ~u hello", status=64).stderr
    assert len(tapedeck("ls", talk, "status:503 & path:/busy", "--json").stdout.splitlines()) == 2
    done = tapedeck("ls", talk, "method=GET and url contains hello")
    assert not done.stdout and "'url', 'contains' and 'hello' were searched for as words" in done.stderr
    done = tapedeck("ls", talk, "-status:200", status=64)
    assert "not status:200" in done.stderr and "'-status" in done.stderr
    archive = tmp_path / "x.har"
    archive.write_text('{"log": {"version": "1.2", "entries": []}}' + " " * 600)
    assert f"tapedeck import {archive}" in tapedeck("ls", archive, status=65).stderr
    assert "is a directory" in tapedeck("ls", tmp_path, status=66).stderr


def on_terminal(*arguments: str | Path, **variables: str) -> str:
    """What a command writes to a terminal of 80 columns."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    done = subprocess.Popen([TAPEDECK, *arguments], stdin=child, stdout=child, stderr=child,
                            env={name: value for name, value in environment().items()
                                 if name not in ("NO_COLOR", "PAGER", "TERM", "LESS")} | variables)
    os.close(child)
    written = b""
    try:
        while True:
            part = os.read(parent, 65536)
            if not part:
                break
            written += part
    except OSError:
        pass
    done.wait()
    os.close(parent)
    return written.decode()


def test_terminal(talk, tmp_path: Path) -> None:
    """A terminal has its width and colours, and a pager gets both."""
    plain = on_terminal("ls", talk, TERM="xterm", PAGER="cat")
    assert "\x1b[31m503" in plain
    stripped = re.sub(r"\x1b\[\d+m", "", plain)
    assert max(map(columns, stripped.split("\r\n"))) <= 80
    assert "\x1b" not in on_terminal("ls", talk, TERM="dumb")
    assert "\x1b" not in on_terminal("ls", talk, TERM="xterm", NO_COLOR="1", PAGER="cat")
    file = tmp_path / "paged"
    on_terminal("ls", talk, TERM="xterm", PAGER="false", TAPEDECK_PAGER=f"cat > {file}")
    assert file.read_text() == plain.replace("\r\n", "\n")
    file.unlink()
    on_terminal("ls", talk, "--no-pager", TERM="xterm", TAPEDECK_PAGER=f"cat > {file}")
    assert not file.exists()


def test_questions_of_the_format(talk) -> None:
    """The example queries of TraceFormat.md run, and those about this traffic have answers."""
    page = (ROOT / "Sources/Trace/TraceFormat.md").read_text()
    queries = re.findall(r"^([^\n]+\?)\n\n```sql\n(.+?)```", page, re.M | re.S)
    assert len(queries) >= 10
    database = sqlite3.connect(f"file:{talk}?mode=ro", uri=True)
    answers = {question: database.execute(sql).fetchall() for question, sql in queries}
    database.close()
    assert ("Visitor/1", 2) in answers["Which programs are the clients?"]
    assert len(answers["Which requests took longest?"]) == 8
    assert answers["Which paths fail, with which status?"]
    assert len(answers["What happened around a line of another log?"]) == 8


def test_one_is_singular(talk, socket_trace, tmp_path: Path) -> None:
    """No output says "1 exchanges"."""
    said = ""
    for trace in (talk, socket_trace):
        for command in (["ls"], ["show", "1"], ["show", "k1"], ["show", "2"], ["state"],
                        ["faults", "report"], ["ls", "--stats"]):
            done = tapedeck(command[0], *command[1:2] if command[0] == "faults" else [], trace,
                            *command[2:] if command[0] == "faults" else command[1:], status=None)
            said += done.stdout + done.stderr
        done = tapedeck("diagnose", trace, status=None)
        said += done.stdout + done.stderr
    assert PLURALS.findall(said) == [], said
