"""The requirements of Simperium: the built-in client through the recording proxy to `tapedeck serve`.

Where the server has to do what `tapedeck serve` never does, one of the tests stands in its place.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from peers import ScriptedSimperium
from programs import Recording, eventually
from proves import proves
from serving import Client as Peer
from serving import Server
from simperium_client import TOKEN, Client, server_fixture

__all__ = ["server_fixture"]


@pytest.fixture(name="serving")
def serving_fixture():
    """A running `tapedeck serve`."""
    server = Server()
    yield server
    server.kill()


@pytest.fixture(name="proxy")
def proxy_fixture(serving: Server, record) -> Recording:
    """The proxy before it."""
    return record("--to", serving.url("", "http"))


@pytest.fixture(name="client")
def client_fixture(proxy: Recording, tmp_path: Path, program) -> Callable[[str], Client]:
    """Makes clients, each with a state of its own, that go through the proxy."""
    return lambda name: Client(proxy.url, tmp_path / name, program)


@dataclass(frozen=True)
class Command:
    """A recorded command."""

    sender: int
    channel: int | None
    name: str
    payload: str
    at_ns: int

    @property
    def value(self):
        """The payload as JSON."""
        return json.loads(self.payload)


def sockets(proxy: Recording) -> list[list[Command]]:
    """The commands of each connection, in the order in which clients connected."""
    proxy.finish()
    found: dict[int, list[Command]] = {}
    for connection, *command in proxy.sql(
            "SELECT connection_id, sender, channel, name, payload, at_ns FROM command ORDER BY id"):
        found.setdefault(connection, []).append(Command(*command))
    return [found[connection] for connection in sorted(found)]


def payloads(commands: list[Command], name: str, sender: int) -> list[str]:
    """What was sent with a command."""
    return [command.payload for command in commands if (command.name, command.sender) == (name, sender)]


@proves("S-1", "S-5", "S-9", "S-15", "S-17", "S-18", "S-19", "S-20", "S-22", "S-23", "S-24", "S-25", "S-26",
        "S-27", "S-29", "S-33", "S-35")
def test_first_sync(proxy: Recording, client) -> None:
    """Pages without data and each object by itself; after that, only what has changed."""
    one, two, three = (client(name) for name in ("one", "two", "three"))
    for number in range(3):
        one.run("set", f"k.{number}", f'{{"n":{number}}}')
    two.more = ["--no-data", "--page-size", "2"]
    two.run("sync")
    assert json.loads(two.run("get", "k.1", "--offline").stdout) == {"n": 1}
    two.run("sync")
    three.run("sync")
    two.run("set", "k.1", '{"n":5}')
    *_, begun, again, whole, edited = sockets(proxy)
    assert {(path, status) for path, status in proxy.sql("SELECT path, status FROM exchange")} == {
        ("/sock/1/app/websocket", 101)}
    assert [(command.sender, command.name) for command in begun[:3]] == [(0, "init"), (1, "auth"), (0, "i")]
    init = begun[0].value
    assert init.keys() == {"name", "clientid", "api", "token", "app_id", "library", "version"}
    assert (init["api"], init["token"], init["app_id"], init["name"]) == ("1.1", TOKEN, "app", "notes")
    assert "@" in begun[1].payload
    first, second = [json.loads(page) for page in payloads(begun, "i", 1)]
    assert payloads(begun, "i", 0) == [":::2", f":{first['mark']}::2"]
    assert [len(page["index"]) for page in (first, second)] == [2, 1] and "mark" not in second
    assert first["current"] == second["current"]
    entries = first["index"] + second["index"]
    assert sorted(entries, key=lambda entry: entry["id"]) == [{"id": f"k.{number}", "v": 1} for number in range(3)]
    assert sorted(payloads(begun, "e", 0)) == [f"k.{number}.1" for number in range(3)]
    assert sorted(payloads(begun, "e", 1)) == [f'k.{number}.1\n{{"data":{{"n":{number}}}}}' for number in range(3)]
    assert [(command.sender, command.name, command.payload) for command in again[2:]] == [
        (0, "cv", first["current"]), (1, "c", "[]")]
    (change,) = [json.loads(change) for change in payloads(edited, "c", 0)]
    assert (change["id"], change["sv"], change["v"]) == ("k.1", 1, {"n": {"o": "r", "v": 5}})
    (page,) = [json.loads(page) for page in payloads(whole, "i", 1)]
    assert payloads(whole, "i", 0) == ["1:::100"] and payloads(whole, "e", 0) == []
    assert {entry["id"]: entry["d"] for entry in page["index"]} == {f"k.{number}": {"n": number} for number in range(3)}


@proves("S-4")
def test_buckets_share_a_socket(proxy: Recording, client) -> None:
    """Each has a channel of its own, whose number is before every command."""
    client("one").run("sync", "--bucket", "tags")
    (commands,) = sockets(proxy)
    found = {(command.channel, command.value["name"]) for command in commands if command.name == "init"}
    assert found == {(0, "tags"), (1, "notes")}
    assert {command.channel for command in commands} == {0, 1}


@proves("S-28", "S-31", "S-37", "S-38", "S-39", "S-41", "S-42", "S-43", "S-44", "S-53", "S-54", "S-57", "S-58",
        "S-60", "S-64", "S-66")
def test_changes_reach_everybody(proxy: Recording, client) -> None:
    """One makes, changes and removes; the other has the same, and asks later from the last change on."""
    one, two = client("one"), client("two")
    watcher = two.start("watch", "--json")
    watcher.await_line('"event":"synced"')
    one.run("set", "k", '{"text":"Hello","n":1}')
    one.run("set", "k", '{"text":"Hello world","n":1}')
    watcher.await_line('"Hello world"')
    one.run("set", "j", "{}")
    one.run("delete", "k")
    watcher.await_line('"event":"removed"')
    assert watcher.stop() == 0
    two.run("sync")
    one.run("set", "j", '{"a":1}')
    one.run("set", "j", '{"a":1,"b":2}')
    assert json.loads(two.run("get", "j").stdout) == {"a": 1, "b": 2}
    watched, *authors, again, _, _, late = sockets(proxy)
    sent = [json.loads(payload) for commands in authors for payload in payloads(commands, "c", 0)]
    assert [(each["id"], each["o"], each.get("v"), each.get("sv")) for each in sent] == [
        ("k", "M", {"text": {"o": "+", "v": "Hello"}, "n": {"o": "+", "v": 1}}, None),
        ("k", "M", {"text": {"o": "d", "v": "=5\t+ world"}}, 1), ("j", "M", {}, None), ("k", "-", None, None)]
    assert len({each["ccid"] for each in sent}) == 4
    acknowledged = [json.loads(payload) for commands in authors for payload in payloads(commands, "c", 1)]
    made = [json.loads(payload) for payload in payloads(watched, "c", 1)]
    assert [each for each in acknowledged if each] == made, "the author has the same as everybody"
    made = [change for changes in made for change in changes]
    assert [each["ccids"] for each in made] == [[each["ccid"]] for each in sent]
    assert [(each["id"], each["o"], each.get("v"), each.get("sv"), each["ev"]) for each in made] == [
        (sent["id"], sent["o"], sent.get("v"), source, end)
        for sent, source, end in zip(sent, (None, 1, None, 2), (1, 2, 1, 3), strict=True)]
    assert {each["clientid"] for each in made} == {authors[0][0].value["clientid"]}
    assert len({each["cv"] for each in made}) == 4
    # Whoever comes again asks from the last change on that it has applied.
    assert payloads(again, "cv", 0) == [made[-1]["cv"]] and payloads(again, "c", 1) == ["[]"]
    assert payloads(late, "cv", 0)[0] == made[-1]["cv"]
    missed = json.loads(payloads(late, "c", 1)[0])
    assert [(each["sv"], each["ev"]) for each in missed] == [(1, 2), (2, 3)]


@proves("S-30", "S-43", "S-45", "S-46")
def test_changes_of_clients_in_their_other_forms(proxy: Recording) -> None:
    """Several in an array, each answered by itself, and one with the whole object."""
    one = Peer(f"ws://{proxy.address}/sock/1/app/websocket")
    one.join()
    both = [{"id": key, "o": "M", "v": {"n": {"o": "+", "v": 1}}, "ccid": ccid}
            for key, ccid in (("a", "0a"), ("b", "0b"))]
    answers = [one.changes(one.say(f"0:c:{json.dumps(both)}"))]
    while sum(len(answer) for answer in answers) < 2:
        answers.append(one.changes(one.next()))
    assert [(each["id"], each["ev"]) for answer in answers for each in answer] == [("a", 1), ("b", 1)]
    assert one.change(id="a", sv=1, d={"whole": True})["ev"] == 2
    assert one.say("0:e:a.2") == '0:e:a.2\n{"data":{"whole":true}}'
    assert one.say("0:e:a.3") == "0:e:a.3\n?"


@proves("S-58", "S-59", "S-64")
def test_what_was_edited_meanwhile_stays(proxy: Recording, client) -> None:
    """An edit is merged with what others changed, and survives their removal."""
    one, two = client("one"), client("two")
    for key in ("changed", "removed", "gone"):
        one.run("set", key, '{"a":1,"b":1}')
    two.run("sync")
    for key in ("changed", "removed"):
        two.run("set", key, '{"a":1,"b":2}', "--offline")
    one.run("set", "changed", '{"a":2,"b":1}')
    one.run("delete", "removed")
    one.run("delete", "gone")
    two.run("sync")
    assert json.loads(one.run("get", "changed").stdout) == {"a": 2, "b": 2}
    assert json.loads(one.run("get", "removed").stdout)["b"] == 2
    two.run("get", "gone", status=1, said="there is no object gone")


@proves("S-32", "S-36")
def test_a_change_version_that_is_not_known(proxy: Recording, client, record, tmp_path) -> None:
    """Another server knows neither the state nor the objects; the index is read again."""
    mine = client("one")
    mine.run("set", "old", "{}")
    other = Server()
    try:
        second = record("--to", other.url("", "http"), to=tmp_path / "second.tape")
        Client(second.url, tmp_path / "two", None).run("set", "new", '{"n":1}')
        mine.url = second.url
        assert json.loads(mine.run("get", "new").stdout) == {"n": 1}
        *_, commands = sockets(second)
    finally:
        other.kill()
    assert [(command.sender, command.name) for command in commands] == [
        (0, "init"), (1, "auth"), (0, "cv"), (1, "cv"), (0, "i"), (1, "i")]
    assert payloads(commands, "cv", 1) == ["?"]


@proves("S-7")
def test_a_token_of_the_auth_api(proxy: Recording, client) -> None:
    """The user signs in, and the token that comes is the one of the `init`."""
    mine = client("one")
    mine.who, mine.environment = ["--user", "ada"], {"TAPEDECK_PASSWORD": "secret"}
    mine.run("set", "k", "{}")
    (commands,) = sockets(proxy)
    ((url, body),) = proxy.sql("SELECT path, response_body FROM exchange WHERE method = 'POST' AND status = 200")
    assert url.startswith("/1/app/authorize")
    assert commands[0].value["token"] == json.loads(body)["access_token"]


@proves("S-68", "S-69", "S-70", "S-71", "S-72", "S-73", "S-74")
def test_the_server_asks_for_state_and_log(serving: Server, proxy: Recording, client) -> None:
    """The state of a bucket on its channel; the log for all of the connection, until it is switched off."""
    one, two = client("one"), client("two")
    one.run("set", "k", '{"n":1}')
    watcher = two.start("watch", "--json")
    watcher.await_line('"event":"synced"')
    (connection,) = serving.ask("GET", "connections").json()
    number = connection["connection"]
    said = serving.ask("POST", "index", connection=number, channel=0).json()["state"]
    assert said.keys() == {"current", "index", "pending", "extra"}
    assert said["index"] == [{"id": "k", "v": 1}] and said["pending"] == []
    assert serving.ask("POST", "log", connection=number, level=1).status_code == 204
    (entry,) = eventually(lambda: serving.ask("GET", "logs").json(), "what the client logs")
    one.run("set", "k", '{"n":2}')
    watcher.await_line('"n":2')
    assert serving.ask("POST", "log", connection=number, level=2).status_code == 204
    one.run("set", "k", '{"n":3}')
    watcher.await_line('"n":3')
    eventually(lambda: [each for each in serving.ask("GET", "logs").json() if "at version 3" in each["log"]["log"]],
               "that the client logs the change")
    assert serving.ask("POST", "log", connection=number, level=0).status_code == 204
    one.run("set", "k", '{"n":4}')
    watcher.await_line('"n":4')
    assert watcher.stop() == 0
    assert not [each for each in serving.ask("GET", "logs").json() if "version 4" in each["log"]["log"]]
    commands = sockets(proxy)[1]
    asked, answered = [command for command in commands if command.name == "index"]
    assert (asked.sender, asked.channel, asked.payload) == (1, 0, "")
    assert (answered.sender, answered.channel, answered.value) == (0, 0, said)
    logs = [command for command in commands if command.name == "log"]
    assert {command.channel for command in logs} == {None}
    assert [command.payload for command in logs if command.sender] == ["1", "2", "0"]
    assert logs[1].value == entry["log"] and all(command.value["log"] for command in logs if not command.sender)
    assert (logs[0].payload, logs[2].payload, logs[-1].payload) == ("1", "2", "0"), "with 1 no more than what is odd"


@proves("S-49", "S-50", "S-51", "S-52")
def test_heartbeats(proxy: Recording, client, server: ScriptedSimperium, tmp_path, program) -> None:
    """After 20 s without a word, answered at once with the number after it, which the next one goes on from.

    Meanwhile a server that says nothing any more is left, and connected to again.
    """
    mute = Client(server.url, tmp_path / "mute", program).start("watch", "--json")
    watcher = client("one").start("watch", "--bucket", "tags", "--json")
    for each in (mute, watcher):
        each.await_line('"event":"synced"')
    server.on("^h:", times=100)
    server.await_message("^h:0$")
    for count in (1, 3):
        proxy.eventually_sql(f"SELECT 1 FROM command WHERE name = 'h' LIMIT 1 OFFSET {count}")
    server.await_message(":init:", count=2)
    assert (mute.stop(), watcher.stop()) == (0, 0)
    (commands,) = sockets(proxy)
    place = next(place for place, command in enumerate(commands) if command.name == "h")
    assert [(command.sender, command.channel, command.payload) for command in commands[place:place + 4]] == [
        (0, None, "0"), (1, None, "1"), (0, None, "2"), (1, None, "3")]
    times = [command.at_ns for command in commands[place - 1:place + 4]]
    assert all(15e9 < times[beat] - times[beat - 1] < 25e9 for beat in (1, 3)), times
    assert all(times[answer] - times[answer - 1] < 1e9 for answer in (2, 4)), times


@pytest.fixture(name="scripted")
def scripted_fixture(server: ScriptedSimperium, record, tmp_path, program) -> Callable[..., tuple[Client, Recording]]:
    """A client with the object k at its first version, and the proxy before a server of the tests."""
    def start() -> tuple[Client, Recording]:
        proxy = record("--to", server.url)
        client = Client(proxy.url, tmp_path / "state", program)
        client.run("set", "k", '{"text":"one two","n":1}')
        server.seen.clear()
        return client, proxy

    return start


def changed_by_another(server: ScriptedSimperium, **other) -> str:
    """The newest change of the server as its `c`, with other members."""
    return f"0:c:{json.dumps([server.log['notes'][-1] | other])}"


@proves("S-40")
def test_a_change_of_several_versions(server, scripted) -> None:
    """Two changes that the server has made one are applied as one, and nothing is loaded."""
    client, proxy = scripted()
    server.change("notes", "k", {"text": "one two", "n": 2})
    server.change("notes", "k", {"text": "one two", "n": 3})
    server.on("^0:cv:", changed_by_another(server, sv=1, ev=3, v={"n": {"o": "r", "v": 3}}))
    assert json.loads(client.run("get", "k").stdout)["n"] == 3
    client.run("set", "k", '{"text":"one two","n":4}')
    assert server.data("notes", "k") == {"text": "one two", "n": 4}
    commands = [command for each in sockets(proxy) for command in each]
    assert payloads(commands, "e", 0) == [] and json.loads(payloads(commands, "c", 0)[-1])["sv"] == 3


@proves("S-55")
def test_an_object_that_is_not_there_is_loaded(server, scripted) -> None:
    """A change of it comes alone, without those that made it."""
    client, proxy = scripted()
    server.change("notes", "other", {"n": 1})
    server.change("notes", "other", {"n": 2})
    server.on("^0:cv:", changed_by_another(server))
    assert json.loads(client.run("get", "other").stdout) == {"n": 2}
    assert payloads(sockets(proxy)[-1], "e", 0) == ["other.2"]


@proves("S-56", "S-61", "S-62")
@pytest.mark.parametrize("changed", [
    {}, {"sv": 1, "v": {"text": {"o": "d", "v": "=99\t+x"}}}, {"sv": 1, "v": {"none": {"o": "d", "v": "=1"}}}],
    ids=["other version", "delta of another text", "of a member that is not there"])
def test_a_change_that_does_not_fit_loads_the_object(server, scripted, changed) -> None:
    """Its source version is another one, or its diff cannot be applied."""
    client, proxy = scripted()
    server.change("notes", "k", {"text": "one", "n": 2})
    server.change("notes", "k", {"text": "two", "n": 3})
    server.on("^0:cv:", changed_by_another(server, **changed))
    assert json.loads(client.run("get", "k").stdout) == {"text": "two", "n": 3}
    assert payloads(sockets(proxy)[-1], "e", 0) == ["k.3"]


@proves("S-63")
def test_an_edit_is_carried_over_what_was_loaded(server, scripted) -> None:
    """Text that both changed, and a member of each, are there afterwards."""
    client, proxy = scripted()
    client.run("set", "k", '{"text":"one two three","n":1,"mine":true}', "--offline")
    server.change("notes", "k", {"text": "zero one two", "n": 2})
    server.change("notes", "k", {"text": "zero one two", "n": 3})
    server.on("^0:cv:", changed_by_another(server))
    client.run("sync")
    assert server.data("notes", "k") == {"text": "zero one two three", "n": 3, "mine": True}
    commands = sockets(proxy)[-1]
    assert payloads(commands, "e", 0) == ["k.3"] and json.loads(payloads(commands, "c", 0)[-1])["sv"] == 3
