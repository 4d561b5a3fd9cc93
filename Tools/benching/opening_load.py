"""How long a large trace takes to open for replay, and how much memory that needs."""

from __future__ import annotations

import re
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from programs import Tapedeck

BOUND_SECONDS, BOUND_BYTES = 2.0, 200e6
REQUEST = (b"POST /a/demo-%d/receiver/%d HTTP/1.1\r\nHost: hq.example\r\nContent-Type: text/xml\r\n"
           b"X-OpenRosa-Version: 3.0\r\nContent-Length: %d\r\n\r\n")
RESPONSE = b"HTTP/1.1 201 Created\r\nContent-Type: text/xml\r\nContent-Length: %d\r\n\r\n"
UPGRADE = b"GET /sock/1/bench/websocket HTTP/1.1\r\nHost: api.simperium.com\r\nUpgrade: websocket\r\n\r\n"
SWITCH = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"


def insert(database: sqlite3.Connection, table: str, rows: Iterator[tuple]) -> None:
    """Puts rows into a table, many at a time."""
    page: list[tuple] = []
    for row in rows:
        page.append(row)
        if len(page) == 20_000:
            database.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", page)
            page.clear()
    if page:
        marks = ",".join("?" * len(page[0]))
        database.executemany(f"INSERT INTO {table} VALUES ({marks})", page)


def exchange_rows(count: int, content: int, paths: int) -> Iterator[tuple[str, tuple]]:
    """Rows of `count` exchanges with `content` bytes on each side, at `paths` paths."""
    body = (b"<data><name>some words</name></data>" * (content // 36 + 1))[:content]
    response = RESPONSE % content
    for number in range(1, count + 1):
        at = number * 1_000_000
        place = number % paths
        request = REQUEST % (place % 7, place, content)
        sent, answered = 2 * number, 2 * number + 1
        yield "chunk", (sent, 1, 1, 0, 0, at, request + body)
        yield "chunk", (answered, 1, 2, 1, 0, at + 400_000, response + body)
        yield "http_exchange", (
            number, 1, 1, 2, "commcare.submit", "POST", "http", "hq.example", 80,
            f"/a/demo-{place % 7}/receiver/{place}", f"n={number}", "HTTP/1.1", 201, "Created", at,
            at, at + 400_000, at + 400_000, content, content, "complete", None, None, None, 0, sent,
            0, answered, 0, None)
        for sender, chunk, head in ((0, sent, request), (1, answered, response)):
            yield "http_body", (
                2 * number + sender, number, sender, chunk, 0, len(head), None, None, len(head),
                None, 1, content, content, "", "text/xml", None)


def command_rows(count: int, sockets: int, resent: int = 0) -> Iterator[tuple[str, tuple]]:
    """Rows of `count` commands over several sockets: changes, each with its acknowledgement, and
    after `resent` of them, if any, one that was sent before."""
    for socket in range(1, sockets + 1):
        yield "chunk", (2 * socket, socket, 1, 0, 0, socket, UPGRADE)
        yield "chunk", (2 * socket + 1, socket, 2, 1, 0, socket, SWITCH)
        yield "http_exchange", (
            socket, 1, socket, 2, "simperium.socket", "GET", "http", "api.simperium.com", 80,
            "/sock/1/bench/websocket", None, "HTTP/1.1", 101, "", socket, socket, socket, socket, 0,
            0, "complete", None, None, None, 0, 2 * socket, 0, 2 * socket + 1, 0, None)
    first = 2 * sockets + 2
    for number in range(1, count + 1):
        socket = number // 2 % sockets + 1
        sender = (number + 1) % 2
        change = (number + 1) // 2
        ccid = f"{change - 50 if resent and change % resent == 0 else change:032x}"
        key = f"note-{number // 2 % 5000}"
        text = (f'0:c:{{"clientid":"bench-{socket}","id":"{key}","o":"M","v":{{"title":'
                f'{{"o":"d","v":"=12\\t-1\\t+x"}}}},"sv":{number},"ccid":"{ccid}"}}')
        if sender:
            text = f'0:c:[{{"clientid":"bench-{socket}","cv":"{number:024x}","ccids":["{ccid}"],' \
                   f'"id":"{key}","o":"M","sv":{number},"ev":{number + 1}}}]'
        at = number * 100_000
        chunk = first + number
        size = len(text)
        head = 4 if sender else 8
        yield "chunk", (chunk, socket, 1 + sender, sender, 0, at, b"\x81\x7e" + bytes(head - 2)
                        + text.encode())
        yield "message", (number, 1, socket, socket, sender, at, at, 1, text, size, size, 0, 1, None,
                          None, chunk, 0)
        yield "frame", (16777216 * number, number, socket, sender, at, 0, 1, 0, 1,
                        None if sender else 0, head, size, chunk, 0)
        yield "simperium_command", (
            number, 1, number, socket, 0, sender, at, 0, "c", "notes", "bench", None, 4, size - 4,
            key, None, None, None)
        yield "change", (16777216 * number, number, 0, "notes", key, "M", number, None, None, ccid,
                         f"bench-{socket}", None, 4, size - 4)


def fill(program: Path, work: Path, trace: Path, rows: Iterator[tuple[str, tuple]]) -> None:
    """Makes a trace out of rows, which `tapedeck` would write by the hour."""
    Tapedeck(program, work, trace).stop()
    database = sqlite3.connect(trace)
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("PRAGMA synchronous = OFF")
    waiting: dict[str, list[tuple]] = {}
    for table, row in rows:
        page = waiting.setdefault(table, [])
        page.append(row)
        if len(page) == 5_000:
            insert(database, table, iter(page))
            page.clear()
    for table, page in waiting.items():
        insert(database, table, iter(page))
    database.commit()
    database.close()


def opened(program: Path, trace: Path) -> tuple[float, int]:
    """Seconds until a replayed server of `trace` listens, and its peak of memory in bytes then."""
    began = time.monotonic()
    process = subprocess.Popen(
        [program, "replay", "server", trace, "--listen", "127.0.0.1:0", "--allow-unused"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True)
    try:
        line = process.stdout.readline()
        seconds = time.monotonic() - began
        if not line.startswith("listening on "):
            raise RuntimeError(f"replay server says {line!r}")
        status = Path(f"/proc/{process.pid}/status").read_text()
        return seconds, int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds rows for traces of 2 GB: of many exchanges, of large ones, and of commands."""
    share = 20 if quick else 1
    work = folder / "opening"
    work.mkdir()
    kinds = [
        ("small exchanges at 1,000 paths", exchange_rows(1_300_000 // share, 480, 1_000)),
        ("small exchanges at as many paths", exchange_rows(1_300_000 // share, 480, 10_000_000)),
        ("exchanges of 1 MB", exchange_rows(1_000 // share, 1_000_000, 100)),
        ("Simperium commands", command_rows(2_200_000 // share, 500)),
        ("Simperium commands, 1,100 sent again", command_rows(2_200_000 // share, 500, 1_000)),
    ]
    for number, (name, rows) in enumerate(kinds):
        trace = work / f"{number}.tape"
        fill(program, work, trace, rows)
        measured = [opened(program, trace) for _ in range(3)]
        seconds, peak = min(each[0] for each in measured), max(each[1] for each in measured)
        size = trace.stat().st_size
        table.add(f"opening {name}", f"{seconds:.2f} s, {peak / 1e6:.0f} MB for {size / 1e9:.2f} GB",
                  f"< {BOUND_SECONDS:.0f} s, < {BOUND_BYTES / 1e6:.0f} MB",
                  seconds < BOUND_SECONDS and peak < BOUND_BYTES)
        trace.unlink()
