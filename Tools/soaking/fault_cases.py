"""The cases: an action or two, a size, a transport, and rules that a behaving client survives."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path

from known_trace import KNOWN_TRACE

FAULTS = Path(__file__).resolve().parents[2] / "Sources/Faults/Faults.md"
SIZES = {"100B": 100, "100kB": 100_000, "3MB": 3_000_000}
HTTP, HTTPS, SOCKET, DEFLATE = TRANSPORTS = ("http", "https", "websocket", "deflate")
WEB, WSS = (HTTP, HTTPS), (SOCKET, DEFLATE)

SUBMIT, RESTORE = "api:commcare.submit", "api:commcare.restore"
FILE, UPLOAD = "path:/file/*", "path:/upload/*"
SENT, TOLD = "command:c sender:client", "command:c sender:server"

# Rules for each action; SIZE, HALF and RATE stand for what suits the size.
OF_WEB: dict[str, list[str]] = {
    "status": [f"{SUBMIT} => 503 retry-after=1 first=1",
               f"{SUBMIT} => 503 forwarded retry-after=1 first=1",
               f"{RESTORE} => 202 retry-after=1 first=2", f"{RESTORE} => 429 retry-after=1 nth=1",
               f"{SUBMIT} => 422 nth=2", f"{UPLOAD} => 500 first=1",
               f"{FILE} => 503 retry-after=1 first=1",
               f"{SUBMIT} => 401 first=1", f"{RESTORE} => 412 forwarded first=1"],
    "answer": [f"{FILE} => answer type=text/plain body=hello",
               f"{RESTORE} => answer 202 retry-after=1 first=1",
               f"{UPLOAD} => answer 200 forwarded body=done"],
    "lose-answer": [f"{where} => lose-answer how={how} first=1" for where in (SUBMIT, FILE, RESTORE)
                    for how in ("close", "reset", "stall")],
    "answer-twice": [f"{where} => answer-twice first=1" for where in (SUBMIT, FILE, RESTORE)],
    "truncate": [f"{where} => truncate {at} first=1" for where in (SUBMIT, FILE, RESTORE)
                 for at in ("0", "50", "HALF")],
    "corrupt": [f"{where} => corrupt count=4 first=1" for where in (FILE, RESTORE)]
    + [f"{UPLOAD} => corrupt at=HALF count=3 sender=client first=1",
       f"{RESTORE} => corrupt at=HALF count=3"],
    "length": [f"{where} => length {by} first=1" for where in (SUBMIT, FILE, RESTORE)
               for by in (-10, 10)],
    "content-type": [f"{RESTORE} => content-type text/html first=1",
                     f"{UPLOAD} => content-type text/html sender=client",
                     f"{FILE} => content-type text/html"],
    "cut-xml": [f"{RESTORE} => cut-xml first=1", f"{SUBMIT} => cut-xml 40 first=1"],
    "set-header": [f'{where} => set-header Date "Thu, 01 Jan 1998 00:00:00 GMT"'
                   for where in (SUBMIT, FILE)] + [f"{SUBMIT} => set-header X-A b sender=client"],
    "remove-header": [f"{RESTORE} => remove-header Content-Type first=1",
                      f"{SUBMIT} => remove-header User-Agent sender=client"],
    "add-header": [f"{where} => add-header X-A b" for where in (SUBMIT, FILE, RESTORE)],
    "edit": [f"{SUBMIT} => edit header X-A b sender=client", f"{FILE} => edit query a b",
             f"{RESTORE} => edit header X-A b", f"{FILE} => edit replace nowhere x"],
    "map": ["path:/nowhere => map http://127.0.0.1:1"],
    "serve": ["path:/nowhere => serve /nonexistent"],
    "recorded": [f"path:/nowhere => recorded {KNOWN_TRACE}"],
    "redirect": ["path:/nowhere => redirect /file/other"],
    "block": [f"{UPLOAD} => block 503 first=1"],
    "drop": [f"{where} => drop{close} first=1" for where in (SUBMIT, UPLOAD, RESTORE)
             for close in ("", " close")],
    "repeat": [f"{where} => repeat count={count} first=1" for where in (SUBMIT, UPLOAD, FILE)
               for count in (1, 2)],
    "latency": ["=> latency 100ms jitter=50ms", f"{SUBMIT} => latency 300ms first=2",
                f"{FILE} => latency 200ms sender=server",
                f"{UPLOAD} => latency 200ms sender=client"],
    "bandwidth": ["=> bandwidth RATE", f"{FILE} => bandwidth RATE sender=server",
                  f"{UPLOAD} => bandwidth RATE sender=client"],
    "slice": ["=> slice SLICE pause=1ms", f"{RESTORE} => slice SLICE sender=server",
              f"{SUBMIT} => slice SLICE sender=client"],
    "stall": [f"{where} => stall sender={sender} first=1" for where in (SUBMIT, FILE)
              for sender in ("client", "server")],
    "cut": [f"=> cut {at} how={how} sender={sender} first=1" for at in ("200", "HALF")
            for how in ("close", "reset") for sender in ("client", "server")],
    "blackout": ["=> blackout for=500ms first=1", f"{FILE} => blackout 500ms first=1",
                 f"{SUBMIT} => blackout 500ms first=1"],
    "close": [f"{where} => close first=1" for where in (SUBMIT, "status:201", FILE)],
    "reset": [f"{where} => reset first=1" for where in (SUBMIT, "status:201", FILE)],
    "half-close": [f"{where} => half-close sender={sender} first=1" for where in (SUBMIT, FILE)
                   for sender in ("client", "server")],
    "refuse": ["=> refuse first=1"],
    "tls-failure": ["=> tls-failure first=1"],
    "expired-certificate": ["=> expired-certificate first=1"],
}
OF_SOCKETS: dict[str, list[str]] = {
    "error": [f"{SENT} => error {what} nth={nth}" for nth in (1, 2) for what in (
        "440", "405", "500", "503", "440 as=string", "503 forwarded", "409 forwarded")],
    "cv-unknown": ["command:cv => cv-unknown first=1"],
    "change-unknown": ["command:cv => change-unknown first=1", f"{SENT} => change-unknown nth=2"],
    "entity-unknown": [f"{TOLD} => version-gap nth=2 name=gap",
                       "command:e => entity-unknown first=1"],
    "auth-failure": ["command:init => auth-failure 500 first=1"],
    "auth-expired": ["command:init => auth-expired first=1"],
    "move-current": ["command:i sender:server => move-current first=1"],
    "foreign-ccids": [f"{TOLD} => foreign-ccids nth={nth}" for nth in (1, 2, 4)],
    "edit-object": [f"{TOLD} => edit-object nowhere 1"],
    "version-gap": [f"{TOLD} => version-gap nth={nth}" for nth in (2, 3, 4)],
    "compact": [f"{TOLD} => compact count=2 first=2"],
    "malformed-delta": [f"{TOLD} => malformed-delta nth={nth}" for nth in (2, 3, 4)],
    "wrong-heartbeat": ["command:h sender:server => wrong-heartbeat by=3 first=1"],
    "unknown-channel": [f"{TOLD} => unknown-channel nth={nth}" for nth in (2, 3)],
    "send": [f"{where} => send {text} nth=2" for text in ("0:index", "log:1", "?", "0:o:{}")
             for where in (SENT, TOLD)],
    "drop": [f"{TOLD} => drop nth=2", f"{SENT} => drop nth=2", f"{SENT} => drop close nth=2",
             "command:i sender:client => drop first=1"],
    "repeat": [f"{TOLD} => repeat count=2 nth=2", f"{SENT} => repeat nth=2",
               f"{TOLD} => repeat nth=3"],
    "hold": [f"{TOLD} => hold 300ms nth=2", f"{SENT} => hold 300ms nth=1"],
    "reorder": [f"{TOLD} => reorder nth=2", f"{SENT} => reorder nth=1", f"{TOLD} => reorder nth=3"],
    "latency": ["=> latency 50ms jitter=50ms", f"{TOLD} => latency 300ms nth=2",
                f"{SENT} => latency 300ms nth=1", "kind:message => latency 30ms jitter=30ms"],
    "bandwidth": ["=> bandwidth RATE", f"{TOLD} => bandwidth RATE sender=server nth=2"],
    "slice": ["=> slice SLICE pause=1ms", f"{TOLD} => slice SLICE sender=server nth=2",
              f"{SENT} => slice SLICE nth=1"],
    "stall": [f"{TOLD} => stall nth=2", f"{SENT} => stall sender=client nth=2",
              f"{SENT} => stall nth=1"],
    "cut": [f"=> cut {at} how={how} sender={sender} first=1" for at in ("700", "HALF")
            for how in ("close", "reset") for sender in ("client", "server")]
    + [f"{SENT} => cut 20 nth=2"],
    "blackout": ["=> blackout for=500ms first=1", f"{SENT} => blackout 500ms nth=1",
                 f"{TOLD} => blackout 300ms nth=2"],
    "close": [f"{SENT} => close nth=2", f"{TOLD} => close nth=2"],
    "reset": [f"{SENT} => reset nth=2", f"{TOLD} => reset nth=2"],
    "half-close": [f"{SENT} => half-close sender=client nth=2", f"{TOLD} => half-close nth=2"],
    "close-code": [f"{SENT} => close-code 1012 reason=restart nth=2",
                   f"{TOLD} => close-code 4000 to=client nth=2",
                   f"{TOLD} => close-code 1011 to=server nth=2"],
    "refuse": ["=> refuse first=1"],
}
TOGETHER = {"entity-unknown"}
TLS_ONLY = {"tls-failure", "expired-certificate"}


@dataclass(frozen=True)
class Case:
    """What is played."""

    name: str
    transport: str
    size: int
    rules: tuple[str, ...]
    seed: int

    @property
    def is_socket(self) -> bool:
        """Whether it is about a WebSocket."""
        return self.transport in WSS


def catalogue() -> list[str]:
    """All actions there are, as the documentation lists them; each has rules here."""
    table = FAULTS.read_text().partition("<!-- actions -->")[2].partition("<!-- end -->")[0]
    actions = re.findall(r"^\| `([a-z-]+)` \|", table, re.M)
    if missing := set(actions) ^ (OF_WEB.keys() | OF_SOCKETS.keys()):
        raise RuntimeError(f"the actions to play are not those there are: {sorted(missing)}")
    return actions


def _applies(action: str, transport: str) -> bool:
    if action in TLS_ONLY and transport != HTTPS:
        return False
    return action in (OF_SOCKETS if transport in WSS else OF_WEB)


def _filled(rule: str, size: int) -> str:
    values = {"HALF": size // 2 + 400, "RATE": max(2_000, size), "SLICE": max(7, size // 300)}
    for name, value in values.items():
        rule = rule.replace(name, str(value))
    return rule


def case(name: str) -> Case:
    """The case of a name: `ACTION[+ACTION]/TRANSPORT/SIZE/SEED`."""
    actions, transport, size, seed = name.split("/")
    dice = random.Random(name)
    rules: list[str] = []
    for action in actions.split("+"):
        if action == "none":
            continue
        choices = (OF_SOCKETS if transport in WSS else OF_WEB)[action]
        rules += choices if action in TOGETHER else [dice.choice(choices)]
    number = SIZES[size]
    return Case(name, transport, number, tuple(_filled(rule, number) for rule in rules), int(seed))


def every(seed: int) -> list[str]:
    """Names of cases: every action alone, over every transport it is for, in every size, the small
    ones first."""
    dice = random.Random(seed)
    return [f"{action}/{transport}/{size}/{dice.randrange(1000)}" for size in SIZES
            for action in catalogue() for transport in TRANSPORTS if _applies(action, transport)]


def drawn(count: int, seed: int) -> list[str]:
    """Names of cases: every action in turn, and from the second turn on every other one a pair."""
    dice = random.Random(seed)
    actions = catalogue()
    names: list[str] = []
    while len(names) < count:
        dice.shuffle(actions)
        for action in actions:
            transports = [each for each in TRANSPORTS if _applies(action, each)]
            transport = dice.choice(transports)
            size = dice.choices(list(SIZES), (5, 3, 1))[0]
            if len(names) >= len(actions) and len(names) % 2:
                others = [each for each in actions if each != action and _applies(each, transport)]
                action = f"{action}+{dice.choice(others)}"
            names.append(f"{action}/{transport}/{size}/{dice.randrange(1000)}")
    return names[:count]
