"""Proves: what `tapedeck serve --state` acknowledged is there after `kill -9` and a full disk."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import pytest
import requests
from programs import DEADLINE, eventually, tapedeck
from serving import Client, CommCareServer, case, cases, form, nature, token
from websockets.exceptions import WebSocketException

MEBIBYTE = 1 << 20


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 10 MiB, where this machine lets us have one."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=10m", "tapedeck", place],
                             capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("may not mount a tmpfs here")
    yield place
    subprocess.run(["umount", "-l", place], check=False)


def is_sound(kept: Path) -> bool:
    """Whether SQLite finds nothing wrong with a state file."""
    database = sqlite3.connect(kept)
    try:
        return database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        database.close()


class Work:
    """Devices and clients that send until the server is gone, and what was acknowledged to them."""

    def __init__(self, server: CommCareServer, round_: int):
        self.server = server
        self.round = round_
        self.forms: list[str] = []
        self.changes: dict[str, str] = {}
        self.threads = [threading.Thread(target=target, args=(number,), daemon=True)
                        for target in (self.submit, self.change) for number in range(4)]
        for thread in self.threads:
            thread.start()

    def submit(self, device: int) -> None:
        """Submits one form after the other."""
        session = requests.Session()
        session.trust_env = False
        session.auth = ("ada", "secret")
        for number in range(100_000):
            name = f"{self.round}-{device}-{number}"
            try:
                answer = session.post(self.server.root + "/receiver/", timeout=DEADLINE,
                                      data=form(name, case(name)))
            except requests.RequestException:
                return
            assert answer.status_code == 201
            self.forms.append(name)

    def change(self, author: int) -> None:
        """Makes one object after the other."""
        try:
            client = Client(self.server.url())
            client.join(client=f"{self.round}-{author}")
            for number in range(100_000):
                ccid = f"{self.round}-{author}-{number}"
                client.send("0:c:" + json.dumps(
                    {"id": ccid, "o": "M", "d": {"n": number}, "ccid": ccid}))
                while True:
                    (told,) = client.changes(client.next())
                    self.changes[told["ccids"][0]] = told["cv"]
                    if told["ccids"] == [ccid]:
                        break
        except (WebSocketException, OSError):
            return

    def finish(self) -> None:
        """Waits until all have noticed that the server is gone."""
        for thread in self.threads:
            thread.join(DEADLINE)
            assert not thread.is_alive()


def index(client: Client) -> dict[str, int]:
    """All objects of a bucket with their versions."""
    found: dict[str, int] = {}
    mark = ""
    while mark is not None:
        page = json.loads(client.say(f"0:i::{mark}::1000").removeprefix("0:i:"))
        found |= {entry["id"]: entry["v"] for entry in page["index"]}
        mark = page.get("mark")
    return found


def test_killed_at_work(serve, tmp_path) -> None:
    """kill -9 in the middle of submissions and changes: what was acknowledged is there."""
    kept = tmp_path / "state.db"
    forms: list[str] = []
    changes: dict[str, str] = {}
    for round_ in range(3):
        server = serve("--state", kept)
        work = Work(server, round_)
        eventually(lambda work=work: len(work.forms) > 40 and len(work.changes) > 40,
                   "some acknowledgements")
        server.kill()
        work.finish()
        forms += work.forms
        changes |= work.changes
        assert is_sound(kept)
    server = serve("--state", kept)
    assert set(forms) <= set(cases(server.restore()))
    client = Client(server.url())
    client.join(client="0-0")
    versions = index(client)
    assert all(versions.get(ccid) == 1 for ccid in changes)
    # Sent again, each is known, by the same client at least.
    own = next(ccid for ccid in changes if ccid.startswith("0-0-"))
    assert client.change(id=own, d={"n": 0}, ccid=own)["error"] == 409
    assert server.session.post(server.root + "/receiver/", timeout=DEADLINE,
                               data=form(forms[0], case(forms[0]))).status_code == 201
    database = sqlite3.connect(kept)
    stored = [name for (name,) in database.execute("SELECT instance_id FROM commcare_form")]
    database.close()
    assert len(stored) == len(set(stored)) and set(forms) <= set(stored)


def test_full_disk(serve, small_disk) -> None:
    """What cannot be kept is refused with words, nothing is lost, and all goes on with room."""
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(5 * MEBIBYTE))
    kept = small_disk / "state.db"
    server = serve("--state", kept)
    since = token(server.restore())
    client = Client(server.url())
    client.join()
    made = client.change(id="first", d={"t": 1})

    def submit(number: int) -> requests.Response:
        name = f"f{number}"
        return server.session.post(
            server.root + "/receiver/", timeout=DEADLINE,
            headers={"X-CommCareHQ-LastSyncToken": since}, files={
                "xml_submission_file": ("f.xml", form(name, case(name)), "text/xml"),
                "photo.jpg": ("photo.jpg", os.urandom(MEBIBYTE // 2), "image/jpeg")})

    taken = []
    for number in range(40):
        answer = submit(number)
        if answer.status_code != 201:
            break
        taken.append(f"f{number}")
    assert taken and answer.status_code == 503
    assert "cannot keep this" in answer.text and "make room" in answer.text
    server.await_line("cannot write the state file: .*503; make room", errors=True)
    # The rest of the disk as well, so that nothing at all can be written.
    with suppress(OSError), (small_disk / "more").open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    text = os.urandom(MEBIBYTE // 4).hex()
    client.send("0:c:" + json.dumps({"id": "large", "o": "M", "d": {"t": text}, "ccid": "large"}))
    assert client.closing_code() == 1011
    server.await_line("cannot write the state file: .*nothing was sent to clients.*make room", errors=True)
    refused = requests.post(server.url("/1/app/authorize/", "http"), timeout=DEADLINE,
                            json={"username": "ann", "password": "x"})
    assert (refused.status_code, "cannot be written" in refused.text) == (503, True)
    # What was there can still be read.
    client = Client(server.url())
    client.join()
    assert client.current() == made["cv"]
    ballast.unlink()
    assert (submit(number).status_code, nature(submit(number))) == (201, "submit_success")
    again = client.change(id="large", d={"t": text}, ccid="large")
    assert again["ev"] == 1
    everything = sorted([*taken, f"f{number}"])
    assert cases(server.restore()) == everything
    server.kill()
    assert is_sound(kept)
    server = serve("--state", kept)
    assert cases(server.restore()) == everything
    client = Client(server.url())
    client.join()
    assert index(client) == {"first": 1, "large": 1}


@pytest.mark.parametrize(("damage", "said"), [
    ("UPDATE commcare_case SET state = 'x'", "state of the row of commcare_case with id c1"),
    ("UPDATE simperium_version SET data = 'x'",
     "data of the row of simperium_version with bucket_id 1, key note and number 1"),
    ("UPDATE simperium_log SET change = x'78' WHERE change IS NOT NULL",
     "change of the row of simperium_log with bucket_id 1 and position"),
])
def test_a_damaged_row_is_named(serve, tmp_path, damage, said) -> None:
    """The server does not start with less than it acknowledged."""
    kept = tmp_path / "state"
    server = serve("--state", kept)
    assert server.submit(form("f1", case("c1"))).status_code == 201
    client = Client(server.url())
    client.join()
    client.change(id="note", d={"title": "one"})
    server.stop()
    options = ("serve", "--state", kept, "--listen", "127.0.0.1:0", "--", "true")
    tapedeck(*options)
    database = sqlite3.connect(kept)
    database.execute(damage)
    database.commit()
    database.close()
    done = tapedeck(*options, status=65)
    assert f"--state {kept} is damaged: {said}" in done.stderr
    assert "delete that row with sqlite3" in done.stderr
