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

from programs import Tapedeck
from replay_simperium_load import acknowledging, drive, session
from websocket_load import serve

BOUND_SECONDS, BOUND_BYTES, BOUND_SHARE = 20.0, 300e6, 0.15


def diagnose(program: Path, trace: Path) -> tuple[float, int, str]:
    """Diagnoses a trace; seconds, the largest resident size in bytes, and the last line printed."""
    began = time.monotonic()
    with subprocess.Popen([program, "diagnose", trace, "--fail-on", "never"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    took = time.monotonic() - began
    if process.returncode:
        raise RuntimeError(f"diagnose ended with {process.returncode}")
    return took, usage.ru_maxrss * 1024, said.rstrip().rpartition("\n")[2]


def live(program: Path, folder: Path, name: str, origin: str, count: int,
         more: list[str]) -> float:
    """Messages per second of a session while it is recorded."""
    trace = folder / f"{name}.tape"
    deck = Tapedeck(program, folder, trace, "--to", origin, *more)
    took, _ = drive(deck.port, session("bench-live", count))
    deck.stop()
    trace.unlink()
    return 2 * count / took


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
        took, peak, last = diagnose(program, trace)
        table.add(f"diagnosis of {commands:,} commands, run {number + 1}",
                  f"{took:.1f} s, {peak / 1e6:.0f} MB ({re.sub(' in .*', '', last)})",
                  "<= 20 s, 300 MB", took <= BOUND_SECONDS and peak <= BOUND_BYTES)
    trace.unlink()
    # Pairs of one round, since the machine is not always equally fast.
    pairs: list[tuple[float, float]] = []
    for number in range(2 if quick else 7):
        ways = [[], ["--diagnose"]]
        rates = {}
        for more in ways if number % 2 == 0 else ways[::-1]:
            rates[len(more)] = live(program, folder, f"live-{number}-{len(more)}", origin,
                                    20_000 if quick else 50_000, more)
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
