"""`tapedeck ship`: each row once, whatever happens on the way."""

from __future__ import annotations

import re
import shutil
import socket
import sqlite3
import stat
import struct
import threading
from contextlib import closing
from pathlib import Path

import pytest
from clickhouse import PASSWORD, ClickHouse
from fleet import TABLES, check_equal, recorder_of, ship, shipped
from ports import closed_port
from programs import ROOT, TAPEDECK, curl, environment, eventually, sql, tapedeck

RECORDINGS = sorted(path.name for path in (ROOT / "Recordings").iterdir() if path.is_dir())


@pytest.fixture(name="database")
def a_database(request: pytest.FixtureRequest) -> str:
    """A database for this test alone."""
    return re.sub(r"\W", "_", request.node.name)[:60]


def imported(name: str, folder: Path) -> Path:
    """A recording of the repository as a trace, with findings."""
    trace = folder / f"{name}.tape"
    tapedeck("import", ROOT / "Recordings" / name, trace)
    tapedeck("diagnose", trace, status=None)
    return trace


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_stored_trace_arrives_whole(name: str, clickhouse: ClickHouse, database: str,
                                      tmp_path: Path) -> None:
    """Every row of every table has the same values there; shipped again, nothing is added."""
    trace = imported(name, tmp_path)
    said = ship(trace, clickhouse, database, "--label", "app=3.2", "--label", "Build=7")
    count = check_equal(clickhouse, database, trace)
    assert f"{count} rows shipped to clickhouse://{clickhouse.address}/{database}" in said.stdout
    assert recorder_of(trace) in said.stdout
    again = ship(trace, clickhouse, database)
    assert ": 0 rows shipped" in again.stdout
    check_equal(clickhouse, database, trace)
    for table in ("session", "any_exchange", "any_message", "any_command"):
        labels = clickhouse.rows(f"SELECT DISTINCT label.name, label.value FROM {database}.{table}")
        assert labels in ([["['app','build']", "['3.2','7']"]], []), table


def test_what_filters_ask_is_in_the_row(clickhouse: ClickHouse, database: str,
                                        tmp_path: Path) -> None:
    """Fields, contents and times are those of the trace's views."""
    trace = imported("submission-with-attachment", tmp_path)
    ship(trace, clickhouse, database)
    for sender, side in enumerate(("request", "response")):
        fields = sql(trace, "SELECT exchange_id, name, value FROM header WHERE sender = ? "
                            "ORDER BY exchange_id, position", sender)
        there = clickhouse.rows(
            f"SELECT id, n, v FROM {database}.any_exchange ARRAY JOIN {side}_header.name AS n, "
            f"{side}_header.value AS v ORDER BY id FORMAT TabSeparatedRaw")
        assert [tuple(row) for row in there] == [(str(i), n, v) for i, n, v in fields]
        sizes = sql(trace, "SELECT exchange_id, length(CAST(content AS BLOB)) FROM body "
                           "WHERE sender = ? AND size > 0 ORDER BY 1", sender)
        there = clickhouse.rows(f"SELECT id, length({side}_content) FROM {database}.any_exchange "
                                f"WHERE {side}_content IS NOT NULL ORDER BY id")
        assert [tuple(map(int, row)) for row in there] == sizes
    times = sql(trace, "SELECT x.id, s.started_unix_ns + x.started_ns FROM any_exchange x "
                       "JOIN session s ON s.id = x.session_id ORDER BY 1")
    there = clickhouse.rows(f"SELECT id, at_unix_ns, toDate(intDiv(at_unix_ns, 1000000000)) = day "
                            f"FROM {database}.any_exchange ORDER BY id")
    assert [(int(row[0]), int(row[1])) for row in there] == times
    assert all(row[2] == "1" for row in there)


def test_commands_have_their_payload(clickhouse: ClickHouse, database: str,
                                     tmp_path: Path) -> None:
    """What the view `command` computes is in the row, and where its message begins."""
    trace = imported("first-sync-and-edits", tmp_path)
    ship(trace, clickhouse, database)
    here = sql(trace, "SELECT c.id, c.payload, m.chunk_id, m.\"offset\" FROM command c "
                      "JOIN any_message m ON m.id = c.message_id JOIN any_command a ON a.id = c.id "
                      "WHERE a.payload_size > 0 ORDER BY c.id")
    there = clickhouse.rows(f"SELECT id, payload, message_chunk_id, message_offset "
                            f"FROM {database}.any_command WHERE payload IS NOT NULL ORDER BY id "
                            "FORMAT TabSeparatedRaw")
    assert len(here) > 10
    assert [tuple(row) for row in there] == [tuple(map(str, row)) for row in here]


def test_secrets_stay_on_the_machine(clickhouse: ClickHouse, database: str, tmp_path: Path,
                                     trace: Path, record, origin) -> None:
    """Without --no-redact what leaves is redacted; with one key, equally for all recorders."""
    key = tmp_path / "key"
    key.write_bytes(bytes(range(32)))
    key.chmod(0o600)
    traces = [trace, tmp_path / "other.tape"]
    for each in traces:
        recording = record("--to", origin.url, to=each)
        curl("-u", "amina:open-sesame", f"{recording.url}/x?token=tok-12345678")
        recording.finish()
        tapedeck("ship", each, "--to", clickhouse.url(database), "--redaction-key", key)
        assert not Path(f"{each}.ship-redacted").exists()
    found = [clickhouse.rows(f"SELECT query, arrayElement(request_header.value, indexOf("
                             f"request_header.name, 'authorization')) FROM {database}.any_exchange "
                             f"WHERE recorder = '{recorder_of(each)}'") for each in traces]
    assert found[0] == found[1] and len(found[0]) == 1
    assert "tok-12345678" not in found[0][0][0] and found[0][0][1].startswith("Basic ")
    for table in TABLES:
        text = clickhouse.answer(f"SELECT * FROM {database}.{table} FORMAT TabSeparatedRaw")
        for secret in (b"open-sesame", b"tok-12345678", b"YW1pbmE6b3Blbi1zZXNhbWU"):
            assert secret not in text, table
        rows = sum(len(sql(each, f"SELECT 1 FROM {table}")) for each in traces)
        # Redaction marks each session.
        rows += 2 if table == "mark" else 0
        assert int(clickhouse.ask(f"SELECT count() FROM {database}.{table}")) == rows, table
    key.chmod(0o644)
    refused = tapedeck("ship", trace, "--to", clickhouse.url(database), "--redaction-key", key,
                       status=64)
    assert f"chmod 600 {key}" in refused.stderr
    mixed = ship(trace, clickhouse, database, status=64)
    assert "is shipped redacted since its first session" in mixed.stderr


def test_sessions_that_come_later(clickhouse: ClickHouse, database: str, trace: Path, record,
                                  origin) -> None:
    """Each session is shipped once, redacted or not, with the labels that it had first."""
    for number in (1, 2):
        recording = record("--to", origin.url)
        curl(f"{recording.url}/{number}")
        recording.finish()
        tapedeck("ship", trace, "--to", clickhouse.url(database), "--label", f"run={number}")
    for table in TABLES:
        here = sql(trace, f"SELECT count(*) FROM {table}")[0][0] + (2 if table == "mark" else 0)
        assert int(clickhouse.ask(f"SELECT count() FROM {database}.{table}")) == here, table
    assert clickhouse.rows(f"SELECT path, label.value FROM {database}.any_exchange ORDER BY id") \
        == [["/1", "['1']"], ["/2", "['2']"]]


def test_ledger_is_private_and_belongs_to_its_trace(clickhouse: ClickHouse, database: str,
                                                    tmp_path: Path) -> None:
    """Its mode is 600; a copy of the trace without it, and another trace with it, are refused."""
    trace = imported("restore-in-progress", tmp_path)
    ship(trace, clickhouse, database)
    ledger = Path(f"{trace}.ship")
    assert stat.S_IMODE(ledger.stat().st_mode) == 0o600
    copy = tmp_path / "copy.tape"
    shutil.copy(trace, copy)
    refused = ship(copy, clickhouse, database, status=65)
    assert f"was shipped before, as recorder {recorder_of(trace)}" in refused.stderr
    other = imported("first-sync-and-edits", tmp_path)
    shutil.copy(ledger, f"{other}.ship")
    refused = ship(other, clickhouse, database, status=64)
    assert "belongs to another trace" in refused.stderr
    refused = ship(trace, clickhouse, f"{database}_2", status=64)
    assert "to ship it there as well" in refused.stderr


def test_status_and_metrics(clickhouse: ClickHouse, database: str, tmp_path: Path) -> None:
    """Both say how many rows are there, without a connection."""
    trace = imported("first-sync-and-edits", tmp_path)
    before = tapedeck("ship", trace, "--status").stdout
    assert re.fullmatch(rf"{trace}: never shipped, \d+ chunks waiting\n", before)
    metrics = tmp_path / "metrics.prom"
    ship(trace, clickhouse, database, "--metrics", metrics)
    count = check_equal(clickhouse, database, trace)
    said = tapedeck("ship", trace, "--status").stdout
    assert f"{count} rows shipped" in said and "nothing waiting" in said
    chunks = sql(trace, "SELECT count(*) FROM chunk")[0][0]
    text = metrics.read_text()
    assert re.search(rf'^tapedeck_ship_rows_total{{trace="{trace}",'
                     rf'recorder="{recorder_of(trace)}",table="chunk"}} {chunks}$', text, re.M)
    for line in text.splitlines():
        assert re.fullmatch(r"# (HELP|TYPE) tapedeck_ship_\w+ .+|tapedeck_ship_\w+{.*} [\d.]+",
                            line)
    assert tapedeck("ship", trace, "--status", "--metrics", "-").stdout.startswith("# HELP")


@pytest.mark.parametrize("statement", ["", "PRAGMA journal_mode = WAL"])
def test_a_ledger_without_tables_says_nothing_was_shipped(statement: str, tmp_path: Path) -> None:
    """As its shipper leaves it when it is killed at once, or while it goes on."""
    trace = imported("first-sync-and-edits", tmp_path)
    before = tapedeck("ship", trace, "--status").stdout
    with closing(sqlite3.connect(f"{trace}.ship")) as ledger:
        ledger.execute(statement)
        Path(f"{trace}.ship").touch()
        assert tapedeck("ship", trace, "--status").stdout == before


def test_mistakes_are_one_clear_line(clickhouse: ClickHouse, database: str,
                                     tmp_path: Path, origin) -> None:
    """Bad addresses, wrong passwords, no server, something else, a changed schema: nothing is lost."""
    trace = imported("restore-in-progress", tmp_path)
    nobody = closed_port()
    place = clickhouse.address
    wrong = [
        (64, "http://x/", "does not begin with clickhouse://"),
        (64, "clickhouse://a:b@x/db", "a password in an address is seen by all"),
        (64, "clickhouse://x:70000/db", "70000 is no port"),
        (64, "clickhouse://x/db-x", "letters, digits and _ alone"),
        (64, "clickhouse://x/db?tls=1", "it has no option tls"),
        (69, f"clickhouse://127.0.0.1:{nobody}/db", f"no answer from 127.0.0.1:{nobody}"),
        (69, f"clickhouse://fleet@{place}/{database}", f"{place} refuses user fleet"),
        (69, f"clickhouse://ghost@{place}/{database}", f"{place} refuses user ghost"),
        (65, f"clickhouse://127.0.0.1:{origin.port}/db", "is no ClickHouse"),
    ]
    for status, url, part in wrong:
        done = tapedeck("ship", trace, "--to", url, "--no-redact", status=status)
        assert part in done.stderr and done.stderr.count("\n") == 1, done.stderr
    # The native port says what it is and resets the connection, of which either is seen first.
    done = tapedeck("ship", trace, "--to", f"clickhouse://127.0.0.1:{clickhouse.tcp}/db",
                    "--no-redact", status=None)
    assert done.returncode in (65, 69) and done.stderr.count("\n") == 1, done
    assert "its HTTP interface" in done.stderr
    for label in ("x", "=1", "a b=1"):
        done = ship(trace, clickhouse, database, "--label", label, status=64)
        assert done.stderr.count("\n") == 1 and "label" in done.stderr
    allowed = environment(TAPEDECK_FLEET_PASSWORD=PASSWORD)
    tapedeck("ship", trace, "--to", f"clickhouse://fleet@{place}/{database}", "--no-redact",
             env=allowed)
    clickhouse.ask(f"ALTER TABLE {database}.any_exchange DROP COLUMN reason")
    done = ship(trace, clickhouse, database, status=65)
    assert f"database {database}: somebody changed table any_exchange: column reason is missing" \
        in done.stderr
    clickhouse.ask(f"INSERT INTO {database}.fleet_migration VALUES (99, 'later', '9', 0)")
    done = ship(trace, clickhouse, database, status=65)
    assert "has schema 99 of a later tapedeck" in done.stderr
    secret = tmp_path / "password"
    secret.write_text(PASSWORD + "\n")
    other = f"{database}_other"
    copy = imported("first-sync-and-edits", tmp_path)
    tapedeck("ship", copy, "--to", f"clickhouse://fleet@{place}/{other}", "--no-redact",
             "--password-file", secret)
    check_equal(clickhouse, other, copy)


def test_a_port_that_hangs_up_is_named(tmp_path: Path) -> None:
    """What takes connections and resets them is asked for as a port, not only as a server that is off."""
    trace = imported("restore-in-progress", tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def reset() -> None:
            connection, _ = listener.accept()
            connection.recv(1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        peer = threading.Thread(target=reset)
        peer.start()
        place = f"127.0.0.1:{listener.getsockname()[1]}"
        done = tapedeck("ship", trace, "--to", f"clickhouse://{place}/db", "--no-redact", status=69)
        peer.join()
    assert re.fullmatch(rf"tapedeck: no answer from {place}: .+ the port of its HTTP interface\n",
                        done.stderr), done.stderr


def test_old_days_are_deleted(clickhouse: ClickHouse, database: str, tmp_path: Path) -> None:
    """--keep deletes whole days, --keep-chunks the recorded bytes alone."""
    trace = imported("restore-in-progress", tmp_path)
    ship(trace, clickhouse, database)
    done = tapedeck("ship", "--keep", "36500d", "--to", clickhouse.url(database))
    assert done.stdout.startswith("0 partitions deleted")
    check_equal(clickhouse, database, trace)
    database_file = sqlite3.connect(trace)
    started = database_file.execute("SELECT started_unix_ns FROM session").fetchone()[0]
    database_file.close()
    assert started > 0
    tapedeck("ship", "--keep-chunks", "1s", "--to", clickhouse.url(database))
    # Those of today stay, if it was recorded today.
    recorder = recorder_of(trace)
    assert not shipped(clickhouse, database, recorder, trace, "chunk")
    assert shipped(clickhouse, database, recorder, trace, "any_exchange")


def test_record_ships_beside_the_recording(clickhouse: ClickHouse, database: str, trace: Path,
                                           record, origin) -> None:
    """Rows arrive while it records; at the end all of them are there, and it says so."""
    recording = record("--to", origin.url, "--ship", clickhouse.url(database), "--no-redact",
                       "--label", "test=live")
    curl(f"{recording.url}/first")
    eventually(lambda: ["/first"] in _paths(clickhouse, database), "a row of a running session")
    curl(f"{recording.url}/second")
    said = recording.finish()
    count = check_equal(clickhouse, database, trace)
    assert f"{count} rows shipped to clickhouse://{clickhouse.address}/{database}" in said
    assert _paths(clickhouse, database) == [["/first"], ["/second"]]


def _paths(server: ClickHouse, database: str) -> list[list[str]]:
    try:
        return server.rows(f"SELECT path FROM {database}.any_exchange ORDER BY id")
    except AssertionError:
        return []  # No table yet.


def test_record_does_not_need_the_fleet(database: str, trace: Path, record, origin) -> None:
    """Without a server it records as ever, and says what is left to do."""
    nobody = closed_port()
    recording = record("--to", origin.url, "--ship", f"clickhouse://127.0.0.1:{nobody}/{database}")
    recording.await_line("no answer from", errors=True)
    assert curl(f"{recording.url}/x").stdout
    recording.finish()
    assert any(f"tapedeck ship {trace} goes on with it" in line for line in recording.errors)
    assert sql(trace, "SELECT count(*) FROM any_exchange") == [(1,)]


def test_follow_finds_new_traces(clickhouse: ClickHouse, database: str, tmp_path: Path, record,
                                 origin, program) -> None:
    """A folder is shipped for as long as it is followed; files that are no traces hold up nothing."""
    folder = tmp_path / "tapes"
    folder.mkdir()
    (folder / "a-text.tape").write_text("no trace")
    shipper = program(TAPEDECK, "ship", "--follow", folder, "--every", "50ms", "--no-redact",
                      "--to", clickhouse.url(database), "--metrics", tmp_path / "m")
    shipper.await_line("^shipping ")
    shipper.await_line("a-text.tape", errors=True)
    traces = [folder / "b.tape", folder / "c.tape"]
    for trace in traces:
        recording = record("--to", origin.url, to=trace)
        curl(f"{recording.url}/{trace.name}")
        eventually(lambda: [f"/{trace.name}"] in _paths(clickhouse, database),  # noqa: B023
                   "the row of a trace that is recorded")
        recording.finish()
    # Again, in a new session of a trace that was done.
    recording = record("--to", origin.url, to=traces[0])
    curl(f"{recording.url}/again")
    eventually(lambda: ["/again"] in _paths(clickhouse, database), "a row of a later session")
    recording.finish()
    eventually(lambda: all("nothing waiting" in tapedeck("ship", trace, "--status").stdout
                           for trace in traces), "all to be shipped")
    eventually(lambda: f'trace="{traces[1]}"' in (tmp_path / "m").read_text(), "metrics")
    assert shipper.stop() == 0, shipper.said()
    for trace in traces:
        ship(trace, clickhouse, database)
        check_equal(clickhouse, database, trace)
    assert len([line for line in shipper.errors if "a-text.tape" in line]) == 1


@pytest.mark.parametrize("more", [["--no-redact"], []], ids=["recorded", "redacted"])
def test_findings_that_come_later(more: list[str], clickhouse: ClickHouse, database: str,
                                  tmp_path: Path) -> None:
    """A diagnosis after shipping arrives; one more replaces it."""
    trace = tmp_path / "late.tape"
    tapedeck("import", ROOT / "Recordings/state-hash-mismatch", trace)

    def check() -> list[tuple]:
        tapedeck("ship", trace, "--to", clickhouse.url(database), *more)
        here = sql(trace, "SELECT id, rule FROM finding_statement ORDER BY id")

        def there() -> list[tuple]:
            rows = clickhouse.rows(f"SELECT id, rule FROM {database}.finding_statement ORDER BY id")
            return [(int(row[0]), row[1]) for row in rows]

        eventually(lambda: there() == here, "the findings of the trace")
        return here

    check()
    tapedeck("diagnose", trace, status=None)
    first = check()
    tapedeck("diagnose", trace, status=None)
    again = check()
    assert first and len(first) == len(again)
    assert not Path(f"{trace}.ship-redacted").exists()
