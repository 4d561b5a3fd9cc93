"""Tools/profile: samples a recording proxy under the load of wrk."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from http_load import Subject, run_wrk, start_nginx
from programs import ROOT, Tapedeck, make_certificates, stop

PROGRAM = Path(os.environ.get("TAPEDECK") or ROOT / ".build/release/tapedeck")
LINES = 60


def with_perf(deck: Tapedeck, folder: Path, subject: Subject, seconds: int) -> None:
    """Attaches perf for the length of one run of wrk and prints two reports."""
    data = folder / "perf.data"
    sampler = subprocess.Popen(
        ["perf", "record", "-q", "-F", "997", "-g", "-o", data, "-p", str(deck.process.pid), "--",
         "sleep", str(seconds)], stderr=subprocess.DEVNULL)
    run_wrk(subject, seconds)
    sampler.wait()
    for title, arguments in (("by function", ["--sort", "symbol"]),
                             ("by function, callees included", ["--children", "--sort", "symbol"])):
        print(f"\n== {title}")
        children = [] if "--children" in arguments else ["--no-children"]
        report = subprocess.run(
            ["perf", "report", "--stdio", "-q", "-g", "none", "-i", data, *children, *arguments],
            capture_output=True, text=True, check=False).stdout
        if shutil.which("swift"):
            report = subprocess.run(["swift", "demangle", "--simplified"], input=report,
                                    capture_output=True, text=True, check=False).stdout
        lines = [line[:150] for line in report.splitlines() if line.strip()]
        print("\n".join(lines[:LINES]))


def with_callgrind(folder: Path, origin: str, options: list[str]) -> None:
    """Runs the program under callgrind for three seconds of load and prints its annotation."""
    output = folder / "callgrind.out"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}", "-q", PROGRAM]
    wrapper = folder / "under-callgrind"
    wrapper.write_text("#!/bin/sh\nexec " + " ".join(map(str, command)) + ' "$@"\n')
    wrapper.chmod(0o755)
    deck = Tapedeck(wrapper, folder, folder / "profile.tape", "--to", origin, *options)
    run_wrk(Subject("callgrind", f"http://127.0.0.1:{deck.port}"), 3)
    deck.stop()
    report = subprocess.run(["callgrind_annotate", output], capture_output=True, text=True,
                            check=False).stdout
    demangled = subprocess.run(["swift", "demangle", "--simplified"], input=report,
                               capture_output=True, text=True, check=False).stdout
    print("\n".join(line[:150] for line in demangled.splitlines()[:LINES]))


def main(scheme: str, seconds: int, options: list[str]) -> None:
    """Starts origin and proxy, profiles, and ends both."""
    folder = Path(tempfile.mkdtemp(prefix="tapedeck-profile-"))
    processes = []
    try:
        make_certificates(folder)
        processes, origin, _ = start_nginx(folder, tls=scheme == "https")
        if not shutil.which("perf"):
            with_callgrind(folder, origin, options)
            return
        deck = Tapedeck(PROGRAM, folder, folder / "profile.tape", "--to", origin,
                        "--server-ca", str(folder / "ca.pem"), *options)
        subject = Subject("tapedeck", f"{scheme}://127.0.0.1:{deck.port}")
        run_wrk(subject, 2, keep=False)
        with_perf(deck, folder, subject, seconds)
        print(f"\n{subject.rate:,.0f} req/s while sampled; peak {deck.peak_memory() / 1e6:.0f} MB")
        deck.stop()
    finally:
        for process in processes:
            stop(process)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
