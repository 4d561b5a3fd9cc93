"""Tools/bench: Tapedeck beside its peers, in one call, as one table."""

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import http_load
from programs import MITMDUMP, ROOT, make_certificates, ratios

PARTS = ("http", "https", "websocket", "delay", "memory", "listing", "decoding", "sync", "faults", "rules",
         "replay-http", "replay-simperium", "opening", "diagnosis", "capture", "bodies", "connections",
         "latency", "addons", "calls", "growth", "scale", "inspector", "fleet", "newcomer", "bounds")
# Take more than a few minutes, newcomer and bounds since they compile: only where they are asked for.
LONG = ("opening", "growth", "scale", "inspector", "fleet", "newcomer", "bounds")


def machine() -> str:
    """The machine and the versions, for people who compare figures."""
    def first_line(*command: str) -> str:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return (done.stdout + done.stderr).strip().splitlines()[0]

    processor = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    memory = int(re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())[1])
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    return "\n".join([
        f"machine   {processor[1] if processor else platform.machine()}, {os.cpu_count()} "
        f"processors, {memory / 1048576:.0f} GiB, Linux {platform.release()}, load {load}",
        f"programs  {first_line('/usr/sbin/nginx', '-v')}; {first_line('wrk', '-v')[:21]}; "
        f"{first_line(str(MITMDUMP), '--version')}; {first_line('swift', '--version')}",
    ])


class Table:
    """Rows of what was measured, what was to be reached, and whether it was."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, str, str]] = []

    def add(self, what: str, figure: str, goal: str = "", reached: bool | None = None) -> None:
        """Adds a row and says it at once, so that a long run shows where it is."""
        verdict = {None: "", True: "reached", False: "NOT reached"}[reached]
        self.rows.append((what, figure, goal, verdict))
        print(f"  {what}: {figure} {verdict}", file=sys.stderr, flush=True)

    def __str__(self) -> str:
        heads = ("what", "measured", "to reach", "")
        widths = [max(len(row[i]) for row in [heads, *self.rows]) for i in range(4)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                 for row in [heads, tuple("-" * width for width in widths[:3]) + ("",), *self.rows]]
        return "\n".join(lines)


def http_part(table: Table, program: Path | None, folder: Path, tls: bool, quick: bool) -> None:
    """Requests per second and latency of one scheme."""
    rounds, seconds = (3, 2) if quick else (7, 4)
    name, beside_nginx, beside_mitm = ("https", 0.5, 15) if tls else ("http", 0.6, 20)
    measured = http_load.measure(program, folder, tls, rounds, seconds)
    subjects = measured["subjects"]
    direct = http_load.statistics.median(subjects["no proxy"].medians_ms)
    for subject in subjects.values():
        low, high = min(subject.rates), max(subject.rates)
        half = http_load.statistics.median(subject.medians_ms)
        tail = http_load.statistics.median(subject.tails_ms)
        added = "" if subject.name == "no proxy" else f" (+{half - direct:.2f})"
        errors = f", {subject.errors} ERRORS" if subject.errors else ""
        table.add(f"{name} {subject.name}",
                  f"{subject.rate:,.0f} req/s ({low:,.0f}-{high:,.0f}), "
                  f"p50 {half:.2f} ms{added}, p99 {tail:.2f} ms{errors}")
    if "tapedeck" not in subjects:
        _, figure = ratios(subjects["nginx"].rates, subjects["mitmdump -w"].rates, 1)
        table.add(f"{name} nginx / mitmdump", figure)
        return
    deck = subjects["tapedeck"]
    for peer, digits, least in (("nginx", 2, beside_nginx), ("mitmdump -w", 1, beside_mitm)):
        ratio, figure = ratios(deck.rates, subjects[peer].rates, digits)
        table.add(f"{name} tapedeck / {peer.split()[0]}", figure, f">= {least}", ratio >= least)
    table.add(f"{name} exchanges in the trace", f"{measured['exchanges']:,} of {deck.requests:,}",
              "all", measured["exchanges"] >= deck.requests)
    table.add(f"{name} peak memory, time to end",
              f"{measured['peak'] / 1e6:.0f} MB, {measured['ending']:.2f} s")


def main() -> None:
    """Runs the parts that were asked for and prints the table."""
    parser = argparse.ArgumentParser(prog="Tools/bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short rounds, small listing trace")
    parser.add_argument("--only", action="append", choices=PARTS, help="a part; may be repeated")
    parser.add_argument("--peers-only", action="store_true", help="nginx and mitmproxy alone")
    parser.add_argument("--tapedeck", type=Path, help="the program; the release build if not given")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="with growth: draw it as SVG")
    parser.add_argument("--keep", action="store_true", help="keep the folder with the traces")
    options = parser.parse_args()
    program = None
    if not options.peers_only:
        program = (options.tapedeck or ROOT / ".build/release/tapedeck").resolve(strict=True)
    usual = [part for part in PARTS if part not in LONG]
    parts = options.only or (usual[:2] if options.peers_only else usual)

    table = Table()
    print(machine(), file=sys.stderr)
    folder = Path(tempfile.mkdtemp(prefix="tapedeck-bench-"))
    try:
        make_certificates(folder)
        for part in parts:
            if part in ("http", "https"):
                http_part(table, program, folder, part == "https", options.quick)
            elif program:
                module = __import__(f"{part.replace('-', '_')}_load")
                drawn = {"plot": options.plot} if part == "growth" else {}
                module.measure(table, program, folder, options.quick, **drawn)
    finally:
        if options.keep:
            print(f"kept {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    print(machine())
    print()
    print(table)


if __name__ == "__main__":
    main()
