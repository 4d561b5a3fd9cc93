"""What a trace of a million exchanges takes to list, search, export, diagnose, rebuild and open."""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from diagnosis_load import diagnose
from listing_load import record_commands, record_exchanges, scalar
from opening_load import opened, opening_bound
from programs import spread, start_seconds

EXCHANGES, COMMANDS = 1_000_000, 100_000
ROUNDS = 3
FIRST_ROW_SECONDS, ROW_MICROSECONDS = 0.01, 2.0
# Seconds for a million exchanges.
HEADER, SUBSTRING, DIAGNOSIS, REBUILD = 0.5, 1.0, 15.0, 25.0
# With the options of each; the changes are those of the commands alone.
EXPORTS: dict[str, tuple[list[str], float | None]] = {
    "jsonl": ([], 8.0), "csv": ([], 8.0), "har": ([], 20.0), "html": ([], None),
    "changes.jsonl": (["--rows", "changes"], None),
}


@dataclass
class Run:
    """One run of the program."""

    seconds: float
    # Until the first row was printed, if any was.
    first: float
    rows: int
    peak: int


def run(*command: str | Path) -> Run:
    """Runs the program to its end, and reads what it prints."""
    began = time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        line = process.stdout.readline()
        # A heading comes before the rows of a session.
        if line.startswith("──".encode()):
            line = process.stdout.readline()
        first = time.monotonic() - began
        rows = line.count(b"\n")
        while data := process.stdout.read(1 << 20):
            rows += data.count(b"\n")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(map(str, command[1:]))} ended with {process.returncode}")
    return Run(time.monotonic() - began, first, rows, usage.ru_maxrss * 1024)


class Scale:
    """The rows of one trace."""

    def __init__(self, table, program: Path, trace: Path) -> None:
        self.table, self.program, self.trace = table, program, trace
        self.start = start_seconds(program)
        exchanges = scalar(trace, "SELECT count(*) FROM http_exchange")
        self.share = exchanges / EXCHANGES
        commands = scalar(trace, "SELECT count(*) FROM simperium_command")
        table.add("scale trace", f"{exchanges:,} exchanges, {commands:,} commands, "
                  f"{trace.stat().st_size / 1e9:.2f} GB")

    def add(self, what: str, runs: list[tuple[float, int]], seconds: float | None, more: str = "") -> None:
        """A row of runs, each with its seconds and its peak of memory in bytes.

        - `seconds`: the goal for a million exchanges, if there is one; fewer have less of what is beyond the start.
        """
        took, peaks = zip(*runs, strict=True)
        half = statistics.median(took)
        bound = None if seconds is None else self.start + (seconds - self.start) * self.share
        self.table.add(f"scale {what}", f"{spread(took, 2)} s, {max(peaks) / 1e6:.0f} MB{more}",
                       "" if bound is None else f"<= {bound:.2f} s", None if bound is None else half <= bound)

    def listing(self) -> None:
        """`ls` with each kind of filter."""
        found = [run(self.program, "ls", self.trace) for _ in range(ROUNDS)]
        firsts = [each.first for each in found]
        beyond = statistics.median(firsts) - self.start
        self.table.add(
            "scale ls, first row of all",
            f"{spread([1e3 * each for each in firsts])} ms, {1e3 * beyond:.0f} ms more than "
            f"--version takes ({1e3 * self.start:.0f} ms)",
            f"<= {1e3 * FIRST_ROW_SECONDS:.0f} ms more", beyond <= FIRST_ROW_SECONDS)
        self.rows("all", found, None)
        self.rows("host:127.0.0.2", [run(self.program, "ls", self.trace, "host:127.0.0.2")
                                     for _ in range(ROUNDS)], ROW_MICROSECONDS)
        self.rows("kind:command", [run(self.program, "ls", self.trace, "kind:command") for _ in range(ROUNDS)], None)
        last = f"c{scalar(self.trace, 'SELECT max(id) FROM simperium_command')}"
        found = [run(self.program, "show", self.trace, last) for _ in range(ROUNDS)]
        self.add("show of the last command", [(each.seconds, each.peak) for each in found], None)
        for question, bound in (("header.x-nothing:1", HEADER), ('body:"qqxqq"', SUBSTRING)):
            found = [run(self.program, "ls", self.trace, question) for _ in range(ROUNDS)]
            self.add(f"ls {question}", [(each.seconds, each.peak) for each in found], bound,
                     f", {found[0].rows} rows")

    def rows(self, what: str, found: list[Run], bound: float | None) -> None:
        """What each row of a listing takes, beyond the start of the program."""
        each = [1e6 * (one.seconds - self.start) / one.rows for one in found]
        half = statistics.median(each)
        self.table.add(f"scale ls, rows of {what}",
                       f"{spread(each, 2)} us a row, {found[0].rows:,} rows, "
                       f"{max(one.peak for one in found) / 1e6:.0f} MB",
                       f"<= {bound:.0f} us" if bound else "", half <= bound if bound else None)

    def exports(self) -> None:
        """Each format, to a file."""
        for kind, (options, bound) in EXPORTS.items():
            found = []
            for _ in range(ROUNDS):
                target = self.trace.with_suffix(f".{kind}")
                each = run(self.program, "export", *options, self.trace, target)
                found.append((each.seconds, each.peak))
                size = target.stat().st_size
                target.unlink()
            self.add(f"export {kind}", found, bound, f", {size / 1e6:,.0f} MB written")

    def rebuilding(self) -> None:
        """On a copy."""
        copy = self.trace.with_name("copy.tape")
        shutil.copyfile(self.trace, copy)
        found = [run(self.program, "rebuild", copy) for _ in range(ROUNDS)]
        same = all(scalar(copy, count) == scalar(self.trace, count) for count in (
            "SELECT count(*) FROM http_exchange", "SELECT count(*) FROM simperium_command"))
        copy.unlink()
        self.add("rebuild", [(each.seconds, each.peak) for each in found], REBUILD,
                 "" if same else ", OTHER ROWS than before")

    def opening(self) -> None:
        """For replay."""
        found = [opened(self.program, self.trace) for _ in range(ROUNDS)]
        took, peaks = zip(*found, strict=True)
        bound = opening_bound(self.start, self.trace.stat().st_size)
        half = statistics.median(took)
        self.table.add("scale opening for replay", f"{spread(took, 2)} s, {max(peaks) / 1e6:.0f} MB",
                       f"<= {bound:.2f} s", half <= bound)


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows to `table`."""
    work = folder / "scale"
    work.mkdir()
    trace = work / "scale.tape"
    record_exchanges(program, work, trace, EXCHANGES // 50 if quick else EXCHANGES)
    # Each comes back.
    record_commands(program, work, trace, (COMMANDS // 50 if quick else COMMANDS) // 2)
    scale = Scale(table, program, trace)
    scale.listing()
    scale.exports()
    found = [diagnose(program, trace) for _ in range(ROUNDS)]
    scale.add("diagnose", [(took, peak) for took, _, peak, _ in found], DIAGNOSIS,
              f" ({re.sub(' in .*', '', found[0][3])})")
    scale.rebuilding()
    scale.opening()
