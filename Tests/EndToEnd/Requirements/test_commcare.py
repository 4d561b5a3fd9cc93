"""The requirements of CommCare over HTTP: the built-in client through the recording proxy to `tapedeck serve`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from programs import Recording
from proves import proves
from serving import case
from serving import form as form_of
from test_client_commcare import client, form, response, restore, scripted, status

__all__ = ["form", "scripted"]

ACCOUNTS = """
users:
  - {name: anna, password: secret, uuid: anna1, domains: [demo]}
"""


@pytest.fixture(name="through")
def through_fixture(serve, record, tmp_path) -> Callable[..., Recording]:
    """Starts `tapedeck serve` with one user, and a proxy before it."""
    accounts = tmp_path / "accounts.yaml"
    accounts.write_text(ACCOUNTS)
    count = iter(range(100))

    def start(*arguments: str) -> Recording:
        server = serve("--accounts", accounts, *arguments)
        return record("--to", server.url("", "http"), to=tmp_path / f"{next(count)}.tape")

    return start


def filled(folder: Path, instance: str, *cases: str) -> Path:
    """A form on the disk."""
    path = folder / f"{instance}.xml"
    path.write_text(form_of(instance, *cases))
    return path


def mine(name: str) -> str:
    """A new case of the user."""
    return case(name).replace("team", "anna1")


def answers(proxy: Recording) -> list[tuple[str, int]]:
    """Methods and codes of what was recorded."""
    return proxy.sql("SELECT method, status FROM exchange ORDER BY id")


def fields(proxy: Recording, name: str, sender: int = 0) -> list[str | None]:
    """A field of each exchange, None where it is missing."""
    return [value for value, in proxy.sql(
        "SELECT (SELECT value FROM header h WHERE h.exchange_id = x.id AND h.sender = ? AND h.name = ?) "
        "FROM exchange x ORDER BY x.id", sender, name)]


@proves("C-1", "C-2", "C-3", "C-4", "C-6", "C-7")
def test_requests_say_version_token_and_device(through, tmp_path) -> None:
    """A sync, a form, a sync and another form of one device, and a sync of another."""
    proxy = through()
    one, two = tmp_path / "one", tmp_path / "two"
    for arguments in (("sync",), ("submit", filled(tmp_path, "i1", mine("c1"))), ("sync",),
                      ("submit", filled(tmp_path, "i2", mine("c2")))):
        assert client(proxy.url, one, *arguments).returncode == 0
    assert client(proxy.url, two, "sync").returncode == 0
    proxy.finish()
    assert answers(proxy) == [("GET", 200), ("POST", 201), ("GET", 200), ("POST", 201), ("GET", 200)]
    assert fields(proxy, "x-openrosa-version") == ["3.0"] * 5
    tokens = [token for token, in proxy.sql("SELECT restore_id FROM openrosa WHERE restore_id <> '' ORDER BY id")]
    assert len(set(tokens)) == 3
    assert fields(proxy, "x-commcarehq-lastsynctoken") == [None, tokens[0], tokens[0], tokens[1], None]
    assert f"since={tokens[0]}" in proxy.sql("SELECT url FROM exchange ORDER BY id")[2][0]
    devices = fields(proxy, "x-openrosa-deviceid")
    assert len(set(devices[:4])) == 1 and devices[0] and devices[4] and devices[0] != devices[4]


@proves("C-5")
def test_the_token_is_that_of_the_last_sync_that_succeeded(scripted, record, form, tmp_path) -> None:
    """What was cut, and what was refused, leaves the one before."""
    server = scripted((200, {}, restore("t1")), (200, {}, restore("t2")[:-9]), (500, {}, ""),
                      (201, {}, response("submit_success")))
    proxy = record("--to", server.url)
    codes = [client(proxy.url, tmp_path / "state", *arguments).returncode
             for arguments in (("sync",), ("sync",), ("sync",), ("submit", form))]
    proxy.finish()
    assert codes == [0, 75, 75, 0]
    assert fields(proxy, "x-commcarehq-lastsynctoken") == [None, "t1", "t1", "t1"]


@proves("C-8", "C-9", "C-10", "C-11", "C-12", "C-14", "C-16")
def test_a_restore_that_is_being_prepared(through, tmp_path) -> None:
    """Three times 202, each with the time to wait, which the client waits."""
    proxy = through("--restore-polls", "3", "--retry-after", "1")
    assert client(proxy.url, tmp_path / "state", "sync").returncode == 0
    proxy.finish()
    assert answers(proxy) == [("GET", 202)] * 3 + [("GET", 200)]
    assert fields(proxy, "retry-after", sender=1) == ["1"] * 3 + [None]
    assert len({url for url, in proxy.sql("SELECT url FROM exchange")}) == 1
    waits = proxy.sql("SELECT started_ns - lag(ended_ns) OVER (ORDER BY id) FROM exchange")
    assert all(1e9 <= wait < 10e9 for wait, in waits[1:]), waits
    rows = proxy.sql("SELECT root, nature, message <> '', done, total FROM openrosa WHERE total > 0 ORDER BY id")
    assert rows == [("OpenRosaResponse", "ota_restore_pending", 1, f"{done}", "3") for done in range(3)]


@proves("C-13", "C-16")
@pytest.mark.parametrize("body", ["", response("ota_restore_pending")])
def test_a_202_with_less_in_it(scripted, record, tmp_path, body) -> None:
    """Its body is optional, and what may be in the body."""
    server = scripted((202, {"Retry-After": "1"}, body), (200, {}, restore("t1")))
    proxy = record("--to", server.url)
    assert client(proxy.url, tmp_path / "state", "sync").returncode == 0
    assert status(tmp_path / "state")["sync_token"] == "t1"
    proxy.finish()
    assert answers(proxy) == [("GET", 202), ("GET", 200)]


@proves("C-17", "C-18", "C-19")
def test_a_sync_that_is_not_possible_any_more(through, tmp_path) -> None:
    """Another server does not know the token: all of it is requested, and replaces what was there."""
    state, other = tmp_path / "state", tmp_path / "other"
    proxy = through()
    assert client(proxy.url, state, "submit", filled(tmp_path, "i1", mine("old"))).returncode == 0
    assert client(proxy.url, state, "sync").returncode == 0
    assert status(state)["cases"] == ["old"]
    proxy.finish()
    proxy = through()
    assert client(proxy.url, other, "submit", filled(tmp_path, "i2", mine("new"))).returncode == 0
    assert client(proxy.url, state, "sync").returncode == 0
    assert status(state)["cases"] == ["new"]
    proxy.finish()
    assert answers(proxy) == [("POST", 201), ("GET", 412), ("GET", 200)]
    refused, full = [url for url, in proxy.sql("SELECT url FROM exchange WHERE method = 'GET' ORDER BY id")]
    assert "since=" in refused and "state=" in refused
    assert "since=" not in full and "state=" not in full
    assert fields(proxy, "x-commcarehq-lastsynctoken")[2] is None
    assert status(state)["sync_token"] == proxy.sql("SELECT restore_id FROM openrosa WHERE restore_id <> ''")[0][0]


@proves("C-20", "C-21", "C-22")
def test_a_form_that_cannot_be_processed(through, tmp_path) -> None:
    """It is put aside with what the server says of it, and the next ones are sent."""
    proxy = through()
    state = tmp_path / "state"
    bad = filled(tmp_path, "bad", case("nowhere", "<close/>", create=False))
    ended = client(proxy.url, state, "submit", bad)
    assert ended.returncode == 65 and "case nowhere does not exist" in ended.stderr
    assert client(proxy.url, state, "submit", bad).returncode == 65
    assert client(proxy.url, state, "sync").returncode == 0
    assert client(proxy.url, state, "submit", filled(tmp_path, "good", mine("c1"))).returncode == 0
    assert [each["state"] for each in status(state)["forms"]] == ["aside", "sent"]
    proxy.finish()
    assert answers(proxy) == [("POST", 422), ("GET", 200), ("POST", 201)]
    assert proxy.sql("SELECT root, nature, message FROM openrosa WHERE exchange_id = "
                     "(SELECT id FROM exchange WHERE status = 422) AND sender = 1") == [
        ("OpenRosaResponse", "processing_failure", "IllegalCaseId: case nowhere does not exist")]


@proves("C-23", "C-24", "C-25", "C-26", "C-27")
@pytest.mark.parametrize("work", ["submit", "sync"])
@pytest.mark.parametrize("code", [429, 503])
def test_too_much_is_not_tried_again(through, tmp_path, work, code) -> None:
    """One request; who asks at once for another has to wait first, and then it is sent."""
    limits = ("--requests-per-minute",) if code == 503 else (
        "--submissions-per-minute" if work == "submit" else "--restores-per-minute",)
    proxy = through(*limits, "0")
    state = tmp_path / "state"
    arguments = (work, filled(tmp_path, "i1", mine("c1"))) if work == "submit" else (work,)
    first = client(proxy.url, state, *arguments)
    again = client(proxy.url, state, *arguments)
    assert (first.returncode, again.returncode) == (75, 75)
    assert f"answered {code}" in first.stderr
    assert re.search("requires a pause: try again in [1-9][0-9]* s", again.stderr), again.stderr
    later = client(proxy.url, state, *arguments, "--days-later", "1")
    assert f"answered {code}" in later.stderr
    proxy.finish()
    assert answers(proxy) == [("POST" if work == "submit" else "GET", code)] * 2


@proves("C-28")
@pytest.mark.parametrize("limit", ["--restores-per-minute", "--requests-per-minute"])
def test_pauses_of_a_timer_double(through, tmp_path, limit) -> None:
    """A timer that comes too early sends nothing, and each refusal doubles its pause."""
    proxy = through(limit, "0")
    pauses = []
    for day in range(1, 5):
        later = ("sync", "--automatic", "--days-later", str(day))
        client(proxy.url, tmp_path / "state", *later)
        early = client(proxy.url, tmp_path / "state", *later)
        pauses.append(int(re.search(r"try again in (\d+) s", early.stderr)[1]))
    proxy.finish()
    assert len(answers(proxy)) == 4
    # From five minutes on, each longer by a part of its own, so that not all devices come at once.
    doubled = [pause / 2 ** times / 300 for times, pause in enumerate(pauses)]
    assert all(0.95 < share < 1.3 for share in doubled), pauses


@proves("C-29", "C-30", "C-31", "C-32")
@pytest.mark.parametrize("work", ["submit", "sync"])
def test_what_the_user_has_to_do(through, tmp_path, work) -> None:
    """In the user's language where there is a translation, else as the server says it."""
    (tmp_path / "off.yaml").write_text(ACCOUNTS.replace("uuid", "active: false, uuid"))
    proxy = through("--accounts", tmp_path / "off.yaml")
    arguments = (work, filled(tmp_path, "i1", mine("c1"))) if work == "submit" else (work,)
    texts = tmp_path / "de.txt"
    texts.write_text("other.key=Anderes\n")
    raw = client(proxy.url, tmp_path / "one", *arguments, "--locale", texts).stderr
    texts.write_text("user.deactivated=Abgeschaltet\n")
    translated = client(proxy.url, tmp_path / "two", *arguments, "--locale", texts).stderr
    proxy.finish()
    assert [code for _, code in answers(proxy)] == [406] * 2
    bodies = [json.loads(body) for body, in proxy.sql("SELECT response_body FROM exchange")]
    assert all(body.keys() == {"error", "default_response"} for body in bodies)
    assert bodies[0]["error"] == "user.deactivated"
    assert bodies[0]["default_response"] in raw and "Anderes" not in raw
    assert "Abgeschaltet" in translated and bodies[0]["default_response"] not in translated
