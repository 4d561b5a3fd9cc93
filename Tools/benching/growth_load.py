"""What an exchange costs when the trace is large, or the connections are many, beside nginx."""

from __future__ import annotations

import resource
import statistics
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

from http_load import Subject, run_wrk, start_nginx
from kept_connections import KeptConnections
from plot import Line, Panel, svg
from programs import Tapedeck, ratios, settled, spread, stop

# Exchanges of which the processor time is taken together: long enough for the clock of the kernel.
SLICE = 20_000
# Exchanges in the trace and connections, of a full run and of a quick one.
EXCHANGES = ((10_000, 100_000, 1_000_000), (5_000, 20_000, 60_000))
CONNECTIONS = ((1, 100, 1_000, 10_000), (1, 100, 1_000))
ROUNDS = (7, 3)

# Microseconds of an exchange in each round: of Tapedeck, of nginx.
Costs = tuple[list[float], list[float]]


def cost(process: subprocess.Popen, ask: Callable[[int], float]) -> float:
    """Microseconds of all threads for one exchange, with what they have to do afterwards."""
    before = settled(process.pid)
    ask(SLICE)
    return 1e6 * (settled(process.pid) - before) / SLICE


def in_a_trace(program: Path, folder: Path, stored: int, rounds: int) -> Costs:
    """The costs once so many exchanges are in the trace, over 8 connections.

    A recording has several rounds as long as they do not make it much larger.
    """
    costs: Costs = ([], [])
    with ExitStack() as cleanup:
        processes, origin, peer = start_nginx(folder, tls=False)
        for process in processes:
            cleanup.callback(stop, process)
        others = KeptConnections(urlsplit(peer).port, 8)
        cleanup.callback(others.close)
        while len(costs[0]) < rounds:
            deck = Tapedeck(program, folder, folder / "growth.tape", "--to", origin)
            cleanup.callback(deck.stop)
            subject = Subject("tapedeck", f"http://127.0.0.1:{deck.port}")
            ours = KeptConnections(deck.port, 8)
            # The last of them by count, so that there are not many more.
            while subject.requests < stored - 50_000:
                run_wrk(subject, 2, keep=False)
            if subject.requests < stored:
                ours.ask(stored - subject.requests)
            for _ in range(min(rounds - len(costs[0]), max(1, stored // (4 * SLICE)))):
                costs[0].append(cost(deck.process, ours.ask))
                costs[1].append(cost(processes[1], others.ask))
            ours.close()
            deck.stop()
            deck.trace.unlink()
    return costs


def over_connections(program: Path, folder: Path, count: int, rounds: int) -> Costs:
    """The costs over so many kept connections, each of which has had a request before."""
    costs: Costs = ([], [])
    with ExitStack() as cleanup:
        processes, origin, peer = start_nginx(folder, tls=False, connections=max(64, count))
        for process in processes:
            cleanup.callback(stop, process)
        deck = Tapedeck(program, folder, folder / "growth.tape", "--to", origin)
        cleanup.callback(deck.stop)
        ours, others = KeptConnections(deck.port, count), KeptConnections(urlsplit(peer).port, count)
        for each in (ours, others):
            cleanup.callback(each.close)
            each.ask(2 * count)
        for _ in range(rounds):
            costs[0].append(cost(deck.process, ours.ask))
            costs[1].append(cost(processes[1], others.ask))
    deck.trace.unlink()
    return costs


def lines(found: dict[int, Costs]) -> list[Line]:
    """The costs as lines of a plot."""
    return [Line(name, [(x, min(costs[number]), statistics.median(costs[number]), max(costs[number]))
                        for x, costs in found.items()])
            for number, name in enumerate(("tapedeck record", "nginx"))]


def measure(table, program: Path, folder: Path, quick: bool, plot: Path | None = None) -> None:
    """Adds a row for each size of the trace and each number of connections, and draws them."""
    rounds = ROUNDS[quick]
    # Each connection of a client has one to the server beside it.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2 - 200
    by_exchanges: dict[int, Costs] = {}
    by_connections: dict[int, Costs] = {}
    for found, counts, take, what in (
            (by_exchanges, EXCHANGES[quick], in_a_trace, "exchanges in the trace"),
            (by_connections, CONNECTIONS[quick], over_connections, "connections")):
        for wanted in counts:
            count = min(wanted, most) if take is over_connections else wanted
            work = folder / f"growth-{take.__name__}-{count}"
            work.mkdir()
            ours, others = found[count] = take(program, work, count, rounds)
            table.add(f"processor time of an exchange, {count:,} {what}",
                      f"{spread(ours)} us, nginx {spread(others)} us, "
                      f"ratio {ratios(ours, others, 1)[1]}")
        first, *_, last = (statistics.median(ours) for ours, _ in found.values())
        table.add(f"the same, with most / fewest {what}", f"{last / first:.2f}")
    if plot:
        plot.write_text(svg(
            "Processor time of an HTTP exchange of 1 KiB, all threads", "microseconds of processors",
            [Panel("by the size of the trace, 8 connections", "exchanges in the trace before",
                   lines(by_exchanges)),
             Panel("by the number of connections", "kept connections", lines(by_connections))]))
