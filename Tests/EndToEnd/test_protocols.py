"""Proves: `tapedeck simperium` and `tapedeck openrosa` read and compute without a socket."""

from __future__ import annotations

import json
import resource
import subprocess
from pathlib import Path

import pytest
from programs import TAPEDECK, tapedeck
from proves import proves

MEBIBYTE = 1 << 20


def parsed(text: str | bytes, sender: str) -> list[dict]:
    """What `simperium parse` prints for lines of text."""
    data = text.encode() if isinstance(text, str) else text
    done = subprocess.run([TAPEDECK, "simperium", "parse", "--from", sender], input=data,
                          capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def document(text: str | bytes, *flags: str, status: int = 0) -> list[dict]:
    """What `openrosa parse -` prints for a document."""
    data = text.encode() if isinstance(text, str) else text
    done = subprocess.run([TAPEDECK, "openrosa", "parse", "-", *flags], input=data,
                          capture_output=True, check=False)
    assert done.returncode == status, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_parse_prints_a_line_for_every_line() -> None:
    """Each line gives one object, whatever it is, in order; ends of lines may be those of Windows."""
    lines = ['0:init:{"client_id":"a","api":1}', "", "garbage", "h:7\r", "0:c:[", "0:e:a.b.3",
             "0:i::mark::500", '0:c:{"id":"k","o":"M","v":{},"ccid":"ab"}', "log:{\"log\":\"x\"}"]
    found = parsed("\n".join(lines), "client")
    assert [row["kind"] for row in found] == [
        "init", "unreadable", "unreadable", "heartbeat", "unreadable", "entity_request",
        "index_request", "changes", "log"]
    assert found[4]["problem"]["offset"] == 5
    assert found[5]["key"] == "a.b" and found[5]["version"] == 3
    codes = {note["code"] for note in found[0]["notes"]}
    assert {"simperium.client-id-spelling", "simperium.number-as-text"} <= codes


def test_parse_reads_what_servers_send() -> None:
    """Entities with their line feed, both answers to an unknown cv, errors as number and as text."""
    found = parsed('0:e:k.1\\n{"data": {"a": 1.0}}\n0:e:k.2\\n?\n0:cv:?\n0:c:?\n'
                   '0:c:[{"ccids":["ab"],"id":"k","clientid":"c","error":"440"}]\n'
                   "0:auth:expired\n?\n0:o:{}\n", "server")
    assert [row["kind"] for row in found] == [
        "entity", "entity", "unknown_change_version", "unknown_change_version", "changes", "auth",
        "not_understood", "options"]
    assert found[0]["data"] == {"a": 1.0} and found[1]["is_missing"]
    assert [row.get("is_legacy") for row in found[2:4]] == [False, True]
    assert found[4]["changes"][0]["error"] == 440
    assert "simperium.error-as-string" in {note["code"] for note in found[4]["notes"]}


@pytest.mark.parametrize("line", [
    b"0:c:" + b"[" * 100_000, b"0:c:[" + b"9" * MEBIBYTE + b"]", b"a" * (8 * MEBIBYTE),
    b"0:c:{\"id\":\"" + b"\\ud800" * 1000 + b"\"}", b"0:c:{\"id\":\"\xc0\xaf\"}",
    b"0:auth:" + b"\xff" * 1000, b"99999999999999999999:c:[]",
], ids=["deep", "number", "letters", "surrogates", "overlong", "no-utf8", "channel"])
def test_parse_survives_hostile_lines(line: bytes) -> None:
    """A result or a problem for each, and the next line is read."""
    found = parsed(line + b"\nh:1\n", "server")
    assert len(found) == 2 and found[1]["kind"] == "heartbeat"


def test_64_mebibytes_of_one_letter() -> None:
    """A line of 64 MiB is read in bounded memory."""
    process = subprocess.Popen([TAPEDECK, "simperium", "parse", "--from", "client"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for _ in range(64):
        process.stdin.write(b"x" * MEBIBYTE)
    process.stdin.close()
    answer = process.stdout.read()
    assert process.wait() == 0
    assert json.loads(answer)["kind"] == "unreadable"
    # The message, and the text that is printed of it, a few times; in KiB.
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < MEBIBYTE


def test_openrosa_prints_a_restore() -> None:
    """Events in order, each with its place in the document."""
    found = document(
        '<OpenRosaResponse xmlns="http://openrosa.org/http/response" items="3">\n'
        '<message nature="ota_restore_success">Zoë 😀</message>'
        '<Sync xmlns="http://commcarehq.org/sync"><restore_id>r1</restore_id></Sync>\n'
        '<case xmlns="http://commcarehq.org/case/transaction/v2" case_id="c1" user_id="u" '
        'date_modified="2026-01-15T10:00:00Z"><create><case_type>p</case_type>'
        "<case_name>Ada</case_name><owner_id>u</owner_id></create><update><x>1</x></update></case>"
        "</OpenRosaResponse>")
    assert [row["event"] for row in found] == ["response", "message", "restore_id", "case", "end"]
    assert found[1]["text"] == "Zoë 😀"
    assert found[3]["line"] == 3 and found[3]["create"]["case_name"] == "Ada"
    offsets = [row["offset"] for row in found]
    assert offsets == sorted(offsets)


def test_openrosa_submission_and_file(tmp_path: Path) -> None:
    """A filled form from a file, with its meta block."""
    form = tmp_path / "form.xml"
    form.write_text('<data xmlns="http://example.org/f" name="F"><a>1</a>'
                    '<n:meta xmlns:n="http://openrosa.org/jr/xforms"><n:instanceID>i1</n:instanceID>'
                    "</n:meta></data>")
    found = [json.loads(line)
             for line in tapedeck("openrosa", "parse", form, "--submission").stdout.splitlines()]
    meta = next(row for row in found if row["event"] == "meta")
    assert meta["instance_id"] == "i1"


@pytest.mark.parametrize(("text", "offset"), [
    ("<a><b></a>", 6), ("", 0), ("<a>&unknown;</a>", 3), ("<a/>x", 4), ("<a>&#xD800;</a>", 3),
])
def test_openrosa_says_where_it_ends(text: str, offset: int) -> None:
    """What is not well formed ends with an error line and status 65."""
    found = document(text, status=65)
    assert found[-1]["event"] == "error" and found[-1]["offset"] >= offset


def test_openrosa_reads_no_entity(tmp_path: Path) -> None:
    """No file is read and nothing is expanded, however it is asked for."""
    secret = tmp_path / "secret"
    secret.write_text("the secret")
    for text in (
        f'<!DOCTYPE a [<!ENTITY x SYSTEM "file://{secret}">]><a>&x;</a>',
        '<!DOCTYPE a [<!ENTITY x "lol"><!ENTITY y "&x;&x;&x;&x;&x;&x;&x;&x;">]><a>&y;</a>',
    ):
        done = subprocess.run([TAPEDECK, "openrosa", "parse", "-"], input=text.encode(),
                              capture_output=True, check=False)
        assert done.returncode in (0, 65)
        assert b"the secret" not in done.stdout and b"lollol" not in done.stdout


@pytest.mark.parametrize(("arguments", "status", "says"), [
    (["simperium", "diff", "{", "{}"], 65, "byte 1"),
    (["simperium", "diff", "{}", "[]"], 65, "no diff"),
    (["simperium", "apply", '{"a":1}', '{"a":{"o":"d","v":"=1"}}'], 65, "a: d of a number"),
    (["simperium", "apply", '{"a":"é😀"}', '{"a":{"o":"d","v":"=2"}}'], 65, "code points"),
    (["simperium", "apply", '{"a":"é😀"}', '{"a":{"o":"d","v":"=6"}}'], 65, "UTF-8 bytes"),
    (["simperium", "apply", "-", "-"], 64, "standard input"),
    (["simperium", "apply", "@/nowhere/at/all", "{}"], 66, "/nowhere/at/all"),
    (["openrosa", "parse", "/nowhere/at/all"], 66, "/nowhere/at/all"),
])
def test_mistakes_are_told(arguments: list[str], status: int, says: str) -> None:
    """One line on standard error that says what is wrong, and the status for it."""
    done = tapedeck(*arguments, status=status)
    assert done.stdout == "" and says in done.stderr


@proves("S-47")
def test_policies() -> None:
    """The choice between operations is the user's."""
    def diff(*flags: str) -> dict:
        done = tapedeck("simperium", "diff", '{"l":[1,2],"n":1,"s":"ab"}',
                        '{"l":[1,3],"n":4,"s":"abc"}', *flags)
        return json.loads(done.stdout)

    assert diff() == {"l": {"o": "r", "v": [1, 3]}, "n": {"o": "r", "v": 4},
                      "s": {"o": "d", "v": "=2\t+c"}}
    assert diff("--lists", "list", "--integers", "increment", "--strings", "replace") == {
        "l": {"o": "L", "v": {"1": {"o": "I", "v": 1}}}, "n": {"o": "I", "v": 3},
        "s": {"o": "r", "v": "abc"}}
    assert diff("--lists", "list-text")["l"]["o"] == "dL"


def test_duplicate_keys_are_noticed() -> None:
    """The last counts, and standard error says so."""
    done = tapedeck("simperium", "diff", '{"a":1,"a":2}', '{"a":2}')
    assert done.stdout == "{}\n" and "a occurs twice" in done.stderr
