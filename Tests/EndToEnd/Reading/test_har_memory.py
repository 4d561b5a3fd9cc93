"""Proves that importing an archive takes no more memory than three of its largest bodies, and little
for many exchanges that overlap."""

from __future__ import annotations

import base64
import json
import random
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from programs import TAPEDECK, environment, sql

MEBIBYTE = 1 << 20
# What the program takes with an archive of one small entry, and its queue to the trace.
BASE = 64 * MEBIBYTE


def entry(number: int, content: dict[str, Any], milliseconds: int = 5) -> dict[str, Any]:
    """An entry of the first second of 2024."""
    return {"startedDateTime": "2024-01-01T00:00:00.000Z", "time": milliseconds,
            "request": {"method": "GET", "url": f"http://example.org/{number}", "headers": []},
            "response": {"status": 200, "statusText": "OK", "headers": [], "content": content},
            "timings": {"send": 1, "wait": 1, "receive": milliseconds - 2}}


def write(file: Path, entries: Iterable[dict[str, Any]]) -> Path:
    """An archive, entry by entry."""
    with file.open("w") as archive:
        archive.write('{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[')
        for number, one in enumerate(entries):
            archive.write(("," if number else "") + json.dumps(one, ensure_ascii=False))
        archive.write("]}}")
    return file


def peak(archive: Path, trace: Path) -> int:
    """Bytes of memory that an import takes at most."""
    # What a process had before it became this program counts as well, and a test's is large.
    small = ("import os, subprocess, sys\n"
             "process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
             "_, status, usage = os.wait4(process.pid, 0)\n"
             "print(usage.ru_maxrss if status == 0 else 'failed')")
    done = subprocess.run([sys.executable, "-S", "-c", small, TAPEDECK, "import", archive, trace],
                          check=True, stdout=subprocess.PIPE, env=environment())
    return int(done.stdout) << 10


@pytest.mark.parametrize("kind", ["text", "escaped", "latin-1", "base64"])
def test_one_large_body(tmp_path, kind) -> None:
    """A large body as text, as text of escapes alone, as text that is Latin-1 by its size, and in base64."""
    size = 10_000_000 if kind == "escaped" else 20_000_000
    match kind:
        case "text": content = {"size": size, "mimeType": "text/plain", "text": "abcdefghij" * (size // 10)}
        case "escaped": content = {"size": size, "mimeType": "text/plain", "text": "\x01" * size}
        case "latin-1": content = {"size": size, "mimeType": "text/plain", "text": "größe" * (size // 5)}
        case _: content = {"size": size, "mimeType": "image/png", "encoding": "base64",
                           "text": base64.b64encode(random.Random(1).randbytes(size)).decode()}
    archive, trace = write(tmp_path / "a.har", [entry(0, content)]), tmp_path / "a.tape"
    assert peak(archive, trace) <= BASE + 3 * size
    assert sql(trace, "SELECT size FROM http_body WHERE sender = 1") == [(size,)]


@pytest.mark.parametrize("count", [3_000, 30_000])
def test_many_at_once(tmp_path, count) -> None:
    """Exchanges that all run at once take little, and come in order of time up to 4,096."""
    archive = write(tmp_path / "a.har", (
        entry(number, {"size": 5, "mimeType": "text/plain", "text": "hello"}, milliseconds=60_000)
        for number in range(count)))
    trace = tmp_path / "a.tape"
    assert peak(archive, trace) <= BASE + 96 * MEBIBYTE
    assert sql(trace, "SELECT count(*) FROM http_exchange WHERE outcome = 'complete'") == [(count,)]
    early = sql(trace, "SELECT count(*) FROM chunk a JOIN chunk b ON b.id = a.id + 1 "
                      "WHERE b.at_ns < a.at_ns")
    assert (early == [(0,)]) == (count < 4_096)
