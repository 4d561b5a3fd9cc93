"""How old the newest chunk is that a reader of the trace can see, under full load.

What is younger is what a `kill -9` at that moment would lose.
"""

from __future__ import annotations

import multiprocessing
import socket
import sqlite3
import threading
import time
from pathlib import Path

from http_load import Subject, run_wrk, start_nginx
from programs import Tapedeck, stop
from websocket_load import INIT, command, drive, serve_echo

PROMISED = 50.0


class Watch:
    """Asks a trace again and again for its newest chunk.

    In a process of its own: among the threads that make the load it would wait for Python's lock
    between its answer and its look at the clock, and that would count as age.
    """

    def __init__(self, trace: Path):
        spawning = multiprocessing.get_context("spawn")
        self._over = spawning.Event()
        self._answers, sender = spawning.Pipe(duplex=False)
        self._process = spawning.Process(target=watch, args=(trace, self._over, sender))
        self._process.start()
        self._answers.recv()

    def end(self) -> list[float]:
        """The ages in milliseconds, ascending, without those of the first moments."""
        self._over.set()
        ages_ms = self._answers.recv()
        self._process.join()
        return sorted(ages_ms[5:] or ages_ms or [0.0])


def watch(trace: Path, over, answers) -> None:
    """Sends a word when it begins, and the ages in milliseconds when `over` is set."""
    database = sqlite3.connect(f"file:{trace}?mode=ro", uri=True, timeout=60)
    began = database.execute("SELECT max(started_unix_ns) FROM session").fetchone()[0]
    ages_ms: list[float] = []
    answers.send("begins")
    while not over.wait(0.02):
        newest = database.execute("SELECT at_ns FROM chunk ORDER BY id DESC LIMIT 1").fetchone()
        if newest:
            ages_ms.append((time.time_ns() - began - newest[0]) / 1e6)
    database.close()
    answers.send(ages_ms)


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds a row for HTTP and one for a WebSocket to `table`."""
    work = folder / "delay"
    work.mkdir()

    def add(what: str, ages: list[float]) -> None:
        at = ages[int(len(ages) * 0.99)]
        table.add(f"newest chunk readable, {what}",
                  f"p50 {ages[len(ages) // 2]:.0f} ms, p99 {at:.0f} ms, max {ages[-1]:.0f} ms old",
                  f"p99 < {PROMISED:.0f} ms + scheduling", at < PROMISED * 2)

    processes, origin, _ = start_nginx(work, tls=False)
    deck = Tapedeck(program, work, work / "http.tape", "--to", origin)
    try:
        watch = Watch(deck.trace)
        run_wrk(Subject("tapedeck", f"http://127.0.0.1:{deck.port}"), 3 if quick else 8)
        add("http", watch.end())
    finally:
        deck.stop()
        for process in processes:
            stop(process)
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve_echo, args=(listener,), daemon=True).start()
    deck = Tapedeck(program, work, work / "socket.tape", "--to",
                    f"http://127.0.0.1:{listener.getsockname()[1]}")
    try:
        watch = Watch(deck.trace)
        drive(deck.port, [INIT, *map(command, range(100_000 if quick else 300_000))])
        add("websocket", watch.end())
    finally:
        deck.stop()
        listener.close()
