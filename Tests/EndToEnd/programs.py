"""Real programs as tests drive them: started on free ports, read line by line, stopped by pid."""

from __future__ import annotations

import os
import re
import select
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[2]
TAPEDECK = Path(os.environ.get("TAPEDECK", ROOT / ".build/debug/tapedeck"))
# Sure to be over on a slow machine; nothing waits this long when all is well.
DEADLINE = float(os.environ.get("TAPEDECK_DEADLINE", 30))
PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
Value = TypeVar("Value")


def environment(**more: str) -> dict[str, str]:
    """Our environment without proxy settings of the machine."""
    kept = {name: value for name, value in os.environ.items()
            if name.lower() not in PROXY_VARIABLES}
    return kept | {"NO_COLOR": "1"} | more


def within() -> str:
    """Where pytest within a test makes its folders: it takes the rights of other users back in the folder above."""
    folder = Path(tempfile.gettempdir(), f"p{os.getuid()}")
    folder.mkdir(exist_ok=True)
    return str(folder)


def eventually(probe: Callable[[], Value], what: str, seconds: float = DEADLINE) -> Value:
    """The first true value of `probe`, asked again and again until the deadline."""
    deadline = time.monotonic() + seconds
    while True:
        value = probe()
        if value:
            return value
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s in vain for: {what}"
        select.select([], [], [], 0.01)


class Program:
    """A process of ours; what it prints is kept, line by line."""

    def __init__(self, *command: str | Path, **options):
        self.command = [str(part) for part in command]
        options.setdefault("env", environment())
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, errors="replace", **options,
        )
        self.output: list[str] = []
        self.errors: list[str] = []
        self._readers = [
            threading.Thread(target=self._read, args=pair, daemon=True)
            for pair in ((self.process.stdout, self.output), (self.process.stderr, self.errors))
        ]
        for reader in self._readers:
            reader.start()

    @staticmethod
    def _read(stream, lines: list[str]) -> None:
        for line in stream:
            lines.append(line.rstrip("\n"))

    @property
    def pid(self) -> int:
        """The process id."""
        return self.process.pid

    def said(self) -> str:
        """All it has printed so far, for messages of failed tests."""
        return "\n".join([" ".join(self.command), *self.output, "-- stderr", *self.errors])

    def await_line(self, pattern: str, errors: bool = False) -> re.Match:
        """The first line of stdout, or of stderr, that `pattern` is found in."""
        lines = self.errors if errors else self.output

        def probe():
            for line in list(lines):
                if match := re.search(pattern, line):
                    return match
            assert self.process.poll() is None or self._readers[0].is_alive(), self.said()
            return None

        return eventually(probe, f"/{pattern}/ in\n{self.said()}")

    def stop(self, sent: signal.Signals = signal.SIGTERM) -> int:
        """Sends a signal, waits for the end and returns the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(sent)
        return self.wait()

    def wait(self, seconds: float = DEADLINE) -> int:
        """The exit status; kills the program and fails if it does not end."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"did not end: {self.said()}") from None
        for reader in self._readers:
            reader.join(DEADLINE)
        return status

    def kill(self) -> None:
        """Ends it with SIGKILL if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
        self.wait()

    def peak_memory(self) -> int:
        """The largest resident size so far, in bytes."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024

    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None


class Recording(Program):
    """A running `tapedeck record` and the trace that it writes."""

    def __init__(self, trace: Path, ca: Path, *arguments: str | Path, listen: str = "127.0.0.1:0",
                 **options):
        self.trace = trace
        super().__init__(TAPEDECK, "record", trace, "--listen", listen, "--ca-dir", ca,
                         *arguments, **options)
        first = self.await_line("^")
        host = re.escape(listen.rpartition(":")[0])
        match = re.fullmatch(rf"listening on ({host}):(\d+)", first.string)
        assert match, f"the ready line is not the first: {self.said()}"
        self.port = int(match[2])

    @property
    def address(self) -> str:
        """HOST:PORT of the listener."""
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """The listener as an http URL, without a slash at the end."""
        return f"http://{self.address}"

    def finish(self) -> str:
        """Ends it as a user would and returns what it printed; it has to end well."""
        status = self.stop(signal.SIGINT)
        assert status == 0, f"ended with {status}: {self.said()}"
        return "\n".join(self.output)

    def sql(self, query: str, *values) -> list[tuple]:
        """Rows of its trace, while it runs or after."""
        return sql(self.trace, query, *values)

    def eventually_sql(self, query: str, *values) -> list[tuple]:
        """The rows of a query as soon as there are any."""
        return eventually(lambda: self.sql(query, *values), query)


def sql(trace: Path, query: str, *values) -> list[tuple]:
    """Rows of a trace, read as any user of SQLite would."""
    database = sqlite3.connect(f"file:{trace}?mode=ro", uri=True, timeout=DEADLINE)
    try:
        return database.execute(query, values).fetchall()
    finally:
        database.close()


def tapedeck(*arguments: str | Path, status: int | None = 0,
             **options) -> subprocess.CompletedProcess:
    """Runs a command of tapedeck to its end; checks the exit status unless it is None."""
    options.setdefault("env", environment())
    options.setdefault("text", True)
    options.setdefault("timeout", DEADLINE * 2)
    done = subprocess.run([TAPEDECK, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          check=False, **options)
    if status is not None:
        assert done.returncode == status, (
            f"{' '.join(map(str, arguments))} ended with {done.returncode}, not {status}\n"
            f"{done.stdout}\n-- stderr\n{done.stderr}")
    return done


def curl(*arguments: str | Path, status: int | None = 0) -> subprocess.CompletedProcess:
    """Runs the real curl; stdout is kept as bytes."""
    done = subprocess.run(["curl", "-sS", "--max-time", "60", *map(str, arguments)],
                          stdin=subprocess.DEVNULL, capture_output=True, check=False,
                          env=environment())
    if status is not None:
        assert done.returncode == status, f"curl {arguments}: {done.returncode} {done.stderr}"
    return done
