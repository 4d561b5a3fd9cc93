"""A CommCare device and its server that keep exactly what they sent and received."""

from __future__ import annotations

import base64
import random
import re
import select
import socket
import ssl
import threading
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from email.utils import formatdate

from fault_taps import Head, Tap, instance_id, requests, responses
from peers import case_xml, openrosa, restore_xml

DOMAIN = "demo"
# How long the device waits for something to come.
PATIENCE = 2.5
BASIC = "Basic " + base64.b64encode(b"ada@demo.commcarehq.org:secret").decode()
OPENROSA = {"X-OpenRosa-Version": "3.0", "X-OpenRosa-Accept-Content-Length": "30000000"}


def text_of(size: int, dice: random.Random) -> str:
    """Text of about this size that cannot be compressed to nothing."""
    words = [f"{dice.getrandbits(40):010x}" for _ in range(max(1, size // 11))]
    return " ".join(words)


class Origin:
    """Accepts connections, each of which is a tap served on a thread of its own."""

    def __init__(self, context: ssl.SSLContext | None = None):
        self.taps: list[Tap] = []
        self._context = context
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        self.url = f"http{'s' if context else ''}://127.0.0.1:{self.port}"
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            try:
                accepted, _ = self._listener.accept()
            except OSError:
                return
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._guarded, args=(accepted,), daemon=True).start()

    def _guarded(self, accepted: socket.socket) -> None:
        try:
            wrapped = (self._context.wrap_socket(accepted, server_side=True) if self._context
                       else accepted)
            tap = Tap(wrapped)
        except OSError:
            accepted.close()
            return
        self.taps.append(tap)
        try:
            self.serve(tap)
        except (OSError, ValueError):
            pass
        finally:
            tap.close()

    def serve(self, tap: Tap) -> None:
        """Serves one connection to its end."""
        raise NotImplementedError

    def close(self) -> None:
        """Stops listening, and hangs up."""
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._listener.close()
        for tap in self.taps:
            try:
                tap.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class WebOrigin(Origin):
    """A CommCare server with a restore and a file of one size; it keeps each form once."""

    def __init__(self, size: int, dice: random.Random, context: ssl.SSLContext | None = None):
        self.file = dice.randbytes(size)
        self.restore = restore_xml(f"{dice.getrandbits(128):032x}",
                                   case_xml("c1", "one", text=text_of(size, dice)))
        self.forms: dict[str, bytes] = {}
        super().__init__(context)

    def serve(self, tap: Tap) -> None:
        """Answers requests one after the other."""
        done = 0
        while True:
            while True:
                came = requests(bytes(tap.received))
                if len(came) > done and came[done].is_whole:
                    break
                if not tap.recv(1 << 16):
                    return
            asked = came[done]
            done += 1
            status, kind, body = self._answer(asked)
            closes = (asked.value("connection") or "").lower() == "close"
            fields = {"Content-Type": kind, "Content-Length": str(len(body)),
                      "Date": formatdate(usegmt=True)} | (
                          OPENROSA if DOMAIN in asked.target else {})
            head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
            tap.sendall(f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + body)
            if closes:
                return

    def _answer(self, asked: Head) -> tuple[int, str, bytes]:
        xml = "text/xml; charset=utf-8"
        if "/receiver" in asked.target:
            name = instance_id(asked.body)
            if name is None:
                return 400, "text/plain", b"no form"
            self.forms.setdefault(name, asked.body)
            return 201, xml, openrosa("submit_success", "thanks").encode()
        if "/restore" in asked.target:
            return 200, xml, self.restore.encode()
        if asked.target.startswith("/file"):
            return 200, "application/octet-stream", self.file
        if asked.target.startswith("/upload"):
            return 200, "text/plain", f"{len(asked.body)} bytes\n".encode()
        return 404, "text/plain", b"nothing here\n"


@dataclass
class Step:
    """Something the device does until it is done."""

    method: str
    target: str
    fields: dict[str, str]
    body: bytes = b""
    form: str = ""
    is_done: bool = False
    last: str = ""


class Device:
    """A device that does one step after the other, and repeats with pauses what failed."""

    def __init__(self, port: int, size: int, dice: random.Random, trust: str | None = None):
        self.port, self._dice = port, dice
        self._context = ssl.create_default_context(cafile=trust) if trust else None
        self.taps: list[Tap] = []
        self.accepted: set[str] = set()
        self.cut: set[int] = set()
        self._tap: Tap | None = None
        self._asked: list[str] = []
        self._token = ""
        credentials = {"Authorization": BASIC} if trust else {}
        self._commcare = OPENROSA_ASKED | credentials
        self.steps = [
            Step("GET", f"/a/{DOMAIN}/phone/restore/?version=2.0&items=true&device_id=dev1",
                 dict(self._commcare)),
            self._form(size), self._form(20),
            Step("GET", "/file/1.bin", {}),
            Step("PUT", "/upload/1.bin", {"Content-Type": "application/octet-stream"},
                 dice.randbytes(size))]

    @property
    def is_settled(self) -> bool:
        """Whether all was done."""
        return all(step.is_done for step in self.steps)

    def _form(self, size: int) -> Step:
        name = f"{self._dice.getrandbits(128):032x}"
        case = case_xml(f"c-{name}", "new", text=text_of(size, self._dice))
        text = (f'<data xmlns="http://example.org/form" name="f"><n>1</n>{case}'
                '<meta xmlns="http://openrosa.org/jsr/xforms"><deviceID>dev1</deviceID>'
                '<timeStart>2026-01-01T00:00:00.000Z</timeStart>'
                '<timeEnd>2026-01-01T00:00:01.000Z</timeEnd><username>ada</username>'
                f"<userID>u</userID><instanceID>{name}</instanceID></meta></data>")
        border = f"b{self._dice.getrandbits(64):x}"
        body = (f"--{border}\r\nContent-Disposition: form-data; name=\"xml_submission_file\"; "
                f"filename=\"form.xml\"\r\nContent-Type: text/xml\r\n\r\n{text}\r\n"
                f"--{border}--\r\n").encode()
        fields = self._commcare | {"Content-Type": f"multipart/form-data; boundary={border}"}
        return Step("POST", f"/a/{DOMAIN}/receiver/?device_id=dev1", fields, body, name)

    def run(self, seconds: float) -> None:
        """Does all steps, each in three attempts at most."""
        deadline = time.monotonic() + seconds
        for step in self.steps:
            for attempt in range(3):
                if step.is_done or time.monotonic() > deadline:
                    break
                pause = self._try(step)
                if pause < 0:
                    break
                if not step.is_done:
                    time.sleep(pause or 0.3 * 2 ** attempt)
        self.hang_up()

    def _try(self, step: Step) -> float:
        """One attempt; how long to wait before the next, 0 for any time, below 0 for ever."""
        try:
            answer = self._ask(step)
        except (OSError, ValueError, IndexError) as error:
            step.last = repr(error)
            self._give_up()
            return 0
        step.last = str(answer.status)
        if (answer.value("connection") or "").lower() == "close":
            self.hang_up()
        if answer.status in (202, 429, 503):
            return float(answer.value("retry-after") or 5)
        if answer.status == 500:
            return 1
        if answer.status == 412:
            return 0.2
        if answer.status >= 300:
            return -1
        step.is_done = self._suits(step, answer)
        if not step.is_done:
            step.last += " with something else"
        return 0

    def _suits(self, step: Step, answer: Head) -> bool:
        if step.form or "/restore" in step.target:
            try:
                tree = ElementTree.fromstring(answer.body)
            except ElementTree.ParseError:
                return False
            if not tree.tag.endswith("OpenRosaResponse"):
                return False
            if step.form:
                self.accepted.add(step.form)
            elif found := re.search(rb"<restore_id>([^<]*)<", answer.body):
                self._token = found[1].decode()
        return True

    def _connect(self) -> Tap:
        wire = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # What fails within is a connection as well.
        address = "{}:{}".format(*wire.getsockname()[:2])
        if self._context is None:
            tap = Tap(wire)
        else:
            try:
                tap = Tap(self._context.wrap_socket(wire, server_hostname="127.0.0.1"))
            except OSError:
                wire.close()
                raise
        tap.address = address
        self.taps.append(tap)
        self._asked = []
        return tap

    def _ask(self, step: Step) -> Head:
        if self._tap and select.select([self._tap], [], [], 0.02)[0]:
            # Nothing may come that was not asked for.
            self._give_up()
        tap = self._tap = self._tap or self._connect()
        fields = {"Host": f"127.0.0.1:{self.port}", "User-Agent": "Device/1"} | step.fields
        if step.form and self._token:
            fields["X-CommCareHQ-LastSyncToken"] = self._token
        if step.body:
            fields["Content-Length"] = str(len(step.body))
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self._asked.append(step.method)
        tap.settimeout(PATIENCE)
        tap.sendall(f"{step.method} {step.target} HTTP/1.1\r\n{head}\r\n".encode() + step.body)
        while True:
            said, rest = responses(bytes(tap.received), self._asked, tap.has_ended)
            if len(said) == len(self._asked) and said[-1].is_whole:
                if rest:
                    # What was not asked for must not answer the next request.
                    self._give_up()
                return said[-1]
            if rest and len(said) < len(self._asked) and rest[:7] != b"HTTP/1."[:len(rest)]:
                raise ValueError("nonsense")
            if tap.has_ended:
                raise ConnectionError("ended early")
            tap.recv(1 << 18)

    def _give_up(self) -> None:
        if self._tap:
            self._tap.is_broken = True
        self.hang_up()

    def hang_up(self) -> None:
        """Ends the connection."""
        if self._tap:
            self._tap.close()
        self._tap = None


OPENROSA_ASKED = {"X-OpenRosa-Version": "3.0", "X-OpenRosa-DeviceID": "dev1"}
