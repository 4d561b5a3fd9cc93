"""The Debian package, and the one with what debuggers read."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from email.utils import formatdate
from pathlib import Path

import elf
import layout
import licences
from source import Source
from tree import files, gzipped, settle

MAINTAINER = "The Tapedeck authors"
SUMMARY = "record, understand and replay the traffic of apps that sync"
DESCRIPTION = """\
 Tapedeck is a recording proxy between a client and its server. It forwards
 every byte, stores it in a SQLite trace and shows the conversation in the
 terms of its protocol: CommCare and OpenRosa over HTTP, Simperium over a
 WebSocket, and plain HTTP. It injects faults, names the rule that a client
 broke, certifies clients, and replays sessions without a network.
"""


def architecture() -> str:
    """Debian's name of this machine's architecture."""
    return elf.run("dpkg", "--print-architecture").strip()


def dependencies(programs: list[Path], private: Path) -> str:
    """The Debian packages, with versions, that have the libraries that these programs need."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "debian").mkdir()
        (folder / "debian/control").write_text("Source: tapedeck\n\nPackage: tapedeck\nArchitecture: any\n")
        command = ["dpkg-shlibdeps", "-O", f"-l{private}", *(f"-e{path}" for path in programs)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"package: dpkg-shlibdeps says {done.stderr.strip()}")
    return done.stdout.strip().removeprefix("shlibs:Depends=")


def control(fields: dict[str, str]) -> str:
    """A control file."""
    return "".join(f"{name}: {value}\n" for name, value in fields.items() if value)


def size_kib(folder: Path) -> str:
    """The installed size as Debian counts it."""
    return str(sum(max(1, -(-path.lstat().st_size // 1024)) for path in files(folder)))


def packed(folder: Path, to: Path, epoch: int, compression: tuple[str, ...]) -> None:
    """Makes the package of a folder, the same bytes each time."""
    sums = "".join(
        f"{subprocess.run(['md5sum', path], check=True, capture_output=True, text=True).stdout.split()[0]}"
        f"  {path.relative_to(folder)}\n"
        for path in files(folder) if "DEBIAN" not in path.parts and not path.is_symlink())
    layout.write(folder / "DEBIAN/md5sums", sums)
    settle(folder, epoch)
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", *compression, "--threads-max=1", "--build", folder, to],
        check=True, stdout=subprocess.DEVNULL, env=os.environ | {"SOURCE_DATE_EPOCH": str(epoch)})


def make(source: Source, output: Path, work: Path) -> list[Path]:
    """Makes both packages; returns where they are."""
    root = work / "deb"
    libraries = layout.program(source, root / "usr", layout.of_swift)
    layout.texts(source, root / "usr", zsh="vendor-completions")
    documents = root / "usr" / layout.DOCUMENTS
    layout.write(documents / "copyright", licences.notices(libraries))
    changes = (documents / "CHANGELOG.md").read_bytes()
    (documents / "CHANGELOG.md").unlink()
    layout.write(documents / "changelog.gz", gzipped(changes))
    version = f"{source.version}-1"
    entry = (f"tapedeck ({version}) stable; urgency=medium\n\n  * Made of commit {source.commit[:12]}.\n\n"
             f" -- {MAINTAINER}  {formatdate(source.epoch)}\n")
    layout.write(documents / "changelog.Debian.gz", gzipped(entry.encode()))

    built = [path for path in files(root / "usr") if elf.is_elf(path)]
    name = f"{version}_{architecture()}.deb"
    shared = {"Source": "tapedeck", "Version": version, "Architecture": architecture(),
              "Maintainer": MAINTAINER}
    layout.write(root / "DEBIAN/control", control({
        "Package": "tapedeck", **shared, "Installed-Size": size_kib(root), "Section": "net",
        "Priority": "optional", "Depends": dependencies(built, root / "usr" / layout.LIBRARIES),
        "Recommends": "ca-certificates", "Suggests": "sqlite3",
        "Description": f"{SUMMARY}\n{DESCRIPTION.rstrip()}"}))
    made = [output / f"tapedeck_{name}"]
    packed(root, made[0], source.epoch, ("-Zxz", "-z6"))

    if identity := elf.build_id(root / "usr/bin/tapedeck"):
        symbols = work / "dbgsym"
        layout.debug_symbols(source.program, identity, symbols / "usr/lib/debug/.build-id")
        layout.write(symbols / "DEBIAN/control", control({
            "Package": "tapedeck-dbgsym", **shared, "Installed-Size": size_kib(symbols),
            "Section": "debug", "Priority": "optional", "Auto-Built-Package": "debug-symbols",
            "Depends": f"tapedeck (= {version})", "Build-Ids": identity,
            "Description": "what debuggers read of tapedeck"}))
        made.append(output / f"tapedeck-dbgsym_{name}")
        # Its sections are compressed already.
        packed(symbols, made[1], source.epoch, ("-Zgzip", "-z1"))
    shutil.rmtree(work)
    return made
