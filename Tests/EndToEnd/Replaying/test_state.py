"""Proves: `tapedeck state` names what each side held, and exactly what a fault made them differ in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests
from faults import commcare_fixture, dial_fixture, faults, faulty_fixture, simperium_fixture
from origins import AnsweringServer
from programs import DEADLINE, Recording, tapedeck
from serving import AUTH, OPENROSA, CommCareServer, case, form, state, token

__all__ = ["commcare_fixture", "dial_fixture", "faulty_fixture", "simperium_fixture"]
PAGE = "<html><head><title>Hotel</title></head><body>Please sign in.<br></body></html>"


def lines(deck: Recording | Path, *arguments: str, status: int = 0) -> list[dict]:
    """What `state --json` prints."""
    trace = deck.trace if isinstance(deck, Recording) else deck
    done = tapedeck("state", trace, "--json", *arguments, status=status)
    return [json.loads(line) for line in done.stdout.splitlines()]


def of(said: list[dict], kind: str, **where) -> list[dict]:
    """The lines of one kind, with these values."""
    return [line for line in said if line["kind"] == kind
            and all(line.get(name) == value for name, value in where.items())]


def create(value) -> dict:
    """The operations of a new object."""
    return {"a": {"o": "+", "v": value}}


def replace(value) -> dict:
    """Operations that replace its value."""
    return {"a": {"o": "r", "v": value}}


def test_both_sides_hold_the_same(faulty, dial, simperium):
    simperium.change("notes", "old", {"a": 0})
    deck = faulty(simperium.url)
    one = dial(deck)
    one.say("0:i:1:::10")
    assert one.change(id="k", v=create(1))["ev"] == 1
    assert one.change(id="k", v=replace(2), sv=1)["ev"] == 2
    deck.finish()
    said = lines(deck)
    [bucket] = of(said, "bucket")
    assert (bucket["app"], bucket["bucket"], bucket["user"]) == (
        "app", "notes", "user@example.com")
    assert (bucket["objects"], bucket["is_complete"]) == (2, 1)
    [client] = of(said, "client")
    assert (client["client"], client["objects"], client["unacknowledged"]) == ("c1", 2, 0)
    assert client["cv"] == bucket["cv"]
    for holder in (None, "c1"):
        held = {line["key"]: (line["version"], line["data"])
                for line in of(said, "object", client=holder)}
        assert held == {"old": (1, {"a": 0}), "k": (2, {"a": 2})}
    assert of(lines(deck, "--diff"), "object-disagreement") == []
    assert "client and server agree" in tapedeck("state", deck.trace, "--diff").stdout
    # Each moment has its own state.
    [(first,)] = deck.sql(
        "SELECT id FROM command WHERE name = 'c' AND sender = 1 ORDER BY id LIMIT 1")
    for at in (f"c{first}", f"command:{first}"):
        [then] = of(lines(deck, "--at", at, "--key", "k"), "object", client=None)
        assert (then["version"], then["data"]) == (1, {"a": 1})
    [(asked,)] = deck.sql("SELECT min(id) FROM command WHERE name = 'c'")
    [open_change] = of(lines(deck, "--at", f"c{asked}"), "unacknowledged")
    assert (open_change["key"], open_change["outcome"], open_change["v"]) == (
        "k", "unanswered", create(1))
    assert of(lines(deck, "--at", "0s"), "bucket") == []
    text = tapedeck("state", deck.trace).stdout
    assert "bucket notes of application app, user user@example.com" in text
    # In SQL.
    assert deck.sql("SELECT key, version FROM bucket_object ORDER BY key") == [("k", 2), ("old", 1)]
    assert deck.sql("SELECT data FROM bucket_object WHERE key = 'old'") == [('{"a":0}',)]
    assert deck.sql("SELECT * FROM unacknowledged_change") == []


def test_a_change_that_never_reached_a_client(faulty, dial, simperium):
    deck = faulty(simperium.url, "command:c sender:server connection:2 key:k => drop nth=2")
    one = dial(deck)
    one.say("0:i:1:::10")
    two = dial(deck, joins=False)
    two.join(client="c2")
    two.say("0:i:1:::10")
    assert one.change(id="k", v=create(1))["ev"] == 1
    two.next()
    assert one.change(id="other", v=create(1))["ev"] == 1
    two.next()
    # The second `c` about k is lost on its way to the other client.
    assert one.change(id="k", v=replace(2), sv=1)["ev"] == 2
    faults(deck)
    deck.finish()
    found = of(lines(deck, "--diff", status=1), "object-disagreement")
    assert [(each["client"], each["key"], each["what"]) for each in found] == [
        ("c2", "k", "version")]
    assert (found[0]["server_version"], found[0]["client_version"]) == (2, 1)
    assert found[0]["missed"]["why"] == "lost" and found[0]["missed"]["version"] == 2
    assert found[0]["differences"] == [
        {"kind": "json", "path": "/a", "server": "2", "client": "1"}]
    text = tapedeck("state", deck.trace, "--diff", status=1).stdout
    assert "client c2" in text and "client c1" not in text
    assert "k: the client has version 1, the server version 2" in text
    assert "never reached the client" in text


def test_an_acknowledgement_that_was_lost(faulty, dial, simperium):
    deck = faulty(simperium.url, "command:c sender:server => drop nth=2")
    client = dial(deck)
    client.say("0:i:1:::10")
    assert client.change(id="safe", v=create(1))["ev"] == 1
    client.send('0:c:' + json.dumps(
        {"id": "k", "o": "M", "v": create(1), "ccid": "a" * 32}))
    faults(deck)
    assert client.say("h:1") == "h:2"
    deck.finish()
    [found] = of(lines(deck, "--diff", status=1), "object-disagreement")
    assert (found["key"], found["what"], found["client_version"]) == ("k", "unacknowledged", None)
    [change] = found["unacknowledged"]
    assert (change["ccid"], change["outcome"], change["version"]) == ("a" * 32, "accepted", 1)
    assert found["server_data"] == found["client_data"] == {"a": 1}
    assert deck.sql("SELECT key, ccid, error FROM unacknowledged_change") == [
        ("k", "a" * 32, None)]


def test_an_edit_that_never_arrived_and_one_that_was_refused(faulty, dial, simperium):
    deck = faulty(simperium.url, "command:c sender:client key:lost => drop",
                  "command:c sender:client key:refused => error 440")
    client = dial(deck)
    client.say("0:i:1:::10")
    client.send('0:c:' + json.dumps({"id": "lost", "o": "M", "v": create(1), "ccid": "b" * 32}))
    assert client.change(id="refused", v=create(1), ccid="c" * 32)["error"] == 440
    faults(deck, 2)
    deck.finish()
    found = of(lines(deck, "--diff", status=1), "object-disagreement")
    outcomes = {each["key"]: each["unacknowledged"][0]["outcome"] for each in found}
    assert outcomes == {"lost": "lost", "refused": "refused"}
    assert all(each["what"] == "unacknowledged" for each in found)
    # The client sent both; no server said anything about the first one.
    assert deck.sql("SELECT key, ccid, error FROM unacknowledged_change ORDER BY key") == [
        ("lost", "b" * 32, None), ("refused", "c" * 32, 440)]
    assert deck.sql("SELECT key, side, fate FROM any_change WHERE key = 'lost'") == [
        ("lost", "client", "lost")]


@pytest.mark.parametrize("action", ["close", "reset", "close-code 1012", "stall"])
def test_an_edit_that_the_end_of_its_connection_took_away(faulty, dial, simperium, action):
    deck = faulty(simperium.url, f"command:c sender:client key:lost => {action}")
    client = dial(deck)
    client.say("0:i:1:::10")
    assert client.change(id="k", v=create(1))["ev"] == 1
    client.send("0:c:" + json.dumps({"id": "lost", "o": "M", "v": create(1), "ccid": "b" * 32}))
    faults(deck)
    deck.finish()
    [found] = of(lines(deck, "--diff", status=1), "object-disagreement")
    assert (found["key"], found["what"]) == ("lost", "unacknowledged")
    assert found["unacknowledged"][0]["outcome"] == "lost"


def test_a_change_that_was_altered(faulty, dial, simperium):
    simperium.change("notes", "k", {"a": "text"})
    deck = faulty(simperium.url, "command:c sender:server => version-gap by=3 nth=1")
    client = dial(deck)
    client.say("0:i:1:::10")
    client.change(id="k", v={"a": {"o": "d", "v": "=4\t+!"}}, sv=1)
    faults(deck)
    deck.finish()
    [found] = of(lines(deck, "--diff", status=1), "object-disagreement")
    assert (found["key"], found["what"]) == ("k", "version")
    assert (found["server_version"], found["client_version"]) == (2, 1)
    assert found["missed"]["why"] == "gap"
    assert found["server_data"] == {"a": "text!"}


def test_a_page_that_is_longer_than_what_the_trace_keeps(faulty, dial, simperium):
    simperium.change("notes", "long", {"a": "x" * (3 << 19)})
    deck = faulty(simperium.url)
    dial(deck).say("0:i:1:::10")
    deck.finish()
    [client] = of(lines(deck, "--diff") + lines(deck), "client")
    assert (client["objects"], client["is_complete"]) == (1, 1)
    held = of(lines(deck), "object")
    assert [len(line["data"]["a"]) for line in held] == [3 << 19, 3 << 19]


@pytest.fixture(name="serve")
def serve_fixture() -> Iterator[Callable[[], CommCareServer]]:
    """Starts `tapedeck serve`."""
    started: list[CommCareServer] = []

    def start(*arguments: str | Path) -> CommCareServer:
        started.append(CommCareServer(*arguments))
        return started[-1]

    yield start
    for each in started:
        each.kill()


class Phone:
    """A device that asks through a proxy."""

    def __init__(self, deck: Recording, device: str):
        self.root = f"http://{deck.address}/a/demo"
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.auth = AUTH
        self.session.headers.update(OPENROSA | {"x-openrosa-deviceid": device})
        self.token = ""

    def submit(self, body: str) -> requests.Response | None:
        """Sends a form; nothing where the answer is lost."""
        headers = {"Content-Type": "text/xml"}
        if self.token:
            headers["X-CommCareHQ-LastSyncToken"] = self.token
        try:
            return self.session.post(f"{self.root}/receiver/", body.encode(), headers=headers,
                                     timeout=DEADLINE)
        except requests.ConnectionError:
            return None

    def restore(self, *held: str) -> requests.Response:
        """Syncs, from the token that it has."""
        asked = {"version": "2.0", "items": "true"}
        if self.token:
            asked |= {"since": self.token, "state": state(*held)}
        answer = self.session.get(f"{self.root}/phone/restore/", params=asked, timeout=DEADLINE)
        if answer.status_code == 200:
            self.token = token(answer)
        return answer


def test_cases_of_a_device(faulty, serve):
    server = serve()
    deck = faulty(server.url("", "http"))
    phone = Phone(deck, "phone-1")
    assert phone.restore().status_code == 200
    assert phone.submit(form("i1", case("c1"))).status_code == 201
    second = Phone(deck, "phone-2")
    assert second.restore().status_code == 200
    update = case("c1", "<update><age>7</age></update>", create=False)
    assert second.submit(form("i2", update)).status_code == 201
    deck.finish()
    said = lines(deck)
    users = {line["device"]: line for line in of(said, "user")}
    assert set(users) == {"phone-1", "phone-2"}
    assert users["phone-1"]["client_sync_token"] == phone.token
    assert users["phone-1"]["server_state"] == users["phone-1"]["client_state"] == state("c1")
    assert users["phone-1"]["user"] == AUTH[0]
    [held] = of(said, "case", device="phone-2", side="client")
    assert held["case"]["properties"] == {"age": "7"}
    # The first phone has not synced since.
    found = of(lines(deck, "--diff", status=1), "case-disagreement")
    assert [(each["device"], each["case_id"], each["what"]) for each in found] == [
        ("phone-1", "c1", "data")]
    assert found[0]["properties"] == [{"name": "age", "server": "7", "client": None}]
    assert found[0]["is_newer"] == 1
    [(exchange,)] = deck.sql("SELECT exchange_id FROM commcare_form WHERE instance_id = 'i1'")
    for at in (f"#{exchange}", f"exchange:{exchange}"):
        then = lines(deck, "--at", at, "--user", "phone-1")
        [there] = of(then, "case", side="server")
        assert there["case"]["properties"] == {}
    assert deck.sql("SELECT user, device, sync_token FROM commcare_sync ORDER BY exchange_id") == [
        (AUTH[0], "phone-1", phone.token), (AUTH[0], "phone-2", second.token)]
    age = "json_extract(properties, '$.age')"
    assert deck.sql(f"SELECT project, case_id, case_name, owner_id, {age} FROM commcare_case") == [
        (held["domain"], "c1", "Łucja", "team", "7")]
    assert deck.sql(f"SELECT user, device, case_id, {age}, unaccepted "
                    "FROM commcare_device_case ORDER BY device") == [
        (AUTH[0], "phone-1", "c1", None, 0), (AUTH[0], "phone-2", "c1", "7", 0)]
    text = tapedeck("state", deck.trace, "--diff", status=1).stdout
    assert 'age: server "7", device nothing' in text


def test_a_form_whose_answer_was_lost(faulty, serve):
    server = serve()
    deck = faulty(server.url("", "http"), "api:commcare.submit => lose-answer nth=2",
                  "api:commcare.submit => 503 nth=3")
    phone = Phone(deck, "phone-1")
    assert phone.restore().status_code == 200
    assert phone.submit(form("i1", case("c1"))).status_code == 201
    assert phone.submit(form("i2", case("c2"))) is None
    assert phone.submit(form("i3", case("c3"))).status_code == 503
    faults(deck, 2)
    deck.finish()
    said = lines(deck, "--diff", status=1)
    outcomes = {each["instance_id"]: each["outcome"] for each in of(said, "form")}
    assert outcomes == {"i2": "accepted", "i3": "refused"}
    found = of(said, "case-disagreement")
    assert [(each["case_id"], each["what"], each["forms"]) for each in found] == [
        ("c3", "missing-on-server", ["i3"])]
    assert deck.sql("SELECT instance_id, status, is_accepted FROM commcare_form ORDER BY 1") == [
        ("i1", 201, 1), ("i2", None, 0), ("i3", 503, 0)]
    # Without a row for what was answered and lost, SQL tells of c2 what the device knows.
    assert deck.sql("SELECT case_id FROM commcare_case") == [("c1",)]
    assert deck.sql("SELECT case_id, unaccepted FROM commcare_device_case ORDER BY 1") == [
        ("c1", 0), ("c2", 1), ("c3", 1)]


def test_what_a_full_restore_replaces(faulty, serve):
    server = serve()
    deck = faulty(server.url("", "http"), "api:commcare.submit => 422 nth=2",
                  "api:commcare.submit => 500 nth=3", "api:commcare.restore => 412 nth=2")
    phone = Phone(deck, "phone-1")
    assert phone.restore().status_code == 200
    assert phone.submit(form("i1", case("c1"))).status_code == 201
    assert phone.submit(form("i2", case("c2"))).status_code == 422
    assert phone.submit(form("i3", case("c3"))).status_code == 500
    assert phone.restore("c1").status_code == 412
    phone.token = ""
    assert phone.restore().status_code == 200
    faults(deck, 3)
    deck.finish()
    before = lines(deck, "--at", "#5")
    assert sorted(each["case"]["case_id"] for each in of(before, "case", side="client")) == [
        "c1", "c2", "c3"]
    said = lines(deck, "--diff")
    assert [(each["instance_id"], each["outcome"], each["status"], each["is_cleared"])
            for each in of(said, "form")] == [("i2", "refused", 422, 1), ("i3", "refused", 500, 1)]
    [held] = of(lines(deck), "case", side="client")
    assert held["case"]["case_id"] == "c1"
    text = tapedeck("state", deck.trace).stdout
    assert "2 forms not seen accepted (2 refused)" in text
    assert "was refused with 422; a full restore replaced its cases on the device" in text


@pytest.mark.parametrize("extra", ["", "forwarded"])
def test_a_form_answered_with_the_page_of_a_captive_portal(faulty, serve, extra):
    """Nobody has it, unless the page replaced the server's answer."""
    deck = faulty(serve().url("", "http"),
                  f'api:commcare.submit => 200 {extra} type=text/html body="{PAGE}"')
    phone = Phone(deck, "phone-1")
    assert phone.restore().status_code == 200
    assert phone.submit(form("i1", case("c1"))).status_code == 200
    faults(deck)
    deck.finish()
    said = lines(deck, "--diff", status=1)
    [sent] = of(said, "form")
    found = [(each["case_id"], each["what"]) for each in of(said, "case-disagreement")]
    text = tapedeck("state", deck.trace).stdout
    assert deck.sql("SELECT is_accepted FROM commcare_form") == [(0,)]
    if extra:
        assert sent["outcome"] == "accepted" and not found
    else:
        assert (sent["outcome"], sent["status"]) == ("unconfirmed", 200)
        assert found == [("c1", "missing-on-server")]
        assert "the device may take it for sent, and the server does not have it" in text
        assert deck.sql("SELECT count(*) FROM commcare_case") == [(0,)]


class Portal(AnsweringServer):
    """Answers everything with its page."""

    def answer(self, method, path, headers, body):
        """The page."""
        return 200, {"Content-Type": "text/html"}, PAGE.encode()


def test_a_portal_without_any_fault(faulty):
    portal = Portal()
    deck = faulty(portal.url)
    assert Phone(deck, "phone-1").submit(form("i1", case("c1"))).status_code == 200
    deck.finish()
    portal.end()
    [sent] = of(lines(deck, "--diff", status=1), "form")
    assert (sent["outcome"], sent["status"]) == ("unconfirmed", 200)
    assert deck.sql("SELECT is_accepted FROM commcare_form") == [(0,)]


def test_the_hash_that_a_device_sends(faulty, serve):
    deck = faulty(serve().url("", "http"))
    phone = Phone(deck, "phone-1")
    assert phone.restore().status_code == 200
    for number in (1, 2):
        assert phone.submit(form(f"i{number}", case(f"c{number}"))).status_code == 201
    # It has lost one of its cases.
    assert phone.restore("c1").status_code == 412
    deck.finish()
    said = lines(deck, "--diff", status=1)
    [found] = of(said, "sent-state-disagreement")
    assert (found["sent_state"], found["client_state"]) == (state("c1"), state("c1", "c2"))
    assert (found["missing"], found["additional"]) == (["c2"], [])
    assert deck.sql("SELECT status FROM exchange WHERE id = ?", found["exchange_id"]) == [(412,)]
    assert of(said, "case-disagreement") == []
    text = tapedeck("state", deck.trace, "--diff", status=1).stdout
    assert "it lacks case c2" in text and "1 disagreement" in text


def test_what_is_not_there(faulty, simperium):
    deck = faulty(simperium.url)
    deck.finish()
    refused = tapedeck("state", deck.trace, "--at", "c99", status=65)
    assert "no such point in the trace" in refused.stderr
    tapedeck("state", deck.trace, "--at", "yesterday", status=64)
    tapedeck("state", deck.trace, "--at", "c1", "--session", "1", status=64)
    tapedeck("state", deck.trace.with_name("none.tape"), status=66)
    assert "at the end of the trace" in tapedeck("state", deck.trace).stdout
