"""Proves: `serve` says where clients find it and what it did, and clients and `state` say what there is."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest
from programs import TAPEDECK, curl, environment, tapedeck
from websockets.sync.client import connect

FORM = ('<data xmlns="urn:form"><case xmlns="http://commcarehq.org/case/transaction/v2" case_id="c1" '
        'user_id="u1" date_modified="2026-01-15T10:00:00Z"><create><case_type>p</case_type>'
        '<case_name>Ada</case_name></create></case><meta><instanceID>uuid:1</instanceID></meta></data>')


def test_places_and_summary(program) -> None:
    """The URLs and the token that are printed work, and the last line counts what was asked."""
    server = program(TAPEDECK, "serve", "--listen", "127.0.0.1:0")
    commcare = server.await_line(r"^CommCare: (http://\S+) with any")[1]
    socket = server.await_line(r"^Simperium: (ws://\S+) and ")[1].replace("APP", "test-app")
    token = server.await_line(r"token, for example: (\w+);")[1]
    curl("-u", "ada:x", f"{commcare}/a/demo/phone/restore/?version=2.0&device_id=d1")
    curl(f"{commcare}/nothing/there")
    with connect(socket, proxy=None) as line:
        line.send('0:init:{"name":"notes","clientid":"c","app_id":"test-app","api":"1.1","token":"'
                  + token + '","library":"t","version":"1"}')
        assert line.recv(30).startswith("0:auth:") and "{" not in token
    server.stop()
    server.await_line(r"^2 requests, 1 failed, 1 WebSocket$")


def test_a_signal_is_caught_from_the_first_line_on(program, ca_dir: Path, tmp_path: Path) -> None:
    """Whoever has read it may stop the program at once, and it ends well."""
    authority = ("--ca-dir", ca_dir)
    commands = [("serve",), ("serve", "--tls", *authority), ("record", "signal.tape", *authority, "--to", "http://127.0.0.1:9")]
    for command in commands:
        server = program(TAPEDECK, *command, "--listen", "127.0.0.1:0", cwd=tmp_path)
        server.await_line("listening on|recording to")
        status = Path(f"/proc/{server.pid}/status").read_text("ascii")
        caught = int(re.search(r"^SigCgt:\s*(\w+)", status, re.MULTILINE)[1], 16)
        assert all(caught >> number - 1 & 1 for number in (signal.SIGINT, signal.SIGTERM)), server.said()
        assert server.stop() == 0


@pytest.mark.parametrize("command", [("serve",), ("record", "signal.tape", "--to", "http://127.0.0.1:9")])
def test_stopped_at_its_first_line(command, program, ca_dir: Path, tmp_path: Path) -> None:
    """Whoever reads where it listens may stop the program at once, and it ends well."""
    authority = ("--ca-dir", ca_dir) if command[0] == "record" else ()
    for _ in range(8):
        started = program(TAPEDECK, *command, *authority, "--listen", "127.0.0.1:0", cwd=tmp_path)
        started.await_line("^listening on ")
        status = Path(f"/proc/{started.pid}/status").read_text("ascii")
        caught = int(re.search(r"^SigCgt:\s*(\w+)", status, re.MULTILINE)[1], 16)
        assert all(caught >> number - 1 & 1 for number in (signal.SIGINT, signal.SIGTERM)), started.said()
        assert started.stop() == 0


def test_a_client_says_what_it_has(serve, tmp_path: Path) -> None:
    """One case, the token and what waits, on standard error."""
    server = serve()
    form = tmp_path / "form.xml"
    form.write_text(FORM)
    variables = environment(TAPEDECK_PASSWORD="secret")
    options = ("--to", server.url("", "http"), "--domain", "demo", "--user", "ada", "--state", tmp_path / "state")
    sent = tapedeck("client", "commcare", "submit", form, *options, env=variables)
    assert sent.stderr == "tapedeck: 1 form accepted, 1 case, no sync token, 0 forms waiting\n"
    done = tapedeck("client", "commcare", "sync", *options, env=variables)
    assert done.stdout == ""
    assert re.search(r"^tapedeck: synced, 1 case, sync token \S+, 0 forms waiting$", done.stderr, re.M), done


def test_a_state_is_not_of_the_port_of_a_proxy(serve, record, tmp_path: Path) -> None:
    """The same state goes through a proxy on another port, and not to another host."""
    server = serve()
    variables = environment(TAPEDECK_PASSWORD="secret")
    options = ("--domain", "demo", "--user", "ada", "--state", tmp_path / "state")
    tapedeck("client", "commcare", "sync", "--to", server.url("", "http"), *options, env=variables)
    proxy = record("--to", server.url("", "http"))
    proxy.await_line(re.escape(
        f"clients use {proxy.url} or ws://{proxy.address} in place of {server.url('', 'http')}") + "$")
    tapedeck("client", "commcare", "sync", "--to", proxy.url, *options, env=variables)
    other = tapedeck("client", "commcare", "sync", "--to", "http://hq.example:8000", *options, env=variables, status=65)
    assert "is the state of ada at http" in other.stderr


def test_state_says_where_the_trace_ends(record, origin) -> None:
    """A time after the end of a trace is the end, which is named."""
    proxy = record("--to", origin.url)
    curl(f"{proxy.url}/x")
    proxy.finish()
    late = tapedeck("state", proxy.trace, "--at", "99h").stderr
    assert re.search(r"the trace ends at \d+\.\d\d\d s; this is the state then", late), late
    assert "ends at" not in tapedeck("state", proxy.trace, "--at", "1ms").stderr
