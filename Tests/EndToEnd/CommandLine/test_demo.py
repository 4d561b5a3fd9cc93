"""Proves: the newcomer's first command works from beginning to end, again and again."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from programs import ROOT, TAPEDECK, environment, sql


def test_demo(program, tmp_path) -> None:
    """Tools/demo drives all it promises and says where the trace is."""
    demo = program(ROOT / "Tools/demo", env=environment(
        TAPEDECK=str(TAPEDECK), TMPDIR=str(tmp_path)))
    assert demo.wait(120) == 0, demo.said()
    printed = "\n".join(demo.output)
    assert "\x1b" not in printed
    trace = re.search(r"\S+\.tape", printed)[0]
    apis = [row[0] for row in sql(trace, "SELECT api FROM exchange ORDER BY id")]
    assert apis[0] == "commcare.submit" and apis[-1] == "simperium.socket"
    statuses = [row[0] for row in sql(
        trace, "SELECT status FROM exchange WHERE api = 'commcare.restore' ORDER BY id")]
    assert statuses[0] == 202 and statuses[-1] == 200
    assert {row[0] for row in sql(trace, "SELECT name FROM command WHERE sender = 0")} >= {
        "init", "i", "c"}
    assert sql(trace, "SELECT count(*) FROM simperium_command WHERE problem IS NOT NULL") == [(0,)]


def test_demo_of_an_installed_program(program, tmp_path) -> None:
    """Outside of a clone it takes the program on the PATH, and says that there is none."""
    place = tmp_path / "share" / "demo"
    place.parent.mkdir()
    shutil.copy(ROOT / "Tools/demo", place)
    path = environment()["PATH"]
    elsewhere = ":".join(each for each in path.split(":") if not (Path(each) / "tapedeck").exists())
    missing = program(place, env=environment(TAPEDECK="", PATH=elsewhere, TMPDIR=str(tmp_path)))
    assert missing.wait() == 1 and "no tapedeck on the PATH" in missing.said()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/tapedeck").symlink_to(TAPEDECK.absolute())
    installed = f"{tmp_path}/bin:{elsewhere}"
    demo = program(place, env=environment(TAPEDECK="", PATH=installed, TMPDIR=str(tmp_path)))
    assert demo.wait(120) == 0, demo.said()
    assert f"The program is {tmp_path}/bin/tapedeck" in demo.said()
    assert "Put the program on the PATH" not in demo.said()


def test_demo_of_a_clone_that_is_not_built(program, tmp_path) -> None:
    """It says how long building takes, builds without a line for each file, and goes on."""
    tools = tmp_path / "clone" / "Tools"
    tools.mkdir(parents=True)
    for name in ("demo", "progress"):
        shutil.copy(ROOT / "Tools" / name, tools)
    (tools / "build").write_text(
        '#!/bin/bash\nset -e\ncd "$(dirname "$0")/.."\n[ "$*" = "debug --product tapedeck" ]\n'
        "for i in {1..99}; do echo \"[$i/99] Compiling A b.swift\"; done\nmkdir -p .build/debug\n"
        f"ln -s '{TAPEDECK.absolute()}' .build/debug/tapedeck\n")
    (tools / "build").chmod(0o755)
    path = ":".join(each for each in environment()["PATH"].split(":") if not (Path(each) / "tapedeck").exists())
    demo = program(tools / "demo", env=environment(TAPEDECK="", PATH=path, TMPDIR=str(tmp_path)))
    assert demo.wait(120) == 0, demo.said()
    printed = demo.said()
    assert "Building: about ten minutes" in printed and printed.count("of 99 steps") < 3
    assert f'export PATH="{tmp_path}/clone/.build/debug:$PATH"' in printed


def test_progress_shows_how_far_a_build_is_and_what_is_wrong() -> None:
    """Not a line for each file; errors and what is installed as they are."""
    printed = "\n".join(["setup: installing from Debian: zlib1g-dev", "Building for debugging...",
                         *(f"[{step}/900] Compiling Wire Chunk.swift" for step in range(1, 900)),
                         "a.swift:1:2: error: no such thing", "    let a = b", "Build failed"])
    done = subprocess.run([ROOT / "Tools/progress"], input=printed + "\n", capture_output=True, text=True, check=True)
    assert not done.stdout
    lines = done.stderr.splitlines()
    assert lines[0] == "setup: installing from Debian: zlib1g-dev"
    assert lines[1].startswith("   1 of 900 steps, ") and lines[-1] == "a.swift:1:2: error: no such thing"
    assert len(lines) < 6
