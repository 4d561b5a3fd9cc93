"""What other commands make of the trace of a case."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import ssl
from pathlib import Path

from fault_cases import Case
from fault_checks import compare, difference, rows
from fault_sockets import BUCKET, Wire
from fault_taps import Tap, had, instance_id, requests, responses
from programs import TAPEDECK, Program, environment, tapedeck
from websockets.exceptions import WebSocketException

RAW = ("connection", "leg", "chunk", "patch", "delivery", "event", "mark", "fault_statement")


class Afterwards:
    """Checks 2 to 7 of one trace."""

    def __init__(self, what: Case, trace: Path, home: Path, client, origin):
        self.case, self.trace, self.home = what, trace, home
        self.client, self.origin = client, origin
        self.problems: list[str] = []
        self.faults = 0

    def check(self) -> list[str]:
        """All differences."""
        for check in (self._rebuild, self._formats, self._diagnose, self._state, self._report,
                      self._replay):
            check()
        return self.problems

    def _run(self, what: str, *arguments: str | Path, good: tuple[int, ...] = (0,)):
        done = tapedeck(*arguments, status=None)
        if done.returncode not in good:
            self.problems.append(f"{what}: ended with {done.returncode}: "
                                 f"{(done.stderr or done.stdout)[-600:]}")
        return done

    def _lines(self, what: str, *arguments: str | Path) -> list[dict]:
        done = self._run(what, *arguments, good=(0, 1))
        try:
            return [json.loads(line) for line in done.stdout.splitlines()]
        except ValueError as error:
            self.problems.append(f"{what}: no JSON: {error}")
            return []

    def _rebuild(self) -> None:
        copy = self.home / "rebuilt.tape"
        shutil.copy(self.trace, copy)
        self._run("rebuild", "rebuild", copy)
        self.problems += [f"rebuild: {each}" for each in compare(self.trace, copy)]
        copy.unlink()

    def _formats(self) -> None:
        text, packets = self.home / "text", self.home / "packets.pcapng"
        self._run("export text", "export", self.trace, text, "--format", "text")
        again = self.home / "imported.tape"
        if not self._run("import text", "import", text, again).returncode:
            # Where recorded rows differ, derived ones have to.
            found = compare(self.trace, again, RAW) or compare(self.trace, again)
            self.problems += [f"text: {each}" for each in found]
        self._run("export pcapng", "export", self.trace, packets)
        self._run("import pcapng", "import", packets, self.home / "packets.tape")
        if not self.problems:
            shutil.rmtree(text)
            for name in ("packets.pcapng", "packets.tape", "imported.tape"):
                (self.home / name).unlink(missing_ok=True)

    def _diagnose(self) -> None:
        for found in self._lines("diagnose", "diagnose", self.trace, "--json"):
            if found.get("severity") == "error":
                shown = [each["quote"] for each in found["evidence"]][:2]
                self.problems.append(
                    f"diagnose: {found['rule']} blames the {found['blames']}: {found['message']} "
                    f"(expected {found['expected']}) {shown!r:.300}")

    # State

    def _state(self) -> None:
        lines = self._lines("state", "state", self.trace, "--json")
        if self.case.is_socket:
            self._objects(lines)
        else:
            self._forms(lines)
            self._run("state --diff", "state", self.trace, "--diff", good=(0, 1))

    def _forms(self, lines: list[dict]) -> None:
        told = {line["instance_id"]: line for line in lines if line["kind"] == "form"}
        there = {line["case"]["case_id"] for line in lines
                 if line["kind"] == "case" and line["side"] == "server"}
        asked = {body for tap in self.client.taps for body in self._instances(tap)}
        for step in self.client.steps:
            name = step.form
            if not name or name not in asked:
                continue
            line, is_kept = told.get(name), name in self.origin.forms
            outcome = line["outcome"] if line else None
            shown = f"{outcome} {line and line.get('status')}"
            if is_kept != (f"c-{name}" in there):
                self.problems.append(f"state: form {name} is{'' if is_kept else ' not'} on the "
                                     f"server, its case is{' not' if is_kept else ''} there "
                                     f"according to state; outcome {shown}")
            if name in self.client.accepted and outcome not in (None, "accepted", "unconfirmed"):
                self.problems.append(f"state: form {name} was accepted, state says {shown}")
            if name not in self.client.accepted and is_kept and outcome in (
                    "lost", "refused", "unanswered"):
                self.problems.append(f"state: form {name} is on the server, which the client does "
                                     f"not know; state says {shown}")
            if not is_kept and outcome == "accepted":
                self.problems.append(f"state: form {name} is not on the server; state says {shown}")
            if not is_kept and line is None:
                self.problems.append(f"state: form {name} is not on the server; state has no line")

    def _instances(self, tap: Tap) -> list[str]:
        return [name for each in requests(bytes(tap.sent)) if (name := instance_id(each.body))]

    def _objects(self, lines: list[dict]) -> None:
        said = {(line["client"], line["key"]): line for line in lines if line["kind"] == "object"}
        truth = {key: versions for key, versions in self.origin.objects[BUCKET].items()}
        for key, versions in truth.items():
            line = said.get((None, key))
            if versions[-1] is None:
                continue
            self._object(f"server's {key}", line, len(versions), versions[-1])
        if not self.client.is_settled:
            return
        is_agreed = True
        for key, data in self.client.local.items():
            version = self.client.ghosts.get(key, (None,))[0]
            # Of version 0 the client knows only that the server has the change.
            self._object(f"client's {key}", said.get(("editor", key)), version or None, data)
            is_agreed &= bool(truth.get(key)) and truth[key][-1] == data
        is_agreed &= all(key in self.client.local for key in truth)
        done = self._run("state --diff", "state", self.trace, "--diff", good=(0, 1))
        if is_agreed and done.returncode:
            self.problems.append(f"state --diff: client and server have the same: "
                                 f"{done.stdout[:700]}")
        if not is_agreed and not done.returncode:
            self.problems.append(f"state --diff: no disagreement, but the client has "
                                 f"{str(self.client.local)[:200]}, the server {str(truth)[:200]}")

    def _object(self, what: str, line: dict | None, version: int | None, data: dict) -> None:
        if line is None:
            self.problems.append(f"state: {what} is missing")
        elif line["data"] != data or version not in (None, line["version"]):
            self.problems.append(f"state: {what} is version {line['version']} "
                                 f"{str(line['data'])[:80]} and not {version} {str(data)[:80]}")

    # Faults

    def _report(self) -> None:
        done = self._run("faults report", "faults", "report", self.trace, "--json", good=(0, 1))
        try:
            json.loads(done.stdout)
        except ValueError as error:
            self.problems.append(f"faults report: no JSON: {error}")
        sides = ("server", "client")
        for row in rows(self.trace, "SELECT * FROM fault ORDER BY id"):
            self.faults += 1
            where = f"fault {row['id']} {row['action']} ({row['effect']})"
            if not row["effect"] and not row["problem"]:
                self.problems.append(f"{where}: neither effect nor problem")
            # A client that takes what was damaged has not recovered.
            is_taken = row["action"].split()[0] in ("corrupt", "content-type", "length")
            if row["verdict"] == "not-recovered" and self.client.is_settled and not is_taken:
                self.problems.append(f"{where}: not recovered ({row['how']}), but the client did "
                                     "all it had to")
            if row["sender"] is None:
                continue
            for table, number in (("any_exchange", row["exchange_id"]),
                                  ("any_message", row["message_id"])):
                if number is None:
                    continue
                found = rows(self.trace, f"SELECT * FROM {table} WHERE id = ?", number)
                if not found:
                    self.problems.append(f"{where}: {table} {number} is not there")
                    continue
                other = found[0]
                if other["side"] == sides[row["sender"]] and other["fate"] != "synthesized":
                    self.problems.append(
                        f"{where}: {table} {number} is of the {other['side']}'s side, "
                        f"the bytes are of the {sides[1 - row['sender']]}")
                if table == "any_message":
                    self._message(where, row, other)
            if row["exchange_id"] is None and row["message_id"] is None:
                self.problems.append(f"{where}: names no exchange and no message")

    def _message(self, where: str, row, message) -> None:
        effects = (row["effect"] or "").split()
        if message["fate"] == "same" and {"altered", "lost", "answered"} & set(effects):
            self.problems.append(f"{where}: nothing became of message m{message['id']}, "
                                 f"{message['payload'][:80]!r}")
        if message["sender"] != row["sender"]:
            self.problems.append(f"{where}: message m{message['id']} is of another sender")
        for effect, fates in (("altered", {"altered"}), ("lost", {"lost"}),
                              ("answered", {"lost"})):
            if effects == [effect] and message["fate"] not in fates:
                self.problems.append(f"{where}: message m{message['id']} has the fate "
                                     f"{message['fate']}")

    # Replay

    def _replay(self) -> None:
        if not self.client.taps:
            return
        tap = self.client.taps[0]
        truth = had(bytes(tap.sent), bytes(tap.received), tap.has_ended, True)
        if not truth.pairs or truth.pairs[0][1] is None or not truth.pairs[0][1].is_whole:
            return
        server = Program(TAPEDECK, "replay", "server", self.trace, "--listen", "127.0.0.1:0",
                         "--ca-dir", self.home.parent / "ca", "--lenient", env=environment())
        try:
            port = int(server.await_line(r"^listening on 127\.0\.0\.1:(\d+)$")[1])
            if self.case.is_socket:
                self._replay_socket(port, truth)
            else:
                self._replay_request(port, tap, truth)
        except (AssertionError, OSError, WebSocketException) as error:
            self.problems.append(f"replay server: {error!r:.600} {server.said()[-400:]}")
        finally:
            server.stop(signal.SIGINT)

    def _replay_request(self, port: int, tap: Tap, truth) -> None:
        asked, expected = truth.pairs[0]
        wire = socket.create_connection(("127.0.0.1", port), timeout=8)
        if self.case.transport == "https":
            context = ssl.create_default_context(cafile=self.home.parent / "trust.pem")
            wire = context.wrap_socket(wire, server_hostname="127.0.0.1")
        end = bytes(tap.sent).index(b"\r\n\r\n") + 4 + len(asked.body)
        wire.sendall(bytes(tap.sent[:end]))
        came, said = b"", []
        while not said or not said[0].is_whole:
            data = wire.recv(1 << 18)
            came += data
            said, _ = responses(came, [asked.method], not data)
            if not data:
                break
        wire.close()
        if not said or said[0].status != expected.status or said[0].body != expected.body:
            self.problems.append(
                f"replay server: {asked.first} is answered {said and said[0].status}, recorded "
                f"{expected.status}; {difference(said[0].body if said else b'', expected.body)}")

    def _replay_socket(self, port: int, truth) -> None:
        if not truth.sent or not truth.received or truth.received[0].opcode != 1:
            return
        wire = Wire(port, self.case.transport == "deflate", [])
        wire.send(truth.sent[0].payload.decode())
        said = wire.recv(8).encode()
        wire.close()
        if said != truth.received[0].payload:
            self.problems.append(f"replay server: {str(truth.sent[0])} is answered {said[:200]!r}, "
                                 f"recorded {str(truth.received[0])}")
