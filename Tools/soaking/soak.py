"""A proxy, a server and clients of both protocols, and rounds of faults for all of them."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import signal
import socket
import sqlite3
import sys
import time
from collections import Counter
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from urllib.parse import quote

from peers import SimperiumPeer
from programs import Program, environment, tapedeck
from soak_clients import (BUCKET, KEYS, TOKEN, BuiltInDevice, BuiltInEditor, Device, Editor)
from soak_pace import Pace

# Requests a second of all devices, and messages a second of all editors, on the average.
PACE = 40.0
# How much more memory the proxy may have at the end than after warming up, in MB; the recording that a
# rule answers from takes 6 of them.
BOUND_MB = 40
# A change with a false version can be applied twice, and nothing but the index would ever tell.
REINDEX = "command:cv sender:client => cv-unknown first=1 per=connection name=reindex"
TRUTH = ("connection", "leg", "chunk", "patch", "event", "mark", "fault_statement")
DERIVED = ("http_exchange", "body", "part", "openrosa", "frame", "message", "simperium_command",
           "change", "note")


@dataclass
class Round:
    """What one round was and what became of it."""

    name: str
    rules: int
    faults: int = 0
    exchanges: int = 0
    messages: int = 0
    settled: float = 0.0
    nudged: bool = False
    memory: int = 0


class Failed(Exception):
    """Something that has to hold does not."""


class Control(http.client.HTTPConnection):
    """HTTP over the Unix-domain socket beside a trace."""

    def __init__(self, trace: Path):
        super().__init__("localhost", timeout=30)
        self._place = f"{trace}.control"

    def connect(self) -> None:
        """Connects to the socket."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(self._place)

    def ask(self, method: str, path: str, said: dict | None = None):
        """The answer as JSON."""
        self.request(method, path, None if said is None else json.dumps(said),
                     {"Content-Type": "application/json"})
        answer = self.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise Failed(f"{method} {path} {said}: {answer.status} {text.decode()}")
        return json.loads(text) if text else None


class Soak:
    """Everything that runs, until `finish`."""

    def __init__(self, program: Path, folder: Path, seed: int = 1, pace: float = PACE):
        self.folder, self.seed = folder, seed
        self.state = folder / "server.sqlite"
        self.trace = folder / "soak.tape"
        self.rounds: list[Round] = []
        self.warm = self.last = 0
        self.server = self._start(program, "serve", "--listen", "127.0.0.1:0", "--state",
                                  self.state)
        to = f"http://127.0.0.1:{self._port(self.server)}"
        self.port = self._port(self.server)
        self.proxy = self._start(
            program, "record", self.trace, "--listen", "127.0.0.1:0", "--quiet", "--to", to,
            "--ca-dir", folder / "ca", "--seed", str(seed))
        port = self._port(self.proxy)
        tapedeck("ca", "--ca-dir", folder / "ca", "--pem", folder / "trust.pem")
        requests, messages = Pace(pace), Pace(pace)
        self.devices = [Device("device-plain", port, None, requests),
                        Device("device-tls", port, folder / "trust.pem", requests)]
        self.editors = [Editor(f"editor-{number}", port, seed + number, messages)
                        for number in range(2)]
        self.built_in_device = BuiltInDevice("built-in-device", program, port, folder)
        self.built_in_editors = [
            BuiltInEditor("built-in", program, port, folder, False, messages),
            BuiltInEditor("built-in-sockjs", program, port, folder, True, messages)]
        self.workers = [*self.devices, *self.editors, self.built_in_device,
                        *self.built_in_editors]
        for worker in self.workers:
            worker.start()

    @staticmethod
    def _start(*command) -> Program:
        return Program(*command, env=environment())

    @staticmethod
    def _port(program: Program) -> int:
        return int(program.await_line(r"^listening on 127\.0\.0\.1:(\d+)$")[1])

    # A round

    def play(self, name: str, rules: list[str], seconds: float, patience: float) -> Round:
        """Lets clients work under `rules`, takes these away, and waits until all is well again.

        After `patience` seconds of waiting every connection is reset, and what clients believe to
        know is called out of date: one that hangs is given up, and lies are forgotten.
        """
        made = Round(name, len(rules))
        self.built_in_device.renew()
        for device in self.devices:
            device.domain = self.built_in_device.domain
        control = Control(self.trace)
        prefix = f"{len(self.rounds)}."
        for worker in self.workers:
            worker.works.set()
        before = self._counts()
        names = [control.ask("POST", "/v1/rules", {"rule": f"{rule} name={prefix}{number}"})["name"]
                 for number, rule in enumerate(rules)]
        time.sleep(seconds)
        for each in names:
            control.ask("DELETE", f"/v1/rules/{quote(each)}")
        for worker in self.workers:
            worker.works.clear()
        self._settle(made, control, patience)
        control.close()
        made.faults = self._count("SELECT count(*) FROM fault_statement WHERE rule LIKE ? || '%'",
                                  prefix)
        after = self._counts()
        made.exchanges, made.messages = after[0] - before[0], after[1] - before[1]
        made.memory = self.memory()
        self.rounds.append(made)
        return made

    def warm_up(self, seconds: float) -> Round:
        """A round without faults; what the proxy takes afterwards is what others are held to."""
        made = self.play("(none)", [], seconds, 30)
        self.warm = made.memory
        return made

    def memory(self) -> int:
        """Bytes that the proxy has in memory."""
        status = Path(f"/proc/{self.proxy.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    def _counts(self) -> tuple[int, int]:
        return (self._count("SELECT coalesce(max(id), 0) FROM http_exchange"),
                self._count("SELECT coalesce(max(id), 0) FROM message"))

    def _count(self, query: str, *values) -> int:
        database = sqlite3.connect(f"file:{self.trace}?mode=ro", uri=True, timeout=60)
        try:
            return database.execute(query, values).fetchone()[0]
        finally:
            database.close()

    def _settle(self, made: Round, control: Control, patience: float) -> None:
        began, touched = time.monotonic(), 0.0
        # A change that was lost on a connection that stands is noticed with the next one.
        self.editors[0].touch()
        while problem := self._unsettled():
            now = time.monotonic() - began
            self._check_alive()
            if now > patience and not made.nudged:
                made.nudged = True
                control.ask("POST", "/v1/rules", {"rule": REINDEX})
                control.ask("POST", "/v1/fire", {"action": "reset"})
                touched = now
            if made.nudged and now > touched + 1:
                # Text that a lie has spoilt stays so until it is written anew.
                touched = now
                for editor in self.built_in_editors:
                    editor.touch()
            if now > patience + 60:
                raise Failed(f"after {made.name}: {problem}\n{self.server.said()[-1000:]}")
            time.sleep(0.05)
        if made.nudged:
            control.ask("DELETE", "/v1/rules/reindex")
        made.settled = time.monotonic() - began

    def _check_alive(self) -> None:
        for program in (self.proxy, self.server):
            if not program.is_running():
                raise Failed(f"ended: {program.said()}")
        for worker in self.workers:
            if worker.failure:
                raise Failed(f"{worker.name} failed: {worker.failure!r}")

    def _unsettled(self) -> str:
        """What is not yet as it has to be."""
        for device in self.devices:
            if not device.is_idle:
                return f"{device.name} has not sent {device.unsent}: {device.last}"
        for editor in self.editors:
            if not editor.is_settled:
                return f"{editor.name} is not in sync: {vars(editor)}"
        truth = self._truth()
        for editor in self.editors:
            if editor.copy() != truth:
                return f"{editor.name} has {editor.copy()}, the server {truth}"
        for editor in self.built_in_editors:
            if editor.last and truth.get(editor.key) != editor.last:
                return f"{editor.name} wrote {editor.last}, the server has {truth.get(editor.key)}"
        return ""

    def _truth(self) -> dict[str, dict]:
        """What the server holds, asked without the proxy."""
        fresh = SimperiumPeer(f"ws://127.0.0.1:{self.port}/sock/1/app/websocket", BUCKET, TOKEN,
                              "truth")
        deadline = time.monotonic() + 30
        while not fresh.is_idle:
            if time.monotonic() > deadline:
                raise Failed("the server does not answer")
            fresh.pump(0.05)
        fresh.close()
        return fresh.local

    # The end

    def finish(self) -> list[str]:
        """Ends everything, checks what has to hold, and says so in lines."""
        if left := self.built_in_device.send_all(300):
            raise Failed(f"the built-in client does not get through: {left}")
        for worker in self.workers:
            worker.end()
        self._check_alive()
        self.last = self.memory()
        grown = (self.last - self.warm) / 1e6
        forms = self._forms()
        if self.proxy.stop(signal.SIGINT) != 0:
            raise Failed(f"the proxy ended badly: {self.proxy.said()}")
        if self.server.stop() != 0:
            raise Failed(f"the server ended badly: {self.server.said()}")
        rows = self._trace_is_whole()
        if grown > BOUND_MB:
            raise Failed(f"memory grew by {grown:.1f} MB, from {self.warm / 1e6:.1f}")
        return [
            f"memory: {self.warm / 1e6:.1f} MB after warming up, {self.last / 1e6:.1f} MB at the "
            f"end; {BOUND_MB} MB more would be too much",
            f"forms: {forms}, each kept once",
            f"trace: {self.trace.stat().st_size / 1e6:.1f} MB, integrity_check ok, "
            f"{rows:,} derived rows the same after rebuild",
            "built-in clients ended with " + ", ".join(
                f"{count} times {code}" for code, count in sorted(self._codes().items())),
        ]

    def _codes(self) -> dict[int, int]:
        total: dict[int, int] = {}
        for worker in (self.built_in_device, *self.built_in_editors):
            for code, count in worker.codes.items():
                total[code] = total.get(code, 0) + count
        return total

    def _forms(self) -> int:
        """How many forms the server keeps: each that was taken, and none twice."""
        database = sqlite3.connect(f"file:{self.state}?mode=ro", uri=True, timeout=60)
        kept = [name for (name,) in database.execute("SELECT instance_id FROM commcare_form")]
        database.close()
        twice = {name for name, count in Counter(kept).items() if count > 1}
        if twice:
            raise Failed(f"kept twice: {sorted(twice)}")
        taken = set().union(*(device.taken for device in self.devices))
        if lost := taken - set(kept):
            raise Failed(f"taken and not kept: {sorted(lost)}")
        holds = self.built_in_device.holds()
        missing = sorted(set(self.built_in_device.given) - set(kept))
        # Put aside for a person to see is not lost.
        if lost := [name for name in missing if f'"{name}"' not in holds]:
            raise Failed(f"lost by the built-in client: {lost}")
        return len(kept)

    def _trace_is_whole(self) -> int:
        kept = sqlite3.connect(f"file:{self.trace}?mode=ro", uri=True, timeout=60)
        found = kept.execute("PRAGMA integrity_check").fetchall()
        if found != [("ok",)]:
            raise Failed(f"the trace is broken: {found[:5]}")
        copy = self.folder / "rebuilt.tape"
        shutil.copy(self.trace, copy)
        done = Program(self.proxy.command[0], "rebuild", copy)
        if done.wait(1800) != 0:
            raise Failed(f"rebuild: {done.said()}")
        rebuilt = sqlite3.connect(f"file:{copy}?mode=ro", uri=True, timeout=60)
        count = 0
        for name in TRUTH + DERIVED:
            query = f"SELECT * FROM {name} ORDER BY id"
            for pair in zip_longest(kept.execute(query), rebuilt.execute(query)):
                if pair[0] != pair[1]:
                    raise Failed(f"rebuild gives other rows in {name}: {pair!r:.2000}")
                count += name in DERIVED
        kept.close()
        rebuilt.close()
        copy.unlink()
        return count

    def kill(self) -> None:
        """Ends what still runs."""
        for worker in self.workers:
            worker.is_over.set()
        for worker in self.built_in_editors:
            if worker._process and worker._process.poll() is None:
                worker._process.kill()
                worker._process.wait()
        for program in (self.proxy, self.server):
            program.kill()


def table(rounds: list[Round]) -> list[str]:
    """The rounds as a table in Markdown."""
    lines = ["| faults | fired | exchanges | messages | settled after | memory |",
             "|---|--:|--:|--:|--:|--:|"]
    for made in rounds:
        hung = " and a reset" if made.nudged else ""
        lines.append(f"| {made.name} | {made.faults:,} | {made.exchanges:,} | {made.messages:,} | "
                     f"{made.settled:.1f} s{hung} | {made.memory / 1e6:.1f} MB |")
    return lines


def say(text: str) -> None:
    """Says where a long run is."""
    print(text, file=sys.stderr, flush=True)
