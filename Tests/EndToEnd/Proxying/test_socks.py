"""Clients that name their servers by SOCKS, and several listeners in one recording."""

from __future__ import annotations

import json
import os
import shutil
import socket
import ssl
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from ports import closed_port, free_port
from programs import ROOT, curl, eventually, tapedeck
from websockets.sync.client import connect

WAYS = ["--socks5", "--socks5-hostname", "--socks4", "--socks4a"]


@pytest.mark.parametrize("way", WAYS)
def test_curl(record, origin, tls_origin, trust, certificates, way: str) -> None:
    """Plain HTTP and TLS through each kind of SOCKS, both decoded; no byte of the client is changed."""
    proxy = record("--server-ca", certificates.authority)
    plain = curl(way, proxy.address, f"http://localhost:{origin.port}/plain")
    assert json.loads(plain.stdout)["host"] == f"localhost:{origin.port}"
    secret = curl(way, proxy.address, "--cacert", trust, f"https://localhost:{tls_origin.port}/tls")
    assert json.loads(secret.stdout)["path"] == "/tls"
    proxy.finish()
    wanted = [("GET", f"http://localhost:{origin.port}/plain", 200),
              ("GET", f"https://localhost:{tls_origin.port}/tls", 200)]
    query = "SELECT method, url, status FROM exchange ORDER BY id"
    if way in ("--socks5", "--socks4"):
        # The server is an address there, and the name is in Host.
        assert [(row[0], row[2]) for row in proxy.sql(query)] == [("GET", 200)] * 2
    else:
        assert proxy.sql(query) == wanted
    version = way[7]
    assert all(detail.startswith(f"SOCKS {version} to ") for [detail] in
               proxy.sql("SELECT detail FROM event WHERE kind = 'socks'"))
    assert proxy.sql("SELECT count(*) FROM patch") == [(0,)]
    rows = proxy.sql(query)
    tapedeck("rebuild", proxy.trace)
    assert proxy.sql(query) == rows


@pytest.mark.parametrize("credentials", ["", "ada:sesame-9@"])
def test_another_library(record, echo_socket, trust, certificates, credentials: str) -> None:
    """A client of SOCKS that others wrote (python-socks), below a library for WebSockets, over TLS."""
    server = echo_socket(context=certificates.context())
    proxy = record("--server-ca", certificates.authority)
    with connect(f"wss://localhost:{server.port}/", ssl=ssl.create_default_context(cafile=trust),
                 proxy=f"socks5h://{credentials}{proxy.address}") as client:
        client.send("hello")
        assert client.recv() == "hello"
    proxy.finish()
    assert proxy.sql("SELECT count(*) FROM message WHERE opcode = 1") == [(2,)]


def connected(port: int) -> socket.socket:
    """A client that has said it needs no password."""
    client = socket.create_connection(("127.0.0.1", port), timeout=20)
    client.sendall(b"\5\1\0")
    assert client.recv(2) == b"\5\0"
    return client


def test_what_is_refused(record) -> None:
    """UDP, BIND and a server that is not there have their codes, and say why in the trace."""
    proxy = record()
    address = b"\1\x7f\0\0\1" + struct.pack(">H", closed_port())
    for command, code in ((1, 5), (2, 7), (3, 7)):
        with connected(proxy.port) as client:
            client.sendall(bytes([5, command, 0]) + address)
            assert client.recv(100)[:2] == bytes([5, code])
            assert client.recv(100) == b""
    proxy.finish()
    said = " ".join(row[0] for row in
                    proxy.sql("SELECT detail FROM event WHERE kind = 'warning'"))
    assert "Connection refused" in said and "BIND" in said and "UDP" in said
    assert sum("SOCKS client" in line for line in proxy.errors) == 3


def test_bytes_at_once(record, raw_origin) -> None:
    """A client that sends negotiation and request in one piece, and a server that speaks first."""
    def greet(connection: socket.socket) -> None:
        connection.sendall(b"220 ready\r\n")
        assert connection.recv(100) == b"QUIT\r\n"

    server = raw_origin(greet)
    proxy = record()
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=20) as client:
        client.sendall(b"\5\1\0\5\1\0\3\x09127.0.0.1" + struct.pack(">H", server.port) + b"QUIT\r\n")
        got = b""
        while part := client.recv(100):
            got += part
    assert got == b"\5\0" + b"\5\0\0\1\0\0\0\0\0\0" + b"220 ready\r\n"
    proxy.finish()


def second_port(proxy, purpose: str) -> int:
    """The port of the listener that is there for something else than the first."""
    return int(proxy.await_line(rf"^listening on 127\.0\.0\.1:(\d+) {purpose}")[1])


def test_several_listeners(record, origin, tls_origin, certificates) -> None:
    """A proxy, a SOCKS proxy with a password and a server of its own: one recording."""
    proxy = record(
        "--listen", "socks5://ada:sesame-9@127.0.0.1:0", "--listen", f"reverse:0={tls_origin.url}",
        "--listen", "http://127.0.0.1:0", "--server-ca", certificates.authority)
    socks = second_port(proxy, "as a SOCKS proxy")
    server = second_port(proxy, "as https://127.0.0.1")
    http = second_port(proxy, "as an HTTP proxy")
    curl("-x", proxy.url, f"{origin.url}/proxy")
    curl("-x", f"socks5h://ada:sesame-9@127.0.0.1:{socks}", f"{origin.url}/socks")
    curl(f"http://127.0.0.1:{server}/server")
    curl("-x", f"http://127.0.0.1:{http}", f"{origin.url}/http")
    curl("-x", f"socks5h://ada:wrong@127.0.0.1:{socks}", origin.url, status=97)
    curl("-x", f"socks5h://127.0.0.1:{socks}", origin.url, status=97)
    curl("-x", f"socks5h://127.0.0.1:{http}", origin.url, status=97)
    proxy.finish()
    assert proxy.sql("SELECT url FROM exchange WHERE status = 200 ORDER BY id") == [
        (f"{origin.url}/proxy",), (f"{origin.url}/socks",), (f"{tls_origin.url}/server",),
        (f"{origin.url}/http",)]
    assert "sesame-9" not in proxy.sql("SELECT arguments FROM session")[0][0]
    # The password was on the wire and is in no chunk.
    assert b"sesame-9" not in proxy.trace.read_bytes()


def test_a_command_behind_socks(trace, ca_dir, origin) -> None:
    """With a SOCKS listener alone a command gets that as its proxy."""
    tapedeck("record", trace, "--ca-dir", ca_dir, "--listen", "socks5://127.0.0.1:0", "--",
             "curl", "-sS", f"{origin.url}/inside")
    shown = tapedeck("ls", trace).stdout
    assert f"{origin.url}/inside" in shown


def test_an_offer_of_http3(record, raw_origin) -> None:
    """Alt-Svc is named where it is left in, and can be taken out."""
    def answer(connection: socket.socket) -> None:
        connection.recv(1000)
        connection.sendall(b"HTTP/1.1 200 OK\r\nalt-svc: h3=\":443\"\r\nContent-Length: 2\r\n\r\nok")

    server = raw_origin(answer)
    url = f"http://127.0.0.1:{server.port}/"
    proxy = record("--listen", f"reverse:0={url[:-1]}")
    assert b"alt-svc" in curl("-i", "-x", proxy.url, url).stdout
    proxy.await_line("offers HTTP/3", errors=True)
    proxy.finish()
    stripped = record("--strip-alt-svc")
    assert b"alt-svc" not in curl("-i", "-x", stripped.url, url).stdout
    stripped.finish()
    assert stripped.sql("SELECT reason FROM patch WHERE reason = 'alt-svc'") == [("alt-svc",)]


@pytest.fixture(name="ssh")
def ssh_fixture(program, tmp_path: Path) -> Callable[..., int]:
    """Starts `ssh -D` to an sshd of the test's own; gives the port of its SOCKS proxy."""
    def start(*options: str) -> int:
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name],
                           check=True)
        (tmp_path / "authorized").write_text((tmp_path / "user.pub").read_text())
        port = free_port()
        known = (tmp_path / "host.pub").read_text()
        (tmp_path / "known").write_text(f"[127.0.0.1]:{port} {known}")
        settings = tmp_path / "sshd_config"
        settings.write_text(f"ListenAddress 127.0.0.1:{port}\nHostKey {tmp_path}/host\nUsePAM no\n"
                            f"AuthorizedKeysFile {tmp_path}/authorized\nStrictModes no\n"
                            f"PermitRootLogin yes\nPidFile {tmp_path}/pid\n")
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True)
        program("/usr/sbin/sshd", "-D", "-e", "-f", settings)
        eventually(lambda: is_open(port), "sshd")
        for _ in range(5):
            # Somebody else may take the port before ssh does; the command comes after it listens.
            ways = free_port()
            ready = tmp_path / f"ready-{ways}"
            client = program(
                "ssh", "-N", "-D", f"127.0.0.1:{ways}", "-p", str(port), "-i", tmp_path / "user", "-F", "none",
                "-o", f"UserKnownHostsFile={tmp_path}/known", "-o", "BatchMode=yes", "-o",
                "ExitOnForwardFailure=yes", "-o", "PermitLocalCommand=yes", "-o", f"LocalCommand=touch {ready}",
                *options, "127.0.0.1")
            eventually(lambda: ready.exists() or client.process.poll() is not None, "ssh -D")  # noqa: B023
            if ready.exists():
                return ways
        raise AssertionError(client.said())

    return start


def is_open(port: int) -> bool:
    """Whether somebody listens there."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True


needs_sshd = pytest.mark.skipif(
    not os.access("/usr/sbin/sshd", os.X_OK) or not shutil.which("ssh"),
    reason="needs sshd and ssh (Tools/setup)")


@needs_sshd
def test_behind_ssh(record, ssh, origin, tls_origin, trust, certificates) -> None:
    """curl to tapedeck by SOCKS, and from there through `ssh -D`."""
    ways = ssh()
    proxy = record("--upstream", f"socks5://127.0.0.1:{ways}", "--server-ca", certificates.authority)
    curl("--socks5-hostname", proxy.address, f"http://localhost:{origin.port}/plain")
    curl("--socks5-hostname", proxy.address, "--cacert", trust, f"https://localhost:{tls_origin.port}/tls")
    proxy.finish()
    assert proxy.sql("SELECT url, status FROM exchange ORDER BY id") == [
        (f"http://localhost:{origin.port}/plain", 200), (f"https://localhost:{tls_origin.port}/tls", 200)]
    assert proxy.sql("SELECT DISTINCT detail FROM event WHERE kind = 'upstream'") == [
        (f"socks5://127.0.0.1:{ways}",)]


@needs_sshd
def test_before_ssh(record, ssh, origin) -> None:
    """curl through `ssh -D`, whose end goes to tapedeck: as a proxy of HTTP behind a SOCKS proxy."""
    ways = ssh()
    proxy = record()
    done = curl("--preproxy", f"socks5h://127.0.0.1:{ways}", "-x", proxy.url, f"{origin.url}/through")
    assert json.loads(done.stdout)["path"] == "/through"
    proxy.finish()
    assert proxy.sql("SELECT url, status FROM exchange") == [(f"{origin.url}/through", 200)]


@needs_sshd
def test_ssh_itself(record, ssh, origin) -> None:
    """The connection of ssh goes through tapedeck by SOCKS, and passes as it is."""
    proxy = record()
    ways = ssh("-o", f"ProxyCommand={sys.executable} {ROOT}/Tests/EndToEnd/Proxying/socks_pipe.py {proxy.port} %h %p")
    done = curl("--socks5-hostname", f"127.0.0.1:{ways}", f"{origin.url}/inside")
    assert json.loads(done.stdout)["path"] == "/inside"
    proxy.finish()
    [(first,)] = proxy.sql("SELECT bytes FROM chunk WHERE sender = 1 ORDER BY id LIMIT 1")
    assert first.startswith(b"SSH-2.0-")
