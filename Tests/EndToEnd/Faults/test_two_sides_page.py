"""The page about the two sides of a conversation says what a trace answers."""

from __future__ import annotations

import re
import sqlite3

from faults import commcare_fixture, faulty_fixture
from programs import ROOT
from test_client_commcare import client, form

__all__ = ["commcare_fixture", "faulty_fixture", "form"]

PAGE = (ROOT / "Sources/Trace/TwoSides.md").read_text()


def test_every_query_of_the_page_answers(faulty, commcare, form, tmp_path):
    rule = re.search(r"--fault '([^']*)'", PAGE).group(1)
    deck = faulty(commcare.url, rule, to=tmp_path / "a.tape")
    assert client(deck.url, tmp_path / "state", "submit", form).returncode == 75
    assert client(deck.url, tmp_path / "state", "sync").returncode == 0
    deck.finish()
    answers = []
    with sqlite3.connect(deck.trace) as db:
        for block in re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL):
            for query in filter(str.strip, block.split(";")):
                answers.append(db.execute(query).fetchall())
    sides = answers[0]
    assert {(side, fate) for side, fate, *_ in sides} >= {
        ("client", "lost"), ("server", "lost"), ("both", "same")}
    lost = {side: row for side, *row in sides if row[0] == "lost"}
    # The client has no status, the server answered, and each names the other.
    assert lost["client"][2] is None and lost["server"][2] == 201
    assert lost["client"][4] == lost["server"][3] and lost["server"][4] == lost["client"][3]
    had = [row for row in answers[1] if row[0] == "server" and row[2] == "POST"]
    assert [row[4] for row in had] == [201, 201]
    assert answers[4], "bytes that were never delivered"
    assert answers[5] and answers[5][0][3] == "server"


def test_every_table_and_fate_of_the_page_exists(faulty, commcare, tmp_path):
    deck = faulty(commcare.url, "method:POST => 503", to=tmp_path / "a.tape")
    deck.finish()
    with sqlite3.connect(deck.trace) as db:
        names = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
    for name in re.findall(r"`((?:any|server)_[a-z]+)`", PAGE):
        assert name in names, name
