"""What packages say: man pages and completions made from the help, and everybody's licences."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest
from packaging_tools import TAPEDECK, Source, elf, licences, manuals
from programs import ROOT
from snapshots import read_helps


@pytest.fixture(scope="module", name="source")
def source_fixture() -> Source:
    """This clone and the program of the tests."""
    return Source.of(TAPEDECK)


@pytest.fixture(scope="module", name="pages")
def pages_fixture(source) -> dict[str, str]:
    """Every man page, by file name."""
    return manuals.pages(source.help(), source.version, source.epoch)


def formatted(text: str) -> tuple[str, str]:
    """A man page as `man` shows it, and what the formatter complains about."""
    done = subprocess.run(["groff", "-Kutf8", "-man", "-Tutf8", "-ww", "-P-c", "-P-b", "-P-u", "-rLL=400n"],
                          input=text, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


def test_every_command_has_a_man_page_with_the_words_of_its_help(pages) -> None:
    """Same options, same sentences, whatever the layout."""
    helps = read_helps()
    names = {"-".join(["tapedeck", *command.split()]) + ".1" for command in helps}
    assert pages.keys() == names
    for command, text in helps.items():
        shown, complaints = formatted(pages["-".join(["tapedeck", *command.split()]) + ".1"])
        assert not complaints, (command, complaints)
        words = re.sub(r"[\s‐]+", " ", shown)
        for option in re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, re.MULTILINE):
            assert option in words, (command, option)
        overview = re.sub(r"\s+", " ", text.split("OVERVIEW: ")[1].split("\n\n")[0]).rstrip(". ")
        assert overview[1:].replace("’", "'") in words.replace("’", "'"), command


def test_a_stray_dot_and_a_backslash_stay_what_they_are() -> None:
    """What roff would take for a request or an escape is text."""
    page = manuals.page(["tapedeck", "x"], {
        "commandName": "x", "abstract": ".hidden requests", "discussion": ".so /etc/passwd\na\\nb 'q'\n\n  $ x -y",
    }, "2026-01-01", "1", [])
    shown, complaints = formatted(page)
    assert not complaints
    assert ".so /etc/passwd a\\nb 'q'" in shown and "$ x -y" in shown


@pytest.mark.parametrize("name", ["Filters/Filters.md", "Faults/Faults.md", "tapedeck/CommandLine.md"])
def test_topics_are_formatted(name) -> None:
    """The Markdown that `tapedeck help TOPIC` prints becomes headings, entries, examples and words."""
    text = (ROOT / "Sources" / name).read_text()
    ((file, page),) = manuals.topic_pages({"x": ("what it is about", text)}, "1", 0).items()
    shown, complaints = formatted(page)
    assert file == "tapedeck-x.7" and not complaints
    words = re.sub(r"\s+", " ", shown)
    for heading in re.findall(r"^## (.*)$", text, re.MULTILINE):
        assert heading.replace("`", "") in words
    for block in re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        assert re.sub(r"\s+", " ", block).strip() in words
    for row in re.findall(r"^\| `([^`|]+)` \|", text, re.MULTILINE):
        assert re.sub(r"\s+", " ", row) in words, row


def test_a_command_of_the_reader_comes_after_two_dashes() -> None:
    """As it has to be typed."""
    argument = {"kind": "positional", "valueName": "command", "isRepeating": True, "isOptional": True,
                "parsingStrategy": "postTerminator"}
    page = manuals.page(["tapedeck", "x"], {"commandName": "x", "abstract": "X", "arguments": [argument]},
                        "2026-01-01", "1", [])
    assert "tapedeck x [-- command ...]" in formatted(page)[0]


def test_topics_are_those_that_the_help_lists() -> None:
    """With what each is about, and the page of the program leads to them."""
    dumped = {"command": {"commandName": "tapedeck", "abstract": "X", "discussion": (
        "Some words.\n\nTopics, which tapedeck help TOPIC explains:\n  exit-status  what they mean\n  faults  rules\n\nMore")}}
    assert manuals.topics(dumped) == {"exit-status": "what they mean", "faults": "rules"}
    page = manuals.pages(dumped, "1", 0)["tapedeck.1"]
    assert "tapedeck-exit-status(7), tapedeck-faults(7)" in formatted(page)[0].replace("\n", " ").replace("  ", " ")


def test_the_manual_does_not_depend_on_today(source, pages) -> None:
    """Its date is that of the commit."""
    assert pages == manuals.pages(source.help(), source.version, source.epoch)
    assert pages != manuals.pages(source.help(), source.version, source.epoch + 10 * 86_400)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_are_read_by_their_shell(source, shell, tmp_path) -> None:
    """Each script names commands, and its shell, where there is one, can read it."""
    script = tmp_path / "completion"
    script.write_text(source.completions()[shell])
    assert "diagnose" in script.read_text()
    if shell == "bash" or shutil.which(shell):
        subprocess.run([shell, "-n", script], check=True)


def test_the_licence_of_everything_linked_is_there() -> None:
    """Each package at its version, Swift, ICU, and what packages took over from others."""
    text = licences.notices({"libcurl.so.4": elf.resolved(TAPEDECK)["libcurl.so.4"]})
    for package in (r"libcurl4\S* 7\.", r"libsqlite3-dev 3\."):
        assert re.search(rf"^{package}\S+, of Debian$", text, re.MULTILINE), package
    with pytest.raises(SystemExit, match="of no Debian package"):
        licences.notices({"thing": TAPEDECK})
    for pin in json.loads((ROOT / "Package.resolved").read_text())["pins"]:
        heading = f"\n{pin['identity']} {pin['state']['version']}\n"
        assert heading in text
        assert len(text.split(heading)[1].split("\n" + "=" * 78 + "\n\n")[1].split("=" * 78)[0]) > 500
    for holder in ("Google", "OpenSSL Project", "Kirill Simonov", "Runtime Library Exception",
                   "Unicode, Inc.", "Fedor Indutny"):
        assert holder in text, holder
