"""Proves: `ls`, `show`, `tail` and `rebuild` print what is in a trace, for people and for programs."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from pathlib import Path

import pytest
from programs import TAPEDECK, Program, Recording, curl, environment, tapedeck
from websockets.sync.client import connect

SUBMISSION = ('<?xml version="1.0"?><data xmlns="http://example.org/visit"><name>Ada</name>'
              '<case xmlns="http://commcarehq.org/case/transaction/v2" case_id="c1" '
              'user_id="u1" date_modified="2026-01-15T10:00:00Z"><create><case_type>p</case_type>'
              '<case_name>Ada</case_name></create></case></data>')


@pytest.fixture(scope="module")
def written(tmp_path_factory, ca_dir: Path) -> Path:
    """A trace with a submission, a restore that is polled, and a Simperium session."""
    folder = tmp_path_factory.mktemp("reading")
    form = folder / "form.xml"
    form.write_text(SUBMISSION)
    server = Program(TAPEDECK, "serve", "--listen", "127.0.0.1:0", "--restore-polls", "1",
                     "--retry-after", "1")
    proxy = None
    try:
        address = server.await_line(r"^listening on (\S+)$")[1]
        proxy = Recording(folder / "reading.tape", ca_dir, "--to", f"http://{address}")
        curl("-F", f"xml_submission_file=@{form};type=text/xml", "-H", "X-OpenRosa-Version: 3.0",
             f"{proxy.url}/a/demo/receiver/")
        for _ in range(2):
            curl("-u", "ada:secret", "-H", "X-OpenRosa-Version: 3.0",
                 f"{proxy.url}/a/demo/phone/restore/?version=2.0&device_id=d1")
        curl(f"{proxy.url}/nothing/here")
        with connect(f"ws://{proxy.address}/sock/1/test-app/websocket", proxy=None) as socket:
            for text in (
                '0:init:{"name":"notes","clientid":"test-1","app_id":"test-app","api":"1.1","token":'
                '"0123456789abcdef0123456789abcdef","library":"test","version":"1"}',
                '0:c:{"id":"note-1","o":"M","v":{"title":{"o":"+","v":"abc"}},"ccid":"a1a1a1a1"}',
                '0:c:{"id":"note-1","o":"M","sv":1,"v":{"title":{"o":"d","v":"=2\\t-1\\t+d"}},'
                '"ccid":"b2b2b2b2"}',
                '0:c:{"id":"missing","o":"M","sv":7,"v":{"title":{"o":"d","v":"=1"}},'
                '"ccid":"c3c3c3c3"}',
                "h:0",
            ):
                socket.send(text)
                socket.recv(30)
        proxy.finish()
        return proxy.trace
    finally:
        if proxy:
            proxy.kill()
        server.kill()


def listed(trace: Path, *filters: str) -> list[dict]:
    """The lines of `ls --json`, each of them an object."""
    return [json.loads(line) for line in tapedeck("ls", trace, *filters, "--json").stdout.splitlines()]


def test_ls_is_in_order_of_time(written) -> None:
    """Exchanges and commands come in order of time, one line each, in text as in JSON."""
    rows = listed(written)
    assert [row["kind"] for row in rows] == ["exchange"] * 5 + ["command"] * 10
    times = [row.get("started_ns", row.get("at_ns")) for row in rows]
    assert times == sorted(times)
    text = tapedeck("ls", written).stdout
    assert len(text.splitlines()) == len(rows)
    assert "\x1b" not in text
    for word in ("commcare.submit", "commcare.restore", "simperium.socket", "note-1", "404"):
        assert word in text


@pytest.mark.parametrize(("question", "ids"), [
    ("status:202", ["2"]), ("status:404", ["4"]), ("status:2xx", ["1", "2", "3"]),
    ("status>=400", ["4"]), ("method:POST", ["1"]), ("api:commcare.restore", ["2", "3"]),
    ("path:/nothing/*", ["4"]), ("status:{202,404}", ["2", "4"]),
    ("api:commcare.* not status:202", ["1", "3"]), ("(status:202 or status:404)", ["2", "4"]),
    ("command:init", ["c1"]), ("command:h sender:client", ["c9"]), ("error:*", ["c8"]),
    ("bucket:notes command:c sender:client", ["c3", "c5", "c7"]), ("key:missing", ["c7", "c8"]),
    ('header.x-openrosa-version:"3.0" method:POST', ["1"]), ('body~"being made"', ["2"]),
    ("text:missing kind:command", ["c7", "c8"]), ("path=~/^.nothing/", ["4"]),
    ("nothingofthekind", []),
])
def test_filters(written, question, ids) -> None:
    """Each kind of field, comparison and connective picks the rows it should."""
    found = [("c" if row["kind"] == "command" else "") + str(row["id"])
             for row in listed(written, question)]
    assert found == ids


@pytest.mark.parametrize(("question", "column"), [
    ("statsu:200", 0), ("status:200 and", 11), ("(status:200", 0), ("path=~/(/", 7),
    ("status:abc", 7),
])
def test_a_mistake_is_pointed_at(written, question, column) -> None:
    """A filter that is wrong ends with 64 and a mark under the character."""
    errors = tapedeck("ls", written, question, status=64).stderr.splitlines()
    at = next(number for number, line in enumerate(errors) if line.strip() == question)
    assert errors[at + 1].index("^") - errors[at].index(question) == column, errors


def test_show_exchange(written) -> None:
    """Heads as sent, the XML laid out, what the answer asks of the client."""
    shown = tapedeck("show", written, "2").stdout
    for text in ("GET /a/demo/phone/restore/?version=2.0&device_id=d1 HTTP/1.1", "Retry-After: 1",
                 '    <progress done="0" total="1"', "progress 0/1", "ota_restore_pending"):
        assert text in shown, shown
    shown = tapedeck("show", written, "1").stdout
    assert "xml_submission_file" in shown and "\n  <name>Ada</name>\n" in shown


def test_show_change(written) -> None:
    """A change as a human reads it, where its base is known."""
    assert 'title: "abc" → "abd"' in tapedeck("show", written, "c6").stdout
    message = tapedeck("show", written, "m5").stdout
    assert "mask" in message and "note-1" in message


def test_show_json(written) -> None:
    """`show --json` is one object for each kind."""
    for name in ("1", "m2", "c6", "k1"):
        assert isinstance(json.loads(tapedeck("show", written, name, "--json").stdout), dict)


def test_show_raw(written) -> None:
    """`--raw` gives the bytes of the body or message and nothing else."""
    raw = tapedeck("show", written, "1", "--raw", text=False).stdout
    assert raw.startswith(b"POST /a/demo/receiver/ HTTP/1.1\r\n") and SUBMISSION.encode() in raw
    assert tapedeck("show", written, "m9", "--raw", text=False).stdout == b"h:0"


def test_show_curl_repeats_the_request(record, origin, tmp_path) -> None:
    """The command that --curl prints sends the same request again, bytes and all."""
    body = tmp_path / "body"
    body.write_bytes(bytes(range(256)) + b"'\"$`\\ \n")
    proxy = record("--to", origin.url)
    curl("-X", "PUT", "-H", "X-Odd: it's $5 `here`", "-H", "Content-Type: a/b", "--data-binary",
         f"@{body}", f"{proxy.url}/put?a=b&c=%20d")
    proxy.finish()
    first = origin.seen[-1]
    command = tapedeck("show", proxy.trace, "1", "--curl").stdout
    subprocess.run(["bash", "-c", command], check=True, capture_output=True, env=environment())
    second = origin.seen[-1]
    assert second is not first
    assert (first[0], first[1], first[3]) == (second[0], second[1], second[3])
    assert sorted(first[2].items()) == sorted(second[2].items())


@pytest.mark.parametrize(("name", "status"), [("99", 65), ("m99", 65), ("c99", 65), ("k99", 65),
                                              ("x1", 64), ("", 64)])
def test_show_what_is_not_there(written, name, status) -> None:
    """A number that nothing has, and a name that is none."""
    assert tapedeck("show", written, name, status=status).stdout == ""


def test_tail_follows_a_recording(record, program, origin) -> None:
    """`tail` prints what is being recorded, filtered, as text and as JSON, until it is told to end."""
    proxy = record("--to", origin.url)
    curl(f"{proxy.url}/before")
    proxy.eventually_sql("SELECT 1 FROM http_exchange WHERE path = '/before' AND outcome = 'complete'")
    every = program(TAPEDECK, "tail", proxy.trace, "--all")
    every.await_line("/before")
    missing = program(TAPEDECK, "tail", proxy.trace, "status:404", "--json", "--all")
    curl(f"{proxy.url}/status/404", f"{proxy.url}/after")
    every.await_line("/after")
    row = json.loads(missing.await_line("/status/404").string)
    assert row["status"] == 404
    assert every.stop(signal.SIGINT) == 0 and missing.stop(signal.SIGTERM) == 0
    assert sum("/after" in line for line in every.output) == 1
    assert len(missing.output) == 1


def test_ls_while_recording(record, origin) -> None:
    """A trace can be listed while it is written."""
    proxy = record("--to", origin.url)
    curl(f"{proxy.url}/now")
    proxy.eventually_sql("SELECT 1 FROM http_exchange WHERE path = '/now'")
    assert "/now" in tapedeck("ls", proxy.trace).stdout
    proxy.finish()


def test_trace_is_plain_sqlite(written) -> None:
    """The `sqlite3` of Debian reads the documented views, and the file says what it is."""
    asked = ("PRAGMA application_id; SELECT count(*) FROM exchange; "
             "SELECT count(*) FROM command; SELECT max(ev) FROM change; PRAGMA foreign_key_check")
    done = subprocess.run(["sqlite3", "-readonly", written, asked], capture_output=True, text=True,
                          check=True)
    assert done.stdout.split() == [str(0x54415045), "5", "10", "2"]


def test_show_tells_what_documents_do(written) -> None:
    """A form's case blocks come in words, a restore's cases, fixtures and sizes as counts."""
    form = tapedeck("show", written, "1").stdout
    assert 'case c1: creates p "Ada"' in form
    restore = tapedeck("show", written, "3").stdout
    assert re.search(r"^    1 case, .*: p 1$", restore, re.M), restore
    counts = json.loads(tapedeck("show", written, "3", "--json").stdout)["openrosa"][0]["counts"]
    assert counts["cases"] == 1 and counts["cases_by_type"] == {"p": 1}
