"""Proves: a collector of OpenTelemetry gets a span for each exchange and a record for each finding."""

from __future__ import annotations

import base64
import fcntl
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from clickhouse import ClickHouse
from fleet import recorder_of
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from programs import ROOT, curl, environment, sql, tapedeck

MESSAGES = {"/v1/traces": ExportTraceServiceRequest, "/v1/logs": ExportLogsServiceRequest}
IDENTIFIERS = {"traceId", "spanId", "parentSpanId"}
PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def with_bytes(value: object) -> object:
    """Identifiers as JSON of Protocol Buffers has bytes; OTLP has them in hexadecimal digits."""
    if isinstance(value, list):
        return [with_bytes(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: base64.b64encode(bytes.fromhex(each)).decode() if name in IDENTIFIERS
            else with_bytes(each) for name, each in value.items()}


class Collector:
    """A collector that takes nothing but what the official messages take."""

    def __init__(self) -> None:
        self.received: dict[str, list] = {path: [] for path in MESSAGES}
        self.headers: list[dict[str, str]] = []
        self.status = 200
        self.answer = b"{}"
        collector = self

        class Handler(BaseHTTPRequestHandler):
            """Parses what is posted."""

            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                """Takes one request."""
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.headers.append(dict(self.headers))
                status, answer = collector.status, collector.answer
                try:
                    message = ParseDict(with_bytes(json.loads(body)), MESSAGES[self.path]())
                    if status == 200:
                        collector.received[self.path].append(message)
                except Exception as error:
                    status, answer = 400, str(error).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_) -> None:
                """Says nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def spans(self) -> list:
        """The spans, with the resource of each."""
        return [(group.resource, span) for message in self.received["/v1/traces"]
                for group in message.resource_spans for scope in group.scope_spans
                for span in scope.spans]

    def records(self) -> list:
        """The log records."""
        return [record for message in self.received["/v1/logs"]
                for group in message.resource_logs for scope in group.scope_logs
                for record in scope.log_records]


@pytest.fixture
def collector() -> Iterator[Collector]:
    """A running collector."""
    running = Collector()
    yield running
    running.server.shutdown()


def values(attributes) -> dict[str, object]:
    """Attributes by name."""
    return {each.key: each.value.string_value if each.value.HasField("string_value")
            else each.value.int_value for each in attributes}


@pytest.fixture
def recorded(record, origin) -> Path:
    """Exchanges, one of which belongs to a trace of its client, with a finding about another."""
    proxy = record("--to", origin.url, "--fault", "path:/busy => 503 name=busy")
    curl(f"{proxy.url}/hello", f"{proxy.url}/busy?q=a%20b")
    curl("-A", "Visitor/1", "-H", f"traceparent: {PARENT}", f"{proxy.url}/hello")
    curl("-u", "user:very-secret-word", f"{proxy.url}/hello?password=very-secret-word")
    proxy.finish()
    return proxy.trace


def test_spans_and_records(recorded: Path, collector: Collector) -> None:
    """Times, status, attributes and identifiers are those of the exchanges and findings."""
    said = tapedeck("export", recorded, "--otlp", collector.url, "--secrets",
                    env=environment(OTEL_EXPORTER_OTLP_HEADERS="x-key=a%20b, other=c"))
    rows = sql(recorded, "SELECT x.id, x.method, x.url, x.status, s.started_unix_ns + x.started_ns, "
                         "s.started_unix_ns + x.ended_ns FROM exchange x JOIN session s "
                         "ON s.id = x.session_id ORDER BY x.id")
    spans = collector.spans()
    assert f"{len(rows)} spans and " in said.stderr
    assert len(spans) == len(rows) == 4
    for (resource, span), (number, method, url, status, started, ended) in zip(spans, rows):
        found = values(span.attributes)
        assert (found["tapedeck.exchange"], found["http.request.method"], found["url.full"],
                found["http.response.status_code"]) == (number, method, url, status)
        assert (span.start_time_unix_nano, span.end_time_unix_nano) == (started, ended)
        assert span.kind == 3 and len(span.trace_id) == 16 and len(span.span_id) == 8
        assert (span.status.code == 2) == (status >= 400)
        assert values(resource.attributes)["service.name"] == "tapedeck"
    assert len({span.span_id for _, span in spans}) == 4
    first, busy, joined, _ = (span for _, span in spans)
    assert first.trace_id == busy.trace_id != joined.trace_id
    assert joined.trace_id.hex() == PARENT.split("-")[1]
    assert joined.parent_span_id.hex() == PARENT.split("-")[2]
    assert values(joined.attributes)["user_agent.original"] == "Visitor/1"
    assert values(busy.attributes)["tapedeck.faults"] == "busy"
    assert all(each["X-Key"] == "a b" and each["Other"] == "c" for each in (
        {name.title(): value for name, value in headers.items()} for headers in collector.headers))


def test_findings_are_log_records(collector: Collector, tmp_path: Path) -> None:
    """Severity, text and rule of each finding, beside the span of the exchange that shows it."""
    trace = tmp_path / "app.tape"
    tapedeck("import", ROOT / "Recordings" / "restore-in-progress", trace)
    tapedeck("diagnose", trace, status=None)
    Path(f"{trace}.ship").touch()  # As a shipper leaves it that ends at once.
    tapedeck("export", trace, "--otlp", collector.url, "--secrets")
    spans = collector.spans()
    findings = sql(trace, "SELECT id, rule, severity, message, exchange_id FROM finding ORDER BY id")
    records = collector.records()
    assert len(records) == len(findings) > 0
    for log, (number, rule, severity, message, exchange) in zip(records, findings):
        found = values(log.attributes)
        assert (found["tapedeck.finding"], found["tapedeck.rule"]) == (number, rule)
        assert log.body.string_value == message
        assert log.severity_number == {"error": 17, "warning": 13, "info": 9}[severity]
        if exchange:
            assert log.span_id in {span.span_id for _, span in spans
                                   if values(span.attributes)["tapedeck.exchange"] == exchange}


def test_secrets_stay(recorded: Path, collector: Collector, clickhouse: ClickHouse) -> None:
    """Without --secrets they are replaced before they leave; identity and labels are the fleet's."""
    tapedeck("export", recorded, "--otlp", collector.url)
    first = [span.span_id for _, span in collector.spans()]
    assert len(first) == 4
    assert not any(b"very-secret-word" in message.SerializeToString()
                   for messages in collector.received.values() for message in messages)
    tapedeck("export", recorded, "--otlp", collector.url)
    assert [span.span_id for _, span in collector.spans()] == first * 2
    tapedeck("ship", recorded, "--to", clickhouse.url("telemetry"), "--no-redact",
             "--label", "app=3.2")
    tapedeck("export", recorded, "--otlp", collector.url, "status:503")
    resource, span = collector.spans()[-1]
    assert len(collector.spans()) == 9
    assert values(resource.attributes)["tapedeck.label.app"] == "3.2"
    with open(f"{recorded}.ship", "rb") as ledger:
        fcntl.flock(ledger, fcntl.LOCK_EX)  # As while it is shipped.
        tapedeck("export", recorded, "--otlp", collector.url, "status:503")
    again, _ = collector.spans()[-1]
    assert len(collector.spans()) == 10 and again == resource
    assert values(resource.attributes)["service.instance.id"] == recorder_of(recorded)
    assert values(span.attributes)["http.response.status_code"] == 503


def test_what_a_collector_says_is_passed_on(recorded: Path, collector: Collector) -> None:
    """No collector, an error, a part that it refuses; and a wrong address."""
    collector.answer = b'{"partialSuccess": {"rejectedSpans": "3", "errorMessage": "full"}}'
    assert "refused 3" in tapedeck("export", recorded, "--otlp", collector.url, "--secrets").stderr
    collector.status, collector.answer = 503, b"later"
    copy = recorded.with_name("copy.tape")
    copy.write_bytes(recorded.read_bytes())
    said = tapedeck("export", copy, "--otlp", collector.url, "--secrets", status=75).stderr
    assert "answers with status 503: later" in said
    assert "no answer from" in tapedeck(
        "export", copy, "--otlp", "http://127.0.0.1:1", "--secrets", status=69).stderr
    for wrong in ("127.0.0.1:4318", "http://", "http://a?b"):
        tapedeck("export", copy, "--otlp", wrong, "--secrets", status=64)
    collector.status, collector.answer = 200, b"{}"
    tapedeck("export", copy, "--otlp", collector.url, "--secrets")
    assert len(collector.spans()) == 8
