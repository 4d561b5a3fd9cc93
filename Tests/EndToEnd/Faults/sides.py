"""What holds of the two sides of every trace, whatever was done to the traffic."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from programs import sql, tapedeck

# Tables whose rows have a side and a counterpart.
SIDED = ("any_exchange", "any_message", "any_command")
# What a rebuild gives again.
DECODED = ("any_exchange", "http_body", "part", "openrosa", "case_block", "frame", "any_message",
           "any_command", "any_change", "change_key", "note")


def disagreements(trace: Path) -> list[tuple]:
    """Rows of a finished trace that contradict each other, with what is wrong."""
    found: list[tuple] = []

    def none(what: str, query: str) -> None:
        found.extend((what, *row) for row in sql(trace, query))

    for table in SIDED:
        none(f"{table}: the same on both sides, or of one side alone",
             f"SELECT id, side, fate, counterpart_id FROM {table} WHERE (side = 'both') <> "
             "(fate = 'same') OR side = 'both' AND counterpart_id IS NOT NULL")
        none(f"{table}: a counterpart is of the other side and says so, too",
             f"SELECT a.id, a.side, a.fate, b.id, b.side, b.fate FROM {table} a "
             f"LEFT JOIN {table} b ON b.id = a.counterpart_id WHERE a.counterpart_id IS NOT NULL "
             "AND a.fate IN ('altered', 'late', 'lost') AND (b.id IS NULL OR b.side = a.side "
             "OR b.side = 'both' OR b.fate <> a.fate OR b.counterpart_id IS NOT a.id)")
        none(f"{table}: what is altered has a counterpart",
             f"SELECT id, side, fate FROM {table} WHERE fate IN ('altered', 'late') "
             "AND counterpart_id IS NULL")
        none(f"{table}: what is repeated was there before",
             f"SELECT a.id, a.side, b.id, b.side FROM {table} a LEFT JOIN {table} b "
             "ON b.id = a.counterpart_id WHERE a.fate = 'repeated' AND (b.id IS NULL "
             "OR b.side NOT IN ('both', a.side))")
    none("a message is lost on the side of its sender, and comes out of nothing on the other",
         "SELECT id, sender, side, fate FROM any_message WHERE fate = 'lost' AND (side = 'client') "
         "<> (sender = 0) OR fate IN ('repeated', 'synthesized') AND (side = 'client') <> "
         "(sender = 1)")
    none("a command has the side of its message",
         "SELECT c.id, c.side, m.side FROM any_command c JOIN any_message m ON m.id = c.message_id "
         "WHERE c.side <> m.side OR c.fate <> m.fate")
    none("a change has the side of its command",
         "SELECT h.id, h.side, c.side FROM any_change h JOIN any_command c ON c.id = h.command_id "
         "WHERE h.side <> c.side OR h.fate <> c.fate")
    none("a message belongs to an exchange of its side",
         "SELECT m.id, m.side, x.id, x.side FROM any_message m LEFT JOIN any_exchange x "
         "ON x.id = m.exchange_id WHERE x.id IS NULL OR x.side NOT IN ('both', m.side) "
         "AND m.side <> 'both'")
    none("content has a body on whatever side it is",
         "SELECT x.id, x.side, x.fate, x.request_size, b.id FROM any_exchange x "
         "LEFT JOIN http_body b ON b.id = 2 * x.id WHERE x.request_size > 0 AND b.id IS NULL")
    none("a form was sent and received",
         "SELECT x.id, x.side, x.fate FROM any_exchange x JOIN openrosa o "
         "ON o.exchange_id = x.counterpart_id AND o.sender = 0 WHERE x.fate IN ('lost', 'late') "
         "AND NOT EXISTS (SELECT 1 FROM openrosa p WHERE p.exchange_id = x.id AND p.sender = 0)")
    none("a delivery is within its chunk, and not before it",
         'SELECT d.id, d."offset", d.count, d.at_ns, length(c.bytes), c.at_ns, c.origin '
         "FROM delivery d LEFT JOIN chunk c ON c.id = d.chunk_id WHERE c.id IS NULL "
         'OR d."offset" < 0 OR d.count < 1 OR d."offset" + d.count > length(c.bytes) '
         "OR d.at_ns < c.at_ns")
    none("deliveries are in order",
         "SELECT a.id, b.id FROM delivery a JOIN delivery b ON b.chunk_id = a.chunk_id "
         'AND b.id > a.id WHERE b."offset" < a."offset" + a.count')
    none("patches are in order and within their chunk",
         'SELECT p.id, p."offset", p.removed, length(c.bytes) FROM patch p LEFT JOIN chunk c '
         'ON c.id = p.chunk_id WHERE c.id IS NULL OR p."offset" + p.removed > length(c.bytes) '
         "OR EXISTS (SELECT 1 FROM patch q WHERE q.chunk_id = p.chunk_id AND q.id < p.id "
         'AND q."offset" + q.removed > p."offset")')
    none("a fault names a row of the peer whose bytes it was done to",
         "SELECT f.id, f.action, f.sender, f.exchange_id, x.side FROM intervention f JOIN any_exchange x "
         "ON x.id = f.exchange_id WHERE f.message_id IS NULL AND x.side NOT IN "
         "('both', CASE f.sender WHEN 1 THEN 'server' ELSE 'client' END)")
    none("without a rule, what was answered by a server and the request for its tunnel are on both",
         "SELECT x.id, x.side, x.fate, x.method, x.status FROM any_exchange x "
         "WHERE x.side <> 'both' AND (x.api = 'connect' AND x.status = 200 "
         "OR x.is_local = 0 AND x.status IS NOT NULL) "
         "AND NOT EXISTS (SELECT 1 FROM fault_statement) AND NOT EXISTS (SELECT 1 FROM patch p "
         "JOIN chunk c ON c.id = p.chunk_id WHERE c.connection_id = x.connection_id "
         "AND p.reason = 'undelivered')")
    none("nothing is on the side of a server that was never connected",
         "SELECT x.id, x.side, x.method, x.path FROM any_exchange x WHERE x.side <> 'client' "
         "AND x.is_local = 0 AND x.api <> 'connect' AND x.status IS NULL "
         "AND EXISTS (SELECT 1 FROM leg l WHERE l.connection_id = x.connection_id AND l.peer = 1) "
         "AND NOT EXISTS (SELECT 1 FROM event e JOIN leg l ON l.id = e.leg_id "
         "WHERE l.connection_id = x.connection_id AND l.peer = 1 AND e.kind IN ('opened', 'joined'))"
         " AND (SELECT provenance FROM session WHERE id = x.session_id) = 'proxy'")
    return found


def rebuilt_differently(trace: Path, folder: Path) -> list[tuple]:
    """Rows that a rebuild of a copy of the trace makes otherwise than they were written."""
    again = folder / f"{trace.stem}-rebuilt.tape"
    with sqlite3.connect(trace) as source, sqlite3.connect(again) as copy:
        source.backup(copy)
    source.close()
    copy.close()
    tapedeck("rebuild", again)
    found: list[tuple] = []
    with sqlite3.connect(f"file:{again}", uri=True) as database:
        database.execute("ATTACH ? AS written", (f"file:{trace}?mode=ro",))
        for table in DECODED:
            for what, one, other in (("written", "written", "main"), ("rebuilt", "main", "written")):
                found.extend((table, what, *row) for row in database.execute(
                    f"SELECT * FROM {one}.{table} EXCEPT SELECT * FROM {other}.{table} LIMIT 3"))
    database.close()
    again.unlink()
    return found


def received(trace: Path, sender: int) -> bytes:
    """What the other peer got of what a sender sent, byte by byte, in the order of its coming."""
    pieces: list[tuple[int, int, int, bytes]] = []
    for number, at, data in sql(
            trace, "SELECT id, at_ns, bytes FROM chunk WHERE sender = ? ORDER BY id", sender):
        patches = {offset: (removed, inserted) for offset, removed, inserted in sql(
            trace, 'SELECT "offset", removed, inserted FROM patch WHERE chunk_id = ?', number)}
        came: list[int | None] = [at] * (len(data) + 1)
        for offset, count, later in sql(
                trace, 'SELECT "offset", count, at_ns FROM delivery WHERE chunk_id = ?', number):
            came[offset:offset + count] = [later] * count
            if offset + count == len(data):
                came[-1] = later
        place = 0
        while place <= len(data):
            removed, inserted = patches.get(place, (0, b""))
            piece = bytes(inserted) if place in patches else data[place:place + 1]
            if came[place] is not None and piece:
                pieces.append((came[place], number, place, piece))
            if place in patches and not removed:
                # What stands at the place of an insertion comes after it.
                del patches[place]
                pieces.extend([(came[place], number, place, data[place:place + 1])]
                              if came[place] is not None else [])
                removed = 1
            place += removed or 1
    return b"".join(piece for *_, piece in sorted(pieces, key=lambda each: each[:3]))


def texts(trace: Path, peer: str, sender: int) -> list[str]:
    """The texts of WebSockets on the side of a peer that a sender sent, in the order of their coming."""
    view = {"client": "message", "server": "server_message"}[peer]
    return [text for text, in sql(
        trace, f"SELECT payload FROM {view} WHERE sender = ? AND opcode = 1 ORDER BY ended_ns, id",
        sender)]
