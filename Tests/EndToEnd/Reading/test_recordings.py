"""Proves, for each recording in the repository: it comes in and goes out byte for byte, the client
that made it is satisfied by the replayed server, and the replayed client finds no difference at a
server of the same state and the one that there is at another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from programs import TAPEDECK, Program, environment, tapedeck, within
from random_sessions import prove
from recorded_sessions import SESSIONS, Session
from serving import CommCareServer

EACH = pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session.name)


@pytest.fixture
def imported(session: Session, tmp_path: Path) -> Path:
    """The trace of a recording."""
    trace = tmp_path / f"{session.name}.tape"
    tapedeck("import", session.folder, trace)
    return trace


@EACH
def test_it_comes_in_and_goes_out_byte_for_byte(session: Session, imported: Path,
                                                tmp_path: Path) -> None:
    about = json.loads((session.folder / "recording.json").read_text())["about"]
    tapedeck("export", imported, tmp_path / "again", "--about", "\n".join(about))
    for name in ("recording.json", "timeline.jsonl"):
        assert (tmp_path / "again" / name).read_bytes() == (session.folder / name).read_bytes()


@EACH
def test_the_client_that_made_it_is_satisfied(session: Session, imported: Path, tmp_path: Path,
                                              program: Callable[..., Program]) -> None:
    server = program(TAPEDECK, "replay", "server", imported, "--listen", "127.0.0.1:0", "--json")
    address = server.await_line(r"^listening on (\S+)$")[1]
    own = tmp_path / "client"
    own.mkdir()
    session.drive(f"http://{address}", own)
    assert server.stop() == 0, server.said()
    assert '"satisfied":true' in "".join(server.output).replace(" ", ""), server.said()


@EACH
def test_at_the_same_server_nothing_differs(session: Session, imported: Path) -> None:
    server = CommCareServer(*session.serve)
    try:
        session.prepare(server)
        done = tapedeck("replay", "client", imported, "--to", server.url("", "http"), status=None)
        assert done.returncode == 0, done.stdout + done.stderr
    finally:
        server.kill()


@EACH
def test_at_another_server_the_difference_is_pointed_at(
        session: Session, imported: Path, tmp_path: Path, program: Callable[..., Program]) -> None:
    server = CommCareServer(*session.serve)
    try:
        (session.otherwise or session.prepare)(server)
        url = server.url("", "http")
        if session.faults:
            faults = [word for fault in session.faults for word in ("--fault", fault)]
            proxy = program(TAPEDECK, "record", tmp_path / "faults.tape", "--listen",
                            "127.0.0.1:0", "--to", url, *faults)
            url = f"http://{proxy.await_line(r'^listening on (.+)$')[1]}"
        done = tapedeck("replay", "client", imported, "--to", url, status=1)
        for text in session.pointed_at:
            assert text in done.stdout, done.stdout
    finally:
        server.kill()


@pytest.mark.parametrize("seed", [*range(1, 13), *range(1001, 1009)])
def test_random_sessions_replay_both_ways(seed: int, tmp_path: Path) -> None:
    """The first of those that `Tools/sessions` proves."""
    assert prove(seed, tmp_path) == ""


@pytest.mark.skipif(os.environ.get("TAPEDECK_NO_NETWORK") == "1", reason="is without one already")
def test_all_of_this_without_a_network() -> None:
    """In a namespace of its own, with loopback alone."""
    words = ["unshare", "--map-root-user", "--net", "sh", "-c",
             'ip link set lo up && exec "$@"', "sh"]
    if subprocess.run([*words, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine lets nobody make a network namespace")
    done = subprocess.run(
        [*words, sys.executable, "-m", "pytest", "-q", "-x", "-n", "3", "-p", "no:cacheprovider",
         __file__],
        env=environment(TAPEDECK_NO_NETWORK="1", PYTEST_DEBUG_TEMPROOT=within()), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
