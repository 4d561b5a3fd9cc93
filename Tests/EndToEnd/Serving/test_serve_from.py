"""Proves: `tapedeck serve --from` holds what the trace's servers held, and real clients go on with it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from programs import Program, Recording, environment, sql, tapedeck
from recorded_sessions import RECORDINGS, five_notes, simperium
from serving import OTHER, TOKEN, Client, CommCareServer, case, cases, form, state, token


@pytest.fixture
def run() -> Iterator[Callable[..., Program]]:
    """Starts programs and ends them."""
    started: list[Program] = []

    def start(kind: Callable[..., Program], *arguments: str | Path, **options: str) -> Program:
        started.append(kind(*arguments, **options))
        return started[-1]

    yield start
    for program in reversed(started):
        program.kill()


def lines(trace: Path, *arguments: str) -> list[dict]:
    """What `state --json` prints."""
    done = tapedeck("state", trace, "--json", *arguments)
    return [json.loads(line) for line in done.stdout.splitlines()]


def index(server: CommCareServer, token: str = TOKEN) -> tuple[str, dict]:
    """The change version and the objects of the bucket, with their versions."""
    client = Client(server.url())
    client.join(token=token)
    page = json.loads(client.say("0:i:1:::100").removeprefix("0:i:"))
    client.socket.close()
    return page["current"], {entry["id"]: (entry["v"], entry["d"]) for entry in page["index"]}


@pytest.mark.parametrize("name", ["first-sync-and-edits", "offline-edits-merged"])
def test_every_tenth_command(run, tmp_path, name) -> None:
    """The index is what the state of the trace is."""
    trace = tmp_path / "a.tape"
    tapedeck("import", RECORDINGS / name, trace)
    [(count,)] = sql(trace, "SELECT max(id) FROM command")
    points = [f"c{number}" for number in range(10, count + 1, 10)]
    assert len(points) > 1
    for point in points:
        server = run(CommCareServer, "--from", trace, "--at", point)
        [bucket] = [line for line in lines(trace, "--at", point) if line["kind"] == "bucket"]
        held = {line["key"]: (line["version"], line["data"])
                for line in lines(trace, "--at", point)
                if line["kind"] == "object" and line["client"] is None}
        assert index(server) == (bucket["cv"], held)
        assert f"1 bucket with {len(held)} object" in server.said()
        server.kill()


def test_simperium_client_goes_on(run, tmp_path) -> None:
    """The built-in client as it was then catches up by `cv`, keeps its edits and doubles none."""
    server = run(CommCareServer)
    five_notes(server)
    trace, phone = tmp_path / "a.tape", tmp_path / "phone"
    deck = run(Recording, trace, tmp_path / "ca", "--to", server.url("", "http"))
    simperium(deck.url, tmp_path, "phone", "sync")
    simperium(deck.url, tmp_path, "tablet", "set", "note-0", json.dumps({"title": "from the tablet"}))
    simperium(deck.url, tmp_path, "phone", "set", "note-1", json.dumps({"title": "queued"}), "--offline")
    deck.finish()
    shutil.copytree(phone, tmp_path / "then")
    # What follows is of another session, and has not happened yet.
    deck = run(Recording, trace, tmp_path / "ca", "--to", server.url("", "http"))
    simperium(deck.url, tmp_path, "phone", "sync")
    simperium(deck.url, tmp_path, "tablet", "delete", "note-2")
    deck.finish()
    again = run(CommCareServer, "--from", trace, "--session", "1")
    after = tmp_path / "b.tape"
    deck = run(Recording, after, tmp_path / "ca", "--to", again.url("", "http"))
    simperium(deck.url, tmp_path, "then", "sync")
    deck.finish()
    assert [row for row in deck.sql("SELECT name FROM command WHERE sender = 0 AND name = 'i'")] == []
    _, held = index(again)
    assert held["note-0"] == (2, {"title": "from the tablet"})
    assert held["note-1"] == (2, {"title": "queued"})
    assert sorted(held) == [f"note-{number}" for number in range(5)]
    for number in range(5):
        done = simperium(again.url("", "http"), tmp_path, "then", "get", f"note-{number}", "--offline")
        assert json.loads(done.stdout) == held[f"note-{number}"][1]
    # Who signs in anew has another token, and is the same user.
    assert index(again, OTHER)[1] == held


def test_what_was_accepted_is_a_duplicate(run, tmp_path) -> None:
    """A change whose acknowledgement was lost is known when it is sent again."""
    server = run(CommCareServer)
    trace = tmp_path / "a.tape"
    deck = run(Recording, trace, tmp_path / "ca", "--to", server.url("", "http"))
    client = Client(f"ws://{deck.address}/sock/1/app/websocket")
    client.join()
    made = client.change(id="n", ccid="one", v={"t": {"o": "+", "v": "abc"}})
    client.change(id="n", ccid="two", sv=1, v={"t": {"o": "d", "v": "=3\t+X"}})
    client.socket.close()
    deck.finish()
    again = run(CommCareServer, "--from", trace)
    client = Client(again.url())
    client.join()
    assert client.change(id="n", ccid="two", sv=1, v={"t": {"o": "d", "v": "=3\t+X"}})["error"] == 409
    assert client.say(f"0:cv:{made['cv']}").count('"ccids":["two"]') == 1
    assert client.say("0:e:n.1") == '0:e:n.1\n{"data":{"t":"abc"}}'
    assert client.say("0:cv:before") == "0:cv:?"


def test_commcare_client_goes_on(run, tmp_path) -> None:
    """The built-in device as it was then syncs from its token; an accepted form is not stored twice."""
    server = run(CommCareServer)
    server.submit(form("uuid:before", case("case-a"), case("case-b")))
    trace = tmp_path / "a.tape"

    deck = run(Recording, trace, tmp_path / "ca", "--to", server.url("", "http"))
    # To the device it is one server all the time.
    listen = deck.address

    def device(folder: str, *arguments: str | Path) -> str:
        return tapedeck(
            "client", "commcare", *arguments, "--to", f"http://{listen}", "--domain", "demo",
            "--user", "ada", "--state", tmp_path / folder,
            env=environment(TAPEDECK_PASSWORD="secret")).stdout

    device("phone", "sync")
    body = form("uuid:1", case("case-a", "<update><seen>yes</seen></update>", create=False), case("case-c"))
    (tmp_path / "form.xml").write_text(body)
    device("phone", "submit", tmp_path / "form.xml")
    deck.finish()
    shutil.copytree(tmp_path / "phone", tmp_path / "then")
    deck = run(Recording, trace, tmp_path / "ca", "--to", server.url("", "http"), listen=listen)
    device("phone", "sync")
    deck.finish()
    again = run(CommCareServer, "--from", trace, "--session", "1")
    assert "1 project with 3 cases, 1 form and 1 sync token" in again.said()
    deck = run(Recording, tmp_path / "b.tape", tmp_path / "ca", "--to", again.url("", "http"),
               listen=listen)
    device("then", "sync")
    deck.finish()
    assert deck.sql("SELECT status FROM exchange ORDER BY id") == [(200,)]
    [(path,)] = deck.sql("SELECT url FROM exchange")
    assert "since=" in path
    then, now = [json.loads(device(folder, "status", "--json")) for folder in ("then", "phone")]
    assert (then["state_hash"], then["cases"]) == (now["state_hash"], now["cases"])
    # Another device, and the same form once more.
    first = again.restore()
    assert cases(first) == ["case-a", "case-b", "case-c"]
    assert again.submit(body, token(first)).status_code == 201
    assert cases(again.restore(since=token(first), state=state("case-a", "case-b", "case-c"))) == []


def test_goes_on_from_a_file(run, tmp_path) -> None:
    """With --state all of it is kept, with what came after, and a later start needs no trace."""
    server = run(CommCareServer)
    five_notes(server)
    server.submit(form("uuid:before", case("case-a"), case("case-b")))
    trace, kept = tmp_path / "a.tape", tmp_path / "kept"
    deck = run(Recording, trace, tmp_path / "ca", "--to", server.url("", "http"))
    simperium(deck.url, tmp_path, "phone", "sync")
    client = Client(f"ws://{deck.address}/sock/1/app/websocket")
    client.join()
    made = client.change(id="n", ccid="one", v={"t": {"o": "+", "v": "abc"}})
    client.socket.close()
    device = CommCareServer.__new__(CommCareServer)
    device.__dict__ |= server.__dict__ | {"root": f"{deck.url}/a/demo"}
    first = device.restore()
    body = form("uuid:1", case("case-c"))
    assert device.submit(body, token(first)).status_code == 201
    deck.finish()
    news = cases(server.restore(since=token(first), state=state("case-a", "case-b", "case-c")))
    again = run(CommCareServer, "--from", trace, "--state", kept)
    simperium(again.url("", "http"), tmp_path, "tablet", "set", "note-1", json.dumps({"title": "new"}))
    assert again.submit(form("uuid:2", case("case-d"))).status_code == 201
    again.kill()
    for _ in range(2):
        again = run(CommCareServer, "--state", kept)
        _, held = index(again)
        assert sorted(held) == ["n", *(f"note-{number}" for number in range(5))]
        assert held["note-1"] == (2, {"title": "new"})
        # One that is unknown is the only user's.
        assert index(again, OTHER)[1] == held
        client = Client(again.url())
        client.join()
        assert client.change(id="n", ccid="one", v={"t": {"o": "+", "v": "abc"}})["error"] == 409
        assert len(client.changes(client.say(f"0:cv:{made['cv']}"))) == 1
        answer = again.restore(since=token(first), state=state("case-a", "case-b", "case-c"))
        assert cases(answer) == [*news, "case-d"]
        assert again.submit(body, token(first)).status_code == 201
        again.kill()


@pytest.mark.parametrize(("arguments", "status", "text"), [
    (["--at", "c900"], 65, "there is no such point in the trace"),
    (["--session", "9"], 65, "the trace has no session 9; its only one is session 1"),
    (["--at", "0s"], 65, "shows no Simperium or CommCare server that accepted a client by then"),
    (["--at", "c3", "--session", "1"], 64, "--session goes with a time since its start"),
    (["--state", "used"], 65, "leave out --from to go on with the file"),
])
def test_mistakes(tmp_path, arguments, status, text) -> None:
    """What is wrong, and what to do."""
    trace = tmp_path / "a.tape"
    tapedeck("import", RECORDINGS / "first-sync-and-edits", trace)
    used = CommCareServer("--state", tmp_path / "used")
    used.kill()
    done = tapedeck("serve", "--from", trace, "--listen", "127.0.0.1:0", *arguments, status=status,
                    cwd=tmp_path)
    assert text in done.stderr
