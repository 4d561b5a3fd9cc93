"""Proves with a real nginx from Debian as the TLS origin, with an authority of its own."""

from __future__ import annotations

import hashlib
import random

import pytest
from programs import curl


@pytest.fixture
def files(nginx) -> dict[str, bytes]:
    """Files that nginx serves, small and large."""
    made = {"small.txt": b"hello from nginx\n" * 100, "large.bin": random.Random(3).randbytes(5 << 20)}
    for name, content in made.items():
        (nginx.files / name).write_bytes(content)
    return made


def test_reverse_verifies_the_server(record, nginx, certificates, files) -> None:
    """With --server-ca the private authority is good, and everything arrives."""
    proxy = record("--to", nginx.url, "--server-ca", certificates.authority)
    for name, content in files.items():
        done = curl(f"{proxy.url}/{name}")
        assert hashlib.sha256(done.stdout).digest() == hashlib.sha256(content).digest()
    assert curl("--compressed", f"{proxy.url}/small.txt").stdout == files["small.txt"]
    assert curl("-r", "5-8", f"{proxy.url}/small.txt").stdout == b" fro"
    assert curl(f"{proxy.url}/teapot").stdout == b"short and stout"
    proxy.finish()
    assert [row[0] for row in proxy.sql("SELECT status FROM exchange ORDER BY id")] == [
        200, 200, 200, 206, 418]
    assert proxy.sql("SELECT response_body FROM exchange WHERE id = 3") == [
        (files["small.txt"].decode(),)]


def test_unknown_authority_is_refused(record, nginx, files) -> None:
    """Without --server-ca the client gets 502 and both the trace and stderr say why."""
    proxy = record("--to", nginx.url)
    done = curl("-w", "%{http_code}", f"{proxy.url}/small.txt")
    assert done.stdout.endswith(b"502")
    says = proxy.eventually_sql("SELECT detail FROM event WHERE kind = 'tls-failed'")
    assert "certificate" in says[0][0]
    proxy.await_line("certificate", errors=True)
    proxy.finish()
    assert proxy.sql("SELECT x.status, is_local FROM http_exchange x") == [(502, 1)]


def test_insecure_is_said_aloud(record, nginx, files) -> None:
    """--insecure takes any certificate and says so on stderr."""
    proxy = record("--to", nginx.url, "--insecure")
    proxy.await_line("(?i)insecure|not verified|verification", errors=True)
    assert curl(f"{proxy.url}/small.txt").stdout == files["small.txt"]


def test_forward_by_name(record, nginx, certificates, trust, files) -> None:
    """CONNECT with a name: leaf, verification and trace all use it."""
    proxy = record("--server-ca", certificates.authority)
    url = nginx.url.replace("127.0.0.1", "localhost")
    assert curl("-x", proxy.url, "--cacert", trust, f"{url}/small.txt").stdout == files["small.txt"]
    proxy.finish()
    assert (f"{url}/small.txt",) in proxy.sql("SELECT url FROM exchange")
