"""The picture of README.md: what the program prints about a recorded session."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import terminal
from lost_edit import FAULT, ROOT

RECORDING = ROOT / ".github/picture"
PICTURE = RECORDING / "lost-edit.svg"
COLUMNS = 104
COMMANDS = (
    ("ls", "app.tape", "command:c"),
    ("diagnose", "app.tape"),
)


def draw() -> str:
    """The drawing, with the program that the environment names."""
    program = os.environ["TAPEDECK"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        terminal.printed([program, "import", RECORDING, "app.tape"], COLUMNS, folder)
        parts = [f"$ tapedeck record app.tape --to https://api.simperium.com \\\n"
                 f"      --fault '{FAULT}'\n\x1b[2m…\x1b[0m\n"]
        for command in COMMANDS:
            said = " ".join(f"'{word}'" if " " in word else word for word in command)
            parts.append(f"\n$ tapedeck {said}\n"
                         + terminal.printed([program, *command], COLUMNS, folder))
    return terminal.drawing("".join(parts), COLUMNS, "tapedeck names an edit that a client lost")
