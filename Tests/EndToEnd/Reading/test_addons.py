"""Proves: an add-on over a stored trace is asked as documented, its marks and notes are printed, and one that
hangs, floods, dies or writes nonsense is reported and ends the command."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys

import pytest
from addons import BROKEN, HELLO, MODULE, write_addon, write_program
from documents import blocks
from json_schema import Schema
from programs import ROOT, TAPEDECK, environment, tapedeck

SCHEMA = Schema(json.loads((ROOT / "Sources/Addons/addons.schema.json").read_text()))
RECORDINGS = ["first-sync-and-edits", "submission-with-attachment", "restore-in-progress"]
# What an event has in another place, or not at all.
ELSEWHERE = {"kind", "time", "id", "faults", "findings", "undecided"}


@pytest.fixture(scope="module", name="traces")
def traces_fixture(tmp_path_factory):
    """The recordings as traces, by their names."""
    folder = tmp_path_factory.mktemp("traces")
    for name in RECORDINGS:
        tapedeck("import", ROOT / "Recordings" / name, folder / f"{name}.tape")
    return {name: folder / f"{name}.tape" for name in RECORDINGS}


def lines_of(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def test_reports_with_the_module(traces, tmp_path) -> None:
    """Functions are called for their events, and what they say is printed with the row."""
    command = write_addon(tmp_path, """
seen = []
@on("command:c", bytes=True)
def change(event):
    seen.append(event.changes)
    event.mark(f"a change of {event.bucket}")
    event.edit("not applied")
@on("api:simperium.socket")
def socket(event):
    print("a socket at", event.path)
    event.note(event.header("upgrade"))
@on_end
def end():
    note(f"{len(seen)} commands")
""")
    done = tapedeck("addon", command, traces["first-sync-and-edits"], "--json")
    said = lines_of(done.stdout)
    count = int(re.search(r"(\d+) commands", said[-1]["note"])[1])
    marks = [line for line in said if "mark" in line]
    assert len(marks) == count > 3 and said[-1]["row"] is None
    assert {line["event"] for line in marks} == {"command"} and all(line["row"] > 0 for line in marks)
    assert any(line.get("note") == "websocket" for line in said)
    assert "a socket at /sock/1/" in done.stderr
    assert f"{count} edit" in done.stderr and "too late" not in done.stderr
    text = tapedeck("addon", command, traces["first-sync-and-edits"], "bucket:nothing").stdout
    assert text == "note  0 commands\n"


@pytest.mark.parametrize("name", RECORDINGS)
def test_lines_are_as_the_schema_and_the_listings_say(traces, tmp_path, name) -> None:
    """Every line in both directions is valid, and events have what `ls --json` prints."""
    log = tmp_path / "lines"
    program = write_program(tmp_path, f"""
log = open({str(log)!r}, "w")
def out(**line):
    print(json.dumps(line), file=log)
    say(**line)
kinds = ["request", "response", "command", "message", "connection"]
for text in sys.stdin:
    line = json.loads(text)
    print(text.strip(), file=log)
    if "hello" in line:
        out(hello=1, on=[{{"kinds": kinds, "bytes": True}}, {{"filter": "kind:message", "watch": True, "decoded": False}}])
    elif line["event"] == "end":
        out(verdict="mark", text="end")
    else:
        out(id=line["id"], verdict="note", text=line["event"])
        if line["event"] == "request":
            out(id=line["id"], verdict="answer", status=404, bytes="AAAA", headers={{"A": "b"}})
        elif line["event"] == "response":
            out(id=line["id"], verdict="edit", status=404, headers={{"A": None}})
        elif line["event"] in ("message", "command"):
            out(id=line["id"], verdict="send", to="server", text="x")
            out(id=line["id"], verdict="delay", milliseconds=5)
        else:
            out(id=line["id"], verdict="pass")
""")
    trace = traces[name]
    tapedeck("addon", program, trace)
    written = lines_of(log.read_text())
    for line in written:
        assert SCHEMA.problems(line) == [], line
    events = [line for line in written if "on" in line and "event" in line]
    ids = [line["id"] for line in events]
    assert ids == list(range(1, len(events) + 1))
    listed = lines_of(tapedeck("ls", trace, "--json").stdout)
    listed += [line for line in lines_of(tapedeck("ls", trace, "--json", "kind:message").stdout)
               if line not in listed]
    checked = 0
    for row in listed:
        kind = "response" if row["kind"] == "exchange" else row["kind"]
        for event in events:
            if event["event"] == kind and event.get("row") == row["id"]:
                checked += 1
                for member in row.keys() - ELSEWHERE:
                    assert event[member] == row[member], (member, event, row)
    assert checked == len([row for row in listed if row["kind"] != "exchange" or row["status"]]) > 0
    for event in events:
        if event["event"] in ("request", "response"):
            shown = json.loads(tapedeck("show", trace, str(event["row"]), "--json").stdout)
            for side in {"request", event["event"]}:
                for member in shown[side].keys() & event[side].keys():
                    assert event[side][member] == shown[side][member]
            for found, whole in zip(event["openrosa"], shown["openrosa"]):
                assert found["kind"] == whole["kind"] and found["instance_id"] == whole["instance_id"]
        elif event["event"] == "command":
            shown = json.loads(tapedeck("show", trace, f"c{event['row']}", "--json").stdout)
            assert [change["key"] for change in event["changes"]] == [change["key"] for change in shown["changes"]]


def test_documented_lines_are_valid() -> None:
    """The examples of the document."""
    examples = [block for block in blocks() if block.page == "Sources/Addons/Addons.md" and block.language == "json"]
    for block in examples:
        for line in lines_of(block.text):
            assert SCHEMA.problems(line) == [], block
    assert len(examples) >= 2


def test_the_documented_script_runs(traces, tmp_path) -> None:
    """In Lua, over a restore and over changes."""
    script = tmp_path / "quick.lua"
    script.write_text(next(block for block in blocks() if block.language == "lua").text)
    done = tapedeck("addon", script, traces["restore-in-progress"])
    assert "note  1  202" in done.stdout.splitlines() and "edit" in done.stderr
    done = tapedeck("addon", script, traces["first-sync-and-edits"])
    assert "pass" in done.stderr and done.stdout == ""
    script.write_text("on('command:c', function(e) for _, c in ipairs(e.changes) do e:note(c.key .. ' ' .. #e.text) end end)\n"
                      "on_end(function() note('end') end)\n")
    lines = tapedeck("addon", script, traces["first-sync-and-edits"]).stdout.splitlines()
    assert lines[-1] == "note  end" and len(lines) > 3
    assert {line.split()[2] for line in lines[:-1]} == {"note-1", "note-2", "shopping"}
    script.write_text("on('command:c', function(e) nothing.at_all = 1 end)")
    done = tapedeck("addon", script, traces["first-sync-and-edits"], status=1)
    assert "quick.lua:1: attempt to index a nil value (global 'nothing'); the event passes" in done.stderr
    assert "cannot be read" in tapedeck("addon", "missing.lua", traces["first-sync-and-edits"], status=66).stderr


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_add_on_is_reported(traces, tmp_path, name) -> None:
    """In bounded memory, with what is wrong and status 1."""
    lines, reported = BROKEN[name]
    program = write_program(tmp_path, HELLO + lines)
    limit = 1 << 31

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    done = subprocess.run(
        [TAPEDECK, "addon", program, traces["first-sync-and-edits"], "--deadline",
         "200ms" if name == "hangs" else "5s"],
        capture_output=True, text=True, check=False, env=environment(), preexec_fn=bounded)
    assert done.returncode == 1, done.stderr
    assert reported in done.stderr
    if name == "floods":
        assert 0 < done.stdout.count("again") <= 4_096 + 64 * 256


def test_a_late_verdict_is_counted(traces, tmp_path) -> None:
    """One event takes longer than its deadline, the others do not."""
    program = write_program(tmp_path, """
read(); say(hello=1, on=[{"kinds": ["request"]}])
first = read()
until = time.monotonic() + 0.4
while time.monotonic() < until: pass
say(id=first["id"], verdict="drop")
while (line := read())["event"] != "end":
    say(id=line["id"], verdict="pass")
""")
    done = tapedeck("addon", program, traces["submission-with-attachment"], "--deadline", "300ms")
    assert "1 drop, 1 too late" in done.stderr and "it gave no verdict within 300 ms" in done.stderr


def test_an_event_without_a_verdict_is_reported(traces, tmp_path) -> None:
    """Where the program ends in order otherwise."""
    program = write_program(tmp_path, "read(); say(hello=1, on=[{'kinds': ['request', 'response']}])\nsys.stdin.read()")
    done = tapedeck("addon", program, traces["submission-with-attachment"], status=1)
    assert "it ended without a verdict about 2 events" in done.stderr


def test_what_it_says_to_people_is_shown(traces, tmp_path) -> None:
    """As lines without control characters, and of a flood only some."""
    program = write_program(tmp_path, r"""
print("one\x1b[31m", file=sys.stderr)
for number in range(5000): print("line", number, "x" * 3000, file=sys.stderr)
read(); say(hello=1, on=[])
read()
""")
    done = tapedeck("addon", program, traces["submission-with-attachment"])
    shown = done.stderr.splitlines()
    assert shown[0] == "one\N{REPLACEMENT CHARACTER}[31m" and "\x1b" not in done.stderr
    assert len(shown) < 1_000 and max(map(len, shown)) < 2_100
    assert re.search(r"^\d+ lines skipped$", done.stderr, re.MULTILINE)


def test_a_mistake_in_a_function_is_shown(traces, tmp_path) -> None:
    """Its event passes, and the others are asked about."""
    command = write_addon(tmp_path, """
@on("api:commcare.submit")
def wrong(event):
    event.nothing.at_all
@on("api:commcare.submit")
def right(event):
    event.note(event.method)
""")
    done = tapedeck("addon", command, traces["submission-with-attachment"])
    assert "AttributeError" in done.stderr and "1 pass" in done.stderr
    assert done.stdout.startswith("note  1  ")


def test_the_module_needs_nothing_and_can_be_installed() -> None:
    """Its project names its package, and it imports the standard library alone."""
    project = (MODULE / "pyproject.toml").read_text()
    assert 'packages = ["tapedeck_addon"]' in project and "dependencies" not in project
    done = subprocess.run([sys.executable, "-I", "-S", "-c",
                           f"import sys; sys.path.insert(0, {str(MODULE)!r}); import tapedeck_addon"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
