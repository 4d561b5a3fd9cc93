"""Proves that early data and sessions with a shared key are read from a capture with their key log.

The packets are made from sessions of OpenSSL, which `Tools/oracles/tls_vectors.py` wrote.
"""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from programs import sql, tapedeck

VECTORS = Path(__file__).parents[2] / "CapturingTests/TLS/Vectors/tls.txt"
PORTS = {"client": (40_000, 443), "server": (443, 40_000)}
ADDRESSES = {"client": bytes([10, 0, 0, 1]) + bytes([10, 0, 0, 2]),
             "server": bytes([10, 0, 0, 2]) + bytes([10, 0, 0, 1])}


def session(name: str) -> tuple[str, list[tuple[str, bytes]], dict[str, bytes]]:
    """The key log of a session, what each side sent in order, and what they said."""
    keys, wire, plain, is_it = "", [], {}, False
    for line in VECTORS.read_text(encoding="utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if word == "session":
            is_it = rest == name
        elif is_it and word == "key":
            keys += rest + "\n"
        elif is_it and word in PORTS:
            wire.append((word, bytes.fromhex(rest)))
        elif is_it and word == "plain":
            side, _, data = rest.partition(" ")
            plain[side] = bytes.fromhex(data)
    assert wire, name
    return keys, wire, plain


def capture(wire: list[tuple[str, bytes]]) -> bytes:
    """A pcap of one connection, each message of a side in one packet."""
    file = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, 101)
    next_ = {"client": 1_000, "server": 9_000}
    other = {"client": "server", "server": "client"}

    def packet(number: int, side: str, flags: int, data: bytes = b"") -> bytes:
        tcp = struct.pack(">HHIIBBHHH", *PORTS[side], next_[side],
                          next_[other[side]] if flags & 0x10 else 0, 5 << 4, flags, 65_535, 0, 0)
        size = 20 + len(tcp) + len(data)
        ip = struct.pack(">BBHHHBBH", 0x45, 0, size, number, 0, 64, 6, 0) + ADDRESSES[side]
        next_[side] += len(data) + (flags & 0x03 != 0)
        return struct.pack("<IIII", 1_700_000_000 + number, 0, size, size) + ip + tcp + data

    parts = [("client", 0x02, b""), ("server", 0x12, b""), ("client", 0x10, b"")]
    parts += [(side, 0x18, data) for side, data in wire]
    parts += [("client", 0x11, b""), ("server", 0x11, b"")]
    for number, (side, flags, data) in enumerate(parts):
        file += packet(number, side, flags, data)
    return file


def said(trace: Path) -> dict[str, bytes]:
    """What the trace has of each side."""
    rows = sql(trace, "SELECT sender, CAST(bytes AS BLOB) FROM chunk ORDER BY id")
    return {side: b"".join(data for sender, data in rows if sender == number)
            for number, side in enumerate(PORTS)}


@pytest.mark.parametrize(("name", "shows"), [
    ("1.3 early data", "early data accepted"),
    ("1.3 refused early data", "early data refused"),
    ("1.2 with a shared key TLS_PSK_WITH_AES_128_GCM_SHA256", "TLS_PSK_WITH"),
    ("1.2 with a shared key TLS_PSK_WITH_AES_256_CBC_SHA384", "TLS_PSK_WITH"),
    ("1.2 with a shared key TLS_ECDHE_PSK_WITH_AES_128_CBC_SHA256", "TLS_ECDHE_PSK_WITH"),
    ("1.2 with a shared key TLS_DHE_PSK_WITH_CHACHA20_POLY1305_SHA256", "TLS_DHE_PSK_WITH"),
])
def test_what_was_said_is_in_the_trace(tmp_path, name, shows) -> None:
    keys, wire, plain = session(name)
    (tmp_path / "keys.txt").write_text(keys)
    (tmp_path / "tls.pcap").write_bytes(capture(wire))
    trace = tmp_path / "tls.tape"
    tapedeck("import", tmp_path / "tls.pcap", trace, "--keylog", tmp_path / "keys.txt")
    assert said(trace) == plain
    assert sql(trace, "SELECT count(*) FROM gap") == [(0,)]
    [(detail,)] = sql(trace, "SELECT detail FROM event WHERE kind = 'tls'")
    assert shows in detail and detail.endswith("decrypted")
    warnings = sql(trace, "SELECT detail FROM event WHERE kind = 'warning'")
    assert ("refused" in name) == any("the server refused data" in text for (text,) in warnings)
