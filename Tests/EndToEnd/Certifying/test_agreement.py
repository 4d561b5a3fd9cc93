"""`certify`, `diagnose`, `faults report` and `state --diff` agree with one another on clients that lose data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import agreement
import mutants
import pytest


@dataclass(frozen=True)
class Loss:
    """What the commands say of a mutant besides `certify`."""

    mutant: str
    # A rule that is named, or that could not be decided where the session ends early.
    rule: str
    # Whether an edit or form of the client never reached the server.
    is_lost: bool = False


LOSSES = (
    Loss("forgets-unacknowledged", "simperium.change.never-resent", is_lost=True),
    Loss("gives-up-503", "simperium.change.stuck-key", is_lost=True),
    Loss("doubles-text", "simperium.diff.repeats-insert"),
    Loss("new-instance-id", "commcare.story.duplicate-form"),
    Loss("forgets-unsent", "commcare.submit.forgotten", is_lost=True),
    Loss("keeps-half", "commcare.sync.token-of-broken-restore"),
)


@pytest.mark.parametrize("loss", LOSSES, ids=[each.mutant for each in LOSSES])
def test_agreement(tmp_path: Path, loss: Loss) -> None:
    """What fails a scenario is a finding or undecided, and a difference where something is lost.

    So it is right after the mistake as well.
    """
    mutant = next(each for each in mutants.MUTANTS if each.name == loss.mutant)
    status, report = mutants.certify(mutant.suite, mutant.name, (mutant.scenario,), tmp_path)
    assert status == 1
    assert not agreement.contradictions(mutant.client, mutant.name, report)
    trace = Path(report["scenarios"][0]["trace"])
    said = agreement.ask(trace)
    assert loss.rule in said.named | said.undecided
    if loss.is_lost:
        assert said.differences > 0
    count, clear = agreement.clear_cuts(report, tmp_path)
    assert count >= len(said.moments[:3])
    assert not clear
