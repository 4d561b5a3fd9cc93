"""Several Simperium clients that edit the same objects at the same time, and their server."""

from __future__ import annotations

import json
import os
import random
import selectors
import socket
import time

from frames import Frames, frame

OBJECTS, CLIENTS = 1_000, 4
# Changes of one client that may be unanswered.
WINDOW = 48
# One change of so many is sent twice; the server refuses the second as a duplicate.
REPEATED = 97
HANDSHAKE = (b"GET /sock/1/bench/websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\n"
             b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
             b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
WELCOME = (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")


def pack(value: object) -> bytes:
    """JSON as Simperium sends it."""
    return json.dumps(value, separators=(",", ":")).encode()


class Peer:
    """One end of a WebSocket, read and written without waiting."""

    def __init__(self, connection: socket.socket, key: bytes) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setblocking(False)
        self.connection, self.key = connection, key
        self.frames, self.head, self.out = Frames(), b"", bytearray()
        self.is_open = False

    def send(self, text: bytes) -> None:
        """Queues a message."""
        self.out += frame(text, self.key)

    def receive(self) -> list[bytes]:
        """The messages that have arrived; the head of the upgrade is passed over."""
        try:
            data = self.connection.recv(262_144)
        except BlockingIOError:
            return []
        if not self.is_open:
            self.head += data
            head, found, data = self.head.partition(b"\r\n\r\n")
            if not found:
                return []
            self.is_open = True
        return self.frames.feed(data)

    def flush(self) -> None:
        """Writes as much as the socket takes."""
        if self.out:
            try:
                del self.out[:self.connection.send(self.out)]
            except BlockingIOError:
                pass


class Server:
    """Accepts each change, on whatever version it is based, and tells all clients."""

    def __init__(self) -> None:
        self.peers: list[Peer] = []
        self.versions: dict[str, int] = {}
        self.known: set[str] = set()
        self.count = 0

    def cv(self) -> str:
        """The change version of the last change."""
        return f"{self.count:024x}"

    def take(self, peer: Peer, text: bytes) -> None:
        """Answers one message."""
        if text.startswith(b"0:c:"):
            self.change(peer, json.loads(text[4:]))
        elif text.startswith(b"0:init:"):
            peer.send(b"0:auth:user@example.org")
        elif text.startswith(b"0:i:"):
            peer.send(b"0:i:" + pack({"index": [], "current": self.cv()}))
        elif text.startswith(b"0:cv:"):
            peer.send(b"0:c:[]")

    def change(self, peer: Peer, change: dict) -> None:
        """Takes a change; one that is known is refused."""
        ccid, key = change.pop("ccid"), change["id"]
        if ccid in self.known:
            peer.send(b"0:c:" + pack([{"ccids": [ccid], "clientid": change["clientid"], "id": key,
                                       "error": 409}]))
            return
        self.known.add(ccid)
        self.count += 1
        version = self.versions.get(key, 0)
        self.versions[key] = version + 1
        # The members of the clients are their own, so a diff is right on any version.
        change |= {"ccids": [ccid], "ev": version + 1, "cv": self.cv()}
        if version:
            change["sv"] = version
        wire = frame(b"0:c:" + pack([change]))
        for each in self.peers:
            each.out += wire


class Client:
    """Edits its own member of each of the shared objects, one change of an object at a time."""

    def __init__(self, peer: Peer, number: int) -> None:
        self.peer, self.name = peer, f"bench-{number}"
        self.member = f"by{number}"
        self.random = random.Random(number)
        self.versions: dict[str, int] = {}
        self.written: set[str] = set()
        # Unanswered changes by object.
        self.waiting: dict[str, str] = {}
        self.cv, self.sent, self.answered, self.received = "", 0, 0, 0
        self.is_ready = False

    def begin(self) -> None:
        """Opens the bucket."""
        self.peer.out += HANDSHAKE
        self.peer.send(b"0:init:" + pack({
            "name": "notes", "clientid": self.name, "app_id": "bench", "api": "1.1",
            "token": "t", "library": "bench", "version": "1"}))

    def take(self, text: bytes) -> None:
        """Follows one message of the server."""
        self.received += 1
        if text.startswith(b"0:auth:"):
            self.peer.send(b"0:i::::500")
        elif text.startswith(b"0:i:"):
            self.cv, self.is_ready = json.loads(text[4:])["current"], True
        elif text.startswith(b"0:c:"):
            for change in json.loads(text[4:]):
                if "error" in change:
                    self.peer.send(b"0:cv:" + self.cv.encode())
                    continue
                key = change["id"]
                self.cv, self.versions[key] = change["cv"], change["ev"]
                if self.waiting.get(key) == change["ccids"][0]:
                    del self.waiting[key]
                    self.answered += 1

    def edit(self, key: str) -> None:
        """Sends a change of an object that has no unanswered one."""
        ccid = f"{self.random.getrandbits(128):032x}"
        number = f"{self.sent:08d}"
        diff = {"o": "d", "v": f"=33\t-8\t+{number}"}
        if key not in self.written:
            self.written.add(key)
            diff = {"o": "+", "v": f"some text that was typed, number {number}"}
        change = {"clientid": self.name, "id": key, "o": "M", "ccid": ccid,
                  "v": {self.member: diff}}
        if version := self.versions.get(key):
            change["sv"] = version
        self.waiting[key] = ccid
        text = b"0:c:" + pack(change)
        self.sent += 1
        for _ in range(2 if self.sent % REPEATED == 0 else 1):
            self.peer.send(text)

    def go_on(self, most: int) -> int:
        """Sends at most so many changes; the number sent."""
        before = self.sent
        while self.is_ready and self.sent - before < most and len(self.waiting) < WINDOW:
            # The first client makes the objects, the others edit what there is.
            key = f"note-{self.sent:04d}"
            if self.sent >= OBJECTS or self.member != "by0":
                if not self.versions:
                    break
                key = f"note-{self.random.randrange(len(self.versions)):04d}"
            if key in self.waiting:
                break
            self.edit(key)
        return self.sent - before


def run(listener: socket.socket, port: int, commands: int, rate: float | None = None) -> float:
    """Lets the clients edit through the proxy on `port` until there were so many commands.

    - `listener`: where the proxy finds the server.
    - `rate`: commands per second, of both sides; as fast as possible if not given.
    - Returns: the seconds that it took.
    """
    server, clients = Server(), []
    selector = selectors.DefaultSelector()
    listener.setblocking(True)
    for number in range(CLIENTS):
        client = Client(Peer(socket.create_connection(("127.0.0.1", port)), os.urandom(4)), number)
        client.begin()
        client.peer.flush()
        clients.append(client)
        accepted, _ = listener.accept()
        peer = Peer(accepted, b"")
        peer.out += WELCOME
        server.peers.append(peer)
        selector.register(client.peer.connection, selectors.EVENT_READ, client)
        selector.register(accepted, selectors.EVENT_READ, peer)
    # Each change is sent once and received by every client.
    changes = commands // (CLIENTS + 1)
    began, sent = time.monotonic(), 0
    while True:
        due = changes
        if rate:
            due = min(changes, int((time.monotonic() - began) * rate / (CLIENTS + 1)))
        for client in clients:
            sent += client.go_on(min(16, max(0, due - sent)))
        for peer in [*server.peers, *(client.peer for client in clients)]:
            peer.flush()
        if sent >= changes and all(
                not client.waiting and client.received >= changes for client in clients):
            break
        if time.monotonic() - began > 1_200:
            raise RuntimeError(f"{sent} of {changes} changes were sent")
        for ready, _ in selector.select(0.002):
            who = ready.data
            if isinstance(who, Client):
                for text in who.peer.receive():
                    who.take(text)
            else:
                for text in who.receive():
                    server.take(who, text)
    took = time.monotonic() - began
    for peer in [*server.peers, *(client.peer for client in clients)]:
        peer.connection.close()
    return took
