"""Tools/package: the program of this clone as packages that install in seconds."""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import time
from pathlib import Path

import container
import debian
import elf
import portable
import trying
import wheel
from source import ROOT, Source

KINDS = {"deb": debian.make, "tarball": portable.make, "wheel": wheel.make, "container": container.make}


def say(text: str) -> None:
    """Says where a long step is."""
    print(f"package: {text}", file=sys.stderr, flush=True)


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def make(source: Source, output: Path, kinds: list[str]) -> list[Path]:
    """Makes the packages of some kinds in a folder."""
    output.mkdir(parents=True, exist_ok=True)
    made: list[Path] = []
    for kind in kinds:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="tapedeck-package-") as work:
            new = KINDS[kind](source, output, Path(work) / "tree")
        made += new
        for path in new:
            say(f"{path.name}  {path.stat().st_size / 1e6:.1f} MB  in {time.monotonic() - began:.0f} s")
    return made


def check(source: Source, output: Path, kinds: list[str], made: list[Path]) -> None:
    """Makes everything once more in another folder; fails if a byte differs."""
    with tempfile.TemporaryDirectory(prefix="tapedeck-again-") as name:
        again = {path.name: path for path in make(source, Path(name), kinds)}
        differing = [path.name for path in made if digest(path) != digest(again[path.name])]
    if differing:
        raise SystemExit(f"package: made twice, and these differ: {', '.join(differing)}; did a library of this "
                         "machine, or a file of the clone, change meanwhile?")
    say("made twice, the same bytes")


def main() -> None:
    """Reads the command line, makes, checks and tries packages."""
    parser = argparse.ArgumentParser(prog="Tools/package", description=__doc__)
    parser.add_argument("--program", type=Path, help="pack this program (default: a release build)")
    parser.add_argument("--output", type=Path, default=ROOT / ".build/packages", metavar="DIR")
    parser.add_argument("--only", action="append", choices=list(KINDS), metavar="KIND",
                        help=f"make this kind only; may be repeated ({', '.join(KINDS)})")
    parser.add_argument("--check", action="store_true", help="make everything twice and compare the bytes")
    parser.add_argument("--test", action="store_true",
                        help="install each in a bare Debian without Swift and run the demo there")
    wanted = parser.parse_args()
    program = (wanted.program or ROOT / ".build/release/tapedeck").resolve()
    source = Source.of(program)
    if not source.is_clean:
        say(f"the clone has changes that are not committed; the version says so: {source.version}")
    for protection, there in elf.hardening(program).items():
        if not there:
            say(f"the program is not {protection}; build it with Tools/build release")
    kinds = wanted.only or list(KINDS)
    for old in [*wanted.output.glob("tapedeck[-_]*.*"), *wanted.output.glob("Containerfile")]:
        old.unlink()
    made = make(source, wanted.output.resolve(), kinds)
    (wanted.output / "SHA256SUMS").write_text(
        "".join(f"{digest(path)}  {path.name}\n" for path in sorted(made)))
    if wanted.check:
        check(source, wanted.output, kinds, made)
    if wanted.test:
        print(trying.table(trying.run(made)))
    print(wanted.output)


if __name__ == "__main__":
    main()
