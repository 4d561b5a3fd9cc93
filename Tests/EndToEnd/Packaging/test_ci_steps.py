"""The action for GitHub and the job for GitLab: their shell steps run here, one after another."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from programs import ROOT, TAPEDECK, environment, sql

ACTION = ROOT / "Tools" / "action"
SUBMIT = """
submit() {
    curl -sS -o /dev/null -w '%{http_code}\\n' -u ann:secret -H 'X-OpenRosa-Version: 3.0' \
        -F "xml_submission_file=@form.xml;type=text/xml" "$TAPEDECK_URL/a/demo/receiver/"
}
"""
FORM = """<?xml version="1.0"?>
<data xmlns="http://example.org/visit" uiVersion="1" version="1" name="Visit">
  <meta xmlns="http://openrosa.org/jr/xforms"><deviceID>d</deviceID>
    <timeStart>2026-01-15T09:58:00Z</timeStart><timeEnd>2026-01-15T10:00:00Z</timeEnd>
    <username>ann</username><userID>ann</userID>
    <instanceID>7f4c1a52-7a04-4c0e-9d58-0d5f1a1c2b3d</instanceID></meta>
</data>"""


class Job:
    """A folder with what a CI gives a job, and its steps run one by one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = environment(
            PATH=f"{TAPEDECK.absolute().parent}:{environment()['PATH']}", HOME=str(folder / "home"))
        self.output = ""
        (folder / "home").mkdir()
        (folder / "form.xml").write_text(FORM)

    def step(self, line: str, **variables: str) -> int:
        """Runs one line as CIs do; the status."""
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", line], cwd=self.folder, text=True,
                              env=self.environment | variables, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, timeout=120)
        self.output += done.stdout
        return done.returncode


@pytest.fixture(name="job")
def job_fixture(tmp_path) -> Job:
    """A job; what it left running ends with the test."""
    job = Job(tmp_path)
    yield job
    job.step(f"'{ACTION}/tapedeck-ci' stop")


def run_action(job: Job, **inputs: str) -> dict[str, int]:
    """Runs the composite action as its runner does: statuses by the names of steps.

    After a step that fails only those run that say `always()`. What steps write to GITHUB_ENV and GITHUB_PATH is there
    in the next one.
    """
    action = yaml.safe_load((ACTION / "action.yml").read_text())
    values = {name: each.get("default", "") for name, each in action["inputs"].items()}
    assert not inputs.keys() - values.keys()
    values |= inputs
    files = {name: job.folder / name.lower() for name in ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
    for path in files.values():
        path.touch()
    given = {name: str(path) for name, path in files.items()} | {"GITHUB_ACTION_PATH": str(ACTION)}
    statuses: dict[str, int] = {}
    for step in action["runs"]["steps"]:
        always = "always()" in step.get("if", "")
        if "run" not in step or (any(statuses.values()) and not always):
            continue
        carried = dict(line.split("=", 1) for line in files["GITHUB_ENV"].read_text().splitlines())
        own = {name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: values[match[1]], text)
               for name, text in step.get("env", {}).items()}
        assert "${{" not in step["run"], "inputs reach the shell as variables, not as code"
        statuses[step["name"]] = job.step(step["run"], **given, **carried, **own)
    return statuses


def test_the_action_passes_a_client_that_tries_again(job) -> None:
    """Everything is there for the next steps: reports, the summary, a trace without its secrets."""
    statuses = run_action(job, serve="true", faults="method:POST => 503 first=1 retry-after=0",
                          run=SUBMIT + "submit | grep -qx 503; submit | grep -qx 201")
    assert set(statuses.values()) == {0}, job.output
    results = job.folder / "tapedeck-results"
    assert "1 recovered" in (results / "faults.txt").read_text()
    assert "### Faults and recovery" in (job.folder / "github_step_summary").read_text()
    for name in ("diagnose.xml", "diagnose.sarif", "faults.xml"):
        assert (results / name).stat().st_size > 100
    assert sql(results / "session.tape", "SELECT status FROM exchange ORDER BY id") == [(503,), (201,)]
    assert b"YW5uOnNlY3JldA" not in (results / "session.tape").read_bytes()


def test_the_action_fails_with_the_tests_and_reports_all_the_same(job) -> None:
    """A failed command fails its step; the report still comes."""
    statuses = run_action(job, serve="true", run=SUBMIT + "submit; exit 7")
    assert statuses["Run the tests"] == 7 and statuses["Report"] == 0, job.output


def test_the_action_fails_for_tests_that_sent_nothing(job) -> None:
    """Tests that pass by the proxy are no success of what was recorded."""
    statuses = run_action(job, serve="true", run="true")
    assert statuses["Run the tests"] == 0 and statuses["Report"] == 1, job.output
    assert "has nothing to diagnose" in job.output


def test_the_action_fails_for_what_the_client_did_not_notice(job) -> None:
    """A client that is content, and sends again what can never be accepted, is caught by the report."""
    statuses = run_action(job, serve="true", faults="method:POST => 422 first=1", run=SUBMIT + "submit; submit")
    assert statuses["Run the tests"] == 0 and statuses["Report"] == 1, job.output
    assert "commcare.submit.resent-after-422" in (job.folder / "github_step_summary").read_text()


def test_a_recorded_server_is_played_without_a_network(job) -> None:
    """`replay` takes the place of the server."""
    # A client with other secrets than the recorded placeholders would be another one.
    recorded = run_action(job, serve="true", redact="false", run=SUBMIT + "submit | grep -qx 201")
    assert set(recorded.values()) == {0}, job.output
    (job.folder / "tapedeck-results/session.tape").rename(job.folder / "known.tape")
    job.step("rm -r tapedeck-results github_*")
    statuses = run_action(job, replay="known.tape", run=SUBMIT + "submit | grep -qx 201")
    assert set(statuses.values()) == {0}, job.output


def test_without_a_server_it_is_a_forward_proxy(job, origin) -> None:
    """The client finds the proxy and the certificate in its environment."""
    statuses = run_action(job, run=f'curl -sS -o /dev/null http://127.0.0.1:{origin.port}/seen; '
                                   'test -s "$CURL_CA_BUNDLE"')
    assert set(statuses.values()) == {0}, job.output
    ((url,),) = sql(job.folder / "tapedeck-results/session.tape", "SELECT url FROM exchange")
    assert url.endswith("/seen")


def test_a_proxy_that_does_not_start_says_why(job) -> None:
    """Rather than a test that waits for it."""
    statuses = run_action(job, faults="nonsense", run="true")
    assert statuses["Start recording"] == 1 and "nonsense" in job.output
    assert "Run the tests" not in statuses


def test_a_package_is_unpacked_and_checked(job, tmp_path) -> None:
    """A tarball is put on the PATH of later steps, unless it is another file than said."""
    (tmp_path / "t/bin").mkdir(parents=True)
    (tmp_path / "t/bin/tapedeck").write_text("#!/bin/sh\necho 9.9.9\n")
    (tmp_path / "t/bin/tapedeck").chmod(0o755)
    subprocess.run(["tar", "-cJf", tmp_path / "t.tar.xz", "-C", tmp_path, "t"], check=True)
    install = f"'{ACTION}/tapedeck-ci' install"
    assert job.step(install, TAPEDECK_PACKAGE="t.tar.xz", TAPEDECK_SHA256="0" * 64) == 1
    assert job.step(install, TAPEDECK_PACKAGE="t.tar.xz", GITHUB_PATH=str(tmp_path / "path")) == 0
    assert "installed tapedeck 9.9.9" in job.output
    assert (tmp_path / "path").read_text().strip().endswith("/bin")


def test_the_job_for_gitlab(job) -> None:
    """Its lines run in one shell after another, with the variables of a job that extends it."""
    template = yaml.safe_load((ACTION / "gitlab.yml").read_text())[".tapedeck"]
    variables = template["variables"] | {
        "TAPEDECK_CI": str(ACTION / "tapedeck-ci"), "TAPEDECK_SERVE": "true",
        "TAPEDECK_FAULTS": "method:POST => 503 first=1 retry-after=0",
        "TAPEDECK_RUN": SUBMIT + "submit; submit"}
    script = "\n".join(template["before_script"] + template["script"])
    assert job.step(script, **variables) == 0, job.output
    assert "503\n201\n" in job.output
    variables["TAPEDECK_RUN"] = "false"
    job.step("rm -r tapedeck-results")
    assert job.step(script, **variables) == 1
    assert template["artifacts"]["when"] == "always"
