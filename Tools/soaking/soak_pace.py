"""How much clients of a kind do at most."""

from __future__ import annotations

import threading
import time


class Pace:
    """So many requests or messages a second for all clients that share it.

    What a fault leads to is counted and never held up: clients start nothing new until all that was
    sent is paid for.
    """

    def __init__(self, rate: float):
        self._gap = 1 / rate
        self._lock = threading.Lock()
        self._paid_at = time.monotonic()

    def count(self, sent: int = 1) -> None:
        """So many have been sent."""
        with self._lock:
            self._paid_at = max(self._paid_at, time.monotonic()) + sent * self._gap

    @property
    def is_due(self) -> bool:
        """Whether something new may be started."""
        with self._lock:
            return time.monotonic() >= self._paid_at
