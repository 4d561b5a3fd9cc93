"""What shipping costs on this side, and how fast a fleet of ten million exchanges answers."""

from __future__ import annotations

import importlib.util
import os
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from http_load import running_origin
from inspector_page import Steady
from listing_load import record_exchanges, scalar
from programs import ROOT, Tapedeck


EXCHANGES = 10_000_000
SHIPPED = 200_000
# Microseconds of processor time for an exchange, exchanges a second, seconds for a query.
COST, RATE, ANSWER = 10.0, 8_000, 0.2
DAY = 20_780

# A million exchanges of a day: 100 recorders, 40 hosts, 500 devices, 8 versions of an app.
FILL = """
INSERT INTO bench.any_exchange SELECT
  concat('recorder-', lower(hex(sipHash128(toString(r))))), toDate({day}),
  toInt64({day}) * 86400000000000 + toInt64(i * 86400000), toInt64(intDiv(i, 20000)),
  toInt64({day}), toInt64({day} * 1000000 + i), toInt64(intDiv(i, 20)), toInt64(i),
  if(h % 5 = 0, 'commcare.submit', if(h % 5 = 1, 'commcare.restore', 'http')),
  if(h % 3 = 0, 'POST', 'GET'), 'https', concat('host', toString(h % 40), '.example.org'),
  toInt64(443), concat('/a/demo/receiver/', toString(h % 1000)),
  if(h % 4 = 0, concat('v=', toString(h % 100)), NULL), 'HTTP/1.1',
  toInt64(multiIf(h % 100 < 90, 200, h % 100 < 94, 201, h % 100 < 97, 404, h % 100 < 99, 412, 503)),
  'OK', toInt64(i * 86400000), toInt64(i * 86400000 + 1000000), toInt64(i * 86400000 + 3000000),
  toInt64(i * 86400000 + 5000000), toInt64(h % 3000), toInt64(h % 9000), 'complete', NULL, NULL,
  concat('device-', toString(h % 500)), 0, toInt64(2 * i), 0, toInt64(2 * i + 1), 0,
  concat('user', toString(h % 300)), 'both', 'same', NULL, ['app', 'build'],
  [concat('3.', toString(r % 8)), toString(r)], ['host', 'user-agent', 'content-type'],
  [concat('host', toString(h % 40), '.example.org'), concat('CommCare/2.5', toString(r % 8)),
   'application/json'], ['content-type', 'date'], ['application/json', toString(i)], NULL, 0, '',
  concat('{{"id":"', hex(toUInt64(h)), '","value":', toString(h % 100000), ',"text":"',
         toString(sipHash64(i)), '"}}'), 1,
  concat(' id ', lower(hex(toUInt64(h))), ' value ', toString(h % 100000), ' text ', toString(sipHash64(i)), ' ')
FROM (SELECT number AS i, toInt64(intHash64(number + {day} * 7777777) % 1000000007) AS h,
             intDiv(number, 10000) AS r FROM numbers(1000000))
"""
FINDINGS = """
INSERT INTO bench.finding_statement SELECT recorder, day, at_unix_ns, batch, session_id, id,
  started_ns, if(id % 3 = 0, 'cc.submit.412-loop', 'simperium.lost-edit'),
  if(id % 7 = 0, 'error', 'warning'), request_chunk_id, 0, 'what', 'that',
  label.name, label.value, id, NULL, device, host, request_header.value[2]
FROM bench.any_exchange WHERE id % 1000 = 0
"""
SHOWN = "recorder, id, at_unix_ns, method, host, path, status"
QUESTIONS = {
    "day": "day = toDate({day}) AND at_unix_ns >= {day} * 86400000000000 ORDER BY at_unix_ns LIMIT 100",
    "host": "host = 'host7.example.org' LIMIT 100",
    "status": "status = 503 LIMIT 100",
    "status of a day, all of it counted": "day = toDate({day}) AND status = 412",
    "label": "label.value[indexOf(label.name, 'app')] = '3.2' LIMIT 100",
    "finding": "(recorder, request_chunk_id, request_offset) IN (SELECT recorder, chunk_id, "
               "offset FROM bench.finding_statement WHERE severity = 'error') LIMIT 100",
    "host that is nowhere": "host = 'nowhere.example.org' LIMIT 100",
    "label and status": "label.value[indexOf(label.name, 'app')] = '3.2' AND status = 412 LIMIT 100",
}


def _tests(name: str):
    """A module of the tests, which has a `programs` of its own."""
    mine = sys.modules.pop("programs", None)
    try:
        for each in ("programs", name):
            file = ROOT / f"Tests/EndToEnd/{each}.py"
            spec = importlib.util.spec_from_file_location(file.stem, file)
            module = importlib.util.module_from_spec(spec)
            sys.modules[file.stem] = module
            spec.loader.exec_module(module)
        return module
    finally:
        if mine:
            sys.modules["programs"] = mine


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows of this part."""
    server = _tests("Fleet/clickhouse").ClickHouse(folder / "clickhouse")
    try:
        _shipping(table, program, folder, server, SHIPPED // 10 if quick else SHIPPED)
        _beside(table, program, folder, server, 10 if quick else 60)
        _asking(table, server, 1 if quick else EXCHANGES // 1_000_000)
    finally:
        server.stop()


def _shipping(table, program: Path, folder: Path, server, count: int) -> None:
    trace = folder / "fleet.tape"
    record_exchanges(program, folder, trace, count)
    exchanges = scalar(trace, "SELECT count(*) FROM any_exchange")
    began = time.monotonic()
    with subprocess.Popen([program, "ship", trace, "--to", server.url("bench"), "--no-redact"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - began
    if process.returncode:
        raise RuntimeError(f"ship ended with {process.returncode}")
    there = int(server.ask("SELECT count() FROM bench.any_exchange"))
    cost = (usage.ru_utime + usage.ru_stime) / exchanges * 1e6
    table.add("fleet shipping, processor time", f"{cost:.1f} µs an exchange, "
              f"{usage.ru_maxrss / 1024:.0f} MB", f"<= {COST:.0f} µs", cost <= COST)
    rate = exchanges / seconds
    table.add("fleet shipping", f"{rate:,.0f} exchanges/s, {there:,} of {exchanges:,} there",
              f">= {RATE:,}", rate >= RATE and there == exchanges)
    size = int(server.ask("SELECT sum(bytes_on_disk) FROM system.parts WHERE database = 'bench' "
                          "AND active"))
    table.add("fleet bytes on disk of an exchange", f"{size / exchanges:,.0f} in ClickHouse, "
              f"{trace.stat().st_size / exchanges:,.0f} in SQLite")
    for name in ("any_exchange", "finding_statement"):
        server.ask(f"TRUNCATE TABLE bench.{name}")


def _beside(table, program: Path, folder: Path, server, seconds: int) -> None:
    """How far behind a recording of so many exchanges a second is that is shipped meanwhile."""
    work = folder / "beside"
    work.mkdir()
    with ExitStack() as cleanup:
        origin = cleanup.enter_context(running_origin(work))
        trace = work / "beside.tape"
        deck = Tapedeck(program, work, trace, "--to", origin, "--ship", server.url("beside"), "--no-redact")
        cleanup.callback(deck.stop)
        load = Steady(deck.port, RATE)
        load.start()
        behind = []
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            time.sleep(1)
            recorded = scalar(trace, "SELECT max(id) FROM any_exchange") or 0
            there = int(server.ask("SELECT count() FROM beside.any_exchange")) if _is_there(server) else 0
            behind.append(recorded - there)
        rate = load.sent / (time.monotonic() - began)
        load.over.set()
        load.join(30)
    half = behind[len(behind) // 2:]
    table.add("fleet shipping beside recording", f"{rate:,.0f} exchanges/s for {seconds} s; {statistics.median(half) / rate:.1f} s behind, "
              f"at most {max(half) / rate:.1f} s", f"{RATE:,}/s, not falling behind", max(half) <= 10 * RATE)


def _is_there(server) -> bool:
    """Whether the recording has made its tables."""
    return server.ask("SELECT count() FROM system.tables WHERE database = 'beside' AND name = 'any_exchange'") == "1"


def _asking(table, server, days: int) -> None:
    for day in range(DAY, DAY + days):
        server.ask(FILL.format(day=day), max_threads="2")
    server.ask(FINDINGS)
    rows = int(server.ask("SELECT count() FROM bench.any_exchange"))
    table.add("fleet exchanges in the server", f"{rows:,} in {days} days")
    for name, condition in QUESTIONS.items():
        shown = "count()" if "counted" in name else SHOWN
        query = f"SELECT {shown} FROM bench.any_exchange WHERE {condition.format(day=DAY)}"
        times = []
        for _ in range(21):
            began = time.monotonic()
            server.ask(query, max_threads="2")
            times.append(time.monotonic() - began)
        half, late = statistics.median(times), sorted(times)[19]
        table.add(f"fleet question: {name}", f"{half * 1000:.0f} ms, p95 {late * 1000:.0f} ms",
                  f"<= {ANSWER * 1000:.0f} ms", late <= ANSWER)
