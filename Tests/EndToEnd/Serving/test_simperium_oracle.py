"""`tapedeck simperium diff`, `apply` and `transform` against diff-match-patch from PyPI."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import pytest
from programs import ROOT, tapedeck
from proves import proves

sys.path.insert(0, str(ROOT / "Tools/oracles"))
import delta_oracle  # noqa: E402

SEED = 20130701


def pairs(count: int) -> list[tuple[str, str]]:
    """Texts and what they are edited to; the same ones in each run."""
    rng = random.Random(SEED)
    texts = [delta_oracle.text(rng, 30).replace("\0", "") for _ in range(count)]
    return [(old, delta_oracle.edited(rng, old).replace("\0", "")) for old in texts]


def run(command: str, *values: object) -> object:
    """What a command prints for JSON values, which has to be one line of JSON."""
    done = tapedeck("simperium", command, *(json.dumps(value) for value in values))
    assert done.stdout.count("\n") == 1 and done.stdout.endswith("\n")
    return json.loads(done.stdout)


@proves("S-48")
@pytest.mark.parametrize(("old", "new"), pairs(20))
def test_diff_is_what_the_other_applies(old: str, new: str) -> None:
    """Both texts in one object; the delta gives the new one, and is written as the other does."""
    map_ = run("diff", {"note": old, "same": 1}, {"same": 1.0, "note": new})
    if old == new:
        assert map_ == {}
        return
    assert set(map_) == {"note"} and map_["note"]["o"] == "d"
    delta_oracle.check_one(delta_oracle.comparer(), old, new, map_["note"]["v"])


@proves("S-48")
@pytest.mark.parametrize(("old", "new"), pairs(20))
def test_apply_takes_the_deltas_of_the_other(old: str, new: str) -> None:
    """What the other makes gives the same text here."""
    delta = delta_oracle.make_delta(delta_oracle.comparer(), old, new)
    assert run("apply", {"note": old}, {"note": {"o": "d", "v": delta}}) == {"note": new}


@pytest.mark.parametrize(("base", "mine", "theirs", "both"), [
    ("q", "qx", "qx", "qxx"),
    ("one two", "one 😀 two", "one two 💩", "one 😀 two 💩"),
    ("abcd", "ad", "abXcd", "aXd"),
    ("🙋🙋", "🙋🙌🙋", "🙋", None),
])
def test_transform_applies_after_the_other(base: str, mine: str, theirs: str,
                                           both: str | None) -> None:
    """The local change lands in what the remote one made."""
    maps = [run("diff", {"t": base}, {"t": text}) for text in (mine, theirs)]
    left = run("transform", *maps, {"t": base})
    result = run("apply", {"t": theirs}, left)
    assert both is None or result == {"t": both}


@proves("S-48")
@pytest.mark.parametrize(("delta", "says"), [("=5\t+F", "code points"), ("=8\t+F", "UTF-8 bytes")])
def test_a_delta_that_counts_otherwise_is_refused(delta: str, says: str) -> None:
    """The reason names both lengths and the way of counting by which the delta would fit."""
    done = tapedeck("simperium", "apply", '{"t":"ACD😀E"}',
                    json.dumps({"t": {"o": "d", "v": delta}}), status=65)
    assert says in done.stderr
    assert delta[1] in done.stderr and "6" in done.stderr


def test_arguments_may_be_files(tmp_path: Path) -> None:
    """`@FILE` is read from there; digits stay as they are written."""
    file = tmp_path / "old.json"
    file.write_text('{"n": 1152921504606846976}')
    done = tapedeck("simperium", "diff", f"@{file}", '{"n":1152921504606846977}')
    assert done.stdout == '{"n":{"o":"r","v":1152921504606846977}}\n'
