"""Proves: `kill -9` at any moment of the CommCare client loses no form and sends none after its
answer was stored."""

from __future__ import annotations

import re
import signal
import sqlite3
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from programs import DEADLINE, TAPEDECK, environment, eventually
from test_client_commcare import FORM, client, response, status


def a_form(folder: Path, number: int) -> Path:
    """A filled form of its own, with its own case."""
    path = folder / f"form-{number}.xml"
    path.write_text(FORM.replace("form-1", f"form-{number}").replace('"mine"', f'"case-{number}"'))
    return path


def a_restore(token: str, cases: range | list, filler: int = 0) -> str:
    """A restore with cases whose properties have so many bytes."""
    blocks = "".join(
        f'<case xmlns="http://commcarehq.org/case/transaction/v2" case_id="r{each}" user_id="u" '
        'date_modified="2026-01-01T00:00:00Z"><create><case_type>t</case_type><case_name>n'
        f'</case_name><owner_id>u</owner_id></create><update><x>{"x" * filler}</x></update></case>'
        for each in cases)
    return response("ota_restore_success", "ok", '<Sync xmlns="http://commcarehq.org/sync">'
                    f"<restore_id>{token}</restore_id></Sync>{blocks}")


class Keeper(ThreadingHTTPServer):
    """Keeps each form once by its instanceID; stops at a moment of the test's choice."""

    daemon_threads = True

    def __init__(self) -> None:
        self.asked: Counter = Counter()
        self.kept: dict[str, bytes] = {}
        self.restores = 0
        self.payload = a_restore("t0", [])
        self.cut_at: int | None = None
        # What stops an exchange: `before`, `held`, `late` and `cut` name the moment.
        self.moment: str | None = None
        self.reached = threading.Event()
        self.go_on = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            """One exchange."""

            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                """Keeps the form."""
                length = int(self.headers["Content-Length"])
                if outer.moment == "before":
                    self.rfile.read(length // 2)
                    return outer.stop(self)
                body = self.rfile.read(length)
                instance = re.search(rb"<instanceID>(.*?)</instanceID>", body)[1].decode()
                outer.asked[instance] += 1
                outer.kept.setdefault(instance, body)
                if outer.moment == "held":
                    return outer.stop(self)
                if outer.moment == "late":
                    outer.reached.set()
                    outer.go_on.wait(DEADLINE)
                return self.answer(201, response("submit_success", "thanks"))

            def do_GET(self) -> None:
                """Restores, up to a byte."""
                outer.restores += 1
                if outer.moment == "before":
                    return outer.stop(self)
                return self.answer(200, outer.payload)

            def answer(self, code: int, text: str) -> None:
                """The whole of it, or what comes before the cut."""
                body = text.encode()
                self.send_response(code)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if outer.moment == "cut":
                    self.wfile.write(body[:outer.cut_at])
                    self.wfile.flush()
                    return outer.stop(self)
                return self.wfile.write(body)

            def log_message(self, *_) -> None:
                """Says nothing."""

        super().__init__(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.serve_forever, daemon=True)
        self.thread.start()

    def handle_error(self, request, client_address) -> None:
        """Killed clients are what this is about."""

    def stop(self, handler: BaseHTTPRequestHandler) -> None:
        """Tells the test, and answers nothing more."""
        self.reached.set()
        self.go_on.wait(DEADLINE)
        handler.close_connection = True

    def at(self, moment: str | None, cut_at: int | None = None) -> None:
        """Where the next exchange stops."""
        self.moment, self.cut_at = moment, cut_at
        self.reached.clear()
        self.go_on.clear()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_address[1]}"


@pytest.fixture
def keeper() -> Iterator[Keeper]:
    """The server."""
    started = Keeper()
    yield started
    started.go_on.set()
    started.shutdown()
    started.server_close()


def begin(url: str, state: Path, *arguments: str | Path) -> subprocess.Popen:
    """Starts the client and does not wait."""
    return subprocess.Popen(
        [TAPEDECK, "client", "commcare", *arguments, "--to", url, "--domain", "demo",
         "--user", "anna", "--state", state],
        env=environment(TAPEDECK_PASSWORD="secret"), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def queue(url: str, state: Path, form: Path) -> subprocess.CompletedProcess:
    """Submits a form where the network is down."""
    return client(url, state, "submit", form, "--proxy", "http://127.0.0.1:1")


def kill(process: subprocess.Popen) -> None:
    """The end that no program can prepare for."""
    process.send_signal(signal.SIGKILL)
    process.wait(DEADLINE)


def states(state: Path) -> dict[str, str]:
    """What became of each form."""
    return {each["instance_id"]: each["state"] for each in status(state)["forms"]}


def is_whole(state: Path) -> bool:
    """Whether the database is well."""
    database = sqlite3.connect(state / "commcare.sqlite")
    try:
        return database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        database.close()


@pytest.mark.parametrize("command", ["submit", "sync"])
@pytest.mark.parametrize(("moment", "cut"), [
    ("before", None), ("held", None), ("cut", 0), ("cut", 40), ("cut", 100)])
def test_killed_while_a_form_is_sent(keeper, tmp_path, command, moment, cut):
    """In the middle of the request, while the server holds its answer, within the answer."""
    state = tmp_path / "state"
    form = a_form(tmp_path, 1)
    if command == "sync":
        assert queue(keeper.url, state, form).returncode == 75
    keeper.at(moment, cut)
    process = begin(keeper.url, state, *(["submit", form] if command == "submit" else ["sync"]))
    assert keeper.reached.wait(DEADLINE)
    kill(process)
    keeper.at(None)
    keeper.go_on.set()
    assert is_whole(state)
    assert states(state) == {"form-1": "queued"}
    for _ in range(2):
        ended = client(keeper.url, state, "sync")
        assert ended.returncode == 0, ended.stderr
    assert states(state) == {"form-1": "sent"}
    assert list(keeper.kept) == ["form-1"]
    assert keeper.asked["form-1"] == (1 if moment == "before" else 2)
    # Its answer is stored: whatever is asked for, it is not sent again.
    again = client(keeper.url, state, "submit", form)
    assert (again.returncode, "has this form already" in again.stderr) == (0, True)
    assert keeper.asked["form-1"] == (1 if moment == "before" else 2)


def test_killed_at_many_moments(keeper, tmp_path):
    """Whenever it is: each form is kept once, and what was stored as sent is never sent again."""
    state = tmp_path / "state"
    keeper.payload = a_restore("t1", range(300), 100)
    forms = [a_form(tmp_path, number) for number in range(8)]
    for form in forms:
        assert queue(keeper.url, state, form).returncode == 75
    stored: dict[str, int] = {}
    delay = 0.0
    killed = 0
    while True:
        process = begin(keeper.url, state, "sync")
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            kill(process)
            killed += 1
            assert is_whole(state)
            for instance, became in states(state).items():
                asked = keeper.asked[instance]
                if became == "sent":
                    assert stored.setdefault(instance, asked) == asked, instance
            delay += 0.004
        else:
            break
    assert process.returncode == 0
    assert killed > 3
    assert sorted(keeper.kept) == [f"form-{number}" for number in range(8)]
    assert set(states(state).values()) == {"sent"}
    assert all(keeper.asked[instance] == count for instance, count in stored.items())
    shown = status(state)
    assert shown["sync_token"] == "t1"
    assert len(shown["cases"]) == 308 or len(shown["cases"]) == 300


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.999])
def test_killed_within_a_restore(keeper, tmp_path, share):
    """The case set and the token stay as they were; the next sync goes on from them."""
    state = tmp_path / "state"
    keeper.payload = a_restore("t1", range(5))
    assert client(keeper.url, state, "sync").returncode == 0
    before = status(state)
    keeper.payload = a_restore("t2", range(5, 2000), 200)
    keeper.at("cut", int(len(keeper.payload) * share))
    process = begin(keeper.url, state, "sync")
    assert keeper.reached.wait(DEADLINE)
    kill(process)
    keeper.at(None)
    keeper.go_on.set()
    assert is_whole(state)
    assert status(state) == before
    assert client(keeper.url, state, "sync").returncode == 0
    assert (status(state)["sync_token"], len(status(state)["cases"])) == ("t2", 2000)


def test_killed_while_a_restore_is_applied(keeper, tmp_path):
    """A transaction that is not committed is nothing."""
    state = tmp_path / "state"
    keeper.payload = a_restore("t1", range(5))
    assert client(keeper.url, state, "sync").returncode == 0
    before = status(state)
    keeper.payload = a_restore("t2", range(20000), 400)
    process = begin(keeper.url, state, "sync")
    download = state / "restore-download"
    eventually(lambda: process.poll() is not None or (
        download.exists() and download.stat().st_size == len(keeper.payload)), "the download")
    kill(process)
    assert is_whole(state)
    assert status(state) in (before, before | {"sync_token": "t2"}) or (
        len(status(state)["cases"]) == 20000)
    assert client(keeper.url, state, "sync").returncode == 0
    assert (status(state)["sync_token"], len(status(state)["cases"])) == ("t2", 20000)
    assert not download.exists()


def test_killed_between_412_and_the_full_restore(tmp_path):
    """What the server refused is not asked for again after a kill."""
    server = Keeper()
    asked: list[str] = []
    state = tmp_path / "state"
    handler = server.RequestHandlerClass

    def refuse(self) -> None:
        asked.append(self.path)
        if "since=" in self.path:
            return self.answer(412, response("ota_restore_error", "mismatch"))
        if len(asked) == 3:
            return server.stop(self)
        return self.answer(200, server.payload)

    handler.do_GET = refuse
    try:
        server.payload = a_restore("t1", [])
        assert client(server.url, state, "sync").returncode == 0
        process = begin(server.url, state, "sync")
        assert server.reached.wait(DEADLINE)
        kill(process)
        server.go_on.set()
        server.payload = a_restore("t2", [])
        assert client(server.url, state, "sync").returncode == 0
    finally:
        server.go_on.set()
        server.shutdown()
        server.server_close()
    assert ["since=" in each for each in asked] == [False, True, False, False]
    assert status(state)["sync_token"] == "t2"


def test_killed_against_serve(program, tmp_path):
    """The real server has each form once, whenever the client dies."""
    serve = program(TAPEDECK, "serve", "--listen", "127.0.0.1:0")
    url = "http://" + serve.await_line(r"(127\.0\.0\.1:\d+)")[1]
    state = tmp_path / "state"
    for number in range(6):
        assert queue(url, state, a_form(tmp_path, number)).returncode == 75
    delay = 0.0
    while True:
        process = begin(url, state, "sync")
        try:
            process.wait(delay)
            break
        except subprocess.TimeoutExpired:
            kill(process)
            delay += 0.01
    assert process.returncode == 0
    expected = [f"case-{number}" for number in range(6)]
    assert status(state)["cases"] == expected
    assert set(states(state).values()) == {"sent"}
    other = tmp_path / "other"
    assert client(url, other, "sync").returncode == 0
    assert status(other)["cases"] == expected
