"""Proves: the API of the inspector says what the commands say, follows a recording, and lets nobody else in."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
import requests
from inspecting import Inspector, listed, names, news
from programs import DEADLINE, ROOT, TAPEDECK, Program, environment, eventually, sql, tapedeck

RECORDINGS = sorted(path.name for path in (ROOT / "Recordings").iterdir() if path.is_dir())


@pytest.fixture(scope="module", name="traces")
def traces_fixture(tmp_path_factory) -> list[Path]:
    """All recordings."""
    folder = tmp_path_factory.mktemp("inspected")
    made = []
    for name in RECORDINGS:
        made.append(folder / f"{name}.tape")
        tapedeck("import", ROOT / "Recordings" / name, made[-1])
    return made


@pytest.fixture(scope="module", name="inspector")
def inspector_fixture(traces):
    """An inspector of them."""
    started = Inspector.of(*traces)
    yield started
    started.close()


def test_rows_are_those_of_ls(inspector, traces) -> None:
    described = inspector.get("/v1/traces")
    assert [trace["name"] for trace in described["traces"]] == [trace.name for trace in traces]
    for number, trace in enumerate(traces, 1):
        for text in ("", "status>=400 or command:c", "api:commcare.restore", "text:note"):
            lines = tapedeck("ls", trace, *([text] if text else []), "--json").stdout.splitlines()
            rows = inspector.rows(text, number)
            assert names(rows) == [listed(line) for line in lines], (trace.name, text)
            for row, line in zip(rows, map(json.loads, lines)):
                same = set(row) & set(line) - {"name", "at_ns", "ended_ns", "is_local", "payload"}
                assert {name: row[name] for name in same} == {name: line[name] for name in same}


def test_a_row_is_what_show_prints(inspector, traces) -> None:
    for number, trace in list(enumerate(traces, 1))[::2]:
        rows = inspector.rows("", number)
        for row in rows[:3] + rows[-2:]:
            name = row["name"]
            found = inspector.get(f"/v1/traces/{number}/rows/{name}")
            assert found["row"] == row
            assert found["text"] == tapedeck("show", trace, name).stdout
            assert found["detail"] == json.loads(tapedeck("show", trace, name, "--json").stdout)
            stored = inspector.get(f"/v1/traces/{number}/rows/{name}/sql")["queries"]
            assert stored and stored[0]["rows"][0][0] == int(name.lstrip("cm"))
        first = next(row for row in rows if row["kind"] == "exchange")["name"]
        path = f"/v1/traces/{number}/rows/{first}"
        assert inspector.ask(f"{path}/curl").text == tapedeck("show", trace, first, "--curl").stdout
        assert inspector.ask(f"{path}/raw?side=client").content == tapedeck(
            "show", trace, first, "--raw", "--side", "client", text=False).stdout
        archive = inspector.ask(f"{path}/har").json()
        assert len(archive["log"]["entries"]) == 1
    assert inspector.get("/v1/traces/1/rows/k1")["text"] == tapedeck("show", traces[0], "k1").stdout
    inspector.ask("/v1/traces/1/rows/999999", status=404)
    inspector.ask("/v1/traces/1/rows/x", status=400)


def test_whole_traces_are_read_as_by_commands(inspector, traces) -> None:
    for number, trace in enumerate(traces, 1):
        found = inspector.get(f"/v1/traces/{number}/findings")
        lines = [json.loads(line) for line in tapedeck("diagnose", trace, "--json", status=None).stdout.splitlines()]
        known = [line for line in lines if line.get("kind") != "undecided"]
        assert [each["rule"] for each in found["findings"]] == [each["rule"] for each in known]
        marked = {row["name"] for row in inspector.rows("", number) if row["findings"]}
        evidence = {step["row"] for each in found["findings"] for step in each["steps"] if step["row"]}
        assert marked <= evidence and (marked or not evidence)
        state = inspector.get(f"/v1/traces/{number}/state")
        assert state["lines"] == [json.loads(line) for line in tapedeck("state", trace, "--json").stdout.splitlines()]
    compared = inspector.get("/v1/traces/1/compare?with=2")
    assert compared["differs"] and compared["lines"]
    assert not inspector.get("/v1/traces/1/compare?with=1")["differs"]
    inspector.ask("/v1/traces/1/compare?with=99", status=404)
    report = inspector.ask("/v1/traces/1/report?filter=command:c")
    assert b"<title>" in report.content and "attachment" in report.headers["Content-Disposition"]


def test_versions_of_an_object(inspector, traces) -> None:
    number = RECORDINGS.index("first-sync-and-edits") + 1
    state = inspector.get(f"/v1/traces/{number}/state")["lines"]
    known = {line["key"]: line for line in state if line["kind"] == "object" and line["client"] is None}
    assert known
    for key, line in known.items():
        versions = inspector.get(f"/v1/traces/{number}/objects", params={"bucket": line["bucket"], "key": key})["versions"]
        last = [each for each in versions if each["data"] is not None][-1:]
        assert not last or (last[0]["data"], last[0]["version"]) == (line["data"], line["version"])
    changed = [key for key in known if len(inspector.get(
        f"/v1/traces/{number}/objects", params={"bucket": "notes", "key": key})["versions"]) > 1]
    assert changed


def test_what_happened_to_a_case(inspector) -> None:
    number = RECORDINGS.index("state-hash-mismatch") + 1
    cases = [line["case"] for line in inspector.get(f"/v1/traces/{number}/state")["lines"] if line["kind"] == "case"]
    assert cases
    rows = {row["name"] for row in inspector.rows("kind:exchange", number)}
    for case in cases:
        versions = inspector.get(f"/v1/traces/{number}/objects", params={"case": case["case_id"]})["versions"]
        assert versions and {each["row"] for each in versions} <= rows, case
        named = [each["case_name"] for each in versions if each["case_name"]]
        assert case["case_name"] in named


def test_filters_fields_and_values(inspector) -> None:
    fields = {field["name"]: field for field in inspector.get("/v1/fields")["fields"]}
    assert fields["status"]["kind"] == "integer" and "client" in fields["sender"]["values"]
    number = RECORDINGS.index("first-sync-and-edits") + 1
    values = inspector.get(f"/v1/traces/{number}/values?field=bucket")["values"]
    assert values[0]["value"] == "notes" and values[0]["count"] > 1
    wrong = inspector.get("/v1/filter", params={"text": "status:503 nofield:x"}, status=400)["error"]
    place = wrong["place"]
    assert place["text"][place["start"]:place["end"]] == "nofield", wrong
    assert inspector.get("/v1/filter", params={"text": "status:503"})["fields"] == ["status"]
    inspector.ask("/v1/traces/1/listings", "POST", 400, json={"filter": "("})
    inspector.ask("/v1/traces/1/listings/99/rows", status=404)
    inspector.ask("/v1/traces/1/listings", "PUT", 405)


def test_a_timeline_counts_every_row(inspector) -> None:
    for number in range(1, len(RECORDINGS) + 1):
        count = len(inspector.rows("", number))
        for by in ("connection", "client", "bucket"):
            shown = inspector.get(f"/v1/traces/{number}/timeline?by={by}")
            spans = [span for lane in shown["lanes"] for span in lane["spans"]]
            assert len(spans) == count, by
        start = shown["from_ns"] + (shown["to_ns"] - shown["from_ns"]) // 2
        half = inspector.get(f"/v1/traces/{number}/timeline?from_ns={start}")
        for lane in half["lanes"]:
            for at, ended, *_ in lane["spans"]:
                assert (ended or at) >= start


def test_a_timeline_of_a_filter_has_its_rows(inspector) -> None:
    for number in range(1, len(RECORDINGS) + 1):
        for text in ("kind:exchange", "command:c sender:client", "status>=400 or error:*"):
            rows = inspector.rows(text, number)
            shown = inspector.get(f"/v1/traces/{number}/timeline", params={"filter": text})
            assert sorted(span[2] for lane in shown["lanes"] for span in lane["spans"]) == sorted(names(rows))
    inspector.ask("/v1/traces/1/timeline?filter=(", status=400)


def test_counts_are_counts(inspector, traces) -> None:
    for described, trace in zip(inspector.get("/v1/traces")["traces"], traces):
        for kind in ("exchange", "command", "message"):
            assert described[f"{kind}s"] == sql(trace, f"SELECT count(*) FROM any_{kind}")[0][0], (trace.name, kind)


def test_missing_bytes_are_marked(traces, tmp_path) -> None:
    trace = tmp_path / "missing.tape"
    trace.write_bytes(traces[0].read_bytes())
    (session, connection, start), = sql(
        trace, "SELECT session_id, connection_id, started_ns FROM any_exchange WHERE id = 1")
    with closing(sqlite3.connect(trace)) as writer, writer:
        writer.execute("INSERT INTO gap VALUES (1, ?, ?, NULL, 0, 0, 0, ?, ?, 10, 1, 'not-captured')",
                       (session, connection, start, start))
    found = Inspector.of(trace)
    try:
        marked = {row["name"] for row in found.rows() if "gap not-captured" in row["marks"]}
        assert "1" in marked
        # What came later over that connection is whole.
        assert marked == {row["name"] for row in found.rows() if row["connection_id"] == connection
                          and row["at_ns"] <= start and (row["ended_ns"] is None or row["ended_ns"] >= start)}
        shown = [mark for mark in found.get("/v1/traces/1/timeline")["marks"] if mark["kind"] == "gap"]
        assert [(mark["text"], mark["connection_id"]) for mark in shown] == [("not-captured", connection)]
    finally:
        found.program.kill()


def test_known_findings_are_kept_in_a_baseline(traces, tmp_path) -> None:
    trace = traces[RECORDINGS.index("state-hash-mismatch")]
    file = tmp_path / "known.baseline"
    found = Inspector.of(trace, options=("--baseline", str(file)))
    assert found.get("/v1/traces/1/baseline") == {"path": str(file), "is_there": False, "can_write": True, "text": ""}
    findings = found.get("/v1/traces/1/findings")["findings"]
    assert findings and not any(each["is_known"] for each in findings)
    marked = [row["name"] for row in found.rows() if row["findings"]]
    assert marked
    shown = found.get("/v1/traces/1/timeline")["marks"]
    assert [mark["row"] for mark in shown if mark["kind"] == "finding"] and marked
    first = findings[0]
    text = f"{first['rule']} {first['fingerprint']} # known\n"
    assert found.ask("/v1/traces/1/baseline", "PUT", json={"text": text}).json()["is_there"]
    assert file.read_text() == text
    assert [each["is_known"] for each in found.get("/v1/traces/1/findings")["findings"]] == [
        (each["rule"], each["fingerprint"]) == (first["rule"], first["fingerprint"]) for each in findings]
    assert not any(first["name"] in row["findings"] for row in found.rows())
    # It is the file that `diagnose` takes, and one that it wrote is read.
    left = tapedeck("diagnose", trace, "--json", "--baseline", file, status=None).stdout
    assert first["fingerprint"] not in left
    tapedeck("diagnose", trace, "--write-baseline", file, status=None)
    assert all(each["is_known"] for each in found.get("/v1/traces/1/findings")["findings"]) or \
        found.get("/v1/traces/1/baseline")["text"] == file.read_text()
    assert all(each["is_known"] for each in found.get("/v1/traces/1/findings")["findings"])
    wrong = found.ask("/v1/traces/1/baseline", "PUT", 400, json={"text": "no line of one\n"}).json()["error"]
    assert wrong["code"] == "bad-baseline" and "line 1" in wrong["message"]
    found.ask("/v1/traces/1/baseline", "PUT", 400, json={})
    found.close()


def test_two_sessions_are_compared(record, origin) -> None:
    for path in ("/first", "/second"):
        proxy = record("--to", origin.url)
        for each in ("/both", path):
            requests.get(proxy.url + each, timeout=DEADLINE)
        proxy.finish()
    found = Inspector.of(proxy.trace)
    compared = found.get("/v1/traces/1/compare?session=1&with_session=2")
    assert compared["differs"]
    text = json.dumps([line for line in compared["lines"] if "change" in line])
    assert "/first" in text and "/second" in text and "/both" not in text
    assert not found.get("/v1/traces/1/compare?session=2&with_session=2")["differs"]
    assert found.get("/v1/traces/1/compare?session=1")["differs"]
    found.ask("/v1/traces/1/compare?session=1&with_session=9", status=500)
    found.close()


def test_clients_say_whether_they_trust(record, tls_origin, certificates, trust) -> None:
    proxy = record("--to", tls_origin.url, "--server-ca", certificates.authority)
    address = f"https://localhost:{proxy.port}"
    found = Inspector.of(proxy.trace)
    with pytest.raises(requests.exceptions.SSLError):
        requests.get(address + "/x", timeout=DEADLINE)
    eventually(lambda: found.get("/v1/traces/1/clients")["clients"][:1]
               and found.get("/v1/traces/1/clients")["clients"][0]["tls_failed"], "the failure")
    known = found.get("/v1/traces/1/clients")
    assert known["clients"][0]["last_tls"]["kind"] == "tls-failed" and known["clients"][0]["last_tls"]["detail"]
    assert known["listeners"] == [{"address": proxy.address, "mode": "reverse"}]
    requests.get(address + "/x", timeout=DEADLINE, verify=str(trust), headers={"User-Agent": "phone/7"})
    client = eventually(lambda: [each for each in found.get("/v1/traces/1/clients")["clients"] if each["tls"]], "TLS")[0]
    assert client["client"] == "127.0.0.1" and client["tls_failed"] == 1 and client["connections"] == 2
    assert client["last_tls"]["kind"] == "tls"
    eventually(lambda: found.get("/v1/traces/1/clients")["clients"][0]["agent"] == "phone/7", "what it says it is")
    proxy.finish()
    found.close()


def test_a_recording_is_followed_and_controlled(record, origin) -> None:
    proxy = record("--to", origin.url, "--inspect-listen", "127.0.0.1:0")
    inspector = Inspector(proxy)
    listing = inspector.listing()
    with inspector.live() as live:
        live.send(json.dumps({"subscribe": {"trace": 1, "listing": listing, "cursor": 0}}))
        with socket.create_connection(("127.0.0.1", proxy.port)) as line:
            line.sendall(b"GET /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n")
            said = news(live, listing, lambda message: message["count"] == 1)
            row = inspector.get(f"/v1/traces/1/listings/{listing}/rows")["rows"][0]
            assert row["is_open"] and row["status"] is None
            line.sendall(b"hello")
            line.recv(100)
            said = news(live, listing, lambda message: message["changed"])
            assert said[-1]["changed"] == ["1"] and said[-1]["count"] == 1
        row = inspector.get(f"/v1/traces/1/listings/{listing}/rows")["rows"][0]
        assert not row["is_open"] and row["status"] == 200
        cursor = said[-1]["changes"]
    # Ten pages at once: a browser opens no more than six connections of HTTP/1.1 to a host.
    with ExitStack() as pages:
        for live in [pages.enter_context(inspector.live()) for _ in range(10)]:
            live.send(json.dumps({"subscribe": {"trace": 1, "listing": listing, "cursor": 0}}))
            assert news(live, listing, lambda message: message["count"] == 1)
    # What came while the page slept is said when it is back.
    requests.get(proxy.url + "/again", timeout=DEADLINE)
    eventually(lambda: inspector.get(f"/v1/traces/1/listings/{listing}")["count"] == 2, "the second exchange")
    with inspector.live() as live:
        live.send(json.dumps({"subscribe": {"trace": 1, "listing": listing, "cursor": cursor}}))
        assert news(live, listing, lambda message: message["count"] == 2)
        live.send(json.dumps({"subscribe": {"trace": 1, "listing": 77}}))
        assert json.loads(live.recv(timeout=DEADLINE))["error"] == "no-listing"
        live.send("nonsense")
        assert json.loads(live.recv(timeout=DEADLINE))["error"] == "bad-message"
    control = "/v1/traces/1/control/v1/rules"
    inspector.ask(control, "POST", 201, data="path:/again => 503 name=no", headers={"Content-Type": "text/plain"})
    assert [rule["name"] for rule in inspector.get(control)["rules"]] == ["no"]
    assert requests.get(proxy.url + "/again", timeout=DEADLINE).status_code == 503
    eventually(lambda: any("fault no" in row["marks"] for row in inspector.rows()), "the mark of a fault")
    proxy.finish()


def test_a_replay_is_started_and_stopped(inspector) -> None:
    number = RECORDINGS.index("submission-with-attachment") + 1
    path = f"/v1/traces/{number}/replay"
    assert inspector.get(path)["is_running"] is False
    started = inspector.ask(path, "POST").json()
    assert started["is_running"]
    host, _, port = started["address"].removeprefix("http://").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=DEADLINE):
        pass
    assert inspector.ask(path, "DELETE").json()["is_running"] is False
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)), timeout=DEADLINE)


def test_every_operation_answers_as_described(inspector) -> None:
    number = inspector.listing()
    listing = f"/v1/traces/1/listings/{number}"
    for path in ("/v1/traces", "/v1/fields", "/v1/filter?text=status:503", "/v1/setup",
                 "/v1/traces/1/values?field=host", listing, f"{listing}/rows", f"{listing}/place?row=1",
                 "/v1/traces/1/objects?case=none", "/v1/traces/1/timeline?width=10", "/v1/traces/1/state?at=1s",
                 "/v1/traces/1/findings", "/v1/traces/1/compare?with=2", "/v1/traces/1/report",
                 "/v1/traces/1/replay", "/v1/traces/1/clients", "/v1/traces/1/baseline",
                 "/v1/traces/1/timeline?filter=kind:exchange", "/v1/traces/1/state?at=0.000000s"):
        inspector.ask(path)
    for part in ("", "/content?side=client", "/content?as=download", "/raw", "/curl", "/har", "/text", "/sql"):
        inspector.ask(f"/v1/traces/1/rows/1{part}")
    inspector.ask("/v1/traces/1/replay", "POST")
    inspector.ask("/v1/traces/1/replay", "DELETE")
    inspector.ask("/v1/traces/1/baseline", "PUT", json={"text": ""})
    inspector.ask(listing, "DELETE", 204)
    operations = {item[method]["operationId"] for path, item in inspector.description.document["paths"].items()
                  if "/control/" not in path for method in item if method != "parameters"}
    assert operations <= inspector.description.met, operations - inspector.description.met


def test_a_browser_is_opened(traces, tmp_path) -> None:
    browser = tmp_path / "xdg-open"
    browser.write_text(f"#!/bin/sh\nprintf %s \"$1\" > {tmp_path}/new && mv {tmp_path}/new {tmp_path}/opened\n")
    browser.chmod(0o755)
    variables = environment(PATH=f"{tmp_path}:{os.environ['PATH']}")
    found = Inspector(Program(TAPEDECK, "inspect", "--open", traces[0], env=variables))
    assert eventually(lambda: (tmp_path / "opened").exists(), "the browser")
    assert (tmp_path / "opened").read_text() == found.url
    found.close()


def test_nobody_else_is_let_in(inspector, traces) -> None:
    plain = requests.Session()
    plain.trust_env = False
    base = f"http://{inspector.address}"

    def status(path: str, **options) -> int:
        return plain.get(base + path, timeout=DEADLINE, allow_redirects=False, **options).status_code

    assert status("/") == 401 and status("/v1/traces") == 401 and status("/app/main.js") == 401
    assert status("/?token=wrong") == 401
    assert status("/v1/traces", headers={"Authorization": "Bearer " + "0" * 64}) == 401
    entered = plain.get(inspector.url, timeout=DEADLINE, allow_redirects=False)
    assert entered.status_code == 303 and entered.headers["Location"] == "/"
    cookie = entered.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    assert status("/") == 200 and status("/v1/traces") == 200 and status("/app/main.js") == 200
    page = plain.get(base + "/", timeout=DEADLINE)
    policy = page.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    for headers, expected in (({"Host": "evil.example"}, 421), ({"Origin": "http://evil.example"}, 403)):
        assert status("/v1/traces", headers=headers) == expected
        assert status("/", headers=headers) == expected
    only = Inspector.of(traces[0], options=("--read-only",))
    only.ask("/v1/traces/1/replay", "POST", 403)
    only.ask("/v1/traces/1/control/v1/rules", "POST", 403, data="x")
    only.ask("/v1/traces/1/baseline", "PUT", 403, json={"text": ""})
    assert not only.get("/v1/traces/1/baseline")["can_write"]
    only.ask("/v1/traces/1/control/v1/rules", status=503)
    only.close()
    assert "there is no trace" in tapedeck("inspect", traces[0].parent / "none.tape", status=66).stderr \
        or "cannot be read" in tapedeck("inspect", traces[0].parent / "none.tape", status=66).stderr
