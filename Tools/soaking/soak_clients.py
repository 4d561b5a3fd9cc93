"""Clients that work through a proxy whatever is done to them, and do not give up."""

from __future__ import annotations

import base64
import http.client
import json
import random
import socket
import ssl
import subprocess
import threading
import time
import uuid
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from peers import SimperiumPeer
from programs import environment
from serving import AUTH, case, form
from soak_pace import Pace
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

TOKEN = "5" * 32
KEYS = ("one", "two", "three", "four")
BUCKET = "notes"
PATIENCE = 1.0
# One of so many forms makes a case, so that restores stay small.
FORMS_PER_CASE = 10
BASIC = "Basic " + base64.b64encode(":".join(AUTH).encode()).decode()


class Worker(threading.Thread):
    """A client on a thread of its own; `works` says whether it makes anything new."""

    def __init__(self, name: str):
        super().__init__(name=name, daemon=True)
        self.works = threading.Event()
        self.is_over = threading.Event()
        self.failure: BaseException | None = None
        self.did = 0

    def run(self) -> None:
        """Takes turns until it is over."""
        try:
            while not self.is_over.is_set():
                self.turn()
        except BaseException as error:
            self.failure = error
            raise

    def turn(self) -> None:
        """One step."""
        raise NotImplementedError

    def end(self) -> None:
        """Ends it, and waits for that."""
        self.is_over.set()
        self.join(60)


class Device(Worker):
    """A CommCare device of Python's own HTTP: sends each form until it is taken, and restores."""

    def __init__(self, name: str, port: int, trust: Path | None, pace: Pace):
        super().__init__(name)
        self._port, self._pace = port, pace
        self._context = ssl.create_default_context(cafile=trust) if trust else None
        self._restoring: http.client.HTTPConnection | None = None
        # Another one for each round, so that restores stay small.
        self.domain = "demo"
        self.unsent: list[str] = []
        self.taken: set[str] = set()
        # What became of the last form.
        self.last = ""
        self.restores = 0

    @property
    def is_idle(self) -> bool:
        """Whether all of its forms are taken."""
        return not self.unsent

    def _connect(self) -> http.client.HTTPConnection:
        if self._context:
            return http.client.HTTPSConnection("127.0.0.1", self._port, timeout=PATIENCE,
                                               context=self._context)
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE)

    def turn(self) -> None:
        """Sends a form, now and then restores or looks where nothing is, and rests a little."""
        if self.works.is_set() and self._pace.is_due:
            if not self.unsent:
                self.unsent.append(f"{self.name}-{self.did}")
                self.did += 1
            if self.did % 4 == 0:
                self._restore()
            if self.did % 8 == 1:
                self._look()
        if self.unsent:
            self._submit(self.unsent[0])
        self.is_over.wait(0.02)

    def _submit(self, name: str) -> None:
        self._pace.count()
        # A connection for each: what is left of a wrong answer must not answer the next form.
        connection = self._connect()
        makes = int(name.rpartition("-")[2]) % FORMS_PER_CASE == 0
        try:
            connection.request(
                "POST", f"/a/{self.domain}/receiver/",
                form(name, case(f"case-{name}") if makes else "").encode(),
                {"Content-Type": "text/xml", "X-OpenRosa-Version": "3.0", "Authorization": BASIC})
            answer = connection.getresponse()
            self.last = f"{answer.status} {answer.read()[:200]!r}"
            if answer.status == 201:
                self.unsent.remove(name)
                self.taken.add(name)
        except (OSError, http.client.HTTPException) as error:
            self.last = repr(error)
        finally:
            connection.close()

    def _look(self) -> None:
        self._pace.count()
        connection = self._connect()
        try:
            # No device asks for this, so that rules may answer with anything.
            connection.request("GET", "/nowhere")
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()

    def _restore(self) -> None:
        self._pace.count()
        connection = self._restoring = self._restoring or self._connect()
        try:
            connection.request(
                "GET", f"/a/{self.domain}/phone/restore/?version=2.0&items=true&device_id="
                + self.name, headers={"Authorization": BASIC})
            answer = connection.getresponse()
            if answer.status == 200:
                ElementTree.fromstring(answer.read())
                self.restores += 1
                return
        except (OSError, http.client.HTTPException, ElementTree.ParseError, ValueError):
            pass
        connection.close()
        self._restoring = None


class Editor(Worker, SimperiumPeer):
    """A Simperium client of the `websockets` package that notices silence and nonsense."""

    def __init__(self, name: str, port: int, seed: int, pace: Pace):
        Worker.__init__(self, name)
        self._pace = pace
        SimperiumPeer.__init__(self, f"ws://127.0.0.1:{port}/sock/1/app/websocket", BUCKET, TOKEN,
                               name)
        self._random = random.Random(seed)
        self._beats = 0
        self._heard = self._beat_at = self._edit_at = time.monotonic()
        self._touches = threading.Event()
        self.lock = threading.Lock()

    def touch(self) -> None:
        """Edits every object once more."""
        self._touches.set()

    @property
    def is_settled(self) -> bool:
        """Whether it has nothing to send and waits for no answer."""
        with self.lock:
            return self.is_idle and not self._touches.is_set()

    def copy(self) -> dict[str, dict]:
        """What it holds."""
        with self.lock:
            return json.loads(json.dumps(self.local))

    def turn(self) -> None:
        """Takes what comes, and edits a little."""
        now = time.monotonic()
        with self.lock:
            if self.works.is_set() and now - self._edit_at > 0.05 and self._pace.is_due:
                self._edit_at = now
                self._change(self._random.choice(KEYS))
            if self._touches.is_set() and self.is_idle:
                for key in KEYS:
                    self._change(key)
                self._touches.clear()
            self._step(now)
        self.is_over.wait(0.002)

    def _change(self, key: str) -> None:
        self.did += 1
        data = json.loads(json.dumps(self.local.get(key, {})))
        data[self.client] = self.did
        self.edit(key, data)

    def _step(self, now: float) -> None:
        try:
            if self._socket is None:
                self._heard = now
                self._open()
            if now - self._beat_at > 0.3:
                self._beat_at = now
                self._socket.send(f"h:{self._beats}")
            if now - self._heard > PATIENCE * 1.5:
                raise ConnectionError("silence")
            if not self.is_idle and now - self._progress() > PATIENCE * 3:
                raise ConnectionError("no answer")
            self.pump(0.005)
        except (OSError, EOFError, WebSocketException):
            self._hang_up()
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, AssertionError):
            # Nonsense: nothing is sure but what the index says.
            self._hang_up()
            self.cv = None

    _since = 0.0

    def _progress(self) -> float:
        mark = (len(self.acknowledged), self._asked, self.is_synced, len(self.wanted))
        if mark != getattr(self, "_mark", None):
            self._mark, self._since = mark, time.monotonic()
        return self._since

    def _hang_up(self) -> None:
        found, self._socket, self.is_synced = self._socket, None, False
        if found:
            try:
                found.socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            found.close_timeout = 0
            found.close()
        self._mark = None

    def _open(self) -> None:
        self._socket = connect(self.url, open_timeout=PATIENCE, close_timeout=0.2, proxy=None,
                               max_size=None, ping_interval=None).__enter__()
        self.connects += 1
        self.is_synced, self._indexed, self._asked = False, None, 0
        if self.wanted:
            self.wanted, self.cv = {}, None
        for change in self.sent.values():
            change["waits"] = True
        self._heard = self._beat_at = self._since = time.monotonic()
        self._say("init", json.dumps({
            "name": self.bucket, "clientid": self.client, "api": "1.1", "token": self.token,
            "app_id": "app", "library": "soak", "version": "1.0"}))

    def _say(self, verb: str, payload: str) -> None:
        self._pace.count()
        super()._say(verb, payload)

    def _receive(self, text: str) -> None:
        self._heard = time.monotonic()
        if text.startswith("h:"):
            self._beats = int(text[2:])
        elif text.startswith("0:auth:expired") or text.startswith("0:auth:{"):
            raise ConnectionError(text)
        elif text == "0:c:?":
            self._index()
        elif text.startswith("0:"):
            if text.startswith("0:auth:") and self.is_synced:
                return
            super()._receive(text)

    def _index(self) -> None:
        # What versions it believes to know may have been lies.
        self.ghosts = {key: (0, data) for key, (_, data) in self.ghosts.items()}
        super()._index()

    def _refuse(self, change: dict) -> None:
        if int(change["error"]) in (500, 503):
            # Not at once.
            raise ConnectionError("the server is in trouble")
        super()._refuse(change)

    def end(self) -> None:
        """Ends thread and connection."""
        super().end()
        self._hang_up()


class BuiltInDevice(Worker):
    """`tapedeck client commcare`, run again and again."""

    def __init__(self, name: str, program: Path, port: int, folder: Path):
        super().__init__(name)
        self._program, self._folder = program, folder
        self._url = f"http://127.0.0.1:{port}"
        self.states: list[Path] = []
        self.renew()
        self.codes: dict[int, int] = {}
        self.given: list[str] = []

    def renew(self) -> None:
        """Another device from here on: pauses that a server asked for are over with the old one."""
        self.states.append(self._folder / f"{self.name}-{len(self.states)}")

    @property
    def domain(self) -> str:
        """Where it works: the server knows a hundred domains at most."""
        return self.states[-1].name

    def run_client(self, command: str, *more: str | Path, state: Path | None = None) -> int:
        """Runs a command of the client and gives its exit status."""
        done = subprocess.run(
            [self._program, "client", "commcare", command, *more, "--to", self._url, "--domain",
             (state or self.states[-1]).name, "--user", AUTH[0], "--state",
             state or self.states[-1]],
            env=environment(TAPEDECK_PASSWORD=AUTH[1]), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False)
        if done.returncode not in (0, 65, 75):
            raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr}")
        self.codes[done.returncode] = self.codes.get(done.returncode, 0) + 1
        return done.returncode

    def turn(self) -> None:
        """Submits a form, or syncs."""
        if not self.works.is_set():
            self.is_over.wait(0.05)
            return
        self.did += 1
        if self.did % 3 == 0:
            self.run_client("sync")
        else:
            name = f"{self.name}-{self.did}"
            path = self._folder / "form.xml"
            path.write_text(form(name, case(f"case-{name}")))
            self.given.append(name)
            self.run_client("submit", path)
        self.is_over.wait(0.2)

    def holds(self) -> str:
        """What all devices say of the forms that they have put aside."""
        return "\n".join(subprocess.run(
            [self._program, "client", "commcare", "status", "--state", state, "--json"],
            env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=True).stdout for state in self.states if state.exists())

    def send_all(self, seconds: float) -> list[Path]:
        """Lets all devices send what they have left; those that could not in time."""
        left = [state for state in self.states if state.exists()]
        deadline = time.monotonic() + seconds
        while left and time.monotonic() < deadline:
            left = [state for state in left if self.run_client("sync", state=state)]
            time.sleep(0.2)
        return left


class BuiltInEditor(Worker):
    """`tapedeck client simperium edit`, which keeps its connection and gets an edit at a time."""

    def __init__(self, name: str, program: Path, port: int, folder: Path, sockjs: bool,
                 pace: Pace):
        super().__init__(name)
        self._pace = pace
        self.key = name
        self._command = [
            program, "client", "simperium", "edit", name, "-", "--to", f"http://127.0.0.1:{port}",
            "--app", "app", "--token", TOKEN, "--bucket", BUCKET, "--state",
            folder / f"{name}-state", "--patience", "3", *(["--sockjs"] if sockjs else [])]
        self._process: subprocess.Popen | None = None
        self.codes: dict[int, int] = {}
        self.last: dict | None = None
        self._first = uuid.uuid4().hex
        self._touches = threading.Event()

    def touch(self) -> None:
        """Edits once more."""
        self._touches.set()

    def turn(self) -> None:
        """Gives it an edit; starts it again where it has ended."""
        process = self._process
        if process is None or process.poll() is not None:
            if process is not None:
                self._count(process.returncode)
            self._process = process = subprocess.Popen(
                self._command, env=environment(), stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            threading.Thread(target=process.stderr.read, daemon=True).start()
            if self.last:
                self._feed()
        if self.works.is_set() and self._pace.is_due or self._touches.is_set():
            self._touches.clear()
            self._pace.count()
            self.did += 1
            words = " ".join(f"word{(self.did * step) % 17}" for step in range(1, 8))
            self.last = {"n": self.did, "text": words, "of": self._first}
            self._feed()
        self.is_over.wait(0.1)

    def _feed(self) -> None:
        try:
            self._process.stdin.write(json.dumps(self.last) + "\n")
            self._process.stdin.flush()
        except OSError:
            pass

    def _count(self, code: int) -> None:
        self.codes[code] = self.codes.get(code, 0) + 1
        if code not in (0, 65, 69, 75):
            raise RuntimeError(f"the client ended with {code}")

    def end(self) -> None:
        """Ends thread and program."""
        super().end()
        if self._process:
            self._process.stdin.close()
            try:
                self._count(self._process.wait(30))
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
                raise
