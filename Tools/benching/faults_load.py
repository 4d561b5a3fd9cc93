"""What rules cost that are not there, or match nothing: instructions counted under callgrind.

Instructions do not depend on what else the machine does. The figure is the difference between a
long and a short load, so that neither start nor end are in it.
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
            ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={self._counts}", program,
             "record", self._trace, "--listen", "127.0.0.1:0", "--quiet", "--ca-dir",
             folder / "ca", "--to", origin, *WAYS[way]],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=os.environ | {"LD_PRELOAD": str(program.parent / "sigsuspend.so")})
        ready = self._process.stdout.readline()
        match = re.fullmatch(r"listening on (.*):(\d+)\n", ready)
        if not match:
            raise RuntimeError(f"tapedeck did not become ready: {ready!r}")
        self.port = int(match[2])

    def end(self) -> int:
        """Ends it; the instructions of all its threads."""
        stop(self._process, 300)
        for path in self._trace.parent.glob(self._trace.name + "*"):
            path.unlink()
        return int(re.search(r"^(?:summary|totals): (\d+)", self._counts.read_text(), re.M)[1])


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
    rounds = 2 if quick else 5
    # Valgrind reads no debug information of this kind, and gives up over it.
    bare = work / "tapedeck"
    subprocess.run(["strip", "-o", bare, program], check=True)
    subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-o", work / "sigsuspend.so",
                    Path(__file__).parent / "counting/sigsuspend.c"], check=True)
    processes, origin, _ = start_nginx(work, tls=False)
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve_echo, args=(listener,), daemon=True).start()
    loads = {
        "exchange": (ask, origin, 200, 1200),
        "message": (tell, f"http://127.0.0.1:{listener.getsockname()[1]}", 2000, 12000),
    }
    try:
        for what, (load, to, few, many) in loads.items():
            costs: dict[str, list[float]] = {way: [] for way in WAYS}
            for number in range(rounds):
                for way in WAYS:
                    found = []
                    for count in (few, many):
                        deck = Counted(bare, work, f"{what}-{number}-{count}", to, way)
                        try:
                            load(deck.port, count)
                        finally:
                            found.append(deck.end())
                    costs[way].append((found[1] - found[0]) / (many - few))
            add(table, what, costs)
    finally:
        for process in processes:
            stop(process)
        listener.close()


def add(table, what: str, costs: dict[str, list[float]]) -> None:
    """The costs, and what is allowed."""
    base = statistics.median(costs["without control"])
    table.add(f"instructions per {what}, without control",
              f"{base:,.0f} ({min(costs['without control']):,.0f}-"
              f"{max(costs['without control']):,.0f})")
    for way, allowed in (("no rules", 3.0), ("ten rules", 10.0)):
        # Pairs of one round, which had the machine in the same mood.
        ratios = [(cost / other - 1) * 100
                  for cost, other in zip(costs[way], costs["without control"], strict=True)]
        more = statistics.median(ratios)
        table.add(f"instructions per {what}, {way}",
                  f"{statistics.median(costs[way]):,.0f}, {more:+.1f} % "
                  f"({min(ratios):+.1f} to {max(ratios):+.1f} %)", f"<= +{allowed:.0f} %",
                  more <= allowed)
