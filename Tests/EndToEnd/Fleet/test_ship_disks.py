"""Full disks on either side, TLS, and servers that answer something else."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from clickhouse import PASSWORD, ClickHouse
from fleet import check_equal, ship
from programs import ROOT, TAPEDECK, environment, tapedeck


@pytest.fixture(name="small_disk")
def small_disk_fixture(tmp_path: Path) -> Iterator[Callable[[str, str], Path]]:
    """Makes file systems of a size, in memory."""
    made: list[Path] = []

    def mount(name: str, size: str) -> Path:
        place = tmp_path / name
        place.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tapedeck", place],
                                 capture_output=True, check=False)
        if mounted.returncode:
            pytest.skip("may not mount a tmpfs here")
        made.append(place)
        return place

    yield mount
    for place in made:
        subprocess.run(["umount", "-l", place], check=False)


def fill(place: Path) -> None:
    """Leaves no room."""
    with open(place / "ballast", "wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass


@pytest.fixture(name="trace")
def a_trace(tmp_path: Path) -> Path:
    """A recording of the repository as a trace."""
    trace = tmp_path / "app.tape"
    tapedeck("import", ROOT / "Recordings/first-sync-and-edits", trace)
    return trace


def test_full_disk_of_the_server(small_disk, tmp_path: Path, trace: Path, program) -> None:
    """It says so, waits, and goes on when there is room: every row is there once."""
    disk = small_disk("server", "48m")
    server = ClickHouse(disk)
    try:
        warm = tmp_path / "warm.tape"
        tapedeck("import", ROOT / "Recordings/restore-in-progress", warm)
        ship(warm, server, "full")
        fill(disk)
        shipper = program(TAPEDECK, "ship", trace, "--to", server.url("full"), "--no-redact")
        shipper.await_line("no room on its disk|cannot do it now", errors=True)
        assert shipper.is_running()
        (disk / "ballast").unlink()
        assert shipper.wait() == 0, shipper.said()
        check_equal(server, "full", trace)
        check_equal(server, "full", warm)
    finally:
        server.stop()


def test_full_disk_of_the_recorder(small_disk, clickhouse: ClickHouse, trace: Path) -> None:
    """Without room for the ledger nothing is sent, in one clear line; with room it goes on."""
    disk = small_disk("recorder", "4m")
    here = disk / "app.tape"
    shutil.copy(trace, here)
    fill(disk)
    refused = ship(here, clickhouse, "full_ledger", status=74)
    assert re.search(r"app\.tape\.ship cannot be (used|written)", refused.stderr)
    assert refused.stderr.count("\n") == 1, refused.stderr
    (disk / "ballast").unlink()
    ship(here, clickhouse, "full_ledger")
    check_equal(clickhouse, "full_ledger", here)


def test_tls(tmp_path: Path, trace: Path, certificates) -> None:
    """With the authority it ships; without, it says what to check."""
    server = ClickHouse(tmp_path / "server", certificate=certificates.certificate,
                        key=certificates.key)
    try:
        place = f"clickhouse://fleet@127.0.0.1:{server.https}/secret"
        allowed = environment(TAPEDECK_FLEET_PASSWORD=PASSWORD)
        refused = tapedeck("ship", trace, "--no-redact", "--to", f"{place}?secure=true", env=allowed,
                           status=69)
        assert "ca=FILE in the address" in refused.stderr and refused.stderr.count("\n") == 1
        tapedeck("ship", trace, "--no-redact", "--to",
                 f"{place}?secure=true&ca={certificates.authority}", env=allowed)
        check_equal(server, "secret", trace)
        refused = tapedeck("ship", trace, "--no-redact", "--to", place, env=allowed, status=None)
        assert refused.returncode in (65, 69) and refused.stderr.count("\n") == 1
    finally:
        server.stop()


@pytest.mark.parametrize(("version", "part"), [
    ("1.1.54380", "has ClickHouse 1.1.54380, and 18.16 or newer is needed"),
    ("MariaDB 10.11", "is no ClickHouse that is known: its version is \"MariaDB 10.11\""),
])
def test_versions(version: str, part: str, trace: Path, raw_origin) -> None:
    """A server of a version that is too old or unknown is refused before anything is sent."""
    asked: list[bytes] = []

    def serve(peer) -> None:
        heard = b""
        while b"SELECT version()" not in heard and (part := peer.recv(65536)):
            heard += part
        asked.append(heard)
        body = f"{version}\n".encode()
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        peer.close()

    origin = raw_origin(serve)
    refused = tapedeck("ship", trace, "--to", f"clickhouse://127.0.0.1:{origin.port}/x", status=65)
    assert part in refused.stderr and refused.stderr.count("\n") == 1
    assert len(asked) == 1 and b"SELECT version()" in asked[0]
