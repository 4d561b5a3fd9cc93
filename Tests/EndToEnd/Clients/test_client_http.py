"""The HTTP layer by itself: order, retries, compression and the background, against a server in Python."""

from __future__ import annotations

import gzip
import json
import signal
import threading
from pathlib import Path

import pytest
from origins import AnsweringServer
from programs import DEADLINE, TAPEDECK, Program, environment, tapedeck
from proves import proves


class Listening(AnsweringServer):
    """Remembers what it is asked; `/busy` is answered 503 twice, and `/slow` when the test says so."""

    def __init__(self):
        self.asked: list[tuple[str, str, dict, bytes]] = []
        self.arrived = threading.Semaphore(0)
        self.may_go = threading.Event()
        super().__init__()

    def answer(self, method, path, headers, body):
        self.asked.append((method, path, {name.lower(): value for name, value in headers.items()}, body))
        self.arrived.release()
        if path.startswith("/slow"):
            self.may_go.wait(DEADLINE)
        if path == "/busy" and len([each for each in self.asked if each[1] == path]) < 3:
            return 503, {}, b"later"
        return (404 if path == "/none" else 200), {"X-Path": path}, path.encode()


@pytest.fixture(name="server")
def server_fixture():
    """A server of this test alone."""
    started = Listening()
    yield started
    started.may_go.set()
    started.shutdown()
    started.server_close()


def listed(folder: Path, server: Listening, *lines: dict) -> Path:
    """A file with a list of requests; a `url` that begins with / is of the server."""
    path = folder / "requests.jsonl"
    for line in lines:
        if line.get("url", "").startswith("/"):
            line["url"] = server.url + line["url"]
    path.write_text("# requests\n" + "".join(json.dumps(line) + "\n" for line in lines))
    return path


def run(path: Path, *options: str):
    """Runs a list; its answers as JSON."""
    done = tapedeck("client", "http", "run", path, "--json", *options, env=environment(), status=None)
    return done, [json.loads(line) for line in done.stdout.splitlines()]


@proves("H-13", "H-14")
def test_requests_come_in_the_order_of_their_priority(server, tmp_path) -> None:
    path = listed(
        tmp_path, server, {"url": "/slow", "requestType": "GET", "requestTag": "first"},
        {"url": "/b", "requestType": "GET", "payload": {"b": "x y", "a": [1, 2]}},
        {"url": "/c", "payload": {"n": 1}, "priority": "Immediate"},
        {"url": "/d", "requestBody": "<data/>", "headers": {"Content-Type": "text/xml"}, "compression": True},
        {"url": "/e", "priority": "Immediate", "requestTag": "last"})
    program = Program(TAPEDECK, "client", "http", "run", path, "--json", env=environment())
    assert server.arrived.acquire(timeout=DEADLINE)
    server.may_go.set()
    program.process.wait(DEADLINE)
    answers = [json.loads(line) for line in program.output]
    assert [answer["number"] for answer in answers] == [1, 3, 5, 2, 4]
    assert [answer["requestTag"] for answer in answers] == ["first", None, "last", None, None]
    assert [(method, path) for method, path, *_ in server.asked] == [
        ("GET", "/slow"), ("POST", "/c"), ("POST", "/e"), ("GET", "/b?a=1&a=2&b=x%20y"), ("POST", "/d")]
    assert json.loads(server.asked[1][3]) == {"n": 1}
    fields, body = server.asked[4][2:]
    assert fields["content-encoding"] == "gzip" and gzip.decompress(body) == b"<data/>"
    assert fields["content-type"] == "text/xml"


@proves("H-12")
def test_what_is_temporary_is_tried_again(server, tmp_path) -> None:
    path = listed(tmp_path, server, {"url": "/busy", "retryCount": 2}, {"url": "/none", "retryCount": 5},
                  {"url": "http://127.0.0.1:1/", "retryCount": 0})
    done, answers = run(path, "--width", "3")
    by_number = {answer["number"]: answer for answer in answers}
    assert (by_number[1]["status"], by_number[1]["attempts"], by_number[1]["data"]) == (200, 3, "/busy")
    assert (by_number[2]["status"], by_number[2]["attempts"]) == (404, 1)
    assert by_number[3]["status"] is None and "connect" in by_number[3]["error"].lower()
    assert done.returncode == 1
    assert done.stderr == "tapedeck: 2 of 3 requests had no success\n"


@proves("H-22", "H-23", "H-24", "H-25", "H-26")
@pytest.mark.parametrize("enabled", [False, True])
def test_the_background_lets_what_runs_finish_and_all_else_wait(server, tmp_path, enabled) -> None:
    switch = [{"backgroundTasks": True}] if enabled else []
    path = listed(tmp_path, server, *switch, {"url": "/slow", "requestTag": "runs"},
                  {"url": "/b", "requestTag": "waits", "priority": "Immediate"})
    program = Program(TAPEDECK, "client", "http", "run", path, env=environment())
    assert server.arrived.acquire(timeout=DEADLINE)
    program.process.send_signal(signal.SIGUSR1)
    program.await_line("^tapedeck: in the background$", errors=True)
    server.may_go.set()
    program.await_line(r"#1 runs  200  1 attempt  5 B$")
    if not enabled:
        assert len(server.asked) == 1 and not [line for line in program.output if "#2" in line]
        program.process.send_signal(signal.SIGUSR2)
    program.await_line(r"#2 waits  200  1 attempt  2 B$")
    assert program.process.wait(DEADLINE) == 0


def test_a_list_switches_at_its_times(server, tmp_path) -> None:
    path = listed(tmp_path, server, {"lifecycle": "background"}, {"url": "/a"},
                  {"lifecycle": "foreground", "at": "200ms"})
    done = tapedeck("client", "http", "run", path, env=environment())
    lines = [line.split("  ", 1)[1] for line in done.stdout.splitlines()]
    assert lines == ["in the background", "in the foreground", "#1  200  1 attempt  2 B"]
    assert float(done.stdout.splitlines()[1].split()[0]) >= 0.2
