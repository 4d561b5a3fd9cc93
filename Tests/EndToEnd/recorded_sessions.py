"""The sessions under Recordings/: the clients that made them, and how to make them anew.

Each client chooses its own identifiers each time, so that a replay has to go by meaning.
`Tools/recordings` records all of them again.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import requests
from programs import DEADLINE, ROOT, TAPEDECK, Program, curl, environment, tapedeck
from requests.adapters import HTTPAdapter
from serving import AUTH, OPENROSA, TOKEN, Client, CommCareServer, Server, case, form, token
from urllib3.util import Retry

RECORDINGS = ROOT / "Recordings"
PASSWORD = {"TAPEDECK_PASSWORD": "secret"}


@dataclass(frozen=True)
class Session:
    """A client, and the server that it was recorded with."""

    name: str
    about: tuple[str, ...]
    # What the client does at a URL such as http://127.0.0.1:8000, with a folder of its own.
    drive: Callable[[str, Path], None]
    # What is at the server before it comes.
    prepare: Callable[[Server], None] = lambda server: None
    serve: tuple[str, ...] = ()
    # The same with something else there, or faults on the way, and what a replay points at then.
    otherwise: Callable[[Server], None] | None = None
    faults: tuple[str, ...] = ()
    pointed_at: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """Where it is kept."""
        return RECORDINGS / self.name


# MARK: CommCare


def submission(url: str, folder: Path) -> None:
    """A form with a picture, sent by curl."""
    (folder / "form.xml").write_text(form(
        f"uuid:{uuid.uuid4()}", case("clinic-visit-1", "<update><photo>photo.jpg</photo></update>")))
    (folder / "photo.jpg").write_bytes(bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffd9"))
    answer = curl("--user", ":".join(AUTH), "-H", "X-OpenRosa-Version: 3.0",
                  "-F", f"xml_submission_file=@{folder / 'form.xml'};type=text/xml",
                  "-F", f"photo.jpg=@{folder / 'photo.jpg'};type=image/jpeg",
                  f"{url}/a/demo/receiver/")
    assert b"submit_success" in answer.stdout, answer.stdout


def two_cases(server: Server, name: str = "Łucja") -> None:
    """Two cases that somebody else submitted."""
    body = form("uuid:before", case("case-a"), case("case-b")).replace("Łucja", name)
    requests.post(server.url("/a/demo/receiver/", "http"), auth=AUTH, timeout=DEADLINE,
                  headers=OPENROSA | {"Content-Type": "text/xml"},
                  data=body.encode()).raise_for_status()


def two_cases_of_another_name(server: Server) -> None:
    """The same two cases, called otherwise."""
    two_cases(server, "Wanda")


def restore(url: str, _folder: Path) -> None:
    """A restore that is in progress at first, asked for by Python's requests as the 202 says."""
    with requests.Session() as client:
        client.trust_env = False
        client.auth = AUTH
        client.headers.update(OPENROSA)
        # Asks again, after as long as Retry-After says.
        patient = Retry(status_forcelist={202}, raise_on_status=False)
        client.mount(url, HTTPAdapter(max_retries=patient))
        parameters = {"version": "2.0", "items": "true", "device_id": f"device-{uuid.uuid4()}"}

        def ask(**more: str) -> requests.Response:
            return client.get(f"{url}/a/demo/phone/restore/", timeout=DEADLINE,
                              params=parameters | more)

        answer = ask()
        seen = [each.status for each in answer.raw.retries.history] + [answer.status_code]
        assert seen == [202, 202, 200], seen
        assert ask(since=token(answer)).status_code == 200


def device(url: str, folder: Path, *arguments: str | Path) -> None:
    """One command of the built-in CommCare client."""
    tapedeck("client", "commcare", *arguments, "--to", url, "--domain", "demo", "--user", "ada",
             "--state", folder / "phone", env=environment(**PASSWORD))


def mismatch(url: str, folder: Path) -> None:
    """A device that lost a case from its database: the server says 412, and it restores all."""
    device(url, folder, "sync")
    for path in (folder / "phone").rglob("*"):
        if path.is_file() and path.open("rb").read(15) == b"SQLite format 3":
            with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
                db.execute("DELETE FROM case_row WHERE id = 'case-b'")
    device(url, folder, "sync")
    (folder / "form.xml").write_text(form(
        f"uuid:{uuid.uuid4()}", case("case-a", "<update><seen>yes</seen></update>", create=False)))
    device(url, folder, "submit", folder / "form.xml")
    device(url, folder, "sync")


# MARK: Simperium


def five_notes(server: Server, word: str = "Note") -> None:
    """Five objects that somebody else made."""
    other = Client(server.url())
    other.join(client=f"before-{uuid.uuid4()}")
    for number in range(5):
        other.change(id=f"note-{number}", v={"title": {"o": "+", "v": f"{word if number == 4 else 'Note'} {number}"},
                                             "tags": {"o": "+", "v": ["kept"]}})
    other.socket.close()


def five_notes_with_another(server: Server) -> None:
    """The same five, the last of them called otherwise."""
    five_notes(server, "Memo")


def simperium(url: str, folder: Path, state: str, *arguments: str) -> subprocess.CompletedProcess:
    """One command of the built-in Simperium client."""
    return tapedeck("client", "simperium", *arguments, "--to", url, "--app", "app",
                    "--token", TOKEN, "--bucket", "notes", "--state", folder / state)


def first_sync(url: str, folder: Path) -> None:
    """A first sync, an edit of a text, a new object and a removal by the built-in client."""
    simperium(url, folder, "a", "sync")
    simperium(url, folder, "a", "set", "note-1",
              json.dumps({"title": "Note 1, longer", "tags": ["kept", "read"]}))
    simperium(url, folder, "a", "set", "shopping", json.dumps({"title": "Bread, café", "done": False}))
    simperium(url, folder, "a", "delete", "note-2")
    simperium(url, folder, "a", "sync")


def unknown_version(url: str, _folder: Path) -> None:
    """A client that asks for changes since a version that nobody knows, and reads the index."""
    client = Client(f"ws{url.removeprefix('http')}/sock/1/app/websocket")
    client.join(client=f"test-{uuid.uuid4()}")
    assert client.say("0:cv:ffffffffffffffffffffffff") == "0:cv:?"
    index = json.loads(client.say("0:i:1:::3").removeprefix("0:i:"))
    rest = json.loads(client.say(f"0:i:1:{index['mark']}::3").removeprefix("0:i:"))
    assert len(index["index"]) + len(rest["index"]) == 5
    known = {entry["id"]: entry["v"] for entry in index["index"] + rest["index"]}
    client.send(f"0:cv:{rest['current']}")
    assert client.next() == "0:c:[]"
    done = client.change(id="note-3", sv=known["note-3"], clientid="x",
                         v={"title": {"o": "d", "v": "=6\t+ again"}})
    assert done["ev"] == known["note-3"] + 1, done
    client.socket.close()


def offline(url: str, folder: Path) -> None:
    """Two devices edit the same text, one of them offline: both edits are in the end."""
    simperium(url, folder, "phone", "sync")
    simperium(url, folder, "tablet", "sync")
    simperium(url, folder, "phone", "set", "note-0",
              json.dumps({"title": "Note 0 from the phone", "tags": ["kept"]}), "--offline")
    simperium(url, folder, "tablet", "set", "note-0",
              json.dumps({"title": "My Note 0", "tags": ["kept"]}))
    simperium(url, folder, "phone", "sync")
    simperium(url, folder, "tablet", "sync")
    for state in ("phone", "tablet"):
        done = simperium(url, folder, state, "get", "note-0", "--offline")
        assert json.loads(done.stdout)["title"] == "My Note 0 from the phone", done.stdout


SESSIONS = (
    Session("submission-with-attachment",
            ("A form that opens a case, with a picture, sent by curl to `tapedeck serve`.",),
            submission, faults=("api:commcare.submit => 422",), pointed_at=("status", "422")),
    Session("restore-in-progress",
            ("A restore by Python's requests: 202 twice with progress, then two cases, then what is",
             "new since its sync token."),
            restore, two_cases, ("--restore-polls", "2", "--retry-after", "1"),
            otherwise=two_cases_of_another_name, pointed_at=("case_name", "Łucja", "Wanda")),
    Session("state-hash-mismatch",
            ("The built-in CommCare client after it lost a case: 412, a full restore, then a form.",),
            mismatch, two_cases, otherwise=two_cases_of_another_name,
            pointed_at=("case_name", "Łucja", "Wanda")),
    Session("first-sync-and-edits",
            ("The built-in Simperium client: index, an edited text, a new object, a removal.",),
            first_sync, five_notes, otherwise=five_notes_with_another,
            pointed_at=("title", "Note 4", "Memo 4")),
    Session("unknown-change-version",
            ("A Python websockets client that asks for changes since a version the server does not",
             "know: `cv:?`, the index in two pages, then an edit."),
            unknown_version, five_notes, otherwise=five_notes_with_another,
            pointed_at=("title", "Note 4", "Memo 4")),
    Session("offline-edits-merged",
            ("Two devices of the built-in Simperium client edit one text, one of them offline."),
            offline, five_notes, otherwise=five_notes_with_another,
            pointed_at=("title", "Note 4", "Memo 4")),
)


def record(session: Session, folder: Path) -> Path:
    """Records the session to a new trace in `folder`."""
    server = CommCareServer(*session.serve)
    proxy = None
    try:
        session.prepare(server)
        # What it was asked to do is in the recording: no folders of this machine.
        proxy = Program(TAPEDECK, "record", f"{session.name}.tape", "--listen", "127.0.0.1:0",
                        "--to", server.url("", "http"), "--no-control", cwd=folder)
        address = proxy.await_line(r"^listening on (\S+)$")[1]
        with tempfile.TemporaryDirectory() as own:
            session.drive(f"http://{address}", Path(own))
        assert proxy.stop() == 0, proxy.said()
    finally:
        if proxy:
            proxy.kill()
        server.kill()
    return folder / f"{session.name}.tape"


def main() -> None:
    """Makes the named recordings again, or all."""
    names = set(sys.argv[1:])
    unknown = names - {session.name for session in SESSIONS}
    if unknown:
        sys.exit(f"no recording {', '.join(sorted(unknown))}; there are "
                 + ", ".join(session.name for session in SESSIONS))
    for session in SESSIONS:
        if names and session.name not in names:
            continue
        with tempfile.TemporaryDirectory() as made:
            trace = record(session, Path(made))
            tapedeck("export", trace, session.folder, "--about", "\n".join(session.about),
                     "--replace")
        print(f"{session.name}: {sum(1 for _ in (session.folder / 'timeline.jsonl').open())} lines")


if __name__ == "__main__":
    main()
