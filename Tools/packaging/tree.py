"""Archives whose bytes depend on their contents alone: sorted, of one date, of nobody."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path


def files(folder: Path) -> list[Path]:
    """Every file and link below a folder, sorted by its path."""
    return sorted(path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())


def settle(folder: Path, epoch: int) -> None:
    """Gives everything below a folder one date and the modes of what is installed."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_symlink():
            continue
        runs = path.is_dir() or (path.stat().st_mode & 0o100 and path.suffix != ".so")
        path.chmod(0o755 if runs else 0o644)
        os.utime(path, (epoch, epoch))


def gzipped(data: bytes) -> bytes:
    """Compressed without name and date."""
    return gzip.compress(data, 9, mtime=0)


def tar_xz(folder: Path, to: Path, epoch: int) -> None:
    """Packs a folder, under its name, as `.tar.xz`."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in [folder, *sorted(folder.rglob("*"))]:
            entry = archive.gettarinfo(path, str(path.relative_to(folder.parent)))
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = "root"
            entry.mtime = epoch
            with path.open("rb") if entry.isreg() else io.BytesIO() as data:
                archive.addfile(entry, data if entry.isreg() else None)
    to.write_bytes(lzma.compress(packed.getvalue(), preset=6))


def zipped(entries: list[tuple[str, bytes, int]], to: Path, epoch: int) -> None:
    """Packs names, contents and modes as a zip; the date is that of `epoch`, in even seconds."""
    moment = datetime.fromtimestamp(epoch, UTC)
    date = (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second // 2 * 2)
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data, mode in entries:
            entry = zipfile.ZipInfo(name, date)
            entry.external_attr = (0o100000 | mode) << 16
            entry.create_system = 3
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
