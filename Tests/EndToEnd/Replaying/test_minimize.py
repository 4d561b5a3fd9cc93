"""Proves: `minimize` finds the few connections, exchanges and messages that a check needs."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from pathlib import Path

import pytest
from programs import DEADLINE, TAPEDECK, Program, Recording, curl, environment, tapedeck
from websockets.sync.client import connect

INIT = ('%d:init:{"name":"%s","clientid":"test-%d","app_id":"app","api":"1.1",'
        '"token":"0123456789abcdef0123456789abcdef","library":"test","version":"1"}')


def change(channel: int, key: str, number: int) -> str:
    """A change that makes an object."""
    return (f'{channel}:c:{{"id":"{key}","o":"M","ccid":"{number:032x}",'
            f'"v":{{"title":{{"o":"+","v":"{key}"}}}}}}')


@pytest.fixture(scope="module")
def written(tmp_path_factory, ca_dir: Path) -> Path:
    """A trace with 60 exchanges over 4 connections and two compressed Simperium sockets."""
    folder = tmp_path_factory.mktemp("minimize")
    server = Program(TAPEDECK, "serve", "--listen", "127.0.0.1:0")
    proxy = None
    try:
        address = server.await_line(r"^listening on (\S+)$")[1]
        proxy = Recording(folder / "whole.tape", ca_dir, "--to", f"http://{address}")
        for number in range(4):
            curl(*[f"{proxy.url}/place/{number}/{page}" for page in range(15)])
        for socket in range(2):
            with connect(f"ws://{proxy.address}/sock/1/app/websocket", proxy=None,
                         compression="deflate") as client:
                for channel in range(2):
                    client.send(INIT % (channel, f"bucket{channel}", socket))
                    client.recv(30)
                    for number in range(5):
                        key = f"key-{socket}-{channel}-{number}"
                        client.send(change(channel, key, 100 * socket + 5 * channel + number))
                        client.recv(30)
        proxy.finish()
        return proxy.trace
    finally:
        if proxy:
            proxy.kill()
        server.kill()


def rows(trace: Path, sql: str) -> list[tuple]:
    """The rows of a query."""
    with sqlite3.connect(f"file:{trace}?mode=ro", uri=True) as db:
        return db.execute(sql).fetchall()


def test_one_exchange_is_found(written: Path, tmp_path: Path) -> None:
    output = tmp_path / "one.tape"
    done = tapedeck("minimize", written, "--output", output, "--check",
                    f"! {TAPEDECK} ls {{}} path:/place/2/7 | grep -q /place/2/7")
    assert "trace: " + str(output) in done.stdout
    assert rows(output, "SELECT method, url LIKE '%/place/2/7', status FROM exchange") == [
        ("GET", 1, 404)]
    assert rows(output, "PRAGMA integrity_check") == [("ok",)]
    assert output.stat().st_mode & 0o777 == 0o600
    kept = rows(written, "SELECT response_body FROM exchange WHERE url LIKE '%/place/2/7'")
    assert rows(output, "SELECT response_body FROM exchange") == kept


def test_two_commands_of_different_sockets_are_found(written: Path, tmp_path: Path) -> None:
    """The check goes by what is in the trace itself; compressed messages are still to be read."""
    output = tmp_path / "two.tape"
    check = tmp_path / "check.py"
    check.write_text(
        "import os, sqlite3, sys\n"
        "db = sqlite3.connect(os.environ['TAPEDECK_TRACE'])\n"
        "found = {row[0] for row in db.execute('SELECT key FROM change WHERE cv IS NULL')}\n"
        "sys.exit(7 if {'key-0-1-4', 'key-1-0-3'} <= found else 0)\n")
    done = tapedeck("minimize", written, "--output", output, "--json", "--check",
                    f"python3 {check}", timeout=DEADLINE * 6)
    told = json.loads(done.stdout)
    assert told["connections"] == {"left": 2, "of": 6}
    assert told["exchanges"]["left"] == 0
    assert told["messages"]["left"] == 2
    assert not told["stopped"]
    assert rows(output, "SELECT sender, json_extract(payload, '$.id') FROM command") == [
        (0, "key-0-1-4"), (0, "key-1-0-3")]
    assert rows(output, "SELECT problem FROM message WHERE problem IS NOT NULL") == []
    tapedeck("rebuild", output)
    tapedeck("ls", output)


def test_what_cannot_be_minimized_is_said(written: Path, tmp_path: Path) -> None:
    output = tmp_path / "none.tape"
    done = tapedeck("minimize", written, "--output", output, "--check", "true", status=1)
    assert "does not fail" in done.stderr
    done = tapedeck("minimize", written, "--output", output, "--check",
                    f"test {{}} != {written}", status=1)
    assert "a copy of it" in done.stderr
    plain = tmp_path / "plain"
    plain.write_text("")
    for check, said in (("no-such-command {}", "127"), (f"{plain} {{}}", "126")):
        done = tapedeck("minimize", written, "--output", output, "--check", check, status=64)
        assert "the check cannot be run" in done.stderr and said in done.stderr
    tapedeck("minimize", tmp_path / "missing.tape", "--check", "false", status=66)
    tapedeck("minimize", __file__, "--check", "false", status=65)
    tapedeck("minimize", written, "--check", "false", "--output", written, status=66)
    tapedeck("minimize", written, "--check", "false", "--patience", "0", status=64)
    assert not output.exists()


def test_a_check_that_hangs_is_ended_with_what_it_started(written: Path, tmp_path: Path) -> None:
    output = tmp_path / "late.tape"
    tapedeck("minimize", written, "--output", output, "--patience", "0.2", "--max-checks", "3",
             "--check", "sleep 4711 & sleep 4711")
    left = subprocess.run(["pgrep", "-f", "^sleep 4711"], capture_output=True, check=False)
    assert left.stdout == b""
    assert rows(output, "SELECT count(*) FROM connection") == [(0,)]


def test_ended_early_it_keeps_the_shortest_so_far(written: Path, tmp_path: Path) -> None:
    output = tmp_path / "early.tape"
    begun = tmp_path / "begun"
    search = Program(TAPEDECK, "minimize", written, "--output", output, "--check",
                     f"echo x >> {begun}; exit 1 # {{}}")
    try:
        status = search.wait()
    finally:
        search.kill()
    assert status == 0
    assert rows(output, "SELECT count(*) FROM exchange") == [(0,)]
    done = tapedeck("minimize", written, "--output", tmp_path / "few.tape", "--max-checks", "4",
                    "--check", f"! {TAPEDECK} ls {{}} path:/place/2/7 | grep -q /place/2/7")
    assert "ended early" in done.stdout
    assert rows(tmp_path / "few.tape",
                "SELECT count(*) FROM exchange WHERE url LIKE '%/place/2/7'") == [(1,)]


def test_progress_is_shown_on_a_terminal_alone(written: Path, tmp_path: Path) -> None:
    check = f"! {TAPEDECK} ls {{}} path:/place/2/7 | grep -q /place/2/7"
    done = tapedeck("minimize", written, "--output", tmp_path / "a.tape", "--check", check)
    assert done.stderr == ""
    shown = subprocess.run(
        ["script", "-qec", f"{TAPEDECK} minimize {written} --output {tmp_path / 'b.tape'} "
         f"--check \"{check}\"", "/dev/null"], capture_output=True, text=True, check=True,
        stdin=subprocess.DEVNULL, env=environment())
    assert "connections left" in shown.stdout
