"""`tapedeck client commcare` against a server written here, and against `tapedeck serve`."""

from __future__ import annotations

import base64
import json
import os
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from origins import AnsweringServer
from programs import DEADLINE, TAPEDECK, environment
from proves import proves

FORM = """<?xml version='1.0' ?><data xmlns="http://example.org/f">
<case xmlns="http://commcarehq.org/case/transaction/v2" case_id="mine" user_id="u"
 date_modified="2026-01-01T00:00:00.000Z"><create><case_type>t</case_type>
<case_name>n</case_name><owner_id>u</owner_id></create></case>
<meta xmlns="http://openrosa.org/jr/xforms"><instanceID>form-1</instanceID></meta></data>"""


def response(nature: str, text: str = "", more: str = "") -> str:
    """An OpenRosaResponse."""
    return ('<OpenRosaResponse xmlns="http://openrosa.org/http/response">'
            f'<message nature="{nature}">{text}</message>{more}</OpenRosaResponse>')


def restore(token: str) -> str:
    """A restore without cases."""
    return response("ota_restore_success", "ok", '<Sync xmlns="http://commcarehq.org/sync">'
                    f"<restore_id>{token}</restore_id></Sync>")


TAKEN = (201, {}, response("submit_success", "thanks"))
PENDING = (202, {"Retry-After": "1"}, response(
    "ota_restore_pending", "", '<Sync xmlns="http://commcarehq.org/sync">'
    '<progress done="1" total="2"/></Sync>'))


class Scripted(AnsweringServer):
    """Answers with what the script has next; keeps what it was asked."""

    def __init__(self, script: list):
        self.script = list(script)
        self.asked: list[tuple[str, str, dict, bytes]] = []
        super().__init__()

    def answer(self, method, path, headers, body):
        """The next line of the script."""
        fields = {name.lower(): value for name, value in headers.items()}
        self.asked.append((method, path, fields, body))
        status, fields, text = self.script.pop(0)
        return status, fields, text.encode()


@pytest.fixture
def scripted() -> Iterator[Callable[..., Scripted]]:
    """Starts servers with a script."""
    started: list[Scripted] = []

    def start(*script) -> Scripted:
        started.append(Scripted(list(script)))
        return started[-1]

    yield start
    for each in started:
        each.end()


@pytest.fixture
def form(tmp_path: Path) -> Path:
    """A filled form."""
    path = tmp_path / "form.xml"
    path.write_text(FORM)
    return path


def client(url: str, state: Path, *arguments: str | Path) -> subprocess.CompletedProcess:
    """Runs the client to its end."""
    return subprocess.run(
        [TAPEDECK, "client", "commcare", *arguments, "--to", url, "--domain", "demo",
         "--user", "anna", "--state", state],
        env=environment(TAPEDECK_PASSWORD="secret"), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=DEADLINE, check=False)


def status(state: Path) -> dict:
    """What the state says."""
    shown = subprocess.run(
        [TAPEDECK, "client", "commcare", "status", "--state", state, "--json"],
        env=environment(), capture_output=True, text=True, timeout=DEADLINE, check=True)
    return json.loads(shown.stdout)


@proves("C-1")
def test_submits_as_commcare_does(scripted, form, tmp_path):
    """The request has its headers, its parts in order, and is sent once."""
    server = scripted(TAKEN)
    photo = tmp_path / "a.jpg"
    photo.write_bytes(b"\xff\xd8\x00\x01")
    ended = client(server.url, tmp_path / "state", "submit", form, photo)
    assert ended.returncode == 0, ended.stderr
    [(method, path, headers, body)] = server.asked
    assert (method, path) == ("POST", "/a/demo/receiver/")
    assert headers["x-openrosa-version"] == "3.0"
    assert headers["x-openrosa-deviceid"]
    assert "x-commcarehq-lastsynctoken" not in headers
    assert base64.b64decode(headers["authorization"].split()[1]) == b"anna@demo:secret"
    assert body.index(b'name="xml_submission_file"') < body.index(b'name="a.jpg"')
    assert FORM.encode() in body and photo.read_bytes() in body
    assert client(server.url, tmp_path / "state", "submit", form).returncode == 0
    assert len(server.asked) == 1


@pytest.mark.parametrize(("answer", "code", "became"), [
    ((422, {}, response("processing_failure", "broken")), 65, "aside"),
    ((500, {}, "oops"), 75, "queued"),
    ((503, {"Retry-After": "60"}, ""), 75, "queued"),
    ((200, {}, "<html>welcome to the hotel</html>"), 75, "queued"),
    ((201, {}, response("submit_error", "no")), 65, "held"),
    ((401, {}, ""), 65, "queued"),
    ((413, {}, ""), 65, "held"),
    ((302, {"Location": "/elsewhere"}, ""), 75, "queued"),
])
def test_keeps_what_was_not_taken(scripted, form, tmp_path, answer, code, became):
    """Every refusal has its status, and the form is still there."""
    server = scripted(answer)
    ended = client(server.url, tmp_path / "state", "submit", form)
    assert ended.returncode == code, ended.stderr
    assert [each["state"] for each in status(tmp_path / "state")["forms"]] == [became]


@proves("C-31", "C-32")
def test_shows_the_translation_of_406(scripted, form, tmp_path):
    """The locale file first, then the default of the server."""
    answer = (406, {}, json.dumps({"error": "user.off", "default_response": "You are off."}))
    server = scripted(answer, answer)
    assert "You are off." in client(server.url, tmp_path / "state", "submit", form).stderr
    coloured = scripted((406, {}, json.dumps({"error": "user.off", "default_response": "\x1b[31mYou are off."})))
    said = client(coloured.url, tmp_path / "other", "submit", form).stderr
    assert "\N{REPLACEMENT CHARACTER}[31mYou are off." in said and "\x1b" not in said
    texts = tmp_path / "de.txt"
    texts.write_text("user.off=Abgeschaltet\n")
    ended = client(server.url, tmp_path / "state", "sync", "--locale", texts)
    assert "Abgeschaltet" in ended.stderr


def test_nobody_there(form, tmp_path):
    """Status 75; the form is sent by the next sync."""
    assert client("http://127.0.0.1:1", tmp_path / "s", "submit", form).returncode == 75
    assert [each["state"] for each in status(tmp_path / "s")["forms"]] == ["queued"]


@proves("C-4", "C-5", "C-9", "C-18")
@pytest.mark.parametrize(("script", "code", "token"), [
    ([(412, {}, ""), (200, {}, restore("t2"))], 0, "t2"),
    ([(412, {}, ""), (500, {}, "")], 75, "t1"),
    ([(412, {}, ""), PENDING, PENDING, (200, {}, restore("t2"))], 0, "t2"),
    ([PENDING, PENDING, PENDING, (200, {}, restore("t2"))], 0, "t2"),
    ([(412, {}, ""), (200, {}, restore("t2")[:-9])], 75, "t1"),
    ([(200, {}, "<html/>")], 75, "t1"),
])
def test_restores(scripted, tmp_path, script, code, token):
    """What comes after the first sync, and which token is there at the end."""
    server = scripted((200, {}, restore("t1")), *script)
    state = tmp_path / "state"
    assert client(server.url, state, "sync").returncode == 0
    ended = client(server.url, state, "sync")
    assert ended.returncode == code, ended.stderr
    assert status(state)["sync_token"] == token
    assert server.script == []
    first, second, *others = server.asked
    assert "version=2.0" in first[1] and "items=true" in first[1]
    assert "since=" not in first[1] and "x-commcarehq-lastsynctoken" not in first[2]
    assert "since=t1" in second[1] and "state=ccsh%3A" in second[1]
    assert second[2]["x-commcarehq-lastsynctoken"] == "t1"
    if script[0][0] == 412:
        for _, path, headers, _ in others:
            assert "since=" not in path and "state=" not in path
            assert "x-commcarehq-lastsynctoken" not in headers


def test_submits_as_to_openrosa(scripted, form, tmp_path):
    """Asks before the first form, and sends it where the server says, with version and date."""
    server = scripted()
    server.script = [(204, {"Location": f"{server.url}/odk/submission"}, ""), TAKEN]
    state = tmp_path / "state"
    ended = client(server.url, state, "submit", form, "--openrosa", "--device", "d-1")
    assert ended.returncode == 0, ended.stderr
    assert [asked[:2] for asked in server.asked] == [
        ("HEAD", "/a/demo/submission?deviceID=d-1"), ("POST", "/odk/submission?deviceID=d-1")]
    for _, _, headers, _ in server.asked:
        assert headers["x-openrosa-version"] == "1.0" and headers["date"].endswith(" GMT")
        assert headers["authorization"]
    # What was meant for one kind of server is not sent to another.
    assert client(server.url, state, "sync").returncode == 65


def test_submits_a_demonstration(scripted, form, tmp_path):
    """Nobody signs in, and cases are the demo user's alone."""
    server = scripted(TAKEN)
    for user, code in (("somebody", 65), ("demo_user", 0)):
        form.write_text(FORM.replace("<instanceID>", f"<userID>{user}</userID><instanceID>"))
        assert client(server.url, tmp_path / "state", "submit", form, "--demo").returncode == code
    [(method, path, headers, _)] = server.asked
    assert (method, path) == ("POST", "/a/demo/receiver/?submit_mode=demo&authtype=noauth")
    assert "authorization" not in headers
    assert client(server.url, tmp_path / "other", "submit", form, "--demo",
                  "--openrosa").returncode == 64


def test_claims(scripted, tmp_path):
    """A claim that is refused ends it; one that is taken is followed by a restore."""
    state = tmp_path / "state"
    refused = scripted((410, {}, "gone"))
    assert client(refused.url, state, "claim", "a case").returncode == 65
    assert refused.asked[0][:2] == ("POST", "/a/demo/phone/claim-case/")
    assert refused.asked[0][3] == b"case_id=a%20case"
    taken = scripted((201, {}, ""), (200, {}, restore("t1")))
    ended = client(taken.url, tmp_path / "other", "claim", "a case")
    assert len(taken.asked) == 2 and ended.returncode == 75 and "a case" in ended.stderr


def test_against_serve(program, form, tmp_path):
    """A form of ours is in the cases of another device of the user."""
    serve = program(TAPEDECK, "serve", "--listen", "127.0.0.1:0")
    url = "http://" + serve.await_line(r"(127\.0\.0\.1:\d+)")[1]
    assert client(url, tmp_path / "one", "sync").returncode == 0
    ended = client(url, tmp_path / "one", "submit", form)
    assert ended.returncode == 0, ended.stderr
    ended = client(url, tmp_path / "one", "sync")
    assert ended.returncode == 0, ended.stderr
    assert status(tmp_path / "one")["cases"] == ["mine"]
    assert os.stat(tmp_path / "one/commcare.sqlite").st_mode & 0o777 == 0o600


def test_refuses_a_state_of_a_development_version(tmp_path):
    state = tmp_path / "state"
    state.mkdir()
    database = sqlite3.connect(state / "commcare.sqlite")
    database.executescript("CREATE TABLE form (id INTEGER PRIMARY KEY); PRAGMA user_version = 1;")
    database.close()
    ended = client("http://127.0.0.1:9/a/demo", state, "sync")
    assert ended.returncode != 0
    assert "never released" in ended.stderr, ended.stderr
    database = sqlite3.connect(state / "commcare.sqlite")
    assert database.execute("PRAGMA user_version").fetchone() == (1,)


def test_a_long_pause_of_a_202_is_kept(scripted, tmp_path):
    """More than an hour: the client ends, says when to come back, and does not ask before that."""
    pending = (202, {"Retry-After": "7200"},
               response("ota_restore_pending", "Your data is being gathered"))
    server = scripted(pending)
    first = client(server.url, tmp_path / "state", "sync")
    assert first.returncode == 75
    assert "Your data is being gathered" in first.stderr
    assert "try again in 7200 s" in first.stderr
    again = client(server.url, tmp_path / "state", "sync")
    assert again.returncode == 75 and "the server requires a pause: try again in 7" in again.stderr
    assert len(server.asked) == 1
