"""Proves that captured packets become the exchanges, frames and bytes that tshark sees in them.

nginx, curl, `requests` and `websockets` talk on loopback, tcpdump listens. The same capture with
packets dropped, in another order, twice and cut short agrees with the whole one wherever nothing is
missing, and with tshark in how much is.
"""

from __future__ import annotations

import json
import random
import socket
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests
from captures import Tcpdump, each, fields, followed, needs_capturing
from mangling import Damage, mangle_file
from origins import EchoSocket, Nginx
from programs import TAPEDECK, Program, curl, sql, tapedeck
from test_websockets import talk

pytestmark = needs_capturing
ROUNDS = 4
PATHS = ["small.txt", "large.bin", "teapot", "missing"]


@dataclass
class Captured:
    """Packets, and the trace that was made of them."""

    file: Path
    trace: Path
    summary: dict


def imported(file: Path, trace: Path) -> dict:
    """Imports packets and returns what the import says."""
    return json.loads(tapedeck("import", file, trace, "--json").stdout)


@pytest.fixture(scope="module")
def captured(tmp_path_factory) -> Captured:
    """Files of nginx over kept-alive connections, and two WebSockets that echo."""
    folder = tmp_path_factory.mktemp("captured")
    nginx, echo = Nginx(folder / "nginx"), EchoSocket("deflate")
    try:
        (nginx.files / "small.txt").write_bytes(b"hello from nginx\n" * 300)
        (nginx.files / "large.bin").write_bytes(random.Random(5).randbytes(400_000))
        dump = Tcpdump(folder / "whole.pcap", nginx.port, echo.port)
        for _ in range(ROUNDS):
            curl("--compressed", *(word for path in PATHS
                                   for word in ("-o", "/dev/null", f"{nginx.url}/{path}")))
        with requests.Session() as session:
            session.trust_env = False
            for path in PATHS:
                session.get(f"{nginx.url}/{path}", timeout=30)
                session.post(f"{nginx.url}/{path}?a=b", data=b"x" * 5000, timeout=30)
        for path in ("one", "two"):
            talk(f"ws://{echo.address}/{path}", proxy=None)
        file = dump.finish(2 * (ROUNDS + 3))
    finally:
        nginx.close()
        echo.close()
    trace = folder / "whole.tape"
    return Captured(file, trace, imported(file, trace))


def exchanges(trace: Path, more: str = "") -> list[tuple]:
    """Method, target, status and response body of each exchange, connection by connection."""
    return sql(trace, "SELECT connection_id, method, '/' || substr(url, instr(substr(url, 9), '/') "
                      "+ 9), status, CAST(response_body AS BLOB) FROM exchange "
                      f"{more} ORDER BY connection_id, id")


def test_every_exchange_is_what_tshark_sees(captured: Captured) -> None:
    kept: dict[int, list[tuple]] = {}
    for connection, method, target, status, _ in exchanges(captured.trace):
        kept.setdefault(connection, []).append((method, target, str(status)))
    asked: dict[int, list[tuple]] = {}
    answered: dict[int, list[str]] = {}
    for stream, method, target, status in fields(
            captured.file, "http.request or http.response", "tcp.stream", "http.request.method",
            "http.request.uri", "http.response.code"):
        asked.setdefault(int(stream) + 1, []).extend(zip(each(method), each(target)))
        answered.setdefault(int(stream) + 1, []).extend(each(status))
    # nginx answers a POST before it is complete, and tshark tells it when it is.
    seen = {number: [(*request, status) for request, status in zip(asked[number], statuses)]
            for number, statuses in answered.items()}
    assert kept == seen
    assert sum(map(len, kept.values())) == ROUNDS * len(PATHS) + 2 * len(PATHS) + 2


def test_every_byte_is_what_tshark_follows(captured: Captured) -> None:
    streams = captured.summary["streams"]["connections"]
    for number, (client, server, *missing) in enumerate(followed(captured.file, streams), 1):
        assert missing == [0, 0]
        for sender, data in ((0, client), (1, server)):
            rows = sql(captured.trace, "SELECT bytes FROM chunk WHERE connection_id = ? "
                                       "AND sender = ? ORDER BY id", number, sender)
            assert b"".join(row[0] for row in rows) == data


def test_every_frame_and_message_is_what_tshark_sees(captured: Captured) -> None:
    frames = [(int(stream) + 1, int(code)) for stream, codes in fields(
        captured.file, "websocket", "tcp.stream", "websocket.opcode") for code in each(codes)]
    kept = sql(captured.trace, "SELECT connection_id, opcode FROM frame "
                               "ORDER BY connection_id, chunk_id, \"offset\"")
    assert sorted(frames) == sorted(kept)
    texts = [text for row in fields(captured.file, "websocket.payload.text",
                                    "websocket.payload.text") for text in each(row[0])]
    whole = [row[0] for row in sql(
        captured.trace, "SELECT payload FROM message WHERE opcode = 1 AND frames = 1 ORDER BY id")]
    assert [text[:200] for text in texts if text in whole or len(text) > 200] == [
        text[:200] for text in whole]


def test_the_numbers_add_up(captured: Captured) -> None:
    packets, streams = captured.summary["packets"], captured.summary["streams"]
    assert packets["seen"] == packets["used"] + packets["ignored"]
    assert packets["seen"] == len(fields(captured.file, "frame", "frame.number"))
    assert streams["bytes"] == (streams["delivered"] + streams["repeated"]
                                + streams["conflicting"] + streams["discarded"])
    lengths = sum(int(row[0]) for row in fields(captured.file, "tcp", "tcp.len"))
    assert streams["bytes"] == lengths
    assert (streams["missing"], captured.summary["gaps"]) == (0, 0)


DAMAGES = [
    Damage(seed=1, reorder=6),
    Damage(seed=2, duplicate=30, reorder=3),
    Damage(seed=3, drop=2, keep_handshake=True),
    Damage(seed=4, drop=5, duplicate=5, reorder=4, keep_handshake=True),
    Damage(seed=5, snaplen=900, snaplen_percentage=3),
    Damage(seed=6, drop_syn=True, drop=1),
]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: f"seed-{damage.seed}")
def test_a_worse_capture_agrees_where_nothing_is_missing(
        captured: Captured, damage: Damage, tmp_path: Path) -> None:
    file, trace = tmp_path / "worse.pcap", tmp_path / "worse.tape"
    mangle_file(captured.file, file, damage)
    summary = imported(file, trace)
    streams = summary["streams"]
    assert streams["bytes"] == (streams["delivered"] + streams["repeated"]
                                + streams["conflicting"] + streams["discarded"])
    gaps = sql(trace, "SELECT coalesce(sum(bytes), 0) FROM gap")[0][0]
    assert gaps == streams["missing"]
    ends = {row[1:]: row[0] for row in sql(
        captured.trace, "SELECT id, client, listener FROM connection")}
    whole = exchanges(captured.trace)
    if not (damage.drop or damage.snaplen):
        assert gaps == 0
        assert exchanges(trace) == whole
        assert sql(trace, MESSAGES) == sql(captured.trace, MESSAGES)
        return
    # Nothing is made up: all that is called whole is in the whole capture, in the same order.
    numbers = {row[0]: ends.get((row[1], row[2]), ends.get((row[2], row[1]))) for row in sql(
        trace, "SELECT id, client, listener FROM connection")}
    whole = exchanges(captured.trace, SOUND)
    sound = [(numbers[row[0]], *row[1:]) for row in exchanges(trace, SOUND)]
    assert_within(sound, whole)
    kept = sql(trace, MESSAGES_WHOLE)
    assert_within([(numbers[row[0]], *row[1:]) for row in kept], sql(captured.trace, MESSAGES))
    # Connections that nothing is missing of are whole.
    touched = {numbers[row[0]] for row in sql(trace, "SELECT DISTINCT connection_id FROM gap")}
    late = {numbers[row[0]] for row in sql(
        trace, "SELECT connection_id FROM event WHERE kind = 'joined'")}
    for number in set(ends.values()) - touched - late:
        if number in numbers.values():
            assert [row for row in sound if row[0] == number] == [
                row for row in whole if row[0] == number]


SOUND = ("WHERE status <> 101 AND id IN "
         "(SELECT id FROM http_exchange WHERE outcome = 'complete' AND problem IS NULL)")
MESSAGES = ("SELECT connection_id, sender, opcode, CAST(payload AS BLOB) FROM message "
            "ORDER BY connection_id, sender, id")
MESSAGES_WHOLE = MESSAGES.replace("FROM message ", "FROM message WHERE problem IS NULL ")


def assert_within(some: list[tuple], whole: list[tuple]) -> None:
    """All of `some` is in `whole`, for each connection in the same order."""
    rest: dict[int, list[tuple]] = {}
    for row in whole:
        rest.setdefault(row[0], []).append(row)
    for row in some:
        waiting = rest.get(row[0], [])
        assert row in waiting, f"made up: {str(row)[:300]}"
        del waiting[:waiting.index(row) + 1]


# Out of order, tshark takes for missing what comes after its acknowledgment.
@pytest.mark.parametrize("damage", [DAMAGES[2], Damage(seed=7, drop=4, keep_handshake=True)], ids=lambda damage: f"seed-{damage.seed}")
def test_as_much_is_missing_as_tshark_says(
        captured: Captured, damage: Damage, tmp_path: Path) -> None:
    file, trace = tmp_path / "worse.pcap", tmp_path / "worse.tape"
    mangle_file(captured.file, file, damage)
    imported(file, trace)
    streams = sql(trace, "SELECT count(*) FROM connection")[0][0]
    for number, (one, other, *missing) in enumerate(followed(file, streams), 1):
        ours = []
        for sender in (0, 1):
            kept = sql(trace, "SELECT bytes, id FROM chunk WHERE connection_id = ? "
                              "AND sender = ? ORDER BY id", number, sender)
            # tshark does not tell what is missing at the very end.
            gone = sql(trace, "SELECT coalesce(sum(bytes), 0) FROM gap WHERE connection_id = ? "
                              "AND sender = ? AND after_chunk_id < ?", number, sender,
                       kept[-1][1] if kept else 0)[0][0]
            ours.append((b"".join(row[0] for row in kept), gone))
        theirs = [(one, missing[0]), (other, missing[1])]
        # tshark takes whoever comes first for the client.
        if (len(ours[0][0]) + ours[0][1]) != len(one) + missing[0]:
            theirs.reverse()
        assert ours == theirs, [(len(data), lost) for data, lost in ours + theirs]


def test_sniffing_sees_what_the_proxy_sees(record, tmp_path: Path) -> None:
    """One session, recorded at once by the proxy and by listening to its leg to the server."""
    echo = EchoSocket("deflate")
    trace = tmp_path / "sniffed.tape"
    try:
        sniff = Program(TAPEDECK, "sniff", "lo", trace, "--bpf", f"tcp port {echo.port}")
        sniff.await_line("capturing on lo")
        proxy = record("--to", echo.url)
        talk(f"ws://{proxy.address}/sock/1/app/websocket", proxy=None)
        proxy.finish()
    finally:
        echo.close()
    assert sniff.stop() == 0, sniff.said()
    assert any("0 dropped by the kernel" in line for line in sniff.output), sniff.said()
    for query in ("SELECT api, method, path, status FROM http_exchange ORDER BY id",
                  "SELECT sender, opcode, CAST(payload AS BLOB), compressed FROM message "
                  "ORDER BY sender, id",
                  "SELECT sender, channel, name, bucket, payload FROM command ORDER BY sender, id"):
        assert sql(trace, query) == sql(proxy.trace, query)
    assert sql(trace, "SELECT provenance FROM session") == [("capture",)]


def test_sniff_lists_interfaces_and_says_what_is_wrong(tmp_path: Path) -> None:
    lines = tapedeck("sniff", "--list").stdout.splitlines()
    assert any(line.startswith("lo 127.0.0.1 ") and "loopback" in line for line in lines)
    assert any(line.startswith("any") for line in lines)
    done = tapedeck("sniff", "nowhere", tmp_path / "a.tape", status=66)
    assert "there is no interface nowhere" in done.stderr
    done = tapedeck("sniff", "lo", tmp_path / "a.tape", "--bpf", "tcp prot 80", status=66)
    assert "tcp prot 80" in done.stderr
    tapedeck("sniff", "lo", status=64)


def test_kept_packets_come_out_as_they_came(captured: Captured, tmp_path: Path) -> None:
    """--keep-packets, and an export to pcapng: the same packets, byte for byte."""
    trace, file = tmp_path / "kept.tape", tmp_path / "kept.pcapng"
    tapedeck("import", captured.file, trace, "--keep-packets")
    tapedeck("export", trace, file)
    names = ("frame.time_epoch", "frame.len", "tcp.seq_raw", "tcp.payload")
    assert fields(file, "frame", *names) == fields(captured.file, "frame", *names)


def test_a_tunnel_comes_back_from_an_export(record, origin, tmp_path: Path) -> None:
    """What a client said to a proxy, CONNECT and what went through the tunnel, is one connection in the
    packets that are made of it, and loses nothing."""
    proxy = record()
    dump = Tcpdump(tmp_path / "tunnel.pcap", proxy.port)
    curl("--proxytunnel", "-x", proxy.url, f"{origin.url}/a", f"{origin.url}/b")
    file = dump.finish(2)
    trace, packets, again = (tmp_path / name for name in ("a.tape", "a.pcapng", "again.tape"))
    imported(file, trace)
    tapedeck("export", trace, packets, "--synthesize")
    assert imported(packets, again)["streams"]["connections"] == 1
    kept = ("SELECT sender, group_concat(hex(bytes), '') FROM (SELECT * FROM chunk ORDER BY id) "
            "GROUP BY sender")
    assert sql(again, kept) == sql(trace, kept)
    assert sql(again, "SELECT count(*) FROM gap") == [(0,)]


def test_all_interfaces_and_version_6(tmp_path: Path) -> None:
    """What `tcpdump -i any` writes has other headers before IP, and IP may be of version 6."""
    with ThreadingHTTPServer6(("::1", 0), Greeting) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        dump = Tcpdump(tmp_path / "any.pcap", port, interface="any")
        assert curl(f"http://[::1]:{port}/six").stdout == b"hello"
        file = dump.finish(2)
        server.shutdown()
    trace = tmp_path / "any.tape"
    said = imported(file, trace)
    assert said["packets"]["used"] == said["packets"]["seen"] > 0
    assert [row[1:] for row in exchanges(trace)] == [("GET", "/six", 200, b"hello")]
    client, listener = sql(trace, "SELECT client, listener FROM connection")[0]
    assert (client.rpartition(":")[0], listener) == ("[::1]", f"[::1]:{port}")


class ThreadingHTTPServer6(ThreadingHTTPServer):
    """A server on an address of version 6."""

    address_family = socket.AF_INET6


class Greeting(BaseHTTPRequestHandler):
    """Says hello and closes."""

    def do_GET(self) -> None:  # pylint: disable=invalid-name
        """Answers."""
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *_: object) -> None:
        """Nothing."""


def test_what_is_no_capture_is_told(captured: Captured, tmp_path: Path) -> None:
    for content, says in ((b"\x1f\x8b" + bytes(50), "compressed"), (b"snoop\0" + bytes(50), "snoop")):
        file = tmp_path / "odd"
        file.write_bytes(content)
        assert says in tapedeck("import", file, tmp_path / "odd.tape", status=65).stderr
    cut = tmp_path / "cut.pcap"
    cut.write_bytes(captured.file.read_bytes()[:-7])
    assert imported(cut, tmp_path / "cut.tape")["cut_off_bytes"] > 0
    done = tapedeck("import", captured.file, captured.trace, status=66)
    assert "exists already" in done.stderr
