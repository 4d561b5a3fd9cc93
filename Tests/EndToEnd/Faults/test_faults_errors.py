"""What is wrong with a plan is said, with the place, before anything starts."""

from __future__ import annotations

import pytest
from programs import TAPEDECK, Program, tapedeck


def refused(program, trace, ca_dir, *arguments) -> list[str]:
    """The lines that a recording with these arguments ends with at once."""
    ended: Program = program(TAPEDECK, "record", trace, "--listen", "127.0.0.1:0",
                             "--ca-dir", ca_dir, *arguments)
    assert ended.wait() == 64, ended.said()
    assert not ended.output, "nothing has started"
    assert not trace.exists()
    return ended.errors


def marked(lines: list[str]) -> str:
    """What has a mark under it."""
    for text, marks in zip(lines, lines[1:]):
        if "^" in marks and not marks.strip(" ^~"):
            return text[marks.index("^"):marks.rindex("^") + 1]
    raise AssertionError(f"nothing is marked: {lines}")


MISTAKES = [
    ("colour:red => 503", "colour"),
    ("path:/x => eror 440", "eror"),
    ("path:/x => 503 colour=red", "colour"),
    ("path:/x => 503 first=none", "none"),
    ("path:/x => latency soon", "soon"),
    ("path:/x => latency", "latency"),
    ("status:500..400 => set-header A b", "500..400"),
    ("size:10KB..1KB => set-header A b", "10KB..1KB"),
    ("status:200 status:503 => set-header A b", "status:503"),
    ("method:GET method:POST => 503", "method:POST"),
    ("bucket:a not bucket:a => drop", "bucket:a"),
    ("status:200 => 503", "status"),
    ("command:c => truncate 5", "command"),
    ("path:/x => 503 from=20s to=10s", ""),
    ("path:/x => 503 first=2 nth=3", ""),
    ("path:/x => 503 probability=2", "2"),
    ("path:/x 503", ""),
    ("path:/x =>", ""),
    ("path:/x => blackout", "blackout"),
    ("path:/x => 503 name=a until='nonsense:1'", "nonsense"),
]


@pytest.mark.parametrize(("rule", "place"), MISTAKES, ids=[rule for rule, _ in MISTAKES])
def test_a_rule_that_is_wrong(program, trace, ca_dir, rule, place):
    lines = refused(program, trace, ca_dir, "--to", "http://127.0.0.1:9", "--fault", rule)
    assert place in marked(lines) or marked(lines) in place, lines


@pytest.mark.parametrize(("text", "place", "mark"), [
    ("rules:\n  - path:/x => 503\n  - filter: path:/x\n    action: eror 440\n", "4:13", "eror"),
    ("rules:\n  - filter: 'colour:red'\n    action: drop\n", "2:", "colour"),
    ("rules:\n  - filter: path:/x\n    action: {kind: status, code: 503, color: 1}\n", "3:",
     "color"),
    ("rules:\n  - filter: path:/x\n    action: '503'\n    shedule: first=1\n", "4:", "shedule"),
    ("seed: -1\nrules: []\n", "1:", "-1"),
    ("rules:\n  - {name: a, filter: 'path:/x', action: drop}\n  - path:/x => drop name=a\n", "3:",
     "a"),
    ("rules:\n  - [\n", "", ""),
], ids=["action", "filter", "argument", "key", "seed", "name", "yaml"])
def test_a_plan_that_is_wrong(program, trace, ca_dir, tmp_path, text, place, mark):
    plan = tmp_path / "plan.yaml"
    plan.write_text(text)
    lines = refused(program, trace, ca_dir, "--to", "http://127.0.0.1:9", "--faults", plan)
    said = "\n".join(lines)
    assert f"plan.yaml:{place}" in said, said
    if mark:
        assert mark in marked(lines), said


def test_a_plan_that_is_not_there(program, trace, ca_dir):
    ended = program(TAPEDECK, "record", trace, "--listen", "127.0.0.1:0", "--ca-dir", ca_dir,
                    "--faults", "overloaded-servr")
    assert ended.wait() == 66
    assert "overloaded-server" in "\n".join(ended.errors)
    assert not trace.exists()


def test_aliases_that_stand_for_too_much(tmp_path) -> None:
    """A few hundred bytes of YAML do not keep anybody busy for years, whoever reads them."""
    levels = "".join(f"a{level}: &a{level} [*a{level - 1}, *a{level - 1}]\n"
                     for level in range(1, 30))
    file = tmp_path / "bomb.yaml"
    for end in ("*a29 : key\n", "rules: [*a29]\n", "users: [*a29]\n"):
        file.write_text(f"a0: &a0 [x, x]\n{levels}{end}")
        for command in (["faults", "check", file],
                        ["serve", "--listen", "127.0.0.1:0", "--accounts", file]):
            done = tapedeck(*command, status=None)
            assert done.returncode in (64, 65), done.stderr
            assert "expand to more than 100000 values" in done.stderr
