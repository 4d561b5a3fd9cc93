#!/usr/bin/env python3
"""A small CommCare device that does all its duties, as a COMMAND of `tapedeck certify`.

`second_device.py` plays the script of the scenario. `second_device.py MUTANT` forgets one duty, as
named in `mutants.py`: the suite's own test is that each of them is caught.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import os
import re
import sys
import time
import uuid
import xml.etree.ElementTree as ElementTree
from email.utils import formatdate
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

MUTANT = sys.argv[1] if len(sys.argv) > 1 else ""
# Seconds to wait after a refusal that names none; they double.
PAUSE = 6
# Seconds after which a mutant tries again.
HASTES = {"no-cool-down": 0.1, "ignores-retry-after": 2.5}
MOST_DAYS = 60


def pause(seconds: float) -> None:
    """What the script asks for, or a duty: nothing is done for so long."""
    time.sleep(seconds)


class Form:
    """A form that waits to be sent."""

    def __init__(self, step: dict):
        self.name = Path(step["form"]).name
        self.body = Path(step["form"]).read_bytes()
        self.files = [Path(each) for each in step.get("attachments", [])]
        self.how = step.get("how", "")


class Person:
    """What the device keeps of a user."""

    def __init__(self):
        self.token = ""
        self.first_token = ""
        self.token_device = ""
        self.id = ""
        self.synced_day = 0
        self.cases: set[str] = set()
        self.queue: list[Form] = []
        self.needs_full = False


class Device:
    """A device with its users."""

    def __init__(self):
        place = urlsplit(os.environ["TAPEDECK_URL"])
        self.line = http.client.HTTPConnection(place.hostname, place.port, timeout=20)
        self.root = f"/a/{os.environ['TAPEDECK_DOMAIN']}"
        self.user = os.environ["TAPEDECK_USER"]
        self.people: dict[str, Person] = {}
        self.device, self.day, self.cookie = "second-1", 0, ""
        self.pauses: dict[str, tuple[float, float]] = {}
        self.needs_user = False
        self.is_chunked_refused = False
        self.is_stuck = False

    @property
    def person(self) -> Person:
        """The user who is signed in."""
        return self.people.setdefault(self.user, Person())

    # HTTP

    def ask(self, method: str, path: str, body: bytes = b"", type: str = "", token: str = "",
            is_chunked: bool = False, signs: bool = True,
            is_openrosa: bool = False) -> tuple[int, dict, bytes]:
        """Status, header fields and body of an answer; status 0 where there was none."""
        name = f"{self.user}@{os.environ['TAPEDECK_DOMAIN']}:{os.environ['TAPEDECK_PASSWORD']}"
        headers = {"X-OpenRosa-Version": "1.0" if is_openrosa else "3.0", "Accept": "*/*",
                   "Accept-Encoding": "identity"}
        if is_openrosa:
            headers["Date"] = formatdate(usegmt=True)
        elif MUTANT != "no-device-id":
            headers["x-openrosa-deviceid"] = self.device
        if MUTANT == "no-version":
            del headers["X-OpenRosa-Version"]
        if signs:
            headers["Authorization"] = f"Basic {base64.b64encode(name.encode()).decode()}"
        if type:
            headers["Content-Type"] = type
        if token:
            headers["X-CommCareHQ-LastSyncToken"] = token
        if self.cookie and MUTANT != "no-cookie":
            headers["Cookie"] = self.cookie
        if is_chunked:
            headers["Transfer-Encoding"] = "chunked"
        try:
            self.line.request(method, path, iter([body]) if is_chunked else body or None, headers,
                              encode_chunked=is_chunked)
            answer = self.line.getresponse()
            if cookie := answer.getheader("Set-Cookie"):
                self.cookie = cookie.split(";")[0]
            return answer.status, dict(answer.getheaders()), answer.read()
        except (http.client.HTTPException, OSError):
            self.line.close()
            return 0, {}, b""

    def rest(self, what: str, headers: dict) -> None:
        """Sends nothing of a kind for as long as the server says, or a pause that grows."""
        _, last = self.pauses.get(what, (0.0, 0.0))
        advice = headers.get("Retry-After", "")
        wait = float(advice) if advice.isdigit() else max(PAUSE, last * 1.5)
        if MUTANT in HASTES:
            wait = HASTES[MUTANT] / 2
        self.pauses[what] = (time.monotonic() + wait, wait)

    def rests(self, what: str) -> bool:
        """Whether it is too early."""
        return time.monotonic() < self.pauses.get(what, (0.0, 0.0))[0]

    # Forms

    def send(self, form: Form) -> tuple[int, dict, bytes]:
        """Submits a form once."""
        person = self.person
        body = form.body
        if MUTANT == "new-instance-id" and getattr(form, "was_sent", False):
            body = re.sub(rb"<instanceID>[^<]*", b"<instanceID>" + uuid.uuid4().hex.encode(), body)
        form.was_sent = True
        edge = uuid.uuid4().hex
        parts = [("xml_submission_file", form.name, "text/xml", body)]
        if MUTANT != "no-attachment":
            parts += [(each.name, each.name, "image/jpeg", each.read_bytes())
                      for each in form.files]
        whole = b"".join(
            f'--{edge}\r\nContent-Disposition: form-data; name="{name}"; filename="{file}"\r\n'
            f"Content-Type: {kind}\r\n\r\n".encode() + content + b"\r\n"
            for name, file, kind, content in parts) + f"--{edge}--\r\n".encode()
        type = f"multipart/form-data; boundary={edge}"
        if form.how == "openrosa":
            place = f"{self.root}/submission?deviceID={self.device}"
            if self.ask("HEAD", place, is_openrosa=True)[0] != 204:
                return 0, {}, b""
            return self.ask("POST", place, whole, type, is_openrosa=True)
        if form.how == "demo":
            return self.ask("POST", f"{self.root}/receiver/?submit_mode=demo&authtype=noauth",
                            whole, type, signs=False)
        token = "" if MUTANT == "no-token" else person.token
        if MUTANT == "old-token":
            token = person.first_token
        is_chunked = form.how == "chunked" and not self.is_chunked_refused
        answer = self.ask("POST", f"{self.root}/receiver/", whole, type, token, is_chunked)
        if answer[0] == 411 and is_chunked:
            self.is_chunked_refused = MUTANT != "chunks-again"
            answer = self.ask("POST", f"{self.root}/receiver/", whole, type, token,
                              not self.is_chunked_refused)
        return answer

    def flush(self) -> None:
        """Sends what waits, in its order, until something stops it."""
        person = self.person
        if (self.needs_user and MUTANT != "insists") or self.is_stuck:
            return
        queue = list(reversed(person.queue)) if MUTANT == "last-first" else list(person.queue)
        for form in queue:
            if self.rests("submit"):
                return
            status, headers, body = self.send(form)
            accepted = status in (201, 202) or (status == 200 and MUTANT == "takes-html")
            if status in (0, 500) and MUTANT == "forgets-unsent":
                person.queue.remove(form)
                continue
            if accepted:
                self.pauses.pop("submit", None)
                if MUTANT == "submits-twice":
                    self.send(form)
                self.take(form)
                person.queue.remove(form)
            elif status == 422 and b"processing_failure" in body:
                if MUTANT == "resends-422":
                    return
                if MUTANT == "stops-at-422":
                    self.is_stuck = True
                    return
                person.queue.remove(form)
            elif status == 422:
                # Of another nature than a form that cannot be processed: it waits for the next sync.
                return
            elif status in (400, 413):
                if MUTANT == "resends-4xx":
                    return
                person.queue.remove(form)
            elif status in (401, 406):
                self.needs_user = True
                if MUTANT == "insists":
                    self.send(form)
                return
            elif status in (503, 429):
                self.rest("submit", headers)
                if MUTANT in HASTES:
                    pause(HASTES[MUTANT])
                    return self.flush()
                return None
            else:
                return None
        return None

    def take(self, form: Form) -> None:
        """What a form makes of the device's cases."""
        if form.how in ("demo", "openrosa"):
            return
        for case in ElementTree.fromstring(form.body).iter():
            if not case.tag.endswith("}case"):
                continue
            id = case.get("case_id", "")
            if any(each.tag.endswith("}close") for each in case) and MUTANT != "no-purge":
                self.person.cases.discard(id)
            else:
                self.person.cases.add(id)

    # Restores

    def state(self) -> str:
        """The hash of the cases."""
        sum = 0
        for id in self.person.cases:
            sum ^= int(hashlib.md5(id.encode()).hexdigest(), 16)
        return "ccsh:" + (f"{sum:032x}" if self.person.cases else "")

    def restore(self) -> None:
        """Gets what changed since the last restore, or everything."""
        person = self.person
        if self.rests("restore"):
            return
        is_old = self.day - person.synced_day > MOST_DAYS and MUTANT != "token-for-ever"
        is_moved = person.token_device != self.device and MUTANT != "token-of-other-device"
        if MUTANT == "token-of-other-user" and not person.token:
            person.token = next((each.token for each in self.people.values() if each.token), "")
            person.token_device = self.device if person.token else ""
            is_moved = False
        is_full = not person.token or is_old or is_moved or person.needs_full
        if MUTANT == "always-full":
            is_full = True
        query = {"version": "2.0", "device_id": self.device, "items": "true"}
        if person.id:
            query["user_id"] = person.id
        if not is_full:
            query |= {"since": person.token, "state": self.state()}
            if MUTANT == "no-state":
                del query["state"]
            if self.day - person.synced_day:
                query["days_since_last_sync"] = str(self.day - person.synced_day)
        path = f"{self.root}/phone/restore/?{urlencode(query, quote_via=quote)}"
        token = "" if is_full else person.token
        status, headers, body = self.ask("GET", path, token=token)
        while status == 202:
            if MUTANT == "gives-up-202":
                return
            pause(0.05 if MUTANT == "polls-early" else float(headers.get("Retry-After", 5)))
            status, headers, body = self.ask("GET", path, token=token)
        if status == 200:
            self.pauses.pop("restore", None)
            self.apply(body, is_full)
        elif status == 412 and MUTANT == "since-after-412":
            return
        elif status == 412 and not is_full:
            person.needs_full = True
            self.restore()
        elif status in (503, 429):
            self.rest("restore", headers)
            if MUTANT in HASTES:
                pause(HASTES[MUTANT])
                self.restore()
        elif status in (401, 406):
            self.needs_user = True
            if MUTANT == "insists":
                self.ask("GET", path, token=token)

    def apply(self, body: bytes, is_full: bool) -> None:
        """Takes a restore, whole or not at all."""
        try:
            document = ElementTree.fromstring(body)
        except ElementTree.ParseError:
            if MUTANT == "keeps-half" and (found := re.search(rb"<restore_id>([^<]*)<", body)):
                self.person.token, self.person.token_device = found[1].decode(), self.device
            return
        person = self.person
        if is_full:
            person.cases = set()
        for element in document:
            name = element.tag.rpartition("}")[2]
            if name == "Sync":
                person.token = element[0].text or ""
                person.first_token = person.first_token or person.token
            elif name == "Registration":
                person.id = next(each.text for each in element if each.tag.endswith("}uuid")) or ""
            elif name == "case":
                closes = any(each.tag.endswith("}close") for each in element)
                (person.cases.discard if closes else person.cases.add)(element.get("case_id", ""))
        person.token_device, person.synced_day, person.needs_full = self.device, self.day, False

    # The script

    def sync(self, is_automatic: bool) -> None:
        """Sends what waits, and restores."""
        if self.needs_user and is_automatic and MUTANT != "insists":
            return
        self.needs_user = False
        if MUTANT == "restore-first":
            self.restore()
        self.flush()
        if not self.person.queue and not self.needs_user:
            self.restore()

    def do(self, step: dict) -> None:
        """Does a step."""
        match step["step"]:
            case "sync": self.sync(step.get("by") == "timer")
            case "submit":
                form = Form(step)
                self.person.queue.append(form)
                if MUTANT != "last-first":
                    self.flush()
            case "claim":
                status, _, _ = self.ask(
                    "POST", f"{self.root}/phone/claim-case/",
                    urlencode({"case_id": step["case"]}).encode(),
                    "application/x-www-form-urlencoded")
                if status in (201, 0) and MUTANT != "no-sync-after-claim":
                    self.restore()
            case "sign-in": self.user = step["user"]
            case "move": self.device = step["device"]
            case "later": self.day += step["days"]
            case "pause": pause(step["seconds"])

    def play(self) -> None:
        """Does the script."""
        lines = Path(os.environ["TAPEDECK_SCRIPT"]).read_text(encoding="utf-8").splitlines()
        for line in lines:
            self.do(json.loads(line))
        self.line.close()


if __name__ == "__main__":
    Device().play()
