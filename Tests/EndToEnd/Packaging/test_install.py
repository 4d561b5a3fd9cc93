"""`Tools/install` lays everything where shells, man and the PATH find it, and takes it away again."""

from __future__ import annotations

import os
import subprocess

from programs import ROOT, TAPEDECK, environment

# Where pages go, below the prefix.
PAGES = "share/doc/tapedeck"


def install(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs it."""
    return subprocess.run([ROOT / "Tools/install", *map(str, arguments)], capture_output=True, text=True,
                          check=False, env=environment())


def test_installs_runs_and_uninstalls(tmp_path) -> None:
    """The program runs from there, and the line for the PATH is the right one."""
    prefix = tmp_path / "a place"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin/other").write_text("not ours")
    done = install("--prefix", prefix, "--program", TAPEDECK)
    assert done.returncode == 0, done.stderr
    assert f'export PATH="{prefix}/bin:$PATH"' in done.stdout
    version = subprocess.run(["tapedeck", "--version"], capture_output=True, text=True, check=True,
                             env=environment(PATH=f"{prefix}/bin:{os.environ['PATH']}")).stdout
    assert version == subprocess.run([TAPEDECK, "--version"], capture_output=True, text=True,
                                     check=True).stdout
    for path in ("share/man/man1/tapedeck-faults-report.1.gz", "share/zsh/site-functions/_tapedeck",
                 "share/bash-completion/completions/tapedeck", f"{PAGES}/Diagnosis/Catalogue.md",
                 "share/fish/vendor_completions.d/tapedeck.fish", "share/doc/tapedeck/copyright"):
        assert (prefix / path).is_file(), path
    assert "](tapedeck/CommandLine.md)" in (prefix / PAGES / "README.md").read_text()
    assert install("--uninstall", "--prefix", prefix).returncode == 0
    assert [path.name for path in prefix.rglob("*") if path.is_file()] == ["other"]


def test_refuses_what_it_does_not_know(tmp_path) -> None:
    """And changes nothing."""
    for wrong in (["--frob"], ["--prefix"], ["--uninstall", "--prefix", tmp_path],
                  ["--program", tmp_path / "none", "--prefix", tmp_path]):
        assert install(*wrong).returncode == 64, wrong
    assert not list(tmp_path.iterdir())
