"""Proves that an archive of Chrome's tells what the proxy between saw: a page with fetch and
WebSocket goes through `tapedeck record`, and what Chrome's own tools report of it is imported."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from email.message import Message
from pathlib import Path

import pytest
from chrome_har import Chrome, needs_chromium
from origins import AnsweringServer, EchoSocket
from programs import Recording, sql, tapedeck

pytestmark = needs_chromium

PAGE = b'<!doctype html><link rel="icon" href="data:,"><title>a page</title>'
PICTURE = bytes(range(256)) * 40
# Each thing at once, in an order that does not depend on who is faster.
SCRIPT = """
const said = [];
said.push(await (await fetch("/data.json?a=b%20c")).text());
said.push(await (await fetch("/echo", {method: "POST", body: JSON.stringify({name: "Zo\\u00eb"}),
    headers: {"Content-Type": "application/json"}})).text());
said.push((await (await fetch("/picture")).arrayBuffer()).byteLength);
said.push((await fetch("/missing")).status);
said.push((await fetch("/moved")).url);
try { await fetch("http://127.0.0.1:1/"); } catch (error) { said.push("blocked"); }
const socket = new WebSocket("SOCKET");
socket.binaryType = "arraybuffer";
await new Promise(done => socket.onopen = done);
for (const message of ["gr\\u00fc\\u00dfe", "x".repeat(70000), new Uint8Array([0, 255, 1])]) {
    const answer = new Promise(done => socket.onmessage = event => done(event.data));
    socket.send(message);
    await answer;
}
await new Promise(done => { socket.onclose = done; socket.close(1000, "enough"); });
return said;
"""
EXCHANGES = """
    SELECT e.method, e.url, e.status, CAST(e.request_body AS BLOB), CAST(e.response_body AS BLOB)
    FROM exchange e WHERE e.method <> 'CONNECT' ORDER BY e.method, e.url, e.status
"""
# Chrome does not tell of control messages.
MESSAGES = """
    SELECT m.sender, m.opcode, CAST(m.payload AS BLOB) FROM message m WHERE m.opcode < 8
    ORDER BY m.id
"""


class Site(AnsweringServer):
    """A page and what it fetches."""

    def answer(self, method: str, path: str, headers: Message,
               body: bytes) -> tuple[int, dict[str, str], bytes]:
        """Status, header fields and body for a request."""
        match path.partition("?")[0]:
            case "/":
                return 200, {"Content-Type": "text/html"}, PAGE
            case "/data.json":
                return 200, {"Content-Type": "application/json"}, '{"name": "Zoë"}'.encode()
            case "/echo":
                return 201, {"Content-Type": headers["Content-Type"]}, body
            case "/picture":
                return 200, {"Content-Type": "image/png"}, PICTURE
            case "/moved":
                return 302, {"Location": "/data.json?moved"}, b""
            case _:
                return 404, {"Content-Type": "text/plain"}, b"nothing here"


@pytest.fixture
def site() -> Iterator[Site]:
    """The site."""
    started = Site()
    yield started
    started.end()


@pytest.fixture
def chrome(tmp_path: Path) -> Iterator[Callable[[str], Chrome]]:
    """Starts Chromium behind a proxy."""
    started: list[Chrome] = []

    def start(proxy: str) -> Chrome:
        started.append(Chrome(tmp_path / "chromium", proxy))
        return started[-1]

    yield start
    for each in started:
        each.close()


def test_what_chrome_reports_is_what_the_proxy_saw(
        site: Site, record: Callable[..., Recording], chrome: Callable[[str], Chrome],
        echo_socket: Callable[..., EchoSocket], tmp_path: Path) -> None:
    echo = echo_socket()
    proxy = record()
    browser = chrome(proxy.url)
    browser.open(site.url + "/")
    said = browser.run(SCRIPT.replace("SOCKET", f"ws://{echo.address}/socket"))
    assert said == ['{"name": "Zoë"}', '{"name":"Zoë"}', len(PICTURE), 404,
                    f"{site.url}/data.json?moved", "blocked"], said
    browser.await_events("Network.webSocketClosed")
    archive = tmp_path / "chrome.har"
    archive.write_text(json.dumps(browser.archive(), indent=2))
    browser.close()
    proxy.finish()

    imported = tmp_path / "chrome.tape"
    tapedeck("import", archive, imported)
    assert sql(imported, "SELECT provenance FROM session") == [("har",)]
    assert sql(imported, "SELECT DISTINCT mode FROM connection") == [("archive",)]

    ports = [str(site.server_address[1]), str(echo.port)]
    ours = [row for row in sql(proxy.trace, EXCHANGES) if any(f":{p}/" in row[1] for p in ports)]
    theirs = [row for row in sql(imported, EXCHANGES) if any(f":{p}/" in row[1] for p in ports)]
    assert len(ours) == 8, ours
    assert theirs == ours
    assert sql(imported, MESSAGES) == sql(proxy.trace, MESSAGES)
    assert len(sql(imported, MESSAGES)) == 6
    # A port that browsers do not talk to: asked for, and never sent.
    assert sql(imported, "SELECT status, outcome, problem FROM http_exchange WHERE port = 1") == [
        (None, "no-response", "no response: net::ERR_UNSAFE_PORT")]
    # What made-up bytes look like is nobody's mistake.
    assert "websocket." not in tapedeck("diagnose", imported, "--json", status=None).stdout
