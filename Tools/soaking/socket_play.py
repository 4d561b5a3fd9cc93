"""Plays a script over real sockets through a proxy, and says what is not as it has to be."""

from __future__ import annotations

import random
import select
import socket
import ssl
import struct
import time
from dataclasses import dataclass, field

from socket_scripts import CLIENT, NESTED, SERVER, TUNNEL, Script, Step

# Far more than any step takes; what is not there by then does not come.
DEADLINE = 20.0


class Wrong(Exception):
    """Something is not as it has to be."""


@dataclass
class End:
    """One end of a conversation: its socket, and what it has sent and received."""

    name: str
    connection: socket.socket | None = None
    sent: bytearray = field(default_factory=bytearray)
    received: bytearray = field(default_factory=bytearray)
    # What has to have been received by now.
    due: bytearray = field(default_factory=bytearray)
    # How the other side ended: nothing yet, "end" or "reset".
    over: str = ""

    def read(self) -> bool:
        """Takes what is there; whether anything happened."""
        if self.connection is None or self.over:
            return False
        happened = False
        while True:
            try:
                data = self.connection.recv(65536)
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError, InterruptedError):
                return happened
            except (OSError, ValueError):
                self.over = "reset"
                return True
            if not data:
                self.over = "end"
                return True
            self.received += data
            happened = True

    def close(self, resets: bool = False) -> None:
        """Hangs up, by a reset if told so."""
        if self.connection is None:
            return
        if resets:
            try:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                           struct.pack("ii", 1, 0))
            except OSError:
                pass
        self.connection.close()
        self.connection = None
        self.over = self.over or "own"


class Play:
    """One conversation."""

    def __init__(self, script: Script, dice: random.Random, proxy: tuple[str, int],
                 listener: socket.socket | None, target: str, source: str,
                 client_tls: ssl.SSLContext | None, server_tls: ssl.SSLContext | None,
                 second: str = ""):
        self.second = second
        # What the second proxy says in the name of the server.
        self.before_server = b""
        self.script, self.dice, self.proxy = script, dice, proxy
        self.listener, self.target, self.source = listener, target, source
        self.client_tls, self.server_tls = client_tls, server_tls
        self.ends = {CLIENT: End(CLIENT), SERVER: End(SERVER)}
        # The answer of a proxy to CONNECT, which belongs to nobody.
        self.preface = b""

    def run(self) -> None:
        """Plays everything, and raises what is wrong."""
        try:
            self._connect()
            for number, step in enumerate(self.script.steps):
                try:
                    self._play(step)
                except Wrong as wrong:
                    raise Wrong(f"step {number} ({step.who} {step.what}): {wrong}") from None
            self._compare()
        finally:
            for end in self.ends.values():
                end.close()

    # The parts

    def _connect(self) -> None:
        client = self.ends[CLIENT]
        connection = socket.create_connection(self.proxy, DEADLINE, (self.source, 0))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.connection = connection
        is_tunnel = self.script.mode in (TUNNEL, NESTED)
        if self.script.mode == NESTED:
            if not self._tunnel(connection, self.second).startswith(b"HTTP/1.1 200"):
                raise Wrong(f"CONNECT to the second proxy was answered with {self.preface!r}")
        if is_tunnel:
            self.preface = self._tunnel(connection, self.target)
            if self.script.mode == NESTED:
                self.before_server = self.preface
            if self.script.is_refused:
                self.script.steps = [Step(CLIENT, "see-end")]
            elif not self.preface.startswith(b"HTTP/1.1 200"):
                raise Wrong(f"CONNECT was answered with {self.preface!r}")
        if self.client_tls and not (self.script.is_refused and is_tunnel):
            if is_tunnel:
                # The proxy connects with TLS, and shows its certificate when it has: accept meanwhile.
                connection.setblocking(False)
                wrapped = self.client_tls.wrap_socket(
                    connection, server_hostname="127.0.0.1", do_handshake_on_connect=False)
                client.connection = wrapped
                self._handshake(wrapped)
            else:
                client.connection = self.client_tls.wrap_socket(
                    connection, server_hostname="127.0.0.1")
        client.connection.setblocking(False)

    def _tunnel(self, connection: socket.socket, target: str) -> bytes:
        """Asks for a tunnel, and gives the head of the answer."""
        head = f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode()
        connection.sendall(head)
        self.ends[CLIENT].sent += head
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            byte = connection.recv(1)
            if not byte:
                raise Wrong(f"CONNECT was answered with {answer!r}")
            answer += byte
        return answer

    def _handshake(self, wrapped: ssl.SSLSocket) -> None:
        until = time.monotonic() + DEADLINE
        while time.monotonic() < until:
            try:
                wrapped.do_handshake()
                return
            except ssl.SSLWantReadError:
                waits = [wrapped]
            except ssl.SSLWantWriteError:
                waits = []
            except OSError as error:
                raise Wrong(f"no TLS with the proxy: {error}") from None
            if self.ends[SERVER].connection is None and self.listener:
                waits.append(self.listener)
            ready, _, _ = select.select(waits, [] if waits else [wrapped], [], 0.2)
            if self.listener in ready:
                self._accept()
        raise Wrong("no TLS with the proxy in time")

    def _accept(self) -> None:
        accepted, _ = self.listener.accept()
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        accepted.settimeout(DEADLINE)
        if self.server_tls:
            try:
                accepted = self.server_tls.wrap_socket(accepted, server_side=True)
            except OSError as error:
                accepted.close()
                raise Wrong(f"no TLS between proxy and server: {error}") from None
        accepted.setblocking(False)
        self.ends[SERVER].connection = accepted

    def _play(self, step: Step) -> None:
        end, other = self.ends[step.who], self.ends[SERVER if step.who == CLIENT else CLIENT]
        if end.connection is None and step.who == SERVER and self.listener:
            self._wait(lambda: end.connection is not None, "a connection to the server")
        if step.what == "send":
            self._send(end, step.sent)
            other.due += step.due
            if step.waits:
                self._wait(lambda: len(other.received) >= len(other.due) or other.over,
                           lambda: f"{len(other.due)} bytes at the {other.name}, which has "
                                   f"{len(other.received)}")
                self._check(other)
        elif step.what == "end":
            other.due += step.due
            end.connection.shutdown(socket.SHUT_WR)
        elif step.what in ("close", "reset"):
            end.close(step.what == "reset")
        elif step.what == "see-end":
            self._wait(lambda: end.over, lambda: f"the end at the {end.name}, which has "
                                                 f"{len(end.received)} bytes")

    def _send(self, end: End, data: bytes) -> None:
        sizes = self._pieces(len(data))
        at = 0
        for size in sizes:
            piece = data[at:at + size]
            at += size
            while piece:
                if end.connection is None:
                    raise Wrong(f"the {end.name} has no connection to send on")
                try:
                    count = end.connection.send(piece)
                except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
                    self._pump(0.05)
                    continue
                except OSError as error:
                    if self.script.is_cut or self.script.status:
                        return
                    raise Wrong(f"the {end.name} cannot send: {error}") from None
                end.sent += piece[:count]
                piece = piece[count:]
            self._pump(0)

    def _pieces(self, size: int) -> list[int]:
        """How writes are cut: whole, in a few, or down to a byte."""
        style = self.dice.choice(["whole", "few", "few", "tiny"])
        if style == "tiny" and size > 1500:
            style = "few"
        pieces = []
        while size > 0:
            most = {"whole": size, "few": max(1, size // 2), "tiny": 3}[style]
            pieces.append(self.dice.randint(1, most) if style != "whole" else size)
            size -= pieces[-1]
        return pieces

    def _pump(self, seconds: float) -> None:
        """Takes what comes on any socket."""
        waits = [end.connection for end in self.ends.values() if end.connection and not end.over]
        if self.listener and self.ends[SERVER].connection is None and not self.ends[SERVER].over:
            waits.append(self.listener)
        if any(isinstance(each, ssl.SSLSocket) and each.pending() for each in waits):
            seconds = 0
        ready, _, _ = select.select(waits, [], [], seconds)
        if self.listener in ready:
            self._accept()
        for end in self.ends.values():
            end.read()

    def _wait(self, holds, what) -> None:
        until = time.monotonic() + DEADLINE
        self._pump(0)
        while not holds():
            if time.monotonic() > until:
                said = what if isinstance(what, str) else what()
                raise Wrong(f"waited in vain for {said}")
            self._pump(0.2)

    # What has to hold

    def _check(self, end: End) -> None:
        """What was received so far is what was due so far."""
        other = self.ends[SERVER if end.name == CLIENT else CLIENT]
        # The start of a head that is cut goes on as it came.
        if self.script.is_cut and (end.due.startswith(end.received)
                                   or other.sent.startswith(end.received)):
            return
        if end.received != end.due:
            raise Wrong(f"the {end.name} has got other bytes: {difference(end.received, end.due)}")

    def _compare(self) -> None:
        if self.script.status:
            client = self.ends[CLIENT]
            got = self.preface + client.received
            if not got.startswith(b"HTTP/1.1 %d " % self.script.status):
                raise Wrong(f"the client has got {got[:200]!r} in place of a {self.script.status}")
            if self.ends[SERVER].received:
                raise Wrong(f"the server has got {bytes(self.ends[SERVER].received)[:200]!r}")
            return
        for end in self.ends.values():
            self._check(end)


def difference(got: bytes, due: bytes) -> str:
    """Where two byte strings part."""
    at = next((at for at, (a, b) in enumerate(zip(got, due)) if a != b), min(len(got), len(due)))
    return (f"{len(got)} for {len(due)}, from byte {at}: {bytes(got[max(0, at - 20):at + 40])!r} "
            f"for {bytes(due[max(0, at - 20):at + 40])!r}")
