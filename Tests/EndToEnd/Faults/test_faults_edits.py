"""Edits of exchanges, seen by a client and a server that are not ours."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import brotli
import pytest
import zstandard
from faults import (ask, control, dial_fixture, fault, faults, faulty_fixture, feels,
                    simperium_fixture)
from origins import AnsweringServer
from programs import curl, tapedeck

__all__ = ["dial_fixture", "faulty_fixture", "simperium_fixture"]

NOTE = {"id": "n1", "title": "old", "tags": ["a", "b"]}
CODERS: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    "": (bytes, bytes),
    "gzip": (gzip.compress, gzip.decompress),
    "deflate": (zlib.compress, zlib.decompress),
    "br": (brotli.compress, brotli.decompress),
    "zstd": (zstandard.ZstdCompressor().compress,
             lambda coded: zstandard.ZstdDecompressor().decompressobj().decompress(coded)),
}


class Notes(AnsweringServer):
    """Says what it was asked; `/note` is a note, in the coding that `?coding` names."""

    def __init__(self):
        self.asked: list[tuple[str, str, dict, bytes]] = []
        super().__init__()

    def answer(self, method, path, headers, body):
        self.asked.append((method, path, dict(headers), body))
        if not path.startswith("/note"):
            return 200, {"Content-Type": "text/plain"}, b"as it was"
        coding = path.partition("?")[2]
        fields = {"Content-Type": "application/json"} | (
            {"Content-Encoding": coding} if coding else {})
        return 200, fields, CODERS[coding][0](json.dumps(NOTE, indent=1).encode())


@pytest.fixture(name="notes")
def notes_fixture() -> Iterator[Notes]:
    """A server of notes of this test alone."""
    server = Notes()
    yield server
    server.shutdown()
    server.server_close()


@feels("edit")
@pytest.mark.parametrize("coding", CODERS)
def test_a_member_of_an_answer(faulty, notes, coding):
    deck = faulty(notes.url, "path:/note => edit json /title new", "path:/note => edit json-remove /tags/0")
    answer = ask(deck, f"/note?{coding}")
    assert answer.fields.get("content-encoding", "") == coding
    text = CODERS[coding][1](answer.body).decode()
    assert text == json.dumps({**NOTE, "title": "new"}, indent=1).replace('"a",\n  ', "")
    assert [each.action for each in faults(deck, 2)] == [
        "edit json /title new", "edit json-remove /tags/0"]
    deck.finish()
    mine, theirs = (deck.sql(f"SELECT response_body FROM {view}") for view in ("exchange", "server_exchange"))
    assert [json.loads(body)["title"] for [body] in (*mine, *theirs)] == ["new", "old"]
    tapedeck("rebuild", deck.trace)
    assert deck.sql("SELECT response_body FROM exchange") == mine
    assert tapedeck("diagnose", deck.trace, "--json").stdout == ""


@feels("edit")
def test_what_a_client_asks(faulty, notes):
    deck = faulty(notes.url, "=> edit query limit 5", "=> edit path /other", "=> edit header X-A b sender=client",
                  "method:POST => edit form word 'a&b'", "method:POST => edit replace old new sender=client")
    answer = ask(deck, "/form?limit=100&x=1", b"word=one&rest=old", method="POST",
                 Content_Type="application/x-www-form-urlencoded")
    assert answer.status == 200
    method, path, fields, body = notes.asked[0]
    assert (method, path, fields["X-A"]) == ("POST", "/other?limit=5&x=1", "b")
    assert body == b"word=a%26b&rest=new" and fields["Content-Length"] == str(len(body))
    deck.finish()
    assert deck.sql("SELECT path, query FROM any_exchange WHERE side <> 'server'") == [
        ("/form", "limit=100&x=1")]
    assert deck.sql("SELECT path, query FROM any_exchange WHERE side <> 'client'") == [
        ("/other", "limit=5&x=1")]


@feels("edit", "add-header")
def test_the_head_of_an_answer(faulty, notes):
    deck = faulty(notes.url, "=> edit status 404", "=> add-header Set-Cookie 'a=1'", "=> add-header Set-Cookie 'b=2'")
    text = curl("-i", f"{deck.url}/x").stdout
    assert text.startswith(b"HTTP/1.1 404 Not Found\r\n")
    assert b"Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n" in text


@feels("redirect")
def test_a_redirection_is_followed(faulty, notes):
    deck = faulty(notes.url, "path:/old => redirect /note")
    said = curl("-L", f"{deck.url}/old").stdout
    assert json.loads(said) == NOTE
    assert [path for _, path, _, _ in notes.asked] == ["/note"]
    assert fault(deck).action == "redirect /note"


@feels("block")
def test_a_request_that_is_blocked(faulty, notes):
    deck = faulty(notes.url, "path:/secret => block 404")
    answer = ask(deck, "/secret")
    assert (answer.status, answer.body) == (404, b"")
    assert ask(deck, "/x").status == 200
    assert [path for _, path, _, _ in notes.asked] == ["/x"]
    deck.finish()
    report = json.loads(tapedeck("faults", "report", deck.trace, "--json").stdout)
    assert [each for session in report["sessions"] for each in session["faults"]] == []


@feels("edit-object")
def test_a_member_of_an_object(faulty, dial, simperium):
    simperium.change("notes", "k", {"title": "one"})
    deck = faulty(simperium.url, "command:c sender:server => edit-object title edited first=1")
    client = dial(deck)
    assert client.say("h:100") == "h:101"
    simperium.change("notes", "k", {"title": "two"})
    [told] = client.changes(client.next())
    assert (told["v"], told["sv"], told["ev"]) == ({"title": {"o": "r", "v": "edited"}}, 1, 2)
    assert fault(deck).action == "edit-object title edited"
    assert b'"two"' in fault(deck).came and b'"edited"' in fault(deck).sent
    deck.finish()
    assert tapedeck("diagnose", deck.trace, "--json").stdout == ""


class Staging(Notes):
    """Another server, which sends its clients on to itself and gives them cookies."""

    def answer(self, method, path, headers, body):
        self.asked.append((method, path, dict(headers), body))
        return 302, {"Location": f"{self.url}/next",
                     "Set-Cookie": "s=1; Domain=staging.example; Path=/; Secure"}, b"from staging"


@feels("map")
@pytest.mark.parametrize("is_forward", [False, True])
def test_a_request_for_another_server(record, notes, is_forward):
    staging = Staging()
    try:
        rule = f"path:/api/* => map {staging.url}"
        deck = record("--quiet", "--fault", rule, *([] if is_forward else ["--to", notes.url]))
        proxy = ("-x", deck.url) if is_forward else ()
        base = notes.url if is_forward else deck.url
        said = curl("-i", *proxy, f"{base}/api/x?y=1", f"{base}/note").stdout.decode()
        assert [path for _, path, _, _ in staging.asked] == ["/api/x?y=1"]
        assert [path for _, path, _, _ in notes.asked] == ["/note"]
        assert staging.asked[0][2]["Host"] == staging.url.removeprefix("http://")
        assert f"Location: {base}/next\r\n" in said
        assert "Set-Cookie: s=1; Path=/\r\n" in said
        assert fault(deck).action == f"map {staging.url}"
        deck.finish()
        port = staging.server_address[1]
        assert deck.sql("SELECT port FROM any_exchange WHERE side <> 'client' ORDER BY id") == [
            (port,), (notes.server_address[1],)]
        assert tapedeck("diagnose", deck.trace, "--json").stdout == ""
    finally:
        staging.shutdown()
        staging.server_close()


@feels("map")
def test_a_server_that_is_mapped_to_is_not_there(faulty, notes):
    deck = faulty(notes.url, "path:/gone => map http://127.0.0.1:1")
    assert ask(deck, "/gone").status == 502
    assert ask(deck, "/x").status == 200


@feels("serve")
def test_a_folder_is_served(faulty, notes, tmp_path):
    (tmp_path / "media").mkdir()
    (tmp_path / "media/picture.png").write_bytes(bytes(range(256)) * 40)
    deck = faulty(notes.url, f"path:/media/* => serve {tmp_path}")
    answer = ask(deck, "/media/picture.png")
    assert (answer.status, answer.fields["content-type"]) == (200, "image/png")
    assert answer.body == (tmp_path / "media/picture.png").read_bytes()
    again = ask(deck, "/media/picture.png", If_None_Match=answer.fields["etag"])
    assert (again.status, again.body) == (304, b"")
    part = curl("-r", "256-258", f"{deck.url}/media/picture.png").stdout
    assert part == bytes([0, 1, 2])
    (tmp_path / "media/picture.png").write_bytes(b"new")
    assert ask(deck, "/media/picture.png", If_None_Match=answer.fields["etag"]).body == b"new"
    (tmp_path.parent / "secret").write_text("secret")
    assert ask(deck, "/media/../../secret").status == 404
    assert not notes.asked


class Counting(Notes):
    """Gives each answer a number, and everything from `/moved` on to `/note`."""

    def answer(self, method, path, headers, body):
        self.asked.append((method, path, dict(headers), body))
        if path == "/moved":
            return 302, {"Location": f"http://{headers['Host']}/note"}, b""
        return 200, {"Content-Type": "application/json"}, json.dumps(
            {"number": len(self.asked), "was": body.decode()}).encode()


@pytest.fixture(name="known")
def known_fixture(record, tmp_path) -> Path:
    """A trace of a server that is not there any more."""
    server = Counting()
    deck = record("--quiet", "--to", server.url, to=tmp_path / "known.tape")
    for path, body in (("/a", None), ("/a", None), ("/form", b"a=1"), ("/form", b"a=2"), ("/moved", None)):
        ask(deck, path, body)
    deck.finish()
    server.end()
    return deck.trace


@feels("recorded")
def test_partly_offline(faulty, notes, known):
    deck = faulty(notes.url, f"=> recorded {known}", "path:/a => edit json /number 7")
    assert json.loads(ask(deck, "/a").body) == {"number": 7, "was": ""}
    assert json.loads(ask(deck, "/form", b"a=2").body) == {"number": 4, "was": "a=2"}
    assert ask(deck, "/moved").fields["location"] == f"http://{deck.address}/note"
    assert ask(deck, "/form", b"a=3").body == b"as it was"
    assert json.loads(ask(deck, "/note").body) == NOTE
    assert [path for _, path, _, _ in notes.asked] == ["/form", "/note"]
    rows = faults(deck, 6)
    assert [row.action for row in rows if row.rule == "rule-1"] == [f"recorded {known}"] * 5
    deck.finish()
    assert deck.sql("SELECT problem FROM intervention WHERE rule = 'rule-1' ORDER BY id") == [
        (None,), (None,), (None,),
        ("the recording has no answer: no unused recorded request is equivalent",),
        ("the recording has no answer: nothing was recorded for this method, host and path",)]
    assert deck.sql("SELECT count(*) FROM exchange") == [(5,)]
    assert deck.sql("SELECT count(*) FROM server_exchange") == [(2,)]
    mine = deck.sql("SELECT status, response_body FROM exchange ORDER BY id")
    tapedeck("rebuild", deck.trace)
    assert deck.sql("SELECT status, response_body FROM exchange ORDER BY id") == mine
    assert tapedeck("diagnose", deck.trace, "--json").stdout == ""


@feels("recorded")
def test_a_server_that_is_gone_is_answered_for(record, known, tmp_path):
    deck = record("--quiet", "--to", "http://127.0.0.1:1", "--fault", f"path:/a => recorded {known}",
                  to=tmp_path / "offline.tape")
    assert [json.loads(ask(deck, "/a").body)["number"] for _ in range(2)] == [1, 2]
    assert ask(deck, "/a").status == 502


def test_a_trace_that_is_not_there_ends_it_before_it_begins(tmp_path):
    plan = tmp_path / "plan.yaml"
    plan.write_text("rules:\n  - path:/a => recorded nowhere.tape\n")
    for given in (("--faults", plan), ("--fault", "=> recorded nowhere.tape")):
        said = tapedeck("record", tmp_path / "x.tape", "--to", "http://127.0.0.1:1", *given, status=64).stderr
        assert "nowhere.tape" in said and "^^^" in said, said
        assert not (tmp_path / "x.tape").exists()
    assert f"{plan}:2:25: " in tapedeck("faults", "check", plan, status=64).stderr


def test_a_recording_is_added_while_traffic_runs(faulty, notes, known):
    deck = faulty(notes.url)
    assert ask(deck, "/a").body == b"as it was"
    control(deck, "POST", "/v1/rules", {"rule": f"=> recorded {known}"})
    assert json.loads(ask(deck, "/a").body)["number"] == 1
    with pytest.raises(AssertionError, match="nowhere.tape"):
        control(deck, "POST", "/v1/rules", {"rule": "=> recorded nowhere.tape"})
