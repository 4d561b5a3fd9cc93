"""What `tapedeck client simperium` does about every error of a server.

The rules are those of the Simperium specification, "Handling Change Errors" and "Authorizing".
"""

from __future__ import annotations

import json
import re
import socket

import pytest
from peers import ScriptedSimperium
from proves import proves
from simperium_client import Client, changes, client_fixture, refuse, server_fixture

__all__ = ["client_fixture", "server_fixture"]


def begin(server: ScriptedSimperium, client: Client) -> None:
    """An object that client and server have; what was said until then is forgotten."""
    client.run("set", "k", '{"a":1}')
    server.seen.clear()


def after_refusal(server: ScriptedSimperium) -> list[str]:
    """What the client said after the first change that it sent."""
    place = next(number for number, text in enumerate(server.seen) if ":c:" in text)
    return server.seen[place + 1:]


def is_over(server: ScriptedSimperium, client: Client) -> None:
    """Nothing waits to be sent, and other objects go their way."""
    count = len(changes(server))
    client.run("sync")
    client.run("set", "other", '{"b":1}')
    assert [change["id"] for change in changes(server)[count:]] == ["other"]
    assert server.data("notes", "other") == {"b": 1}


@proves("S-83")
def test_400_is_not_sent_again_until_something_changes(server, client):
    begin(server, client)
    refuse(server, 400)
    client.run("set", "k", '{"a":2}', status=65,
               said="k was refused with 400.*correct the key or the data")
    assert after_refusal(server) == []
    is_over(server, client)
    client.run("set", "k", '{"a":3}')
    assert server.data("notes", "k") == {"a": 3}


@proves("S-84")
def test_401_with_a_token_ends_and_keeps_the_edit(server, client):
    begin(server, client)
    refuse(server, 401)
    client.run("set", "k", '{"a":2}', status=65, said=r"another one.*\(401\).*1 unsent object is kept")
    assert after_refusal(server) == []
    client.run("sync")
    first, second = changes(server, "k")
    assert first == second, "it is the same change, with another token"
    assert server.data("notes", "k") == {"a": 2}


@pytest.fixture(name="user")
def user_fixture(server: ScriptedSimperium, client: Client) -> Client:
    """A client that gets its tokens from the auth API."""
    server.users, server.tokens = {"ada": "secret"}, set()
    client.who = ["--user", "ada"]
    client.environment = {"TAPEDECK_PASSWORD": "secret"}
    return client


def tokens(server: ScriptedSimperium) -> list[str]:
    """The tokens that were offered, in order."""
    return [json.loads(text.partition(":init:")[2])["token"] for text in server.seen
            if ":init:" in text]


@proves("S-84")
def test_401_with_a_user_gets_another_token(server, user):
    begin(server, user)
    refuse(server, 401)
    user.run("set", "k", '{"a":2}')
    one, two = tokens(server)
    assert one != two
    first, second = changes(server, "k")
    assert first == second
    assert server.data("notes", "k") == {"a": 2}


def test_401_with_another_token_as_well_is_refused_for_good(server, user):
    begin(server, user)
    refuse(server, 401, times=2)
    user.run("set", "k", '{"a":2}', status=65, said="k was refused with 401.*permission")
    assert len(tokens(server)) == 2
    is_over(server, user)


@proves("S-14")
@pytest.mark.parametrize("refusal", ["0:auth:expired",
                                     '0:auth:{"msg":"Token invalid","code":401}'])
def test_a_token_that_expires_while_it_is_used(server, user, refusal):
    watcher = user.start("watch", "--json")
    watcher.await_line('"event":"synced"')
    server.say(refusal)
    server.await_message(":init:", count=2)
    server.change("notes", "k", {"a": 1})
    watcher.await_line('"event":"changed"')
    assert len(server.requests) == 2
    assert watcher.stop() == 0


def test_an_expired_token_is_for_later(server, client):
    server.on(":init:", "0:auth:expired", '0:auth:{"msg":"Token invalid","code":401}')
    client.run("set", "k", '{"a":1}', status=75, said="expired.*another one.*is kept in .*state")
    assert len(server.seen) == 1
    client.run("sync")
    assert server.data("notes", "k") == {"a": 1}


@proves("S-15")
@pytest.mark.parametrize(("code", "said"), [(400, "malformed"), (401, "another one"),
                                            (500, "refuses the bucket")])
def test_a_token_that_is_refused(server, client, code, said):
    server.on(":init:", f'0:auth:{{"msg":"no","code":{code}}}')
    client.run("set", "k", '{"a":1}', status=65, said=f"{said}.*is kept in .*state")
    assert len(server.seen) == 1, "nothing is sent without authorization"
    client.run("sync")
    assert server.data("notes", "k") == {"a": 1}


@pytest.mark.parametrize("code", [429, 500, 503])
def test_an_auth_api_that_fails_is_asked_again(server, user, code):
    answers = [(code, "not now")]
    usual = server.authorize

    def authorize(head: str, said: dict):
        return answers.pop() if answers else usual(head, said)

    server.authorize = authorize
    user.run("set", "k", '{"a":1}')
    assert server.data("notes", "k") == {"a": 1}
    answers += [(code, "not now")] * 100
    user.run("set", "k", '{"a":2}', patience=1, status=75,
             said=f"the auth API answered {code}; try again.*is kept in .*state")
    answers.clear()
    user.run("sync")
    assert server.data("notes", "k") == {"a": 2}


def test_an_auth_api_that_is_dead(server, user):
    alive = user.url
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        user.url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
    user.run("set", "k", '{"a":1}', status=69, said="no server: connection refused.*is kept in")
    user.url = alive
    user.environment = {"TAPEDECK_PASSWORD": "wrong"}
    user.run("sync", status=65, said="check --user and the password; 1 unsent object is kept in")
    user.environment = {"TAPEDECK_PASSWORD": "secret"}
    user.run("sync")
    assert server.data("notes", "k") == {"a": 1}


@proves("S-85")
def test_404_sends_the_whole_object(server, client):
    begin(server, client)
    del server.objects["notes"]["k"]
    client.run("set", "k", '{"a":2,"b":3}')
    first, second = changes(server, "k")
    assert "d" not in first and second["d"] == {"a": 2, "b": 3} and "sv" not in second
    assert second["ccid"] != first["ccid"]
    assert server.data("notes", "k") == {"a": 2, "b": 3}
    is_over(server, client)


def test_404_for_a_removal_is_what_was_wanted(server, client):
    begin(server, client)
    refuse(server, 404)
    client.run("delete", "k")
    assert after_refusal(server) == []
    is_over(server, client)


@proves("S-86")
def test_405_reloads_the_object_and_sends_it_whole(server, client):
    begin(server, client)
    refuse(server, 405)
    client.run("set", "k", '{"a":2}')
    first, second = changes(server, "k")
    assert after_refusal(server)[0] == "0:e:k.1", "it asks before it sends again"
    assert second["sv"] == 1 and second["d"] == {"a": 2} and second["ccid"] != first["ccid"]
    assert server.data("notes", "k") == {"a": 2}
    is_over(server, client)


def test_405_without_end_is_given_up(server, client):
    begin(server, client)
    refuse(server, 405, times=50)
    client.run("set", "k", '{"a":2}', status=65, said="k was refused with 405.*store it again")
    assert len(changes(server, "k")) <= 4
    ccids = [change["ccid"] for change in changes(server, "k")]
    assert len(set(ccids)) == len(ccids)
    server._rules.clear()
    is_over(server, client)


@proves("S-87")
def test_409_asks_what_happened(server, client):
    """The change that was made before is in the answer."""
    begin(server, client)

    def make(text: str) -> list[str]:
        change = json.loads(text.partition(":c:")[2])
        server._made("notes", change, "somebody")
        return [f'0:c:[{{"ccids":["{change["ccid"]}"],"id":"k","error":409}}]']

    server.on("^0:c:", make)
    client.run("set", "k", '{"a":2}')
    assert after_refusal(server)[0] == "0:cv:cv1"
    assert len(changes(server, "k")) == 1, "a duplicate is not sent again"
    assert server.data("notes", "k") == {"a": 2}
    is_over(server, client)


@proves("S-88")
def test_409_whose_change_is_not_told_reloads_the_object(server, client):
    begin(server, client)
    server.objects["notes"]["k"].append({"a": 2})
    refuse(server, 409)
    client.run("set", "k", '{"a":2}')
    asked = after_refusal(server)
    assert asked[0].startswith("0:cv:")
    assert any(re.match("0:(e:k|i:)", text) for text in asked[1:]), asked
    assert len(changes(server, "k")) == 1
    assert json.loads(client.run("get", "k").stdout) == {"a": 2}
    is_over(server, client)


@proves("S-89")
def test_412_stops(server, client):
    begin(server, client)
    refuse(server, 412)
    client.run("set", "k", '{"a":2}')
    assert after_refusal(server) == []
    is_over(server, client)


@proves("S-90")
def test_413_is_given_up_until_it_is_smaller(server, client):
    begin(server, client)
    refuse(server, 413)
    client.run("set", "k", '{"a":123456}', status=65, said="k was refused with 413.*make .*smaller")
    assert after_refusal(server) == []
    client.run("set", "k", '{"a":1234567}', status=65, said="held back")
    is_over(server, client)
    client.run("set", "k", '{"a":12}')
    assert server.data("notes", "k") == {"a": 12}


@proves("S-91")
@pytest.mark.parametrize("code", [417, 440])
def test_the_whole_object_is_sent(server, client, code):
    begin(server, client)
    refuse(server, code)
    client.run("set", "k", '{"a":2}')
    first, second = changes(server, "k")
    assert "d" not in first and second["d"] == {"a": 2} and second["sv"] == 1
    assert second["ccid"] != first["ccid"]
    assert server.data("notes", "k") == {"a": 2}
    is_over(server, client)


def test_440_for_the_whole_object_is_given_up(server, client):
    begin(server, client)
    refuse(server, 440, times=2)
    client.run("set", "k", '{"a":2}', status=65, said="k was refused with 440")
    assert len(changes(server, "k")) == 2
    is_over(server, client)


@proves("S-92")
@pytest.mark.parametrize("code", [500, 503, 599])
def test_a_server_in_trouble_gets_the_same_again(server, client, code):
    begin(server, client)
    refuse(server, code)
    client.run("set", "k", '{"a":2}')
    first, second = changes(server, "k")
    assert first == second
    is_over(server, client)


def test_a_server_in_trouble_for_long_is_for_later(server, client):
    begin(server, client)
    refuse(server, 503, times=1000)
    client.run("set", "k", '{"a":2}', patience=2, status=75,
               said="not acknowledged it after 2 s; try again; 1 unsent object is kept in")
    assert len(changes(server, "k")) <= 4, "the pauses grow"
    server._rules.clear()
    client.run("sync")
    assert len({change["ccid"] for change in changes(server, "k")}) == 1


@proves("S-67")
def test_an_error_as_the_specification_writes_it(server, client):
    """Its code is text."""
    begin(server, client)
    server.on("^0:c:", '0:c:[{"clientid":"x","id":"{id}","error":"440","ccids":["{ccid}"]}]')
    client.run("set", "k", '{"a":2}')
    assert changes(server, "k")[1]["d"] == {"a": 2}


def test_an_error_for_another_client_changes_nothing(server, client):
    begin(server, client)
    server.on("^0:c:", '0:c:[{"clientid":"x","id":"{id}","error":413,"ccids":["00"]}]',
              lambda text: server._take(None, "notes", json.loads(text.partition(":c:")[2]), "c")
              or [])
    client.run("set", "k", '{"a":2}')
    assert len(changes(server, "k")) == 1
    assert server.data("notes", "k") == {"a": 2}
