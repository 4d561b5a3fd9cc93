"""Connects standard input and output to a server by SOCKS 5: `socks_pipe.py PROXY_PORT HOST PORT`."""

from __future__ import annotations

import os
import sys
import threading

from python_socks.sync import Proxy


def main() -> None:
    """Copies both directions until the server ends."""
    proxy, host, port = sys.argv[1:]
    there = Proxy.from_url(f"socks5://127.0.0.1:{proxy}").connect(host, int(port))

    def send() -> None:
        while data := os.read(0, 65536):
            there.sendall(data)

    threading.Thread(target=send, daemon=True).start()
    while data := there.recv(65536):
        os.write(1, data)


main()
