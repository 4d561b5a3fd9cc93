"""Proves that captures are damaged as asked, and the same way for the same seed."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import pytest
from mangling import RAW, SYN, Damage, Packet, mangle, mangle_file, read_capture, write_pcap


def segment(number: int, port: int = 40000, flags: int = 16) -> Packet:
    """A TCP segment in a packet without link layer, with its number as payload."""
    payload = struct.pack(">I", number) * 10
    header = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), 0, 0, 64, 6, 0,
                         bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]))
    tcp = struct.pack(">HHIIBBHHH", port, 80, number, 0, 0x50, flags, 0, 0, 0)
    data = header + tcp + payload
    return Packet(RAW, 1_700_000_000_000_000_001 + number, data, len(data))


CAPTURE = [segment(number, flags=SYN if number % 50 == 0 else 16) for number in range(500)]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_pcap(tmp_path / "all.pcap", CAPTURE)
    assert read_capture(tmp_path / "all.pcap") == CAPTURE
    assert mangle_file(tmp_path / "all.pcap", tmp_path / "same.pcap", Damage(seed=5)) == CAPTURE
    assert (tmp_path / "same.pcap").read_bytes() == (tmp_path / "all.pcap").read_bytes()


@pytest.mark.parametrize("order", ["<", ">"])
def test_pcapng_is_read(tmp_path: Path, order: str) -> None:
    def block(kind: int, body: bytes) -> bytes:
        body += b"\0" * (-len(body) % 4)
        size = struct.pack(order + "I", 12 + len(body))
        return struct.pack(order + "I", kind) + size + body + size

    packet = CAPTURE[7]
    # Nanoseconds; a block of a kind that nobody knows is passed over.
    data = block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
    data += block(1, struct.pack(order + "HHI", RAW, 0, 0)
                  + struct.pack(order + "HHB3x", 9, 1, 9) + struct.pack(order + "HH", 0, 0))
    data += block(0x0BAD, b"whatever")
    ticks = packet.nanoseconds
    data += block(6, struct.pack(order + "IIIII", 0, ticks >> 32, ticks & 0xFFFFFFFF,
                                 len(packet.bytes), packet.length) + packet.bytes)
    (tmp_path / "one.pcapng").write_bytes(data)
    assert read_capture(tmp_path / "one.pcapng") == [packet]


def test_each_kind_of_damage() -> None:
    dropped = mangle(CAPTURE, Damage(seed=1, drop=10, keep_handshake=True))
    assert 420 < len(dropped) < 480
    assert [packet for packet in CAPTURE if packet.tcp.flags == SYN] == [
        packet for packet in dropped if packet.tcp.flags == SYN]

    doubled = mangle(CAPTURE, Damage(seed=1, duplicate=10))
    assert 520 < len(doubled) < 580
    assert set(doubled) == set(CAPTURE)

    moved = mangle(CAPTURE, Damage(seed=1, reorder=3))
    assert moved != CAPTURE and set(moved) == set(CAPTURE)
    assert max(abs(place - CAPTURE.index(packet)) for place, packet in enumerate(moved)) <= 3

    cut = mangle(CAPTURE, Damage(snaplen=50))
    assert cut == [replace(packet, bytes=packet.bytes[:50]) for packet in CAPTURE]

    assert len(mangle(CAPTURE, Damage(drop_syn=True))) == 490
    assert mangle([*CAPTURE, segment(9, port=9)], Damage(drop_sender=9)) == CAPTURE


def test_the_seed_decides() -> None:
    damage = Damage(seed=3, drop=5, duplicate=5, reorder=5)
    assert mangle(CAPTURE, damage) == mangle(CAPTURE, damage)
    assert mangle(CAPTURE, damage) != mangle(CAPTURE, replace(damage, seed=4))
