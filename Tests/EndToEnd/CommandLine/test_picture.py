"""The picture of README.md shows what the program prints."""

import sys

from programs import ROOT

sys.path.insert(0, str(ROOT / "Tools/picturing"))

from picture import PICTURE, draw  # noqa: E402


def test_the_picture_is_what_is_printed():
    """Drawn again with this program it is the same; `Tools/picture` writes it."""
    assert draw() == PICTURE.read_text()


def test_the_readme_shows_it():
    """The picture stands at the beginning of the README."""
    head = (ROOT / "README.md").read_text()[:600]
    assert str(PICTURE.relative_to(ROOT)) in head
