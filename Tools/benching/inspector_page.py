"""The page of the inspector in Chromium: first rows, filters, scrolling and memory; and how it keeps up with a recording."""

from __future__ import annotations

import json
import random
import re
import shutil
import socket
import statistics
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from programs import resident
from websockets.sync.client import connect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PAGE_BYTES, TASK_MS, FIRST_ROWS_SECONDS, FILTER_SECONDS = 150e6, 100, 1.0, 0.2
# Tasks of more than 50 ms, which browsers call long.
WATCH_TASKS = """
window.longTasks = [];
new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((entry) => entry.duration)))
  .observe({ type: "longtask", buffered: true });
"""
FIRST_ROW = "() => document.querySelector('#rows .window .row [data-column=row]')?.textContent"
# Both frames after which what is there was drawn.
# The number of the last row that is drawn; 0 while none is.
LAST_ROW = """Math.max(0, ...[...document.querySelectorAll("#rows .window .row [data-column=row]")]
  .map((cell) => Number(cell.textContent) || 0))"""
DRAWN = "() => new Promise((settle) => requestAnimationFrame(() => requestAnimationFrame(() => settle())))"


def own_memory(pid: int) -> int:
    """Bytes that only this process has: those that would be free without it."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(int(each) for each in re.findall(r"^Private_(?:Clean|Dirty):\s+(\d+) kB", text, re.MULTILINE)) * 1024


def renderers(root: int) -> list[int]:
    """The processes of a browser that have pages."""
    found = []
    for child in Path(f"/proc/{root}/task/{root}/children").read_text().split():
        if b"--type=renderer" in Path(f"/proc/{child}/cmdline").read_bytes():
            found.append(int(child))
        found += renderers(int(child))
    return found


class Page:
    """A page of the inspector, and the process that has it."""

    def __init__(self, browser, url: str, root: int) -> None:
        before = set(renderers(root))
        self.page = browser.new_page(viewport={"width": 1440, "height": 900})
        self.page.add_init_script(WATCH_TASKS)
        began = time.monotonic()
        self.page.goto(url)
        self.page.wait_for_function(FIRST_ROW)
        self.page.evaluate(DRAWN)
        self.first_rows = time.monotonic() - began
        new = [pid for pid in renderers(root) if pid not in before] or renderers(root)
        self.pid = max(new, key=own_memory)

    def memory(self) -> int:
        """Bytes that the page takes."""
        return own_memory(self.pid)

    def longest_task(self) -> float:
        """Milliseconds of the longest task since the last call; those of less than 50 are not seen."""
        return self.page.evaluate("() => Math.max(0, ...window.longTasks.splice(0))")


class Unwatched:
    """A page in a browser of its own that nobody debugs: for those who do, it would keep what it has fetched."""

    def __init__(self, url: str, folder: Path) -> None:
        self.process = subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--remote-debugging-port=0",
             f"--user-data-dir={folder}", "--window-size=1440,900", url],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        found = None
        while found is None:
            line = self.process.stderr.readline()
            if not line:
                raise RuntimeError("chromium ended")
            found = re.search(r"DevTools listening on ws://([^/]+)/", line)
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        with urllib.request.urlopen(f"http://{found[1]}/json/list") as answer:
            target = next(each for each in json.load(answer) if each["type"] == "page")
        self.socket = connect(target["webSocketDebuggerUrl"], max_size=None)
        self.asked = 0
        while not self.evaluate(f"({FIRST_ROW})()"):
            time.sleep(0.05)
        self.evaluate(WATCH_TASKS)
        self.pid = max(renderers(self.process.pid), key=own_memory)

    def evaluate(self, expression: str):
        """The value of an expression in the page; None while it is not there yet."""
        self.asked += 1
        self.socket.send(json.dumps({"id": self.asked, "method": "Runtime.evaluate",
                                     "params": {"expression": expression, "returnByValue": True}}))
        return json.loads(self.socket.recv()).get("result", {}).get("result", {}).get("value")

    def memory(self) -> int:
        """Bytes that the page takes."""
        return own_memory(self.pid)

    def close(self) -> None:
        """Ends the browser."""
        self.socket.close()
        self.process.terminate()
        self.process.wait()


@contextmanager
def chromium() -> Iterator[tuple[object, int]]:
    """A browser and its process."""
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        session = browser.new_browser_cdp_session()
        root = next(each["id"] for each in session.send("SystemInfo.getProcessInfo")["processInfo"]
                    if each["type"] == "browser")
        yield browser, root
        browser.close()


def measure_page(table, url: str, filters: tuple[str, ...], quick: bool) -> None:
    """Adds the rows about a page that looks at a large trace."""
    if CHROMIUM is None:
        table.add("inspector, page", "chromium is not installed")
        return
    with chromium() as (browser, root):
        # What the first page of a browser takes is not the inspector's.
        browser.new_page().goto("about:blank")
        shown = Page(browser, url, root)
        table.add("inspector, first rows drawn after opening the page", f"{1e3 * shown.first_rows:.0f} ms",
                  f"<= {1e3 * FIRST_ROWS_SECONDS:.0f} ms", shown.first_rows <= FIRST_ROWS_SECONDS)
        page = shown.page
        page.wait_for_function("() => !/looked for/.test(document.getElementById('count').textContent)", timeout=300_000)
        shown.longest_task()
        scroll(page, 60 if quick else 300)
        longest = shown.longest_task()
        table.add("inspector, longest task while scrolling", f"{longest:.0f} ms" if longest else "less than 50 ms",
                  f"<= {TASK_MS} ms", longest <= TASK_MS)
        took = sorted(filtered(page, question) for question in filters if question)
        tail = took[min(len(took) - 1, int(0.95 * len(took)))]
        table.add("inspector, rows of a filter drawn", f"p50 {1e3 * statistics.median(took):.0f} ms, p95 {1e3 * tail:.0f} ms",
                  f"p95 <= {1e3 * FILTER_SECONDS:.0f} ms", tail <= FILTER_SECONDS)
        size = shown.memory()
        table.add("inspector, memory of the page", f"{size / 1e6:.0f} MB", f"<= {PAGE_BYTES / 1e6:.0f} MB", size <= PAGE_BYTES)


def scroll(page, steps: int) -> None:
    """Scrolls by the wheel, and far by the bar."""
    page.mouse.move(500, 600)
    chance = random.Random(25)
    for step in range(steps):
        if step % 5 < 4:
            page.mouse.wheel(0, 260)
        else:
            share = chance.random()
            page.evaluate("(share) => { const rows = document.getElementById('rows'); rows.scrollTop = rows.scrollHeight * share; }",
                          share)
        page.evaluate(DRAWN)
    page.wait_for_function(FIRST_ROW)


def filtered(page, question: str) -> float:
    """Seconds from a filter in the address until its first rows are drawn."""
    return page.evaluate("""async (question) => {
      const count = document.getElementById("count");
      const began = performance.now();
      location.hash = `#/1/list?filter=${encodeURIComponent(question)}`;
      await new Promise((settle) => {
        const look = () => {
          const row = document.querySelector("#rows .window .row [data-column=row]");
          if (/pass/.test(count.textContent) && (row?.textContent || /^0 /.test(count.textContent))) settle();
          else setTimeout(look, 1);
        };
        setTimeout(look, 1);
      });
      const took = performance.now() - began;
      location.hash = "#/1/list";
      await new Promise((settle) => setTimeout(settle, 50));
      return took / 1000;
    }""", question)


class Steady(threading.Thread):
    """Sends so many requests a second, pipelined on a few connections, as long as it may."""

    def __init__(self, port: int, per_second: int) -> None:
        super().__init__(daemon=True)
        self.port, self.per_second = port, per_second
        self.over = threading.Event()
        self.sent = 0

    def run(self) -> None:
        lines = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(4)]
        began = time.monotonic()
        batch = max(1, self.per_second // 200)
        request = b"GET /steady HTTP/1.1\r\nHost: x\r\n\r\n" * batch
        while not self.over.is_set():
            if self.sent > (time.monotonic() - began) * self.per_second:
                time.sleep(0.002)
                continue
            for line in lines:
                line.sendall(request)
            for line in lines:
                answers = 0
                while answers < batch:
                    answers += line.recv(1 << 20).count(b"HTTP/1.1 200")
            self.sent += batch * len(lines)
        for line in lines:
            line.close()


def measure_live(table, folder: Path, url: str, port: int, pid: int, recorded, per_second: int, seconds: int) -> None:
    """Adds the rows about a page that follows a recording of so many exchanges a second; `recorded` tells the last."""
    if CHROMIUM is None:
        return
    load = Steady(port, per_second)
    load.start()
    shown = Unwatched(url, folder / "browser")
    try:
        behind: list[int] = []
        memory: list[tuple[int, int]] = []
        last = 0
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            time.sleep(1)
            known = recorded()
            # While rows are fetched that have come into sight, those before were there last.
            last = shown.evaluate(LAST_ROW) or last
            behind.append(max(0, known - last))
            memory.append((shown.memory(), resident(pid)))
        load.over.set()
        load.join(30)
        rate = load.sent / (time.monotonic() - began)
        says = shown.evaluate("document.getElementById('count').textContent")
        half = len(behind) // 2
        table.add("inspector, live", f"{rate:,.0f} exchanges/s for {seconds} s; the page was {statistics.median(behind):,.0f} rows "
                  f"behind, at most {max(behind[1:]):,}; it says {says!r}", f"{per_second:,}/s, kept up with",
                  statistics.median(behind) <= per_second)
        longest = shown.evaluate("Math.max(0, ...window.longTasks)")
        table.add("inspector, longest task while live", f"{longest:.0f} ms" if longest else "less than 50 ms")
        for name, index, most in (("the page", 0, 8e6), ("the recording and its inspector", 1, 16e6)):
            sizes = [each[index] for each in memory]
            early, late = statistics.median(sizes[half // 2:half]), statistics.median(sizes[-(half // 2 or 1):])
            table.add(f"inspector, memory of {name} while live", f"{early / 1e6:.0f} MB, then {late / 1e6:.0f} MB, "
                      f"at most {max(sizes) / 1e6:.0f} MB", "flat", late - early <= most)
    finally:
        shown.close()

