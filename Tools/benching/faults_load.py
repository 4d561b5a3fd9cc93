"""What rules cost that are not there, or match nothing: instructions counted under callgrind.

Instructions do not depend on what else the machine does. The figure is the difference between a
long and a short load, so that neither start nor end are in it. Threads are counted each on its
own: how often the writer's thread commits depends on the clock, which is worth more instructions
than ten rules are. Rules are looked at in the event loops alone, so what those do more is compared
with what all threads do without control.
"""

from __future__ import annotations

import os
import re
import socket
import statistics
import subprocess
import threading
from pathlib import Path

from http_load import start_nginx
from programs import stop
from websocket_load import INIT, command, drive, serve_echo

RULES = [
    "api:commcare.restore => 503 first=3", "path:/never/* => 404", "host:*.nowhere.example => drop",
    "method:PURGE => reset", "query~nobody-says-this => latency 300ms",
    "command:c bucket:elsewhere => error 440", "command:cv key:none => cv-unknown",
    "command:i sender:server => move-current", "command:e => entity-unknown nth=2",
    "command:c sender:server key:missing => drop",
]
WAYS = {
    "without control": ["--no-control"],
    "no rules": [],
    "ten rules": [word for rule in RULES for word in ("--fault", rule)],
}


class Counted:
    """A `tapedeck record` under callgrind."""

    def __init__(self, program: Path, folder: Path, name: str, origin: str, way: str):
        self._counts = folder / f"{name}.callgrind"
        self._trace = folder / f"{name}.tape"
        self._process = subprocess.Popen(
            ["valgrind", "-q", "--tool=callgrind", "--separate-threads=yes",
             f"--callgrind-out-file={self._counts}", program, "record", self._trace, "--listen",
             "127.0.0.1:0", "--quiet", "--ca-dir", folder / "ca", "--to", origin, *WAYS[way]],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=os.environ | {"LD_PRELOAD": str(program.parent / "sigsuspend.so")})
        ready = self._process.stdout.readline()
        match = re.fullmatch(r"listening on (.*):(\d+)\n", ready)
        if not match:
            raise RuntimeError(f"tapedeck did not become ready: {ready!r}")
        self.port = int(match[2])

    def end(self) -> tuple[int, int]:
        """Ends it; the instructions of the event loops with connections, and of all threads."""
        stop(self._process, 300)
        for path in self._trace.parent.glob(self._trace.name + "*"):
            path.unlink()
        loops = everything = 0
        for path in self._counts.parent.glob(self._counts.name + "*"):
            counts = path.read_text()
            path.unlink()
            total = re.search(r"^(?:summary|totals): (\d+)", counts, re.M)
            count = int(total[1]) if total else 0
            everything += count
            if "15ProxyConnectionC8received" in counts:
                loops += count
        return loops, everything


def ask(port: int, count: int) -> None:
    """So many exchanges, one after the other, over one connection."""
    request = (b"GET /a/page HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench\r\n"
               b"Accept: */*\r\nAccept-Encoding: identity\r\n\r\n")
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(count):
            connection.sendall(request)
            got = b""
            while b"\r\n\r\n" not in got:
                got += connection.recv(65536)
            head, _, body = got.partition(b"\r\n\r\n")
            size = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
            while len(body) < size:
                body += connection.recv(65536)


def tell(port: int, count: int) -> None:
    """So many commands, all of which come back: twice as many messages."""
    drive(port, [INIT, *map(command, range(count // 2))])


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds rows for exchanges and for messages to `table`."""
    work = folder / "faults"
    work.mkdir()
    rounds = 1 if quick else 3
    # Valgrind reads no debug information of this kind, and gives up over it.
    bare = work / "tapedeck"
    subprocess.run(["strip", "-g", "-o", bare, program], check=True)
    subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-o", work / "sigsuspend.so",
                    Path(__file__).parent / "counting/sigsuspend.c"], check=True)
    processes, origin, _ = start_nginx(work, tls=False)
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve_echo, args=(listener,), daemon=True).start()
    loads = {
        "exchange": (ask, origin, 200, 1200),
        "message": (tell, f"http://127.0.0.1:{listener.getsockname()[1]}", 1000, 5000),
    }
    try:
        for what, (load, to, few, many) in loads.items():
            costs: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
            for number in range(rounds):
                for way in WAYS:
                    found = []
                    for count in (few, many):
                        deck = Counted(bare, work, f"{what}-{number}-{count}", to, way)
                        try:
                            load(deck.port, count)
                        finally:
                            found.append(deck.end())
                    costs[way].append(tuple(
                        (more - less) / (many - few) for less, more in zip(*found, strict=True)))
            add(table, what, costs)
    finally:
        for process in processes:
            stop(process)
        listener.close()


def add(table, what: str, costs: dict[str, list[tuple[float, float]]]) -> None:
    """The costs, and what is allowed."""
    base = statistics.median(everything for _, everything in costs["without control"])
    loops = {way: [loop for loop, _ in found] for way, found in costs.items()}
    without = statistics.median(loops["without control"])
    table.add(f"instructions per {what}, without control",
              f"{base:,.0f}, {without:,.0f} of them in event loops")
    for way, allowed in (("no rules", 3.0), ("ten rules", 10.0)):
        # Pairs of one round.
        more = [cost - other
                for cost, other in zip(loops[way], loops["without control"], strict=True)]
        shares = [100 * each / base for each in more]
        share = statistics.median(shares)
        table.add(f"instructions per {what}, {way}",
                  f"{statistics.median(more):+,.0f}, {share:+.1f} % "
                  f"({min(shares):+.1f} to {max(shares):+.1f} %)", f"<= +{allowed:.0f} %",
                  share <= allowed)
