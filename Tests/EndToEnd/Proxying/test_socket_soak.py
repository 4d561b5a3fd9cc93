"""What `Tools/soak --sockets` does by the hour, a few conversations of each mode."""

from __future__ import annotations

import sys

import pytest
from programs import ROOT, TAPEDECK

sys.path.insert(0, str(ROOT / "Tools/soaking"))

import socket_soak  # noqa: E402


@pytest.mark.parametrize("seed", [1, 2])
def test_random_conversations(tmp_path, seed) -> None:
    """Each peer gets what the other sent, every connection ends, and the trace has every byte."""
    running = socket_soak.Sockets(TAPEDECK, tmp_path, seed)
    try:
        running.play(count=40)
    finally:
        running.kill()
    assert not running.failures, "\n".join(running.failures)
    assert sum(running.kinds.values()) == 40 * len(running.workers)
