"""Fixtures: every program that a test starts ends with it, by pid, whatever happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from certificates import ServerCertificates, make_certificates
from clickhouse import ClickHouse
from origins import EchoSocket, HTTPOrigin, Nginx, RawOrigin
from programs import TAPEDECK, Program, Recording, tapedeck
from serving import CommCareServer


def pytest_sessionstart() -> None:
    """Says at once what is missing."""
    if not TAPEDECK.is_file():
        pytest.exit(f"there is no {TAPEDECK}; run Tools/build first", returncode=66)


@pytest.fixture(scope="session")
def ca_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with Tapedeck's certificate authority, and `ca.crt.pem` for clients beside it."""
    folder = tmp_path_factory.mktemp("ca")
    tapedeck("ca", "--ca-dir", folder / "ca", "--pem", folder / "trust.pem")
    return folder / "ca"


@pytest.fixture(scope="session")
def trust(ca_dir: Path) -> Path:
    """The certificate that clients have to trust, as PEM."""
    return ca_dir.parent / "trust.pem"


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> ServerCertificates:
    """What the TLS origins of the tests show, from an authority of their own."""
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="session")
def origin() -> Iterator[HTTPOrigin]:
    """A plain HTTP origin."""
    started = HTTPOrigin()
    yield started
    started.close()


@pytest.fixture(scope="session")
def tls_origin(certificates: ServerCertificates) -> Iterator[HTTPOrigin]:
    """The same over TLS."""
    started = HTTPOrigin(certificates.context())
    yield started
    started.close()


@pytest.fixture(scope="session")
def nginx(tmp_path_factory: pytest.TempPathFactory,
          certificates: ServerCertificates) -> Iterator[Nginx]:
    """A real nginx with TLS."""
    started = Nginx(tmp_path_factory.mktemp("nginx") / "home", certificates.certificate,
                    certificates.key)
    yield started
    started.close()


@pytest.fixture(scope="session")
def clickhouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClickHouse]:
    """One ClickHouse for all tests of a worker that do not stop it; each uses its own database."""
    started = ClickHouse(tmp_path_factory.mktemp("clickhouse"))
    yield started
    started.stop()


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Where the trace of this test goes."""
    return tmp_path / "test.tape"


@pytest.fixture
def record(trace: Path, ca_dir: Path) -> Iterator[Callable[..., Recording]]:
    """Starts `tapedeck record` with the given arguments."""
    started: list[Recording] = []

    def start(*arguments: str | Path, to: Path = trace) -> Recording:
        started.append(Recording(to, ca_dir, *arguments))
        return started[-1]

    yield start
    for recording in started:
        recording.kill()


@pytest.fixture
def program() -> Iterator[Callable[..., Program]]:
    """Starts any program."""
    started: list[Program] = []

    def start(*command: str | Path, **options) -> Program:
        started.append(Program(*command, **options))
        return started[-1]

    yield start
    # Those that speak to others first: `sshd` ends once its clients have.
    for each in reversed(started):
        each.kill()


@pytest.fixture
def serve() -> Iterator[Callable[..., CommCareServer]]:
    """Starts `tapedeck serve` with the given arguments."""
    started: list[CommCareServer] = []

    def start(*arguments: str | Path) -> CommCareServer:
        started.append(CommCareServer(*arguments))
        return started[-1]

    yield start
    for each in started:
        each.kill()


@pytest.fixture
def raw_origin() -> Iterator[Callable[..., RawOrigin]]:
    """Starts a server that hands each accepted socket to a function."""
    started: list[RawOrigin] = []

    def start(serve_one) -> RawOrigin:
        started.append(RawOrigin(serve_one))
        return started[-1]

    yield start
    for each in started:
        each.close()


@pytest.fixture
def echo_socket() -> Iterator[Callable[..., EchoSocket]]:
    """Starts a WebSocket echo server."""
    started: list[EchoSocket] = []

    def start(*arguments, **options) -> EchoSocket:
        started.append(EchoSocket(*arguments, **options))
        return started[-1]

    yield start
    for each in started:
        each.close()
