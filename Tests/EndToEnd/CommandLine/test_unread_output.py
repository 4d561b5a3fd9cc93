"""Proves: whoever does not read what Tapedeck prints holds up nobody, and does not end a recording."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import subprocess

import pytest
from programs import DEADLINE, TAPEDECK, environment, eventually, sql

# Long paths fill the pipe and the queue behind it in few requests.
PATH = "/" + "long/" * 1500
REQUESTS = 300


class Unread:
    """A running `tapedeck record` whose output nobody reads beyond the first line."""

    def __init__(self, trace, ca_dir, to: str):
        self.trace = trace
        self.process = subprocess.Popen(
            [TAPEDECK, "record", trace, "--listen", "127.0.0.1:0", "--ca-dir", ca_dir, "--to", to],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment(), bufsize=0)
        line = self.process.stdout.readline().decode()
        self.port = int(line.rpartition(":")[2])

    def ask(self, count: int) -> None:
        """Asks the proxy so often on one connection: exchanges of several may end in another order."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        with contextlib.closing(client):
            for number in range(count):
                client.request("GET", f"{PATH}{number}")
                response = client.getresponse()
                response.read()
                assert response.status == 200

    def recorded(self, count: int) -> None:
        """Waits until so many exchanges are in the trace."""
        eventually(lambda: sql(self.trace, "SELECT count(*) FROM http_exchange "
                                           "WHERE outcome = 'complete'")[0][0] == count,
                   f"{count} exchanges")

    def stop(self) -> str:
        """Ends it with SIGINT while nobody reads; gives what it said on standard error."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(DEADLINE) == 0
        return self.process.stderr.read().decode()

    def kill(self) -> None:
        """Ends it if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


@pytest.fixture
def unread(trace, ca_dir, origin):
    """A recording whose output is not read."""
    started = Unread(trace, ca_dir, origin.url)
    yield started
    started.kill()


def test_traffic_goes_on_and_sigint_ends_it(unread) -> None:
    """`record | less`, with nobody at the keys."""
    unread.ask(REQUESTS)
    unread.recorded(REQUESTS)
    errors = unread.stop()
    assert "standard output is not read" in errors and "not printed" in errors
    assert sql(unread.trace, "SELECT count(*) FROM event WHERE kind = 'session-ended'") == [(1,)]


def test_what_was_skipped_is_said_when_it_is_read_again(unread) -> None:
    """The lines that are there stand in order, and the others are counted."""
    unread.ask(REQUESTS)
    unread.recorded(REQUESTS)
    lines = []
    for line in unread.process.stdout:
        lines.append(line.decode())
        if " skipped, not read in time" in lines[-1]:
            break
    skipped = int(lines[-1].split()[1])
    assert skipped > 0
    shown = [line for line in lines if PATH in line]
    assert len(shown) + skipped == REQUESTS
    numbers = [int(line.partition(PATH)[2].split()[0]) for line in shown]
    assert numbers == list(range(len(numbers)))
    unread.ask(1)
    assert PATH in unread.process.stdout.readline().decode()
    unread.process.send_signal(signal.SIGINT)
    rest = unread.process.stdout.read().decode()
    assert unread.process.wait(DEADLINE) == 0
    assert f"{REQUESTS + 1} exchanges" in rest


def test_the_recording_goes_on_when_the_reader_has_gone(unread) -> None:
    """`record | head -1`."""
    unread.process.stdout.close()
    unread.ask(20)
    unread.recorded(20)
    errors = unread.stop()
    assert errors.count("standard output cannot be written") == 1
    assert "the recording goes on" in errors


def test_closed_standard_error_ends_nothing(trace, ca_dir, origin) -> None:
    """Nobody hears that the server is not there, and the proxy goes on."""
    started = Unread(trace, ca_dir, origin.url)
    try:
        started.process.stderr.close()
        started.process.stdout.close()
        started.ask(3)
        started.recorded(3)
        os.kill(started.process.pid, signal.SIGTERM)
        assert started.process.wait(DEADLINE) == 0
    finally:
        started.kill()
