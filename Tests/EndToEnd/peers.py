"""Peers that nobody but the tests needs: servers that say what they are told to, and a client.

`ScriptedCommCare` and `ScriptedSimperium` answer sensibly by themselves and otherwise as a test
says; both keep what they have seen, so that a test can wait for it with `programs.eventually`.
"""

from __future__ import annotations

import base64
import json
import random
import re
import secrets
import socket
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from programs import eventually
from websockets.exceptions import ConnectionClosed, InvalidState
from websockets.frames import Opcode
from websockets.server import ServerProtocol
from websockets.sync.client import connect

RESPONSE = ('<OpenRosaResponse xmlns="http://openrosa.org/http/response">'
            '<message nature="{nature}">{text}</message>{more}</OpenRosaResponse>')


# CommCare

@dataclass
class Seen:
    """A request as the server got it."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: Message
    body: bytes

    @property
    def instance_id(self) -> str | None:
        """The instanceID of the form within, if any."""
        found = re.search(rb"<(?:\w+:)?instanceID>\s*([^<]*?)\s*</", self.body)
        return found[1].decode() if found else None


@dataclass
class Answer:
    """What to say to one request."""

    status: int = 200
    body: bytes | str = b""
    headers: dict[str, str] = field(default_factory=dict)
    # The request waits for this event before it is answered.
    after: threading.Event | None = None
    # Hang up after so many bytes of the body; 0 is after the head, -1 without any answer.
    cut: int | None = None


def openrosa(nature: str, text: str = "", more: str = "") -> str:
    """An OpenRosaResponse."""
    return RESPONSE.format(nature=nature, text=text, more=more)


def pending(done: int, total: int, retry_after: int = 1) -> Answer:
    """202 with progress."""
    progress = ('<Sync xmlns="http://commcarehq.org/sync">'
                f'<progress done="{done}" total="{total}"/></Sync>')
    return Answer(202, openrosa("ota_restore_pending", "wait", progress),
                  {"Retry-After": str(retry_after)})


def case_xml(case_id: str, name: str = "a case", **properties: str) -> str:
    """A case block that creates a case."""
    more = "".join(f"<{key}>{value}</{key}>" for key, value in properties.items())
    return (f'<case xmlns="http://commcarehq.org/case/transaction/v2" case_id="{case_id}" '
            'user_id="u" date_modified="2026-01-01T00:00:00.000000Z">'
            f"<create><case_type>thing</case_type><case_name>{name}</case_name>"
            f"<owner_id>u</owner_id></create><update>{more}</update></case>")


def restore_xml(token: str, *blocks: str) -> str:
    """A restore with this sync token and these blocks."""
    return ('<OpenRosaResponse xmlns="http://openrosa.org/http/response" '
            f'items="{len(blocks) + 1}"><message nature="ota_restore_success">done</message>'
            f'<Sync xmlns="http://commcarehq.org/sync"><restore_id>{token}</restore_id></Sync>'
            f'{"".join(blocks)}</OpenRosaResponse>')


class _CommCareAnswers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def log_message(self, *_) -> None:
        """Keeps quiet."""

    def _body(self) -> bytes:
        if "chunked" not in (self.headers.get("Transfer-Encoding") or ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return b"".join(parts)

    def do_GET(self) -> None:
        """Answers every method."""
        if "100-continue" in (self.headers.get("Expect") or ""):
            self.send_response_only(100)
            self.end_headers()
            self.wfile.flush()
        split = urlsplit(self.path)
        seen = Seen(self.command, split.path, parse_qs(split.query), self.headers, self._body())
        answer = self.server.peer.answer(seen)
        if answer.after:
            answer.after.wait(60)
        body = answer.body.encode() if isinstance(answer.body, str) else answer.body
        if answer.cut == -1:
            self.close_connection = True
            return
        self.send_response(answer.status)
        fields = {"Content-Type": "text/xml; charset=utf-8"} | answer.headers
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if answer.cut is not None:
            body = body[:answer.cut]
            self.close_connection = True
        if self.command != "HEAD":
            self.wfile.write(body)
        self.wfile.flush()

    do_POST = do_PUT = do_HEAD = do_GET


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_) -> None:
        """A client that hangs up is no news here."""


class ScriptedCommCare:
    """A CommCare server that says what `submissions` and `restores` hold, one after another.

    When these are empty: a form is kept by its instanceID, once, and answered with 201; a restore
    has `cases` and a new token. With `users`, anybody else gets 401.
    """

    def __init__(self, users: dict[str, str] | None = None):
        self.users = users
        self.submissions: deque[Answer] = deque()
        self.restores: deque[Answer] = deque()
        self.cases: list[str] = []
        self.forms: dict[str | None, bytes] = {}
        self.seen: list[Seen] = []
        self.tokens: list[str] = []
        self._lock = threading.Lock()
        self._server = _QuietServer(("127.0.0.1", 0), _CommCareAnswers)
        self._server.peer = self
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def submitted(self) -> list[Seen]:
        """The submissions so far, refused ones too."""
        return [seen for seen in list(self.seen) if "/receiver" in seen.path]

    def restored(self) -> list[Seen]:
        """The requests for a restore so far."""
        return [seen for seen in list(self.seen) if "/restore" in seen.path]

    def answer(self, seen: Seen) -> Answer:
        """What is said to a request."""
        with self._lock:
            self.seen.append(seen)
            if not self._lets_in(seen):
                return Answer(401, "no\n", {"WWW-Authenticate": 'Basic realm="tests"'})
            if "/receiver" in seen.path:
                if self.submissions:
                    return self.submissions.popleft()
                self.forms.setdefault(seen.instance_id, seen.body)
                return Answer(201, openrosa("submit_success", "thanks"))
            if "/restore" in seen.path:
                if self.restores:
                    return self.restores.popleft()
                self.tokens.append(secrets.token_hex(16))
                return Answer(200, restore_xml(self.tokens[-1], *self.cases))
            return Answer(404, "nothing here\n")

    def _lets_in(self, seen: Seen) -> bool:
        if self.users is None:
            return True
        scheme, _, text = (seen.headers.get("Authorization") or "").partition(" ")
        if scheme.lower() != "basic":
            return False
        name, _, password = base64.b64decode(text).decode().partition(":")
        return self.users.get(name) == password

    def close(self) -> None:
        """Stops listening."""
        self._server.shutdown()
        self._server.server_close()


# jsondiff, as far as objects need it

def _apply_delta(text: str, delta: str) -> str:
    # Counts are of UTF-16 code units.
    units, place, result = text.encode("utf-16-le"), 0, b""
    for step in delta.split("\t"):
        if step[:1] == "+":
            result += unquote(step[1:]).encode("utf-16-le")
            continue
        size = 2 * int(step[1:])
        if step[:1] == "=":
            result += units[place:place + size]
        place += size
    return result.decode("utf-16-le")


def apply_diff(value, operations: dict):
    """An object with a jsondiff map of operations applied: `+ - r I d O`, no lists."""
    result = dict(value)
    for key, step in operations.items():
        match step["o"]:
            case "+" | "r":
                result[key] = step["v"]
            case "-":
                result.pop(key)
            case "I":
                result[key] += step["v"]
            case "d":
                result[key] = _apply_delta(result[key], step["v"])
            case "O":
                result[key] = apply_diff(result[key], step["v"])
            case other:
                raise ValueError(f"cannot apply {other}")
    return result


def make_diff(old: dict, new: dict) -> dict:
    """Operations that replace members, and go into objects."""
    result = {key: {"o": "-"} for key in old if key not in new}
    for key, value in new.items():
        if key not in old:
            result[key] = {"o": "+", "v": value}
        elif isinstance(old[key], dict) and isinstance(value, dict):
            if inner := make_diff(old[key], value):
                result[key] = {"o": "O", "v": inner}
        elif old[key] != value:
            result[key] = {"o": "r", "v": value}
    return result


# Simperium

class _Session:
    """A socket of a client: HTTP for the auth API, or a WebSocket, on ServerProtocol alone."""

    def __init__(self, peer: ScriptedSimperium, connection: socket.socket):
        self.peer = peer
        self.connection = connection
        self.channels: dict[str, tuple[str, str]] = {}
        self._protocol = ServerProtocol()
        self._lock = threading.Lock()

    def run(self) -> None:
        """Serves until the end of the connection."""
        try:
            if self.connection.recv(4, socket.MSG_PEEK).startswith(b"POST"):
                return self._authorize()
            while data := self.connection.recv(65536):
                self._protocol.receive_data(data)
                self._events()
                if self._protocol.close_expected():
                    break
        except OSError:
            pass
        finally:
            self.peer.forget(self)
            self.connection.close()

    def _events(self) -> None:
        for event in self._protocol.events_received():
            if hasattr(event, "path"):
                with self._lock:
                    self._protocol.send_response(self._protocol.accept(event))
            elif event.opcode is Opcode.TEXT:
                self.peer.receive(self, event.data.decode())
        self._flush()

    def _flush(self) -> None:
        with self._lock:
            for data in self._protocol.data_to_send():
                if data:
                    self.connection.sendall(data)

    def send(self, text: str) -> None:
        """Sends a message, if the socket still stands."""
        try:
            with self._lock:
                self._protocol.send_text(text.encode())
            self._flush()
        except (OSError, RuntimeError, InvalidState):
            pass

    def _authorize(self) -> None:
        data = b""
        while b"\r\n\r\n" not in data:
            data += self.connection.recv(65536)
        head, _, body = data.partition(b"\r\n\r\n")
        found = re.search(rb"(?im)^content-length:\s*(\d+)", head)
        while found and len(body) < int(found[1]):
            body += self.connection.recv(65536)
        status, said = self.peer.authorize(head.decode(), json.loads(body or b"{}"))
        answer = json.dumps(said).encode()
        self.connection.sendall(
            f"HTTP/1.1 {status} x\r\nContent-Type: application/json\r\nConnection: close\r\n"
            f"Content-Length: {len(answer)}\r\n\r\n".encode() + answer)


class ScriptedSimperium:
    """A Simperium server with one user, that says what `on` tells it to.

    By itself it is a small correct server: objects with all versions, a log of changes without
    end, 405 for any version but the newest. `url` is for clients; their path is
    not looked at. `tokens` limits who gets in, `users` whom the auth API knows; None: everybody.
    """

    def __init__(self, users: dict[str, str] | None = None, tokens: set[str] | None = None):
        self.users, self.tokens = users, tokens
        self.seen: list[str] = []
        self.requests: list[tuple[str, dict]] = []
        self.objects: dict[str, dict[str, list[dict | None]]] = defaultdict(dict)
        self.log: dict[str, list[dict]] = defaultdict(list)
        self.page_size = 100
        self.page_sizes: list[int] = []
        self.sessions: list[_Session] = []
        self._rules: list[list] = []
        self._lock = threading.RLock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    # What a test says

    def on(self, pattern: str, *says: str | Callable[[str], Iterable[str]], times: int = 1,
           cuts: bool = False) -> None:
        """Answers the next `times` messages that `pattern` is found in with these instead.

        A function gets the message. `{ccid}` and `{id}` stand for those of a change. With `cuts`
        the connection is cut after what is said.
        """
        with self._lock:
            self._rules.append([re.compile(pattern, re.S), says, times, cuts])

    def say(self, text: str) -> None:
        """Sends a message to every socket."""
        for session in list(self.sessions):
            session.send(text)

    def cut(self) -> None:
        """Cuts every connection."""
        for session in list(self.sessions):
            _hang_up(session.connection)

    def change(self, bucket: str, key: str, data: dict | None) -> None:
        """Makes a change as another client would, and tells everybody."""
        with self._lock:
            versions = self.objects[bucket].get(key, [])
            old = versions[-1] if versions else None
            change = {"id": key, "ccid": secrets.token_hex(16), "clientid": "another"}
            if data is None:
                change |= {"o": "-"}
            else:
                change |= {"o": "M", "v": make_diff(old or {}, data)}
                if old is not None:
                    change["sv"] = len(versions)
            self._take(None, bucket, change, "another")

    def data(self, bucket: str, key: str) -> dict | None:
        """The newest data of an object."""
        versions = self.objects[bucket].get(key)
        return versions[-1] if versions else None

    def await_message(self, pattern: str, count: int = 1) -> list[str]:
        """The messages of clients that `pattern` is found in, as soon as there are `count`."""
        def found():
            matching = [text for text in list(self.seen) if re.search(pattern, text, re.S)]
            return matching if len(matching) >= count else None

        return eventually(found, f"{count} times /{pattern}/ in {self.seen}")

    # What it does

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            session = _Session(self, connection)
            with self._lock:
                self.sessions.append(session)
            threading.Thread(target=session.run, daemon=True).start()

    def forget(self, session: _Session) -> None:
        """A connection is gone."""
        with self._lock:
            if session in self.sessions:
                self.sessions.remove(session)

    def authorize(self, head: str, said: dict) -> tuple[int, dict | str]:
        """Answers the auth API."""
        with self._lock:
            self.requests.append((head, said))
            name = said.get("username", "")
            if self.users is not None and self.users.get(name) != said.get("password"):
                return 401, "invalid password"
            token = secrets.token_hex(16)
            if self.tokens is not None:
                self.tokens.add(token)
            return 200, {"username": name, "access_token": token, "userid": "u1"}

    def receive(self, session: _Session, text: str) -> None:
        """Takes a message of a client."""
        with self._lock:
            self.seen.append(text)
            for rule in self._rules:
                pattern, says, times, cuts = rule
                if not pattern.search(text):
                    continue
                rule[2] -= 1
                if times <= 1:
                    self._rules.remove(rule)
                for each in says:
                    for line in each(text) if callable(each) else [self._filled(each, text)]:
                        session.send(line)
                if cuts:
                    _hang_up(session.connection)
                return
            self._answer(session, text)

    @staticmethod
    def _filled(answer: str, text: str) -> str:
        for name in ("ccid", "id"):
            if found := re.search(rf'"{name}"\s*:\s*"([^"]*)"', text):
                answer = answer.replace(f"{{{name}}}", found[1])
        return answer

    def _answer(self, session: _Session, text: str) -> None:
        if text.startswith("h:"):
            return session.send(f"h:{int(text[2:]) + 1}")
        channel, _, rest = text.partition(":")
        verb, _, payload = rest.partition(":")
        if not channel.isdigit():
            return None
        if verb == "init":
            return self._open(session, channel, json.loads(payload))
        if channel not in session.channels:
            return session.send(f"{channel}:?")
        bucket, client = session.channels[channel]
        match verb:
            case "i":
                session.send(f"{channel}:i:{self._page(bucket, payload)}")
            case "e":
                key, _, version = payload.rpartition(".")
                versions = self.objects[bucket].get(key, [])
                number = int(version)
                data = versions[number - 1] if 0 < number <= len(versions) else None
                said = "?" if data is None else json.dumps({"data": data})
                session.send(f"{channel}:e:{payload}\n{said}")
            case "cv":
                session.send(f"{channel}:{self._since(bucket, payload)}")
            case "c":
                changes = json.loads(payload)
                for change in changes if isinstance(changes, list) else [changes]:
                    self._take((session, channel), bucket, change, client)
        return None

    def _open(self, session: _Session, channel: str, init: dict) -> None:
        if self.tokens is not None and init.get("token") not in self.tokens:
            return session.send(f'{channel}:auth:{{"msg":"Token invalid","code":401}}')
        session.channels[channel] = (init["name"], init.get("clientid", ""))
        session.send(f"{channel}:auth:user@example.com")
        if init.get("cmd"):
            self._answer(session, f"{channel}:{init['cmd']}")
        return None

    def _current(self, bucket: str) -> str:
        return f"cv{len(self.log[bucket])}"

    def _page(self, bucket: str, payload: str) -> str:
        wants, *slots, limit = payload.split(":")
        mark = int(next((slot for slot in slots if slot), "0"))
        size = min(int(limit or self.page_size), self.page_size)
        self.page_sizes.append(size)
        there = [(key, versions) for key, versions in self.objects[bucket].items()
                 if versions[-1] is not None]
        entries = [{"id": key, "v": len(versions)} | ({"d": versions[-1]} if wants else {})
                   for key, versions in there[mark:mark + size]]
        page = {"current": self._current(bucket), "index": entries}
        if len(there) > mark + size:
            page["mark"] = str(mark + size)
        return json.dumps(page)

    def _since(self, bucket: str, cv: str) -> str:
        found = re.fullmatch(r"cv(\d+)", cv)
        if not found or int(found[1]) > len(self.log[bucket]):
            return "cv:?"
        return f"c:{json.dumps(self.log[bucket][int(found[1]):])}"

    def _take(self, asker, bucket: str, change: dict, client: str) -> None:
        told = self._made(bucket, change, client)
        text = json.dumps([told])
        if "error" in told:
            if asker:
                asker[0].send(f"{asker[1]}:c:{text}")
            return
        for session in list(self.sessions):
            for channel, (name, _) in session.channels.items():
                if name == bucket:
                    session.send(f"{channel}:c:{text}")

    def _made(self, bucket: str, change: dict, client: str) -> dict:
        key, ccid = change["id"], change["ccid"]
        told = {"id": key, "ccids": [ccid], "clientid": client}
        if any(ccid in made["ccids"] and client == made["clientid"] for made in self.log[bucket]):
            return told | {"error": 409}
        versions = self.objects[bucket].setdefault(key, [])
        head = versions[-1] if versions else None
        if change["o"] == "-":
            if head is None:
                return told | {"error": 404}
            data = None
        elif head is not None and change.get("sv", len(versions)) != len(versions):
            return told | {"error": 405}
        elif "d" in change:
            data, told["v"] = change["d"], make_diff(head or {}, change["d"])
        elif head is None and "sv" in change:
            return told | {"error": 404}
        elif head is not None and "sv" not in change:
            return told | {"error": 405}
        else:
            try:
                data, told["v"] = apply_diff(head or {}, change["v"]), change["v"]
            except (KeyError, TypeError, ValueError):
                return told | {"error": 440}
        if data is not None and data == head:
            return told | {"error": 412}
        versions.append(data)
        told |= {"o": change["o"], "cv": f"cv{len(self.log[bucket]) + 1}", "ev": len(versions)}
        if head is not None:
            told["sv"] = len(versions) - 1
        self.log[bucket].append(told)
        return told

    def close(self) -> None:
        """Stops listening and hangs up."""
        # A thread that still waits in accept would take what connects to the next listener, which
        # may get the same descriptor.
        _hang_up(self._listener)
        self._listener.close()
        self.cut()


def _hang_up(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


class TCPCutter:
    """Passes bytes on between clients and a server, and cuts connections in the middle of them.

    The first `doomed` connections pass so many bytes of one way as `seed` says, and no more. What
    is cut depends on what was said and not on the clock, so that a slow machine gets as far as a
    fast one between two cuts.
    """

    def __init__(self, port: int, seed: int, doomed: int):
        self._to = port
        self._random = random.Random(seed)
        self._doomed = doomed
        self._sockets: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listener.getsockname()[1]
        self.cuts = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._to))
            except OSError:
                client.close()
                continue
            pair = [client, server]
            for each in pair:
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._sockets.update(pair)
            # Some do not get through the handshake, others see much of the bucket.
            most: list[int | None] = [None, None]
            if self._doomed > 0:
                self._doomed -= 1
                most[self._random.randrange(2)] = int(2 ** self._random.uniform(6, 15))
            for source, sink, limit in zip(pair, pair[::-1], most, strict=True):
                threading.Thread(target=self._pass, args=(source, sink, limit),
                                 daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, most: int | None) -> None:
        try:
            while data := source.recv(65536):
                if most is not None:
                    data, most = data[:most], most - len(data)
                sink.sendall(data)
                if most is not None and most <= 0:
                    self.cuts += 1
                    break
        except OSError:
            pass
        _hang_up(source)
        _hang_up(sink)
        self._sockets.discard(source)

    def close(self) -> None:
        """Stops listening and ends every connection."""
        _hang_up(self._listener)
        self._listener.close()
        for each in list(self._sockets):
            _hang_up(each)


class SimperiumPeer:
    """A minimal correct client: one bucket on a socket of its own, one change per key at once.

    Single-threaded: `pump` sends what may be sent and takes what has come. It keeps its state when
    the connection is lost and connects anew. Members it changed locally win over those of others.
    """

    def __init__(self, url: str, bucket: str, token: str, client: str):
        self.url, self.bucket, self.token, self.client = url, bucket, token, client
        self.ghosts: dict[str, tuple[int, dict]] = {}
        self.local: dict[str, dict] = {}
        self.sent: dict[str, dict] = {}
        self.whole: set[str] = set()
        self.wanted: dict[str, int] = {}
        self.acknowledged: list[str] = []
        # Everything up to here is known; None: only the index tells.
        self.cv: str | None = None
        self.is_synced = False
        self.connects = 0
        self._head: str | None = None
        self._indexed: dict[str, tuple[int, dict]] | None = None
        self._current = None
        self._asked = 0
        self._socket = None

    @property
    def is_idle(self) -> bool:
        """Whether it has nothing to send and waits for no answer."""
        return (self.is_synced and not self.sent and not self.wanted and not self._asked
                and not self._dirty())

    def edit(self, key: str, data: dict | None) -> None:
        """The app stores or removes an object."""
        if data is None:
            self.local.pop(key, None)
        else:
            self.local[key] = data

    def close(self) -> None:
        """Ends the connection; the state stays."""
        if self._socket:
            self._socket.close()
            self._socket = None

    def pump(self, seconds: float = 0.01) -> None:
        """Connects if necessary, sends what may be sent, and takes messages for a while."""
        try:
            if self._socket is None:
                self._open()
            self._send_changes()
            while True:
                self._receive(self._socket.recv(timeout=seconds))
                self._send_changes()
                seconds = 0
        except TimeoutError:
            pass
        except (ConnectionClosed, OSError, EOFError):
            self._socket, self.is_synced = None, False
        except Exception as error:
            if type(error).__module__.startswith("websockets"):
                self._socket, self.is_synced = None, False
            else:
                raise

    def _open(self) -> None:
        # Entered by hand: it outlives this function.
        self._socket = connect(self.url, open_timeout=20, close_timeout=1, proxy=None,
                               max_size=None).__enter__()
        self.connects += 1
        self.is_synced, self._indexed, self._asked = False, None, 0
        if self.wanted:
            # The answers are lost, and the changes that led to the questions do not come again.
            self.wanted, self.cv = {}, None
        for change in self.sent.values():
            change["waits"] = True
        self._say("init", json.dumps({
            "name": self.bucket, "clientid": self.client, "api": "1.1", "token": self.token,
            "app_id": "app", "library": "peer", "version": "1.0"}))

    def _say(self, verb: str, payload: str) -> None:
        self._socket.send(f"0:{verb}:{payload}")

    def _ask(self, cv: str) -> None:
        self._asked += 1
        self._head = cv
        self._say("cv", cv)

    def _dirty(self) -> list[str]:
        return [key for key in self.ghosts.keys() | self.local.keys()
                if self.local.get(key) != self.ghosts.get(key, (0, None))[1]]

    def _send_changes(self) -> None:
        if not self.is_synced:
            return
        for key, change in self.sent.items():
            if change.pop("waits", False):
                self._say("c", json.dumps({k: v for k, v in change.items() if k != "target"}))
        for key in sorted(self._dirty()):
            if key in self.sent or key in self.wanted:
                continue
            change = {"id": key, "ccid": secrets.token_hex(16)}
            version, ghost = self.ghosts.get(key, (None, None))
            data = self.local.get(key)
            if data is None:
                change["o"] = "-"
            else:
                change |= {"o": "M", "v": make_diff(ghost or {}, data)}
            if version is not None:
                change["sv"] = version
            if key in self.whole and data is not None:
                change["d"] = data
            # Remembered first: whether a message that was cut off has arrived nobody knows.
            self.sent[key] = change | {"target": data}
            self._say("c", json.dumps(change))

    def _receive(self, text: str) -> None:
        _, _, rest = text.partition(":")
        verb, _, payload = rest.partition(":")
        match verb:
            case "auth":
                assert not payload.startswith("{"), text
                if self.cv is None:
                    self._index()
                else:
                    self._ask(self.cv)
            case "i":
                self._take_page(json.loads(payload))
            case "cv":
                self._index()
            case "e":
                head, _, body = payload.partition("\n")
                key, _, version = head.rpartition(".")
                # Only the newest that was asked for counts.
                if self.wanted.get(key) != int(version):
                    return
                del self.wanted[key]
                if body == "?":
                    self._index()
                elif int(version) > self.ghosts.get(key, (0, None))[0]:
                    self._learn(key, int(version), json.loads(body)["data"])
            case "c":
                self._take_changes(json.loads(payload))

    def _index(self) -> None:
        # Nothing is known for sure until the index has come, on this connection or another.
        self.is_synced, self._indexed, self._current, self.cv = False, {}, None, None
        self._asked, self.wanted = 0, {}
        self._say("i", "1:::100")

    def _take_page(self, page: dict) -> None:
        if self._indexed is None:
            return
        self._current = self._current or page["current"]
        for entry in page["index"]:
            self._indexed[entry["id"]] = (entry["v"], entry["d"])
        if page.get("mark"):
            return self._say("i", f"1:{page['mark']}::100")
        indexed, self._indexed = self._indexed, None
        for key, (version, data) in indexed.items():
            if version > self.ghosts.get(key, (0, None))[0]:
                self._learn(key, version, data)
        for key in list(self.ghosts):
            if key not in indexed:
                self._lose(key)
        # What was changed while the pages came is asked for.
        self.cv = self._current
        self._ask(self.cv)
        return None

    def _take_changes(self, changes: list[dict]) -> None:
        for change in changes:
            if "error" in change:
                self._refuse(change)
                continue
            if self._indexed is None:
                self._take(change)
                self._head = change["cv"]
                if self.is_synced:
                    self.cv = self._head
                continue
            sent = self.sent.get(change["id"])
            if sent and sent["ccid"] in change["ccids"]:
                self._accept(change["id"])
                self._let_go(change["id"])
        if self._asked and not any("error" in change for change in changes):
            # A change of another client may look like the answer: only nothing new is the end.
            # Until then there may be changes before `_head` that have not come.
            self._asked -= 1
            if changes:
                self._ask(self._head)
            elif not self._asked:
                self.is_synced, self.cv = True, self._head

    def _take(self, change: dict) -> None:
        key, version = change["id"], change.get("ev", 0)
        sent = self.sent.get(key)
        is_own = sent is not None and sent["ccid"] in change["ccids"]
        known, ghost = self.ghosts.get(key, (0, None))
        if is_own:
            self._accept(key)
        if change["o"] == "-":
            if is_own:
                self._settle(key, None)
            self._lose(key)
        elif version > known:
            if change.get("sv", 0) != known:
                if is_own:
                    self._let_go(key)
                self._want(key, version)
                return
            data = apply_diff(ghost or {}, change["v"])
            if is_own:
                self._settle(key, data)
                self.ghosts[key] = (version, data)
            else:
                self._learn(key, version, data)
        elif is_own:
            self._settle(key, ghost)

    def _accept(self, key: str) -> None:
        self.acknowledged.append(self.sent[key]["ccid"])
        self.whole.discard(key)

    def _let_go(self, key: str) -> None:
        """The server has the change: only what was done since goes on top of what it tells."""
        target = self.sent.pop(key)["target"]
        if target is not None:
            self.ghosts[key] = (0, target)

    def _settle(self, key: str, data: dict | None) -> None:
        """The server has what was sent: what the app did since goes on top."""
        target = self.sent.pop(key)["target"]
        self._carry(key, target, data)

    def _carry(self, key: str, base: dict | None, data: dict | None) -> None:
        local = self.local.get(key)
        if local == base:
            if data is None:
                self.local.pop(key, None)
            else:
                self.local[key] = data
        elif local is not None and data is not None:
            self.local[key] = _overlaid(local, base or {}, data)

    def _learn(self, key: str, version: int, data: dict) -> None:
        ghost = self.ghosts.get(key, (0, None))[1]
        self._carry(key, ghost, data)
        sent = self.sent.get(key)
        if sent and sent["target"] is not None:
            sent["target"] = _overlaid(sent["target"], ghost or {}, data)
        self.ghosts[key] = (version, data)

    def _lose(self, key: str) -> None:
        ghost = self.ghosts.pop(key, (0, None))[1]
        if self.local.get(key) == ghost and key not in self.sent:
            self.local.pop(key, None)

    def _want(self, key: str, version: int) -> None:
        self.wanted[key] = max(version, self.wanted.get(key, 0))
        self._say("e", f"{key}.{version}")

    def _refuse(self, change: dict) -> None:
        key, code = change["id"], int(change["error"])
        sent = self.sent.get(key)
        if not sent or sent["ccid"] not in change["ccids"]:
            return
        match code:
            case 409:
                self._accept(key)
                self._let_go(key)
                self._index()
            case 404:
                self.sent.pop(key)
                self.ghosts.pop(key, None)
            case 405 | 440:
                self.sent.pop(key)
                self.whole.add(key)
                self._index()
            case 412:
                self.sent.pop(key)
                self._index()
            case 500 | 503:
                sent["waits"] = True
            case _:
                raise AssertionError(f"refused with {code}: {sent}")


def _overlaid(mine: dict, base: dict, theirs: dict) -> dict:
    """`theirs` with what was changed from `base` to `mine`, member by member."""
    result = {key: value for key, value in theirs.items() if key in mine or key not in base}
    for key, value in mine.items():
        if key in base and base[key] == value:
            continue
        old, new = base.get(key), theirs.get(key)
        if isinstance(value, dict) and isinstance(new, dict):
            result[key] = _overlaid(value, old if isinstance(old, dict) else {}, new)
        else:
            result[key] = value
    return result
