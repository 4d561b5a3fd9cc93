"""What a trace says, compared with what the peers really had."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from fault_taps import Had, Head, Message, Tap, had

# Bytes of a body or payload that a row keeps.
KEPT = 1 << 20
DERIVED = ("any_exchange", "http_body", "part", "openrosa", "case_block", "frame", "any_message",
           "any_command", "any_change", "note")


def rows(trace: Path, query: str, *values) -> list[sqlite3.Row]:
    """Rows of a trace by the names of their columns."""
    database = sqlite3.connect(f"file:{trace}?mode=ro", uri=True, timeout=30)
    database.row_factory = sqlite3.Row
    try:
        return database.execute(query, values).fetchall()
    finally:
        database.close()


class Streams:
    """The bytes of one connection as its chunks, patches and deliveries have them."""

    def __init__(self, trace: Path, connection: int):
        patches: dict[int, list] = {}
        for row in rows(trace, 'SELECT p.* FROM patch p JOIN chunk c ON c.id = p.chunk_id '
                        'WHERE c.connection_id = ? ORDER BY p.id', connection):
            patches.setdefault(row["chunk_id"], []).append(row)
        late: dict[int, list] = {}
        for row in rows(trace, 'SELECT d.* FROM delivery d JOIN chunk c ON c.id = d.chunk_id '
                        'WHERE c.connection_id = ? ORDER BY d.id', connection):
            late.setdefault(row["chunk_id"], []).append(row)
        self.sent = [bytearray(), bytearray()]
        # What the sender sent, with the rewrites that count on both sides.
        self.sent_rewritten = [bytearray(), bytearray()]
        pieces: list[list[tuple[int, int, bytes]]] = [[], []]
        for chunk in rows(trace, "SELECT * FROM chunk WHERE connection_id = ? ORDER BY id",
                          connection):
            sender, number = chunk["sender"], chunk["id"]
            if chunk["origin"] == 0:
                self.sent[sender] += chunk["bytes"]
                rewrites = [row for row in patches.get(number, [])
                            if row["reason"] not in ("fault", "undelivered")]
                for _, piece in _forwarded(chunk, rewrites, []):
                    self.sent_rewritten[sender] += piece
            for at, piece in _forwarded(chunk, patches.get(number, []), late.get(number, [])):
                pieces[sender].append((at, number, piece))
        self.received = [bytearray(), bytearray()]
        for sender in (0, 1):
            for _, _, piece in sorted(pieces[sender], key=lambda each: each[0]):
                self.received[1 - sender] += piece


def _forwarded(chunk, patches: list, late: list) -> Iterator[tuple[int, bytes]]:
    """What went on of a chunk, in pieces with their times."""
    data, end = chunk["bytes"], len(chunk["bytes"])
    times: list[tuple[int, int, int | None]] = []
    position = 0
    for row in late:
        times.append((position, row["offset"], chunk["at_ns"]))
        times.append((row["offset"], row["offset"] + row["count"], row["at_ns"]))
        position = row["offset"] + row["count"]
    times.append((position, end, chunk["at_ns"]))

    def cut(start: int, stop: int) -> Iterator[tuple[int, bytes]]:
        for first, last, at in times:
            from_, to = max(first, start), min(last, stop)
            if from_ < to and at is not None:
                yield at, data[from_:to]

    def at_of(offset: int) -> int | None:
        for first, last, at in times:
            if first <= offset < last or offset == end == last and first < last:
                return at
        return chunk["at_ns"]

    position = 0
    for row in patches:
        yield from cut(position, row["offset"])
        at = at_of(row["offset"])
        if row["inserted"] and at is not None:
            yield at, row["inserted"]
        position = row["offset"] + row["removed"]
    yield from cut(position, end)


def difference(said: bytes, really: bytes) -> str:
    """Where two streams differ."""
    at = next((at for at, (one, two) in enumerate(zip(said, really)) if one != two),
              min(len(said), len(really)))
    return (f"{len(said)} bytes and not {len(really)}; from {at} on "
            f"{bytes(said[max(0, at - 20):at + 60])!r} and not "
            f"{bytes(really[max(0, at - 20):at + 60])!r}")


class Sides:
    """Check 1: each side of the trace has what its peer had."""

    def __init__(self, trace: Path, clients: list[Tap], servers: list[Tap], address: str):
        self.trace, self.clients, self.servers = trace, clients, servers
        # HOST:PORT of the server.
        self.address = address
        self.problems: list[str] = []
        self.strict = self.loose = 0
        self.exchanges = self.messages = 0

    def check(self) -> list[str]:
        """All differences."""
        legs = rows(self.trace, "SELECT l.id, l.connection_id FROM leg l WHERE l.peer = 1 "
                    "AND EXISTS (SELECT 1 FROM event e WHERE e.leg_id = l.id "
                    "AND e.kind = 'opened') "
                    "ORDER BY l.id")
        of_connection: dict[int, list[Tap]] = {}
        if len(legs) != len(self.servers):
            self.problems.append(f"{len(legs)} legs to servers, {len(self.servers)} connections "
                                 "there")
        for leg, tap in zip(legs, self.servers, strict=False):
            of_connection.setdefault(leg["connection_id"], []).append(tap)
        known = {row["client"]: row["id"] for row in
                 rows(self.trace, "SELECT id, client FROM connection")}
        for tap in self.clients:
            number = known.get(tap.address)
            if number is None:
                self.problems.append(f"no connection of {tap.address}")
                continue
            self._connection(number, tap, of_connection.get(number, []))
        for table in ("any_exchange", "any_message", "any_command"):
            self._counterparts(table)
        return self.problems

    def _counterparts(self, table: str) -> None:
        """Whether side, fate and counterpart of all rows suit each other."""
        sender = "0" if table == "any_exchange" else "sender"
        found = {row["id"]: row for row in rows(
            self.trace, f"SELECT id, side, fate, counterpart_id, {sender} AS sender FROM {table}")}
        for row in found.values():
            side, fate, number = row["side"], row["fate"], row["counterpart_id"]
            where = f"{table} {row['id']} ({side}, {fate}, counterpart {number})"
            if (side == "both") != (fate == "same") and not (
                    table == "any_command" and fate == "same"):
                self.problems.append(f"{where}: side and fate do not suit")
            if side == "both" and number is not None:
                self.problems.append(f"{where}: has a counterpart")
            if number is not None and number not in found:
                self.problems.append(f"{where}: no such counterpart")
            elif number is not None and fate in ("altered", "late"):
                other = found[number]
                if other["side"] in (side, "both") or other["counterpart_id"] != row["id"]:
                    self.problems.append(f"{where}: the counterpart has {other['side']}, "
                                         f"{other['fate']}, {other['counterpart_id']}")
            if table != "any_exchange" and fate in ("lost", "synthesized", "repeated"):
                own = ("client", "server")[row["sender"] if fate == "lost" else 1 - row["sender"]]
                if side != own:
                    self.problems.append(f"{where}: not on the {own}'s side")

    def _connection(self, number: int, client: Tap, servers: list[Tap]) -> None:
        effects = " ".join(row[0] or "" for row in rows(
            self.trace, "SELECT effect FROM fault WHERE connection_id = ?", number))
        is_cut = (client.is_broken or any(tap.is_broken for tap in servers)
                  or any(word in effects for word in ("ended", "stalled", "refused")))
        self.loose += is_cut
        self.strict += not is_cut
        streams = Streams(self.trace, number)
        joined = [b"".join(bytes(getattr(tap, way)) for tap in servers)
                  for way in ("received", "sent")]
        for what, said, really, is_sent in (
                ("client sent", streams.sent[0], client.sent, True),
                ("client received", streams.received[0], client.received, False),
                ("server received", streams.received[1], joined[0], False),
                ("server sent", streams.sent[1], joined[1], True)):
            said, really = bytes(said), bytes(really)
            shorter, longer = (said, really) if is_sent else (really, said)
            if said != really and not (is_cut and longer.startswith(shorter)):
                self.problems.append(f"bytes, connection {number}: {what} "
                                     f"{difference(said, really)}")
        self._rows(number, "", had(bytes(streams.sent_rewritten[0]), bytes(streams.received[0]),
                                   client.has_ended, True))
        self._rows(number, "server_", had(
            bytes(streams.received[1]), bytes(streams.sent_rewritten[1]),
            any(tap.has_ended for tap in servers), False))

    def _rows(self, number: int, side: str, truth: Had) -> None:
        name = side or "client_"
        found = rows(self.trace, f"""
            SELECT v.id, v.method, v.url, v.status, v.request_body, v.response_body, x.outcome,
              x.request_size, x.response_size, x.path, x.query, x.host || ':' || x.port AS server
            FROM {side}exchange v JOIN any_exchange x ON x.id = v.id
            WHERE v.connection_id = ? ORDER BY x.started_ns, x.request_chunk_id,
              x.request_offset, x.id""", number)
        where = f"{name}exchange, connection {number}"
        self.exchanges += len(found)
        if len(found) != len(truth.pairs):
            said = [(row["id"], row["method"], row["path"], row["status"]) for row in found]
            self.problems.append(
                f"{where}: {said} and not {[(one.first, two and two.status) for one, two in truth.pairs]}")
            return
        for row, (asked, said) in zip(found, truth.pairs):
            self._exchange(f"{where}, #{row['id']}", row, asked, said)
        self._messages(number, side, truth)

    def _exchange(self, where: str, row, asked: Head, said: Head | None) -> None:
        target = row["path"] + (f"?{row['query']}" if row["query"] is not None else "")
        self._same(where, "method", row["method"], asked.method)
        self._same(where, "target", target, asked.target)
        self._same(where, "server", row["server"], self.address)
        self._same(where, "status", row["status"], said.status if said else None)
        self._body(f"{where}, request", row["request_body"], row["request_size"], asked.body)
        if said:
            self._body(f"{where}, response", row["response_body"], row["response_size"], said.body)
        is_whole = asked.is_whole and said is not None and said.is_whole
        if said is not None and (row["outcome"] == "complete") != is_whole:
            self.problems.append(f"{where}: outcome {row['outcome']}, whole: {asked.is_whole} "
                                 f"{said and said.is_whole}")

    def _body(self, where: str, kept, size: int | None, body: bytes) -> None:
        if isinstance(kept, str):
            kept = kept.encode()
        kept = kept or b""
        if (size or 0) != len(body) or kept != body[:KEPT] and not (
                len(body) > KEPT and body.startswith(kept) and len(kept) > KEPT // 2):
            self.problems.append(f"{where}: size {size}, body {difference(kept, body[:KEPT])}")

    def _same(self, where: str, what: str, said, really) -> None:
        if said != really:
            self.problems.append(f"{where}: {what} {said!r} and not {really!r}")

    def _messages(self, number: int, side: str, truth: Had) -> None:
        name = side or "client_"
        is_client = not side
        for sender in (0, 1):
            real = truth.sent if (sender == 0) == is_client else truth.received
            found = rows(self.trace, f"SELECT * FROM {side}message WHERE connection_id = ? "
                         "AND sender = ? ORDER BY ended_ns, chunk_id, \"offset\"", number, sender)
            self.messages += len(found)
            if len(found) == len(real) + 1 and found[-1]["problem"]:
                # One that a cut left incomplete.
                found.pop()
            where = f"{name}message, connection {number}, of the {('client', 'server')[sender]}"
            said = [self._said(row) for row in found]
            if len(said) != len(real) or any(
                    not _is_same(one, two) for one, two in zip(said, real)):
                at = next((at for at, (one, two) in enumerate(zip(said, real))
                           if not _is_same(one, two)), min(len(said), len(real)))
                numbers = [row["id"] for row in found]
                self.problems.append(
                    f"{where}: {len(said)} and not {len(real)}; from m{numbers[at:at + 1]} on "
                    f"{[f'{one[0]}:{one[1]} {one[2][:40]!r}' for one in said[at:at + 3]]} and not "
                    f"{[str(each) for each in real[at:at + 3]]}")
            else:
                self._commands(side, where, found, real)

    @staticmethod
    def _said(row) -> tuple[int, int, bytes]:
        payload = row["payload"]
        if isinstance(payload, str):
            payload = payload.encode()
        return row["opcode"], row["size"], payload or b""

    def _commands(self, side: str, where: str, found: list, real: list[Message]) -> None:
        for row, message in zip(found, real):
            if message.opcode != 1:
                continue
            text = message.payload.decode()
            channel, _, rest = text.partition(":")
            if not channel.isdigit():
                continue
            verb, _, payload = rest.partition(":")
            said = rows(self.trace, f"SELECT channel, name, payload FROM {side}command "
                        "WHERE message_id = ?", row["id"])
            if len(said) != 1 or said[0]["channel"] != int(channel) or said[0]["name"] != verb or \
                    said[0]["payload"] != payload[:len(said[0]["payload"] or "")]:
                self.problems.append(f"{where}, m{row['id']}: commands "
                                     f"{[tuple(each)[:2] for each in said]} and not {text[:60]!r}")


def _is_same(said: tuple[int, int, bytes], real: Message) -> bool:
    return (said[0] == real.opcode and said[1] == len(real.payload)
            and (said[2] == real.payload if len(real.payload) <= KEPT
                 else real.payload.startswith(said[2]) and len(said[2]) > KEPT // 2))


def compare(one: Path, two: Path, names: tuple[str, ...] = DERIVED) -> list[str]:
    """The tables in which two traces have other rows."""
    problems = []
    for name in names:
        left = [tuple(row) for row in rows(one, f"SELECT * FROM {name} ORDER BY id")]
        right = [tuple(row) for row in rows(two, f"SELECT * FROM {name} ORDER BY id")]
        if left != right:
            differing = [pair for pair in zip(left, right) if pair[0] != pair[1]]
            columns = rows(one, f"SELECT name FROM pragma_table_info('{name}')")
            shown = ""
            if differing:
                shown = ", ".join(
                    f"{column['name']}: {a!r:.60} and {b!r:.60}" for column, a, b in
                    zip(columns, *differing[0]) if a != b)
                shown = f"row {differing[0][0][0]}: {shown}"
            problems.append(f"{name}: {len(left)} and {len(right)} rows, {len(differing)} differ; "
                            f"{shown}")
    return problems
