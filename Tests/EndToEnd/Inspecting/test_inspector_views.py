"""The views of the inspector beside its list: findings, timeline, state, comparison, replay, report."""

from __future__ import annotations

import re
import urllib.request

from pages import listed, needs_chromium, request, shown
from playwright.sync_api import expect
from programs import eventually, tapedeck

pytestmark = needs_chromium


def test_findings_are_grouped_and_lead_to_rows(watched, stored) -> None:
    page = watched.page(stored.url, "#/2/findings")
    group = page.locator(".finding-group")
    expect(group.locator("h3")).to_have_text(["commcare.sync.state-hash"])
    expect(group).to_contain_text("expected")
    expect(page.locator("nav [data-view=findings] .count")).to_have_text("1")
    # With the keyboard alone: to the first step, and from there to its row, the findings still beside it.
    group.locator(".steps a").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#detail h2")).to_have_text("exchange 1")
    expect(group.locator(".steps a[aria-current]")).to_have_text(["#1"])
    group.get_by_role("button", name="Show rows").click()
    expect(page.locator("#filter")).to_have_value("finding:commcare.sync.state-hash")
    eventually(lambda: shown(page) == ["1", "2"] or shown(page) == ["2"], "the rows of the finding")
    expect(page.locator("#rows .badge-warning").first).to_be_visible()


def test_a_finding_is_ignored_and_the_baseline_taken_along(watched, inspect, traces, tmp_path) -> None:
    file = tmp_path / "known.baseline"
    trace = traces["state-hash-mismatch"]
    page = watched.page(inspect(trace, "--baseline", file).url, "#/1/findings")
    group = page.locator("#findings > .finding-group")
    expect(group).to_have_count(1)
    page.get_by_role("button", name="Ignore", exact=True).click()
    expect(page.locator("#findings .empty")).to_contain_text("Nothing but what is known")
    expect(page.locator("nav [data-view=findings] .count")).to_have_count(0)
    assert file.read_text().startswith("# Known findings")
    assert "commcare.sync.state-hash" not in tapedeck("diagnose", trace, "--baseline", file).stdout
    # Rows have no mark of what is known.
    page.keyboard.press("g")
    page.keyboard.press("l")
    expect(page.locator("#rows .window .row").first).to_be_visible()
    expect(page.locator("#rows .badge-warning")).to_have_count(0)
    page.go_back()
    menu = page.get_by_text("Baseline (1)", exact=True)
    menu.click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download", exact=True).click()
    download.value.save_as(tmp_path / "taken.baseline")
    assert (tmp_path / "taken.baseline").read_text() == file.read_text()
    page.get_by_role("button", name="Report all again").click()
    expect(group).to_have_count(1)
    assert file.read_text() == ""
    # What another program wrote is loaded, and a finding taken out of it again.
    page.get_by_label("Baseline to load").set_input_files(tmp_path / "taken.baseline")
    expect(group).to_have_count(0)
    page.locator(".known > summary").click()
    page.get_by_role("button", name="Report again").click()
    expect(group).to_have_count(1)
    page.get_by_role("button", name="Ignore rule").click()
    expect(group).to_have_count(0)
    assert "commcare.sync.state-hash\n" in file.read_text()


def test_a_baseline_without_a_file_is_of_the_page(watched, inspect, traces) -> None:
    page = watched.page(inspect(traces["state-hash-mismatch"], "--read-only").url, "#/1/findings")
    page.get_by_role("button", name="Ignore", exact=True).click()
    expect(page.locator("#findings .empty")).to_contain_text("Nothing but what is known")
    expect(page.locator("#notices")).to_contain_text("download it to keep it")
    assert not list(traces["state-hash-mismatch"].parent.glob("*.baseline"))


def test_nothing_was_found(watched, stored) -> None:
    page = watched.page(stored.url, "#/1/findings")
    expect(page.locator("#findings .empty")).to_contain_text("No rule was broken")


def test_a_stretch_of_the_timeline_filters_the_list(watched, stored, traces) -> None:
    page = watched.page(stored.url, "#/1/timeline")
    canvas = page.locator("#timeline canvas")
    expect(canvas).to_have_attribute("aria-label", re.compile("5 lanes"))
    drawn = "(canvas) => new Set(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data).size"
    assert canvas.evaluate(drawn) > 10
    box = canvas.bounding_box()
    # A click opens the exchange of the first lane, which begins at 0.158 of 0.465 s.
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 10)
    before = page.locator("#timeline output").text_content()
    page.mouse.wheel(0, -300)
    expect(page.locator("#timeline output")).not_to_have_text(before)
    canvas.focus()
    page.keyboard.press("0")
    expect(page.locator("#timeline output")).to_have_text(before)
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + 160, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60, steps=3)
    page.mouse.up()
    page.keyboard.up("Shift")
    page.get_by_role("button", name="List the selection").click()
    expect(page.locator("#filter")).to_have_value(re.compile(r"^at:0\.\d+s\.\.0\.\d+s$"))
    names = listed(traces["first-sync-and-edits"], page.locator("#filter").input_value())
    assert 0 < len(names) < len(listed(traces["first-sync-and-edits"]))
    eventually(lambda: shown(page) == names, "the rows of the stretch")


def test_a_row_is_opened_from_the_timeline(watched, stored) -> None:
    page = watched.page(stored.url, "#/3/timeline")
    canvas = page.locator("#timeline canvas")
    expect(canvas).to_have_attribute("aria-label", re.compile("1 lanes"))
    box = canvas.bounding_box()
    drawn = page.evaluate("fetch('/v1/traces/3/timeline').then((answer) => answer.json())")
    at, ended, name, *_ = drawn["lanes"][0]["spans"][0]
    share = (at + ended) / 2 / drawn["end_ns"]
    page.mouse.click(box["x"] + 150 + share * (box["width"] - 158), box["y"] + 60)
    expect(page.locator("#detail h2")).to_have_text(f"exchange {name}")
    page.get_by_label("A lane for each").select_option("client")
    expect(page.locator("#timeline .timeline-tip")).to_be_attached()


def test_the_state_is_stepped_through(watched, stored, traces) -> None:
    trace = traces["first-sync-and-edits"]
    page = watched.page(stored.url, "#/1/state")
    body = page.locator(".state-body")
    expect(body).to_contain_text("Client and server agree")
    expect(body.get_by_role("rowheader", name="shopping")).to_be_visible()
    changes = listed(trace, "command:{c,i,e,init}")
    page.get_by_role("button", name="To the change before").click()
    expect(page).to_have_url(re.compile(r"at=c\d+$"))
    # From before its answer came, the client holds what the server does not have yet.
    sent = listed(trace, "command:c sender:client key:note-1")[0]
    page.goto(page.url.replace(page.url.rpartition("=")[2], sent))
    expect(body).to_contain_text("1 disagreement")
    expect(body.locator(".disagreements ins")).to_contain_text([", longer"])
    page.get_by_role("button", name="To the next change").click()
    expect(page).to_have_url(re.compile(f"at={changes[changes.index(sent) + 1]}$"))
    expect(body).to_contain_text("Client and server agree")
    body.get_by_role("button", name="note-1").click()
    eventually(lambda: body.locator(".versions li").count() >= 2, "its versions")
    # The slider with the keyboard.
    page.locator("input[type=range]").focus()
    page.keyboard.press("Home")
    expect(body).to_contain_text("Nothing is known at this time")
    page.keyboard.press("End")
    expect(body).to_contain_text("Client and server agree")


def test_the_state_of_cases(watched, stored) -> None:
    page = watched.page(stored.url, "#/2/state?at=2")
    body = page.locator(".state-body")
    expect(body).to_contain_text("It lacks case-b.")
    body.get_by_role("button", name="case-a").click()
    expect(body.locator(".versions li").first).to_be_visible()


def test_two_traces_are_compared(watched, stored, traces) -> None:
    page = watched.page(stored.url, "#/2/compare")
    expect(page.locator("#compare h2")).to_have_text("Compare state-hash-mismatch.tape")
    page.get_by_label("Other trace").select_option("3")
    expect(page.locator(".compared").first).to_be_visible()
    assert "tapedeck diff" in page.locator("#compare").text_content()
    page.locator(".compared.missing a").first.click()
    expect(page.locator("#detail h2")).to_be_visible()


def test_two_sessions_of_a_trace_are_compared(watched, inspect, record, origin) -> None:
    for path in ("/first", "/second"):
        proxy = record("--to", origin.url)
        request(proxy.port, f"GET {path} HTTP/1.1\nHost: x\nConnection: close\n\n")
        proxy.finish()
    page = watched.page(inspect(proxy.trace).url, "#/1/compare")
    expect(page.locator(".compared.missing")).to_contain_text("/first")
    expect(page.locator(".compared.added")).to_contain_text("/second")
    expect(page.locator("#compare")).to_contain_text("tapedeck diff test.tape --session 1 --with-session 2")
    page.locator(".compared.added a").click()
    expect(page.locator("#detail h2")).to_have_text("exchange 2")
    page.keyboard.press("g")
    page.keyboard.press("c")
    page.get_by_label("Session of the other").select_option("1")
    expect(page.locator("#compare .empty")).to_contain_text("one and the same")


def test_the_timeline_has_the_rows_of_the_filter(watched, stored) -> None:
    # What is written half is no filter yet.
    watched.expected.add("400")
    page = watched.page(stored.url, "#/1/timeline?filter=command%3Ac")
    canvas = page.locator("#timeline canvas")
    expect(canvas).to_have_attribute("aria-label", re.compile("4 lanes"))
    page.get_by_role("button", name="Clear").click()
    expect(canvas).to_have_attribute("aria-label", re.compile("5 lanes"))
    canvas.focus()
    page.keyboard.press("/")
    page.keyboard.type("status:404")
    page.keyboard.press("Enter")
    expect(page.locator("#timeline .empty")).to_contain_text("Nothing happens here")


def test_a_replay_server_is_started_and_stopped(watched, stored) -> None:
    page = watched.page(stored.url, "#/3/replay")
    expect(page.locator("#replay pre").first).to_contain_text("tapedeck replay server")
    page.get_by_role("button", name="Start a replay server").click()
    running = page.locator("#replay [role=status]")
    expect(running).to_contain_text("Running at http://")
    address = running.text_content().rpartition(" ")[2]
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        assert opener.open(f"{address}/nowhere", timeout=10).status
    except urllib.error.HTTPError as error:
        assert error.code >= 400
    page.get_by_role("button", name="Stop").click()
    expect(running).to_have_text("Not running")


def test_a_report_is_downloaded(watched, stored, tmp_path) -> None:
    page = watched.page(stored.url, "#/2/share?filter=status%3A412")
    expect(page.locator("#share pre")).to_have_text("tapedeck export state-hash-mismatch.tape report.html 'status:412'")
    link = page.get_by_role("link", name="Download report.html")
    with page.expect_download() as download:
        link.click()
    download.value.save_as(tmp_path / "a.html")
    assert b"YWRhQGRlbW86c2VjcmV0" not in (tmp_path / "a.html").read_bytes()
    page.get_by_label("With secrets").check()
    expect(page.locator("#share [role=status]")).to_contain_text("passwords")
    with page.expect_download() as download:
        link.click()
    download.value.save_as(tmp_path / "b.html")
    assert b"YWRhQGRlbW86c2VjcmV0" in (tmp_path / "b.html").read_bytes()


def test_a_stored_trace_says_what_it_cannot_do(watched, stored) -> None:
    page = watched.page(stored.url, "#/1/faults")
    expect(page.locator("#faults .empty")).to_contain_text("This trace is not being recorded")
    page.keyboard.press("g")
    page.keyboard.press("h")
    expect(page.locator("#held .empty")).to_contain_text("tapedeck record first-sync-and-edits.tape")
    page.keyboard.press("g")
    page.keyboard.press("u")
    expect(page.locator("#setup details").first).to_be_visible()
