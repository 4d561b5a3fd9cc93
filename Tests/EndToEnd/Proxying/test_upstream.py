"""Servers behind another proxy: what that one gets, what the trace has, and what the client gets."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from programs import TAPEDECK, curl, environment, eventually
from small_proxy import SmallProxy


@pytest.fixture(name="small")
def small_fixture() -> Iterator[Callable[..., SmallProxy]]:
    """Starts a small proxy."""
    started: list[SmallProxy] = []

    def start(*arguments, **options) -> SmallProxy:
        started.append(SmallProxy(*arguments, **options))
        return started[-1]

    yield start
    for each in started:
        each.close()


@pytest.mark.parametrize("scheme", ["", "basic", "digest"])
def test_http(record, origin, tls_origin, trust, certificates, small, scheme: str) -> None:
    """Plain requests with an absolute target, TLS and SOCKS in tunnels, with what it wants to know."""
    behind = small(scheme)
    login = "ada:sesame-9@" if scheme else ""
    proxy = record("--upstream", f"http://{login}{behind.address}",
                   "--server-ca", certificates.authority)
    secret = curl("-x", proxy.url, "--cacert", trust, f"{tls_origin.url}/tls")
    assert json.loads(secret.stdout)["path"] == "/tls"
    for path in ("/one", "/two"):
        plain = json.loads(curl("-x", proxy.url, f"{origin.url}{path}").stdout)
        assert plain["path"] == path and not any("proxy" in name for name in plain["fields"])
    curl("-x", f"socks5h://{proxy.address}", f"{origin.url}/socks")
    proxy.finish()
    tunnel = f"CONNECT {tls_origin.address} HTTP/1.1"
    assert behind.asked[:1] == [tunnel]
    plain = [f"GET {origin.url}/{path} HTTP/1.1" for path in ("one", "two")]
    assert behind.asked[-3:] == [*plain, f"CONNECT {origin.address} HTTP/1.1"]
    if scheme == "digest":
        # An answer for each request.
        assert len(behind.asked) == 5 and behind.counts == [1, 2, 3, 4]
    assert proxy.sql("SELECT url, status FROM exchange WHERE method = 'GET' ORDER BY id") == [
        (f"{tls_origin.url}/tls", 200), (f"{origin.url}/one", 200), (f"{origin.url}/two", 200),
        (f"{origin.url}/socks", 200)]
    assert {row[0] for row in proxy.sql("SELECT detail FROM event WHERE kind = 'upstream'")} == {
        f"http://{behind.address}"}
    assert b"sesame-9" not in proxy.trace.read_bytes()
    assert b"YWRhOnNlc2FtZS05" not in proxy.trace.read_bytes()


def test_digest_of_plain_requests(record, origin, small, tmp_path: Path) -> None:
    """The first request is sent again with the answer, also one with content; later ones have it at once. The
    client and the trace see nothing of it."""
    behind = small("digest")
    proxy = record("--upstream", f"http://ada:sesame-9@{behind.address}")
    line = f"POST {origin.url}/first HTTP/1.1"
    assert curl("-x", proxy.url, f"{origin.url}/first", "-d", "x" * 60_000).stdout == b"x" * 60_000
    assert behind.asked == [line, line] and behind.counts == [1]
    large = tmp_path / "large"
    large.write_bytes(b"y" * 300_000)
    assert curl("-x", proxy.url, f"{origin.url}/second", "-H", "Expect:", "--data-binary",
                f"@{large}").stdout == b"y" * 300_000
    assert len(behind.asked) == 3 and behind.counts == [1, 2]
    proxy.finish()
    assert proxy.sql("SELECT url, status, request_size FROM exchange ORDER BY id") == [
        (f"{origin.url}/first", 200, 60_000), (f"{origin.url}/second", 200, 300_000)]
    assert proxy.sql("SELECT count(*) FROM patch WHERE reason = 'undelivered'") == [(0,)]


def test_content_that_cannot_be_sent_again(record, origin, small, tmp_path: Path) -> None:
    """A request that is too long to be kept is a 502 with the cause, and the next one goes through."""
    behind = small("digest")
    proxy = record("--upstream", f"http://ada:sesame-9@{behind.address}")
    large = tmp_path / "large"
    large.write_bytes(b"y" * 300_000)
    command = ["-x", proxy.url, f"{origin.url}/x", "-H", "Expect:", "--data-binary", f"@{large}",
               "-w", "%{http_code}"]
    refused = curl(*command, status=None).stdout.decode()
    assert refused.endswith("502") and "64 KiB" in refused
    assert curl(*command).stdout.endswith(b"y200")


def test_a_nonce_that_is_too_old(record, origin, small) -> None:
    """It is replaced without the client's knowledge, on one connection or on several."""
    behind = small("digest", uses=2)
    proxy = record("--upstream", f"http://ada:sesame-9@{behind.address}")
    for number in range(6):
        assert curl("-x", proxy.url, f"{origin.url}/{number}", "-o", "/dev/null", "-w",
                    "%{http_code}").stdout == b"200"
    assert len(behind.asked) > 7


def test_reverse(record, origin, tls_origin, certificates, small, tmp_path: Path) -> None:
    """A proxy over TLS, for a reverse proxy of plain HTTP and of TLS."""
    behind = small(context=certificates.context())
    for server in (origin, tls_origin):
        proxy = record("--to", server.url, "--upstream", f"https://localhost:{behind.port}",
                       "--server-ca", certificates.authority, to=tmp_path / f"{server.port}.tape")
        assert json.loads(curl(f"{proxy.url}/x").stdout)["host"] == server.address
        proxy.finish()
    assert behind.asked == [f"GET {origin.url}/x HTTP/1.1", f"CONNECT {tls_origin.address} HTTP/1.1"]


def test_failures(record, origin, tls_origin, small, trust) -> None:
    """What does not work is a 502 with the cause, which the trace has as well."""
    closed = small()
    closed.close()
    wants = small("basic")
    forbids = small(refused=(tls_origin.port,))
    for upstream, url, words in (
            (f"http://{closed.address}", f"{origin.url}/", "cannot be reached: Connection refused"),
            (f"http://{wants.address}", f"{origin.url}/", "wants a user and a password"),
            (f"http://{wants.address}", f"{tls_origin.url}/", "wants a user and a password"),
            (f"http://ada:wrong@{wants.address}", f"{origin.url}/", "does not accept the user"),
            (f"http://ada:wrong@{wants.address}", f"{tls_origin.url}/", "does not accept the user"),
            (f"http://{forbids.address}", f"{tls_origin.url}/", "with 403")):
        proxy = record("--upstream", upstream)
        done = curl("-v", "-x", proxy.url, "--cacert", trust, url, status=None)
        proxy.finish()
        printed = (done.stdout + done.stderr).decode()
        assert "502" in printed, printed
        said = " ".join(row[0] for row in proxy.sql("SELECT detail FROM event"))
        assert words in said, said


def test_rules(record, origin, small) -> None:
    """A proxy for a host, none for another."""
    one, other = small(), small()
    proxy = record("--upstream", f"http://{one.address}", "--upstream",
                   f"localhost=http://{other.address}", "--upstream", "127.0.0.1=direct")
    curl("-x", proxy.url, f"{origin.url}/direct")
    curl("-x", proxy.url, f"http://localhost:{origin.port}/other")
    proxy.finish()
    assert one.asked == [] and len(other.asked) == 1


def test_environment(program, trace, ca_dir, origin, small) -> None:
    """The variables count where that is asked for, with their exceptions."""
    behind = small()
    proxy = program(
        TAPEDECK, "record", trace, "--listen", "127.0.0.1:0", "--ca-dir", ca_dir, "--upstream", "env",
        env=environment(http_proxy=f"http://{behind.address}", no_proxy="localhost,10.0.0.0/8"))
    port = proxy.await_line(r"^listening on 127\.0\.0\.1:(\d+)$")[1]
    curl("-x", f"http://127.0.0.1:{port}", f"{origin.url}/through")
    curl("-x", f"http://127.0.0.1:{port}", f"http://localhost:{origin.port}/past")
    assert behind.asked == [f"GET {origin.url}/through HTTP/1.1"]


def test_socks(record, origin, tls_origin, trust, certificates, tmp_path: Path) -> None:
    """A SOCKS proxy with a password, which is another recording."""
    behind = record("--listen", "socks5://ada:sesame-9@127.0.0.1:0", "--passthrough", "*",
                    "--passthrough", "localhost", to=tmp_path / "behind.tape")
    port = behind.await_line(r"^listening on 127\.0\.0\.1:(\d+) as a SOCKS proxy")[1]
    proxy = record("--upstream", f"socks5://ada:sesame-9@127.0.0.1:{port}",
                   "--server-ca", certificates.authority)
    assert json.loads(curl("-x", proxy.url, f"{origin.url}/a").stdout)["path"] == "/a"
    curl("-x", proxy.url, "--cacert", trust, f"https://localhost:{tls_origin.port}/b")
    proxy.finish()
    behind.finish()
    assert behind.sql("SELECT count(*) FROM event WHERE kind = 'socks'") == [(2,)]
    assert behind.sql("SELECT count(*) FROM event WHERE kind = 'passthrough'") == [(1,)]


@pytest.mark.skipif(not shutil.which("tinyproxy"), reason="needs tinyproxy (Tools/setup)")
def test_tinyproxy(record, program, origin, tls_origin, trust, certificates, tmp_path) -> None:
    """A proxy that others wrote, with a password."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = tmp_path / "tinyproxy.conf"
    settings.write_text(f"Port {port}\nListen 127.0.0.1\nTimeout 60\nBasicAuth ada sesame-9\n"
                        f"PidFile \"{tmp_path}/pid\"\nLogFile \"{tmp_path}/log\"\nLogLevel Info\n")
    program("tinyproxy", "-d", "-c", settings)

    def is_up() -> bool:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except OSError:
            return False
        return True

    eventually(is_up, "tinyproxy")
    proxy = record("--upstream", f"http://ada:sesame-9@127.0.0.1:{port}",
                   "--server-ca", certificates.authority)
    assert json.loads(curl("-x", proxy.url, f"{origin.url}/a").stdout)["fields"]["via"]
    done = curl("-x", proxy.url, "--cacert", trust, f"{tls_origin.url}/b", "-d", "x=1")
    assert done.stdout == b"x=1"
    proxy.finish()
    assert proxy.sql("SELECT count(*) FROM exchange WHERE status = 200 AND method <> 'CONNECT'") == [
        (2,)]


def test_known_addresses(record, origin, tls_origin, trust, certificates) -> None:
    """`--resolve` and `--bind`: a name that nobody knows, and the address that is connected from."""
    proxy = record("--resolve", f"shop.test:{origin.port}:127.0.0.1",
                   "--resolve", f"localhost:{tls_origin.port}:127.0.0.1",
                   "--server-ca", certificates.authority, "--bind", "127.0.0.9")
    said = json.loads(curl("-x", proxy.url, f"http://shop.test:{origin.port}/a").stdout)
    assert said["host"] == f"shop.test:{origin.port}"
    curl("-x", proxy.url, "--cacert", trust, f"https://localhost:{tls_origin.port}/b")
    curl("-x", f"socks5h://{proxy.address}", f"http://shop.test:{origin.port}/c")
    proxy.finish()
    assert proxy.sql("SELECT count(*) FROM exchange WHERE status = 200 AND method = 'GET'") == [(3,)]


@pytest.mark.parametrize("order", ["::1,127.0.0.1", "127.0.0.1,::1"])
@pytest.mark.parametrize("place", ["127.0.0.1", "::1"])
def test_several_addresses(record, place: str, order: str) -> None:
    """A server that is at one of two addresses is reached, over IPv4 and IPv6 (RFC 8305)."""
    family = socket.AF_INET6 if ":" in place else socket.AF_INET
    try:
        server = socket.create_server((place, 0), family=family)
    except OSError:
        pytest.skip("needs IPv6")
    with server:
        port = server.getsockname()[1]
        proxy = record("--resolve", f"shop.test:{port}:{order}")
        asking = subprocess.Popen(["curl", "-sS", "-x", proxy.url, f"http://shop.test:{port}/"],
                                  stdout=subprocess.PIPE)
        client, _ = server.accept()
        with client:
            client.recv(65536)
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            assert asking.communicate()[0] == b"ok"
    proxy.finish()
    [(opened,)] = proxy.sql("SELECT detail FROM event WHERE kind = 'opened'")
    assert opened == (f"[::1]:{port}" if family == socket.AF_INET6 else f"{place}:{port}")
