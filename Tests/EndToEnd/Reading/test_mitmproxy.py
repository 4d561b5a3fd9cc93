"""Proves that flows of mitmproxy come in: those of the mitmdump that is here, read by mitmproxy
itself as well, and those of a file in the repository where none is."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from ports import free_ports
from programs import ROOT, Program, curl, environment, eventually, sql, tapedeck
from websockets.sync.client import connect

MITMDUMP = os.environ.get("MITMDUMP") or shutil.which("mitmdump") or next(
    map(str, (ROOT / ".build/bench-venv/bin").glob("mitmdump")), None)
FLOWS = Path(__file__).parent / "flows.mitm.base64"

# Run by mitmproxy's own Python: what it reads from a file, a line for each exchange.
READ = """
import base64, json, sys
from mitmproxy.io import FlowReader
def code(content): return base64.b64encode(content or b"").decode()
for flow in FlowReader(open(sys.argv[1], "rb")).stream():
    if flow.type != "http": continue
    print(json.dumps([
        flow.request.timestamp_start, flow.request.method, flow.request.url,
        code(flow.request.get_content(strict=False)),
        flow.response and flow.response.status_code,
        code(flow.response and flow.response.get_content(strict=False)),
        [[m.from_client, code(m.content)] for m in flow.websocket.messages]
        if flow.websocket else []]))
"""


def answers(port: int) -> bool:
    """Whether somebody listens."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def exchanges(trace: Path) -> list[tuple]:
    """What a trace says about every exchange."""
    return sql(trace, "SELECT method, url, coalesce(request_body, ''), status, "
                      "coalesce(response_body, '') FROM exchange ORDER BY id")


def encoded(content: str | bytes) -> str:
    """Content in base64."""
    return base64.b64encode(content.encode() if isinstance(content, str) else content).decode()


def test_the_file_in_the_repository(tmp_path: Path) -> None:
    """Exchanges, a refused server and a WebSocket, as mitmdump 11.0.2 wrote them."""
    flows, trace = tmp_path / "flows.mitm", tmp_path / "a.tape"
    flows.write_bytes(base64.b64decode(FLOWS.read_text()))
    tapedeck("import", flows, trace)
    read = exchanges(trace)
    assert [(row[0], row[1].split("/", 3)[3], row[3]) for row in read] == [
        ("GET", "hello?a=b", 200), ("GET", "coded", 200), ("GET", "nothing", 204),
        ("POST", "post", 201), ("GET", "refused", None), ("GET", "socket", 101)]
    assert read[1][4] == "coded text, " * 20
    assert read[3][2] == read[3][4] == "é x=1&y"
    assert sql(trace, "SELECT sender, payload FROM message WHERE opcode < 8 ORDER BY id") == [
        (0, "hello"), (1, "hello"), (0, b"\0\xff"), (1, b"\0\xff"), (0, "Grüße"), (1, "Grüße")]
    assert sql(trace, "SELECT provenance FROM session") == [("mitmproxy",)]
    assert sql(trace, "SELECT DISTINCT mode FROM connection") == [("archive",)]


@pytest.mark.parametrize(("version", "says"), [
    (b"18", "mitmproxy 9, flow format 18"), (b"22", "a later mitmproxy, flow format 22")])
def test_other_formats_are_refused_by_name(tmp_path: Path, version: bytes, says: str) -> None:
    flows = tmp_path / "flows.mitm"
    flows.write_bytes(base64.b64decode(FLOWS.read_text()).replace(
        b"7:version;2:21#", b"7:version;2:" + version + b"#"))
    assert says in tapedeck("import", flows, tmp_path / "a.tape", status=65).stderr
    assert not (tmp_path / "a.tape").exists()


@pytest.mark.skipif(MITMDUMP is None, reason="mitmdump is not installed")
def test_what_mitmdump_writes_now(origin, echo_socket, tmp_path: Path,
                                  program: Callable[..., Program]) -> None:
    """The trace has what mitmproxy reads from its own file, one by one."""
    socket_server = echo_socket("deflate")
    forward, reverse = free_ports(2)
    flows, trace = tmp_path / "flows.mitm", tmp_path / "a.tape"
    dump = program(
        MITMDUMP, "-q", "--set", f"confdir={tmp_path}/conf", "--listen-host", "127.0.0.1",
        "--mode", f"regular@{forward}", "--mode", f"reverse:{socket_server.url}@{reverse}",
        "-w", flows)
    eventually(lambda: answers(forward) and answers(reverse), "mitmdump listens")
    proxy = ("-x", f"http://127.0.0.1:{forward}")
    curl(*proxy, f"{origin.url}/a?b=c", f"{origin.url}/status/404", f"{origin.url}/coded/gzip")
    curl(*proxy, "-I", f"{origin.url}/head")
    curl(*proxy, "-H", "Content-Type: a/b", "--data-binary", "\x01 body", f"{origin.url}/post")
    with connect(f"ws://127.0.0.1:{reverse}/socket", proxy=None) as peer:
        for message in ("one", b"\0two", "three " * 50):
            peer.send(message)
            assert peer.recv(30) == message
    assert dump.stop() == 0, dump.said()
    tapedeck("import", flows, trace)
    python = Path(MITMDUMP).resolve().parent / "python"
    said = subprocess.run([python, "-c", READ, flows], check=True, capture_output=True, text=True,
                          env=environment()).stdout
    theirs = sorted(json.loads(line) for line in said.splitlines())
    ours = exchanges(trace)
    assert [[method, url, encoded(sent), status, encoded(got)]
            for method, url, sent, status, got in ours] == [flow[1:6] for flow in theirs]
    messages = [message for flow in theirs for message in flow[6]]
    assert [[sender == 0, encoded(payload)] for sender, payload in sql(
        trace, "SELECT sender, payload FROM message WHERE opcode < 8 ORDER BY id")] == messages
