"""How long a large trace takes to open for replay, and how much memory that needs."""

from __future__ import annotations

import json
import re
import shutil
import signal
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from programs import spread, start_seconds

# For a trace of 2 GB.
BOUND_SECONDS, BOUND_BYTES, SIZE = 0.3, 200e6, 2e9
SESSION = {"session": 1, "started_unix_ns": 1_790_000_000_000_000_000, "provenance": "proxy",
           "version": "0.1.0", "arguments": "record bench.tape"}
REQUEST = ("POST /a/demo-%d/receiver/%d HTTP/1.1\r\nHost: hq.example\r\nContent-Type: text/xml\r\n"
           "X-OpenRosa-Version: 3.0\r\nContent-Length: %d\r\n\r\n")
RESPONSE = "HTTP/1.1 201 Created\r\nContent-Type: text/xml\r\nContent-Length: %d\r\n\r\n"
UPGRADE = ("GET /sock/1/bench/websocket HTTP/1.1\r\nHost: api.simperium.com\r\nConnection: Upgrade\r\n"
           "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
SWITCH = ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")


class Recording:
    """Lines of a recording kept as text: the truth alone, of which `tapedeck import` makes the rest.

    `Recordings/README.md` describes it. Later versions of the program read it too, whatever tables
    they have.
    """

    def __init__(self) -> None:
        self._chunks = 0

    def opened(self, number: int, host: str, at: int) -> Iterator[dict]:
        """A connection, with a leg to the client and one to the server."""
        yield {"connection": number, "session_id": 1, "at_ns": at, "listener": "127.0.0.1:8080",
               "client": "127.0.0.1:40000", "mode": "reverse"}
        for leg, peer, name, port in ((2 * number - 1, "client", "127.0.0.1", 40_000),
                                      (2 * number, "server", host, 80)):
            yield {"leg": leg, "connection_id": number, "peer": peer, "at_ns": at, "host": name,
                   "port": port}

    def chunk(self, connection: int, sender: str, at: int, content: object) -> dict:
        """Bytes of one read."""
        self._chunks += 1
        return {"chunk": self._chunks, "connection_id": connection,
                "leg_id": 2 * connection - (sender == "client"), "sender": sender, "origin": "peer",
                "at_ns": at, "bytes": content}


def exchanges(count: int, content: int, paths: int) -> Iterator[dict]:
    """`count` exchanges with `content` bytes on each side, at `paths` paths."""
    body = ("<data><name>some words</name></data>" * (content // 36 + 1))[:content]
    response = RESPONSE % content + body
    recording = Recording()
    yield from recording.opened(1, "hq.example", 1)
    for number in range(count):
        at = (number + 1) * 1_000_000
        place = number % paths
        request = REQUEST % (place % 7, place, content) + body
        yield recording.chunk(1, "client", at, request)
        yield recording.chunk(1, "server", at + 400_000, response)


def commands(count: int, sockets: int, resent: int = 0) -> Iterator[dict]:
    """`count` commands over several sockets: changes, each with its acknowledgement, and after
    `resent` of them, if any, one that was sent before."""
    recording = Recording()

    def said(socket: int, sender: str, at: int, text: str) -> dict:
        mask = {"mask": "37fa213d"} if sender == "client" else {}
        return recording.chunk(socket, sender, at, {"frame": "text", **mask, "payload": text})

    for socket in range(1, sockets + 1):
        yield from recording.opened(socket, "api.simperium.com", socket)
        yield recording.chunk(socket, "client", socket, UPGRADE)
        yield recording.chunk(socket, "server", socket, SWITCH)
        init = {"name": "notes", "clientid": f"bench-{socket}", "app_id": "bench", "api": "1.1",
                "token": "t", "library": "bench", "version": "1"}
        yield said(socket, "client", socket, f"0:init:{json.dumps(init)}")
        yield said(socket, "server", socket, "0:auth:user@example.org")
    for change in range(1, count // 2 + 1):
        socket = change % sockets + 1
        ccid = f"{change - 50 if resent and change % resent == 0 else change:032x}"
        key = f"note-{change % 5000}"
        at = 1_000_000 + change * 200_000
        # The object is there already.
        member = '"v":{"title":{"o":"d","v":"=12\\t-1\\t+x"}}'
        yield said(socket, "client", at,
                   f'0:c:{{"id":"{key}","o":"M",{member},"sv":{change},"ccid":"{ccid}"}}')
        yield said(socket, "server", at + 100_000,
                   f'0:c:[{{"clientid":"bench-{socket}","cv":"{change:024x}","ccids":["{ccid}"],'
                   f'"id":"{key}","o":"M",{member},"sv":{change},"ev":{change + 1}}}]')


def fill(program: Path, work: Path, trace: Path, lines: Iterator[dict]) -> float:
    """Makes a trace that `tapedeck record` would write by the hour; seconds that its import took."""
    text = work / "text"
    text.mkdir()
    count = 0
    with (text / "timeline.jsonl").open("w") as timeline:
        for line in lines:
            timeline.write(json.dumps(line, separators=(",", ":")) + "\n")
            count += 1
    (text / "recording.json").write_text(json.dumps({
        "format": "tapedeck recording", "version": 3, "sessions": [SESSION],
        "files": [{"name": "timeline.jsonl", "lines": count}]}))
    began = time.monotonic()
    subprocess.run([program, "import", text, trace], check=True, stdout=subprocess.DEVNULL)
    took = time.monotonic() - began
    shutil.rmtree(text)
    return took


def opened(program: Path, trace: Path) -> tuple[float, int]:
    """Seconds until a replayed server of `trace` listens, and its peak of memory in bytes then."""
    began = time.monotonic()
    process = subprocess.Popen(
        [program, "replay", "server", trace, "--listen", "127.0.0.1:0", "--allow-unused"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True)
    try:
        line = process.stdout.readline()
        seconds = time.monotonic() - began
        if not line.startswith("listening on "):
            raise RuntimeError(f"replay server says {line!r}")
        status = Path(f"/proc/{process.pid}/status").read_text()
        return seconds, int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def opening_bound(start: float, size: int) -> float:
    """Seconds that opening `size` bytes may take: at no size the start of the program alone."""
    return start + (BOUND_SECONDS - start) * size / SIZE


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds rows for traces of some 2 GB: of many exchanges, of large ones, and of commands."""
    share = 20 if quick else 1
    work = folder / "opening"
    work.mkdir()
    start = start_seconds(program)
    kinds = [
        ("small exchanges at 1,000 paths", exchanges(1_000_000 // share, 480, 1_000)),
        ("small exchanges at as many paths", exchanges(1_000_000 // share, 480, 10_000_000)),
        ("exchanges of 1 MB", exchanges(1_000 // share, 1_000_000, 100)),
        ("Simperium commands", commands(2_200_000 // share, 500)),
        ("Simperium commands, 1,100 sent again", commands(2_200_000 // share, 500, 1_000)),
    ]
    for number, (name, lines) in enumerate(kinds):
        trace = work / f"{number}.tape"
        importing = fill(program, work, trace, lines)
        times, peaks = zip(*(opened(program, trace) for _ in range(3)), strict=True)
        size = trace.stat().st_size
        bound, half, peak = opening_bound(start, size), statistics.median(times), max(peaks)
        table.add(f"opening {name}",
                  f"{spread(times, 2)} s, {peak / 1e6:.0f} MB for {size / 1e9:.2f} GB, imported in "
                  f"{importing:.0f} s", f"<= {bound:.2f} s, < {BOUND_BYTES / 1e6:.0f} MB",
                  half <= bound and peak < BOUND_BYTES)
        trace.unlink()
