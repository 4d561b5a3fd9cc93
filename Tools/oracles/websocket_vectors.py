#!/usr/bin/env python3
"""Writes and checks WebSocket conversations with the `websockets` package from PyPI.

    python3 -m venv venv && venv/bin/pip install websockets==17.4
    venv/bin/python websocket_vectors.py --seed 1 --count 110 >../../Tests/FramingTests/WebSocket/Vectors/websocket.txt
    venv/bin/python websocket_vectors.py --check FILE

Without --check, prints one line for each of COUNT random conversations, which depend on the seed
alone. With --check, decodes the lines of FILE with `websockets` and compares; Tapedeck's tests
write such a file. A line has four fields separated by spaces:

    none | deflate:SERVER_NO_TAKEOVER:CLIENT_NO_TAKEOVER:SERVER_BITS:CLIENT_BITS
    client | server                       who sends
    hexadecimal                           the bytes on the wire
    OPCODE:FRAMES:COUNT*HEX,...           each message: its payload is COUNT times HEX

Lines that begin with # are comments.
"""

import argparse
import random
import sys

from websockets.extensions.permessage_deflate import PerMessageDeflate
from websockets.frames import Opcode
from websockets.protocol import CLIENT, SERVER, Protocol, State

WORDS = [
    "0:c:", '{"clientid":"', "sjs-2013070001", '","id":"', '"o":"M"', '"v":{', "title", "content",
    '"sv":', '"ccid":"', "h:", "1:i:", "äöü", "日本語", "🜁", "\\n", "tags", "}", "[", "]",
]
SIZES = [0, 1, 2, 3, 7, 8, 9, 20, 60, 60, 90, 120, 125, 126, 127]


def text(rng, size):
    """Text of about `size` bytes in UTF-8, as compressible as JSON is."""
    out = ""
    while len(out.encode()) < size:
        out += rng.choice(WORDS) if rng.random() < 0.7 else chr(rng.randrange(32, 127))
    return out.encode()


def deflate(config, sender, side):
    """The extension as `side` needs it to send (side == sender) or to receive."""
    if config is None:
        return []
    server_no, client_no, server_bits, client_bits = config
    client, server = (client_no, client_bits), (server_no, server_bits)
    local, remote = (client, server) if side == "client" else (server, client)
    return [PerMessageDeflate(remote[0], local[0], remote[1], local[1])]


def protocol(config, sender, side):
    result = Protocol(CLIENT if side == "client" else SERVER, state=State.OPEN, max_size=None)
    result.extensions = deflate(config, sender, side)
    return result


def pieces(rng, data, count):
    cuts = sorted(rng.randrange(len(data) + 1) for _ in range(count - 1))
    return [data[a:b] for a, b in zip([0] + cuts, cuts + [len(data)])]


def conversation(rng, with_large):
    config = None
    if with_large or rng.random() < 0.8:
        # zlib, and with it `websockets`, compresses with windows of 2^9 bytes and more only.
        bits = lambda: rng.choice([15, 15, 15, 9, 10, 12])
        config = (rng.random() < 0.4, rng.random() < 0.4, bits(), bits())
    sender = rng.choice(["client", "server"])
    peer = protocol(config, sender, sender)
    expected = []

    def control():
        opcode = rng.choice([Opcode.PING, Opcode.PONG])
        data = rng.randbytes(rng.choice([0, 4, 5]))
        (peer.send_ping if opcode is Opcode.PING else peer.send_pong)(data)
        expected.append((opcode, 1, 1, data))

    for index in range(rng.randrange(1, 9)):
        is_text = rng.random() < 0.7
        size = rng.choice(SIZES)
        unit = text(rng, size) if is_text else rng.randbytes(size)
        times = 1
        if with_large and index == 0:
            unit, times = text(rng, 50), rng.choice([20, 400, 1400])
        data = unit * times
        opcode = Opcode.TEXT if is_text or with_large and index == 0 else Opcode.BINARY
        count = rng.choice([1, 1, 2, 3, 5])
        for place, piece in enumerate(pieces(rng, data, count)):
            fin = place == count - 1
            if place > 0:
                peer.send_continuation(piece, fin)
            elif opcode is Opcode.TEXT:
                peer.send_text(piece, fin)
            else:
                peer.send_binary(piece, fin)
            if not fin and rng.random() < 0.3:
                control()
        expected.append((opcode, count, times, unit))
        if rng.random() < 0.2:
            control()
    if rng.random() < 0.3:
        code, reason = rng.choice([1000, 1001, 1011, 3000, 4999]), rng.choice(["", "bye", "Ende ä"])
        peer.send_close(code, reason)
        expected.append((Opcode.CLOSE, 1, 1, code.to_bytes(2, "big") + reason.encode()))
    wire = b"".join(peer.data_to_send())
    check(config, sender, wire, [(o, f, n * u) for o, f, n, u in expected])
    return config, sender, wire, expected


def check(config, sender, wire, expected):
    """Decodes `wire` with `websockets` and compares."""
    receiver = protocol(config, sender, "server" if sender == "client" else "client")
    receiver.receive_data(wire)
    if receiver.parser_exc is not None:
        raise SystemExit(f"websockets refuses it: {receiver.parser_exc!r}")
    messages, data = [], None
    for frame in receiver.events_received():
        if frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            if frame.opcode is not Opcode.CONT:
                data = [frame.opcode, 0, b""]
            data[1] += 1
            data[2] += frame.data
            if frame.fin:
                messages.append(tuple(data))
                data = None
        else:
            messages.append((frame.opcode, 1, bytes(frame.data)))
    if messages != expected:
        raise SystemExit(f"differs:\n{wire.hex()}\n{messages}\n{expected}")


def config_text(config):
    if config is None:
        return "none"
    return "deflate:%d:%d:%d:%d" % config


def check_file(path):
    count = 0
    for line in open(path, encoding="ascii"):
        if line.startswith("#") or not line.strip():
            continue
        name, sender, wire, messages = line.rstrip("\n").split(" ")
        config = None
        if name != "none":
            server_no, client_no, server_bits, client_bits = map(int, name.split(":")[1:])
            config = (bool(server_no), bool(client_no), server_bits, client_bits)
        expected = []
        for message in messages.split(","):
            opcode, frames, payload = message.split(":")
            times, unit = payload.split("*")
            expected.append((Opcode(int(opcode)), int(frames), int(times) * bytes.fromhex(unit)))
        check(config, sender, bytes.fromhex(wire), expected)
        count += 1
    print(f"{count} conversations agree")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=110)
    parser.add_argument("--check", metavar="FILE")
    arguments = parser.parse_args()
    if arguments.check:
        check_file(arguments.check)
        return
    rng = random.Random(arguments.seed)
    # Masking keys come from here, so that the same seed gives the same lines.
    import websockets.frames

    websockets.frames.secrets = type("Keys", (), {"token_bytes": staticmethod(rng.randbytes)})
    print(f"# Made by Tools/oracles/websocket_vectors.py --seed {arguments.seed}")
    for index in range(arguments.count):
        config, sender, wire, expected = conversation(rng, with_large=index % 25 == 24)
        messages = ",".join(f"{int(o)}:{f}:{n}*{u.hex()}" for o, f, n, u in expected)
        print(config_text(config), sender, wire.hex(), messages)


if __name__ == "__main__":
    sys.exit(main())
