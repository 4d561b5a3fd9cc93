"""The inspector for everyone: screen readers, both colour schemes, a phone, the keyboard alone."""

from __future__ import annotations

import re
from pathlib import Path

import axe_playwright_python
import pytest
from pages import needs_chromium
from playwright.sync_api import Page, expect

pytestmark = needs_chromium

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
VIEWS = ("timeline", "state", "findings", "faults", "held", "compare", "replay", "setup", "share")
PHONE = {"width": 360, "height": 740}


def serious(page: Page, *rules: str) -> list[str]:
    """Serious findings of axe-core about what is shown, by all rules unless some are named."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    options = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    found = page.evaluate("async (options) => (await axe.run(document, options)).violations", options)
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]} {each['nodes'][0]['failureSummary'][:300]}"
            for each in found if each["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_has_nothing_serious(watched, stored, scheme) -> None:
    page = watched.page(stored.url, "#/2/list?row=4", color_scheme=scheme)
    expect(page.locator("#detail [role=tab]").first).to_be_visible()
    expect(page.locator("#rows .window .row").first).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 26)")
    # A scheme changes colours alone.
    rules = ("color-contrast",) if scheme == "dark" else ()
    found = serious(page, *rules)
    for name in ("Parts", "Timing", "SQL"):
        page.get_by_role("tab", name=name).click()
        expect(page.locator("#panel")).not_to_contain_text("Fetching")
        found += serious(page, *rules)
    for view in VIEWS:
        page.locator(f"nav [data-view={view}]").click()
        expect(page.locator(f"#{view}")).to_be_visible()
        expect(page.locator(f"#{view} .loading")).to_have_count(0)
        found += [f"{view}: {each}" for each in serious(page, *rules)]
    page.keyboard.press("?")
    found += serious(page, *rules)
    assert not found, "\n".join(found)


def test_a_phone_has_room_for_everything(watched, stored) -> None:
    page = watched.page(stored.url, viewport=PHONE)
    wide = "document.documentElement.scrollWidth > innerWidth"
    expect(page.locator("#rows .window .row").first).to_be_visible()
    assert not page.evaluate(wide)
    # No column is out of sight.
    assert page.evaluate("(() => { const rows = document.getElementById('rows'); return rows.scrollWidth <= rows.clientWidth; })()")
    page.locator("#rows .window .row").nth(3).click()
    expect(page.locator("#detail [role=tab]").first).to_be_visible()
    assert page.locator("#panel").bounding_box()["height"] > 150
    assert not page.evaluate(wide)
    page.get_by_role("button", name="Close the detail").click()
    expect(page.locator("#detail")).to_be_hidden()
    for view in VIEWS:
        page.locator(f"nav [data-view={view}]").click()
        expect(page.locator(f"#{view}")).to_be_visible()
        assert not page.evaluate(wide), view


def test_a_large_screen_is_used(watched, stored) -> None:
    page = watched.page(stored.url, "#/2/list?row=2", viewport={"width": 3840, "height": 2160})
    expect(page.locator("#detail [role=tab]").first).to_be_visible()
    assert page.locator("#rows .window .row").count() <= 500
    expect(page.get_by_role("columnheader", name="Interface")).to_be_visible()


def test_the_keyboard_reaches_everything(watched, stored) -> None:
    page = watched.page(stored.url)
    expect(page.locator("#rows .window .row").first).to_be_visible()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.id || document.activeElement.dataset.view || document.activeElement.textContent.trim()"))
        if "rows" in seen:
            break
    assert {"trace", "scheme", "keys", "timeline", "share", "filter", "clock", "side", "rows"} <= seen, seen
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "detail"
    page.locator("#detail [role=tab][aria-selected=true]").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.getAttribute('aria-selected')") == "true"
    page.keyboard.press("Escape")
    expect(page.locator("#detail")).to_be_hidden()
    assert page.evaluate("document.activeElement.id") == "rows"


def test_a_scheme_is_chosen_and_kept(watched, stored) -> None:
    page = watched.page(stored.url, color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(20, 23, 26)"
    page.locator("#scheme").click()
    expect(page.locator("#scheme")).to_have_text("Light")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.reload()
    expect(page.locator("#scheme")).to_have_text("Light")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"


def test_without_a_token_the_page_says_what_to_do(watched, stored) -> None:
    watched.expected.update({"401", "Refused"})
    page = watched.page(stored.origin, opens=False)
    answer = page.goto(f"{stored.origin}/")
    assert answer.status == 401
    assert re.search("address that tapedeck printed", page.content())
