"""Proves, for each recording in the repository and for a session full of secrets: redacted it holds
none of them, the diagnosis says the same of it, and both of its sides can be replayed."""

from __future__ import annotations

import base64
import gzip
import json
import sqlite3
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
import requests
from programs import TAPEDECK, Program, tapedeck
from recorded_sessions import SESSIONS, Session

EACH = pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session.name)
SECRETS = ["hunter2-zebra", "anna.smith", "anna@clinic-nord.org", "tok-8c1f44a0b7d94e55"]


def redact(trace: Path, folder: Path) -> Path:
    """The trace of what a redacted export of `trace` holds."""
    tapedeck("export", trace, folder / "redacted", "--redact")
    tapedeck("import", folder / "redacted", folder / "redacted.tape")
    return folder / "redacted.tape"


def findings(trace: Path) -> list[tuple]:
    """What the diagnosis finds, without the words in which it quotes bytes."""
    done = tapedeck("diagnose", trace, "--json", status=None)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return sorted(
        (row["rule"], row["at"], row["connection"], row.get("times", 0),
         tuple(str((step["exchange"], step["command"], step["message"]))
               for step in row["evidence"]))
        for row in rows)


def shape(trace: Path) -> list[tuple]:
    """What decoding makes of a trace, apart from what may hold secrets and sizes on the wire."""
    with sqlite3.connect(trace) as db:
        return [tuple(db.execute(query)) for query in (
            "SELECT id, api, method, path, status, started_ns, ended_ns FROM http_exchange ORDER BY id",
            "SELECT id, size, is_text, coding, content_type, problem FROM http_body ORDER BY id",
            "SELECT id, kind, root, cases, restore_id, problem FROM openrosa ORDER BY id",
            "SELECT id, case_id, action, owner_id, date_modified, indices, length(properties) "
            "FROM case_block ORDER BY id",
            "SELECT id, sender, at_ns, opcode, size, compressed FROM message ORDER BY id",
            "SELECT id, channel, name, key, cv, payload_size FROM simperium_command ORDER BY id",
            "SELECT id, key, o, sv, ev, cv, ccid FROM change ORDER BY id")]


@EACH
def test_a_redacted_recording_says_the_same_of_its_client(session: Session, tmp_path: Path) -> None:
    trace = tmp_path / "whole.tape"
    tapedeck("import", session.folder, trace)
    redacted = redact(trace, tmp_path)
    assert shape(redacted) == shape(trace)
    assert findings(redacted) == findings(trace)


def replay(trace: Path, program: Callable[..., Program]) -> tuple[str, bool]:
    """How both sides of a trace, replayed against each other, take it."""
    server = program(TAPEDECK, "replay", "server", trace, "--listen", "127.0.0.1:0", "--json")
    address = server.await_line(r"^listening on (\S+)$")[1]
    done = tapedeck("replay", "client", trace, "--to", f"http://{address}", status=None)
    assert done.returncode in (0, 1), done.stderr
    server.stop()
    # Ids that a client makes up are others in each run, and the recorded answers name them.
    counts = [line for line in done.stdout.splitlines() if line.startswith(("HTTP:", "Simperium:"))]
    return "\n".join(counts), '"satisfied":true' in "".join(server.output).replace(" ", "")


@EACH
def test_both_sides_of_a_redacted_recording_are_replayed(
        session: Session, tmp_path: Path, program: Callable[..., Program]) -> None:
    trace = tmp_path / "whole.tape"
    tapedeck("import", session.folder, trace)
    counts, is_satisfied = replay(trace, program)
    assert counts
    assert replay(redact(trace, tmp_path), program) == (counts, is_satisfied)


class Clinic(BaseHTTPRequestHandler):
    """Answers with a compressed body full of secrets."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = gzip.compress(json.dumps(
            {"access_token": SECRETS[3], "says": f"hello {SECRETS[1]} <{SECRETS[2]}>"}).encode())
        self.send_response(200)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", "application/json")
        self.send_header("Set-Cookie", f"session={SECRETS[3]}; Path=/")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def test_no_secret_is_left_and_the_check_says_so(
        tmp_path: Path, program: Callable[..., Program]) -> None:
    origin = ThreadingHTTPServer(("127.0.0.1", 0), Clinic)
    Thread(target=origin.serve_forever, daemon=True).start()
    trace = tmp_path / "session.tape"
    proxy = program(TAPEDECK, "record", trace, "--listen", "127.0.0.1:0")
    address = proxy.await_line(r"listening on (\S+)$")[1]
    try:
        answer = requests.post(
            f"http://127.0.0.1:{origin.server_port}/login?user={SECRETS[1]}",
            auth=(SECRETS[1], SECRETS[0]),
            json={"email": SECRETS[2], "password": SECRETS[0]},
            proxies={"http": f"http://{address}"}, timeout=30)
        assert answer.json()["access_token"] == SECRETS[3]
    finally:
        proxy.stop()
        origin.shutdown()
    refused = tapedeck("export", trace, tmp_path / "whole", "--check-secrets", status=None)
    assert refused.returncode == 1
    assert not (tmp_path / "whole").exists()
    assert not any(secret in refused.stdout + refused.stderr for secret in SECRETS)
    redacted = redact(trace, tmp_path)
    tapedeck("export", redacted, tmp_path / "checked", "--check-secrets")
    with sqlite3.connect(redacted) as db:
        rows = [bytes(row[0]) for row in db.execute("SELECT CAST(content AS BLOB) FROM body")]
    everything = b"".join([redacted.read_bytes(), *rows])
    for secret in SECRETS:
        assert secret.encode() not in everything
    credentials = f"{SECRETS[1]}:{SECRETS[0]}".encode()
    assert base64.b64encode(credentials) not in everything
    assert json.loads(rows[1])["access_token"] != SECRETS[3]
