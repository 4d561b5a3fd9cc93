"""Packets of loopback as tcpdump captures them, and what tshark says about them."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from programs import Program, environment, eventually

needs_capturing = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("tcpdump") is None or shutil.which("tshark") is None,
    reason="capturing needs root, tcpdump and tshark")

# Some protocol may be registered for the port that a client happens to have.
TSHARK = ["tshark", "-o", "tcp.try_heuristic_first:TRUE"]


class Tcpdump:
    """A running tcpdump that writes what passes on some ports."""

    def __init__(self, file: Path, *ports: int, interface: str = "lo"):
        self.file = file
        self.program = Program(
            "tcpdump", "-i", interface, "-U", "-B", "16384", "-s", "0", "-w", file,
            " or ".join(f"tcp port {port}" for port in ports))
        self.program.await_line("listening on", errors=True)

    def finish(self, fins: int) -> Path:
        """Ends it when so many sides of connections have said their end."""
        eventually(lambda: self._fins() >= fins, f"{fins} FINs in {self.file}")
        self.program.process.send_signal(signal.SIGINT)
        self.program.wait()
        return self.file

    def _fins(self) -> int:
        # What stands behind a header of version 6, the filter language cannot name.
        done = subprocess.run(
            ["tcpdump", "-nr", self.file,
             "tcp[tcpflags] & tcp-fin != 0 or (ip6 and ip6[53] & 1 != 0)"],
            capture_output=True, text=True, check=False)
        return len(done.stdout.splitlines())


def fields(file: Path, condition: str, *names: str) -> list[list[str]]:
    """What tshark says about the packets for which `condition` holds; several of one name in one
    packet are joined by the character 1F."""
    words = [word for name in names for word in ("-e", name)]
    done = subprocess.run(
        [*TSHARK, "-r", file, "-Y", condition, "-T", "fields", "-E", "separator=/t",
         "-E", "aggregator=\x1f", *words],
        check=True, capture_output=True, text=True, env=environment())
    return [line.split("\t") for line in done.stdout.splitlines()]


def each(row: str) -> list[str]:
    """The values of one field."""
    return row.split("\x1f") if row else []


def followed(file: Path, streams: int) -> list[tuple[bytes, bytes, int, int]]:
    """For each TCP connection what the client and the server sent, as tshark follows it, and how
    many bytes of each it misses."""
    words = [word for number in range(streams) for word in ("-z", f"follow,tcp,raw,{number}")]
    done = subprocess.run([*TSHARK, "-r", file, "-q", *words], check=True, capture_output=True,
                          text=True, env=environment())
    found = {}
    for part in done.stdout.split("Filter: tcp.stream eq ")[1:]:
        sides, missing = [bytearray(), bytearray()], [0, 0]
        for line in part.splitlines()[3:]:
            side = 1 if line.startswith("\t") else 0
            text = line.strip()
            if re.fullmatch(r"[0-9a-f]+", text):
                data = bytes.fromhex(text)
                if gap := re.fullmatch(rb"\[(\d+) bytes missing in capture file\]\x00?", data):
                    missing[side] += int(gap[1])
                else:
                    sides[side] += data
        # Told in any order.
        found[int(part.split()[0])] = (bytes(sides[0]), bytes(sides[1]), *missing)
    return [found[number] for number in range(streams)]
