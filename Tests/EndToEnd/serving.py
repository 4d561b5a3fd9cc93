"""A running `tapedeck serve`, and what real clients say to it."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import requests
from programs import DEADLINE, TAPEDECK, Program
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

TOKEN = "0123456789abcdef0123456789abcdef"
OTHER = "f" * 32
RESPONSE = "{http://openrosa.org/http/response}"
CASE = "{http://commcarehq.org/case/transaction/v2}case"
OPENROSA = {"X-OpenRosa-Version": "3.0"}
AUTH = ("ada", "secret")


class Server(Program):
    """A running `tapedeck serve`."""

    def __init__(self, *arguments: str | Path):
        super().__init__(TAPEDECK, "serve", "--listen", "127.0.0.1:0", *arguments)
        self.port = int(self.await_line(r"^listening on 127\.0\.0\.1:(\d+)$")[1])
        self.admin = self.await_line(r"^admin at (\S+) token (\w+)$")

    def url(self, path: str = "/sock/1/app/websocket", scheme: str = "ws") -> str:
        """A path on this server."""
        return f"{scheme}://127.0.0.1:{self.port}{path}"

    def ask(self, method: str, path: str, **parameters) -> requests.Response:
        """Asks as the admin."""
        return requests.request(
            method, self.admin[1] + path, params=parameters, timeout=DEADLINE,
            headers={"Authorization": f"Bearer {self.admin[2]}"})


class Client:
    """One socket, raw or in the frames of SockJS."""

    def __init__(self, url: str, sockjs: bool = False, **options):
        # Closed with the server that it is connected to.
        self.socket: ClientConnection = connect(
            url, open_timeout=DEADLINE, max_size=None, **{"proxy": None} | options).__enter__()
        self.sockjs = sockjs
        self.waiting: list[str] = []
        if sockjs:
            assert self.socket.recv(DEADLINE) == "o"

    def send(self, text: str) -> None:
        """Sends one message."""
        self.socket.send(json.dumps([text]) if self.sockjs else text)

    def next(self) -> str:
        """The next message."""
        while not self.waiting:
            frame = self.socket.recv(DEADLINE)
            if not self.sockjs:
                return frame
            if frame.startswith("a"):
                self.waiting += json.loads(frame[1:])
        return self.waiting.pop(0)

    def say(self, text: str) -> str:
        """Sends one message and gives the next one that comes."""
        self.send(text)
        return self.next()

    def join(self, token: str = TOKEN, bucket: str = "notes", client: str = "c1",
             channel: int = 0, **more) -> str:
        """Opens a bucket."""
        return self.say(f"{channel}:init:" + json.dumps({
            "clientid": client, "api": "1.1", "token": token, "app_id": "app", "name": bucket,
            "library": "test", "version": "1", **more}))

    def change(self, channel: int = 0, **change) -> dict:
        """Sends a change and gives the element of the next `c`."""
        change.setdefault("ccid", uuid.uuid4().hex)
        change.setdefault("o", "M")
        return self.changes(self.say(f"{channel}:c:{json.dumps(change)}"))[0]

    @staticmethod
    def changes(message: str) -> list[dict]:
        """The changes of a `c`."""
        match = re.fullmatch(r"\d+:c:(\[.*\])", message, re.DOTALL)
        assert match, message
        return json.loads(match[1])

    def current(self) -> str:
        """The change version that the index states."""
        return json.loads(self.say("0:i::::1").removeprefix("0:i:"))["current"]

    def closing_code(self) -> int:
        """The code with which the server closes the socket."""
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                self.socket.recv(DEADLINE)
        assert closed.value.rcvd, closed.value
        return closed.value.rcvd.code


class CommCareServer(Server):
    """The same, and a device that asks its CommCare server."""

    def __init__(self, *arguments: str | Path):
        super().__init__(*arguments)
        self.root = self.url("/a/demo", "http")
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.headers.update(OPENROSA)
        self.session.auth = AUTH

    def submit(self, body: str, token: str = "", **options) -> requests.Response:
        """Sends a form as plain XML."""
        headers = {"Content-Type": "text/xml"}
        if token:
            headers["X-CommCareHQ-LastSyncToken"] = token
        return self.session.post(self.root + "/receiver/", body, headers=headers, timeout=30,
                                 **options)

    def restore(self, **parameters: str) -> requests.Response:
        """Asks for a restore."""
        return self.session.get(self.root + "/phone/restore/", timeout=30,
                                params={"version": "2.0", "items": "true"} | parameters)


def form(instance: str, *cases: str) -> str:
    """A form with case blocks."""
    return (f'<data xmlns="http://example.org/f">{"".join(cases)}'
            f"<meta><instanceID>{instance}</instanceID></meta></data>")


def case(identifier: str, inside: str = "", create: bool = True) -> str:
    """A case block."""
    made = ("<create><case_type>patient</case_type><case_name>Łucja</case_name>"
            "<owner_id>team</owner_id></create>" if create else "")
    return (f'<case xmlns="http://commcarehq.org/case/transaction/v2" case_id="{identifier}" '
            f'date_modified="2026-01-15T10:00:00.000Z" user_id="u1">{made}{inside}</case>')


def state(*identifiers: str) -> str:
    """The case state hash, computed as CommCare HQ does."""
    total = 0
    for identifier in identifiers:
        total ^= int(hashlib.md5(identifier.encode()).hexdigest(), 16)
    return f"ccsh:{total:032x}" if identifiers else "ccsh:"


def cases(answer: requests.Response) -> list[str]:
    """Identifiers of the cases in a restore, whose `items` has to be right."""
    assert answer.status_code == 200, answer.text
    root = ElementTree.fromstring(answer.content)
    assert root.tag == RESPONSE + "OpenRosaResponse"
    assert int(root.get("items")) == len(root)
    return sorted(element.get("case_id") for element in root.iter(CASE))


def token(answer: requests.Response) -> str:
    """The sync token of a restore."""
    return re.search(r"<restore_id>([0-9a-f]{32})</restore_id>", answer.text)[1]


def nature(answer: requests.Response) -> str:
    """What kind of message an answer is."""
    return ElementTree.fromstring(answer.content).find(RESPONSE + "message").get("nature")
