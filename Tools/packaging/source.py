"""Which commit is packed, what its version is called, and the program that was built of it."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def git(*arguments: str) -> str:
    """What git says of the clone."""
    return subprocess.run(["git", "-C", ROOT, *arguments], check=True, capture_output=True,
                          text=True).stdout.strip()


def said(program: Path, *arguments: str) -> str:
    """What the program prints about itself."""
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


@dataclass(frozen=True)
class Source:
    """A program and the commit that it is of.

    `epoch` is the time of the commit in Unix seconds: every date in a package. `version` is that of
    the program, with the commit behind it unless that is the one the version is tagged at.
    """

    program: Path
    commit: str
    epoch: int
    version: str
    is_clean: bool

    @classmethod
    def of(cls, program: Path) -> Source:
        """The program as it is packed from this clone."""
        released = said(program, "--version").strip()
        commit, epoch = git("rev-parse", "HEAD"), int(git("log", "-1", "--format=%ct"))
        is_clean = not git("status", "--porcelain", "--untracked-files=no")
        is_tagged = f"v{released}" in git("tag", "--points-at", "HEAD").split()
        date = datetime.fromtimestamp(epoch, UTC).strftime("%Y%m%d")
        version = released if is_tagged else f"{released}+git{date}.{commit[:7]}"
        if not is_clean:
            version += (".changed" if "+" in version else "+changed")
        return cls(program, commit, epoch, version, is_clean)

    def help(self) -> dict:
        """Every command with its arguments, as the program describes itself."""
        return json.loads(said(self.program, "--experimental-dump-help"))

    def topic(self, name: str) -> str:
        """What `tapedeck help TOPIC` prints, in Markdown."""
        return said(self.program, "help", name)

    def completions(self) -> dict[str, str]:
        """The completion script of each shell."""
        return {shell: said(self.program, "--generate-completion-script", shell)
                for shell in ("bash", "zsh", "fish")}

    def documents(self) -> dict[str, Path]:
        """The pages for users, by the path that rules cite them with."""
        sources = ROOT / "Sources"
        listed = git("ls-files", "Sources/*.md", "Sources/*.json").splitlines()
        pages = {str((ROOT / name).relative_to(sources)): ROOT / name for name in listed}
        return pages | {name: ROOT / name for name in ("README.md", "CHANGELOG.md")}
