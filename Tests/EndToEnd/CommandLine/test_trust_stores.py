"""The authority in the stores of this machine, and the page that a device sees."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from chrome_har import Chrome, needs_chromium
from programs import TAPEDECK, curl, environment, eventually, tapedeck

needs_certutil = pytest.mark.skipif(
    not shutil.which("certutil"), reason="needs certutil of libnss3-tools (Tools/setup)")


@needs_certutil
def test_nss(ca_dir, tmp_path: Path) -> None:
    """The databases of Chrome and of each Firefox profile; twice is once, and taken back is gone."""
    folders = [tmp_path / ".pki/nssdb", tmp_path / ".mozilla/firefox/abc.default"]
    for folder in folders:
        folder.mkdir(parents=True)
        subprocess.run(["certutil", "-N", "-d", f"sql:{folder}", "--empty-password"], check=True)
    (tmp_path / ".mozilla/firefox/profiles.ini").write_text("")
    home = environment(HOME=str(tmp_path))
    words = ["ca", "--ca-dir", ca_dir, "--store", "nss", "--yes"]
    assert tapedeck(*words, "--install", env=home).stdout.count("added to") == 2
    tapedeck(*words, "--install", env=home)

    def trusted(folder: Path) -> list[str]:
        listed = subprocess.run(["certutil", "-L", "-d", f"sql:{folder}"], check=True, text=True,
                                capture_output=True).stdout
        return [line.split()[-1] for line in listed.splitlines() if "Tapedeck" in line]

    assert [trusted(folder) for folder in folders] == [["C,,"], ["C,,"]]
    assert tapedeck(*words, "--uninstall", env=home).stdout.count("removed from") == 2
    assert [trusted(folder) for folder in folders] == [[], []]
    assert "nothing was changed" in tapedeck(*words, "--uninstall", env=home).stdout


@needs_certutil
def test_nobody_is_there_to_ask(ca_dir, tmp_path: Path) -> None:
    """Nothing is changed unasked."""
    (tmp_path / ".pki/nssdb").mkdir(parents=True)
    subprocess.run(["certutil", "-N", "-d", f"sql:{tmp_path}/.pki/nssdb", "--empty-password"],
                   check=True)
    done = tapedeck("ca", "--ca-dir", ca_dir, "--store", "nss", "--install", status=64,
                    env=environment(HOME=str(tmp_path)))
    assert "--yes" in done.stderr
    done = tapedeck("ca", "--ca-dir", ca_dir, "--store", "nss", "--install", status=69,
                    env=environment(HOME="/nonexistent"))
    assert "no store" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("update-ca-certificates"),
                    reason="needs root, and Debian's store")
def test_the_system_s(ca_dir, tmp_path: Path, record, tls_origin, certificates) -> None:
    """Debian's store, in a copy that only this test sees: curl trusts it without an option."""
    proxy = record("--server-ca", certificates.authority)
    ask = f"curl -sS -o /dev/null -w '%{{http_code}}\\n' -x {proxy.url} {tls_origin.url}/ || echo refused"
    script = f"""
    set -e
    cp -a /etc/ssl {tmp_path}/ssl
    mount --bind {tmp_path}/ssl /etc/ssl
    # With three of the hundred others, each of which takes its time.
    grep -v '^[#!]' /etc/ca-certificates.conf | head -n 3 >{tmp_path}/few
    mount --bind {tmp_path}/few /etc/ca-certificates.conf
    mkdir -p /usr/local/share/ca-certificates
    mount -t tmpfs none /usr/local/share/ca-certificates
    {TAPEDECK} ca --ca-dir {ca_dir} --store system --yes --install
    {ask}
    {TAPEDECK} ca --ca-dir {ca_dir} --store system --yes --uninstall
    {ask}
    """
    done = subprocess.run(["unshare", "--mount", "bash", "-c", script], capture_output=True, text=True,
                          check=False, env=environment(), timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("added to") and lines[1] == "200", done.stdout
    assert lines[2].startswith("removed from") and lines[-1] == "refused", done.stdout


def test_the_page_knows_who_trusts_it(record, trust) -> None:
    """The picture that says so comes over TLS, with our certificate for its host."""
    proxy = record()
    page = curl("-x", proxy.url, "http://tapedeck.test/").stdout.decode()
    assert 'src="https://tapedeck.test/trusted.svg"' in page and "network_security_config" in page
    for way in (["-x", proxy.url], ["-x", f"socks5h://{proxy.address}"]):
        done = curl(*way, "--cacert", trust, "https://tapedeck.test/trusted.svg")
        assert b"<svg" in done.stdout
        curl(*way, "https://tapedeck.test/trusted.svg", status=60)
    proxy.finish()
    assert proxy.sql("SELECT count(*) FROM leg WHERE peer = 1") == [(0,)]


def test_the_page_knows_its_client(record, trust, tls_origin, certificates) -> None:
    """What it is, and how its last TLS connections ended, here and for the inspector."""
    proxy = record("--inspect", "--server-ca", certificates.authority)

    def part(*more: str) -> str:
        return curl("-x", proxy.url, "http://tapedeck.test/client", *more).stdout.decode()

    first = part()
    assert "You are <b>curl " in first and "at 127.0.0.1." in first and "has used TLS" in first
    curl("-x", proxy.url, f"https://localhost:{tls_origin.port}/", status=60)
    refused = part("-A", "okhttp/4.12.0")
    assert "<b>okhttp 4.12</b>" in refused
    assert "✗ TLS for localhost failed" in refused and "alert 48 (unknown_ca)" in refused
    curl("-x", proxy.url, "--cacert", trust, "https://tapedeck.test/trusted.svg")
    both = part()
    assert "✓ TLS for tapedeck.test was accepted" in both and "✗ TLS for localhost" in both
    assert both.strip() in curl("-x", proxy.url, "http://tapedeck.test/").stdout.decode()
    address, token = proxy.await_line(r"^inspector at http://(\S+)/\?token=(\w+)$").groups()

    def asked(path: str) -> dict:
        return json.loads(curl("-H", f"Authorization: Bearer {token}", f"http://{address}{path}").stdout)

    recording = asked("/v1/setup")["recording"]
    assert recording["listeners"] == [{"address": proxy.address, "purpose": "as a proxy"}]
    assert len(recording["authority"]["sha256"]) == 95
    [client] = asked("/v1/traces/1/clients")["clients"]
    assert client["client"] == "127.0.0.1" and client["tls_failed"] == 1, client


@needs_chromium
@needs_certutil
@pytest.mark.parametrize("trusts", [False, True])
def test_the_page_in_a_browser(record, ca_dir, tmp_path: Path, monkeypatch, trusts: bool) -> None:
    """Chromium shows the picture once the authority is in its store, without any option."""
    store = tmp_path / ".pki/nssdb"
    store.mkdir(parents=True)
    subprocess.run(["certutil", "-N", "-d", f"sql:{store}", "--empty-password"], check=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    if trusts:
        tapedeck("ca", "--ca-dir", ca_dir, "--store", "nss", "--yes", "--install")
    proxy = record()
    chrome = Chrome(tmp_path / "chromium", proxy.url)
    try:
        chrome.open("http://tapedeck.test/")
        assert chrome.run("return document.title") == "Tapedeck"
        assert (chrome.run("return document.images[0].naturalWidth") > 0) == trusts
        # What it finds out about itself appears without a reload.
        word = "tapedeck.test was accepted" if trusts else "tapedeck.test failed"
        eventually(lambda: word in chrome.run("return document.body.textContent"), word)
        assert "Chrome" in chrome.run("return document.getElementById('client').textContent")
    finally:
        chrome.close()
