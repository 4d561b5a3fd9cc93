"""The program that comes with this package, as a command that ends and as one that runs on."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sysconfig
import threading
from pathlib import Path

READY = re.compile(r"listening on (?:.*:)?(\d+)$")
PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


class TapedeckError(Exception):
    """The program could not do what it was asked; the text is what it says about that."""


def program() -> Path:
    """Where the program is: `TAPEDECK` in the environment, this environment's, or that on the PATH."""
    if named := os.environ.get("TAPEDECK"):
        return Path(named)
    beside = Path(sysconfig.get_path("scripts")) / "tapedeck"
    if beside.is_file():
        return beside
    if found := shutil.which("tapedeck"):
        return Path(found)
    raise TapedeckError("no tapedeck: set TAPEDECK to the program, or put it on the PATH")


def environment() -> dict[str, str]:
    """This process's environment without proxies, which the program must not use itself."""
    kept = {name: value for name, value in os.environ.items() if name.lower() not in PROXY_VARIABLES}
    return kept | {"NO_COLOR": "1"}


def run(*arguments: str | Path, check: bool = True, timeout: float = 120) -> subprocess.CompletedProcess:
    """Runs a command to its end and returns what it printed, as text.

    With `check`, a status that is neither 0 nor 1 (a check that failed) is a `TapedeckError`.
    """
    command = [str(program()), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                          timeout=timeout, env=environment(), stdin=subprocess.DEVNULL)
    if check and done.returncode not in (0, 1):
        raise TapedeckError(f"tapedeck {' '.join(command[1:])}: status {done.returncode}\n{done.stderr}")
    return done


class Running:
    """A command that listens until it is stopped; a context manager."""

    def __init__(self, *arguments: str | Path, timeout: float = 30) -> None:
        self.command = [str(program()), *map(str, arguments)]
        self._process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, errors="replace", env=environment())
        self.output: list[str] = []
        self.errors: list[str] = []
        self._ready = threading.Event()
        self.port = 0
        self._readers = [threading.Thread(target=self._read, args=pair, daemon=True) for pair in (
            (self._process.stdout, self.output), (self._process.stderr, self.errors))]
        for reader in self._readers:
            reader.start()
        if not self._ready.wait(timeout) or not self.port:
            self.kill()
            raise TapedeckError(f"tapedeck {' '.join(self.command[1:])} does not listen\n{self.said()}")

    def _read(self, stream, lines: list[str]) -> None:
        for line in stream:
            lines.append(line.rstrip("\n"))
            if not self._ready.is_set() and (match := READY.search(lines[-1])):
                self.port = int(match[1])
                self._ready.set()
        if stream is self._process.stdout:
            self._ready.set()

    def said(self) -> str:
        """Everything that it printed so far."""
        return "\n".join([*self.output, *self.errors])

    def stop(self, timeout: float = 60) -> int:
        """Ends it cleanly, as SIGINT does, and returns its status."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            status = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise TapedeckError(f"tapedeck {' '.join(self.command[1:])} does not end") from None
        for reader in self._readers:
            reader.join(timeout)
        return status

    def kill(self) -> None:
        """Ends it at once."""
        self._process.kill()
        self._process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.stop()
