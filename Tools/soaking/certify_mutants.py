"""Certifies the built-in client, the two small ones of the tests, and every mutant of them: is each
caught, and do `diagnose`, `faults report` and `state --diff` say the same of it as `certify`, of
shorter recordings too?
"""

from __future__ import annotations

import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# At a time: they wait more than they work.
JOBS = 8


def run(folder: Path, only: list[str]) -> tuple[bool, list[str]]:
    """Whether the unchanged clients pass and all mutants are caught, and a line for each of them.

    `only` has names of mutants; without any, all of them and the unchanged clients are certified.
    """
    sys.path.insert(0, str(ROOT / "Tests/EndToEnd/Certifying"))
    import agreement
    import mutants
    import shim_mutants

    began = time.monotonic()
    chosen = [mutant for mutant in shim_mutants.MUTANTS + mutants.MUTANTS
              if not only or mutant.name in only]
    lines = ["| client | mutant | forgets | caught by |", "| --- | --- | --- | --- |"]
    escaped = []
    contradicting = []
    cuts = 0

    def judge(mutant: mutants.Mutant) -> tuple[str, list[str], int]:
        """Why it escaped, what contradicts what, and the number of shorter recordings."""
        place = folder / f"{mutant.client}-{mutant.suite}-{mutant.name}"
        command = (shim_mutants.command(mutant.name) if mutant.client == shim_mutants.BUILT_IN
                   else None)
        try:
            made = mutants.certify(mutant.suite, mutant.name, (mutant.scenario,), place,
                                   command=command)
            count, clear = agreement.clear_cuts(made[1], place)
            wrong = agreement.contradictions(mutant.client, mutant.name, made[1])
            return (mutants.escape(mutant, *made),
                    wrong + [f"diagnose has no word of {one}" for one in clear], count)
        except (AssertionError, OSError, ValueError) as error:
            return str(error), [], 0

    with ThreadPoolExecutor(JOBS) as threads:
        for mutant, (why, wrong, count) in zip(chosen, threads.map(judge, chosen)):
            cuts += count
            contradicting += [f"{mutant.client} {mutant.name} in {mutant.scenario}: {one}"
                              for one in wrong]
            if why:
                escaped.append(f"{mutant.name} in {mutant.scenario}: {why}")
            lines.append(f"| {mutant.client}, {mutant.suite} | {mutant.name} | {mutant.what} | "
                         f"{mutant.scenario}{': ' + mutant.case if mutant.case else ''}"
                         f"{' **ESCAPED**' if why else ''} |")
    for suite in () if only else mutants.CLIENTS:
        for client, command in (("small", None), ("built-in", shim_mutants.command(""))):
            status, report = mutants.certify(suite, "", (), folder / f"{client}-{suite}",
                                             command=command)
            if status:
                wrong = [failure["message"] for one in report["scenarios"]
                         for failure in one["failures"]]
                wrong += [one["case"] for one in report["cases"] if one["verdict"] == "failed"]
                escaped.append(f"the unchanged {client} client of {suite} did not pass: {wrong}")
    shutil.rmtree(folder, ignore_errors=True)
    count = len(chosen) - sum(" in " in each for each in escaped)
    lines += ["", f"{count} of {len(chosen)} mutants caught, in {time.monotonic() - began:.0f} s; "
              f"of {len(contradicting)} of them and of {cuts} shorter recordings the commands "
              "contradict one another"]
    return not escaped and not contradicting, lines + [
        f"- {each}" for each in escaped + contradicting]
