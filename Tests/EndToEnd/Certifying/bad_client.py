#!/usr/bin/env python3
"""Clients that break a few rules and no others, as COMMANDs of `tapedeck certify`.

`bad_client.py simperium` sends what was refused again just as it was; `bad_client.py commcare` asks
again before Retry-After is over, and sends a form again that was refused for good;
`bad_client.py careless` is a device that keeps what it should let go; `bad_client.py token` asks the
auth API again at once, whatever it said.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import os
import select
import sys
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from urllib.parse import urlsplit

from websockets.sync.client import connect


def steps() -> list[dict]:
    """The script of the scenario."""
    return [json.loads(line) for line in Path(os.environ["TAPEDECK_SCRIPT"]).read_text().splitlines()]


class Simperium:
    """A client of one bucket, good but for what it does after a refusal."""

    def __init__(self):
        self.socket = connect(os.environ["TAPEDECK_SOCKET_URL"], compression=None)
        self.versions: dict[str, int] = {}
        self.data: dict[str, dict] = {}
        self.say("init", json.dumps({
            "clientid": f"bad-{uuid.uuid4().hex}", "api": "1.1",
            "token": os.environ["TAPEDECK_TOKEN"], "app_id": os.environ["TAPEDECK_APP"],
            "name": os.environ["TAPEDECK_BUCKET"], "library": "bad", "version": "1.0"}))
        self.hear("auth")
        mark = ""
        while mark is not None:
            self.say("i", f"1:{mark}::100")
            page = json.loads(self.hear("i"))
            for entry in page["index"]:
                self.versions[entry["id"]] = entry["v"]
                self.data[entry["id"]] = entry["d"]
            mark = page.get("mark")

    def say(self, name: str, payload: str) -> None:
        """Sends a command on the channel."""
        self.socket.send(f"0:{name}:{payload}")

    def hear(self, name: str) -> str:
        """The payload of the next command of this name."""
        while True:
            _, command, payload = self.socket.recv(timeout=20).split(":", 2)
            if command == name:
                return payload

    def listen(self, seconds: float) -> None:
        """Hears what others have to say for so long, and does nothing about it."""
        end = time.monotonic() + seconds
        with contextlib.suppress(TimeoutError):
            while True:
                self.socket.recv(timeout=max(0, end - time.monotonic()))

    def change(self, key: str, data: dict | None) -> None:
        """Makes a change and waits for the answer; a refused one is sent again, once."""
        change: dict = {"id": key, "ccid": uuid.uuid4().hex, "o": "M" if data is not None else "-"}
        if key in self.versions:
            change["sv"] = self.versions[key]
        if data is not None:
            old = self.data.get(key, {})
            change["v"] = {
                name: {"o": "r" if name in old else "+", "v": value}
                for name, value in data.items() if old.get(name) != value}
        for _ in range(2):
            self.say("c", json.dumps(change))
            answer = next(each for each in json.loads(self.hear("c")) if each["id"] == key)
            if "error" not in answer:
                break
        if "error" in answer:
            return
        if data is None:
            self.versions.pop(key, None)
            self.data.pop(key, None)
        else:
            self.versions[key], self.data[key] = answer["ev"], data

    def play(self) -> None:
        """Does the script."""
        for step in steps():
            if step["step"] in ("set", "delete"):
                self.change(step["key"], step.get("data"))
            elif step["step"] == "pause":
                self.listen(step["seconds"])
        self.socket.close()


class CommCare:
    """A device that neither waits nor gives up."""

    def __init__(self):
        self.root = f"{os.environ['TAPEDECK_URL']}/a/{os.environ['TAPEDECK_DOMAIN']}"
        name = f"{os.environ['TAPEDECK_USER']}@{os.environ['TAPEDECK_DOMAIN']}"
        secret = base64.b64encode(f"{name}:{os.environ['TAPEDECK_PASSWORD']}".encode()).decode()
        self.headers = {"X-OpenRosa-Version": "3.0", "x-openrosa-deviceid": "bad-device",
                        "Authorization": f"Basic {secret}"}

    def ask(self, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Status and body of an answer."""
        headers = self.headers | ({"Content-Type": "text/xml"} if body else {})
        request = urllib.request.Request(self.root + path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def restore(self) -> None:
        """Asks for everything, again and again without a pause while it is being made."""
        status = 202
        while status == 202:
            status, body = self.ask("/phone/restore/?version=2.0&device_id=bad-device&items=true")
        if status == 200:
            token = body.split(b"<restore_id>")[1].split(b"<")[0].decode()
            self.headers["X-CommCareHQ-LastSyncToken"] = token

    def play(self) -> None:
        """Does the script."""
        for step in steps():
            if step["step"] == "sync":
                self.headers.pop("X-CommCareHQ-LastSyncToken", None)
                self.restore()
            elif step["step"] == "submit":
                form = Path(step["form"]).read_bytes()
                if self.ask("/receiver/", form)[0] == 422:
                    self.ask("/receiver/", form)


class Careless:
    """A device that keeps the token of another user, device or year, and says everything twice."""

    def __init__(self):
        place = urlsplit(os.environ["TAPEDECK_URL"])
        self.line = http.client.HTTPConnection(place.hostname, place.port, timeout=20)
        self.root = f"/a/{os.environ['TAPEDECK_DOMAIN']}"
        self.user = os.environ["TAPEDECK_USER"]
        self.device, self.days, self.cookie = "careless-1", 0, ""
        self.token, self.user_id = "", ""

    def ask(self, method: str, path: str, body: bytes | None = None, chunks: bool = False,
            signs: bool = True, **fields: str) -> tuple[int, bytes]:
        """Status and body of an answer; 0 where it was cut."""
        name = f"{self.user}@{os.environ['TAPEDECK_DOMAIN']}:{os.environ['TAPEDECK_PASSWORD']}"
        headers = {"X-OpenRosa-Version": "3.0", "x-openrosa-deviceid": self.device}
        if signs:
            headers["Authorization"] = f"Basic {base64.b64encode(name.encode()).decode()}"
        if body:
            headers["Content-Type"] = fields.get("type", "text/xml")
        if self.token and method == "GET":
            headers["X-CommCareHQ-LastSyncToken"] = self.token
        if self.cookie:
            headers["Cookie"], self.cookie = self.cookie, ""
        if chunks:
            headers["Transfer-Encoding"] = "chunked"
        self.line.request(method, path, iter([body]) if chunks else body, headers,
                          encode_chunked=chunks)
        try:
            answer = self.line.getresponse()
            if set_cookie := answer.getheader("Set-Cookie"):
                self.cookie = set_cookie.split(";")[0]
            said = answer.read()
            pause = answer.getheader("Retry-After")
            if answer.status == 202 and pause and self.line.sock:
                # A server that hangs up is asked again at once.
                select.select([self.line.sock], [], [], float(pause))
            return answer.status, said
        except http.client.HTTPException:
            self.line.close()
            return 0, b""

    def restore(self) -> None:
        """Goes on from the token at hand, and begins anew where that is refused."""
        query = f"version=2.0&device_id={self.device}&items=true"
        if self.token:
            late = f"&days_since_last_sync={self.days}" if self.days else ""
            if self.keep(*self.poll(
                    f"{query}&user_id={self.user_id}&since={self.token}{late}")):
                return
            self.token = ""
        self.keep(*self.poll(query))

    def poll(self, query: str) -> tuple[int, bytes]:
        """Asks until the restore is there."""
        while (answer := self.ask("GET", f"{self.root}/phone/restore/?{query}"))[0] == 202:
            pass
        return answer

    def keep(self, status: int, body: bytes) -> bool:
        """Takes the token of a restore, and the identifier of whoever was first."""
        if status != 200:
            return False
        self.token = body.split(b"<restore_id>")[1].split(b"<")[0].decode()
        self.user_id = self.user_id or body.split(b"<uuid>")[1].split(b"<")[0].decode()
        return True

    def submit(self, form: bytes, how: str) -> None:
        """Submits a form, in chunks where it was told to and also where these are refused."""
        if how == "openrosa":
            self.ask("POST", f"{self.root}/submission", form)
        elif how == "demo":
            mine = form.replace(b"<userID>demo_user<", b"<userID>somebody<")
            self.ask("POST", f"{self.root}/receiver/?authtype=noauth&submit_mode=demo", mine,
                     signs=False)
        elif self.ask("POST", f"{self.root}/receiver/", form, chunks=how == "chunked")[0] == 411:
            self.ask("POST", f"{self.root}/receiver/", form, chunks=True)

    def play(self) -> None:
        """Does the script."""
        for step in steps():
            match step["step"]:
                case "sync":
                    self.restore()
                case "submit":
                    self.submit(Path(step["form"]).read_bytes(), step.get("how", ""))
                case "sign-in":
                    self.user = step["user"]
                case "move":
                    self.device = step["device"]
                case "later":
                    self.days = step["days"]
                case "claim":
                    for _ in range(2):
                        if self.ask("POST", f"{self.root}/phone/claim-case/",
                                    f"case_id={step['case']}".encode(),
                                    type="application/x-www-form-urlencoded")[0]:
                            break


class Token:
    """A Simperium client that asks the auth API for a token, and again where it gets none."""

    def play(self) -> None:
        """Asks twice; there is nothing that it does afterwards."""
        place = urlsplit(os.environ["TAPEDECK_URL"])
        body = json.dumps({"username": os.environ["TAPEDECK_USER"],
                           "password": os.environ["TAPEDECK_PASSWORD"]}).encode()
        chunks = os.environ["TAPEDECK_CASE"] == "token-chunks"
        fields = {"Content-Type": "application/json"}
        for _ in range(2):
            line = http.client.HTTPConnection(place.hostname, place.port, timeout=20)
            line.request("POST", f"/1/{os.environ['TAPEDECK_APP']}/authorize/",
                         iter([body]) if chunks else body,
                         fields | ({"Transfer-Encoding": "chunked"} if chunks else {}),
                         encode_chunked=chunks)
            try:
                line.getresponse().read()
            except http.client.HTTPException:
                pass
            line.close()


if __name__ == "__main__":
    {"simperium": Simperium, "commcare": CommCare, "careless": Careless, "token": Token}[
        sys.argv[1]]().play()
