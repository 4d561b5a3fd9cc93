"""Proves with the real curl: forward proxy, CONNECT and reverse proxy, http and https on both sides."""

from __future__ import annotations

import json

import pytest
from programs import curl


def exchanges(proxy) -> list[tuple]:
    """What the public view of the trace says about every exchange but CONNECT."""
    return proxy.sql("SELECT method, url, status FROM exchange WHERE method <> 'CONNECT' "
                     "ORDER BY id")


def test_forward_http(record, origin) -> None:
    """curl -x with a plain URL sends the absolute form; the server sees the origin form."""
    proxy = record()
    done = curl("-x", proxy.url, f"{origin.url}/hello?a=b")
    said = json.loads(done.stdout)
    assert said["path"] == "/hello?a=b"
    assert said["host"] == origin.address
    assert "proxy-connection" not in said["fields"]
    proxy.finish()
    assert exchanges(proxy) == [("GET", f"{origin.url}/hello?a=b", 200)]
    assert {row[0] for row in proxy.sql("SELECT reason FROM patch")} == {
        "request-target", "hop-by-hop"}


def test_forward_to_different_hosts_on_one_connection(record, origin) -> None:
    """Requests on one kept-alive connection go to the hosts that they name."""
    proxy = record()
    other = origin.url.replace("127.0.0.1", "localhost")
    done = curl("-x", proxy.url, f"{origin.url}/one", f"{other}/two", f"{origin.url}/three")
    assert done.stdout.count(b'"method"') == 3
    proxy.finish()
    assert [row[1] for row in exchanges(proxy)] == [
        f"{origin.url}/one", f"{other}/two", f"{origin.url}/three"]
    assert proxy.sql("SELECT count(*) FROM connection") == [(1,)]
    assert proxy.sql("SELECT count(DISTINCT host) FROM leg WHERE peer = 1") == [(2,)]


def test_connect_https(record, tls_origin, trust, certificates) -> None:
    """Inside CONNECT the TLS is ours to the client and the server's certificate is verified."""
    proxy = record("--server-ca", certificates.authority)
    done = curl("-x", proxy.url, "--cacert", trust, f"{tls_origin.url}/secret", "-v")
    assert json.loads(done.stdout)["path"] == "/secret"
    assert b"SSL certificate verify ok" in done.stderr
    assert b"accepted to use http/1.1" in done.stderr.lower() or b"http/1.1" in done.stderr.lower()
    proxy.finish()
    assert exchanges(proxy) == [("GET", f"{tls_origin.url}/secret", 200)]
    assert proxy.sql("SELECT count(*) FROM event WHERE kind = 'tls'") == [(2,)]


def test_connect_https_by_name(record, tls_origin, trust, certificates) -> None:
    """A leaf is made for a name as well as for an address."""
    proxy = record("--server-ca", certificates.authority)
    url = tls_origin.url.replace("127.0.0.1", "localhost")
    curl("-x", proxy.url, "--cacert", trust, f"{url}/named")
    proxy.finish()
    assert exchanges(proxy) == [("GET", f"{url}/named", 200)]


def test_connect_http(record, origin) -> None:
    """curl -p tunnels plain HTTP; the first bytes after CONNECT tell that it is HTTP."""
    proxy = record()
    curl("-p", "-x", proxy.url, f"{origin.url}/tunnelled")
    proxy.finish()
    assert exchanges(proxy) == [("GET", f"{origin.url}/tunnelled", 200)]


@pytest.mark.parametrize("client_tls", [False, True])
@pytest.mark.parametrize("server_tls", [False, True])
def test_reverse(record, origin, tls_origin, trust, certificates, client_tls, server_tls) -> None:
    """One listener takes http and https, whatever the server speaks; Host and Location follow."""
    target = tls_origin if server_tls else origin
    proxy = record("--to", target.url, "--server-ca", certificates.authority)
    base = f"{'https' if client_tls else 'http'}://{proxy.address}"
    done = curl("--cacert", trust, f"{base}/a", "-d", "posted", f"{base}/b")
    assert done.stdout.endswith(b"posted")
    done = curl("--cacert", trust, "-L", "-w", "%{url_effective}", f"{base}/moved")
    assert done.stdout.endswith(f"{base}/arrived".encode())
    assert target.seen[-1][2]["Host"] == target.address
    proxy.finish()
    assert [row[2] for row in exchanges(proxy)] == [200, 200, 302, 200]


def test_keep_host(record, origin) -> None:
    """--keep-host leaves Host alone."""
    proxy = record("--to", origin.url, "--keep-host")
    done = curl("-H", "Host: app.example", f"{proxy.url}/a")
    assert json.loads(done.stdout)["host"] == "app.example"


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_content_codings(record, origin, coding) -> None:
    """Compressed bodies pass as they are and are in the trace as text."""
    proxy = record("--to", origin.url)
    done = curl(f"{proxy.url}/coded/{coding}", "-H", f"Accept-Encoding: {coding}")
    assert done.stdout != b"coded text, " * 200 and len(done.stdout) < 100
    proxy.finish()
    assert proxy.sql("SELECT response_body FROM exchange") == [("coded text, " * 200,)]
    assert proxy.sql("SELECT coding FROM body WHERE sender = 1") == [(coding,)]


def test_multipart_submission(record, origin, tmp_path) -> None:
    """The parts of a form submission are rows of their own, and the form is recognised."""
    form = tmp_path / "form.xml"
    form.write_text('<?xml version="1.0"?><data xmlns="http://example.org/visit">'
                    "<name>Ada</name></data>")
    picture = tmp_path / "picture.jpg"
    picture.write_bytes(bytes(range(256)) * 8)
    proxy = record("--to", origin.url)
    curl("-F", f"xml_submission_file=@{form};type=text/xml",
         "-F", f"picture.jpg=@{picture};type=image/jpeg",
         "-H", "X-OpenRosa-Version: 3.0", f"{proxy.url}/a/demo/receiver/")
    proxy.finish()
    assert proxy.sql("SELECT api FROM exchange") == [("commcare.submit",)]
    assert proxy.sql("SELECT name, filename, content_type, size FROM part WHERE sender = 0 "
                     "ORDER BY position") == [
        ("xml_submission_file", "form.xml", "text/xml", form.stat().st_size),
        ("picture.jpg", "picture.jpg", "image/jpeg", 2048)]
    assert proxy.sql("SELECT kind, root FROM openrosa WHERE sender = 0") == [("form", "data")]


def test_line_per_exchange_and_summary(record, origin) -> None:
    """stdout has the ready line, one line per exchange and a summary at the end."""
    proxy = record("--to", origin.url)
    curl(f"{proxy.url}/status/404", f"{proxy.url}/a")
    proxy.await_line("404")
    printed = proxy.finish().splitlines()
    assert printed[0] == f"listening on {proxy.address}"
    assert sum("/status/404" in line for line in printed) == 1
    for word in ("connection", "exchange", "message", " B,", "fault", "gap"):
        assert any(word in line for line in printed[3:]), f"the summary has no {word}s: {printed}"


def test_quiet(record, origin) -> None:
    """--quiet leaves out the lines per exchange, never the ready line."""
    proxy = record("--to", origin.url, "--quiet")
    curl(f"{proxy.url}/status/404")
    assert "/status/404" not in proxy.finish()
