"""Real clients of ours, cut again and again, end with what the server has, and no edit is made twice.

The way is `tapedeck client simperium run` - cutter - `tapedeck record` - `tapedeck serve`.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from pathlib import Path

import pytest
from peers import TCPCutter
from programs import TAPEDECK, tapedeck
from proves import proves

TOKEN = "a" * 32
BUCKETS = ("notes", "tags", "places")
SHARED = ("one", "two", "three")
CLIENTS = 8
EDITS = 40


def script(number: int, seed: int) -> str:
    """The steps of one client: its edits, and then a wait until everybody has made theirs.

    Each has a key of its own in every bucket, whose last content is known in advance. What comes
    before `done-N` is acknowledged, so that who has read it has read all that N did.
    """
    chance = random.Random(seed * 100 + number)
    lines = ["wait synced"]
    is_offline = False
    for edit in range(EDITS):
        bucket, content = chance.choice(BUCKETS), {"by": number, "edit": edit}
        at = f"at {edit * 75 + chance.randrange(75)}ms"
        match chance.randrange(10):
            case 0:
                lines.append(f"{at} cut")
            case 1:
                lines.append(f"{at} {'online' if is_offline else 'offline'}")
                is_offline = not is_offline
            case 2:
                lines.append(f"{at} delete {bucket} {chance.choice(SHARED)}")
            case 3 | 4 | 5:
                lines.append(f"{at} set {bucket} own-{number} {json.dumps(content)}")
            case _:
                words = chance.choices(("é", "word", "😀", "longer words", "x"), k=6)
                content["text"], content["within"] = " ".join(words), {f"{number}": [edit]}
                lines.append(f"{at} set {bucket} {chance.choice(SHARED)} {json.dumps(content)}")
    lines += ["online"] * is_offline
    last = {"by": number, "edit": EDITS}
    lines += [f"set {bucket} own-{number} {json.dumps(last)}" for bucket in BUCKETS]
    lines += ["wait synced"]
    lines += [f"set {bucket} done-{number} {json.dumps(last)}" for bucket in BUCKETS]
    for other in range(CLIENTS):
        at_last = json.dumps({"by": other, "edit": EDITS})
        lines += [f"wait {bucket} done-{other} {at_last}" for bucket in BUCKETS]
    lines.append("wait synced")
    lines += [f"expect {bucket} own-{other} {json.dumps({'by': other, 'edit': EDITS})}"
              for bucket in BUCKETS for other in range(CLIENTS)]
    return "\n".join([*lines, *prints()]) + "\n"


def prints() -> list[str]:
    """Steps that print every object."""
    keys = [*SHARED, *(f"own-{number}" for number in range(CLIENTS))]
    return [f"print {bucket} {key}" for bucket in BUCKETS for key in keys]


def command(url: str, state: Path, steps: Path) -> list[str | Path]:
    """The command line of a client."""
    return [TAPEDECK, "client", "simperium", "run", steps, "--to", url, "--app", "app", "--token",
            TOKEN, "--state", state, "--patience", "120",
            *(part for bucket in BUCKETS for part in ("--bucket", bucket))]


@proves("S-65")
@pytest.mark.parametrize("seed", range(3))
def test_our_clients_converge_through_cuts(seed, record, program, tmp_path):
    server = program(TAPEDECK, "serve", "--listen", "127.0.0.1:0")
    direct = "http://127.0.0.1:" + server.await_line(r"^listening on 127\.0\.0\.1:(\d+)$")[1]
    recording = record("--to", direct)
    cutter = TCPCutter(recording.port, seed, doomed=5 * CLIENTS)
    clients = []
    for number in range(CLIENTS):
        steps = tmp_path / f"script-{number}"
        steps.write_text(script(number, seed))
        clients.append(program(
            *command(f"http://127.0.0.1:{cutter.port}", tmp_path / f"state-{number}", steps)))
    for each in clients:
        assert each.wait(120) == 0, each.said()
    assert cutter.cuts > CLIENTS
    cutter.close()
    steps = tmp_path / "fresh"
    steps.write_text("\n".join(["wait synced", *prints()]))
    fresh = tapedeck(*command(direct, tmp_path / "fresh-state", steps)[1:]).stdout.splitlines()
    assert any(fresh)
    for each in clients:
        assert [line and json.loads(line) for line in each.output] == [
            line and json.loads(line) for line in fresh], each.said()
    recording.finish()
    check_history(recording)


def check_history(recording) -> None:
    """Each change has one place in the history, and each name stands for one change."""
    places = defaultdict(set)
    rows = recording.sql(
        "SELECT bucket, key, ccid, ev, cv FROM change WHERE cv IS NOT NULL AND error IS NULL")
    for bucket, key, ccid, version, cv in rows:
        places[ccid].add((bucket, key, version, cv))
    assert len(places) > CLIENTS * 12
    assert all(len(each) == 1 for each in places.values()), "an edit was made twice"
    versions = [next(iter(each))[:3] for each in places.values()]
    assert len(versions) == len(set(versions)), "two edits have one version"
