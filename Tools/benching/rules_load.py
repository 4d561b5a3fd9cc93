"""What rules that change traffic cost: those that match nothing, and one that edits every head.

Processor time of the whole program for a request, since several subjects share the machine, and requests per second.
The subjects take turns in rounds, and only ratios of one round are compared.
"""

from __future__ import annotations

import os
import statistics
import subprocess
from contextlib import ExitStack
from pathlib import Path

from http_load import Subject, run_wrk, start_nginx
from programs import ROOT, Tapedeck, ratios, settled, stop

RECORDING = ROOT / "Recordings/first-sync-and-edits"
NOTHING = [
    "path:/never/* => edit json /title new", "path:/never/* => edit json-remove /title",
    "api:commcare.submit => edit xml //name new sender=client", "path:/never/* => edit form name new",
    "host:*.nowhere.example => edit replace '(a+)b' '$1'", "query~nobody-says-this => edit query a b",
    "path:/never/* => edit path '^/never/(.*)' '/$1'", "method:PURGE => edit status 404",
    "path:/never/* => map http://127.0.0.1:1", "path:/never/* => serve ./nothing",
    "kind:message => edit json /title new", "method:PURGE => redirect /", "method:PURGE => block",
    "path:/never/* => add-header X-A b",
]
WAYS = {
    "none": [],
    "that match nothing": [*NOTHING, "path:/never/* => recorded KNOWN"],
    "a header of every answer": ["=> edit header X-Bench yes"],
}


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds rows for the processor time and the speed with rules to `table`."""
    work = folder / "rules"
    work.mkdir()
    rounds, seconds = (3, 2) if quick else (7, 4)
    known = work / "known.tape"
    subprocess.run([program, "import", RECORDING, known], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    with ExitStack() as cleanup:
        # It says at its end which rules matched nothing.
        quiet = cleanup.enter_context(open(os.devnull, "w", encoding="utf-8"))
        processes, origin, _ = start_nginx(work, tls=False)
        for process in processes:
            cleanup.callback(stop, process)
        decks: dict[str, tuple[Tapedeck, Subject]] = {}
        for number, (way, rules) in enumerate(WAYS.items()):
            given = [word for rule in rules for word in ("--fault", rule.replace("KNOWN", str(known)))]
            deck = Tapedeck(program, folder, work / f"{number}.tape", "--to", origin, *given, errors=quiet)
            cleanup.callback(deck.stop)
            decks[way] = (deck, Subject(way, f"http://127.0.0.1:{deck.port}"))
            run_wrk(decks[way][1], 1, keep=False)
        costs: dict[str, list[float]] = {way: [] for way in WAYS}
        for _ in range(rounds):
            for way, (deck, subject) in decks.items():
                before, count = settled(deck.process.pid), subject.requests
                run_wrk(subject, seconds)
                spent = settled(deck.process.pid) - before
                costs[way].append(1e6 * spent / (subject.requests - count))
    for way, (_, subject) in decks.items():
        table.add(f"rules, {way}", f"{subject.rate:,.0f} req/s, {statistics.median(costs[way]):.1f} µs of processor "
                  f"time a request" + (f", {subject.errors} ERRORS" if subject.errors else ""))
    share, figure = ratios(costs["that match nothing"], costs["none"])
    table.add("rules that match nothing / none, processor time", figure, "<= 1.1", share <= 1.1)
    speed, figure = ratios(decks["a header of every answer"][1].rates, decks["none"][1].rates)
    table.add("a header of every answer / none, requests", figure, ">= 0.8", speed >= 0.8)
