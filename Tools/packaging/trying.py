"""Tries each package as a new user would: in a bare Debian, without Swift or a compiler, with the demo."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from source import ROOT
from tree import files

SUITE = "bookworm"
SOURCES = Path("/etc/apt/sources.list.d/debian.sources")
# What the demo needs that a bare Debian does not have.
FOR_THE_DEMO = ["curl"]


@dataclass(frozen=True)
class Trial:
    """How one package did: megabytes as downloaded and installed, seconds to install and of the demo."""

    package: str
    packed_mb: float
    installed_mb: float
    install_s: float
    demo_s: float
    needed: str


class Root:
    """A bare Debian in a folder, in which commands run as if it were the machine."""

    def __init__(self, base: Path, place: Path) -> None:
        self.place = place
        place.mkdir()
        subprocess.run(["tar", "-xf", base, "-C", place], check=True)
        for name in ("resolv.conf", "hosts"):
            shutil.copy(Path("/etc") / name, place / "etc" / name)
        shutil.copy(ROOT / "Tools" / "demo", place / "usr/local/bin/tapedeck-demo")
        (place / "packages").mkdir()

    def run(self, line: str) -> str:
        """Runs a shell line inside, in namespaces of its own; what it prints, or the end of all."""
        inside = "mount -t proc proc /proc && " + line
        done = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "chroot", self.place, "env", "-i",
             "HOME=/root", "LANG=C.UTF-8", "NO_COLOR=1", "DEBIAN_FRONTEND=noninteractive",
             "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "bash", "-ec", inside],
            capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0:
            raise SystemExit(f"package: in the bare Debian `{line}` ended with {done.returncode}\n"
                             f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        return done.stdout

    def size(self) -> int:
        """The bytes of all files."""
        return sum(path.lstat().st_size for path in files(self.place))


def bare(work: Path) -> Path:
    """Makes a bare Debian from the package sources of this machine, as a tar."""
    base = work / "base.tar"
    print("package: making a bare Debian, about a minute", file=sys.stderr, flush=True)
    command = ["mmdebstrap", "--quiet", "--variant=minbase",
               f"--include={','.join([*FOR_THE_DEMO, 'ca-certificates'])}", SUITE, base]
    subprocess.run([*command, *([SOURCES] if SOURCES.is_file() else [])], check=True)
    return base


def prepare_deb(root: Root) -> None:
    """Reads the package lists, which a machine in use has read."""
    root.run("apt-get -qq update >/dev/null")


def try_deb(root: Root, package: Path) -> str:
    """Installs the Debian package with apt; its dependencies come with it."""
    root.run(f"apt-get -qq install -y --no-install-recommends /packages/{package.name} >/dev/null 2>&1")
    # Complains about anything that dpkg thinks is not in order.
    root.run("dpkg --verify tapedeck && dpkg --audit")
    count = root.run("dpkg-query -W -f='${db:Status-Status} ${Package}\\n' | grep -c ^installed").strip()
    return f"apt ({count} packages with it)"


def prepare_tarball(root: Root) -> None:
    """Makes the folder that it goes to."""
    (root.place / "opt/tapedeck").mkdir(parents=True)


def try_tarball(root: Root, package: Path) -> str:
    """Unpacks the tarball, from outside: a bare Debian has no xz."""
    subprocess.run(["tar", "-xf", package, "-C", root.place / "opt/tapedeck", "--strip-components=1"],
                   check=True)
    root.run("ln -s /opt/tapedeck/bin/tapedeck /usr/local/bin/tapedeck")
    return "tar with xz"


def prepare_wheel(root: Root) -> None:
    """Gives the bare Debian Python, and pytest to install from a folder."""
    root.run("apt-get -qq update >/dev/null && apt-get -qq install -y --no-install-recommends "
             "python3-venv >/dev/null 2>&1")
    pinned = [line for line in (ROOT / "Tools/requirements.txt").read_text().splitlines()
              if line.split("==")[0] in ("pytest", "pluggy", "iniconfig", "packaging", "Pygments")]
    subprocess.run([ROOT / ".venv/bin/pip", "download", "-q", "--disable-pip-version-check", "--no-deps",
                    "-d", root.place / "packages", *pinned], check=True)
    shutil.copy(ROOT / "Tools/packaging/python/test_with_the_fixture.py", root.place / "packages")


def try_wheel(root: Root, package: Path) -> str:
    """Installs the wheel into a virtual environment, offline, and uses the pytest plugin."""
    root.run("python3 -m venv /venv && /venv/bin/pip install -q --no-index "
             f"--find-links /packages /packages/{package.name} pytest")
    root.run("ln -s /venv/bin/tapedeck /usr/local/bin/tapedeck")
    root.run("cp /packages/test_with_the_fixture.py /srv && cd /srv "
             "&& /venv/bin/python -m pytest -q -p no:cacheprovider test_with_the_fixture.py")
    return "python3-venv"


# By the ending of a package: what its user has already, and how it is installed.
TRIED: dict[str, tuple[Callable[[Root], None], Callable[[Root, Path], str]]] = {
    "deb": (prepare_deb, try_deb),
    "xz": (prepare_tarball, try_tarball),
    "whl": (prepare_wheel, try_wheel),
}


def attempt(base: Path, place: Path, package: Path) -> Trial:
    """Installs one package in a bare Debian and runs the demo there."""
    prepare, install = TRIED[package.suffix.removeprefix(".")]
    root = Root(base, place)
    shutil.copy(package, root.place / "packages")
    prepare(root)
    for absent in ("swift", "swiftc", "gcc", "cc", "clang"):
        root.run(f"! command -v {absent}")
    before, began = root.size(), time.monotonic()
    needed = install(root, package)
    installed, after = time.monotonic() - began, root.size()
    began = time.monotonic()
    printed = root.run("tapedeck --version && tapedeck-demo")
    took = time.monotonic() - began
    if "One change, as a human reads it" not in printed:
        raise SystemExit(f"package: the demo printed only\n{printed}")
    return Trial(package.name, package.stat().st_size / 1e6, (after - before) / 1e6, installed, took, needed)


# Runs the image as an engine does, with a network of its own: the line that is its default, its health check, a request.
RUN_IMAGE = """
ip link set lo up
$BUILDAH run $CONTAINER -- tapedeck record app.tape --listen 0.0.0.0:8080 >/dev/null 2>&1 &
for ((tries = 0; tries < 100; tries++)); do
    ! $BUILDAH run $CONTAINER -- tapedeck-healthy 8080 2>/dev/null || break
    sleep 0.1
done
$BUILDAH run $CONTAINER -- tapedeck-healthy 8080
! $BUILDAH run $CONTAINER -- tapedeck-healthy 8081 2>/dev/null
curl -s -o /dev/null -x http://127.0.0.1:8080 http://127.0.0.1:1/seen
kill -INT "$(pgrep -x tapedeck)"
wait
echo "user $($BUILDAH run $CONTAINER -- id -u)"
$BUILDAH run $CONTAINER -- tapedeck ls app.tape
"""


def try_container(base: Path, work: Path, output: Path) -> Trial:
    """Builds the image on the bare Debian with a builder that needs no service, and runs it."""
    builder = ["buildah", "--root", str(work / "images"), "--runroot", str(work / "running"),
               "--storage-driver", "vfs"]
    settings = {"BUILDAH_ISOLATION": "chroot", "PATH": os.environ["PATH"], "HOME": str(work)}

    def build(*arguments: object) -> str:
        done = subprocess.run([*builder, *map(str, arguments)], capture_output=True, text=True, check=False,
                              env=settings)
        if done.returncode != 0:
            raise SystemExit(f"package: buildah {arguments[0]}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout.strip()

    scratch = build("from", "scratch")
    build("add", "-q", scratch, base, "/")
    build("commit", "-q", "--rm", scratch, "docker.io/library/debian:bookworm-slim")
    began = time.monotonic()
    build("build", "--pull=never", "--format", "docker", "-t", "tapedeck", "-f", output / "Containerfile", output)
    took = time.monotonic() - began
    container = build("from", "--pull=never", "localhost/tapedeck")
    began = time.monotonic()
    done = subprocess.run(
        ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-ec", RUN_IMAGE],
        capture_output=True, text=True, check=False, timeout=120,
        env=settings | {"BUILDAH": " ".join(builder), "CONTAINER": container})
    if done.returncode != 0 or "user 10001" not in done.stdout or "/seen" not in done.stdout:
        raise SystemExit(f"package: the container printed\n{done.stdout}{done.stderr}")
    sizes = {each["names"][0].rpartition("/")[2]: each["size"] for each in json.loads(
        build("images", "--json")) if each.get("names")}
    image = float(re.match(r"[\d.]+", sizes["tapedeck:latest"])[0])
    return Trial("the image of the Containerfile", 0, image, took, time.monotonic() - began,
                 "nothing; with all of Debian slim")


def run(made: list[Path]) -> list[Trial]:
    """Tries every package that can be installed; ends with the first that does not do."""
    with tempfile.TemporaryDirectory(prefix="tapedeck-bare-") as name:
        work = Path(name)
        base = bare(work)
        trials: list[Trial] = []
        for package in made:
            if package.suffix.removeprefix(".") in TRIED and "dbgsym" not in package.name:
                print(f"package: trying {package.name}", file=sys.stderr, flush=True)
                trials.append(attempt(base, work / f"root{len(trials)}", package))
                shutil.rmtree(work / f"root{len(trials) - 1}")
            elif package.name == "Containerfile":
                print("package: building the image", file=sys.stderr, flush=True)
                trials.append(try_container(base, work, package.parent))
        return trials


def table(trials: list[Trial]) -> str:
    """The figures as a table in Markdown."""
    lines = ["| package | MB | MB installed | s to install | s of the demo | needs |", "|---|---|---|---|---|---|"]
    lines += [f"| {each.package} | {each.packed_mb or '':.4} | {each.installed_mb:.1f} | {each.install_s:.1f} "
              f"| {each.demo_s:.1f} | {each.needed} |" for each in trials]
    return "\n".join(lines)
