"""Proves with real clients: an add-on decides about requests, responses, messages and commands while they pass; what it
lets pass stays byte for byte; and whatever is wrong with it, traffic goes on and the trace says so."""

from __future__ import annotations

import json

import pytest
import requests
from addons import BROKEN, HELLO, write_addon, write_program
from programs import TAPEDECK, eventually, tapedeck
from websockets.sync.client import connect

SOCKET = "/sock/1/app/websocket"


@pytest.fixture(name="client")
def client_fixture():
    """A client without the proxies of the machine."""
    with requests.Session() as session:
        session.trust_env = False
        yield session


def test_requests_and_responses(record, origin, client, tmp_path) -> None:
    """Each verdict does what it says, and the trace has both sides."""
    command = write_addon(tmp_path, """
@on("path:/edited")
def edit(event):
    event.edit('{"new": true}', path="/elsewhere?a=b", headers={"X-New": "1", "User-Agent": None})
@on("path:/answered")
def answer(event):
    event.answer(418, {"short": "stout"}, {"Content-Type": "application/json"})
@on("path:/dropped")
def drop(event):
    event.drop()
@on("path:/late")
def late(event):
    event.delay(0.3)
@on("path:/response", "response")
def response(event):
    event.edit(event.text.upper(), status=299, headers={"X-Seen": str(event.status)})
    event.mark("seen")
    event.note(event.url)
@on("path:/coded/gzip", "response", bytes=True)
def coded(event):
    event.edit(event.bytes[:10])
@on("path:/passed")
def passed(event):
    pass
""")
    proxy = record("--to", origin.url, "--addon", command)
    seen = len(origin.seen)
    assert client.post(f"{proxy.url}/edited", data="old", timeout=30).json() == {"new": True}
    method, path, headers, content = origin.seen[seen]
    assert (method, path, content) == ("POST", "/elsewhere?a=b", b'{"new": true}')
    assert headers["X-New"] == "1" and headers["User-Agent"] is None
    answered = client.get(f"{proxy.url}/answered", timeout=30)
    assert (answered.status_code, answered.json()) == (418, {"short": "stout"})
    assert len(origin.seen) == seen + 1
    with pytest.raises(requests.ConnectionError):
        client.post(f"{proxy.url}/dropped", data="x", timeout=30)
    assert len(origin.seen) == seen + 1
    assert client.get(f"{proxy.url}/late", timeout=30).json()["path"] == "/late"
    changed = client.post(f"{proxy.url}/response", data="text", timeout=30)
    assert (changed.status_code, changed.text, changed.headers["X-Seen"]) == (299, "TEXT", "200")
    assert client.get(f"{proxy.url}/coded/gzip", timeout=30).text == "coded text"
    assert client.post(f"{proxy.url}/passed", data="x" * 100_000, timeout=30).text == "x" * 100_000
    proxy.finish()
    rows = proxy.sql("SELECT rule, action, problem FROM intervention ORDER BY id")
    assert {(rule.split(" ")[1], action.split("outcome=")[1]) for rule, action, _ in rows} == {
        ("addon.py", "edited"), ("addon.py", "answered"), ("addon.py", "dropped")}
    assert len(rows) == 5 and {problem for *_, problem in rows} == {None}
    assert proxy.sql("SELECT name FROM mark") == [("seen",)]
    [(note,)] = proxy.sql("SELECT detail FROM event WHERE kind = 'note'")
    assert note.startswith("addon.py: http://127.0.0.1:") and note.endswith("/response")


def test_a_client_that_connects_is_an_event(record, origin, client, tmp_path) -> None:
    command = write_addon(tmp_path, """
@on("", "connection")
def connected(event):
    event.note(f"{event.kind} {event.connection_id} {event.client} {event.mode}")
""")
    script = tmp_path / "connected.lua"
    script.write_text('on("", "connection", function(event) event:mark(event.client) end)')
    proxy = record("--to", origin.url, "--addon", command, "--addon", str(script))
    for _ in range(2):
        assert client.get(f"{proxy.url}/x", timeout=30).status_code == 200
    proxy.finish()
    rows = proxy.sql("SELECT id, client, mode FROM connection")
    assert proxy.sql("SELECT connection_id, detail FROM event WHERE kind = 'note'") == [
        (number, f"addon.py: connection {number} {address} {mode}") for number, address, mode in rows]
    assert proxy.sql("SELECT name FROM mark") == [(address,) for _, address, _ in rows]


@pytest.mark.parametrize("compression", ["deflate", None])
def test_messages(record, echo_socket, tmp_path, compression) -> None:
    """Messages are edited, dropped, delayed and added, in order, with and without compression."""
    command = write_addon(tmp_path, """
@on("sender:client", "message")
def ask(event):
    text = event.payload
    if text.startswith("edit"): event.edit(text + " edited")
    elif text.startswith("drop"): event.drop()
    elif text.startswith("late"): event.delay(0.2)
    elif text.startswith("more"): event.send("and more", to="client")
""")
    server = echo_socket(compression)
    proxy = record("--to", server.url, "--addon", command)
    with connect(f"ws://{proxy.address}{SOCKET}", compression=compression, proxy=None, max_size=None) as socket:
        texts = [f"{verb} {number}" for number in range(40) for verb in ("pass", "edit", "drop", "late", "more")]
        texts = texts[:25] + [text for text in texts[25:] if not text.startswith("late")]
        for text in texts:
            socket.send(text)
        wanted = [text + " edited" if text.startswith("edit") else text
                  for text in texts if not text.startswith("drop")]
        found: list[str] = []
        extra = 0
        while len(found) < len(wanted):
            text = socket.recv(30)
            if text == "and more":
                extra += 1
            else:
                found.append(text)
        assert found == wanted
        socket.send(["pass in ", "three ", "frames"])
        socket.send(["edit in ", "three ", "frames"])
        received = []
        while len(received) < 2:
            text = socket.recv(30)
            received += [text] if text != "and more" else []
        assert received == ["pass in three frames", "edit in three frames edited"]
    proxy.finish()
    assert proxy.sql("SELECT count(*) FROM message WHERE problem IS NOT NULL") == [(0,)]


@pytest.mark.parametrize("compression", ["deflate", None])
def test_a_script_in_lua(record, echo_socket, origin, client, tmp_path, compression) -> None:
    """It decides at once; what it lets pass stays compressed as it was."""
    script = tmp_path / "quick.lua"
    script.write_text("""
on('sender:client', 'message', function(event)
  if event.payload:sub(1, 4) == 'edit' then event:edit(event.payload:upper())
  elseif event.payload:sub(1, 4) == 'drop' then event:drop() end
end)
on('path:/answer', function(event) event:answer(404, {lua = true}) end)
on('path:/edit', 'response', function(event) event:edit(event.text .. '!') end)
""")
    server = echo_socket(compression)
    proxy = record("--to", server.url, "--addon", script)
    with connect(f"ws://{proxy.address}{SOCKET}", compression=compression, proxy=None) as socket:
        for text in [f"{verb} {number}" for number in range(50) for verb in ("pass", "edit", "drop")]:
            socket.send(text)
        for number in range(50):
            assert [socket.recv(30), socket.recv(30)] == [f"pass {number}", f"EDIT {number}"]
    proxy.finish()
    assert len(proxy.sql("SELECT id FROM intervention")) == 100
    other = record("--to", origin.url, "--addon", script, to=tmp_path / "http.tape")
    answered = client.get(f"{other.url}/answer", timeout=30)
    assert (answered.status_code, answered.json()) == (404, {"lua": True})
    assert client.post(f"{other.url}/edit", data="a", timeout=30).text == "a!"
    other.finish()


def test_commands(record, program, tmp_path) -> None:
    """A Simperium change is edited on its way, and what passes has no fault."""
    server = program(TAPEDECK, "serve", "--listen", "127.0.0.1:0")
    address = server.await_line(r"^listening on (\S+)$")[1]
    command = write_addon(tmp_path, """
@on("bucket:notes command:c sender:client")
def change(event):
    event.edit(event.text.replace("abc", "xyz"))
""")
    proxy = record("--to", f"http://{address}", "--addon", command)
    with connect(f"ws://{proxy.address}/sock/1/test-app/websocket", proxy=None) as socket:
        socket.send('0:init:{"name":"notes","clientid":"test-1","app_id":"test-app","api":"1.1",'
                    '"token":"0123456789abcdef0123456789abcdef","library":"test","version":"1"}')
        assert socket.recv(30).startswith("0:auth:")
        socket.send('0:c:{"clientid":"test-1","id":"note-1","o":"M","v":{"title":{"o":"+","v":'
                    '"abc"}},"ccid":"0123456789abcdef0123456789abcdef"}')
        reply = socket.recv(30)
        assert json.loads(reply.removeprefix("0:c:"))[0]["v"]["title"]["v"] == "xyz", reply
    proxy.finish()
    [(action,)] = proxy.sql("SELECT action FROM intervention")
    assert "outcome=edited" in action


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_add_on_holds_nothing_up(record, origin, client, tmp_path, name) -> None:
    """Traffic goes on as it was, the trace has a warning, and the program is started again."""
    lines, reported = BROKEN[name]
    program = write_program(tmp_path, HELLO + lines)
    deadline = "300ms" if name == "hangs" else "30s"
    proxy = record("--to", origin.url, "--addon", program, "--addon-deadline", deadline)
    for number in range(3):
        assert client.post(f"{proxy.url}/{number}", data="same", timeout=30).text == "same"
    warnings = eventually(lambda: [row for row in proxy.sql("SELECT detail FROM event WHERE kind = 'warning'")
                                   if reported in row[0]], f"a warning with: {reported}")
    assert warnings[0][0].startswith("the add-on program.py: ")
    proxy.await_line("it is started again in 1 s", errors=True)
    proxy.finish()


def test_it_is_started_again(record, origin, client, tmp_path) -> None:
    """After it died it judges again."""
    program = write_program(tmp_path, """
read(); say(hello=1, on=[{"kinds": ["request"]}])
while (line := read())["event"] != "end":
    if line["path"] == "/die": os._exit(3)
    say(id=line["id"], verdict="answer", status=404)
""")
    proxy = record("--to", origin.url, "--addon", program)
    assert client.get(f"{proxy.url}/a", timeout=30).status_code == 404
    assert client.get(f"{proxy.url}/die", timeout=30).status_code == 200
    eventually(lambda: client.get(f"{proxy.url}/b", timeout=30).status_code == 404, "it judges again")
    proxy.finish()


def test_watching_and_two_add_ons(record, origin, client, tmp_path) -> None:
    """One that watches is not waited for; of two, the first that does not let pass decides."""
    watcher = write_program(tmp_path, """
read(); say(hello=1, on=[{"kinds": ["request"], "watch": True}])
event = read()
while read()["event"] != "end": pass
say(id=event["id"], verdict="note", text="late and welcome")
""", "watcher.py")
    first = write_addon(tmp_path, """
@on("path:/first")
def first(event): event.answer(404)
@on("path:/second")
def second(event): pass
""", "first.py")
    second = write_addon(tmp_path, """
@on("path:/first or path:/second")
def both(event): event.answer(410)
""", "second.py")
    proxy = record("--to", origin.url, "--addon", watcher, "--addon", first, "--addon", second)
    assert client.get(f"{proxy.url}/first", timeout=30).status_code == 404
    assert client.get(f"{proxy.url}/second", timeout=30).status_code == 410
    assert client.get(f"{proxy.url}/third", timeout=30).status_code == 200
    proxy.finish()


def test_one_that_does_not_run(ca_dir, tmp_path) -> None:
    """Nothing is recorded, and the status says so."""

    done = tapedeck("record", tmp_path / "x.tape", "--ca-dir", ca_dir, "--listen", "127.0.0.1:0",
                    "--addon", "exit 3", status=1)
    assert "it exited with status 3" in done.stderr and "does not run" in done.stderr
