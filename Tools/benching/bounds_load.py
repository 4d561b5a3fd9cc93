"""What the libraries of the program allow: the least proxy, recorder and server that are made of them, beside nginx."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import bodies_load
import connections_load
from http_load import Subject, run_wrk, start_nginx
from kept_connections import KeptConnections
from programs import (ROOT, Tapedeck, await_port, free_port, nginx, ratios, resident, settled,
                      spread, stop)

# How the bytes are kept: not at all, a row for each read, a row for all reads of a side within a commit.
KEPT = (("keeps nothing", ""), ("a row for each read", "record"), ("a row for each side and commit", "join"))


def build() -> Path:
    """The program of these parts."""
    # One build at a time, as in Tools/build.
    command = ["flock", str(ROOT / ".build/tools.lock"), "swift", "build", "-c", "release",
               "--package-path", str(ROOT / "Tools/benching/bounds"), "--scratch-path",
               str(ROOT / ".build/bounds"), "--static-swift-stdlib"]
    subprocess.run(command, check=True)
    return ROOT / ".build/bounds/release/bounds"


@contextmanager
def running(*command: str | Path) -> Iterator[tuple[subprocess.Popen, int]]:
    """One of these programs, and its port."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        found = re.fullmatch(r"listening on .*:(\d+)\n", process.stdout.readline())
        yield process, int(found[1])
    finally:
        stop(process)


@dataclass
class Programs:
    """What is measured, and where it works."""

    bounds: Path
    tapedeck: Path
    folder: Path


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows of what a proxy and a server of these libraries reach at most."""
    rounds, seconds = (3, 2) if quick else (7, 4)
    programs = Programs(build(), program, folder)
    for part in (kept, bodies, secured, files):
        part(table, programs, rounds, seconds)


def upstream(url: str) -> list[str]:
    """Host and port of a URL."""
    return list(re.fullmatch(r"https?://(.*):(\d+)", url).groups())


def turns(table, name: str, goal: float, peer: Subject, subjects: list[tuple[str, Subject, int]],
          rounds: int, seconds: int, connections: int = 8, script: Path | None = None) -> None:
    """Rounds of nginx and the others in turn, and a row for each of the others.

    - `subjects`: what it is called, what is measured, and the process.
    """
    used: dict[str, list[float]] = {what: [] for what, _, _ in subjects}
    for _, subject, _ in [("", peer, 0), *subjects]:
        run_wrk(subject, 1, keep=False, connections=connections, script=script)
    for _ in range(rounds):
        run_wrk(peer, seconds, connections=connections, script=script)
        for what, subject, pid in subjects:
            before, requests = settled(pid), subject.requests
            run_wrk(subject, seconds, connections=connections, script=script)
            used[what].append(1e6 * (settled(pid) - before) / (subject.requests - requests))
    for what, subject, _ in subjects:
        ratio, figure = ratios(subject.rates, peer.rates)
        errors = f", {subject.errors} ERRORS" if subject.errors else ""
        table.add(f"{name}, {what} / nginx", f"{figure}; {subject.rate:,.0f} and {peer.rate:,.0f} req/s; "
                  f"{spread(used[what])} us{errors}", f">= {goal}", ratio >= goal)


def relays(cleanup: ExitStack, programs: Programs, origin: str,
           path: str = "") -> list[tuple[str, Subject, int]]:
    """A relay for each way of keeping what it reads, and Tapedeck."""
    subjects = []
    for what, word in KEPT:
        file = programs.folder / f"bounds-{word}.sqlite"
        file.unlink(missing_ok=True)
        process, port = cleanup.enter_context(
            running(programs.bounds, "relay", *upstream(origin), "2", *([word, file] if word else [])))
        subjects.append((what, Subject(what, f"http://127.0.0.1:{port}{path}"), process.pid))
    return [*subjects, recorder(cleanup, programs, origin, path)]


def recorder(cleanup: ExitStack, programs: Programs, origin: str,
             path: str = "") -> tuple[str, Subject, int]:
    """Tapedeck, with a trace that is gone afterwards."""
    folder = programs.folder
    deck = Tapedeck(programs.tapedeck, folder, folder / "bounds.tape", "--to", origin,
                    "--server-ca", str(folder / "ca.pem"))
    cleanup.callback(deck.trace.unlink, missing_ok=True)
    cleanup.callback(deck.stop)
    url = f"{origin.partition(':')[0]}://127.0.0.1:{deck.port}{path}"
    return "Tapedeck", Subject("tapedeck", url), deck.process.pid


def kept(table, programs: Programs, rounds: int, seconds: int) -> None:
    """Exchanges of 1 KiB, on 8 and 64 kept connections and on new ones; what an idle connection holds."""
    folder = programs.folder
    with ExitStack() as cleanup:
        processes, origin, proxy, closing = connections_load.start(folder, "http")
        for process in processes:
            cleanup.callback(stop, process)
        script = folder / "close.lua"
        script.write_text(connections_load.CLOSE)
        subjects = relays(cleanup, programs, origin)
        for name, goal, url, connections, lua in (
                ("8 connections", 0.85, proxy, 8, None), ("64 connections", 0.85, proxy, 64, None),
                ("new connection per request", 0.7, closing, 8, script)):
            fresh = [(what, Subject(what, subject.url), pid) for what, subject, pid in subjects]
            turns(table, f"1 KiB, {name}", goal, Subject("nginx", url), fresh, rounds, seconds, connections, lua)
        _, subject, pid = subjects[0]
        port, count = int(subject.url.rpartition(":")[2]), 300
        # As many requests before, so that only connections are more.
        few = KeptConnections(port, 8)
        few.ask(2 * count)
        few.close()
        settled(pid)
        before = resident(pid)
        many = KeptConnections(port, count)
        settled(pid)
        each = (resident(pid) - before) / count
        many.close()
        table.add(f"{count} idle connections", f"{each / 1024:.1f} KiB each", "<= 4 KiB", each <= 4096)


def bodies(table, programs: Programs, rounds: int, seconds: int) -> None:
    """Long bodies."""
    with ExitStack() as cleanup:
        processes, origin, proxy = bodies_load.start(programs.folder)
        for process in processes:
            cleanup.callback(stop, process)
        for size in bodies_load.SIZES[1:]:
            with ExitStack() as started:
                subjects = relays(started, programs, origin, f"/{size.count}")
                turns(table, f"bodies of {size.name}", size.ratio, Subject("nginx", f"{proxy}/{size.count}"),
                      subjects, rounds, seconds, size.connections)


def secured(table, programs: Programs, rounds: int, seconds: int) -> None:
    """Exchanges of 1 KiB on kept connections with TLS on both sides."""
    folder = programs.folder
    with ExitStack() as cleanup:
        processes, origin, proxy = start_nginx(folder, tls=True)
        for process in processes:
            cleanup.callback(stop, process)
        process, port = cleanup.enter_context(running(
            programs.bounds, "relay", *upstream(origin), "2", "tls", folder / "leaf.pem", folder / "leaf.key",
            folder / "ca.pem"))
        turns(table, "https, 1 KiB, 8 connections", 0.85, Subject("nginx", proxy),
              [("keeps nothing", Subject("", f"https://127.0.0.1:{port}"), process.pid),
               recorder(cleanup, programs, origin)], rounds, seconds)


def files(table, programs: Programs, rounds: int, seconds: int) -> None:
    """A server that has its answer in memory, beside nginx with the same bytes in a file."""
    for size, goal in ((1 << 10, 1.0), (16 << 10, 0.8)):
        root = programs.folder / f"bounds-files-{size}"
        root.mkdir()
        (root / "file.txt").write_bytes(b"x" * size)
        with ExitStack() as cleanup:
            port = free_port()
            peer = nginx(programs.folder, f"bounds-nginx-{size}", f"""
                sendfile on; open_file_cache max=10;
                server {{ listen 127.0.0.1:{port}; root {root}; }}""", workers=1)
            cleanup.callback(stop, peer)
            await_port(port, peer)
            process, own = cleanup.enter_context(running(programs.bounds, "respond", str(size)))
            turns(table, f"{size // 1024} KiB answered from memory", goal,
                  Subject("nginx", f"http://127.0.0.1:{port}/file.txt"),
                  [("one event loop", Subject("", f"http://127.0.0.1:{own}/"), process.pid)], rounds, seconds)
