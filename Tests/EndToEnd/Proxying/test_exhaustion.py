"""Proves: a proxy that runs out of file descriptors, or that is its own server, says so and goes on."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import socket
import time
from pathlib import Path

import pytest
from ports import free_port
from programs import Recording, eventually, sql
from wire import RawClient, is_alive

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
# 127.0.0.1 as a number, which `record` does not recognize: it is looked up for a connection alone.
HIDDEN = "2130706433"


def answer_all(connection: socket.socket) -> None:
    """Answers every request on a connection."""
    data = b""
    while piece := connection.recv(65536):
        data += piece
        while b"\r\n\r\n" in data:
            data = data.partition(b"\r\n\r\n")[2]
            connection.sendall(OK)


def processor_time(pid: int) -> float:
    """Seconds that a process has spent."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def few_descriptors(trace, ca_dir):
    """Starts `tapedeck record` where a process may have 64 descriptors."""
    started = []

    def start(*arguments) -> Recording:
        # The hard limit too, which the program would raise its own to.
        started.append(Recording(
            trace, ca_dir, *arguments,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))))
        return started[-1]

    yield start
    for each in started:
        each.kill()


def test_without_descriptors_clients_are_answered(few_descriptors, raw_origin) -> None:
    """200 clients at once that stay: some are served, all others get 503, and nothing spins."""
    server = raw_origin(answer_all)
    proxy = few_descriptors("--to", f"http://127.0.0.1:{server.port}")
    request = f"GET /one HTTP/1.1\r\nHost: {proxy.address}\r\n\r\n".encode()
    clients = []
    for _ in range(200):
        clients.append(RawClient(proxy.port))
        clients[-1].send(request)
    heads = [client.read_until(b"\r\n\r\n") for client in clients]
    served = [client for client, head in zip(clients, heads) if head.startswith(b"HTTP/1.1 200")]
    refused = [client for client, head in zip(clients, heads)
               if head.startswith(b"HTTP/1.1 503 ") and b"Connection: close" in head]
    assert len(served) + len(refused) == len(clients), heads
    assert len(served) >= 4 and refused
    for client in refused:
        assert b"ulimit -n" in client.read_to_end()
    proxy.await_line(r"out of file descriptors.*64.*ulimit -n", errors=True)
    assert sum("out of file descriptors" in line for line in proxy.errors) == 1
    # Those that are served still are.
    for client in served:
        client.read_exactly(2)
        client.send(request)
        assert client.read_until(b"\r\n\r\n").startswith(b"HTTP/1.1 200")
    for client in clients:
        client.close()
    assert is_alive(proxy.port, proxy.address)
    proxy.finish()
    total = next(line for line in proxy.errors if "were answered with 503" in line)
    number = int(re.search(r"(\d+) connections", total)[1])
    assert number >= len(refused)
    assert sql(proxy.trace, "SELECT count(*) FROM http_exchange WHERE status = 503 AND is_local") \
        == [(number,)]


def test_silent_clients_beyond_the_descriptors_are_let_go(few_descriptors, raw_origin) -> None:
    """Clients that say nothing: those that cannot be served are hung up on, and the next ones come."""
    server = raw_origin(answer_all)
    proxy = few_descriptors("--to", f"http://127.0.0.1:{server.port}")
    clients = [RawClient(proxy.port) for _ in range(35)]
    proxy.await_line("out of file descriptors", errors=True)
    spent, since = processor_time(proxy.pid), time.monotonic()
    for client in clients[-15:]:
        assert client.read_to_end().startswith(b"HTTP/1.1 503")
    # Those that wait to be accepted keep no processor busy.
    assert processor_time(proxy.pid) - spent < (time.monotonic() - since) / 2
    for client in clients:
        client.close()
    assert is_alive(proxy.port, proxy.address)
    proxy.finish()


def test_a_server_that_cannot_be_connected_is_a_503(few_descriptors, raw_origin) -> None:
    """Connections of a forward proxy that ask for one server after another."""
    servers = [raw_origin(answer_all) for _ in range(8)]
    proxy = few_descriptors()
    statuses: list[bytes] = []
    with contextlib.ExitStack() as clients:
        while len(statuses) < 80 and statuses[-1:] != [b"503"]:
            client = clients.enter_context(RawClient(proxy.port))
            for server in servers:
                client.send(f"GET http://127.0.0.1:{server.port}/ HTTP/1.1\r\n"
                            f"Host: 127.0.0.1:{server.port}\r\n\r\n".encode())
                head = client.read_until(b"\r\n\r\n")
                statuses.append(head[9:12])
                if statuses[-1] != b"200":
                    assert b"ulimit -n" in client.read_to_end()
                    break
                client.read_exactly(2)
    assert statuses[-1] == b"503" and set(statuses[:-1]) == {b"200"}, statuses
    eventually(lambda: proxy.sql("SELECT 1 FROM event WHERE kind = 'refused'"), "the event")
    proxy.finish()



@pytest.mark.parametrize("listen", ["127.0.0.1", "0.0.0.0", "[::]"])
def test_a_proxy_that_is_its_own_server_says_so(trace, ca_dir, listen) -> None:
    """`--to` the address that it listens on, by a name that does not show it: one 508."""
    port = free_port()
    proxy = Recording(trace, ca_dir, "--to", f"http://{HIDDEN}:{port}",
                      listen=f"{listen}:{port}")
    try:
        with RawClient(port) as client:
            client.send(b"GET /round HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = client.read_to_end()
        assert answer.startswith(b"HTTP/1.1 508 "), answer
        assert b"tapedeck itself" in answer
        proxy.await_line("tapedeck: loop: ", errors=True)
        with RawClient(port) as client:
            client.send(b"GET /again HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert client.read_to_end().startswith(b"HTTP/1.1 508 ")
        proxy.finish()
        assert sum("loop" in line for line in proxy.errors) == 1
        assert sql(trace, "SELECT count(*) FROM connection") == [(4,)]
    finally:
        proxy.kill()


def test_a_loop_in_tls_is_a_508(trace, ca_dir) -> None:
    """`--to https://` the own address, by a name that does not show it."""
    port = free_port()
    proxy = Recording(trace, ca_dir, "--insecure", "--to", f"https://{HIDDEN}:{port}",
                      listen=f"127.0.0.1:{port}")
    try:
        with RawClient(port) as client:
            client.send(b"GET /round HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert client.read_to_end().startswith(b"HTTP/1.1 508 ")
        proxy.finish()
        assert sql(trace, "SELECT count(*) FROM connection") == [(2,)]
    finally:
        proxy.kill()


def test_a_forward_proxy_that_is_asked_for_itself_says_so(record) -> None:
    """By an absolute URL, and through CONNECT."""
    proxy = record()
    with RawClient(proxy.port) as client:
        client.send(f"GET {proxy.url}/ HTTP/1.1\r\nHost: {proxy.address}\r\n\r\n".encode())
        assert client.read_to_end().startswith(b"HTTP/1.1 508 ")
    with RawClient(proxy.port) as client:
        client.send(f"CONNECT {proxy.address} HTTP/1.1\r\nHost: {proxy.address}\r\n\r\n".encode())
        assert client.read_until(b"\r\n\r\n").startswith(b"HTTP/1.1 200")
        client.send(f"GET {proxy.url}/ HTTP/1.1\r\nHost: {proxy.address}\r\n\r\n".encode())
        assert client.read_to_end().startswith(b"HTTP/1.1 508 ")
    proxy.finish()
    assert proxy.sql("SELECT count(*) FROM connection") == [(4,)]
