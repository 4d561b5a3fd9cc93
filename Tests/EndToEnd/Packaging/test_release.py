"""`Tools/release` sets version and changelog, tags, and refuses what is no release."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from programs import ROOT, environment


class Clone:
    """A clone in which a release can be made: the script, the version and a changelog."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("Tools/release", "Sources/tapedeck/Tapedeck.swift"):
            (folder / name).parent.mkdir(parents=True)
            shutil.copy(ROOT / name, folder / name)
        self.changelog = folder / "CHANGELOG.md"
        self.changelog.write_text("# Changelog\n\n## Unreleased\n\n### Added\n- One thing.\n")
        self.swift = folder / "Sources/tapedeck/Tapedeck.swift"
        self.swift.write_text(re.sub(r'version = ".*"', 'version = "0.1.0"', self.swift.read_text()))
        self.git("init", "-q")
        self.commit()

    def git(self, *arguments: str) -> str:
        """Runs git as somebody."""
        return subprocess.run(
            ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments], cwd=self.folder,
            check=True, capture_output=True, text=True).stdout.strip()

    def commit(self) -> None:
        """Commits everything."""
        self.git("add", "-A")
        self.git("commit", "-qm", "x")

    def release(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Makes a release without packages."""
        name = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
                for what, value in (("NAME", "A"), ("EMAIL", "a@example.org"))}
        return subprocess.run([self.folder / "Tools/release", *arguments, "--no-packages"], cwd=self.folder,
                              capture_output=True, text=True, check=False, env=environment(**name))


@pytest.fixture(name="clone")
def clone_fixture(tmp_path) -> Clone:
    """A clone."""
    return Clone(tmp_path)


def test_a_release_is_a_commit_with_a_tag(clone) -> None:
    """And leaves an empty Unreleased for what comes."""
    done = clone.release("0.2.0")
    assert done.returncode == 0, done.stderr
    assert 'static let version = "0.2.0"' in clone.swift.read_text()
    day = clone.git("log", "-1", "--format=%cs", "HEAD~")
    assert f"## Unreleased\n\n## 0.2.0, {day}\n\n### Added\n- One thing.\n" in clone.changelog.read_text()
    assert clone.git("describe", "--exact-match") == "v0.2.0" and not clone.git("status", "--porcelain")
    # Without a change there is nothing to release.
    again = clone.release("0.3.0")
    assert again.returncode == 1 and "nothing is under Unreleased" in again.stderr


def test_what_is_no_release_changes_nothing(clone) -> None:
    """Versions that do not follow, 1.0.0, changes that are not committed, and a trial."""
    before = clone.git("rev-parse", "HEAD")
    for wrong, status, says in (("0.0.9", 1, "does not come after"), ("1.0.0", 1, "waits"), ("next", 64, "Tools/release"),
                                ("0.2", 64, "Tools/release")):
        done = clone.release(wrong)
        assert done.returncode == status and says in done.stderr, (wrong, done.stderr)
    assert clone.release("0.2.0", "--dry-run").stdout.startswith("release: 0.1.0 becomes 0.2.0, of ")
    clone.changelog.write_text(clone.changelog.read_text() + "- Another.\n")
    assert "not committed" in clone.release("0.2.0").stderr
    assert clone.git("rev-parse", "HEAD") == before and not clone.git("tag")
