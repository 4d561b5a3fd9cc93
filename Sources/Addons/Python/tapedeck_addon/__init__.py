"""Programs that judge the traffic that tapedeck records.

    from tapedeck_addon import on, run

    @on("api:commcare.submit")
    def late(event):
        event.delay(2.5)

    run()

`tapedeck record app.tape --addon 'python3 late.py'` asks it about every form; `tapedeck addon
'python3 late.py' app.tape` tries it on a trace. What it prints is shown as it comes.
"""

from __future__ import annotations

import base64
import json
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import Any, BinaryIO

__all__ = ["Event", "mark", "note", "on", "on_end", "run"]

VERSION = 1
Content = "str | bytes | bytearray | Mapping[str, Any] | list[Any]"

_handlers: list[tuple[dict[str, Any], Callable[["Event"], None]]] = []
_end_handlers: list[Callable[[], None]] = []
_output: BinaryIO | None = None


def on(filter: str = "", *kinds: str, bytes: bool = False, decoded: bool = True,
       watch: bool = False) -> Callable[[Callable[["Event"], None]], Callable[["Event"], None]]:
    """Calls a function for every event that the filter holds for.

    - kinds: request, response, message, command or connection; without any, the first of request,
      response, command and message at which everything in the filter is known.
    - bytes: whether `event.bytes` is sent.
    - decoded: whether its meaning is sent; without it there are only kind, time and sender.
    - watch: whether nobody waits for a verdict, so that the traffic is never later.
    """
    wanted = {"filter": filter, "kinds": list(kinds), "bytes": bytes, "decoded": decoded,
              "watch": watch}

    def add(function: Callable[["Event"], None]) -> Callable[["Event"], None]:
        _handlers.append((wanted, function))
        return function

    return add


def on_end(function: Callable[[], None]) -> Callable[[], None]:
    """Calls a function after the last event, for what `mark` and `note` shall say in the end."""
    _end_handlers.append(function)
    return function


class Event(Mapping[str, Any]):
    """What happened: `event["bucket"]` or `event.bucket`, with the names of `tapedeck ls --json`.

    A name that it does not have is None as an attribute and a KeyError as a key. The first of
    `edit`, `drop`, `answer` and `delay` decides; without one it passes.
    """

    def __init__(self, members: dict[str, Any]):
        self._members = members
        self.kind: str = members["event"]
        self._verdict: dict[str, Any] | None = None

    @property
    def is_decided(self) -> bool:
        """Whether one of `edit`, `drop`, `answer` and `delay` was called."""
        return self._verdict is not None

    def __getitem__(self, name: str) -> Any:
        return self._members[name]

    def __iter__(self):
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._members.get(name)

    def __repr__(self) -> str:
        return f"Event({self._members!r})"

    @property
    def bytes(self) -> bytes:
        """The payload, the text of the command or the body; asked for with `bytes=True`."""
        if "bytes" not in self._members:
            raise AttributeError('bytes are sent to @on(…, bytes=True) alone')
        return base64.b64decode(self._members["bytes"])

    @property
    def text(self) -> str:
        """The same as text: of what was sent for `bytes=True`, or of the decoded meaning."""
        if "bytes" in self._members:
            return self.bytes.decode()
        if self.kind == "command":
            channel = self._members.get("channel")
            start = "" if channel is None else f"{channel}:"
            return f"{start}{self._members.get('name')}:{self._members.get('payload') or ''}"
        value = (self._members.get("payload") if self.kind == "message"
                 else (self._members.get(self.kind) or {}).get("content"))
        return _content_bytes(value).decode()

    @property
    def json(self) -> Any:
        """The payload or body as JSON: of a command, what follows its name."""
        if self.kind == "command":
            return json.loads(self._members.get("payload") or "null")
        return json.loads(self.text)

    def header(self, name: str) -> str | None:
        """The first header field of this name, of the response if this is one."""
        head = (self._members.get(self.kind) or {}).get("head") or ""
        for line in head.splitlines()[1:]:
            key, _, value = line.partition(":")
            if key.strip().lower() == name.lower():
                return value.strip()
        return None

    def edit(self, content: Any = None, *, status: int | None = None, path: str | None = None,
             headers: Mapping[str, str | None] | None = None) -> None:
        """Sends something else on: text, bytes, or what is written as JSON."""
        line: dict[str, Any] = {"verdict": "edit", **_content(content)}
        if status is not None:
            line["status"] = status
        if path is not None:
            line["path"] = path
        if headers:
            line["headers"] = dict(headers)
        self._decide(line)

    def answer(self, status: int = 200, content: Any = None,
               headers: Mapping[str, str] | None = None) -> None:
        """Answers a request in the place of the server, which does not get it."""
        line = {"verdict": "answer", "status": status, **_content(content)}
        if headers:
            line["headers"] = dict(headers)
        self._decide(line)

    def drop(self) -> None:
        """Does not send it on."""
        self._decide({"verdict": "drop"})

    def delay(self, seconds: float) -> None:
        """Sends it on so much later."""
        self._decide({"verdict": "delay", "milliseconds": round(seconds * 1000)})

    def send(self, content: Any, to: str = "client") -> None:
        """Sends one more message or command, after this one."""
        _write({"id": self._members["id"], "verdict": "send", "to": to, **_content(content)})

    def mark(self, text: str) -> None:
        """Marks this time in the trace."""
        _write({"id": self._members["id"], "verdict": "mark", "text": text})

    def note(self, text: str) -> None:
        """Notes something about this event in the trace."""
        _write({"id": self._members["id"], "verdict": "note", "text": text})

    def _decide(self, line: dict[str, Any]) -> None:
        self._verdict = self._verdict or line


def mark(text: str) -> None:
    """Marks the time in the trace."""
    _write({"verdict": "mark", "text": text})


def note(text: str) -> None:
    """Notes something about the session in the trace."""
    _write({"verdict": "note", "text": text})


def run(source: Iterable[bytes] | None = None, target: BinaryIO | None = None) -> None:
    """Answers until the traffic ends. What is printed meanwhile goes to standard error."""
    global _output
    lines = source if source is not None else sys.stdin.buffer
    _output = target if target is not None else sys.stdout.buffer
    if target is None:
        sys.stdout = sys.stderr
    try:
        _serve(lines)
    except BrokenPipeError:
        pass
    finally:
        _output = None


def _serve(lines: Iterable[bytes]) -> None:
    for line in lines:
        members = json.loads(line)
        if "hello" in members:
            if members["hello"] != VERSION:
                raise SystemExit(f"tapedeck speaks version {members['hello']} of the protocol of "
                                 f"add-ons, and this module version {VERSION}")
            _write({"hello": VERSION, "on": [wanted for wanted, _ in _handlers]})
        elif members["event"] == "end":
            for function in _end_handlers:
                function()
        else:
            _answer(Event(members))


def _answer(event: Event) -> None:
    for number in event["on"]:
        try:
            _handlers[number][1](event)
        except BrokenPipeError:
            raise
        except Exception:
            # The mistake of one function is shown, and the traffic goes on.
            traceback.print_exc()
    # Last, since marks and notes come before the verdict of their event.
    _write({"id": event["id"], **(event._verdict or {"verdict": "pass"})})


def _content(content: Any) -> dict[str, str]:
    if content is None:
        return {}
    if isinstance(content, str):
        return {"text": content}
    if isinstance(content, (bytes, bytearray)):
        return {"bytes": base64.b64encode(content).decode()}
    return {"text": json.dumps(content)}


def _content_bytes(value: Any) -> bytes:
    if isinstance(value, dict):
        return base64.b64decode(value.get("base64", ""))
    return (value or "").encode()


def _write(line: dict[str, Any]) -> None:
    if _output is None:
        raise RuntimeError("verdicts, marks and notes are given while run() answers")
    _output.write(json.dumps(line).encode() + b"\n")
    _output.flush()
