"""The detail of a row: words, heads, bodies as trees, parts, changes, versions, faults, what one takes along."""

from __future__ import annotations

import json
import socket
import struct
import zlib
from pathlib import Path

from pages import Inspector, listed, needs_chromium, request
from playwright.sync_api import Page, expect
from programs import eventually, tapedeck

pytestmark = needs_chromium


def picture(width: int, height: int) -> bytes:
    """A PNG."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"".join(bytes((x * 9 % 256, y * 9 % 256, 90)) for x in range(width)) for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def send(port: int, data: bytes) -> None:
    """Sends a request and waits for the end of the answer."""
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(data)
        while line.recv(65_536):
            pass


def tab(page: Page, name: str) -> None:
    """Shows a part of the detail."""
    page.get_by_role("tab", name=name).click()
    expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")


def test_words_come_first_and_lead_on(watched, stored, traces) -> None:
    trace = traces["first-sync-and-edits"]
    name = listed(trace, "command:c sender:client")[0]
    page = watched.page(stored.url, f"#/1/list?row={name}")
    text = tapedeck("show", trace, name).stdout
    panel = page.locator("#panel")
    expect(panel.locator(".first")).to_have_text(text.splitlines()[0])
    expect(panel.locator("pre")).to_contain_text('"o": "M"')
    panel.get_by_role("link", name="k2").first.click()
    expect(page.locator("#detail h2")).to_have_text("connection k2")
    expect(panel).to_contain_text("leg 3: client")
    page.go_back()
    expect(page.locator("#detail h2")).to_have_text(f"command {name}")


def test_a_body_is_a_tree(watched, stored) -> None:
    page = watched.page(stored.url, "#/2/list?row=4")
    tab(page, "Request")
    expect(page.locator(".first-line")).to_contain_text("POST /a/demo/receiver/ HTTP/1.1")
    expect(page.locator(".fields")).to_contain_text("X-OpenRosa-Version")
    tab(page, "Parts")
    tree = page.get_by_role("tree")
    expect(tree.get_by_role("treeitem").first).to_contain_text("data")
    search = page.get_by_label("Search in the tree")
    search.fill("seen")
    expect(page.locator(".path")).to_have_text("/data/case/update/seen")
    expect(tree.locator("[aria-selected=true] > .tree-line")).to_contain_text("yes")
    page.get_by_role("button", name="Copy path").click()
    assert page.evaluate("navigator.clipboard.readText()") == "/data/case/update/seen"
    # With the keyboard alone.
    tree.locator("[aria-selected=true]").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".path")).to_have_text("/data/case/update")
    page.keyboard.press("ArrowLeft")
    expect(tree.locator("[aria-selected=true]")).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("v")
    assert "seen" in page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("button", name="Hex").click()
    expect(page.locator("pre.hex")).to_contain_text("00000000  3c 64 61 74 61 20")
    page.get_by_role("button", name="Text", exact=True).click()
    expect(page.locator(".body-place pre")).to_contain_text("<seen>yes</seen>")


def test_a_payload_of_json_keeps_its_digits(watched, inspect, record, origin) -> None:
    proxy = record("--to", origin.url)
    body = '{"big": 12345678901234567890, "list": [1, {"deep": true}], "big": 1.10}'
    request(proxy.port, f"POST /x HTTP/1.1\nHost: x\nContent-Type: application/json\nContent-Length: {len(body)}\n\n{body}")
    proxy.finish()
    page = watched.page(inspect(proxy.trace).url, "#/1/list?row=1")
    tab(page, "Request")
    tree = page.get_by_role("tree")
    expect(tree).to_contain_text("12345678901234567890")
    expect(tree).to_contain_text("1.10")
    page.get_by_label("Search in the tree").fill("deep")
    expect(page.locator(".path")).to_have_text("/list/1/deep")


def test_a_picture_is_shown_and_a_huge_body_in_slices(watched, inspect, record, origin) -> None:
    proxy = record("--to", origin.url)
    image = picture(24, 16)
    head = f"POST /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(image)}\r\n\r\n".encode()
    send(proxy.port, head + image)
    huge = b"0123456789abcde\n" * 300_000
    send(proxy.port, f"POST /y HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(huge)}\r\n\r\n".encode() + huge)
    proxy.finish()
    page = watched.page(inspect(proxy.trace).url, "#/1/list?row=1")
    tab(page, "Request")
    expect(page.locator(".body-place")).to_contain_text("24 × 16 pixels")
    page.goto(page.url.replace("row=1", "row=2"))
    expect(page.locator("#detail h2")).to_have_text("exchange 2")
    # Content is decoded up to a bound.
    expect(page.locator("#panel")).to_contain_text("the first 1.0 MiB of 4.6 MiB")
    expect(page.locator(".body-place")).to_contain_text("bytes 0 to 65,535 of 1,048,576")
    page.get_by_role("button", name="Last", exact=True).click()
    expect(page.locator(".body-place")).to_contain_text("to 1,048,575 of 1,048,576")
    page.get_by_role("button", name="Hex").click()
    expect(page.locator("pre.hex")).to_contain_text("0a  0123456789abcde.")


def test_a_change_is_shown_before_and_after(watched, stored, traces) -> None:
    name = listed(traces["first-sync-and-edits"], "command:c key:note-1")[0]
    page = watched.page(stored.url, f"#/1/list?row={name}")
    tab(page, "Change")
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="title"))
    expect(row.locator("ins")).to_have_text(", longer")
    expect(row.locator("td").first).to_have_text('"Note 1"')
    tab(page, "Versions")
    versions = page.locator(".versions li")
    eventually(lambda: versions.count() >= 2, "versions")
    expect(versions.filter(has_text=name).first).to_have_attribute("aria-current", "true")
    expect(page.locator(".versions")).to_contain_text("Note 1, longer")
    tab(page, "Payload")
    expect(page.get_by_role("tree")).to_contain_text("note-1")
    tab(page, "SQL")
    expect(page.locator("#panel pre").first).to_contain_text("SELECT")


def test_what_tapedeck_changed_stands_side_by_side(watched, inspect, record, origin) -> None:
    proxy = record("--to", origin.url, "--fault", "path:/x => set-header X-Extra yes name=extra")
    request(proxy.port, "GET /x HTTP/1.1\nHost: x\nConnection: close\n\n")
    proxy.finish()
    page = watched.page(inspect(proxy.trace).url, "#/1/list?row=1")
    expect(page.locator("#rows .badge").first).to_be_visible()
    tab(page, "Faults")
    expect(page.locator(".difference .added")).to_have_text("+X-Extra: yes")
    expect(page.locator("#panel")).to_contain_text("Both sides had the same.")
    expect(page.locator("#panel .fault h3")).to_have_text("fault extra")


def test_a_row_is_taken_along(watched, stored, traces, tmp_path: Path) -> None:
    page = watched.page(stored.url, "#/2/list?row=4")
    page.get_by_role("button", name="Copy as curl").click()
    expect(page.locator("#notices")).to_contain_text("Copied the command")
    assert page.evaluate("navigator.clipboard.readText()").startswith("curl")
    page.get_by_role("button", name="Copy text").click()
    expect(page.locator("#notices")).to_contain_text("Copied the text")
    assert page.evaluate("navigator.clipboard.readText()") == tapedeck("show", traces["state-hash-mismatch"], "#4").stdout
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#notices")).to_contain_text("Copied the link")
    assert page.evaluate("navigator.clipboard.readText()") == f"{stored.origin}/#/2/list?row=4"
    with page.expect_download() as download:
        page.get_by_role("link", name="HAR", exact=True).click()
    download.value.save_as(tmp_path / "row.har")
    archive = json.loads((tmp_path / "row.har").read_text())
    assert archive["log"]["entries"][0]["response"]["status"] == 201


def test_findings_of_a_row_lead_to_all_evidence(watched, stored) -> None:
    page = watched.page(stored.url, "#/2/list?row=2")
    tab(page, "Findings")
    expect(page.locator("#panel")).to_contain_text("commcare.sync.state-hash")
    page.get_by_role("link", name="All evidence").click()
    expect(page.locator("#findings .steps [aria-current]").first).to_have_text("#2")
    tab(page, "Timing")
    expect(page.locator(".timing .phase").first).to_be_visible()


def test_a_row_that_is_not_there(watched, inspect, traces) -> None:
    watched.expected.add("404")
    inspector: Inspector = inspect(traces["first-sync-and-edits"])
    page = watched.page(inspector.url, "#/1/list?row=c999")
    expect(page.locator("#detail [role=alert]")).to_contain_text("c999")
    inspector.stop()
    watched.expected.update({"ERR_CONNECTION_REFUSED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET"})
    page.locator("#detail").get_by_role("button", name="Try again").click()
    expect(page.locator("#detail [role=alert]")).to_contain_text("The inspector does not answer")
    expect(page.locator("#live")).to_contain_text("Not connected")
