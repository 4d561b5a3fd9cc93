"""Proves: keys, key logs and traces are their owner's alone, wherever they came from, and nothing of
that happens in silence."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from programs import curl, environment, tapedeck


def mode(path: Path) -> int:
    """The permission bits of a file."""
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("home", [None, "", "relative"])
def test_without_a_home_no_key_is_made(tmp_path, home) -> None:
    """`ca` and `record` refuse and say what to do; nothing is left where they ran."""
    variables = {name: value for name, value in environment().items()
                 if name not in ("HOME", "XDG_DATA_HOME")}
    if home is not None:
        variables |= {"HOME": home, "XDG_DATA_HOME": home}
    for command in (["ca"], ["record", "test.tape", "--listen", "127.0.0.1:0"]):
        done = tapedeck(*command, status=64, cwd=tmp_path, env=variables)
        assert "--ca-dir" in done.stderr and "HOME" in done.stderr
    assert not list(tmp_path.iterdir())
    for name, place in (("XDG_DATA_HOME", "tapedeck"), ("HOME", ".local/share/tapedeck")):
        folder = tmp_path / name
        tapedeck("ca", cwd=tmp_path, env=variables | {"XDG_DATA_HOME": "", name: str(folder)})
        assert mode(folder / place / "tapedeck-ca-key.pem") == 0o600


def test_a_key_behind_a_link_is_refused(tmp_path) -> None:
    real, linked = tmp_path / "real", tmp_path / "linked"
    tapedeck("ca", "--ca-dir", real)
    linked.mkdir()
    (linked / "tapedeck-ca-key.pem").symlink_to(real / "tapedeck-ca-key.pem")
    done = tapedeck("ca", "--ca-dir", linked, status=74)
    assert "symbolic link" in done.stderr
    (linked / "tapedeck-ca-key.pem").unlink()
    (linked / "tapedeck-ca-key.pem").symlink_to(tmp_path / "chosen by others")
    done = tapedeck("ca", "--ca-dir", linked, status=74)
    assert "symbolic link" in done.stderr and not (tmp_path / "chosen by others").exists()


def test_a_key_log_that_others_may_read(record, origin, tmp_path) -> None:
    """It becomes its owner's alone and that is said; one behind a link is refused."""
    log = tmp_path / "keys.log"
    log.write_text("# mine\n")
    log.chmod(0o644)
    proxy = record("--to", origin.url, "--keylog", log)
    proxy.await_line(r"keys\.log had mode 644.*600", errors=True)
    curl("-k", f"{proxy.url.replace('http', 'https')}/a")
    proxy.finish()
    assert mode(log) == 0o600
    assert log.read_text().startswith("# mine\n") and "CLIENT_TRAFFIC_SECRET_0" in log.read_text()
    link = tmp_path / "link.log"
    link.symlink_to(log)
    done = tapedeck("record", tmp_path / "other.tape", "--keylog", link, "--ca-dir",
                    tmp_path / "ca", status=74)
    assert "symbolic link" in done.stderr


def test_a_trace_that_others_may_read(record, origin, trace) -> None:
    first = record("--to", origin.url)
    curl(f"{first.url}/first")
    first.finish()
    assert mode(trace) == 0o600
    trace.chmod(0o664)
    second = record("--to", origin.url)
    second.await_line(r"test\.tape had mode 664.*600", errors=True)
    curl(f"{second.url}/second")
    assert {mode(each) for each in trace.parent.glob("test.tape*") if each.is_file()} == {0o600}
    second.finish()
    assert second.sql("SELECT count(*) FROM exchange") == [(2,)]
    assert not [line for line in second.errors if "symbolic" in line]


def test_a_trace_behind_a_link(record, origin, trace, tmp_path) -> None:
    """The file that the link leads to is written, and that is said; a link to nothing is refused."""
    real = tmp_path / "real.tape"
    trace.symlink_to(real)
    done = tapedeck("record", trace, "--ca-dir", tmp_path / "ca", status=66)
    assert "symbolic link" in done.stderr and not real.exists()
    record("--to", origin.url, to=real).finish()
    proxy = record("--to", origin.url)
    proxy.await_line(r"test\.tape is a symbolic link.*real\.tape", errors=True)
    curl(f"{proxy.url}/a")
    proxy.finish()
    assert trace.is_symlink() and os.path.samefile(trace, real)
    assert proxy.sql("SELECT count(*) FROM session") == [(2,)]


def test_nothing_is_said_of_what_is_in_order(record, origin, tmp_path) -> None:
    proxy = record("--to", origin.url, "--keylog", tmp_path / "keys.log")
    proxy.finish()
    again = record("--to", origin.url, "--keylog", tmp_path / "keys.log")
    again.finish()
    assert not [line for line in again.errors if "mode" in line]
