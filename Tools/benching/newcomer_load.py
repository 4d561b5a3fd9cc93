"""How long it takes from nothing to the first result: from a clone, and from each package."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from programs import ROOT

# What somebody waits for without giving up: from a clone on two processors, from a package.
BOUND_CLONE_SECONDS, BOUND_PACKAGE_SECONDS = 600, 15


def timed(*command: str | Path, cwd: Path, **variables: str) -> float:
    """The seconds that a command takes; what it prints is kept for its failure."""
    began = time.monotonic()
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False,
                          env={**os.environ, "TAPEDECK": "", "NO_COLOR": "1"} | variables)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return time.monotonic() - began


def without_tapedeck() -> str:
    """The PATH of somebody who has no Tapedeck yet."""
    return ":".join(each for each in os.environ["PATH"].split(":") if not (Path(each) / "tapedeck").exists())


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Packs the program and goes the ways of a newcomer; with `quick` not that of the clone, which compiles."""
    packages = folder / "packages"
    timed(ROOT / ".venv/bin/python", ROOT / "Tools/packaging", "--program", program, "--output", packages,
          "--only", "tarball", "--only", "wheel", cwd=ROOT)
    demo = ROOT / "Tools/demo"
    place = folder / "unpacked"
    place.mkdir()
    took = timed("tar", "-xf", next(packages.glob("*.tar.xz")), "--strip-components=1", cwd=place)
    took += timed(demo, cwd=place, TAPEDECK=str(place / "bin/tapedeck"), TMPDIR=str(folder))
    table.add("newcomer, tarball to the end of the demo", f"{took:.1f} s", f"<= {BOUND_PACKAGE_SECONDS} s",
              took <= BOUND_PACKAGE_SECONDS)
    timed(sys.executable, "-m", "venv", "venv", cwd=folder)
    took = timed("venv/bin/pip", "install", "-q", "--no-index", next(packages.glob("*.whl")), cwd=folder)
    took += timed(demo, cwd=place, TAPEDECK=str(folder / "venv/bin/tapedeck"), TMPDIR=str(folder))
    table.add("newcomer, wheel to the end of the demo", f"{took:.1f} s", f"<= {BOUND_PACKAGE_SECONDS} s",
              took <= BOUND_PACKAGE_SECONDS)
    if quick:
        return
    clone = folder / "clone"
    took = timed("git", "clone", "-q", ROOT, clone, cwd=folder)
    took += timed("Tools/demo", cwd=clone, PATH=without_tapedeck(), TMPDIR=str(folder))
    table.add("newcomer, clone to the end of the demo", f"{took:.0f} s", f"<= {BOUND_CLONE_SECONDS} s",
              took <= BOUND_CLONE_SECONDS)
    size = int(subprocess.run(["du", "-sm", clone], capture_output=True, text=True, check=True).stdout.split()[0])
    table.add("newcomer, disk that the clone takes", f"{size / 1000:.1f} GB")
