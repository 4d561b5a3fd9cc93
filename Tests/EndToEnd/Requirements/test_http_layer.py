"""The requirements of the HTTP layer, with `client http run` through the recording proxy to a server."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from origins import AnsweringServer
from programs import environment, tapedeck
from proves import proves
from test_client_http import Listening, server_fixture

__all__ = ["server_fixture"]


def send(folder: Path, url: str, *lines: dict, proxy=None, more: tuple = ()) -> list[dict]:
    """Sends a list of requests, through the proxy if there is one; the answers in the order of requests."""
    path = folder / "requests.jsonl"
    path.write_text("".join(json.dumps(line | {"url": url + line["url"]}) + "\n" for line in lines))
    through = ["--proxy", proxy.url] if proxy else []
    done = tapedeck("client", "http", "run", path, "--json", *through, *more, env=environment(), status=None)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(lines), done.stderr
    return sorted(answers, key=lambda answer: answer["number"])


@proves("H-2", "H-4", "H-5", "H-6", "H-7", "H-8", "H-9", "H-15")
def test_a_request_has_what_it_was_given(record, server: Listening, tmp_path) -> None:
    """The server gets it, and the trace has it, as the list says."""
    proxy = record()
    send(tmp_path, server.url, {"url": "/default", "payload": {"n": 1}},
         {"url": "/query?a=0", "requestType": "GET", "payload": {"b": 1}},
         {"url": "/both", "payload": {"n": 1}, "requestBody": "<a/>",
          "headers": {"Content-Type": "text/xml", "X-Mine": "mine"}},
         {"url": "/small", "requestBody": "a" * 1000, "compression": True}, proxy=proxy)
    proxy.finish()
    asked = {path: (method, fields, body) for method, path, fields, body in server.asked}
    assert list(asked) == ["/default", "/query?a=0&b=1", "/both", "/small"]
    assert [method for method, _, _ in asked.values()] == ["POST", "GET", "POST", "POST"]
    assert json.loads(asked["/default"][2]) == {"n": 1} and asked["/query?a=0&b=1"][2] == b""
    assert asked["/both"][2] == b"<a/>"
    assert asked["/both"][1]["x-mine"] == "mine" and asked["/both"][1]["content-type"] == "text/xml"
    coded = [path for path, (_, fields, _) in asked.items() if "content-encoding" in fields]
    assert coded == ["/small"] and asked["/small"][1]["content-encoding"] == "gzip"
    assert gzip.decompress(asked["/small"][2]) == b"a" * 1000 and len(asked["/small"][2]) < 100
    assert proxy.sql("SELECT method, url, CAST(request_body AS TEXT) FROM exchange ORDER BY id") == [
        ("POST", server.url + "/default", '{"n":1}'), ("GET", server.url + "/query?a=0&b=1", ""),
        ("POST", server.url + "/both", "<a/>"), ("POST", server.url + "/small", "a" * 1000)]


@proves("H-16", "H-18", "H-19", "H-20")
def test_every_request_has_one_response(record, server: Listening, tmp_path) -> None:
    """Status, data, an error or none, and the tag; 404 is a response and no error."""
    proxy = record()
    answers = send(tmp_path, server.url, {"url": "/a", "requestTag": "täg 1"}, {"url": "/none", "retryCount": 0},
                   {"url": "/busy", "retryCount": 2, "requestTag": "third"}, proxy=proxy)
    dead = send(tmp_path, "http://127.0.0.1:1", {"url": "/", "retryCount": 0, "requestTag": "dead"})
    proxy.finish()
    assert [answer["requestTag"] for answer in answers + dead] == ["täg 1", None, "third", "dead"]
    assert [answer["status"] for answer in answers + dead] == [200, 404, 200, None]
    assert [answer["data"] for answer in answers + dead] == ["/a", "/none", "/busy", ""]
    assert ["X-Path", "/none"] in answers[1]["headers"] and dead[0]["headers"] is None
    assert [answer["error"] for answer in answers] == [None] * 3
    assert "connect" in dead[0]["error"].lower()
    assert proxy.sql("SELECT path, status FROM exchange ORDER BY id") == [
        ("/a", 200), ("/none", 404), *[("/busy", status) for status in (503, 503, 200)]]


@proves("H-21")
def test_what_is_too_large_is_no_download(tmp_path) -> None:
    """An answer of more than 64 MiB is an error, is not tried again, and nothing of it is kept."""
    class Large(AnsweringServer):
        """Answers with as many bytes as the path says."""

        def answer(self, method, path, headers, body):
            return 200, {}, bytes(int(path[1:]))

    server = Large()
    try:
        most = 64 << 20
        (large,) = send(tmp_path, server.url, {"url": f"/{most + 1}", "requestType": "GET", "retryCount": 3})
    finally:
        server.end()
    assert (large["status"], large["attempts"], large["data"]) == (200, 1, ""), large
    assert str(most) in large["error"]


@proves("H-10", "H-11", "H-12")
def test_what_fails_is_tried_as_often_as_it_says(record, raw_origin, tmp_path) -> None:
    """Once more where nothing is said; a server in trouble, a cut connection and no connection alike."""
    def serve_one(socket) -> None:
        request = socket.recv(65536)
        if b"/trouble" in request:
            socket.sendall(b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        socket.close()

    server = raw_origin(serve_one)
    proxy = record()
    url = f"http://{server.address}"
    lines = [{"url": "/trouble"}, {"url": "/trouble", "retryCount": 0}, {"url": "/trouble", "retryCount": 2}]
    assert [answer["attempts"] for answer in send(tmp_path, url, *lines, proxy=proxy)] == [2, 1, 3]
    proxy.finish()
    assert proxy.sql("SELECT count(*) FROM exchange WHERE status = 500") == [(6,)]
    cut = send(tmp_path, url, {"url": "/cut"}, {"url": "/cut", "retryCount": 0})
    assert [(answer["attempts"], answer["status"]) for answer in cut] == [(2, None), (1, None)]
    dead = send(tmp_path, "http://127.0.0.1:1", {"url": "/"}, {"url": "/", "retryCount": 0})
    assert [answer["attempts"] for answer in dead] == [2, 1]


@proves("H-3", "H-11")
@pytest.mark.parametrize(("line", "says"), [
    ({"requestType": "PUT"}, '"POST" or "GET"'), ({"requestType": "HEAD"}, '"POST" or "GET"'),
    ({"retryCount": 16}, "0 to 15"), ({"retryCount": -1}, "0 to 15"),
    ({"priority": "High"}, '"Immediate" or "Normal"')])
def test_other_values_are_refused(tmp_path, line, says) -> None:
    """The list is refused, with the reason."""
    path = tmp_path / "requests.jsonl"
    path.write_text(json.dumps({"url": "http://127.0.0.1:1/"} | line))
    assert says in tapedeck("client", "http", "run", path, status=65).stderr


@proves("H-11")
def test_the_most_retries_are_accepted(server: Listening, tmp_path) -> None:
    """15 is no mistake; the request has its answer at once."""
    assert [answer["attempts"] for answer in send(tmp_path, server.url, {"url": "/a", "retryCount": 15})] == [1]


@proves("H-1")
def test_an_address_without_a_scheme_is_https(record, tls_origin, trust, certificates, tmp_path) -> None:
    """Through the proxy, which reads what is in the TLS."""
    proxy = record("--server-ca", certificates.authority)
    (answer,) = send(tmp_path, tls_origin.address, {"url": "/status/200", "requestType": "GET"}, proxy=proxy,
                     more=("--ca", trust))
    proxy.finish()
    assert answer["status"] == 200, answer
    assert proxy.sql("SELECT url FROM exchange WHERE method = 'GET'") == [(tls_origin.url + "/status/200",)]
