"""A Simperium client and its server, compressed or not, that keep what they had."""

from __future__ import annotations

import json
import random
import secrets
import socket
import threading
import time
from functools import partial

from fault_taps import Tap
from fault_web import Origin, text_of
from peers import ScriptedSimperium, SimperiumPeer, _Session
from websockets.client import ClientProtocol
from websockets.exceptions import ConnectionClosedError
from websockets.extensions.permessage_deflate import (ClientPerMessageDeflateFactory,
                                                      ServerPerMessageDeflateFactory)
from websockets.frames import Opcode
from websockets.server import ServerProtocol
from websockets.uri import parse_uri

BUCKET, TOKEN = "notes", "5" * 32
# How long a client waits for an answer before it takes the connection for lost.
PATIENCE = 2.5


class TappedSession(_Session):
    """A socket of the server whose messages may be compressed and of any size."""

    def __init__(self, peer: ScriptedSimperium, connection: Tap, is_compressed: bool):
        super().__init__(peer, connection)
        factories = [ServerPerMessageDeflateFactory()] if is_compressed else []
        self._protocol = ServerProtocol(extensions=factories, max_size=None)


class SocketOrigin(ScriptedSimperium):
    """The scripted Simperium server on taps."""

    def __init__(self, size: int, dice: random.Random, is_compressed: bool):
        self.taps: list[Tap] = []
        self._is_compressed = is_compressed
        super().__init__()
        self.change(BUCKET, "first", {"text": text_of(size, dice), "n": 1})

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            tap = Tap(connection)
            session = TappedSession(self, tap, self._is_compressed)
            with self._lock:
                self.taps.append(tap)
                self.sessions.append(session)
            threading.Thread(target=session.run, daemon=True).start()


class Wire:
    """A WebSocket of a client on a tap, as far as `SimperiumPeer` needs one."""

    def __init__(self, port: int, is_compressed: bool, taps: list[Tap]):
        uri = parse_uri(f"ws://127.0.0.1:{port}/sock/1/app/websocket")
        factories = ([ClientPerMessageDeflateFactory(client_max_window_bits=True)]
                     if is_compressed else [])
        self._protocol = ClientProtocol(uri, extensions=factories, max_size=None)
        connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.tap = Tap(connection)
        taps.append(self.tap)
        self._waiting: list[str] = []
        self._protocol.send_request(self._protocol.connect())
        self._flush()
        deadline = time.monotonic() + PATIENCE
        while self._protocol.state.name == "CONNECTING":
            self._take(max(0.01, deadline - time.monotonic()))
            if self._protocol.handshake_exc:
                raise ConnectionError(repr(self._protocol.handshake_exc))

    def send(self, text: str) -> None:
        """Sends a message."""
        if self._protocol.state.name != "OPEN":
            raise ConnectionClosedError(None, None)
        self._protocol.send_text(text.encode())
        self._flush()

    def recv(self, timeout: float) -> str:
        """The next message; TimeoutError where none comes."""
        deadline = time.monotonic() + timeout
        while not self._waiting:
            if self._protocol.state.name != "OPEN":
                raise ConnectionClosedError(None, None)
            self._take(max(0.001, deadline - time.monotonic()))
        return self._waiting.pop(0)

    def _take(self, seconds: float) -> None:
        self.tap.settimeout(seconds)
        data = self.tap.recv(1 << 16)
        if data:
            self._protocol.receive_data(data)
        else:
            self._protocol.receive_eof()
        for event in self._protocol.events_received():
            if getattr(event, "opcode", None) is Opcode.TEXT:
                self._waiting.append(event.data.decode())
        self._flush()
        if not data:
            raise ConnectionClosedError(None, None)

    def _flush(self) -> None:
        self.tap.settimeout(PATIENCE)
        for data in self._protocol.data_to_send():
            if data:
                self.tap.sendall(data)

    def close(self) -> None:
        """Ends with a close message, and reads what comes until the server agrees."""
        try:
            if self._protocol.state.name == "OPEN":
                self._protocol.send_close(1000)
                self._flush()
                deadline = time.monotonic() + 1
                while time.monotonic() < deadline:
                    self._take(1)
        except (OSError, ConnectionClosedError):
            pass
        self.tap.is_broken |= not self.tap.has_ended
        self.tap.close()

    def abort(self) -> None:
        """Hangs up."""
        self.tap.is_broken = True
        self.tap.close()


class Editor(SimperiumPeer):
    """The correct client, with a script of edits on both sides."""

    def __init__(self, port: int, size: int, dice: random.Random, is_compressed: bool,
                 origin: SocketOrigin):
        super().__init__(f"ws://127.0.0.1:{port}", BUCKET, TOKEN, "editor")
        self.taps: list[Tap] = []
        self._connects = partial(Wire, port, is_compressed, self.taps)
        self._size, self._dice, self._origin = size, dice, origin
        self._beats = 0
        self.is_settled = False

    def _open(self) -> None:
        self._socket = self._connects()
        self.connects += 1
        self.is_synced, self._indexed, self._asked = False, None, 0
        if self.wanted:
            self.wanted, self.cv = {}, None
        for change in self.sent.values():
            change["waits"] = True
        self._say("init", json.dumps({
            "name": BUCKET, "clientid": self.client, "api": "1.1", "token": self.token,
            "app_id": "app", "library": "editor", "version": "1.0"}))

    def _receive(self, text: str) -> None:
        if text.startswith("h:"):
            self._beats = int(text[2:])
        elif text.startswith("0:auth:expired") or text.startswith("0:auth:{"):
            # This token is worth nothing any more.
            self.token = secrets.token_hex(16)
            raise ConnectionError(text)
        elif text == "0:c:?":
            self._index()
        elif text == "0:index":
            self._say("index", json.dumps({
                "current": self.cv or "",
                "index": [{"id": key, "v": version} for key, (version, _) in self.ghosts.items()],
                "pending": [{"id": key, "sv": change.get("sv"), "ccid": change["ccid"]}
                            for key, change in self.sent.items()], "extra": {}}))
        elif text.startswith("0:"):
            if text.startswith("0:auth:") and self.is_synced:
                return
            super()._receive(text)

    def _refuse(self, change: dict) -> None:
        if int(change["error"]) in (500, 503):
            # Not at once.
            raise ConnectionError("the server is in trouble")
        super()._refuse(change)

    def _take(self, change: dict) -> None:
        try:
            super()._take(change)
        except (ValueError, KeyError, TypeError, UnicodeDecodeError):
            # It does not apply: the whole object does.
            self._want(change["id"], change["ev"])

    def run(self, seconds: float) -> None:
        """Plays the script, each step until client and server are at rest."""
        deadline = time.monotonic() + seconds
        text = text_of(self._size, self._dice)
        # One large change of the client is enough; the index is large as well.
        told = text_of(min(self._size, 100_000), self._dice)
        steps = [
            lambda: None,
            lambda: self.edit("mine", {"text": text, "n": 1}),
            lambda: self._origin.change(BUCKET, "other", {"text": told, "n": 1}),
            lambda: self.edit("mine", {"text": text, "n": 2}),
            lambda: self._origin.change(BUCKET, "other", {"text": told, "n": 2}),
            lambda: self.edit("small", {"n": 3}),
            lambda: self.edit("small", {"n": 4}),
            lambda: self._origin.change(BUCKET, "other", {"text": "short", "n": 3}),
        ]
        for step in steps:
            step()
            self._beat()
            self.is_settled = self._rest(deadline)
            if not self.is_settled:
                break
        if self._socket:
            self._socket.close()
            self._socket = None

    def _beat(self) -> None:
        try:
            if self._socket:
                self._socket.send(f"h:{self._beats}")
        except (OSError, ConnectionClosedError):
            self._lost()

    def _rest(self, deadline: float) -> bool:
        """Until nothing more happens; whether there is time left."""
        heard, pause, mark = time.monotonic(), 0.2, None
        quiet = 0
        while time.monotonic() < deadline:
            was = self._socket
            before = len(self.taps[-1].received) if self.taps else 0
            try:
                self.pump(0.05)
            except (ConnectionError, TimeoutError):
                self._lost()
            except (ValueError, KeyError, IndexError, TypeError, AttributeError, AssertionError):
                self._lost()
                self.cv = None
            if self._socket is None:
                if was is not None:
                    was.abort()
                time.sleep(pause)
                pause = min(2, pause * 2)
                heard = time.monotonic()
                continue
            came = len(self.taps[-1].received)
            if came != before:
                heard, quiet = time.monotonic(), 0
            elif self.is_idle:
                quiet += 1
                if quiet >= 2 and (self._is_agreed() or quiet > 16):
                    return True
            elif time.monotonic() - heard > PATIENCE:
                self._lost()
        return False

    def _is_agreed(self) -> bool:
        return all(self._origin.data(BUCKET, key) == data for key, data in self.local.items()) \
            and all(key in self.local for key, versions in
                    list(self._origin.objects[BUCKET].items()) if versions[-1] is not None)

    def _lost(self) -> None:
        if self._socket:
            self._socket.abort()
        self._socket, self.is_synced = None, False
