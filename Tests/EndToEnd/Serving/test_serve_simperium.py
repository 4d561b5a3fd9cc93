"""Proves: `tapedeck serve` is a Simperium server to clients that nobody here wrote.

Python `websockets` plays the clients, `requests` asks the auth API and the admin.
"""

from __future__ import annotations

import json
import signal
import socket
import sqlite3
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests
from programs import DEADLINE, Program, eventually, tapedeck
from proves import proves
from serving import OTHER, TOKEN, Client, Server


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Starts servers and ends them."""
    started: list[Server] = []

    def start(*arguments: str | Path) -> Server:
        started.append(Server(*arguments))
        return started[-1]

    yield start
    for server in started:
        server.kill()


@proves("S-31", "S-32", "S-49", "S-53")
def test_two_clients(serve) -> None:
    """Edits made at the same time are rebased, and everybody sees one order."""
    server = serve()
    one, two = Client(server.url()), Client(server.url())
    assert one.join() == "0:auth:01234567@simperium.invalid"
    assert two.join(client="c2") == "0:auth:01234567@simperium.invalid"
    made = one.change(id="n", v={"t": {"o": "+", "v": "abc"}, "n": {"o": "+", "v": 1}})
    assert (made["ev"], made["clientid"]) == (1, "c1") and "sv" not in made
    assert two.changes(two.next()) == [made]
    one.change(id="n", sv=1, v={"t": {"o": "d", "v": "+X\t=3"}})
    told = two.next()
    rebased = two.change(id="n", sv=1, v={"t": {"o": "d", "v": "=3\t+Y"}})
    assert (rebased["sv"], rebased["ev"]) == (2, 3)
    assert one.changes(one.next()) == [rebased]
    assert two.say("0:e:n.3") == '0:e:n.3\n{"data":{"t":"XabcY","n":1}}'
    # From the beginning, the same three.
    cvs = [change["cv"] for change in [made, *two.changes(told), rebased]]
    late = Client(server.url())
    late.join()
    assert [c["cv"] for c in late.changes(late.say(f"0:cv:{cvs[0]}"))] == cvs[1:]
    assert late.say("0:cv:unknown") == "0:cv:?"
    assert late.say("h:7") == "h:8"


@proves("S-53")
def test_one_order(serve) -> None:
    """Clients on different threads see the changes of a bucket in the same order."""
    server = serve()
    clients = [Client(server.url()) for _ in range(6)]
    for number, client in enumerate(clients):
        client.join(client=f"c{number}")
    for turn in range(20):
        for number, client in enumerate(clients):
            client.send("0:c:" + json.dumps({
                "id": f"k{number}-{turn}", "o": "M", "d": {"n": turn}, "ccid": f"{number}-{turn}"}))
    orders = [[client.changes(client.next())[0]["cv"] for _ in range(120)] for client in clients]
    assert len(set(orders[0])) == 120
    assert all(order == orders[0] for order in orders)


@proves("S-30", "S-34", "S-45", "S-75", "S-77", "S-78", "S-79", "S-80", "S-81", "S-82")
def test_every_code(serve, tmp_path) -> None:
    """Each reason to refuse a change has its own code."""
    accounts = tmp_path / "accounts.yaml"
    accounts.write_text(
        "apps:\n  - id: app\n    buckets:\n      - name: notes\n        object-bytes: 1000\n"
        "        versions: 2\n        tenth-versions: 0\n        removal-mark: deleted\n"
        "        log: 3\n")
    server = serve("--accounts", accounts)
    client = Client(server.url())
    client.join()
    start = client.current()
    first = client.change(id="n", d={"t": "a"}, ccid="01")
    assert "error" not in first

    def code(**change) -> int:
        return client.change(**change)["error"]

    assert code(id="a/b", d={}) == 400
    assert code(id="n", o="-") == 400
    assert code(id="gone", sv=1, v={"t": {"o": "r", "v": "b"}}) == 404
    assert code(id="n", sv=9, v={"t": {"o": "r", "v": "b"}}) == 405
    assert code(id="n", sv=1, v={"t": {"o": "r", "v": "b"}}, ccid="01") == 409
    assert code(id="n", sv=1, v={"t": {"o": "r", "v": "a"}}) == 412
    assert code(id="n", sv=1, v={"t": {"o": "r", "v": "x" * 1000}}) == 413
    assert code(id="n", sv=1, v={"t": {"o": "d", "v": "=9\t+b"}}) == 440
    for number in range(1, 4):
        client.change(id="n", sv=number, v={"t": {"o": "r", "v": f"{number}"}})
    assert client.say("0:e:n.1") == "0:e:n.1\n?"
    assert code(id="n", sv=1, v={"t": {"o": "r", "v": "late"}}) == 405
    assert client.say(f"0:cv:{start}") == "0:cv:?"
    assert len(client.changes(client.say(f"0:cv:{first['cv']}"))) == 3
    assert client.say("0:nonsense") == "0:?"
    refused = json.loads(client.join(bucket="others", channel=1).removeprefix("1:auth:"))
    assert refused["code"] == 500


@proves("S-6", "S-8", "S-17", "S-18", "S-19", "S-20", "S-22", "S-29", "S-30", "S-32", "S-33", "S-49")
def test_every_command(serve) -> None:
    """What the specification says of each command, and what is no command."""
    client = Client(serve().url())

    def init(channel: int, **more) -> str:
        return f"{channel}:init:" + json.dumps({"token": TOKEN, "app_id": "app", **more})

    # The example of the specification, which writes `client_id` and has no library.
    assert client.say(init(0, api=1, client_id="android-1.0", name="notes")).startswith("0:auth:0")
    assert client.change(id="a.b.c", v={"x": {"o": "+", "v": 1}})["clientid"] == "android-1.0"
    for number in range(2):
        client.change(id=f"k{number}", d={"n": number})
    page = json.loads(client.say("0:i::::2").removeprefix("0:i:"))
    assert page["index"] == [{"id": "a.b.c", "v": 1}, {"id": "k0", "v": 1}]
    last = json.loads(client.say(f"0:i:1:{page['mark']}::2").removeprefix("0:i:"))
    assert last == {"current": page["current"], "index": [{"id": "k1", "v": 1, "d": {"n": 1}}]}
    # A command in the `init` is carried out after the `auth`.
    assert client.say(init(1, api="1.1", clientid="c", name="notes", library="x", version="1",
                           cmd=f"cv:{page['current']}")).startswith("1:auth:")
    assert client.next() == "1:c:[]"
    for sent, answer in (
            ("0:e:a.b.c.1", '0:e:a.b.c.1\n{"data":{"x":1}}'), ("0:e:a.b.c.2", "0:e:a.b.c.2\n?"),
            ("0:e:none.1", "0:e:none.1\n?"), ("0:e:k0", "0:?"), ("0:i:::none:2", "0:i:?"),
            ("1:cv:none", "1:cv:?"), ("1:cv:", "1:cv:?"), (f"0:cv:{page['current']}", "0:c:[]"),
            ("h:0", "h:1"), ("h:x", "?"), ("0:h:1", "0:?"), ("0:c:no JSON", "0:?"),
            ("7:i::::1", "7:?"), ("i::::1", "?"), ("", "?"), ("9" * 30 + ":cv:1", "?"),
            ("2:init:no JSON", "2:?")):
        assert client.say(sent) == answer, sent
    for code, change in ((400, {"id": "k0", "o": "x"}), (400, {"id": "k0", "sv": 1}),
                         (404, {"id": "none", "o": "-"}), (405, {"id": "k0", "o": "-", "sv": 9})):
        refused = client.change(ccid="r", **change)
        assert (refused["error"], refused["ccids"]) == (code, ["r"]), (change, refused)
    assert client.change(id="k0", o="-", sv=1)["ev"] == 2


@proves("S-11", "S-12", "S-13", "S-16")
@pytest.mark.parametrize(("fields", "code"), [
    ({"token": "short"}, 400), ({"token": OTHER}, 401), ({"bucket": "a b"}, 500)])
def test_refused_init(serve, tmp_path, fields, code) -> None:
    """An `init` is refused with the code for the reason."""
    accounts = tmp_path / "accounts.yaml"
    accounts.write_text(f"users:\n  - name: ann\n    tokens: [{TOKEN}]\n")
    client = Client(serve("--accounts", accounts).url())
    assert json.loads(client.join(**fields).removeprefix("0:auth:"))["code"] == code
    assert client.say("0:i::::1") == "0:?"
    assert client.join() == "0:auth:ann"


@proves("S-76")
def test_auth(serve, tmp_path) -> None:
    """The auth API gives tokens to users with the right password alone."""
    accounts = tmp_path / "accounts.yaml"
    accounts.write_text(
        "users:\n  - name: ann\n    password: secret\n  - name: bob\n    password: secret\n"
        "    active: false\n  - name: eve\n    password: secret\n    read-only: true\n")
    server = serve("--accounts", accounts)

    def post(path: str = "/1/app/authorize/", **body) -> requests.Response:
        return requests.post(server.url(path, "http"), json=body, timeout=DEADLINE)

    good = post(username="ann", password="secret")
    assert good.status_code == 200 and good.json()["username"] == "ann"
    client = Client(server.url())
    assert client.join(token=good.json()["access_token"]) == "0:auth:ann"
    eve = post(username="eve", password="secret").json()["access_token"]
    assert client.join(token=eve, channel=1) == "1:auth:eve"
    assert client.change(1, id="n", d={})["error"] == 401
    assert post(username="ann", password="wrong").status_code == 401
    assert post(username="nobody", password="secret").status_code == 401
    assert post(username="bob", password="secret").status_code == 401
    assert post(username="ann").status_code == 400
    assert post("/1/app/create/", username="ann", password="x").status_code == 409
    assert post("/1/app/create/", username="new", password="x").status_code == 401
    assert requests.post(server.url("/1/app/authorize/", "http"), data="{",
                         timeout=DEADLINE).status_code == 400
    assert requests.get(server.url("/1/app/authorize/", "http"),
                        timeout=DEADLINE).status_code == 405


@proves("S-3")
def test_sockjs(serve) -> None:
    """SockJS clients share buckets with the others."""
    server = serve()
    info = requests.get(server.url("/sock/1/app/info", "http"), timeout=DEADLINE).json()
    assert info["websocket"] is True and isinstance(info["entropy"], int)
    framed = Client(server.url("/sock/1/app/000/abc/websocket"), sockjs=True)
    raw = Client(server.url())
    framed.join(client="c2")
    raw.join()
    made = framed.change(id="n", d={"t": 'quote " and \n'})
    assert raw.changes(raw.next()) == [made]
    framed.socket.send(json.dumps(["h:1", "h:5"]))
    assert [framed.next(), framed.next()] == ["h:2", "h:6"]
    framed.socket.send("no JSON")
    assert framed.closing_code() == 1003


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_restart(serve, tmp_path, sent) -> None:
    """What was acknowledged is there after a restart, with versions, log, cv and order."""
    state = tmp_path / "state.db"
    server = serve("--state", state)
    client = Client(server.url())
    client.join()
    start = client.current()
    cvs = []
    for number in range(1, 31):
        changed = {"d": {"n": number}} if number == 1 else {
            "sv": number - 1, "v": {"n": {"o": "r", "v": number}}}
        cvs.append(client.change(id="n", ccid=f"{number}", **changed)["cv"])
    client.change(id="b", d={"x": 1})
    client.change(id="a", d={"x": 1})
    client.change(id="b", o="-")
    cvs.append(client.change(id="b", d={"x": 2})["cv"])
    client.change(id="gone", d={})
    last = client.change(id="gone", o="-")["cv"]
    token = requests.post(server.url("/1/app/authorize/", "http"), timeout=DEADLINE,
                          json={"username": "ann", "password": "x"}).json()["access_token"]
    index = client.say("0:i:1:::100")
    log = client.say(f"0:cv:{start}")
    server.stop(sent)
    assert state.stat().st_mode & 0o777 == 0o600

    server = serve("--state", state)
    client = Client(server.url())
    client.join()
    assert client.current() == last
    assert client.say("0:i:1:::100") == index
    assert client.say(f"0:cv:{start}") == log
    assert client.say(f"0:cv:{last}") == "0:c:[]"
    assert client.say("0:e:n.7") == '0:e:n.7\n{"data":{"n":7}}'
    assert client.change(id="n", sv=30, v={"n": {"o": "r", "v": 99}}, ccid="30")["error"] == 409
    assert client.change(id="gone", d={"y": 1})["ev"] == 3
    assert client.change(id="n", sv=29, v={"m": {"o": "+", "v": 1}})["ev"] == 31
    assert client.join(token=token, channel=1) == "1:auth:ann"
    assert client.change(id="n", sv=31, v={"n": {"o": "r", "v": 5}})["cv"] not in cvs
    server.stop()
    database = sqlite3.connect(state)
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()


def test_state_file_of_somebody_else(serve, tmp_path) -> None:
    """A state file that cannot be used is said to be so, and left alone."""
    state = tmp_path / "state.db"
    serve("--state", state)
    done = tapedeck("serve", "--listen", "127.0.0.1:0", "--state", state, status=75)
    assert "in use by another server" in done.stderr
    text = tmp_path / "text"
    text.write_text("this is no database, though it is long enough to be taken for one" * 20)
    done = tapedeck("serve", "--listen", "127.0.0.1:0", "--state", text, status=65)
    assert "not the state of a server" in done.stderr
    done = tapedeck("serve", "--listen", "127.0.0.1:0", "--state", tmp_path / "no" / "f", status=66)
    assert "cannot be opened" in done.stderr


@pytest.mark.parametrize(("text", "line", "says"), [
    ("users:\n  - name: ann\n    pasword: x\n", 3, "pasword is not a key here"),
    ("users:\n  - password: x\n", 2, "name is missing"),
    ("users:\n  - name: a\n  - name: A\n", 3, "defined twice"),
    ("users:\n  - name: a\n    tokens:\n      - short\n", 4, "32 to 1024"),
    ("users: [\n", 2, ""), ("users:\n\t- name: a\n", 2, ""), ("apps: 5\n", 1, "a list"),
    ("", 1, "empty"),
])
def test_bad_accounts(tmp_path, text, line, says) -> None:
    """A mistake in the file of accounts ends with its line."""
    accounts = tmp_path / "accounts.yaml"
    accounts.write_text(text)
    done = tapedeck("serve", "--listen", "127.0.0.1:0", "--accounts", accounts, status=65)
    assert f"line {line}: " in done.stderr and says in done.stderr, done.stderr


def test_no_accounts(tmp_path) -> None:
    """A file of accounts that is not there is said to be so."""
    tapedeck("serve", "--listen", "127.0.0.1:0", "--accounts", tmp_path / "none", status=66)


def test_tls(serve, ca_dir, trust) -> None:
    """TLS and plain on one port, the certificate for the name that is asked for."""
    server = serve("--tls", "--ca-dir", ca_dir)
    context = ssl.create_default_context(cafile=str(trust))
    secure = Client(server.url(scheme="wss"), ssl=context)
    named = Client(server.url(scheme="wss"), ssl=context, server_hostname="api.simperium.com")
    plain = Client(server.url())
    for number, client in enumerate([secure, named, plain]):
        client.join(client=f"c{number}")
    made = secure.change(id="n", d={"t": 1})
    assert named.changes(named.next()) == plain.changes(plain.next()) == [made]
    answer = requests.post(f"https://127.0.0.1:{server.port}/1/app/authorize/", verify=str(trust),
                           json={"username": "ann", "password": "x"}, timeout=DEADLINE)
    assert answer.status_code == 200


@proves("S-21")
def test_an_offset_in_the_index(serve) -> None:
    """A number in the second slot of `i` leaves out as many objects, from a mark in the third."""
    server = serve()
    client = Client(server.url())
    client.join()
    for number in range(5):
        client.change(id=f"n{number}", v={"t": {"o": "+", "v": 1}})

    def keys(slots: str) -> list[str]:
        page = json.loads(client.say(f"0:i:{slots}").removeprefix("0:i:"))
        return [entry["id"] for entry in page["index"]]

    assert keys(":3::10") == ["n3", "n4"]
    mark = json.loads(client.say("0:i::::2").removeprefix("0:i:"))["mark"]
    assert keys(f":1:{mark}:10") == ["n3", "n4"]
    assert keys(":99::10") == []


@proves("S-34", "S-40", "S-92")
def test_merged_changes_and_server_errors(serve, tmp_path) -> None:
    """Clients meet changes over several versions, and errors of the server, where that is wanted."""
    server = serve("--merge-changes", "--change-error", "503", "--change-error-every", "2")
    client = Client(server.url())
    client.join()
    start = client.current()
    assert client.change(id="n", v={"t": {"o": "+", "v": "a"}})["ev"] == 1
    second = {"id": "n", "sv": 1, "ccid": "b" * 32, "v": {"t": {"o": "d", "v": "=1\t+b"}}}
    assert client.change(**second)["error"] == 503
    assert client.change(**second)["ev"] == 2
    (merged,) = client.changes(client.say(f"0:cv:{start}"))
    assert (merged.get("sv", 0), merged["ev"], len(merged["ccids"])) == (0, 2, 2)
    # The built-in client sends again what was answered so.
    base = ["client", "simperium", "set", "--to", server.url("", "ws"), "--app", "app", "--token", TOKEN,
            "--bucket", "notes", "--state", tmp_path / "state"]
    for number in range(3):
        tapedeck(*base, f"k{number}", '{"x":1}')
    tapedeck("serve", "--change-error", "404", status=64)
    tapedeck("serve", "--change-error-every", "2", status=64)


def test_unmasked_frames(serve) -> None:
    """A client that does not mask its frames is cut off with 1002 (RFC 6455, 5.1)."""
    server = serve()
    with socket.create_connection(("127.0.0.1", server.port), DEADLINE) as raw:
        raw.sendall(b"GET /sock/1/app/websocket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
                    b"Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                    b"Sec-WebSocket-Version: 13\r\n\r\n\x81\x03h:0")
        heard = b""
        while piece := raw.recv(4096):
            heard += piece
    frame = heard.partition(b"\r\n\r\n")[2]
    assert frame[0] == 0x88 and frame[2:4] == (1002).to_bytes(2)
    assert b"h:1" not in frame


@pytest.mark.parametrize("headers,status", [
    ({"Host": "evil.example"}, 421), ({"Origin": "http://evil.example"}, 403),
    ({"Origin": "null"}, 403), ({}, 200)])
def test_admin_and_other_sites(serve, headers, status) -> None:
    """Neither a page of another site nor one whose name resolves to this machine reaches the admin."""
    server = serve()
    answer = requests.get(server.admin[1] + "connections", timeout=DEADLINE,
                          headers={"Authorization": f"Bearer {server.admin[2]}"} | headers)
    assert answer.status_code == status


def test_admin(serve) -> None:
    """The admin sees who is there, and asks clients for their state and their log."""
    server = serve()
    client = Client(server.url())
    client.join(channel=3, bucket="notes")
    (connection,) = server.ask("GET", "connections").json()
    assert connection["transport"] == "webSocket"
    (channel,) = connection["channels"]
    assert (channel["channel"], channel["bucket"], channel["clientid"]) == (3, "notes", "c1")
    number = connection["connection"]
    state = {"current": "x", "index": [{"id": "n", "v": 1}], "pending": [], "extra": {}}
    # Whoever asks waits for the answer, so that it is asked for elsewhere.
    asking = Program("curl", "-sS", "-X", "POST", "-H",
                     f"Authorization: Bearer {server.admin[2]}",
                     f"{server.admin[1]}index?connection={number}&channel=3")
    try:
        assert client.next() == "3:index"
        client.send(f"3:index:{json.dumps(state)}")
        assert asking.wait() == 0
    finally:
        asking.kill()
    assert json.loads("".join(asking.output)) == {
        "connection": number, "channel": 3, "bucket": "notes", "state": state}
    assert server.ask("POST", "log", connection=number, level=2).status_code == 204
    assert client.next() == "log:2"
    client.send('log:{"log":"hello"}')
    logs = eventually(lambda: server.ask("GET", "logs").json(), "what the client logged")
    assert logs == [{"connection": number, "log": {"log": "hello"}}]
    assert server.ask("POST", "index", connection=number, channel=9).status_code == 404
    assert server.ask("POST", "log", connection=number, level=7).status_code == 400
    assert requests.get(server.admin[1] + "logs", timeout=DEADLINE).status_code == 401


def test_bounds(serve) -> None:
    """A message that is too large, and a client that does not read, are cut off with a code."""
    server = serve()
    large = Client(server.url())
    large.join()
    large.send("0:c:" + "x" * (9 << 20))
    assert large.closing_code() == 1009
    deaf = Client(server.url(), compression=None, max_queue=1, ping_interval=None)
    # Told ten times of each change.
    for channel in range(10):
        deaf.join(client="deaf", channel=channel)
    author = Client(server.url())
    author.join(client="author")
    for number in range(9):
        made = author.change(id=f"n{number}", d={"t": "x" * 1_000_000})
        assert "error" not in made, made["error"]
    assert deaf.closing_code() == 1008


def test_disk_that_fails(serve, tmp_path) -> None:
    """What cannot be written is told to nobody; clients are cut off and come back."""
    state = tmp_path / "state.db"
    server = serve("--state", state)
    client = Client(server.url())
    client.join()
    made = client.change(id="n", d={"t": 1})
    # Whoever holds the write lock keeps the server from writing.
    other = sqlite3.connect(state, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    client.send('0:c:{"id":"n","o":"M","sv":1,"v":{"t":{"o":"r","v":2}},"ccid":"again"}')
    assert client.closing_code() == 1011
    server.await_line("cannot write the state file", errors=True)
    other.execute("ROLLBACK")
    other.close()
    client = Client(server.url())
    client.join()
    assert client.current() == made["cv"]
    assert client.change(id="n", sv=1, v={"t": {"o": "r", "v": 2}}, ccid="again")["ev"] == 2


def test_idle_connections(serve) -> None:
    """A thousand idle connections take little memory."""
    server = serve()
    first = Client(server.url())
    first.join()
    before = server.peak_memory()
    clients = [Client(server.url(), compression=None) for _ in range(1000)]
    for client in clients:
        client.join()
    assert server.peak_memory() - before < 64 << 20
    made = first.change(id="n", d={})
    assert all(client.changes(client.next()) == [made] for client in clients)
    for client in clients:
        client.socket.socket.close()
