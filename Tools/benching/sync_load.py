"""The Simperium client and the embedded server: a first sync, idle connections, round trips."""

from __future__ import annotations

import json
import secrets
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from programs import peak_memory, resident, stop
from websockets.sync.client import connect

TOKEN = "a" * 32
BATCH = 500


class Server:
    """A running `tapedeck serve`."""

    def __init__(self, program: Path):
        self.process = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0"],
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def memory(self) -> int:
        """Its resident size now, in bytes."""
        return resident(self.process.pid)

    def connect(self):
        """A socket to it."""
        return connect(f"ws://127.0.0.1:{self.port}/sock/1/app/websocket", proxy=None,
                       max_size=None, compression=None, open_timeout=30, ping_interval=None)


def opening(bucket: str, client: str) -> str:
    """The `init` of a client."""
    return "0:init:" + json.dumps({
        "name": bucket, "clientid": client, "api": "1.1", "token": TOKEN, "app_id": "app",
        "library": "bench", "version": "1.0"})


def expect(connection, start: str) -> str:
    """The next message; it has to begin with `start`."""
    message = connection.recv(timeout=60)
    assert message.startswith(start), message[:200]
    return message


def fill(server: Server, objects: int) -> None:
    """Makes objects of 300 bytes of JSON."""
    text = "x" * (300 - len('{"text":""}'))
    with server.connect() as connection:
        connection.send(opening("filled", "filler"))
        expect(connection, "0:auth:")
        for start in range(0, objects, BATCH):
            changes = [{"id": f"k{number}", "o": "M", "ccid": secrets.token_hex(16),
                        "v": {"text": {"o": "+", "v": text}}}
                       for number in range(start, min(start + BATCH, objects))]
            connection.send("0:c:" + json.dumps(changes))
            for _ in changes:
                assert '"error"' not in expect(connection, "0:c:")


def client(program: Path, server: Server, state: Path, bucket: str, *command: str | Path,
           **options) -> subprocess.Popen:
    """A running `tapedeck client simperium` with its state on disk."""
    return subprocess.Popen(
        [program, "client", "simperium", *command, "--to", f"ws://127.0.0.1:{server.port}", "--app",
         "app", "--token", TOKEN, "--bucket", bucket, "--state", state, "--patience", "600"],
        stdin=subprocess.DEVNULL, **options)


def peak_until_end(process: subprocess.Popen) -> int:
    """The largest resident size of a process that has to end well, in bytes."""
    peak = 0
    while process.poll() is None:
        try:
            peak = max(peak, peak_memory(process.pid))
        except (OSError, TypeError):
            # It is ending.
            pass
        time.sleep(0.005)
    assert process.returncode == 0, f"the client ended with {process.returncode}"
    return peak


def first_sync(program: Path, server: Server, objects: int, state: Path) -> tuple[float, int]:
    """Seconds in which our client gets all objects and has them on disk, and its peak memory.

    From its start to its end, as a user waits for it.
    """
    started = time.perf_counter()
    peak = peak_until_end(client(program, server, state, "filled", "sync"))
    took = time.perf_counter() - started
    database = sqlite3.connect(f"file:{state}/simperium.sqlite?mode=ro", uri=True)
    found = database.execute("SELECT count(*) FROM object WHERE ghost IS NOT NULL").fetchone()[0]
    database.close()
    assert found == objects, f"{found} of {objects}"
    return took, peak


def idle(server: Server, count: int) -> int:
    """Bytes that the server takes for each of `count` connections that do nothing.

    Plain sockets: a thread for each would weigh more here than there.
    """
    hello = (f"GET /sock/1/app/websocket HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
             "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode()
    before = server.memory()
    sockets = []
    try:
        for number in range(count):
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=30)
            sockets.append(connection)
            connection.sendall(hello)
            answer = b""
            while b"\r\n\r\n" not in answer:
                answer += connection.recv(4096)
            assert b" 101 " in answer, answer[:200]
            text = opening("idle", f"idle-{number}").encode()
            # Masked with zeros, which leaves the text as it is.
            connection.sendall(bytes([0x81, 0xFE]) + len(text).to_bytes(2, "big") + bytes(4) + text)
            assert b"0:auth:" in connection.recv(4096)
        return (server.memory() - before) // count
    finally:
        for connection in sockets:
            connection.close()


def round_trips(program: Path, server: Server, clients: int, changes: int,
                folder: Path) -> tuple[float, float]:
    """Acknowledged changes per second with one in flight per client; median milliseconds of one.

    Each client has a bucket of its own, and its state on disk: a change is there before it is sent,
    and its acknowledgement before the next one.
    """
    def listen(process: subprocess.Popen) -> list[float]:
        return [time.perf_counter() for _ in process.stdout]

    players = []
    for number in range(clients):
        bucket = f"trips{clients}-{number}"
        script = folder / f"{bucket}.script"
        steps = [f"set {bucket} k {{}}"]
        steps += [f'set {bucket} k {{"n":{number}}}' for number in range(changes)]
        sets = [f"{step}\nwait synced\nprint {bucket} k\n" for step in steps]
        # All of them begin when they are told to: starting fifty programs takes longer than this.
        script.write_text(f"wait synced\n{sets[0]}wait go{clients} k {{}}\n{''.join(sets[1:])}")
        players.append(client(program, server, folder / f"{bucket}.state", bucket, "run", script,
                              "--bucket", f"go{clients}", stdout=subprocess.PIPE, text=True))
    for process in players:
        assert process.stdout.readline()
    with ThreadPoolExecutor(clients) as pool:
        listening = [pool.submit(listen, process) for process in players]
        with server.connect() as connection:
            connection.send(opening(f"go{clients}", "starter"))
            expect(connection, "0:auth:")
            connection.send('0:c:{"id":"k","o":"M","ccid":"00","v":{}}')
            expect(connection, "0:c:")
        heard = [each.result() for each in listening]
    for process in players:
        assert process.wait() == 0
    assert all(len(each) == changes for each in heard), [len(each) for each in heard]
    # While all of them are at it.
    start, end = max(each[0] for each in heard), min(each[-1] for each in heard)
    done = sum(1 for each in heard for moment in each if start < moment <= end)
    times = [later - sooner for each in heard for sooner, later in zip(each, each[1:])]
    return done / (end - start), statistics.median(times) * 1000


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows."""
    objects, connections, changes = (10_000, 200, 1000) if quick else (100_000, 1000, 5000)
    server = Server(program)
    try:
        empty = server.memory()
        started = time.perf_counter()
        fill(server, objects)
        filled = time.perf_counter() - started
        table.add(f"sync: {objects:,} objects of 300 B made, {BATCH} a message",
                  f"{objects / filled:,.0f} objects/s")
        took, peak = zip(*(first_sync(program, server, objects, folder / f"first-{number}")
                           for number in range(3)))
        size = (folder / "first-0/simperium.sqlite").stat().st_size
        table.add(f"sync: first sync of {objects:,} objects by our client, onto disk",
                  f"{objects / statistics.median(took):,.0f} objects/s "
                  f"({objects / max(took):,.0f}-{objects / min(took):,.0f})")
        table.add("sync: memory of the server",
                  f"{server.memory() / 1e6:.0f} MB ({empty / 1e6:.0f} MB when empty, peak "
                  f"{peak_memory(server.process.pid) / 1e6:.0f} MB)")
        table.add("sync: memory of the client, its state on disk",
                  f"peak {max(peak) / 1e6:.0f} MB, {size / 1e6:.0f} MB")
        started = time.perf_counter()
        peak = peak_until_end(client(program, server, folder / "first-0", "filled", "sync"))
        table.add("sync: the client once more, with nothing new",
                  f"{time.perf_counter() - started:.2f} s, peak {peak / 1e6:.0f} MB")
    finally:
        stop(server.process)
    server = Server(program)
    try:
        each = idle(server, connections)
        table.add(f"sync: {connections:,} idle connections",
                  f"{each / 1024:.1f} KiB each, {server.memory() / 1e6:.0f} MB in all")
        for clients in (1, 50):
            rate, half = round_trips(program, server, clients, changes // clients, folder)
            table.add(f"sync: change round trips, {clients} client{'s'[:clients - 1]} of ours",
                      f"{rate:,.0f} /s, p50 {half:.2f} ms")
    finally:
        stop(server.process)


if __name__ == "__main__":
    class _Lines:
        @staticmethod
        def add(what: str, figure: str) -> None:
            """Prints a row."""
            print(f"{what}: {figure}", flush=True)

    with tempfile.TemporaryDirectory() as _place:
        measure(_Lines, Path(sys.argv[1]).resolve(), Path(_place), "--quick" in sys.argv)
