"""`tapedeck certify`: the built-in client conforms, and a bad one fails the right cases."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import mutants
import pytest
import shim_mutants
from programs import TAPEDECK, Program, environment, sql, tapedeck

BAD = Path(__file__).parent / "bad_client.py"
FALSE = Path(__file__).parent / "false_client.py"
# Cases that the built-in client is not led to, and the beginning of the reason.
UNREACHABLE = {
    "simperium": {
        "http.chunked-refused": "token-chunks: missing: a request for a token in chunks",
        "http.cookie": "cookies are followed on one connection",
        "simperium.change.edits-removed": "no client is asked to edit an object that is removed",
    },
    "commcare": {
        "http.retry-after-4xx": "it ignores requests to CommCare",
        "http.after-close": "the server of the suite keeps connections open",
        "commcare.submit.queue-stopped-after-422": "a heartbeat that counts unsent forms shows it",
        "commcare.submit.attachment-dropped": "no scenario refuses a form that has a file",
        "commcare.sync.full-again": "no scenario asks for four restores",
        "commcare.sync.given-up": "ten minutes have to pass",
    },
}


def certify(tmp_path: Path, suite: str, *arguments: str | Path,
            status: int = 0, seconds: float = 240) -> dict:
    """Runs a suite to its end; the report."""
    tmp_path.mkdir(exist_ok=True)
    report = tmp_path / "report.json"
    program = Program(TAPEDECK, "certify", suite, "--output", tmp_path / "out", "--ca-dir",
                      tmp_path / "ca", "--json", report, *arguments, cwd=tmp_path)
    try:
        assert program.wait(seconds) == status, program.said()
    finally:
        program.kill()
    return json.loads(report.read_text()) | {
        "text": "\n".join(program.output), "progress": program.errors}


def verdicts(report: dict, verdict: str) -> dict[str, str]:
    """The cases with this verdict, and why."""
    return {one["case"]: one["reason"] for one in report["cases"] if one["verdict"] == verdict}


@pytest.mark.parametrize("suite", ["simperium", "commcare"])
def test_builtin(tmp_path: Path, suite: str) -> None:
    """The built-in client passes every case that there is a scenario for."""
    report = certify(tmp_path, suite, "--builtin")
    assert verdicts(report, "failed") == {}
    assert [one for one in report["scenarios"] if one["problem"] or one["failures"]] == []
    for case, reason in verdicts(report, "not exercised").items():
        known = [text for name, text in UNREACHABLE[suite].items() if case.startswith(name)]
        assert known and reason.startswith(known[0]), (case, reason)
    assert len(verdicts(report, "passed")) > 60
    for scenario in report["scenarios"]:
        assert sql(Path(scenario["trace"]), "PRAGMA integrity_check") == [("ok",)]


def test_bad_simperium(tmp_path: Path) -> None:
    """What is sent again after a refusal fails the cases about that, and no others."""
    page, junit = tmp_path / "report.html", tmp_path / "report.xml"
    report = certify(
        tmp_path, "simperium", "--case", "refused-4*", "--case", "edits", "--html", page,
        "--junit", junit, "--", sys.executable, BAD, "simperium", status=1)
    assert set(verdicts(report, "failed")) == {
        "simperium.change.diff-after-404", "simperium.change.diff-after-405",
        "simperium.change.diff-after-440", "simperium.change.resend-after-400",
        "simperium.change.resend-after-409", "simperium.change.resend-after-412",
        "simperium.change.resend-after-413", "simperium.change.same-token-after-401"}
    assert "simperium.change.no-sv" in verdicts(report, "passed")
    failed = next(one for one in report["cases"] if one["case"].endswith("diff-after-440"))
    finding = next(one for one in failed["findings"] if one["scenario"] == "refused-440")
    assert finding["evidence"][-1]["row"]
    shown = tapedeck("show", finding["trace"], finding["evidence"][-1]["row"].split()[-1]).stdout
    assert '"o": "r"' in shown or "one and two" in shown
    assert "failed  simperium.change.diff-after-440" in report["text"]
    suite = ElementTree.parse(junit).getroot().find("testsuite")
    cases = ElementTree.parse(junit).getroot().findall("testsuite")[-1]
    assert suite is not None and suite.get("name") == "certify simperium scenarios"
    missed = [one for one in report["cases"]
              if one["required"] and one["verdict"] == "not exercised"]
    assert cases.get("failures") == str(8 + len(missed))
    text = page.read_text()
    assert "8 of " in text and "out/refused-440/session.tape" in text
    assert "http://" not in text.replace(str(tmp_path), "").split("<main>")[0]


def test_bad_commcare(tmp_path: Path) -> None:
    """A device that does not wait is found; what it does well is not held against it."""
    report = certify(tmp_path, "commcare", "--case", "restore-202", "--case", "form-422",
                     "--", sys.executable, BAD, "commcare", status=1)
    assert set(verdicts(report, "failed")) == {
        "commcare.sync.polled-early", "commcare.submit.resent-after-422"}


def test_careless_commcare(tmp_path: Path) -> None:
    """What a device keeps that it should have let go fails the cases about that."""
    names = ("second-user", "second-device", "long-absence", "demo", "cookie", "chunks",
             "claim-cut", "openrosa")
    report = certify(tmp_path, "commcare", "--strict", "--jobs", "8",
                     *(word for name in names for word in ("--case", name)),
                     "--", sys.executable, BAD, "careless", status=1)
    failed = {
        (finding["scenario"], one["case"]) for one in report["cases"] for finding in one["findings"]}
    assert failed >= {
        ("second-user", "commcare.sync.token-of-another-user"),
        ("second-user", "commcare.sync.user-id-of-another"),
        ("second-device", "commcare.sync.token-of-another-device"),
        ("long-absence", "commcare.sync.token-too-old"),
        ("demo", "commcare.submit.demo-user"),
        ("cookie", "http.cookie-lost"),
        ("chunks", "http.chunked-refused"),
        ("claim-cut", "http.retry-after-answer-began"),
        ("openrosa", "openrosa.submit.no-head"),
        ("openrosa", "openrosa.headers.date-missing"),
        ("openrosa", "openrosa.headers.version-value")}
    assert {case for _, case in failed if case.startswith(("http.", "openrosa."))} == {
        "http.cookie-lost", "http.chunked-refused", "http.retry-after-answer-began",
        "openrosa.submit.no-head", "openrosa.headers.date-missing",
        "openrosa.headers.version-value"}


def test_token_simperium(tmp_path: Path) -> None:
    """A client that asks for a token again at once fails the cases about that."""
    report = certify(tmp_path, "simperium", "--strict", "--case", "token-*",
                     "--", sys.executable, BAD, "token", status=1)
    assert set(verdicts(report, "failed")) == {
        "http.retry-after-4xx", "http.retry-after-answer-began", "http.chunked-refused"}


def test_device(tmp_path: Path) -> None:
    """Without COMMAND the addresses are printed, and a scenario ends when all was seen."""
    program = Program(TAPEDECK, "certify", "simperium", "--case", "edits", "--output",
                      tmp_path / "out", "--ca-dir", tmp_path / "ca", cwd=tmp_path)
    try:
        program.await_line(r"edits: ")
        url = program.await_line(r"TAPEDECK_URL=(http://127\.0\.0\.1:\d+)")[1]
        app = program.await_line(r"TAPEDECK_APP=(.+)")[1]
        token = program.await_line(r"TAPEDECK_TOKEN=(.+)")[1]
        program.await_line("Make a note")
        script = tmp_path / "out" / "edits" / "script.jsonl"
        steps = [json.loads(line) for line in script.read_text().splitlines()]
        assert steps[0] == {"step": "wait-synced"} and steps[1]["bucket"] == "notes"
        plain = tmp_path / "plain.txt"
        plain.write_text("wait synced\n" + "".join(
            f"set notes mine {{\"content\":\"{text}\"}}\nwait synced\n"
            for text in ("one", "one two", "one two three")) + "delete notes mine\nwait synced\n")
        tapedeck("client", "simperium", "run", plain, "--to", url, "--app", app, "--token", token,
                 "--bucket", "notes")
        assert program.wait(60) == 0, program.said()
    finally:
        program.kill()
    assert "1 scenario: 1 passed, 0 failed" in program.output[-1]


def test_refusals(tmp_path: Path) -> None:
    """What is wrong on the command line is said before anything starts."""
    for arguments, words in (
        (("simperium", "--case", "nothing"), "no case or scenario nothing"),
        (("simperium", "--skip", "nothing", "--builtin"), "no case or scenario nothing"),
        (("simperium", "--builtin", "--", "x"), "COMMAND or --builtin"),
        (("simperium", "--", "no-such-program"), "no program no-such-program"),
        (("simperium", "--jobs", "2"), "scenarios run one after the other"),
        (("commcare", "--builtin", "--slowness", "0"), "--slowness"),
        (("commcare", "--json", "-", "--junit", "-", "--builtin"), "exclude each other"),
    ):
        done = tapedeck("certify", *arguments, status=64, cwd=tmp_path)
        assert words in done.stderr
    assert list(tmp_path.iterdir()) == []
    occupied = tmp_path / "mine" / "edits"
    occupied.mkdir(parents=True)
    (occupied / "precious").write_text("text")
    report = certify(tmp_path, "simperium", "--case", "edits", "--builtin", "--output",
                     tmp_path / "mine", status=69)
    assert "choose another --output" in report["scenarios"][0]["problem"]
    assert (occupied / "precious").read_text() == "text"


def complaints(report: dict, kind: str = "") -> list[str]:
    """Why scenarios failed."""
    return [failure["message"] for one in report["scenarios"] for failure in one["failures"]
            if kind in ("", failure["kind"])]


@pytest.mark.parametrize(("how", "said"), [
    ("ignores", ["the client did not change mine 4 times: 0 of 4 were seen"]),
    ("silent", ["the client did not read the whole index", "the client did not change mine"]),
    ("init", ["the client did not read the whole index", "the client did not change mine"]),
    ("leaves", ["the client did not change mine 4 times: 1 of 4 were seen",
                "mine is again on the server, and was to be removed"]),
])
def test_false(tmp_path: Path, how: str, said: list[str]) -> None:
    """A client that does not do what it is asked is reported first, whatever rules it kept."""
    report = certify(tmp_path, "simperium", "--case", "edits", "--",
                     sys.executable, FALSE, how, status=1)
    undone = complaints(report, "not done")
    for words in said:
        assert any(words in line for line in complaints(report)), complaints(report)
    assert undone and report["text"].startswith("not done  scenario edits")
    assert "\nnot done: edits\n" in report["text"]
    assert report["progress"][0].startswith("tapedeck: 1 of 1: edits not done: the client did not")
    assert not report["scenarios"][0]["passed"] and report["scenarios_failed"] == 1
    assert "simperium.change.no-sv" not in verdicts(report, "passed")


def test_left_early(tmp_path: Path) -> None:
    """A client that is gone before the pause of its script is over is reported."""
    report = certify(tmp_path, "simperium", "--case", "idle", "--", sys.executable, FALSE,
                     "ignores", status=1)
    assert "the client did not stay for the 66 s of its script" in complaints(report)
    assert "simperium.heartbeat.missing" in verdicts(report, "not exercised")


def test_patience(tmp_path: Path) -> None:
    """With --patience what comes later than that is a mistake."""
    chosen = ("--case", "restore-202", "--builtin")
    assert verdicts(certify(tmp_path, "commcare", *chosen), "failed") == {}
    report = certify(tmp_path, "commcare", *chosen, "--patience", "1ms", status=1)
    assert set(verdicts(report, "failed")) == {"commcare.sync.polled-late"}


def test_replayed(tmp_path: Path) -> None:
    """What a good client sent in the last run is refused in this one."""
    good = certify(tmp_path / "a", "simperium", "--case", "edits", "--builtin")
    report = certify(tmp_path / "b", "simperium", "--case", "edits", "--", sys.executable, FALSE,
                     "replays", good["scenarios"][0]["trace"], status=1)
    assert "the client did not read the whole index" in complaints(report)
    assert verdicts(report, "passed").keys() <= verdicts(good, "passed").keys()


def test_skip(tmp_path: Path) -> None:
    """What is left out is not played, and --fail-on counts what no scenario leads to."""
    chosen = ("--case", "edits", "--case", "unicode", "--skip", "unicode", "--builtin")
    report = certify(tmp_path, "simperium", *chosen)
    assert [one["scenario"] for one in report["scenarios"]] == ["edits"]
    assert report["progress"] == ["tapedeck: 1 of 1: edits passed"]
    report = certify(tmp_path, "simperium", "--case", "token-chunks", "--builtin")
    assert report["not_exercised"] == 1 and complaints(report) == []
    certify(tmp_path, "simperium", "--case", "token-chunks", "--builtin", "--fail-on",
            "not-exercised", status=1)


@pytest.mark.parametrize("suite", ["simperium", "commcare"])
def test_second(tmp_path: Path, suite: str) -> None:
    """A small client that somebody else might have written passes all scenarios."""
    status, report = mutants.certify(suite, "", (), tmp_path)
    assert (status, complaints(report), verdicts(report, "failed")) == (0, [], {})


def test_inside(tmp_path: Path) -> None:
    """Requests in the cmd of an init count as those that come after it."""
    names = ("first-sync", "reconnect", "lost-acknowledgement", "cv-unknown", "offline-edits",
             "restart-in-sync", "auth-refused")
    status, report = mutants.certify("simperium", "inside", names, tmp_path)
    assert (status, complaints(report), verdicts(report, "failed")) == (0, [], {})
    passed = verdicts(report, "passed")
    assert {"simperium.cv.unknown-ignored", "simperium.index.instead-of-cv",
            "simperium.session.resend-before-cv", "simperium.index.unfinished"} <= passed.keys()
    trace = next(one["trace"] for one in report["scenarios"] if one["scenario"] == "cv-unknown")
    found = tapedeck("ls", "--json", trace, "command:cv sender:client fault:unknown").stdout
    command = json.loads(found.splitlines()[0])
    assert (command["name"], command["request"]) == ("init", "cv") and command["cv"]


@pytest.mark.parametrize("name", ["forgets-unacknowledged", "doubles-text", "no-rebase",
                                  "takes-html", "new-instance-id", "no-purge"])
def test_mutant(tmp_path: Path, name: str) -> None:
    """A small client that forgets one duty is caught by the right case; the others in Tools/soak."""
    mutant = next(each for each in mutants.MUTANTS if each.name == name)
    status, report = mutants.certify(mutant.suite, name, (mutant.scenario,), tmp_path)
    assert mutants.escape(mutant, status, report) == ""


@pytest.mark.parametrize("name", [
    "resends-before-cv", "no-removal", "sends-late", "no-token", "submits-twice"])
def test_mutant_built_in(tmp_path: Path, name: str) -> None:
    """So is the built-in client where one duty is broken on the wire; with none it passes."""
    mutant = next(each for each in shim_mutants.MUTANTS if each.name == name)
    for each in ("", name):
        status, report = mutants.certify(mutant.suite, each, (mutant.scenario,), tmp_path / each,
                                         command=shim_mutants.command(each))
        if each:
            assert mutants.escape(mutant, status, report) == ""
        else:
            assert (status, complaints(report)) == (0, [])


def test_absent(tmp_path: Path) -> None:
    """A client that never comes is no pass."""
    report = certify(tmp_path, "simperium", "--case", "edits", "--", "true", status=69)
    assert verdicts(report, "passed") == {} and verdicts(report, "failed") == {}
    assert report["scenarios"][0]["client"] == "ended with 0"


def test_list() -> None:
    """The list has scenarios with their faults, and cases with theirs."""
    for suite in ("simperium", "commcare"):
        text = tapedeck("certify", suite, "--list", env=environment()).stdout
        assert "\nscenario " in text and "    fault: " in text and "\ncase " in text
        assert "    compared: " in text
