"""Conversations at random through proxies of every mode, for as long as is wanted."""

from __future__ import annotations

import http.client
import random
import re
import signal
import socket
import sqlite3
import ssl
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from certificates import make_certificates
from programs import Program, environment, tapedeck
from soak import Control, Failed
from socket_play import Play, Wrong, difference
from socket_scripts import (CLIENT, FORWARD, KEEP, NESTED, REVERSE, SERVER, TUNNEL, Writer, make)

# A trace is looked at and begun anew after so many conversations of each worker.
ROUND = 200
# Nobody reads more failures than this.
MOST = 20


@dataclass
class Proxy:
    """A running `tapedeck record`, and the server behind it where that is fixed."""

    name: str
    arguments: list[str]
    has_tls: bool = False
    listener: socket.socket | None = None
    program: Program | None = None
    trace: Path | None = None
    port: int = 0
    # Sockets that it has while nobody is connected.
    idle: int = 0

    def sockets(self) -> int:
        """How many sockets it has."""
        count = 0
        for descriptor in Path(f"/proc/{self.program.pid}/fd").iterdir():
            try:
                count += str(descriptor.readlink()).startswith("socket:")
            except FileNotFoundError:
                pass
        return count


@dataclass
class Worker:
    """Who plays one conversation after the other through one proxy."""

    name: str
    mode: str
    proxy: Proxy
    number: int = 0
    # What was played since the trace was begun: source address, name, and both ends.
    played: list[tuple[str, str, Play]] = field(default_factory=list)


class Sockets:
    """All proxies and workers, until `finish`."""

    def __init__(self, program: Path, folder: Path, seed: int):
        self.program, self.folder, self.seed = program, folder, seed
        self.failures: list[str] = []
        self.kinds: Counter[str] = Counter()
        self.rounds = 0
        # Whether rules may come, so that every connection has a judge.
        self.has_control = True
        self.sources = 0
        self.lock = threading.Lock()
        tapedeck("ca", "--ca-dir", folder / "ca", "--pem", folder / "trust.pem")
        self.server_tls = make_certificates(folder).context()
        self.client_tls = ssl.create_default_context(cafile=str(folder / "trust.pem"))
        forward = Proxy("forward", ["--insecure"])
        reverse, secure, keep = (
            Proxy(name, [*more, "--to"], has_tls, socket.create_server(("127.0.0.1", 0), backlog=64))
            for name, more, has_tls in (
                ("reverse", [], False), ("reverse-tls", ["--insecure"], True),
                ("keep-host", ["--keep-host"], False)))
        for proxy in (reverse, secure, keep):
            scheme = "https" if proxy.has_tls else "http"
            proxy.arguments.append(f"{scheme}://127.0.0.1:{proxy.listener.getsockname()[1]}")
        self.second = Proxy("second", ["--insecure"])
        self.proxies = [forward, self.second, reverse, secure, keep]
        self.workers = [
            Worker("forward", FORWARD, forward), Worker("tunnel", TUNNEL, forward),
            Worker("nested", NESTED, forward),
            Worker("reverse", REVERSE, reverse), Worker("reverse-tls", REVERSE, secure),
            Worker("keep-host", KEEP, keep)]

    # Playing

    def play(self, seconds: float = 0, count: int = 0, only: str = "") -> None:
        """Plays for a time, or so many conversations of each worker, or one again and again."""
        until = time.monotonic() + seconds
        first, _, number = only.partition("/")
        workers = [worker for worker in self.workers if not only or worker.name == first]
        while True:
            self._begin()
            size = min(count, ROUND) if count else ROUND
            over = threading.Event()
            asking = threading.Thread(target=self._ask if self.has_control else over.wait,
                                      args=(over,) if self.has_control else ())
            asking.start()
            threads = [
                threading.Thread(target=self._work, args=(worker, size, until if seconds else None,
                                                          int(number) if only else None))
                for worker in workers]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            over.set()
            asking.join()
            self._end()
            self.rounds += 1
            count -= size if count else 0
            if len(self.failures) >= MOST or only or (not count if not seconds
                                                    else time.monotonic() > until):
                return

    def _work(self, worker: Worker, size: int, until: float | None, only: int | None) -> None:
        for _ in range(size):
            if until and time.monotonic() > until or len(self.failures) >= MOST:
                return
            worker.number = worker.number + 1 if only is None else only
            self._converse(worker)

    def _converse(self, worker: Worker) -> None:
        name = f"{worker.name}/{worker.number}"
        dice = random.Random(f"{self.seed}/{name}")
        is_client_tls = dice.random() < 0.3 and worker.mode != FORWARD
        # Within a tunnel both sides have TLS, or none.
        has_tls = is_client_tls if worker.mode in (TUNNEL, NESTED) else worker.proxy.has_tls
        listener = worker.proxy.listener
        own = listener or socket.socket()
        if not listener:
            own.bind(("127.0.0.1", 0))
        server = f"127.0.0.1:{own.getsockname()[1]}"
        writer = Writer(dice, worker.mode, f"127.0.0.1:{worker.proxy.port}", server, has_tls)
        writer.is_client_tls = is_client_tls
        script = make(dice, writer, is_client_tls or has_tls)
        # A port that is bound and not listened on is nobody else's meanwhile.
        if not listener and not script.is_refused:
            own.listen(64)
        with self.lock:
            self.sources += 1
            self.kinds[f"{worker.name} {script.kind}"] += 1
            source = f"127.{self.sources >> 14 & 127 | 1}.{self.sources >> 7 & 127}.{self.sources & 127 | 128}"
        play = Play(script, dice, ("127.0.0.1", worker.proxy.port),
                    None if script.is_refused else own, server, source,
                    self.client_tls if is_client_tls else None, self.server_tls if has_tls else None,
                    f"127.0.0.1:{self.second.port}")
        try:
            play.run()
            worker.played.append((source, name, play))
        except (Wrong, OSError) as wrong:
            self._fail(name, f"{script.kind}{' TLS' if is_client_tls else ''}: {wrong}")
            if listener:
                drop_waiting(listener)
        finally:
            if not listener:
                own.close()

    def _fail(self, name: str, says: str) -> None:
        with self.lock:
            self.failures.append(f"{name} {says}")
        again = (f"\n  again: Tools/soak --sockets 1 --seed {self.seed} --conversation {name}"
                 if "/" in name else "")
        print(f"soak: FAILED: {name}, {says}{again}", file=sys.stderr, flush=True)

    # What stays the same all the time

    def _ask(self, over: threading.Event) -> None:
        """Asks every proxy's control interface again and again."""
        while not over.wait(0.2):
            for proxy in self.proxies:
                try:
                    control = Control(proxy.trace)
                    control.ask("GET", "/v1/health")
                    control.close()
                except (OSError, http.client.HTTPException, Failed) as failure:
                    self._fail(proxy.name, f"the control interface does not answer: {failure!r}")
                    over.wait(5)

    # Rounds

    def _begin(self) -> None:
        self.has_control = (self.seed + self.rounds) % 2 == 0
        for proxy in self.proxies:
            proxy.trace = self.folder / f"{proxy.name}-{self.rounds}.tape"
            proxy.program = Program(
                self.program, "record", proxy.trace, "--listen", "127.0.0.1:0", "--quiet",
                "--ca-dir", self.folder / "ca", *([] if self.has_control else ["--no-control"]),
                *proxy.arguments, env=environment())
            proxy.port = int(proxy.program.await_line(r"^listening on 127\.0\.0\.1:(\d+)$")[1])
            proxy.idle = proxy.sockets()

    def _end(self) -> None:
        for proxy in self.proxies:
            memory = proxy.program.peak_memory()
            if memory > 400 << 20:
                self._fail(proxy.name, f"{memory >> 20} MB of memory")
            until = time.monotonic() + 10
            while proxy.sockets() > proxy.idle and time.monotonic() < until:
                time.sleep(0.05)
            if (left := proxy.sockets() - proxy.idle) > 0:
                self._fail(proxy.name, f"{left} sockets stayed open after all peers had ended")
            try:
                status = proxy.program.stop(signal.SIGINT)
            except AssertionError:
                status = "SIGINT, which it does not obey"
            if status != 0 or not re.search(r"\b0 gaps", "\n".join(proxy.program.output)):
                self._fail(proxy.name, f"ended with {status}: {proxy.program.said()[-1500:]}")
            for line in proxy.program.errors:
                if "does not answer" in line or "has not answered" in line:
                    self._fail(proxy.name, line)
        for worker in self.workers:
            self._look(worker)
            worker.played = []
        for proxy in self.proxies:
            for file in self.folder.glob(f"{proxy.name}-{self.rounds}.tape*"):
                file.unlink()

    def _look(self, worker: Worker) -> None:
        """Every byte of both peers is in the trace, once and in order."""
        trace = sqlite3.connect(f"file:{worker.proxy.trace}?mode=ro", uri=True)
        if trace.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            self._fail(worker.name, "the trace is broken")
        connections = {client.rpartition(":")[0]: number for number, client in trace.execute(
            "SELECT id, client FROM connection")}
        for source, name, play in worker.played:
            if len(self.failures) >= MOST:
                break
            number = connections.get(source)
            if number is None and play.script.kind == "half_a_hello":
                # Who resets at once has no address any more when it is accepted.
                continue
            if number is None:
                self._fail(name, f"{play.script.kind}: no connection of {source} in the trace")
                continue
            for sender, end in ((0, play.ends[CLIENT]), (1, play.ends[SERVER])):
                other = play.ends[SERVER if sender == 0 else CLIENT]
                kept = b"".join(data for (data,) in trace.execute(
                    "SELECT bytes FROM chunk WHERE connection_id = ? AND sender = ? AND origin = 0 "
                    "ORDER BY id", (number, sender)))
                sent = (play.before_server if sender == 1 else b"") + bytes(end.sent)
                if play.script.mode == NESTED and (play.client_tls or play.script.is_refused):
                    # What the second proxy says, and what only it can read.
                    continue
                # What was on its way when somebody reset may never have come.
                is_right = kept == sent or play.script.is_cut and sent.startswith(kept)
                if not is_right:
                    self._fail(name, f"{play.script.kind}: of the {end.name}'s bytes the trace has "
                               f"others: {difference(kept, sent)}; the {other.name} has got "
                               f"{len(other.received)}")
        trace.close()

    # The end

    def facts(self) -> list[str]:
        """What was played."""
        lines = [f"{sum(self.kinds.values()):,} conversations in {self.rounds} rounds, "
                 f"seed {self.seed}: {len(self.failures)} failed"]
        return lines + [f"  {count:6,} {kind}" for kind, count in sorted(self.kinds.items())]

    def kill(self) -> None:
        """Ends what still runs."""
        for proxy in self.proxies:
            if proxy.program:
                proxy.program.kill()
            if proxy.listener:
                proxy.listener.close()


def drop_waiting(listener: socket.socket) -> None:
    """Hangs up on whoever waits, so that the next conversation does not get them."""
    listener.settimeout(0.2)
    try:
        while True:
            listener.accept()[0].close()
    except OSError:
        pass
    listener.settimeout(None)
