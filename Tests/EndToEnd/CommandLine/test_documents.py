"""Every block of code in every document does what it says: commands run, queries answer, plans are read."""

from __future__ import annotations

import ast
import os
import re
import shutil
import sqlite3
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
import yaml
from addons import MODULE
from documents import COMMAND, Block, Place, blocks
from programs import ROOT, TAPEDECK, Recording, environment, tapedeck, within
from serving import AUTH, OPENROSA, CommCareServer, form

BLOCKS = blocks()
# Languages that are read elsewhere: what each line of the block is compared with.
READ_ELSEWHERE = {
    "lua": "Tests/EndToEnd/Reading/test_addons.py",
    "json": "Tests/EndToEnd/Reading/test_addons.py",
    "fault": "Tests/FaultsTests/Plan/FaultDocumentationTests.swift",
    "filter": "Tests/FiltersTests/FieldDocumentationTests.swift",
    "kotlin": "nothing: there is no Kotlin here, and the page says so",
    "swift": "test_swift_is_checked, below",
}
# Pages whose blocks without a language are no commands, and what they are.
TEXTS = {
    "README.md": "a picture",
    "Sources/Faults/Faults.md": "the grammar of rules, and an error that is tried below",
    "Sources/Filters/Filters.md": "the grammar of filters, and an error that is tried below",
    "Sources/OpenRosa/Specification.md": "documents of the protocol",
    "Sources/Simperium/Specification.md": "messages of the protocol",
}
COMMANDS = [(block, line) for block in BLOCKS if block.language != "console" for line in block.commands()]
TRIED = [pytest.param(line, id=f"{block}-{number}") for number, (block, line) in enumerate(COMMANDS)
         if line.startswith("tapedeck ")]
OTHERS = [pytest.param(line, id=f"{block}-{number}") for number, (block, line) in enumerate(COMMANDS)
          if not line.startswith("tapedeck ")]


def of(language: str) -> list:
    """The blocks of one language, as parameters."""
    return [pytest.param(block, id=str(block)) for block in BLOCKS if block.language == language]


@pytest.fixture(scope="module", name="served")
def served_fixture() -> Iterator[CommCareServer]:
    """A server for commands that want one."""
    server = CommCareServer()
    yield server
    server.kill()


@pytest.fixture(scope="module", name="trace")
def trace_fixture(served, ca_dir, tmp_path_factory) -> Path:
    """A session of an app of both protocols, with faults, that has every row that documents name."""
    folder = tmp_path_factory.mktemp("documented")
    recording = Recording(folder / "app.tape", ca_dir, "--to", served.root.removesuffix("/a/demo"),
                          "--fault", "method:POST => 503 first=1 retry-after=0", "--seed", "1")
    with requests.Session() as session:
        session.trust_env = False
        session.headers.update(OPENROSA)
        session.auth = AUTH
        for number in range(8):
            session.post(f"{recording.url}/a/demo/receiver/", form(f"f{max(1, number)}"),
                         headers={"Content-Type": "text/xml"}, timeout=30)
            session.get(f"{recording.url}/a/demo/phone/restore/?version=2.0", timeout=30)
    tapedeck("client", "simperium", "set", "note-1", '{"title":"a"}', "--to",
             recording.url.replace("http", "ws"), "--app", "app", "--bucket", "notes", "--token", "0" * 32)
    recording.finish()
    return recording.trace


@pytest.fixture(scope="module", name="demo")
def demo_fixture(tmp_path_factory) -> Path:
    """The trace that the demo leaves."""
    folder = tmp_path_factory.mktemp("demo")
    subprocess.run([ROOT / "Tools/demo"], check=True, capture_output=True,
                   env=environment(TAPEDECK=str(TAPEDECK.absolute()), TMPDIR=str(folder)))
    return next(folder.glob("*/demo.tape"))


@pytest.fixture(name="place")
def place_fixture(tmp_path, trace, demo, served, clickhouse) -> Place:
    """A folder to run commands in, and a fleet's database that is empty."""
    place = Place(tmp_path, served.root.removesuffix("/a/demo"),
                  f"{clickhouse.address}/documents_{uuid.uuid4().hex}")
    place.fill(trace, demo)
    return place


def test_every_block_is_run_or_read() -> None:
    """A new block has a language that something reads, or nothing but commands."""
    for block in BLOCKS:
        known = block.language in (*READ_ELSEWHERE, "yaml", "sql", "python", "console")
        if not known and not block.commands():
            assert block.language in ("", "indented", "text") and block.page in TEXTS, (
                f"{block} is no command and of no language that is tried:\n{block.text}")
            assert not any(line.startswith(("tapedeck ", "Tools/")) for line in block.lines), (
                f"{block} mixes commands with what is none:\n{block.text}")
    pages = {block.page for block in BLOCKS}
    assert TEXTS.keys() <= pages
    for language, where in READ_ELSEWHERE.items():
        assert not where.startswith("Tests/") or (ROOT / where).is_file(), language


@pytest.mark.parametrize("line", TRIED)
def test_commands_of_tapedeck(place, line) -> None:
    """Each runs, on a session that has what it speaks of."""
    place.run(line)


@pytest.mark.parametrize("line", OTHERS)
def test_other_commands(place, line) -> None:
    """Tools of this repository are there and know their options; lines for other tools are well-formed.

    What a container is to run is run without one.
    """
    subprocess.run(["bash", "-n", "-c", line], check=True)
    assert COMMAND.match(line)
    if inside := re.search(r"^(?:docker|podman) run .* (tapedeck \w.*)", line):
        place.run(re.sub(r" -l \S+", "", inside[1]))
    for tool, options in re.findall(r"\b(Tools/[\w-]+)((?: +--?[\w-]+(?: [\w./]+)?)*)", line):
        assert os.access(ROOT / tool, os.X_OK), tool
        known = (ROOT / tool).read_text()
        room = ROOT / "Tools" / {"package": "packaging", "bench": "benching"}.get(tool[6:], tool[6:])
        known += "".join(path.read_text() for path in room.glob("*.py")) if room.is_dir() else ""
        for option in re.findall(r"--[\w-]+", options):
            assert option in known, f"{tool} knows no {option}"


@pytest.mark.parametrize("block", of("console"))
def test_what_is_shown_is_what_is_printed(place, block) -> None:
    """Commands after `$`, each with its output; `…` stands for anything that differs from run to run."""
    expected: list[tuple[str, list[str]]] = []
    for line in block.lines:
        if line.startswith("$ "):
            expected.append((line[2:], []))
        else:
            expected[-1][1].append(line)
    for command, lines in expected:
        typed = re.split(r"\s#\s", command)[0].strip()
        printed = place.run(typed) if typed.startswith("tapedeck ") else None
        if printed is None:
            assert COMMAND.match(typed) and not lines, f"{block}: only output of tapedeck is compared: {typed}"
            continue
        pattern = r"\s*\n".join(re.escape(line.rstrip()).replace("…", ".*") for line in lines).strip()
        pattern = re.sub(r"(?:\\ )+", r" +", pattern)
        found = re.search(rf"(?m)^{pattern}\s*$", printed)
        assert not lines or found, f"{block}: `{typed}` prints\n{printed}"


@pytest.mark.parametrize("block", of("sql"))
def test_queries_answer(trace, tmp_path, block) -> None:
    """Each statement runs on a trace as it is."""
    copy = shutil.copyfile(trace, tmp_path / "copy.tape")
    with sqlite3.connect(copy) as database:
        for statement in filter(str.strip, block.text.split(";")):
            database.execute(statement).fetchall()


@pytest.mark.parametrize("block", of("yaml"))
def test_plans_accounts_and_jobs_are_read(tmp_path, block) -> None:
    """By the program where they are for it, else as YAML."""
    path = tmp_path / "block.yaml"
    path.write_text(block.text)
    keys = yaml.safe_load(block.text).keys()
    if keys & {"rules", "seed"}:
        tapedeck("faults", "check", path)
    elif keys & {"users", "apps"}:
        CommCareServer("--accounts", path).kill()
    else:
        action = yaml.safe_load((ROOT / "Tools/action/action.yml").read_text())
        script = (ROOT / "Tools/action/tapedeck-ci").read_text()
        named = re.findall(r"^ +([a-z0-9-]+|TAPEDECK_\w+): ", block.text.partition("with:" if "with:" in block.text
                                                                            else "variables:")[2], re.MULTILINE)
        assert named, f"{block}: nothing reads this"
        for name in named:
            assert name in action["inputs"] or name in script, f"{block}: nothing reads {name}"


@pytest.mark.parametrize("block", of("python"))
def test_python_runs(tmp_path, block) -> None:
    """As a module, with the client that it leaves to the reader."""
    ast.parse(block.text)
    stub = ("import urllib.request\nclass MyApp:\n    def __init__(self, server): self.server = server\n"
            "    def submit_all(self):\n        for _ in range(2):\n            try:\n"
            "                urllib.request.build_opener(urllib.request.ProxyHandler({})).open("
            "self.server + '/a/demo/receiver/', b'<data xmlns=\"urn:x\"><meta><instanceID>1</instanceID>"
            "<deviceID>d</deviceID></meta></data>')\n            except OSError: pass\n")
    (tmp_path / "test_block.py").write_text(stub + block.text)
    python = ROOT / ".venv/bin/python"
    command = [python, "-m", "pytest", "-q", "-p", "tapedeck.pytest_plugin", "--rootdir", tmp_path]
    command = command if "def test_" in block.text else [python]
    done = subprocess.run([*command, "test_block.py"], cwd=tmp_path, capture_output=True, text=True, check=False,
                          env=environment(PYTHONPATH=f"{ROOT / 'Tools/packaging/python'}:{MODULE}", PYTEST_ADDOPTS="",
                                          TAPEDECK=str(TAPEDECK.absolute()), HOME=str(tmp_path),
                                          PYTEST_DEBUG_TEMPROOT=within()))
    # What the stand-in of the client does wrong is a finding; the example itself has to work.
    assert "Error" not in done.stderr + done.stdout.replace("HTTPError", ""), done.stdout + done.stderr
    assert done.returncode in ((0, 1) if "def test_" in block.text else (0,)), done.stdout + done.stderr


# Those of the pages of the libraries are compiled in test_libraries.
@pytest.mark.parametrize("block", [each for each in of("swift") if ".docc/" not in str(each)])
def test_swift_is_checked(tmp_path, block) -> None:
    """It compiles with Foundation and XCTest of Linux, which have the same names in other modules."""
    networking = "import Foundation\n#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif\n"
    (tmp_path / "block.swift").write_text(networking + block.text)
    done = subprocess.run(["swiftc", "-typecheck", "-swift-version", "5", "block.swift"], cwd=tmp_path,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_errors_are_printed_as_shown(tmp_path, trace) -> None:
    """The two messages that documents show with the place of the mistake."""
    shown = {block.page: block for block in BLOCKS if "did you mean" in block.text}
    filters, faults = shown.pop("Sources/Filters/Filters.md"), shown.pop("Sources/Faults/Faults.md")
    assert not shown
    done = tapedeck("ls", trace, filters.lines[1].strip(), status=64)
    assert filters.text in done.stderr
    rule = faults.lines[1].strip()
    (tmp_path / "plan.yaml").write_text(f"rules:\n  - filter: command:c\n    {rule}\n")
    done = tapedeck("faults", "check", "plan.yaml", status=64, cwd=tmp_path)
    assert faults.text in done.stderr


def test_a_block_is_found_with_its_commands() -> None:
    """The reader of blocks reads fences, indentation, remarks and continued lines."""
    block = Block("x.md", 1, "sh", ("tapedeck ls a.tape \\", "    --json   # remark", "$ Tools/demo"))
    assert block.commands() == ["tapedeck ls a.tape      --json", "Tools/demo"]
    assert Block("x.md", 1, "", ("client ──► proxy",)).commands() == []
    assert len([each for each in BLOCKS if each.page == "README.md"]) >= 3
    assert len(TRIED) >= 14
