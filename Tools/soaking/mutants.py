"""Tools/soak --mutants: mistakes made on purpose, each in a copy, and the first test that fails.

The mistakes stand in mutants/TARGET.toml, thirty for each target: `line` is text that stands once in
`file`, `old` what is replaced in it (an expression; a statement where `statement` is true or `new` is
empty), `new` what somebody could have written, `breaks` what goes wrong then. `equivalent` says why
no test can notice, where that is so.

All are compiled into one build of the tests: `old` becomes `(isMutant(7) ? (new) : (old))`, and the
environment variable TAPEDECK_MUTANT names the one that is on. The copy stands in .build/mutants. As
root it is mounted over the checkout, for its own processes alone, so that the paths in the build
directory hold and only what is changed is compiled; others wait for a whole build the first time.
"""

import os
import re
import shutil
import signal
import subprocess
import threading
import time
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LISTS = Path(__file__).resolve().parent / "mutants"
COPY = ROOT / ".build/mutants/checkout"

# Whose tests are asked, one after the other, until one fails: those of the target, then those behind
# it that take seconds. What only a test of the whole program notices counts as a survivor.
ASKED = {
    "Framing": ["Framing", "Fuzzing", "Dissection", "Proxying"],
    "Simperium": ["Simperium", "Fuzzing", "Dissection"],
    "Dissection": ["Dissection", "Fuzzing", "Proxying"],
    "Proxying": ["Proxying", "Fuzzing"],
    "Faults": ["Faults", "Fuzzing", "Proxying"],
}

# Long random sessions are played shorter than in the tests: there are 150 of them.
SHORTER = {"TAPEDECK_STEPS": "30000", "TAPEDECK_SEEDS": "10", "SWIFT_BACKTRACE": "enable=no"}

SWITCH = """\
import Glibc

/// The mutant that is on, 0 without.
enum Mutants {{
    static let active: Int =
        switch getenv("TAPEDECK_MUTANT").map({{ String(cString: $0) }}) {{
{cases}
        default: 0
        }}
}}

/// Whether the mistake with this number is made.
func isMutant(_ number: Int) -> Bool {{ Mutants.active == number }}
"""


class Failed(Exception):
    """No mutant could be played."""


@dataclass
class Mutant:
    """A mistake that somebody could make."""

    target: str
    number: int
    name: str
    file: str
    line: str
    old: str
    new: str
    breaks: str
    statement: bool = False
    equivalent: str = ""

    def place(self, text: str) -> tuple[int, int]:
        """Where the replaced text stands in its file."""
        if text.count(self.line) != 1 or self.line.count(self.old) != 1:
            raise Failed(f"{self.name}: its line stands {text.count(self.line)} times in {self.file}")
        start = text.index(self.line) + self.line.index(self.old)
        return start, start + len(self.old)

    @property
    def both(self) -> str:
        """The mistake and what is right, with the switch between them."""
        if self.statement or not self.new:
            return f"if isMutant({self.number}) {{ {self.new} }} else {{ {self.old} }}"
        return f"(isMutant({self.number}) ? ({self.new}) : ({self.old}))"


@dataclass
class Outcome:
    """What became of a mutant."""

    mutant: Mutant
    by: str = ""
    how: str = ""
    seconds: float = 0


def mutants() -> list[Mutant]:
    """All there are."""
    found = []
    for target in ASKED:
        with (LISTS / f"{target}.toml").open("rb") as file:
            rows = tomllib.load(file)["mutant"]
        found += [Mutant(target, number, **row) for number, row in enumerate(rows, 1)]
    double = [name for name, count in Counter(each.name for each in found).items() if count > 1]
    if double:
        raise Failed(f"two mutants are called {double[0]}")
    return found


def mutated(every: list[Mutant]) -> dict[str, str]:
    """The files that differ in the copy."""
    files: dict[str, str] = {}
    for target in ASKED:
        own = [each for each in every if each.target == target]
        for name in {each.file for each in own}:
            place = f"Sources/{target}/{name}"
            text = (ROOT / place).read_text()
            edits = sorted(((*each.place(text), each.both) for each in own if each.file == name),
                           reverse=True)
            end = len(text)
            for start, stop, both in edits:
                if stop > end:
                    raise Failed(f"two mutants change the same text in {place}")
                text, end = text[:start] + both + text[stop:], start
            files[place] = text
        cases = "\n".join(f'        case "{each.name}": {each.number}' for each in own)
        files[f"Sources/{target}/Mutants.swift"] = SWITCH.format(cases=cases)
    return files


def copy(files: dict[str, str]) -> None:
    """Brings the copy up to date; what is the same keeps its time, so that little is compiled."""
    listed = subprocess.run(["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.split("\0")
    names = {name for name in listed if name and (ROOT / name).exists()}
    names |= {"Package.resolved"} if (ROOT / "Package.resolved").exists() else set()
    COPY.mkdir(parents=True, exist_ok=True)
    for path in COPY.rglob("*"):
        name = str(path.relative_to(COPY))
        if not name.startswith(".build") and (path.is_file() or path.is_symlink()) \
                and name not in names | files.keys():
            path.unlink()
    for name in sorted(names - files.keys()):
        there, here = ROOT / name, COPY / name
        here.parent.mkdir(parents=True, exist_ok=True)
        if there.is_symlink():
            if not here.is_symlink() or here.readlink() != there.readlink():
                here.unlink(missing_ok=True)
                here.symlink_to(there.readlink())
        elif not here.is_file() or here.read_bytes() != there.read_bytes():
            shutil.copy2(there, here)
        elif here.stat().st_mtime_ns != there.stat().st_mtime_ns:
            os.utime(here, ns=(there.stat().st_atime_ns, there.stat().st_mtime_ns))
    for name, text in files.items():
        (COPY / name).parent.mkdir(parents=True, exist_ok=True)
        if not (COPY / name).is_file() or (COPY / name).read_text() != text:
            (COPY / name).write_text(text)


def over_checkout(command: list[str]) -> list[str]:
    """The command, run where the copy is mounted over the checkout."""
    script = 'mount --bind "$0" "$1" && cd "$1" && shift && exec "$@"'
    return ["unshare", "-m", "bash", "-c", script, str(COPY), str(ROOT), *command]


def may_mount() -> bool:
    """Whether this process may mount."""
    return subprocess.run(over_checkout(["true"]), capture_output=True, check=False).returncode == 0


def in_copy(command: list[str]) -> list[str]:
    """The command, run in the copy."""
    return over_checkout(command) if MOUNTS else ["env", "-C", str(COPY), *command]


MOUNTS = False


def build() -> None:
    """Compiles all mutants into one build of the tests."""
    global MOUNTS
    copy(mutated(mutants()))
    MOUNTS = may_mount()
    own = COPY / ".build"
    if MOUNTS and not own.exists():
        left = ["mutants", "fuzz", "fuzzing", "release", "tests", "index-build"]
        own.mkdir()
        for path in (ROOT / ".build").iterdir():
            if path.name not in left:
                subprocess.run(["cp", "-a", str(path), str(own)], check=True)
    flags = os.environ.get("TAPEDECK_BUILD_FLAGS", "-debug-info-format none").split()
    made = subprocess.run(in_copy(["swift", "build", "--build-tests", *flags]),
                          env={**os.environ, "TAPEDECK_OPTIMIZED": "yes"},
                          capture_output=True, text=True, check=False)
    if made.returncode:
        wrong = [line for line in made.stdout.splitlines() if "error:" in line]
        raise Failed("the mutants do not compile:\n" + "\n".join(wrong or made.stdout.splitlines()[-20:]))


def ask(target: str, mutant: str, limit: float) -> tuple[str, str]:
    """Runs the tests of a target until one fails; says which and how, "" where none does.

    A crash has to happen twice: tests with sockets of their own may meet what others do.
    """
    by, how = ask_once(target, mutant, limit)
    return ask_once(target, mutant, limit) if how == "crash" else (by, how)


def ask_once(target: str, mutant: str, limit: float) -> tuple[str, str]:
    """Runs the tests of a target once."""
    environment = {**os.environ, **SHORTER, "TAPEDECK_MUTANT": mutant}
    command = in_copy([".build/debug/tapedeckPackageTests.xctest", "--testing-library",
                       "swift-testing", "--filter", rf"^{target}Tests\."])
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace",
                               start_new_session=True)
    late = threading.Event()

    def end() -> None:
        late.set()
        os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(limit, end)
    timer.start()
    failed = ""
    ran = False
    for line in process.stdout:
        line = re.sub(r"\x1b\[[0-9;]*m", "", line)
        ran = ran or re.search(r"Test run with [1-9]", line) is not None
        match = re.match(r"\W*Test (.*?) recorded an issue", line)
        if match:
            failed = match[1]
            break
    timer.cancel()
    if failed:
        os.killpg(process.pid, signal.SIGKILL)
    status = process.wait()
    if failed:
        return f"{target}Tests: {failed.split(' with ')[0]}", "test"
    if late.is_set():
        return f"{target}Tests", "no end"
    if status or not ran:
        return f"{target}Tests", "crash" if status < 0 else "failed"
    return "", ""


def play(mutant: Mutant, limits: dict[str, float]) -> Outcome:
    """Turns a mutant on and asks test after test."""
    began = time.monotonic()
    outcome = Outcome(mutant)
    for target in ASKED[mutant.target]:
        if target not in limits:
            continue
        outcome.by, outcome.how = ask(target, mutant.name, limits[target])
        if outcome.by:
            break
    outcome.seconds = time.monotonic() - began
    return outcome


def baseline(targets: list[str]) -> dict[str, float]:
    """Of each target how long its tests may take; without a mutant, all have to pass."""
    limits = {}
    for target in targets:
        if not (ROOT / f"Tests/{target}Tests").exists():
            continue
        began = time.monotonic()
        by, how = ask(target, "", 900)
        if by:
            raise Failed(f"without a mutant, {by} fails ({how})")
        taken = time.monotonic() - began
        limits[target] = 30 + 4 * taken
        print(f"without a mutant, {target}Tests pass in {taken:.0f} s", flush=True)
    return limits


def table(outcomes: list[Outcome]) -> list[str]:
    """What was caught in each target, and what was not."""
    lines = ["| target | mutants | caught | by its own tests | by tests behind it | crashed | no end |",
             "|---|--:|--:|--:|--:|--:|--:|"]
    for target in [*ASKED, "all"]:
        own = [each for each in outcomes if target in (each.mutant.target, "all")]
        caught = [each for each in own if each.by]
        if not own:
            continue
        first = [each for each in caught if each.by.startswith(f"{each.mutant.target}Tests")]
        lines.append(
            f"| {target} | {len(own)} | {len(caught)} ({100 * len(caught) / len(own):.0f} %) | "
            f"{len(first)} | {len(caught) - len(first)} | "
            f"{sum(each.how == 'crash' for each in own)} | {sum(each.how == 'no end' for each in own)} |")
    survivors = [each.mutant for each in outcomes if not each.by]
    if survivors:
        lines += ["", "Survivors:", ""]
        lines += [f"- `{each.name}` ({each.target}/{each.file}): "
                  + (each.equivalent or f"NOT ANSWERED; {each.breaks}") for each in survivors]
    return lines


def run(only: list[str] | None) -> tuple[bool, list[str]]:
    """Plays all mutants, or those named (a target stands for all of its own), and prints each."""
    chosen = [each for each in mutants() if not only or each.name in only or each.target in only]
    if not chosen:
        raise Failed(f"there is no mutant {', '.join(only or [])}")
    began = time.monotonic()
    build()
    print(f"built in {(time.monotonic() - began) / 60:.0f} min", flush=True)
    began = time.monotonic()
    used = list(dict.fromkeys(name for each in chosen for name in ASKED[each.target]))
    limits = baseline(used)
    outcomes = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for outcome in pool.map(lambda each: play(each, limits), chosen):
            outcomes.append(outcome)
            verdict = f"{outcome.by} ({outcome.how})" if outcome.by else "SURVIVED"
            print(f"{len(outcomes)}/{len(chosen)} {outcome.mutant.target} {outcome.mutant.name}, "
                  f"{outcome.seconds:.0f} s: {verdict}", flush=True)
    caught = sum(bool(each.by) for each in outcomes)
    lines = table(outcomes)
    lines += ["", f"Played in {(time.monotonic() - began) / 60:.0f} min."]
    answered = all(each.by or each.mutant.equivalent for each in outcomes)
    return answered and caught >= 0.85 * len(outcomes), lines
