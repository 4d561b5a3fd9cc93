"""What is lost on the way is neither missing nor there twice."""

from __future__ import annotations

import os
import random
import re
import sqlite3
import subprocess
import threading
from contextlib import closing
from pathlib import Path

import pytest
import requests
from clickhouse import ClickHouse, ZooKeeper, cluster, replicas
from fleet import check_equal, ship, stored
from middleman import Middleman
from programs import DEADLINE, ROOT, TAPEDECK, Program, curl, eventually, sql, tapedeck
from serving import AUTH, OPENROSA, form

# 50 kills and more take minutes; Tools/soak asks for them.
KILLS = int(os.environ.get("TAPEDECK_FLEET_KILLS", "8"))


@pytest.fixture(name="database")
def a_database(request: pytest.FixtureRequest) -> str:
    """A database for this test alone."""
    return re.sub(r"\W", "_", request.node.name)[:60]


def imported(name: str, folder: Path) -> Path:
    """A recording of the repository as a trace."""
    trace = folder / f"{name}.tape"
    tapedeck("import", ROOT / "Recordings" / name, trace)
    return trace


@pytest.mark.parametrize("losses", [
    ["answer"], ["answer"] * 5, [2000], [700, "answer", 2500, None, 900, "answer"],
], ids=["answer", "answers", "request", "mixture"])
def test_lost_answers_and_cut_requests(losses: list, clickhouse: ClickHouse, database: str,
                                       tmp_path: Path) -> None:
    """It asks for the fate of its query, and sends again what is not there."""
    trace = imported("first-sync-and-edits", tmp_path)
    between = Middleman(clickhouse.http, losses)
    try:
        done = tapedeck("ship", trace, "--to", f"clickhouse://{between.address}/{database}",
                        "--no-redact")
    finally:
        between.close()
    assert between.lost == len([each for each in losses if each is not None])
    # One loss on a connection that was used before is made up for by libcurl, by sending again.
    if len(losses) > 1:
        assert "trying again" in done.stderr
    check_equal(clickhouse, database, trace)


def test_a_late_query_changes_nothing(clickhouse: ClickHouse, database: str,
                                      tmp_path: Path) -> None:
    """A request that the network held back until its batch was sent again adds no row."""
    trace = imported("first-sync-and-edits", tmp_path)
    held: list[bytes] = []
    between = Middleman(clickhouse.http, [])
    exchange = between._exchange  # noqa: SLF001

    def hold(client, server):
        request = between._head(client)  # noqa: SLF001
        if request is None:
            return False
        head, rest = request
        size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        while len(rest) < size:
            rest += client.recv(65536)
        if b"query_id=" in head and b"INTO%20any_exchange" in head and not held:
            held.append(head + rest)
            return False
        server.sendall(head + rest)
        client.sendall(between._answer(server))  # noqa: SLF001
        return True

    assert exchange
    between._exchange = hold  # noqa: SLF001
    try:
        tapedeck("ship", trace, "--to", f"clickhouse://{between.address}/{database}",
                 "--no-redact")
    finally:
        between.close()
    import socket
    with socket.create_connection(("127.0.0.1", clickhouse.http)) as late:
        late.sendall(held[0])
        assert late.recv(65536).startswith(b"HTTP/1.1 200")
    check_equal(clickhouse, database, trace)


def test_somebody_deleted_rows_of_an_open_batch(clickhouse: ClickHouse, database: str,
                                                tmp_path: Path) -> None:
    """Some rows of a batch can only be there if somebody changed them: it says so, and stops."""
    trace = imported("first-sync-and-edits", tmp_path)
    ship(trace, clickhouse, database)
    number, rows = map(int, clickhouse.rows(
        f"SELECT batch, count() FROM {database}.any_exchange GROUP BY batch")[0])
    day = int(clickhouse.ask(f"SELECT DISTINCT toUInt16(day) FROM {database}.any_exchange"))
    ledger = sqlite3.connect(f"{trace}.ship")
    ledger.execute("INSERT INTO batch VALUES (?, 'any_exchange', 'any_exchange', ?, '1-5', ?, 1, '1', 1, 1)",
                   (number, day, rows + 1))
    ledger.commit()
    ledger.close()
    done = ship(trace, clickhouse, database, status=65)
    assert f"has {rows} of the {rows + 1} rows of batch {number}" in done.stderr
    assert "in any_exchange: somebody changed them" in done.stderr
    check_equal(clickhouse, database, trace)


def test_killed_shippers_and_servers(tmp_path: Path, record, origin) -> None:
    """Four recorders with real clients; shippers and the server are killed again and again."""
    chance = random.Random(7)
    server = ClickHouse(tmp_path / "server")
    traces = [tmp_path / "tapes" / f"{number}.tape" for number in range(4)]
    traces[0].parent.mkdir()
    recordings = [record("--to", origin.url, "--quiet", to=trace) for trace in traces]
    over = threading.Event()

    def client(recording) -> None:
        number = 0
        while not over.is_set():
            number += 1
            body = os.urandom(chance.randrange(1, 3000)).hex()
            subprocess.run(["curl", "-sS", "--data-binary", body, f"{recording.url}/{number}"],
                           stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE,
                           check=False)

    clients = [threading.Thread(target=client, args=(each,)) for each in recordings]
    for each in clients:
        each.start()

    def follow() -> Program:
        return Program(TAPEDECK, "ship", "--follow", traces[0].parent, "--every", "50ms",
                       "--to", server.url("killed"), "--no-redact")

    def done() -> int:
        rows = 0
        for trace in traces:
            try:
                rows += sql(Path(f"{trace}.ship"), "SELECT coalesce(sum(rows), 0) FROM total")[0][0]
            except sqlite3.OperationalError:
                continue  # It is being created.
        return rows

    shipper = follow()
    try:
        for turn in range(KILLS):
            before = done()
            eventually(lambda: done() > before, "rows that are shipped")  # noqa: B023
            # A moment within a batch, not after it.
            over.wait(chance.random() * 0.2)
            if turn % 2:
                shipper.kill()
                shipper = follow()
            else:
                server.kill()
                server.start()
        over.set()
        for each in clients:
            each.join()
        for recording in recordings:
            recording.finish()
        eventually(lambda: all(
            "nothing waiting" in tapedeck("ship", trace, "--status").stdout for trace in traces),
            "all to be shipped", DEADLINE * 2)
        assert shipper.stop() == 0, shipper.said()
        for trace in traces:
            ship(trace, server, "killed")
        count = sum(check_equal(server, "killed", trace) for trace in traces)
        assert count > 200
    finally:
        over.set()
        shipper.kill()
        server.stop()


def test_shards(tmp_path: Path) -> None:
    """Over a cluster of two, each recorder is on one shard, and all are found through either."""
    shards = cluster(tmp_path / "shards")
    try:
        more = "?cluster=lab"
        traces = [imported(name, tmp_path) for name in
                  ("first-sync-and-edits", "restore-in-progress", "offline-edits-merged",
                   "submission-with-attachment")]
        refused = tapedeck("ship", traces[0], "--to", shards[0].url("tapes", more), "--no-redact",
                           status=None)
        if refused.returncode:
            assert refused.stderr.count("\n") == 1, refused.stderr
        for shard in shards:
            tapedeck("ship", "--keep", "36500d", "--to", shard.url("tapes", more))
        for index, trace in enumerate(traces):
            ship_to = shards[index % 2].url("tapes", more)
            tapedeck("ship", trace, "--to", ship_to, "--no-redact",
                     status=0 if index or not refused.returncode else None)
        for shard in shards:
            for trace in traces:
                check_equal(shard, "tapes", trace)
        counts = [int(shard.ask("SELECT count() FROM tapes.chunk_local")) for shard in shards]
        assert sum(counts) == sum(len(stored(trace, "chunk")) for trace in traces)
        # Which shard a recorder is on depends on its identity, which is random: it may be the same for all.
        recorders = [set(shard.ask("SELECT DISTINCT recorder FROM tapes.chunk_local").split())
                     for shard in shards]
        assert not recorders[0] & recorders[1]
        assert len(recorders[0] | recorders[1]) == len(traces)
    finally:
        for shard in shards:
            shard.stop()


def differs(server: ClickHouse, trace: Path) -> str | None:
    """What a replica does not have of a trace, or has twice."""
    try:
        assert check_equal(server, "tapes", trace, suffix="_local") > 20
    except AssertionError as error:
        return str(error)
    return None


@pytest.mark.skipif(not ZooKeeper.is_here(), reason="needs Java and ZooKeeper")
def test_replicas(tmp_path: Path) -> None:
    """Each replica has everything, once, though the one that is shipped to is killed, and shipping goes on over the other."""
    chance, over = random.Random(11), threading.Event()
    keeper = ZooKeeper(tmp_path / "keeper")
    servers = replicas(tmp_path / "replicas", keeper)
    try:
        more = "?cluster=lab&replicated=true"
        for server in servers:
            # A ZooKeeper that listens may not answer yet.
            eventually(lambda: tapedeck("ship", "--keep", "36500d", "--to", server.url("tapes", more),  # noqa: B023
                                        status=None).returncode == 0, "tables on each replica")
        traces = []
        names = ("first-sync-and-edits", "restore-in-progress", "offline-edits-merged", "submission-with-attachment")
        for turn in range(max(KILLS // 2, 2)):
            folder = tmp_path / str(turn)
            folder.mkdir()
            trace = imported(names[turn % len(names)], folder)
            # The same session twice would be one that is shipped again.
            with closing(sqlite3.connect(trace)) as writer, writer:
                writer.execute("UPDATE session SET started_unix_ns = started_unix_ns + ?", (turn,))
            first, second = servers[turn % 2], servers[1 - turn % 2]
            with subprocess.Popen([TAPEDECK, "ship", trace, "--to", first.url("tapes", more), "--no-redact"],
                                  stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as shipper:
                # Mostly in the middle of it; from the second time on also before its first row.
                if turn == 0:
                    eventually(lambda: Path(f"{trace}.ship").exists(), "the first batch")  # noqa: B023
                over.wait(chance.random() * 0.4)
                # It would wait for the server that it has.
                for end in chance.sample([first.kill, shipper.kill], 2):
                    end()
            # A batch that only the first one has is waited for.
            again = Program(TAPEDECK, "ship", trace, "--to", second.url("tapes", more), "--no-redact")
            over.wait(chance.random() * 0.4)
            first.start()
            assert again.process.wait(DEADLINE * 2) == 0, again.said()
            traces.append(trace)
        for server in servers:
            for trace in traces:
                # One that was killed fetches what the other has.
                eventually(lambda: not differs(server, trace), f"what the other has of {trace}", DEADLINE * 2)  # noqa: B023
    finally:
        for server in servers:
            server.stop()
        keeper.stop()


def test_bounds_keep_what_is_not_shipped(tmp_path: Path, trace: Path, record, origin) -> None:
    """--max-size evicts shipped traffic alone, says so, and all of it is in the fleet."""
    server = ClickHouse(tmp_path / "server")
    try:
        server.kill()
        recording = record("--to", origin.url, "--max-size", "4MiB", "--ship",
                           server.url("bounds"), "--no-redact")
        body = tmp_path / "body"
        total = 0
        while total < 12 << 20:
            body.write_bytes(os.urandom(400_000).hex().encode())
            curl("--data-binary", f"@{body}", f"{recording.url}/{total}")
            total += 800_000
        recording.await_line("the trace grows beyond its bounds", errors=True)
        assert recording.sql("SELECT count(*) FROM gap WHERE reason = 'evicted'") == [(0,)]
        exchanges = recording.sql("SELECT count(*) FROM any_exchange")[0][0]
        server.start()
        eventually(lambda: recording.sql("SELECT count(*) FROM gap WHERE reason = 'evicted'")[0][0]
                   or curl(f"{recording.url}/again").returncode, "eviction of what is shipped")
        recording.finish()
        there = int(server.ask("SELECT count() FROM bounds.any_exchange"))
        assert there >= exchanges
        sizes = server.ask("SELECT sum(length(bytes)) FROM bounds.chunk")
        assert int(sizes) > 2 * total
    finally:
        server.stop()


def test_bounds_may_evict_what_is_not_shipped(tmp_path: Path, trace: Path, record, origin) -> None:
    """With --evict-unshipped the bound holds without a fleet; what is left arrives, and says what is missing."""
    server = ClickHouse(tmp_path / "server")
    try:
        server.kill()
        recording = record("--to", origin.url, "--max-size", "4MiB", "--ship", server.url("evicted"),
                           "--evict-unshipped", "--no-redact")
        body = tmp_path / "body"
        for number in range(15):
            body.write_bytes(os.urandom(400_000).hex().encode())
            curl("--data-binary", f"@{body}", f"{recording.url}/{number}")
        recording.eventually_sql("SELECT id FROM gap WHERE reason = 'evicted'")
        server.start()
        recording.finish()
        ship(trace, server, "evicted")
        check_equal(server, "evicted", trace)
        assert int(server.ask("SELECT count() FROM evicted.gap WHERE reason = 'evicted'")) > 0
        pulled = tmp_path / "pulled.tape"
        tapedeck("pull", server.url("evicted"), pulled, "--session", "1")
        for table in ("chunk", "gap", "any_exchange"):
            assert stored(pulled, table) == stored(trace, table)
        assert tapedeck("ls", pulled, "--json").stdout == tapedeck("ls", trace, "--json").stdout
    finally:
        server.stop()


def test_rows_of_faulted_sessions_are_final(clickhouse: ClickHouse, database: str, trace: Path,
                                            record, serve) -> None:
    """What is shipped while both sides of faulted conversations are decoded is what is there in the end."""
    server = serve()
    recording = record(
        "--to", server.root.removesuffix("/a/demo"), "--ship", clickhouse.url(database),
        "--no-redact", "--diagnose", "--seed", "1", "--fault", "method:POST => 503 every=3 retry-after=0",
        "--fault", "path:*restore* => latency 300ms every=2", "--fault", "command:c sender:client => error 440 nth=1")
    with requests.Session() as session:
        session.trust_env = False
        session.headers.update(OPENROSA)
        session.auth = AUTH
        for number in range(12):
            session.post(f"{recording.url}/a/demo/receiver/", form(f"f{number}"),
                         headers={"Content-Type": "text/xml"}, timeout=30)
            session.get(f"{recording.url}/a/demo/phone/restore/?version=2.0", timeout=30)
    for number in range(2):
        tapedeck("client", "simperium", "set", f"note-{number}", '{"title":"a"}', "--to",
                 recording.url.replace("http", "ws"), "--app", "app", "--bucket", "notes", "--token",
                 "0" * 32, status=None)
    recording.finish()
    assert sql(trace, "SELECT count(*) FROM any_exchange WHERE side <> 'both'")[0][0]
    assert sql(trace, "SELECT count(*) FROM fault_statement")[0][0] >= 8

    # Findings that the diagnosis at the end replaced are deleted by the server in its own time.
    found = sql(trace, "SELECT count(*) FROM finding_statement")[0][0]
    eventually(lambda: int(clickhouse.ask(f"SELECT count() FROM {database}.finding_statement"))
               == found, "the findings of the trace")
    check_equal(clickhouse, database, trace)
    resolved = clickhouse.rows(f"SELECT id, exchange_id, message_id FROM {database}.fault_statement "
                               "ORDER BY id")
    here = sql(trace, "SELECT id, exchange_id, message_id FROM intervention ORDER BY id")
    assert [tuple(None if value == "\\N" else int(value) for value in row) for row in resolved] == here
