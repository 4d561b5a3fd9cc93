"""Proves: what a newcomer needs is there: a doctor, topics, guides, the certificate through the proxy."""

from __future__ import annotations

import hashlib
import json
import os
import plistlib
import re
import shutil
import ssl
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import requests
from programs import ROOT, TAPEDECK, curl, environment, tapedeck


def test_doctor(tmp_path, ca_dir) -> None:
    """A line for each check, and an object with --json; 1 where something failed."""
    said = tapedeck("doctor", "--ca-dir", ca_dir, status=None)
    assert re.search(r"^ok +certificate authority +\S+/tapedeck-ca.pem, valid for", said.stdout, re.M)
    objects = [json.loads(line) for line in
               tapedeck("doctor", "--json", "--ca-dir", ca_dir, status=None).stdout.splitlines()]
    assert {each["state"] for each in objects} <= {"ok", "warning", "failed"}
    assert all(bool(each.get("advice")) == (each["state"] != "ok") for each in objects)
    names = [each["name"] for each in objects]
    for name in ("HOME", "proxy variables", "port 8080", "port 8000", "rights for sniff", "disk",
                 "version", "certificate authority", "trust", "PATH"):
        assert name in names
    os.chmod(ca_dir / "tapedeck-ca-key.pem", 0o644)
    try:
        said = tapedeck("doctor", "--ca-dir", ca_dir, status=1)
    finally:
        os.chmod(ca_dir / "tapedeck-ca-key.pem", 0o600)
    assert "chmod 600" in said.stdout and said.stderr.startswith("tapedeck: 1 of ")
    (tmp_path / "text.tape").write_text("no trace\n" * 100)
    said = tapedeck("doctor", tmp_path / "text.tape", "--ca-dir", ca_dir, status=1)
    assert re.search(r"^failed +trace ", said.stdout, re.M)


def test_topics() -> None:
    """Each topic is the text of a document; the overview lists all."""
    overview = tapedeck("--help").stdout
    topics = re.findall(r"^  ([a-z-]+)  +", overview.split("Topics")[1].split("USAGE")[0], re.M)
    assert {"filters", "faults", "exit-status", "environment", "mitmproxy"} <= set(topics)
    for topic in topics:
        assert tapedeck("help", topic).stdout.count("\n") > 10
    assert tapedeck("help", "filters").stdout.startswith(
        (ROOT / "Sources/Filters/Filters.md").read_text().splitlines()[0])
    assert tapedeck("help", "record").stdout.startswith("OVERVIEW: Record traffic")


def test_examples_of_the_page_for_users_of_mitmproxy(tmp_path) -> None:
    """The rules and filters that it names are read."""
    (tmp_path / "file.json").write_text("{}")
    tapedeck("import", ROOT / "Recordings/restore-in-progress", tmp_path / "app.tape")
    page = (ROOT / "Sources/tapedeck/Mitmproxy.md").read_text()
    rules = re.findall(r"--fault '([^']+)'", page)
    assert len(rules) >= 2
    for rule in rules:
        tapedeck("faults", "check", rule, cwd=tmp_path)
    trace = tmp_path / "a.tape"
    tapedeck("import", ROOT / "Recordings/restore-in-progress", trace)
    for text in ("method:POST url~restore", "status:503", "host:HOST", "text:TEXT", "header.NAME:*"):
        assert f"`{text}`" in page
        tapedeck("ls", trace, text)


@pytest.mark.parametrize("platform", ["android", "ios", "java", "curl", "python", "node", "go", "firefox",
                                     "chrome"])
def test_guides(ca_dir, platform) -> None:
    """The steps name the files, which are there."""
    said = tapedeck("ca", "--for", platform, "--ca-dir", ca_dir).stdout
    files = re.findall(r"(/\S+/tapedeck-ca\.(?:pem|der))", said)
    assert files and all(Path(file).is_file() for file in files)


def trust_store(ca_dir: Path, folder: Path) -> Path:
    """The certificate as a trust store."""
    store = folder / "trust.p12"
    tapedeck("ca", "--p12", store, "--ca-dir", ca_dir)
    return store


def test_a_trust_store(ca_dir, tmp_path: Path) -> None:
    """Others open it: its check sum is right, it has the certificate and no key, and Java trusts that."""
    store = trust_store(ca_dir, tmp_path)
    der = (ca_dir / "tapedeck-ca.der").read_bytes()

    def ask(*words, status: int = 0) -> str:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stderr
        return done.stdout + done.stderr

    opened = ask("openssl", "pkcs12", "-in", store, "-passin", "pass:changeit", "-info")
    assert "friendlyName: Tapedeck CA" in opened and "PRIVATE KEY" not in opened
    assert "MAC: sha256, Iteration 2048" in opened
    start = opened.index("-----BEGIN CERTIFICATE-----")
    end = opened.index("-----END CERTIFICATE-----") + len("-----END CERTIFICATE-----")
    assert ssl.PEM_cert_to_DER_cert(opened[start:end]) == der
    ask("openssl", "pkcs12", "-in", store, "-passin", "pass:other", "-noout", status=1)
    if shutil.which("pk12util"):
        database = f"sql:{tmp_path}"
        ask("certutil", "-N", "-d", database, "--empty-password")
        ask("pk12util", "-i", store, "-d", database, "-W", "changeit")
        assert "Tapedeck CA" in ask("certutil", "-L", "-d", database)
    if shutil.which("keytool"):
        listed = ask("keytool", "-list", "-v", "-keystore", store, "-storepass", "changeit")
        assert "Entry type: trustedCertEntry" in listed and "contains 1 entry" in listed
        assert ":".join(re.findall("..", hashlib.sha256(der).hexdigest().upper())) in listed
        ask("keytool", "-list", "-keystore", store, "-storepass", "other", status=1)


def test_the_certificate_through_the_proxy(record, ca_dir, tmp_path: Path) -> None:
    """A device opens http://tapedeck.test/ in its browser; the trace has that, and no server is asked."""
    proxy = record()

    def get(path: str) -> requests.Response:
        return requests.get(f"http://tapedeck.test{path}", proxies={"http": proxy.url}, timeout=30)

    page = get("/")
    assert page.status_code == 200 and "text/html" in page.headers["Content-Type"]
    links = re.findall(r'href="([^"]+)"', page.text)
    assert len(links) == 4
    der = (ca_dir / "tapedeck-ca.der").read_bytes()
    assert get("/ca.crt").content == get("/ca.der").content == der
    assert ssl.PEM_cert_to_DER_cert(get("/ca.pem").text) == der
    profile = plistlib.loads(get("/ca.mobileconfig").content)
    assert profile["PayloadContent"][0]["PayloadContent"] == der
    opened = subprocess.run(["openssl", "x509", "-inform", "der", "-noout", "-subject"], check=True,
                            input=profile["PayloadContent"][0]["PayloadContent"], capture_output=True)
    assert b"Tapedeck CA" in opened.stdout
    assert all(get(link).status_code == 200 for link in links)
    assert get("/ca.p12").content == trust_store(ca_dir, tmp_path).read_bytes()
    assert get("/other").status_code == 404
    assert requests.get(f"{proxy.url}/ca.crt", timeout=30).content == der
    proxy.finish()
    assert proxy.sql("SELECT count(*) FROM leg WHERE peer = 1") == [(0,)]


def test_listening_on_all_addresses(program, trace, ca_dir) -> None:
    """The address that a device has to be given is printed."""
    started = program(TAPEDECK, "record", trace, "--listen", "0.0.0.0:0", "--ca-dir", ca_dir)
    port = started.await_line(r"^listening on 0\.0\.0\.0:(\d+)$")[1]
    line = started.await_line("other machine", errors=True).string
    assert f":{port}" in line or "no network" in line


def test_the_address_of_the_proxy_itself(trace, ca_dir) -> None:
    """--to the own listener would be a loop."""
    for url in ("http://127.0.0.1:7399", "http://localhost:7399"):
        said = tapedeck("record", trace, "--ca-dir", ca_dir, "--listen", "127.0.0.1:7399", "--to", url,
                        status=64)
        assert "the address that the proxy itself listens on" in said.stderr
    assert not trace.exists()


def test_plans() -> None:
    """The schema is the one in the sources; what matches nothing is named."""
    schema = tapedeck("faults", "schema").stdout
    assert schema == (ROOT / "Sources/Faults/faults.schema.json").read_text()
    said = tapedeck("faults", "check", "api:commcare.restor => 503")
    assert "did you mean commcare.restore" in said.stderr
    said = tapedeck("faults", "check", "status:200 503", status=64)
    assert "=> is missing" in said.stderr


def test_errors_are_one_line() -> None:
    """Usage errors too, with the place that says more."""
    for words in (["ls"], ["record", "x", "--nonsense"], ["ls", "x", "--limit", "many"], ["recrod"]):
        said = tapedeck(*words, status=64)
        assert said.stdout == "" and said.stderr.count("\n") == 1, said.stderr
        assert said.stderr.startswith("tapedeck: ")


COMPLETE = """
source ./tapedeck.bash
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
_tapedeck "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.parametrize(("line", "expected"), [
    ("ls app", "app.tape"), ("record x --faults capt", "captive-portal"),
    ("record x --faults pla", "plan.yaml"), ("record x --ca-dir fol", "folder"),
    ("diagnose --explain commcare.retry.at", "commcare.retry.at-once"),
    ("ls app.tape buck", "bucket:"), ("show app.tape 1", "1"), ("faults ch", "change check"),
    ("ca --help-for an", "android")])
def test_completion(tmp_path, line, expected) -> None:
    """bash completes files, packs, rules, fields of filters, rows and commands."""
    (tmp_path / "tapedeck.bash").write_text(
        tapedeck("--generate-completion-script", "bash").stdout)
    (tmp_path / "complete.sh").write_text(COMPLETE)
    (tmp_path / "plan.yaml").touch()
    (tmp_path / "folder").mkdir()
    tapedeck("import", ROOT / "Recordings/restore-in-progress", tmp_path / "app.tape")
    path = f"{TAPEDECK.parent}:{os.environ['PATH']}"
    said = subprocess.run(["bash", "complete.sh", "tapedeck", *line.split(" ")], cwd=tmp_path,
                          env=environment(PATH=path), capture_output=True, text=True, check=False)
    assert set(expected.split()) <= set(said.stdout.split()), said
    if line.startswith("ls app"):
        assert "folder" not in said.stdout


def test_markdown_for_a_job(record, origin) -> None:
    """Both reports as the summary of a job takes them."""
    proxy = record("--to", origin.url, "--fault", "path:/a => 400 first=1")
    curl(f"{proxy.url}/a")
    curl(f"{proxy.url}/b")
    proxy.finish()
    said = tapedeck("faults", "report", proxy.trace, "--markdown", status=1).stdout
    assert said.startswith("### tapedeck faults report ") and "| rule-1 |" in said
    said = tapedeck("diagnose", proxy.trace, "--markdown", env=environment()).stdout
    assert said.startswith("### tapedeck diagnose ")
    junit = tapedeck("faults", "report", proxy.trace, "--junit", "-", status=1).stdout
    [case] = ElementTree.fromstring(junit).iter("testcase")
    assert case.get("name") == "status 400 #1"
    assert {each.get("name") for each in case.iter("property")} >= {"seed", "rule", "evidence", "at"}
