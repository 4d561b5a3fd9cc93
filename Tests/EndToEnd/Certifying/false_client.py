#!/usr/bin/env python3
"""Clients that do not do what they are asked, as COMMANDs of `tapedeck certify simperium`.

`ignores` reads the index and stays, whatever the script says; `silent` opens a socket and answers
nothing; `leaves` does the beginning of the script; `init` sends an init and leaves; `replays FILE`
sends the messages of the client in a trace again.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from pathlib import Path

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


def pause(seconds: float) -> None:
    """What the script asks for, or a duty: nothing is done for so long."""
    time.sleep(seconds)


def init() -> str:
    """The first message of a client."""
    return "0:init:" + json.dumps({
        "clientid": "false-client", "api": "1.1", "token": os.environ["TAPEDECK_TOKEN"],
        "app_id": os.environ["TAPEDECK_APP"], "name": os.environ["TAPEDECK_BUCKET"],
        "library": "false", "version": "1.0"})


def play(how: str, *more: str) -> None:
    """Does what it does."""
    with connect(os.environ["TAPEDECK_SOCKET_URL"], compression=None) as line:
        if how == "silent":
            pause(2)
            return
        if how == "replays":
            for text in sent(more[0]):
                line.send(text)
            try:
                while True:
                    line.recv(timeout=1)
            except (TimeoutError, ConnectionClosed):
                return
        line.send(init())
        line.recv(timeout=20)
        if how == "init":
            return
        line.send("0:i:1:::100")
        line.recv(timeout=20)
        if how == "leaves":
            steps = [json.loads(step) for step in
                     Path(os.environ["TAPEDECK_SCRIPT"]).read_text().splitlines()]
            first = next(step for step in steps if step["step"] == "set")
            line.send("0:c:" + json.dumps({
                "id": first["key"], "o": "M", "ccid": "00ff",
                "v": {key: {"o": "+", "v": value} for key, value in first["data"].items()}}))
            line.recv(timeout=20)
        else:
            pause(1)


def sent(trace: str) -> list[str]:
    """The messages of the client in a trace."""
    with sqlite3.connect(f"file:{trace}?mode=ro", uri=True) as rows:
        return [text for (text,) in rows.execute(
            "SELECT payload FROM message WHERE sender = 0 AND opcode = 1 ORDER BY id")]


if __name__ == "__main__":
    play(*sys.argv[1:])
