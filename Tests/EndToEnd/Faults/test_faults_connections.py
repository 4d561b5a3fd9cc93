"""Each action on connections and handshakes, felt by curl, `http.client`, sockets and TLS."""

from __future__ import annotations

import http.client
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator

import pytest
import requests
from faults import ask, control, fault, faults, faulty_fixture, feels, line, web_fixture
from ports import closed_port
from programs import DEADLINE, Recording, curl, eventually
from sides import disagreements
from wire import RawClient

__all__ = ["faulty_fixture", "web_fixture"]

PLAIN = b"0123456789" * 1000


# Slow, late, dark

@feels("latency")
def test_everything_is_late(faulty, web):
    deck = faulty(web.url, "=> latency 200ms jitter=20ms")
    began = time.monotonic()
    assert ask(deck, "/", PLAIN).body == PLAIN
    assert time.monotonic() - began >= 0.36, "there and back"
    row = fault(deck, "latency 200ms jitter=20ms")
    assert row.scope == "127.0.0.1" and row.exchange is None


@feels("latency")
@pytest.mark.parametrize("sender", ["client", "server"])
def test_one_direction_is_late(faulty, raw_origin, sender):
    """When each side hears what was said to it."""
    heard: dict[str, float] = {}

    def serve(accepted: socket.socket) -> None:
        assert accepted.recv(4096)
        heard["server"] = time.monotonic()
        accepted.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    deck = faulty(raw_origin(serve).url, f"=> latency 400ms sender={sender}")
    began = time.monotonic()
    assert ask(deck, "/").status == 204
    heard["client"] = time.monotonic()
    there, back = heard["server"] - began, heard["client"] - heard["server"]
    assert (there if sender == "client" else back) >= 0.38, (there, back)
    assert (back if sender == "client" else there) < 0.38, (there, back)
    assert len(faults(deck)) == 1


@feels("bandwidth", "slice")
@pytest.mark.parametrize(("action", "least"), [
    ("bandwidth 10000", 1.5), ("bandwidth 10000 sender=client", 0.7),
    ("bandwidth 10000 sender=server", 0.7), ("slice 200 pause=5ms", 0.4)])
def test_slow_connections(faulty, web, action, least):
    deck = faulty(web.url, f"=> {action}")
    began = time.monotonic()
    assert ask(deck, "/", PLAIN).body == PLAIN
    assert time.monotonic() - began >= least
    fault(deck, action)


@feels("slice", "latency")
def test_a_request_that_comes_in_parts(faulty, web):
    """Rules hold for what comes while the beginning still waits."""
    deck = faulty(web.url, "=> latency 300ms sender=client", "=> slice 50 sender=client",
                  "path:/x => corrupt sender=client at=3")
    with RawClient(deck.port) as raw:
        for part in (f"POST /x HTTP/1.1\r\nHost: {web.address}\r\n", "Content-Length: 6\r\n\r\n",
                     "012", "345"):
            raw.send(part.encode())
            # So that it comes as a part of its own.
            raw.wait_until_read()
        assert raw.read_until(b"\r\n\r\n").startswith(b"HTTP/1.1 200")
    [(_, _, _, got)] = web.seen
    assert got[:3] + got[4:] == b"01245" and got != b"012345"


@feels("slice")
def test_slices_are_seen(faulty, web):
    """No more than so much arrives at a time."""
    deck = faulty(web.url, "=> slice 10 pause=3ms sender=server")
    with RawClient(deck.port) as raw:
        raw.send(f"POST / HTTP/1.1\r\nHost: {web.address}\r\nContent-Length: {len(PLAIN)}\r\n\r\n".encode()
                 + PLAIN)
        # On a busy machine one read may get what several sent, and there are a thousand.
        seen = 0
        while seen < 8:
            size = len(raw.connection.recv(4096))
            assert size > 0, f"the answer ended after {seen} slices"
            seen += size <= 10


@feels("stall")
@pytest.mark.parametrize("sender", ["client", "server"])
def test_a_direction_that_stalls(faulty, web, sender):
    deck = faulty(web.url, f"=> stall sender={sender} first=1")
    with pytest.raises(TimeoutError):
        ask(deck, "/stuck", timeout=1)
    assert len(web.seen) == (0 if sender == "client" else 1)
    assert ask(deck, "/free").status == 200
    fault(deck, f"stall sender={sender}")


@feels("blackout")
def test_a_blackout_between_two_times(faulty, web):
    """What was said in the dark comes when it is over."""
    deck = faulty(web.url, "=> blackout from=0s to=2s name=tunnel")
    answer = ask(deck, "/", PLAIN)
    assert answer.body == PLAIN
    assert faults(deck)[0].rule == "tunnel"
    began = time.monotonic()
    assert ask(deck, "/").status == 200
    assert time.monotonic() - began < 1.5, "it is over"


@feels("blackout")
def test_a_blackout_of_a_connection_that_stands(faulty, web):
    deck = faulty(web.url)
    wire = line(deck)
    assert ask(wire, "/one").status == 200
    control(deck, "POST", "/v1/rules", {"rule": "=> blackout for=800ms name=dark"})
    began = time.monotonic()
    assert ask(wire, "/two").status == 200
    assert time.monotonic() - began >= 0.7
    assert fault(deck, "blackout").rule == "dark"


# Ends

@feels("cut")
@pytest.mark.parametrize("sender", ["client", "server"])
def test_a_connection_that_is_cut_at_a_byte(faulty, raw_origin, sender):
    got: list[bytes] = []
    over = threading.Event()

    def serve(accepted: socket.socket) -> None:
        try:
            got.append(accepted.recv(4096))
            accepted.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n" + PLAIN)
            while data := accepted.recv(4096):
                got.append(data)
        finally:
            over.set()

    deck = faulty(raw_origin(serve).url, f"=> cut 500 sender={sender}")
    with RawClient(deck.port) as raw:
        raw.send(f"POST / HTTP/1.1\r\nHost: {deck.address}\r\nContent-Length: 10000\r\n\r\n"
                 .encode())
        if sender == "client":
            raw.read_exactly(10_041)
            raw.send(PLAIN)
        said = raw.read_to_end()
        assert over.wait(DEADLINE), "the server sees the end"
    # The port of the server may have a digit less or more than that of the proxy.
    assert abs(len(b"".join(got) if sender == "client" else said) - 500) <= 1
    fault(deck, "cut 500")


@feels("close", "reset")
@pytest.mark.parametrize("action", ["close", "reset"])
def test_a_connection_that_ends_when_it_begins(faulty, web, action):
    deck = faulty(web.url, f"=> {action} first=1")
    try:
        with socket.create_connection(("127.0.0.1", deck.port), timeout=DEADLINE) as raw:
            seen = "close" if raw.recv(1) == b"" else "data"
    except ConnectionResetError:
        seen = "reset"
    assert seen == action
    assert ask(deck, "/there").status == 200
    assert [seen[1] for seen in web.seen] == ["/there"]
    fault(deck, action)


@feels("reset")
def test_a_connection_that_ends_later(faulty, web):
    deck = faulty(web.url, "=> reset after=500ms")
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", deck.port), timeout=DEADLINE) as raw:
        with pytest.raises(ConnectionResetError):
            raw.recv(1)
    assert time.monotonic() - began >= 0.45
    fault(deck, "reset")


@feels("reset", "close")
@pytest.mark.parametrize("rule", ["stall sender=server", "latency 60s sender=server"])
@pytest.mark.parametrize("action", ["reset", "close"])
def test_an_end_that_is_fired_waits_for_nothing(faulty, web, rule, action):
    """A connection on which everything is held ends now."""
    deck = faulty(web.url, f"path:/x => {rule}")
    with socket.create_connection(("127.0.0.1", deck.port), timeout=3) as raw:
        raw.sendall(f"GET /x HTTP/1.1\r\nHost: {web.address}\r\n\r\n".encode())
        eventually(lambda: web.seen, "the request at the server")
        control(deck, "POST", "/v1/fire", {"action": action})
        try:
            assert raw.recv(1) == b"" and action == "close"
        except ConnectionResetError:
            assert action == "reset"


@feels("half-close")
@pytest.mark.parametrize("sender", ["client", "server"])
def test_one_direction_that_ends(faulty, raw_origin, sender):
    """The other goes on."""
    heard: list[bytes] = []

    def serve(accepted: socket.socket) -> None:
        while data := accepted.recv(4096):
            heard.append(data)
        heard.append(b"END")
        accepted.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    deck = faulty(raw_origin(serve).url, f"method:GET => half-close sender={sender}")
    with RawClient(deck.port) as raw:
        raw.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        if sender == "server":
            assert raw.read_to_end() == b""
        else:
            assert raw.read_until(b"\r\n\r\n").startswith(b"HTTP/1.1 200")
            assert heard[-1] == b"END" and b"".join(heard).startswith(b"GET / ")
    fault(deck, "half-close")


@feels("refuse")
def test_a_connection_that_is_refused(faulty, web):
    deck = faulty(web.url, "=> refuse first=2")
    for _ in range(2):
        with pytest.raises((ConnectionError, http.client.RemoteDisconnected)):
            ask(deck, "/never")
    assert ask(deck, "/there").status == 200
    assert len(web.seen) == 1
    # Two event loops may write them down in either order.
    assert sorted(row.occurrence for row in faults(deck, 2)) == [1, 2]


@feels("refuse", "close", "reset")
@pytest.mark.parametrize("action", ["refuse", "close", "reset"])
def test_nothing_is_left_of_connections_that_end_at_once(faulty, web, action):
    """Whether the socket was ready to be read by then or not."""
    deck = faulty(web.url, f"=> {action} first=40")
    for _ in range(40):
        with pytest.raises((ConnectionError, http.client.RemoteDisconnected)):
            ask(deck, "/never")
    faults(deck, 40)
    eventually(lambda: not control(deck, "GET", "/v1/connections")["connections"],
               "no connection is left")
    closed = "SELECT count(*) FROM event WHERE kind = 'closed'"
    deck.eventually_sql(f"SELECT 1 WHERE ({closed}) = 40")


@feels("half-close")
def test_nothing_is_left_of_a_client_that_goes_before_the_server_is_connected(faulty, web):
    deck = faulty(web.url, "method:POST => half-close")
    for _ in range(30):
        with RawClient(deck.port) as raw:
            raw.send(f"POST / HTTP/1.1\r\nHost: {web.address}\r\n".encode()
                     + b"Content-Length: 0\r\n\r\n")
            raw.read_to_end()
    faults(deck, 30)
    eventually(lambda: not control(deck, "GET", "/v1/connections")["connections"],
               "no connection is left")
    deck.finish()
    assert not disagreements(deck.trace), "the server never had what was never sent to it"


# Handshakes

@pytest.fixture(name="forward")
def forward_fixture(record, certificates):
    """Starts a proxy for clients that know it as theirs."""
    def start(*rules: str) -> Recording:
        given = [word for rule in rules for word in ("--fault", rule)]
        return record("--quiet", "--seed", "7", "--server-ca", certificates.authority, *given)

    return start


@pytest.fixture(name="secret")
def secret_fixture(tls_origin) -> Iterator:
    """A TLS origin that has seen nothing in this test."""
    tls_origin.seen.clear()
    yield tls_origin
    tls_origin.seen.clear()


def get(deck: Recording, url: str, trust) -> requests.Response:
    """Asks through a proxy with `requests`."""
    return requests.get(url, proxies={"http": deck.url, "https": deck.url}, verify=str(trust),
                        timeout=DEADLINE)


@feels("refuse")
def test_a_tunnel_that_is_refused(forward, secret, trust):
    deck = forward("host:127.0.0.1 => refuse first=1")
    with pytest.raises((requests.exceptions.ProxyError, requests.exceptions.ConnectionError)):
        get(deck, f"{secret.url}/a", trust)
    assert not secret.seen
    assert get(deck, f"{secret.url}/b", trust).status_code == 200
    fault(deck, "refuse")


@feels("refuse")
def test_a_host_that_is_refused(forward, web):
    deck = forward(f"port:{web.port} => refuse first=1")
    try:
        assert get(deck, f"{web.url}/a", True).status_code >= 500
    except requests.exceptions.RequestException:
        pass
    assert not web.seen
    assert get(deck, f"{web.url}/b", True).status_code == 200
    fault(deck, "refuse")


@feels("tls-failure")
def test_a_handshake_that_fails(forward, secret, trust):
    deck = forward("host:127.0.0.1 => tls-failure first=1")
    with pytest.raises(requests.exceptions.SSLError) as raised:
        get(deck, f"{secret.url}/a", trust)
    assert "alert" in str(raised.value).lower(), raised.value
    assert not secret.seen
    assert get(deck, f"{secret.url}/b", trust).status_code == 200
    fault(deck, "tls-failure")


@feels("expired-certificate")
def test_a_certificate_that_has_expired(forward, secret, trust):
    deck = forward("host:127.0.0.1 => expired-certificate first=2")
    with pytest.raises(requests.exceptions.SSLError) as raised:
        get(deck, f"{secret.url}/a", trust)
    assert "certificate has expired" in str(raised.value)
    said = curl("-x", deck.url, "--cacert", trust, f"{secret.url}/a", status=60).stderr
    assert b"expired" in said
    assert not secret.seen
    assert get(deck, f"{secret.url}/b", trust).status_code == 200
    assert len(faults(deck, 2)) == 2


@feels("tls-failure", "expired-certificate")
@pytest.mark.parametrize(("action", "said"), [
    ("tls-failure", "alert"), ("expired-certificate", "certificate has expired")])
def test_handshakes_in_the_place_of_a_server(faulty, web, trust, action, said):
    """A client that takes the proxy for the server and begins with TLS."""
    deck = faulty(web.url, f"=> {action} first=1")
    context = ssl.create_default_context(cafile=trust)

    def shake() -> bytes:
        with socket.create_connection(("127.0.0.1", deck.port), timeout=DEADLINE) as raw:
            with context.wrap_socket(raw, server_hostname="127.0.0.1") as tls:
                tls.sendall(b"GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                return tls.recv(12)

    with pytest.raises(ssl.SSLError) as raised:
        shake()
    assert said in str(raised.value).lower()
    assert not web.seen
    assert shake() == b"HTTP/1.1 200"
    fault(deck, action)


def test_rules_in_a_tunnel(forward, secret, trust):
    """What is within TLS is judged like everything else."""
    deck = forward(f"port:{secret.port} path:/hit => 503 first=1",
                   "host:127.0.0.1 path:/late => latency 300ms")
    answer = get(deck, f"{secret.url}/hit", trust)
    assert answer.status_code == 503 and not secret.seen
    began = time.monotonic()
    assert get(deck, f"{secret.url}/late", trust).status_code == 200
    assert time.monotonic() - began >= 0.28
    assert len(faults(deck, 2)) == 2


def test_rules_for_several_servers_of_one_client(forward, origin, web):
    """Over one connection to the proxy."""
    deck = forward(f"port:{web.port} => 503")
    wire = line(deck)
    for _ in range(2):
        assert ask(wire, f"{web.url}/a").status == 503
        assert ask(wire, f"{origin.url}/a").status == 200
    assert not web.seen
    assert len(faults(deck, 2)) == 2


def test_no_rule_that_fits_changes_nothing(faulty, web):
    deck = faulty(web.url, *[f"path:/never/{number} => 503" for number in range(10)])
    for size in (0, 1, 70_000, 3_000_000):
        body = (b"\0\r\n\xff<a>" * (size // 6 + 1))[:size]
        assert ask(deck, "/echo", body).body == body or not body
    assert [seen[3] for seen in web.seen][1:3]
    deck.finish()
    assert not deck.sql("SELECT 1 FROM fault")
    assert len(set(re.findall(r"rule-\d+", deck.said()))) == 10, deck.said()


def test_the_program_lives_on_without_a_server(faulty):
    """Rules about a server that is not there."""
    port = closed_port()
    deck = faulty(f"http://127.0.0.1:{port}", "path:/here => 200 body=here", "=> latency 10ms",
                  "path:/lose => lose-answer", "path:/again => repeat")
    assert ask(deck, "/here").body == b"here"
    for path in ("/lose", "/again", "/other"):
        try:
            assert ask(deck, path).status >= 500
        except (ConnectionError, http.client.HTTPException):
            pass
    eventually(deck.is_running, "the proxy")
    deck.finish()
