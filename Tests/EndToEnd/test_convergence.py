"""Clients on real sockets, cut again and again, end with what the server has, and no edit is lost.

The way is client - cutter - `tapedeck record` - `tapedeck serve`; the clients are the minimal ones
of `peers.py`.
"""

from __future__ import annotations

import json
import random
import threading
import time

import pytest
from peers import ScriptedSimperium, SimperiumPeer, TCPCutter
from programs import DEADLINE, TAPEDECK, eventually

TOKEN = "a" * 32
KEYS = ("one", "two", "three", "four")
BUCKETS = ("notes", "tags", "places")
PATH = "/sock/1/app/websocket"


class Player:
    """One client with a socket per bucket, and its edits."""

    def __init__(self, number: int, url: str, seed: int, edits: int):
        self.random = random.Random(seed * 100 + number)
        self.name = f"client-{number}"
        self.peers = [SimperiumPeer(url, bucket, TOKEN, self.name) for bucket in BUCKETS]
        self.left = edits
        self.marks: list[tuple[str, str, str]] = []
        self.is_over = threading.Event()

    def play(self) -> None:
        """Edits and syncs until nothing is left to do and everybody may stop."""
        while not self.is_over.is_set():
            # Objects are there before the first edit: of two that create one, the later wins.
            # Not all at once, so that what is cut off is the middle of it.
            if (self.left and all(peer.local for peer in self.peers)
                    and self.random.random() < 0.2):
                self._edit()
            for peer in self.peers:
                peer.pump(0.001)

    def _edit(self) -> None:
        peer = self.random.choice(self.peers)
        key = self.random.choice(KEYS)
        self.left -= 1
        mark = f"{self.name}-{self.left}"
        data = json.loads(json.dumps(peer.local.get(key, {})))
        match self.random.randrange(4):
            case 0:
                data.setdefault("within", {})[mark] = self.left
            case 1:
                data[mark] = "a text é😀"
            case 2:
                data[mark] = {"nested": {"is": self.left}}
            case _:
                data[mark] = self.left / 4
        peer.edit(key, data)
        self.marks.append((peer.bucket, key, mark))

    @property
    def is_idle(self) -> bool:
        """Whether it has made all edits and the server has them."""
        return not self.left and all(peer.is_idle for peer in self.peers)


def _run(url: str, seed: int, clients: int, edits: int) -> list[Player]:
    """Plays until all are idle; the same everywhere then."""
    for bucket in BUCKETS:
        first = SimperiumPeer(url, bucket, TOKEN, "first")
        for key in KEYS:
            first.edit(key, {"within": {}})
        _sync(first)
    players = [Player(number, url, seed, edits) for number in range(clients)]
    threads = [threading.Thread(target=player.play, daemon=True) for player in players]
    for thread in threads:
        thread.start()

    def is_over() -> bool:
        assert all(thread.is_alive() for thread in threads), "a client has failed"
        return _same(players)

    try:
        eventually(is_over, "all clients to have the same", 2 * DEADLINE)
    except AssertionError as error:
        error.add_note(_state(players))
        raise
    finally:
        for player in players:
            player.is_over.set()
        for thread in threads:
            thread.join(DEADLINE)
        for player in players:
            for peer in player.peers:
                peer.close()
    return players


def _sync(peer: SimperiumPeer) -> None:
    """Plays one client until it is in sync, and ends its connection."""
    deadline = time.monotonic() + DEADLINE
    while not peer.is_idle:
        assert time.monotonic() < deadline, f"{peer.client} does not get in sync"
        peer.pump(0.05)
    peer.close()


def _same(players: list[Player]) -> bool:
    if not all(player.is_idle for player in players):
        return False
    first = [peer.local for peer in players[0].peers]
    return all([peer.local for peer in player.peers] == first for player in players)


def _state(players: list[Player]) -> str:
    return "\n".join(f"{player.name} {peer.bucket} left {player.left} idle {peer.is_idle} "
                     f"synced {peer.is_synced} sent {len(peer.sent)} {json.dumps(peer.local)[:200]}"
                     for player in players for peer in player.peers)


def _check(players: list[Player], url: str) -> None:
    """Everybody has every mark, and so has a client that comes new."""
    for place, bucket in enumerate(BUCKETS):
        fresh = SimperiumPeer(url, bucket, TOKEN, "fresh")
        _sync(fresh)
        for player in players:
            assert player.peers[place].local == fresh.local
            for name, key, mark in player.marks:
                if name == bucket:
                    data = fresh.local[key]
                    assert (mark in data) + (mark in data.get("within", {})) == 1, (key, mark)


@pytest.mark.parametrize("seed", range(3))
def test_clients_converge_through_cuts(seed, record, program):
    """Nothing is lost or doubled between eight clients, a proxy and the embedded server."""
    server = program(TAPEDECK, "serve", "--listen", "127.0.0.1:0")
    port = int(server.await_line(r"^listening on 127\.0\.0\.1:(\d+)$")[1])
    recording = record("--quiet", "--to", f"http://127.0.0.1:{port}")
    cutter = TCPCutter(recording.port, seed, doomed=150)
    url = f"ws://127.0.0.1:{cutter.port}{PATH}"
    players = _run(url, seed, clients=8, edits=25)
    _check(players, f"ws://127.0.0.1:{port}{PATH}")
    assert cutter.cuts > 20
    cutter.close()
    recording.finish()
    errors = dict(recording.sql("SELECT error, count(*) FROM change GROUP BY error"))
    assert errors[None] >= 100
    changes = recording.sql("SELECT DISTINCT bucket, clientid, ccid, cv FROM change "
                            "WHERE cv IS NOT NULL AND ccid IS NOT NULL")
    assert len(changes) >= 100
    # None was made twice.
    assert len({change[:3] for change in changes}) == len(changes)
    assert server.stop() == 0


def test_clients_converge_with_a_server_of_the_tests():
    """The clients themselves are right: the same with a server that nobody else wrote."""
    server = ScriptedSimperium()
    cutter = TCPCutter(server.port, 7, doomed=100)
    url = f"ws://127.0.0.1:{cutter.port}{PATH}"
    try:
        _check(_run(url, 7, clients=4, edits=25), url)
    finally:
        cutter.close()
        server.close()
