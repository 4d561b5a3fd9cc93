"""Proves: a full disk costs the CommCare client no form, no case and no sync token."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import DEADLINE
from test_client_commcare import client, status
from test_client_commcare_kill import (a_form, a_restore, begin, is_whole, keeper, queue,
                                       states)

__all__ = ["keeper"]
MEBIBYTE = 1 << 20


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    """A file system of 4 MiB, where this machine lets us have one."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tapedeck", place],
                             capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("may not mount a tmpfs here")
    yield place
    subprocess.run(["umount", "-l", place], check=False)


def fill(disk: Path) -> Path:
    """A file that takes all the room that is left."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (4096, 1):
            try:
                while True:
                    file.write(bytes(size * 64))
            except OSError:
                pass
    return ballast


def test_disk_full_when_a_form_is_submitted(keeper, small_disk, tmp_path):
    """What cannot be stored is not sent, and the message says what to do."""
    state = small_disk / "state"
    assert queue(keeper.url, state, a_form(tmp_path, 1)).returncode == 75
    ballast = fill(small_disk)
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(os.urandom(MEBIBYTE))
    ended = client(keeper.url, state, "submit", a_form(tmp_path, 2), photo)
    assert ended.returncode == 74
    assert "make room" in ended.stderr
    assert not keeper.asked
    ballast.unlink()
    assert states(state) == {"form-1": "queued"}
    assert not [each for each in state.iterdir() if each.stat().st_size > MEBIBYTE]
    ended = client(keeper.url, state, "submit", a_form(tmp_path, 2), photo)
    assert ended.returncode == 0, ended.stderr
    assert dict(keeper.asked) == {"form-1": 1, "form-2": 1}
    assert photo.read_bytes() in keeper.kept["form-2"]


def test_disk_full_within_a_restore(keeper, small_disk, tmp_path):
    """Cases, token and unsent forms stay; with room again, the sync is done."""
    state = small_disk / "state"
    keeper.payload = a_restore("t1", range(5))
    assert client(keeper.url, state, "sync").returncode == 0
    before = status(state)
    # Has room for the download, and none for its cases; then for neither.
    keeper.payload = a_restore("t2", range(2000), 700)
    for room in (True, False):
        ballast = small_disk / "ballast"
        if room:
            ballast.write_bytes(bytes(MEBIBYTE + MEBIBYTE // 2))
        else:
            fill(small_disk)
        ended = client(keeper.url, state, "sync")
        assert ended.returncode == 74, ended.stderr
        assert "make room" in ended.stderr
        ballast.unlink()
        assert status(state) == before
        assert is_whole(state)
    keeper.payload = a_restore("t2", range(5, 500), 100)
    ended = client(keeper.url, state, "sync")
    assert ended.returncode == 0, ended.stderr
    assert (status(state)["sync_token"], len(status(state)["cases"])) == ("t2", 500)


def test_disk_full_when_an_answer_is_stored(keeper, small_disk, tmp_path):
    """The form is kept by the server once, although the client could not store its answer."""
    state = small_disk / "state"
    keeper.at("late")
    process = begin(keeper.url, state, "submit", a_form(tmp_path, 1))
    assert keeper.reached.wait(DEADLINE)
    ballast = fill(small_disk)
    keeper.go_on.set()
    assert process.wait(DEADLINE) == 74
    keeper.at(None)
    ballast.unlink()
    assert states(state) == {"form-1": "queued"}
    assert client(keeper.url, state, "sync").returncode == 0
    assert states(state) == {"form-1": "sent"}
    assert list(keeper.kept) == ["form-1"]
