"""Large bodies: wrk against nginx and Tapedeck in turns, and what recording them costs."""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from http_load import Subject, run_wrk
from programs import Tapedeck, await_port, free_port, nginx, ratios, stop


@dataclass
class Size:
    """A size of bodies, how it is measured and what is to be reached."""

    name: str
    count: int
    ratio: float
    # Bytes that go to the disk, and bytes of the trace, for each byte of a body.
    written: float | None
    kept: float | None
    connections: int = 8


SIZES = (Size("1 KiB", 1 << 10, 0.85, 4.0, None), Size("16 KiB", 16 << 10, 0.8, 2.2, 1.1),
         Size("1 MiB", 1 << 20, 0.7, 2.1, 1.05), Size("100 MiB", 100 << 20, 0.7, None, None, 2))


def start(folder: Path) -> tuple[list[subprocess.Popen], str, str]:
    """An origin that sends files of random bytes, and a reverse proxy that keeps none of them."""
    files = folder / "files"
    files.mkdir()
    for size in SIZES:
        (files / str(size.count)).write_bytes(os.urandom(size.count))
    origin_port, proxy_port = free_port(), free_port()
    origin = nginx(folder, "origin-bodies", f"""
        sendfile on;
        server {{ listen 127.0.0.1:{origin_port}; root {files}; }}""")
    proxy = nginx(folder, "proxy-bodies", f"""
        upstream origin {{ server 127.0.0.1:{origin_port}; keepalive 64;
          keepalive_requests 1000000000; }}
        server {{ listen 127.0.0.1:{proxy_port};
          location / {{ proxy_pass http://origin; proxy_max_temp_file_size 0;
            proxy_buffers 16 64k; proxy_buffer_size 64k; proxy_busy_buffers_size 128k;
            proxy_http_version 1.1; proxy_set_header Connection ''; }} }}""")
    await_port(origin_port, origin)
    await_port(proxy_port, proxy)
    return ([origin, proxy], f"http://127.0.0.1:{origin_port}", f"http://127.0.0.1:{proxy_port}")


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """One row of rates, one of costs for each size."""
    rounds, seconds = (3, 2) if quick else (7, 4)
    with ExitStack() as cleanup:
        processes, origin, proxy = start(folder)
        for process in processes:
            cleanup.callback(stop, process)
        for size in SIZES:
            one(table, program, folder, size, origin, proxy, rounds, seconds)


def one(table, program: Path, folder: Path, size: Size, origin: str, proxy: str,
        rounds: int, seconds: int) -> None:
    """Rounds of one size, with a trace of its own."""
    deck = Tapedeck(program, folder, folder / "bodies.tape", "--to", origin)
    try:
        peer = Subject("nginx", f"{proxy}/{size.count}")
        subject = Subject("tapedeck", f"http://127.0.0.1:{deck.port}/{size.count}")
        for each in (peer, subject):
            run_wrk(each, 1, keep=False, connections=size.connections)
        for _ in range(rounds):
            for each in (peer, subject):
                run_wrk(each, seconds, connections=size.connections)
        peak = deck.peak_memory()
        ending, processor, written = finish(deck)
        with sqlite3.connect(f"file:{deck.trace}?mode=ro", uri=True) as trace:
            count, total = trace.execute(
                "SELECT count(*), sum(response_size) FROM http_exchange WHERE outcome = 'complete'"
            ).fetchone()
            broken = trace.execute("PRAGMA quick_check(1)").fetchone()[0]
        kept = deck.trace.stat().st_size / total
    finally:
        deck.stop()
        deck.trace.unlink(missing_ok=True)
    ratio, figure = ratios(subject.rates, peer.rates)
    table.add(f"bodies of {size.name}, tapedeck / nginx",
              f"{figure}; {subject.rate:,.0f} and {peer.rate:,.0f} req/s", f">= {size.ratio}",
              ratio >= size.ratio)
    reached = None
    if size.written and size.kept:
        reached = written / total <= size.written and kept <= size.kept
    goal = ", ".join(f"<= {limit}" for limit in (size.written, size.kept) if limit)
    table.add(f"bodies of {size.name}, written and kept for each byte, processor time of one",
              f"{written / total:.2f}, {kept:.2f}, {processor / count * 1e6:,.0f} us; peak "
              f"{peak / 1e6:.0f} MB, ended in {ending:.1f} s; {count:,} of {subject.requests:,}, "
              f"{broken}", goal, reached)


def finish(deck: Tapedeck) -> tuple[float, float, int]:
    """Ends a recording: seconds that took, processor seconds and bytes written of all of it."""
    begun = resource.getrusage(resource.RUSAGE_CHILDREN)
    ending = deck.stop()
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = ended.ru_utime + ended.ru_stime - begun.ru_utime - begun.ru_stime
    return ending, processor, 512 * (ended.ru_oublock - begun.ru_oublock)
