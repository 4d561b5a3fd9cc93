"""Proves: what is odd about an answer is in the listings of a trace."""

from __future__ import annotations

import json

import pytest
from programs import curl, tapedeck


@pytest.mark.parametrize(("body", "problem"), [
    (b'{"error":"a.b","default_response":"No"}', None),
    (b'{"error":"a.b"}', 'the JSON of the 406 has no "default_response"'),
    (b"<html>", "the body of the 406 is not a JSON object of texts, from byte 0 on"),
])
def test_a_406_has_a_document_and_a_note(record, raw_origin, body, problem) -> None:
    origin = raw_origin(lambda peer: (peer.recv(65536), peer.sendall(
        b"HTTP/1.1 406 Not Acceptable\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))))
    proxy = record("--to", origin.url)
    curl(f"{proxy.url}/a/demo/phone/restore/?version=2.0")
    proxy.finish()
    assert proxy.sql("SELECT kind, problem FROM openrosa") == [("actionable", problem)]
    found = tapedeck("ls", proxy.trace, "note:openrosa.406-malformed", "--json").stdout.splitlines()
    assert len(found) == (0 if problem is None else 1)
    shown = tapedeck("show", proxy.trace, "1", "--json").stdout
    assert (problem is None) or problem in json.dumps(json.loads(shown), ensure_ascii=False).replace('\\"', '"')
