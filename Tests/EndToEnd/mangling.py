"""Captures made worse on purpose, the same way for the same seed: packets dropped, in another order,
twice, cut short; without SYN, or with one end only. Reads pcap and pcapng, writes pcap.

    python mangling.py IN OUT --seed 7 --drop 5 --reorder 3 --duplicate 2 --snaplen 200
"""

from __future__ import annotations

import argparse
import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ETHERNET, LOOPBACK, RAW, LOOPBACK_OPENBSD, COOKED, RAW_4, RAW_6, COOKED_2 = (
    1, 0, 101, 108, 113, 228, 229, 276)
SYN = 2


@dataclass(frozen=True)
class Packet:
    """A packet as it was captured."""

    link: int
    nanoseconds: int
    bytes: bytes
    length: int
    """How long it was on the wire."""

    def cut(self, snaplen: int) -> Packet:
        """Only the first `snaplen` bytes."""
        return replace(self, bytes=self.bytes[:snaplen])

    @property
    def tcp(self) -> TCP | None:
        """Where its TCP header is; None where there is none, or it is cut short."""
        start = network_start(self)
        return None if start is None else find_tcp(self.bytes, start)


@dataclass(frozen=True)
class TCP:
    """What a TCP header says."""

    source: tuple[bytes, int]
    destination: tuple[bytes, int]
    flags: int


@dataclass(frozen=True)
class Damage:
    """What becomes of a capture. Percentages are of all packets."""

    seed: int = 0
    drop: float = 0
    """Percentage of packets that are dropped."""
    duplicate: float = 0
    """Percentage of packets that come twice."""
    reorder: int = 0
    """How many packets later one may come at most. Times stay as they are."""
    snaplen: int | None = None
    """How many bytes of each packet stay."""
    snaplen_percentage: float = 100
    """Percentage of packets to which `snaplen` applies."""
    drop_syn: bool = False
    """No segment with SYN stays."""
    drop_sender: int | None = None
    """Port whose segments are dropped: one direction is missing."""
    keep_handshake: bool = False
    """Segments with SYN are not dropped by chance."""


def mangle(packets: list[Packet], damage: Damage) -> list[Packet]:
    """The packets after the damage."""
    chance = random.Random(damage.seed)
    ordered: list[tuple[int, Packet]] = []
    for number, packet in enumerate(packets):
        # All dice are thrown for all packets: one kind of damage does not change another.
        dropped, doubled, cut = (chance.random() * 100 for _ in range(3))
        places = [number + chance.randint(0, damage.reorder) for _ in range(2)]
        tcp = packet.tcp
        is_syn = tcp is not None and tcp.flags & SYN != 0
        if is_syn and damage.drop_syn:
            continue
        if tcp is not None and tcp.source[1] == damage.drop_sender:
            continue
        if dropped < damage.drop and not (is_syn and damage.keep_handshake):
            continue
        if damage.snaplen is not None and cut < damage.snaplen_percentage:
            packet = packet.cut(damage.snaplen)
        ordered += [(place, packet) for place in places[:2 if doubled < damage.duplicate else 1]]
    return [packet for _, packet in sorted(ordered, key=lambda each: each[0])]


def mangle_file(source: Path, target: Path, damage: Damage) -> list[Packet]:
    """Reads a capture, damages it, writes it as pcap; gives what was written."""
    packets = mangle(read_capture(source), damage)
    write_pcap(target, packets)
    return packets


# Reading and writing


def read_capture(path: Path) -> list[Packet]:
    """All packets of a pcap or pcapng file."""
    data = path.read_bytes()
    if data[:4] == b"\x0a\x0d\x0d\x0a":
        return list(read_pcapng(data))
    return list(read_pcap(data))


def read_pcap(data: bytes) -> Iterator[Packet]:
    """The packets of a pcap file with micro- or nanoseconds, of either byte order."""
    for order in "<", ">":
        (magic,) = struct.unpack_from(order + "I", data)
        if magic in (0xA1B2C3D4, 0xA1B23C4D):
            break
    else:
        raise ValueError("neither pcap nor pcapng")
    unit = 1 if magic == 0xA1B23C4D else 1000
    link = struct.unpack_from(order + "I", data, 20)[0] & 0xFFFF
    place = 24
    while place + 16 <= len(data):
        seconds, fraction, captured, length = struct.unpack_from(order + "IIII", data, place)
        place += 16
        yield Packet(link, seconds * 10**9 + fraction * unit, data[place:place + captured], length)
        place += captured


def read_pcapng(data: bytes) -> Iterator[Packet]:
    """The packets of a pcapng file: enhanced packet blocks alone."""
    order = "<"
    interfaces: list[tuple[int, int]] = []
    place = 0
    while place + 12 <= len(data):
        if data[place:place + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if data[place + 8:place + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            interfaces = []
        kind, size = struct.unpack_from(order + "II", data, place)
        body = data[place + 8:place + size - 4]
        if kind == 1:
            interfaces.append((struct.unpack_from(order + "H", body)[0],
                               ticks_per_second(body[8:], order)))
        elif kind == 6:
            which, high, low, captured, length = struct.unpack_from(order + "IIIII", body)
            link, ticks = interfaces[which]
            yield Packet(link, (high << 32 | low) * 10**9 // ticks, body[20:20 + captured], length)
        place += size


def ticks_per_second(options: bytes, order: str) -> int:
    """The resolution of an interface's times; microseconds where nothing is said."""
    place = 0
    while place + 4 <= len(options):
        code, size = struct.unpack_from(order + "HH", options, place)
        if code == 9:
            exponent = options[place + 4]
            return 2 ** (exponent & 0x7F) if exponent & 0x80 else 10 ** exponent
        place += 4 + (size + 3) // 4 * 4
    return 10**6


def write_pcap(path: Path, packets: list[Packet]) -> None:
    """Writes a pcap file with nanoseconds; all packets have to be of one link type."""
    links = {packet.link for packet in packets} or {ETHERNET}
    if len(links) > 1:
        raise ValueError(f"pcap holds one link type, not {sorted(links)}")
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, links.pop()))
        for packet in packets:
            seconds, fraction = divmod(packet.nanoseconds, 10**9)
            file.write(struct.pack("<IIII", seconds, fraction, len(packet.bytes), packet.length))
            file.write(packet.bytes)


# Looking into packets, as far as the damage needs it


def network_start(packet: Packet) -> int | None:
    """Where the IP header begins."""
    data = packet.bytes
    if packet.link == ETHERNET:
        place = 12
        while data[place:place + 2] in (b"\x81\x00", b"\x88\xa8"):
            place += 4
        return place + 2 if data[place:place + 2] in (b"\x08\x00", b"\x86\xdd") else None
    return {LOOPBACK: 4, LOOPBACK_OPENBSD: 4, RAW: 0, 12: 0, 14: 0, RAW_4: 0, RAW_6: 0,
            COOKED: 16, COOKED_2: 20}.get(packet.link)


def find_tcp(data: bytes, start: int) -> TCP | None:
    """The TCP header of an IP packet without fragments or extension headers."""
    if len(data) < start + 20:
        return None
    version = data[start] >> 4
    if version == 4 and data[start + 9] == 6:
        source, destination = data[start + 12:start + 16], data[start + 16:start + 20]
        place = start + (data[start] & 0xF) * 4
    elif version == 6 and data[start + 6] == 6:
        source, destination = data[start + 8:start + 24], data[start + 24:start + 40]
        place = start + 40
    else:
        return None
    if len(data) < place + 14:
        return None
    ports = struct.unpack_from(">HH", data, place)
    return TCP((source, ports[0]), (destination, ports[1]), data[place + 13])


def main() -> None:
    """Damages a file by the arguments given."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--drop", type=float, default=0, metavar="PERCENT")
    parser.add_argument("--duplicate", type=float, default=0, metavar="PERCENT")
    parser.add_argument("--reorder", type=int, default=0, metavar="PACKETS")
    parser.add_argument("--snaplen", type=int, metavar="BYTES")
    parser.add_argument("--snaplen-percentage", type=float, default=100, metavar="PERCENT")
    parser.add_argument("--drop-syn", action="store_true")
    parser.add_argument("--drop-sender", type=int, metavar="PORT")
    parser.add_argument("--keep-handshake", action="store_true")
    arguments = vars(parser.parse_args())
    written = mangle_file(arguments.pop("source"), arguments.pop("target"), Damage(**arguments))
    print(f"{len(written)} packets")


if __name__ == "__main__":
    main()
