"""Lays a program with manual, completions and pages below a prefix: installing.py PROGRAM PREFIX.

Its libraries stay where the system and Swift have them; only packages bring them along.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import layout
import licences
from source import Source
from tree import files


def main(program: Path, prefix: Path) -> None:
    """Installs, and writes down what, for `Tools/install --uninstall`."""
    source = Source.of(program.resolve())
    with tempfile.TemporaryDirectory(prefix="tapedeck-install-") as name:
        laid = Path(name)
        layout.stripped(source.program, laid / "bin/tapedeck")
        layout.texts(source, laid)
        layout.write(laid / layout.DOCUMENTS / "copyright", licences.notices({}))
        installed = [path.relative_to(laid) for path in files(laid)]
        layout.write(laid / layout.DOCUMENTS / "installed.txt", "".join(f"{each}\n" for each in installed))
        for path in files(laid):
            target = prefix / path.relative_to(laid)
            target.parent.mkdir(parents=True, exist_ok=True)
            # A program that runs keeps its file; the new one takes its name.
            target.unlink(missing_ok=True)
            shutil.copy(path, target)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
