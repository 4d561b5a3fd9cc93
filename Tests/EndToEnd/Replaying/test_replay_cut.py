"""Proves: a session that was cut in the middle of an acknowledgement is replayed from either side,
whatever shows the client that its change was made."""

from __future__ import annotations

import json
import uuid

import pytest
from cut_sessions import DOWN, Cutter
from programs import TAPEDECK, environment, tapedeck
from serving import Client
from websockets.exceptions import ConnectionClosed


def session(url: str, shows: str, cutter: Cutter | None = None, passed: int = 0) -> None:
    """A client is cut off from the answer to its second change, and comes back."""
    url = f"ws{url.removeprefix('http')}/sock/1/app/websocket"
    name = f"client-{uuid.uuid4()}"
    change = {"id": "key", "o": "M", "ccid": uuid.uuid4().hex, "sv": 1,
              "v": {"n": {"o": "r", "v": 2}}}
    client = Client(url, compression=None)
    client.join(client=name)
    client.say("0:i::::100")
    first = client.change(id="key", v={"n": {"o": "+", "v": 1}})
    if cutter:
        cutter.lines[-1].pass_only(DOWN, passed)
    client.send(f"0:c:{json.dumps(change)}")
    with pytest.raises(ConnectionClosed):
        client.next()
    client = Client(url, compression=None)
    client.join(client=name)
    if shows == "changes":
        assert client.changes(client.say(f"0:cv:{first['cv']}"))[0]["ccids"] == [change["ccid"]]
    elif shows == "index":
        assert '"v":2' in client.say("0:i::::100").replace(" ", "")
    else:
        assert client.change(**change)["error"] == 409
    assert client.change(id="key", sv=2, v={"n": {"o": "r", "v": 3}})["ev"] == 3
    client.socket.close()


@pytest.mark.parametrize(("shows", "passed"), [
    ("changes", 20), ("refusal", 20), ("index", 20), ("index", 0)])
def test_a_cut_acknowledgement(record, serve, program, trace, shows, passed) -> None:
    server = serve()
    cutter = Cutter(int(server.url("", "http").rpartition(":")[2]))
    try:
        recording = record("--to", f"http://127.0.0.1:{cutter.port}")
        session(recording.url, shows, cutter, passed)
        recording.finish()
    finally:
        cutter.close()
    # The same server with nothing in it.
    done = tapedeck("replay", "client", trace, "--to", serve().url("", "http"), status=None,
                    env=environment())
    assert done.returncode == 0, done.stdout + done.stderr
    played = program(TAPEDECK, "replay", "server", trace, "--listen", "127.0.0.1:0")
    session(f"http://{played.await_line(r'^listening on (.+)$')[1]}", shows)
    assert played.stop() == 0, played.said()
