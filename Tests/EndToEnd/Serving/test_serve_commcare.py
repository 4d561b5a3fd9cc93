"""Proves: curl and requests, which nobody here wrote, get on with the CommCare server of `serve`."""

from __future__ import annotations

import sqlite3
import xml.etree.ElementTree as ElementTree
from email.utils import parsedate_to_datetime

from programs import curl
from proves import proves
from serving import AUTH, CASE, case, cases, form, nature, state, token


@proves("C-20", "C-21")
def test_submissions(serve) -> None:
    """Plain, multipart and chunked forms are taken; what is none is refused as HQ does."""
    server = serve()
    answer = server.submit(form("i1", case("c1")).encode())
    assert (answer.status_code, nature(answer)) == (201, "submit_success")
    assert answer.headers["X-CommCareHQ-FormID"] == "i1"
    assert answer.headers["Content-Type"] == "text/xml; charset=utf-8"
    assert answer.headers["X-OpenRosa-Version"] == "3.0"
    assert int(answer.headers["X-OpenRosa-Accept-Content-Length"]) > 0
    assert parsedate_to_datetime(answer.headers["Date"])
    assert answer.headers["Location"].startswith("http://127.0.0.1:")
    # Without a length: chunked.
    assert server.submit(iter([form("i2", case("c2")).encode()])).status_code == 201
    files = {"xml_submission_file": ("f.xml", form("i3", case("c3")), "text/xml"),
             "visit.jpg": ("visit.jpg", b"\xff\xd8", "image/jpeg")}
    receiver = server.root + "/receiver/"
    assert server.session.post(receiver, files=files, timeout=30).status_code == 201
    del files["xml_submission_file"]
    missing = server.session.post(receiver, files=files, timeout=30)
    assert missing.status_code == 400 and "xml_submission_file" in missing.text
    broken = server.submit("<data")
    assert (broken.status_code, nature(broken)) == (422, "processing_failure")
    unknown = form("i4", case("c9", "<close/>", create=False))
    refused = server.submit(unknown)
    assert (refused.status_code, nature(refused)) == (422, "processing_failure")
    server.session.headers["X-OpenRosa-Version"] = "1.0"
    refused = server.submit(unknown)
    assert (refused.status_code, nature(refused)) == (201, "submit_error")
    assert server.submit("<a xmlns='b'>" + " " * (10 << 20) + "</a>").status_code == 413
    assert server.session.head(receiver, timeout=30).status_code == 204
    assert cases(server.restore()) == ["c1", "c2", "c3"]


def test_curl(serve, tmp_path) -> None:
    """The real curl submits with -F and restores with --compressed."""
    server = serve()
    place = tmp_path / "form.xml"
    place.write_text(form("i1", *(case(f"c{number}") for number in range(40))))
    status = curl("-u", ":".join(AUTH), "-H", "X-OpenRosa-Version: 3.0", "-H",
                  "Transfer-Encoding: chunked", "-F", f"xml_submission_file=@{place};type=text/xml",
                  "-o", tmp_path / "answer", "-w", "%{http_code}", server.root + "/receiver/")
    assert status.stdout == b"201", (tmp_path / "answer").read_text()
    packed = curl("-u", ":".join(AUTH), "--compressed", "-D", tmp_path / "head",
                  server.root + "/phone/restore/?items=true")
    assert "content-encoding: gzip" in (tmp_path / "head").read_text().lower()
    assert len(list(ElementTree.fromstring(packed.stdout).iter(CASE))) == 40
    refused = curl("-o", tmp_path / "answer", "-D", "-", server.root + "/phone/restore/")
    assert b"401" in refused.stdout.splitlines()[0]
    assert b"www-authenticate: basic" in refused.stdout.lower()


@proves("C-17")
def test_sync(serve) -> None:
    """Tokens, hashes and incremental restores: what a device has is followed, form by form."""
    server = serve()
    first = server.restore()
    assert cases(first) == []
    since = token(first)
    assert server.submit(form("i1", case("c1"), case("c2")), since).status_code == 201
    # Another device's form, which this one has not seen.
    assert server.submit(form("i2", case("c3"))).status_code == 201
    second = server.restore(since=since, state=state("c1", "c2"))
    assert "c3" in cases(second)
    since = token(second)
    assert cases(server.restore(since=since, state=state("c1", "c2", "c3"))) == []
    update = case("c2", "<update><age>7</age></update>", create=False)
    assert server.submit(form("i3", update)).status_code == 201
    assert cases(server.restore(since=since)) == ["c2"]
    wrong = server.restore(since=since, state=state("c1"))
    assert (wrong.status_code, nature(wrong)) == (412, "ota_restore_error")
    assert (f"Phone state hash mismatch. Server hash: {state('c1', 'c2', 'c3')}, "
            f"Phone hash: {state('c1')}. # of cases: [3]") in wrong.text
    for refused in ({"since": "unknown"}, {"version": "7"}, {"user_id": "somebody"}):
        answer = server.restore(**refused)
        assert (answer.status_code, nature(answer)) == (412, "ota_restore_error")
    server.session.auth = ("bob", "secret")
    assert server.restore(since=since).status_code == 412


@proves("C-8", "C-10", "C-14")
def test_pending(serve) -> None:
    """A restore that is being made is answered with 202 and progress that grows."""
    server = serve("--restore-polls", "3", "--retry-after", "7")
    done = []
    for _ in range(3):
        answer = server.restore()
        assert (answer.status_code, nature(answer)) == (202, "ota_restore_pending")
        assert answer.headers["Retry-After"] == "7"
        progress = ElementTree.fromstring(answer.content).find(
            "{http://commcarehq.org/sync}Sync/{http://commcarehq.org/sync}progress")
        done.append(int(progress.get("done")))
        assert done[-1] < int(progress.get("total"))
    assert done == sorted(set(done))
    assert server.restore().status_code == 200
    server.session.headers["X-OpenRosa-Version"] = "1.0"
    assert server.restore().status_code == 200


def test_state_file(serve, tmp_path) -> None:
    """What was thanked for is there after kill -9, and tokens go on."""
    kept = tmp_path / "state.db"
    server = serve("--state", kept)
    since = token(server.restore())
    assert server.submit(form("i1", case("c1")), since).status_code == 201
    server.kill()
    server = serve("--state", kept)
    assert server.submit(form("i1", case("c1")), since).status_code == 201
    again = server.restore(since=since, state=state("c1"))
    assert cases(again) == ["c1"]
    server.kill()
    server = serve("--state", kept)
    assert cases(server.restore(since=token(again), state=state("c1"))) == []
    assert server.stop() == 0
    database = sqlite3.connect(kept)
    assert database.execute("SELECT count(*) FROM commcare_form").fetchone() == (1,)
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()


@proves("C-30")
def test_users(serve, tmp_path) -> None:
    """Users of a file: wrong passwords, foreign domains and those who are deactivated."""
    users = tmp_path / "users.yaml"
    users.write_text("""
users:
  - {name: ada, password: secret, uuid: ada1, groups: [team], domains: [demo]}
  - {name: bob, password: secret, uuid: bob1}
  - {name: eve, password: secret, active: false}
""")
    server = serve("--accounts", users)
    assert server.submit(form("i1", case("c1"))).status_code == 201
    assert cases(server.restore()) == ["c1"]
    server.session.auth = ("ada@demo", "secret")
    assert cases(server.restore()) == ["c1"]
    server.session.auth = ("bob", "secret")
    assert cases(server.restore()) == []
    for wrong in (("ada", "wrong"), ("zoe", "secret"), None):
        server.session.auth = wrong
        answer = server.submit(form("i2"))
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"].startswith("Basic ")
    server.session.auth = ("eve", "secret")
    answer = server.restore()
    assert answer.status_code == 406
    assert answer.json()["error"] == "user.deactivated" and answer.json()["default_response"]
