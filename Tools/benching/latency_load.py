"""How long requests take, under full load beside nginx's and at half load; what idle connections hold.

Also how long a recording takes to begin and to end, where there is one processor.
"""

from __future__ import annotations

import statistics
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

from http_load import Subject, run_wrk, start_nginx
from kept_connections import KeptConnections
from programs import Tapedeck, ratios, resident, settled, spread, stop

CONNECTIONS = 8
BOUND_TAILS, BOUND_ADDED_MS, BOUND_IDLE_BYTES = 4.0, 1.0, 4096
BOUND_ONE_PROCESSOR = 2.0


def under_full_load(table, peer: Subject, own: Subject, rounds: int, seconds: int) -> None:
    """The slowest hundredth of requests, in turns."""
    for subject in (peer, own):
        run_wrk(subject, 1, keep=False, connections=CONNECTIONS)
    for _ in range(rounds):
        for subject in (peer, own):
            run_wrk(subject, seconds, connections=CONNECTIONS)
    ratio, figure = ratios(own.tails_ms, peer.tails_ms, 1)
    errors = f", {own.errors} ERRORS" if own.errors else ""
    table.add("p99 under full load, tapedeck / nginx",
              f"{figure}; {spread(own.tails_ms, 1)} and {spread(peer.tails_ms, 1)} ms at "
              f"{own.rate:,.0f} and {peer.rate:,.0f} req/s{errors}",
              f"<= {BOUND_TAILS:.0f}", ratio <= BOUND_TAILS)


def at_half_load(table, urls: dict[str, str], rate: float, rounds: int, seconds: int) -> None:
    """What is added to requests that come by the clock, `rate` a second, in turns."""
    asking = {name: KeptConnections(urlsplit(url).port, CONNECTIONS) for name, url in urls.items()}
    halves: dict[str, list[float]] = {name: [] for name in urls}
    tails: dict[str, list[float]] = {name: [] for name in urls}
    for _ in range(rounds):
        for name, connections in asking.items():
            took_ms = connections.ask_by_clock(rate, seconds)
            halves[name].append(took_ms[len(took_ms) // 2])
            tails[name].append(took_ms[int(0.99 * len(took_ms))])
    for connections in asking.values():
        connections.close()
    for name in list(urls)[1:]:
        added = [each - bare for each, bare in zip(halves[name], halves["no proxy"], strict=True)]
        added_tails = [each - bare
                       for each, bare in zip(tails[name], tails["no proxy"], strict=True)]
        half = statistics.median(added)
        is_ours = name == "tapedeck"
        table.add(f"added at half load, {rate:,.0f} req/s, {name}",
                  f"p50 {spread(added, 2)} ms, p99 {spread(added_tails, 1)} ms; p50 without "
                  f"{statistics.median(halves['no proxy']):.2f} ms",
                  f"p50 <= {BOUND_ADDED_MS:.0f} ms" if is_ours else "",
                  half <= BOUND_ADDED_MS if is_ours else None)


def idle(table, deck: Tapedeck, count: int) -> None:
    """What each of many connections occupies that had a request and are kept."""
    pid = deck.process.pid
    # As many requests before, so that only connections are more.
    few = KeptConnections(deck.port, CONNECTIONS)
    few.ask(2 * count)
    few.close()
    settled(pid)
    before = resident(pid)
    many = KeptConnections(deck.port, count)
    settled(pid)
    after = resident(pid)
    many.close()
    each = (after - before) / count
    table.add(f"{count:,} idle connections",
              f"{each / 1024:.1f} KiB each, {before / 1e6:.1f} to {after / 1e6:.1f} MB",
              f"<= {BOUND_IDLE_BYTES // 1024} KiB", each <= BOUND_IDLE_BYTES)


def recordings_of_nothing(table, program: Path, folder: Path, rounds: int) -> None:
    """How long `record` of a command takes that does nothing, on one processor and on two, in turns."""
    took_ms: dict[str, list[float]] = {"0": [], "0,1": []}
    trace = folder / "nothing.tape"
    for _ in range(rounds):
        for processors, each in took_ms.items():
            began = time.monotonic()
            subprocess.run(["taskset", "-c", processors, program, "record", trace, "--", "true"],
                           check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            each.append(1e3 * (time.monotonic() - began))
            trace.unlink()
    one, two = took_ms.values()
    ratio, figure = ratios(one, two, 2)
    table.add("a recording of nothing, one processor / two",
              f"{figure}; {spread(one, 0)} and {spread(two, 0)} ms",
              f"<= {BOUND_ONE_PROCESSOR:.0f}", ratio <= BOUND_ONE_PROCESSOR)


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows of latency and of idle connections to `table`."""
    work = folder / "latency"
    work.mkdir()
    rounds, seconds, idle_count = (3, 2, 300) if quick else (7, 4, 1_000)
    recordings_of_nothing(table, program, work, rounds)
    with ExitStack() as cleanup:
        processes, origin, proxy = start_nginx(work, tls=False)
        for process in processes:
            cleanup.callback(stop, process)
        deck = Tapedeck(program, work, work / "latency.tape", "--to", origin)
        cleanup.callback(deck.stop)
        own = Subject("tapedeck", f"http://127.0.0.1:{deck.port}")
        under_full_load(table, Subject("nginx", proxy), own, rounds, seconds)
        at_half_load(table, {"no proxy": origin, "nginx": proxy, "tapedeck": own.url},
                     own.rate / 2, rounds, seconds)
        idle(table, deck, idle_count)
        deck.stop()
        deck.trace.unlink()
