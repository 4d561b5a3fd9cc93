"""The licences of everything that is linked or packed with the program, in one text."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

from source import ROOT, said

DOCUMENTATION = Path("/usr/share/doc")
# Beside the folder that was built last, which is that of Tools/build unless named.
CHECKOUTS = ROOT / Path(os.environ.get("TAPEDECK_BUILT", ".build/debug")).parent / "checkouts"
# Languages whose files carry the licence of what was taken over from elsewhere.
TAKEN_OVER = {".c", ".cc", ".cpp", ".h", ".S"}
OF_OURS = re.compile(r"Apple Inc|SwiftNIO|Swift (?:Crypto|\.org|System)|Swift\.org|SwiftCrypto")
LEADING = re.compile(r"\A\s*(/\*.*?\*/|(?://[^\n]*\n)+)", re.DOTALL)


def toolchain() -> Path:
    """The folder of the Swift that built the program, which has `lib` and `share`."""
    info = json.loads(said(Path("swiftc"), "-print-target-info"))
    return Path(info["paths"]["runtimeResourcePath"]).parents[1]


def plain(comment: str) -> str:
    """A comment without its marks."""
    lines = [re.sub(r"^\s*(?:/\*+|\*+/|\*|//+)? ?", "", line).rstrip().removesuffix("*/").rstrip()
             for line in comment.strip().splitlines()]
    return "\n".join(lines).strip()


def taken_over(package: Path) -> list[str]:
    """The distinct notices at the head of the C files of a package that others wrote."""
    found: dict[str, str] = {}
    for path in sorted((package / "Sources").rglob("*")):
        if path.suffix not in TAKEN_OVER or not path.is_file():
            continue
        match = LEADING.match(path.read_text(encoding="utf-8", errors="replace"))
        if not match or not re.search(r"copyright|licen[cs]e", match[1], re.IGNORECASE):
            continue
        notice = plain(match[1])
        if not OF_OURS.search(notice):
            found.setdefault(re.sub(r"\s+", " ", notice), notice)
    return list(found.values())


def swift_packages() -> dict[str, str]:
    """The licence of each Swift package that is linked, with its notices, by name and version."""
    pins = json.loads((ROOT / "Package.resolved").read_text())["pins"]
    texts: dict[str, str] = {}
    for pin in sorted(pins, key=lambda each: each["identity"]):
        place = next((each for each in sorted(CHECKOUTS.iterdir())
                      if each.name.lower() == pin["identity"]), None)
        if place is None:
            raise SystemExit(f"package: no sources of {pin['identity']} in {CHECKOUTS}; build first")
        own = [path for path in sorted(place.iterdir())
               if re.match(r"(?:LICEN[CS]E|NOTICE)", path.name)]
        parts = [path.read_text(encoding="utf-8") for path in own]
        parts += [path.read_text(encoding="utf-8")
                  for path in sorted(place.glob("Sources/**/LICENSE*"))]
        texts[f"{pin['identity']} {pin['state']['version']}"] = "\n\n".join(parts + taken_over(place))
    return texts


def debian_package(library: Path) -> tuple[str, str]:
    """The Debian package that a library is of, and its version; fails if it is of none."""
    for place in (library, library.resolve(), Path("/usr" + str(library))):
        done = subprocess.run(["dpkg", "-S", place], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            name = done.stdout.split(": ")[0].split(",")[0]
            return name.split(":")[0], said(Path("dpkg-query"), "-W", "-f=${Version}", name)
    raise SystemExit(f"package: {library} is of no Debian package, so its licence is not known")


def sqlite() -> Path:
    """SQLite as it is linked into the program."""
    return Path(said(Path("pkg-config"), "--variable=libdir", "sqlite3").strip(), "libsqlite3.a")


def notices(libraries: dict[str, Path]) -> str:
    """The text of all licences: of the program, what is linked into it, and `libraries` beside it.

    Swift's runtime is always one or the other.
    """
    texts = {"Tapedeck": (ROOT / "LICENSE").read_text(encoding="utf-8")}
    texts |= swift_packages()
    # Taken over by Yams, which leaves its licence out.
    texts["LibYAML, in Yams"] = (
        ROOT / "Tools/packaging/notices/libyaml.txt").read_text(encoding="utf-8")
    texts["Swift: standard library, Foundation, Dispatch"] = (
        toolchain() / "share" / "swift" / "LICENSE.txt").read_text(encoding="utf-8")
    # Foundation contains ICU, whose licence Swift does not come with; Debian's libxml2 needs it, too.
    texts["ICU, in Foundation"] = next(iter(sorted(DOCUMENTATION.glob("libicu[0-9]*/copyright")))).read_text(
        encoding="utf-8", errors="replace")
    beside = {path for path in libraries.values() if not path.resolve().is_relative_to(toolchain())}
    for package, version in sorted({debian_package(path) for path in beside | {sqlite()}}):
        place = DOCUMENTATION / package / "copyright"
        if not place.is_file():
            raise SystemExit(f"package: no licence of {package} on this machine")
        # With the version: another one makes other bytes of the same commit.
        texts[f"{package} {version}, of Debian"] = place.read_text(encoding="utf-8", errors="replace")
    rule = "=" * 78
    return "\n".join(f"{rule}\n{name}\n{rule}\n\n{text.strip()}\n" for name, text in texts.items())
