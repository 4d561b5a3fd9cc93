"""Proves: a server is talked to only under a name that its certificate has, and a refusal says to the
client, in the trace and on standard error what is wrong with the certificate."""

from __future__ import annotations

import re

import pytest
from certificates import ServerCertificates, make_certificates
from origins import HTTPOrigin
from programs import curl


@pytest.fixture(name="shows")
def shows_fixture(tmp_path):
    """Starts a server with a certificate that is made for it; gives it and its authority."""
    started: list[HTTPOrigin] = []

    def start(**options) -> tuple[HTTPOrigin, ServerCertificates]:
        made = make_certificates(tmp_path, f"made{len(started)}", **options)
        started.append(HTTPOrigin(made.context()))
        return started[-1], made

    yield start
    for each in started:
        each.close()


def refused(record, origin, host: str, *arguments) -> str:
    """The reason for which a server was refused, the same in all three places."""
    url = origin.url.replace("127.0.0.1", host)
    proxy = record("--to", url, *arguments)
    done = curl("-w", "%{http_code}", f"{proxy.url}/a")
    text = done.stdout.decode()
    assert text.endswith("502")
    reason = re.search(r"the certificate of the server was not accepted: (.*)", text)[1]
    [(says,)] = proxy.eventually_sql("SELECT detail FROM event WHERE kind = 'tls-failed'")
    assert says.endswith(reason)
    proxy.await_line(re.escape(reason), errors=True)
    proxy.finish()
    return reason


@pytest.mark.parametrize(("options", "host", "expected"), [
    ({"extensions": "subjectAltName=IP:127.0.0.1"}, "localhost",
     r"other name \(it names 127\.0\.0\.1\)"),
    ({"extensions": "subjectAltName=DNS:localhost"}, "127.0.0.1",
     r"other name \(it names localhost\)"),
    ({"extensions": "subjectAltName=DNS:a.example,DNS:b.example"}, "localhost",
     r"other name \(it names a\.example, b\.example\)"),
    ({"extensions": "subjectAltName=DNS:*"}, "localhost", r"other name \(it names \*\)"),
    ({"extensions": "keyUsage=digitalSignature"}, "localhost",
     r"other name \(it names no host; a common name does not count\)"),
    ({"days": -1}, "localhost", r"expired on \d{4}-\d\d-\d\d \S+ \S+"),
    ({"key": ("rsa:1024",)}, "localhost", "RSA key of 1024 bits; at least 2048 are needed"),
    ({"extensions": "subjectAltName=DNS:localhost\nextendedKeyUsage=clientAuth"}, "localhost",
     r"it is not for servers \(extKeyUsage\)"),
    ({"authority_key": ("rsa:2048",), "digest": "sha1"}, "localhost",
     "it is signed with SHA-1, which can be forged"),
    ({"digest": "sha1"}, "localhost", r"it is signed with SHA-1, which can be forged"),
], ids=["address for a name", "name for an address", "others", "asterisk", "common name", "expired",
        "short key", "client", "SHA-1 and RSA", "SHA-1 and ECDSA"])
def test_a_certificate_that_is_not_good(record, shows, options, host, expected) -> None:
    origin, made = shows(**options)
    reason = refused(record, origin, host, "--server-ca", made.authority)
    assert re.fullmatch(expected, reason), reason


def test_an_authority_that_is_not_known(record, shows) -> None:
    origin, _ = shows()
    reason = refused(record, origin, "localhost")
    assert re.fullmatch(r"unknown authority \(.*made0 test authority.*\)", reason), reason


def test_authorities_of_the_environment(record, shows, monkeypatch) -> None:
    """As for OpenSSL, SSL_CERT_FILE stands for the authorities of the system."""
    origin, made = shows()
    monkeypatch.setenv("SSL_CERT_FILE", str(made.authority))
    proxy = record("--to", origin.url)
    assert curl("-f", f"{proxy.url}/a").stdout


def test_several_reasons(record, shows) -> None:
    origin, _ = shows(days=-1, extensions="subjectAltName=DNS:a.example")
    reason = refused(record, origin, "localhost")
    assert re.fullmatch(r"expired on .*; other name \(it names a\.example\); unknown authority "
                        r"\(.*\)", reason), reason


@pytest.mark.parametrize("options", [
    {}, {"key": ("rsa:2048",)},
    {"extensions": "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth"},
])
def test_a_good_certificate(record, shows, options) -> None:
    origin, made = shows(**options)
    for number, host in enumerate(["localhost", "127.0.0.1"]):
        proxy = record("--to", origin.url.replace("127.0.0.1", host), "--server-ca", made.authority)
        assert curl("-f", f"{proxy.url}/a/{number}").stdout
        proxy.finish()


def test_the_certificate_itself_may_be_trusted(record, shows) -> None:
    origin, made = shows()
    proxy = record("--to", origin.url, "--server-ca", made.certificate)
    assert curl("-f", f"{proxy.url}/a").stdout
