"""A small HTTP proxy that we did not write Tapedeck's side for: CONNECT, absolute targets, passwords."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import socket
import ssl
import threading
from urllib.parse import urlsplit


class SmallProxy:
    """Passes on what it is asked for; `asked` has each request's first line.

    `scheme` is how its clients have to authenticate: "basic", "digest" or nothing; `refused` are ports that it
    does not open tunnels to; a nonce of Digest holds for `uses` requests.
    """

    def __init__(self, scheme: str = "", user: str = "ada", password: str = "sesame-9",
                 refused: tuple[int, ...] = (), context: ssl.SSLContext | None = None,
                 uses: int = 1 << 30):
        self.scheme, self.user, self.password, self.refused = scheme, user, password, refused
        self.uses = uses
        self.asked: list[str] = []
        self.counts: list[int] = []
        self.nonce = os.urandom(8).hex()
        self._context = context
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        threading.Thread(target=self._run, daemon=True).start()

    def close(self) -> None:
        """Stops listening."""
        # A thread that waits for a client would keep it open.
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            return
        self._listener.close()

    def _run(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._guarded, args=(client,), daemon=True).start()

    def _guarded(self, client: socket.socket) -> None:
        try:
            if self._context:
                client = self._context.wrap_socket(client, server_side=True)
            self._serve(client)
        except OSError:
            pass
        finally:
            client.close()

    def _serve(self, client: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            part = client.recv(65536)
            if not part:
                return
            head += part
        head, _, rest = head.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        method, target, _ = lines[0].split(" ")
        self.asked.append(lines[0])
        fields = {name.lower(): value.strip() for name, _, value in
                  (line.partition(":") for line in lines[1:])}
        if not self._allows(method, target, fields.get("proxy-authorization", "")):
            # Once all of it is there: what can be sent again depends on how much there was.
            left = int(fields.get("content-length", "0")) - len(rest)
            while left > 0:
                part = client.recv(left)
                if not part:
                    return
                left -= len(part)
            stale = ""
            if len(self.counts) > self.uses:
                self.nonce, self.counts, stale = os.urandom(8).hex(), [], ", stale=true"
            challenge = {"basic": 'Basic realm="small"', "digest":
                         'Digest realm="small", qop="auth", algorithm=SHA-256, '
                         f'nonce="{self.nonce}"{stale}'}
            client.sendall(("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: "
                            f"{challenge[self.scheme]}\r\nContent-Length: 3\r\n\r\nno\n").encode())
            # To close with bytes unread would take the answer from the client.
            client.shutdown(socket.SHUT_WR)
            while client.recv(65536):
                pass
            return
        if method == "CONNECT":
            host, _, port = target.rpartition(":")
            if int(port) in self.refused:
                client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
                return
            server = socket.create_connection((host.strip("[]"), int(port)), timeout=30)
            client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        else:
            url = urlsplit(target)
            server = socket.create_connection((url.hostname, url.port or 80), timeout=30)
            kept = [line for line in lines[1:] if not line.lower().startswith("proxy-")]
            line = f"{method} {url.path or '/'}{'?' + url.query if url.query else ''} HTTP/1.1"
            server.sendall("\r\n".join([line, *kept, "", ""]).encode())
        server.sendall(rest)
        other = threading.Thread(target=self._copy, args=(server, client), daemon=True)
        other.start()
        self._copy(client, server)
        other.join()
        server.close()

    @staticmethod
    def _copy(source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def _allows(self, method: str, target: str, said: str) -> bool:
        if self.scheme == "basic":
            known = base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
            return said == f"Basic {known}"
        if self.scheme == "digest":
            if not said.startswith("Digest "):
                return False
            word = dict(re.findall(r'(\w+)="?([^",]+)"?', said[7:]))

            def sha(text: str) -> str:
                return hashlib.sha256(text.encode()).hexdigest()

            key = sha(f"{self.user}:small:{self.password}")
            wanted = sha(f"{key}:{self.nonce}:{word['nc']}:{word['cnonce']}:auth:"
                         + sha(f"{method}:{target}"))
            self.counts.append(int(word["nc"], 16))
            is_new = len(self.counts) <= self.uses
            return is_new and word["uri"] == target and word["response"] == wanted
        return True
