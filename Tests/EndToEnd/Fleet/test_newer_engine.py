"""The same SQL with the engine of today, where `chdb` is installed: `pip install chdb`, 500 MB.

The engine runs in this process, behind the few words of HTTP that shipping needs.
"""

from __future__ import annotations

import json
import re
import threading
import urllib.parse
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from asking import FILTERS, bare, lines, view
from fleet import check_equal, recorder_of
from programs import ROOT, sql, tapedeck

chdb = pytest.importorskip("chdb.session")


class Engine:
    """A ClickHouse of today."""

    def __init__(self, folder: Path):
        self.session = chdb.Session(str(folder / "data"))
        self.rows = folder / "rows"
        self.queries: list[str] = []
        self.lock = threading.Lock()
        engine = self

        class Handler(BaseHTTPRequestHandler):
            """Answers one query."""

            protocol_version = "HTTP/1.1"
            wbufsize = -1

            def log_message(self, *_) -> None:
                """Keeps quiet."""

            def do_POST(self) -> None:
                """Runs it."""
                body = self.rfile.read(int(self.headers["Content-Length"]))
                parameters = dict(urllib.parse.parse_qsl(self.path.partition("?")[2]))
                try:
                    status, answer = 200, engine.run(body, parameters, self.headers)
                except RuntimeError as error:
                    status, answer = 500, str(error).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        """HOST:PORT."""
        return f"127.0.0.1:{self.server.server_address[1]}"

    def run(self, body: bytes, parameters: dict[str, str], fields) -> bytes:
        """Runs what came in a request."""
        query = parameters.get("query") or body.decode()
        if "multipart" in fields["Content-Type"]:
            boundary = fields["Content-Type"].partition("boundary=")[2].encode()
            part = body.partition(b"\r\n\r\n")[2].rpartition(b"\r\n--" + boundary)[0]
            self.rows.write_bytes(part)
            structure = parameters["data_structure"].replace("'", "''")
            query = re.sub(r"FROM data\b", f"FROM file('{self.rows}', 'RowBinary', '{structure}')",
                           query)
        with self.lock:
            self.queries.append(query)
            self.session.query(f"USE {parameters.get('database', 'default')}")
            form = re.search(r"\bFORMAT (\w+)\s*$", query)
            answer = self.session.query(query, form[1] if form else "TabSeparated")
        return bytes(answer.bytes() or b"")

    def answer(self, query: str) -> bytes:
        """The answer to a query, as `ClickHouse.answer` gives it."""
        form = re.search(r"\bFORMAT (\w+)\s*$", query)
        with self.lock:
            return bytes(self.session.query(query, form[1] if form else "TabSeparated").bytes())


@pytest.fixture(name="engine", scope="module")
def an_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """One for this module: there is one in a process."""
    engine = Engine(tmp_path_factory.mktemp("engine"))
    yield engine
    engine.server.shutdown()
    engine.session.close()


@pytest.mark.parametrize("name", ["first-sync-and-edits", "submission-with-attachment"])
def test_a_trace_arrives_whole(name: str, engine: Engine, tmp_path: Path) -> None:
    """Tables with codecs, conditional blocks, findings that are replaced, days that are deleted."""
    trace = tmp_path / "app.tape"
    tapedeck("import", ROOT / "Recordings" / name, trace)
    tapedeck("diagnose", trace, status=None)
    database = name.replace("-", "_")
    place = f"clickhouse://{engine.address}/{database}"
    for label in ("app=1", "app=2"):
        tapedeck("ship", trace, "--to", place, "--no-redact", "--label", label)
        check_equal(engine, database, trace)
    assert any("CODEC(Delta, ZSTD)" in query for query in engine.queries)
    tapedeck("diagnose", trace, status=None)
    tapedeck("ship", trace, "--to", place, "--no-redact")
    here = sql(trace, "SELECT count(*) FROM finding_statement")[0][0]
    there = engine.answer(f"SELECT count() FROM {database}.finding_statement WHERE recorder = "
                          f"'{recorder_of(trace)}'")
    assert int(there) == here
    said = tapedeck("ship", "--keep-chunks", "1s", "--to", place).stdout
    assert "the server goes on deleting" in said
    assert int(engine.answer(f"SELECT count() FROM {database}.chunk")) == 0
    assert int(engine.answer(f"SELECT count() FROM {database}.any_exchange")) > 0


def test_it_answers_what_the_traces_answer(engine: Engine, tmp_path: Path) -> None:
    """Filters, statistics, views, the dashboard and bytes that come back."""
    place = f"clickhouse://{engine.address}/asked"
    traces = []
    for number, name in enumerate(("offline-edits-merged", "submission-with-attachment")):
        traces.append(tmp_path / f"{name}.tape")
        tapedeck("import", ROOT / "Recordings" / name, traces[-1])
        tapedeck("diagnose", traces[-1], status=None)
        tapedeck("ship", traces[-1], "--to", place, "--no-redact", "--label", f"app=3.{number}")
    for text in FILTERS:
        there = lines(place, text)
        for trace in traces:
            mine = [line for line in there if line["recorder"] == recorder_of(trace)]
            assert bare(mine) == lines(trace, text), (trace.name, text)
    merged = tmp_path / "merged.tape"
    tapedeck("merge", *traces, merged)
    for more in (("--stats",), ("--group-by", "kind,status"), ("--group-by", "url")):
        assert (tapedeck("ls", place, *more, "--json").stdout
                == tapedeck("ls", merged, *more, "--json").stdout), more
    for name in ("rules", "clients", "losses", "loops"):
        view(name, place)
    for panel in json.loads(tapedeck("fleet", "dashboard").stdout)["panels"]:
        query = panel["targets"][0]["rawSql"].replace("$__from", "1000000000000").replace(
            "$__to", "4000000000000").replace("FROM ", "FROM asked.")
        engine.answer(query)
    pulled = tmp_path / "pulled.tape"
    tapedeck("pull", place, pulled, "--session", "1", "--recorder", recorder_of(traces[0]))
    assert lines(pulled) == lines(traces[0])
