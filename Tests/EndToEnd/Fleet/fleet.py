"""What a fleet's database has to have of a trace: each row of each table, once, byte for byte."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from clickhouse import ClickHouse
from programs import DEADLINE, tapedeck

TABLES = ("session", "connection", "leg", "chunk", "patch", "delivery", "event", "gap", "mark",
          "note", "any_exchange", "http_body", "part", "openrosa", "case_block", "any_message",
          "frame", "any_command", "any_change", "fault_statement", "fault_verdict",
          "finding_statement", "undecided_statement")
# Bytes that stand in chunks, or beside the exchange.
DROPPED = {("http_body", "head"), ("http_body", "content")}
ESCAPES = {ord("b"): 8, ord("f"): 12, ord("r"): 13, ord("n"): 10, ord("t"): 9, ord("0"): 0}
Row = tuple[bytes | None, ...]


def plain(value: object) -> bytes | None:
    """A value of SQLite as ClickHouse's text has it."""
    if value is None:
        return None
    return value if isinstance(value, bytes) else str(value).encode()


def unescaped(text: bytes) -> bytes | None:
    """A value in the format TabSeparated."""
    if text == b"\\N":
        return None
    if b"\\" not in text:
        return text
    made, index = bytearray(), 0
    while index < len(text):
        if text[index] == 0x5C:
            index += 1
            made.append(ESCAPES.get(text[index], text[index]))
        else:
            made.append(text[index])
        index += 1
    return bytes(made)


def columns(trace: Path, table: str) -> list[str]:
    """The columns of a table of the trace that a fleet has."""
    database = sqlite3.connect(f"file:{trace}?mode=ro", uri=True, timeout=DEADLINE)
    names = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
    database.close()
    return [name for name in names if (table, name) not in DROPPED]


def stored(trace: Path, table: str) -> list[Row]:
    """The rows of a table of a trace, in the order of their numbers."""
    names = columns(trace, table)
    database = sqlite3.connect(f"file:{trace}?mode=ro", uri=True, timeout=DEADLINE)
    database.text_factory = bytes
    listed = ", ".join(f'"{name}"' for name in names)
    rows = [tuple(plain(value) for value in row)
            for row in database.execute(f'SELECT {listed} FROM {table} ORDER BY "{names[0]}"')]
    database.close()
    return rows


def shipped(server: ClickHouse, database: str, recorder: str, trace: Path, table: str,
            suffix: str = "") -> list[Row]:
    """The rows that the fleet has of a recorder, without FINAL: one that is there twice is twice."""
    names = columns(trace, table)
    listed = ", ".join(f"`{name}`" for name in names)
    answer = server.answer(f"SELECT {listed} FROM {database}.{table}{suffix} WHERE recorder = '{recorder}' "
                           f"ORDER BY `{names[0]}` FORMAT TabSeparated")
    return [tuple(unescaped(value) for value in line.split(b"\t"))
            for line in answer.split(b"\n")[:-1]]


def recorder_of(trace: Path) -> str:
    """The identity that shipping gave the trace."""
    ledger = sqlite3.connect(f"file:{trace}.ship?mode=ro", uri=True, timeout=DEADLINE)
    try:
        return ledger.execute("SELECT value FROM fact WHERE name = 'recorder'").fetchone()[0]
    finally:
        ledger.close()


def check_equal(server: ClickHouse, database: str, trace: Path, rows_of: Path | None = None,
                tables: tuple[str, ...] = TABLES, suffix: str = "") -> int:
    """Fails unless the fleet, or a server of it, has exactly the rows of a trace; returns how many there are."""
    recorder = recorder_of(trace)
    count = 0
    for table in tables:
        there = shipped(server, database, recorder, trace, table, suffix)
        here = stored(rows_of or trace, table)
        assert len(there) == len(here), f"{table}: {len(there)} shipped, {len(here)} recorded"
        for mine, theirs in zip(here, there):
            assert mine == theirs, f"{table}: {mine} became {theirs}"
        count += len(here)
    return count


def ship(trace: Path, server: ClickHouse, database: str, *more: str | Path, status: int = 0):
    """Ships a trace as it was recorded."""
    return tapedeck("ship", trace, "--to", server.url(database), "--no-redact", *more,
                    status=status)
