"""A relay between shipper and server that cuts connections and loses answers."""

from __future__ import annotations

import socket
import threading


class Middleman:
    """Passes bytes on, apart from what `losses` says, one entry for each request with rows.

    `None` passes it on, a number cuts the connection after so many bytes of the request, `answer`
    passes the whole request on and cuts the connection instead of answering.
    """

    def __init__(self, port: int, losses: list[int | str | None]):
        self.target = port
        self.losses = list(losses)
        self.lost = 0
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        """HOST:PORT."""
        return f"127.0.0.1:{self.port}"

    def close(self) -> None:
        """Accepts no further connection."""
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _next(self) -> int | str | None:
        with self._lock:
            return self.losses.pop(0) if self.losses else None

    def _serve(self, client: socket.socket) -> None:
        try:
            server = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            client.close()
            return
        with client, server:
            try:
                while self._exchange(client, server):
                    pass
            except OSError:
                pass

    def _exchange(self, client: socket.socket, server: socket.socket) -> bool:
        """Passes one request and its answer on; returns whether the connection goes on."""
        request = self._head(client)
        if request is None:
            return False
        head, rest = request
        fields = head.lower()
        size = int(fields.partition(b"content-length:")[2].split(b"\r\n")[0])
        loss = self._next() if b"query_id=" in head else None
        sent = head + rest
        left = size - len(rest)
        if isinstance(loss, int):
            while left and len(sent) < loss:
                part = client.recv(65536)
                sent, left = sent + part, left - len(part)
            server.sendall(sent[:loss])
            self.lost += 1
            return False
        server.sendall(sent)
        while left:
            part = client.recv(min(65536, left))
            if not part:
                return False
            server.sendall(part)
            left -= len(part)
        answer = self._answer(server)
        if loss == "answer":
            self.lost += 1
            return False
        client.sendall(answer)
        return True

    @staticmethod
    def _head(peer: socket.socket) -> tuple[bytes, bytes] | None:
        data = b""
        while b"\r\n\r\n" not in data:
            part = peer.recv(65536)
            if not part:
                return None
            data += part
        head, _, rest = data.partition(b"\r\n\r\n")
        return head + b"\r\n\r\n", rest

    def _answer(self, server: socket.socket) -> bytes:
        found = self._head(server)
        if found is None:
            raise OSError("no answer")
        head, rest = found
        if b"transfer-encoding: chunked" in head.lower():
            while not rest.endswith(b"0\r\n\r\n"):
                part = server.recv(65536)
                if not part:
                    break
                rest += part
        else:
            size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
            while len(rest) < size:
                rest += server.recv(65536)
        return head + rest
