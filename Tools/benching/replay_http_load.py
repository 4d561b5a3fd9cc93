"""Requests per second: wrk against a replayed recording, beside nginx with the same bytes as files."""

from __future__ import annotations

import sqlite3
import statistics
from contextlib import ExitStack
from pathlib import Path

from http_load import Subject, run_wrk
from programs import Replay, Tapedeck, await_port, free_port, nginx, ratios, stop

# Bytes of the bodies, as those of small answers and of a form list.
SIZES = (1024, 16 * 1024)


def exchanges(trace: Path) -> tuple[int, int]:
    """How many exchanges a trace has so far, and to how many of them no whole answer was recorded."""
    database = sqlite3.connect(f"file:{trace}?mode=ro", uri=True, timeout=60)
    try:
        return database.execute(
            "SELECT count(*), count(*) FILTER (WHERE outcome <> 'complete') FROM http_exchange"
        ).fetchone()
    finally:
        database.close()


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows of HTTP replay to `table`."""
    for size in SIZES:
        measure_size(table, program, folder, quick, size)


def measure_size(table, program: Path, folder: Path, quick: bool, size: int) -> None:
    """One size of body: records enough with wrk, then alternates between nginx and the replay."""
    rounds, seconds = (3, 2) if quick else (7, 4)
    root = folder / f"files-{size}"
    root.mkdir()
    (root / "file.txt").write_bytes(b"x" * size)
    with ExitStack() as cleanup:
        port = free_port()
        origin = nginx(folder, f"files-nginx-{size}", f"""
            sendfile on; open_file_cache max=10;
            server {{ listen 127.0.0.1:{port}; root {root}; }}""", workers=1)
        cleanup.callback(stop, origin)
        await_port(port, origin)
        subject = Subject("nginx", f"http://127.0.0.1:{port}/file.txt")
        run_wrk(subject, 1)
        # Each answer is given once: enough for a replay as fast as nginx and a half.
        needed = int(subject.rate * seconds * 1.5)
        trace = folder / f"replay-{size}.tape"
        deck = Tapedeck(program, folder, trace, "--to", f"http://127.0.0.1:{port}")
        cleanup.callback(deck.stop)
        recorded = Subject("record", f"http://127.0.0.1:{deck.port}/file.txt")
        while recorded.requests < needed:
            run_wrk(recorded, 4, keep=False, connections=32)
        deck.stop()
        nginx_runs = Subject("nginx", subject.url)
        replays = Subject("replay", "")
        peak, opening = 0, []
        for _ in range(rounds):
            run_wrk(nginx_runs, seconds)
            player = Replay(program, folder, trace, "--allow-unused")
            cleanup.callback(player.stop)
            opening.append(player.opening)
            replays.url = f"http://127.0.0.1:{player.port}/file.txt"
            run_wrk(replays, seconds)
            peak = max(peak, player.peak_memory())
            player.stop()
        count, cut = exchanges(trace)
        trace.unlink()
    ratio, figure = ratios(replays.rates, nginx_runs.rates)
    name = f"replay-http {size // 1024} KiB"
    table.add(f"{name} nginx, one process", f"{nginx_runs.rate:,.0f} req/s")
    table.add(f"{name} tapedeck", f"{replays.rate:,.0f} req/s "
              f"({min(replays.rates):,.0f}-{max(replays.rates):,.0f}), p50 "
              f"{statistics.median(replays.medians_ms):.2f} ms, {peak / 1e6:.0f} MB, "
              f"{count:,} exchanges opened in {statistics.median(opening):.2f} s")
    table.add(f"{name} tapedeck / nginx", figure, ">= 0.5", ratio >= 0.5)
    # wrk ends while requests are on their way; each round plays what became of them.
    most = rounds * cut
    table.add(f"{name} answers that were errors", f"{replays.errors}", f"<= {most}",
              replays.errors <= most)
