"""Proves: `diff` says what two recordings have in common, and where they do not, of real sessions."""

from __future__ import annotations

import json
import re
import subprocess
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from programs import DEADLINE, TAPEDECK, Recording, environment, tapedeck
from serving import AUTH, OPENROSA, TOKEN, Server
from websockets.sync.client import connect

import requests

FORM = """<?xml version="1.0"?><data xmlns="http://example.org/visit"><name>{name}</name>
<meta xmlns="http://openrosa.org/jr/xforms"><instanceID>{instance}</instanceID></meta>
<case xmlns="http://commcarehq.org/case/transaction/v2" case_id="{case}" user_id="u1"
 date_modified="2026-01-15T10:00:00Z"><create><case_type>person</case_type><case_name>{name}</case_name>
</create><update><age>{age}</age></update></case></data>"""
INIT = ('0:init:{{"name":"notes","clientid":"{client}","app_id":"app","api":"1.1","token":"'
        + TOKEN + '","library":"test","version":"1"}}')


def hexadecimal() -> str:
    """An identifier as clients make them."""
    return uuid.uuid4().hex


def commcare(url: str, age: int = 7, extra: bool = False, names: tuple[str, ...] = ("Ada", "Bo")) -> None:
    """Submits a form for each name and restores."""
    for name in names:
        form = FORM.format(name=name, instance=uuid.uuid4(), case=uuid.uuid4(), age=age)
        requests.post(f"{url}/a/demo/receiver/", auth=AUTH, headers=OPENROSA, timeout=DEADLINE,
                      files={"xml_submission_file": ("form.xml", form, "text/xml")})
    if extra:
        requests.get(f"{url}/a/demo/nothing", auth=AUTH, headers=OPENROSA, timeout=DEADLINE)
    requests.get(f"{url}/a/demo/phone/restore/", auth=AUTH, headers=OPENROSA, timeout=DEADLINE,
                 params={"version": "2.0", "device_id": hexadecimal()})


def simperium(address: str, values: tuple[int, ...] = (1, 2, 3)) -> None:
    """Makes an object for each value and changes it."""
    client = hexadecimal()
    with connect(f"ws://{address}/sock/1/app/websocket", proxy=None) as socket:
        def say(text: str) -> str:
            socket.send(text)
            return socket.recv(DEADLINE)

        assert say(INIT.format(client=client)).startswith("0:auth:")
        assert say("0:i::::10").startswith("0:i:")
        for value in values:
            key = hexadecimal()
            for sv, change in ((None, {"n": {"o": "+", "v": value}}), (1, {"n": {"o": "I", "v": 1}})):
                told = {"clientid": client, "id": key, "o": "M", "v": change, "ccid": hexadecimal()}
                if sv:
                    told["sv"] = sv
                answer = say("0:c:" + json.dumps(told))
                assert "error" not in answer
        assert say("h:0") == "h:1"


@pytest.fixture
def recorded(record, tmp_path: Path, ca_dir: Path) -> Callable[..., Path]:
    """Records what `act` does with the address of a fresh `serve`."""
    servers: list[Server] = []

    def make(name: str, *acts: Callable[[Recording], None]) -> Path:
        servers.append(Server())
        recording = record("--to", servers[-1].url("", "http"), to=tmp_path / f"{name}.tape")
        for act in acts:
            act(recording)
        recording.finish()
        return recording.trace

    yield make
    for server in servers:
        server.kill()


def diff(*arguments: str | Path, status: int = 0) -> str:
    """What `diff` prints."""
    done = subprocess.run([TAPEDECK, "diff", *arguments], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, env=environment())
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def differences(*arguments: str | Path, status: int = 1) -> list[dict]:
    """The differences that `diff --json` prints."""
    lines = [json.loads(line) for line in diff(*arguments, "--json", status=status).splitlines()]
    assert lines[-1]["section"] == "summary" and lines[-1]["equal"] == (status == 0)
    return [line for line in lines if "change" in line]


def test_a_trace_is_equal_to_itself(recorded) -> None:
    """No difference, also where nothing is left out."""
    trace = recorded("one", lambda r: commcare(r.url), lambda r: simperium(r.address))
    assert "0 changed, 0 missing, 0 added, 0 moved" in diff(trace, trace)
    assert differences(trace, trace, "--exact", status=0) == []


def test_two_runs_of_one_session_are_equal(recorded) -> None:
    """Other ids, ccids, keys, instance ids, case ids, times and ports are no difference."""
    acts = (lambda r: commcare(r.url), lambda r: simperium(r.address))
    one, other = recorded("one", *acts), recorded("other", *acts)
    assert differences(one, other, status=0) == []
    assert len(differences(one, other, "--exact")) > 10
    text = diff(one, other)
    assert "identifiers taken for each other" in text
    assert re.search(r"commcare\.submit +2, \S+ \S+, \S+ \S+ \| 2, ", text)


def test_two_sessions_of_one_trace(recorded) -> None:
    """Each is read alone: a third difference would be that of the other session."""
    acts = (lambda r: commcare(r.url), lambda r: simperium(r.address))
    recorded("one", *acts)
    trace = recorded("one", *acts, lambda r: commcare(r.url, extra=True))
    whole = recorded("other", *acts)
    found = differences(trace, "--session", "1", "--with-session", "2", "--messages-only")
    assert found and all(line["change"] == "added" for line in found), found
    assert any("/a/demo/nothing" in (line["b_line"] or "") for line in found)
    assert differences(trace, whole, "--session", "1", status=0) == []
    assert differences(trace, trace, "--session", "2", "--with-session", "2", status=0) == []
    assert "it has sessions 1, 2" in tapedeck("diff", trace, whole, "--session", "7", status=None).stderr
    tapedeck("diff", trace, "--session", "2", "--with-session", "2", status=64)


SCRIPT = """
wait synced
set notes a {"t":"one"}
set notes b {"t":"two","n":1}
wait synced
set notes a {"t":"one and more"}
set notes c {"t":"three"}
cut
wait synced
set notes b {"t":"two again","n":2}
delete notes c
wait synced
"""


@pytest.mark.parametrize("fault", [
    "", "command:c sender:client => close nth=3", "command:c sender:server => close nth=2",
])
def test_two_runs_with_a_reconnection_are_equal(record, tmp_path: Path, fault: str) -> None:
    """Whatever was lost at the cut and sent again or fetched later: no difference."""
    (tmp_path / "script").write_text(SCRIPT)
    traces = []
    for name in ("one", "other"):
        server = Server()
        deck = record("--to", server.url("", "http"), *(["--fault", fault] if fault else []),
                      to=tmp_path / f"{name}.tape")
        tapedeck("client", "simperium", "run", tmp_path / "script", "--to", deck.url, "--app", "app",
                 "--token", TOKEN, "--bucket", "notes", "--state", tmp_path / name)
        deck.finish()
        server.kill()
        traces.append(deck.trace)
        assert deck.sql("SELECT count(*) FROM exchange WHERE status = 101") >= [(2,)]
    assert differences(*traces, status=0) == []


def test_what_is_missing_added_and_changed_is_named(recorded) -> None:
    """An exchange more, another value in a form and in what follows of it at the end."""
    one = recorded("one", lambda r: commcare(r.url))
    more = recorded("more", lambda r: commcare(r.url, extra=True))
    found = differences(one, more)
    assert [(each["change"], each["a"], each["b"]) for each in found] == [("added", None, 3)]
    assert found[0]["b_line"].startswith("GET /a/demo/nothing")
    found = differences(more, one)
    assert [(each["change"], each["a"], each["b"]) for each in found] == [("missing", 3, None)]

    older = recorded("older", lambda r: commcare(r.url, age=8))
    found = differences(one, older)
    requests_ = [each for each in found if each.get("part") == "request"]
    assert [(each["a"], each["a_value"], each["b_value"]) for each in requests_] == [
        (1, '"7"', '"8"'), (2, '"7"', '"8"')]
    assert all(each["kind"] == "xml" and "age" in each["path"] for each in requests_)
    assert any(each["section"].startswith("cases of ") and each["place"] == "age" for each in found)
    assert any(each["section"] == "exchanges" and each["part"] == "answer" for each in found)
    text = diff(one, older, "--ignore", "xml://case/update/age", "--messages-only")
    assert "0 changed" in text


def test_commands_and_contents_are_compared(recorded) -> None:
    """Another value of an object, and an object less."""
    one = recorded("one", lambda r: simperium(r.address))
    other = recorded("other", lambda r: simperium(r.address, (1, 5, 3)))
    found = differences(one, other)
    sections = {each["section"] for each in found}
    assert any(section.endswith("sent by the client") for section in sections)
    assert any(section.endswith("sent by the server") for section in sections)
    contents = [each for each in found if each["section"].startswith("contents of bucket notes")]
    assert [(each["path"], each["a_value"], each["b_value"]) for each in contents] == [("/n", "3", "6")]

    fewer = recorded("fewer", lambda r: simperium(r.address, (1, 3)))
    found = differences(one, fewer)
    assert {each["change"] for each in found} == {"missing"}
    commands = [each for each in found if "sent by" in each["section"]]
    assert len(commands) == 4
    assert sum(each["section"].startswith("contents") for each in found) == 1
    text = diff(one, fewer, "-U", "0", status=1)
    assert text.splitlines()[0].startswith("--- ") and text.splitlines()[1].startswith("+++ ")
    assert "@@ bucket notes of app" in text and "\x1b" not in text


def test_refusals(recorded, tmp_path: Path) -> None:
    """A file that is not there, one that is no trace, a rule that is none."""
    trace = recorded("one")
    (tmp_path / "text").write_text("no trace" * 100)
    assert tapedeck("diff", trace, tmp_path / "nothing.tape", status=66) is not None
    assert tapedeck("diff", trace, tmp_path / "text", status=65) is not None
    assert tapedeck("diff", trace, trace, "--ignore", "nonsense", status=64) is not None
