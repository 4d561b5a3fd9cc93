"""A client that loses an edit: refused once, forgotten, and the person types on."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import sys
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))

from programs import Recording, tapedeck  # noqa: E402
from serving import TOKEN, Client, Server  # noqa: E402

FAULT = "command:c sender:client => error 503 nth=3"


def edit(client: Client, name: str, diff: dict, **more: int) -> None:
    """Sends a change, and waits for the answer without looking at it: that is the mistake."""
    client.say("0:c:" + json.dumps({"clientid": "phone-7", "id": name, "o": "M",
                                    "ccid": uuid.uuid4().hex, "v": {"text": diff}, **more},
                                   separators=(",", ":")))


def pause() -> None:
    """As long as a person takes for some words."""
    time.sleep(1.7)


def drive(url: str) -> None:
    """Three edits of two notes; the server refuses the second one of the shopping list."""
    client = Client(url)
    client.say("0:init:" + json.dumps({
        "clientid": "phone-7", "api": "1.1", "token": TOKEN, "app_id": "notes-app",
        "name": "notes", "library": "my-app", "version": "1.0"}, separators=(",", ":")))
    client.say("0:i::::100")
    edit(client, "shopping", {"o": "+", "v": "milk, bread"})
    edit(client, "todo", {"o": "+", "v": "call Ada"})
    pause()
    edit(client, "shopping", {"o": "d", "v": "=11\t+, a dozen eggs"}, sv=1)
    pause()
    edit(client, "todo", {"o": "d", "v": "=8\t+ at nine"}, sv=1)
    pause()
    edit(client, "shopping", {"o": "d", "v": "+oat \t=11"}, sv=1)
    client.say("h:1")
    client.socket.close()


def record(folder: Path, scratch: Path) -> None:
    """Records the session through the proxy and writes it to `folder` as text."""
    trace = scratch / "app.tape"
    server = Server()
    recording = Recording(trace, scratch / "ca", "--to", server.url("", "http"), "--fault", FAULT)
    drive(f"ws://{recording.address}/sock/1/notes-app/websocket")
    recording.finish()
    server.stop()
    folder.mkdir(parents=True, exist_ok=True)
    # No paths of the machine that it was recorded on.
    with contextlib.closing(sqlite3.connect(trace, isolation_level=None)) as db:
        db.execute("UPDATE session SET arguments = ?",
                   (f"record app.tape --to https://api.simperium.com --fault {FAULT}",))
    tapedeck("export", trace, folder, "--replace", "--about",
             "A client that forgets an edit which the server refused once.")
