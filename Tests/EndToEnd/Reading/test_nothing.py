"""Proves: nothing to look at is no success, whatever looks at it, and the message says so."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from programs import curl, tapedeck


@pytest.fixture
def empty(record) -> Path:
    """A trace of a proxy that nobody used."""
    proxy = record()
    proxy.finish()
    return proxy.trace


def test_replays_of_nothing(empty, ca_dir) -> None:
    for command in (("server", empty, "--ca-dir", ca_dir, "--allow-unused", "--", "true"),
                    ("client", empty, "--to", "http://127.0.0.1:1")):
        done = tapedeck("replay", *command, status=65)
        assert f"{empty} has no HTTP exchange and no WebSocket to play" in done.stderr
        assert "satisfied" not in done.stdout


def test_a_replay_that_nobody_asked(record, origin, ca_dir, tmp_path) -> None:
    """With --allow-unused, too."""
    proxy = record("--to", origin.url)
    curl(f"{proxy.url}/a")
    proxy.finish()
    junit = tmp_path / "j.xml"
    done = tapedeck("replay", "server", proxy.trace, "--ca-dir", ca_dir, "--allow-unused",
                    "--seed", "5", "--junit", junit, "--", "true", status=1)
    assert "nothing was requested" in done.stderr
    root = ElementTree.parse(junit).getroot()
    assert [each.get("message") for each in root.iter("failure")] == ["nothing was requested"]
    assert {each.get("value") for each in root.iterfind("testsuite/properties/property")} == {"5"}


def test_a_diagnosis_of_nothing(empty) -> None:
    done = tapedeck("diagnose", empty, "--junit", "-", status=65)
    assert "has nothing to diagnose: 0 connections, 0 exchanges and 0 commands" in done.stderr
    [suite] = ElementTree.fromstring(done.stdout)
    assert int(suite.get("tests")) == int(suite.get("skipped")) > 300
    assert "no rule was broken" in tapedeck("diagnose", empty, "--fail-on", "never").stdout


def test_a_command_that_sends_nothing(trace, ca_dir) -> None:
    options = ("record", trace, "--ca-dir", ca_dir, "--diagnose")
    done = tapedeck(*options, "--", "true", status=1)
    assert "nothing to diagnose: 0 connections, 0 exchanges and 0 commands" in done.stderr
    tapedeck("record", f"{trace}.2", *options[2:], "--fail-on", "never", "--", "true")


def test_others(empty) -> None:
    assert "to compare" in tapedeck("diff", empty, empty, status=65).stderr
    assert "nothing was judged" in tapedeck("faults", "report", empty).stderr
