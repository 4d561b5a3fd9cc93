"""The inspector on a large trace: how soon rows are there, what a filter takes, its memory, and what watching costs a recording.

Asked over its API as the page asks it, and by the page itself in Chromium.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import re
import socket
import statistics
import subprocess
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import inspector_page
from http_load import Subject, run_wrk, running_origin
from listing_load import record_commands, record_exchanges, scalar
from programs import Tapedeck, ratios, stop

FIRST_ROWS_SECONDS, FILTER_SECONDS, MEMORY_BYTES, SPEED = 1.0, 0.2, 200e6, 0.9
# What indexes answer, or what many rows have.
FILTERS = ("status:503", "method:POST", "host:127.0.0.2", "bucket:rare", "command:c", "command:cv", "error:409",
           "sender:server", "at:0s..2s", "api:http", "key:note-1", "kind:command", "status>=400", "")


class Asked:
    """A running inspector, asked one request after the other on a kept connection."""

    def __init__(self, program: Path, trace: Path) -> None:
        self.process = subprocess.Popen([program, "inspect", trace], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.url = line.split()[-1]
        self._connect(line)

    def _connect(self, line: str) -> None:
        found = re.search(r"inspector at http://(\S+):(\d+)/\?token=(\w+)", line)
        self.host, self.port, self.token = found[1], int(found[2]), found[3]
        self.line = http.client.HTTPConnection(self.host, self.port, timeout=300)

    def ask(self, path: str, method: str = "GET", body: dict | None = None) -> dict:
        """The JSON of an answer."""
        self.line.request(method, path, json.dumps(body) if body is not None else None,
                          {"Authorization": f"Bearer {self.token}"})
        answer = self.line.getresponse()
        text = answer.read()
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path} answers {answer.status}: {text[:200]!r}")
        return json.loads(text) if text else {}

    def first_rows(self, question: str) -> tuple[float, dict]:
        """Seconds until the first page of a filter is there, and its listing."""
        began = time.monotonic()
        listing = self.ask("/v1/traces/1/listings", "POST", {"filter": question})
        path = f"/v1/traces/1/listings/{listing['id']}"
        while True:
            page = self.ask(f"{path}/rows?count=100")
            known = self.ask(path)
            if len(page["rows"]) >= min(100, known["count"]) and (known["count"] >= 100 or known["is_complete"]):
                took = time.monotonic() - began
                self.ask(path, "DELETE")
                return took, known
            time.sleep(0.001)

    def peak(self) -> int:
        """The largest resident size so far, in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024

    def close(self) -> None:
        """Ends it."""
        self.line.close()
        stop(self.process)
        self.process.stdout.close()


class Watcher(threading.Thread):
    """A page that looks at all rows of a recording and fetches what is new, as long as it may."""

    def __init__(self, line: str) -> None:
        super().__init__(daemon=True)
        self.over = threading.Event()
        self.line = line
        self.seen = 0

    def run(self) -> None:
        asked = Asked.__new__(Asked)
        asked._connect(self.line)
        listing = asked.ask("/v1/traces/1/listings", "POST", {})["id"]
        news = socket.create_connection((asked.host, asked.port))
        key = base64.b64encode(os.urandom(16)).decode()
        news.sendall((f"GET /v1/live HTTP/1.1\r\nHost: {asked.host}:{asked.port}\r\nUpgrade: websocket\r\n"
                      f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
                      f"Authorization: Bearer {asked.token}\r\n\r\n").encode())
        text = json.dumps({"subscribe": {"trace": 1, "listing": listing, "cursor": 0}}).encode()
        news.sendall(bytes([0x81, 0x80 | len(text)]) + bytes(4) + text)
        news.settimeout(0.2)
        while not self.over.is_set():
            try:
                if not news.recv(1 << 16):
                    break
            except TimeoutError:
                continue
            count = asked.ask(f"/v1/traces/1/listings/{listing}")["count"]
            # A page at the end of the list shows the last rows.
            rows = asked.ask(f"/v1/traces/1/listings/{listing}/rows?from={max(0, count - 60)}&count=60")["rows"]
            self.seen = max(self.seen, count - 60 + len(rows))
        news.close()
        asked.line.close()


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows."""
    work = folder / "inspector"
    work.mkdir()
    trace = work / "inspected.tape"
    record_exchanges(program, work, trace, 50_000 if quick else 1_000_000)
    record_commands(program, work, trace, 20_000 if quick else 500_000)
    exchanges = scalar(trace, "SELECT count(*) FROM http_exchange")
    commands = scalar(trace, "SELECT count(*) FROM simperium_command")
    table.add("inspector trace", f"{exchanges:,} exchanges, {commands:,} commands, {trace.stat().st_size / 1e9:.2f} GB")
    asked = Asked(program, trace)
    try:
        first, _ = asked.first_rows("")
        table.add("inspector, first rows after the start", f"{1e3 * first:.0f} ms", f"<= {1e3 * FIRST_ROWS_SECONDS:.0f} ms",
                  first <= FIRST_ROWS_SECONDS)
        took = sorted(asked.first_rows(question)[0] for _ in range(3) for question in FILTERS)
        tail = took[int(0.95 * len(took))]
        table.add("inspector, first rows of a filter", f"p50 {1e3 * statistics.median(took):.0f} ms, p95 {1e3 * tail:.0f} ms, "
                  f"at most {1e3 * took[-1]:.0f} ms", f"p95 <= {1e3 * FILTER_SECONDS:.0f} ms", tail <= FILTER_SECONDS)
        for what in ("first", "again"):
            began = time.monotonic()
            asked.ask("/v1/traces/1/timeline?width=1200")
            table.add(f"inspector, timeline of all, {what}", f"{time.monotonic() - began:.2f} s")
        inspector_page.measure_page(table, asked.url, FILTERS, quick)
        table.add("inspector, peak memory of the program", f"{asked.peak() / 1e6:.0f} MB", f"<= {MEMORY_BYTES / 1e6:.0f} MB",
                  asked.peak() <= MEMORY_BYTES)
    finally:
        asked.close()
    watched(table, program, work, *(3, 2) if quick else (7, 4))
    live(table, program, work, 20 if quick else 600)


def watched(table, program: Path, work: Path, rounds: int, seconds: int) -> None:
    """What a page that watches costs a recording."""
    with ExitStack() as cleanup:
        origin = cleanup.enter_context(running_origin(work))
        ways: dict[str, tuple[Tapedeck, Subject]] = {}
        for way in ("alone", "watched"):
            deck = Tapedeck(program, work, work / f"{way}.tape", "--to", origin, "--inspect")
            cleanup.callback(deck.stop)
            ways[way] = (deck, Subject(way, f"http://127.0.0.1:{deck.port}"))
            run_wrk(ways[way][1], 1, keep=False)
        watcher = Watcher(ways["watched"][0].process.stdout.readline())
        watcher.start()
        for _ in range(rounds):
            for _, subject in ways.values():
                run_wrk(subject, seconds)
        watcher.over.set()
        watcher.join(10)
        share, figure = ratios(ways["watched"][1].rates, ways["alone"][1].rates)
        table.add("recording while a page watches / alone, requests", f"{figure}; the page saw {watcher.seen:,} rows",
                  f">= {SPEED}", share >= SPEED and watcher.seen > 0)


def live(table, program: Path, work: Path, seconds: int) -> None:
    """A page that follows 5,000 exchanges a second."""
    work = work / "live"
    work.mkdir()
    with ExitStack() as cleanup:
        origin = cleanup.enter_context(running_origin(work))
        # As a recording is kept that never ends.
        deck = Tapedeck(program, work, work / "live.tape", "--to", origin, "--inspect", "--max-size", "2GB")
        cleanup.callback(deck.stop)
        url = deck.process.stdout.readline().split()[-1]
        run_wrk(Subject("live", f"http://127.0.0.1:{deck.port}"), 1, keep=False)
        inspector_page.measure_live(
            table, work, url, deck.port, deck.process.pid,
            lambda: scalar(work / "live.tape", "SELECT max(id) FROM any_exchange"), 5_000, seconds)
