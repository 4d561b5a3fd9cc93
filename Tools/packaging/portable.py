"""The tarball: the program with every library beside it that is not on every machine with glibc."""

from __future__ import annotations

import platform
from pathlib import Path

import elf
import layout
import licences
from source import Source
from tree import files, settle, tar_xz

# What the oldest supported system has, Ubuntu 22.04. Debian 12 has glibc 2.36; Red Hat Enterprise Linux 9
# has 2.34 and libstdc++ 3.4.29: older.
OLDEST = {"GLIBC": (2, 35), "GLIBCXX": (3, 4, 30)}
OLDEST_GLIBC = OLDEST["GLIBC"]

README = """\
Tapedeck {version}, for Linux on {machine} with glibc {glibc} or later and the libstdc++ of GCC 12 or
later: Debian 12, Ubuntu 22.04, Fedora 36; not Red Hat Enterprise Linux 9 and its relatives.

Nothing has to be installed: unpack it anywhere and run bin/tapedeck, or put it on the PATH:

    export PATH="$PWD/bin:$PATH"

or, for all users:

    cp -r bin lib share /usr/local/

The manual is in share/man, pages on every subject in share/doc/tapedeck, licences in
share/doc/tapedeck/copyright.
"""


def too_new(path: Path) -> list[str]:
    """What a program or library needs that the oldest supported system does not have."""
    return [f"{family} {'.'.join(map(str, found))}" for family, oldest in OLDEST.items()
            if (found := elf.newest(path, family)) > oldest]


def fits(folder: Path) -> None:
    """Fails if anything below a folder needs a newer system than is promised."""
    for path in files(folder):
        if not path.is_symlink() and elf.is_elf(path) and (found := too_new(path)):
            raise SystemExit(f"package: {path.name} needs {', '.join(found)}, and older systems are "
                             "promised; build on one")


def lay(source: Source, prefix: Path) -> None:
    """Lays everything below a prefix, as the tarball and the wheel have it."""
    libraries = layout.program(source, prefix, layout.of_anyone)
    layout.texts(source, prefix)
    layout.write(prefix / layout.DOCUMENTS / "copyright", licences.notices(libraries))
    fits(prefix)


def make(source: Source, output: Path, work: Path) -> list[Path]:
    """Makes the tarball; returns where it is."""
    machine = platform.machine()
    folder = work / f"tapedeck-{source.version}-linux-{machine}"
    lay(source, folder)
    layout.write(folder / "README", README.format(
        version=source.version, machine=machine, glibc=".".join(map(str, OLDEST_GLIBC))))
    settle(folder, source.epoch)
    made = output / f"{folder.name}.tar.xz"
    tar_xz(folder, made, source.epoch)
    return [made]
