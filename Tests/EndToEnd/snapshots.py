"""What the program prints about itself: each `--help`, and the errors for a catalogue of lines.

They are kept as text in the folder Snapshots, so that who reviews sees each change of a word.
`Tools/snapshots` writes them anew.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from programs import DEADLINE, TAPEDECK, environment, tapedeck
from wrong_invocations import CATALOGUE, copy_named, make_inputs

FOLDER = Path(__file__).resolve().parent / "Snapshots"
# Commands that run at a time.
WORKERS = 4
# What differs from run to run, or from one version of a library to the next.
VARYING = {
    r"\.pem\.\d+-[0-9a-f]+\b": ".pem.TEMPORARY",
    r"\b[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}\b": "UUID",
    r"\bafter (\d+ ms|\d(\.\d)? s)\b": "after N ms",
    r"\bCouldn't connect to server\b": "Could not connect to server",
}


def read_help(command: tuple[str, ...]) -> str:
    """What `--help` prints, for a terminal of 80 columns."""
    return tapedeck(*command, "--help", env=environment(COLUMNS="80")).stdout


def subcommands(text: str) -> list[str]:
    """The names in the list of subcommands of a help."""
    listed = re.search(r"^SUBCOMMANDS:\n(.*?)(?:\n\n|\Z)", text, re.DOTALL | re.MULTILINE)
    return re.findall(r"^  ([a-z][\w-]*)", listed[1], re.MULTILINE) if listed else []


def read_helps() -> dict[str, str]:
    """The help of every command, by its words; "" is the program itself."""
    helps: dict[str, str] = {}
    level: list[tuple[str, ...]] = [()]
    with ThreadPoolExecutor(WORKERS) as pool:
        while level:
            texts = list(pool.map(read_help, level))
            helps |= {" ".join(command): text for command, text in zip(level, texts, strict=True)}
            level = [(*command, name) for command, text in zip(level, texts, strict=True)
                     for name in subcommands(text)]
    return helps


def help_path(command: str) -> str:
    """Where the help of a command stands below the folder of snapshots."""
    return "help/" + (command.replace(" ", "/") or "tapedeck") + ".txt"


def errors_path(command: str) -> str:
    """Where the errors of a command stand: those of its subcommands are beside them."""
    return "errors/" + (command.split(" ")[0] or "tapedeck") + ".txt"


class Refusals:
    """Runs lines of the catalogue, each in a folder of its own with the files that it names."""

    def __init__(self, inputs: Path) -> None:
        self.inputs = inputs
        make_inputs(inputs, tapedeck)
        self.taken = socket.create_server(("127.0.0.1", 0))
        self.port = str(self.taken.getsockname()[1])

    def close(self) -> None:
        """Frees the port."""
        self.taken.close()

    def run(self, command: str, line: str) -> str:
        """The standard error and the exit status of a line, as a snapshot has them."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            copy_named(line, self.inputs, folder)
            words = shlex.split(line.replace("TAKEN", self.port))
            printed, status = self._run(words, command, folder)
        settings = re.match(r"(?:[A-Z_]+=\S* ?)*", line)[0]
        typed = f"{settings.strip()} tapedeck {command} {line[len(settings):]}"
        printed = self._placeholders(printed, folder)
        return f"$ {' '.join(typed.split())}\n{printed.rstrip()}\n[exit status {status}]\n"

    @staticmethod
    def _run(words: list[str], command: str, folder: Path) -> tuple[str, str]:
        settings = {"HOME": str(folder), "TMPDIR": str(folder), "COLUMNS": "80"}
        while words and re.match(r"[A-Z_]+=", words[0]):
            name, _, value = words.pop(0).partition("=")
            settings[name] = value
        standard_input = b""
        if "<" in words:
            standard_input = (folder / words.pop()).read_bytes()
            words.pop()
        inherited = {name: value for name, value in environment().items() if "TAPEDECK" not in name}
        try:
            done = subprocess.run([TAPEDECK.absolute(), *command.split(), *words], cwd=folder,
                                  env=inherited | settings, input=standard_input, check=False,
                                  capture_output=True, timeout=DEADLINE)
        except subprocess.TimeoutExpired as slow:
            return (slow.stderr or b"").decode(), "none: it still runs"
        return done.stderr.decode(errors="replace"), str(done.returncode)

    def _placeholders(self, printed: str, folder: Path) -> str:
        """Takes out what differs from machine to machine and from run to run."""
        for path in {os.path.realpath(folder), str(folder)}:
            printed = printed.replace(path, "FOLDER")
        printed = re.sub(rf"\b{self.port}\b", "TAKEN", printed)
        for pattern, placeholder in VARYING.items():
            printed = re.sub(pattern, placeholder, printed)
        return printed


def read_errors(commands: list[str]) -> dict[str, str]:
    """The snapshots of errors, by path, of these commands of the catalogue."""
    lines = [(command, line) for command in commands for line in CATALOGUE[command]]
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as inputs, ThreadPoolExecutor(WORKERS) as pool:
        refusals = Refusals(Path(inputs))
        try:
            texts = list(pool.map(lambda each: refusals.run(*each), lines))
        finally:
            refusals.close()
    for (command, _), text in zip(lines, texts, strict=True):
        path = errors_path(command)
        found[path] = f"{found[path]}\n{text}" if path in found else text
    return found


def kept(room: str) -> dict[str, str]:
    """The snapshots in a folder of the repository, by path."""
    return {path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted((FOLDER / room).rglob("*.txt"))}


def write() -> None:
    """Writes all snapshots anew; those of commands that are gone go too."""
    found = {help_path(command): text for command, text in read_helps().items()}
    found |= read_errors(list(CATALOGUE))
    shutil.rmtree(FOLDER, ignore_errors=True)
    for path, text in found.items():
        (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / path).write_text(text, encoding="utf-8")
    print(f"{len(found)} snapshots in {FOLDER.parent.name}/{FOLDER.name}: look at `git diff`")


if __name__ == "__main__":
    sys.exit(write())
