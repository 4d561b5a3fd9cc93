"""Proves: a recorded client, played anew to the server it talked to, finds no difference; a changed
answer is found and pointed at; many of it at once have identities of their own."""

from __future__ import annotations

import json
import os
import pty
import random
import re
import signal
import sqlite3
import subprocess
import threading
import uuid
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests
from origins import AnsweringServer
from peers import ScriptedSimperium
from programs import DEADLINE, TAPEDECK, curl, environment, eventually, sql, tapedeck
from serving import (AUTH, OPENROSA, OTHER, TOKEN, Client, case, cases, form, state,
                     token)

PHOTO = bytes(range(256)) * 40


@pytest.fixture
def recorded(record, serve, trace) -> Callable[..., Path]:
    """Records what a function does to a server, and gives the trace."""

    def run(session: Callable, *arguments: str | Path) -> Path:
        server = serve(*arguments)
        recording = record("--to", server.url("", "http"))
        session(recording)
        recording.finish()
        assert server.stop() == 0
        return trace

    return run


def replay(trace: Path, url: str, *arguments: str | Path, status: int | None = 0,
           **variables: str) -> subprocess.CompletedProcess:
    """Plays the client of a trace to its end."""
    return tapedeck("replay", "client", trace, "--to", url, *arguments, status=status,
                    env=environment(**variables))


def device(root: str, name: str = "device-a") -> requests.Session:
    """A device of a user."""
    session = requests.Session()
    session.trust_env = False
    session.auth = AUTH
    session.headers.update(OPENROSA | {"X-OpenRosa-DeviceID": name})
    session.root = f"{root}/a/demo"
    return session


def submit(session: requests.Session, xml: str, since: str = "") -> None:
    """Sends a form with a photo."""
    parts = {"xml_submission_file": ("form.xml", xml, "text/xml"),
             "photo.jpg": ("photo.jpg", PHOTO, "image/jpeg")}
    headers = {"X-CommCareHQ-LastSyncToken": since} if since else {}
    answer = session.post(f"{session.root}/receiver/", files=parts, headers=headers,
                          timeout=DEADLINE)
    assert answer.status_code == 201, answer.text


def restore(session: requests.Session, **parameters: str) -> requests.Response:
    """Asks for a restore until it is there."""
    while True:
        answer = session.get(f"{session.root}/phone/restore/", timeout=DEADLINE,
                             params={"version": "2.0", "items": "true"} | parameters)
        if answer.status_code != 202:
            return answer


ONE, TWO = "9b2d7c1e-58f2-4c61-a3d0-0c5a8a6f0001", "9b2d7c1e-58f2-4c61-a3d0-0c5a8a6f0002"


def field_work(recording) -> None:
    """What a device does in a day: forms with cases, restores, one of what is new, a 412."""
    session = device(recording.url)
    instances = [str(uuid.uuid4()) for _ in range(3)]
    submit(session, form(instances[0], case(ONE, "<update><age>5</age></update>")))
    submit(session, form(instances[1], case(TWO)))
    since = token(restore(session))
    submit(session, form(instances[2], case(ONE, "<update><age>6</age></update>", create=False)),
           since)
    answer = restore(session, since=since, state=state(ONE, TWO))
    assert answer.status_code == 200
    assert restore(session, since=token(answer), state=state(ONE)).status_code == 412
    assert cases(restore(session)) == [ONE, TWO]


def notes(recording) -> None:
    """Two clients of a bucket and one over SockJS, one after the other and all at once."""
    address = f"ws://{recording.address}/sock/1/app/websocket"
    one = Client(address)
    one.join(client="one")
    one.say("0:i::::10")
    first = one.change(id="note", v={"text": {"o": "+", "v": "hello"}})
    two = Client(address)
    two.join(client="two")
    assert "hello" in two.say("0:i:1:::10")
    two.send('0:c:' + json.dumps({"id": "note", "o": "M", "ccid": "a" * 32, "sv": first["ev"],
                                  "v": {"text": {"o": "d", "v": "=5\t+ you"}}}))
    assert Client.changes(two.next())[0]["ev"] == 2
    assert Client.changes(one.next())[0]["ev"] == 2
    three = Client(f"ws://{recording.address}/sock/1/app/123/session/websocket", sockjs=True)
    three.join(client="three", bucket="tags", channel=3)
    assert "hello you" in one.say("0:e:note.2")
    assert one.say(f"0:cv:{first['cv']}").startswith("0:c:")
    one.say("h:0")
    assert two.change(id="note", o="-", sv=2)["o"] == "-"
    one.next()
    # Refused: there is no such object any more.
    assert one.change(id="note", sv=2, v={"text": {"o": "r", "v": "x"}})["error"]
    for client in (one, two, three):
        client.socket.close()


def test_commcare_gives_no_difference(recorded, serve) -> None:
    trace = recorded(field_work)
    server = serve()
    said = replay(trace, server.url("", "http")).stdout
    assert said.startswith("HTTP: 7 of 7 the same, 0 different, 0 not played\nno difference\n")
    assert re.search(r"^1 client, seed \d+, [\d.]+ s: 7 exchanges", said, re.MULTILINE), said
    assert re.search(r"^commcare\.restore +4 ", said, re.MULTILINE), said
    # Once more to the same server: everything is new but the cases, which are there by now.
    again = replay(trace, server.url("", "http"), "--ignore", "xml://case", "--ignore",
                   "xml:/OpenRosaResponse/@items", "--json", status=None)
    report = json.loads(again.stdout)
    assert report["end"] == "played" and report["exchanges"] == 7, again.stdout


def test_progress_of_restores(recorded, serve) -> None:
    """Another number of 202 is one that the client bridges; the wait is the server's, whatever the speed."""
    trace = recorded(lambda recording: restore(device(recording.url)), "--restore-polls", "2")
    assert sql(trace, "SELECT count(*) FROM http_exchange WHERE status = 202") == [(2,)]
    for polls in ("0", "1", "3"):
        server = serve("--restore-polls", polls)
        done = replay(trace, server.url("", "http"), "--speed", "1000", status=1)
        assert "not the same: the client bridged it" in done.stdout, (polls, done.stdout)
        assert "--allow-bridged accepts that" in done.stderr
    server = serve("--restore-polls", "2")
    assert "no difference\n" in replay(trace, server.url("", "http")).stdout
    server = serve("--restore-polls", "2", "--retry-after", "4")
    assert re.search(r"Retry-After: recorded 1 s, received 4 s", replay(
        trace, server.url("", "http"), status=1).stdout)


def test_curl_gives_no_difference(recorded, serve, tmp_path) -> None:
    xml = tmp_path / "form.xml"
    xml.write_text(form("i1", case("c1")))

    def session(recording) -> None:
        curl("-u", "ada:secret", "-H", "X-OpenRosa-Version: 3.0", "-F",
             f"xml_submission_file=@{xml};type=text/xml", f"{recording.url}/a/demo/receiver/")
        curl("--digest", "-u", "ada:secret", f"{recording.url}/a/demo/phone/restore/?version=2.0")
        curl(f"{recording.url}/formList")

    trace = recorded(session)
    assert "no difference" in replay(trace, serve().url("", "http")).stdout


def test_own_commcare_client(recorded, serve, tmp_path) -> None:
    """The built-in client: a form, a sync, another form, another sync."""
    forms = []
    for number in (1, 2):
        forms.append(tmp_path / f"form{number}.xml")
        forms[-1].write_text(form(f"form-{number}", case(f"case-{number}")))

    def session(recording) -> None:
        for path in forms:
            for action in (["submit", path], ["sync"]):
                tapedeck("client", "commcare", *action, "--to", recording.url, "--domain", "demo",
                         "--user", "ada", "--state", tmp_path / "state",
                         env=environment(TAPEDECK_PASSWORD="secret"))

    trace = recorded(session)
    server = serve()
    assert "no difference" in replay(trace, server.url("", "http")).stdout
    other = serve()
    report = json.loads(replay(trace, other.url("", "http"), "--json", "--user", "bea",
                               TAPEDECK_PASSWORD="other", status=None).stdout)
    assert report["exchanges"] == 4


def test_simperium_gives_no_difference(recorded, serve) -> None:
    trace = recorded(notes)
    server = serve()
    said = replay(trace, server.url("", "http")).stdout
    assert re.match(r"Simperium: (\d+) of \1 the same, 0 different, 0 not played\nno difference\n",
                    said), said
    assert re.search(r"^simperium c +4 ", said, re.MULTILINE), said


def test_simperium_login(record, serve, trace, tmp_path) -> None:
    """A token that the auth API gives out takes the place of the recorded one."""
    accounts = tmp_path / "accounts.yaml"
    accounts.write_text("users:\n  - {name: ada, password: secret}\n"
                        "  - {name: bea, password: other}\napps:\n  - {id: app}\n")
    server = serve("--accounts", accounts)
    recording = record("--to", server.url("", "http"))
    answer = requests.post(f"{recording.url}/1/app/authorize/", timeout=DEADLINE,
                           json={"username": "ada", "password": "secret"})
    client = Client(f"ws://{recording.address}/sock/1/app/websocket")
    assert "auth:ada" in client.join(token=answer.json()["access_token"])
    assert client.change(id="note", v={"n": {"o": "+", "v": 1}})["ev"] == 1
    client.socket.close()
    recording.finish()
    server.stop()
    assert "no difference" in replay(trace, serve("--accounts", accounts).url("", "http")).stdout
    said = replay(trace, serve("--accounts", accounts).url("", "http"), "--user", "bea",
                  TAPEDECK_PASSWORD="other").stdout
    assert "Simperium: 2 of 2 the same" in said, said


def test_own_simperium_client(recorded, serve, tmp_path) -> None:
    """The built-in client and its edits, offline ones too."""

    def session(recording) -> None:
        common = ["--to", f"ws://{recording.address}", "--app", "app", "--token", TOKEN,
                  "--bucket", "notes", "--state", tmp_path / "state"]
        tapedeck("client", "simperium", "set", "a", '{"n":1}', *common)
        tapedeck("client", "simperium", "set", "a", '{"n":2,"text":"x"}', "--offline", *common)
        tapedeck("client", "simperium", "set", "b", '{"n":3}', "--offline", *common)
        tapedeck("client", "simperium", "sync", *common)
        tapedeck("client", "simperium", "delete", "b", *common)
        tapedeck("client", "simperium", "get", "a", *common)

    trace = recorded(session)
    assert "no difference" in replay(trace, serve().url("", "http")).stdout


def editor(address: str, number: int, seed: int) -> None:
    """A client that edits a bucket without waiting for anybody, and reads it in between."""
    chance = random.Random(f"{seed} {number}")
    client = Client(f"ws://{address}/sock/1/app/websocket")
    client.send("0:init:" + json.dumps({"clientid": f"client{number}", "api": "1.1", "token": TOKEN,
                                        "app_id": "app", "name": "notes"}))
    client.send("0:i:1:::100")
    versions: dict[str, int] = {}

    def read(patience: float) -> bool:
        try:
            _, name, rest = client.socket.recv(patience).split(":", 2)
        except TimeoutError:
            return False
        if name == "c":
            for change in json.loads(rest):
                if change.get("o") == "-":
                    versions.pop(change["id"], None)
                elif "ev" in change:
                    versions[change["id"]] = change["ev"]
        return True

    answered = 0
    for _ in range(30):
        while read(chance.choice([0, 0, 0.001, 0.01])):
            answered += 1
        key = f"key-{chance.randrange(5)}"
        change = {"id": key, "ccid": uuid.UUID(int=chance.getrandbits(128)).hex, "o": "M"}
        field = f"f{chance.randrange(3)}"
        if chance.random() < 0.2:
            client.send("0:i::::100")
            continue
        if key not in versions:
            change["v"] = {field: {"o": "+", "v": chance.randrange(1000)}}
        elif chance.random() < 0.1:
            change |= {"o": "-", "sv": versions[key]}
        else:
            change |= {"v": {field: {"o": "r", "v": chance.randrange(1000)}}, "sv": versions[key]}
        client.send("0:c:" + json.dumps(change))
    while read(0.3):
        answered += 1
    client.socket.close()
    assert answered


@pytest.mark.parametrize("seed", range(6))
def test_editors_at_once(recorded, serve, seed) -> None:
    """What was in flight at once keeps the order in which the server took it."""

    def session(recording) -> None:
        threads = [threading.Thread(target=editor, args=(recording.address, number, seed))
                   for number in range(2 + seed % 3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    trace = recorded(session)
    said = replay(trace, serve().url("", "http"), "--patience", "5").stdout
    assert "no difference" in said, said


def test_refused_users(recorded, serve, tmp_path) -> None:
    """A server that knows others answers 401: status 1, and the place is named."""
    trace = recorded(field_work)
    accounts = tmp_path / "accounts.yaml"
    accounts.write_text("users:\n  - {name: bea, password: other}\n")
    server = serve("--accounts", accounts)
    ended = replay(trace, server.url("", "http"), status=1)
    assert "7 different" in ended.stdout
    assert re.search(r"different: exchange 1, POST /a/demo/receiver/\n +status: recorded 201, "
                     r"received 401", ended.stdout), ended.stdout
    assert re.search(r"^tapedeck: 7 differ", ended.stderr, re.MULTILINE), ended.stderr


def test_refused_tokens(recorded, serve, tmp_path) -> None:
    trace = recorded(notes)
    accounts = tmp_path / "accounts.yaml"
    accounts.write_text(f"users:\n  - {{name: bea, password: other, tokens: [{OTHER}]}}\n")
    server = serve("--accounts", accounts)
    ended = replay(trace, server.url("", "http"), "--patience", "1", status=1)
    assert "Simperium" in ended.stdout and "auth" in ended.stdout, ended.stdout
    said = replay(trace, server.url("", "http"), "--token", OTHER).stdout
    assert "no difference" in said, said


def test_an_object_that_is_another(recorded, serve) -> None:
    """The JSON pointer of what differs in a Simperium bucket."""

    def session(recording) -> None:
        client = Client(f"ws://{recording.address}/sock/1/app/websocket")
        client.join()
        client.change(id="note", v={"a": {"o": "+", "v": {"b": [1, 2]}}})
        client.socket.close()
        client = Client(f"ws://{recording.address}/sock/1/app/websocket")
        client.join()
        client.say("0:i:1:::10")
        client.say("0:e:note.1")
        client.socket.close()

    trace = recorded(session)
    server = serve()
    other = Client(server.url())
    other.join()
    other.change(id="other", v={"n": {"o": "+", "v": 1}})
    other.socket.close()
    ended = replay(trace, server.url("", "http"), "--patience", "1", status=1)
    assert re.search(r"JSON /index", ended.stdout), ended.stdout
    assert "other" in ended.stdout


@pytest.mark.parametrize("code", [404, 405, 440, 500, 503])
def test_changes_that_the_live_server_refuses_once(recorded, code) -> None:
    """They are sent anew as the built-in client would, and the live server has them then."""
    trace = recorded(edits)
    live = ScriptedSimperium()
    live.on(r'^0:c:.*"sv"', '0:c:[{"id":"{id}","ccids":["{ccid}"],"error":%d}]' % code)
    try:
        ended = replay(trace, live.url, "--patience", "5", status=1)
        assert live.data("notes", key_of(live)) == {"a": 2}, ended.stdout
        assert len([text for text in live.seen if text.startswith("0:c:")]) == 3, live.seen
    finally:
        live.close()
    assert str(code) in ended.stdout, ended.stdout


def test_changes_that_the_live_server_keeps_refusing(recorded) -> None:
    trace = recorded(edits)
    live = ScriptedSimperium()
    live.on(r"^0:c:", '0:c:[{"id":"{id}","ccids":["{ccid}"],"error":405}]', times=100)
    try:
        ended = replay(trace, live.url, "--patience", "1", status=1)
        assert len([text for text in live.seen if text.startswith("0:c:")]) < 8, live.seen
    finally:
        live.close()
    assert "405" in ended.stdout, ended.stdout


def edits(recording) -> None:
    """An object that is made and edited."""
    client = Client(f"ws://{recording.address}/sock/1/app/websocket")
    client.join()
    client.change(id="note", v={"a": {"o": "+", "v": 1}})
    client.change(id="note", v={"a": {"o": "r", "v": 2}}, sv=1)
    client.socket.close()


def key_of(live: ScriptedSimperium) -> str:
    """What the played client calls the only object."""
    [key] = live.objects["notes"]
    return key


def test_a_login_of_its_own_for_sockets(recorded) -> None:
    """The token comes from the auth API of the live server, and a refused login is told."""
    trace = recorded(edits)
    live = ScriptedSimperium(users={"ada": "secret"}, tokens=set())
    try:
        said = replay(trace, live.url, "--user", "ada", "--patience", "2",
                      TAPEDECK_PASSWORD="secret").stdout
        assert "no difference" in said, said
        assert [asked["username"] for _, asked in live.requests] == ["ada"]
        ended = replay(trace, live.url, "--user", "ada", "--patience", "2", status=1,
                       TAPEDECK_PASSWORD="wrong")
        assert "auth" in ended.stdout, ended.stdout
    finally:
        live.close()


class Peer(AnsweringServer):
    """Answers each path with what was put there; keeps what came."""

    def __init__(self, answers: dict[str, tuple[int, str, bytes]]):
        self.answers = answers
        self.came: list[tuple[str, str, list[tuple[str, str]], bytes]] = []
        self.gate = threading.Event()
        self.gate.set()
        super().__init__()

    def answer(self, method, path, headers, body):
        """What its path has."""
        self.came.append((method, path, list(headers.items()), body))
        self.gate.wait(DEADLINE)
        status, kind, content = self.answers[path.split("?")[0]]
        return status, {"Content-Type": kind}, content


@pytest.fixture
def peer() -> Iterator[Callable[..., Peer]]:
    """Starts peers."""
    started: list[Peer] = []

    def start(answers: dict) -> Peer:
        started.append(Peer(answers))
        return started[-1]

    yield start
    for each in started:
        each.gate.set()
        each.end()


ANSWERS = {
    "/json": (200, "application/json", b'{"list":[{"a":1},{"a":2}],"b":true}'),
    "/xml": (200, "text/xml", b"<r><one/><two x='1'>text</two></r>"),
    "/text": (200, "text/plain", b"some text"),
}


@pytest.fixture
def three(record, peer, trace) -> Path:
    """A trace of three requests to a peer."""
    recording = record("--to", peer(ANSWERS).url)
    for path in ANSWERS:
        curl("-A", "someone", "-d", f"id={path}", recording.url + path)
    recording.finish()
    return trace


@pytest.mark.parametrize(("path", "status", "content", "place"), [
    ("/json", 200, b'{"list":[{"a":1},{"a":3}],"b":true}', r"JSON /list/1/a: recorded 2, received 3"),
    ("/json", 200, b'{"b":true}', r"JSON /list: recorded .*, not received"),
    ("/xml", 200, b"<r><one/><two x='2'>text</two></r>", r'XML /r/two\[1\]/@x: recorded "1", received "2"'),
    ("/xml", 500, b"<r><one/><two x='1'>text</two></r>", r"status: recorded 200, received 500"),
    ("/text", 200, b"other text", r"byte|text"),
])
def test_a_changed_answer_is_pointed_at(three, peer, path, status, content, place) -> None:
    server = peer(ANSWERS | {path: (status, ANSWERS[path][1], content)})
    ended = replay(three, server.url, status=1)
    assert "HTTP: 2 of 3 the same, 1 different, 0 not played" in ended.stdout
    assert re.search(rf"different: exchange \d, POST {path}\n +.*{place}", ended.stdout), (
        ended.stdout)
    assert "no difference" in replay(three, peer(ANSWERS).url).stdout


def test_reports(three, peer, tmp_path) -> None:
    """JSON, JUnit, and rules for what takes no part."""
    changed = peer(ANSWERS | {"/json": (200, "application/json", b'{"list":[],"b":true}')})
    junit = tmp_path / "report.xml"
    ended = replay(three, changed.url, "--json", "--junit", junit, "--seed", "5", status=1)
    report = json.loads(ended.stdout)
    assert report["satisfied"] is False and report["end"] == "played" and report["seed"] == 5
    [section] = report["sections"]
    assert (section["name"], section["recorded"], section["matched"], section["missed"]) == (
        "HTTP", 3, 2, 1)
    assert report["latencies"][0]["count"] == 3
    assert ElementTree.parse(junit).getroot().find(".//failure").get("message") == "different"
    for rule in ("json:/list", "/list", "json:/list/*"):
        ended = replay(three, changed.url, "--ignore", rule, status=None)
        assert ended.returncode == (1 if rule.endswith("*") else 0), ended.stdout
    assert tapedeck("replay", "client", three, "--to", changed.url, "--ignore", "nonsense",
                    status=64).stderr.startswith("tapedeck: --ignore")


def test_verbatim(record, peer, trace) -> None:
    """The same bytes, and every header field but the host; otherwise identifiers are new."""
    xml = form("instance-0001", case("c1"))
    thanks = {"/a/demo/receiver/": (201, "text/xml", b"<OpenRosaResponse/>")}
    origin = peer(thanks)
    recording = record("--to", origin.url)
    submit(device(recording.url), xml)
    recording.finish()
    [(_, path, fields, body)] = origin.came
    live = peer(thanks)
    replay(trace, live.url, "--verbatim")
    [(_, again, others, sent)] = live.came
    assert (again, sent) == (path, body)
    one, other = ([(name, value) for name, value in each
                   if name.lower() not in ("host", "connection")] for each in (fields, others))
    assert sorted(other) == sorted(one)
    bodies = []
    for seed in ("1", "1", "2"):
        fresh = peer(thanks)
        replay(trace, fresh.url, "--seed", seed)
        bodies.append(fresh.came[0][3])
        assert b"instance-0001<" not in bodies[-1] and PHOTO in bodies[-1]
    assert len({re.search(rb"<instanceID>(.*?)<", each)[1] for each in bodies}) == 2


@pytest.mark.parametrize("session", [field_work, notes])
def test_several_at_once(recorded, serve, tmp_path, session) -> None:
    """Five with identities of their own, none in the other's way."""
    trace = recorded(session)
    kept = tmp_path / "state.db"
    server = serve("--state", kept)
    ended = replay(trace, server.url("", "http"), "--clients", "5", "--json", status=None)
    report = json.loads(ended.stdout)
    assert report["clients"] == 5 and report["end"] == "played"
    assert report["sections"][0]["unused"] == 0
    assert server.stop() == 0
    if session is field_work:
        assert report["exchanges"] == 35
        database = sqlite3.connect(kept)
        assert database.execute("SELECT count(*) FROM commcare_form").fetchone() == (15,)
        database.close()


def test_users_of_their_own(recorded, serve, tmp_path) -> None:
    """Each of five logs in as another user, and so none sees anything of the others."""
    trace = recorded(field_work)
    accounts = tmp_path / "accounts.yaml"
    accounts.write_text("users:\n" + "".join(
        f"  - {{name: load{number}, password: secret, groups: [team{number}]}}\n"
        for number in range(1, 6)))
    server = serve("--accounts", accounts)
    ended = replay(trace, server.url("", "http"), "--clients", "5", "--user", "load{}", "--json",
                   status=None, TAPEDECK_PASSWORD="secret")
    report = json.loads(ended.stdout)
    assert report["exchanges"] == 35, ended.stdout
    assert not re.search(r"\b401\b", ended.stdout), ended.stdout


def test_bounds(three, peer) -> None:
    """The rate holds for all clients, and the time ends what is under way."""
    server = peer(ANSWERS)
    report = json.loads(replay(three, server.url, "--clients", "4", "--rate", "100",
                               "--json").stdout)
    assert report["exchanges"] == 12 and report["nanoseconds"] >= 110_000_000
    server.gate.clear()
    ended = replay(three, server.url, "--for", "300ms", status=1)
    assert "nothing was answered" in ended.stderr
    assert "3 not played" in ended.stdout and "the time limit passed" in ended.stdout


def test_stopped_by_a_signal(three, peer, program) -> None:
    server = peer(ANSWERS)
    server.gate.clear()
    playing = program(TAPEDECK, "replay", "client", three, "--to", server.url)
    eventually(lambda: server.came, "a request")
    assert playing.stop(signal.SIGINT) == 0
    assert "stopped before everything was played" in playing.said()


def test_nobody_there(three) -> None:
    ended = replay(three, "http://127.0.0.1:1", status=69)
    assert "3 not played" in ended.stdout
    assert ended.stderr.startswith("tapedeck: 127.0.0.1:1: "), ended.stderr


def test_hosts(record, peer, trace) -> None:
    """Recorded hosts go to servers of their own."""
    one, two = peer(ANSWERS), peer(ANSWERS)
    recording = record()
    for server in (one, two):
        curl("-x", recording.url, "-d", "a", f"{server.url}/json")
    recording.finish()
    hosts = [f"127.0.0.1:{server.server_address[1]}" for server in (one, two)]
    live = [peer(ANSWERS), peer(ANSWERS)]
    arguments = [f"{host}={server.url}" for host, server in zip(hosts, live, strict=True)]
    ended = replay(trace, arguments[0], status=64)
    assert f"no server is given for {hosts[1]}" in ended.stderr
    replay(trace, arguments[0], "--to", arguments[1])
    assert [len(server.came) for server in live] == [1, 1]
    replay(trace, live[0].url)
    assert len(live[0].came) == 3


def test_usage(three, tmp_path) -> None:
    assert "--to" in tapedeck("replay", "client", three, status=64).stderr
    replay(three, "ftp://nowhere", status=64)
    replay(tmp_path / "none.tape", "http://127.0.0.1:1", status=66)
    for wrong in (["--speed", "0"], ["--clients", "0"], ["--rate", "-1"], ["--patience", "0"],
                  ["--json", "--junit", "-"], ["--to", "http://127.0.0.1:2"]):
        replay(three, "http://127.0.0.1:1", *wrong, status=64)


def test_progress(three, peer) -> None:
    """A bar on a terminal, and nowhere else."""
    server = peer(ANSWERS)
    assert replay(three, server.url).stderr == ""
    ours, theirs = pty.openpty()
    playing = subprocess.Popen([TAPEDECK, "replay", "client", three, "--to", server.url],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs,
                               env=environment())
    os.close(theirs)
    shown = b""
    while True:
        try:
            read = os.read(ours, 4096)
        except OSError:
            break
        if not read:
            break
        shown += read
    os.close(ours)
    assert playing.wait(DEADLINE) == 0
    assert re.search(rb"\r\[[#.]{30}\] +\d+ %", shown), shown


def test_a_refusal_that_passes_is_bridged(three, tmp_path) -> None:
    """503 once: not the same, and accepted where that is allowed; in JSON and JUnit, too."""

    class Overloaded(Peer):
        """Refuses every second request."""

        def answer(self, method, path, headers, body):
            status, fields, content = super().answer(method, path, headers, body)
            if len(self.came) % 2:
                return 503, {"Retry-After": "1"}, b""
            return status, fields, content

    server = Overloaded(ANSWERS)
    junit = tmp_path / "j.xml"
    try:
        done = replay(three, server.url, "--junit", junit, status=1)
        assert "HTTP: 3 of 3 the same, 0 different, 0 not played, 3 bridged" in done.stdout
        assert re.search(r"bridged: exchange 1, POST /json\n +the server answered 503: sent again "
                         r"after 1 s", done.stdout), done.stdout
        assert "the client bridged 3 differences" in done.stderr
        names = [each.get("name") for each in ElementTree.parse(junit).getroot().iter("testcase")]
        assert names == ["the same"] + [f"exchange *, POST {path}" for path in ANSWERS]
        report = json.loads(replay(three, server.url, "--allow-bridged", "--json").stdout)
        assert report["satisfied"] is True and report["sections"][0]["bridged"] == 3
        assert "no difference but what the client bridged" in replay(
            three, server.url, "--allow-bridged").stdout
    finally:
        server.end()


def test_an_acknowledgement_that_comes_twice_is_bridged(recorded, record, serve, tmp_path) -> None:
    trace = recorded(edits)
    twice = record("--to", serve().url("", "http"), "--fault",
                   "command:c sender:server => repeat nth=2", to=tmp_path / "twice.tape")
    ended = replay(trace, twice.url, status=1)
    assert "0 different, 0 not played, 1 bridged" in ended.stdout, ended.stdout
    assert re.search(r"bridged: connection 1, channel 0: the change of \S+ to version 2 was "
                     r"acknowledged again", ended.stdout), ended.stdout


def test_a_device_without_cases_left(recorded, serve, tmp_path) -> None:
    """Its case is somebody else's: the device states to have none, and so does the replayed one."""
    path = tmp_path / "form.xml"
    path.write_text(form("form-1", case("c1")))

    def session(recording) -> None:
        for action in (["sync"], ["submit", path], ["sync"], ["sync"]):
            tapedeck("client", "commcare", *action, "--to", recording.url, "--domain", "demo",
                     "--user", "ada", "--state", tmp_path / "state",
                     env=environment(TAPEDECK_PASSWORD="secret"))

    trace = recorded(session)
    states = sql(trace, "SELECT status, url LIKE '%state=ccsh\\%3A' ESCAPE '\\' FROM exchange WHERE url LIKE '%since=%'")
    assert states == [(200, 1), (200, 0)]
    assert "no difference\n" in replay(trace, serve().url("", "http")).stdout
