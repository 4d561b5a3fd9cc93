"""The embedded Simperium server: a first sync of many objects, idle connections, round trips."""

from __future__ import annotations

import json
import resource
import secrets
import socket
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

from programs import peak_memory, stop
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
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * resource.getpagesize()

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


def first_sync(server: Server, objects: int) -> float:
    """Seconds in which a client that knows nothing gets all objects, read and kept."""
    known = {}
    with server.connect() as connection:
        started = time.perf_counter()
        connection.send(opening("filled", "reader"))
        expect(connection, "0:auth:")
        mark = ""
        while True:
            connection.send(f"0:i:1:{mark}::1000")
            page = json.loads(expect(connection, "0:i:")[4:])
            for entry in page["index"]:
                known[entry["id"]] = (entry["v"], entry["d"])
            mark = page.get("mark")
            if not mark:
                break
        took = time.perf_counter() - started
    assert len(known) == objects, f"{len(known)} of {objects}"
    return took


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


def round_trips(server: Server, clients: int, seconds: float) -> tuple[float, float]:
    """Changes per second with one in flight per client, each on a bucket of its own; median ms."""
    over = threading.Event()
    ready = threading.Barrier(clients + 1)
    times: list[list[float]] = [[] for _ in range(clients)]

    def play(number: int) -> None:
        with server.connect() as connection:
            connection.send(opening(f"trips{clients}-{number}", f"trip-{number}"))
            expect(connection, "0:auth:")
            ready.wait()
            version = 0
            while not over.is_set():
                change = {"id": "key", "o": "M", "ccid": secrets.token_hex(16),
                          "v": {"n": {"o": "r" if version else "+", "v": version}}}
                if version:
                    change["sv"] = version
                started = time.perf_counter()
                connection.send("0:c:" + json.dumps(change))
                assert '"error"' not in expect(connection, "0:c:")
                times[number].append(time.perf_counter() - started)
                version += 1

    threads = [threading.Thread(target=play, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    ready.wait()
    time.sleep(seconds)
    over.set()
    for thread in threads:
        thread.join()
    every = [each for client in times for each in client]
    return len(every) / seconds, statistics.median(every) * 1000


def measure(table, program: Path, _folder: Path, quick: bool) -> None:
    """Adds the rows."""
    objects, connections, seconds = (10_000, 200, 2) if quick else (100_000, 1000, 5)
    server = Server(program)
    try:
        empty = server.memory()
        started = time.perf_counter()
        fill(server, objects)
        filled = time.perf_counter() - started
        table.add(f"sync: {objects:,} objects of 300 B made, {BATCH} a message",
                  f"{objects / filled:,.0f} objects/s")
        took = first_sync(server, objects)
        mine = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        table.add(f"sync: first sync of {objects:,} objects, Python client",
                  f"{objects / took:,.0f} objects/s")
        table.add("sync: memory of the server, of the Python client",
                  f"{server.memory() / 1e6:.0f} MB ({empty / 1e6:.0f} MB when empty, peak "
                  f"{peak_memory(server.process.pid) / 1e6:.0f} MB), {mine / 1e6:.0f} MB")
    finally:
        stop(server.process)
    server = Server(program)
    try:
        each = idle(server, connections)
        table.add(f"sync: {connections:,} idle connections",
                  f"{each / 1024:.1f} KiB each, {server.memory() / 1e6:.0f} MB in all")
        for clients in (1, 50):
            rate, half = round_trips(server, clients, seconds)
            table.add(f"sync: change round trips, {clients} Python client{'s'[:clients - 1]}",
                      f"{rate:,.0f} /s, p50 {half:.2f} ms")
    finally:
        stop(server.process)


if __name__ == "__main__":
    class _Lines:
        @staticmethod
        def add(what: str, figure: str) -> None:
            """Prints a row."""
            print(f"{what}: {figure}", flush=True)

    measure(_Lines, Path(sys.argv[1]).resolve(), Path("/tmp"), "--quick" in sys.argv)
