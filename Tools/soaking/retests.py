"""Makes a reproduction of each mutant's finding, and tests the mutant and the unchanged client with
it.
"""

from __future__ import annotations

import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# At a time: they wait more than they work.
JOBS = 6
# Tested ten times in a row.
OFTEN = {"diff-after-440", "no-cv", "resends-before-cv", "resends-422", "since-after-412",
         "no-cool-down"}


def run(folder: Path, only: list[str]) -> tuple[bool, list[str]]:
    """Whether every mutant with a finding fails and the unchanged clients pass, and a line for each.

    `only` has names of mutants; without any, all of them.
    """
    sys.path.insert(0, str(ROOT / "Tests/EndToEnd/Certifying"))
    import mutants
    import reproductions as one

    began = time.monotonic()
    chosen = [mutant for mutant in mutants.MUTANTS if not only or mutant.name in only]
    lines = ["| client | mutant | rule | result |", "| --- | --- | --- | --- |"]

    def judge(mutant: mutants.Mutant) -> tuple[str, str]:
        """The rule, and what is wrong; an empty rule without a finding."""
        place = folder / f"{mutant.suite}-{mutant.name}"
        try:
            made = one.reproduce(mutant, one.record(mutant, place / "certify"), place / "made")
            if made is None:
                return "", ""
            wrong = [] if f"{made.rule} held" in made.text else ["the built-in client fails"]
            for _ in range(10 if mutant.name in OFTEN else 1):
                for name, expected in ((mutant.name, (1, made.verdict)), ("", (0, "held"))):
                    result = one.retest(made, mutant.suite, name)
                    if result != expected:
                        wrong.append(f"{name or 'unchanged'}: {result[1]}")
            return made.rule, "; ".join(dict.fromkeys(wrong))
        except (AssertionError, OSError, ValueError) as error:
            return "?", str(error).strip()

    right = without = 0
    with ThreadPoolExecutor(JOBS) as threads:
        for mutant, (rule, wrong) in zip(chosen, threads.map(judge, chosen)):
            without += not rule
            right += bool(rule) and not wrong
            result = f"**{wrong}**" if wrong else "as it should" if rule else "no finding"
            lines.append(f"| {mutant.suite} | {mutant.name} | {rule} | {result} |")
    shutil.rmtree(folder, ignore_errors=True)
    lines += ["", f"{right} of {len(chosen) - without} reproductions fail the mutant and pass the "
              f"unchanged client; {without} mutants have no finding; "
              f"{time.monotonic() - began:.0f} s"]
    return right + without == len(chosen), lines
