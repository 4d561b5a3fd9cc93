"""Each action on exchanges, felt by a client and a server that are not ours."""

from __future__ import annotations

import gzip
import http.client
import json
import re
import socket
import subprocess
import time
import xml.etree.ElementTree as ElementTree

import pytest
import requests
from faults import (ask, commcare_fixture, fault, faults, faulty_fixture, feels, line,
                    web_fixture)
from programs import DEADLINE, curl, eventually, tapedeck
from serving import RESPONSE, CommCareServer, form, nature
from wire import RawClient, recorded

__all__ = ["commcare_fixture", "faulty_fixture", "web_fixture"]

RESTORE = "/a/demo/phone/restore/?version=2.0"
RECEIVER = "/a/demo/receiver/"
FORM = form("one").encode()
# Long enough for an answer that comes, short enough to wait for one that does not.
SOON = 1.5


# What a server would say

@feels("status")
@pytest.mark.parametrize(("code", "field", "value"), [
    (429, "retry-after", "30"), (503, "retry-after", "30"), (500, "content-type", "text/plain"),
    (401, "www-authenticate", "Basic "), (404, "content-type", "text/plain"),
    (406, "content-type", "application/json"), (412, "content-type", "text/xml")])
def test_a_status_of_the_protocol(faulty, commcare, code, field, value):
    deck = faulty(commcare.url, f"api:commcare.restore => {code} first=1")
    answer = ask(deck, RESTORE)
    assert answer.status == code
    assert answer.fields[field].startswith(value)
    assert not commcare.seen, "the server never hears of it"
    assert ask(deck, RESTORE).status == 200
    row = fault(deck, f"status {code}")
    assert row.came.startswith(f"GET {RESTORE} HTTP/1.1\r\n".encode())
    head, _, body = row.sent.partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {code} ".encode()) and body == answer.body
    assert deck.eventually_sql("SELECT 1 FROM exchange WHERE status = 200")
    assert deck.sql("SELECT status, fault_id IS NOT NULL FROM exchange ORDER BY id") == [
        (code, 1), (200, 0)]


@feels("status")
def test_406_is_json(faulty, commcare):
    deck = faulty(commcare.url,
                  'api:commcare.* => 406 key=user.gone message="Go \\"home\\" Łucja"')
    said = json.loads(requests.get(deck.url + RESTORE, timeout=DEADLINE).text)
    assert said == {"error": "user.gone", "default_response": 'Go "home" Łucja'}


@feels("status")
@pytest.mark.parametrize(("code", "path", "said"), [
    (422, RECEIVER, "processing_failure"), (412, RESTORE, "ota_restore_error")])
def test_an_openrosa_response(faulty, commcare, code, path, said):
    deck = faulty(commcare.url, f'api:commcare.* => {code} message="<no> & no"')
    answer = requests.request("POST" if path == RECEIVER else "GET", deck.url + path,
                              data=FORM if path == RECEIVER else None, timeout=DEADLINE)
    assert answer.status_code == code and nature(answer) == said
    message = ElementTree.fromstring(answer.content).find(RESPONSE + "message")
    assert message.text == "<no> & no"
    assert not commcare.seen


@feels("status")
def test_progress_grows(faulty, commcare):
    deck = faulty(commcare.url,
                  "api:commcare.restore => 202 retry-after=1 progress=20/100 step=35 first=3")
    seen = []
    for _ in range(3):
        answer = ask(deck, RESTORE)
        assert (answer.status, answer.fields["retry-after"]) == (202, "1")
        progress = ElementTree.fromstring(answer.body).find(".//{*}progress")
        seen.append((int(progress.get("done")), int(progress.get("total"))))
    assert seen == [(20, 100), (55, 100), (90, 100)]
    assert ask(deck, RESTORE).status == 200
    assert [row.occurrence for row in faults(deck, 3)] == [1, 2, 3]


@feels("status")
def test_a_status_with_fields_and_a_body(faulty, web, tmp_path):
    (tmp_path / "page.html").write_text("<p>from a file</p>")
    deck = faulty(web.url, 'path:/own => 418 body="{\\"a\\":1}" header="X-One: 1" '
                  'header="X-One: 2" retry-after="in a while"',
                  f"path:/file => 200 type=text/html body-file={tmp_path}/page.html")
    answer = requests.get(deck.url + "/own", timeout=DEADLINE)
    assert (answer.status_code, answer.json()) == (418, {"a": 1})
    assert answer.headers["X-One"] == "1, 2" and answer.headers["Retry-After"] == "in a while"
    answer = requests.get(deck.url + "/file", timeout=DEADLINE)
    assert (answer.headers["Content-Type"], answer.text) == ("text/html", "<p>from a file</p>")
    assert not web.seen


@feels("answer")
def test_an_answer_of_ones_own_is_not_judged(faulty, web):
    deck = faulty(web.url, 'path:/config => answer type=application/json body={"a":1}',
                  "path:/gone => answer 404", "path:/plain => 200 body=x",
                  "path:/broken => 500 first=1")
    assert requests.get(deck.url + "/config", timeout=DEADLINE).json() == {"a": 1}
    assert ask(deck, "/gone").status == 404
    assert ask(deck, "/plain").body == b"x"
    assert not web.seen
    assert ask(deck, "/broken").status == 500
    assert ask(deck, "/broken").status == 200
    faults(deck, 4)
    deck.finish()
    done = tapedeck("faults", "report", deck.trace)
    assert "2 faults: 1 recovered, 0 not recovered, 0 undecided, 1 not judged" in done.stdout
    report = json.loads(tapedeck("faults", "report", deck.trace, "--json").stdout)
    assert (report["recovered"], report["not-judged"]) == (1, 1)
    assert [each["verdict"] for each in report["sessions"][0]["faults"]] == [None, "recovered"]
    assert deck.sql("SELECT count(*) FROM fault_verdict") == [(1,)]
    junit = tapedeck("faults", "report", deck.trace, "--junit", "-").stdout
    assert junit.count('<skipped message="not judged"/>') == 1


@feels("status")
def test_a_status_for_a_form_that_the_server_took(faulty, commcare):
    deck = faulty(commcare.url, "api:commcare.submit => 503 forwarded first=1")
    wire = line(deck)
    assert ask(wire, RECEIVER, FORM).status == 503
    assert list(commcare.forms) == ["one"]
    assert ask(wire, RECEIVER, FORM).status == 201
    row = fault(deck, "status 503 forwarded")
    assert row.came.startswith(b"HTTP/1.1 201 ") and row.sent.startswith(b"HTTP/1.1 503 ")
    assert b"HTTP/1.1 201" in recorded(deck.trace, 1, forwarded=False).partition(b"\r\n")[0]


@feels("status")
def test_curl_is_answered_for_it_while_it_waits_to_go_on(faulty, web, tmp_path):
    (tmp_path / "large").write_bytes(b"x" * 3_000_000)
    deck = faulty(web.url, "=> 413")
    done = curl("-o", tmp_path / "said", "-w", "%{http_code}", "-H", "Expect: 100-continue",
                "--data-binary", f"@{tmp_path}/large", deck.url + "/a")
    assert done.stdout == b"413"
    assert not web.seen


@pytest.mark.parametrize("together", [False, True], ids=["one-by-one", "in-one-write"])
def test_requests_in_a_row_are_answered_in_their_order(faulty, raw_origin, together):
    """Pipelined, the second of three is answered here, however the server's answers come."""
    asked: list[bytes] = []

    def serve(accepted: socket.socket) -> None:
        said = b""
        for number in (1, 2):
            got = b""
            while not got.endswith(b"\r\n\r\n"):
                got += accepted.recv(1)
            asked.append(got.split()[1])
            said += b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n" + got.split()[1][:5] + b"\n"
            if number == 2 or not together:
                accepted.sendall(said)
                said = b""

    deck = faulty(raw_origin(serve).url, "path:/two => 503")
    with RawClient(deck.port) as raw:
        raw.send(b"".join(f"GET /{name} HTTP/1.1\r\nHost: x\r\n{more}\r\n".encode()
                          for name, more in (("one1", ""), ("two", ""),
                                             ("thre", "Connection: close\r\n"))))
        said = raw.read_to_end()
    assert [part[:3] for part in said.split(b"HTTP/1.1 ")[1:]] == [b"200", b"503", b"200"], said
    assert said.index(b"/one1") < said.index(b"503 ") < said.index(b"/thre")
    assert asked == [b"/one1", b"/thre"]


# Answers that do not come

@feels("lose-answer")
@pytest.mark.parametrize(("how", "error"), [
    ("close", http.client.RemoteDisconnected), ("reset", ConnectionResetError),
    ("stall", TimeoutError)])
def test_the_server_took_it_and_the_client_does_not_know(faulty, commcare, how, error):
    deck = faulty(commcare.url, f"api:commcare.submit => lose-answer how={how} first=1")
    with pytest.raises(error) as raised:
        ask(deck, RECEIVER, FORM, timeout=SOON)
    assert raised.type is error
    assert list(commcare.forms) == ["one"], "the server has the form"
    assert ask(deck, RECEIVER, FORM).status == 201
    row = fault(deck, "lose-answer")
    assert row.came.startswith(b"HTTP/1.1 201") and row.sent == b""


@feels("drop")
@pytest.mark.parametrize(("close", "error"), [
    ("", TimeoutError), (" close", http.client.RemoteDisconnected)])
def test_a_request_that_is_not_forwarded(faulty, web, close, error):
    deck = faulty(web.url, f"path:/lost => drop{close}")
    with pytest.raises(error):
        ask(deck, "/lost", timeout=SOON)
    assert ask(deck, "/there").status == 200
    assert [seen[1] for seen in web.seen] == ["/there"]
    row = fault(deck, "drop")
    assert row.came.startswith(b"GET /lost HTTP/1.1") and row.sent == b""


@feels("truncate")
def test_a_body_cut_at_a_byte(faulty, web):
    deck = faulty(web.url, "path:/cut => truncate 5")
    with pytest.raises(http.client.IncompleteRead) as raised:
        ask(deck, "/cut", b"0123456789")
    assert raised.value.partial == b"01234"
    assert curl("--data", "0123456789", deck.url + "/cut", status=18).stdout == b"01234"
    assert [seen[3] for seen in web.seen] == [b"0123456789"] * 2
    assert [row.action for row in faults(deck, 2)] == ["truncate 5"] * 2


# Answers that are wrong

@feels("answer-twice")
def test_an_answer_that_comes_twice(faulty, web):
    deck = faulty(web.url, "path:/twice => answer-twice")
    with RawClient(deck.port) as raw:
        raw.send(f"POST /twice HTTP/1.1\r\nHost: {web.address}\r\nContent-Length: 3\r\n\r\nabc"
                 .encode())
        first = raw.read_until(b"\r\n\r\nabc")
        assert raw.read_exactly(len(first)) == first
    assert len(web.seen) == 1
    assert ask(deck, "/twice", b"abc").body == b"abc"
    row = faults(deck, 2)[0]
    assert row.action == "answer-twice" and row.sent.startswith(first)


@feels("corrupt")
def test_bytes_of_an_answer_are_changed(faulty, web):
    plain = bytes(range(256))
    deck = faulty(web.url, "path:/a => corrupt at=100 count=4", "path:/b => corrupt")
    changed = ask(deck, "/a", plain).body
    assert [at for at in range(256) if changed[at] != plain[at]] == [100, 101, 102, 103]
    changed = ask(deck, "/b", plain).body
    assert len(changed) == 256 and sum(a != b for a, b in zip(changed, plain, strict=True)) == 1
    first, second = faults(deck, 2)
    assert first.came == plain[100:104] and len(first.sent) == 4 and first.sent != first.came
    assert second.sender == 1 and len(second.came) == 1


@feels("corrupt")
def test_bytes_of_a_request_are_changed(faulty, web):
    deck = faulty(web.url, "=> corrupt at=2 sender=client")
    assert ask(deck, "/", b"abcde").status == 200
    [(_, _, _, got)] = web.seen
    assert got[:2] + got[3:] == b"abde" and got[2:3] != b"c"
    assert (fault(deck, "corrupt").sender, fault(deck).came, fault(deck).sent) == (
        0, b"c", got[2:3])


@feels("length")
def test_a_length_that_is_wrong(faulty, web):
    deck = faulty(web.url, "path:/short => length -4", "path:/long => length 10")
    answer = ask(deck, "/short", b"0123456789")
    assert (answer.fields["content-length"], answer.body) == ("6", b"012345")
    with pytest.raises(TimeoutError):
        ask(deck, "/long", b"0123456789", timeout=SOON)
    first, second = faults(deck, 2)
    assert b"Content-Length: 10\r\n" in first.came and b"Content-Length: 6\r\n" in first.sent
    assert b"Content-Length: 20\r\n" in second.sent


@feels("content-type")
def test_a_type_that_is_wrong(faulty, web):
    deck = faulty(web.url, "path:/answer => content-type text/html",
                  'path:/request => content-type "a/b; c=d" sender=client')
    answer = ask(deck, "/answer", b"<x/>", Content_Type="text/xml")
    assert (answer.fields["content-type"], answer.body) == ("text/html", b"<x/>")
    assert ask(deck, "/request", b"<x/>", Content_Type="text/xml").status == 200
    assert [seen[2]["Content-Type"] for seen in web.seen] == ["text/xml", "a/b; c=d"]
    assert [row.sender for row in faults(deck, 2)] == [1, 0]
    deck.finish()
    # The bytes are those of the peers; where they were changed is said beside them.
    for sender, path, sent, got in ((1, "/answer", "text/xml", "text/html"),
                                    (0, "/request", "text/xml", "a/b; c=d")):
        assert f"Content-Type: {sent}\r\n".encode() in recorded(deck.trace, sender, False)
        assert f"Content-Type: {got}\r\n".encode() in recorded(deck.trace, sender, True)
        theirs = [(sent, got), (got, sent)][sender]
        assert deck.sql(
            "SELECT x.side, x.fate, x.is_local, b.content_type, x.id = (SELECT y.counterpart_id "
            "FROM any_exchange y WHERE y.id = x.counterpart_id) FROM any_exchange x "
            "JOIN body b ON b.exchange_id = x.id AND b.sender = ? WHERE x.path = ? ORDER BY x.side",
            sender, path) == [("client", "altered", 0, theirs[0], 1),
                              ("server", "altered", 0, theirs[1], 1)]
    assert deck.sql("SELECT count(*) FROM chunk WHERE origin = 1") == [(0,)]
    # Only the bytes that differ, and whose they are.
    assert deck.sql(
        "SELECT c.sender, p.inserted FROM patch p JOIN chunk c ON c.id = p.chunk_id "
        "WHERE p.reason = 'fault' ORDER BY c.sender DESC") == [(1, b"ht"), (0, b"a/b; c=d")]
    assert deck.sql("SELECT f.sender, x.side FROM fault f JOIN any_exchange x "
                    "ON x.id = f.exchange_id ORDER BY f.id") == [(1, "server"), (0, "client")]


@feels("cut-xml")
def test_xml_that_ends_in_its_middle(faulty, program):
    """Compressed, with a length that is right: only the parser notices."""
    server = CommCareServer()
    try:
        assert server.submit(form("one")).status_code == 201
        deck = faulty(server.url("", "http"), "api:commcare.restore => cut-xml first=1",
                      "api:commcare.restore => cut-xml 60 nth=2")
        server.root = deck.url + "/a/demo"
        for cut in (None, 60):
            answer = server.restore()
            assert answer.status_code == 200
            with pytest.raises(ElementTree.ParseError):
                ElementTree.fromstring(answer.content)
            assert cut is None or len(answer.content) == cut
        whole = server.restore()
        assert ElementTree.fromstring(whole.content).tag == RESPONSE + "OpenRosaResponse"
        for row in faults(deck, 2):
            assert row.action.startswith("cut-xml")
            [(whole, part)] = deck.sql(
                "SELECT CAST(s.content AS BLOB), CAST(c.content AS BLOB) FROM any_exchange x "
                "JOIN body s ON s.exchange_id = x.id AND s.sender = 1 "
                "JOIN body c ON c.exchange_id = x.counterpart_id AND c.sender = 1 WHERE x.id = ?",
                row.exchange)
            assert whole.startswith(part) and len(part) < len(whole)
    finally:
        server.kill()


@feels("cut-xml")
def test_xml_without_compression_is_cut_as_well(faulty, web):
    deck = faulty(web.url, "=> cut-xml 7")
    assert ask(deck, "/", b"<a><b/></a>", Content_Type="text/xml").body == b"<a><b/>"
    assert (fault(deck).came[-11:], fault(deck).sent[-7:]) == (
        b"<a><b/></a>", b"<a><b/>")


@feels("set-header", "remove-header")
def test_fields_that_are_set_and_removed(faulty, web):
    deck = faulty(web.url, 'path:/date => set-header Date "Thu, 01 Jan 1998 00:00:00 GMT"',
                  "path:/sent => set-header X-Token expired sender=client",
                  "path:/bare => remove-header Date",
                  "path:/gone => remove-header X-Token sender=client")
    assert ask(deck, "/date").fields["date"] == "Thu, 01 Jan 1998 00:00:00 GMT"
    assert ask(deck, "/sent", X_Token="good").status == 200
    assert web.seen[-1][2].get_all("X-Token") == ["expired"]
    assert "date" not in ask(deck, "/bare").fields
    assert ask(deck, "/gone", X_Token="good").status == 200
    assert web.seen[-1][2]["X-Token"] is None
    rows = faults(deck, 4)
    assert [row.sender for row in rows] == [1, 0, 1, 0]
    assert b"1998" not in rows[0].came and b"1998" in rows[0].sent
    assert b"good" in rows[1].came and b"expired" in rows[1].sent
    assert b"Date" not in rows[2].sent and b"good" not in rows[3].sent


def test_fields_of_a_compressed_answer(faulty, web):
    deck = faulty(web.url, "path:/coded/gzip => remove-header Content-Encoding")
    answer = ask(deck, "/coded/gzip")
    assert "content-encoding" not in answer.fields
    assert gzip.decompress(answer.body).startswith(b"coded text")


# Twice, later, slower

@feels("repeat")
def test_a_request_that_the_server_gets_again(faulty, web):
    deck = faulty(web.url, "path:/again => repeat count=2")
    wire = line(deck)
    assert ask(wire, "/again", b"abc").body == b"abc"
    assert json.loads(ask(wire, "/next").body)["path"] == "/next"
    eventually(lambda: len(web.seen) == 4, "four requests at the server")
    assert [(seen[1], seen[3]) for seen in web.seen] == [("/again", b"abc")] * 3 + [("/next", b"")]
    row = fault(deck, "repeat")
    assert row.sent.startswith(b"POST /again") and row.sender == 0


@feels("latency")
@pytest.mark.parametrize("sender", ["client", "server"])
def test_a_request_or_an_answer_that_is_late(faulty, web, sender):
    deck = faulty(web.url, f"path:/late => latency 400ms jitter=50ms sender={sender}")
    began = time.monotonic()
    assert ask(deck, "/late", b"abc").body == b"abc"
    assert time.monotonic() - began >= 0.35
    assert fault(deck, "latency 400ms jitter=50ms").sender == ("client", "server").index(sender)


@feels("stall")
def test_an_answer_that_stalls(faulty, web):
    deck = faulty(web.url, "path:/stuck => stall sender=server")
    with pytest.raises(TimeoutError):
        ask(deck, "/stuck", timeout=SOON)
    assert ask(deck, "/free").status == 200
    assert [seen[1] for seen in web.seen] == ["/stuck", "/free"]
    fault(deck, "stall sender=server")


@feels("close", "reset")
@pytest.mark.parametrize(("action", "error"), [
    ("close", http.client.RemoteDisconnected), ("reset", ConnectionResetError)])
def test_a_connection_that_ends_instead_of_an_answer(faulty, web, action, error):
    deck = faulty(web.url, f"path:/end => {action}")
    with pytest.raises(error) as raised:
        ask(deck, "/end")
    assert raised.type is error
    assert ask(deck, "/free").status == 200
    assert [seen[1] for seen in web.seen] == ["/free"]
    assert fault(deck, action).came.startswith(b"GET /end")


@feels("half-close")
def test_an_answer_that_ends_while_the_client_may_go_on(faulty, web):
    deck = faulty(web.url, "path:/half => half-close sender=server")
    with RawClient(deck.port) as raw:
        raw.send(f"GET /half HTTP/1.1\r\nHost: {web.address}\r\n\r\n".encode())
        assert raw.read_to_end().count(b"HTTP/1.1") <= 1
        # The other way is still open.
        raw.connection.sendall(b"GET /more HTTP/1.1\r\n")
    fault(deck, "half-close")


@feels("bandwidth", "slice")
@pytest.mark.parametrize(("action", "least"), [
    ("bandwidth 20000 sender=server", 0.4), ("slice 500 pause=20ms sender=server", 0.3)])
def test_an_answer_that_comes_slowly(faulty, web, action, least):
    deck = faulty(web.url, f"path:/slow => {action}")
    plain = b"0123456789" * 1200
    began = time.monotonic()
    assert ask(deck, "/slow", plain).body == plain
    assert time.monotonic() - began >= least
    assert ask(deck, "/fast", plain).body == plain
    fault(deck, action)


@feels("cut")
@pytest.mark.parametrize("how", ["close", "reset"])
def test_an_answer_that_is_cut(faulty, web, how):
    deck = faulty(web.url, f"path:/cut => cut 200 how={how} sender=server")
    with socket.create_connection(("127.0.0.1", deck.port), timeout=DEADLINE) as raw:
        raw.sendall(f"GET /cut HTTP/1.1\r\nHost: {web.address}\r\n\r\n".encode())
        got = b""
        try:
            while data := raw.recv(4096):
                got += data
            end = "close"
        except ConnectionResetError:
            end = "reset"
    # A reset may overtake what was sent before it.
    assert end == how and (len(got) == 200 or (how == "reset" and len(got) < 200))
    fault(deck, "cut 200")


@feels("blackout")
def test_an_exchange_that_falls_into_a_blackout(faulty, web):
    deck = faulty(web.url, "path:/dark => blackout for=600ms")
    began = time.monotonic()
    assert ask(deck, "/dark", b"abc").body == b"abc"
    assert time.monotonic() - began >= 0.55
    fault(deck, "blackout")


def test_rules_go_together_until_one_takes_the_exchange_away(faulty, web):
    deck = faulty(web.url, "path:/x => latency 300ms sender=client", "path:/x => 503",
                  "path:/x => set-header X-Never 1 sender=client")
    began = time.monotonic()
    assert ask(deck, "/x").status == 503
    assert time.monotonic() - began >= 0.29
    assert [row.rule for row in faults(deck, 3)] == ["rule-1", "rule-2", "rule-3"]
    assert not web.seen
    assert deck.sql("SELECT rule, effect, problem FROM fault ORDER BY id") == [
        ("rule-1", "delayed", None), ("rule-2", "answered", None),
        ("rule-3", "none", "rule rule-2 took the message before")]


def test_in_chunks_and_without_length(faulty, raw_origin):
    """What changes a body does so whatever its framing is."""
    def serve(accepted: socket.socket) -> None:
        asked = b""
        while b"\r\n\r\n" not in asked:
            asked += accepted.recv(4096)
        if b"/chunks" in asked:
            accepted.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                             b"Content-Type: text/xml\r\n\r\n3\r\n<a>\r\n9;x=y\r\n<b/></a>\n\r\n"
                             b"0\r\nX-T: 1\r\n\r\n")
        else:
            accepted.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n<a><b/></a>\n")

    origin = raw_origin(serve)
    deck = faulty(origin.url, "path~cut => cut-xml 5", "path~spoil => corrupt at=1 count=2")
    for framing in ("chunks", "end"):
        assert ask(deck, f"/{framing}/cut").body == b"<a><b"
        spoilt = ask(deck, f"/{framing}/spoil").body
        assert spoilt[:1] + spoilt[3:] == b"<<b/></a>\n" and spoilt[1:3] != b"a>"
    assert len(faults(deck, 4)) == 4


def test_the_summary_counts(faulty, web):
    deck = faulty(web.url, "path:/hit => 503 name=known", "path:/never => 503 name=unknown")
    ask(deck, "/hit")
    deck.finish()
    assert deck.sql("SELECT seed FROM session") == [("7",)]
    assert re.search(r"seed\W+7\b", deck.said()), deck.said()
    named = [each for each in deck.output + deck.errors if "matched nothing" in each]
    assert len(named) == 1 and "unknown" in named[0], deck.said()


def test_what_could_not_be_done_is_said_and_not_counted(faulty, web):
    """An action that finds nothing to change leaves a row that says so, and the bytes alone."""
    deck = faulty(web.url, "path:/hit => remove-header X-Token sender=client name=token",
                  "path:/hit => cut-xml name=cut after=9s")
    began = time.monotonic()
    assert ask(deck, "/hit", X_Token="good").status == 200
    assert ask(deck, "/hit", b"no XML", Content_Type="text/xml").body == b"no XML"
    assert time.monotonic() - began < 9, "nothing waits for what is not done"
    deck.eventually_sql("SELECT 1 WHERE (SELECT count(*) FROM fault) = 4")
    listed = tapedeck("faults", "list", deck.trace, "--json")
    assert [(rule["name"], rule["matched"], rule["fired"], rule["failed"])
            for rule in json.loads(listed.stdout)["rules"]] == [
        ("token", 2, 1, 1), ("cut", 2, 0, 2)]
    deck.finish()
    rows = deck.sql("SELECT rule, effect, problem FROM fault ORDER BY rule, effect")
    assert [row[:2] for row in rows] == [
        ("cut", "none"), ("cut", "none"), ("token", "altered"), ("token", "none")]
    assert [row[2] is None for row in rows] == [False, False, True, False]
    assert "the body is not XML" in [row[2] for row in rows]
    report = tapedeck("faults", "report", deck.trace).stdout
    assert "1 fault: 1 recovered, 0 not recovered, 0 undecided; 3 more could not be done" in report
    assert len(re.findall(r"not done +the ", report)) == 3, report
    assert any("3 more could not be done" in each for each in deck.output + deck.errors)


def test_the_program_lists_them(faulty, web):
    """In the pages of the exchange."""
    deck = faulty(web.url, "path:/hit => 503 name=busy")
    ask(deck, "/hit")
    deck.finish()
    shown = subprocess.run([deck.command[0], "ls", str(deck.trace), "fault:busy"],
                           capture_output=True, text=True, check=False)
    assert "503" in shown.stdout, shown
