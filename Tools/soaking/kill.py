"""Tools/soak --kill: ends a recording with kill -9 under load, and says how old what is lost is."""

from __future__ import annotations

import bisect
import json
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from programs import Recording, tapedeck

LOAD = Path(__file__).resolve().parent / "kill_load.py"
# What is promised of a machine that does nothing else: milliseconds of age, and the share of rounds.
USUAL, ALWAYS, SHARE = 50, 250, 0.95


class Failed(Exception):
    """A trace that a kill left damaged."""


@dataclass
class Round:
    """What one kill lost."""

    oldest: float
    """Milliseconds between the oldest byte that is missing and the kill; 0 where none is."""
    forwarded: int
    """Bytes of answers that clients had."""
    seconds: float
    """How long there was load."""


def _age(came: list[tuple[float, int]], kept: int, killed: float) -> float:
    """Milliseconds from when the first byte after `kept` came until the kill, at least 0."""
    first = bisect.bisect_right([count for _, count in came], kept)
    return max(0.0, killed - came[first][0]) * 1000 if first < len(came) else 0.0


def play(folder: Path, seconds: float, *arguments: str) -> Round:
    """Records for so long under load, kills, and compares what clients have with the trace."""
    trace = folder / "kill.tape"
    origin = subprocess.Popen([sys.executable, LOAD, "serve"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    try:
        port = int(origin.stdout.readline())
        proxy = Recording(trace, folder / "ca", "--to", f"http://127.0.0.1:{port}", "--keep-host",
                          "--quiet", *arguments)
        client = subprocess.Popen([sys.executable, LOAD, "ask", str(proxy.port)],
                                  stdout=subprocess.PIPE, text=True)
        began = time.monotonic()
        time.sleep(seconds)
        killed = time.monotonic()
        proxy.process.kill()
        lanes = [json.loads(line) for line in client.communicate()[0].splitlines()]
        proxy.wait()
    finally:
        origin.stdin.close()
        origin.wait()
    database = sqlite3.connect(f"file:{trace}?mode=ro", uri=True)
    try:
        whole = database.execute("PRAGMA integrity_check").fetchall()
        if whole != [("ok",)]:
            raise Failed(f"integrity_check of {trace}: {whole[:3]}")
        kept = dict(database.execute(
            "SELECT c.client, sum(k.count) FROM connection c JOIN ("
            "SELECT connection_id, length(bytes) AS count FROM chunk WHERE sender = 1 UNION ALL "
            # What was let go had been there.
            "SELECT connection_id, bytes FROM gap WHERE sender = 1 AND reason = 'evicted') k "
            "ON k.connection_id = c.id GROUP BY c.id"))
    finally:
        database.close()
    return Round(
        max(_age(came, kept.get(f"127.0.0.1:{port}", 0), killed) for port, came in lanes),
        sum(came[-1][1] for _, came in lanes if came), killed - began)


def run(program: Path, rounds: int, seed: int, *arguments: str) -> tuple[bool, list[str]]:
    """Plays all rounds; answers whether the promise was kept, and what to say about it."""
    chance = random.Random(seed)
    made: list[Round] = []
    for number in range(rounds):
        with tempfile.TemporaryDirectory(prefix="tapedeck-kill-") as name:
            folder = Path(name)
            tapedeck("ca", "--ca-dir", folder / "ca", "--pem", folder / "trust.pem")
            made.append(play(folder, chance.uniform(0.5, 4), *arguments))
        print(f"{number + 1}/{rounds}: {made[-1].oldest:.0f} ms, "
              f"{made[-1].forwarded / 1e6:.0f} MB in {made[-1].seconds:.1f} s", flush=True)
    ages = sorted(each.oldest for each in made)
    late = sum(age > USUAL for age in ages)
    speed = sum(each.forwarded for each in made) / sum(each.seconds for each in made) / 1e6
    is_kept = late <= (1 - SHARE) * rounds and ages[-1] <= ALWAYS
    return is_kept, [
        f"{rounds} rounds of {program.parent.name}/{program.name}, killed after 0.5 to 4 s at {speed:.0f} MB/s of answers "
        f"on 4 connections{' with ' + ' '.join(arguments) if arguments else ''}",
        f"oldest forwarded byte lost: {statistics.median(ages):.0f} ms old in the middle, "
        f"{ages[min(rounds - 1, rounds * 9 // 10)]:.0f} ms at p90, {ages[-1]:.0f} ms at most",
        f"older than {USUAL} ms in {late} of {rounds} rounds ({100 * (1 - SHARE):.0f} of 100 may "
        f"be), older than {ALWAYS} ms in {sum(age > ALWAYS for age in ages)} (none may be)",
        "integrity_check ok every time",
    ]
