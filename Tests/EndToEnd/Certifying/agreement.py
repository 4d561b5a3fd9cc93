"""What `diagnose`, `faults report` and `state --diff` say of one trace, whole and cut, to compare them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from programs import tapedeck


@dataclass(frozen=True)
class Verdicts:
    """What the commands say of a trace."""

    # Rules that the client broke, and those of which it could not be decided.
    named: frozenset[str]
    undecided: frozenset[str]
    # Times at which each finding was complete, in nanoseconds of the session.
    moments: tuple[int, ...]
    # `recovered`, `not-recovered`, `undecided` or `not-judged` for each fault.
    faults: tuple[str, ...]
    # The number of objects, cases and forms on which client and server disagree.
    differences: int

    @property
    def is_clear(self) -> bool:
        """Whether `diagnose` has no word about the client."""
        return not self.named and not self.undecided


def lines(*arguments: str | Path) -> list[dict]:
    """The lines of JSON that a command prints, whatever its verdict."""
    done = tapedeck(*arguments, status=None)
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def ask(trace: Path) -> Verdicts:
    """Asks all of them."""
    said = [one for one in lines("diagnose", "--json", "--blame", "client", trace)
            if "rule" in one]
    findings = [one for one in said if one.get("kind") != "undecided"
                and one["severity"] != "info"]
    faults = lines("faults", "report", "--json", trace)[0]
    state = lines("state", "--diff", "--json", trace)
    return Verdicts(
        named=frozenset(one["rule"] for one in findings),
        undecided=frozenset(one["rule"] for one in said if one.get("kind") == "undecided"),
        moments=tuple(sorted({one["at"] for one in findings})),
        faults=tuple(fault["verdict"] for session in faults["sessions"]
                     for fault in session["faults"]),
        differences=sum(one["kind"].endswith("disagreement") for one in state))


def cut(trace: Path, at: int, folder: Path) -> Path:
    """The trace as it would be had the recording ended so many nanoseconds after its start."""
    text = folder / f"{at}"
    tapedeck("export", trace, text, "--format", "text")
    timeline = text / "timeline.jsonl"
    kept: list[str] = []
    for line in timeline.read_text(encoding="utf-8").splitlines(keepends=True):
        row = json.loads(line)
        if row.get("kind") == "session-ended":
            row["at_ns"] = min(row["at_ns"], at)
            line = json.dumps(row, separators=(",", ":"), ensure_ascii=False) + "\n"
        elif "fault_verdict" in row or row.get("at_ns", 0) > at:
            continue
        kept.append(line)
    timeline.write_text("".join(kept), encoding="utf-8")
    about = text / "recording.json"
    contents = json.loads(about.read_text(encoding="utf-8"))
    for file in contents["files"]:
        if file["name"] == timeline.name:
            file["lines"] = len(kept)
    about.write_text(json.dumps(contents), encoding="utf-8")
    short = folder / f"{at}.tape"
    tapedeck("import", text, short)
    return short
