"""Proves: a recorded server, played back with no network, satisfies curl, requests, websockets and
our own clients, whatever identifiers they choose; and what was not recorded is found and named."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
import ssl
import subprocess
import threading
import time
import uuid
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests
from programs import DEADLINE, TAPEDECK, Program, curl, environment
from serving import AUTH, OPENROSA, Client, CommCareServer, Server, case, cases, form
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.sync.server import serve

PHOTO = bytes(range(256)) * 40


class Replay(Program):
    """A running `tapedeck replay server`."""

    def __init__(self, trace: Path, ca: Path, *arguments: str | Path):
        super().__init__(TAPEDECK, "replay", "server", trace, "--listen", "127.0.0.1:0",
                         "--ca-dir", ca, *arguments)
        first = self.await_line("^")
        match = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)", first.string)
        assert match, self.said()
        self.port = int(match[1])
        self.address = f"127.0.0.1:{self.port}"
        self.root = f"http://{self.address}"

    def finish(self, status: int = 0) -> str:
        """Ends it as a user would and gives its report; it has to end with `status`."""
        ended = self.stop(signal.SIGINT)
        assert ended == status, f"ended with {ended}: {self.said()}"
        return "\n".join(self.output[1:])


@pytest.fixture
def replay(trace: Path, ca_dir: Path) -> Iterator[Callable[..., Replay]]:
    """Starts `tapedeck replay server` for the trace of this test."""
    started: list[Replay] = []

    def start(*arguments: str | Path) -> Replay:
        started.append(Replay(trace, ca_dir, *arguments))
        return started[-1]

    yield start
    for each in started:
        each.kill()


@pytest.fixture
def served() -> Iterator[CommCareServer]:
    """A server whose sessions are recorded."""
    started = CommCareServer()
    yield started
    started.kill()


def device(root: str, name: str) -> list:
    """What a device does: submits a form with a photo and one without, restores, asks again."""
    session = requests.Session()
    session.trust_env = False
    session.auth = AUTH
    session.headers.update(OPENROSA | {"X-OpenRosa-DeviceID": name})
    xml = form(f"{name}-1", case("c1", "<update><age>5</age></update>"))
    parts = {"xml_submission_file": ("form.xml", xml, "text/xml"),
             "photo.jpg": ("photo.jpg", PHOTO, "image/jpeg")}
    answers = [session.post(f"{root}/a/demo/receiver/", files=parts, timeout=DEADLINE)]
    answers.append(session.post(
        f"{root}/a/demo/receiver/", form(f"{name}-2", case("c2")), timeout=DEADLINE,
        headers={"Content-Type": "text/xml"}))
    for _ in range(2):
        answers.append(session.get(f"{root}/a/demo/phone/restore/", timeout=DEADLINE,
                                   params={"version": "2.0", "items": "true"}))
    return answers


def test_a_device_with_other_identifiers(record, replay, served):
    recording = record("--to", served.url("", "http"))
    before = device(recording.url, "device-a")
    recording.finish()
    served.stop()
    server = replay()
    after = device(server.root, f"device-{uuid.uuid4()}")
    for one, other in zip(before, after, strict=True):
        assert other.status_code == one.status_code and other.reason == one.reason
        assert other.content == one.content
        assert other.headers == {name: value.replace(recording.address, server.address)
                                 for name, value in one.headers.items()}
    assert cases(after[2]) == ["c1", "c2"]
    text = server.finish()
    assert text == "HTTP: 4 of 4 matched, 0 missed, 0 never asked for\nsatisfied"


def test_strict_names_the_closest(record, replay, served):
    recording = record("--to", served.url("", "http"))
    device(recording.url, "device-a")
    recording.finish()
    server = replay()
    xml = form("x", case("c2").replace("patient", "household"))
    answer = requests.post(f"{server.root}/a/demo/receiver/", xml, timeout=DEADLINE, auth=AUTH,
                           headers=OPENROSA | {"Content-Type": "text/xml"})
    assert answer.status_code == 501 and answer.reason == "Not Recorded"
    # It stops by itself.
    assert server.wait() == 1
    errors = "\n".join(server.errors)
    for said in (answer.text, errors):
        assert "POST /a/demo/receiver/" in said
        assert re.search(r"closest: exchange 2, POST /a/demo/receiver/", said), said
        assert re.search(r'case_type.*"patient".*"household"', said), said
    assert "1 missed" in "\n".join(server.output)


def test_lenient_goes_on(record, replay, served):
    recording = record("--to", served.url("", "http"))
    assert curl("-u", "ada:secret", f"{recording.url}/a/demo/phone/restore/?version=2.0").stdout
    recording.finish()
    server = replay("--lenient", "--json")
    assert curl("-o", "/dev/null", "-w", "%{http_code}", f"{server.root}/nowhere").stdout == b"501"
    assert b"restore_id" in curl(f"{server.root}/a/demo/phone/restore/?version=2.0").stdout
    report = json.loads(server.finish(status=1))
    assert report["satisfied"] is False
    [section] = report["sections"]
    assert (section["matched"], section["missed"], section["unused"]) == (1, 1, 0)
    assert section["misses"][0]["line"] == "GET /nowhere"


@pytest.mark.parametrize("allowed", [False, True])
def test_what_is_left_over(record, replay, served, tmp_path, allowed):
    recording = record("--to", served.url("", "http"))
    for path in ("/formList", "/other"):
        curl(f"{recording.url}{path}")
    recording.finish()
    junit = tmp_path / "report.xml"
    server = replay("--junit", junit, *(["--allow-unused"] if allowed else []))
    curl(f"{server.root}/formList")
    text = server.finish(status=0 if allowed else 1)
    assert "never asked for: exchange 2, GET /other" in text
    suites = ElementTree.parse(junit).getroot()
    found = suites.findall(".//skipped" if allowed else ".//failure")
    assert len(found) == 1 and suites.tag == "testsuites"


def test_ends_when_all_was_played(record, replay, served):
    recording = record("--to", served.url("", "http"))
    curl(f"{recording.url}/formList")
    recording.finish()
    server = replay("--exit-when-done")
    curl(f"{server.root}/formList")
    assert server.wait() == 0, server.said()


def test_as_a_proxy_with_tls(record, replay, tls_origin, origin, certificates, trust):
    """The host names of the recording are reached through us, and nothing else is connected to."""
    proxy = record("--server-ca", certificates.authority)
    asked = [f"{tls_origin.url}/chunked", f"{origin.url}/plain?x=1", f"{tls_origin.url}/again"]
    before = [curl("-x", proxy.url, "--cacert", trust, url).stdout for url in asked]
    proxy.finish()
    server = replay()
    # In another order; curl verifies our certificate for the host.
    for url, body in reversed(list(zip(asked, before, strict=True))):
        assert curl("-x", server.root, "--cacert", trust, url).stdout == body
    # Tunnels without TLS too.
    assert server.finish().endswith("satisfied")


def test_tls_without_a_proxy(record, replay, origin, trust):
    recording = record("--to", origin.url)
    before = curl(f"{recording.url}/a").stdout
    recording.finish()
    server = replay()
    assert curl("--cacert", trust, f"https://{server.address}/a").stdout == before
    assert server.finish().endswith("satisfied")


def talk(url: str, sockjs: bool, client: str, token: str, key: str, channel: int,
         **options) -> list:
    """A session of a script: joins, makes an object, changes it, sees the changes."""
    socket = Client(url, sockjs, **options)
    said = [socket.join(token, client=client, channel=channel)]
    said.append(socket.next() if "auth" in said[0] and sockjs is None else None)
    said.append(socket.say(f"{channel}:i::::10"))
    assert socket.say("h:0") == "h:1"
    change = {"clientid": client, "id": key, "o": "M"}
    one, two = uuid.uuid4().hex, uuid.uuid4().hex
    made = socket.change(channel, ccid=one, v={"text": {"o": "+", "v": "Hello"}}, **change)
    edited = socket.change(channel, ccid=two, sv=1, v={"text": {"o": "r", "v": "Bye"}}, **change)
    assert [made["ccids"], edited["ccids"]] == [[one], [two]]
    assert made["id"] == edited["id"] == key
    assert made["clientid"] == edited["clientid"] == client
    entity = socket.say(f"{channel}:e:{key}.2")
    assert entity.startswith(f"{channel}:e:{key}.2\n"), entity
    said.append(json.loads(entity.split("\n")[1]))
    said += [made["ev"], edited["cv"], edited["v"]]
    socket.socket.close()
    return said


@pytest.mark.parametrize("sockjs", [False, True])
@pytest.mark.parametrize("compression", ["deflate", None])
def test_a_script_with_other_identifiers(record, replay, served, sockjs, compression):
    path = "/sock/1/app/{}/{}/websocket" if sockjs else "/sock/1/app/websocket"
    recording = record("--to", served.url("", "http"))
    before = talk(f"ws://{recording.address}{path.format('000', 'aaaaaaaa')}", sockjs, "client-a",
                  "a" * 32, "key-of-the-first", 0)
    recording.finish()
    server = replay()
    after = talk(f"ws://{server.address}{path.format('123', 'bbbbbbbb')}", sockjs,
                 f"client-{uuid.uuid4()}", "b" * 32, "another-key", 7, compression=compression)
    assert [str(one).replace("7:", "0:") for one in after] == [str(one) for one in before]
    text = server.finish()
    assert "HTTP: 1 of 1 matched" in text and text.endswith("satisfied")
    assert re.search(r"Simperium: 5 of 5 matched, 0 missed, 0 never asked for", text), text


def test_tls_through_a_tunnel_for_sockets(record, replay, program, trust, ca_dir):
    """A client of wss:// that knows us as its proxy reaches the recorded host through CONNECT."""
    live = program(TAPEDECK, "serve", "--listen", "127.0.0.1:0", "--tls", "--ca-dir", ca_dir)
    address = live.await_line(r"^listening on (\S+)$")[1]
    url = f"wss://{address}/sock/1/app/websocket"
    secure = ssl.create_default_context(cafile=trust)
    proxy = record("--server-ca", trust)
    before = talk(url, False, "a", "a" * 32, "some-key-1", 0, ssl=secure, proxy=proxy.url)
    proxy.finish()
    assert live.stop() == 0
    server = replay()
    after = talk(url, False, "b", "b" * 32, "some-key-2", 0, ssl=secure, proxy=server.root)
    assert after == before
    assert server.finish().endswith("satisfied")


@pytest.mark.parametrize("speed", [0.5, 2])
def test_the_speed_of_sockets(record, replay, served, trace, speed):
    """An answer comes no earlier than it did, by the clock of the replay."""
    recording = record("--to", served.url("", "http"))

    def session(address: str) -> float:
        client = Client(f"ws://{address}/sock/1/app/websocket")
        client.join()
        began = time.monotonic()
        client.change(id="some-key-1", v={"a": {"o": "+", "v": 1}})
        took = time.monotonic() - began
        client.socket.close()
        return took

    session(recording.address)
    recording.finish()
    with sqlite3.connect(trace) as database:
        # As if the server had taken its time.
        database.execute("UPDATE any_command SET at_ns = at_ns + 600000000 "
                         "WHERE sender = 1 AND name = 'c'")
    database.close()
    server = replay("--speed", str(speed))
    assert session(server.address) >= 0.6 / speed
    assert server.finish().endswith("satisfied")


def test_strict_stops_at_another_command(record, replay, served):
    recording = record("--to", served.url("", "http"))
    talk(f"ws://{recording.address}/sock/1/app/websocket", False, "a", "a" * 32, "some-key-1", 0)
    recording.finish()
    server = replay()
    socket = Client(f"ws://{server.address}/sock/1/app/websocket")
    socket.join("c" * 32, client="b")
    socket.send("0:i::::99")
    assert socket.closing_code() == 1011
    assert server.wait() == 1
    errors = "\n".join(server.errors)
    assert re.search(r"closest: command \d+, i ", errors), errors
    assert re.search(r"limit.*10.*99", errors), errors


def test_more_sockets_than_recorded(record, replay, served):
    recording = record("--to", served.url("", "http"))
    talk(f"ws://{recording.address}/sock/1/app/websocket", False, "a", "a" * 32, "some-key-1", 0)
    recording.finish()
    server = replay("--lenient")
    talk(f"ws://{server.address}/sock/1/app/websocket", False, "b", "b" * 32, "some-key-2", 1)
    with pytest.raises(InvalidStatus) as refused:
        Client(f"ws://{server.address}/sock/1/app/websocket")
    assert refused.value.response.status_code == 501
    assert "received once more" in server.finish(status=1)


def chat(socket) -> None:
    """What a server of chats and its clients say: nothing that Tapedeck knows of."""
    socket.send(json.dumps({"hello": "you"}))
    for message in socket:
        if isinstance(message, bytes):
            socket.send(message[::-1])
            continue
        said = json.loads(message)
        if said.get("bye"):
            socket.close(4007, "bye")
            return
        socket.send(f"{said['text']}!")


def visit(address: str, text: str, at: int) -> list:
    """A client of that server."""
    said: list = []
    with connect(f"ws://{address}/chat", proxy=None) as socket:
        said.append(socket.recv(DEADLINE))
        for message in (json.dumps({"text": text, "at": at}), PHOTO):
            socket.send(message)
            said.append(socket.recv(DEADLINE))
        socket.send(json.dumps({"at": at, "bye": True}, indent=1))
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(DEADLINE)
        said.append(closed.value.rcvd.code)
    return said


def test_a_socket_of_an_unknown_protocol(record, replay):
    """Played by the order of its messages; a client that says otherwise is told where."""
    with serve(chat, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        recording = record("--to", f"http://127.0.0.1:{server.socket.getsockname()[1]}")
        before = visit(recording.address, "Grüße", 1)
        assert before == ['{"hello": "you"}', "Grüße!", PHOTO[::-1], 4007]
        recording.finish()
    played = replay("--ignore", "json:/at")
    assert visit(played.address, "Grüße", 2) == before
    text = played.finish()
    assert "WebSocket: 3 of 3 matched, 0 missed, 0 never asked for" in text, text
    played = replay("--ignore", "json:/at")
    with pytest.raises(ConnectionClosed) as closed:
        visit(played.address, "Greetings", 3)
    assert closed.value.rcvd.code == 1011
    assert played.wait() == 1
    errors = "\n".join(played.errors)
    assert re.search(r'JSON /text: recorded "Grüße", received "Greetings"', errors), errors


def our_commcare(url: str, state: Path, *arguments: str | Path) -> str:
    """Our CommCare client."""
    done = subprocess.run(
        [TAPEDECK, "client", "commcare", *arguments, "--to", url, "--domain", "demo",
         "--user", "ada", "--state", state],
        env=environment(TAPEDECK_PASSWORD="secret"), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_our_commcare_client(record, replay, served, tmp_path):
    recording = record("--to", served.url("", "http"))
    for name, url in (("before", recording.url), ("after", None)):
        if url is None:
            recording.finish()
            server = replay()
            url = server.root
        xml = tmp_path / f"{name}.xml"
        xml.write_text(form(f"form-{uuid.uuid4()}", case("c1")))
        state = tmp_path / name
        our_commcare(url, state, "sync")
        our_commcare(url, state, "submit", xml)
        our_commcare(url, state, "sync")
    assert server.finish().endswith("satisfied")


def our_simperium(url: str, state: Path, *arguments: str) -> str:
    """Our Simperium client."""
    done = subprocess.run(
        [TAPEDECK, "client", "simperium", *arguments, "--to", url, "--app", "app", "--bucket",
         "notes", "--user", "ada@example.org", "--api-key", "k", "--state", state],
        env=environment(TAPEDECK_PASSWORD="secret"), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_our_simperium_client(record, replay, tmp_path):
    served = Server()
    try:
        recording = record("--to", served.url("", "http"))
        for name, url in (("before", recording.url), ("after", None)):
            if url is None:
                recording.finish()
                server = replay()
                url = server.root
            state = tmp_path / name
            our_simperium(url, state, "set", "key-0001", '{"text":"Hello"}')
            our_simperium(url, state, "set", "key-0001", '{"text":"Hello world"}')
            assert json.loads(our_simperium(url, state, "get", "key-0001")) == {
                "text": "Hello world"}
    finally:
        served.kill()
    assert server.finish().endswith("satisfied")


def test_wrong_arguments(trace, ca_dir, tmp_path):
    def run(*arguments: str | Path) -> tuple[int, str]:
        done = subprocess.run([TAPEDECK, "replay", "server", *arguments, "--ca-dir", ca_dir],
                              env=environment(), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=DEADLINE, check=False)
        return done.returncode, done.stderr

    assert run(trace)[0] == 66
    (tmp_path / "text").write_text("no trace")
    assert run(tmp_path / "text")[0] == 65
    assert run(trace, "--ignore", "nonsense")[0] == 64
    assert run(trace, "--speed", "0")[0] == 64
    assert run(trace, "--json", "--junit", "-")[0] == 64


def test_the_model_goes_on_with_forms(record, replay, served, tmp_path):
    """A form that was never recorded is taken, and later restores have it."""
    recording = record("--to", served.url("", "http"))
    device(recording.url, "device-a")
    recording.finish()
    server = replay("--model", "--allow-unused")
    session = requests.Session()
    session.trust_env = False
    session.auth = AUTH
    session.headers.update(OPENROSA | {"Content-Type": "text/xml"})
    receiver, restore = (f"{server.root}/a/demo/{path}/" for path in ("receiver", "phone/restore"))
    for identifier in ("c2", "c9"):
        taken = session.post(receiver, form(f"mine-{identifier}", case(identifier)),
                             timeout=DEADLINE)
        assert taken.status_code == 201, taken.text
    answer = session.get(restore, params={"version": "2.0", "items": "true"}, timeout=DEADLINE)
    assert "c9" in cases(answer) and "c2" in cases(answer)
    # Restores come from the model since the form that nobody recorded.
    assert "HTTP: 1 of 4 matched, 0 missed, 1 never asked for, 2 not needed" in server.finish()


def test_the_model_goes_on_with_objects(record, replay, served, tmp_path):
    """An edit that was never recorded is acknowledged, and another client gets it."""
    recording = record("--to", served.url("", "http"))
    talk(f"ws://{recording.address}/sock/1/app/websocket", False, "a", "a" * 32, "some-key-1", 0)
    recording.finish()
    server = replay("--model", "--allow-unused")
    url = f"ws://{server.address}/sock/1/app/websocket"
    socket = Client(url)
    socket.join("b" * 32, client="b")
    socket.say("0:i::::10")
    made = socket.change(clientid="b", id="never-recorded", v={"n": {"o": "+", "v": 1}})
    assert made["ev"] == 1 and made["id"] == "never-recorded"
    other = Client(url)
    assert other.join("b" * 32, client="c").startswith("0:auth:")
    index = json.loads(other.say("0:i:1:::10").removeprefix("0:i:"))
    assert {"id": "never-recorded", "v": 1, "d": {"n": 1}} in index["index"]
    server.await_line("bucket notes", errors=True)
    server.finish()
