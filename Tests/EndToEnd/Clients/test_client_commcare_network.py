"""Proves: the CommCare client on a terminal, behind proxies and redirects, with digest
authentication, and with attachments larger than its memory should be."""

from __future__ import annotations

import base64
import hashlib
import os
import pty
import re
import secrets
import select
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from programs import DEADLINE, TAPEDECK, environment, eventually
from proves import proves
from test_client_commcare import (FORM, PENDING, TAKEN, client, form, response, restore, scripted,
                                  status)

__all__ = ["form", "scripted"]


class Terminal:
    """A program that believes to be used by a person."""

    def __init__(self, *command: str | Path, **more: str):
        self.said = b""
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.execve(command[0], [str(part) for part in command], environment(**more))

    def read(self, awaited: bytes | None = None) -> bytes:
        """All it says until it says `awaited`, or ends."""
        start = len(self.said)
        while awaited is None or awaited not in self.said[start:]:
            ready, _, _ = select.select([self.descriptor], [], [], DEADLINE)
            assert ready, f"waited for {awaited!r} in vain: {self.said!r}"
            try:
                piece = os.read(self.descriptor, 4096)
            except OSError:
                break
            if not piece:
                break
            self.said += piece
        assert awaited is None or awaited in self.said[start:], self.said
        return self.said[start:]

    def type(self, line: str) -> None:
        """What a person types, with Enter."""
        os.write(self.descriptor, line.encode() + b"\n")

    def wait(self) -> int:
        """Reads to the end and gives the exit status."""
        self.read()
        _, ended = os.waitpid(self.pid, 0)
        os.close(self.descriptor)
        return os.waitstatus_to_exitcode(ended)


def on_terminal(url: str, state: Path, *arguments: str | Path, **more: str) -> Terminal:
    """The client on a terminal."""
    return Terminal(TAPEDECK, "client", "commcare", *arguments, "--to", url, "--domain", "demo",
                    "--user", "anna", "--state", state, **more)


def password(headers: dict) -> str:
    """What a request says who it is from."""
    return base64.b64decode(headers["authorization"].removeprefix("Basic ")).decode()


def test_asks_for_the_password(scripted, form, tmp_path):
    """Without echo; once more after a 401, and never a third time."""
    server = scripted((401, {}, ""), TAKEN, (401, {}, ""), (401, {}, ""))
    terminal = on_terminal(server.url, tmp_path / "state", "submit", form)
    terminal.read(b"password of anna: ")
    terminal.type("wrong-one")
    terminal.read(b"another one: ")
    terminal.type("right-one")
    assert terminal.wait() == 0
    assert b"-one" not in terminal.said.replace(b"another one", b"")
    assert [password(headers) for _, _, headers, _ in server.asked] == [
        "anna@demo:wrong-one", "anna@demo:right-one"]
    terminal = on_terminal(server.url, tmp_path / "state", "sync", TAPEDECK_PASSWORD="given")
    terminal.read(b"another one: ")
    terminal.type("wrong")
    assert terminal.wait() == 65
    assert b"does not accept this user and password" in terminal.said


@proves("C-15")
@pytest.mark.parametrize("no_color", ["", "1"])
def test_shows_progress_on_a_terminal(scripted, tmp_path, no_color):
    """A bar that overwrites itself; no colours, with or without NO_COLOR."""
    server = scripted(PENDING, (200, {}, restore("t1")))
    terminal = on_terminal(server.url, tmp_path / "state", "sync", TAPEDECK_PASSWORD="p",
                           NO_COLOR=no_color)
    assert terminal.wait() == 0
    assert b"\r[###############...............] 50 %" in terminal.said
    assert b"\x1b[3" not in terminal.said
    assert terminal.said.endswith(b"tapedeck: synced, 0 cases, sync token t1, 0 forms waiting\r\n")


def test_shows_no_progress_elsewhere(scripted, tmp_path):
    """A log has no use for a bar."""
    server = scripted(PENDING, (200, {}, restore("t1")))
    ended = client(server.url, tmp_path / "state", "sync")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ended.stderr == "tapedeck: synced, 0 cases, sync token t1, 0 forms waiting\n"


@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_follows_a_restore_on_its_server(scripted, tmp_path, code):
    """With its headers and its credentials; the next request asks the first address again."""
    moved = (code, {"Location": "/elsewhere/?x=1"}, "")
    server = scripted(moved, (200, {}, restore("t1")), moved, (200, {}, restore("t2")))
    for token in ("t1", "t2"):
        assert client(server.url, tmp_path / "state", "sync").returncode == 0
        assert status(tmp_path / "state")["sync_token"] == token
    first, second, third, _ = server.asked
    assert first[1].startswith("/a/demo/phone/restore/?")
    assert second[:2] == ("GET", "/elsewhere/?x=1")
    assert second[2]["x-openrosa-version"] == "3.0"
    assert second[2]["authorization"] == first[2]["authorization"]
    assert third[1].startswith("/a/demo/phone/restore/?") and "since=t1" in third[1]


def test_follows_no_restore_elsewhere(scripted, tmp_path):
    """Neither to another server, which would get the password, nor in circles."""
    other = scripted()
    server = scripted((302, {"Location": other.url + "/x"}, ""))
    ended = client(server.url, tmp_path / "one", "sync")
    assert ended.returncode == 65
    assert f"redirects to {other.url}/x" in ended.stderr and "--to" in ended.stderr
    assert not other.asked
    server = scripted(*[(302, {"Location": "/round"}, "")] * 20)
    assert client(server.url, tmp_path / "two", "sync").returncode == 65
    assert len(server.asked) == 6


def test_says_where_a_submission_is_redirected_to(scripted, form, tmp_path):
    """It is not followed, kept, and sent to the right server later."""
    other = scripted(TAKEN)
    server = scripted((301, {"Location": f"{other.url}/a/demo/receiver/"}, ""))
    ended = client(server.url, tmp_path / "state", "submit", form)
    assert ended.returncode == 75
    assert f"redirects to {other.url}/a/demo/receiver/" in ended.stderr and "--to" in ended.stderr


def test_says_what_to_do_where_no_server_is(form, tmp_path):
    """Status 75, the reason, and that nothing is lost."""
    for url, reason in [("http://127.0.0.1:1", "check that the server runs"),
                        ("http://nowhere.invalid", "check the name of the host")]:
        state = tmp_path / url.rpartition("/")[2].replace(":", "-")
        ended = client(url, state, "submit", form)
        assert ended.returncode == 75
        assert reason in ended.stderr and "kept" in ended.stderr
        assert [each["state"] for each in status(state)["forms"]] == ["queued"]
        assert client(url, state, "sync").returncode == 75


def test_notes_what_the_server_will_not_take(scripted, form, tmp_path):
    """Before it answers; the server has the last word."""
    program = tmp_path / "virus.exe"
    program.write_bytes(b"MZ")
    server = scripted(TAKEN)
    ended = client(server.url, tmp_path / "state", "submit", form, program)
    assert ended.returncode == 0
    assert "note: the form does not name virus.exe" in ended.stderr


def test_streams_attachments(tmp_path):
    """200 MiB in two files arrive as they are, with a client of a few MiB."""
    digests: list[tuple[str, int]] = []

    class Handler(BaseHTTPRequestHandler):
        """Keeps the digest of what comes, part by part."""

        def do_POST(self) -> None:
            """Reads piece by piece."""
            left = int(self.headers["Content-Length"])
            digest = hashlib.sha256()
            while left:
                piece = self.rfile.read(min(left, 1 << 20))
                digest.update(piece)
                left -= len(piece)
            digests.append((digest.hexdigest(), int(self.headers["Content-Length"])))
            body = response("submit_success").encode()
            self.send_response(201)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_) -> None:
            """Says nothing."""

    filled = tmp_path / "form.xml"
    filled.write_text(FORM)
    photos = [tmp_path / "a.jpg", tmp_path / "b.jpg"]
    for photo in photos:
        with photo.open("wb") as file:
            for _ in range(100):
                file.write(os.urandom(1 << 20))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_address[1]}"
        queued = client(url, tmp_path / "state", "submit", filled, *photos, "--proxy",
                        "http://127.0.0.1:1")
        assert queued.returncode == 75
        [stored] = (tmp_path / "state").glob("submission-*")
        with stored.open("rb") as file:
            expected = (hashlib.file_digest(file, "sha256").hexdigest(), stored.stat().st_size)
        command = [TAPEDECK, "client", "commcare", "sync", "--to", url, "--domain", "demo",
                   "--user", "anna", "--state", tmp_path / "state"]
        # What a process had before it became this program counts as well, and a test's is large.
        small = ("import os, subprocess, sys\n"
                 "process = subprocess.Popen(sys.argv[1:], stderr=subprocess.DEVNULL)\n"
                 "print(os.wait4(process.pid, 0)[2].ru_maxrss)")
        measured = subprocess.run([sys.executable, "-S", "-c", small, *command], check=True,
                                  env=environment(TAPEDECK_PASSWORD="p"), stdout=subprocess.PIPE)
    finally:
        server.shutdown()
        server.server_close()
    assert digests == [expected]
    assert int(measured.stdout) < 160 << 10
    assert not list((tmp_path / "state").glob("submission-*"))


class Digest(ThreadingHTTPServer):
    """Takes forms from whom it knows by RFC 7616, and checks all of the answer to its challenge."""

    def __init__(self, algorithm: str, qop: str | None):
        self.refusals: list[str] = []
        self.bodies: list[bytes] = []
        nonces: set[str] = set()
        counts: set[tuple[str, str]] = set()
        outer = self
        name = {"MD5": "md5", "SHA-256": "sha256", "MD5-sess": "md5"}[algorithm]

        def hashed(*parts: str) -> str:
            return hashlib.new(name, ":".join(parts).encode()).hexdigest()

        class Handler(BaseHTTPRequestHandler):
            """One exchange."""

            protocol_version = "HTTP/1.1"

            def problem(self) -> str | None:
                """What is wrong with the credentials."""
                kind, _, rest = self.headers.get("Authorization", "").partition(" ")
                if kind != "Digest":
                    return kind or "none"
                fields = {key: quoted or plain for key, quoted, plain in re.findall(
                    r'(\w+)=(?:"([^"]*)"|([^,\s]*))', rest)}
                if fields["nonce"] not in nonces:
                    return "unknown nonce"
                if fields["uri"] != self.path:
                    return "another uri"
                first = hashed(fields["username"], "r", "secret")
                if algorithm.endswith("-sess"):
                    first = hashed(first, fields["nonce"], fields["cnonce"])
                second = hashed(self.command, self.path)
                if qop:
                    if (fields["nonce"], fields["nc"]) in counts:
                        return "replayed"
                    counts.add((fields["nonce"], fields["nc"]))
                    expected = hashed(first, fields["nonce"], fields["nc"], fields["cnonce"],
                                      fields["qop"], second)
                else:
                    expected = hashed(first, fields["nonce"], second)
                if fields["username"] != "anna@demo" or fields["response"] != expected:
                    return "wrong response"
                return None

            def do_POST(self) -> None:
                """Challenges, or takes the form."""
                body = self.rfile.read(int(self.headers["Content-Length"]))
                problem = self.problem()
                text = b""
                if problem:
                    outer.refusals.append(problem)
                    nonce = secrets.token_hex(8)
                    nonces.add(nonce)
                    self.send_response(401)
                    wanted = f', qop="{qop}"' if qop else ""
                    self.send_header(
                        "WWW-Authenticate", f'Digest realm="r", nonce="{nonce}", opaque="o", '
                        f"algorithm={algorithm}{wanted}")
                else:
                    outer.bodies.append(body)
                    text = response("submit_success").encode()
                    self.send_response(201)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_) -> None:
                """Says nothing."""

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


@pytest.mark.parametrize(("algorithm", "qop"), [
    ("MD5", "auth"), ("MD5", None), ("MD5-sess", "auth"), ("SHA-256", "auth")])
def test_answers_a_digest_challenge(form, tmp_path, algorithm, qop):
    """Where a server wants digest, it gets it, and the form once."""
    server = Digest(algorithm, qop)
    try:
        url = f"http://127.0.0.1:{server.server_address[1]}"
        ended = client(url, tmp_path / "state", "submit", form)
        assert ended.returncode == 0, ended.stderr + str(server.refusals)
        assert len(server.bodies) == 1 and b"form-1" in server.bodies[0]
        assert server.refusals[0] == "Basic" and "wrong response" not in server.refusals
        second = tmp_path / "two.xml"
        second.write_text(form.read_text().replace("form-1", "form-2"))
        wrong = subprocess.run(
            [TAPEDECK, "client", "commcare", "submit", second, "--to", url, "--domain", "demo",
             "--user", "anna", "--state", tmp_path / "state"], stdin=subprocess.DEVNULL,
            env=environment(TAPEDECK_PASSWORD="wrong"), capture_output=True, text=True,
            timeout=DEADLINE, check=False)
        assert wrong.returncode == 65, wrong.stderr
        assert len(server.bodies) == 1
    finally:
        server.shutdown()
        server.server_close()


def test_goes_through_a_proxy(scripted, form, tmp_path):
    """That of --proxy, or else of the environment, but for hosts in no_proxy."""
    proxy = scripted(TAKEN, (200, {}, restore("t1")))
    command = [TAPEDECK, "client", "commcare"]
    place = ["--to", "http://commcare.invalid", "--domain", "demo", "--user", "anna", "--state",
             tmp_path / "state"]

    def run(*arguments, **more) -> subprocess.CompletedProcess:
        return subprocess.run(
            [*command, *arguments, *place], stdin=subprocess.DEVNULL, capture_output=True,
            text=True, env=environment(TAPEDECK_PASSWORD="p", **more), timeout=DEADLINE,
            check=False)

    ended = run("submit", form, "--proxy", proxy.url)
    assert ended.returncode == 0, ended.stderr
    assert "anyone on the network path can read the password" in ended.stderr
    assert run("sync", http_proxy=proxy.url, no_proxy="commcare.invalid").returncode == 75
    assert run("sync", http_proxy=proxy.url).returncode == 0
    assert [path.partition("?")[0] for _, path, _, _ in proxy.asked] == [
        "http://commcare.invalid/a/demo/receiver/",
        "http://commcare.invalid/a/demo/phone/restore/"]


@pytest.mark.parametrize("background", [False, True])
def test_sleeps_in_the_background(program, form, tmp_path, background):
    """What runs finishes and what is queued waits for the foreground, unless told otherwise."""
    holding, go_on = threading.Event(), threading.Event()
    taken: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        """Holds its first answer."""

        def do_POST(self) -> None:
            """Takes a form."""
            taken.append(self.rfile.read(int(self.headers["Content-Length"])))
            if len(taken) == 1:
                holding.set()
                go_on.wait(DEADLINE)
            body = response("submit_success").encode()
            self.send_response(201)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    state = tmp_path / "state"
    second = tmp_path / "two.xml"
    second.write_text(FORM.replace("form-1", "form-2"))
    try:
        url = f"http://127.0.0.1:{server.server_address[1]}"
        assert client(url, state, "submit", form, "--proxy", "http://127.0.0.1:1").returncode == 75
        running = program(
            TAPEDECK, "client", "commcare", "submit", second, "--to", url, "--domain", "demo",
            "--user", "anna", "--state", state, *(["--background"] if background else []),
            env=environment(TAPEDECK_PASSWORD="p"))
        assert holding.wait(DEADLINE)
        running.process.send_signal(signal.SIGUSR1)
        running.await_line("in the background", errors=True)
        go_on.set()
        if not background:
            # Once its answer is stored, the body of a form goes.
            eventually(lambda: not list(state.glob("submission-*"))[1:], "the first answer")
            assert len(taken) == 1 and running.is_running()
            running.process.send_signal(signal.SIGUSR2)
        assert running.wait() == 0, running.said()
        assert len(taken) == 2
    finally:
        go_on.set()
        server.shutdown()
        server.server_close()
