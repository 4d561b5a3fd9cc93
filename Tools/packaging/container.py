"""The image of a container: its Containerfile beside the Debian package, and built where an engine runs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from source import ROOT, Source
from tree import files

FOLDER = ROOT / "Tools" / "packaging"
ENGINES = ("podman", "docker")


def engine() -> str:
    """The container engine that answers here, "" if none does."""
    for name in ENGINES:
        if shutil.which(name) and subprocess.run(
                [name, "info"], capture_output=True, check=False).returncode == 0:
            return name
    return ""


def make(source: Source, output: Path, work: Path) -> list[Path]:
    """Lays the Containerfile beside the Debian package, builds the image; returns what was written."""
    made: list[Path] = []
    for name in ("Containerfile", "tapedeck-healthy"):
        made.append(output / name)
        shutil.copy(FOLDER / name, made[-1])
    package = [path for path in files(output) if path.name.startswith("tapedeck_")]
    if not (name := engine()):
        print("package: no container engine runs here; build the image with the Containerfile",
              file=sys.stderr)
    elif not package:
        print("package: no Debian package to build the image of; do not leave out deb", file=sys.stderr)
    else:
        subprocess.run([name, "build", "--tag", f"tapedeck:{source.version.replace('+', '-')}",
                        "--file", made[0], output], check=True)
    return made
