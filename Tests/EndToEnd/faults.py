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
    """A row of the view `fault`, and what it was done to as each side had it: a command or message,
    or for HTTP the chunk."""

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
        "SELECT f.rule, f.action, f.sender, f.scope, f.occurrence, f.draw, f.connection_id, "
        "f.exchange_id, f.command_id, f.at_ns, f.message_id, s.chunk_id, f.effect FROM intervention f "
        "JOIN fault_statement s ON s.id = f.id WHERE ? IN ('', f.rule) ORDER BY f.id", rule)
    faults = []
    for *row, message, chunk, effect in rows:
        came, sent = (b"", b"")
        if message is not None:
            came, sent = _messages(recording, message, row[8], row[2],
                                   "answered" in (effect or "").split())
        elif chunk is not None:
            came, sent = _chunks(recording, chunk)
        faults.append(Fault(*row[:6], came, sent, *row[6:]))
    return faults


def _messages(recording: Recording, message: int, command: int | None, sender: int,
              is_answered: bool) -> tuple[bytes, bytes]:
    """The text of a command, or of a message that has none, on the sender's side and the other."""
    texts = [b"", b""]
    what = "any_message" if command is None else "any_command"
    text = "CAST(payload AS BLOB)" if command is None else (
        "(SELECT CAST(coalesce(any_command.text, m.payload) AS BLOB) FROM any_message m "
        "WHERE m.id = any_command.message_id)")
    number = message if command is None else command
    for side, found in recording.sql(
            f"SELECT side, {text} FROM {what} WHERE id = ? OR id = (SELECT counterpart_id "
            f"FROM {what} WHERE id = ? AND fate IN ('altered', 'late'))", number, number):
        for index, name in enumerate(("server", "client") if sender else ("client", "server")):
            if side in ("both", name):
                texts[index] = found
    if not texts[1]:
        # What Tapedeck answered, or put in the place of the answer.
        answers = recording.sql(
            "SELECT CAST(a.payload AS BLOB) FROM any_message m JOIN any_message a "
            "ON a.connection_id = m.connection_id AND a.id > m.id AND a.side = 'client' "
            "AND a.sender <> m.sender AND a.fate IN ('synthesized', 'altered') "
            "WHERE m.id = ? ORDER BY a.id LIMIT 1", message)
        texts[1] = answers[0][0] if answers and is_answered else b""
    return texts[0], texts[1]


def _chunks(recording: Recording, chunk: int) -> tuple[bytes, bytes]:
    """A chunk, and what went on in its place: what Tapedeck made where that was nothing."""
    [(came, connection, origin)] = recording.sql(
        "SELECT bytes, connection_id, origin FROM chunk WHERE id = ?", chunk)
    if origin == 1:
        return b"", came
    if recording.sql("SELECT 1 FROM delivery WHERE chunk_id = ? AND at_ns IS NULL", chunk):
        made = recording.sql("SELECT bytes FROM chunk WHERE id > ? AND connection_id = ? AND origin = 1 "
                             "ORDER BY id LIMIT 1", chunk, connection)
        return came, made[0][0] if made else b""
    sent = bytearray(came)
    for offset, removed, inserted in recording.sql(
            'SELECT "offset", removed, inserted FROM patch WHERE chunk_id = ? AND reason = \'fault\' '
            "ORDER BY id DESC", chunk):
        sent[offset:offset + removed] = inserted
    return came, bytes(sent)


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
