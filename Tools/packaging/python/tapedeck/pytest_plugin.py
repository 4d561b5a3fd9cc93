"""The fixture `tapedeck`: a recording proxy before an embedded server, with faults, for one test.

    @pytest.mark.tapedeck(faults=["method:POST => 503 first=1"])
    def test_a_form_survives_503(tapedeck):
        MyApp(server=tapedeck.url).submit_all()
        tapedeck.assert_recovered()
        tapedeck.assert_no_findings()

The trace of a test that fails is kept in the folder `tapedeck-traces`.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tapedeck.program import run
from tapedeck.recording import Finding, Recording, Server

_failed = pytest.StashKey[bool]()


class Deck:
    """What a test has of Tapedeck. The server and the proxy start when they are first asked for."""

    def __init__(self, folder: Path, name: str, *, to: str | None = None, forward: bool = False,
                 faults: Iterable[str] = (), plans: Iterable[str | Path] = (), seed: int | None = 1,
                 serve: Iterable[str] = (), record: Iterable[str] = ()) -> None:
        self.trace = folder / f"{name}.tape"
        self._to, self._forward, self._serve = to, forward, tuple(serve)
        self._options = {"faults": faults, "plans": plans, "seed": seed,
                         "options": ("--ca-dir", folder / "ca", *record)}
        self._server: Server | None = None
        self._recording: Recording | None = None
        self._is_over = False

    @property
    def server(self) -> Server:
        """The embedded server."""
        if self._server is None:
            self._server = Server(*self._serve)
        return self._server

    @property
    def recording(self) -> Recording:
        """The recording proxy."""
        if self._recording is None:
            to = None if self._forward else self._to or self.server.url
            self._recording = Recording(self.trace, to, **self._options)
        return self._recording

    @property
    def url(self) -> str:
        """Where the client under test finds its server, or its HTTP proxy."""
        return self.recording.url

    @property
    def socket_url(self) -> str:
        """The same for a WebSocket."""
        return self.url.replace("http://", "ws://")

    def add_fault(self, rule: str) -> None:
        """Injects faults by one more rule from now on."""
        self.recording.add_fault(rule)

    def finish(self) -> Recording:
        """Ends the recording, so that everything is in the trace."""
        recording = self.recording
        if not self._is_over:
            self._is_over = True
            recording.stop()
        return recording

    def findings(self, *options: str) -> list[Finding]:
        """Ends the recording and tells which rules were broken."""
        return self.finish().findings(*options)

    def exchanges(self, filter: str = "") -> list[dict]:
        """Ends the recording and lists what was recorded."""
        return self.finish().exchanges(filter)

    def assert_no_findings(self, *, ignore: Iterable[str] = (), blame: str | None = "client",
                           severity: str = "error") -> None:
        """Fails with the findings of this severity or a worse one, those of servers too with `blame=None`."""
        worse = {"error": ("error",), "warning": ("error", "warning"),
                 "info": ("error", "warning", "info")}[severity]
        options = [word for rule in ignore for word in ("--ignore", rule)]
        if blame:
            options += ["--blame", blame]
        found = [each for each in self.findings(*options) if each.severity in worse]
        if found:
            text = run("diagnose", self.trace, "--fail-on", "never", *options).stdout
            pytest.fail(f"{len(found)} finding{'s' * (len(found) != 1)}:\n{text}", pytrace=False)

    def assert_finding(self, rule: str) -> Finding:
        """Fails unless this rule was broken; the finding."""
        found = self.findings()
        for each in found:
            if each.rule == rule:
                return each
        rules = ", ".join(sorted({each.rule for each in found})) or "none"
        return pytest.fail(f"no finding of {rule}; found: {rules}", pytrace=False)

    def assert_recovered(self) -> None:
        """Fails unless faults were injected and the client recovered from each that is judged."""
        report = self.finish().fault_report()
        judged = report["recovered"] + report["not-recovered"]
        if report["not-recovered"] or report["undecided"] or not judged:
            text = run("faults", "report", self.trace).stdout
            said = text if judged or report["undecided"] else "no fault was injected that is judged"
            pytest.fail(f"not recovered from every fault:\n{said}", pytrace=False)

    def close(self) -> None:
        """Ends what runs."""
        if self._recording is not None and not self._is_over:
            self._is_over = True
            self._recording.stop()
        if self._server is not None:
            self._server.stop()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where traces are kept, and of which tests."""
    group = parser.getgroup("tapedeck")
    group.addoption("--tapedeck-keep", action="store_true", help="keep the traces of all tests")
    parser.addini("tapedeck_traces", "folder for the traces of tests that fail", default="tapedeck-traces")


def pytest_configure(config: pytest.Config) -> None:
    """Declares the mark."""
    config.addinivalue_line(
        "markers", "tapedeck(to=None, forward=False, faults=(), plans=(), seed=1, serve=(), record=()): "
        "the server, the faults and the options of the fixture `tapedeck` for one test")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo):
    """Remembers which tests failed."""
    report = yield
    if report.failed:
        item.stash[_failed] = True
    return report


@pytest.fixture
def tapedeck(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Deck]:
    """A recording proxy before an embedded server, for this test."""
    mark = request.node.get_closest_marker("tapedeck")
    name = re.sub(r"[^\w.-]+", "-", request.node.name).strip("-")
    deck = Deck(tmp_path, name, **(mark.kwargs if mark else {}))
    yield deck
    deck.close()
    wanted = request.node.stash.get(_failed, False) or request.config.getoption("--tapedeck-keep")
    if wanted and deck.trace.is_file():
        folder = Path(request.config.rootpath, request.config.getini("tapedeck_traces"))
        folder.mkdir(parents=True, exist_ok=True)
        kept = folder / deck.trace.name
        shutil.copyfile(deck.trace, kept)
        kept.chmod(0o600)
        request.node.add_report_section("teardown", "tapedeck", f"the trace is kept: {kept}")
        print(f"tapedeck: the trace is kept: {kept}")
