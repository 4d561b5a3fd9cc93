"""WebSocket frames: cut out of a stream, and made."""

from __future__ import annotations

import struct


class Frames:
    """Cuts WebSocket frames out of a stream; text and binary of at most 64 KiB, unfragmented."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """The payloads of the frames that are complete with `data`."""
        data = self._rest + data
        at, end, payloads = 0, len(data), []
        while at + 2 <= end:
            second = data[at + 1]
            size, head = second & 0x7F, 2
            if size == 126:
                if at + 4 > end:
                    break
                size, head = data[at + 2] << 8 | data[at + 3], 4
            key = None
            if second & 0x80:
                key = data[at + head:at + head + 4]
                head += 4
            if at + head + size > end:
                break
            payload = data[at + head:at + head + size]
            payloads.append(unmask(payload, key) if key else payload)
            at += head + size
        self._rest = data[at:]
        return payloads


def unmask(payload: bytes, key: bytes) -> bytes:
    """Applies a masking key."""
    size = len(payload)
    whole = key * (size // 4 + 1)
    return (int.from_bytes(payload, "big") ^ int.from_bytes(whole[:size], "big")).to_bytes(
        size, "big")


def frame(payload: bytes, key: bytes = b"", is_compressed: bool = False) -> bytes:
    """A text frame, masked where there is a key."""
    size, mask, first = len(payload), 0x80 if key else 0, 0xC1 if is_compressed else 0x81
    head = bytes([first, mask | size]) if size < 126 else struct.pack(">BBH", first, mask | 126, size)
    return head + key + (unmask(payload, key) if key else payload)
