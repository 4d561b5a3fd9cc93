"""The modules of Tools/packaging, for tests."""

from __future__ import annotations

import sys

from programs import ROOT, TAPEDECK

sys.path.insert(0, str(ROOT / "Tools" / "packaging"))

# What comes after the path is made: the modules import each other by name.
import elf  # noqa: E402
import licences  # noqa: E402
import manuals  # noqa: E402
import tree  # noqa: E402
from source import Source  # noqa: E402

__all__ = ["TAPEDECK", "Source", "elf", "licences", "manuals", "tree"]
