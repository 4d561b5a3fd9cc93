"""Simperium commands per second of a recorded session, replayed to a client with its own names."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from pathlib import Path

from programs import Replay, Tapedeck
from websocket_load import WINDOW, Frames, frame

CLIENTS = ("bench-recorded", "bench-live")


def accept(listener: socket.socket) -> None:
    """Accepts WebSockets one after the other and acknowledges every change."""
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(65536)
            connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                               b"Connection: Upgrade\r\n"
                               b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
            frames, count = Frames(), 0
            while data := connection.recv(262_144):
                answers = []
                for text in frames.feed(data):
                    if text.startswith(b"0:init:"):
                        answers.append(frame(b"0:auth:user@example.org"))
                        continue
                    change = json.loads(text[4:])
                    count += 1
                    change["ccids"] = [change.pop("ccid")]
                    change["ev"] = change.get("sv", 0) + 1
                    change["cv"] = f"{count:032x}"
                    answers.append(frame(
                        b"0:c:[" + json.dumps(change, separators=(",", ":")).encode() + b"]"))
                connection.sendall(b"".join(answers))


def session(client: str, count: int) -> list[bytes]:
    """What a client sends: 1,000 objects made and edited in turn, under its own names."""
    commands = [b"0:init:" + json.dumps({
        "name": "notes", "clientid": client, "app_id": "bench", "api": "1.1",
        "token": os.urandom(16).hex(), "library": "bench", "version": "1"}).encode()]
    for number in range(count - 1):
        version, place = divmod(number, 1000)
        change = {"clientid": client, "id": f"{client}-{place:04d}", "o": "M",
                  "ccid": os.urandom(16).hex(),
                  "v": {"content": {"o": "+" if version == 0 else "r",
                                    "v": f"some text that was typed, number {number:08d}"}}}
        if version:
            change["sv"] = version
        commands.append(b"0:c:" + json.dumps(change, separators=(",", ":")).encode())
    return commands


def drive(port: int, commands: list[bytes]) -> tuple[float, list[bytes]]:
    """Sends commands; returns the seconds until each was answered, and the answers."""
    count = len(commands)
    frames_out = [frame(each, os.urandom(4)) for each in commands]
    answers: list[bytes] = []
    arrived = threading.Condition()

    def read() -> None:
        frames = Frames()
        while data := connection.recv(262_144):
            with arrived:
                answers.extend(frames.feed(data))
                arrived.notify()
            if len(answers) >= count:
                return

    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(b"GET /sock/1/bench/websocket HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                           b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
                           b"Sec-WebSocket-Version: 13\r\n"
                           b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += connection.recv(1)
        reader = threading.Thread(target=read)
        reader.start()
        began, sent = time.monotonic(), 0
        while sent < count:
            with arrived:
                while sent - len(answers) >= WINDOW and arrived.wait(60):
                    pass
                if sent - len(answers) >= WINDOW:
                    break
            batch = min(count - sent, WINDOW // 4)
            connection.sendall(b"".join(frames_out[sent:sent + batch]))
            sent += batch
        reader.join(120)
        took = time.monotonic() - began
    if len(answers) != count:
        raise RuntimeError(f"{len(answers)} answers to {count} commands")
    return took, answers


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows of Simperium replay to `table`."""
    count, rounds = (20_000, 1) if quick else (50_000, 3)
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=accept, args=(listener,), daemon=True).start()
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
        for sent, answer in zip(commands[1:], answers[1:], strict=True):
            wrong += json.loads(sent[4:])["ccid"] != json.loads(answer[4:])[0]["ccids"][0]
        table.add("replay-simperium answers with other names, exit status", f"{wrong}, {status}",
                  "0, 0", wrong == 0 and status == 0)
    trace.unlink()
