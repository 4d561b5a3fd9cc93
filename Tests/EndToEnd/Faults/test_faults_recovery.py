"""The built-in clients recover from faults, and the trace shows how."""

from __future__ import annotations

import json
import re

import pytest
from faults import commcare_fixture, faults, faulty_fixture, simperium_fixture
from peers import case_xml
from programs import eventually, tapedeck
from simperium_client import Client, changes
from test_client_commcare import client, form, status

__all__ = ["commcare_fixture", "faulty_fixture", "form", "simperium_fixture"]


def verdicts(deck, *expected: str) -> list[dict]:
    """What `faults report` says of a finished recording, beside the rows of the trace."""
    deck.finish()
    status = 1 if "not-recovered" in expected else 0
    said = json.loads(tapedeck("faults", "report", deck.trace, "--json", status=status).stdout)
    assert said["recovered"] == expected.count("recovered"), said
    assert said["not-recovered"] == expected.count("not-recovered"), said
    assert said["undecided"] == expected.count("undecided"), said
    assert deck.sql("SELECT verdict FROM fault ORDER BY id") == [(each,) for each in expected]
    return said["sessions"][0]["faults"]


def test_429_and_503_are_waited_for(faulty, commcare, form, tmp_path):
    """Forms and restores go through once the client has waited, and not before."""
    commcare.cases = [case_xml("theirs")]
    tries = []
    for kind, code in (("submit", 429), ("submit", 503), ("restore", 429), ("restore", 503)):
        deck = faulty(commcare.url, f"api:commcare.{kind} => {code} retry-after=1 first=1",
                      to=tmp_path / f"{kind}-{code}.tape")
        tries.append((kind, code, deck, tmp_path / f"{kind}-{code}"))
    for kind, code, deck, state in tries:
        filled = tmp_path / f"{code}.xml"
        filled.write_text(form.read_text().replace("form-1", f"form-{code}"))
        asked = ["submit", filled] if kind == "submit" else ["sync"]
        assert client(deck.url, state, *asked).returncode == 75
    assert not commcare.seen
    for kind, code, deck, state in tries:
        def is_done(deck=deck, state=state) -> bool:
            ended = client(deck.url, state, "sync")
            assert ended.returncode in (0, 75), ended.stderr
            return ended.returncode == 0

        eventually(is_done, f"{kind} after {code}", 60)
        [row] = faults(deck)
        assert row.action == f"status {code} retry-after=1"
        deck.eventually_sql(
            "SELECT 1 FROM exchange WHERE api = ? AND status < 300", f"commcare.{kind}")
        exchanges = deck.sql(
            "SELECT status, fault_id IS NOT NULL, started_ns FROM exchange WHERE api = ? "
            "ORDER BY id", f"commcare.{kind}")
        assert [each[:2] for each in exchanges] == [
            (code, 1), (201 if kind == "submit" else 200, 0)]
        assert exchanges[1][2] - exchanges[0][2] >= 1_000_000_000, "Retry-After"
        [judged] = verdicts(deck, "recovered")
        assert judged["rule"] == "rule-1" and judged["after_ns"] >= 1_000_000_000
        assert status(state)["cases"] == ["theirs"]
    assert sorted(commcare.forms) == ["form-429", "form-503"]
    assert len(commcare.submitted()) == 2


def test_progress_is_waited_for(faulty, commcare, tmp_path):
    deck = faulty(commcare.url, "api:commcare.restore => 202 retry-after=1 first=2")
    ended = client(deck.url, tmp_path / "state", "sync")
    assert ended.returncode == 0, ended.stderr
    deck.eventually_sql("SELECT 1 FROM exchange WHERE status = 200")
    times = deck.sql("SELECT started_ns, status FROM exchange ORDER BY id")
    assert [code for _, code in times] == [202, 202, 200]
    assert all(later[0] - sooner[0] >= 0.99e9 for sooner, later in zip(times, times[1:]))
    verdicts(deck, "recovered", "recovered")


def test_a_lost_answer_makes_no_second_form(faulty, commcare, form, tmp_path):
    deck = faulty(commcare.url, "api:commcare.submit => lose-answer first=1")
    state = tmp_path / "state"
    assert client(deck.url, state, "submit", form).returncode == 75
    assert client(deck.url, state, "sync").returncode == 0
    assert [seen.instance_id for seen in commcare.submitted()] == ["form-1", "form-1"]
    assert len(commcare.forms) == 1
    verdicts(deck, "recovered")


def test_440_sends_the_whole_object(faulty, simperium, program, tmp_path):
    deck = faulty(simperium.url, "command:c sender:client => error 440 first=1")
    user = Client(deck.url, tmp_path / "state", program)
    user.run("set", "k", '{"a":1}')
    assert simperium.data("notes", "k") == {"a": 1}
    [whole] = changes(simperium, "k")
    assert whole["d"] == {"a": 1}
    deck.eventually_sql("SELECT 1 FROM change WHERE cv IS NOT NULL")
    rows = deck.sql("SELECT ccid, error, cv FROM change ORDER BY id")
    refused = next(row for row in rows if row[1] == 440)
    assert refused[0] != whole["ccid"] and rows[-1][2], rows
    [row] = verdicts(deck, "recovered")
    assert row["action"] == "error 440"


@pytest.mark.parametrize("code", [500, 503])
def test_a_server_in_trouble_gets_the_same_again(faulty, simperium, program, tmp_path, code):
    deck = faulty(simperium.url, f"command:c sender:client => error {code} first=1")
    user = Client(deck.url, tmp_path / "state", program)
    user.run("set", "k", '{"a":1}')
    assert simperium.data("notes", "k") == {"a": 1}
    deck.eventually_sql("SELECT 1 FROM change WHERE cv IS NOT NULL")
    sent = deck.sql("SELECT DISTINCT h.ccid FROM change h JOIN command c "
                    "ON c.id = h.command_id WHERE c.sender = 0")
    assert len(sent) == 1
    verdicts(deck, "recovered")


def test_an_unknown_change_version_reads_the_index(faulty, simperium, program, tmp_path):
    deck = faulty(simperium.url, "command:cv sender:client => cv-unknown first=1")
    user = Client(deck.url, tmp_path / "state", program)
    user.run("set", "k", '{"a":1}')
    simperium.change("notes", "j", {"b": 2})
    assert json.loads(user.run("get", "j").stdout) == {"b": 2}
    [row] = faults(deck)
    assert (row.action, row.sent) == ("cv-unknown", b"0:cv:?")
    deck.eventually_sql("SELECT 1 FROM command WHERE name = 'i'")
    names = [name for (name,) in deck.sql(
        "SELECT name FROM command WHERE sender = 0 AND name IN ('cv', 'i') ORDER BY id")]
    assert re.search("cv i", " ".join(names)), names
    verdicts(deck, "recovered")


def test_an_acknowledgement_that_is_lost(faulty, simperium, program, tmp_path):
    """The connection ends with it; the same change is sent again and is not made twice."""
    deck = faulty(simperium.url, "command:c sender:server => close first=1")
    user = Client(deck.url, tmp_path / "state", program)
    user.run("set", "k", '{"a":1}')
    assert len(simperium.log["notes"]) == 1
    assert len({change["ccid"] for change in changes(simperium, "k")}) == 1
    verdicts(deck, "recovered")


def test_a_client_that_does_nothing_more_is_undecided(faulty, commcare, form, tmp_path):
    deck = faulty(commcare.url, "api:commcare.submit => 413 first=1")
    assert client(deck.url, tmp_path / "state", "submit", form).returncode == 65
    [judged] = verdicts(deck, "undecided")
    assert judged["how"].endswith("the client sent nothing more")


def test_a_recording_that_ends_while_the_client_waits(faulty, commcare, form, tmp_path):
    """Retry-After has not elapsed: what the client does then is not known."""
    deck = faulty(commcare.url, "api:commcare.submit => 503 retry-after=60 first=1")
    assert client(deck.url, tmp_path / "state", "submit", form).returncode == 75
    [judged] = verdicts(deck, "undecided")
    assert judged["how"].endswith("into the 60 s of Retry-After")
    done = tapedeck("faults", "report", deck.trace)
    assert "1 fault: 0 recovered, 0 not recovered, 1 undecided" in done.stdout
    assert "1 undecided: the recording ended before the client had to act" in done.stderr
    assert "undecided" in tapedeck("show", deck.trace, "#1").stdout
    assert tapedeck("ls", deck.trace, "verdict:undecided").stdout.startswith("#1 ")
    assert 'message="undecided: ' in tapedeck(
        "faults", "report", deck.trace, "--junit", "-").stdout


@pytest.fixture(name="user")
def user_fixture(simperium, program, tmp_path) -> Client:
    """A client that gets its tokens from the auth API of the server."""
    simperium.users, simperium.tokens = {"ada": "secret"}, set()
    user = Client("", tmp_path / "state", program)
    user.who = ["--user", "ada"]
    user.environment = {"TAPEDECK_PASSWORD": "secret"}
    return user


def test_401_on_a_change_is_got_over_with_a_new_token(faulty, simperium, user):
    deck = faulty(simperium.url, "command:c sender:client => error 401 first=1")
    user.url = deck.url
    user.run("set", "k", '{"a":1}')
    assert simperium.data("notes", "k") == {"a": 1}
    deck.eventually_sql("SELECT 1 FROM change WHERE cv IS NOT NULL")
    sent = deck.sql("SELECT h.ccid FROM change h JOIN command c "
                    "ON c.id = h.command_id WHERE c.sender = 0")
    assert len(sent) == 2 and len(set(sent)) == 1, "the same change, with another token"
    [judged] = verdicts(deck, "recovered")
    assert judged["how"].startswith("acknowledged by command")


@pytest.mark.parametrize("code, verdict", [(409, "not-recovered"), (412, "undecided")])
def test_an_edit_that_is_nowhere_was_not_recovered(
        faulty, simperium, program, tmp_path, code, verdict):
    """The server did not receive the edit, and the answer to the client claims that it has it.

    After 412 nobody asks what the server has.
    """
    deck = faulty(simperium.url, f"command:c sender:client => error {code} nth=2")
    user = Client(deck.url, tmp_path / "state", program)
    user.run("set", "k", '{"a":1}')
    user.run("set", "k", '{"a":2}', status=None)
    user.run("set", "other", '{"b":1}')
    assert simperium.data("notes", "k") == {"a": 1}, "the edit is lost"
    [judged] = verdicts(deck, verdict)
    assert judged["how"].startswith("nothing shows ")


def test_a_change_that_comes_twice_is_judged_by_its_arrival(faulty, simperium, program, tmp_path):
    deck = faulty(simperium.url, "command:c sender:server => repeat first=1")
    user = Client(deck.url, tmp_path / "state", program)
    user.run("set", "k", '{"a":1}')
    user.run("set", "k", '{"a":2}')
    assert simperium.data("notes", "k") == {"a": 2}
    [judged] = verdicts(deck, "recovered")
    assert judged["how"].startswith("acknowledged by command")


def test_the_built_in_clients_get_through_a_pack(faulty, commcare, form, tmp_path):
    """Several calls are enough for an overloaded server."""
    deck = faulty(commcare.url, more=("--faults", "duplicate-forms"))
    state = tmp_path / "state"
    client(deck.url, state, "submit", form)
    for _ in range(5):
        if client(deck.url, state, "sync").returncode == 0:
            break
    assert len(commcare.forms) == 1
    assert [each["state"] for each in status(state)["forms"]] in ([], ["sent"])
