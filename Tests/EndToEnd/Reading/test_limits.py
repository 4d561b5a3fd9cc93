"""Proves: a trace stays within its bounds and says what was evicted; a full disk loses nothing in
silence."""

from __future__ import annotations

import os
import sqlite3
import subprocess

import pytest
from programs import curl, eventually, sql
from wire import RawClient

MEBIBYTE = 1 << 20


def size_on_disk(trace) -> int:
    """Bytes of a trace with the files of SQLite beside it."""
    return sum(path.stat().st_size for path in trace.parent.glob(f"{trace.name}*"))


def post(proxy, path: str, body: bytes) -> bytes:
    """Posts a body to the proxy on a connection of its own; returns the whole response."""
    with RawClient(proxy.port) as raw:
        raw.connection.settimeout(20)
        raw.send(f"POST {path} HTTP/1.1\r\nHost: {proxy.address}\r\nConnection: close\r\n"
                 f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        return raw.read_to_end()


def test_max_size(record, origin) -> None:
    """--max-size: 60 MiB of traffic, a trace that never grows far beyond 8 MiB, and gaps that say so."""
    proxy = record("--to", origin.url, "--max-size", "8M", "--quiet")
    largest = 0
    for number in range(60):
        assert post(proxy, f"/{number}", os.urandom(MEBIBYTE // 2)).startswith(b"HTTP/1.1 200")
        largest = max(largest, size_on_disk(proxy.trace))
    proxy.finish()
    # The limit, 1 MiB of reserve for a full disk, and twice what the end of an exchange adds.
    assert largest < (8 + 1 + 4) * MEBIBYTE, f"{largest / MEBIBYTE:.1f} MiB"
    assert size_on_disk(proxy.trace) < 9 * MEBIBYTE
    used = proxy.sql("SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, "
                     "pragma_freelist_count, pragma_page_size")[0][0]
    assert 0.6 * 8 * MEBIBYTE < used < 8 * MEBIBYTE, f"{used / MEBIBYTE:.1f} MiB"
    # Each takes 1 MiB of bytes and as much decoded.
    assert proxy.sql("SELECT count(*) >= 2 FROM http_exchange") == [(1,)]
    assert proxy.sql("SELECT sum(length(bytes)) >= 2 << 20 FROM chunk") == [(1,)]
    assert proxy.sql("SELECT count(*) > 0 FROM gap WHERE reason = 'evicted'") == [(1,)]
    assert proxy.sql("SELECT path, outcome FROM http_exchange ORDER BY id DESC LIMIT 1") == [
        ("/59", "complete")]
    assert proxy.sql("SELECT count(*) FROM http_exchange WHERE path = '/0'") == [(0,)]
    assert proxy.sql("PRAGMA integrity_check") == [("ok",)]


def test_keep_last(record, origin) -> None:
    """--keep-last lets go of what is older, while it runs."""
    proxy = record("--to", origin.url, "--keep-last", "1s", "--quiet")
    curl(f"{proxy.url}/old")
    proxy.eventually_sql("SELECT 1 FROM http_exchange WHERE path = '/old'")

    def let_go() -> bool:
        curl(f"{proxy.url}/new")
        return not proxy.sql("SELECT 1 FROM http_exchange WHERE path = '/old'")

    eventually(let_go, "the old exchange to be evicted")
    proxy.finish()
    assert proxy.sql("SELECT count(*) > 0 FROM gap WHERE reason = 'evicted'") == [(1,)]


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 10 MiB, where this machine lets us have one."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=10m", "tapedeck", place],
                             capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("may not mount a tmpfs here")
    yield place
    subprocess.run(["umount", "-l", place], check=False)


def kept_and_missing(trace) -> int:
    """The bytes that a trace has and those that it says are missing."""
    return sql(trace, "SELECT (SELECT sum(length(bytes)) FROM chunk) + (SELECT sum(bytes) FROM gap "
                      "WHERE reason = 'disk-full')")[0][0]


def test_disk_full_pass(record, origin, small_disk) -> None:
    """--on-disk-full pass: traffic goes on, the trace says which bytes are missing."""
    (small_disk / "ballast").write_bytes(bytes(5 * MEBIBYTE))
    proxy = record("--to", origin.url, "--on-disk-full", "pass", to=small_disk / "full.tape")
    assert curl(f"{proxy.url}/before").stdout
    proxy.eventually_sql("SELECT 1 FROM http_exchange WHERE path = '/before'")
    for number in range(24):
        assert post(proxy, f"/{number}", os.urandom(MEBIBYTE // 2)).startswith(b"HTTP/1.1 200")
    proxy.await_line("full.tape is full: traffic goes on, bytes are missing from the trace from "
                     "now on; free some space$", errors=True)
    (small_disk / "ballast").unlink()

    def recorded() -> bool:
        assert curl(f"{proxy.url}/after").stdout
        return bool(proxy.sql("SELECT 1 FROM http_exchange WHERE path = '/after'"))

    eventually(recorded, "writing to go on")
    proxy.await_line(r"^tapedeck: writing again; \d+ bytes are missing$", errors=True)
    assert "missing because nothing could be written" in proxy.finish()
    assert proxy.sql("PRAGMA integrity_check") == [("ok",)]
    assert proxy.sql("SELECT path FROM http_exchange ORDER BY id LIMIT 1") == [("/before",)]
    assert kept_and_missing(proxy.trace) >= 48 * (MEBIBYTE // 2)


def test_disk_full_stop(record, origin, small_disk) -> None:
    """--on-disk-full stop: traffic stops rather than pass unrecorded; what is there stays whole."""
    proxy = record("--to", origin.url, "--on-disk-full", "stop", to=small_disk / "full.tape")
    answered = 0
    for number in range(24):
        try:
            answer = post(proxy, f"/{number}", os.urandom(MEBIBYTE // 2))
            # Stopping may cut the answer that is under way; only what came whole has to be there.
            if not answer.startswith(b"HTTP/1.1 200") or len(answer) < MEBIBYTE // 2:
                break
        except OSError:
            break
        answered += 1
    assert answered < 24
    proxy.await_line("(?i)disk", errors=True)
    assert proxy.stop() == 74
    assert sql(proxy.trace, "PRAGMA integrity_check") == [("ok",)]
    # What was on its way when the disk filled up is accounted for as well.
    assert kept_and_missing(proxy.trace) >= 2 * answered * (MEBIBYTE // 2)


def test_killed_while_the_disk_is_full(record, origin, small_disk) -> None:
    """kill -9 on a full disk: the trace says that bytes are missing, though not how many."""
    (small_disk / "ballast").write_bytes(bytes(6 * MEBIBYTE))
    proxy = record("--to", origin.url, to=small_disk / "full.tape")
    for number in range(16):
        assert post(proxy, f"/{number}", os.urandom(MEBIBYTE // 2)).startswith(b"HTTP/1.1 200")
    proxy.await_line("full.tape is full: traffic goes on", errors=True)
    proxy.kill()
    (small_disk / "ballast").unlink()
    record("--to", origin.url, to=proxy.trace).finish()
    gaps = proxy.sql(
        "SELECT session_id, connection_id, bytes FROM gap WHERE reason = 'disk-full'")
    # On a busy machine some was written again before, in place of the one of unknown size.
    assert (1, None, 0) in gaps or gaps and all(missing for _, _, missing in gaps)
    assert proxy.sql("PRAGMA integrity_check") == [("ok",)]


def test_trace_deleted(record, origin) -> None:
    """The trace is deleted while it is written: said at once, and all of it is in another file."""
    proxy = record("--to", origin.url)
    curl(f"{proxy.url}/before")
    proxy.eventually_sql("SELECT 1 FROM http_exchange WHERE path = '/before'")
    proxy.trace.unlink()
    recovered = proxy.trace.with_name(proxy.trace.name + ".recovered")
    proxy.await_line(f"{proxy.trace} was deleted while it was being written: recording goes on in "
                     f"{recovered}, with the earlier traffic$", errors=True)
    curl(f"{proxy.url}/after")
    assert proxy.stop() == 74
    assert f"trace: {recovered}" in proxy.output
    assert not proxy.trace.exists()
    assert sql(recovered, "SELECT path FROM http_exchange") == [("/before",), ("/after",)]
    assert sql(recovered, "PRAGMA integrity_check") == [("ok",)]


def test_trace_deleted_stop(record, origin) -> None:
    """--on-disk-full stop: the recording ends when its trace is deleted."""
    proxy = record("--to", origin.url, "--on-disk-full", "stop")
    proxy.trace.unlink()
    assert proxy.wait() == 74
    assert "was deleted while it was being written" in "\n".join(proxy.errors)


def test_trace_locked(record, origin) -> None:
    """Another program holds the right to write: traffic goes on, and nothing is missing."""
    proxy = record("--to", origin.url, "--quiet")
    other = sqlite3.connect(proxy.trace, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    for number in range(8):
        assert post(proxy, f"/{number}", os.urandom(MEBIBYTE // 2)).startswith(b"HTTP/1.1 200")
    proxy.await_line("is locked by another program: new traffic waits in memory; end "
                     rf"(that program|.* \(process {os.getpid()}\)), or its transaction$", errors=True)
    assert proxy.sql("SELECT count(*) FROM http_exchange") == [(0,)]
    other.execute("ROLLBACK")
    other.close()
    proxy.await_line("^tapedeck: writing again; nothing is missing$", errors=True)
    proxy.finish()
    assert proxy.sql("SELECT count(*) FROM http_exchange WHERE outcome = 'complete'") == [(8,)]
    assert proxy.sql("SELECT count(*) FROM gap") == [(0,)]
