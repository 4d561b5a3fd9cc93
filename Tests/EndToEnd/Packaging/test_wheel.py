"""The wheel is one that pip takes: the program on the PATH, its libraries beside it, module and plugin."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import subprocess
import zipfile
from pathlib import Path

import packaging_tools
import portable
import wheel
from programs import ROOT, environment

PROGRAM = """#!/bin/sh
ls "$(dirname "$0")/../lib/tapedeck"
"""


def lay_little(_, prefix: Path) -> None:
    """A program of one line in place of the real one, which takes minutes to pack."""
    for name, text in (("bin/tapedeck", PROGRAM), ("lib/tapedeck/libx.so", "x"),
                       ("share/doc/tapedeck/copyright", "everybody"), ("share/man/man1/tapedeck.1.gz", "x")):
        (prefix / name).parent.mkdir(parents=True, exist_ok=True)
        (prefix / name).write_text(text)
    (prefix / "bin/tapedeck").chmod(0o755)


def test_pip_installs_it(tmp_path, monkeypatch) -> None:
    """Offline, below any prefix; each entry has the digest that the record says."""
    monkeypatch.setattr(portable, "lay", lay_little)
    source = packaging_tools.Source.of(packaging_tools.TAPEDECK)
    made, again = (wheel.make(source, tmp_path, tmp_path / f"tree{number}")[0].read_bytes() for number in (1, 2))
    assert made == again
    (path,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        (record,) = [name for name in archive.namelist() if name.endswith("RECORD")]
        rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(archive.read(record).decode()))}
        assert rows.keys() == set(archive.namelist())
        for name, (digest, size) in rows.items():
            data = archive.read(name)
            said = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert name == record or (digest, size) == (f"sha256={said}", str(len(data)))
    prefix = tmp_path / "prefix"
    subprocess.run([ROOT / ".venv/bin/pip", "install", "-q", "--disable-pip-version-check", "--no-index", "--no-deps",
                    "--no-warn-script-location", "--ignore-installed", "--prefix", prefix, path], check=True)
    listed = subprocess.run([prefix / "bin/tapedeck"], capture_output=True, text=True, check=True).stdout
    assert listed == "libx.so\n"
    (module,) = prefix.glob("lib/python*/site-packages/tapedeck/__init__.py")
    found = subprocess.run(
        [ROOT / ".venv/bin/python", "-c", "import tapedeck; print(tapedeck.__file__, tapedeck.program())"],
        capture_output=True, text=True, check=True, cwd=tmp_path,
        env=environment(PYTHONPATH=str(module.parent.parent), TAPEDECK="", PATH=f"{prefix}/bin:/usr/bin:/bin")).stdout
    assert found.split() == [str(module), str(prefix / "bin/tapedeck")]
    points = next(module.parent.parent.glob("*.dist-info/entry_points.txt")).read_text()
    assert "[pytest11]\ntapedeck = tapedeck.pytest_plugin" in points
