"""The client that tests play themselves is right wherever a connection may be cut."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator

import pytest
from peers import ScriptedSimperium, SimperiumPeer
from programs import DEADLINE

TOKEN = "a" * 32
MODIFIED = {"one": {"n": 1}, "two": {"n": 2}}


@pytest.fixture
def server() -> Iterator[ScriptedSimperium]:
    """A server with two objects."""
    started = ScriptedSimperium()
    for key in MODIFIED:
        started.change("notes", key, {"n": 0})
    yield started
    started.close()


@pytest.fixture
def peer(server: ScriptedSimperium) -> Iterator[SimperiumPeer]:
    """A client that knows both and is away."""
    client = SimperiumPeer(f"ws://127.0.0.1:{server.port}/", "notes", TOKEN, "peer")
    _sync(client)
    client.close()
    yield client
    client.close()


def _sync(peer: SimperiumPeer) -> None:
    deadline = time.monotonic() + DEADLINE
    while not peer.is_idle or peer._socket is None:
        assert time.monotonic() < deadline, (peer.wanted, peer.sent, peer.local, peer.ghosts)
        peer.pump(0.01)


def _told(server: ScriptedSimperium, *places: int) -> list[str]:
    """Changes as everybody was told of them, by their places in the log."""
    return [f"0:c:{json.dumps([server.log['notes'][place]])}" for place in places]


def test_a_change_told_before_the_answer_does_not_hide_what_is_between(server, peer):
    """What is told while `cv` is unanswered is ahead of changes that have not come."""
    for key, data in MODIFIED.items():
        server.change("notes", key, data)
    server.on(":cv:", *_told(server, -1), cuts=True)
    _sync(peer)
    assert peer.local == MODIFIED


def test_an_object_is_asked_for_again_when_the_answer_was_cut_off(server, peer):
    """A client that waits for an answer of another connection waits for ever."""
    server.change("notes", "one", {"n": 8})
    server.change("notes", "one", {"n": 1})
    server.on(":cv:", *_told(server, -1))
    server.on(r":e:one\.3", cuts=True)
    _sync(peer)
    assert peer.local == {"one": {"n": 1}, "two": {"n": 0}}


def test_the_newest_version_that_was_asked_for_counts(server, peer):
    """The answer for an older one is none for the newest."""
    for number in (7, 8, 9):
        server.change("notes", "one", {"n": number})
    # Both are ahead of what the client knows, and what is between never comes.
    server.on(":cv:", *_told(server, -2, -1))
    server.on(":cv:", "0:c:[]", times=2)
    _sync(peer)
    assert peer.local["one"] == {"n": 9}
    assert peer.ghosts["one"][0] == 4


@pytest.mark.parametrize("code", [405, 409, 412, 440])
def test_the_index_is_read_when_it_was_cut_off(code, server, peer):
    """A refusal that only the index answers is not forgotten with the connection."""
    server.change("notes", "one", {"n": 5, "theirs": True})
    peer.edit("two", {"n": 0, "mine": True})
    server.on(":c:", f'0:c:[{{"id":"{{id}}","ccids":["{{ccid}}"],"error":{code}}}]')
    server.on(":i:", cuts=True)
    _sync(peer)
    assert peer.connects == 3
    assert peer.local["one"] == {"n": 5, "theirs": True}
    assert peer.local["two"] == server.data("notes", "two")


def test_an_own_change_that_comes_without_those_before_it_is_acknowledged(server, peer):
    """It is not sent again, and what others did to the object comes with the object."""
    peer.edit("one", {"n": 0, "mine": True})
    made = []

    def others_first(text: str) -> list[str]:
        # Two changes are made, and the first of them is not told.
        made.append(json.loads(text.partition(":c:")[2]))
        theirs = {"id": "one", "ccid": "theirs", "o": "M", "sv": 1,
                  "v": {"n": {"o": "r", "v": 6}}}
        server._made("notes", theirs, "another")
        server._made("notes", made[0] | {"sv": 2}, "peer")
        return _told(server, -1)

    server.on(":c:", others_first)
    _sync(peer)
    assert peer.local["one"] == {"n": 6, "mine": True} == server.data("notes", "one")
    assert peer.acknowledged == [change["ccid"] for change in made]
    assert sum(":c:" in text for text in server.seen) == 1


def test_edits_made_while_away_come_once(server, peer):
    """A change whose answer was cut off is sent again under its identifier."""
    peer.edit("one", {"n": 3})
    mark = secrets.token_hex(4)

    def take(text: str) -> list[str]:
        peer.edit("one", {"n": 3, "mark": mark})
        server._made("notes", json.loads(text.partition(":c:")[2]), "peer")
        return []

    server.on(":c:", take, cuts=True)
    _sync(peer)
    assert server.data("notes", "one") == {"n": 3, "mark": mark} == peer.local["one"]
    assert len(peer.acknowledged) == len(set(peer.acknowledged)) == 2
