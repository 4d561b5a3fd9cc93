"""What runs in the background of a test: the embedded server, and the proxy that records."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tapedeck.program import Running, TapedeckError, run


@dataclass(frozen=True)
class Finding:
    """A rule that a peer broke, as `tapedeck diagnose --json` has it; `all` has every member."""

    number: str
    rule: str
    severity: str
    blames: str
    message: str
    expected: str
    all: dict = field(repr=False, compare=False)

    def __str__(self) -> str:
        return f"{self.number} {self.severity} {self.rule}: {self.message} (expected: {self.expected})"


class Server(Running):
    """A running `tapedeck serve`: CommCare and Simperium on one port, without a network."""

    def __init__(self, *options: str | Path, listen: str = "127.0.0.1:0") -> None:
        super().__init__("serve", "--listen", listen, *options)

    @property
    def url(self) -> str:
        """Its address for HTTP, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"


class Recording(Running):
    """A running `tapedeck record`, and the trace that it writes.

    `to` is the server that it stands for; without it clients use it as their HTTP proxy. `faults` are
    rules such as `method:POST => 503 first=1`, `plans` files or packs of them.
    """

    def __init__(self, trace: Path, to: str | None = None, *, faults: Iterable[str] = (),
                 plans: Iterable[str | Path] = (), seed: int | None = None,
                 options: Iterable[str | Path] = (), listen: str = "127.0.0.1:0") -> None:
        self.trace = Path(trace)
        more: list[str | Path] = ["--to", to] if to else []
        for rule in faults:
            more += ["--fault", rule]
        for plan in plans:
            more += ["--faults", plan]
        if seed is not None:
            more += ["--seed", str(seed)]
        super().__init__("record", self.trace, "--listen", listen, *more, *options)

    @property
    def url(self) -> str:
        """Its address, for clients of the server that it stands for, or as a proxy."""
        return f"http://127.0.0.1:{self.port}"

    def add_fault(self, rule: str) -> None:
        """Adds a rule to those that run."""
        done = run("faults", "add", self.trace, rule)
        if done.returncode:
            raise TapedeckError(done.stderr)

    def exchanges(self, filter: str = "") -> list[dict]:
        """What was recorded, as `tapedeck ls --json` lists it: exchanges and Simperium commands."""
        listed = run("ls", self.trace, "--json", *([filter] if filter else [])).stdout
        return [json.loads(line) for line in listed.splitlines()]

    def findings(self, *options: str) -> list[Finding]:
        """Which rules the client or the server broke."""
        done = run("diagnose", self.trace, "--json", "--fail-on", "never", *options)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        return [Finding(*(str(each.get(name) or "") for name in (
            "number", "rule", "severity", "blames", "message", "expected")), each)
            for each in found if each.get("rule") and each.get("kind") != "undecided"]

    def fault_report(self) -> dict:
        """Whether the client recovered from each fault, as `tapedeck faults report --json` has it."""
        return json.loads(run("faults", "report", self.trace, "--json").stdout)

    def query(self, sql: str, *values: object) -> list[tuple]:
        """The rows of a query of the trace, which is a SQLite file."""
        with sqlite3.connect(f"file:{self.trace}?mode=ro", uri=True) as trace:
            return trace.execute(sql, values).fetchall()
