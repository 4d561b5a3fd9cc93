"""How long `ls` takes over a large trace for each kind of filter, start of the program included."""

from __future__ import annotations

import os
import re
import socket
import sqlite3
import statistics
import subprocess
import threading
import time
from pathlib import Path

from programs import Tapedeck, await_port, free_port, nginx, stop
from websocket_load import INIT, command, drive, serve_echo

FAST, SLOW = 0.1, 1.0
# What is asked, the filter, and how long it may take in seconds.
FILTERS = [
    ("status", "status:503", FAST),
    ("method", "method:DELETE", FAST),
    ("host", "host:127.0.0.3", FAST),
    ("path prefix", "path:/rare/*", FAST),
    ("api", "api:commcare.restore", FAST),
    ("bucket", "bucket:rare", FAST),
    ("key", "key:note-0042", FAST),
    ("command", "command:cv", FAST),
    ("error", "error:409", FAST),
    ("time", "at:2s..2.005s", FAST),
    ("full text", "text:zebraquince", FAST),
    ("body substring", 'body:"ebraquinc"', SLOW),
    ("body substring that is nowhere", 'body:"qqxqq"', SLOW),
]


def commands(count: int) -> list[bytes]:
    """Commands of two buckets, with a few of each kind that filters ask for."""
    made = [INIT, INIT.replace(b"0:init", b"1:init").replace(b"notes", b"rare")]
    for number in range(count):
        each = command(number)
        if number % 1000 == 5:
            each = b"1" + each[1:]
        elif number % 1000 == 7:
            each = b'0:c:[{"clientid":"bench-1","id":"note-1","error":409,"ccids":["abc"]}]'
        elif number % 1000 == 9:
            each = b"0:cv:5119dafb37a401031d47c0f7"
        made.append(each)
    return made


def scalar(trace: Path, query: str) -> int:
    """One number from a trace that is being written."""
    database = sqlite3.connect(f"file:{trace}?mode=ro", uri=True, timeout=60)
    try:
        return database.execute(query).fetchone()[0]
    finally:
        database.close()


def record_exchanges(program: Path, folder: Path, trace: Path, wanted: int) -> None:
    """Fills a trace with at least `wanted` exchanges through the forward proxy."""
    port = free_port()
    listens = " ".join(f"listen 127.0.0.{last}:{port};" for last in (1, 2, 3))
    text = "the answer to $request_method $request_uri is $request_id " + "and so on " * 90
    origin = nginx(folder, "listing-origin", f"""
        server {{ {listens} default_type text/plain;
          location /unavailable {{ return 503 'later'; }}
          location / {{ return 200 '{text}'; }} }}""")
    await_port(port, origin)
    deck = Tapedeck(program, folder, trace)
    try:
        done = 0
        while done < wanted:
            output = subprocess.run(
                ["wrk", "-t", "1", "-c", "8", "-d", "4s", "-s", Path(__file__).parent / "listing.lua",
                 f"http://127.0.0.1:{deck.port}"],
                capture_output=True, text=True, check=True,
                env={**os.environ, "ORIGIN_PORT": str(port)}).stdout
            done += int(re.search(r"(\d+) requests in", output)[1])
    finally:
        deck.stop()
        stop(origin)


def record_commands(program: Path, folder: Path, trace: Path, count: int) -> float:
    """Adds a session of commands; returns how long the search indexes took to catch up."""
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve_echo, args=(listener,), daemon=True).start()
    deck = Tapedeck(program, folder, trace, "--to",
                    f"http://127.0.0.1:{listener.getsockname()[1]}")
    try:
        drive(deck.port, commands(count))
        began = time.monotonic()
        for name in ("body", "message"):
            behind = f"""SELECT coalesce((SELECT max(id) FROM {name}), 0)
                         - coalesce((SELECT upto FROM progress WHERE name = '{name}'), 0)"""
            while scalar(trace, behind) > 0 and time.monotonic() - began < 300:
                time.sleep(0.05)
        return time.monotonic() - began
    finally:
        deck.stop()
        listener.close()


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds a row per kind of filter to `table`."""
    work = folder / "listing"
    work.mkdir()
    trace = work / "listing.tape"
    record_exchanges(program, work, trace, 20_000 if quick else 200_000)
    caught_up = record_commands(program, work, trace, 5_000 if quick else 20_000)
    exchanges = scalar(trace, "SELECT count(*) FROM http_exchange")
    table.add("listing trace", f"{exchanges:,} exchanges, "
              f"{scalar(trace, 'SELECT count(*) FROM simperium_command'):,} commands, "
              f"{trace.stat().st_size / 1e6:,.0f} MB, indexes caught up in {caught_up:.1f} s")
    for name, question, bound in FILTERS:
        times, lines = [], 0
        for _ in range(3 if quick else 7):
            began = time.monotonic()
            done = subprocess.run([program, "ls", trace, question], capture_output=True,
                                  stdin=subprocess.DEVNULL, check=False)
            times.append(time.monotonic() - began)
            if done.returncode:
                raise RuntimeError(f"ls {question}: {done.stderr.decode()}")
            lines = done.stdout.count(b"\n")
        half = statistics.median(times)
        table.add(f"ls by {name}", f"{half * 1000:.0f} ms for {lines} lines  {question}",
                  f"< {bound * 1000:.0f} ms", half < bound)
