"""Cases of faults between generated peers, and whether the trace has what each of them had."""

from __future__ import annotations

import random
import shutil
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from certificates import make_certificates
from fault_after import Afterwards
from fault_cases import Case, case, drawn, every
from fault_checks import Sides
from fault_sockets import Editor, SocketOrigin
from fault_web import Device, WebOrigin
from programs import Recording, tapedeck

# Seconds that the peers of a case have, before the checks.
BOUND = 12.0


@dataclass
class Played:
    """A case and what became of it."""

    case: Case
    problems: list[str] = field(default_factory=list)
    faults: int = 0
    exchanges: int = 0
    messages: int = 0
    strict: int = 0
    loose: int = 0
    seconds: float = 0.0


class Faults:
    """Plays cases, one after the other."""

    def __init__(self, folder: Path, seed: int, is_kept: bool):
        self.folder, self.seed, self.is_kept = folder, seed, is_kept
        self.played: list[Played] = []
        tapedeck("ca", "--ca-dir", folder / "ca", "--pem", folder / "trust.pem")
        self.certificates = make_certificates(folder)

    def play(self, count: int, only: list[str]) -> None:
        """Plays the named cases, or so many that the seed draws; with 0 every action alone."""
        names = only or (drawn(count, self.seed) if count else every(self.seed))
        for number, name in enumerate(names, 1):
            made = self._case(case(name), number)
            self.played.append(made)
            print(f"{number}/{len(names)} {name}: {made.faults} faults, "
                  f"{made.exchanges} exchanges, {made.messages} messages, {made.seconds:.1f} s, "
                  f"{len(made.problems) or 'no'} differences", file=sys.stderr, flush=True)
            for problem in made.problems:
                print(f"  {_line(problem)}", file=sys.stderr, flush=True)

    def _case(self, what: Case, number: int) -> Played:
        made, began = Played(what), time.monotonic()
        home = self.folder / f"{number}"
        home.mkdir()
        try:
            self._run(what, home, made)
        except Exception as error:
            made.problems.append(f"the case ended with {error!r}"[:3000])
            if not isinstance(error, (AssertionError, OSError)):
                raise
        made.seconds = time.monotonic() - began
        if not self.is_kept and not made.problems:
            shutil.rmtree(home)
        return made

    def _run(self, what: Case, home: Path, made: Played) -> None:
        dice = random.Random(what.name)
        has_tls = what.transport == "https"
        trust = str(self.folder / "trust.pem") if has_tls else None
        if what.is_socket:
            origin = SocketOrigin(what.size, dice, what.transport == "deflate")
        else:
            origin = WebOrigin(what.size, dice, self.certificates.context() if has_tls else None)
        trace = home / "case.tape"
        deck = Recording(
            trace, self.folder / "ca", "--to", origin.url, "--seed", str(what.seed), "--server-ca",
            self.certificates.authority,
            *(word for rule in what.rules for word in ("--fault", rule)))
        try:
            if what.is_socket:
                client = Editor(deck.port, what.size, dice, what.transport == "deflate", origin)
            else:
                client = Device(deck.port, what.size, dice, trust)
            client.run(BOUND)
            time.sleep(0.3)
            deck.finish()
        finally:
            deck.kill()
            origin.close()
            (home / "rules.txt").write_text("\n".join([what.name, *what.rules, deck.said()]))
        sides = Sides(trace, client.taps, origin.taps, f"127.0.0.1:{origin.port}")
        made.problems += sides.check()
        made.exchanges, made.messages = sides.exchanges, sides.messages
        made.strict, made.loose = sides.strict, sides.loose
        after = Afterwards(what, trace, home, client, origin)
        made.problems += after.check()
        made.faults = after.faults

    def facts(self) -> list[str]:
        """What was played."""
        actions = Counter(action for made in self.played
                          for action in made.case.name.split("/")[0].split("+"))
        kinds = Counter(made.case.transport for made in self.played)
        sizes = Counter(made.case.name.split("/")[2] for made in self.played)
        return [
            f"{len(self.played)} cases, {sum(made.faults for made in self.played)} faults, "
            f"{sum(made.exchanges for made in self.played)} exchanges and "
            f"{sum(made.messages for made in self.played)} messages of both sides, "
            f"{sum(made.strict for made in self.played)} connections compared to the last byte, "
            f"{sum(made.loose for made in self.played)} up to where they were cut",
            ", ".join(f"{name} {count}" for name, count in sorted(kinds.items())) + "; "
            + ", ".join(f"{name} {count}" for name, count in sorted(sizes.items())),
            ", ".join(f"{name} {count}" for name, count in sorted(actions.items())),
        ]

    def differences(self) -> list[str]:
        """A line for each difference."""
        return [f"{made.case.name} ({'; '.join(made.case.rules)}): {_line(problem)}"
                for made in self.played for problem in made.problems]


def _line(problem: str) -> str:
    """A difference on one line that is not too long."""
    return " / ".join(problem.split("\n"))[:1500]
