"""Proves: a fleet answers what its traces answer, and gives them back byte for byte."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from asking import FILTERS, bare, lines, view
from clickhouse import ClickHouse, cluster
from fleet import recorder_of
from origins import EchoSocket
from programs import ROOT, TAPEDECK, Program, Recording, curl, eventually, sql, tapedeck
from random_sessions import drive, listening
from websockets.sync.client import connect

RECORDINGS = sorted(path.name for path in (ROOT / "Recordings").iterdir() if path.is_dir())
RECORDED = ("session", "connection", "leg", "chunk", "patch", "delivery", "event", "gap", "mark")
STATED = ("fault_statement", "fault_verdict", "finding_statement", "undecided_statement")
DECODED = ("any_exchange", "http_body", "part", "openrosa", "case_block", "frame", "any_message",
           "any_command", "any_change", "note")


@dataclass
class Lab:
    """Traces, and the fleet that they were shipped to."""

    url: str
    server: ClickHouse
    database: str
    traces: list[Path]

    def recorder(self, trace: Path) -> str:
        """The identity of a trace."""
        return recorder_of(trace)


def talk(folder: Path, ca_dir: Path, origin, echo) -> Path:
    """A trace of two sessions with faults, and of a WebSocket."""
    trace = folder / "talk.tape"
    for number in range(2):
        proxy = Recording(trace, ca_dir, "--to", origin.url, "--fault",
                          "path:/busy => 503 name=busy retry-after=7")
        try:
            for path in ("hello", "busy", f"missing?q={number}"):
                curl(f"{proxy.url}/{path}")
            curl("-A", "Visitor/1", "-d", "größe=a b&c", f"{proxy.url}/form")
            proxy.finish()
        finally:
            proxy.kill()
    proxy = Recording(trace, ca_dir, "--to", echo.url)
    try:
        with connect(f"ws://{proxy.address}/chat", proxy=None) as socket:
            for text in ("hello world", "second\nline", b"\x00\xff\x02"):
                socket.send(text)
                socket.recv(30)
        proxy.finish()
    finally:
        proxy.kill()
    return trace


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, ca_dir: Path, origin,
        clickhouse: ClickHouse) -> Lab:
    """Recordings of the repository and a talk of our own, diagnosed, shipped as they are."""
    folder = tmp_path_factory.mktemp("lab")
    echo = EchoSocket()
    try:
        traces = [talk(folder, ca_dir, origin, echo)]
    finally:
        echo.close()
    for name in RECORDINGS:
        traces.append(folder / f"{name}.tape")
        tapedeck("import", ROOT / "Recordings" / name, traces[-1])
    for number, trace in enumerate(traces):
        tapedeck("diagnose", trace, status=None)
        tapedeck("ship", trace, "--to", clickhouse.url("lab"), "--no-redact",
                 "--label", f"app=3.{number % 2}", "--label", f"device=phone-{number}")
    return Lab(clickhouse.url("lab"), clickhouse, "lab", traces)


@pytest.mark.parametrize("filter_text", FILTERS)
def test_a_filter_finds_what_it_finds_in_the_traces(lab: Lab, filter_text: str) -> None:
    """The same lines with the same members, of each recorder, and in the order of sessions."""
    side = ("client", "all")[FILTERS.index(filter_text) % 2]
    there = lines(lab.url, filter_text, "--side", side)
    for trace in lab.traces:
        mine = [line for line in there if line["recorder"] == lab.recorder(trace)]
        assert bare(mine) == lines(trace, filter_text, "--side", side), trace.name


def test_labels_choose_sessions(lab: Lab) -> None:
    """label.NAME and recorder hold in a fleet, and for nothing in a trace."""
    for number, trace in enumerate(lab.traces):
        found = lines(lab.url, f"label.device:phone-{number}")
        assert bare(found) == lines(trace)
        assert {tuple(line["labels"]) for line in found} == {
            (f"app=3.{number % 2}", f"device=phone-{number}")}
        assert lines(lab.url, f"recorder:{lab.recorder(trace)[:8]}*") == found
        assert lines(trace, "has:label.app or recorder:*") == []
    assert len(lines(lab.url, "finding:error label.app:3.0")) == sum(
        len(lines(trace, "finding:error")) for trace in lab.traces[::2])


def test_lines_for_people_name_recorder_and_labels(lab: Lab) -> None:
    """A line above each session, and under it what `ls` prints of the trace."""
    trace = lab.traces[0]
    said = tapedeck("ls", lab.url, f"recorder:{lab.recorder(trace)}").stdout.splitlines()
    marks = [line for line in said if line.startswith("──")]
    assert len(marks) == 3
    assert marks[0].startswith(
        f"── recorder {lab.recorder(trace)[:8]} session 1, app=3.0, device=phone-0, started ")
    local = [line for line in tapedeck("ls", trace).stdout.splitlines() if not line.startswith("──")]
    assert [line for line in said if not line.startswith("──")] == local


@pytest.mark.parametrize("arguments", [
    ("--stats",), ("--group-by", "host,status"), ("--group-by", "kind"), ("--group-by", "path"),
    ("--group-by", "command,sender"), ("--group-by", "url", "status>=400"),
    ("--group-by", "duration"), ("--group-by", "fault"), ("--stats", "status:999"),
    ("--group-by", "status", "--sort", "p90:desc", "--limit", "2"), ("--stats", "--side", "all"),
])
def test_statistics_are_those_of_one_trace_of_all(lab: Lab, tmp_path: Path,
                                                  arguments: tuple[str, ...]) -> None:
    """The server counts and ranks as `ls` does."""
    merged = tmp_path / "merged.tape"
    tapedeck("merge", *lab.traces, merged)
    for form in ("--json", "--csv"):
        assert (tapedeck("ls", lab.url, *arguments, form).stdout
                == tapedeck("ls", merged, *arguments, form).stdout)


def test_tables_and_sorted_lines(lab: Lab) -> None:
    """--columns, --sort and --limit work as on a trace; the recorder is a column."""
    rows = [json.loads(line) for line in tapedeck(
        "ls", lab.url, "--columns", "recorder,session,id,status,duration", "kind:exchange",
        "--json").stdout.splitlines()]
    expected = sorted((lab.recorder(trace), *row) for trace in lab.traces for row in sql(
        trace, "SELECT session_id, id, status, ended_ns - started_ns FROM any_exchange "
               "WHERE side <> 'server'"))
    assert sorted(tuple(row.values()) for row in rows) == expected
    longest = lines(lab.url, "kind:exchange", "--sort", "duration:desc", "--limit", "3")
    spans = sorted((row[4] or 0 for row in expected), reverse=True)
    assert [line["ended_ns"] - line["started_ns"] for line in longest] == spans[:3]
    assert len(lines(lab.url, "--limit", "5")) == 5
    assert lines(lab.url, "--limit", "0") == []


def dump(trace: Path, tables: tuple[str, ...], where: dict[str, str] | None = None) -> dict:
    """All rows of tables, in order of their numbers."""
    database = sqlite3.connect(f"file:{trace}?mode=ro", uri=True)
    found = {}
    for table in tables:
        condition = (where or {}).get(table, "1")
        found[table] = database.execute(
            f"SELECT * FROM {table} WHERE {condition} ORDER BY 1").fetchall()
    database.close()
    return found


def test_pull_gives_back_every_session(lab: Lab, tmp_path: Path) -> None:
    """Every recorded, stated and decoded row of a session is as it was, and rebuild keeps them."""
    for trace in lab.traces:
        for (session,) in sql(trace, "SELECT id FROM session"):
            pulled = tmp_path / f"{trace.stem}-{session}.tape"
            tapedeck("pull", lab.url, pulled, "--session", str(session),
                     "--recorder", lab.recorder(trace)[:13])
            of = f"IN (SELECT id FROM connection WHERE session_id = {session})"
            exchanges = f"exchange_id IN (SELECT id FROM any_exchange WHERE session_id = {session})"
            chunks = f"chunk_id IN (SELECT id FROM chunk WHERE connection_id {of})"
            where = dict.fromkeys(RECORDED + STATED + DECODED, f"session_id = {session}") | {
                "session": f"id = {session}", "leg": f"connection_id {of}",
                "chunk": f"connection_id {of}", "patch": chunks, "delivery": chunks,
                "fault_verdict": "fault_id IN (SELECT id FROM fault_statement "
                                 f"WHERE session_id = {session})",
                "http_body": exchanges, "part": exchanges, "openrosa": exchanges,
                "case_block": exchanges, "frame": f"connection_id {of}",
                "any_change": "command_id IN (SELECT id FROM any_command "
                              f"WHERE session_id = {session})",
            }
            before = dump(trace, RECORDED + STATED + DECODED, where)
            assert dump(pulled, RECORDED + STATED + DECODED) == before
            tapedeck("rebuild", pulled)
            assert dump(pulled, DECODED) == {name: before[name] for name in DECODED}


def test_pull_a_connection_or_what_fits(lab: Lab, tmp_path: Path) -> None:
    """Of one recorder the connections of the rows with their numbers; of several all that fits."""
    trace = lab.traces[0]
    pulled = tmp_path / "one.tape"
    said = tapedeck("pull", lab.url, pulled, "--connection", "2", "--recorder",
                    lab.recorder(trace)).stdout
    assert "1 recorder, 1 session, 1 connection, " in said
    assert dump(pulled, ("chunk",)) == dump(trace, ("chunk",), {"chunk": "connection_id = 2"})
    assert lines(pulled) == lines(trace, "connection:2")
    busy = tmp_path / "busy.tape"
    tapedeck("pull", lab.url, busy, "fault:busy")
    assert dump(busy, STATED[:2])["fault_statement"]
    assert bare(lines(lab.url, "fault:busy")) == lines(busy, "fault:busy")
    found = tmp_path / "found.tape"
    said = tapedeck("pull", lab.url, found, "finding:*").stdout
    fitting = [trace for trace in lab.traces if lines(trace, "finding:*", "--side", "all")]
    assert said.startswith(f"{len(fitting)} recorders, ")
    count = sum(len(lines(trace, "finding:*")) for trace in fitting)
    assert len(lines(found, "finding:*")) == count > 0
    tapedeck("rebuild", found)
    assert len(lines(found, "finding:*")) == count


def test_random_sessions_come_back(clickhouse: ClickHouse, tmp_path: Path) -> None:
    """Sessions of clients of both protocols, one trace of all: every row is as it was."""
    count = int(os.environ.get("TAPEDECK_FLEET_SESSIONS", "3"))
    trace = tmp_path / "random.tape"
    programs = []
    try:
        for seed in range(count):
            server, url = listening("serve")
            programs.append(server)
            proxy, url = listening("record", trace, "--to", url, "--no-control")
            programs.append(proxy)
            drive(seed, url)
            assert proxy.stop() == 0, proxy.said()
            assert server.stop() == 0, server.said()
    finally:
        for each in programs:
            each.kill()
    tapedeck("diagnose", trace, status=None)
    url = clickhouse.url("random")
    tapedeck("ship", trace, "--to", url, "--no-redact")
    pulled = tmp_path / "pulled.tape"
    tapedeck("pull", url, pulled, "session:*")
    assert dump(pulled, RECORDED + STATED + DECODED) == dump(trace, RECORDED + STATED + DECODED)
    for seed in range(count):
        one = tmp_path / f"{seed}.tape"
        tapedeck("pull", url, one, "--session", str(seed + 1))
        assert lines(one, "--side", "all") == lines(trace, f"session:{seed + 1}", "--side", "all")


def test_a_pulled_trace_is_an_ordinary_one(lab: Lab, tmp_path: Path) -> None:
    """show, diagnose, state and ls work on it as on the trace that was shipped."""
    trace = next(each for each in lab.traces if each.stem == "offline-edits-merged")
    pulled = tmp_path / "pulled.tape"
    tapedeck("pull", lab.url, pulled, "--session", "1", "--recorder", lab.recorder(trace))
    for command in (("show", "1"), ("state",), ("diagnose",), ("ls",)):
        here = tapedeck(command[0], trace, *command[1:], status=None)
        there = tapedeck(command[0], pulled, *command[1:], status=None)
        assert (there.stdout.replace(str(pulled), str(trace)), there.returncode) == (
            here.stdout, here.returncode), command


def test_a_redacted_trace_comes_back_redacted(lab: Lab, tmp_path: Path) -> None:
    """Equal to what was shipped: the bytes of the redacted trace, which a pull gives back."""
    trace = tmp_path / "secret.tape"
    shutil.copy(lab.traces[0], trace)
    key = tmp_path / "key"
    key.write_bytes(bytes(range(32)))
    key.chmod(0o600)
    url = lab.server.url("redacted")
    tapedeck("ship", trace, "--to", url, "--redaction-key", key)
    pulled = tmp_path / "pulled.tape"
    tapedeck("pull", url, pulled, "session:*")
    (chunks,) = lab.server.rows("SELECT count(), sum(length(bytes)) FROM redacted.chunk")
    assert [int(value) for value in chunks] == list(
        sql(pulled, "SELECT count(*), sum(length(bytes)) FROM chunk")[0])
    assert int(chunks[0]) == sql(trace, "SELECT count(*) FROM chunk")[0][0]
    assert b"Authorization: Basic" not in b"".join(
        row[0] for row in sql(pulled, "SELECT bytes FROM chunk"))


def test_tail_follows_what_arrives(lab: Lab, tmp_path: Path,
                                   program: Callable[..., Program]) -> None:
    """What is shipped while it runs is printed, once; what was there before only with --all."""
    url = lab.server.url("tailed")
    first, second = tmp_path / "first.tape", tmp_path / "second.tape"
    shutil.copy(lab.traces[1], first)
    shutil.copy(lab.traces[2], second)
    tapedeck("ship", first, "--to", url, "--no-redact")
    probes = 0

    def asked() -> int:
        """Queries that others than this have made."""
        nonlocal probes
        probes += 1
        return int(lab.server.ask(
            "SELECT sum(value) FROM system.events WHERE event = 'SelectQuery'")) - probes

    before = asked()
    new = program(TAPEDECK, "tail", url, "--json")
    # Its first look takes fewer: what comes after that is new.
    eventually(lambda: asked() > before + 30, "several looks")
    everything = program(TAPEDECK, "tail", url, "--all", "--json", "kind:exchange")
    eventually(lambda: everything.output, "what was there")
    tapedeck("ship", second, "--to", url, "--no-redact")
    mine = lines(second)
    eventually(lambda: len(new.output) >= len(mine), "the new lines")
    # A look may come between two tables of one batch: each is in order then, not both together.
    came = bare([json.loads(line) for line in new.output])
    for kind in {row["kind"] for row in mine}:
        assert [row for row in came if row["kind"] == kind] == [row for row in mine if row["kind"] == kind]
    assert len(came) == len(mine)
    exchanges = len(lines(first, "kind:exchange")) + len(lines(second, "kind:exchange"))
    eventually(lambda: len(everything.output) >= exchanges, "all exchanges")
    assert len(everything.output) == exchanges
    for each in (new, everything):
        assert each.stop(signal.SIGINT) == 0


def test_views_are_of_the_findings(lab: Lab) -> None:
    """Rules with their clients, first and last time and versions, as the traces have them."""
    every = [(number, trace, *row) for number, trace in enumerate(lab.traces) for row in sql(
        trace, "SELECT f.rule, f.severity, s.started_unix_ns + f.at_ns FROM finding_statement f "
               "JOIN session s ON s.id = f.session_id")]
    assert every
    rules = view("rules", lab.url)
    assert {line["rule"]: (line["severity"], line["findings"], line["versions"]) for line in rules} == {
        rule: (next(row[3] for row in every if row[2] == rule),
               sum(row[2] == rule for row in every),
               ", ".join(sorted({f"3.{row[0] % 2}" for row in every if row[2] == rule})))
        for rule in {row[2] for row in every}}
    assert [line["findings"] for line in rules] == sorted(
        (line["findings"] for line in rules), reverse=True)
    clients = view("clients", lab.url)
    assert sum(line["findings"] for line in clients) == len(every)
    assert {line["rule"] for line in clients} == {line["rule"] for line in rules}
    first = min(row[4] for row in every)
    assert min(line["first_time"] for line in clients)[:19] == sql(
        lab.traces[0], "SELECT strftime('%Y-%m-%dT%H:%M:%S', ? / 1000000000, 'unixepoch')",
        first)[0][0]
    only = view("rules", lab.url, "label.app:3.1")
    assert sum(line["findings"] for line in only) == sum(row[0] % 2 == 1 for row in every)
    assert view("rules", lab.url, "at<2001-01-01") == []
    said = tapedeck("fleet", "rules", lab.url, "status:200", status=64).stderr
    assert "findings have no status" in said


def test_clients_that_lose_edits_and_loops(lab: Lab, tmp_path: Path) -> None:
    """A client is known by its device; losses and loops are those of their rules."""
    url = lab.server.url("losses")
    for number in range(3):
        trace = tmp_path / f"{number}.tape"
        shutil.copy(lab.traces[0], trace)
        database = sqlite3.connect(trace)
        database.execute("DELETE FROM finding_statement")
        rule = "simperium.story.lost-edit" if number < 2 else "commcare.story.412-loop"
        database.execute(
            "INSERT INTO finding_statement SELECT 1, session_id, 7, ?, 'error', request_chunk_id, "
            "request_offset, 'lost', 'kept' FROM any_exchange WHERE id = 1", (rule,))
        # Another trace, not a copy of the same.
        database.execute("UPDATE session SET started_unix_ns = started_unix_ns + ?", (number,))
        database.commit()
        database.close()
        tapedeck("ship", trace, "--to", url, "--no-redact", "--label", f"device=d{number}",
                 "--label", f"app={number + 1}.0")
    losses = view("losses", url)
    assert [(line["client"], line["rule"], line["version"]) for line in losses] == [
        ("d0", "simperium.story.lost-edit", "1.0"), ("d1", "simperium.story.lost-edit", "2.0")]
    (loop,) = view("loops", url)
    assert (loop["version"], loop["clients"], loop["findings"]) == ("3.0", 1, 1)


def test_every_query_of_the_dashboard_runs(lab: Lab) -> None:
    """The dashboard is JSON that Grafana imports, and its queries are about tables that there are."""
    board = json.loads(tapedeck("fleet", "dashboard").stdout)
    assert board["schemaVersion"] >= 30 and board["__inputs"][0]["type"] == "datasource"
    rows = 0
    for panel in board["panels"]:
        assert panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24
        (target,) = panel["targets"]
        query = target["rawSql"].replace("$__from", "1000000000000").replace(
            "$__to", "4000000000000")
        assert "$" not in query
        rows += len(lab.server.ask(query, database="lab").splitlines())
    assert rows > len(board["panels"])


def test_two_shards_answer_as_one(lab: Lab, tmp_path: Path) -> None:
    """Over a Distributed table: filters with subqueries, statistics, and bytes back from the shard."""
    servers = cluster(tmp_path)
    try:
        url = servers[0].url("spread", "?cluster=lab")
        traces = []
        for server in servers:
            tapedeck("ship", "--keep", "36500d", "--to", server.url("spread", "?cluster=lab"))
        for trace in lab.traces[:4]:
            traces.append(tmp_path / trace.name)
            shutil.copy(trace, traces[-1])
            tapedeck("ship", traces[-1], "--to", url, "--no-redact")
        counts = [int(each.ask("SELECT count() FROM spread.session_local")) for each in servers]
        assert sum(counts) == sum(sql(trace, "SELECT count(*) FROM session")[0][0] for trace in traces)
        for number, filter_text in enumerate(("fault:busy or finding:*", "key:* not operation:M")):
            there = lines(servers[number].url("spread", "?cluster=lab"), filter_text)
            for trace in traces:
                mine = [line for line in there if line["recorder"] == recorder_of(trace)]
                assert bare(mine) == lines(trace, filter_text), (trace.name, filter_text)
        merged = tmp_path / "merged.tape"
        tapedeck("merge", *traces, merged)
        assert (tapedeck("ls", url, "--stats", "--json").stdout
                == tapedeck("ls", merged, "--stats", "--json").stdout)
        assert view("rules", url)
        for trace in traces:
            pulled = tmp_path / f"pulled-{trace.name}"
            tapedeck("pull", url, pulled, f"recorder:{recorder_of(trace)}")
            assert dump(pulled, ("chunk",))["chunk"] == [
                row for row in dump(trace, ("chunk",))["chunk"]
                if row[1] in {each["connection_id"] for each in lines(trace, "--side", "all")}]
    finally:
        for server in servers:
            server.stop()


def test_what_is_wrong_is_said_in_a_line(lab: Lab, tmp_path: Path) -> None:
    """No table, no server, no such session, several recorders."""
    nowhere = "clickhouse://127.0.0.1:1/lab"
    assert "no answer from 127.0.0.1:1" in tapedeck("ls", nowhere, status=69).stderr
    empty = lab.server.url("never_shipped")
    assert "has no tables of a fleet" in tapedeck("ls", empty, status=65).stderr
    out = tmp_path / "out.tape"
    said = tapedeck("pull", lab.url, out, "--session", "1", status=64).stderr
    assert "recorders have that number: name one with --recorder" in said
    assert "nothing fits" in tapedeck("pull", lab.url, out, "status:999", status=64).stderr
    assert not out.exists()
    out.write_text("mine")
    assert "exists already" in tapedeck("pull", lab.url, out, "fault:busy", status=66).stderr
    assert out.read_text() == "mine"
    tapedeck("pull", lab.url, tmp_path / "x.tape", status=64)
    assert re.search("write clickhouse://", tapedeck("ls", "clickhouse://", status=64).stderr)
