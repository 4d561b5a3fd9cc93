"""What a program prints on a terminal, as a drawing in SVG."""

from __future__ import annotations

import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Iterator
from fcntl import ioctl
from html import escape
from pathlib import Path

# Sizes in the units of the drawing.
WIDTH, HEIGHT, FONT, MARGIN = 8.4, 19, 14, 18
COLORS = {31: "#ff7b72", 32: "#7ee787", 33: "#f2cc60", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea",
          90: "#8b949e"}
PLAIN, FAINT, BACKGROUND = "#e6edf3", "#8b949e", "#0d1117"


def printed(command: list[str | Path], columns: int, folder: Path) -> str:
    """The text that a program prints on a terminal of this width, with its colours."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 200, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("NO_COLOR", "COLUMNS")} | {
            "TERM": "xterm-256color", "TZ": "UTC", "TAPEDECK_PAGER": "", "PAGER": "cat"}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs,
                          stderr=subprocess.DEVNULL, cwd=folder, env=environment) as process:
        os.close(theirs)
        text = b""
        # A terminal that nobody holds any more fails to be read.
        try:
            while data := os.read(ours, 65_536):
                text += data
        except OSError:
            pass
        process.wait()
    os.close(ours)
    return text.decode().replace("\r\n", "\n")


def spans(line: str) -> Iterator[tuple[str, str, bool]]:
    """The pieces of a line, each with its colour and whether it is bold."""
    color, is_bold = PLAIN, False
    for piece in re.split(r"(\x1b\[[0-9;]*[A-Za-z])", line):
        if not piece.startswith("\x1b"):
            if piece:
                yield piece, color, is_bold
        elif piece.endswith("m"):
            for code in (int(code or 0) for code in piece[2:-1].split(";")):
                if code == 0:
                    color, is_bold = PLAIN, False
                elif code == 1:
                    is_bold = True
                elif code == 2:
                    color = FAINT
                elif code in (22, 39):
                    color, is_bold = PLAIN, False
                else:
                    color = COLORS.get(code, color)


def wrapped(line: str, columns: int) -> Iterator[str]:
    """The rows that a line takes on a terminal of this width."""
    row, taken = "", 0
    for piece in re.split(r"(\x1b\[[0-9;]*[A-Za-z])", line):
        if piece.startswith("\x1b"):
            row += piece
            continue
        while len(piece) > columns - taken:
            yield row + piece[:columns - taken]
            piece, row, taken = piece[columns - taken:], "", 0
        row, taken = row + piece, taken + len(piece)
    yield row


def drawing(text: str, columns: int, title: str) -> str:
    """The lines of `text` as SVG; lines that begin with `$ ` are what a person typed."""
    lines = [row for line in text.rstrip("\n").split("\n") for row in wrapped(line, columns)]
    width, height = columns * WIDTH + 2 * MARGIN, len(lines) * HEIGHT + 2 * MARGIN
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'role="img" font-family="ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace" '
        f'font-size="{FONT}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
    ]
    for number, line in enumerate(lines):
        if line.startswith("$ "):
            line = f"\x1b[32m$\x1b[0m \x1b[1m{line[2:]}\x1b[0m"
        place, pieces = 0, []
        for piece, color, is_bold in spans(line):
            shown = piece.strip(" ")
            if shown:
                start = MARGIN + (place + len(piece) - len(piece.lstrip(" "))) * WIDTH
                weight = ' font-weight="bold"' if is_bold else ""
                # The length keeps columns apart whatever font there is.
                pieces.append(f'<tspan x="{start:.1f}" fill="{color}"{weight} '
                              f'textLength="{len(shown) * WIDTH:.1f}">{escape(shown)}</tspan>')
            place += len(piece)
        if pieces:
            height = MARGIN + (number + 0.75) * HEIGHT
            rows.append(f'<text y="{height:.1f}" xml:space="preserve">{"".join(pieces)}</text>')
    return "\n".join([*rows, "</svg>", ""])
