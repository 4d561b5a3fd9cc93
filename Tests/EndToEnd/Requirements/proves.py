"""What a test proves: the numbers of requirements in the documents of the protocols."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

Test = TypeVar("Test", bound=Callable)
# A requirement of HTTPLayer (H), OpenRosa with CommCare (C) or Simperium (S).
FORM = re.compile(r"[HCS]-[1-9]\d*")


def proves(*requirements: str) -> Callable[[Test], Test]:
    """Says of a test which requirements it proves; `Tools/proofs` writes it into their tables.

    The test itself runs as it would without.
    """
    for requirement in requirements:
        if not FORM.fullmatch(requirement):
            raise ValueError(f"{requirement} is no number of a requirement, such as S-12")
    if not requirements:
        raise ValueError("a test proves at least one requirement")
    return lambda test: test
