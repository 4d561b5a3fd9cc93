"""The Python module and the pytest plugin of the wheel, as the tests of a client use them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from programs import ROOT, TAPEDECK, environment, sql, within

PYTHON = ROOT / "Tools" / "packaging" / "python"
BAD = '''
import pytest
from test_with_the_fixture import submit

@pytest.mark.tapedeck(faults=["method:POST => 503 first=1"])
def test_gives_up(tapedeck):
    assert submit(tapedeck.url) == 503
    assert submit(tapedeck.url + "/another") == 404
    tapedeck.assert_recovered()

def test_no_fault_at_all(tapedeck):
    assert submit(tapedeck.url) == 201
    tapedeck.assert_recovered()

@pytest.mark.tapedeck(faults=["method:POST => 422 first=1"])
def test_broke_a_rule(tapedeck):
    assert submit(tapedeck.url) == 422
    assert submit(tapedeck.url) == 201
    tapedeck.assert_no_findings(severity="info")

def test_other_finding(tapedeck):
    assert submit(tapedeck.url) == 201
    tapedeck.assert_finding("commcare.form.lost")

def test_good(tapedeck):
    assert submit(tapedeck.url) == 201
'''


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs pytest with the plugin, in a folder of its own."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tapedeck.pytest_plugin", "-p", "no:cacheprovider", "-q",
         "--rootdir", folder, *arguments], cwd=folder, capture_output=True, text=True, check=False,
        env=environment(PYTHONPATH=str(PYTHON), TAPEDECK=str(TAPEDECK), PYTEST_ADDOPTS="", PYTHONSAFEPATH="1",
                        PYTHONDONTWRITEBYTECODE="1", PYTEST_DEBUG_TEMPROOT=within()))


def test_the_example_of_the_wheel(tmp_path) -> None:
    """It passes, and leaves no trace of what went well."""
    done = run_pytest(tmp_path, str(PYTHON / "test_with_the_fixture.py"))
    assert "3 passed" in done.stdout, done.stdout + done.stderr
    assert not list(tmp_path.iterdir())


def test_each_assertion_can_fail_and_the_trace_is_kept(tmp_path) -> None:
    """With the words of the program, and where the trace is."""
    (tmp_path / "test_bad.py").write_text(BAD)
    done = run_pytest(tmp_path, "test_bad.py")
    assert "4 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    shown = re.sub(r"\s+", " ", done.stdout.replace("\nE ", " "))
    for words in ("not recovered from every fault", "no fault was injected that is judged",
                  "no finding of commcare.form.lost; found: commcare.headers", "2 findings:",
                  "the trace is kept: "):
        assert words in shown, (words, done.stdout)
    kept = sorted(path.name for path in (tmp_path / "tapedeck-traces").iterdir())
    assert kept == ["test_broke_a_rule.tape", "test_gives_up.tape", "test_no_fault_at_all.tape",
                    "test_other_finding.tape"]
    assert sql(tmp_path / "tapedeck-traces/test_broke_a_rule.tape",
               "SELECT status FROM exchange ORDER BY id") == [(422,), (201,)]


def test_a_failure_to_start_is_told_in_the_words_of_the_program(tmp_path) -> None:
    """A wrong rule ends the test at once."""
    (tmp_path / "test_wrong.py").write_text(
        'import pytest\n@pytest.mark.tapedeck(faults=["nonsense"])\ndef test_it(tapedeck):\n    tapedeck.url\n')
    done = run_pytest(tmp_path, "test_wrong.py")
    assert "1 failed" in done.stdout and "does not listen" in done.stdout and "nonsense" in done.stdout
