"""When rules hit, over real connections; and that every action has a test."""

from __future__ import annotations

import random
import time

import pytest
import test_faults_connections
import test_faults_edited_bodies
import test_faults_edited_sockets
import test_faults_edits
import test_faults_http
import test_faults_map
import test_faults_simperium
import test_hold
from faults import (FELT, ask, catalogue, commcare_fixture, control, dial_fixture, fault, faults,
                    faulty_fixture, line, simperium_fixture, web_fixture)
from programs import DEADLINE, eventually

__all__ = ["commcare_fixture", "dial_fixture", "faulty_fixture", "simperium_fixture",
           "web_fixture"]
MODULES = (test_faults_connections, test_faults_edited_bodies, test_faults_edited_sockets, test_faults_edits,
           test_faults_http, test_faults_map, test_faults_simperium, test_hold)


def test_every_action_is_felt_by_a_client():
    """A new action without a test is found here."""
    actions = catalogue()
    assert len(actions) >= 40
    there = {name for module in MODULES for name in vars(module)}
    assert {name for names in FELT.values() for name in names} <= there
    assert not set(actions) - FELT.keys(), "actions without a test"
    assert not FELT.keys() - set(actions), "tests of actions that are not there"


def hits(deck, count: int, path: str = "/x") -> str:
    """Asks so often over one connection; ! where it was hit."""
    wire = line(deck)
    return "".join("!" if ask(wire, path).status == 503 else "." for _ in range(count))


@pytest.mark.parametrize(("schedule", "expected"), [
    ("", "!!!!!!!"), ("always", "!!!!!!!"), ("first=2", "!!....."), ("every=3", "..!..!."),
    ("nth=3", "..!...."), ("nth=1,4", "!..!..."), ("every=2 first=4", ".!.!..."),
    ("probability=100%", "!!!!!!!")])
def test_by_number(faulty, web, schedule, expected):
    deck = faulty(web.url, f"path:/x => 503 {schedule}")
    assert hits(deck, 7) == expected
    assert len(web.seen) == expected.count(".")
    rows = faults(deck, expected.count("!"))
    assert [row.occurrence for row in rows] == [
        number for number, hit in enumerate(expected, 1) if hit == "!"]


def test_by_chance(record, web, tmp_path):
    """The same seed hits the same, another one others, and the session keeps it."""
    def play(name: str, *seed: str) -> tuple[str, list]:
        deck = record("--quiet", "--to", web.url, "--fault", "path:/x => 503 probability=0.5",
                      *seed, to=tmp_path / f"{name}.tape")
        pattern = hits(deck, 40)
        rows = [(row.scope, row.occurrence, row.draw, row.action) for row in
                faults(deck, pattern.count("!"))]
        deck.finish()
        [(kept,)] = deck.sql("SELECT seed FROM session")
        assert kept == seed[-1] if seed else kept
        assert str(kept) in "\n".join(deck.output + deck.errors), "it is printed"
        return pattern, rows, kept

    one, again = play("one", "--seed", "1"), play("again", "--seed", "1")
    assert one == again
    assert 8 <= one[0].count("!") <= 32
    other = play("other", "--seed", "2")
    assert other[0] != one[0]
    drawn = play("drawn")
    assert play("repeated", "--seed", drawn[2]) == drawn


def test_the_order_between_clients_does_not_matter(record, web, tmp_path):
    """Two devices ask in another order; each is hit as before."""
    def play(name: str, seed: int) -> dict[str, str]:
        deck = record("--quiet", "--seed", "5", "--to", web.url, "--fault",
                      "path:/x => 503 probability=50%", to=tmp_path / f"{name}.tape")
        wires = {source: line(deck, source=source) for source in ("127.0.0.1", "127.0.0.2")}
        turns = list(wires) * 20
        random.Random(seed).shuffle(turns)
        pattern = dict.fromkeys(wires, "")
        for source in turns:
            pattern[source] += "!" if ask(wires[source], "/x").status == 503 else "."
        deck.finish()
        return pattern

    one, two = play("one", 1), play("two", 2)
    assert one == two
    assert one["127.0.0.1"] != one["127.0.0.2"]


def test_between_two_times(faulty, web):
    deck = faulty(web.url, "path:/x => 503 from=1s to=2s")
    wire = line(deck)
    deadline = time.monotonic() + DEADLINE
    statuses: list[int] = []
    while not (503 in statuses and statuses[-1] == 200):
        assert time.monotonic() < deadline, statuses
        statuses.append(ask(wire, "/x").status)
    query = "SELECT started_ns, status FROM exchange ORDER BY id"
    rows = eventually(lambda: (there := deck.sql(query)) and len(there) == len(statuses) and there,
                      "all exchanges")
    for at_ns, status in rows:
        at = at_ns / 1e9
        if abs(at - 1) > 0.02 and abs(at - 2) > 0.02:
            assert (status == 503) == (1 <= at < 2), (at, status)


def test_between_two_marks(faulty, web):
    deck = faulty(web.url, "path:/x => 503 after-mark=begin before-mark=end name=both",
                  "path:/y => 503 before-mark=end", "path:/z => 503 first=1 after-mark=begin")
    assert hits(deck, 2) == ".." and hits(deck, 2, "/y") == "!!" and hits(deck, 1, "/z") == "."
    control(deck, "POST", "/v1/marks", {"name": "begin"})
    assert hits(deck, 2) == "!!" and hits(deck, 2, "/z") == "!."
    control(deck, "POST", "/v1/marks", {"name": "end"})
    assert hits(deck, 2) == ".." and hits(deck, 1, "/y") == "."
    control(deck, "POST", "/v1/marks", {"name": "begin"})
    assert hits(deck, 1) == "!"
    assert [row.occurrence for row in faults(deck, 3, "both")] in ([1, 2, 3], [1, 2, 1])
    deck.eventually_sql("SELECT 1 FROM mark WHERE name = 'end'")
    assert [name for (name,) in deck.sql("SELECT name FROM mark ORDER BY id")][:2] == [
        "begin", "end"]


def test_until_the_client_has_done_something(faulty, web):
    deck = faulty(web.url, "path:/x => 503 until='path:/sorry' per=client")
    assert hits(deck, 3) == "!!!"
    assert ask(deck, "/sorry").status == 200
    assert hits(deck, 2) == ".."
    other = line(deck, source="127.0.0.2")
    assert ask(other, "/x").status == 503, "another client has not"


def test_until_the_client_has_waited(faulty, web):
    deck = faulty(web.url, "path:/x => 429 retry-after=1 until-waited=1s per=client",
                  "path:/slow => latency 1100ms sender=server")
    assert [ask(deck, "/x").status for _ in range(3)] == [429] * 3
    # It stays away from the rule until the proxy, by its own clock, lets the answer go.
    assert ask(deck, "/slow").status == 200
    assert ask(deck, "/x").status == 200


def test_later(faulty, web):
    deck = faulty(web.url, "path:/x => 503 after=400ms")
    began = time.monotonic()
    assert ask(deck, "/x").status == 503
    assert time.monotonic() - began >= 0.38
    fault(deck, "status 503")


def test_per_connection(faulty, web):
    deck = faulty(web.url, "path:/x => 503 nth=2 per=connection")
    assert [hits(deck, 3), hits(deck, 3)] == [".!.", ".!."]
    rows = faults(deck, 2)
    assert len({row.scope for row in rows}) == 2 and {row.occurrence for row in rows} == {2}


def test_per_client(faulty, web):
    deck = faulty(web.url, "path:/x => 503 first=1 per=client")
    for source, expected in (("127.0.0.1", 503), ("127.0.0.2", 503), ("127.0.0.1", 200),
                             ("127.0.0.2", 200)):
        assert ask(line(deck, source=source), "/x").status == expected, source
    assert [row.scope for row in faults(deck, 2)] == ["127.0.0.1", "127.0.0.2"]


def test_per_device(faulty, commcare):
    """A device is known by its identifier, not its address."""
    deck = faulty(commcare.url, "api:commcare.restore => 503 first=1 per=client")
    path = "/a/demo/phone/restore/?version=2.0&device_id="
    assert [ask(deck, path + device).status for device in "ABAB"] == [503, 503, 200, 200]
    assert [row.scope for row in faults(deck, 2)] == ["A", "B"]


def test_per_simperium_client(faulty, dial, simperium):
    deck = faulty(simperium.url, "command:c sender:client => error 503 first=1 per=client")
    told_all: list[bool] = []
    for name in ("one", "two", "one"):
        client = dial(deck, joins=False)
        client.join(client=name)
        told = client.change(id=name, v={name: {"o": "+", "v": 1}})
        client.socket.close()
        told_all.append("error" in told)
    assert told_all == [True, True, False]
    assert [row.scope for row in faults(deck, 2)] == ["one", "two"]


def test_per_key(faulty, web, dial, simperium):
    deck = faulty(web.url, "path:/* => 503 first=1 per=key")
    asked = [ask(deck, path, method=method).status for method, path in (
        ("GET", "/a"), ("GET", "/b"), ("GET", "/a"), ("PUT", "/a"), ("PUT", "/a"))]
    assert asked == [503, 503, 200, 503, 200]
    assert len({row.scope for row in faults(deck, 3)}) == 3


def test_per_object(faulty, dial, simperium):
    deck = faulty(simperium.url, "command:c sender:client => error 440 first=1 per=key")
    client = dial(deck)
    told = [client.change(id=key, d={key: number}) for number, key in enumerate("abab")]
    assert ["error" in each for each in told] == [True, True, False, False]
    assert all(row.scope.endswith(key) for row, key in zip(faults(deck, 2), "ab", strict=True))


def test_rules_by_the_control_interface(faulty, web):
    """Added, changed, paused, reset and removed while connections stand."""
    deck = faulty(web.url)
    wire = line(deck)

    def now() -> int:
        return ask(wire, "/x").status

    assert now() == 200
    control(deck, "POST", "/v1/rules", {"rule": "path:/x => 503 first=2 name=busy"})
    assert [now(), now(), now()] == [503, 503, 200]
    control(deck, "POST", "/v1/rules/busy/reset")
    assert now() == 503
    control(deck, "POST", "/v1/rules/busy/pause")
    assert now() == 200
    control(deck, "POST", "/v1/rules/busy/resume")
    assert now() == 503
    control(deck, "PUT", "/v1/rules/busy", {"rule": "path:/x => 429 name=busy"})
    assert now() == 429
    control(deck, "DELETE", "/v1/rules/busy")
    assert now() == 200
    assert len(faults(deck, 5)) == 5


def test_a_plan_and_lines_together(faulty, web, tmp_path):
    plan = tmp_path / "plan.yaml"
    plan.write_text("""seed: 42
rules:
  - name: busy
    filter: path:/x
    action: status 503 retry-after=7
    schedule: first=1 per=client
  - name: refused
    filter: "path:/y"
    action: {kind: status, code: 418}
    schedule: {nth: [1, 3]}
  - path:/z => 404 name=gone
""")
    deck = faulty(web.url, "path:/w => 410 name=line", seed=None, more=("--faults", plan))
    assert ask(deck, "/x").fields["retry-after"] == "7"
    assert [ask(deck, "/y").status for _ in range(3)] == [418, 200, 418]
    assert [ask(deck, path).status for path in ("/z", "/w", "/x")] == [404, 410, 200]
    assert deck.eventually_sql("SELECT seed FROM session WHERE seed = '42'")
    assert {row.rule for row in faults(deck, 5)} == {"busy", "refused", "gone", "line"}


def test_a_pack(faulty, commcare):
    deck = faulty(commcare.url, more=("--faults", "restore-in-progress"))
    path = "/a/demo/phone/restore/?version=2.0"
    assert [ask(deck, path).status for _ in range(5)] == [202] * 4 + [200]
    assert len(faults(deck, 4)) == 4
