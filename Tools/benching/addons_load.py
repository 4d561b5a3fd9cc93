"""Simperium commands per second that an add-on decides about: Lua, and Python over pipes, beside none."""

from __future__ import annotations

import socket
import statistics
import sys
import threading
from pathlib import Path

from programs import ROOT, Tapedeck
from websocket_load import INIT, command, drive, serve_echo

SCRIPT = "on('', 'message', function(event) if event.payload == 'never' then event:drop() end end)\n"
MODULE = ROOT / "Sources/Addons/Python"
PROGRAM = f"""import sys
sys.path.insert(0, {str(MODULE)!r})
from tapedeck_addon import on, run
@on("", "message", decoded=False, bytes=True)
def judge(event):
    if event.bytes == b"never": event.drop()
run()
"""
# The goals: the share of the rate without, and messages each second.
LUA_GOAL, PYTHON_GOAL = 0.8, 10_000


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows: every message, in both directions, is judged."""
    (folder / "judge.lua").write_text(SCRIPT)
    (folder / "judge.py").write_text(PROGRAM)
    ways = {"none": [], "Lua": ["--addon", folder / "judge.lua"],
            "Python": ["--addon", f"{sys.executable} {folder / 'judge.py'}"]}
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve_echo, args=(listener,), daemon=True).start()
    count, rounds = (10_000, 3) if quick else (40_000, 7)
    commands = [INIT] + [command(number) for number in range(count)]
    rates: dict[str, list[float]] = {name: [] for name in ways}
    try:
        for turn in range(rounds):
            for name, options in ways.items():
                deck = Tapedeck(program, folder, folder / f"addon-{turn}-{name}.tape", "--to",
                                f"http://127.0.0.1:{listener.getsockname()[1]}", *options)
                try:
                    rates[name].append(2 * len(commands) / drive(deck.port, commands))
                finally:
                    deck.stop()
    finally:
        listener.close()
    shares = [lua / none for lua, none in zip(rates["Lua"], rates["none"])]
    share = statistics.median(shares)
    for name, found in rates.items():
        rate = statistics.median(found)
        figure = f"{rate:,.0f} messages/s ({min(found):,.0f}-{max(found):,.0f})"
        if name == "Lua":
            table.add("add-on in Lua", f"{figure}, {share:.2f} of none", f"{LUA_GOAL} of none", share >= LUA_GOAL)
        elif name == "Python":
            table.add("add-on in Python", figure, f"{PYTHON_GOAL:,}/s", rate >= PYTHON_GOAL)
        else:
            table.add("add-on none", figure)
