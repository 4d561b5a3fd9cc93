"""Simperium commands per second of a recorded session, replayed to a client with its own names."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

from programs import Replay, Tapedeck
from websocket_load import exchange, serve

CLIENTS = ("bench-recorded", "bench-live")


def acknowledging() -> Callable[[bytes], bytes]:
    """What a server says on one socket: it lets in, and acknowledges every change."""
    count = 0

    def answer(text: bytes) -> bytes:
        nonlocal count
        if text.startswith(b"0:init:"):
            return b"0:auth:user@example.org"
        if text.startswith(b"0:i:"):
            return b'0:i:{"index":[],"current":"start"}'
        change = json.loads(text[4:])
        count += 1
        change["ccids"] = [change.pop("ccid")]
        change["ev"] = change.get("sv", 0) + 1
        change["cv"] = f"{count:032x}"
        return b"0:c:[" + json.dumps(change, separators=(",", ":")).encode() + b"]"

    return answer


def session(client: str, count: int) -> list[bytes]:
    """What a client sends: 1,000 objects made and edited in turn, under its own names."""
    commands = [b"0:init:" + json.dumps({
        "name": "notes", "clientid": client, "app_id": "bench", "api": "1.1",
        "token": os.urandom(16).hex(), "library": "bench", "version": "1"}).encode()]
    commands.append(b"0:i::::500")
    for number in range(count - 2):
        version, place = divmod(number, 1000)
        change = {"clientid": client, "id": f"{client}-{place:04d}", "o": "M",
                  "ccid": os.urandom(16).hex(),
                  "v": {"content": {"o": "+",
                                    "v": f"some text that was typed, number {number:08d}"}}}
        if version:
            change["sv"] = version
            change["v"]["content"] = {"o": "d", "v": f"=33\t-8\t+{number:08d}"}
        commands.append(b"0:c:" + json.dumps(change, separators=(",", ":")).encode())
    return commands


def drive(port: int, commands: list[bytes]) -> tuple[float, list[bytes]]:
    """Sends commands; returns the seconds until each was answered, and the answers."""
    answers: list[bytes] = []
    # The bucket is opened and its index read, each answered, before changes follow.
    return exchange(port, commands, answers.append, first=2), answers


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows of Simperium replay to `table`."""
    count, rounds = (20_000, 1) if quick else (50_000, 3)
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listener, acknowledging), daemon=True).start()
    trace = folder / "replay-simperium.tape"
    deck = Tapedeck(program, folder, trace, "--to",
                    f"http://127.0.0.1:{listener.getsockname()[1]}")
    drive(deck.port, session(CLIENTS[0], count))
    deck.stop()
    listener.close()
    for number in range(rounds):
        commands = session(CLIENTS[1], count)
        player = Replay(program, folder, trace)
        took, answers = drive(player.port, commands)
        peak = player.peak_memory()
        player.stop()
        status = player.process.returncode
        rate = 2 * count / took
        table.add(f"replay-simperium run {number + 1}, {2 * count:,} commands",
                  f"{rate:,.0f} commands/s, {peak / 1e6:.0f} MB, opened in "
                  f"{player.opening:.2f} s", ">= 20,000", rate >= 20_000)
        wrong = sum(CLIENTS[0].encode() in each for each in answers)
        for sent, answer in zip(commands[2:], answers[2:], strict=True):
            wrong += json.loads(sent[4:])["ccid"] != json.loads(answer[4:])[0]["ccids"][0]
        table.add("replay-simperium answers with other names, exit status", f"{wrong}, {status}",
                  "0, 0", wrong == 0 and status == 0)
    trace.unlink()
