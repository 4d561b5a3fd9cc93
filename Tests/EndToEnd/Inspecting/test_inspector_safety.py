"""A hostile trace in the inspector: whatever was recorded is text, nothing runs, nothing leaves the page."""

from __future__ import annotations

import json
import re
import socket

from pages import needs_chromium
from playwright.sync_api import expect
from programs import DEADLINE, ROOT
from websockets.sync.client import connect

pytestmark = needs_chromium

PAGE = ROOT / "Sources/Pages/Inspector"
SCRIPT = "<img src=x onerror=window.owned=1><script>window.owned=1</script><svg onload=window.owned=1>\u202e\x1b[31m"
TABS = ("In words", "Request", "Payload", "Response", "Parts", "Timing", "Change", "Versions", "Faults", "Findings", "SQL")


def test_modules_make_no_markup() -> None:
    """What could turn text into elements or code is in no module, and the page has no script of its own."""
    forbidden = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|javascript:|setTimeout\(\s*[\"'`]")
    for file in PAGE.glob("*.js"):
        assert not forbidden.search(file.read_text()), file.name
    page = (PAGE / "page.html").read_text()
    assert re.findall(r"<script\b[^>]*>([^<]*)", page) == [""]
    assert not re.search(r"\sstyle=|\son\w+=|https?://", page)


def test_names_of_modules_are_those_of_the_house() -> None:
    names = [file.name for file in PAGE.iterdir()]
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*\.(js|css|html|svg)", name) for name in names), names


def hostile_exchange(port: int) -> None:
    """Sends a payload in every place of a request that can hold text."""
    mark = SCRIPT.encode()
    path = b"/" + mark.replace(b" ", b"%20") + b"?" + mark.replace(b" ", b"+")
    part = (b"--b\r\nContent-Disposition: form-data; name=\"" + mark.replace(b'"', b"") + b"\"; filename=\"" + mark + b"\"\r\n"
            b"Content-Type: " + mark + b"\r\n\r\n<data xmlns=\"x\"><a title=\"" + mark.replace(b"<", b"&lt;").replace(b"\x1b", b"") + b"\"/></data>\r\n--b--\r\n")
    head = (b"POST " + path + b" HTTP/1.1\r\nHost: x\r\nX-It: " + mark + b"\r\nUser-Agent: " + mark + b"\r\nX-OpenRosa-DeviceID: " + mark
            + b"\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: %d\r\n\r\n" % len(part))
    with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as line:
        line.sendall(head + part)
        while line.recv(65_536):
            pass


def test_a_hostile_trace_is_text(watched, inspect, record, serve) -> None:
    server = serve()
    proxy = record("--to", server.url("", "http"), "--fault", "path~script => set-header X-Extra yes name=<script>window.owned=1</script>")
    hostile_exchange(proxy.port)
    with connect(f"ws://127.0.0.1:{proxy.port}/sock/1/app/websocket", proxy=None) as line:
        line.send("0:init:" + json.dumps({"name": SCRIPT, "clientid": SCRIPT, "api": "1.1", "token": "0" * 32, "app_id": "app", "library": SCRIPT, "version": SCRIPT}))
        line.recv(timeout=DEADLINE)
        line.send("0:i:1:::10")
        line.recv(timeout=DEADLINE)
        line.send("0:c:" + json.dumps({"id": SCRIPT, "o": "M", "v": {SCRIPT: {"o": "+", "v": SCRIPT}}, "ccid": SCRIPT}))
        line.recv(timeout=DEADLINE)
    proxy.finish()
    page = watched.page(inspect(proxy.trace).url)
    rows = page.locator("#rows .window .row")
    expect(rows.first).to_be_visible()
    kinds = ["POST", "GET", "init", "c"]
    for kind in kinds:
        rows.filter(has=page.locator("[data-column=verb]", has_text=re.compile(f"^{kind}$"))).first.click()
        expect(page.locator("#detail [role=tab]").first).to_be_visible()
        for name in TABS:
            tab = page.locator("#detail [role=tab]", has_text=name)
            if tab.count() > 0:
                tab.first.click()
    for view in ("timeline", "state", "findings", "faults", "compare", "replay", "setup", "share"):
        page.locator(f"nav [data-view={view}]").click()
        expect(page.locator(f"#{view}")).to_be_visible()
    assert page.evaluate("window.owned") is None
    assert page.locator("main img, aside img, iframe, object, embed, main script, aside script").count() == 0
    # Terminal escapes and marks that turn text around are seen, and do nothing.
    page.locator("nav [data-view=list]").click()
    rows.nth(0).click()
    page.get_by_role("tab", name="Request").click()
    expect(page.locator(".fields")).to_contain_text("onload=window.owned=1>‹U+202E›␛[31m")
    assert not re.search("[\u202e\x1b]", page.locator("body").text_content())


def test_long_fields_do_not_stop_the_page(watched, inspect, record, origin) -> None:
    proxy = record("--to", origin.url)
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=DEADLINE) as line:
        line.sendall(b"GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: " + b"a" * 60_000 + b"\r\n\r\n")
        while line.recv(65_536):
            pass
    proxy.finish()
    page = watched.page(inspect(proxy.trace).url, "#/1/list?row=1")
    page.get_by_role("tab", name="Request").click()
    expect(page.locator(".fields")).to_contain_text("X-Long")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
