"""What `Tools/soak` does at length, a second for each action."""

from __future__ import annotations

import sys

from programs import ROOT, TAPEDECK

sys.path.insert(0, str(ROOT / "Tools/soaking"))

import soak  # noqa: E402
import soak_rules  # noqa: E402


def test_everything_comes_through_every_fault(tmp_path):
    """Each action for a second, and mixes; then proxy, memory, trace and clients are well."""
    running = soak.Soak(TAPEDECK, tmp_path)
    try:
        running.warm_up(2)
        rounds = [(action, soak_rules.RULES[action]) for action in soak_rules.catalogue()]
        for name, rules in rounds + soak_rules.mixes(3, 1):
            running.play(name, rules, 0.5, 1)
        facts = running.finish()
    finally:
        running.kill()
        print("\n".join(soak.table(running.rounds)))
    print("\n".join(facts))
    assert sum(made.faults > 0 for made in running.rounds) > 0.8 * len(rounds)
