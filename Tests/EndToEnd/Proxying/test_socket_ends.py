"""Proves: whatever moment a peer chooses to leave, the other one learns of it."""

from __future__ import annotations

import socket
import struct
import threading

from programs import DEADLINE
from wire import RawClient

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def test_a_client_that_resets_while_its_answer_comes(record, raw_origin) -> None:
    """The reset may be found when the answer is written: the server sees an end all the same."""
    asked, ended = threading.Event(), threading.Semaphore(0)

    def serve(connection: socket.socket) -> None:
        connection.settimeout(DEADLINE)
        data = b""
        while b"\r\n\r\n" not in data:
            data += connection.recv(4096)
        connection.sendall(ANSWER)
        asked.set()
        try:
            assert not connection.recv(1)
        except ConnectionResetError:
            pass
        ended.release()

    server = raw_origin(serve)
    proxy = record("--to", f"http://127.0.0.1:{server.port}")
    for _ in range(50):
        asked.clear()
        client = RawClient(proxy.port)
        client.send(b"GET /gone HTTP/1.1\r\nHost: a\r\n\r\n")
        assert asked.wait(DEADLINE)
        client.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        assert ended.acquire(timeout=DEADLINE), "the server was left alone"
    proxy.finish()
