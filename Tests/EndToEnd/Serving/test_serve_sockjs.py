"""Proves that `tapedeck serve` speaks the transports of SockJS over HTTP, as SockJS protocol 0.3.3 has
them: to plain requests, and to sockjs-client."""

from __future__ import annotations

import json
import subprocess
import urllib.parse
from collections.abc import Iterator

import pytest
import requests
from programs import DEADLINE, environment, eventually
from serving import TOKEN, Client, Server

INIT = json.dumps({"clientid": "c1", "api": "1.1", "token": TOKEN, "app_id": "app", "name": "notes",
                   "library": "x", "version": "1"})
BASE = "/sock/1/app/000/"


@pytest.fixture
def server() -> Iterator[Server]:
    """A running server."""
    started = Server()
    yield started
    started.kill()


def post(server: Server, path: str, body: str | bytes = b"", **options) -> requests.Response:
    """Posts to a session."""
    return requests.post(server.url(BASE + path, "http"), body, timeout=DEADLINE, **options)


def send(server: Server, session: str, *texts: str) -> None:
    """Sends messages in a session."""
    answer = post(server, f"{session}/xhr_send", json.dumps(texts))
    assert (answer.status_code, answer.content) == (204, b"")


def test_polling(server) -> None:
    """Each request gets one frame, the first of a session `o`."""
    answer = post(server, "poll/xhr", headers={"Origin": "http://example.org"})
    assert (answer.status_code, answer.text) == (200, "o\n")
    assert answer.headers["Content-Type"] == "application/javascript; charset=UTF-8"
    assert answer.headers["Access-Control-Allow-Origin"] == "http://example.org"
    assert answer.headers["Access-Control-Allow-Credentials"] == "true"
    assert "no-store" in answer.headers["Cache-Control"]
    send(server, "poll", f"0:init:{INIT}")
    assert post(server, "poll/xhr").text == 'a["0:auth:01234567@simperium.invalid"]\n'
    send(server, "poll", "h:3", "0:i::::10")
    texts: list[str] = []
    while len(texts) < 2:
        texts += json.loads(post(server, "poll/xhr").text.removeprefix("a"))
    assert texts[0] == "h:4" and texts[1].startswith("0:i:")


def test_a_change_reaches_sessions_of_all_kinds(server) -> None:
    """What a WebSocket changes, a poll gets."""
    post(server, "kinds/xhr")
    send(server, "kinds", f"0:init:{INIT}")
    post(server, "kinds/xhr")
    socket = Client(server.url())
    socket.join(client="c2")
    made = socket.change(id="n", v={"t": {"o": "+", "v": "\u2028 größe"}})
    (text,) = json.loads(post(server, "kinds/xhr").text.removeprefix("a"))
    assert Client.changes(text) == [made]


def frames(answer: requests.Response, end: str) -> Iterator[str]:
    """What a streamed answer brings, piece by piece."""
    left = ""
    for piece in answer.iter_content(None, decode_unicode=False):
        left += piece.decode()
        while end in left:
            frame, _, left = left.partition(end)
            yield frame


def test_streaming(server) -> None:
    """One answer brings frame after frame, behind 2 KiB that make browsers show them."""
    answer = post(server, "stream/xhr_streaming", stream=True)
    assert answer.headers["Content-Type"] == "application/javascript; charset=UTF-8"
    came = frames(answer, "\n")
    assert next(came) == "h" * 2048
    assert next(came) == "o"
    send(server, "stream", "h:1")
    assert next(came) == 'a["h:2"]'
    # A second request for the same session is turned away, and the first goes on.
    assert post(server, "stream/xhr").text == 'c[2010,"Another connection still open"]\n'
    send(server, "stream", "h:2")
    assert next(came) == 'a["h:3"]'
    answer.close()


def test_a_streamed_answer_ends(server) -> None:
    """After 128 KiB a client has to ask again, and nothing is lost between."""
    answer = post(server, "long/xhr_streaming", stream=True)
    came = frames(answer, "\n")
    assert [next(came), next(came)] == ["h" * 2048, "o"]
    send(server, "long", f"0:init:{INIT}")
    assert "auth" in next(came)
    large = {"id": "n", "o": "M", "ccid": "a" * 32, "v": {"t": {"o": "+", "v": "x" * 200_000}}}
    send(server, "long", f"0:c:{json.dumps(large)}")
    assert "x" * 200_000 in next(came)
    assert list(came) == []
    send(server, "long", "h:5")
    assert post(server, "long/xhr").text == 'a["h:6"]\n'


def test_eventsource(server) -> None:
    """Events of `text/event-stream`."""
    answer = requests.get(server.url(BASE + "events/eventsource", "http"), stream=True,
                          timeout=DEADLINE)
    assert answer.headers["Content-Type"] == "text/event-stream; charset=UTF-8"
    came = frames(answer, "\r\n\r\n")
    assert next(came) == "\r\ndata: o"
    send(server, "events", "h:1")
    assert next(came) == 'data: a["h:2"]'
    answer.close()


def test_jsonp(server) -> None:
    """Calls of a function, and messages in a form."""
    url = server.url(BASE + "script/jsonp", "http")
    answer = requests.get(url, {"c": "parent.f_1"}, timeout=DEADLINE)
    assert answer.text == '/**/parent.f_1("o");\r\n'
    form = urllib.parse.urlencode({"d": '["h:1"]'})
    sent = post(server, "script/jsonp_send", form,
                headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert (sent.status_code, sent.text) == (200, "ok")
    assert post(server, "script/jsonp_send", '["h:5"]',
                headers={"Content-Type": "text/plain"}).text == "ok"
    came = ""
    while "h:6" not in came:
        came += requests.get(url, {"c": "f"}, timeout=DEADLINE).text
    assert came.startswith('/**/f("a[\\"h:2\\"')
    assert requests.get(url, timeout=DEADLINE).status_code == 500
    assert requests.get(url, {"c": "alert(1);f"}, timeout=DEADLINE).status_code == 500


def test_what_is_wrong(server) -> None:
    """Sessions that are not there, payloads that are none, methods and names that are not allowed."""
    assert post(server, "none/xhr_send", '["a"]').status_code == 404
    post(server, "wrong/xhr")
    for body, says in (("", "Payload expected."), ('["a', "Broken JSON encoding.")):
        answer = post(server, "wrong/xhr_send", body)
        assert (answer.status_code, answer.text) == (500, says)
    url = server.url(BASE + "wrong/xhr", "http")
    assert requests.get(url, timeout=DEADLINE).status_code == 405
    assert post(server, "dot.ted/xhr").status_code == 404
    asked = requests.options(url, timeout=DEADLINE, headers={
        "Origin": "http://example.org", "Access-Control-Request-Headers": "content-type"})
    assert (asked.status_code, asked.headers["Access-Control-Allow-Methods"]) == (204, "OPTIONS, POST")
    assert asked.headers["Access-Control-Allow-Headers"] == "content-type"


def test_a_session_ends(server) -> None:
    """A session that nobody asks for ends after five seconds; its channels are free again."""
    post(server, "left/xhr")
    send(server, "left", f"0:init:{INIT}")
    assert [each["transport"] for each in server.ask("GET", "connections").json()] == ["sockJS"]
    eventually(lambda: not server.ask("GET", "connections").json(), "the session to end")
    assert post(server, "left/xhr_send", '["h:1"]').status_code == 404
    assert post(server, "left/xhr").text == "o\n"


SCRIPT = """
const SockJS = require("sockjs-client");
const socket = new SockJS(process.argv[1], null, {transports: [process.argv[2]]});
socket.onopen = () => socket.send("0:init:" + process.argv[3]);
socket.onmessage = event => {
    console.log(socket.transport + " " + event.data);
    if (event.data.startsWith("0:auth")) socket.send("h:41");
    if (event.data === "h:42") socket.close();
};
socket.onclose = event => { console.log("closed " + event.code); process.exit(0); };
"""


# Where Debian's packages for Node.js are; that of other builds looks elsewhere.
MODULES = "/usr/share/nodejs"


@pytest.mark.parametrize("transport", ["websocket", "xhr-streaming", "xhr-polling", "eventsource"])
def test_sockjs_client(server, transport) -> None:
    """A client that nobody here wrote, over each transport that it has without a browser."""
    done = subprocess.run(
        ["node", "-e", SCRIPT, server.url("/sock/1/app", "http"), transport, INIT],
        capture_output=True, text=True, timeout=DEADLINE, check=True, env=environment(NODE_PATH=MODULES))
    assert done.stdout.splitlines() == [
        f"{transport} 0:auth:01234567@simperium.invalid", f"{transport} h:42", "closed 1000"]
