"""Proves that TLS in a capture is read with the keys of a real client, and told of without them.

tcpdump captures on loopback what curl and nginx say, curl writes its secrets where SSLKEYLOGFILE
says, and editcap puts them into a pcapng as Wireshark keeps them.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from captures import fields
from programs import Program, environment, eventually, sql, tapedeck

SUITES = {
    "1.3 AES-128": ["--tlsv1.3", "--tls13-ciphers", "TLS_AES_128_GCM_SHA256"],
    "1.3 AES-256": ["--tlsv1.3", "--tls13-ciphers", "TLS_AES_256_GCM_SHA384"],
    "1.3 ChaCha20": ["--tlsv1.3", "--tls13-ciphers", "TLS_CHACHA20_POLY1305_SHA256"],
    "1.2 AES-128-GCM": ["--tls-max", "1.2", "--ciphers", "ECDHE-ECDSA-AES128-GCM-SHA256"],
    "1.2 ChaCha20": ["--tls-max", "1.2", "--ciphers", "ECDHE-ECDSA-CHACHA20-POLY1305"],
    "1.2 CBC": ["--tls-max", "1.2", "--ciphers", "ECDHE-ECDSA-AES256-SHA384"],
}

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("tcpdump") is None, reason="capturing needs root and tcpdump")


@dataclass
class Capture:
    """Packets, the secrets of their sessions, and what curl saw."""

    packets: Path
    keys: Path
    # For each request: the suite it went over, the path, the status and the SHA-256 of the body.
    seen: list[tuple[str, str, int, str]]


@pytest.fixture(scope="module")
def capture(nginx, certificates, tmp_path_factory) -> Capture:
    """A connection of curl for each suite, each with three requests."""
    folder = tmp_path_factory.mktemp("capture")
    (nginx.files / "small.txt").write_bytes(b"hello from nginx\n" * 100)
    (nginx.files / "large.bin").write_bytes(random.Random(4).randbytes(300_000))
    packets, keys = folder / "tls.pcap", folder / "keys.txt"
    dump = Program("tcpdump", "-i", "lo", "-U", "-B", "16384", "-w", packets,
                   f"tcp port {nginx.port}")
    dump.await_line("listening on", errors=True)
    seen = []
    for suite, options in SUITES.items():
        paths = ["small.txt", "large.bin", "teapot"]
        outputs = [folder / f"{suite} {path}" for path in paths]
        pairs = [word for path, output in zip(paths, outputs)
                 for word in ("-o", output, f"https://localhost:{nginx.port}/{path}")]
        done = subprocess.run(
            ["curl", "-sS", "--http1.1", "--resolve", f"localhost:{nginx.port}:127.0.0.1",
             "--cacert", certificates.authority, "-w", "%{json}\n", *options, *pairs],
            env=environment(SSLKEYLOGFILE=str(keys)), capture_output=True, check=True, text=True)
        statuses = [json.loads(line)["response_code"] for line in done.stdout.splitlines()]
        for path, output, status in zip(paths, outputs, statuses):
            seen.append((suite, f"/{path}", status,
                         hashlib.sha256(output.read_bytes()).hexdigest()))
    # tcpdump writes packet by packet; the last are those that close the last connection.
    eventually(lambda: fins(packets) >= 2 * len(SUITES), "the last connection to be captured")
    dump.process.send_signal(signal.SIGINT)
    dump.process.wait(30)
    return Capture(packets, keys, seen)


def fins(packets: Path) -> int:
    """Packets that end one side of a connection."""
    done = subprocess.run(["tcpdump", "-nr", packets, "tcp[tcpflags] & tcp-fin != 0"],
                          capture_output=True, text=True, check=False)
    return len(done.stdout.splitlines())


def exchanges(trace: Path) -> list[tuple[str, int, str]]:
    """Path, status and SHA-256 of the response body, of every exchange."""
    rows = sql(trace, "SELECT url, status, response_body FROM exchange ORDER BY connection_id, id")
    digest = [body.encode() if isinstance(body, str) else body or b"" for _, _, body in rows]
    return [("/" + url.split("/", 3)[3], status, hashlib.sha256(body).hexdigest())
            for (url, status, _), body in zip(rows, digest)]


def test_with_its_key_log_every_exchange_is_what_curl_saw(capture, tmp_path) -> None:
    trace = tmp_path / "read.tape"
    tapedeck("import", capture.packets, trace, "--keylog", capture.keys)
    assert exchanges(trace) == [row[1:] for row in capture.seen]
    assert sql(trace, "SELECT count(*) FROM gap") == [(0,)]
    says = [row[0] for row in sql(trace, "SELECT detail FROM event WHERE kind = 'tls' ORDER BY id")]
    assert len(says) == len(SUITES)
    for suite, text in zip(SUITES, says):
        assert text.startswith("server name localhost, ALPN http/1.1, TLS " + suite[:3]), text


def test_secrets_in_a_pcapng_do_as_well(capture, tmp_path) -> None:
    packets, trace = tmp_path / "tls.pcapng", tmp_path / "read.tape"
    subprocess.run(["editcap", "--inject-secrets", f"tls,{capture.keys}", capture.packets,
                    packets], check=True, capture_output=True)
    tapedeck("import", packets, trace)
    assert exchanges(trace) == [row[1:] for row in capture.seen]


def test_kept_packets_come_out_with_their_secrets(capture, tmp_path) -> None:
    """tshark decrypts what `export` writes of packets that were kept, without a key log beside it."""
    trace, packets = tmp_path / "kept.tape", tmp_path / "kept.pcapng"
    tapedeck("import", capture.packets, trace, "--keylog", capture.keys, "--keep-packets")
    assert exchanges(trace) == [row[1:] for row in capture.seen]
    tapedeck("export", trace, packets)
    seen = [row[0] for row in fields(packets, "tls and http.request", "http.request.uri")]
    assert seen == [row[1] for row in capture.seen]


def test_without_keys_the_handshake_is_told(capture, tmp_path) -> None:
    trace = tmp_path / "sealed.tape"
    tapedeck("import", capture.packets, trace)
    assert exchanges(trace) == []
    says = [row[0] for row in sql(trace, "SELECT detail FROM event WHERE kind = 'tls' ORDER BY id")]
    assert len(says) == len(SUITES)
    for suite, text in zip(SUITES, says):
        assert text.startswith("server name localhost, ALPN "), text
        assert f"TLS {suite[:3]}, TLS_" in text, text


def test_half_of_the_secrets_read_half_of_the_connections(capture, tmp_path) -> None:
    keys, trace = tmp_path / "keys.txt", tmp_path / "half.tape"
    lines = capture.keys.read_text().splitlines()
    randoms = list(dict.fromkeys(line.split()[1] for line in lines if not line.startswith("#")))
    kept = set(randoms[::2])
    keys.write_text("".join(f"{line}\n" for line in lines if line.split()[1] in kept))
    tapedeck("import", capture.packets, trace, "--keylog", keys)
    suites = list(SUITES)[::2]
    assert exchanges(trace) == [row[1:] for row in capture.seen if row[0] in suites]
