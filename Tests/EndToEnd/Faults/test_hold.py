"""Messages that are held until somebody decides, with clients and servers that are not ours."""

from __future__ import annotations

import gzip
import json
import signal
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import brotli
import pytest
from faults import (ask, control, dial_fixture, fault, faults, faulty_fixture, feels,
                    simperium_fixture)
from origins import AnsweringServer
from programs import DEADLINE, TAPEDECK, Program, environment, eventually, tapedeck

__all__ = ["dial_fixture", "faulty_fixture", "simperium_fixture"]

CODERS: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    "": (bytes, bytes), "gzip": (gzip.compress, gzip.decompress),
    "br": (brotli.compress, brotli.decompress),
}


class Echo(AnsweringServer):
    """Answers with what it was asked, in the coding that `?coding` names."""

    def __init__(self):
        self.asked: list[tuple[str, str, dict, bytes]] = []
        super().__init__()

    def answer(self, method, path, headers, body):
        self.asked.append((method, path, dict(headers), body))
        coding = path.partition("?")[2]
        fields = {"Content-Type": "application/json"} | ({"Content-Encoding": coding} if coding else {})
        return 200, fields, body or CODERS[coding][0](b'{"title": "old"}')


@pytest.fixture(name="echo")
def echo_fixture() -> Iterator[Echo]:
    """A server of this test alone."""
    server = Echo()
    yield server
    server.shutdown()
    server.server_close()


def held(deck, count: int = 1) -> list[dict]:
    """What is held, once there is so much."""
    def enough() -> list[dict] | None:
        found = control(deck, "GET", "/v1/held")["held"]
        return found if len(found) >= count else None

    return eventually(enough, f"{count} held messages")


class Asking(threading.Thread):
    """Asks, and waits for the answer."""

    def __init__(self, *args, **named):
        super().__init__(daemon=True)
        self.args, self.named, self.answer, self.error = args, named, None, None
        self.start()

    def run(self) -> None:
        try:
            self.answer = ask(*self.args, **self.named)
        except OSError as error:
            self.error = error

    def done(self):
        """The answer."""
        self.join(DEADLINE)
        assert not self.is_alive()
        return self.answer


@feels("hold")
@pytest.mark.parametrize("coding", CODERS)
def test_a_request_and_its_answer_are_edited(faulty, echo, coding):
    deck = faulty(echo.url, "path:/note => hold", "path:/note => hold sender=server")
    body = CODERS[coding][0](b'{"title": "sent"}')
    asking = Asking(deck, f"/note?{coding}", body, **({"Content-Encoding": coding} if coding else {}))
    [item] = held(deck)
    assert (item["kind"], item["target"], echo.asked) == ("request", f"/note?{coding}", [])
    text = control(deck, "GET", f"/v1/held/{item['id']}")["text"]
    assert '"title": "sent"' in text
    control(deck, "POST", f"/v1/held/{item['id']}", {"do": "edit", "text": text.replace("sent", "edited")})
    [item] = held(deck)
    assert (item["kind"], item["status"]) == ("response", 200)
    assert json.loads(CODERS[coding][1](echo.asked[0][3])) == {"title": "edited"}
    text = control(deck, "GET", f"/v1/held/{item['id']}")["text"]
    control(deck, "POST", f"/v1/held/{item['id']}", {"do": "edit", "text": text.replace("edited", "answer")})
    answer = asking.done()
    assert json.loads(CODERS[coding][1](answer.body)) == ({"title": "answer"})
    assert [each.action for each in faults(deck, 2)] == ["hold outcome=edited", "hold sender=server outcome=edited"]
    deck.finish()
    sides = [deck.sql(f"SELECT request_body, response_body FROM {view}") for view in ("exchange", "server_exchange")]
    titles = [[json.loads(part if isinstance(part, str) else CODERS[coding][1](part))["title"] for part in side[0]]
              for side in sides]
    assert titles == [["sent", "answer"], ["edited", "edited"]]
    tapedeck("rebuild", deck.trace)
    assert deck.sql("SELECT request_body, response_body FROM exchange") == sides[0]
    assert tapedeck("diagnose", deck.trace, "--json").stdout == ""
    report = json.loads(tapedeck("faults", "report", deck.trace, "--json").stdout)
    assert [each for session in report["sessions"] for each in session["faults"]] == []


def test_a_request_is_answered_dropped_or_left(faulty, echo):
    deck = faulty(echo.url, "path:/x => hold")
    asking = Asking(deck, "/x")
    [item] = held(deck)
    control(deck, "POST", f"/v1/held/{item['id']}", {"do": "answer", "text": "HTTP/1.1 418 Teapot\nX-By: hand\n\ntea\n"})
    answer = asking.done()
    assert (answer.status, answer.fields["x-by"], answer.body) == (418, "hand", b"tea")
    asking = Asking(deck, "/x")
    [item] = held(deck)
    control(deck, "POST", f"/v1/held/{item['id']}", {"do": "drop"})
    assert asking.done() is None and asking.error is not None
    wire = socket.create_connection(("127.0.0.1", deck.port))
    wire.sendall(b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
    held(deck)
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wire.close()
    eventually(lambda: not control(deck, "GET", "/v1/held")["held"], "nothing held")
    assert echo.asked == []
    assert [each.action for each in faults(deck, 3)] == [
        "hold outcome=answered", "hold outcome=dropped", "hold outcome=left"]


@feels("hold")
@pytest.mark.parametrize("compress", [None, 15])
def test_a_command_waits_with_its_channel_alone(faulty, dial, simperium, compress):
    deck = faulty(simperium.url, "command:c sender:client => hold")
    client = dial(deck, **({"compression": "deflate"} if compress else {}))
    client.say("0:i::::10")
    change = '0:c:{"id":"k","o":"M","v":{"title":{"o":"+","v":"one"}},"ccid":"11111111111111111111111111111111"}'
    client.send(change)
    [item] = held(deck)
    assert (item["kind"], item["channel"], item["bucket"], item["key"]) == ("command", 0, "notes", "k")
    assert client.say("h:7") == "h:8"
    text = control(deck, "GET", f"/v1/held/{item['id']}")["text"]
    control(deck, "POST", f"/v1/held/{item['id']}", {"do": "edit", "text": text.replace('"one"', '"two"')})
    [told] = client.changes(client.next())
    assert told["v"] == {"title": {"o": "+", "v": "two"}}
    assert simperium.data("notes", "k") == {"title": "two"}
    deck.finish()
    assert [each.action for each in faults(deck, 2)] == ["hold", "hold outcome=edited"]
    assert tapedeck("diagnose", deck.trace, "--json").stdout == ""


def holding(deck, folder: Path, script: str, *arguments: str) -> Program:
    """`tapedeck hold` with an editor that is a script of `sed`."""
    file = folder / "editor"
    file.write_text(f'#!/bin/sh\ncat "$1" >> {folder}/seen\nsed -i {script} "$1"\n')
    file.chmod(0o700)
    return Program(TAPEDECK, "hold", deck.trace, *arguments,
                   env=environment(EDITOR=str(file), TMPDIR=str(folder)))


def test_each_opens_in_the_editor_until_the_command_ends(faulty, echo, tmp_path):
    deck = faulty(echo.url)
    program = holding(deck, tmp_path, "'s/old/new/; s/^GET .x /GET \\/y /'", "path:/x", "--for", "1m")
    program.await_line("^tapedeck: holds path:/x", errors=True)
    answer = ask(deck, "/x")
    assert json.loads(answer.body) == {"title": "new"}
    assert echo.asked[0][1] == "/y"
    seen = (tmp_path / "seen").read_text()
    assert "# h1: request GET /x" in seen and "# h2: response 200 to GET /x" in seen
    program.await_line("^h2 edited")
    program.stop(signal.SIGINT)
    assert [line.partition(",")[0] for line in program.output] == [
        "h1: request GET /x", "h1 edited", "h2: response 200 to GET /x", "h2 edited"]
    assert control(deck, "GET", "/v1/rules")["rules"] == []
    assert ask(deck, "/x").status == 200


def test_what_an_editor_makes_wrong_is_shown_to_it_again(faulty, echo, tmp_path):
    deck = faulty(echo.url, "path:/x => hold")
    program = holding(deck, tmp_path, "'/^#! /d; s/^X-Word$/X-Word: mended/; s/^Accept-Encoding:.*/X-Word/'")
    assert ask(deck, "/x").status == 200
    program.await_line("^h1 edited")
    program.stop(signal.SIGINT)
    assert "#! line " in (tmp_path / "seen").read_text()
    assert echo.asked[0][2]["X-Word"] == "mended"


@pytest.mark.parametrize("sender", ["client", "server"])
def test_a_change_opens_as_the_object_after_it(faulty, dial, simperium, tmp_path, sender):
    deck = faulty(simperium.url)
    client = dial(deck)
    client.say("0:i::::10")
    ccid = iter(f"{number:032x}" for number in range(1, 9))
    made = {"title": {"o": "+", "v": "one"}, "old": {"o": "+", "v": 1}}
    client.say("0:c:" + json.dumps({"id": "k", "o": "M", "v": made, "ccid": next(ccid)}))
    program = holding(deck, tmp_path, "'s/one more/two more/; /^  .old/d; s/two more.,/two more\"/'",
                      f"command:c sender:{sender}")
    program.await_line("^tapedeck: holds", errors=True)
    edit = {"title": {"o": "d", "v": "=3\t+ more"}}
    client.send("0:c:" + json.dumps({"id": "k", "o": "M", "sv": 1, "v": edit, "ccid": next(ccid)}))
    [answer] = client.changes(client.next())
    program.await_line("^h1 edited")
    program.stop(signal.SIGINT)
    assert (answer["sv"], answer["ev"]) == (1, 2)
    assert answer["v"]["old"] == {"o": "-"} and answer["v"]["title"]["o"] == "d"
    seen = (tmp_path / "seen").read_text()
    assert "# content: object" in seen and '"title": "one more"' in seen
    assert simperium.data("notes", "k") == (
        {"title": "two more"} if sender == "client" else {"title": "one more", "old": 1})


def test_a_message_goes_back_to_its_sender(faulty, dial, simperium, tmp_path):
    deck = faulty(simperium.url, "command:cv => hold")
    client = dial(deck)
    program = holding(deck, tmp_path, "'1i # answer\n$s/abc/def/'")
    assert client.say("0:cv:abc") == "0:cv:def"
    program.await_line("^h1 answered")
    program.stop(signal.SIGINT)
    assert not [text for text in simperium.await_message(".") if ":cv:" in text]


def test_a_line_of_content_is_no_answer(faulty, echo, tmp_path):
    deck = faulty(echo.url, "path:/x => hold")
    program = holding(deck, tmp_path, "'s/^one$/# answer/'")
    assert ask(deck, "/x", b"one\ntwo").status == 200
    program.await_line("^h1 edited")
    program.stop(signal.SIGINT)
    assert echo.asked[0][3] == b"# answer\ntwo"


def test_what_is_held_goes_on_when_its_holder_is_gone(faulty, echo):
    deck = faulty(echo.url)
    control(deck, "POST", "/v1/holders", {"filter": "path:/x", "patience_ms": 1000})
    # Nobody asks for what it holds.
    assert ask(deck, "/x").status == 200
    assert fault(deck).action == "hold outcome=released"
    assert control(deck, "GET", "/v1/rules")["rules"] == []


def test_they_are_decided_on_the_command_line(faulty, echo, tmp_path):
    deck = faulty(echo.url, "path:/x => hold")
    asking = [Asking(deck, "/x") for _ in range(4)]
    held(deck, 4)
    listing = tapedeck("hold", deck.trace, "--list").stdout.splitlines()
    assert listing[0].split() == ["ID", "KIND", "CONN", "RULE", "HELD", "LEFT", "WHAT"]
    assert len(listing) == 5 and all(line.endswith("GET /x") for line in listing[1:])
    text = tapedeck("hold", deck.trace, "--show", "h1").stdout
    file = tmp_path / "edited"
    file.write_text(text.replace("/x", "/edited"))
    answer = tmp_path / "answer"
    answer.write_text("HTTP/1.1 204 No\n\n")
    assert tapedeck("hold", deck.trace, "--replace", "h1", "--with", file).stdout == "h1 edited\n"
    assert tapedeck("hold", deck.trace, "--answer", "h2", "--with", answer).stdout == "h2 answered\n"
    assert tapedeck("hold", deck.trace, "--drop", "h3").stdout == "h3 dropped\n"
    assert tapedeck("hold", deck.trace, "--release", "all").stdout == "1 released\n"
    answers = [each.done() for each in asking]
    assert sorted(each.status if each else 0 for each in answers) == [0, 200, 200, 204]
    assert sorted(path for _, path, _, _ in echo.asked) == ["/edited", "/x"]
    gone = tapedeck("hold", deck.trace, "--release", "h1", status=65)
    assert "h1 is not held" in gone.stderr
    assert tapedeck("hold", deck.trace, "--list").stdout == "nothing is held\n"


def test_an_option_holds_from_the_start(faulty, echo):
    deck = faulty(echo.url, more=("--hold", "path:/x"))
    asking = Asking(deck, "/x")
    for kind in ("request", "response"):
        [item] = held(deck)
        assert item["kind"] == kind
        control(deck, "POST", f"/v1/held/{item['id']}", {"do": "release"})
    assert asking.done().status == 200
