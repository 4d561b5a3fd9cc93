"""A relay that makes mistakes: it stands between a client that behaves and the proxy."""

from __future__ import annotations

import http.client
import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit


@dataclass
class Asked:
    """A request."""

    method: str
    target: str
    fields: list[tuple[str, str]]
    body: bytes

    @property
    def is_form(self) -> bool:
        """Whether it is a submission."""
        return self.method == "POST" and "/receiver" in self.target

    @property
    def is_restore(self) -> bool:
        """Whether it asks for a restore."""
        return "/phone/restore" in self.target

    def field(self, name: str) -> str | None:
        """The value of a field."""
        return next((value for key, value in self.fields if key.lower() == name.lower()), None)

    def without(self, name: str) -> Asked:
        """The same without a field."""
        return replace(self, fields=[each for each in self.fields if each[0].lower() != name.lower()])

    def having(self, name: str, value: str) -> Asked:
        """The same with a field set."""
        changed = self.without(name)
        return replace(changed, fields=[*changed.fields, (name, value)])

    def asking(self, **members: str | None) -> Asked:
        """The same with members of the query set, or taken out."""
        parts = urlsplit(self.target)
        query = [pair for pair in parse_qsl(parts.query, keep_blank_values=True)
                 if pair[0] not in members]
        query += [(name, value) for name, value in members.items() if value is not None]
        return replace(self, target=urlunsplit(parts._replace(query=urlencode(query, safe=":"))))

    def saying(self, old: str, new: str) -> Asked:
        """The same with something in its body replaced."""
        return replace(self, body=re.sub(old.encode(), new.encode(), self.body, count=1,
                                         flags=re.DOTALL))


@dataclass
class Answer:
    """A response."""

    status: int
    reason: str
    fields: list[tuple[str, str]]
    body: bytes


Ask = Callable[[Asked], Answer | None]


@dataclass
class Mistake:
    """What is wrong with a client.

    `play` gets each request and a function that asks the server; it gives what the client hears.
    """

    name: str
    rule: str
    play: Callable[[Asked, Ask, dict], Answer | None]
    faults: tuple[str, ...] = ()
    also: frozenset[str] = field(default_factory=frozenset)
    flow: tuple[str, ...] = ("sync", "form-1", "form-2", "sync")
    patient: bool = False

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


def changing(change: Callable[[Asked], Asked]) -> Callable[[Asked, Ask, dict], Answer | None]:
    """A mistake in each request."""
    return lambda asked, ask, _: ask(change(asked))


def again(when: Callable[[Asked, Answer], bool], times: int = 2,
          change: Callable[[Asked], Asked] = lambda asked: asked
          ) -> Callable[[Asked, Ask, dict], Answer | None]:
    """A mistake of asking again where that is wrong, so many times at once."""
    def play(asked: Asked, ask: Ask, memory: dict) -> Answer | None:
        answer = ask(asked)
        if answer and when(asked, answer) and not memory.setdefault("again", 0):
            memory["again"] = 1
            for _ in range(times):
                ask(change(asked))
        return answer
    return play


class BreakingRelay(ThreadingHTTPServer):
    """Takes a client's requests and sends on what a worse client would send."""

    daemon_threads = True

    def __init__(self, server: str, mistake: Mistake):
        parts = urlsplit(server)
        self.place = (parts.hostname, parts.port)
        memory: dict = {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            """One connection of the client."""

            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                """Plays one request."""
                asked = Asked(self.command, self.path, list(self.headers.items()), self.content())
                # Closed behind the last of them: who has closed a connection may have been started again.
                opened: list[http.client.HTTPConnection] = []
                answer = mistake.play(asked, lambda changed: outer.ask(changed, opened), memory)
                for connection in opened:
                    connection.close()
                if answer is None:
                    self.close_connection = True
                    return
                self.send_response_only(answer.status, answer.reason)
                for name, value in answer.fields:
                    if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            do_POST = do_HEAD = do_GET

            def content(self) -> bytes:
                """The body of the request."""
                if "chunked" not in (self.headers.get("Transfer-Encoding") or ""):
                    return self.rfile.read(int(self.headers.get("Content-Length") or 0))
                pieces = []
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    pieces.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(pieces)

            def log_message(self, *_) -> None:
                """Says nothing."""

        super().__init__(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.serve_forever, daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def ask(self, asked: Asked, opened: list[http.client.HTTPConnection]) -> Answer | None:
        """Sends a request on, over a connection of its own; none where no answer came."""
        connection = http.client.HTTPConnection(*self.place, timeout=20)
        opened.append(connection)
        try:
            connection.putrequest(asked.method, asked.target, skip_host=True,
                                  skip_accept_encoding=True)
            for name, value in self.sent(asked):
                connection.putheader(name, value)
            connection.endheaders(asked.body or None)
            got = connection.getresponse()
            return Answer(got.status, got.reason, got.getheaders(), got.read())
        except (http.client.HTTPException, OSError):
            return None

    @staticmethod
    def sent(asked: Asked) -> Iterable[tuple[str, str]]:
        """The fields of a request that has its body in one piece."""
        for name, value in asked.fields:
            if name.lower() not in ("transfer-encoding", "content-length", "connection", "expect"):
                yield name, value
        if asked.body or asked.method == "POST":
            yield "Content-Length", str(len(asked.body))
