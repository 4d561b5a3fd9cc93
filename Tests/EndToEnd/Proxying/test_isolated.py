"""Programs without any setting, in a network of their own: every connection that they make is recorded."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys

import pytest
from programs import TAPEDECK, environment, sql, tapedeck

NOBODY = 65534


def may_isolate() -> bool:
    """Whether this machine lets anybody have a network of his own, and has what redirects in it."""
    if not all(shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")
               for name in ("unshare", "setpriv", "nft")):
        return False
    words = ["unshare", "--user", "--map-current-user", "--keep-caps", "--net", "--", "nft",
             "add table ip t; add chain ip t c { type nat hook output priority -100; }"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


needs_networks = pytest.mark.skipif(
    not may_isolate(), reason="needs user namespaces and nft (Tools/setup)")


def isolated(trace, ca_dir, certificates, *command: str, user: int | None = None,
             more: tuple = (), status: int = 0) -> str:
    """Records a command; gives what it printed."""
    options = {}
    if user is not None:
        options = {"user": user, "group": user, "extra_groups": [],
                   "env": environment(TMPDIR=str(trace.parent))}
    return tapedeck("record", trace, "--ca-dir", ca_dir, "--server-ca", certificates.authority,
                    "--isolate", *more, "--", *command, status=status, **options).stdout


def urls(trace) -> list[tuple]:
    """What was recorded."""
    return sql(trace, "SELECT method, url, status FROM exchange ORDER BY id")


@needs_networks
def test_curl(trace, ca_dir, origin, tls_origin, certificates) -> None:
    """By name and by address, with TLS and without: the bytes are those without a recording."""
    said = isolated(trace, ca_dir, certificates, "curl", "-sS", f"{origin.url}/plain",
                    f"https://localhost:{tls_origin.port}/tls", "--noproxy", "*")
    assert f'"host": "{origin.address}"' in said
    assert urls(trace) == [("GET", f"{origin.url}/plain", 200),
                           ("GET", f"https://localhost:{tls_origin.port}/tls", 200)]
    assert sql(trace, "SELECT DISTINCT mode FROM connection") == [("transparent",)]
    assert sql(trace, "SELECT count(*) FROM patch") == [(0,)]
    listed = urls(trace)
    tapedeck("rebuild", trace)
    assert urls(trace) == listed


@needs_networks
def test_names(trace, ca_dir, origin, tls_origin, certificates) -> None:
    """Names are answered inside, and known for what they are outside; one that is unknown stays so."""
    more = ("--resolve", f"shop.test:{origin.port}:127.0.0.1")
    isolated(trace, ca_dir, certificates, "sh", "-c",
             f"curl -sS http://shop.test:{origin.port}/a; curl -sS http://tapedeck.test/ca.pem; "
             "curl -sS http://no-such-name.invalid/", more=more, status=6)
    assert urls(trace) == [("GET", f"http://shop.test:{origin.port}/a", 200),
                           ("GET", "http://tapedeck.test/ca.pem", 200)]
    assert sql(trace, "SELECT host FROM leg WHERE peer = 1") == [("shop.test",)]


PYTHON = """
import sys, urllib.request
for url in sys.argv[1:]:
    print(urllib.request.urlopen(url).status)
"""
NODE = """
const https = require('https');
https.get(process.argv[1], (answer) => { console.log(answer.statusCode); answer.resume(); });
"""
JAVA = """
public class Ask {
    public static void main(String[] words) throws Exception {
        var asked = (java.net.HttpURLConnection) new java.net.URL(words[0]).openConnection();
        System.out.println(asked.getResponseCode());
    }
}
"""
# A library for WebSockets that looks at no setting of a proxy.
SOCKET = """
import sys
from websockets.sync.client import connect
with connect(sys.argv[1], proxy=None) as socket:
    socket.send("hello")
    print(socket.recv())
"""


@needs_networks
def test_a_websocket_library(trace, ca_dir, echo_socket, certificates) -> None:
    """Messages over TLS of a client that cannot be set to a proxy."""
    server = echo_socket(context=certificates.context())
    said = isolated(trace, ca_dir, certificates, sys.executable, "-c", SOCKET,
                    f"wss://localhost:{server.port}/")
    assert said.strip() == "hello"
    assert sql(trace, "SELECT sender, payload FROM message WHERE opcode = 1 ORDER BY id") == [
        (0, "hello"), (1, "hello")]


@needs_networks
@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
@pytest.mark.parametrize("runtime", ["python", "node", "curl", "java"])
def test_runtimes_without_root(trace, ca_dir, tls_origin, certificates, runtime: str) -> None:
    """As an unprivileged user, without proxy settings, over TLS."""
    url = f"https://localhost:{tls_origin.port}/{runtime}"
    commands = {"python": ["/usr/bin/python3", "-c", PYTHON, url], "node": ["node", "-e", NODE, url],
                "curl": ["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", url]}
    source = trace.parent / "Ask.java"
    source.write_text(JAVA)
    commands["java"] = ["java", str(source), url]
    if not shutil.which(commands[runtime][0]):
        pytest.skip(f"needs {runtime}")
    open_to_nobody(trace.parent, ca_dir.parent, certificates.authority.parent)
    said = isolated(trace, ca_dir, certificates, *commands[runtime], user=NOBODY)
    assert said.strip() == "200"
    assert urls(trace) == [("GET", url, 200)]


def open_to_nobody(*folders) -> None:
    """Lets another user read and write what a test has made."""
    for folder in folders:
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, NOBODY, NOBODY)
        for parent in folder.parents:
            if str(parent) not in ("/", "/tmp"):
                parent.chmod(parent.stat().st_mode | 0o111)


@needs_networks
def test_what_the_command_is(trace, ca_dir, certificates) -> None:
    """It is the same user with no rights in its network, its status is the recording's, and it has no
    proxy."""
    said = isolated(trace, ca_dir, certificates, "sh", "-c",
                    "id -u; echo ${http_proxy-none}; grep CapAmb /proc/self/status; "
                    "test -r \"$TAPEDECK_CA\"; exit 7", status=7)
    assert said.split() == [str(os.geteuid()), "none", "CapAmb:", "0" * 16]


@needs_networks
def test_a_server_that_is_not_there(trace, ca_dir, certificates) -> None:
    """A client of HTTP gets 502 with the reason, one of something else is reset."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    said = isolated(trace, ca_dir, certificates, "curl", "-sS", "-w", "%{http_code}",
                    f"http://127.0.0.1:{port}/")
    assert said.endswith("502") and "Connection refused" in said
    reset = ("import socket; s = socket.create_connection(('127.0.0.1', %d)); s.sendall(b'\\0\\1')\n"
             "try: print(s.recv(1))\nexcept ConnectionResetError: print('reset')" % port)
    assert isolated(trace, ca_dir, certificates, sys.executable, "-c", reset).strip() == "reset"


@needs_networks
def test_a_server_that_speaks_first(trace, ca_dir, raw_origin, certificates) -> None:
    """What is neither HTTP nor TLS passes as it is."""
    def greet(connection: socket.socket) -> None:
        connection.sendall(b"220 ready\r\n")
        connection.recv(100)

    server = raw_origin(greet)
    script = f"import socket; print(socket.create_connection(('127.0.0.1', {server.port})).recv(100))"
    assert isolated(trace, ca_dir, certificates, sys.executable, "-c", script).strip() == (
        "b'220 ready\\r\\n'")


def test_what_it_needs(trace, ca_dir, tmp_path) -> None:
    """Without nft it says what to install."""
    for name in ("unshare", "setpriv", "true"):
        (tmp_path / name).symlink_to(shutil.which(name))
    if any(os.access(f"{folder}/nft", os.X_OK) for folder in ("/usr/sbin", "/sbin")):
        return
    done = tapedeck("record", trace, "--ca-dir", ca_dir, "--isolate", "--", "true", status=69,
                    env=environment(PATH=str(tmp_path)))
    assert "nftables" in done.stderr


@needs_networks
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root for a network of its own")
def test_redirected(trace, ca_dir, origin, certificates) -> None:
    """`--listen transparent:…` with the rules that `redirect` prints, in a network made for the test."""
    # Inside, a server, the recording (as root) and a client (as nobody), whose connections are redirected.
    script = f"""
    set -e
    ip link set lo up
    {sys.executable} -m http.server 8000 --bind 127.0.0.1 >/dev/null 2>&1 &
    server=$!
    {TAPEDECK} record {trace} --ca-dir {ca_dir} --listen transparent:127.0.0.1:8081 &
    recording=$!
    {TAPEDECK} redirect --port 8081 --user nobody --server 8000 | nft -f -
    nft list ruleset
    until curl -s -o /dev/null http://127.0.0.1:8000/; do :; done
    until curl -s -o /dev/null http://127.0.0.1:8081/; do :; done
    setpriv --reuid=65534 --regid=65534 --clear-groups \\
        curl -sS -o /dev/null -w '%{{http_code}}\\n' http://127.0.0.1:8000/
    {TAPEDECK} redirect --remove | nft -f -
    kill -INT $recording; wait $recording || true
    kill $server
    """
    done = subprocess.run(["unshare", "--net", "bash", "-c", script], capture_output=True, text=True,
                          check=False, timeout=120, env=environment())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n200\n" in done.stdout
    recorded = [url for _, url, _ in urls(trace)]
    assert "http://127.0.0.1:8000/" in recorded
    assert "redirect" in sql(trace, "SELECT detail FROM event WHERE kind = 'warning'")[0][0]
