"""The inspector as scripts use it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import requests
from description import Description
from programs import DEADLINE, TAPEDECK, Program, eventually
from websockets.sync.client import ClientConnection, connect


class Inspector:
    """A running inspector and its API."""

    def __init__(self, program: Program):
        self.program = program
        found = program.await_line(r"inspector at (http://(\S+)/\?token=(\w+))$")
        self.url, self.address, self.token = found[1], found[2], found[3]
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.headers["Authorization"] = f"Bearer {self.token}"
        self.description = Description(self.session.get(
            f"http://{self.address}/v1/openapi.json", timeout=DEADLINE).json())

    @classmethod
    def of(cls, *traces: Path, options: tuple[str, ...] = ()) -> Inspector:
        """An inspector of stored traces."""
        return cls(Program(TAPEDECK, "inspect", *traces, *options))

    def ask(self, path: str, method: str = "GET", status: int = 200, **options) -> requests.Response:
        """Asks, and expects a status and what is described."""
        answer = self.session.request(method, f"http://{self.address}{path}", timeout=DEADLINE, **options)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text[:500]}"
        is_json = answer.headers.get("Content-Type", "").startswith("application/json")
        self.description.check(method, path, status, answer.json() if is_json and answer.content else None)
        return answer

    def get(self, path: str, **options):
        """The JSON of an answer."""
        return self.ask(path, **options).json()

    def listing(self, text: str = "", trace: int = 1, **more) -> int:
        """Makes a listing and waits until it is complete; its number."""
        made = self.ask(f"/v1/traces/{trace}/listings", "POST", 201, json={"filter": text} | more).json()
        number = made["id"]
        eventually(lambda: self.get(f"/v1/traces/{trace}/listings/{number}")["is_complete"], "the listing")
        return number

    def rows(self, text: str = "", trace: int = 1, **more) -> list[dict]:
        """All rows that a filter selects."""
        number = self.listing(text, trace, **more)
        rows: list[dict] = []
        while True:
            page = self.get(f"/v1/traces/{trace}/listings/{number}/rows?from={len(rows)}&count=500")
            rows += page["rows"]
            if not page["rows"]:
                return rows

    @contextmanager
    def live(self) -> Iterator[ClientConnection]:
        """The WebSocket for news."""
        with connect(f"ws://{self.address}/v1/live", proxy=None, open_timeout=DEADLINE,
                     additional_headers={"Authorization": f"Bearer {self.token}"}) as socket:
            yield socket

    def close(self) -> None:
        """Ends it."""
        assert self.program.stop() == 0, self.program.said()


def news(socket: ClientConnection, listing: int, is_enough) -> list[dict]:
    """Messages about a listing until one is enough."""
    found: list[dict] = []
    while True:
        message = json.loads(socket.recv(timeout=DEADLINE))
        if message.get("listing") == listing:
            found.append(message)
            if is_enough(message):
                return found


def names(rows: list[dict]) -> list[str]:
    """The names of rows."""
    return [row["name"] for row in rows]


def listed(line: str) -> str:
    """The name of a line of `ls --json`."""
    row = json.loads(line)
    return {"exchange": "", "command": "c", "message": "m"}[row["kind"]] + str(row["id"])


def token_of(text: str) -> str:
    """The token of a printed address."""
    return re.search(r"token=(\w+)", text)[1]
