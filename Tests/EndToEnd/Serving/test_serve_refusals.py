"""Proves: the servers of `tapedeck serve` refuse what they must, and say what to do about it.

curl and requests ask the CommCare server, `websockets` the Simperium server.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import requests
from programs import DEADLINE, curl, tapedeck
from proves import proves
from serving import (
    OTHER,
    TOKEN,
    Client,
    case,
    cases,
    form,
    nature,
    state,
    token,
)

ACCOUNTS = f"""
users:
  - {{name: ada, password: secret, uuid: ada1, domains: [demo], tokens: [{TOKEN}], apps: [app]}}
  - {{name: boss, password: secret, login-as: true}}
  - {{name: eve, password: secret, active: false, tokens: [{"e" * 32}]}}
apps:
  - id: app
    buckets:
      - {{name: notes, object-bytes: 1000, objects: 2}}
  - id: other
"""


@pytest.fixture
def accounts(tmp_path) -> Path:
    """A file of users and applications."""
    place = tmp_path / "accounts.yaml"
    place.write_text(ACCOUNTS)
    return place


def test_signing_in(serve, accounts) -> None:
    """Passwords, tokens, domains and logging in as somebody else, right and wrong."""
    server = serve("--accounts", accounts)
    assert server.submit(form("i1", case("c1", "<update><owner_id>ada1</owner_id></update>"))
                         ).status_code == 201
    restore = server.root + "/phone/restore/?items=true"

    def ask(*options: str, url: str = restore) -> tuple[int, str]:
        done = curl(*options, "-w", "\n%{http_code}", url).stdout.decode()
        return int(done.rpartition("\n")[2]), done.rpartition("\n")[0]

    def bearer(value: str) -> tuple[str, str]:
        return "-H", f"Authorization: Bearer {value}"

    for options in (("-u", "ada:secret"), ("-u", "ada@demo.commcarehq.org:secret"), bearer(TOKEN)):
        status, text = ask(*options)
        assert status == 200 and 'case_id="c1"' in text and "<uuid>ada1</uuid>" in text
    other = restore.replace("/demo/", "/other/")
    for options, url, says in (
            ((), restore, "Sign in with a user name and password"),
            (("-u", "ada:wrong"), restore, "user name or the password is wrong"),
            (("-u", "zoe:secret"), restore, "user name or the password is wrong"),
            (bearer(OTHER), restore, "The token is not known"),
            (bearer("x"), restore, "32 or more letters and digits"),
            (("-H", "Authorization: Digest x"), restore, "use Basic or Bearer"),
            (("-u", "ada:secret"), other, "ada is no member of the domain other"),
            (bearer(TOKEN), other, "ada is no member of the domain other"),
            (("-u", "ada:secret"), restore + "&as=boss", "`login-as: true`"),
            (("-u", "boss:secret"), restore + "&as=zoe", "Invalid restore as user zoe")):
        status, text = ask(*options, url=url)
        assert (status, says in text) == (401, True), (options, status, text)
    status, text = ask("-u", "boss:secret", url=restore + "&as=ada")
    assert status == 200 and "<uuid>ada1</uuid>" in text and 'case_id="c1"' in text
    status, text = ask("-u", "eve:secret")
    assert status == 406 and json.loads(text)["error"] == "user.deactivated"
    status, text = ask(url=server.url("/a/no%20domain/phone/restore/", "http"))
    assert status == 404 and "Domain does not exist" in text


def test_keys(serve, tmp_path) -> None:
    """The key server gives each user one key, also after a restart."""
    kept = tmp_path / "state.db"
    server = serve("--state", kept)

    def key() -> str:
        answer = server.session.get(server.root + "/phone/keys/", timeout=DEADLINE)
        assert answer.status_code == 200
        return answer.text.partition("<key_record")[2]

    first = key()
    assert 'type="AES256">' in first
    server.session.auth = ("bob", "secret")
    assert key() != first
    server.kill()
    server = serve("--state", kept)
    assert key() == first
    assert requests.get(server.root + "/phone/keys/", timeout=DEADLINE).status_code == 401


def test_forms_sent_again(serve) -> None:
    """The same bytes once, other bytes under the same identifier as an edit."""
    server = serve()
    first = form("i1", case("c1"))
    answers = [server.submit(first), server.submit(first)]
    answers.append(server.submit(form("i1", case("c1", "<update><age>7</age></update>"))))
    assert [(a.status_code, nature(a)) for a in answers] == [(201, "submit_success")] * 3
    restored = server.restore()
    assert cases(restored) == ["c1"] and "<age>7</age>" in restored.text


def test_submissions_that_are_refused(serve) -> None:
    """Each thing that is wrong with a submission has its own code and words."""
    server = serve()

    def send(data: str | bytes = "", files: dict | None = None, query: str = "",
             **headers: str) -> requests.Response:
        return server.session.post(server.root + "/receiver/" + query, data=data, files=files,
                                   headers=headers, timeout=DEADLINE)

    good = {"xml_submission_file": ("f.xml", form("i1"), "text/xml")}
    large = b"x" * (16 << 20)
    for status, says, answer in (
            (400, "empty body", send()),
            (400, "xml_submission_file", send(files={"a.jpg": ("a.jpg", b"x", "image/jpeg")})),
            (400, "POST.keys()", send({"field": "yes"}, files=good)),
            (400, "authtype must be one of", send(form("i"), query="?authtype=magic")),
            (400, "cannot be decompressed", send("x", **{"Content-Encoding": "gzip"})),
            (413, "Form exceeds 10MB", send(form("i") + " " * (10 << 20))),
            (413, "Attachment exceeds 15MB",
             send(files=good | {"a.jpg": ("a.jpg", large, "image/jpeg")})),
            (413, "exceeds", send(gzip.compress(bytes(65 << 20)), **{"Content-Encoding": "gzip"})),
            (415, "magic is not supported", send("x", **{"Content-Encoding": "magic"})),
            (422, "Invalid XML", send("<data")),
            (422, "XMLNS", send("<data/>")),
            (422, "IllegalCaseId", send(form("i", case("", "")))),
            (422, "processing_failure",
             send(files=good | {"a.exe": ("a.exe", b"x", "application/x-msdownload")}))):
        assert (answer.status_code, says in answer.text) == (status, True), (says, answer.text)
    # More than any request may have, told without waiting for the rest.
    answer = curl("-X", "POST", "-H", "Content-Length: 70000000", "-H", "Expect:", "-w",
                  "%{http_code}", "--data-binary", "x", server.root + "/receiver/").stdout
    assert b"exceeds" in answer and answer.endswith(b"413")
    packed = send(gzip.compress(form("i2", case("c2")).encode()), **{"Content-Encoding": "gzip"})
    assert packed.status_code == 201
    assert cases(server.restore()) == ["c2"]


@proves("C-17")
def test_restores_that_are_refused(serve) -> None:
    """Each reason for a 412 has its own words, and a full restore helps."""
    server = serve()
    since = token(server.restore())
    assert server.submit(form("i1", case("c1")), since).status_code == 201
    for says, parameters in (
            ("The sync token unknown is not known", {"since": "unknown"}),
            ("Phone state hash mismatch", {"since": since, "state": state("c2")}),
            ("is no case state hash", {"since": since, "state": "md5:1"}),
            ("Unsupported version 9", {"version": "9"}),
            ("The user_id zoe is not that of ada", {"user_id": "zoe"})):
        answer = server.restore(**parameters)
        assert (answer.status_code, nature(answer)) == (412, "ota_restore_error")
        assert says in answer.text
    assert cases(server.restore(since=since, state=state("c1"))) == ["c1"]
    assert server.session.post(server.root + "/phone/restore/",
                               timeout=DEADLINE).headers["Allow"] == "GET"
    old = server.restore(version="1.0")
    assert "<case><case_id>c1</case_id>" in old.text


@proves("C-23", "C-24")
def test_limits(serve) -> None:
    """429 for a user who sends too much, 503 for all, with `Retry-After`; others go on."""
    server = serve("--submissions-per-minute", "0", "--restores-per-minute", "0",
                   "--requests-per-minute", "4")
    # Whatever minute it is when they come: the limits of users are 0, and 5 is more than 4.
    answers = [server.submit(form("i1")), server.restore()]
    for answer, kind in zip(answers, ("submissions", "restores"), strict=True):
        assert (answer.status_code, f"Too many {kind}" in answer.text) == (429, True)
        assert 1 <= int(answer.headers["Retry-After"]) <= 60
    statuses = [server.restore().status_code for _ in range(10)]
    assert 503 in statuses and set(statuses) <= {429, 503}
    refused = next(answer for answer in iter(server.restore, None) if answer.status_code == 503)
    assert "over capacity" in refused.text and 1 <= int(refused.headers["Retry-After"]) <= 60
    tapedeck("serve", "--listen", "127.0.0.1:0", "--requests-per-minute", "-1", status=64)


@proves("S-10", "S-11", "S-12", "S-13", "S-16")
@pytest.mark.parametrize(("fields", "code", "says"), [
    ({"token": "short"}, 400, "Token malformed"), ({"token": OTHER}, 401, "Token invalid"),
    ({"token": "e" * 32}, 401, "Token invalid"), ({"app_id": "other"}, 401, "Token invalid"),
    ({"bucket": "others"}, 500, "no permission for this bucket"),
    ({"bucket": "a b"}, 500, "")])
def test_inits_that_are_refused(serve, accounts, fields, code, says) -> None:
    """An `init` is refused with the code for the reason, and the channel stays shut."""
    server = serve("--accounts", accounts)
    client = Client(server.url("/sock/1/other/websocket" if "app_id" in fields
                               else "/sock/1/app/websocket"))
    refused = json.loads(client.join(**fields).removeprefix("0:auth:"))
    assert refused["code"] == code and says in refused["msg"], refused
    assert client.say("0:i::::1") == "0:?"


@proves("S-81")
def test_documents_that_are_too_large(serve, accounts) -> None:
    """413 for one that is too large, and for one more than the bucket has room for."""
    server = serve("--accounts", accounts)
    client = Client(server.url())
    assert client.join() == "0:auth:ada"
    assert client.change(id="n", d={"t": "x" * 1000})["error"] == 413
    assert client.change(id="n", d={"t": "x" * 900})["ev"] == 1
    grown = client.change(id="n", sv=1, v={"t": {"o": "d", "v": "=900\t+" + "y" * 100}})
    assert grown["error"] == 413
    assert client.say("0:e:n.1") == '0:e:n.1\n{"data":{"t":"' + "x" * 900 + '"}}'
    assert client.say("0:e:n.2") == "0:e:n.2\n?"
    assert client.say("0:e:unknown.1") == "0:e:unknown.1\n?"
    assert client.change(id="m", d={})["ev"] == 1
    assert "error" in client.change(id="o", d={})


def test_paths_that_are_not_there(serve) -> None:
    """Unknown paths, applications and SockJS transports are told from each other."""
    server = serve()
    for path, status, says in (
            ("/nowhere", 404, "nothing at this path"), ("/a/demo/nowhere", 404, "nothing"),
            ("/1/app/nowhere/", 404, "nothing"), ("/sock/1/app", 200, "Welcome to SockJS!"),
            ("/sock/1/app/websocket", 400, "WebSocket"),
            ("/sock/1/app/000/s/xhr", 405, "Method not allowed")):
        answer = requests.get(server.url(path, "http"), timeout=DEADLINE)
        assert (answer.status_code, says in answer.text) == (status, True), (path, answer.text)
    info = requests.get(server.url("/sock/1/app/info", "http"), timeout=DEADLINE)
    assert info.json()["websocket"] is True
    assert "no-store" in info.headers["Cache-Control"]
