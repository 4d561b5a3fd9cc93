"""From the finding of a mutant to a folder that tests clients, and what the mutant and the client
without its mistake make of it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import mutants
from programs import TAPEDECK, environment

# Of a client that is ended, and of every script that breaks connections.
UNRELATED = {"websocket.no-close-frame"}


@dataclass
class Reproduced:
    """A folder, and the rule of its finding."""

    folder: Path
    rule: str
    text: str
    # What `retest` says of the mutant.
    verdict: str = "broken"


def run(*arguments: str | Path, seconds: float = 900) -> subprocess.CompletedProcess[str]:
    """A command of the program, to its end."""
    return subprocess.run([TAPEDECK, *arguments], env=environment(PYTHONDONTWRITEBYTECODE="1"),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=seconds, check=False)


def findings(trace: Path) -> list[dict]:
    """The findings about the client, the worst first, and then what could not be decided."""
    lines = [json.loads(line) for line in run("diagnose", "--json", trace).stdout.splitlines()]
    return [line for line in lines
            if line["blames"] == "client" and line["rule"] not in UNRELATED]


def record(mutant: mutants.Mutant, folder: Path) -> Path:
    """The trace of the scenario that catches a mutant."""
    mutants.certify(mutant.suite, mutant.name, (mutant.scenario,), folder)
    return folder / "out" / mutant.scenario / "session.tape"


def reproduce(mutant: mutants.Mutant, trace: Path, folder: Path) -> Reproduced | None:
    """A reproduction of the finding or duty by which a mutant is caught; None where there is none."""
    found = findings(trace)
    if not found:
        return None
    finding = next((one for one in found if one["rule"] == mutant.case), found[0])
    done = run("reproduce", trace, finding["number"], folder, "--ca-dir", folder.parent / "ca")
    assert done.returncode == 0, done.stderr
    verdict = "undecided" if finding.get("kind") == "undecided" else "broken"
    return Reproduced(folder, finding["rule"], done.stdout, verdict)


def retest(made: Reproduced, suite: str, mutant: str, *options: str | Path) -> tuple[int, str]:
    """Tests a small client, or a mutant of it; the exit status and the verdict."""
    output = made.folder.parent / (mutant or "unchanged")
    done = run("retest", made.folder, "--json", "--output", output, "--ca-dir",
               made.folder.parent / "ca", *options, "--", sys.executable, mutants.CLIENTS[suite],
               *([mutant] if mutant else []))
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)["verdict"]
