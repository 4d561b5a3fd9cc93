"""Connections: a new one for each request, and 64 kept ones, beside an nginx that shares none upstream."""

from __future__ import annotations

import statistics
import subprocess
from contextlib import ExitStack
from pathlib import Path

from http_load import Subject, run_wrk
from programs import Tapedeck, await_port, free_port, nginx, ratios, stop

POST = """
wrk.method = "POST"
wrk.body = string.rep("x", 1024)
wrk.headers["Content-Type"] = "text/plain"
"""
CLOSE = 'wrk.headers["Connection"] = "close"\n'


def start(folder: Path, scheme: str) -> tuple[list[subprocess.Popen], str, str, str]:
    """An origin, a proxy that keeps its connections to it, and one that keeps none: URLs."""
    tls = scheme == "https"
    listen = "ssl" if tls else ""
    certificates = f"ssl_certificate {folder}/leaf.pem; ssl_certificate_key {folder}/leaf.key;" \
        if tls else ""
    trust = f"proxy_ssl_verify on; proxy_ssl_trusted_certificate {folder}/ca.pem; " \
            "proxy_ssl_name localhost; proxy_ssl_session_reuse off;" if tls else ""
    ports = [free_port() for _ in range(3)]
    text = "x" * 1024
    origin = nginx(folder, f"connections-origin-{scheme}", f"""
        {certificates}
        server {{ listen 127.0.0.1:{ports[0]} {listen};
          location / {{ default_type text/plain; return 200 '{text}'; }} }}""")
    proxy = nginx(folder, f"connections-proxy-{scheme}", f"""
        {certificates}
        upstream origin {{ server 127.0.0.1:{ports[0]}; keepalive 64;
          keepalive_requests 1000000000; }}
        server {{ listen 127.0.0.1:{ports[1]} {listen};
          location / {{ proxy_pass {scheme}://origin; {trust}
            proxy_http_version 1.1; proxy_set_header Connection ''; }} }}
        server {{ listen 127.0.0.1:{ports[2]} {listen};
          location / {{ proxy_pass {scheme}://127.0.0.1:{ports[0]}; {trust}
            proxy_http_version 1.1; proxy_set_header Connection close; }} }}""")
    for port, process in zip(ports, (origin, proxy, proxy)):
        await_port(port, process)
    return ([origin, proxy], *(f"{scheme}://127.0.0.1:{port}" for port in ports))


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """One row for each kind of connection."""
    rounds, seconds = (3, 2) if quick else (7, 4)
    for scheme in ("http", "https"):
        with ExitStack() as cleanup:
            processes, origin, kept, closing = start(folder, scheme)
            for process in processes:
                cleanup.callback(stop, process)
            deck = Tapedeck(program, folder, folder / f"connections-{scheme}.tape", "--to", origin,
                            "--server-ca", str(folder / "ca.pem"))
            cleanup.callback(deck.stop)
            own = f"{scheme}://127.0.0.1:{deck.port}"
            rows = [("new connection per request", closing, CLOSE, 8,
                     0.7 if scheme == "http" else 0.8)]
            if scheme == "http":
                rows += [("64 connections", kept, "", 64, 0.85),
                         ("POST of 1 KiB", kept, POST, 8, 0.85)]
            for name, peer, script, connections, goal in rows:
                one(table, f"{scheme}, {name}", peer, own, folder, script, connections, goal,
                    rounds, seconds)
            deck.stop()
            deck.trace.unlink()


def one(table, name: str, peer_url: str, own_url: str, folder: Path, script: str,
        connections: int, goal: float, rounds: int, seconds: int) -> None:
    """Rounds of one kind, and the row of it."""
    lua = folder / "connections.lua"
    lua.write_text(script)
    peer, own = Subject("nginx", peer_url), Subject("tapedeck", own_url)
    for subject in (peer, own):
        run_wrk(subject, 1, keep=False, connections=connections, script=lua)
    for _ in range(rounds):
        for subject in (peer, own):
            run_wrk(subject, seconds, connections=connections, script=lua)
    ratio, figure = ratios(own.rates, peer.rates)
    errors = f", {own.errors} ERRORS" if own.errors else ""
    table.add(f"{name}, tapedeck / nginx",
              f"{figure}; {own.rate:,.0f} and {peer.rate:,.0f} req/s; "
              f"p99 {statistics.median(own.tails_ms):.1f} and "
              f"{statistics.median(peer.tails_ms):.1f} ms{errors}",
              f">= {goal}", ratio >= goal)
