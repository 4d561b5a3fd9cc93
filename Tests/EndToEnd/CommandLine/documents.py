"""The blocks of code in the documents of the repository, and a place to run their commands in."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from addons import HEAD
from programs import DEADLINE, ROOT, TAPEDECK, Program, environment, tapedeck

# A word at the start of a line that makes it a command.
COMMAND = re.compile(r"(?:[A-Z_]+=\S+ )*(?:tapedeck|Tools/[\w-]+|\.build/\S+|swift|docker|podman|pip|adb|export"
                     r"|curl|cp|sudo|apt|apt-get|python3?|\S*/?pip|man|source|tar|git|cd|gh|xcrun|brew)\b(?! *[─:=])")
# Commands that run until they are stopped.
RUN_ON = {"record", "serve", "replay server", "inspect"}
# Commands whose status 1 says that what was looked for was found.
CHECKS = {"diagnose", "faults", "state", "replay", "diff", "certify", "minimize", "retest",
          "doctor"}


@dataclass(frozen=True)
class Block:
    """A block of code: where it is, the language that it names ("" for none) and its lines."""

    page: str
    line: int
    language: str
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def text(self) -> str:
        """The block as it is."""
        return "\n".join(self.lines) + "\n"

    def commands(self) -> list[str]:
        """The commands of a block that has nothing else, without remarks; [] for any other."""
        found: list[str] = []
        for line in "\n".join(self.lines).replace("\\\n", " ").splitlines():
            typed = re.split(r"(?:^|\s)#\s", line.removeprefix("$ "))[0].strip()
            if typed and not COMMAND.match(typed):
                return []
            found += [typed] if typed else []
        return found


def blocks() -> list[Block]:
    """Every block in every document that git knows of, fenced or indented."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.splitlines()
    found: list[Block] = []
    for page in sorted(set(listed)):
        if (ROOT / page).is_file():
            found += _blocks(page, (ROOT / page).read_text(encoding="utf-8").splitlines())
    return found


def _blocks(page: str, lines: list[str]) -> list[Block]:
    found: list[Block] = []
    at = 0
    while at < len(lines):
        began, fence = at, re.match(r"( *)(```+)(.*)$", lines[at])
        at += 1
        if fence:
            while at < len(lines) and not re.match(rf" *{fence[2]}\s*$", lines[at]):
                at += 1
            inside = tuple(line.removeprefix(fence[1]) for line in lines[began + 1:at])
            found.append(Block(page, began + 1, fence[3].strip(), inside))
            at += 1
        elif lines[began].startswith("    ") and (began == 0 or not lines[began - 1].strip()):
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
                at += 1
            inside = [line[4:] for line in lines[began:at]]
            while not inside[-1].strip():
                inside.pop()
            found.append(Block(page, began + 1, "indented", tuple(inside)))
    return found


class Place:
    """A folder with what documents speak of: traces, a client, a capture, and a server that runs."""

    def __init__(self, folder: Path, server: str, fleet: str) -> None:
        self.folder = folder
        self.server = server
        # HOST:PORT/DATABASE, a database of its own.
        self.fleet = fleet
        self.environment = environment(
            HOME=str(folder), PATH=f"{TAPEDECK.absolute().parent}:{os.environ['PATH']}", COLUMNS="100",
            TAPEDECK=str(TAPEDECK.absolute()))

    def fill(self, trace: Path, demo: Path) -> None:
        """Makes the files that commands may name."""
        for name in ("app.tape", "a.tape", "b.tape"):
            shutil.copyfile(trace, self.folder / name)
        shutil.copyfile(demo, self.folder / "demo.tape")
        tapedeck("export", trace, self.folder / "capture.pcapng")
        example = next(block for block in blocks() if block.page == "Sources/Addons/Addons.md"
                       and block.language == "python")
        (self.folder / "forms.py").write_text(HEAD + example.text)
        script = next(block for block in blocks() if block.language == "lua")
        (self.folder / "quick.lua").write_text(script.text)
        client = self.folder / "my-client"
        client.write_text(f"#!/bin/sh\nexec '{TAPEDECK.absolute()}' certify drive\n")
        client.chmod(0o755)

    def run(self, line: str) -> str:
        """Runs a command of a document and returns what it prints; fails if it is refused."""
        words = shlex.split(line)
        name = " ".join(words[1:3])
        runs_on = name.split(" ")[0] in RUN_ON or name in RUN_ON
        if runs_on and " -- " not in line:
            return self._run_on(line)
        if runs_on:
            # With a command that there is, instead of the reader's.
            line = line.partition(" -- ")[0] + " -- true"
        if words[1] == "retest":
            # Of the finding that the page speaks of, where a line before made the folder.
            tapedeck("reproduce", "app.tape", "f1", words[2], cwd=self.folder, env=self.environment)
        if words[1] == "certify":
            # One scenario instead of all.
            line = line.replace(f"certify {words[2]}", f"certify {words[2]} --case {self._scenario(words[2])}")
        line = re.sub(r"http://127\.0\.0\.1:8000\b", self.server, line)
        if "clickhouse://" in line and words[1] in ("ls", "pull", "fleet"):
            # What is asked was shipped before.
            tapedeck("diagnose", "app.tape", cwd=self.folder, env=self.environment, status=None)
            tapedeck("ship", "app.tape", "--to", f"clickhouse://{self.fleet}", "--no-redact",
                     cwd=self.folder, env=self.environment)
        line = re.sub(r"clickhouse://[\w.@:-]+/\w+", f"clickhouse://{self.fleet}", line)
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=DEADLINE * 4,
                              stdin=subprocess.DEVNULL, check=False)
        allowed = (0, 1) if words[1] in CHECKS or runs_on else (0,)
        assert done.returncode in allowed, f"{line}: status {done.returncode}\n{done.stdout}"
        return done.stdout

    def _run_on(self, line: str) -> str:
        """Starts what runs until it is stopped, on a port of its own, and stops it when it listens."""
        if "--listen" in line:
            line = re.sub(r"(--listen (?:[\w.]+:|socks5://[\w.]+:)?)\d{4}\b", r"\g<1>0", line)
        else:
            line += " --listen 127.0.0.1:0"
        # Nobody is there to look at a page.
        line = line.replace(" --open", "")
        program = Program("bash", "-c", f"exec {line}", cwd=self.folder, env=self.environment)
        program.await_line("^(listening on|inspector at) ")
        status = program.stop(signal.SIGINT)
        assert status in (0, 1), program.said()
        return program.said()

    def _scenario(self, protocol: str) -> str:
        """The shortest scenario of a suite."""
        listed = re.findall(r"^scenario ([\w-]+):.*?limit: (\d+) s", tapedeck(
            "certify", protocol, "--list").stdout, re.DOTALL | re.MULTILINE)
        return min(listed, key=lambda each: int(each[1]))[0]
