"""The fixtures of the inspector's tests."""

from pages import (browser_fixture, inspect_fixture, stored_fixture, traces_fixture,
                   watched_fixture)

__all__ = ["browser_fixture", "inspect_fixture", "stored_fixture", "traces_fixture", "watched_fixture"]
