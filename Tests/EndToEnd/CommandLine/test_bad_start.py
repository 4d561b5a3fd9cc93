"""Proves: what a user can get wrong gives one clear line on stderr and the exit status of the design."""

from __future__ import annotations

import socket
import sqlite3
from pathlib import Path

import pytest
from programs import TAPEDECK, curl, tapedeck


def refused(program, *arguments: str | Path, status: int, says: str) -> str:
    """Runs a command that has to fail with one line that has `says` in it."""
    ended = program(TAPEDECK, *arguments)
    assert ended.wait() == status, ended.said()
    assert says.lower() in "\n".join(ended.errors).lower(), ended.said()
    assert not any("listening on" in line for line in ended.output)
    if status != 64:
        assert len(ended.errors) == 1, ended.said()
    return ended.errors[0]


@pytest.mark.parametrize("url", ["127.0.0.1:80", "ftp://127.0.0.1", "http://", "http://h:99999",
                                 "http://a b/", "nonsense"])
def test_wrong_url(program, trace, ca_dir, url) -> None:
    """--to wants an http or https URL; nothing is created otherwise."""
    refused(program, "record", trace, "--to", url, "--ca-dir", ca_dir, status=64, says="--to")
    assert not trace.exists()


@pytest.mark.parametrize("arguments", [["--nonsense"], ["--max-size", "many"], ["--listen", "x"],
                                       ["--on-disk-full", "explode"], ["--keep-last", "1 fortnight"]])
def test_wrong_options(program, trace, ca_dir, arguments) -> None:
    """An option that is not there, or a value that makes no sense, is a usage error."""
    refused(program, "record", trace, "--ca-dir", ca_dir, *arguments, status=64,
            says=arguments[0].lstrip("-"))
    assert not trace.exists()


def test_port_taken(program, trace, ca_dir) -> None:
    """A listening address that is in use is named."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        refused(program, "record", trace, "--listen", address, "--ca-dir", ca_dir, status=74,
                says=address)


def test_trace_not_writable(program, tmp_path, ca_dir) -> None:
    """A folder that does not exist cannot hold a trace."""
    trace = tmp_path / "no" / "such" / "folder.tape"
    refused(program, "record", trace, "--ca-dir", ca_dir, status=66, says=str(trace))


@pytest.mark.parametrize("command", ["record", "ls", "rebuild", "tail"])
def test_not_a_trace(program, trace, ca_dir, command) -> None:
    """A file that is something else is refused and stays as it is."""
    content = b"This is a text, and somebody needs it.\n" * 100
    trace.write_bytes(content)
    more = ["--ca-dir", ca_dir] if command == "record" else []
    refused(program, command, trace, *more, status=65, says="trace")
    assert trace.read_bytes() == content


@pytest.mark.parametrize("command", ["record", "ls", "rebuild"])
def test_other_database(program, trace, ca_dir, command) -> None:
    """A SQLite file of somebody else is refused and stays as it is."""
    database = sqlite3.connect(trace)
    database.execute("CREATE TABLE somebody(a)")
    database.commit()
    database.close()
    content = trace.read_bytes()
    more = ["--ca-dir", ca_dir] if command == "record" else []
    refused(program, command, trace, *more, status=65, says="trace")
    assert trace.read_bytes() == content


@pytest.mark.parametrize("command", ["record", "ls", "rebuild"])
def test_newer_version(program, record, origin, ca_dir, command) -> None:
    """A trace of a newer version is refused with both versions; nothing in it is touched."""
    proxy = record("--to", origin.url)
    curl(f"{proxy.url}/a")
    proxy.finish()
    database = sqlite3.connect(proxy.trace)
    database.execute("PRAGMA user_version = 999")
    database.commit()
    database.close()
    more = ["--ca-dir", ca_dir] if command == "record" else []
    refused(program, command, proxy.trace, *more, status=65, says="999")


@pytest.mark.parametrize("command", [["ls"], ["show", "1"], ["tail"], ["rebuild"]])
def test_no_such_trace(program, tmp_path, command) -> None:
    """Reading a trace that is not there does not make one."""
    trace = tmp_path / "none.tape"
    refused(program, command[0], trace, *command[1:], status=66, says=str(trace))
    assert not trace.exists()


def test_server_ca_not_there(program, trace, ca_dir, tmp_path) -> None:
    """A file of certificates that cannot be read is named."""
    missing = tmp_path / "missing.pem"
    refused(program, "record", trace, "--ca-dir", ca_dir, "--server-ca", missing, status=66,
            says=str(missing))


def test_version_and_help() -> None:
    """Help goes to stdout and ends well."""
    for command in ([], ["record"], ["ls"], ["show"], ["tail"], ["rebuild"], ["ca"], ["serve"]):
        assert "USAGE" in tapedeck(*command, "--help").stdout


def test_broken_pipe(record, origin) -> None:
    """`ls | head -1` is no error worth a message."""
    import subprocess

    proxy = record("--to", origin.url)
    for _ in range(30):
        curl(*[f"{proxy.url}/{'x' * 500}"] * 20)
    proxy.finish()
    done = subprocess.run(["bash", "-c", 'set -o pipefail; "$0" ls "$1" | head -n 1',
                           TAPEDECK, proxy.trace], capture_output=True, text=True, check=False)
    assert done.stdout.count("\n") == 1 and done.stderr == "", done
