"""Proves: a recorded client of WebSockets that Tapedeck knows nothing of, played anew to the server
it talked to, finds no difference; a changed message is found and pointed at."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Iterator
from http import HTTPStatus

import pytest
import requests
from programs import DEADLINE, TAPEDECK, eventually, tapedeck
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.sync.server import serve

PHOTO = bytes(range(256)) * 400


class Rooms:
    """A server of rooms, which lets in who has a token of `/login` and its cookie."""

    def __init__(self, echo: str = "{}!"):
        self.echo = echo
        self.seats: dict[str, str] = {}
        self.codes: list[int] = []
        self._server = serve(self._room, "127.0.0.1", 0, process_request=self._request,
                             subprotocols=["room.v2"])
        self.url = f"http://127.0.0.1:{self._server.socket.getsockname()[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _request(self, connection, request):
        if request.path == "/login":
            token, seat = secrets.token_hex(16), secrets.token_hex(4)
            self.seats[token] = seat
            answer = connection.respond(HTTPStatus.OK, json.dumps({"token": token}))
            answer.headers["Set-Cookie"] = f"seat={seat}; HttpOnly"
            return answer
        seat = self.seats.get(request.path.rpartition("token=")[2])
        if seat is None or request.headers.get("Cookie") != f"seat={seat}":
            return connection.respond(HTTPStatus.FORBIDDEN, "no seat\n")
        return None

    def _room(self, socket) -> None:
        token = socket.request.path.rpartition("token=")[2]
        socket.send(json.dumps({"hello": "you", "token": token}))
        try:
            for message in socket:
                if isinstance(message, bytes):
                    socket.send(message[::-1])
                    continue
                said = json.loads(message)
                if said.get("bye"):
                    socket.close(4007, "bye")
                    return
                assert said["token"] == token
                socket.send(json.dumps({"said": [self.echo.format(said["text"])]}))
        except ConnectionClosed:
            pass
        self.codes.append(socket.close_code)

    def close(self) -> None:
        """Stops listening."""
        self._server.shutdown()


@pytest.fixture
def rooms() -> Iterator[type[Rooms]]:
    """Starts servers of rooms."""
    started: list[Rooms] = []

    def start(*arguments: str) -> Rooms:
        started.append(Rooms(*arguments))
        return started[-1]

    yield start
    for each in started:
        each.close()


def visit(address: str) -> None:
    """What a client does: logs in, talks until the server closes, and talks again until it closes."""
    session = requests.Session()
    session.trust_env = False
    answer = session.get(f"http://{address}/login", timeout=DEADLINE)
    token = answer.json()["token"]
    for is_last in (False, True):
        with connect(f"ws://{address}/room?token={token}", proxy=None, subprotocols=["room.v2"],
                     additional_headers={"Cookie": f"seat={answer.cookies['seat']}"}) as socket:
            assert json.loads(socket.recv(DEADLINE))["hello"] == "you"
            for text in ("Grüße", "how are you"):
                socket.send(json.dumps({"text": text, "token": token}))
                assert json.loads(socket.recv(DEADLINE)) == {"said": [f"{text}!"]}
            socket.send(PHOTO)
            assert socket.recv(DEADLINE) == PHOTO[::-1]
            if is_last:
                socket.close(4001, "enough")
            else:
                socket.send(json.dumps({"bye": True}))
                with pytest.raises(ConnectionClosed):
                    socket.recv(DEADLINE)


def test_rooms(record, rooms, program, trace, ca_dir) -> None:
    recording = record("--to", rooms().url)
    visit(recording.address)
    recording.finish()

    def replay(url: str, *arguments: str, status: int = 0) -> str:
        return tapedeck("replay", "client", trace, "--to", url, "--patience", "5", *arguments,
                        status=status).stdout

    live = rooms()
    report = json.loads(replay(live.url, "--json"))
    assert report["satisfied"], report
    section = report["sections"][1]
    assert [section[name] for name in ("name", "recorded", "matched", "unused")] == [
        "WebSocket", 8, 8, 0]
    assert report["messagesSent"] == 7 and report["messagesReceived"] == 8
    assert report["exchanges"] == 1 and report["commandsSent"] == 0
    # The client may end before its last message is read.
    eventually(lambda: live.codes == [4001], "the code of the close")
    # Three at once, each with a login of its own.
    said = replay(live.url, "--clients", "3", "--speed", "100")
    assert "WebSocket: 24 of 24 the same, 0 different, 0 not played\nno difference\n" in said
    assert len(live.seats) == 4

    said = replay(rooms("{}?").url, status=1)
    assert "WebSocket: 4 of 8 the same, 4 different" in said, said
    assert 'JSON /said/0: recorded "Grüße!", received "Grüße?"' in said, said
    # The recorded token opens no door of another server.
    said = replay(rooms().url, "--verbatim", status=1)
    assert "status: recorded 101, received 403" in said, said

    server = program(TAPEDECK, "replay", "server", trace, "--listen", "127.0.0.1:0",
                     "--ca-dir", ca_dir)
    address = server.await_line(r"listening on (\S+)")[1]
    assert "no difference" in replay(f"http://{address}")
    assert server.stop() == 0, server.said()
