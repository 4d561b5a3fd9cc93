"""Proves: the newcomer's first command works from beginning to end, again and again."""

from __future__ import annotations

import re

from programs import ROOT, TAPEDECK, environment, sql


def test_demo(program, tmp_path) -> None:
    """Tools/demo drives all it promises and says where the trace is."""
    demo = program(ROOT / "Tools/demo", env=environment(
        TAPEDECK=str(TAPEDECK), TMPDIR=str(tmp_path)))
    assert demo.wait(120) == 0, demo.said()
    printed = "\n".join(demo.output)
    assert "\x1b" not in printed
    trace = re.search(r"\S+\.tape", printed)[0]
    apis = [row[0] for row in sql(trace, "SELECT api FROM exchange ORDER BY id")]
    assert apis[0] == "commcare.submit" and apis[-1] == "simperium.socket"
    statuses = [row[0] for row in sql(
        trace, "SELECT status FROM exchange WHERE api = 'commcare.restore' ORDER BY id")]
    assert statuses[0] == 202 and statuses[-1] == 200
    assert {row[0] for row in sql(trace, "SELECT name FROM command WHERE sender = 0")} >= {
        "init", "i", "c"}
    assert sql(trace, "SELECT count(*) FROM simperium_command WHERE problem IS NOT NULL") == [(0,)]
