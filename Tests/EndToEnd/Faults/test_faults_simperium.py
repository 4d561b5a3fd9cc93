"""Each action on commands and messages, felt by a client of the `websockets` package."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from faults import (SOCKET, control, dial_fixture, fault, faults, faulty_fixture, feels,
                    simperium_fixture)
from peers import apply_diff
from programs import DEADLINE, eventually
from serving import Client, Server
from websockets.exceptions import ConnectionClosed, ConnectionClosedError
from websockets.sync.server import ServerConnection, serve

__all__ = ["dial_fixture", "faulty_fixture", "simperium_fixture"]


def sent(simperium, pattern: str = r"^\d+:c:") -> list[str]:
    """What a server got from clients."""
    return [text for text in list(simperium.seen) if re.search(pattern, text)]


def quiet(client: Client) -> None:
    """Nothing more has come when a heartbeat is answered."""
    assert client.say("h:100") == "h:101"


# Refusals

@feels("error")
@pytest.mark.parametrize("code", [400, 401, 404, 405, 409, 412, 413, 417, 440, 500, 503, 987])
def test_a_change_is_refused(faulty, dial, simperium, code):
    deck = faulty(simperium.url, f"command:c sender:client => error {code} nth=1")
    client = dial(deck)
    refusal = client.change(id="k", v={"a": {"o": "+", "v": 1}}, ccid="first")
    assert refusal == {"ccids": ["first"], "id": "k", "clientid": "c1", "error": code}
    assert not sent(simperium), "the server never hears of it"
    assert client.change(id="k", v={"a": {"o": "+", "v": 1}}, ccid="first")["ev"] == 1
    assert len(sent(simperium)) == 1
    row = fault(deck, f"error {code}")
    assert row.came.startswith(b"0:c:{") and b'"first"' in row.came
    assert json.loads(row.sent.removeprefix(b"0:c:")) == [refusal]
    assert row.command is not None or deck.sql("SELECT 1 FROM command WHERE name = 'c'")


@feels("error")
def test_a_code_as_text(faulty, dial, simperium):
    client = dial(faulty(simperium.url, "command:c => error 440 as=string"))
    assert client.change(id="k", v={})["error"] == "440"


@feels("error")
def test_a_change_that_the_server_took_is_refused(faulty, dial, simperium):
    deck = faulty(simperium.url, "command:c sender:client => error 503 forwarded first=1")
    client = dial(deck)
    refusal = client.change(id="k", v={"a": {"o": "+", "v": 1}}, ccid="first")
    assert (refusal["error"], refusal["ccids"]) == (503, ["first"])
    assert simperium.data("notes", "k") == {"a": 1}
    assert client.change(id="k", v={"a": {"o": "+", "v": 1}}, ccid="first")["error"] == 409
    row = fault(deck, "error 503")
    assert row.sender == 1 and b'"ev"' in row.came and b'"error":503' in row.sent


@feels("cv-unknown", "change-unknown")
@pytest.mark.parametrize(("action", "said"), [
    ("cv-unknown", "0:cv:?"), ("change-unknown", "0:c:?")])
def test_a_change_version_that_is_unknown(faulty, dial, simperium, action, said):
    deck = faulty(simperium.url, f"command:cv => {action} first=1")
    client = dial(deck)
    assert client.say("0:cv:cv0") == said
    assert not sent(simperium, ":cv:")
    assert client.say("0:cv:cv0") == "0:c:[]"
    row = fault(deck, action)
    assert (row.came, row.sent) == (b"0:cv:cv0", said.encode())


@feels("change-unknown")
def test_a_change_whose_version_is_unknown(faulty, dial, simperium):
    deck = faulty(simperium.url, "command:c => change-unknown nth=1")
    client = dial(deck)
    assert client.say('0:c:{"id":"k","o":"M","v":{},"ccid":"x"}') == "0:c:?"
    assert not sent(simperium)
    fault(deck, "change-unknown")


@feels("entity-unknown")
def test_an_object_whose_version_is_gone(faulty, dial, simperium):
    simperium.change("notes", "a.b", {"a": 1})
    deck = faulty(simperium.url, "command:e => entity-unknown nth=1")
    client = dial(deck)
    assert client.say("0:e:a.b.1") == "0:e:a.b.1\n?"
    assert client.say("0:e:a.b.1") == '0:e:a.b.1\n{"data": {"a": 1}}'
    assert sent(simperium, ":e:") == ["0:e:a.b.1"]
    assert fault(deck, "entity-unknown").sent == b"0:e:a.b.1\n?"


@feels("auth-failure")
@pytest.mark.parametrize(("arguments", "code", "text"), [
    ("", 401, "Token invalid"), (" 400", 400, "Token malformed"),
    (' 500 message="no \\"good\\""', 500, 'no "good"')])
def test_a_token_that_is_refused(faulty, dial, simperium, arguments, code, text):
    deck = faulty(simperium.url, f"command:init => auth-failure{arguments} first=1")
    client = dial(deck, joins=False)
    said = client.join()
    assert json.loads(said.removeprefix("0:auth:")) == {"msg": text, "code": code}
    assert not simperium.seen
    assert client.join() == "0:auth:user@example.com"
    row = fault(deck, "auth-failure")
    assert row.came.startswith(b"0:init:{") and row.sent == said.encode()


@feels("auth-expired")
def test_a_token_that_has_expired(faulty, dial, simperium):
    deck = faulty(simperium.url, "command:init => auth-expired first=1")
    client = dial(deck, joins=False)
    assert client.join() == "0:auth:expired"
    assert json.loads(client.next().removeprefix("0:auth:"))["code"] == 401
    assert not simperium.seen
    assert client.join() == "0:auth:user@example.com"
    assert b"0:auth:expired" in fault(deck, "auth-expired").sent


# What the server says, otherwise

@feels("move-current")
def test_a_current_that_moves_between_pages(faulty, dial, simperium):
    for number in range(5):
        simperium.change("notes", f"k{number}", {"n": number})
    simperium.page_size = 2
    deck = faulty(simperium.url, "command:i sender:server => move-current to=cvX nth=2",
                  "command:i => move-current nth=3")
    client = dial(deck)
    pages = [json.loads(client.say(f"0:i:1:{mark}::2").removeprefix("0:i:"))
             for mark in ("", "2", "4")]
    assert [page["current"] for page in pages[:2]] == ["cv5", "cvX"]
    assert re.fullmatch("[0-9a-f]{24}", pages[2]["current"]), "drawn from the seed"
    assert [entry["id"] for page in pages for entry in page["index"]] == [
        f"k{number}" for number in range(5)]
    first, second = faults(deck, 2)
    assert b"cv5" in first.came and b"cvX" in first.sent
    assert pages[2]["current"].encode() in second.sent


@feels("foreign-ccids")
def test_an_acknowledgement_of_somebody_else(faulty, dial, simperium):
    deck = faulty(simperium.url, "command:c bucket:notes => foreign-ccids first=1")
    client = dial(deck)
    told = client.change(id="k", v={"a": {"o": "+", "v": 1}}, ccid="mine")
    assert len(told["ccids"]) == 1 and told["ccids"] != ["mine"] and told["ev"] == 1
    told = client.change(id="k", v={"b": {"o": "+", "v": 1}}, sv=1, ccid="mine-too")
    assert told["ccids"] == ["mine-too"]
    row = fault(deck, "foreign-ccids")
    assert b'"mine"' in row.came and b'"mine"' not in row.sent


@feels("version-gap")
def test_a_gap_in_the_versions(faulty, dial, simperium):
    simperium.change("notes", "a1", {"n": 1})
    simperium.change("notes", "b1", {"n": 1})
    deck = faulty(simperium.url, "command:c key:a1 => version-gap by=2 nth=1")
    client = dial(deck)
    quiet(client)
    simperium.change("notes", "b1", {"n": 2})
    simperium.change("notes", "a1", {"n": 2})
    simperium.change("notes", "a1", {"n": 3})
    told = [Client.changes(client.next())[0] for _ in range(3)]
    assert [(each["id"], each["sv"], each["ev"]) for each in told] == [
        ("b1", 1, 2), ("a1", 3, 4), ("a1", 2, 3)]
    fault(deck, "version-gap by=2")


@feels("compact")
def test_changes_that_are_joined(faulty, dial, simperium):
    simperium.change("notes", "k", {"n": 1})
    deck = faulty(simperium.url, "command:c sender:server => compact count=3 nth=1")
    client = dial(deck)
    quiet(client)
    for number in (2, 3, 4):
        simperium.change("notes", "k", {"n": number})
    changes = Client.changes(client.next())
    assert len({change["id"] for change in changes}) == len(changes) == 1
    [change] = changes
    assert (change["sv"], change["ev"], len(change["ccids"]), change["cv"]) == (1, 4, 3, "cv4")
    assert apply_diff({"n": 1}, change["v"]) == {"n": 4}
    simperium.change("notes", "k", {"n": 5})
    assert Client.changes(client.next())[0]["sv"] == 4
    rows = faults(deck, 3)
    assert [row.sent == b"" for row in rows] == [True, True, False]


@feels("malformed-delta")
def test_a_delta_that_does_not_fit(faulty, dial, simperium):
    simperium.change("notes", "k", {"text": "Hello"})
    deck = faulty(simperium.url, "command:c sender:server => malformed-delta nth=1")
    client = dial(deck)
    quiet(client)
    for text in ("Hello world", "Hello you"):
        simperium.change("notes", "k", {"text": text})
    first, second = (Client.changes(client.next())[0] for _ in range(2))
    assert re.search(r"=\d{6,}", json.dumps(first["v"])), "it keeps more than there is"
    assert apply_diff({"text": "Hello world"}, second["v"]) == {"text": "Hello you"}
    row = fault(deck, "malformed-delta")
    assert row.came != row.sent and b"=1000000" in row.sent


@feels("wrong-heartbeat")
def test_a_heartbeat_with_a_wrong_number(faulty, dial, simperium):
    deck = faulty(simperium.url, "command:h sender:server => wrong-heartbeat by=5 every=2")
    client = dial(deck)
    assert [client.say(f"h:{number}") for number in (1, 3, 5)] == ["h:2", "h:9", "h:6"]
    assert (fault(deck, occurrence=2).came, fault(deck, occurrence=2).sent) == (b"h:4", b"h:9")


@feels("unknown-channel")
def test_a_channel_that_nobody_opened(faulty, dial, simperium):
    deck = faulty(simperium.url, "command:c => unknown-channel to=77 nth=1")
    client = dial(deck)
    assert client.say('0:c:{"id":"k","o":"M","v":{},"ccid":"x"}').startswith("77:c:[{")
    assert client.say("0:cv:cv1") == "0:c:[]"
    fault(deck, "unknown-channel to=77")


# What nobody sent, what is lost, what comes again

@feels("send")
@pytest.mark.parametrize("text", ["0:index", "log:1", '0:o:{"expose_namespace":false}', "?"])
def test_a_message_that_no_server_sent(faulty, dial, simperium, text):
    deck = faulty(simperium.url, f"command:init sender:client => send {text}")
    client = dial(deck, joins=False)
    assert {client.join(), client.next()} == {"0:auth:user@example.com", text}
    quiet(client)
    assert len(simperium.seen) == 2, "init and h, and nothing else"
    assert fault(deck, "send").sent == text.encode()


@feels("send")
def test_a_message_that_no_client_sent(faulty, dial, simperium):
    deck = faulty(simperium.url, "command:init sender:client => send 0:cv:cv0 to=server")
    client = dial(deck)
    simperium.await_message("^0:cv:cv0$")
    assert client.next() == "0:c:[]"
    fault(deck, "send")


@feels("drop")
def test_commands_that_are_lost(faulty, dial, simperium):
    deck = faulty(simperium.url, "command:c sender:server => drop nth=1 name=answer",
                  "command:c sender:client => drop nth=2 name=change",
                  "command:i sender:server => drop nth=1 name=page")
    client = dial(deck)
    client.send('0:c:{"id":"k","o":"M","v":{},"ccid":"x"}')
    simperium.await_message("^0:c:")
    client.send('0:c:{"id":"j","o":"M","v":{},"ccid":"y"}')
    client.send("0:i:1:::10")
    quiet(client)
    assert len(sent(simperium)) == len(sent(simperium, ":i:")) == 1
    assert client.say("0:i:1:::10").startswith("0:i:{")
    rows = {row.rule: row for row in faults(deck, 3)}
    assert all(row.sent == b"" for row in rows.values())
    assert b'"ev"' in rows["answer"].came and b'"y"' in rows["change"].came
    assert rows["page"].came.startswith(b"0:i:{")


@feels("drop")
def test_a_change_is_lost_with_the_connection(faulty, dial, simperium):
    deck = faulty(simperium.url, "command:c sender:client => drop close")
    client = dial(deck)
    client.send('0:c:{"id":"k","o":"M","v":{},"ccid":"x"}')
    with pytest.raises(ConnectionClosed):
        client.next()
    assert not sent(simperium)
    fault(deck, "drop close")


@feels("repeat")
def test_commands_that_come_twice(faulty, dial, simperium):
    deck = faulty(simperium.url, "command:c sender:server => repeat nth=1",
                  "command:cv sender:client => repeat count=2")
    client = dial(deck)
    client.send('0:c:{"id":"k","o":"M","v":{},"ccid":"x"}')
    first = client.next()
    assert client.next() == first and '"ev"' in first
    client.send("0:cv:cv1")
    assert [client.next() for _ in range(3)] == ["0:c:[]"] * 3
    quiet(client)
    assert len(sent(simperium, ":cv:")) == 3 and len(sent(simperium)) == 1
    assert [row.sender for row in faults(deck, 2)] == [1, 0]


@feels("reorder")
def test_changes_in_the_wrong_order(faulty, dial, simperium):
    deck = faulty(simperium.url, "command:c sender:server => reorder nth=1")
    client = dial(deck)
    for name in ("one", "two", "three"):
        client.send(f'0:c:{{"id":"{name}","o":"M","v":{{}},"ccid":"{name}"}}')
    assert [Client.changes(client.next())[0]["id"] for _ in range(3)] == ["two", "one", "three"]
    fault(deck, "reorder")


@feels("reorder")
def test_what_has_nothing_behind_it_comes_at_last(faulty, dial, simperium):
    deck = faulty(simperium.url, "command:c sender:server => reorder nth=1")
    client = dial(deck)
    began = time.monotonic()
    assert client.change(id="k", v={})["ev"] == 1
    assert 4.5 < time.monotonic() - began


@feels("latency")
def test_an_acknowledgement_that_is_late(faulty, dial, simperium):
    deck = faulty(simperium.url, "command:c sender:server => latency 500ms nth=1")
    client = dial(deck)
    began = time.monotonic()
    assert client.change(id="k", v={})["ev"] == 1
    assert time.monotonic() - began >= 0.48
    row = fault(deck, "latency 500ms")
    assert row.came == row.sent


@feels("close-code")
@pytest.mark.parametrize(("code", "reason"), [(1012, "service restart"), (4000, ""), (1000, "bye")])
def test_a_socket_that_is_closed_with_a_code(faulty, dial, simperium, code, reason):
    rule = f"command:c sender:client => close-code {code}"
    rule += f' reason="{reason}"' if reason else ""
    deck = faulty(simperium.url, rule)
    client = dial(deck)
    client.send('0:c:{"id":"k","o":"M","v":{},"ccid":"x"}')
    with pytest.raises(ConnectionClosed) as closed:
        client.next()
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (code, reason)
    assert not sent(simperium)
    fault(deck, f"close-code {code}")


# Messages of any protocol, plain and compressed

class EndsSeen:
    """A WebSocket server of the `websockets` package: an echo that keeps messages and ends."""

    def __init__(self) -> None:
        self.got: list[str | bytes] = []
        self.ends: list[tuple[int | None, str | None]] = []
        self._server = serve(self._echo, "127.0.0.1", 0, close_timeout=0.3)
        self.url = f"http://127.0.0.1:{self._server.socket.getsockname()[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _echo(self, connection: ServerConnection) -> None:
        try:
            for message in connection:
                self.got.append(message)
                connection.send(message)
        except ConnectionClosedError:
            pass
        self.ends.append((connection.close_code, connection.close_reason))

    def close(self) -> None:
        """Stops listening."""
        self._server.shutdown()


@pytest.fixture(name="echo")
def echo_fixture() -> Iterator[EndsSeen]:
    """Such a server."""
    started = EndsSeen()
    yield started
    started.close()


@pytest.fixture(name="line", params=["deflate", None])
def line_fixture(request, dial) -> Callable[..., Client]:
    """Connects to it, with compression and without."""
    return lambda deck: dial(deck, "/", joins=False, compression=request.param)


TEXTS = [f"a text, number {number}, " * 5 for number in range(6)]


@feels("drop", "repeat", "reorder", "send")
def test_messages(faulty, line, echo):
    deck = faulty(echo.url, "kind:message sender:client => drop nth=2 name=a",
                  "kind:message sender:client => repeat nth=3 name=b",
                  "kind:message sender:server => reorder nth=1 name=c",
                  'kind:message sender:server => send "from nobody" nth=5 name=d')
    client = line(deck)
    for text in TEXTS:
        client.send(text)
    heard = [client.next() for _ in range(7)]
    zero, _, two, three, four, five = TEXTS
    assert echo.got == [zero, two, two, three, four, five]
    # Echoes: zero two | two three four | five; the first goes behind the second.
    assert heard[:2] == [two, zero]
    assert sorted(heard) == sorted([zero, two, two, three, four, five, "from nobody"])
    assert heard.index("from nobody") > heard.index(three)
    assert len(faults(deck, 4)) == 4
    assert client.say("once more") == "once more"


@feels("latency", "slice")
def test_messages_that_are_late_and_in_slices(faulty, line, echo):
    deck = faulty(echo.url, "kind:message sender:server => latency 300ms nth=1",
                  "kind:message sender:client => slice 7 pause=2ms nth=2")
    client = line(deck)
    began = time.monotonic()
    assert client.say(TEXTS[0]) == TEXTS[0]
    assert time.monotonic() - began >= 0.28
    for text in TEXTS[1:]:
        assert client.say(text * 3) == text * 3
    assert len(faults(deck, 2)) == 2


@feels("close-code")
@pytest.mark.parametrize("to", ["client", "server", "both"])
def test_each_side_gets_the_close_message(faulty, line, echo, to):
    deck = faulty(echo.url, f'kind:message => close-code 4321 reason="why not" to={to} nth=3')
    client = line(deck)
    assert client.say("one") == "one"
    client.send("two")
    with pytest.raises(ConnectionClosed) as closed:
        while True:
            client.next()
    if to != "server":
        assert closed.value.rcvd and closed.value.rcvd.code == 4321
    [end] = eventually(lambda: list(echo.ends), "the end at the server")
    if to != "client":
        assert end == (4321, "why not")
    fault(deck, "close-code", occurrence=3)


@feels("close", "reset", "half-close", "cut")
@pytest.mark.parametrize("action", ["close", "reset", "half-close", "cut 10"])
def test_a_socket_that_ends_without_a_word(faulty, line, echo, action):
    deck = faulty(echo.url, f"kind:message sender:server => {action} nth=2")
    client = line(deck)
    assert client.say("one") == "one"
    client.send("a text that is longer than ten bytes")
    with pytest.raises(ConnectionClosedError) as closed:
        while True:
            client.next()
    assert closed.value.rcvd is None, "no close message"
    fault(deck, action, occurrence=2)


@feels("stall", "blackout", "bandwidth")
def test_sockets_where_nothing_moves(faulty, line, echo):
    deck = faulty(echo.url, "kind:message sender:client => blackout for=500ms nth=2",
                  "kind:message sender:client => bandwidth 1000 nth=3",
                  "kind:message sender:client => stall sender=server nth=4")
    client = line(deck)
    assert client.say("one") == "one"
    began = time.monotonic()
    assert client.say("two") == "two"
    assert time.monotonic() - began >= 0.45
    began = time.monotonic()
    noise = "".join(chr(33 + (number * 7919 ^ number >> 3) % 90) for number in range(500))
    assert client.say(noise) == noise
    assert time.monotonic() - began >= 0.3
    client.send("never")
    with pytest.raises(TimeoutError):
        client.socket.recv(2)
    eventually(lambda: "never" in echo.got, "the message at the server")
    assert len(faults(deck, 3)) == 3


@pytest.mark.parametrize("sockjs", [False, True])
def test_through_to_our_server(faulty, program, sockjs):
    """In the frames of SockJS as well: refused, asked, sent again."""
    server = Server()
    try:
        deck = faulty(server.url("", "http"), "command:c sender:client => error 440 first=1",
                      "command:cv => cv-unknown first=1",
                      "command:h => send 0:index to=client nth=1")
        path = "/sock/1/app/000/abcdefgh/websocket" if sockjs else SOCKET
        client = Client(f"ws://{deck.address}{path}", sockjs=sockjs)
        assert client.join().startswith("0:auth:")
        assert client.change(id="k", v={"a": {"o": "+", "v": 1}})["error"] == 440
        assert client.say("0:cv:x") == "0:cv:?"
        assert {client.say("h:1"), client.next()} == {"h:2", "0:index"}
        assert client.change(id="k", d={"a": 1})["ev"] == 1
        client.socket.close()
        assert len(faults(deck, 3)) == 3
    finally:
        server.kill()


# Once, now

@feels("send", "close-code")
def test_an_action_is_fired(faulty, dial, simperium):
    """Through the control interface, at a connection that stands."""
    deck = faulty(simperium.url)
    client = dial(deck)
    connection = control(deck, "GET", "/v1/connections")["connections"][0]["id"]
    control(deck, "POST", "/v1/fire", {"action": "send 0:index", "connection": connection})
    assert client.next() == "0:index"
    control(deck, "POST", "/v1/fire", {"action": 'close-code 1012 reason="service restart"'})
    with pytest.raises(ConnectionClosed) as closed:
        client.socket.recv(DEADLINE)
    assert closed.value.rcvd.code == 1012
    assert [row.action.split()[0] for row in faults(deck, 2)] == ["send", "close-code"]
