"""Broken clients through a real proxy are diagnosed, live and after; well-behaved ones are not."""

from __future__ import annotations

import json
import re
import socket
import time
import xml.etree.ElementTree as ElementTree

import pytest
import requests
from faults import commcare_fixture, simperium_fixture
from programs import DEADLINE, curl, tapedeck
from pydantic import BaseModel
from pydantic.alias_generators import to_snake
from sarif_pydantic import Sarif
from simperium_client import Client
from test_client_commcare import client, form
from websockets.sync.client import connect

__all__ = ["commcare_fixture", "form", "simperium_fixture"]

RULE = "http.two-lengths"
BOTH = (b"POST /echo HTTP/1.1\r\nHost: %s\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n"
        b"Connection: close\r\n\r\n4\r\nabcd\r\n0\r\n\r\n")


def send_both_lengths(proxy) -> None:
    """A request with two lengths, written by hand."""
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=DEADLINE) as connection:
        connection.sendall(BOTH % proxy.address.encode())
        while connection.recv(65536):
            pass


def findings(proxy, *arguments: str, status: int = 0) -> list[dict]:
    """What `diagnose --json` says."""
    said = tapedeck("diagnose", proxy.trace, "--json", *arguments, status=status).stdout
    lines = [json.loads(line) for line in said.splitlines()]
    return [line for line in lines if line.get("kind") != "undecided"]


def blamed(proxy) -> list[dict]:
    """Errors and warnings about the client."""
    return [each for each in findings(proxy, "--blame", "client", "--fail-on", "never")
            if each["severity"] != "info"]


@pytest.fixture(name="broken")
def broken_fixture(record, origin):
    """A finished recording of a client that breaks a rule, and of one that does not."""
    proxy = record("--to", origin.url)
    curl(f"{proxy.url}/hello")
    send_both_lengths(proxy)
    proxy.eventually_sql("SELECT 1 FROM note WHERE code = 'http.two-lengths'")
    proxy.finish()
    return proxy


def test_a_finding_is_told_with_its_row(broken) -> None:
    done = tapedeck("diagnose", broken.trace, "--rule", RULE, status=1)
    text = " ".join(done.stdout.split())
    assert f"error {RULE}" in text and "exchange 2" in text
    assert "expected: " in text and "source: RFC 9112" in text and "likely cause: " in text
    assert re.search(r"^1 finding: 1 error, 0 warnings, 0 infos in 2 connections, 2 exchanges and "
                     r"0 commands$", done.stdout, re.M), done.stdout
    assert "1 finding of severity error" in done.stderr
    assert "\x1b" not in done.stdout


def test_json_has_what_scripts_need(broken) -> None:
    [found] = findings(broken, "--rule", "http.two-*", status=1)
    assert (found["rule"], found["severity"], found["blames"]) == (RULE, "error", "client")
    assert found["session"] == 1 and found["times"] == 1 and found["source"] and found["expected"]
    assert found["evidence"][-1]["exchange"] == 2
    assert found["at"] == found["evidence"][-1]["at"]


def test_findings_are_numbered(broken) -> None:
    """A finding keeps its number whatever is selected, and is shown by it."""
    every = findings(broken, status=1)
    numbers = [each["number"] for each in every]
    assert numbers == [f"f{place}" for place in range(1, len(every) + 1)]
    assert findings(broken, status=1) == every
    [last] = [each for each in every if each["rule"] == RULE]
    [selected] = findings(broken, "--rule", RULE, status=1)
    assert selected == last
    listed = tapedeck("ls", broken.trace).stdout.splitlines()
    assert [line for line in listed if f"  finding {last['number']} {RULE}" in line] == [
        line for line in listed if line.startswith("#2 ")]
    rows = [json.loads(line) for line in tapedeck("ls", broken.trace, "--json").stdout.splitlines()]
    assert [row["id"] for row in rows
            if f"{last['number']} {RULE}" in row.get("findings", [])] == [2]
    shown = tapedeck("show", broken.trace, last["number"]).stdout
    assert shown.startswith(f"error {RULE}  {last['number']}  ")
    assert shown in tapedeck("diagnose", broken.trace, status=1).stdout
    assert json.loads(tapedeck("show", broken.trace, last["number"], "--json").stdout) == last
    missing = tapedeck("show", broken.trace, f"f{len(every) + 1}", status=65).stderr
    assert f"there is no finding f{len(every) + 1} in " in missing
    assert "there is no session 7" in tapedeck("show", broken.trace, "f7.1", status=65).stderr
    tapedeck("show", broken.trace, last["number"], "--curl", status=64)


def test_exit_status_follows_the_severity(broken) -> None:
    for more, status in (([], 1), (["--fail-on", "info"], 1), (["--fail-on", "never"], 0),
                         (["--ignore", RULE], 0), (["--blame", "server"], 0),
                         (["--session", "1"], 1)):
        asked = ["diagnose", broken.trace, "--rule", RULE, *more]
        said = tapedeck(*asked, status=status).stdout
        assert ("no rule was broken" in said) == (not re.search(r"^error", said, re.M))
    missing = tapedeck("diagnose", broken.trace, "--rule", "http.two-length", status=64)
    assert f"did you mean {RULE}?" in missing.stderr
    tapedeck("diagnose", broken.trace, "--session", "9", status=65)
    tapedeck("diagnose", status=64)
    tapedeck("diagnose", broken.trace, "--json", "--sarif", "-", status=64)


def unknown(value: object, path: str = "") -> set[str]:
    """Places of a SARIF log with properties that its object model does not name."""
    if isinstance(value, list):
        return {place for each in value for place in unknown(each, path)}
    if not isinstance(value, BaseModel):
        return set()
    names = {f"{path}.{to_snake(name)}" for name in value.model_extra or {}}
    fields = {name: getattr(value, name) for name in type(value).model_fields}
    return names.union(*(unknown(each, f"{path}.{name}") for name, each in fields.items()))


def test_junit_and_sarif(broken, tmp_path) -> None:
    junit, sarif = tmp_path / "j.xml", tmp_path / "s.sarif"
    tapedeck("diagnose", broken.trace, "--rule", "http.*", "--junit", junit, "--sarif", sarif,
             status=1)
    suite = ElementTree.parse(junit).getroot().find("testsuite")
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert RULE in failed and int(suite.get("failures")) == len(failed)
    assert int(suite.get("tests")) == len(suite.findall("testcase")) > len(failed)
    log = json.loads(sarif.read_text())
    # The one property that the model does not have though the schema does.
    assert unknown(Sarif.model_validate(log)) <= {".runs.results.occurrence_count"}
    assert log["version"] == "2.1.0"
    [run] = log["runs"]
    result = next(each for each in run["results"] if each["ruleId"] == RULE)
    rules = run["tool"]["driver"]["rules"]
    assert rules[result["ruleIndex"]]["id"] == RULE and result["level"] == "error"
    [place] = result["locations"]
    assert place["logicalLocations"][0]["name"] == "exchange 2"
    said = tapedeck("diagnose", broken.trace, "--rule", RULE, "--junit", "-", status=1).stdout
    assert ElementTree.fromstring(said).find(".//failure") is not None


def test_findings_are_rows_of_the_trace(broken) -> None:
    findings(broken, status=1)
    first = broken.sql("SELECT rule, severity, exchange_id FROM finding WHERE rule = ?", RULE)
    assert first == [(RULE, "error", 2)]
    [line] = tapedeck("ls", broken.trace, "finding:error", f"finding:{RULE}").stdout.splitlines()
    assert line.startswith("#2 ")
    assert not tapedeck("ls", broken.trace, "finding:simperium.*").stdout
    assert f"finding error {RULE}: " in tapedeck("show", broken.trace, "2").stdout
    shown = json.loads(tapedeck("show", broken.trace, "2", "--json").stdout)
    assert RULE in [each["rule"] for each in shown["findings"]]
    before = broken.sql("SELECT count(*) FROM finding")
    findings(broken, "--ignore", RULE, "--fail-on", "never")
    assert broken.sql("SELECT count(*) FROM finding") == before


def test_what_cannot_be_written_is_printed(broken, record, origin, tmp_path) -> None:
    running = record("--to", origin.url, to=tmp_path / "running.tape")
    send_both_lengths(running)
    running.eventually_sql("SELECT 1 FROM note WHERE code = 'http.two-lengths'")
    done = tapedeck("diagnose", running.trace, "--rule", RULE, status=1)
    assert f"error {RULE}" in done.stdout and "the session is still running" in done.stdout
    assert "not stored: the trace is being written" in done.stderr
    assert running.sql("SELECT count(*) FROM finding") == [(0,)]


def test_a_baseline_holds_for_other_clients(broken, record, origin, tmp_path) -> None:
    baseline = tmp_path / "known.txt"
    tapedeck("diagnose", broken.trace, "--write-baseline", baseline, status=1)
    assert RULE in baseline.read_text()
    other = record("--to", origin.url, to=tmp_path / "other.tape")
    send_both_lengths(other)
    other.eventually_sql("SELECT 1 FROM note WHERE code = 'http.two-lengths'")
    other.finish()
    done = tapedeck("diagnose", other.trace, "--baseline", baseline)
    assert "no rule was broken" in done.stdout and "known" in done.stdout
    baseline.write_text("not a baseline\n")
    tapedeck("diagnose", other.trace, "--baseline", baseline, status=65)
    tapedeck("diagnose", other.trace, "--baseline", tmp_path / "missing", status=66)


def test_rules_explain_themselves() -> None:
    said = tapedeck("diagnose", "--explain", RULE).stdout
    for word in ("what: ", "source: ", "evidence: ", "expected: ", "silent: "):
        assert word in said
    assert "did you mean" in tapedeck("diagnose", "--explain", "http.two-lenghts", status=64).stderr
    listed = [json.loads(line) for line in
              tapedeck("diagnose", "--list-rules", "--json").stdout.splitlines()]
    names = [each["rule"] for each in listed]
    assert RULE in names and names == sorted(set(names))


def test_live_within_a_second(record, origin) -> None:
    """The line is there soon after the request, the row with the next commit."""
    proxy = record("--to", origin.url, "--diagnose", "--quiet")
    curl(f"{proxy.url}/hello")
    asked = time.monotonic()
    send_both_lengths(proxy)
    line = proxy.await_line(f"^error {RULE} ")
    assert time.monotonic() - asked < max(1.0, DEADLINE / 10)
    assert "exchange 2: " in line.string
    proxy.eventually_sql("SELECT 1 FROM finding WHERE rule = ? AND exchange_id = 2", RULE)
    said = proxy.finish()
    assert said.count(f"error {RULE} ") == 1
    assert re.search(r"^\d+ findings?: \d+ error", said, re.M), said
    # The final findings take the place of those made live.
    assert proxy.sql("SELECT count(*) FROM finding WHERE rule = ?", RULE) == [(1,)]
    assert [each["rule"] for each in findings(proxy, "--rule", RULE, status=1)] == [RULE]


def test_live_silence(record, origin) -> None:
    proxy = record("--to", origin.url, "--diagnose", "--quiet")
    curl(f"{proxy.url}/hello")
    assert "no rule was broken" in proxy.finish()


def test_curl_and_requests_behave(record, origin, tls_origin, trust, certificates,
                                  tmp_path) -> None:
    proxy = record("--server-ca", certificates.authority)
    curl("-x", proxy.url, f"{origin.url}/a", f"{origin.url}/b")
    curl("-x", proxy.url, "-d", "x" * 5000, "-H", "Expect: 100-continue", f"{origin.url}/echo")
    upload = tmp_path / "upload"
    upload.write_bytes(b"some bytes" * 1000)
    curl("-x", proxy.url, "-T", upload, f"{origin.url}/put")
    curl("-x", proxy.url, "--compressed", "--cacert", trust, f"{tls_origin.url}/coded/gzip")
    with requests.Session() as session:
        session.trust_env = False
        session.proxies = {"http": proxy.url, "https": proxy.url}
        session.verify = str(trust)
        for base in (origin.url, tls_origin.url):
            session.get(f"{base}/a", params={"q": "ä b"})
            session.post(f"{base}/files", files={"file": ("a.txt", "text")})
            session.get(f"{base}/moved")
    proxy.finish()
    assert blamed(proxy) == []


def test_websockets_behaves(record, echo_socket) -> None:
    echo = echo_socket()
    proxy = record("--to", echo.url)
    with connect(f"ws://{proxy.address}/", proxy=None, open_timeout=DEADLINE) as connection:
        for text in ("one", "two", "ü" * 70_000):
            connection.send(text)
            assert connection.recv(DEADLINE) == text
        assert connection.ping().wait(DEADLINE)
    proxy.finish()
    assert blamed(proxy) == []


def test_built_in_clients_behave(record, commcare, simperium, form, program, tmp_path) -> None:
    deck = record("--to", commcare.url)
    state = tmp_path / "state"
    assert client(deck.url, state, "submit", form).returncode == 0
    assert client(deck.url, state, "sync").returncode == 0
    deck.finish()
    assert blamed(deck) == []
    deck = record("--to", simperium.url, to=tmp_path / "simperium.tape")
    user = Client(deck.url, tmp_path / "notes", program)
    user.run("set", "note1", '{"title":"one"}')
    user.run("set", "note1", '{"title":"two"}')
    user.run("sync")
    deck.finish()
    assert blamed(deck) == []


def test_what_could_not_be_decided_is_stored(record, commcare, form, tmp_path) -> None:
    """Apart from findings, with since when, how long and where it began."""
    rule = "commcare.submit.forgotten"
    proxy = record("--to", commcare.url, "--seed", "1", "--fault",
                   "api:commcare.submit => status 500")
    client(proxy.url, tmp_path / "state", "submit", form)
    proxy.eventually_sql("SELECT 1 FROM exchange WHERE status = 500")
    proxy.finish()
    said = tapedeck("diagnose", proxy.trace, "--rule", rule).stdout
    assert re.search(r"^undecided " + rule, said, re.M), said
    assert "no rule was broken; 1 could not be decided in " in said
    assert "A form failed for a reason that may pass, and was not sent again yet." in said
    [(exchange, since, waited)] = proxy.sql(
        "SELECT exchange_id, since_ns, waited_ns FROM undecided WHERE rule = ?", rule)
    assert since > 0 and waited > 0
    assert f"#{exchange} " in tapedeck("ls", proxy.trace, "undecided:commcare.*").stdout
    assert tapedeck("ls", proxy.trace, "finding:*.forgotten").stdout == ""
    assert f"undecided {rule}: A form failed" in tapedeck("show", proxy.trace, str(exchange)).stdout
    shown = json.loads(tapedeck("show", proxy.trace, str(exchange), "--json").stdout)
    assert [each["rule"] for each in shown["undecided"]] == [rule]
    more = tapedeck("diagnose", proxy.trace, "--rule", rule, "--json", "--patience", "7s").stdout
    [duty] = [json.loads(line) for line in more.splitlines()]
    assert (duty["kind"], duty["deadline_ns"]) == ("undecided", 7_000_000_000)
    assert json.loads(tapedeck("show", proxy.trace, duty["number"], "--json").stdout)["rule"] == rule
    assert f"undecided {duty['number']} {rule}" in tapedeck("ls", proxy.trace).stdout
    failed = tapedeck("diagnose", proxy.trace, "--rule", rule, "--fail-on", "undecided", status=1)
    assert "1 duty could not be decided" in failed.stderr


def test_a_fault_is_held_against_nobody(record, origin) -> None:
    """A response that Tapedeck cut is not the server's, and asking again is no mistake."""
    proxy = record("--to", origin.url, "--seed", "1", "--fault", "path:/a => 503 first=1")
    curl(f"{proxy.url}/a")
    curl(f"{proxy.url}/a")
    proxy.eventually_sql("SELECT 1 FROM fault")
    proxy.finish()
    assert [each for each in findings(proxy, "--fail-on", "never")
            if each["severity"] == "error"] == []
