"""Ports of this machine for programs that take no port 0, and ports where nobody listens."""

from __future__ import annotations

import random
import socket

# Below those that the kernel gives to clients and to servers that ask for any: one of them could have the
# port of a server that is not started yet, or that is killed and started again.
_PORTS = range(12_000, 32_000)
# Bound and not listened on, so that nobody else gets their ports while this process runs.
_closed: list[socket.socket] = []


def free_ports(count: int) -> list[int]:
    """Ports that nobody has."""
    held: list[socket.socket] = []
    try:
        while len(held) < count:
            each = socket.socket()
            try:
                each.bind(("127.0.0.1", random.choice(_PORTS)))
                held.append(each)
            except OSError:
                each.close()
        return [each.getsockname()[1] for each in held]
    finally:
        for each in held:
            each.close()


def free_port() -> int:
    """One of them."""
    return free_ports(1)[0]


def closed_port() -> int:
    """A port that refuses connections, also when other tests start servers meanwhile."""
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    _closed.append(held)
    return held.getsockname()[1]
