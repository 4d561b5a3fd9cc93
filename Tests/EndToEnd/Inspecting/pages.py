"""The inspector's page in Chromium, driven as a person does it."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response, Route, expect, sync_playwright
from programs import DEADLINE, ROOT, TAPEDECK, Program, Recording, tapedeck

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")
WIDE = {"width": 1280, "height": 800}
# With this variable, pages take their modules from the sources: what is edited there is tried without a build.
FILES = ROOT / "Sources/Pages/Inspector" if "TAPEDECK_PAGES" in os.environ else None
expect.set_options(timeout=DEADLINE * 1000)


class Inspector(Program):
    """A running `tapedeck inspect`."""

    def __init__(self, *arguments: str | Path):
        super().__init__(TAPEDECK, "inspect", *arguments)
        self.url = self.await_line(r"^inspector at (http://\S+)$")[1]
        self.origin = self.url.partition("/?")[0]


@pytest.fixture(scope="session", name="browser")
def browser_fixture() -> Iterator[Browser]:
    """One browser for all tests of a worker; contexts keep them apart."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


class Watched:
    """Pages of one test, and what they must not do: log errors, break their policy, ask anything but the inspector."""

    def __init__(self, browser: Browser):
        self._browser = browser
        self._contexts: list = []
        self.complaints: list[str] = []
        self.expected: set[str] = set()

    def page(self, url: str, place: str = "", opens: bool = True, **options) -> Page:
        """A page of its own, opened at a place of the inspector once it can be used."""
        context = self._browser.new_context(**{"viewport": WIDE, "permissions": ["clipboard-read", "clipboard-write"]} | options)
        context.set_default_timeout(DEADLINE * 1000)
        self._contexts.append(context)
        page = context.new_page()
        if FILES:
            page.route(re.compile(r"/app/[^/?]+$"), lambda route: route.fulfill(path=FILES / Path(route.request.url).name))
        origin = url.partition("/?")[0]
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("console", self._hear)
        page.on("request", lambda request: self._see(request, origin))
        page.on("response", self._answered)
        if opens:
            page.goto(f"{url}{place}")
            expect(page.locator("main > section:not([hidden])")).to_be_visible()
        return page

    def _hear(self, message: ConsoleMessage) -> None:
        # Those answers are looked at below, where it is known to what.
        if message.type == "error" and "responded with a status" not in message.text:
            self._complain(f"{message.type}: {message.text}")

    def _answered(self, response: Response) -> None:
        # A recording may end between two questions of a page about it.
        has_ended = response.status == 503 and "/control/v1/held" in response.url
        if response.status >= 400 and not has_ended:
            self._complain(f"{response.status} {response.request.method} {response.url}")

    def _complain(self, text: str) -> None:
        # What a test provokes it says before.
        if not any(each in text for each in self.expected):
            self.complaints.append(text)

    def _see(self, request: Request, origin: str) -> None:
        if not request.url.startswith((origin, origin.replace("http", "ws", 1), "blob:", "data:")):
            self.complaints.append(f"asked {request.url}")

    def close(self) -> None:
        """Closes all of them, and says what they did."""
        for context in self._contexts:
            context.close()
        assert not self.complaints, self.complaints


@pytest.fixture(name="inspect")
def inspect_fixture() -> Iterator[Callable[..., Inspector]]:
    """Starts inspectors."""
    started: list[Inspector] = []

    def start(*arguments: str | Path) -> Inspector:
        started.append(Inspector(*arguments))
        return started[-1]

    yield start
    for each in started:
        each.kill()


@pytest.fixture(name="watched")
def watched_fixture(browser: Browser, inspect: Callable[..., Inspector],
                    record: Callable[..., Recording]) -> Iterator[Watched]:
    """Opens pages, which are closed before the inspectors and the recordings of the test."""
    assert inspect and record
    watched = Watched(browser)
    yield watched
    watched.close()


@pytest.fixture(scope="session", name="traces")
def traces_fixture(tmp_path_factory) -> dict[str, Path]:
    """Recordings as traces."""
    folder = tmp_path_factory.mktemp("traces")
    made = {}
    for name in ("first-sync-and-edits", "state-hash-mismatch", "submission-with-attachment"):
        made[name] = folder / f"{name}.tape"
        tapedeck("import", ROOT / "Recordings" / name, made[name])
    return made


@pytest.fixture(scope="session", name="stored")
def stored_fixture(traces: dict[str, Path]) -> Iterator[Inspector]:
    """An inspector of those traces, in their order from 1."""
    inspector = Inspector(*traces.values())
    yield inspector
    inspector.kill()


def listed(trace: Path, *arguments: str) -> list[str]:
    """Names of rows as `ls` has them."""
    letters = {"exchange": "", "command": "c", "message": "m"}
    rows = [json.loads(line) for line in tapedeck("ls", trace, *arguments, "--json").stdout.splitlines()]
    return [f"{letters[row['kind']]}{row['id']}" for row in rows]


def shown(page: Page) -> list[str]:
    """Names of the rows that are in sight."""
    return page.locator("#rows .window .row [data-column=row]").all_text_contents()


def request(port: int, text: str) -> bytes:
    """Sends a request to a proxy as it stands, and returns the beginning of the answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as line:
        line.sendall(text.replace("\n", "\r\n").encode())
        return line.recv(4096)


def made_row(place: int) -> dict:
    """A row of a listing that no trace has: an exchange for each place."""
    return {
        "name": str(place + 1), "kind": "exchange", "session_id": 1, "connection_id": 1 + place % 7,
        "at_ns": place * 1_000_000, "ended_ns": place * 1_000_000 + 500_000, "responded_ns": place * 1_000_000 + 300_000,
        "is_open": False, "method": "GET", "url": f"http://hq.example/{place}", "host": "hq.example", "path": f"/{place}",
        "api": "http", "status": 200, "request_size": 0, "response_size": 10, "device": None, "is_local": False,
        "problem": None, "side": "both", "fate": "same", "marks": [], "findings": [],
    }


class MadeListing:
    """Answers for a listing of any length; what a page learns of it over its WebSocket is said by the test."""

    def __init__(self, page: Page, count: int):
        self.count = count
        self.asked: list[int] = []
        self.sockets: list = []
        page.route(re.compile(r"/listings(/\d+)?$"), self._answer)
        page.route(re.compile(r"/listings/\d+/rows"), self._rows)
        page.route_web_socket(re.compile(r"/v1/live$"), lambda socket: self.sockets.append(socket))

    def _state(self) -> dict:
        return {"id": 1, "count": self.count, "is_complete": True, "changes": self.count}

    def _answer(self, route: Route) -> None:
        route.fulfill(status=201, json=self._state())

    def _rows(self, route: Route) -> None:
        first = int(re.search(r"from=(\d+)", route.request.url)[1])
        count = int(re.search(r"count=(\d+)", route.request.url)[1])
        self.asked.append(first)
        rows = [made_row(place) for place in range(first, min(self.count, first + count))]
        route.fulfill(json={"from": first, "count": self.count, "rows": rows})

    def grow(self, count: int) -> None:
        """There are so many now."""
        self.count = count
        news = {"trace": 1, "listing": 1, "count": count, "is_complete": True, "changes": count, "changed": []}
        self.sockets[-1].send(json.dumps(news))
