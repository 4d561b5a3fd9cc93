"""Edits of the messages of WebSockets that carry no Simperium, with a client and a server that are not ours."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

import pytest
from faults import SOCKET, dial_fixture, faults, faulty_fixture, feels, simperium_fixture
from programs import DEADLINE, tapedeck
from websockets.extensions.permessage_deflate import (ClientPerMessageDeflateFactory,
                                                      ServerPerMessageDeflateFactory)
from websockets.sync.client import connect
from websockets.sync.server import ServerConnection, serve

__all__ = ["dial_fixture", "faulty_fixture", "simperium_fixture"]


class Repeating:
    """Keeps the messages that it gets, and sends each back in two fragments."""

    def __init__(self, extensions: list | None):
        self.seen: list[str | bytes] = []
        self._server = serve(self._serve, "127.0.0.1", 0, compression=None, extensions=extensions)
        self.url = f"http://127.0.0.1:{self._server.socket.getsockname()[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _serve(self, connection: ServerConnection) -> None:
        for message in connection:
            self.seen.append(message)
            connection.send(iter([message[:3], message[3:]]))

    def close(self) -> None:
        """Closes all connections and stops listening."""
        self._server.shutdown()


EXTENSIONS: dict[str, tuple[list | None, list | None]] = {
    "plain": (None, None),
    "deflate": ([ClientPerMessageDeflateFactory()], [ServerPerMessageDeflateFactory()]),
    "alone": ([ClientPerMessageDeflateFactory(True, True)], [ServerPerMessageDeflateFactory(True, True)]),
}


@pytest.fixture(name="repeating", params=EXTENSIONS)
def repeating_fixture(request) -> Iterator[tuple[Repeating, list | None]]:
    """A server, and what its clients agree on with it."""
    mine, theirs = EXTENSIONS[request.param]
    server = Repeating(theirs)
    yield server, mine
    server.close()


@feels("edit")
def test_messages_are_edited_both_ways(faulty, repeating):
    server, extensions = repeating
    deck = faulty(server.url, "kind:message => edit json /v 2", "kind:message => edit json-remove /w",
                  "kind:message => edit replace '(na)me' '$1no' sender=server")
    with connect(f"ws://{deck.address}/live", compression=None, extensions=extensions,
                 open_timeout=DEADLINE) as socket:
        for number in range(3):
            text = json.dumps({"v": 1, "w": [], "name": number, "long": "x" * 300})
            socket.send(iter([text[:8], text[8:]]))
            edited = text.replace('"v": 1', '"v": 2').replace('"w": [], ', "")
            assert socket.recv(DEADLINE) == edited.replace("name", "nano")
            assert server.seen[-1] == edited
        socket.send("no JSON, no match")
        assert socket.recv(DEADLINE) == "no JSON, no match"
    deck.finish()
    counts = dict(deck.sql("SELECT rule, count(*) FROM intervention WHERE problem IS NULL GROUP BY rule"))
    # What comes back has it already.
    assert counts == {"rule-1": 3, "rule-2": 3, "rule-3": 3}
    messages = "SELECT side, fate, sender, payload FROM any_message WHERE opcode < 8 ORDER BY id"
    kept = deck.sql(messages)
    assert [row[1] for row in kept if row[0] == "client"].count("altered") == 6
    tapedeck("rebuild", deck.trace)
    assert deck.sql(messages) == kept
    assert tapedeck("diagnose", deck.trace, "--json").stdout == ""


@feels("edit")
def test_commands_of_simperium_are_not_messages_to_be_edited(faulty, dial, simperium):
    deck = faulty(simperium.url, "kind:message => edit replace h o sender=client")
    client = dial(deck, SOCKET)
    assert client.say("h:100") == "h:101"
    faults(deck, 4)
    deck.finish()
    assert {row[0] for row in deck.sql("SELECT problem FROM intervention WHERE sender = 0")} == {
        "it holds commands of Simperium, which edit-object changes"}
