"""Programs of a user without rights, in networks of their own."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

NOBODY = 65534


def may_isolate() -> bool:
    """Whether this machine lets anybody have a network of his own, and has what redirects in it."""
    if not all(shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")
               for name in ("unshare", "setpriv", "nft")):
        return False
    words = ["unshare", "--user", "--map-current-user", "--keep-caps", "--net", "--", "nft",
             "add table ip t; add chain ip t c { type nat hook output priority -100; }"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


needs_networks = pytest.mark.skipif(
    not may_isolate(), reason="needs user namespaces and nft (Tools/setup)")


def open_to_nobody(*folders) -> None:
    """Lets another user read and write what a test has made."""
    for folder in folders:
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, NOBODY, NOBODY)
        for parent in folder.parents:
            if str(parent) not in ("/", "/tmp"):
                parent.chmod(parent.stat().st_mode | 0o111)
