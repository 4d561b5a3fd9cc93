"""`tapedeck client simperium` over TLS and in SockJS frames, against `tapedeck serve` and a server here."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from certificates import ServerCertificates, make_certificates
from programs import TAPEDECK, Program
from proves import proves
from simperium_client import Client
from websockets.sync.server import ServerConnection, serve


@pytest.fixture(name="port")
def port_fixture(program: Callable[..., Program], ca_dir: Path) -> int:
    """The port of a `tapedeck serve` that speaks TLS."""
    serving = program(TAPEDECK, "serve", "--listen", "127.0.0.1:0", "--tls", "--ca-dir", ca_dir)
    return int(serving.await_line(r"listening on 127\.0\.0\.1:(\d+)")[1])


def client(url: str, tmp_path: Path, program: Callable[..., Program], *more: str | Path) -> Client:
    """A client with these options."""
    made = Client(url, tmp_path / "state", program)
    made.more = list(more)
    return made


@proves("S-2")
@pytest.mark.parametrize("scheme", ["wss", "https"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("more", [[], ["--sockjs"]])
def test_tls(port, tmp_path, program, trust, scheme, host, more):
    mine = client(f"{scheme}://{host}:{port}", tmp_path, program, "--ca", trust, *more)
    mine.run("set", "k", '{"text":"Hello"}')
    assert json.loads(mine.run("get", "k").stdout) == {"text": "Hello"}


def test_tls_and_the_auth_api(port, tmp_path, program, trust):
    mine = client(f"wss://127.0.0.1:{port}", tmp_path, program)
    mine.who = ["--user", "ada"]
    mine.environment = {"TAPEDECK_PASSWORD": "secret", "SSL_CERT_FILE": str(trust)}
    mine.run("set", "k", '{"a":1}')
    mine.environment["SSL_CERT_FILE"] = ""
    mine.run("set", "k", '{"a":2}', status=69, said="no server: the certificate is not accepted: unknown authority")
    mine.more = ["--ca", trust]
    mine.run("sync")
    assert json.loads(mine.run("get", "k").stdout) == {"a": 2}


def test_a_certificate_of_another_authority(port, tmp_path, program,
                                            certificates: ServerCertificates):
    mine = client(f"wss://127.0.0.1:{port}", tmp_path, program, "--ca", certificates.authority)
    mine.run("set", "k", '{"a":1}', status=69,
             said="no server: the certificate is not accepted: unknown authority")
    mine.more = []
    mine.run("get", "k", status=69, said="the certificate is not accepted: unknown authority")


def test_a_certificate_for_another_host(tmp_path, program, certificates: ServerCertificates):
    with serve(lambda _: None, "127.0.0.1", 0, ssl=certificates.context()) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.socket.getsockname()[1]
        mine = client(f"wss://127.0.0.2:{port}", tmp_path, program, "--ca", certificates.authority)
        # The kernel takes every address of 127/8 for its own, but the server listens on one.
        mine.run("get", "k", status=69, said="connection refused")
    with serve(lambda _: None, "127.0.0.2", 0, ssl=certificates.context()) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.socket.getsockname()[1]
        mine.url = f"wss://127.0.0.2:{port}"
        mine.run("get", "k", status=69, said="the certificate is not accepted: other name")


def test_a_certificate_that_names_only_the_address(tmp_path, program):
    """The library would take it for every host at that address."""
    made = make_certificates(tmp_path, extensions="subjectAltName=IP:127.0.0.1")
    with serve(lambda _: None, "127.0.0.1", 0, ssl=made.context()) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.socket.getsockname()[1]
        mine = client(f"wss://localhost:{port}", tmp_path, program, "--ca", made.authority)
        mine.run("get", "k", status=69,
                 said="the certificate is not accepted: other name .it names 127.0.0.1.; check --to")


def test_a_server_without_tls(tmp_path, program, trust):
    serving = program(TAPEDECK, "serve", "--listen", "127.0.0.1:0")
    port = serving.await_line(r"listening on 127\.0\.0\.1:(\d+)")[1]
    mine = client(f"wss://127.0.0.1:{port}", tmp_path, program, "--ca", trust)
    mine.run("get", "k", status=69, said="no server: the server does not speak TLS; use ws or http")
    mine.more = ["--ca", tmp_path / "none.pem"]
    mine.run("get", "k", status=66, said="none.pem has no certificate in PEM; check --ca")


class SockJSServer:
    """A SockJS server of the `websockets` package with one bucket, empty at first."""

    def __init__(self):
        self.paths: list[str] = []
        self.frames: list[str] = []
        self.made: list[dict] = []
        self.goes_away = 0
        self._server = serve(self._serve, "127.0.0.1", 0)
        self.port = self._server.socket.getsockname()[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _serve(self, connection: ServerConnection) -> None:
        self.paths.append(connection.request.path)
        connection.send("h")
        connection.send("o")
        connection.send("h")
        for frame in connection:
            self.frames.append(frame)
            said = json.loads(frame)
            for text in [said] if isinstance(said, str) else said:
                connection.send("h")
                if ":c:" in text and self.goes_away:
                    self.goes_away -= 1
                    connection.send('c[3000,"Go away!"]')
                    return
                connection.send("a" + json.dumps(self._answers(text)))

    def _answers(self, text: str) -> list[str]:
        if ":init:" in text:
            return ["0:auth:user@example.com"]
        if text.startswith("0:i:"):
            return ['0:i:{"current":"cv0","index":[]}']
        if text.startswith("0:cv:"):
            return [f"0:c:{json.dumps(self.made)}"]
        if text.startswith("h:"):
            return [f"h:{int(text[2:]) + 1}"]
        change = json.loads(text.partition(":c:")[2])
        told = change | {"ccids": [change.pop("ccid")], "ev": 1, "cv": "cv1"}
        # Two messages in one frame.
        return [f"0:c:{json.dumps([told])}", "0:c:[]"]

    def close(self) -> None:
        """Stops it."""
        self._server.shutdown()


def test_a_close_is_answered(tmp_path, program):
    """The client answers Close with Close, with the code that it got (RFC 6455, 5.5.1)."""
    answers: list[int] = []
    answered = threading.Event()

    def leave(connection: ServerConnection) -> None:
        connection.recv()
        connection.close(4001, "try again later")
        answers.append(connection.protocol.close_rcvd.code if connection.protocol.close_rcvd else 0)
        answered.set()

    with serve(leave, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.socket.getsockname()[1]
        mine = client(f"ws://127.0.0.1:{port}", tmp_path, program)
        mine.run("sync", status=None, patience=1)
        assert answered.wait(30)
        server.shutdown()
    assert answers[0] == 4001


@pytest.fixture(name="sockjs")
def sockjs_fixture():
    """A SockJS server."""
    started = SockJSServer()
    yield started
    started.close()


@proves("S-3")
def test_sockjs(sockjs, tmp_path, program):
    mine = client(f"ws://127.0.0.1:{sockjs.port}", tmp_path, program, "--sockjs")
    mine.run("set", "k", '{"text":"tab\\t \\"quoted\\" \u2028"}')
    assert re.fullmatch(r"/sock/1/app/\d{3}/[0-9a-z]+/websocket", sockjs.paths[0])
    assert all(isinstance(json.loads(frame), list) for frame in sockjs.frames)


def test_sockjs_that_says_go_away(sockjs, tmp_path, program):
    """The change is sent again on another session."""
    sockjs.goes_away = 1
    mine = client(f"ws://127.0.0.1:{sockjs.port}", tmp_path, program, "--sockjs", "--verbose")
    mine.run("set", "k", '{"a":1}', said="closed the SockJS session with 3000: Go away!")
    first, second = [json.loads(text.partition(":c:")[2]) for frame in sockjs.frames
                     for text in json.loads(frame) if ":c:" in text]
    assert first == second
    assert len(set(sockjs.paths)) == 2, "each connection is a session of its own"
