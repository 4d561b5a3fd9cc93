"""The files that every package has: the program, its manual, completions, pages and licences."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import elf
import licences
import manuals
from source import ROOT, Source
from tree import gzipped

# Below /usr, where each shell looks for completions that packages install.
COMPLETIONS = {
    "bash": "share/bash-completion/completions/tapedeck",
    "zsh": "share/zsh/{site}/_tapedeck",
    "fish": "share/fish/vendor_completions.d/tapedeck.fish",
}
DOCUMENTS = "share/doc/tapedeck"
LIBRARIES = "lib/tapedeck"


def write(path: Path, data: bytes | str, mode: int = 0o644) -> None:
    """Writes a file, with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    path.chmod(mode)


def texts(source: Source, prefix: Path, zsh: str = "site-functions") -> None:
    """Man pages, completions and documents below a prefix."""
    described = source.help()
    pages = manuals.pages(described, source.version, source.epoch)
    pages |= manuals.topic_pages(
        {name: (about, source.topic(name)) for name, about in manuals.topics(described).items()},
        source.version, source.epoch)
    for name, text in pages.items():
        write(prefix / f"share/man/man{name[-1]}" / f"{name}.gz", gzipped(text.encode()))
    for shell, text in source.completions().items():
        # Sourced, not run.
        write(prefix / COMPLETIONS[shell].format(site=zsh), text.removeprefix("#!/bin/bash\n"))
    for name, path in source.documents().items():
        # Pages that are below Sources in the repository are beside the README here.
        write(prefix / DOCUMENTS / name, path.read_text(encoding="utf-8").replace("](Sources/", "]("))
    write(prefix / DOCUMENTS / "demo", (ROOT / "Tools/demo").read_bytes(), 0o755)


def stripped(program: Path, to: Path) -> None:
    """A copy of a program or library without what only debuggers read."""
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(program, to)
    to.chmod(0o755)
    subprocess.run(["strip", "--strip-unneeded", "--remove-section=.comment", to], check=True)


def debug_symbols(program: Path, identity: str, folder: Path) -> None:
    """What only debuggers read of a program, compressed, in the file where they look for this build id."""
    to = folder / identity[:2] / f"{identity[2:]}.debug"
    to.parent.mkdir(parents=True)
    subprocess.run(["objcopy", "--only-keep-debug", "--compress-debug-sections", program, to], check=True)
    elf.identify(to, identity)
    to.chmod(0o644)


def look_in(path: Path, folder: str) -> None:
    """Makes a program or library look for others in a folder; "" for where the system has them."""
    if elf.runpath(path) == folder:
        return
    command = ["--set-rpath", folder] if folder else ["--remove-rpath"]
    subprocess.run(["patchelf", *command, path], check=True)


def of_swift(_: str, place: Path) -> bool:
    """Whether a library is Swift's, which no distribution has."""
    return place.resolve().is_relative_to(licences.toolchain())


def of_anyone(_: str, __: Path) -> bool:
    """Every library that is not everywhere."""
    return True


def program(source: Source, prefix: Path, is_ours) -> dict[str, Path]:
    """The program below a prefix, with the libraries that `is_ours` says so of beside it."""
    target = prefix / "bin" / "tapedeck"
    stripped(source.program, target)
    elf.identify(target)
    libraries = elf.beside(source.program, is_ours)
    look_in(target, f"$ORIGIN/../{LIBRARIES}" if libraries else "")
    for name, place in libraries.items():
        copy = prefix / LIBRARIES / name
        stripped(place.resolve(), copy)
        look_in(copy, "$ORIGIN")
    return libraries

