"""Requests per second: wrk against nginx, Tapedeck and mitmdump, one after the other, in rounds."""

import re
import sqlite3
import statistics
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from programs import Tapedeck, await_port, free_port, mitmdump, nginx, stop

UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4}


@dataclass
class Subject:
    """One program under load and what was measured of it."""

    name: str
    url: str
    rates: list[float] = field(default_factory=list)
    medians_ms: list[float] = field(default_factory=list)
    tails_ms: list[float] = field(default_factory=list)
    requests: int = 0
    errors: int = 0

    @property
    def rate(self) -> float:
        """Median requests per second over the rounds."""
        return statistics.median(self.rates)


def run_wrk(subject: Subject, seconds: int, keep: bool = True, connections: int = 8,
            script: Path | None = None) -> None:
    """One run of wrk; without `keep` it only warms up, and only its requests are counted."""
    options = ["-s", str(script)] if script else []
    done = subprocess.run(
        ["wrk", "-t", "1", "-c", str(connections), "-d", f"{seconds}s", "--latency", *options,
         subject.url],
        capture_output=True, text=True, check=True,
    ).stdout

    def latency(percent: str) -> float:
        value, unit = re.search(rf"{percent}%\s+([\d.]+)(us|ms|s|m)\b", done).groups()
        return float(value) * UNITS[unit]

    subject.requests += int(re.search(r"(\d+) requests in", done)[1])
    for text in re.findall(r"(?:Socket errors: .*|Non-2xx.*: )(.*)", done):
        subject.errors += sum(map(int, re.findall(r"\d+", text)))
    if errors := re.search(r"Socket errors: (.*)", done):
        subject.errors += sum(map(int, re.findall(r"\d+", errors[1])))
    if keep:
        subject.rates.append(float(re.search(r"Requests/sec:\s+([\d.]+)", done)[1]))
        subject.medians_ms.append(latency("50"))
        subject.tails_ms.append(latency("99"))


def start_nginx(folder: Path, tls: bool,
                connections: int = 64) -> tuple[list[subprocess.Popen], str, str]:
    """An origin with a body of 1 KiB and a plain reverse proxy before it: processes and URLs.

    - `connections`: how many the proxy keeps to the origin.
    """
    scheme = "https" if tls else "http"
    origin_port, proxy_port = free_port(), free_port()
    ssl = ""
    if tls:
        ssl = f"ssl_certificate {folder}/leaf.pem; ssl_certificate_key {folder}/leaf.key;"
    listen = "ssl" if tls else ""
    text = "x" * 1024
    # Of each worker: those of clients, those to the origin, and some to spare.
    most = max(1024, 2 * connections + 100)
    origin = nginx(folder, f"origin-{scheme}", f"""
        {ssl}
        server {{ listen 127.0.0.1:{origin_port} {listen};
          location / {{ default_type text/plain; return 200 '{text}'; }} }}""", connections=most)
    verify = f"proxy_ssl_verify on; proxy_ssl_trusted_certificate {folder}/ca.pem; " \
             "proxy_ssl_name localhost;" if tls else ""
    proxy = nginx(folder, f"proxy-{scheme}", f"""
        {ssl}
        upstream origin {{ server 127.0.0.1:{origin_port}; keepalive {connections};
          keepalive_requests 1000000000; }}
        server {{ listen 127.0.0.1:{proxy_port} {listen};
          location / {{ proxy_pass {scheme}://origin; {verify}
            proxy_http_version 1.1; proxy_set_header Connection ''; }} }}""", connections=most)
    await_port(origin_port, origin)
    await_port(proxy_port, proxy)
    return ([origin, proxy], f"{scheme}://127.0.0.1:{origin_port}",
            f"{scheme}://127.0.0.1:{proxy_port}")


@contextmanager
def running_origin(folder: Path) -> Iterator[str]:
    """The URL of an origin with a body of 1 KiB, as long as it is needed."""
    processes, origin, _ = start_nginx(folder, tls=False)
    try:
        yield origin
    finally:
        for process in processes:
            stop(process)


def measure(program: Path | None, folder: Path, tls: bool, rounds: int, seconds: int) -> dict:
    """Alternates wrk between origin, nginx, Tapedeck and mitmdump.

    Returns the subjects by name, the exchanges that Tapedeck's trace holds, its peak memory in
    bytes, and how long it took to end in seconds.
    """
    scheme = "https" if tls else "http"
    result: dict = {"exchanges": None}
    with ExitStack() as cleanup:
        processes, origin, proxy = start_nginx(folder, tls)
        for process in processes:
            cleanup.callback(stop, process)
        peer, peer_port = mitmdump(folder, scheme, origin, folder / "ca.pem")
        cleanup.callback(stop, peer)
        subjects = [Subject("no proxy", origin), Subject("nginx", proxy),
                    Subject("mitmdump -w", f"{scheme}://127.0.0.1:{peer_port}")]
        deck = None
        if program:
            deck = Tapedeck(program, folder, folder / f"{scheme}.tape", "--to", origin,
                            "--server-ca", str(folder / "ca.pem"))
            cleanup.callback(deck.stop)
            subjects.insert(2, Subject("tapedeck", f"{scheme}://127.0.0.1:{deck.port}"))
        for subject in subjects:
            run_wrk(subject, 1, keep=False)
        for _ in range(rounds):
            for subject in subjects:
                run_wrk(subject, seconds)
        if deck:
            result["peak"] = deck.peak_memory()
            result["ending"] = deck.stop()
            with sqlite3.connect(f"file:{deck.trace}?mode=ro", uri=True) as trace:
                result["exchanges"] = trace.execute(
                    "SELECT count(*) FROM http_exchange WHERE outcome = 'complete'").fetchone()[0]
            deck.trace.unlink()
    result["subjects"] = {subject.name: subject for subject in subjects}
    return result
