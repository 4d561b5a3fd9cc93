"""The list of the inspector: filter, keys, columns, a million rows, rows that arrive."""

from __future__ import annotations

import re

from pages import MadeListing, listed, needs_chromium, request, shown
from playwright.sync_api import expect
from programs import eventually

pytestmark = needs_chromium


def test_a_person_finds_a_row_with_the_keyboard(watched, stored, traces) -> None:
    trace = traces["first-sync-and-edits"]
    names = listed(trace)
    page = watched.page(stored.url)
    expect(page.locator("#count")).to_have_text(f"{len(names)} rows")
    eventually(lambda: shown(page) == names[:len(shown(page))] and shown(page), "the rows of ls")
    page.keyboard.press("j")
    expect(page.locator("#detail h2")).to_have_text(f"exchange {names[0]}")
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("k")
    expect(page.locator("#detail h2")).to_have_text(f"command {names[1]}")
    assert page.url.endswith(f"#/1/list?row={names[1]}")
    expect(page.locator("#rows [aria-selected=true] [data-column=row]")).to_have_text(names[1])
    page.keyboard.press("g")
    page.keyboard.press("f")
    expect(page.locator("#findings")).to_be_visible()
    page.go_back()
    expect(page.locator("#list")).to_be_visible()
    expect(page.locator("#detail h2")).to_have_text(f"command {names[1]}")
    page.keyboard.press("Escape")
    expect(page.locator("#detail")).to_be_hidden()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("filter the list")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_link_opens_what_it_names(watched, stored, traces) -> None:
    name = listed(traces["first-sync-and-edits"], "command:c")[2]
    page = watched.page(stored.url, f"#/1/list?filter=command%3Ac&row={name}")
    expect(page.locator("#filter")).to_have_value("command:c")
    expect(page.locator("#rows [aria-selected=true] [data-column=row]")).to_have_text(name)
    expect(page.locator("#detail h2")).to_have_text(f"command {name}")
    page.locator("#trace").select_option("2")
    expect(page.locator("#count")).to_have_text(f"{len(listed(traces['state-hash-mismatch']))} rows")
    page.go_back()
    expect(page.locator("#rows [aria-selected=true] [data-column=row]")).to_have_text(name)


def test_a_choice_outlives_answers_that_come_late(watched, stored) -> None:
    # Whoever waits within a filter sees what is wrong with it so far.
    watched.expected.add("400 GET")
    page = watched.page(stored.url)
    late = []

    def keep(route) -> None:
        late.append(route)

    page.keyboard.press("/")
    page.keyboard.type("command:")
    option = page.locator("#completions [role=option]")
    init = option.filter(has_text=re.compile(r"^init"))
    expect(init.first).to_be_visible()
    page.route("**/values?*", keep)
    with page.expect_request("**/values?*"):
        page.keyboard.type("i")
    while init.first.get_attribute("aria-selected") != "true":
        page.keyboard.press("ArrowDown")
    for each in late:
        each.continue_()
    page.unroute("**/values?*", keep)
    expect(option.locator(".name").filter(has_not_text="i")).to_have_count(0)
    expect(init.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page.locator("#filter")).to_have_value("command:init ")


def test_a_filter_is_completed_and_applied(watched, stored, traces) -> None:
    # Whoever waits within a filter sees what is wrong with it so far.
    watched.expected.add("400 GET")
    trace = traces["first-sync-and-edits"]
    page = watched.page(stored.url)
    page.keyboard.press("/")
    page.keyboard.type("comm")
    option = page.locator("#completions [role=option]")
    expect(option.filter(has_text="command").first).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator("#filter")).to_have_value("command:")
    expect(option.filter(has_text=re.compile(r"^init")).first).to_be_visible()
    page.keyboard.type("ini")
    expect(option).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#filter")).to_have_value("command:init ")
    page.keyboard.press("Enter")
    names = listed(trace, "command:init")
    expect(page.locator("#count")).to_have_text(re.compile(rf"^{len(names)} rows"))
    assert shown(page) == names
    # It is offered the next time, and stays where it is saved.
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#count")).to_have_text(f"{len(listed(trace))} rows")
    page.reload()
    page.locator(".chip.saved").click()
    expect(page.locator("#count")).to_have_text(re.compile(rf"^{len(names)} rows"))
    page.get_by_role("button", name="From client").click()
    expect(page.locator("#filter")).to_have_value("command:init sender:client")
    expect(page.get_by_role("button", name="From client")).to_have_attribute("aria-pressed", "true")


def test_a_mistake_is_marked_where_it_is(watched, stored) -> None:
    watched.expected.add("400")
    page = watched.page(stored.url)
    page.keyboard.press("/")
    page.keyboard.type("host:a statsu:200")
    expect(page.locator("#mistake")).to_contain_text("did you mean status?")
    expect(page.locator(".shadow mark")).to_have_text("statsu")
    expect(page.locator("#filter")).to_have_attribute("aria-invalid", "true")
    # What was shown stays, and a filter that is right again is applied.
    page.locator("#filter").fill("host:nowhere")
    expect(page.locator(".list-message")).to_contain_text("No row passes this filter")
    expect(page.locator("#mistake")).to_be_hidden()
    page.get_by_role("button", name="Show all rows").click()
    expect(page.locator("#rows .window .row").first).to_be_visible()


def test_columns_and_times_are_chosen(watched, stored) -> None:
    page = watched.page(stored.url)
    first = page.locator("#rows .window .row").first
    expect(first.locator("[data-column=time]")).to_have_text("0.158")
    page.locator("#clock").click()
    expect(first.locator("[data-column=time]")).to_have_text(re.compile(r"^\d\d:\d\d:26\.\d\d\d$"))
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("Host").check()
    expect(first.locator("[data-column=host]")).to_have_text("127.0.0.1")
    page.get_by_label("Waterfall").uncheck()
    expect(first.locator("[data-column=waterfall]")).to_have_count(0)
    page.reload()
    expect(first.locator("[data-column=host]")).to_have_text("127.0.0.1")


def test_a_million_rows_are_few_elements(watched, stored) -> None:
    page = watched.page(stored.url, opens=False)
    # No trace has these rows.
    watched.expected.add("404 GET")
    made = MadeListing(page, 1_000_000)
    page.goto(stored.url)
    expect(page.locator("#count")).to_have_text("1,000,000 rows")
    rows = page.locator("#rows .window .row")
    expect(rows.first.locator("[data-column=row]")).to_have_text("1")
    assert rows.count() <= 500
    page.evaluate("() => { const rows = document.getElementById('rows'); rows.scrollTop = rows.scrollHeight / 2; }")
    eventually(lambda: 490_000 < int((shown(page) or ["0"])[0] or 0) < 510_000, "the middle")
    # A step of the wheel is some rows, however high the list is.
    before = int(shown(page)[0])
    page.mouse.move(400, 500)
    page.mouse.wheel(0, 260)
    eventually(lambda: int(shown(page)[0] or before) == before + 10, "ten rows further")
    page.locator("#rows").focus()
    page.keyboard.press("j")
    page.keyboard.press("End")
    expect(page.locator("#rows [aria-selected=true] [data-column=row]")).to_have_text("1000000")
    page.keyboard.press("Home")
    expect(page.locator("#rows [aria-selected=true] [data-column=row]")).to_have_text("1")
    assert rows.count() <= 500
    assert len(made.asked) < 60


def test_nothing_jumps_when_rows_arrive(watched, stored) -> None:
    page = watched.page(stored.url, opens=False)
    made = MadeListing(page, 10_000)
    page.goto(stored.url)
    expect(page.locator("#count")).to_have_text("10,000 rows")
    page.evaluate("() => { document.getElementById('rows').scrollTop = 26 * 5000; }")
    eventually(lambda: shown(page)[:1] == ["5001"], "row 5001")
    made.grow(30_000)
    expect(page.locator("#count")).to_have_text("30,000 rows")
    assert shown(page)[0] == "5001"
    # A connection that is lost comes back by itself, and what was missed comes with it.
    made.count = 40_000
    made.sockets[-1].close()
    expect(page.locator("#live")).to_contain_text("Not connected")
    eventually(lambda: page.evaluate("true") and len(made.sockets) > 1, "another connection")
    expect(page.locator("#live")).not_to_contain_text("Not connected")
    made.grow(40_000)
    expect(page.locator("#count")).to_have_text("40,000 rows")
    assert shown(page)[0] == "5001"


def test_a_recording_is_followed(watched, inspect, record, origin) -> None:
    proxy = record("--to", origin.url)
    page = watched.page(inspect(proxy.trace).url)
    expect(page.locator(".list-message")).to_contain_text("Nothing was recorded yet")
    expect(page.locator("#live")).to_contain_text("Recording")
    request(proxy.port, "GET /first HTTP/1.1\nHost: x\nConnection: close\n\n")
    row = page.locator("#rows .window .row")
    expect(row).to_have_count(1)
    expect(row.first.locator("[data-column=subject]")).to_contain_text("/first")
    expect(row.first.locator("[data-column=duration]")).to_have_text(re.compile(r" (ms|µs|s)$"))
    page.get_by_role("button", name="Pause").click()
    request(proxy.port, "GET /second HTTP/1.1\nHost: x\nConnection: close\n\n")
    expect(page.locator("#pause")).to_have_text("Resume (1 new)")
    expect(row).to_have_count(1)
    page.locator("#pause").click()
    expect(row).to_have_count(2)
    proxy.finish()
    expect(page.locator("#live")).not_to_contain_text("Recording")


def test_a_group_is_listed_alone(watched, stored, traces) -> None:
    page = watched.page(stored.url)
    page.get_by_text("Groups", exact=True).click()
    group = page.get_by_role("region", name="Object")
    expect(group.get_by_role("button").first).to_be_visible()
    name = group.get_by_role("button").first.text_content()
    group.get_by_role("button").first.click()
    expect(page.locator("#filter")).to_have_value(f"key:{name}")
    names = listed(traces["first-sync-and-edits"], f"key:{name}")
    eventually(lambda: shown(page) == names, "the rows of the group")
    page.get_by_text("Groups", exact=True).click()
    page.keyboard.press("Escape")
    expect(group).to_be_hidden()
