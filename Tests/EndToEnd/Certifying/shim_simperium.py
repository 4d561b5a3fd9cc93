"""Mutants that `shim.py` makes of a Simperium client: each breaks one duty on the wire."""

from __future__ import annotations

import asyncio
import json
import re
import uuid

from shim_wire import Frame, Line, Mutation, read_message


class Simperium(Mutation):
    """Shows commands to its kinds, and keeps what both sides know."""

    def __init__(self) -> None:
        self.lines = 0
        self.client = self.cv = ""
        # All changes of the client by their ccid, with the line that they were first sent on.
        self.sent: dict[str, tuple[int, dict]] = {}
        self.unanswered: dict[str, dict] = {}
        self.versions: dict[str, int] = {}
        self.objects: dict[str, dict] = {}

    # For its kinds

    def change(self, line: Line, change: dict) -> None:
        """The client sent a change."""
        self.send_change(line, change)

    def answered(self, line: Line, changes: list[dict]) -> None:
        """The server sent changes."""
        self.send_answer(line, changes)

    def asked(self, line: Line, verb: str, payload: str) -> None:
        """The client sent another command."""
        line.to_server(f"{'' if verb == 'h' else '0:'}{verb}:{payload}")

    def passed_on(self, line: Line, verb: str, payload: str) -> None:
        """The server sent another command."""
        line.to_client(f"{'' if verb == 'h' else '0:'}{verb}:{payload}")

    @staticmethod
    def send_change(line: Line, change: dict) -> None:
        """Sends the server a change."""
        line.to_server("0:c:" + json.dumps(change))

    @staticmethod
    def send_answer(line: Line, changes: list[dict]) -> None:
        """Sends the client changes."""
        line.to_client("0:c:" + json.dumps(changes))

    def accept(self, line: Line, change: dict) -> None:
        """Answers a change in place of the server, as if it had been accepted."""
        version = change.get("sv", 0)
        self.send_answer(line, [
            {"clientid": self.client, "ev": version + 1, "cv": self.cv, "ccids": [change["ccid"]]}
            | {key: change[key] for key in ("id", "o", "v") if key in change}
            | ({"sv": version} if version else {})])

    def is_again(self, change: dict) -> bool:
        """Whether a change was sent on an earlier connection."""
        return self.sent[change["ccid"]][0] < self.lines

    # Messages

    def client_said(self, line: Line, text: str) -> None:
        """Shows a message of the client."""
        verb, _, payload = text.removeprefix("0:").partition(":")
        if verb == "init":
            self.lines += 1
            self.client = json.loads(payload)["clientid"]
        if verb != "c":
            return self.asked(line, verb, payload)
        change = json.loads(payload)
        self.sent.setdefault(change["ccid"], (self.lines, change))
        self.unanswered[change["ccid"]] = change
        return self.change(line, change)

    def server_said(self, line: Line, text: str) -> None:
        """Shows a message of the server."""
        verb, _, payload = text.removeprefix("0:").partition(":")
        if verb == "i":
            page = json.loads(payload)
            self.cv = page.get("current", self.cv)
            for entry in page["index"]:
                self.versions[entry["id"]], self.objects[entry["id"]] = entry["v"], entry["d"]
        if verb != "c" or not payload.startswith("["):
            return self.passed_on(line, verb, payload)
        changes = json.loads(payload)
        for change in changes:
            for ccid in change["ccids"]:
                self.unanswered.pop(ccid, None)
        self.answered(line, changes)
        for change in changes:
            self.cv = change.get("cv", self.cv)
            if "ev" in change:
                self.versions[change["id"]] = change["ev"]
        return None


class ForgetsUnacknowledged(Simperium):
    """A change without an answer is not sent again."""

    def change(self, line: Line, change: dict) -> None:
        (self.accept if self.is_again(change) else self.send_change)(line, change)


class ResendsBeforeCv(Simperium):
    """It sends again before it knows what was missed."""

    def __init__(self, has_new_ccid: bool = False) -> None:
        super().__init__()
        self.has_new_ccid = has_new_ccid

    def asked(self, line: Line, verb: str, payload: str) -> None:
        if verb == "cv":
            for change in self.unanswered.values():
                new = {"ccid": uuid.uuid4().hex} if self.has_new_ccid else {}
                self.send_change(line, change | new)
        super().asked(line, verb, payload)


class NoCv(Simperium):
    """It never asks what it missed."""

    def asked(self, line: Line, verb: str, payload: str) -> None:
        if verb == "cv":
            self.send_answer(line, [])
        else:
            super().asked(line, verb, payload)


class IndexAlways(Simperium):
    """It reads the whole index again, though it has a cv."""

    is_reading = False

    def asked(self, line: Line, verb: str, payload: str) -> None:
        self.is_reading = verb == "cv"
        super().asked(line, *(("i", "1:::100") if verb == "cv" else (verb, payload)))

    def passed_on(self, line: Line, verb: str, payload: str) -> None:
        if verb == "i" and self.is_reading:
            self.is_reading = False
            self.send_answer(line, [])
        else:
            super().passed_on(line, verb, payload)


class IgnoresCvUnknown(Simperium):
    """It goes on as if it knew everything after cv:?."""

    def passed_on(self, line: Line, verb: str, payload: str) -> None:
        if verb == "cv":
            self.send_answer(line, [])
        else:
            super().passed_on(line, verb, payload)


class RepeatsCv(Simperium):
    """It asks with the same cv again after cv:?."""

    last = ""

    def asked(self, line: Line, verb: str, payload: str) -> None:
        self.last = payload if verb == "cv" else self.last
        super().asked(line, verb, payload)

    def passed_on(self, line: Line, verb: str, payload: str) -> None:
        if verb == "cv":
            # Later than an answer that crosses it.
            asyncio.get_running_loop().call_later(
                2.5, lambda: line.to_server(f"0:cv:{self.last}"))
        else:
            super().passed_on(line, verb, payload)


class DiffAfter(Simperium):
    """It sends the same diff again after a refusal with a code, where the whole object is due."""

    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code
        self.refused: dict[str, dict] = {}

    def answered(self, line: Line, changes: list[dict]) -> None:
        for change in changes:
            if change.get("error") == self.code:
                self.refused[change["id"]] = self.sent[change["ccids"][0]][1]
        super().answered(line, changes)

    def change(self, line: Line, change: dict) -> None:
        refused = self.refused.pop(change["id"], None)
        self.send_change(line, refused | {"ccid": change["ccid"]} if refused else change)


class Resends(Simperium):
    """It sends what was refused with a code again at once."""

    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code

    def answered(self, line: Line, changes: list[dict]) -> None:
        if changes and changes[0].get("error") == self.code:
            self.send_change(line, self.sent[changes[0]["ccids"][0]][1])
        else:
            super().answered(line, changes)


class TakesFor(Simperium):
    """It takes a refusal with a code for an acknowledgement."""

    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code

    def answered(self, line: Line, changes: list[dict]) -> None:
        if changes and changes[0].get("error") == self.code:
            self.accept(line, self.sent[changes[0]["ccids"][0]][1])
        else:
            super().answered(line, changes)


class SameToken(Simperium):
    """It goes on with a token that was refused."""

    init = ""

    def asked(self, line: Line, verb: str, payload: str) -> None:
        self.init = payload if verb == "init" else self.init
        super().asked(line, verb, payload)

    def passed_on(self, line: Line, verb: str, payload: str) -> None:
        if verb == "auth" and payload.startswith("{"):
            line.to_server(f"0:init:{self.init}")
        else:
            super().passed_on(line, verb, payload)


class NewClientID(Simperium):
    """It has another client id on each connection."""

    def asked(self, line: Line, verb: str, payload: str) -> None:
        if verb == "init":
            payload = json.dumps(
                json.loads(payload) | {"clientid": f"{self.client}-{self.lines}"})
        super().asked(line, verb, payload)


class IndexBeforeInit(Simperium):
    """It reads the index before its channel is open."""

    def asked(self, line: Line, verb: str, payload: str) -> None:
        if verb == "init":
            line.to_server("0:i:1:::100")
        super().asked(line, verb, payload)


class ForgetsQueue(Simperium):
    """Edits made offline are gone after the reconnection."""

    def change(self, line: Line, change: dict) -> None:
        (self.accept if self.lines > 1 else self.send_change)(line, change)


class SendsLate(Simperium):
    """It sends its first edit after a reconnection."""

    waiting: dict | None = None

    def change(self, line: Line, change: dict) -> None:
        if self.lines == 1:
            self.waiting = change
            self.accept(line, change)
        else:
            self.send_change(line, change)

    def answered(self, line: Line, changes: list[dict]) -> None:
        # What was missed is known: the first edit goes before the others.
        if self.waiting and self.lines > 1:
            late, self.waiting = self.waiting, None
            self.send_change(line, late)
        super().answered(line, changes)


class Echoes(Simperium):
    """It sends changes of others back as its own."""

    def __init__(self) -> None:
        super().__init__()
        self.own: set[str] = set()

    def answered(self, line: Line, changes: list[dict]) -> None:
        new = [change for change in changes if not self.own & set(change["ccids"])]
        if new or not changes:
            super().answered(line, new)
        for change in new:
            if change.get("clientid") == self.client or "v" not in change:
                continue
            ccid = uuid.uuid4().hex
            self.own.add(ccid)
            self.send_change(line, {"id": change["id"], "o": "M", "v": change["v"], "ccid": ccid,
                                    "sv": change["ev"]})


class BringsBack(Simperium):
    """It makes an object again that another client removed."""

    def answered(self, line: Line, changes: list[dict]) -> None:
        super().answered(line, changes)
        for change in changes:
            if change.get("o") == "-" and change["clientid"] != self.client:
                self.send_change(line, {
                    "id": change["id"], "o": "M", "ccid": uuid.uuid4().hex,
                    "v": {key: {"o": "+", "v": value}
                          for key, value in self.objects[change["id"]].items()}})


class NoSourceVersion(Simperium):
    """Changes have no source version."""

    def change(self, line: Line, change: dict) -> None:
        self.send_change(line, {key: value for key, value in change.items() if key != "sv"})


class TwoInFlight(Simperium):
    """It does not wait for the answer to the last change of an object."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[dict] = []

    def change(self, line: Line, change: dict) -> None:
        # The next change comes with the acknowledgement; both leave together.
        self.waiting.append(change)
        self.accept(line, change)
        while len(self.sent) > 1 and self.waiting:
            self.send_change(line, self.waiting.pop(0))

    def answered(self, line: Line, changes: list[dict]) -> None:
        if not changes or changes[0].get("clientid") != self.client:
            super().answered(line, changes)


class NoHeartbeat(Simperium):
    """It sends no heartbeats."""

    def asked(self, line: Line, verb: str, payload: str) -> None:
        if verb == "h":
            line.to_client(f"h:{int(payload) + 1}")
        else:
            super().asked(line, verb, payload)


class StuckHeartbeat(Simperium):
    """Its heartbeats always have the same number."""

    last = 0

    def asked(self, line: Line, verb: str, payload: str) -> None:
        if verb == "h":
            self.last, payload = int(payload), "1"
        super().asked(line, verb, payload)

    def passed_on(self, line: Line, verb: str, payload: str) -> None:
        super().passed_on(line, verb, str(self.last + 1) if verb == "h" else payload)


class WaitsForEver(Simperium):
    """It stays on a connection on which nothing comes any more."""

    def asked(self, line: Line, verb: str, payload: str) -> None:
        super().asked(line, verb, payload)
        if verb == "h":
            line.to_client(f"h:{int(payload) + 1}")

    def passed_on(self, line: Line, verb: str, payload: str) -> None:
        if verb != "h":
            super().passed_on(line, verb, payload)


class WrongLength(Simperium):
    """Its deltas keep fewer code units than there are."""

    def change(self, line: Line, change: dict) -> None:
        for step in change.get("v", {}).values():
            if step["o"] == "d":
                step["v"] = re.sub(r"=(\d+)", lambda found: f"={int(found[1]) - 1}", step["v"],
                                   count=1)
        self.send_change(line, change)


class FirstPage(Simperium):
    """It reads the first page of the index alone."""

    def passed_on(self, line: Line, verb: str, payload: str) -> None:
        if verb == "i":
            page = json.loads(payload)
            page.pop("mark", None)
            payload = json.dumps(page)
        super().passed_on(line, verb, payload)


class NoReconnect(Simperium):
    """It does not reconnect."""

    def opens(self) -> bool:
        return self.lines == 0


class ReconnectStorm(Simperium):
    """It reconnects without a pause."""

    async def storm(self, line: Line) -> None:
        """Opens one connection after the other."""
        for _ in range(12):
            server = await self.shim.connect()
            server.send(line.opening.data())
            await read_message(server, "GET")
            server.send(Frame.text(self.init, True))
            while await server.some():
                pass
            server.close()

    init = ""
    task: asyncio.Task | None = None

    def asked(self, line: Line, verb: str, payload: str) -> None:
        if verb == "init":
            self.init = f"0:init:{payload}"
        super().asked(line, verb, payload)

    def server_ended(self, line: Line) -> None:
        self.task = self.task or asyncio.ensure_future(self.storm(line))


class IgnoresGap(Simperium):
    """It applies a change for a version that it does not have."""

    def answered(self, line: Line, changes: list[dict]) -> None:
        for change in changes:
            if "sv" in change and change["id"] in self.versions:
                change["sv"] = self.versions[change["id"]]
        super().answered(line, changes)


class RemovesWithValue(Simperium):
    """A removal has a value."""

    def change(self, line: Line, change: dict) -> None:
        self.send_change(line, change | ({"v": {}} if change["o"] == "-" else {}))


class NoRemoval(Simperium):
    """Removals are never sent."""

    def change(self, line: Line, change: dict) -> None:
        (self.accept if change["o"] == "-" else self.send_change)(line, change)


class WrapsData(Simperium):
    """The whole object is in a wrapper."""

    def change(self, line: Line, change: dict) -> None:
        self.send_change(line, change | ({"d": {"data": change["d"]}} if "d" in change else {}))


SIMPERIUM = {
    "forgets-unacknowledged": ForgetsUnacknowledged,
    "resends-before-cv": ResendsBeforeCv,
    "new-ccid": lambda: ResendsBeforeCv(has_new_ccid=True),
    "no-cv": NoCv,
    "index-always": IndexAlways,
    "ignores-cv-unknown": IgnoresCvUnknown,
    "repeats-cv": RepeatsCv,
    "same-token": SameToken,
    "new-client-id": NewClientID,
    "index-before-init": IndexBeforeInit,
    "forgets-queue": ForgetsQueue,
    "sends-late": SendsLate,
    "echoes": Echoes,
    "brings-back": BringsBack,
    "no-sv": NoSourceVersion,
    "two-in-flight": TwoInFlight,
    "no-heartbeat": NoHeartbeat,
    "stuck-heartbeat": StuckHeartbeat,
    "waits-for-ever": WaitsForEver,
    "wrong-length": WrongLength,
    "first-page": FirstPage,
    "no-reconnect": NoReconnect,
    "reconnect-storm": ReconnectStorm,
    "ignores-gap": IgnoresGap,
    "removes-with-value": RemovesWithValue,
    "no-removal": NoRemoval,
    "wraps-data": WrapsData,
    "gives-up-503": lambda: TakesFor(503),
    "takes-409": lambda: TakesFor(409),
    "no-cool-down": lambda: Resends(503),
    **{f"resends-{code}": lambda code=code: Resends(code) for code in (400, 409, 412, 413)},
    "diff-after-405": lambda: Resends(405),
    **{f"diff-after-{code}": lambda code=code: DiffAfter(code) for code in (404, 440)},
}
