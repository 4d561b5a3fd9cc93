"""Faults as tests cause them through a real proxy, and find them in its trace."""

from __future__ import annotations

import http.client
import json
import re
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from origins import HTTPOrigin
from peers import ScriptedCommCare, ScriptedSimperium
from programs import DEADLINE, ROOT, Recording, eventually
from serving import Client

SEED = 7
SOCKET = "/sock/1/app/websocket"
# The tests in which a client feels an action, by the name of the action.
FELT: dict[str, list[str]] = {}


def feels(*actions: str) -> Callable[[Callable], Callable]:
    """Says that a real client feels these actions in a test."""
    def mark(test: Callable) -> Callable:
        for action in actions:
            FELT.setdefault(action, []).append(test.__name__)
        return test
    return mark


def catalogue() -> list[str]:
    """All actions there are, as the documentation lists them."""
    text = (ROOT / "Sources/Faults/Faults.md").read_text()
    table = text.partition("<!-- actions -->")[2].partition("<!-- end -->")[0]
    return re.findall(r"^\| `([a-z-]+)` \|", table, re.M)


@dataclass(frozen=True)
class Fault:
    """A row of the view `fault`."""

    rule: str
    action: str
    sender: int | None
    scope: str
    occurrence: int
    draw: str
    came: bytes
    sent: bytes
    connection: int | None
    exchange: int | None
    command: int | None
    at_ns: int


def found(recording: Recording, rule: str = "") -> list[Fault]:
    """The faults in a trace, in order; of one rule, where it is named."""
    rows = recording.sql(
        "SELECT rule, action, sender, scope, occurrence, draw, came, sent, connection_id, "
        "exchange_id, command_id, at_ns FROM fault WHERE ? IN ('', rule) ORDER BY id", rule)
    return [Fault(*row) for row in rows]


def faults(recording: Recording, count: int = 1, rule: str = "") -> list[Fault]:
    """The faults in a trace as soon as there are `count`; never more."""
    def enough() -> list[Fault] | None:
        rows = found(recording, rule)
        return rows if len(rows) >= count else None

    rows = eventually(enough, f"{count} faults in the trace of {recording.said()}")
    assert len(rows) == count, rows
    for row in rows:
        assert 0 <= int(row.draw) < 1 << 64 and row.occurrence >= 1 and row.rule, row
    return rows


def fault(recording: Recording, action: str = "", occurrence: int = 1) -> Fault:
    """The only fault in a trace; it is that action, at that occurrence."""
    [row] = faults(recording)
    assert row.action.startswith(action), row
    assert row.occurrence == occurrence, row
    return row


@pytest.fixture(name="faulty")
def faulty_fixture(record: Callable[..., Recording]) -> Callable[..., Recording]:
    """Starts a proxy in front of a server, with rules."""
    def start(server: str, *rules: str, seed: int | None = SEED, more: tuple = (),
              **options) -> Recording:
        given = [word for rule in rules for word in ("--fault", rule)]
        seeded = [] if seed is None else ["--seed", str(seed)]
        return record("--quiet", "--to", server, *seeded, *given, *more, **options)

    return start


@pytest.fixture(name="web")
def web_fixture() -> Iterator[HTTPOrigin]:
    """A plain HTTP origin of this test alone."""
    started = HTTPOrigin()
    yield started
    started.close()


@pytest.fixture(name="commcare")
def commcare_fixture() -> Iterator[ScriptedCommCare]:
    """A CommCare server in Python."""
    started = ScriptedCommCare()
    yield started
    started.close()


@pytest.fixture(name="simperium")
def simperium_fixture() -> Iterator[ScriptedSimperium]:
    """A Simperium server in Python."""
    started = ScriptedSimperium()
    yield started
    started.close()


@pytest.fixture(name="dial")
def dial_fixture() -> Iterator[Callable[..., Client]]:
    """Connects a client of the `websockets` package through a proxy."""
    opened: list[Client] = []

    def start(deck: Recording, path: str = SOCKET, joins: bool = True, **options) -> Client:
        options.setdefault("close_timeout", 0.3)
        opened.append(Client(f"ws://{deck.address}{path}", **options))
        if joins:
            opened[-1].join()
        return opened[-1]

    yield start
    for each in opened:
        each.socket.close()


@dataclass(frozen=True)
class Answer:
    """What `http.client` made of an answer."""

    status: int
    fields: dict[str, str]
    body: bytes


def line(deck: Recording, timeout: float = DEADLINE,
         source: str = "127.0.0.1") -> http.client.HTTPConnection:
    """A connection of `http.client` to a proxy."""
    return http.client.HTTPConnection("127.0.0.1", deck.port, timeout=timeout,
                                      source_address=(source, 0))


def ask(over: Recording | http.client.HTTPConnection, path: str = "/", body: bytes | None = None,
        method: str = "", timeout: float = DEADLINE, **fields: str) -> Answer:
    """Asks with `http.client`, over a connection of its own unless one is given."""
    connection = over if isinstance(over, http.client.HTTPConnection) else line(over, timeout)
    try:
        connection.request(method or ("GET" if body is None else "POST"), path, body,
                           {name.replace("_", "-"): value for name, value in fields.items()})
        answer = connection.getresponse()
        return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()},
                      answer.read())
    finally:
        if connection is not over:
            connection.close()


class ControlLine(http.client.HTTPConnection):
    """HTTP over the Unix-domain socket beside a trace."""

    def __init__(self, trace: Path):
        super().__init__("localhost", timeout=DEADLINE)
        self.place = f"{trace}.control"

    def connect(self) -> None:
        """Connects to the socket."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(DEADLINE)
        self.sock.connect(self.place)


def control(deck: Recording, method: str, path: str, said: dict | None = None):
    """Asks the control interface of a running proxy; the answer as JSON."""
    wire = ControlLine(deck.trace)
    try:
        wire.request(method, path, None if said is None else json.dumps(said),
                     {"Content-Type": "application/json"})
        answer = wire.getresponse()
        text = answer.read()
        assert answer.status < 300, (answer.status, text)
        return json.loads(text) if text else None
    finally:
        wire.close()
