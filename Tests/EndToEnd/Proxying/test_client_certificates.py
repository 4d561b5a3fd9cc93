"""Certificates of clients: shown to servers that ask for one, and asked of clients; what the trace has of
a handshake."""

from __future__ import annotations

import hashlib
import json
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path

import pytest
from certificates import ServerCertificates, make_certificates, openssl
from origins import HTTPOrigin
from programs import TAPEDECK, curl, environment


@dataclass(frozen=True)
class Client:
    """A client's certificate in the forms that are read, and its authority."""

    authority: Path
    pem: Path
    encrypted: Path
    p12: Path


@pytest.fixture(name="client", scope="module")
def client_fixture(tmp_path_factory: pytest.TempPathFactory) -> Client:
    """A client's certificate, made with openssl."""
    folder = tmp_path_factory.mktemp("client")
    made = make_certificates(folder, "client", extensions="extendedKeyUsage=clientAuth")
    pem = folder / "both.pem"
    pem.write_bytes(made.certificate.read_bytes() + made.key.read_bytes())
    openssl(folder, "ec", "-in", "client.key", "-aes256", "-passout", "pass:sesame", "-out", "locked.key")
    locked = folder / "locked.pem"
    locked.write_bytes((folder / "locked.key").read_bytes() + made.certificate.read_bytes())
    openssl(folder, "pkcs12", "-export", "-in", "client.pem", "-inkey", "client.key", "-passout",
            "pass:sesame", "-out", "client.p12")
    return Client(made.authority, pem, locked, folder / "client.p12")


@pytest.fixture(name="strict")
def strict_fixture(client: Client, certificates: ServerCertificates):
    """A server that serves nobody without a certificate."""
    context = certificates.context()
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(client.authority)
    origin = HTTPOrigin(context)
    yield origin
    origin.close()


@pytest.mark.parametrize("form", ["pem", "encrypted", "p12", "host"])
def test_a_server_that_asks(program, trace, ca_dir, certificates, client, strict, form: str) -> None:
    """Each form of the file, and one that is for a host alone."""
    value = f"127.0.0.1={client.pem}" if form == "host" else getattr(client, form)
    secrets = {} if form in ("pem", "host") else {"TAPEDECK_CERTIFICATE_PASSWORD": "sesame"}
    proxy = program(TAPEDECK, "record", trace, "--listen", "127.0.0.1:0", "--ca-dir", ca_dir, "--to",
                    strict.url, "--server-ca", certificates.authority, "--client-certificate", value,
                    env=environment(**secrets))
    port = proxy.await_line(r"^listening on 127\.0\.0\.1:(\d+)$")[1]
    assert json.loads(curl(f"http://127.0.0.1:{port}/a").stdout)["path"] == "/a"


def test_a_server_that_asks_in_vain(record, certificates, client, strict) -> None:
    """Without one, and with one for another host, the client and the trace have the reason."""
    proxy = record("--to", strict.url, "--server-ca", certificates.authority,
                   "--client-certificate", f"*.test={client.pem}")
    # With TLS 1.3 the server refuses after its client takes the handshake for done.
    done = curl("-w", "%{http_code}", f"{proxy.url}/a")
    assert b"certificate" in done.stdout and done.stdout.endswith(b"502")
    proxy.await_line("--client-certificate", errors=True)


def test_nginx(record, program, client, certificates, tmp_path: Path) -> None:
    """A real server with `ssl_verify_client`."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (tmp_path / "nginx.conf").write_text(f"""
        daemon off; pid {tmp_path}/pid; error_log stderr;
        events {{}}
        http {{
            access_log off; client_body_temp_path {tmp_path}/b; proxy_temp_path {tmp_path}/p;
            fastcgi_temp_path {tmp_path}/f; uwsgi_temp_path {tmp_path}/u; scgi_temp_path {tmp_path}/s;
            server {{
                listen 127.0.0.1:{port} ssl;
                ssl_certificate {certificates.certificate};
                ssl_certificate_key {certificates.key};
                ssl_client_certificate {client.authority};
                ssl_verify_client on;
                location / {{ return 200 "$ssl_client_verify $ssl_client_s_dn"; }}
            }}
        }}""")
    server = program("/usr/sbin/nginx", "-p", tmp_path, "-c", tmp_path / "nginx.conf")
    proxy = record("--to", f"https://127.0.0.1:{port}", "--server-ca", certificates.authority,
                   "--client-certificate", client.pem)
    done = curl("--retry", "20", "--retry-delay", "1", "--retry-all-errors", "-f", proxy.url)
    assert done.stdout == b"SUCCESS CN=localhost", server.said()
    server.stop()


def test_a_client_that_is_asked(record, origin, trust, client, tls_origin, certificates) -> None:
    """The trace names the certificate of the client, and what both handshakes agreed on."""
    proxy = record("--ask-client-certificate", "--server-ca", certificates.authority)
    curl("-x", proxy.url, "--cacert", trust, "--cert", client.pem, f"{tls_origin.url}/with")
    curl("-x", proxy.url, "--cacert", trust, f"{tls_origin.url}/without")
    proxy.finish()
    rows = [(peer, json.loads(detail)) for peer, detail in proxy.sql(
        "SELECT leg.peer, detail FROM event JOIN leg ON leg.id = leg_id WHERE kind = 'tls' "
        "ORDER BY event.id")]
    assert len(rows) == 4
    for peer, detail in rows:
        assert detail["server_name"] == "127.0.0.1" and detail["version"] == "TLS 1.3"
        assert detail["cipher"].startswith("TLS_")
        if peer == 1:
            assert detail["peer_certificate"]["subject"] == "CN=localhost"
    shown = [detail.get("peer_certificate") for peer, detail in rows if peer == 0]
    assert shown[1] is None
    der = ssl.PEM_cert_to_DER_cert(client.pem.read_text().partition("-----BEGIN EC")[0]
                                   .partition("-----BEGIN PRIVATE")[0])
    assert shown[0]["sha256"].replace(":", "").lower() == hashlib.sha256(der).hexdigest()


@pytest.mark.parametrize(("oldest", "version", "works"), [
    ("1.3", ssl.TLSVersion.TLSv1_2, False), ("1.2", ssl.TLSVersion.TLSv1_2, True),
    ("1.1", ssl.TLSVersion.TLSv1_1, True),
])
def test_the_oldest_version(record, certificates, oldest, version, works) -> None:
    """`--tls-min` is about servers; one that is too old is named with what to do."""
    context = certificates.context()
    context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, version
    origin = HTTPOrigin(context)
    proxy = record("--to", origin.url, "--server-ca", certificates.authority, "--tls-min", oldest)
    done = curl("-w", "%{http_code}", f"{proxy.url}/a")
    origin.close()
    if works:
        assert done.stdout.endswith(b"200")
        [(detail,)] = proxy.eventually_sql("SELECT detail FROM event WHERE kind = 'tls'")
        assert json.loads(detail)["version"] == {"1.2": "TLS 1.2", "1.1": "TLS 1.1"}[oldest]
    else:
        assert done.stdout.endswith(b"502") and b"protocol_version" in done.stdout
