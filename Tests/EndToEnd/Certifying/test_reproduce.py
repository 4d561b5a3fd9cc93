"""`tapedeck reproduce` and `retest`: from a finding to a test that the mutant fails and the client
without its mistake passes."""

from __future__ import annotations

import json
import stat
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import mutants
import pytest
import reproductions
from programs import sql
from reproductions import reproduce, retest, run

# `Tools/soak --reproductions` plays all that have a finding.
CHOSEN = ("diff-after-440", "no-cv", "resends-before-cv", "resends-422", "since-after-412",
          "no-attachment", "forgets-unacknowledged")


def mutant(name: str) -> mutants.Mutant:
    return next(one for one in mutants.MUTANTS if one.name == name)


@pytest.mark.parametrize("name", CHOSEN)
def test_the_mutant_fails_again_and_the_unchanged_client_passes(tmp_path: Path, name: str) -> None:
    one = mutant(name)
    made = reproduce(one, reproductions.record(one, tmp_path / "certify"), tmp_path / "made")
    assert made is not None
    assert f"the built-in client: the rule {made.rule} held" in made.text, made.text
    assert made.verdict == ("undecided" if name == "forgets-unacknowledged" else "broken")
    assert retest(made, one.suite, name) == (1, made.verdict)
    assert retest(made, one.suite, "") == (0, "held")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> reproductions.Reproduced:
    folder = tmp_path_factory.mktemp("made")
    one = mutant("diff-after-440")
    made = reproduce(one, reproductions.record(one, folder / "certify"), folder / "made")
    assert made is not None
    return made


def test_the_folder_is_redacted_private_and_tells_what_it_is(
        made: reproductions.Reproduced) -> None:
    names = {path.name for path in made.folder.iterdir()}
    assert names == {"session.tape", "script.jsonl", "reproduction.json", "README.md",
                     "faults.txt"}
    for path in made.folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    content = json.loads((made.folder / "reproduction.json").read_text(encoding="utf-8"))
    assert content["rule"] == made.rule and content["verified"] is True
    assert any("error:440" in one["filter"] for one in content["trigger"])
    page = (made.folder / "README.md").read_text(encoding="utf-8")
    assert made.rule in page and "tapedeck retest" in page
    log = made.folder.parent / "certify" / "out" / "refused-440" / "session.tape"
    (payload,), *_ = sql(log, "SELECT payload FROM command WHERE name = 'init'")
    token = json.loads(payload)["token"]
    assert token.encode() not in (made.folder / "session.tape").read_bytes()


def test_a_client_that_does_not_come_or_leaves_early_fails(
        made: reproductions.Reproduced, tmp_path: Path) -> None:
    done = run("retest", made.folder, "--output", tmp_path / "a", "--", "true")
    assert done.returncode == 69
    assert "unreachable" in done.stdout and "never connected" in done.stderr
    done = run("retest", made.folder, "--output", tmp_path / "b", "--junit", tmp_path / "j.xml",
               "--", "sh", "-c", 'curl -s "$TAPEDECK_URL/" > "$0"', tmp_path / "page")
    assert done.returncode == 1
    assert "not reached" in done.stdout and "did not reach the trigger" in done.stderr
    case = ElementTree.parse(tmp_path / "j.xml").getroot().find(".//testcase")
    assert case is not None and case.get("name") == made.rule
    assert case.find("failure") is not None


def test_the_built_in_client_passes(made: reproductions.Reproduced, tmp_path: Path) -> None:
    done = run("retest", made.folder, "--builtin", "--output", tmp_path / "a")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("held: ")


def test_mistakes_are_named(made: reproductions.Reproduced, tmp_path: Path) -> None:
    trace = made.folder / "session.tape"
    done = run("reproduce", trace, "f99", tmp_path / "a")
    assert done.returncode == 65
    assert "there is no finding f99" in done.stderr
    assert not (tmp_path / "a").exists()
    done = run("reproduce", trace, "f1", made.folder)
    assert done.returncode == 66
    assert "is not empty" in done.stderr
    done = run("retest", tmp_path / "nothing", "--builtin")
    assert done.returncode == 66
    assert "name a folder that reproduce wrote" in done.stderr
    done = run("retest", made.folder)
    assert done.returncode == 64
    assert "give the client after --, or --builtin" in done.stderr
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / "reproduction.json").write_text('{"rule": 1}', encoding="utf-8")
    done = run("retest", damaged, "--builtin")
    assert done.returncode == 65
    assert '"rule" is missing, or no text' in done.stderr
