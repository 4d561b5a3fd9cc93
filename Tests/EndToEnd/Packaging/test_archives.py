"""Archives of the same files have the same bytes, and what a program needs is read right."""

from __future__ import annotations

import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
from packaging_tools import TAPEDECK, elf, tree

EPOCH = 1_795_000_000


def laid(folder: Path, names: list[str]) -> Path:
    """A folder with files, made in the order of their names."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
        (folder / name).chmod(0o700 if name.startswith("bin") else 0o600)
    tree.settle(folder, EPOCH)
    return folder


def test_a_tar_has_the_same_bytes_in_any_folder_and_order(tmp_path) -> None:
    """Names, modes and dates are those of the package, not of the machine."""
    names = ["bin/tapedeck", "lib/a.so", "share/z"]
    one = laid(tmp_path / "1/packed", names)
    two = laid(tmp_path / "2/packed", names[::-1])
    tree.tar_xz(one, tmp_path / "one.tar.xz", EPOCH)
    tree.tar_xz(two, tmp_path / "two.tar.xz", EPOCH)
    assert (tmp_path / "one.tar.xz").read_bytes() == (tmp_path / "two.tar.xz").read_bytes()
    with tarfile.open(tmp_path / "one.tar.xz") as archive:
        assert {(each.mtime, each.uid, each.uname) for each in archive} == {(EPOCH, 0, "root")}
        modes = {each.name: each.mode for each in archive}
    assert modes["packed/bin/tapedeck"] == 0o755 and modes["packed/share/z"] == 0o644


def test_a_zip_has_the_same_bytes_and_keeps_modes(tmp_path) -> None:
    """As pip unpacks it."""
    entries = [("a/b", b"text", 0o755), ("c", b"more", 0o644)]
    for name in ("one", "two"):
        tree.zipped(entries, tmp_path / name, EPOCH)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    with zipfile.ZipFile(tmp_path / "one") as archive:
        assert [each.external_attr >> 16 & 0o777 for each in archive.infolist()] == [0o755, 0o644]


def test_what_the_program_needs() -> None:
    """Its libraries are found, and those of every machine are not packed."""
    assert "libcurl.so.4" in elf.needed(TAPEDECK)
    beside = elf.beside(TAPEDECK, lambda *_: True)
    assert {"libcurl.so.4", "libxml2.so.2"} <= beside.keys()
    assert not {"libc.so.6", "libm.so.6", "libstdc++.so.6"} & beside.keys()
    assert (2, 2) < elf.newest(TAPEDECK, "GLIBC") <= (2, 35)
    assert elf.newest(TAPEDECK, "NONE") == (0,)


def test_a_missing_library_is_named(tmp_path) -> None:
    """A package without it would be found out by its users."""
    (tmp_path / "thing.c").write_text("int thing(void) { return 1; }")
    (tmp_path / "main.c").write_text("int thing(void); int main(void) { return thing(); }")
    subprocess.run(["clang", "-shared", "-fPIC", "-o", "libthing.so", "thing.c"], cwd=tmp_path, check=True)
    subprocess.run(["clang", "-o", "program", "main.c", "-L.", "-lthing"], cwd=tmp_path, check=True)
    (tmp_path / "libthing.so").unlink()
    with pytest.raises(SystemExit, match=r"program needs libthing\.so"):
        elf.resolved(tmp_path / "program")


def test_hardening_is_told_from_its_absence(tmp_path) -> None:
    """A program linked without protections has none."""
    (tmp_path / "main.c").write_text("int main(void) { return 0; }")
    hard, soft = ["-pie", "-Wl,-z,now,-z,relro"], ["-no-pie", "-Wl,-z,lazy,-z,norelro,-z,execstack"]
    for name, options in (("hard", hard), ("soft", soft)):
        subprocess.run(["clang", "-o", name, "main.c", *options], cwd=tmp_path, check=True)
    assert set(elf.hardening(tmp_path / "hard").values()) == {True}
    assert set(elf.hardening(tmp_path / "soft").values()) == {False}


def test_a_build_id_follows_from_the_code_alone(tmp_path) -> None:
    """Two builds in two folders, with what debuggers read of each, are one program; another code is another."""
    made: dict[str, tuple[str, bytes]] = {}
    for name, code in (("one", "return 0;"), ("two", "return 0;"), ("other", "return 1;")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "main.c").write_text(f"int main(void) {{ {code} }}")
        program = folder / "program"
        subprocess.run(["clang", "-g", "-Wl,--build-id=sha1", "-o", program, folder / "main.c"], check=True)
        linked = elf.build_id(program)
        subprocess.run(["strip", "--strip-unneeded", "--remove-section=.comment", program], check=True)
        identity = elf.identify(program)
        assert elf.build_id(program) == identity != linked and len(identity) == 40
        subprocess.run([program], check=code == "return 0;")
        made[name] = (identity, program.read_bytes())
    assert made["one"] == made["two"]
    assert made["one"][0] != made["other"][0]
