"""No pack of Tapedeck leads to a finding about a client that behaves.

The built-in clients play against the embedded servers under every pack that fits their protocol.
Durations of the packs are a twentieth of what they are, so that what takes minutes takes seconds.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from faults import faulty_fixture
from programs import ROOT, TAPEDECK, Recording, environment, tapedeck
from serving import case, form
from simperium_client import Client

__all__ = ["faulty_fixture"]

FOLDER = ROOT / "Sources/Faults/Packs"
COMMCARE = [
    "account-deactivated", "broken-restore", "captive-portal", "duplicate-forms",
    "expired-history", "expired-token", "flaky-mobile", "overloaded-server", "rejected-forms",
    "restore-in-progress", "restore-never-ready", "slow-link", "tunnels", "wrong-clock",
]
SIMPERIUM = [
    "captive-portal", "chatty-server", "duplicate-forms", "expired-history", "expired-token",
    "flaky-mobile", "ghost-writing-bait", "lost-acknowledgements", "overloaded-server",
    "refused-changes", "reindex-storm", "silent-server", "slow-link", "tunnels",
]
# Certificates, for which both clients connect with TLS.
SECURE = ["broken-tls"]
SHORTER = 20
# Packs after which the commands may say more than `diagnose`, and why.
LEFT = {
    "rejected-forms": "a form that is refused for good leaves its case on the device",
    "tunnels": "a user ends the client while nothing passes",
    "expired-token": "a user ends the client before it has another token",
    "broken-tls": "a user ends the client while no connection can be made",
}
# What claims that the server has an edit: a client that then stops, as it has to, may lose that.
CLAIM = "error 412"
# How long a user lets a command wait, in seconds.
IMPATIENCE = 2


def shortened(pack: str, folder: Path) -> Path:
    """The pack with shorter durations and pauses, as a file."""
    text = re.sub(r"^#.*\n", "", (FOLDER / f"{pack}.yaml").read_text(), flags=re.M)

    def shorter(found: re.Match) -> str:
        milliseconds = int(found[1]) * {"ms": 1, "s": 1_000, "m": 60_000}[found[2]]
        return f"{max(1, milliseconds // SHORTER)}ms"

    text = re.sub(r"\b(\d+)(ms|s|m)\b", shorter, text)
    text = re.sub(r"retry-after=\d+", "retry-after=1", text)
    path = folder / f"{pack}.yaml"
    path.write_text(text)
    return path


def lines(*arguments: str | Path) -> list[dict]:
    """The lines of JSON that a command prints, whatever its verdict."""
    done = tapedeck(*arguments, status=None)
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def findings(deck: Recording, pack: str) -> list[dict | str]:
    """What `diagnose` finds in a finished recording, and what `faults report` and `state` say besides.

    A client that was refused and ends before it has to try again did nothing wrong: that is undecided.
    """
    deck.finish()
    said = lines("diagnose", deck.trace, "--json")
    found: list[dict | str] = [line for line in said if line.get("kind") != "undecided"]
    if pack in LEFT:
        return found
    report = lines("faults", "report", deck.trace, "--json")[0]
    faults = [fault for session in report["sessions"] for fault in session["faults"]]
    found += [f"not recovered from {fault['action']}: {fault['how']}" for fault in faults
              if fault["verdict"] == "not-recovered" and fault["action"] != CLAIM]
    is_open = len(said) > len(found) or any(fault["verdict"] == "undecided" for fault in faults)
    differences = [line for line in lines("state", "--diff", deck.trace, "--json")
                   if line["kind"].endswith("disagreement") and not is_behind(line)]
    return found if is_open else found + differences


def is_behind(difference: dict) -> bool:
    """Whether a client that has ended merely lacks what the other sent after that."""
    versions = difference.get("client_version"), difference.get("server_version")
    return (difference.get("what") == "version" and not difference["unacknowledged"]
            and None not in versions and versions[0] < versions[1])


def commcare(url: str, folder: Path, *arguments: str | Path) -> None:
    """Runs the built-in client; a user ends it where it waits for long."""
    try:
        subprocess.run(
            [TAPEDECK, "client", "commcare", *arguments, "--to", url, "--domain", "demo",
             "--user", "anna", "--state", folder / "device"],
            env=environment(TAPEDECK_PASSWORD="secret"), stdin=subprocess.DEVNULL,
            capture_output=True, timeout=IMPATIENCE, check=False)
    except subprocess.TimeoutExpired:
        pass


def play_commcare(url: str, folder: Path, *more: str | Path) -> None:
    """Forms and syncs, whatever becomes of them."""
    for number in range(4):
        filled = folder / f"form-{number}.xml"
        filled.write_text(form(f"form-{number}", case(f"case-{number}")))
        commcare(url, folder, "submit", filled, *more)
        commcare(url, folder, "sync", *more)


def play_simperium(url: str, folder: Path, program, *more: str | Path) -> None:
    """Edits of two clients over several connections, whatever becomes of them."""
    one, two = (Client(url, folder / name, program) for name in ("one", "two"))
    one.more = two.more = list(more)
    anyhow = {"status": None, "patience": 1.5}
    for number in range(3):
        one.run("set", f"k{number}", json.dumps({"t": f"text {number}"}), **anyhow)
    for turn in range(2):
        script = folder / f"script-{turn}"
        script.write_text("".join(
            f'set notes k{number % 4} {{"t":"text {number} of {turn}","n":{number}}}\n'
            f"wait 50ms\n" for number in range(10)) + "wait synced\n")
        one.run("run", script, **anyhow)
        two.run("set", f"k{turn}", json.dumps({"t": f"other {turn}"}), **anyhow)
    one.run("sync", **anyhow)


def test_every_pack_is_played():
    assert {path.stem for path in FOLDER.glob("*.yaml")} == {*COMMCARE, *SIMPERIUM, *SECURE}


@pytest.mark.parametrize("pack", COMMCARE)
def test_commcare(faulty, serve, tmp_path, pack):
    deck = faulty(serve().url("", "http"), more=("--faults", shortened(pack, tmp_path)))
    play_commcare(deck.url, tmp_path)
    assert findings(deck, pack) == []


@pytest.mark.parametrize("pack", SIMPERIUM)
def test_simperium(faulty, serve, program, tmp_path, pack):
    deck = faulty(serve().url("", "http"), more=("--faults", shortened(pack, tmp_path)))
    play_simperium(deck.url, tmp_path, program)
    assert findings(deck, pack) == []


@pytest.mark.parametrize("pack", SECURE)
def test_with_tls(faulty, serve, program, tmp_path, trust, pack):
    deck = faulty(serve().url("", "http"), more=("--faults", shortened(pack, tmp_path)))
    secure = deck.url.replace("http:", "https:")
    play_commcare(secure, tmp_path, "--ca", trust)
    play_simperium(secure, tmp_path, program, "--ca", trust)
    assert findings(deck, pack) == []
