"""Peak memory: after many exchanges, and with a body of 1 GiB passing each way."""

from __future__ import annotations

import re
import socket
import sqlite3
import subprocess
import threading
import time
from pathlib import Path

from http_load import start_nginx
from programs import Tapedeck, stop

BOUND = 150_000_000
MEBIBYTE = 1 << 20


def serve_large(listener: socket.socket, size: int) -> None:
    """Answers GET with `size` bytes and takes as many with POST."""
    piece = bytes(range(256)) * 4096
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            data = connection.recv(65536)
            while b"\r\n\r\n" not in data:
                data += connection.recv(65536)
            head, _, rest = data.partition(b"\r\n\r\n")
            if head.startswith(b"POST"):
                if b"100-continue" in head:
                    connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                left = size - len(rest)
                while left > 0:
                    left -= len(connection.recv(MEBIBYTE))
                connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
            else:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
                for _ in range(size // len(piece)):
                    connection.sendall(piece)


def many_exchanges(table, program: Path, folder: Path, wanted: int) -> None:
    """Peak memory after `wanted` exchanges."""
    processes, origin, _ = start_nginx(folder, tls=False)
    trace = folder / "many.tape"
    deck = Tapedeck(program, folder, trace, "--to", origin)
    try:
        done = 0
        while done < wanted:
            output = subprocess.run(
                ["wrk", "-t", "1", "-c", "8", "-d", "5s", f"http://127.0.0.1:{deck.port}"],
                capture_output=True, text=True, check=True).stdout
            done += int(re.search(r"(\d+) requests in", output)[1])
        peak = deck.peak_memory()
        seconds = deck.stop()
        with sqlite3.connect(f"file:{trace}?mode=ro", uri=True) as database:
            stored = database.execute("SELECT count(*) FROM http_exchange").fetchone()[0]
        size = trace.stat().st_size
    finally:
        deck.stop()
        for process in processes:
            stop(process)
    table.add(f"peak memory after {stored:,} exchanges",
              f"{peak / 1e6:.0f} MB ({size / stored:,.0f} bytes of trace each, "
              f"ended in {seconds:.2f} s)", "< 150 MB", peak < BOUND)
    trace.unlink()


def large_body(table, program: Path, folder: Path, size: int) -> None:
    """Peak memory while a body of `size` bytes passes down, and then up."""
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve_large, args=(listener, size), daemon=True).start()
    upload = folder / "upload"
    with upload.open("wb") as file:
        file.truncate(size)
    for way, arguments in (("down", []), ("up", ["-T", upload, "-X", "POST"])):
        trace = folder / f"large-{way}.tape"
        deck = Tapedeck(program, folder, trace, "--to",
                        f"http://127.0.0.1:{listener.getsockname()[1]}")
        began = time.monotonic()
        subprocess.run(["curl", "-sS", "--noproxy", "*", "-o", "/dev/null", *arguments,
                        f"http://127.0.0.1:{deck.port}/large"], check=True)
        took = time.monotonic() - began
        peak = deck.peak_memory()
        deck.stop()
        with sqlite3.connect(f"file:{trace}?mode=ro", uri=True) as database:
            stored = database.execute("SELECT max(size) FROM body").fetchone()[0]
        table.add(f"peak memory, body of {size / MEBIBYTE:,.0f} MiB {way}",
                  f"{peak / 1e6:.0f} MB ({size / took / 1e6:,.0f} MB/s, "
                  f"{stored / MEBIBYTE:,.0f} MiB in the trace)", "< 150 MB",
                  peak < BOUND and stored == size)
        trace.unlink()
    listener.close()


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows of memory to `table`."""
    work = folder / "memory"
    work.mkdir()
    many_exchanges(table, program, work, 20_000 if quick else 200_000)
    large_body(table, program, work, (128 if quick else 1024) * MEBIBYTE)
