"""A trace that rules may answer from: the first of the recordings, imported once for a process."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

from programs import ROOT, tapedeck


def _imported() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="tapedeck-known-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    tapedeck("import", sorted((ROOT / "Recordings").glob("*/recording.json"))[0].parent, folder / "known.tape")
    return folder / "known.tape"


KNOWN_TRACE = _imported()
