"""`tapedeck client simperium` against a server written here, and against `tapedeck serve`.

What it does about errors is in `test_client_simperium_refusals.py`, how it ends well with a bad disk
or a kill in `test_client_simperium_durability.py`.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from ports import closed_port
from peers import ScriptedSimperium
from programs import TAPEDECK, Program, environment, eventually
from proves import proves
from simperium_client import Client, changes, client_fixture, server_fixture

__all__ = ["client_fixture", "server_fixture"]


def test_sets_gets_and_deletes(server: ScriptedSimperium, client: Client):
    client.run("set", "k", '{"text":"Hello"}')
    assert server.data("notes", "k") == {"text": "Hello"}
    client.run("set", "k", '{"text":"Hello world","n":1}')
    assert server.data("notes", "k") == {"text": "Hello world", "n": 1}
    assert json.loads(client.run("get", "k").stdout) == {"text": "Hello world", "n": 1}
    client.run("delete", "k")
    assert server.data("notes", "k") is None
    client.run("get", "k", status=1, said="there is no object k in notes")
    client.run("delete", "k", status=1, said="there is no object k in notes")
    # One index for all of it: the state knows the rest.
    assert len([text for text in server.seen if text.startswith("0:i:")]) == 1
    assert not (client.state / "simperium.sqlite").stat().st_mode & 0o077


@proves("S-24", "S-25")
@pytest.mark.parametrize("more", [[], ["--no-data"]])
def test_reads_all_pages(server: ScriptedSimperium, client: Client, more: list[str]):
    for number in range(7):
        server.change("notes", f"k{number}", {"n": number})
    server.page_size = 3
    assert json.loads(client.run("get", "k6", *more).stdout) == {"n": 6}
    pages = [text for text in server.seen if text.startswith("0:i:")]
    assert len(pages) == 3
    assert all(page.startswith("0:i:" if more else "0:i:1:") for page in pages)
    assert len([text for text in server.seen if text.startswith("0:e:")]) == (7 if more else 0)


def test_a_set_replaces_what_it_never_saw(server: ScriptedSimperium, client: Client):
    server.change("notes", "k", {"old": 1, "b": 2})
    client.run("set", "k", '{"b":3}')
    assert server.data("notes", "k") == {"b": 3}


def test_edits_made_offline_go_out_in_order(server: ScriptedSimperium, client: Client):
    client.run("sync")
    for key in ("z", "a", "m"):
        client.run("set", key, f'{{"is":"{key}"}}', "--offline")
    client.run("delete", "a", "--offline")
    client.run("set", "b", '{"is":"b"}', "--offline")
    assert changes(server) == []
    client.run("sync")
    assert [change["id"] for change in changes(server)] == ["z", "m", "b"]


def test_without_a_server_edits_are_kept(client: Client):
    port = closed_port()
    client.url = f"http://127.0.0.1:{port}"
    client.run("set", "k", '{"a":1}', status=69, said="no server.*kept in .*state")
    client.run("get", "k", status=69, said="no server")
    assert json.loads(client.run("get", "k", "--offline").stdout) == {"a": 1}


@proves("S-65")
def test_the_acknowledgement_that_was_lost(server: ScriptedSimperium, client: Client):
    """The change is sent once more with the same identifier, and is not made twice."""
    def take(text: str) -> list[str]:
        server._take(None, "notes", json.loads(text.partition(":c:")[2]), clients[-1])
        return []

    clients: list[str] = []
    server.on(r'^0:init:.*"clientid":"([^"]*)"', lambda text: [
        clients.append(re.search(r'"clientid":"([^"]*)"', text)[1]) or "0:auth:user@example.com"])
    server.on("^0:i:", '0:i:{"current":"cv0","index":[]}')
    server.on("^0:c:", take, cuts=True)
    client.run("set", "k", '{"a":1}')
    assert server.data("notes", "k") == {"a": 1}
    assert len(server.log["notes"]) == 1
    assert len({change["ccid"] for change in changes(server)}) == 1


@proves("S-36")
def test_an_unknown_change_version_reads_the_index(server: ScriptedSimperium, client: Client):
    client.run("set", "k", '{"a":1}')
    server.on("^0:cv:", "0:cv:?")
    server.change("notes", "j", {"b": 1})
    assert json.loads(client.run("get", "j").stdout) == {"b": 1}
    assert len([text for text in server.seen if text.startswith("0:i:")]) == 2


def test_a_socket_that_closes_amid_the_index(server: ScriptedSimperium, client: Client):
    for number in range(5):
        server.change("notes", f"k{number}", {"n": number})
    server.page_size = 2
    server.on("^0:i:1::2:", cuts=True)
    server.on("^0:i:1:2:", cuts=True)
    assert json.loads(client.run("get", "k4").stdout) == {"n": 4}


def test_a_server_that_never_takes_it_is_for_later(server: ScriptedSimperium, client: Client):
    client.run("sync")
    server.on("^0:c:", times=100)
    client.run("set", "k", '{"a":1}', patience=1, status=75, said="try again.*kept in .*state")
    sent = changes(server)
    server._rules.clear()
    client.run("sync")
    assert {change["ccid"] for change in changes(server)} == {sent[0]["ccid"]}
    assert server.data("notes", "k") == {"a": 1}


def test_a_token_that_is_refused(server: ScriptedSimperium, client: Client):
    server.tokens = set()
    client.run("set", "k", '{"a":1}', status=65, said="get another one.*")
    assert len(server.seen) == 1, "nothing is sent without authorization"
    server.tokens = None
    client.run("sync")
    assert server.data("notes", "k") == {"a": 1}


def test_user_and_password(server: ScriptedSimperium, tmp_path: Path):
    server.users, server.tokens = {"ada": "secret"}, set()
    command = [TAPEDECK, "client", "simperium", "set", "k", '{"a":1}', "--to", server.url,
               "--app", "app", "--user", "ada", "--bucket", "notes", "--state", tmp_path / "s"]
    for password, status in (("wrong", 65), ("secret", 0)):
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              env=environment(TAPEDECK_PASSWORD=password))
        assert done.returncode == status, done.stderr
    assert server.data("notes", "k") == {"a": 1}


@proves("S-68", "S-70", "S-71")
def test_watches_and_answers_index_and_log(server: ScriptedSimperium, client: Client):
    watcher = client.start("watch", "--json")
    watcher.await_line('"event":"synced"')
    server.change("notes", "k", {"a": 1})
    line = watcher.await_line('"event":"changed"')
    assert json.loads(line.string)["data"] == {"a": 1}
    server.say("0:index")
    state = json.loads(server.await_message("^0:index:")[0].partition(":index:")[2])
    assert state["index"] == [{"id": "k", "v": 1}]
    server.say("log:1")
    server.await_message("^log:")
    server.cut()
    watcher.await_line('"event":"closed"')
    server.change("notes", "k", None)
    watcher.await_line('"event":"removed"')
    assert watcher.stop(signal.SIGTERM) == 0


@proves("S-4")
def test_several_buckets_over_one_socket(server: ScriptedSimperium, client: Client):
    client.run("sync", "--bucket", "tags")
    assert {text.partition(":")[0] for text in server.seen} == {"0", "1"}
    assert [json.loads(text.partition(":init:")[2])["name"] for text in server.seen
            if ":init:" in text] == ["tags", "notes"]


def test_edits_from_standard_input(server: ScriptedSimperium, client: Client):
    lines = "".join(f'{{"n":{number}}}\n' for number in range(50))
    client.run("edit", "k", "-", input=lines)
    assert server.data("notes", "k") == {"n": 49}
    client.run("edit", "k", "-", input='{"n":50}\nno JSON\n', status=65, said="line 2")
    assert server.data("notes", "k") == {"n": 50}


def test_edits_from_a_file(server: ScriptedSimperium, client: Client, tmp_path: Path):
    file = tmp_path / "note.json"
    file.write_text('{"n":1}')
    editor = client.start("edit", "k", file)
    eventually(lambda: server.data("notes", "k") == {"n": 1}, "the first content")
    file.write_text('{"n":22}')
    eventually(lambda: server.data("notes", "k") == {"n": 22}, "the second content")
    assert editor.stop() == 0


def test_killed_amid_a_series_of_edits(server: ScriptedSimperium, client: Client):
    """Nothing is lost and nothing is there twice, wherever the kill hits."""
    client.run("sync")
    for round_number in range(5):
        process = subprocess.Popen(client.arguments("edit", "k", "-"), stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=environment(), text=True)
        seen = len(changes(server))

        def feed(process: subprocess.Popen = process, first: int = round_number * 1_000_000) -> None:
            try:
                for number in range(first, first + 1_000_000):
                    process.stdin.write(f'{{"n":{number}}}\n')
                    process.stdin.flush()
            except OSError:
                pass

        feeder = threading.Thread(target=feed)
        feeder.start()
        eventually(lambda seen=seen: len(changes(server)) >= seen + 3, "three changes")
        process.kill()
        process.wait()
        feeder.join()
        done = client.run("get", "k", "--offline")
        kept = json.loads(done.stdout)
        client.run("sync")
        assert server.data("notes", "k") == kept
    made = [ccid for change in server.log["notes"] for ccid in change["ccids"]]
    assert len(made) == len(set(made)), "an edit is there twice"
    by_identifier: dict[str, dict] = {}
    for change in changes(server):
        assert by_identifier.setdefault(change["ccid"], change) == change


def test_a_state_in_use_is_left_alone(server: ScriptedSimperium, client: Client):
    watcher = client.start("watch", "--verbose")
    watcher.await_line("in sync", errors=True)
    client.run("set", "k", '{"a":1}', "--offline", status=75, said="in use")
    assert watcher.stop() == 0


def test_a_script(server: ScriptedSimperium, client: Client, tmp_path: Path):
    script = tmp_path / "script"
    script.write_text("""# a bad line
wait synced
set notes k {"a":1}
wait synced
cut
at 200ms set notes k {"a":2}
wait synced
expect notes k {"a":2}
offline
delete notes k
set notes j {"b":1}
online
wait synced
expect notes k missing
print notes j
""")
    done = client.run("run", script)
    assert done.stdout == '{"b":1}\n'
    assert server.data("notes", "k") is None
    script.write_text('wait synced\nexpect notes j {"b":2}\n')
    client.run("run", script, status=1, said="line 2: notes j is ")
    script.write_text("wait synced\nset notes\n")
    client.run("run", script, status=65, said="line 2: .* needs a bucket and a key")


@proves("S-3")
@pytest.mark.parametrize("more", [[], ["--sockjs"]])
def test_against_our_server(program: Callable[..., Program], tmp_path: Path, more: list[str]):
    serving = program(TAPEDECK, "serve", "--listen", "127.0.0.1:0")
    port = serving.await_line(r"listening on 127\.0\.0\.1:(\d+)")[1]
    one, two = (Client(f"http://127.0.0.1:{port}", tmp_path / name, program)
                for name in ("one", "two"))
    watcher = two.start("watch", *more)
    one.run("set", "k", '{"text":"Hello"}', *more)
    watcher.await_line(r'^notes k \{"text":"Hello"\}$')
    one.run("set", "k", '{"text":"Hello world"}', *more)
    watcher.await_line(r'^notes k \{"text":"Hello world"\}$')
    one.run("delete", "k", *more)
    watcher.await_line("^notes k removed$")
    assert watcher.stop() == 0
