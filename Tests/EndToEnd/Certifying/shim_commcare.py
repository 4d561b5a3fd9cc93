"""Mutants that `shim.py` makes of a CommCare device: each breaks one duty on the wire."""

from __future__ import annotations

import asyncio
import re
import uuid
from urllib.parse import parse_qs

from shim_wire import Message, Mutation, Wire

TOKEN = "X-CommCareHQ-LastSyncToken"
THANKS = (b'<OpenRosaResponse xmlns="http://openrosa.org/http/response">'
          b'<message nature="submit_success">Thanks</message></OpenRosaResponse>')
ACCEPTED = Message("HTTP/1.1 201 Created", [("Content-Type", "text/xml")], THANKS)
BUSY = Message("HTTP/1.1 503 Service Unavailable", [("Retry-After", "60")])


class CommCare(Mutation):
    """Shows requests to its kinds."""

    async def request(self, wire: Wire, request: Message) -> Message | None:
        """Shows a request by what it asks for."""
        if "/receiver/" in request.target:
            return await self.submit(wire, request)
        if "/phone/restore/" in request.target:
            return await self.restore(wire, request)
        return await self.other(wire, request)

    async def submit(self, wire: Wire, request: Message) -> Message | None:
        """The answer to a form."""
        return await wire.ask(request)

    async def restore(self, wire: Wire, request: Message) -> Message | None:
        """The answer to a request for a restore."""
        return await wire.ask(request)

    async def other(self, wire: Wire, request: Message) -> Message | None:
        """The answer to another request."""
        return await wire.ask(request)


def without(request: Message, name: str) -> Message:
    """A request without a parameter of its query."""
    first = re.sub(rf"([?&]){name}=[^& ]*&?", r"\1", request.first)
    return request.with_(first=re.sub(r"[?&]( HTTP)", r"\1", first))


def parameter(request: Message, name: str) -> str:
    """A parameter of the query of a request; empty where there is none."""
    return parse_qs(request.target.partition("?")[2]).get(name, [""])[0]


class Without(CommCare):
    """Its requests lack header fields, or a parameter."""

    def __init__(self, *fields: str, name: str = "") -> None:
        self.fields, self.name = fields, name

    async def request(self, wire: Wire, request: Message) -> Message | None:
        """The answer to a request that lacks them."""
        request = request.without(*self.fields)
        return await super().request(wire, without(request, self.name) if self.name else request)


class NoToken(CommCare):
    """Submissions have no sync token."""

    async def submit(self, wire: Wire, request: Message) -> Message | None:
        return await wire.ask(request.without(TOKEN))


class OldToken(CommCare):
    """Its submissions keep the first sync token."""

    first = ""

    async def submit(self, wire: Wire, request: Message) -> Message | None:
        self.first = self.first or request.get(TOKEN)
        return await wire.ask(request.with_field(TOKEN, self.first) if self.first else request)


class Again(CommCare):
    """It sends again, after some seconds, what was answered with a status."""

    def __init__(self, status: int, seconds: float = 0.05, times: int = 1) -> None:
        self.status, self.seconds, self.times = status, seconds, times

    async def submit(self, wire: Wire, request: Message) -> Message | None:
        answer = await wire.ask(request)
        for _ in range(self.times):
            if answer is None or answer.status != self.status:
                break
            await asyncio.sleep(self.seconds)
            answer = await wire.ask(request)
        return answer

    async def restore(self, wire: Wire, request: Message) -> Message | None:
        return await self.submit(wire, request)


class Takes(CommCare):
    """It takes an answer to a form with a status for an acceptance."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = statuses

    async def submit(self, wire: Wire, request: Message) -> Message | None:
        answer = await wire.ask(request)
        status = answer.status if answer else 0
        return ACCEPTED if status in self.statuses else answer


class NewInstanceID(CommCare):
    """A form that is sent again has another instanceID."""

    def __init__(self) -> None:
        self.known: set[bytes] = set()

    async def submit(self, wire: Wire, request: Message) -> Message | None:
        found = re.search(rb"<(?:\w+:)?instanceID>([^<]*)", request.body)
        if not found:
            return await wire.ask(request)
        if found[1] in self.known:
            new = uuid.uuid4().hex.encode()
            request = request.with_(body=request.body.replace(found[1], new))
        self.known.add(found[1])
        return await wire.ask(request)


class SubmitsTwice(CommCare):
    """It submits each form twice."""

    async def submit(self, wire: Wire, request: Message) -> Message | None:
        await wire.ask(request)
        return await wire.ask(request)


class NoAttachment(CommCare):
    """It sends forms without their photos."""

    async def submit(self, wire: Wire, request: Message) -> Message | None:
        edge = request.get("content-type").partition("boundary=")[2].strip('"').encode()
        parts = request.body.split(b"--" + edge)
        kept = [part for part in parts if b"xml_submission_file" in part]
        if not edge or len(parts) < 4:
            return await wire.ask(request)
        body = parts[0] + b"".join(b"--" + edge + part for part in kept) + b"--" + edge + b"--\r\n"
        return await wire.ask(request.with_(body=body))


class StopsAt422(CommCare):
    """A refused form holds up the others."""

    is_stuck = False

    async def submit(self, wire: Wire, request: Message) -> Message | None:
        if self.is_stuck:
            return BUSY
        answer = await wire.ask(request)
        self.is_stuck = answer is not None and answer.status == 422
        return answer


class LastFirst(CommCare):
    """It sends the newest form first."""

    def __init__(self) -> None:
        self.waiting: list[Message] = []

    async def submit(self, wire: Wire, request: Message) -> Message | None:
        self.waiting.append(request)
        return ACCEPTED

    async def restore(self, wire: Wire, request: Message) -> Message | None:
        while self.waiting:
            await wire.ask(self.waiting.pop())
        return await wire.ask(request)


class RestoreFirst(CommCare):
    """It restores before it sends what waits."""

    last: Message | None = None
    is_waiting = False

    async def submit(self, wire: Wire, request: Message) -> Message | None:
        if self.is_waiting and self.last:
            await wire.ask(self.last)
        answer = await wire.ask(request)
        self.is_waiting = answer is None or answer.status >= 400
        return answer

    async def restore(self, wire: Wire, request: Message) -> Message | None:
        self.last = request
        return await wire.ask(request)


class WrongState(CommCare):
    """It keeps closed cases, so that the hash of its state is that of others."""

    async def restore(self, wire: Wire, request: Message) -> Message | None:
        first = re.sub(r"state=ccsh(%3A|:)[0-9a-f]*", rf"state=ccsh\g<1>{'5' * 32}", request.first)
        return await wire.ask(request.with_(first=first))


class SinceAfter412(CommCare):
    """It goes on with the token after 412."""

    refused: Message | None = None

    async def restore(self, wire: Wire, request: Message) -> Message | None:
        if self.refused and not parameter(request, "since"):
            request = self.refused
        answer = await wire.ask(request)
        if answer is not None and answer.status == 412:
            self.refused = request
        return answer


class GivesUp202(CommCare):
    """It never asks again after 202."""

    is_pending = False

    async def restore(self, wire: Wire, request: Message) -> Message | None:
        if self.is_pending:
            return BUSY
        answer = await wire.ask(request)
        self.is_pending = answer is not None and answer.status == 202
        return answer


class TokenOf(CommCare):
    """It asks since the token of another user, or of another device, in a full restore."""

    last = ""

    async def restore(self, wire: Wire, request: Message) -> Message | None:
        if not parameter(request, "since") and self.last:
            first = re.sub(r"\?", f"?{self.last}&", request.first, count=1)
            return await wire.ask(request.with_(first=first))
        found = re.search(r"since=[^& ]*(?=[& ])", request.target + " ")
        state = re.search(r"state=[^& ]*(?=[& ])", request.target + " ")
        if found and state:
            self.last = f"{found[0]}&{state[0]}"
        return await wire.ask(request)


class NoSyncAfterClaim(CommCare):
    """It does not sync after a claim."""

    has_claimed = False

    async def other(self, wire: Wire, request: Message) -> Message | None:
        answer = await wire.ask(request)
        self.has_claimed = self.has_claimed or "claim" in request.target
        return answer

    async def restore(self, wire: Wire, request: Message) -> Message | None:
        return BUSY if self.has_claimed else await wire.ask(request)


COMMCARE = {
    "no-token": NoToken,
    "old-token": OldToken,
    "no-version": lambda: Without("X-OpenRosa-Version"),
    "no-device-id": lambda: Without("X-OpenRosa-DeviceID", name="device_id"),
    "no-cookie": lambda: Without("Cookie"),
    "no-state": lambda: Without(name="state"),
    "new-instance-id": NewInstanceID,
    "submits-twice": SubmitsTwice,
    "no-attachment": NoAttachment,
    "no-cool-down": lambda: Again(503),
    "ignores-retry-after": lambda: Again(429, seconds=2.5),
    "polls-early": lambda: Again(202, times=5),
    "resends-422": lambda: Again(422),
    "resends-4xx": lambda: Again(400),
    "insists": lambda: Again(406),
    "same-credentials": lambda: Again(401, times=2),
    "chunks-again": lambda: Again(411),
    "forgets-unsent": lambda: Takes(500),
    "takes-html": lambda: Takes(200),
    "stops-at-422": StopsAt422,
    "last-first": LastFirst,
    "restore-first": RestoreFirst,
    "no-purge": WrongState,
    "since-after-412": SinceAfter412,
    "gives-up-202": GivesUp202,
    "token-of-others": TokenOf,
    "no-sync-after-claim": NoSyncAfterClaim,
}
