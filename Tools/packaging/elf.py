"""What a program or library needs of the machine that runs it, as `readelf` reads it."""

from __future__ import annotations

import hashlib
import re
import subprocess
from pathlib import Path

# Libraries of glibc and GCC, which every machine has; their versions are checked by symbols. A newer
# libstdc++ serves older programs, and Debian's own needs a glibc as new as itself.
EVERYWHERE = re.compile(
    r"(?:libc|libm|libdl|librt|libpthread|libresolv|libutil|libgcc_s|libstdc\+\+)\.so\.\d"
    r"|ld-linux[\w-]*\.so\.\d")


def run(*command: str | Path) -> str:
    """What a tool prints; its failure is ours."""
    return subprocess.run([str(part) for part in command], check=True, capture_output=True,
                          text=True).stdout


def is_elf(path: Path) -> bool:
    """Whether a file is a program or library."""
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def needed(path: Path) -> list[str]:
    """The names of the libraries that it is linked with."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", path))


def runpath(path: Path) -> str:
    """Where it looks for libraries, "" for where the system has them."""
    found = re.search(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", run("readelf", "-dW", path))
    return found[1] if found else ""


def newest(path: Path, family: str) -> tuple[int, ...]:
    """The newest version of the symbols of a family, such as GLIBC, that it needs."""
    text = run("readelf", "-VW", path)
    needs = text.partition("Version needs section")[2]
    versions = re.findall(rf"\b{family}_(\d+(?:\.\d+)+)\b", needs)
    return max((tuple(map(int, each.split("."))) for each in versions), default=(0,))


def build_id(path: Path) -> str:
    """The build id of a program, "" if it has none."""
    found = re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-nW", path))
    return found[1] if found else ""


def section(path: Path, name: str) -> tuple[int, int]:
    """Where a section is in the file, and its bytes; (0, 0) if there is none."""
    found = re.search(rf"\] {re.escape(name)} +\S+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) ", run("readelf", "-SW", path))
    return (int(found[1], 16), int(found[2], 16)) if found else (0, 0)


def identify(path: Path, digest: str = "") -> str:
    """Gives a stripped program a build id that follows from its code alone; the id.

    The linker's is that of the information for debuggers as well, which names folders of the build. So do the
    hashes of modules in `.swift_modhash`, which only compilers read; they become 0. With `digest` the
    program, or its file for debuggers, gets that id.
    """
    data = bytearray(path.read_bytes())
    hashes, length = section(path, ".swift_modhash")
    if not digest:
        data[hashes:hashes + length] = bytes(length)
    note, length = section(path, ".note.gnu.build-id")
    # A header of 12 bytes and the name "GNU" come before the id.
    start, end = note + 16, note + length
    if length:
        if not digest:
            data[start:end] = bytes(end - start)
            digest = hashlib.sha1(data, usedforsecurity=False).hexdigest()[:2 * (end - start)]
        data[start:end] = bytes.fromhex(digest)
    path.write_bytes(data)
    return digest


def hardening(path: Path) -> dict[str, bool]:
    """Which protections it was linked with."""
    dynamic, headers = run("readelf", "-dW", path), run("readelf", "-hlW", path)
    stack = re.search(r"GNU_STACK.*", headers)
    return {
        "position independent": "DYN (" in headers,
        "read-only relocations": "GNU_RELRO" in headers,
        "bound at start": bool(re.search(r"\bBIND_NOW\b|\bNOW\b", dynamic)),
        "stack not executable": bool(stack) and "RWE" not in stack[0],
    }


def resolved(path: Path) -> dict[str, Path]:
    """Where this machine has each library that it needs, those that they need included.

    Fails with the name of one that is missing.
    """
    found: dict[str, Path] = {}
    for line in run("ldd", path).splitlines():
        match = re.match(r"\s*(\S+) => (\S+)", line)
        if not match:
            continue
        if not match[2].startswith("/"):
            raise SystemExit(f"package: {path.name} needs {match[1]}, which is not on this machine")
        found[match[1]] = Path(match[2])
    return found


def beside(path: Path, is_ours) -> dict[str, Path]:
    """The libraries, by name, that have to be packed with a program: those that `is_ours` says so of."""
    return {name: place for name, place in sorted(resolved(path).items())
            if not EVERYWHERE.fullmatch(name) and is_ours(name, place)}
