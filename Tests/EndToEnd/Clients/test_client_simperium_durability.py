"""Edits of `tapedeck client simperium` outlive kills, cuts and a full disk, and are made once."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import time

import pytest
from peers import ScriptedSimperium
from programs import environment, eventually
from simperium_client import Client, changes, client_fixture, refuse, server_fixture

__all__ = ["client_fixture", "server_fixture"]

KEYS = [f"k{number}" for number in range(12)]


def kill_after(client: Client, seconds: float, *command: str) -> bool:
    """Runs a command and kills it after a while; returns whether it had ended before."""
    process = subprocess.Popen(client.arguments(*command), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=environment())
    try:
        process.wait(seconds)
        return True
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return False


def settled(server: ScriptedSimperium) -> list[dict]:
    """The changes that were sent, each once; one identifier is always the same change."""
    first: dict[str, dict] = {}
    for change in changes(server):
        assert first.setdefault(change["ccid"], change) == change, "the same name for another change"
    return list(first.values())


@pytest.mark.parametrize("seed", range(3))
def test_killed_at_any_moment(server: ScriptedSimperium, client: Client, seed: int):
    """Each edit is made once, in order, whatever moment the kill hits."""
    chance = random.Random(seed)
    began = time.monotonic()
    client.run("sync")
    usual = time.monotonic() - began
    for key in KEYS:
        client.run("set", key, json.dumps({"is": key}), "--offline")
    for _ in range(12):
        if kill_after(client, chance.random() * 1.5 * usual, "sync"):
            break
    client.run("sync")
    sent = settled(server)
    assert [change["id"] for change in sent] == KEYS, "each once, in the order of the edits"
    made = [change["id"] for change in server.log["notes"]]
    assert made == KEYS
    count = len(changes(server))
    client.run("sync")
    assert len(changes(server)) == count, "what was acknowledged is not sent again"


@pytest.mark.parametrize("seed", range(3))
def test_killed_while_it_stores_edits(server: ScriptedSimperium, client: Client, seed: int):
    """A command that was killed has stored its edit or not; one that ended has."""
    chance = random.Random(seed)
    began = time.monotonic()
    client.run("set", "first", '{"n":0}', "--offline")
    usual = time.monotonic() - began
    sure = [key for key in KEYS
            if kill_after(client, chance.random() * 1.5 * usual, "set", key,
                          json.dumps({"is": key}), "--offline")]
    client.run("sync")
    sent = [change["id"] for change in settled(server)]
    assert sent[0] == "first" and sent == sorted(sent, key=["first", *KEYS].index)
    assert set(sure) <= set(sent)
    for key in sent[1:]:
        assert server.data("notes", key) == {"is": key}


# What a client says in a sync with one edit, in order; the server hangs up at each.
PLACES = ["^0:init:", "^0:cv:", "^0:c:"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("is_made", [False, True], ids=["before", "after"])
def test_cut_and_killed_wherever_it_stands(
        server: ScriptedSimperium, client: Client, place: str, is_made: bool):
    """The server hears the client and hangs up, having made the change or not; then it is killed."""
    client.run("sync")
    client.run("set", "k", '{"a":1}', "--offline")
    held = []

    def hear(text: str) -> list[str]:
        if is_made and ":c:" in text:
            init = next(said for said in reversed(server.seen) if ":init:" in said)
            client_id = json.loads(init.partition(":init:")[2])["clientid"]
            server._made("notes", json.loads(text.partition(":c:")[2]), client_id)
        held.append(text)
        return []

    for _ in range(3):
        held.clear()
        server.on(place, hear)
        process = subprocess.Popen(client.arguments("sync"), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=environment())
        eventually(lambda: held, place)
        server.cut()
        process.kill()
        process.wait()
        server._rules.clear()
        if place == "^0:c:" and is_made:
            break
    client.run("sync")
    sent = settled(server)
    assert len(sent) == 1
    assert len(server.log["notes"]) == 1
    assert server.data("notes", "k") == {"a": 1}
    count = len(changes(server))
    client.run("sync")
    assert len(changes(server)) == count


@pytest.mark.parametrize("code", [404, 405, 440])
def test_killed_between_a_refusal_and_the_whole_object(
        server: ScriptedSimperium, client: Client, code: int):
    """The whole object goes under a name of its own, and keeps that one until it is answered."""
    client.run("set", "k", '{"a":1}')
    server.seen.clear()
    refuse(server, code)
    held: list[str] = []
    server.on(r'^0:c:.*"d"', lambda text: held.append(text) or [])
    process = subprocess.Popen(client.arguments("set", "k", '{"a":2}'), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=environment())
    eventually(lambda: held, "the whole object")
    process.kill()
    process.wait()
    client.run("sync")
    first, whole, again = changes(server, "k")
    assert whole == again and whole["ccid"] != first["ccid"]
    assert "d" not in first and whole["d"] == {"a": 2}
    assert server.data("notes", "k") == {"a": 2}
    # Cut before the answer to the diff is stored: it goes out as it was.
    server.seen.clear()
    server.on("^0:c:", cuts=True)
    refuse(server, code)
    client.run("set", "k", '{"a":3}')
    first, again, whole = changes(server, "k")
    assert first == again and whole["ccid"] != first["ccid"] and whole["d"] == {"a": 3}
    assert server.data("notes", "k") == {"a": 3}


@pytest.fixture(name="small_disk")
def small_disk_fixture(tmp_path):
    """A file system of 2 MiB, where this machine lets us have one."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tapedeck", place],
                             capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("may not mount a tmpfs here")
    yield place
    subprocess.run(["umount", "-l", place], check=False)


def fill(place) -> None:
    """Leaves no room."""
    with open(place / "ballast", "wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass


def test_a_full_disk_loses_nothing(server: ScriptedSimperium, client: Client, small_disk):
    client.state = small_disk / "state"
    client.run("set", "k", '{"a":1}')
    client.run("set", "waits", '{"b":1}', "--offline")
    fill(small_disk)
    big = json.dumps({"text": "x" * 100_000})
    client.run("set", "k", big, "--offline", status=74, said="cannot be written: .*make room")
    # What comes from the server cannot be stored either.
    server.change("notes", "theirs", {"text": "y" * 100_000})
    client.run("sync", status=74, said="cannot be written: .*make room")
    (small_disk / "ballast").unlink()
    assert json.loads(client.run("get", "waits", "--offline").stdout) == {"b": 1}
    client.run("sync")
    assert server.data("notes", "waits") == {"b": 1}
    assert len({change["ccid"] for change in changes(server, "waits")}) == 1
    assert len(server.log["notes"]) == 3
    client.run("set", "k", big)
    assert server.data("notes", "k") == json.loads(big)
    assert json.loads(client.run("get", "theirs").stdout) == server.data("notes", "theirs")


def test_a_watch_ends_where_the_disk_fills_up(
        server: ScriptedSimperium, client: Client, small_disk):
    client.state = small_disk / "state"
    watcher = client.start("watch", "--json")
    watcher.await_line('"event":"synced"')
    fill(small_disk)
    server.change("notes", "k", {"text": "y" * 500_000})
    assert watcher.wait() == 74
    assert "make room" in watcher.said()
    (small_disk / "ballast").unlink()
    assert json.loads(client.run("get", "k").stdout) == server.data("notes", "k")


@pytest.mark.parametrize("folder", ["missing/deeper", "file"])
def test_a_state_that_cannot_be_made(client: Client, tmp_path, folder: str):
    (tmp_path / "file").write_text("a file")
    client.state = tmp_path / folder
    client.run("set", "k", '{"a":1}', "--offline", status=74, said="cannot be (made|opened)")


def test_a_state_that_is_none(client: Client):
    client.state.mkdir()
    (client.state / "simperium.sqlite").write_text("no database " * 1000)
    client.run("set", "k", '{"a":1}', "--offline", status=65, said="the state in .* is invalid")
