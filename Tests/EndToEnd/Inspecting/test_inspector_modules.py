"""What the modules of the inspector compute, asked in the browser."""

from __future__ import annotations

import pytest
from pages import needs_chromium

pytestmark = needs_chromium


@pytest.fixture(name="asked")
def asked_fixture(watched, stored):
    """Asks a module for a value."""
    page = watched.page(stored.url)
    return lambda module, expression, *values: page.evaluate(
        f"async (values) => {{ const m = await import('/app/{module}.js'); return {expression}; }}", list(values))


def test_the_part_of_a_filter_at_the_caret(asked) -> None:
    cases = {
        "sta": (0, "sta", None), "host:a st": (7, "st", None), "command:in": (8, "in", "command"),
        "-sta": (1, "sta", None), "not key:a": (8, "a", "key"), "(status>=4": (9, "4", "status"),
        "status:{200,40": (12, "40", "status"), "status:{20": (8, "20", "status"), 'key:"a b': (4, "a b", "key"),
        "a:b or ": (7, "", None), "header.content-type:te": (20, "te", "header.content-type"),
    }
    for text, (start, begun, field) in cases.items():
        part = asked("completion", "m.partAt(values[0], values[0].length)", text)
        assert part == {"from": start, "begun": begun, "field": field}, text


def test_values_are_quoted_and_conditions_added(asked) -> None:
    assert asked("completion", "values.map(m.quoted)", "notes", "a b", 'a"b', "a*", "a,b") == [
        "notes", '"a b"', '"a\\"b"', '"a*"', '"a,b"']
    assert asked("completion", "m.toggled(...values)", "a:1 b:2", "b:2") == "a:1"
    assert asked("completion", "m.toggled(...values)", "a:1 or b:2", "c:3") == "(a:1 or b:2) c:3"
    assert asked("completion", "m.toggled(...values)", "", "c:3") == "c:3"


def test_runs_of_what_is_the_same(asked) -> None:
    runs = asked("text-difference", "m.runs([...values[0]], [...values[1]])"
                 ".map((run) => [run.before.join(''), run.after.join(''), run.isSame])", "abcdef", "abXdefg")
    assert runs == [["ab", "ab", True], ["c", "X", False], ["def", "def", True], ["", "g", False]]


def test_json_as_a_tree(asked) -> None:
    tree = asked("json-tree", "m.jsonTree(values[0])", '{"a/b": [1e400, "x", null], "a/b": {}}')
    assert [child["path"] for child in tree["children"]] == ["/a~1b", "/a~1b"]
    assert [child["text"] for child in tree["children"][0]["children"]] == ["1e400", "x", "null"]
    for bad in ("{", "[1,]", '{"a" 1}', "[1] 2", "nul", '["\n"]', "[" * 600 + "]" * 600):
        assert asked("json-tree", "(() => { try { m.jsonTree(values[0]); return false; } catch { return true; } })()", bad), bad


def test_xml_with_a_document_type_is_no_tree(asked) -> None:
    bomb = '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]><a>&c;</a>'
    assert asked("body-view", "m.treeOf(values[0])", bomb) is None
    assert asked("body-view", "m.treeOf(values[0]).root.children[0].path", "<a xmlns:n='x'><n:b/></a>") == "/a/@xmlns:n"


def test_a_baseline_is_that_of_diagnose(asked) -> None:
    finding = {"rule": "a.b", "fingerprint": "12", "message": "first # and\nsecond"}
    text = asked("baseline", "m.withFinding('', values[0])", finding)
    assert text == "# Known findings: rule, fingerprint, and the message of one of them.\na.b 12 # first   and second\n"
    assert asked("baseline", "m.withFinding(values[0], values[1])", text, finding) == text
    assert asked("baseline", "m.knows(m.entries(values[0]), values[1])", text, finding)
    assert asked("baseline", "m.knows(m.entries(values[0]), values[1])", " a.b # all\r\n", finding)
    assert not asked("baseline", "m.knows(m.entries(values[0]), values[1])", "a.b 13\n", finding)
    assert asked("baseline", "m.withoutFinding(values[0], values[1])", text + "a.b\nc.d 1", finding).endswith("them.\nc.d 1")
    assert asked("baseline", "m.joined(...values)", "a.b 1", "# x\na.b 1\nc.d 2 # y\n") == "a.b 1\nc.d 2 # y\n"


def test_commands_in_words(asked) -> None:
    def words(command: str, payload: str, sender: str = "client") -> str:
        return asked("payload-words", "m.payloadWords(values[0])", {"command": command, "payload": payload, "sender": sender})

    assert words("c", '{"id":"a","o":"M","v":{"t":{"o":"d","v":"=3\\t-2\\t+x%20y"},"n":{"o":"I","v":1}},"sv":1}') == \
        'v1  t −2 +"x y", n += 1'
    assert words("c", '[{"id":"a","o":"-","sv":1,"ev":2},{"id":"b","o":"-"}]', "server") == "v1 → 2  removes it; and 1 more: b"
    assert words("c", '[{"id":"a","error":440}]', "server") == "refused with 440"
    assert words("c", '{"id":"a","v":{"t":{"o":"+","v":"ab…') == 't "ab…'
    assert words("i", ":::10") == "first page of the index, at most 10"
    assert words("i", '{"index":[{}],"current":"c1","mark":"m"}', "server") == "1 object, current c1, more follow"
    assert words("cv", "?") == "change version unknown: load the index"
    assert words("init", '{"clientid":"p","api":"1.1"}') == "client p, API 1.1"
    for command in ("c", "i", "init", "x"):
        assert words(command, "nonsense {") == ("nonsense {" if command != "i" else words("i", "nonsense {"))


def test_sizes_and_times(asked) -> None:
    assert asked("format", "values.map(m.bytes)", 0, 1023, 1024, 1_500_000) == ["0 B", "1023 B", "1.0 KiB", "1.4 MiB"]
    assert asked("format", "values.map(m.duration)", 999, 1_500_000, 61e9, 7_260e9) == [
        "999 ns", "1.5 ms", "1 min 1 s", "2 h 1 min"]


def test_a_code_is_as_the_standard_has_it(asked) -> None:
    """Of a text that fills version 1 with correction M, as another program draws it with mask 0."""
    rows = asked("qr-code", "m.qrModules(values[0]).map((row) => row.map(Number).join(''))", "0123456789abcd")
    assert rows[:12] == [
        "111111100000101111111", "100000101111001000001", "101110100101001011101", "101110100110001011101",
        "101110101000101011101", "100000100011001000001", "111111101010101111111", "000000000011000000000",
        "101010100111100010010", "011010011111100011001", "100011100101110011101", "001100011010110111010"]
    assert asked("qr-code", "m.qrModules(values[0])", "a" * 63) is None
