#!/usr/bin/env python3
"""A small Simperium client that does all its duties, as a COMMAND of `tapedeck certify`.

`second_client.py` plays the script of the scenario. `second_client.py MUTANT` forgets one duty, as
named in `mutants.py`: the suite's own test is that each of them is caught. `second_client.py inside`
forgets none, and puts its first request into the `cmd` of its `init`, as clients for Android do.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import socket
import sys
import time
import uuid
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from diff_match_patch import diff_match_patch
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

MUTANT = sys.argv[1] if len(sys.argv) > 1 else ""
TEXT = diff_match_patch()


def pause(seconds: float) -> None:
    """What the script asks for, or a duty: nothing is done for so long."""
    time.sleep(seconds)


def units(text: str) -> int:
    """The length of a text in deltas."""
    return len(text) if MUTANT == "code-points" else len(text.encode("utf-16-le")) // 2


def make_delta(old: str, new: str) -> str:
    """A delta that keeps the beginning and the end."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    gone, come = old[start:len(old) - end], new[start:len(new) - end]
    steps = [f"={units(old[:start])}" if start else "", f"-{units(gone)}" if gone else "",
             "+" + quote(come, safe=" -_.!~*'();/?:@&=+$,#") if come else "",
             f"={units(old[len(old) - end:])}" if end else ""]
    return "\t".join(step for step in steps if step)


def apply_delta(text: str, delta: str) -> str:
    """The text after a delta; ValueError where that does not fit."""
    old, place, result = text.encode("utf-16-le"), 0, b""
    for step in delta.split("\t"):
        if step[:1] == "+":
            result += unquote(step[1:]).encode("utf-16-le")
            continue
        size = 2 * int(step[1:])
        if step[:1] == "=":
            result += old[place:place + size]
        place += size
    if place != len(old):
        raise ValueError("the delta is of another text")
    return result.decode("utf-16-le")


def make_diff(old: dict, new: dict) -> dict:
    """The operations that make `new` of `old`."""
    result: dict = {key: {"o": "-"} for key in old if key not in new}
    for key, value in new.items():
        if key not in old:
            result[key] = {"o": "+", "v": value}
        elif isinstance(value, str) and isinstance(old[key], str) and value != old[key]:
            result[key] = {"o": "d", "v": make_delta(old[key], value)}
        elif value != old[key]:
            result[key] = {"o": "r", "v": value}
    return result


def apply_diff(old: dict, steps: dict) -> dict:
    """The object after these operations; ValueError where they do not fit."""
    result = dict(old)
    for key, step in steps.items():
        if step["o"] == "-":
            result.pop(key, None)
        elif step["o"] == "d":
            if not isinstance(result.get(key), str):
                raise ValueError("there is no such text")
            result[key] = apply_delta(result[key], step["v"])
        else:
            result[key] = step["v"]
    return result


def merge(base: dict | None, mine: dict | None, theirs: dict | None) -> dict | None:
    """`theirs` with what was changed from `base` to `mine`."""
    if mine == base or mine is None or theirs is None or base is None:
        return theirs if mine == base else mine
    if MUTANT == "no-rebase":
        return mine
    result = {key: value for key, value in theirs.items() if key in mine or key not in base}
    for key, value in mine.items():
        if key in base and base[key] == value:
            continue
        old, new = base.get(key), theirs.get(key)
        if isinstance(old, str) and isinstance(new, str) and isinstance(value, str) and old != new:
            value = TEXT.patch_apply(TEXT.patch_make(old, value), new)[0]
        result[key] = value
    return result


class Client:
    """One bucket. What the app has is in `local`, what the server is known to have in `ghosts`."""

    def __init__(self):
        self.bucket = os.environ["TAPEDECK_BUCKET"]
        self.id = f"second-{uuid.uuid4().hex}"
        self.token = ""
        self.ghosts: dict[str, tuple[int, dict]] = {}
        self.local: dict[str, dict] = {}
        # Changes without an answer, by key: the change, and what it makes of the object.
        self.sent: dict[str, dict] = {}
        # What the server does not want: it waits for the next edit.
        self.held: dict[str, dict | None] = {}
        self.whole: set[str] = set()
        self.wanted: dict[str, int] = {}
        self.later: dict[str, float] = {}
        self.tries: dict[str, int] = {}
        self.cv = self.head = ""
        self.index: dict[str, tuple[int, dict]] | None = None
        self.current = ""
        self.is_synced = self.is_asked = self.is_sockjs = self.is_offline = False
        self.line = None
        self.opened = 0
        self.pause_until = 0.0
        self.beat, self.heard_at, self.beat_at = 0, 0.0, 0.0
        self.log_level = 0
        self.is_lost = False

    # The connection

    def authorize(self) -> str:
        """A token of the auth API."""
        place = urlsplit(os.environ["TAPEDECK_URL"])
        line = http.client.HTTPConnection(place.hostname, place.port, timeout=20)
        try:
            line.request("POST", f"/1/{os.environ['TAPEDECK_APP']}/authorize/", json.dumps({
                "username": os.environ["TAPEDECK_USER"],
                "password": os.environ["TAPEDECK_PASSWORD"]}), {"Content-Type": "application/json"})
            answer = line.getresponse()
            body = answer.read()
            return json.loads(body)["access_token"] if answer.status == 200 else ""
        except (http.client.HTTPException, ValueError):
            return ""
        finally:
            line.close()

    def open(self) -> None:
        """Opens a socket, with an init; gives up where there is no token."""
        if not self.token:
            self.token = self.authorize()
            if not self.token:
                self.is_lost = True
                return
        url = os.environ["TAPEDECK_SOCKET_URL"]
        if self.is_sockjs:
            place = os.environ["TAPEDECK_SOCKJS_URL"].replace("http", "ws", 1)
            url = f"{place}/000/{uuid.uuid4().hex[:8]}/websocket"
        # Entered by hand: it outlives this function.
        self.line = connect(url, open_timeout=20, close_timeout=1, proxy=None, compression=None,
                            max_size=None, ping_interval=None).__enter__()
        self.opened += 1
        self.index, self.is_synced, self.is_asked = None, False, False
        self.heard_at = self.beat_at = time.monotonic()
        if self.wanted:
            # The answers are lost, and the changes that led to them do not come again.
            self.wanted, self.cv = {}, ""
        if MUTANT == "forgets-queue" and self.opened > 1:
            self.local = {key: data for key, (_, data) in self.ghosts.items()}
        if MUTANT == "forgets-unacknowledged":
            for key, change in self.sent.items():
                if change["target"] is not None:
                    self.local[key] = self.ghosts.get(key, (0, change["target"]))[1]
                    self.held[key] = self.local[key]
            self.sent = {}
        for change in self.sent.values():
            change["waits"] = True
        inside = {"cmd": f"cv:{self.cv}" if self.cv else "i:1:::100"} if MUTANT == "inside" else {}
        self.say("0:init:" + json.dumps({
            "name": self.bucket, "clientid": self.id, "api": "1.1", "token": self.token,
            "app_id": os.environ["TAPEDECK_APP"], "library": "second", "version": "1.0"} | inside))

    def say(self, text: str) -> None:
        """Sends a message."""
        self.line.send(json.dumps([text]) if self.is_sockjs else text)

    def drop(self) -> None:
        """Breaks the socket without closing it."""
        if self.line:
            self.line.socket.shutdown(socket.SHUT_RDWR)
            self.line.close()
        self.lost(0.6)

    def lost(self, after: float | None = None) -> None:
        """The connection is gone; the next one comes after a pause that grows."""
        self.line, self.is_synced = None, False
        if MUTANT == "no-reconnect":
            self.is_lost = True
        waited = after or min(30, 0.7 * 2 ** self.tries.get("", 0)) * random.uniform(1, 1.2)
        self.tries[""] = self.tries.get("", 0) + 1
        self.pause_until = time.monotonic() + (0 if MUTANT == "reconnect-storm" else waited)

    def pump(self, seconds: float = 0.05) -> None:
        """Connects, sends what may be sent, and takes what comes within a time."""
        now = time.monotonic()
        if self.is_lost or self.is_offline or (self.line is None and now < self.pause_until):
            pause(min(seconds, 0.02))
            return
        try:
            if self.line is None:
                self.open()
                if self.line is None:
                    return
            self.send_changes()
            self.send_heartbeat(now)
            while self.line:
                text = self.line.recv(timeout=seconds)
                self.heard_at = time.monotonic()
                if self.is_sockjs:
                    for each in json.loads(text[1:]) if text[:1] == "a" else []:
                        self.receive(each)
                else:
                    self.receive(text)
                self.send_changes()
                seconds = 0
        except TimeoutError:
            pass
        except (ConnectionClosed, OSError, EOFError):
            self.lost()

    def send_heartbeat(self, now: float) -> None:
        """A heartbeat after 20 s of silence; another connection after 45 s without an answer."""
        if MUTANT not in ("waits-for-ever", "no-heartbeat") and now - self.heard_at > 45:
            self.line.close()
            self.lost()
            return
        if MUTANT != "no-heartbeat" and now - max(self.heard_at, self.beat_at) > 20:
            self.beat_at = now
            self.beat = 1 if MUTANT == "stuck-heartbeat" else self.beat + 1
            self.say(f"h:{self.beat}")

    # Changes

    def dirty(self) -> list[str]:
        """Keys of objects that are not as the server has them."""
        return [key for key in sorted(self.ghosts.keys() | self.local.keys())
                if self.local.get(key) != self.ghosts.get(key, (0, None))[1]
                and not (key in self.held and self.held[key] == self.local.get(key))
                and not (MUTANT == "no-removal" and key not in self.local)]

    def send_changes(self) -> None:
        """Sends again what waits for it, and then new changes, one at a time for each object."""
        if not self.is_synced or self.line is None:
            return
        now = time.monotonic()
        for key, change in list(self.sent.items()):
            if now >= self.later.get(key, 0) and change.pop("waits", False):
                if MUTANT == "new-ccid":
                    change["ccid"] = uuid.uuid4().hex
                self.say(self.spoken(change))
        for key in self.dirty():
            if key in self.wanted or now < self.later.get(key, 0):
                continue
            if key in self.sent and (MUTANT != "two-in-flight"
                                     or self.sent[key]["target"] == self.local.get(key)):
                continue
            self.held.pop(key, None)
            self.sent[key] = change = self.change(key)
            self.say(self.spoken(change))

    @staticmethod
    def spoken(change: dict) -> str:
        """A change without what is only for us."""
        spoken = {key: value for key, value in change.items() if key not in ("target", "is_known")}
        return "0:c:" + json.dumps(spoken)

    def change(self, key: str) -> dict:
        """The change that makes an object on the server as it is here."""
        version, ghost = self.ghosts.get(key, (0, None))
        data = self.local.get(key)
        change: dict = {"id": key, "o": "-" if data is None else "M", "ccid": uuid.uuid4().hex}
        if data is not None or MUTANT == "removes-with-value":
            change["v"] = make_diff(ghost or {}, data or {})
        if version and data is not None and MUTANT != "no-sv":
            change["sv"] = version
        if key in self.whole and data is not None:
            change["d"] = data
        return change | {"target": data}

    def learn(self, key: str, version: int, data: dict | None) -> None:
        """Another client changed an object: what was done here goes on top."""
        ghost = self.ghosts.get(key, (0, None))[1]
        mine = self.local.get(key)
        merged = data if data is None and MUTANT != "brings-back" and key not in self.sent \
            and mine == ghost else merge(ghost, mine, data)
        if MUTANT == "brings-back" and data is None:
            merged = mine
        if MUTANT == "echoes" and data is not None:
            merged = dict(merged or {}, content=f"{(merged or {}).get('content', '')} ")
        if merged is None:
            self.local.pop(key, None)
        else:
            self.local[key] = merged
        if sent := self.sent.get(key):
            sent["target"] = merge(ghost, sent["target"], data)
        if data is None:
            self.ghosts.pop(key, None)
        else:
            self.ghosts[key] = (version, data)

    def settle(self, key: str, version: int, data: dict | None) -> None:
        """The server has a change of ours: what was done since goes on top."""
        target = self.sent.pop(key)["target"]
        self.whole.discard(key)
        self.tries.pop(key, None)
        if data is not None and self.local.get(key) is not None:
            self.local[key] = merge(target, self.local[key], data)
        elif data is not None and target is not None and key in self.local:
            self.local[key] = data
        if MUTANT == "doubles-text" and data is not None and data.get("content") == "one and two":
            self.local[key] = dict(data, content=data["content"] + " and two")
        if data is None:
            self.ghosts.pop(key, None)
        else:
            self.ghosts[key] = (version, data)

    # Messages

    def receive(self, text: str) -> None:
        """Takes a message."""
        if text.startswith("h:"):
            self.beat = int(text[2:])
            return
        if text.startswith("log:"):
            self.log_level = int(text[4:])
            return
        channel, _, rest = text.partition(":")
        verb, _, payload = rest.partition(":")
        if channel != "0":
            return
        match verb:
            case "auth": self.take_auth(payload)
            case "i": self.take_page(json.loads(payload))
            case "cv": self.take_unknown()
            case "e": self.take_entity(payload)
            case "index": self.tell_index()
            case "c":
                for change in json.loads(payload):
                    self.take_change(change)
                if self.is_asked and not any("error" in each for each in json.loads(payload)):
                    self.is_asked, self.is_synced = False, True
                    self.cv = self.head or self.cv
                    for key in [key for key, each in self.sent.items() if each.get("is_known")]:
                        self.sent.pop(key)
                        self.held[key] = self.local.get(key)
        if self.log_level and verb == "c":
            self.say("log:" + json.dumps({"log": "a change was received"}))

    def take_auth(self, payload: str) -> None:
        """The channel is open, or the token was refused."""
        if payload == "expired":
            return
        if payload.startswith("{"):
            if MUTANT == "same-token":
                self.say("0:init:" + json.dumps({
                    "name": self.bucket, "clientid": self.id, "api": "1.1", "token": self.token,
                    "app_id": os.environ["TAPEDECK_APP"], "library": "second", "version": "1.0"}))
                return
            self.token = ""
            self.line.close()
            self.lost()
        elif MUTANT == "inside":
            if self.cv:
                self.is_asked, self.head = True, self.cv
            else:
                self.index, self.current = {}, ""
        elif not self.cv or (MUTANT == "index-always" and self.opened > 1):
            self.read_index()
        elif MUTANT == "no-cv":
            self.is_synced = True
        else:
            if MUTANT in ("resends-before-cv", "new-ccid"):
                self.is_synced = True
                self.send_changes()
            self.ask()

    def ask(self) -> None:
        """Asks for what was missed."""
        self.is_asked, self.is_synced, self.head = True, False, self.cv
        self.say(f"0:cv:{self.cv}")

    def take_unknown(self) -> None:
        """The server does not know our cv any more."""
        if MUTANT == "ignores-cv-unknown":
            self.is_asked, self.is_synced = False, True
        elif MUTANT == "repeats-cv":
            # Later than an answer that crosses it.
            pause(2.5)
            self.ask()
        else:
            self.read_index()

    def read_index(self) -> None:
        """Reads everything anew."""
        self.index, self.current, self.is_asked, self.is_synced = {}, "", False, False
        self.say("0:i:1:::100")

    def take_page(self, page: dict) -> None:
        """A page of the index; all of it is taken with the last."""
        if self.index is None:
            return
        self.current = self.current or page.get("current", "")
        for entry in page["index"]:
            self.index[entry["id"]] = (entry["v"], entry["d"])
        if page.get("mark") and MUTANT != "first-page":
            self.say(f"0:i:1:{page['mark']}::100")
            return
        index, self.index = self.index, None
        for key, (version, data) in index.items():
            if version > self.ghosts.get(key, (0, None))[0] or key in self.wanted:
                self.learn(key, version, data)
        if MUTANT != "first-page":
            for key in [key for key in self.ghosts if key not in index]:
                self.learn(key, 0, None)
        self.wanted = {}
        self.tries.pop("", None)
        self.cv, self.is_synced = self.current, True
        # What was changed while the pages came is asked for.
        if len(index) >= 100 and MUTANT != "first-page":
            self.ask()

    def take_entity(self, payload: str) -> None:
        """The data of a version that was asked for."""
        head, _, body = payload.partition("\n")
        key, _, version = head.rpartition(".")
        if self.wanted.get(key) != int(version):
            return
        del self.wanted[key]
        if body == "?":
            self.read_index()
        else:
            self.learn(key, int(version), json.loads(body)["data"])

    def want(self, key: str, version: int) -> None:
        """Asks for an object that cannot be had from changes."""
        self.wanted[key] = version
        self.say(f"0:e:{key}.{version}")

    def tell_index(self) -> None:
        """Tells the server what is here."""
        self.say("0:index:" + json.dumps({
            "current": self.cv,
            "index": [{"id": key, "v": version} for key, (version, _) in self.ghosts.items()],
            "pending": [{"id": key, "sv": change.get("sv", 0), "ccid": change["ccid"]}
                        for key, change in self.sent.items()],
            "extra": {"bucketName": self.bucket}}))

    def take_change(self, change: dict) -> None:
        """A change by anybody, or the refusal of one of ours."""
        key = change["id"]
        sent = self.sent.get(key)
        is_own = sent is not None and sent["ccid"] in change["ccids"]
        if "error" in change:
            if is_own:
                self.refuse(key, int(change["error"]))
            return
        self.head = change["cv"]
        if self.is_synced:
            self.cv = self.head
            self.tries.pop("", None)
        version, ghost = self.ghosts.get(key, (0, None))
        if self.index is not None:
            if is_own:
                self.settle(key, version, ghost)
            return
        if change["o"] == "-":
            if is_own:
                self.settle(key, 0, None)
            else:
                self.learn(key, 0, None)
            return
        if change["ev"] <= version:
            if is_own:
                self.settle(key, version, ghost)
            return
        if change.get("sv", 0) != version and MUTANT != "ignores-gap":
            if is_own:
                self.settle(key, version, sent["target"])
            self.want(key, change["ev"])
            return
        try:
            data = apply_diff(ghost or {}, change["v"])
        except ValueError:
            self.want(key, change["ev"])
            return
        if is_own:
            self.settle(key, change["ev"], data)
        else:
            self.learn(key, change["ev"], data)

    def refuse(self, key: str, code: int) -> None:
        """A change was refused."""
        sent = self.sent[key]
        if MUTANT in (f"resends-{code}", f"diff-after-{code}"):
            sent["waits"] = self.tries.get(key, 0) < 2
            self.tries[key] = self.tries.get(key, 0) + 1
            if not sent["waits"]:
                self.sent.pop(key)
                self.held[key] = self.local.get(key)
            return
        match code:
            case 409 if MUTANT == "no-cv-after-409":
                self.sent.pop(key)
                self.held[key] = self.local.get(key)
            case 409:
                # It is among the changes that were missed; until then it is not known as ours.
                sent["is_known"] = True
                self.ask()
            case 404:
                self.sent.pop(key)
                self.whole.add(key)
                self.ghosts.pop(key, None)
            case 405 | 417 | 440:
                self.sent.pop(key)
                self.whole.add(key)
                if code != 417 and key in self.ghosts:
                    self.want(key, self.ghosts.pop(key)[0])
            case 401:
                sent["waits"] = True
                self.token = ""
                self.line.close()
                self.lost(0.6)
            case 503 if MUTANT == "gives-up-503":
                self.sent.pop(key)
                self.held[key] = self.local.get(key)
            case 503:
                sent["waits"] = True
                self.tries[key] = self.tries.get(key, 0) + 1
                waited = 0 if MUTANT == "no-cool-down" else 0.8 * 2 ** (self.tries[key] - 1)
                self.later[key] = time.monotonic() + waited
            case _:
                self.sent.pop(key)
                self.held[key] = self.local.get(key)

    # The script

    def is_done(self) -> bool:
        """Whether everything is read and answered."""
        return self.is_lost or (self.is_synced and not self.sent and not self.wanted
                                and not self.dirty())

    def wait(self, probe, seconds: float = 20) -> None:
        """Works until something is so, or for a time."""
        end = time.monotonic() + seconds
        while not probe() and time.monotonic() < end:
            self.pump()

    def do(self, step: dict) -> None:
        """Does a step."""
        match step["step"]:
            case "sockjs": self.is_sockjs = True
            case "set": self.local[step["key"]] = step["data"]
            case "delete": self.local.pop(step["key"], None)
            case "wait-synced": self.wait(self.is_done)
            case "wait-for":
                self.wait(lambda: self.local.get(step["key"]) == step["data"])
            case "pause":
                end = time.monotonic() + step["seconds"]
                self.wait(lambda: time.monotonic() >= end, step["seconds"])
            case "cut": self.drop()
            case "offline":
                if self.line:
                    self.line.close()
                self.line, self.is_offline, self.is_synced = None, True, False
            case "online": self.is_offline = False
        if step["step"] in ("set", "delete"):
            self.send_changes()

    def play(self) -> None:
        """Does the script."""
        lines = Path(os.environ["TAPEDECK_SCRIPT"]).read_text(encoding="utf-8").splitlines()
        for line in lines:
            self.do(json.loads(line))
        if self.line:
            self.line.close()


if __name__ == "__main__":
    Client().play()
