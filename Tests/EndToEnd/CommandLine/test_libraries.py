"""What other Swift programs use: it compiles against what is public, and its pages build."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from programs import ROOT

TOOL = ROOT / "Tools/libraries"


def run(*arguments: str | Path) -> str:
    """Runs the tool, which has to succeed."""
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_program_of_somebody_else_compiles() -> None:
    run("check")
    program = (ROOT / "Tests/Outsider/Sources/outsider/main.swift").read_text()
    package = (ROOT / "Tests/Outsider/Package.swift").read_text()
    offered = set(re.findall(r'name: "(Tapedeck\w+)"', (ROOT / "Package.swift").read_text()))
    assert offered == set(re.findall(r'name: "(Tapedeck\w+)"', package))
    for name in offered:
        assert f"import {name.removeprefix('Tapedeck')}\n" in program


@pytest.mark.parametrize("page", sorted((ROOT / "Sources").glob("*/*.docc/*.md")), ids=lambda page: page.stem)
def test_the_examples_of_the_pages_compile(tmp_path, page) -> None:
    blocks = re.findall(r"^```swift\n(.*?)^```$", page.read_text(), re.M | re.S)
    assert blocks
    for block in blocks:
        (tmp_path / "example.swift").write_text(
            f"import Notation\nimport Wire\nimport {page.stem}\n"
            f"func example(bytes: [UInt8], old: JSONValue, new: JSONValue) throws {{\n{block}}}\n"
            .replace("let object =", "_ =").replace("let command =", "_ ="))
        run("check", tmp_path / "example.swift")


def test_the_pages_of_the_libraries_build(tmp_path) -> None:
    names = re.findall(r"\w+", re.search(r"^libraries=\((.*)\)$", TOOL.read_text(), re.M)[1])
    run("docs", tmp_path)
    for name in names:
        archive = tmp_path / f"{name}.doccarchive"
        assert (archive / "data/documentation" / f"{name.lower()}.json").exists()
        page = (ROOT / f"Sources/{name}/{name}.docc/{name}.md").read_text()
        for symbol in re.findall(r"^- ``(\w+)``$", page, re.M):
            assert (archive / f"data/documentation/{name.lower()}/{symbol.lower()}.json").exists(), symbol
