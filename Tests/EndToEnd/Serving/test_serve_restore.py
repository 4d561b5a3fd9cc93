"""Proves: a large restore is made between other requests, with progress, and arrives once and whole."""

from __future__ import annotations

import json
import select
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from programs import DEADLINE, TAPEDECK, curl, environment
from proves import proves
from serving import AUTH, CASE, CommCareServer, case, cases, form, nature, state, token

COUNT = 20_000
SYNC = "{http://commcarehq.org/sync}"


def names(count: int = COUNT) -> list[str]:
    """Identifiers of the cases that are there from the beginning."""
    return [f"c{number}" for number in range(count)]


def fill(server: CommCareServer) -> None:
    """Submits all cases in a few forms."""
    ids = names()
    for start in range(0, COUNT, 5000):
        blocks = (case(name, f"<update><age>{name}</age></update>")
                  for name in ids[start:start + 5000])
        assert server.submit(form(f"f{start}", *blocks)).status_code == 201


@pytest.fixture(scope="module", name="server")
def filled() -> Iterator[CommCareServer]:
    """A server with many cases."""
    server = CommCareServer()
    fill(server)
    yield server
    server.kill()


def progress(answer: requests.Response) -> tuple[int, int]:
    """What a 202 says."""
    assert (answer.status_code, nature(answer)) == (202, "ota_restore_pending")
    assert answer.headers["Retry-After"] == "1"
    element = ElementTree.fromstring(answer.content).find(f"{SYNC}Sync/{SYNC}progress")
    return int(element.get("done")), int(element.get("total"))


def patiently(server: CommCareServer, **parameters: str) -> tuple[requests.Response, list]:
    """Asks until the restore is there; what the progress was."""
    seen = []
    while (answer := server.restore(**parameters)).status_code == 202:
        seen.append(progress(answer))
    return answer, seen


@proves("C-8", "C-14")
def test_progress(server) -> None:
    """Progress grows to the number of cases, and the restore is given once."""
    answer, seen = patiently(server, device_id="progress")
    done = [each[0] for each in seen]
    assert {each[1] for each in seen} == {COUNT}
    assert done == sorted(done) and done[0] == 0 and len(set(done)) > 3 and done[-1] < COUNT
    assert cases(answer) == sorted(names())
    assert server.restore(device_id="progress").status_code == 202


def test_others_meanwhile(server) -> None:
    """Others are served while it is made; what they submit comes with the next sync."""
    assert server.restore(device_id="meanwhile").status_code == 202
    other = requests.Session()
    other.trust_env = False
    other.auth = ("bob", "secret")
    served = 0
    while True:
        assert other.get(server.root + "/formList", timeout=DEADLINE).status_code == 200
        block = case(f"late-{served}")
        sent = other.post(server.root + "/receiver/", form(f"late-{served}", block),
                          timeout=DEADLINE)
        assert sent.status_code == 201
        served += 1
        answer = server.restore(device_id="meanwhile")
        if answer.status_code != 202:
            break
    assert served > 3
    assert cases(answer) == sorted(names())
    since = {"since": token(answer), "state": state(*names())}
    again, _ = patiently(server, **since)
    late = [f"late-{number}" for number in range(served)]
    assert cases(again) == sorted(late)
    wrong = server.restore(since=token(again), state=state(*names()))
    assert wrong.status_code == 412
    # For the tests after this one.
    closing = [case(name, "<close/>", create=False) for name in late]
    assert server.submit(form("closing", *closing)).status_code == 201


def test_curl(server, tmp_path: Path) -> None:
    """curl waits for it, packed; and one that knows no 202 gets it all the same."""
    url = server.root + "/phone/restore/?items=true&device_id=curl"
    head = tmp_path / "head"
    statuses = []
    while not statuses or statuses[-1] == 202:
        asked = curl("-u", ":".join(AUTH), "-H", "X-OpenRosa-Version: 3.0", "--compressed",
                     "-D", head, url)
        statuses.append(int(head.read_text().split()[1]))
    assert statuses[-1] == 200 and statuses.count(202) > 1
    assert "content-encoding: gzip" in head.read_text().lower()
    assert len(list(ElementTree.fromstring(asked.stdout).iter(CASE))) == COUNT
    with subprocess.Popen(["curl", "-s", "-u", ":".join(AUTH), "-w", "%{http_code}", url],
                          stdout=subprocess.PIPE, env=environment()) as old:
        meanwhile = 0
        while old.poll() is None and not select_ready(old):
            answer = requests.get(server.root + "/formList", timeout=DEADLINE,
                                  proxies={"http": ""})
            assert answer.status_code == 200
            meanwhile += 1
        body, _ = old.communicate(timeout=DEADLINE)
    assert body.endswith(b"200") and meanwhile > 3
    assert len(list(ElementTree.fromstring(body[:-3]).iter(CASE))) == COUNT


def select_ready(process: subprocess.Popen) -> bool:
    """Whether a process has printed something."""
    return bool(select.select([process.stdout], [], [], 0)[0])


@proves("C-9")
def test_client(server, tmp_path: Path) -> None:
    """Our client shows the progress, has all cases at the end, and then none that are new."""
    kept = tmp_path / "state"
    password = environment(TAPEDECK_PASSWORD="secret")
    for _ in range(2):
        ended = subprocess.run(
            [TAPEDECK, "client", "commcare", "sync", "--to", server.url("", "http"), "--domain",
             "demo", "--user", "ada", "--state", kept],
            env=password, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=3 * DEADLINE, check=False)
        assert ended.returncode == 0, ended.stderr
        shown = subprocess.run(
            [TAPEDECK, "client", "commcare", "status", "--state", kept, "--json"],
            env=password, capture_output=True, text=True, timeout=DEADLINE, check=True)
        assert len(json.loads(shown.stdout)["cases"]) == COUNT


def test_bound(tmp_path: Path) -> None:
    """`--restore-slice` sets the bound, 0 takes it away; a state file keeps the token."""
    kept = tmp_path / "state.db"
    for arguments, first in ((("--restore-slice", "3"), 202), (("--restore-slice", "0"), 200),
                             (("--restore-slice", "4"), 200)):
        server = CommCareServer("--state", kept, *arguments)
        try:
            if not (known := tmp_path / "token").exists():
                assert server.submit(form("f", *map(case, names(4)))).status_code == 201
            else:
                since = {"since": known.read_text(), "state": state(*names(4))}
                assert cases(patiently(server, **since)[0]) == []
            answer = server.restore(device_id="bound")
            assert answer.status_code == first
            if first == 202:
                answer, _ = patiently(server, device_id="bound")
            assert cases(answer) == names(4)
            known.write_text(token(answer))
        finally:
            server.kill()
    refused = subprocess.run([TAPEDECK, "serve", "--restore-slice", "-1"], env=environment(),
                             capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert refused.returncode == 64
