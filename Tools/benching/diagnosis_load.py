"""How long a large trace takes to diagnose, and what `record --diagnose` costs the proxy."""

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

import conflicts_load
from programs import Tapedeck
from replay_simperium_load import acknowledging, drive, session
from websocket_load import serve

BOUND_SECONDS, BOUND_BYTES, BOUND_SHARE = 20.0, 300e6, 0.15
# Of a million commands of several clients, and of a session that is followed while it is recorded.
CONFLICTS_SECONDS, LIVE_RATE, BEHIND_SECONDS = 15.0, 30_000, 1.0
# Of the log of a session that is followed at full load.
LOG_BYTES = 64e6


def diagnose(program: Path, trace: Path) -> tuple[float, float, int, str]:
    """Diagnoses a trace; seconds, those of processors, the peak in bytes, the last line printed."""
    began = time.monotonic()
    with subprocess.Popen([program, "diagnose", trace, "--fail-on", "never"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    took = time.monotonic() - began
    if process.returncode:
        raise RuntimeError(f"diagnose ended with {process.returncode}")
    return (took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024,
            said.rstrip().rpartition("\n")[2])


def live(program: Path, folder: Path, name: str, origin: str, count: int,
         more: list[str]) -> tuple[float, int]:
    """Messages per second of a session while it is recorded, and the bytes of its log at their end."""
    trace = folder / f"{name}.tape"
    deck = Tapedeck(program, folder, trace, "--to", origin, *more)
    took, _ = drive(deck.port, session("bench-live", count))
    log = trace.with_name(f"{trace.name}-wal").stat().st_size
    deck.stop()
    trace.unlink()
    return 2 * count / took, log


def conflicts(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows of several clients that edit the same objects, afterwards and live."""
    count = 50_000 if quick else 1_000_000
    listener = socket.create_server(("127.0.0.1", 0))
    to = ("--to", f"http://127.0.0.1:{listener.getsockname()[1]}")
    trace = folder / "conflicts.tape"
    deck = Tapedeck(program, folder, trace, *to)
    conflicts_load.run(listener, deck.port, count)
    deck.stop()
    for number in range(1 if quick else 3):
        took, busy, peak, last = diagnose(program, trace)
        million = 1e6 * took / count
        table.add(f"diagnosis of {count:,} commands of {conflicts_load.CLIENTS} clients, "
                  f"run {number + 1}",
                  f"{million:.1f} s a million, {1e6 * busy / count:.1f} s of processors, "
                  f"{peak / 1e6:.0f} MB ({re.sub(' in .*', '', last)})",
                  "<= 15 s", million <= CONFLICTS_SECONDS)
    trace.unlink()
    with (folder / "behind.txt").open("w+") as errors:
        deck = Tapedeck(program, folder, trace, *to, "--diagnose", errors=errors)
        live_count = 5 * LIVE_RATE if quick else 30 * LIVE_RATE
        took = conflicts_load.run(listener, deck.port, live_count, LIVE_RATE)
        deck.stop()
        errors.seek(0)
        # It says so where that was more than a second at any time.
        behind = re.search(r"live diagnosis (was .* behind|ended early.*)", errors.read())
    trace.unlink()
    listener.close()
    rate = live_count / took
    table.add(f"recorded with --diagnose, {LIVE_RATE:,} messages/s wanted",
              f"{rate:,.0f} messages/s, {behind[1] if behind else 'at most 1 s behind'}",
              f"<= {BEHIND_SECONDS:.0f} s behind",
              # What keeps up with less than was wanted shows nothing.
              False if behind else True if rate >= 0.9 * LIVE_RATE else None)


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows of diagnosis to `table`."""
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listener, acknowledging), daemon=True).start()
    origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
    count = 50_000 if quick else 500_000
    trace = folder / "diagnosis.tape"
    deck = Tapedeck(program, folder, trace, "--to", origin)
    drive(deck.port, session("bench-recorded", count))
    deck.stop()
    database = sqlite3.connect(trace)
    commands = database.execute("SELECT count(*) FROM simperium_command").fetchone()[0]
    database.close()
    for number in range(1 if quick else 3):
        took, busy, peak, last = diagnose(program, trace)
        table.add(f"diagnosis of {commands:,} commands, run {number + 1}",
                  f"{took:.1f} s, {busy:.1f} s of processors, {peak / 1e6:.0f} MB "
                  f"({re.sub(' in .*', '', last)})",
                  "<= 20 s, 300 MB", took <= BOUND_SECONDS and peak <= BOUND_BYTES)
    trace.unlink()
    conflicts(table, program, folder, quick)
    # Pairs of one round, since the machine is not always equally fast.
    pairs: list[tuple[float, float]] = []
    logs: list[int] = []
    for number in range(3 if quick else 7):
        ways = [[], ["--diagnose"]]
        rates = {}
        for more in ways if number % 2 == 0 else ways[::-1]:
            rates[len(more)], log = live(program, folder, f"live-{number}-{len(more)}", origin,
                                         20_000 if quick else 50_000, more)
            if more:
                logs.append(log)
        pairs.append((rates[0], rates[1]))
    listener.close()
    without, with_it = (statistics.median(rates) for rates in zip(*pairs, strict=True))
    shares = [1 - more / less for less, more in pairs]
    share = statistics.median(shares)
    table.add("recorded without --diagnose", f"{without:,.0f} messages/s")
    table.add("recorded with --diagnose",
              f"{with_it:,.0f} messages/s, {100 * share:+.1f} % less "
              f"({100 * min(shares):+.1f} to {100 * max(shares):+.1f} %)",
              f"< {100 * BOUND_SHARE:.0f} % less", share < BOUND_SHARE)
    # It holds the log only while it reads.
    table.add("its log at the end", f"{statistics.median(logs) / 1e6:.0f} MB, at most {max(logs) / 1e6:.0f}",
              f"<= {LOG_BYTES / 1e6:.0f} MB", max(logs) <= LOG_BYTES)
