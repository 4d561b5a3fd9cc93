"""The wheel: the program on the PATH of a Python environment, a module and a pytest plugin."""

from __future__ import annotations

import base64
import hashlib
import platform
from pathlib import Path

import portable
from source import ROOT, Source
from tree import files, zipped

MODULE = ROOT / "Tools" / "packaging" / "python" / "tapedeck"
METADATA = """\
Metadata-Version: 2.1
Name: tapedeck
Version: {version}
Summary: Record, understand and replay the traffic of apps that sync
License: Apache-2.0
Requires-Python: >=3.10
Provides-Extra: pytest
Requires-Dist: pytest>=7; extra == "pytest"
Description-Content-Type: text/markdown

{readme}"""


def tag() -> str:
    """What the wheel runs on, as pip compares it with the machine."""
    return f"py3-none-manylinux_{'_'.join(map(str, portable.OLDEST_GLIBC))}_{platform.machine()}"


def make(source: Source, output: Path, work: Path) -> list[Path]:
    """Makes the wheel; returns where it is.

    The program goes where scripts go and the rest below the prefix of the environment, so that it
    finds its libraries in `../lib/tapedeck` as in the tarball.
    """
    portable.lay(source, work)
    name = f"tapedeck-{source.version}"
    info = f"{name}.dist-info"
    entries: list[tuple[str, bytes, int]] = []
    for path in files(MODULE):
        if "__pycache__" not in path.parts:
            entries.append((f"tapedeck/{path.relative_to(MODULE)}", path.read_bytes(), 0o644))
    for path in files(work):
        inside = path.relative_to(work)
        place = f"scripts/{inside.name}" if inside.parts[0] == "bin" else f"data/{inside}"
        mode = 0o755 if path.stat().st_mode & 0o100 and path.suffix != ".so" else 0o644
        entries.append((f"{name}.data/{place}", path.read_bytes(), mode))
    readme = (MODULE.parent / "README.md").read_text(encoding="utf-8")
    entries += [
        (f"{info}/METADATA", METADATA.format(version=source.version, readme=readme).encode(), 0o644),
        (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: tapedeck\nRoot-Is-Purelib: false\n"
         f"Tag: {tag()}\n".encode(), 0o644),
        (f"{info}/entry_points.txt", b"[pytest11]\ntapedeck = tapedeck.pytest_plugin\n", 0o644),
        (f"{info}/licenses/copyright",
         (work / "share/doc/tapedeck/copyright").read_bytes(), 0o644),
    ]
    record = "".join(
        f"{place},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()}"
        f",{len(data)}\n" for place, data, _ in entries)
    entries.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode(), 0o644))
    made = output / f"{name}-{tag()}.whl"
    zipped(entries, made, source.epoch)
    return [made]
