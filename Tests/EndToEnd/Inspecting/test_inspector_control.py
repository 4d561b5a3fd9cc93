"""Faults, held messages and marks of a running recording, from the inspector's page."""

from __future__ import annotations

import re
import socket
import threading

from pages import needs_chromium, request
from playwright.sync_api import expect
from programs import DEADLINE

pytestmark = needs_chromium


def test_rules_are_added_paused_and_removed(watched, inspect, record, origin) -> None:
    watched.expected.add("422")
    proxy = record("--to", origin.url, "--fault", "path:/never => 503 name=never")
    page = watched.page(inspect(proxy.trace).url, "#/1/faults")
    rules = page.locator("#faults tbody tr")
    expect(rules).to_have_count(1)
    field = page.get_by_label("FILTER => ACTION")
    field.fill("path:/x => eror 440")
    field.press("Enter")
    alert = page.locator("#faults .line-form").first.get_by_role("alert")
    expect(alert.locator("mark")).to_have_text("eror")
    expect(alert).to_contain_text("did you mean")
    field.fill("path:/x => 503 retry-after=7 name=busy")
    expect(alert).to_be_empty()
    field.press("Enter")
    expect(rules).to_have_count(2)
    assert b"503" in request(proxy.port, "GET /x HTTP/1.1\nHost: x\nConnection: close\n\n")
    busy = rules.filter(has_text="busy")
    expect(busy.locator("td").nth(5)).to_have_text("1")
    page.get_by_role("button", name="Pause busy").click()
    expect(busy).to_contain_text("paused")
    assert b"503" not in request(proxy.port, "GET /x HTTP/1.1\nHost: x\nConnection: close\n\n")
    page.get_by_role("button", name="Resume busy").click()
    expect(busy).to_contain_text("active")
    page.get_by_role("button", name="Remove busy").click()
    expect(rules).to_have_count(1)
    page.get_by_label("Name; rules can wait for it").fill("sync starts")
    page.get_by_role("button", name="Set", exact=True).click()
    expect(page.locator("#faults")).to_contain_text("sync starts at ")
    # An action that no connection takes.
    watched.expected.add("409")
    watched.expected.add("404")
    page.get_by_label("Action, as after the arrow").fill("close-code 1012")
    page.get_by_role("button", name="Fire").click()
    expect(page.locator("#faults .line-form").nth(1).get_by_role("alert")).not_to_be_empty()


def test_a_held_request_is_edited(watched, inspect, record, origin) -> None:
    proxy = record("--to", origin.url, "--hold", "path:/held")
    page = watched.page(inspect(proxy.trace).url, "#/1/held")
    expect(page.locator("#held")).to_contain_text("Nothing is held")
    answers: list[bytes] = []

    def ask() -> None:
        body = b"before"
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=DEADLINE) as line:
            line.sendall(b"POST /held HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 6\r\n\r\n" + body)
            while part := line.recv(65_536):
                answers.append(part)

    client = threading.Thread(target=ask)
    client.start()
    area = page.locator("#held textarea")
    expect(area).to_have_value(re.compile("POST /held"))
    expect(page.locator("nav [data-view=held] .count")).to_have_text("1")
    area.fill(area.input_value().replace("before", "after it was edited"))
    page.get_by_role("button", name="Send edited").click()
    # Its response is held as well.
    expect(area).to_have_value(re.compile(r"HTTP/1\.1 200"))
    page.get_by_role("button", name="Release", exact=True).click()
    client.join(DEADLINE)
    assert b"200" in answers[0]
    expect(page.locator("#held")).to_contain_text("Nothing is held")
    proxy.finish()
    expect(page.locator("#live")).not_to_contain_text("Recording")


def test_read_only_changes_nothing(watched, inspect, record, origin) -> None:
    proxy = record("--to", origin.url)
    page = watched.page(inspect(proxy.trace, "--read-only").url, "#/1/faults")
    expect(page.locator("#faults .empty")).to_be_visible()
    expect(page.locator("#about")).to_contain_text("read-only")
    page.keyboard.press("g")
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Start a replay server")).to_be_disabled()


def test_what_is_held_is_marked_in_the_list(watched, inspect, record, origin) -> None:
    proxy = record("--to", origin.url, "--fault", "path:/held => hold sender=server")
    page = watched.page(inspect(proxy.trace).url, "#/1/list")
    expect(page.locator("#live")).to_contain_text("Recording")
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=DEADLINE) as line:
        line.sendall(b"GET /held HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        expect(page.locator("#rows .badge-held")).to_have_text("held")
        expect(page.locator("nav [data-view=held] .count")).to_have_text("1")
        page.get_by_role("button", name="1 held").click()
        expect(page.locator("#held textarea")).to_have_value(re.compile("HTTP/1.1 200"))
    proxy.finish()


def test_the_addresses_of_a_recording_are_there_before_its_clients(watched, record, origin) -> None:
    proxy = record("--to", origin.url, "--listen", "socks5://127.0.0.1:0", "--inspect")
    page = watched.page(proxy.await_line(r"^inspector at (http://\S+)$")[1], "#/1/setup")
    cards = page.locator("#setup .card")
    expect(cards).to_have_count(2)
    expect(cards.first).to_contain_text(f"Listens as {origin.url} on")
    expect(cards.first.locator("code")).to_have_text(f"127.0.0.1:{proxy.port}")
    expect(cards.last).to_contain_text("Listens as a SOCKS proxy on")
    expect(page.locator("#setup")).to_contain_text(re.compile(r"SHA-256: ([0-9A-F]{2}:){31}[0-9A-F]{2}"))
    proxy.finish()


def test_a_client_that_reaches_the_proxy_is_shown(watched, inspect, record, origin) -> None:
    proxy = record("--to", origin.url)
    page = watched.page(inspect(proxy.trace).url, "#/1/setup")
    expect(page.locator("#setup")).to_contain_text("None yet")
    request(proxy.port, "GET / HTTP/1.1\nHost: x\nUser-Agent: phone/7\nConnection: close\n\n")
    row = page.locator("#setup table.clients tbody tr")
    expect(row).to_contain_text("phone/7")
    expect(row).to_contain_text("none yet: plain HTTP only")
    expect(page.locator("#setup .card code")).to_have_text(f"127.0.0.1:{proxy.port}")
    proxy.finish()
