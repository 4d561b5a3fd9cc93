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
    # Rules of findings that are information.
    infos: frozenset[str]
    # Times at which each finding was complete, in nanoseconds of the session.
    moments: tuple[int, ...]
    # `recovered`, `not-recovered`, `undecided` or None, for what is not judged, for each fault.
    faults: tuple[str | None, ...]
    # The number of objects, cases and forms on which client and server disagree.
    differences: int

    @property
    def is_clear(self) -> bool:
        """Whether `diagnose` has no word about the client."""
        return not self.named and not self.undecided and not self.infos

    @property
    def is_recovered(self) -> bool:
        """Whether there were faults, and the client recovered from all of them."""
        return "recovered" in self.faults and set(self.faults) <= {"recovered", None}


# Of a client that is ended, and of every script that breaks connections.
UNRELATED = {"websocket.no-close-frame"}
# What certification says of data that is not what the script asks for.
DATA = (" differs on the server", " is not on the server", " is again on the server",
        "which no step submits")
# Mutants by client and name of which `diagnose` has no word, and why; by name of both clients.
UNSEEN = {
    "forgets-queue": "what was never sent may never have been made",
    "no-removal": "a removal that is not sent may not have been asked for",
    "no-rebase": "a person may have removed the two letters",
    "sends-late": "a person may have made the edit later",
    "small echoes": "a single blank that is put back is too short to prove it",
    "small no-cv-after-409": "the next acknowledgement brings the version that was missed",
    "small no-purge": "the state of the device is not followed through the form that closes a case",
}


def lines(*arguments: str | Path) -> list[dict]:
    """The lines of JSON that a command prints, whatever its verdict."""
    done = tapedeck(*arguments, status=None)
    assert done.returncode in (0, 1, 65), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def ask(trace: Path) -> Verdicts:
    """Asks all of them."""
    said = [one for one in lines("diagnose", "--json", "--blame", "client", trace)
            if "rule" in one]
    every = [one for one in said if one.get("kind") != "undecided"
             and one["rule"] not in UNRELATED]
    findings = [one for one in every if one["severity"] != "info"]
    faults = lines("faults", "report", "--json", trace)[0]
    state = lines("state", "--diff", "--json", trace)
    return Verdicts(
        named=frozenset(one["rule"] for one in findings),
        undecided=frozenset(one["rule"] for one in said if one.get("kind") == "undecided"),
        infos=frozenset(one["rule"] for one in every) - {one["rule"] for one in findings},
        moments=tuple(sorted({one["at"] for one in findings})),
        faults=tuple(fault["verdict"] for session in faults["sessions"]
                     for fault in session["faults"]),
        differences=sum(one["kind"].endswith("disagreement") for one in state))


def contradictions(client: str, mutant: str, report: dict) -> list[str]:
    """What the commands say of the traces of a certification that does not go together."""
    wrong = []
    is_unseen = mutant in UNSEEN or f"{client} {mutant}" in UNSEEN
    for scenario in report["scenarios"]:
        trace = Path(scenario["trace"])
        said = ask(trace)
        messages = [failure["message"] for failure in scenario["failures"]]
        is_data = said.differences > 0 or any(
            text in message for message in messages for text in DATA)
        if said.is_clear and not is_unseen:
            wrong.append(f"certify fails, and diagnose has no word: {messages}")
        if is_data and said.is_recovered:
            wrong.append("data is lost or doubled, and the client recovered from every fault: "
                         f"{messages}, {said.differences} differences")
    return wrong


def clear_cuts(report: dict, folder: Path, most: int = 3) -> tuple[int, list[str]]:
    """How many shorter recordings of a mutant there are, and those of which `diagnose` has no word.

    Each ends 10 s or 20 s after the session began, or right after a row of a mistake; before the first
    mistake there is nothing to say.
    """
    count, clear = 0, []
    for scenario in report["scenarios"]:
        trace = Path(scenario["trace"])
        moments = ask(trace).moments
        if not moments:
            continue
        # A request is there once its last byte is.
        ends = {*(moment + 5_000_000 for moment in moments[:most]), *(end for end in (10 * 10**9, 20 * 10**9) if end > moments[0])}
        for end in sorted(ends):
            count += 1
            if ask(cut(trace, end, folder)).is_clear:
                clear.append(f"{scenario['scenario']} at {end / 1e9:.3f} s")
    return count, clear


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
