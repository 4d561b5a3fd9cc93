"""Proves: the same bytes are decoded alike wherever they come from.

What a proxy decoded live, what a rebuild makes of the stored bytes, and what an import makes of the
same bytes as packets, which have no boundaries of messages and no proxy that could have helped, are
the same rows: all columns but numbers, times and places.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from programs import sql, tapedeck
from recorded_sessions import SESSIONS, Session
from test_bytes import SCRIPTS, SWITCH, UPGRADE, masked, unmasked
from wire import CLIENT, SERVER, Conversation, Step, client, server

OK = "HTTP/1.1 200 OK\nContent-Length: 2\n\nok"
HELLO = "HTTP/1.1 100 Continue\n\n"

# What peers of HTTP get wrong, and what is rare.
ODD: dict[str, list[Step]] = {
    "more body than announced": [
        client("POST /form HTTP/1.1\nHost: app.example\nContent-Length: 3\n\nabcdef\n"),
        server(OK, ends=True),
    ],
    "more body than announced, and another request": [
        client("POST /form HTTP/1.1\nHost: app.example\nContent-Length: 3\n\nabc\n"
               "GET /next HTTP/1.1\nHost: app.example\n\n"),
        server(OK + OK),
    ],
    "the answer comes before the request is whole": [
        client("POST /form HTTP/1.1\nHost: app.example\nContent-Length: 10\n\nabc"),
        server("HTTP/1.1 413 Too Large\nContent-Length: 0\nConnection: close\n\n", ends=True),
    ],
    "continue": [
        client("POST /form HTTP/1.1\nHost: app.example\nExpect: 100-continue\n"
               "Content-Length: 3\n\n"),
        server(HELLO), client("abc"), server(OK),
    ],
    "to a HEAD, a 204 and a 304": [
        client("HEAD /1 HTTP/1.1\nHost: app.example\n\n"),
        server("HTTP/1.1 200 OK\nContent-Length: 900\n\n"),
        client("GET /2 HTTP/1.1\nHost: app.example\n\n"),
        server("HTTP/1.1 204 No Content\n\n"),
        client("GET /3 HTTP/1.1\nHost: app.example\n\n"),
        server("HTTP/1.1 304 Not Modified\nContent-Length: 7\n\n"),
    ],
    "until the connection ends": [
        client("GET / HTTP/1.0\nHost: app.example\n\n"),
        server("HTTP/1.0 200 OK\nContent-Type: text/plain\n\nall of this", ends=True),
    ],
    "a chunk that is none": [
        client("GET / HTTP/1.1\nHost: app.example\n\n"),
        server("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n3\nabc\nxyz\n", ends=True),
    ],
    "a request cut in its body": [
        client("POST /form HTTP/1.1\nHost: app.example\nContent-Length: 10\n\nabc", ends=True),
        server("HTTP/1.1 400 Bad Request\nContent-Length: 0\n\n", ends=True),
    ],
    "nobody answers": [
        client("GET / HTTP/1.1\nHost: app.example\n\n", ends=True),
        server(b"", ends=True),
    ],
}
ALL = {**SCRIPTS, **ODD}

# Numbers, times and places differ, and whom a proxy talks to is not in the packets.
IGNORED = ("id", "offset", "host", "port", "scheme", "person", "device", "app", "client", "is_local")
SUFFIXES = ("_id", "_ns", "_offset")
TABLES = ("http_exchange", "body", "part", "openrosa", "case_block", "message", "frame", "command",
          "change")


def decoded(trace: Path, table: str) -> list[str]:
    """The rows of a table without numbers, times and places."""
    columns = [row[1] for row in sql(trace, f"PRAGMA table_info({table})")]
    kept = [f'"{name}"' for name in columns if name not in IGNORED and not name.endswith(SUFFIXES)]
    as_bytes = [f"CAST({name} AS BLOB)" if name in ('"payload"', '"content"', '"head"') else name
                for name in kept]
    return sorted(map(repr, sql(trace, f"SELECT {', '.join(as_bytes)} FROM {table}")))


def compare(trace: Path, folder: Path) -> None:
    """Decodes a trace again in both ways."""
    rebuilt, packets, imported = (folder / name for name in ("b.tape", "c.pcapng", "c.tape"))
    shutil.copy(trace, rebuilt)
    tapedeck("rebuild", rebuilt)
    tapedeck("export", trace, packets)
    tapedeck("import", packets, imported)
    for table in TABLES:
        live = decoded(trace, table)
        assert decoded(rebuilt, table) == live, f"{table}, rebuilt"
        assert decoded(imported, table) == live, f"{table}, imported"


@pytest.mark.parametrize("pieces", [0, 7])
@pytest.mark.parametrize("name", ALL)
def test_conversations(record, tmp_path: Path, name: str, pieces: int) -> None:
    script = [Step(step.sender, step.data.replace(b"AUTHORITY", b"app.example:81"), step.ends)
              for step in ALL[name]]
    conversation = Conversation()
    proxy = record("--to", f"http://{conversation.server_address}", "--keep-host")
    conversation.play(script, proxy.port, pieces)
    proxy.finish()
    compare(proxy.trace, tmp_path)


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session.name)
def test_recordings(session: Session, tmp_path: Path) -> None:
    trace = tmp_path / "a.tape"
    tapedeck("import", session.folder, trace)
    compare(trace, tmp_path)



def unfinished(text: bytes) -> Step:
    """The client sends what does not arrive."""
    return Step(CLIENT, b"", sent=text)


GET = "GET /{} HTTP/1.1\nHost: app.example\n\n"
SOCKET = [client(UPGRADE.replace("AUTHORITY", "app.example")), server(SWITCH)]
FAULTED: dict[str, tuple[str, list[Step]]] = {
    "a request is dropped": ("path:/2 => drop", [
        client(GET.format(1)), server(OK), unfinished(GET.format(2).replace("\n", "\r\n").encode())]),
    "an answer has another field": ("path:/1 => set-header X-A b", [
        client(GET.format(1)),
        Step(SERVER, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b\r\n\r\nok",
             sent=b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
        client(GET.format(2)), server(OK)]),
    "an answer is late": ("path:/1 => latency 20ms", [
        client(GET.format(1)), server(OK), client(GET.format(2)), server(OK)]),
    "a command is dropped": ("command:cv => drop", [
        *SOCKET, unfinished(masked(1, b"0:cv:a")), client(masked(1, b"h:0")), server(unmasked(1, b"h:1"))]),
    "a command is another": ("command:h sender:server => wrong-heartbeat by=5", [
        *SOCKET, client(masked(1, b"h:0")), Step(SERVER, unmasked(1, b"h:6"), sent=unmasked(1, b"h:1")),
        client(masked(1, b"h:2"))]),
}


def of_side(trace: Path, table: str, which: str) -> list[str]:
    """The rows of one side, or of one connection."""
    columns = [name for name in (row[1] for row in sql(trace, f"PRAGMA table_info({table})"))
               if name not in IGNORED and not name.endswith(SUFFIXES)
               and name not in ("side", "fate")]
    chosen = ", ".join(f't."{name}"' for name in columns)
    return [repr(row) for row in sql(trace, f"SELECT {chosen} FROM {table} t WHERE {which} "
                                            "ORDER BY t.id")]


@pytest.mark.parametrize("name", FAULTED)
def test_both_sides(record, tmp_path: Path, name: str) -> None:
    """Where the sides differ, each is exported as a connection of its own, and decoded from its
    bytes alone it is what was decoded beside the other."""
    rule, script = FAULTED[name]
    conversation = Conversation()
    proxy = record("--to", f"http://{conversation.server_address}", "--keep-host", "--fault", rule)
    conversation.play(script, proxy.port)
    # What is dropped last leaves nothing to wait for but this.
    proxy.eventually_sql("SELECT id FROM fault WHERE problem IS NULL")
    proxy.finish()
    packets, imported = tmp_path / "c.pcapng", tmp_path / "c.tape"
    tapedeck("export", proxy.trace, packets)
    tapedeck("import", packets, imported)
    for number, side in ((1, "client"), (2, "server")):
        for table in ("any_exchange", "any_message"):
            own = of_side(proxy.trace, table, f"t.side IN ('both', '{side}')")
            assert of_side(imported, table, f"t.connection_id = {number}") == own, (table, side)
        own = of_side(proxy.trace, "any_command", f"t.side IN ('both', '{side}')")
        assert of_side(imported, "any_command", "EXISTS (SELECT 1 FROM any_message m WHERE "
                       f"m.id = t.message_id AND m.connection_id = {number})") == own
