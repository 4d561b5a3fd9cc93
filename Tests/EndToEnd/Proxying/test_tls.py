"""Proves: what becomes of TLS is visible. Refused certificates with their cause, hosts that are
left alone, the key log, the authority and its files."""

from __future__ import annotations

import contextlib
import socket
import ssl
import stat
import struct
import threading

from programs import DEADLINE, curl, sql, tapedeck


def test_client_without_our_authority(record, tls_origin, certificates) -> None:
    """curl refuses with an alert; trace and stderr say which and what to do."""
    proxy = record("--server-ca", certificates.authority)
    curl("-x", proxy.url, f"{tls_origin.url}/a", status=60)
    rows = proxy.eventually_sql("SELECT detail FROM event WHERE kind = 'tls-failed'")
    assert "alert" in rows[0][0] and "unknown_ca" in rows[0][0]
    line = proxy.await_line("unknown_ca", errors=True).string
    assert "tapedeck ca" in line
    # The proxy lives on.
    curl("-k", "-x", proxy.url, f"{tls_origin.url}/a")


def shake_hands_and(proxy, do) -> None:
    """Opens a tunnel, sends a real ClientHello, reads the answer and then does something rude."""
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=30) as raw:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="localhost")
        try:
            tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        raw.sendall(outgoing.read())
        assert raw.recv(65536)
        do(raw)


def test_client_that_closes_or_resets(record, origin) -> None:
    """Closing in the handshake and resetting it are told apart."""
    proxy = record("--to", origin.url)
    shake_hands_and(proxy, lambda raw: raw.shutdown(socket.SHUT_RDWR))
    rows = proxy.eventually_sql("SELECT detail FROM event WHERE kind = 'tls-failed'")
    assert "closed" in rows[0][0]

    def reset(raw: socket.socket) -> None:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raw.close()

    shake_hands_and(proxy, reset)
    rows = proxy.eventually_sql("SELECT detail FROM event WHERE kind = 'tls-failed' "
                                "AND detail LIKE '%reset%'")
    assert len(rows) == 1


def test_nobody_is_blamed_for_the_end_of_the_recording(record, origin) -> None:
    """A handshake that the end of the recording breaks off is no failure of the client's."""
    proxy = record("--to", origin.url)
    shake_hands_and(proxy, lambda raw: proxy.finish())
    assert sql(proxy.trace, "SELECT count(*) FROM event WHERE kind = 'tls-failed'") == [(0,)]


def test_no_server_is_blamed_for_a_client_that_leaves(record, raw_origin) -> None:
    """A server that is in the middle of its handshake when the client leaves is closed at once."""
    began, ended = threading.Event(), threading.Event()

    def serve(connection: socket.socket) -> None:
        assert connection.recv(65536)
        began.set()
        with contextlib.suppress(ConnectionError):
            while connection.recv(65536):
                pass
        ended.set()

    proxy = record("--to", f"https://127.0.0.1:{raw_origin(serve).port}")
    with socket.create_connection(("127.0.0.1", proxy.port)) as client:
        client.sendall(f"GET / HTTP/1.1\r\nHost: {proxy.address}\r\n\r\n".encode())
        assert began.wait(DEADLINE)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert ended.wait(DEADLINE)
    proxy.finish()
    assert sql(proxy.trace, "SELECT detail FROM event WHERE kind = 'tls-failed'") == []


def test_client_with_nothing_in_common(record, origin) -> None:
    """A client that offers only what we do not speak is named as such."""
    proxy = record("--to", origin.url)
    # Our leaf has an elliptic key; this client takes nothing but RSA.
    curl("-k", "--tls-max", "1.2", "--ciphers", "ECDHE-RSA-AES128-GCM-SHA256",
         proxy.url.replace("http", "https"), status=35)
    rows = proxy.eventually_sql("SELECT detail FROM event WHERE kind = 'tls-failed'")
    assert "shared" in rows[0][0]


def test_passthrough_leaves_tls_alone(record, tls_origin, certificates) -> None:
    """The client sees the server's own certificate, and the trace says that it was left alone."""
    proxy = record("--passthrough", "localhost")
    url = tls_origin.url.replace("127.0.0.1", "localhost")
    curl("-x", proxy.url, "--cacert", certificates.authority, f"{url}/private")
    proxy.finish()
    assert "localhost" in proxy.sql("SELECT detail FROM event WHERE kind = 'passthrough'")[0][0]
    assert proxy.sql("SELECT count(*) FROM exchange WHERE url LIKE '%private%'") == [(0,)]


def test_only_records_the_named_hosts(record, origin, tls_origin, certificates) -> None:
    """--only HOST records that host; the rest is relayed, TLS untouched, and leaves no bytes."""
    proxy = record("--only", "127.0.0.1")
    curl("-x", proxy.url, f"{origin.url}/recorded")
    curl("-x", proxy.url, f"{origin.url.replace('127.0.0.1', 'localhost')}/unrecorded")
    curl("-x", proxy.url, "--cacert", certificates.authority,
         f"{tls_origin.url.replace('127.0.0.1', 'localhost')}/unrecorded")
    proxy.finish()
    assert proxy.sql("SELECT url FROM exchange") == [(f"{origin.url}/recorded",)]
    assert proxy.sql("SELECT count(*) FROM chunk WHERE instr(bytes, 'unrecorded')") == [(0,)]


def test_keylog(record, tls_origin, certificates, trust, tmp_path) -> None:
    """The key log has secrets of both legs in the format that Wireshark reads."""
    log = tmp_path / "keys.log"
    proxy = record("--server-ca", certificates.authority, "--keylog", log)
    curl("-x", proxy.url, "--cacert", trust, f"{tls_origin.url}/a")
    proxy.finish()
    lines = [line.split() for line in log.read_text().splitlines()
             if line and not line.startswith("#")]
    assert len({line[1] for line in lines if line[0] == "CLIENT_TRAFFIC_SECRET_0"}) == 2
    assert stat.S_IMODE(log.stat().st_mode) & 0o077 == 0


def test_authority(tmp_path) -> None:
    """`ca` makes an authority once, prints it as PEM, writes PEM and DER, and hides the key."""
    folder = tmp_path / "authority"
    pem, der = tmp_path / "ca.pem", tmp_path / "ca.der"
    first = tapedeck("ca", "--ca-dir", folder).stdout
    tapedeck("ca", "--ca-dir", folder, "--pem", pem, "--der", der)
    again = tapedeck("ca", "--ca-dir", folder).stdout
    assert first.startswith("-----BEGIN CERTIFICATE-----") and first == again
    assert ssl.PEM_cert_to_DER_cert(first) == der.read_bytes()
    assert ssl.PEM_cert_to_DER_cert(pem.read_text()) == der.read_bytes()
    keys = [path for path in folder.iterdir() if b"PRIVATE KEY" in path.read_bytes()]
    assert len(keys) == 1
    assert stat.S_IMODE(keys[0].stat().st_mode) == 0o600


def test_leaf_for_the_listening_address(record, origin, trust) -> None:
    """A reverse listener without SNI shows a leaf for the address that it listens on."""
    proxy = record("--to", origin.url)
    context = ssl.create_default_context(cafile=trust)
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=30) as raw:
        with context.wrap_socket(raw, server_hostname="127.0.0.1") as tls:
            names = tls.getpeercert()["subjectAltName"]
            assert ("IP Address", "127.0.0.1") in names
            assert tls.selected_alpn_protocol() is None


def test_alpn_offers_http_1_1_alone(record, origin, trust) -> None:
    """A client that offers h2 as well gets http/1.1."""
    proxy = record("--to", origin.url)
    context = ssl.create_default_context(cafile=trust)
    context.set_alpn_protocols(["h2", "http/1.1"])
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=30) as raw:
        with context.wrap_socket(raw, server_hostname="127.0.0.1") as tls:
            assert tls.selected_alpn_protocol() == "http/1.1"
    proxy.finish()
    assert sql(proxy.trace, "SELECT count(*) FROM event WHERE kind = 'tls-failed'") == [(0,)]
