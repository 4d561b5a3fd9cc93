"""The table of runtimes: what programs of Go, Ruby and Swift need so that they are recorded, over TLS. Those of
curl, Python, Node and Java are in test_wrapped_command.py and test_isolated.py."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from programs import environment, sql, tapedeck
from unprivileged import NOBODY, needs_networks, open_to_nobody

GO = """
package main

import (
\t"fmt"
\t"net/http"
\t"os"
)

func main() {
\tanswer, err := http.Get(os.Args[1])
\tif err != nil {
\t\tfmt.Println(err)
\t\tos.Exit(1)
\t}
\tfmt.Println(answer.StatusCode)
}
"""
RUBY = "require 'net/http'; puts Net::HTTP.get_response(URI(ARGV[0])).code"
SWIFT = """
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
guard let url = URL(string: CommandLine.arguments[1]) else { exit(64) }
let (_, answer) = try await URLSession.shared.data(from: url)
print((answer as? HTTPURLResponse)?.statusCode ?? 0)
"""
# Where a program of Swift looks for authorities, and nowhere else.
SYSTEM = "/etc/ssl/certs/ca-certificates.crt"

needs_go = pytest.mark.skipif(not shutil.which("go"), reason="needs go (Tools/setup)")
needs_ruby = pytest.mark.skipif(not shutil.which("ruby"), reason="needs ruby (Tools/setup)")
needs_swift = pytest.mark.skipif(
    not shutil.which("swiftc") or os.geteuid() != 0 or not Path(SYSTEM).exists(),
    reason="needs swiftc, and root to put a file in place of the system's authorities")


def run_go(folder: Path) -> list[str]:
    """A program that is linked statically, and resolves names itself."""
    (folder / "ask.go").write_text(GO)
    subprocess.run(["go", "build", "-o", "ask", "ask.go"], cwd=folder, check=True,
                   env=environment(CGO_ENABLED="0", GO111MODULE="off", GOCACHE=str(folder / "cache"),
                                   GOFLAGS="", HOME=str(folder)))
    return [str(folder / "ask")]


def run_ruby(_: Path) -> list[str]:
    """The library that Ruby has."""
    return ["ruby", "-e", RUBY]


def run_swift(folder: Path) -> list[str]:
    """Foundation's, with the authority in the system's store, as `ca --install` puts it there."""
    (folder / "ask.swift").write_text(SWIFT)
    subprocess.run(["swiftc", "ask.swift", "-o", "ask"], cwd=folder, check=True)
    return ["unshare", "--mount", "sh", "-c",
            f'mount --bind "$SSL_CERT_FILE" {SYSTEM} && exec "$0" "$@"', str(folder / "ask")]


RUNTIMES = [pytest.param(run_go, marks=needs_go), pytest.param(run_ruby, marks=needs_ruby),
            pytest.param(run_swift, marks=needs_swift)]


def ask(trace: Path, ca_dir: Path, port: int, command: list[str], *more: str, host: str) -> str:
    """Records a program that asks for a page over TLS; gives what it printed."""
    return tapedeck("record", trace, "--ca-dir", ca_dir, "--insecure", "--resolve",
                    f"shop.test:{port}:127.0.0.1", *more, "--", *command, f"https://{host}:{port}/a").stdout


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_with_variables(trace, ca_dir, tmp_path, tls_origin, runtime: Callable) -> None:
    """A server that is not on this machine."""
    said = ask(trace, ca_dir, tls_origin.port, runtime(tmp_path), host="shop.test")
    assert said == "200\n"
    assert sql(trace, "SELECT url, status FROM exchange WHERE method <> 'CONNECT'") == [
        (f"https://shop.test:{tls_origin.port}/a", 200)]


@needs_networks
@pytest.mark.parametrize("runtime", [RUNTIMES[0], RUNTIMES[1]])
@pytest.mark.parametrize("host", ["shop.test", "localhost"])
def test_isolated(trace, ca_dir, tmp_path, tls_origin, runtime: Callable, host: str) -> None:
    """Any server, also one of this machine; here as a user without rights, where root runs the tests."""
    command = runtime(tmp_path)
    options: dict = {}
    if os.geteuid() == 0:
        open_to_nobody(tmp_path, ca_dir.parent)
        options = {"user": NOBODY, "group": NOBODY, "extra_groups": [],
                   "env": environment(TMPDIR=str(tmp_path))}
    url = f"https://{host}:{tls_origin.port}/a"
    said = tapedeck("record", trace, "--ca-dir", ca_dir, "--insecure", "--resolve",
                    f"shop.test:{tls_origin.port}:127.0.0.1", "--isolate", "--", *command, url,
                    **options).stdout
    assert said == "200\n"
    assert sql(trace, "SELECT url, status FROM exchange") == [(url, 200)]
