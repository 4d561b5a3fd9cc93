"""Proves with Python `requests` from PyPI: forward proxy over http and https with our authority."""

from __future__ import annotations

import requests


def session(proxy, trust) -> requests.Session:
    """A session that goes through the proxy and trusts its authority."""
    made = requests.Session()
    made.trust_env = False
    made.proxies = {"http": proxy.url, "https": proxy.url}
    made.verify = str(trust)
    return made


def test_http_and_https(record, origin, tls_origin, trust, certificates) -> None:
    """Both schemes in one session: keep-alive, bodies both ways, codings undone by the client."""
    proxy = record("--server-ca", certificates.authority)
    with session(proxy, trust) as client:
        for base in (origin.url, tls_origin.url):
            assert client.get(f"{base}/a", params={"q": "ä b"}).json()["path"] == "/a?q=%C3%A4+b"
            assert client.post(f"{base}/b", data=b"x" * 100_000).content == b"x" * 100_000
            assert client.get(f"{base}/coded/gzip").text == "coded text, " * 200
            assert client.get(f"{base}/moved").json()["path"] == "/arrived"
            assert client.post(f"{base}/files", files={"file": ("a.txt", "text")}).ok
            assert client.put(f"{base}/put", json={"a": [1, 2]}).json() == {"a": [1, 2]}
    proxy.finish()
    rows = proxy.sql("SELECT substr(url, 1, 5), count(*), max(outcome) FROM exchange "
                     "JOIN http_exchange USING (id) WHERE exchange.method <> 'CONNECT' "
                     "GROUP BY 1 ORDER BY 1")
    assert rows == [("http:", 7, "complete"), ("https", 7, "complete")]


def test_without_our_authority(record, tls_origin, certificates) -> None:
    """A client that does not know our authority is told so by its own TLS, and the trace says why."""
    proxy = record("--server-ca", certificates.authority)
    with session(proxy, certificates.authority) as client:
        try:
            client.get(f"{tls_origin.url}/a")
            raise AssertionError("the certificate was accepted")
        except requests.exceptions.SSLError:
            pass
    proxy.eventually_sql("SELECT 1 FROM event WHERE kind = 'tls-failed'")
