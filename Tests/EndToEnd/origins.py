"""Servers that the tests talk to, all on free loopback ports."""

from __future__ import annotations

import gzip
import json
import os
import socket
import ssl
import threading
from collections.abc import Callable
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import brotli
import zstandard
from ports import free_port
from programs import Program, eventually
from websockets.sync.server import ServerConnection, serve


class _Answers(BaseHTTPRequestHandler):
    """What the plain origin says; the paths are explained at `HTTPOrigin`."""

    protocol_version = "HTTP/1.1"
    # One write for head and body, so that Nagle and delayed acknowledgements never meet.
    wbufsize = -1

    def log_message(self, *_) -> None:
        """Keeps quiet."""

    def _answer(self, status: int, body: bytes, **fields: str) -> None:
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.wfile.flush()

    def do_GET(self) -> None:
        """Answers every method."""
        length = int(self.headers.get("Content-Length", 0))
        content = self.rfile.read(length)
        self.server.origin.seen.append((self.command, self.path, self.headers, content))
        path = self.path.partition("?")[0]
        if path.startswith("/status/"):
            self._answer(int(path.rpartition("/")[2]), b"as asked\n")
        elif path.startswith("/coded/"):
            coding = path.rpartition("/")[2]
            plain = b"coded text, " * 200
            body = {"gzip": gzip.compress, "br": brotli.compress,
                    "zstd": zstandard.ZstdCompressor().compress}[coding](plain)
            self._answer(200, body, Content_Type="text/plain", Content_Encoding=coding)
        elif path == "/moved":
            scheme = "https" if self.server.origin.is_tls else "http"
            self._answer(302, b"", Location=f"{scheme}://{self.headers['Host']}/arrived")
        elif content:
            self._answer(200, content, Content_Type=self.headers.get("Content-Type", "text/plain"))
        else:
            said = {"method": self.command, "path": self.path, "host": self.headers["Host"],
                    "fields": {name.lower(): value for name, value in self.headers.items()}}
            self._answer(200, json.dumps(said).encode(), Content_Type="application/json")

    do_POST = do_PUT = do_HEAD = do_DELETE = do_GET


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_) -> None:
        """A client that hangs up is no news here."""


class HTTPOrigin:
    """Echoes a body, or says as JSON what it was asked; keeps what it has seen.

    `/status/N` answers with that status, `/coded/gzip|br|zstd` with a compressed text and `/moved`
    with an absolute Location.
    """

    def __init__(self, context: ssl.SSLContext | None = None):
        self.seen: list[tuple] = []
        self.is_tls = context is not None
        self._server = _Server(("127.0.0.1", 0), _Answers)
        self._server.origin = self
        if context:
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self._server.server_address[1]
        self.address = f"127.0.0.1:{self.port}"
        self.url = f"{'https' if self.is_tls else 'http'}://{self.address}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        """Stops listening."""
        self._server.shutdown()
        self._server.server_close()


class AnsweringServer(ThreadingHTTPServer):
    """Answers each request as its `answer` says."""

    def __init__(self):
        outer = self

        class Handler(BaseHTTPRequestHandler):
            """One connection."""

            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                """Answers."""
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, fields, content = outer.answer(self.command, self.path, self.headers, body)
                self.send_response(status)
                for name, value in fields.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            do_POST = do_PUT = do_HEAD = do_GET

            def log_message(self, *_) -> None:
                """Says nothing."""

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def answer(self, method: str, path: str, headers: Message,
               body: bytes) -> tuple[int, dict[str, str], bytes]:
        """Status, header fields and body for a request."""
        raise NotImplementedError

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def end(self) -> None:
        """Ends it."""
        self.shutdown()
        self.server_close()


class RawOrigin:
    """Accepts connections and hands each socket to `serve` on a thread of its own."""

    def __init__(self, serve_one: Callable[[socket.socket], None]):
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._serve = serve_one
        self._accepted: list[socket.socket] = []
        self.port = self._listener.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self.url = f"http://{self.address}"
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            try:
                accepted, _ = self._listener.accept()
            except OSError:
                return
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._accepted.append(accepted)
            threading.Thread(target=self._guarded, args=(accepted,), daemon=True).start()

    def _guarded(self, accepted: socket.socket) -> None:
        try:
            self._serve(accepted)
        except OSError:
            pass
        finally:
            accepted.close()

    def close(self) -> None:
        """Stops listening and hangs up."""
        self._listener.close()
        for accepted in self._accepted:
            accepted.close()


class EchoSocket:
    """A WebSocket server from the `websockets` package that sends every message back."""

    def __init__(self, compression: str | None = "deflate", context: ssl.SSLContext | None = None):
        self._server = serve(self._echo, "127.0.0.1", 0, compression=compression, ssl=context)
        self.port = self._server.socket.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self.is_tls = context is not None
        self.url = f"{'https' if context else 'http'}://{self.address}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @staticmethod
    def _echo(connection: ServerConnection) -> None:
        for message in connection:
            connection.send(message)

    def close(self) -> None:
        """Closes all connections and stops listening."""
        self._server.shutdown()


class Nginx:
    """An nginx of our own that serves a folder, with TLS where it is given a certificate."""

    def __init__(self, home: Path, certificate: Path | None = None, key: Path | None = None):
        home.mkdir()
        self.files = home / "files"
        self.files.mkdir()
        self.port = free_port()
        user = "user root;" if os.geteuid() == 0 else ""
        places = "".join(f"{name}_temp_path {home}/{name};" for name in
                         ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        tls = f"""ssl_protocols TLSv1.2 TLSv1.3;
                ssl_certificate {certificate}; ssl_certificate_key {key};""" if certificate else ""
        (home / "nginx.conf").write_text(f"""
            daemon off; {user} worker_processes 1; pid {home}/pid; error_log {home}/error.log;
            events {{ worker_connections 64; }}
            http {{
              access_log off; {places}
              gzip on; gzip_min_length 1; gzip_types text/plain;
              types {{ text/plain txt; }}
              server {{
                listen 127.0.0.1:{self.port}{" ssl" if certificate else ""};
                {tls}
                root {self.files};
                location /teapot {{ return 418 "short and stout"; }}
              }}
            }}""")
        self.program = Program("/usr/sbin/nginx", "-p", home, "-e", home / "error.log",
                               "-c", home / "nginx.conf")
        self.address = f"127.0.0.1:{self.port}"
        self.url = f"http{'s' if certificate else ''}://{self.address}"
        eventually(self._answers, f"nginx on port {self.port}: {self.program.said()}")

    def _answers(self) -> bool:
        assert self.program.is_running(), self.program.said()
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Ends it."""
        self.program.stop()
