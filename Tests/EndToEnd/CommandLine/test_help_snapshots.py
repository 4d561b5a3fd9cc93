"""Proves: every `--help` and every error reads as it was reviewed, and no command is left out.

A change of a word is seen as a change of a file in Snapshots: `Tools/snapshots` writes them anew.
"""

from __future__ import annotations

import difflib
import re

import pytest
from programs import tapedeck
from snapshots import errors_path, help_path, kept, read_errors, read_helps, subcommands
from wrong_invocations import CATALOGUE

RENEW = "If that is meant, run Tools/snapshots and look at the difference before you commit it."


def compare(found: dict[str, str], reviewed: dict[str, str]) -> None:
    """Fails with the difference between what the program prints and what was reviewed."""
    difference: list[str] = []
    for path in sorted(found.keys() | reviewed.keys()):
        difference += difflib.unified_diff(
            reviewed.get(path, "").splitlines(), found.get(path, "").splitlines(),
            f"reviewed/{path}", f"printed/{path}", lineterm="")
    if found != reviewed:
        pytest.fail("\n".join([*difference, RENEW]), pytrace=False)


@pytest.fixture(scope="module")
def helps() -> dict[str, str]:
    """The help of every command, by its words."""
    return read_helps()


def test_help(helps) -> None:
    """Each command has the help that was reviewed, and there is none of a command that is gone."""
    compare({help_path(command): text for command, text in helps.items()}, kept("help"))


def test_every_help_has_an_example(helps) -> None:
    """Of that command, with options that it has."""
    for command, text in helps.items():
        if subcommands(text) and command:
            continue
        said = re.split("^USAGE:", text, maxsplit=1, flags=re.MULTILINE)[0]
        # Long lines are broken at 80 columns.
        examples = " ".join(re.split("Examples?:", said, maxsplit=1)[-1].split())
        assert "Example" in said and f"tapedeck {command}".strip() in examples, command
        own = examples.split("Topics")[0].split(" -- ")[0]
        if not command or command == "certify drive":
            continue
        unknown = set(re.findall(r"--[a-z][a-z-]+", own)) - set(re.findall(r"--[a-z][a-z-]+", text.split("USAGE:")[1]))
        assert not unknown, f"{command}: {unknown}"
        for plan in re.findall(r"--faults ([a-z-]+) ", own):
            tapedeck("faults", "packs", plan)


def test_every_command_is_in_the_catalogue(helps) -> None:
    """A new command comes with lines that it has to refuse."""
    missing = sorted(set(helps) - {command for command, lines in CATALOGUE.items() if lines})
    assert not missing, f"no lines in wrong_invocations.py for: {', '.join(missing)}"
    gone = sorted(set(CATALOGUE) - set(helps))
    assert not gone, f"wrong_invocations.py has lines for what is no command: {gone}"


@pytest.mark.parametrize("path", sorted({errors_path(command) for command in CATALOGUE}))
def test_errors(path) -> None:
    """Each wrong line is refused, with the words that were reviewed."""
    commands = [command for command in CATALOGUE if errors_path(command) == path]
    found = read_errors(commands)[path]
    for status in ("0", "none"):
        assert f"[exit status {status}" not in found, found
    compare({path: found}, {path: kept("errors").get(path, "")})


def test_no_errors_of_commands_that_are_gone() -> None:
    """Each file of errors belongs to a command of the catalogue."""
    assert kept("errors").keys() == {errors_path(command) for command in CATALOGUE}
