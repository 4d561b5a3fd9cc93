"""Requests that rules send to other servers over TLS."""

from __future__ import annotations

import json

import pytest
from faults import feels
from origins import HTTPOrigin
from programs import curl, tapedeck


@feels("map")
@pytest.mark.parametrize("way", ["reverse", "reverse over TLS", "tunnel", "forward"])
@pytest.mark.parametrize("speaks", ["http", "https"])
def test_a_request_for_another_server_over_tls(record, certificates, trust, origin, tls_origin, way, speaks):
    """Whatever the client and its server speak, the request goes on as the rule says."""
    target = HTTPOrigin(certificates.context() if speaks == "https" else None)
    try:
        asked = origin if way == "forward" else tls_origin
        options = ["--server-ca", certificates.authority, "--fault", f"path:/api/* => map {target.url}",
                   "--fault", "path:/api/* => edit path '^/api/(.*)' '/v2/$1'"]
        if way.startswith("reverse"):
            options += ["--to", asked.url]
        deck = record("--quiet", *options)
        own = f"{'https' if way.endswith('TLS') else 'http'}://{deck.address}"
        base = own if way.startswith("reverse") else asked.url
        given = ("--cacert", trust, *(() if way.startswith("reverse") else ("-x", deck.url)))
        said = json.loads(curl(*given, f"{base}/api/a/b?c=d").stdout)
        assert (said["path"], said["host"]) == ("/v2/a/b?c=d", target.address)
        assert json.loads(curl(*given, f"{base}/x").stdout)["path"] == "/x"
        deck.finish()
        assert deck.sql("SELECT url FROM server_exchange WHERE method <> 'CONNECT' ORDER BY id") == [
            (f"{target.url}/v2/a/b?c=d",), (f"{asked.url}/x",)]
        assert tapedeck("diagnose", deck.trace, "--json").stdout == ""
    finally:
        target.close()
