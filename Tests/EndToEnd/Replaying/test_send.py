"""Proves: `send` repeats what a client sent, byte for byte or edited, to real servers, and shows the answer
beside the recorded one; what is secret goes to no other host."""

from __future__ import annotations

import gzip
import json
import uuid
from pathlib import Path

import pytest
from programs import curl, environment, tapedeck
from serving import OTHER, TOKEN, Client, Server


def only(proxy) -> int:
    """The number of the one exchange that is no tunnel."""
    [(number,)] = proxy.eventually_sql(
        "SELECT id FROM exchange WHERE status IS NOT NULL AND method <> 'CONNECT'")
    return number


def editor(folder: Path, script: str) -> dict[str, str]:
    """An environment whose editor is a Python program that changes the variable `text`."""
    path = folder / f"editor-{uuid.uuid4().hex}.py"
    path.write_text("import sys\npath = sys.argv[1]\ntext = open(path, newline='').read()\n"
                    f"{script}\nopen(path, 'w', newline='').write(text)\n")
    return environment(EDITOR=f"python3 {path}", VISUAL="")


@pytest.fixture(name="recorded")
def recorded_fixture(record, origin):
    """A recording that goes on, with one request to the origin."""
    proxy = record("--to", origin.url)
    curl(f"{proxy.url}/a?b=1&token=x", "--json", '{"a":1,"b":[2]}', "-H", "Cookie: c=d",
         "-H", "Authorization: Bearer x")
    return proxy


def test_the_same_bytes(recorded, origin) -> None:
    """The server sees the request that it saw, from a trace that is still written."""
    number = only(recorded)
    first = origin.seen[-1]
    done = tapedeck("send", recorded.trace, str(number), "--same")
    assert origin.seen[-1] is not first
    assert origin.seen[-1][:2] == first[:2] and origin.seen[-1][3] == first[3]
    assert origin.seen[-1][2].items() == first[2].items()
    assert f"POST {origin.url}/a?b=1&token=x: 200 OK after" in done.stdout
    assert f"the same as the answer to exchange {number}" in done.stdout


def test_edits(recorded, origin) -> None:
    """`--set` edits as the rules do; the difference is shown, and with `--same` is status 1."""
    done = tapedeck(
        "send", recorded.trace, str(only(recorded)), "--same", "--set", 'json /a "two"',
        "--set", "header X-New v", "--set", "query b 'c d'", "--set", "path /other", status=1)
    method, path, fields, content = origin.seen[-1]
    assert (method, path, content) == ("POST", "/other?b=c+d&token=x", b'{"a":"two","b":[2]}')
    assert fields["X-New"] == "v" and fields["Content-Length"] == str(len(content))
    assert '-     JSON /a: 1\n+     JSON /a: "two"\n' in done.stdout
    assert done.stderr == "tapedeck: the answer is not the recorded one\n"
    said = json.loads(tapedeck("send", recorded.trace, str(only(recorded)), "--json",
                               "--set", "json-remove /b").stdout)
    assert (said["method"], said["status"], said["recorded_status"]) == ("POST", 200, 200)
    assert said["content"] == '{"a":1}' and said["same"] is False
    assert [(each["kind"], each["path"]) for each in said["differences"]] == [("json", "/b")]


def test_coded_and_chunked(record, origin) -> None:
    """Content in a coding is edited decoded, and one in chunks too."""
    proxy = record("--to", origin.url)
    packed = proxy.trace.with_suffix(".gz")
    packed.write_bytes(gzip.compress(b'{"a": 1}'))
    curl(f"{proxy.url}/", "--data-binary", f"@{packed}", "-H", "Content-Encoding: gzip",
         "-H", "Transfer-Encoding: chunked")
    number = str(only(proxy))
    tapedeck("send", proxy.trace, number, "--set", "json /a 2")
    assert gzip.decompress(origin.seen[-1][3]) == b'{"a": 2}'
    tapedeck("send", proxy.trace, number, "--edit", env=editor(
        proxy.trace.parent, "text = text.replace('\"a\": 1', '\"a\": [3]')"
                            ".replace('Transfer-Encoding: chunked\\n', '')"))
    assert gzip.decompress(origin.seen[-1][3]) == b'{"a": [3]}'


def test_editor(recorded, origin, tmp_path) -> None:
    """The text is laid out; what is wrong stands at its top when it opens again; the length is right."""
    number = str(only(recorded))
    seen = tmp_path / "seen"
    done = tapedeck("send", recorded.trace, number, "--edit", env=editor(tmp_path, f"""
import os
first = not os.path.exists({str(seen)!r})
open({str(seen)!r}, 'a').write(oct(os.stat(path).st_mode & 0o777) + text)
text = text.replace('"a": 1', '"a": ,' if first else '').replace('"a": ,', '"a": 9' if not first else '"a": ,')
text = text.replace('POST ', 'PUT ')
"""))
    assert origin.seen[-1][0] == "PUT" and origin.seen[-1][3] == b'{"a":9,"b":[2]}'
    assert "200 OK" in done.stdout
    shown = seen.read_text()
    assert "# To http://127.0.0.1" in shown and '{\n  "a": 1,\n  "b": [\n    2\n  ]\n}\n' in shown
    assert "#! line 14, column 8: unexpected ',' in JSON" in shown, shown
    assert shown.count("0o600") == 2


@pytest.mark.parametrize("script, status, error", [
    ("text = ''", 0, "the text is empty: nothing was sent"),
    ("text = text.replace('\"a\": 1', '\"a\": ')", 65, "the edited text is no message: line "),
    ("raise SystemExit(3)", 1, "ended with 3; nothing was sent"),
])
def test_editor_that_sends_nothing(recorded, origin, tmp_path, script, status, error) -> None:
    """An emptied text, one that stays wrong, and an editor that fails."""
    number = str(only(recorded))
    count = len(origin.seen)
    done = tapedeck("send", recorded.trace, number, "--edit", env=editor(tmp_path, script),
                    status=status)
    assert error in done.stderr and done.stdout == ""
    assert len(origin.seen) == count


def test_no_editor(recorded, origin) -> None:
    """Without a terminal there is none by default."""
    number = str(only(recorded))
    done = tapedeck("send", recorded.trace, number, "--edit", status=64,
                    env=environment(EDITOR="", VISUAL=""))
    assert "set VISUAL or EDITOR" in done.stderr


def test_secrets_stay_with_their_host(recorded, origin) -> None:
    """To another host neither cookies nor tokens go, unless that is asked for."""
    number = str(only(recorded))
    other = origin.url.replace("127.0.0.1", "localhost")
    done = tapedeck("send", recorded.trace, number, "--to", f"{other}/below")
    _, path, fields, _ = origin.seen[-1]
    assert path == "/below/a?b=1" and fields["Host"] == f"localhost:{origin.port}"
    assert "Cookie" not in fields and "Authorization" not in fields
    assert "left out for localhost" in done.stderr
    assert all(name in done.stderr for name in ("Cookie", "Authorization", "query token"))
    tapedeck("send", recorded.trace, number, "--to", other, "--with-credentials")
    _, path, fields, _ = origin.seen[-1]
    assert path.endswith("token=x") and fields["Cookie"] == "c=d"


def test_password_in_the_content(record, origin) -> None:
    """It cannot be left out, so nothing is sent."""
    proxy = record("--to", origin.url)
    curl(f"{proxy.url}/login", "-d", "user=a&password=b")
    number = str(only(proxy))
    count = len(origin.seen)
    done = tapedeck("send", proxy.trace, number, "--to",
                    origin.url.replace("127.0.0.1", "localhost"), status=64)
    assert "the content has password" in done.stderr and len(origin.seen) == count


def test_tls(record, tls_origin, trust, certificates) -> None:
    """Certificates are verified as by every client, and a request in a tunnel goes to its server."""
    proxy = record("--server-ca", certificates.authority)
    curl("-x", proxy.url, "--cacert", trust, f"{tls_origin.url}/secret")
    number = str(only(proxy))
    done = tapedeck("send", proxy.trace, number, status=69)
    assert "the certificate is not accepted" in done.stderr
    tapedeck("send", proxy.trace, number, "--ca", certificates.authority, "--same")
    assert tls_origin.seen[-1][1] == "/secret"
    done = tapedeck("send", proxy.trace, number, "--insecure")
    assert "not verified" in done.stderr


def test_forward_proxy(record, origin) -> None:
    """The absolute target of a proxy is none for a server."""
    proxy = record()
    curl("-x", proxy.url, f"{origin.url}/hello", "-H", "Proxy-Connection: keep-alive")
    tapedeck("send", proxy.trace, str(only(proxy)), "--same")
    assert origin.seen[-1][1] == "/hello" and origin.seen[-1][2]["Host"] == origin.address
    assert "Proxy-Connection" not in origin.seen[-1][2]


def test_refusals(recorded) -> None:
    """What cannot be sent, and a server that is not there."""
    number = str(only(recorded))
    done = tapedeck("send", recorded.trace, number, "--to", "http://127.0.0.1:1", status=69)
    assert "connection refused" in done.stderr
    for arguments, status, words in [
        (["99"], 65, "there is no exchange 99"), (["k1"], 64, "only an exchange"),
        ([number, "--set", "status 404"], 64, "only what a client sent"),
        ([number, "--set", "json /x/y 1"], 65, "nothing at /x/y"),
        ([number, "--to", "ftp://x"], 64, "is not a URL"),
    ]:
        done = tapedeck("send", recorded.trace, *arguments, status=status)
        assert words in done.stderr, done.stderr


# MARK: Simperium

@pytest.fixture(name="server")
def server_fixture():
    """A Simperium server."""
    started = Server()
    yield started
    started.kill()


@pytest.fixture(name="talk")
def talk_fixture(record, server):
    """A recorded socket on which a note was made, and then its title changed."""
    proxy = record("--to", server.url("", "http"))
    client = Client(f"ws://{proxy.address}/sock/1/app/websocket")
    client.join()
    client.change(id="n1", v={"title": {"o": "+", "v": "Old"}, "tags": {"o": "+", "v": []}})
    client.change(id="n1", sv=1, v={"title": {"o": "r", "v": "New"}})
    client.current()
    proxy.eventually_sql("SELECT id FROM command WHERE sender = 1 AND name = 'i'")
    return proxy


def command(proxy, name: str, place: int = 0) -> str:
    """What `show` calls a command of the client."""
    rows = proxy.sql("SELECT id FROM command WHERE sender = 0 AND name = ? ORDER BY id", name)
    return f"c{rows[place][0]}"


def entity(server: Server, version: int) -> str:
    """What the server has of the note."""
    client = Client(server.url())
    client.join(client="other")
    return client.say(f"0:e:n1.{version}")


def test_request_of_the_index(talk) -> None:
    """The channel is opened, the command sent, and its answer is the recorded one."""
    done = tapedeck("send", talk.trace, command(talk, "i"), "--same")
    assert "→ 0:i:" in done.stdout and "← 0:auth:" in done.stdout
    assert "the same as the answer to the recorded command" in done.stdout
    assert TOKEN not in done.stdout + done.stderr


def test_change_as_it_was(talk, server) -> None:
    """The server has it already, and says so as it says it to every client."""
    done = tapedeck("send", talk.trace, command(talk, "c", 1), "--json")
    said = json.loads(done.stdout)
    assert said["answer"].startswith("0:c:[") and said["recorded_answer"].startswith("0:c:[")
    assert entity(server, 3).endswith("\n?")


def test_edited_change(talk, server, tmp_path) -> None:
    """The editor has the object after it; what is sent is another change, with a ccid of its own."""
    done = tapedeck(
        "send", talk.trace, command(talk, "c", 1), "--edit", env=editor(
            tmp_path, "text = text.replace('\"tags\": []', '\"tags\": [\"a\"]')"
                      ".replace('\"New\"', '\"Newer\"').replace('\"sv\": 1', '\"sv\": 2')"))
    assert "has a ccid of its own" in done.stderr
    assert json.loads(entity(server, 3).partition("\n")[2]) == {
        "data": {"title": "Newer", "tags": ["a"]}}


def test_object_edit(talk, server) -> None:
    """`--set 'object …'` says what the change leaves."""
    tapedeck("send", talk.trace, command(talk, "c", 1), "--set", "object title 'Third one'",
             "--set", "json /sv 2")
    assert json.loads(entity(server, 3).partition("\n")[2])["data"]["title"] == "Third one"


def test_token_of_another_host(talk, server) -> None:
    """The recorded token is not sent there; one that is named is."""
    other = server.url("", "http").replace("127.0.0.1", "localhost")
    arguments = ["send", talk.trace, command(talk, "i"), "--to", other]
    done = tapedeck(*arguments, status=64)
    assert "name one with --token" in done.stderr
    tapedeck(*arguments, "--token", OTHER)
    tapedeck(*arguments, "--with-credentials")


def test_refused_channel_and_server_commands(talk) -> None:
    """A token that the server refuses, and what the server sent."""
    done = tapedeck("send", talk.trace, command(talk, "i"), "--token", "short", status=1)
    assert "refuses the channel" in done.stderr
    [(number,)] = talk.sql("SELECT min(id) FROM command WHERE sender = 1")
    done = tapedeck("send", talk.trace, f"c{number}", status=64)
    assert "was sent by the server" in done.stderr
