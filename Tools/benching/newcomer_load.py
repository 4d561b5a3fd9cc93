"""How long a newcomer waits for the first result: from sources, and from packages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from programs import ROOT

# What the demo prints once a restore has come through the proxy.
FIRST_RESULT = re.compile(r"answered 200 with \d+ bytes")
DEADLINE_SECONDS = 3_600


def first_result(demo: Path, program: Path | None) -> tuple[float, float]:
    """Seconds until `Tools/demo` shows its first result, and until it ends."""
    environment = {name: value for name, value in os.environ.items() if name != "TAPEDECK"}
    if program:
        environment["TAPEDECK"] = str(program)
    began, first = time.monotonic(), 0.0
    with subprocess.Popen(["timeout", str(DEADLINE_SECONDS), demo], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env=environment) as process:
        for line in process.stdout:
            if not first and FIRST_RESULT.search(line):
                first = time.monotonic() - began
    if process.returncode or not first:
        raise RuntimeError(f"{demo} ended with {process.returncode}")
    return first, time.monotonic() - began


def add(table, what: str, preparing: float, shown: tuple[float, float], size: str = "") -> None:
    """A row: what came before, and the demo."""
    table.add(f"newcomer, {what}", f"{preparing + shown[0]:.0f} s to the first result, of which "
              f"{preparing:.0f} s to install{size}; the whole demo {shown[1]:.1f} s")


def from_packages(table, folder: Path) -> None:
    """The wheel and the tarball of `Tools/package`."""
    packages = ROOT / ".build/packages"
    for wheel in sorted(packages.glob("*.whl")):
        began, place = time.monotonic(), folder / "venv"
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        subprocess.run([place / "bin/pip", "install", "--quiet", "--no-index", "--no-deps", wheel],
                       check=True)
        took = time.monotonic() - began
        add(table, "wheel", took, first_result(ROOT / "Tools/demo", place / "bin/tapedeck"),
            f" {wheel.stat().st_size / 1e6:.0f} MB")
    for tarball in sorted(packages.glob("tapedeck-*.tar.*")):
        began, place = time.monotonic(), folder / "tarball"
        place.mkdir()
        subprocess.run(["tar", "--extract", "--file", tarball, "--directory", place], check=True)
        took = time.monotonic() - began
        program = next(place.rglob("bin/tapedeck"))
        add(table, "tarball", took, first_result(ROOT / "Tools/demo", program),
            f" {tarball.stat().st_size / 1e6:.0f} MB")


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows: a program that is there, packages if they are made, and a fresh clone."""
    add(table, "a program that is there", 0, first_result(ROOT / "Tools/demo", program))
    from_packages(table, folder)
    if quick:
        return
    clone, began = folder / "clone", time.monotonic()
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    took = time.monotonic() - began
    path = [each for each in os.environ["PATH"].split(":") if not Path(each, "tapedeck").exists()]
    before, os.environ["PATH"] = os.environ["PATH"], ":".join(path)
    try:
        add(table, "clone, with the build", took, first_result(clone / "Tools/demo", None))
    finally:
        os.environ["PATH"] = before
        shutil.rmtree(clone, ignore_errors=True)
