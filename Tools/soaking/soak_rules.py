"""What is played for each action: rules that clients of both protocols can live through."""

from __future__ import annotations

import random
import re
from pathlib import Path

FAULTS = Path(__file__).resolve().parents[2] / "Sources/Faults/Faults.md"

from known_trace import KNOWN_TRACE

WEB = "api:commcare.*"
SENT = "command:c sender:client"
TOLD = "command:c sender:server"

# Refusals that mean never again (400, 401, 404, 412, 413, 422) are not here: what they are about is
# not sent again, and would have to be told from what is lost.
RULES: dict[str, list[str]] = {
    "status": [f"{WEB} => 503 retry-after=1 probability=0.2", f"{WEB} => 500 probability=0.2",
               "api:commcare.restore => 202 retry-after=1 probability=0.3",
               "api:commcare.submit => 503 forwarded retry-after=1 probability=0.2"],
    "answer": ["api:commcare.restore => answer 202 retry-after=1 probability=0.3",
               f"{WEB} => answer 503 retry-after=1 probability=0.1"],
    "lose-answer": [f"{WEB} => lose-answer how={how} probability={chance}"
                    for how, chance in (("close", 0.2), ("reset", 0.2), ("stall", 0.05))],
    "answer-twice": [f"{WEB} => answer-twice probability=0.4"],
    "truncate": [f"{WEB} => truncate 50 probability=0.4"],
    "corrupt": ["api:commcare.restore => corrupt count=3 probability=0.5"],
    "length": [f"{WEB} => length -5 probability=0.3", f"{WEB} => length 5 probability=0.1"],
    "content-type": [f"{WEB} => content-type text/html probability=0.3"],
    "cut-xml": ["api:commcare.restore => cut-xml probability=0.5"],
    "set-header": [f'{WEB} => set-header Date "Thu, 01 Jan 1998 00:00:00 GMT" probability=0.5',
                   f"{WEB} => set-header X-Soak yes sender=client probability=0.5"],
    "remove-header": [f"{WEB} => remove-header Content-Type probability=0.3",
                      f"{WEB} => remove-header User-Agent sender=client probability=0.3"],
    "add-header": [f"{WEB} => add-header X-Soak yes probability=0.5",
                   f"{WEB} => add-header X-Soak yes sender=client probability=0.5"],
    "edit": [f"{WEB} => edit header X-Soak yes probability=0.5",
             "api:commcare.restore => edit query soak yes probability=0.5",
             "api:commcare.restore => edit replace '</OpenRosaResponse>' ' </OpenRosaResponse>' probability=0.5"],
    # Nobody gets what these answer with from a server of the protocol.
    "map": ["path:/nowhere => map http://127.0.0.1:1"],
    "serve": ["path:/nowhere => serve ./nothing"],
    "recorded": [f"path:/nowhere => recorded {KNOWN_TRACE}"],
    "redirect": ["path:/nowhere => redirect /elsewhere"],
    "block": [f"{WEB} => block 503 probability=0.1"],
    "edit-object": [f"{TOLD} => edit-object nowhere 1"],
    "error": [f"{SENT} => error {what} probability=0.1" for what in (
        "440", "405", "500", "503", "440 as=string", "503 forwarded", "409 forwarded")],
    "cv-unknown": ["command:cv => cv-unknown probability=0.5",
                   "connection:* => close after=300ms"],
    "change-unknown": ["command:cv => change-unknown probability=0.5",
                       f"{SENT} => change-unknown probability=0.1",
                       "connection:* => close after=300ms"],
    "entity-unknown": [f"{TOLD} => version-gap probability=0.2",
                       "command:e => entity-unknown probability=0.5"],
    "auth-failure": ["command:init => auth-failure 500 probability=0.5",
                     f"{SENT} => close probability=0.1"],
    "auth-expired": ["command:init => auth-expired probability=0.5",
                     f"{SENT} => close probability=0.1"],
    "move-current": ["command:i sender:server => move-current probability=0.5",
                     "command:cv => cv-unknown probability=0.5",
                     f"{SENT} => close probability=0.1"],
    "foreign-ccids": [f"{TOLD} => foreign-ccids probability=0.1"],
    "version-gap": [f"{TOLD} => version-gap probability=0.2"],
    "compact": [f"{TOLD} => compact count=3 probability=0.3"],
    "malformed-delta": [f"{TOLD} => malformed-delta probability=0.2"],
    "wrong-heartbeat": ["command:h sender:server => wrong-heartbeat by=3 probability=0.5"],
    "unknown-channel": [f"{TOLD} => unknown-channel probability=0.1"],
    "send": [f"{SENT} => send {text} probability=0.1" for text in (
        "0:index", "log:1", "?", "0:o:{}", "0:cv:?", "0:c:?")],
    "drop": [f"{WEB} => drop probability=0.1", f"{WEB} => drop close probability=0.1",
             f"{TOLD} => drop probability=0.1", f"{SENT} => drop probability=0.1",
             "command:i => drop probability=0.1"],
    # Nobody decides, so they go on by themselves.
    "hold": [f"{WEB} => hold 20ms probability=0.3", f"{WEB} => hold 20ms sender=server probability=0.3",
             f"{TOLD} => hold 50ms probability=0.2", f"{SENT} => hold 50ms probability=0.2"],
    "repeat": [f"{WEB} => repeat probability=0.3", f"{TOLD} => repeat count=2 probability=0.3",
               f"{SENT} => repeat probability=0.3"],
    "reorder": [f"{TOLD} => reorder probability=0.2", f"{SENT} => reorder probability=0.1"],
    "latency": ["=> latency 20ms jitter=20ms", f"{TOLD} => latency 50ms jitter=50ms"],
    "bandwidth": ["=> bandwidth 100KiB", "api:commcare.restore => bandwidth 30KiB sender=server"],
    "slice": ["=> slice 100 pause=1ms", f"{TOLD} => slice 1 sender=server probability=0.1"],
    "stall": [f"{WEB} => stall sender=server probability=0.1", f"{TOLD} => stall probability=0.02"],
    "cut": ["=> cut 3000 sender=server how=reset probability=0.5",
            "=> cut 2000 sender=client probability=0.5"],
    "blackout": ["=> blackout for=300ms probability=0.5",
                 f"{SENT} => blackout for=100ms probability=0.05"],
    "close": [f"{WEB} => close probability=0.2", f"{TOLD} => close probability=0.1",
              "=> close after=500ms probability=0.5"],
    "reset": [f"{WEB} => reset probability=0.2", f"{TOLD} => reset probability=0.1",
              "=> reset after=500ms probability=0.5"],
    "half-close": [f"{WEB} => half-close probability=0.2",
                   f"{SENT} => half-close sender=client probability=0.1",
                   f"{TOLD} => half-close probability=0.1"],
    "close-code": [f"{SENT} => close-code 1012 reason=restart probability=0.1",
                   f"{TOLD} => close-code 4000 to=client probability=0.1"],
    "refuse": ["=> refuse probability=0.5", f"{SENT} => close probability=0.1"],
    "tls-failure": ["=> tls-failure probability=0.5"],
    "expired-certificate": ["=> expired-certificate probability=0.5"],
}


def catalogue() -> list[str]:
    """All actions there are, as the documentation lists them; each has rules here."""
    table = FAULTS.read_text().partition("<!-- actions -->")[2].partition("<!-- end -->")[0]
    actions = re.findall(r"^\| `([a-z-]+)` \|", table, re.M)
    if set(actions) != RULES.keys():
        raise RuntimeError(f"the actions to soak are not those there are: "
                           f"{sorted(set(actions) ^ RULES.keys())}")
    return actions


def mixes(count: int, seed: int) -> list[tuple[str, list[str]]]:
    """Random mixes of five actions each: names and rules."""
    dice = random.Random(seed)
    made = []
    for _ in range(count):
        actions = dice.sample(sorted(RULES), 5)
        rules = [rule for action in actions for rule in RULES[action]]
        dice.shuffle(rules)
        made.append((" ".join(actions), rules))
    return made
