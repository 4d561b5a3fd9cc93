"""Every requirement of the specifications has a test, and the tables of the documents say which."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from programs import ROOT
from proves import proves

TABLE = """# Title

## Requests

## Requirements

| Number | Requirement | Tests |
| --- | --- | --- |
| [{letter}-1](#requests) | One |  |
| [{letter}-2](#requests) | Two | {open} |
"""
PYTHON = '@proves("H-1", "C-1")\n@proves("S-1")\ndef test_it():\n    pass\n'
SWIFT = "struct Tests {\n    /// Proves: H-2.\n    @Test(arguments: [1])\n    func `does it`(number: Int) {}\n}\n"


def run(root: Path, *arguments: str) -> tuple[int, str]:
    """Exit status and output of the tool in a tree."""
    done = subprocess.run([root / "Tools/proofs", *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(name="tree")
def tree_fixture(tmp_path: Path) -> Path:
    """A small repository in which every requirement has a test, or a reason why it has none."""
    (tmp_path / "Tools").mkdir()
    shutil.copy(ROOT / "Tools/proofs", tmp_path / "Tools")
    for letter, name in (("H", "HTTPLayer"), ("C", "OpenRosa"), ("S", "Simperium")):
        page = tmp_path / "Sources" / name / "Specification.md"
        page.parent.mkdir(parents=True)
        page.write_text(TABLE.format(letter=letter, open="" if letter == "H" else "open: not built"))
    for name, text in (("EndToEnd/Room/test_it.py", PYTHON), ("RoomTests/ItTests.swift", SWIFT)):
        path = tmp_path / "Tests" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return tmp_path


def test_the_tables_are_as_the_tests_say() -> None:
    assert run(ROOT, "--check") == (0, "")


def test_writes_the_last_column(tree) -> None:
    status, said = run(tree, "--check")
    assert status == 1 and "not as the tests say: run Tools/proofs" in said
    assert run(tree) == (0, "")
    assert run(tree, "--check") == (0, "")
    page = (tree / "Sources/HTTPLayer/Specification.md").read_text()
    assert "| [H-1](#requests) | One | `Room/test_it.py::test_it` |\n" in page
    assert page.endswith("| [H-2](#requests) | Two | `RoomTests/ItTests.swift: does it` |\n")


@pytest.mark.parametrize(("path", "old", "new", "says"), [
    ("Tests/EndToEnd/Room/test_it.py", '"H-1", ', "", "Sources/HTTPLayer/Specification.md: H-1 has no test"),
    ("Tests/EndToEnd/Room/test_it.py", "S-1", "S-3", "Tests/EndToEnd/Room/test_it.py:2: there is no requirement S-3"),
    ("Tests/EndToEnd/Room/test_it.py", "S-1", "S-2", "Sources/Simperium/Specification.md: S-2 is open and has a test"),
    ("Tests/RoomTests/ItTests.swift", "H-2.", "H-2 and more", "there is no requirement H-2 and more"),
    ("Sources/HTTPLayer/Specification.md", "[H-2]", "[H-3]", "H-3 is out of order, H-2 comes here"),
    ("Sources/HTTPLayer/Specification.md", "## Requirements", "## Other", "there is no table of requirements"),
    ("Sources/HTTPLayer/Specification.md", " | Two | ", " | ", "a row that cannot be read"),
])
def test_says_what_is_wrong(tree, path, old, new, says) -> None:
    run(tree)
    text = (tree / path).read_text()
    (tree / path).write_text(text.replace(old, new))
    status, said = run(tree, "--check")
    assert status == 1 and says in said, said


@pytest.mark.parametrize("numbers", [(), ("H1",), ("X-1",), ("H-01",), ("H-1", "H-2 ")])
def test_a_number_has_its_form(numbers) -> None:
    with pytest.raises(ValueError, match="requirement"):
        proves(*numbers)
