"""Proves that no value in a trace ends a command with a trap, or keeps it busy for ever."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
import requests
from programs import DEADLINE, ROOT, TAPEDECK, Program, environment, tapedeck

# The data errors, failures and findings of commands: everything that is no trap.
STATUSES = {0, 1, 65, 66, 69, 70, 74}
EXTREMES = [-2**63, 2**63 - 1]
RECORDED = ["session", "connection", "leg", "chunk", "patch", "event"]
DECODED = ["any_exchange", "http_body", "frame", "any_message", "any_command", "any_change",
           "progress", "counter"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A trace with rows in all these tables."""
    trace = tmp_path_factory.mktemp("hostile") / "whole.tape"
    tapedeck("import", ROOT / "Recordings/first-sync-and-edits", trace)
    with closing(sqlite3.connect(trace)) as writer, writer:
        writer.execute("INSERT INTO counter VALUES ('chunk', 1000000)")
    return trace


def commands(trace: Path, folder: Path, whole: Path) -> list[list[str | Path]]:
    """What reads a trace, each in another way."""
    return [
        ["ls", trace], ["ls", trace, "--json", "duration>1s or status>=400 or size>3"],
        ["show", trace, "1"], ["show", trace, "c10", "--json"], ["show", trace, "m3"],
        ["diagnose", trace], ["state", trace, "--diff"], ["diff", trace, whole],
        ["export", trace, folder / "a.har"], ["export", trace, folder / "a.pcapng"],
        ["export", trace, folder / "text", "--format", "text"],
        ["export", trace, folder / "redacted.tape", "--redact"],
        ["replay", "client", trace, "--to", "http://127.0.0.1:9/"], ["rebuild", trace],
    ]


@pytest.mark.parametrize("value", EXTREMES)
@pytest.mark.parametrize("table", RECORDED + DECODED)
def test_extreme_numbers(whole, tmp_path, table, value) -> None:
    """Every number of a table is the least or the largest there is."""
    trace = tmp_path / "a.tape"
    shutil.copy(whole, trace)
    database = sqlite3.connect(trace, isolation_level=None)
    columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")
               if row[2] == "INTEGER" and not row[5]]
    assert columns
    database.execute("PRAGMA ignore_check_constraints = ON")
    for column in columns:
        database.execute(f'UPDATE "{table}" SET "{column}" = ?', (value,))
    database.close()
    for command in commands(trace, tmp_path, whole):
        done = tapedeck(*command, status=None)
        assert done.returncode in STATUSES, f"{command}: {done.returncode}\n{done.stderr}"


@pytest.mark.parametrize("value", EXTREMES)
@pytest.mark.parametrize("table", ["chunk", "any_exchange", "any_message", "any_command"])
def test_extreme_keys(whole, tmp_path, table, value) -> None:
    """A row with a number from which no other can be computed is named, and the file refused."""
    trace = tmp_path / "a.tape"
    shutil.copy(whole, trace)
    database = sqlite3.connect(trace, isolation_level=None)
    database.execute(f"UPDATE {table} SET id = ? WHERE id = (SELECT max(id) FROM {table})", (value,))
    database.close()
    for command in commands(trace, tmp_path, whole):
        done = tapedeck(*command, status=65)
        assert f"{table} has the number" in done.stderr


def test_endless_view(whole, tmp_path) -> None:
    """A view that is named like a table and never ends is refused at once."""
    trace = tmp_path / "a.tape"
    shutil.copy(whole, trace)
    database = sqlite3.connect(trace, isolation_level=None)
    database.executescript(
        "ALTER TABLE any_exchange RENAME TO kept;"
        "CREATE VIEW any_exchange AS WITH RECURSIVE n(id) AS"
        " (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id > 0) SELECT n.id FROM n;")
    database.close()
    for command in commands(trace, tmp_path, whole):
        done = subprocess.run([TAPEDECK, *command], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=20, check=False, env=environment())
        assert done.returncode == 65
        assert "is no trace as tapedeck writes it" in done.stderr


def test_a_trace_that_becomes_shorter(tmp_path) -> None:
    """A file that is cut while a program has it open is an error, and no signal ends the program."""
    archive, trace = tmp_path / "a.har", tmp_path / "a.tape"
    entries = [{
        "startedDateTime": "2024-01-01T00:00:00.000Z", "time": 1,
        "request": {"method": "GET", "url": f"http://example.org/{number}", "headers": []},
        "response": {"status": 200, "headers": [], "content": {"mimeType": "text/plain", "text": "x" * 20_000}},
    } for number in range(200)]
    archive.write_text(json.dumps({"log": {"version": "1.2", "creator": {}, "entries": entries}}))
    tapedeck("import", archive, trace)
    server = Program(TAPEDECK, "replay", "server", trace, "--listen", "127.0.0.1:0", "--allow-unused")
    try:
        port = server.await_line(r"^listening on 127\.0\.0\.1:(\d+)$")[1]
        url = f"http://127.0.0.1:{port}/"
        assert len(requests.get(url + "0", timeout=DEADLINE).content) == 20_000
        os.truncate(trace, 8192)
        for number in range(100, 200):
            try:
                answer = requests.get(f"{url}{number}", timeout=DEADLINE)
            except requests.ConnectionError:
                continue
            assert answer.status_code != 200 or len(answer.content) == 20_000
        assert server.process.poll() is None or server.process.returncode > 0, server.said()
    finally:
        server.kill()
    assert tapedeck("ls", trace, status=None).returncode in STATUSES
