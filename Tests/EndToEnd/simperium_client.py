"""`tapedeck client simperium` as tests run it, and a server for it that a test can make say anything."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from peers import ScriptedSimperium
from programs import TAPEDECK, Program, environment

TOKEN = "t" * 32


@pytest.fixture(name="server")
def server_fixture() -> Iterator[ScriptedSimperium]:
    """A small correct server that a test can make say anything."""
    started = ScriptedSimperium()
    yield started
    started.close()


class Client:
    """The client with one state folder."""

    def __init__(self, url: str, state: Path | None, program: Callable[..., Program]):
        self.url, self.state, self._program = url, state, program
        self.who: list[str] = ["--token", TOKEN]
        self.more: list[str | Path] = []
        self.environment: dict[str, str] = {}

    def arguments(self, *command: str | Path, patience: float = 10) -> list[str | Path]:
        """The whole command line."""
        kept = ["--state", self.state] if self.state else []
        return [TAPEDECK, "client", "simperium", *command, "--to", self.url, "--app", "app",
                *self.who, "--bucket", "notes", *kept, "--patience", str(patience), *self.more]

    def run(self, *command: str | Path, status: int | None = 0, said: str = "",
            **options) -> subprocess.CompletedProcess:
        """Runs a command to its end; checks its exit status and what it says."""
        keep = {"input": options.pop("input")} if "input" in options else {
            "stdin": subprocess.DEVNULL}
        done = subprocess.run(self.arguments(*command, **options), capture_output=True, text=True,
                              timeout=60, check=False, env=environment(**self.environment), **keep)
        assert status is None or done.returncode == status, (
            f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
        assert re.search(said, done.stderr), done.stderr
        return done

    def start(self, *command: str | Path) -> Program:
        """Starts a command that goes on."""
        return self._program(*self.arguments(*command), env=environment(**self.environment))


@pytest.fixture(name="client")
def client_fixture(server: ScriptedSimperium, tmp_path: Path,
                   program: Callable[..., Program]) -> Client:
    """A client of the server."""
    return Client(server.url, tmp_path / "state", program)


def changes(server: ScriptedSimperium, key: str = "") -> list[dict]:
    """The changes that clients sent, in order."""
    sent = [json.loads(text.partition(":c:")[2]) for text in list(server.seen)
            if re.match(r"\d+:c:\{", text)]
    return [change for change in sent if not key or change["id"] == key]


def refuse(server: ScriptedSimperium, code: int, times: int = 1) -> None:
    """Refuses the next changes with a code."""
    server.on(r"^\d+:c:", f'0:c:[{{"ccids":["{{ccid}}"],"id":"{{id}}","error":{code}}}]',
              times=times)
