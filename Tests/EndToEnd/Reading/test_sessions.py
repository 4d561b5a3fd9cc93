"""Proves: a trace gains sessions and keeps what it has, has one writer, and survives `kill -9`."""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from pathlib import Path

import pytest
from programs import TAPEDECK, curl, eventually, sql, tapedeck
from wire import RawClient

TRUTH = ("session", "connection", "leg", "chunk", "patch", "event")


def test_second_session_is_appended(record, origin) -> None:
    """Recording to a trace that exists adds a session and touches nothing in it."""
    first = record("--to", origin.url)
    curl(f"{first.url}/first")
    first.finish()
    before = {name: first.sql(f"SELECT * FROM {name} ORDER BY id") for name in TRUTH}
    exchange = first.sql("SELECT * FROM http_exchange")

    second = record("--to", origin.url)
    curl(f"{second.url}/second")
    second.finish()
    for name, rows in before.items():
        assert second.sql(f"SELECT * FROM {name} ORDER BY id")[:len(rows)] == rows, name
    assert second.sql("SELECT * FROM http_exchange ORDER BY id")[:1] == exchange
    assert second.sql("SELECT path, session_id FROM http_exchange ORDER BY id") == [
        ("/first", 1), ("/second", 2)]
    assert second.sql("SELECT count(*) FROM session") == [(2,)]


def test_two_writers_are_refused(record, program, origin, ca_dir) -> None:
    """A second recording to the same trace ends at once with one line; the first goes on."""
    first = record("--to", origin.url)
    second = program(TAPEDECK, "record", first.trace, "--ca-dir", ca_dir,
                     "--listen", "127.0.0.1:0")
    assert second.wait() == 75
    assert len(second.errors) == 1 and str(first.trace) in second.errors[0], second.said()
    curl(f"{first.url}/still")
    first.finish()
    assert first.sql("SELECT path FROM http_exchange") == [("/still",)]


def test_signals(record, origin) -> None:
    """SIGTERM ends a recording cleanly, too, and says in the trace that it ended."""
    proxy = record("--to", origin.url)
    curl(f"{proxy.url}/a")
    assert proxy.stop(signal.SIGTERM) == 0
    assert proxy.sql("SELECT count(*) FROM event WHERE kind = 'session-ended'") == [(1,)]


def test_ends_in_the_middle_of_traffic(record, origin) -> None:
    """Stopped while many clients send as fast as they can, it ends well and says nothing odd."""
    proxy = record("--to", origin.url, "--quiet")
    over = threading.Event()

    def hammer() -> None:
        try:
            with RawClient(proxy.port) as raw:
                while not over.is_set():
                    raw.send(f"GET /a HTTP/1.1\r\nHost: {proxy.address}\r\n\r\n".encode() * 16)
                    raw.read_until(b"\r\n\r\n")
        except (OSError, EOFError, AssertionError):
            return

    clients = [threading.Thread(target=hammer) for _ in range(8)]
    for client in clients:
        client.start()
    eventually(lambda: proxy.sql("SELECT count(*) > 200 FROM http_exchange") == [(1,)], "traffic")
    status = proxy.stop(signal.SIGTERM)
    over.set()
    for client in clients:
        client.join()
    assert status == 0
    assert not [line for line in proxy.errors if "ERROR" in line], proxy.said()
    assert proxy.sql("PRAGMA integrity_check") == [("ok",)]


def test_ends_with_a_connection_open(record, origin) -> None:
    """An idle client does not keep the program from ending."""
    proxy = record("--to", origin.url)
    with RawClient(proxy.port) as raw:
        raw.send(f"GET /a HTTP/1.1\r\nHost: {proxy.address}\r\n\r\n".encode())
        raw.read_until(b"\r\n\r\n")
        proxy.finish()
    assert proxy.sql("SELECT status FROM exchange") == [(200,)]


class Load:
    """A client that asks for numbered paths as fast as it is answered, and remembers when."""

    def __init__(self, proxy, start: int):
        self.answered: dict[int, float] = {}
        self._next = start
        self._proxy = proxy
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with RawClient(self._proxy.port) as raw:
            while True:
                raw.send(f"GET /n/{self._next} HTTP/1.1\r\nHost: {self._proxy.address}\r\n\r\n"
                         .encode())
                head = raw.read_until(b"\r\n\r\n")
                if not head.startswith(b"HTTP/1.1 200"):
                    return
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                if len(raw.read_exactly(length)) < length:
                    return
                self.answered[self._next] = time.monotonic()
                self._next += 1

    def join(self) -> None:
        """Waits until the connection is gone."""
        self._thread.join(30)


class Starvation:
    """How long each thread of a process waited for a processor and for the disk, as Linux says."""

    def __init__(self, pid: int):
        self._tasks = Path(f"/proc/{pid}/task")
        self._process = os.pidfd_open(pid)
        self._samples: list[tuple[float, dict[str, float]]] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        disk: dict[str, float] = {}
        before = time.monotonic()
        while self._tasks.exists():
            now = time.monotonic()
            lost: dict[str, float] = {}
            try:
                tasks = list(self._tasks.iterdir())
            except FileNotFoundError:
                break
            for task in tasks:
                try:
                    queued = int((task / "schedstat").read_text().split()[1]) / 1e9
                    state = (task / "stat").read_text().rpartition(")")[2].split()[0]
                except (OSError, IndexError):
                    continue
                if state == "D":
                    disk[task.name] = disk.get(task.name, 0) + now - before
                lost[task.name] = queued + disk.get(task.name, 0)
            if lost:
                self._samples.append((now, lost))
            before = now
            # Until it ends, and for a sample at a time.
            select.select([self._process], [], [], 0.005)

    def since(self, start: float) -> float:
        """Seconds that the unluckiest thread waited from this moment on until the process ended."""
        self._thread.join()
        first = next((lost for at, lost in reversed(self._samples) if at <= start), {})
        last = self._samples[-1][1] if self._samples else {}
        return max((lost - first.get(task, 0) for task, lost in last.items()), default=0)


def test_kill_9_under_load(record, origin) -> None:
    """Killed at any moment: opens, is whole, and has everything older than 50 ms; three times.

    A machine that is busy with something else takes its time on top.
    """
    answered: dict[int, float] = {}
    for round_, least in enumerate((50, 120, 200)):
        proxy = record("--to", origin.url, "--quiet")
        starvation = Starvation(proxy.pid)
        load = Load(proxy, round_ * 1_000_000)
        eventually(lambda: len(load.answered) >= least, "answers")
        killed = time.monotonic()
        proxy.process.send_signal(signal.SIGKILL)
        proxy.wait()
        load.join()
        latest = killed - 0.05 - starvation.since(killed - 1)
        answered |= {number: 0 for number, at in load.answered.items() if at < latest}
        assert proxy.sql("PRAGMA integrity_check") == [("ok",)]
        paths = {row[0] for row in proxy.sql(
            "SELECT path FROM http_exchange WHERE outcome = 'complete'")}
        missing = [number for number in answered if f"/n/{number}" not in paths]
        assert not missing, f"{len(missing)} of {len(answered)} exchanges are missing: {missing[:5]}"
        chunks = proxy.sql("SELECT count(*), max(id) FROM chunk")
        assert chunks[0][0] == chunks[0][1]
    assert "/n/0" in tapedeck("ls", proxy.trace).stdout


@pytest.mark.parametrize("kind", ["live", "killed"])
def test_rebuild_gives_the_same_rows(record, origin, echo_socket, kind) -> None:
    """`rebuild` drops what is derived and makes the same rows again, after a kill as well."""
    from websockets.sync.client import connect

    proxy = record("--to", origin.url, "--quiet")
    curl(f"{proxy.url}/a", f"{proxy.url}/coded/gzip", "-F", "a=b", f"{proxy.url}/form")
    if kind == "killed":
        proxy.eventually_sql("SELECT 1 FROM http_exchange WHERE path = '/form' AND "
                             "outcome = 'complete'")
        proxy.kill()
        assert tapedeck("rebuild", proxy.trace)
    else:
        proxy.finish()
        server = echo_socket()
        proxy = record("--to", server.url)
        with connect(f"ws://{proxy.address}/sock/1/app/websocket", proxy=None) as socket:
            for text in ("0:init:{\"name\":\"notes\"}", "0:c:[{\"id\":\"a\",\"o\":\"M\"}]", "h:0"):
                socket.send(text)
                socket.recv(30)
        proxy.finish()
    tables = ("http_exchange", "body", "part", "openrosa", "case_block", "frame", "message",
              "simperium_command", "change", "note")

    def rows() -> dict[str, list[tuple]]:
        return {name: sql(proxy.trace, f"SELECT * FROM {name} ORDER BY id") for name in tables}

    before, truth = rows(), {name: sql(proxy.trace, f"SELECT * FROM {name}") for name in TRUTH}
    tapedeck("rebuild", proxy.trace)
    after = rows()
    for name in tables:
        assert after[name] == before[name], name
    assert before["http_exchange"]
    assert {name: sql(proxy.trace, f"SELECT * FROM {name}") for name in TRUTH} == truth
