#!/usr/bin/env python3
"""Clients that break a few rules and no others, as COMMANDs of `tapedeck certify`.

`bad_client.py simperium` sends what was refused again just as it was; `bad_client.py commcare` asks
again before Retry-After is over, and sends a form again that was refused for good.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import threading
import urllib.error
import urllib.request
import uuid
from pathlib import Path

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
                threading.Event().wait(step["seconds"])
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


if __name__ == "__main__":
    {"simperium": Simperium, "commcare": CommCare}[sys.argv[1]]().play()
