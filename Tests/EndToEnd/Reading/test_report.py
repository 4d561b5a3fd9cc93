"""The report of a trace in Chromium, opened from a file: what one sees, with the keyboard alone, and that nothing in it
runs or leaves the page."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path

import pytest
from chrome_har import Chrome, needs_chromium
from programs import ROOT, eventually, tapedeck

pytestmark = needs_chromium

HOSTILE = "<img src=x onerror=document.title='owned'></script><script>document.title='owned'</script>\x1b[31m\u202e"


@pytest.fixture(scope="module", name="page")
def page_fixture(tmp_path_factory):
    """A browser without a network."""
    chrome = Chrome(tmp_path_factory.mktemp("chrome"), "127.0.0.1:1")
    yield chrome
    chrome.close()


def run(page: Chrome, expression: str):
    """The value of an expression on the page."""
    return page.run(f"return {expression}")


def press(page: Chrome, key: str) -> None:
    """A key, as a person presses it."""
    text = {"text": key} if len(key) == 1 else {}
    page.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
    page.call("Input.dispatchKeyEvent", type="keyUp", key=key)


def opened(page: Chrome, report: Path, place: str = "") -> None:
    """Opens a report anew."""
    page.open("about:blank")
    page.open(f"{report.as_uri()}{place}")
    eventually(lambda: run(page, f"location.href.startsWith('{report.as_uri()}') && document.readyState === 'complete'"),
               "the report")


def report_of(trace: Path, file: Path, *options: str) -> str:
    """Makes a report; what was said about it."""
    done = tapedeck("export", trace, file, *options)
    assert file.stat().st_mode & 0o777 == 0o600
    return done.stderr


@pytest.fixture(scope="module", name="edits")
def edits_fixture(tmp_path_factory) -> Path:
    """A session with edits, and things to be found."""
    trace = tmp_path_factory.mktemp("report") / "edits.tape"
    tapedeck("import", ROOT / "Recordings/first-sync-and-edits", trace)
    return trace


def test_a_person_finds_a_row_with_the_keyboard(page, edits, tmp_path) -> None:
    said = report_of(edits, tmp_path / "a.html", "--secrets")
    listed = [json.loads(line) for line in tapedeck("ls", edits, "--json").stdout.splitlines()]
    assert re.fullmatch(rf"tapedeck: {len(listed)} rows, \S+ \S+\n", said), said
    opened(page, tmp_path / "a.html")
    assert run(page, "document.getElementById('count').textContent") == f"{len(listed)} rows"
    assert run(page, "document.querySelectorAll('.row').length") <= 200
    press(page, "j")
    name = run(page, "document.querySelector('[aria-selected=true] [data-column=row]').textContent")
    first = listed[0]
    assert name == {"exchange": "", "command": "c", "message": "m"}[first["kind"]] + str(first["id"])
    # Of an exchange, the rest of what `show` prints is folded below its words.
    folded = run(page, "document.querySelector('#detail .quoted pre').textContent")
    assert folded and folded in tapedeck("show", edits, name).stdout
    assert run(page, "location.hash") == f"#/1/list?row={name}"
    press(page, "j")
    command = run(page, "document.querySelector('[aria-selected=true] [data-column=row]').textContent")
    assert run(page, "document.querySelector('#detail .first').textContent") == tapedeck("show", edits, command).stdout.split("\n")[0]
    opened(page, tmp_path / "a.html", f"#{command}")
    assert run(page, "document.querySelector('#detail h2').textContent") == f"command {command}"
    press(page, "/")
    for letter in "notes":
        press(page, letter)
    eventually(lambda: run(page, "document.getElementById('count').textContent.includes(' of ')"), "the search")
    shown = run(page, "[...document.querySelectorAll('.window .row')].map((row) => row.textContent)")
    assert shown and all("notes" in row for row in shown)


def test_findings_lead_to_their_rows(page, record, origin, tmp_path) -> None:
    proxy = record("--to", origin.url)
    with socket.create_connection(("127.0.0.1", proxy.port)) as line:
        line.sendall(b"POST /a/demo/receiver/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n<data")
        assert line.recv(64)
    proxy.finish()
    report_of(proxy.trace, tmp_path / "b.html")
    opened(page, tmp_path / "b.html", "#findings")
    rules = run(page, "[...document.querySelectorAll('#findings h3')].map((each) => each.textContent)")
    assert any("commcare.form.not-well-formed" in rule or "commcare." in rule for rule in rules), rules
    run(page, "document.querySelector('#findings .steps a').click()")
    eventually(lambda: run(page, "document.querySelector('#detail h2')?.textContent") == "exchange 1", "its row")
    press(page, "l")
    eventually(lambda: run(page, "document.querySelector('[aria-selected=true] [data-column=row]')?.textContent") == "1",
               "the row in the list")
    assert run(page, "document.querySelector('.row .badge') !== null")
    press(page, "t")
    assert run(page, "document.querySelector('#timeline canvas').width > 0 && !document.getElementById('timeline').hidden")
    press(page, "s")
    assert "at the end of the trace" in run(page, "document.querySelector('#state pre').textContent")


def test_what_is_recorded_is_text(page, record, origin, tmp_path) -> None:
    """A payload in every field that can hold text: no script runs, and nothing is asked of a network."""
    proxy = record("--to", origin.url)
    hostile = HOSTILE.encode()
    with socket.create_connection(("127.0.0.1", proxy.port)) as line:
        line.sendall(b"POST /" + hostile.replace(b" ", b"%20") + b" HTTP/1.1\r\nHost: x\r\nX-" + b"It: " + hostile
                     + b"\r\nContent-Length: %d\r\nContent-Type: text/html\r\n\r\n" % len(hostile) + hostile)
        assert line.recv(64)
    proxy.finish()
    report_of(proxy.trace, tmp_path / "c.html", "--secrets")
    assert b"<img" not in (tmp_path / "c.html").read_bytes()
    page.events.clear()
    opened(page, tmp_path / "c.html", "#1")
    assert "onerror" in run(page, "document.querySelector('#detail').textContent")
    for view in "tfsl":
        press(page, view)
    assert run(page, "document.title").endswith("tapedeck report")
    assert run(page, "document.querySelectorAll('img, iframe, link, object').length") == 0
    asked = {event["params"]["request"]["url"] for event in page.events if event["method"] == "Network.requestWillBeSent"}
    assert all(url.startswith(("file:", "about:")) for url in asked), asked


def test_secrets_stay_at_home(record, origin, tmp_path) -> None:
    proxy = record("--to", origin.url)
    with socket.create_connection(("127.0.0.1", proxy.port)) as line:
        line.sendall(b"GET /x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer abcdef0123456789secret\r\n\r\n")
        assert line.recv(64)
    proxy.finish()
    report_of(proxy.trace, tmp_path / "d.html")
    assert b"0123456789secret" not in (tmp_path / "d.html").read_bytes()
    report_of(proxy.trace, tmp_path / "e.html", "--secrets")
    assert b"0123456789secret" in (tmp_path / "e.html").read_bytes()
    assert "exists already" in tapedeck("export", proxy.trace, tmp_path / "e.html", status=66).stderr


def texts(report: Path) -> dict[str, str]:
    """What a report has of each row, by its name."""
    page = report.read_text()
    content = re.search(r'<script type="application/json" id="content-data">(.*?)</script>', page, re.DOTALL)
    rows = json.loads(content.group(1))["rows"]
    return {row["name"]: row["text"] for row in rows}


def test_a_report_says_of_each_row_what_show_says(record, origin, edits, tmp_path) -> None:
    """It follows objects from row to row and knows where heads end; `show` looks both up."""
    proxy = record("--to", origin.url, "--fault", "method:GET => remove-header X-Gone sender=client", "--fault",
                   "status:200 => set-header X-New 1 sender=server")
    with socket.create_connection(("127.0.0.1", proxy.port)) as line:
        for path in ("a", "b"):
            line.sendall(f"GET /{path} HTTP/1.1\r\nHost: x\r\nX-Gone: {path}\r\n\r\n".encode())
            assert line.recv(4096)
    proxy.finish()
    for trace, least in ((edits, 20), (proxy.trace, 2)):
        report_of(trace, tmp_path / f"{trace.stem}.html", "--secrets")
        found = texts(tmp_path / f"{trace.stem}.html")
        assert len(found) >= least
        for name, text in found.items():
            assert text == tapedeck("show", trace, name).stdout, name
    assert "not forwarded: Host: x" in found["3"] and "forwarded as: X-New: 1" in found["3"], found


def test_a_filter_selects(page, edits, tmp_path) -> None:
    report_of(edits, tmp_path / "f.html", "command:c")
    opened(page, tmp_path / "f.html")
    count = len(tapedeck("ls", edits, "command:c", "--json").stdout.splitlines())
    assert run(page, "document.getElementById('about').textContent").startswith(f"{count} row")
