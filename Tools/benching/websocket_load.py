"""Simperium commands per second: echoed over one WebSocket, and over a long run of several kinds."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from frames import Frames, frame
from programs import Tapedeck
from simperium_streams import Conversation, Kind, hold

# Commands in flight at most; more would only measure buffers.
WINDOW = 512
# Messages of a run whose first and last tenth are compared.
STEADY_FROM = 1_000_000
# The goal that is to hold for as long as the trace grows.
STEADY_GOAL = 100_000


def serve(listener: socket.socket, answers: Callable[[], Callable[[bytes], bytes]]) -> None:
    """Accepts WebSockets one after the other; what `answers` gives for each answers messages."""
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
            frames, answer = Frames(), answers()
            while data := connection.recv(262_144):
                connection.sendall(b"".join(frame(answer(each)) for each in frames.feed(data)))


def serve_echo(listener: socket.socket) -> None:
    """Accepts WebSockets one after the other and sends every message back."""
    serve(listener, lambda: bytes)


def command(number: int) -> bytes:
    """A `c` command of about 200 bytes; each is different."""
    return b"0:c:" + json.dumps({
        "clientid": "bench-1", "id": f"note-{number % 1000:04d}", "o": "M", "sv": number % 97 + 1,
        "v": {"content": {"o": "d", "v": f"=12\t-3\t+some text that was typed, number {number:08d}"}},
        "ccid": os.urandom(16).hex(),
    }, separators=(",", ":")).encode()


INIT = (b'0:init:{"name":"notes","clientid":"bench-1","app_id":"bench","api":"1.1","token":"t",'
        b'"library":"bench","version":"1"}')


def exchange(port: int, commands: list[bytes], take: Callable[[bytes], None],
             first: int = 0) -> float:
    """Sends commands, of which each is answered by a message that `take` gets; seconds it took.

    The `first` are sent one by one, each once the one before it is answered.
    """
    count = len(commands)
    frames_out = [frame(each, os.urandom(4)) for each in commands]
    got, arrived = 0, threading.Condition()

    def read() -> None:
        nonlocal got
        frames = Frames()
        while data := connection.recv(262_144):
            found = frames.feed(data)
            for payload in found:
                take(payload)
            with arrived:
                got += len(found)
                arrived.notify()
            if got >= count:
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
                window = WINDOW if sent >= first and got >= first else 1
                while sent - got >= window and arrived.wait(60):
                    pass
                if sent - got >= window:
                    break
            batch = min(count - sent, WINDOW // 4 if sent >= first else 1)
            connection.sendall(b"".join(frames_out[sent:sent + batch]))
            sent += batch
        reader.join(120)
        took = time.monotonic() - began
    if got != count:
        raise RuntimeError(f"{got} answers to {count} commands")
    return took


def drive(port: int, commands: list[bytes]) -> float:
    """Sends commands to an echoing server, reads the echoes and returns the seconds it took.

    - Raises: RuntimeError if not every command came back in order and as it was.
    """
    digest = hashlib.sha256()
    took = exchange(port, commands, digest.update)
    if digest.digest() != hashlib.sha256(b"".join(commands)).digest():
        raise RuntimeError("commands did not come back as they were")
    return took


def rows(trace: Path, query: str) -> int:
    """One number from a trace that is being written."""
    database = sqlite3.connect(f"file:{trace}?mode=ro", uri=True, timeout=60)
    try:
        return database.execute(query).fetchone()[0]
    finally:
        database.close()


def follow(trace: Path, expected: int, driving: Future[float]) -> list[tuple[float, int]]:
    """When how many messages could be read from the trace, until all can or no more come."""
    database = sqlite3.connect(f"file:{trace}?mode=ro", uri=True, timeout=60)
    seen, grew = [(time.monotonic(), 0)], time.monotonic()
    while seen[-1][1] < expected and (not driving.done() or time.monotonic() - grew < 30):
        time.sleep(0.02)
        count = database.execute("SELECT coalesce(max(id), 0) FROM message").fetchone()[0]
        now = time.monotonic()
        if count > seen[-1][1]:
            grew = now
        elif not count:
            seen.clear()
        seen.append((now, count))
    database.close()
    return seen


def rate_between(seen: list[tuple[float, int]], first: float, last: float) -> float:
    """Messages per second between two shares of all that were seen."""
    count = seen[-1][1]
    begins = next(each for each in seen if each[1] >= first * count)
    ends = next(each for each in seen if each[1] >= last * count)
    return (ends[1] - begins[1]) / max(1e-3, ends[0] - begins[0])


def long_run(table, program: Path, folder: Path, kind: Kind, goal: int) -> None:
    """Adds a row of many commands: how many come into the trace, at first and at last."""
    work = folder / "long-run"
    work.mkdir()
    listener = socket.create_server(("127.0.0.1", 0))
    conversations = [Conversation(work, number, kind) for number in range(kind.connections)]
    expected = sum(each.messages for each in conversations)
    port = listener.getsockname()[1]
    alone = expected / hold(conversations, port, listener)
    deck = Tapedeck(program, work, work / "long.tape", "--to", f"http://127.0.0.1:{port}")
    try:
        with ThreadPoolExecutor(1) as pool:
            driving = pool.submit(hold, conversations, deck.port, listener)
            seen = follow(deck.trace, expected, driving)
            driving.result()
        peak = deck.peak_memory()
    finally:
        deck.stop()
        listener.close()
    stored = rows(deck.trace, "SELECT count(*) FROM message WHERE opcode = 1")
    known = rows(deck.trace, "SELECT count(*) FROM simperium_command WHERE problem IS NULL")
    size = deck.trace.stat().st_size
    asked, answered = ([getattr(each, side).ends[-1] for each in conversations]
                       for side in ("asks", "answers"))
    for each in conversations:
        each.forget()
    shutil.rmtree(work)
    rate = (seen[-1][1] - seen[0][1]) / (seen[-1][0] - seen[0][0])
    first, last = rate_between(seen, 0, 0.1), rate_between(seen, 0.9, 1)
    # A tenth of a short run says more about the machine.
    is_judged = goal == STEADY_GOAL and expected >= STEADY_FROM
    is_steady = last >= 0.9 * first or not is_judged
    table.add(f"Simperium commands {kind.name}",
              f"{rate:,.0f}/s (first tenth {first:,.0f}, last {last:,.0f}) of "
              f"{2 * sum(asked) / expected:.0f} and {2 * sum(answered) / expected:.0f} B; "
              f"{expected - stored} of {expected:,} lost, {stored - known} not understood; "
              f"{size / expected:.0f} B of trace each, {peak / 1e6:.0f} MB; the generator alone "
              f"{alone / 1e6:.1f} M/s",
              f">= {goal:,}" + (", not falling" if is_judged else ""),
              rate >= goal and is_steady and known == stored == expected)


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows of the WebSocket load to `table`."""
    count, rounds = (40_000, 1) if quick else (200_000, 3)
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve_echo, args=(listener,), daemon=True).start()
    port = listener.getsockname()[1]
    commands = [INIT, *map(command, range(count))]
    direct = min(drive(port, commands) for _ in range(rounds))
    table.add("websocket echoed, no proxy", f"{2 * count / direct:,.0f} messages/s")
    for number in range(rounds):
        trace = folder / f"websocket-{number}.tape"
        deck = Tapedeck(program, folder, trace, "--to", f"http://127.0.0.1:{port}")
        took = drive(deck.port, commands)
        began = time.monotonic()
        expected = 2 * (count + 1)
        query = "SELECT count(*) FROM message WHERE opcode = 1"
        # The last message is in the trace when it can be read from it.
        while rows(trace, "SELECT coalesce(max(id), 0) FROM message") < expected:
            if time.monotonic() - began > 60:
                break
            time.sleep(0.01)
        behind = time.monotonic() - began
        peak = deck.peak_memory()
        deck.stop()
        stored = rows(trace, query)
        stored_commands = rows(trace, "SELECT count(*) FROM simperium_command WHERE "
                                      "name = 'c' AND problem IS NULL")
        rate = stored / (took + behind)
        table.add(f"websocket in the trace, run {number + 1}",
                  f"{rate:,.0f} messages/s ({count / took:,.0f} echoes/s, last one readable after "
                  f"{behind * 1000:.0f} ms), {peak / 1e6:.0f} MB", ">= 20,000", rate >= 20_000)
        table.add("websocket lost", f"{expected - stored} of {expected:,} messages, "
                  f"{2 * count - stored_commands} commands", "none",
                  stored == expected and stored_commands == 2 * count)
        trace.unlink()
    listener.close()
    messages = 100_000 if quick else 2_000_000
    for kind, goal in (
            (Kind("of 100 B, one connection", messages, 1, 100), 100_000),
            (Kind("of 100 B, 50 connections", messages, 50, 100), 100_000),
            (Kind("of 1 KiB, one connection", messages, 1, 1024), 50_000),
            (Kind("of 100 B, permessage-deflate", messages, 1, 100, is_deflated=True), 50_000)):
        long_run(table, program, folder, kind, goal)
