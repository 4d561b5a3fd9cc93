"""Proves: a running proxy is controlled by `tapedeck faults`, by curl on its socket and on loopback."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import tempfile

import pytest
from programs import TAPEDECK, Recording, curl, tapedeck
from serving import Server
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


def faults(proxy: Recording, command: str, *arguments: str, status: int = 0):
    """Runs `tapedeck faults` on a recording."""
    return tapedeck("faults", command, proxy.trace, *arguments, status=status)


def rules(proxy: Recording) -> dict[str, dict]:
    """The rules by name."""
    listed = json.loads(faults(proxy, "list", "--json").stdout)
    return {rule["name"]: rule for rule in listed["rules"]}


def status_of(url: str, *arguments: str) -> str:
    """The status that curl gets."""
    return curl("-o", "/dev/null", "-w", "%{http_code}", *arguments, url).stdout.decode()


def test_rules_come_and_go(record, origin) -> None:
    """Added, changed, paused, resumed, reset and removed, a rule does each time what is said."""
    proxy = record("--to", origin.url)
    url = f"{proxy.url}/a"
    assert status_of(url) == "200"
    faults(proxy, "add", "path:/a => 503 name=no")
    assert status_of(url) == "503"
    assert rules(proxy)["no"]["fired"] == 1
    faults(proxy, "change", "no", "path:/a => 429 first=1")
    assert [status_of(url), status_of(url)] == ["429", "200"]
    faults(proxy, "reset", "no")
    assert status_of(url) == "429"
    faults(proxy, "reset")
    faults(proxy, "pause", "no")
    assert status_of(url) == "200"
    assert rules(proxy)["no"]["state"] == "paused"
    faults(proxy, "resume", "no")
    assert status_of(url) == "429"
    faults(proxy, "remove", "no")
    assert status_of(url) == "200"
    assert rules(proxy) == {}
    proxy.finish()
    assert proxy.sql("SELECT DISTINCT rule FROM fault") == [("no",)]


def test_marks_open_and_close_windows(record, origin) -> None:
    """A mark is a row of the trace, and rules wait for it."""
    proxy = record("--to", origin.url, "--fault",
                   "path:/a => 503 after-mark=off before-mark=on name=window")
    url = f"{proxy.url}/a"
    assert status_of(url) == "200"
    faults(proxy, "mark", "off")
    assert status_of(url) == "503"
    faults(proxy, "mark", "on")
    assert status_of(url) == "200"
    listed = json.loads(faults(proxy, "marks", "--json").stdout)["marks"]
    assert [mark["name"] for mark in listed] == ["off", "on"]
    proxy.finish()
    assert proxy.sql("SELECT name FROM mark ORDER BY at_ns") == [("off",), ("on",)]


def test_fires_at_an_open_socket(record) -> None:
    """A message, a close code and a reset reach the client of a WebSocket, once, now."""
    server = Server()
    try:
        proxy = record("--to", f"http://127.0.0.1:{server.port}")
        address = f"ws://{proxy.address}/sock/1/app/websocket"
        with connect(address) as client:
            client.send("h:1")
            assert client.recv() == "h:2"
            listed = json.loads(faults(proxy, "connections", "--json").stdout)["connections"]
            assert [each["is_websocket"] for each in listed] == [True]
            number = str(listed[0]["id"])
            faults(proxy, "fire", "send", "0:cv:?", "--connection", number)
            assert client.recv(timeout=10) == "0:cv:?"
            client.send("h:2")
            assert client.recv(timeout=10) == "h:3"
            faults(proxy, "fire", "close-code 1012")
            with pytest.raises(ConnectionClosed) as closed:
                client.recv(timeout=10)
            assert closed.value.rcvd and closed.value.rcvd.code == 1012
        with connect(address) as client:
            client.send("h:5")
            assert client.recv() == "h:6"
            faults(proxy, "fire", "reset")
            with pytest.raises((ConnectionClosed, ConnectionResetError)):
                client.recv(timeout=10)
        done = faults(proxy, "fire", "send", "0:index", status=65)
        assert "no connection is open" in done.stderr
        done = faults(proxy, "fire", "send", "0:index", "--connection", "99", status=65)
        assert "not open" in done.stderr
        proxy.finish()
        fired = proxy.sql("SELECT action FROM fault WHERE rule = 'fire' ORDER BY at_ns")
        assert [action for (action,) in fired] == ["send 0:cv:?", "close-code 1012", "reset"]
    finally:
        server.kill()


def test_reads_the_plan_again(record, origin, tmp_path) -> None:
    """A changed plan holds at once; one with a mistake is said with its place and changes nothing."""
    plan = tmp_path / "plan.yaml"
    plan.write_text("rules:\n  - path:/a => 503 name=first\n  - path:/b => 503 name=same\n")
    proxy = record("--to", origin.url, "--faults", plan)
    assert status_of(f"{proxy.url}/b") == "503"
    plan.write_text("rules:\n  - path:/a => 429 name=second\n  - path:/b => 503 name=same\n")
    proxy.await_line("was reloaded: 2 rules", errors=True)
    assert {name: rule["fired"] for name, rule in rules(proxy).items()} == {
        "second": 0, "same": 1}
    plan.write_text("rules:\n  - path:/a => 4O4 name=third\n")
    proxy.await_line(r"plan\.yaml:2:\d+: there is no action \"4O4\"", errors=True)
    proxy.await_line("the rules stay as they are", errors=True)
    assert status_of(f"{proxy.url}/a") == "429"
    done = faults(proxy, "reload", status=64)
    assert "4O4" in done.stderr and "^^^" in done.stderr
    plan.write_text("rules: []\n")
    faults(proxy, "reload")
    assert rules(proxy) == {}
    proxy.finish()


@pytest.mark.parametrize(("arguments", "status", "says"), [
    (("add", "command:c => 5O3"), 64, r"no action.*\n.*\n +\^\^\^"),
    (("add", "comand:c => 503"), 64, r"\n\^|\n +\^"),
    (("add", "path:/a => 503 name=there"), 65, "already"),
    (("remove", "nobody"), 65, "no rule"),
    (("change", "nobody", "path:/a => 503"), 65, "no rule"),
    (("fire", "drop"), 64, "needs an event"),
    (("mark", ""), 64, "1 to 100 characters"),
    (("reload",), 65, "file"),
])
def test_says_what_is_wrong(record, origin, arguments, status, says) -> None:
    """Each mistake has its exit status, its words and its place, and changes nothing."""
    proxy = record("--to", origin.url, "--fault", "path:/x => 503 name=there")
    done = faults(proxy, *arguments, status=status)
    assert re.search(says, done.stderr), done.stderr
    assert list(rules(proxy)) == ["there"]
    proxy.finish()


def test_socket_is_its_owners_and_goes(record, program, origin, ca_dir) -> None:
    """The socket has mode 0600, goes with the recording, and one of a killed process is replaced."""
    proxy = record("--to", origin.url)
    socket = proxy.trace.with_name(proxy.trace.name + ".control")
    assert stat.S_IMODE(os.stat(socket).st_mode) == 0o600
    health = json.loads(curl("--unix-socket", socket, "http://x/v1/health").stdout)
    assert health["status"] == "ok"
    proxy.finish()
    assert not socket.exists()
    faults(proxy, "list", status=69)

    killed = record("--to", origin.url)
    killed.stop(signal.SIGKILL)
    assert socket.exists()
    faults(killed, "list", status=69)
    again = record("--to", origin.url)
    assert rules(again) == {}
    other = program(TAPEDECK, "record", proxy.trace.with_name("other.tape"), "--ca-dir", ca_dir,
                    "--listen", "127.0.0.1:0", "--control", socket)
    assert other.wait() == 75, other.said()
    again.finish()


@pytest.mark.skipif(os.geteuid() != 0, reason="nobody else can become another user")
def test_other_users_are_refused(record, origin) -> None:
    """In a folder that everybody can look into, the socket is its owner's alone."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        socket = f"{folder}/control"
        proxy = record("--to", origin.url, "--control", socket)
        asked = ["curl", "--silent", "--unix-socket", socket, "http://x/v1/health"]
        done = subprocess.run(asked, user=65534, capture_output=True, check=False)
        # curl: could not connect.
        assert (done.returncode, done.stdout) == (7, b"")
        assert json.loads(curl(*asked[2:]).stdout)["status"] == "ok"
        proxy.finish()
        assert os.listdir(folder) == []


def test_no_control(record, origin) -> None:
    """Without control there is no socket."""
    proxy = record("--to", origin.url, "--no-control")
    assert not proxy.trace.with_name(proxy.trace.name + ".control").exists()
    proxy.finish()


def test_loopback_wants_the_token(record, program, origin, ca_dir, tmp_path) -> None:
    """On loopback nothing is told without the token, nor to pages of other sites."""
    proxy = record("--to", origin.url, "--control-listen", "127.0.0.1:0")
    line = proxy.await_line(r"control at (http://127\.0\.0\.1:(\d+)) token ([0-9a-f]{64})$")
    url, port, token = line[1], line[2], line[3]
    bearer = ("-H", f"Authorization: Bearer {token}")
    asked = f"{url}/v1/rules"
    assert status_of(asked, *bearer) == "200"
    assert status_of(asked) == "401"
    assert status_of(asked, "-H", "Authorization: Bearer x") == "401"
    assert status_of(asked, *bearer, "-H", f"Host: evil.example:{port}") == "421"
    assert status_of(asked, *bearer, "-H", "Origin: http://evil.example") == "403"
    listed = tapedeck("faults", "list", "x", "--control", url, "--token", token)
    assert listed.stdout == "no rules\n"
    tapedeck("faults", "list", "x", "--control", url, "--token", "x", status=64)
    proxy.finish()
    for host in ("0.0.0.0", "192.0.2.1"):
        refused = program(TAPEDECK, "record", tmp_path / "other.tape", "--ca-dir", ca_dir,
                          "--listen", "127.0.0.1:0", "--control-listen", f"{host}:0")
        assert refused.wait() == 64, refused.said()


def test_description_lists_what_is_answered(record, origin) -> None:
    """Every path of the served description is answered, and nothing beside them."""
    proxy = record("--to", origin.url)
    socket = proxy.trace.with_name(proxy.trace.name + ".control")
    description = json.loads(
        curl("--unix-socket", socket, "http://x/v1/openapi.json").stdout)
    assert description["openapi"].startswith("3.1")
    for path, item in description["paths"].items():
        for method in (name for name in item if name != "parameters"):
            name = path.replace("{name}", "nobody")
            done = curl("--unix-socket", socket, "-X", method.upper(), "-w", "\n%{http_code}",
                        f"http://x{name}")
            body, _, status = done.stdout.decode().rpartition("\n")
            assert status in item[method]["responses"], (method, path, status, body)
            if status == "404":
                assert json.loads(body)["error"]["code"] in {"no-rule", "not-held", "no-holder"}
    for method, path, status in (("GET", "/v1/other", "404"), ("PATCH", "/v1/rules", "405")):
        done = curl("--unix-socket", socket, "-X", method, "-w", "\n%{http_code}",
                    f"http://x{path}")
        assert done.stdout.decode().rpartition("\n")[2] == status
    proxy.finish()


def test_packs_and_check() -> None:
    """Plans are listed and read without running anything."""
    packs = [json.loads(line) for line in
             tapedeck("faults", "packs", "--json").stdout.splitlines()]
    assert len(packs) > 7 and all(pack["about"] for pack in packs)
    for pack in packs:
        assert "=>" in tapedeck("faults", "check", pack["name"]).stdout
    done = tapedeck("faults", "check", "command:c => 5O3", status=64)
    assert "^^^" in done.stderr
    tapedeck("faults", "check", "no-such-pack", status=66)
