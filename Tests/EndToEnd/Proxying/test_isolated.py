"""Programs without any setting, in a network of their own: every connection that they make is recorded."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading

import pytest
from ports import closed_port
from programs import TAPEDECK, environment, sql, tapedeck
from unprivileged import NOBODY, needs_networks, open_to_nobody

def has_ipv6() -> bool:
    """Whether this machine has ::1."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


HAS_IPV6 = has_ipv6()


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


@needs_networks
def test_what_the_command_is(trace, ca_dir, certificates) -> None:
    """It is the same user with no rights in its network, its status is the recording's, and it has no
    proxy."""
    said = isolated(trace, ca_dir, certificates, "sh", "-c",
                    "id -u; echo ${http_proxy-none}; grep CapAmb /proc/self/status; "
                    "test -r \"$TAPEDECK_CA\"; exit 7", status=7)
    assert said.split() == [str(os.geteuid()), "none", "CapAmb:", "0" * 16]


@needs_networks
def test_where_the_kernel_forbids_it(trace) -> None:
    """A clear word, and what to do."""
    script = ('echo 0 > /proc/sys/user/max_user_namespaces; '
              f'{TAPEDECK} record {trace} --ca-dir {trace.parent}/ca --isolate -- true')
    done = subprocess.run(["unshare", "--user", "--map-root-user", "sh", "-c", script], check=False,
                          capture_output=True, text=True, env=environment())
    assert done.returncode == 69
    assert "lets no user make a network of its own" in done.stderr
    assert "user.max_user_namespaces" in done.stderr


@needs_networks
def test_nothing_is_left_of_a_recording_that_does_not_begin(trace, ca_dir) -> None:
    """The command that waits ends with it: nobody else has the standard error that this reads to its end."""
    said = tapedeck("record", trace, "--ca-dir", ca_dir, "--control", "/proc/none/socket", "--isolate", "--",
                    "true", status=74)
    assert "choose another path with --control" in said.stderr


@needs_networks
def test_a_server_that_is_not_there(trace, ca_dir, certificates) -> None:
    """A client of HTTP gets 502 with the reason, one of something else is reset."""
    port = closed_port()
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
    assert sql(trace, "SELECT count(*) FROM exchange") == [(0,)]
    assert sql(trace, "SELECT detail FROM event WHERE kind = 'raw'") == [
        ("the server speaks first; forwarded unread",)]


def test_what_it_needs(trace, ca_dir, tmp_path) -> None:
    """Without nft it says what to install."""
    for name in ("unshare", "setpriv", "true"):
        (tmp_path / name).symlink_to(shutil.which(name))
    if any(os.access(f"{folder}/nft", os.X_OK) for folder in ("/usr/sbin", "/sbin")):
        return
    done = tapedeck("record", trace, "--ca-dir", ca_dir, "--isolate", "--", "true", status=69,
                    env=environment(PATH=str(tmp_path)))
    assert "nftables" in done.stderr


ASK = """
import socket, struct, sys, time

def question(kind, server, name=b"localhost"):
    query = struct.pack(">6H", 7, 0x100, 1, 0, 0, 0) + bytes([len(name)]) + name + b"\\0"
    query += struct.pack(">2H", kind, 1)
    family = socket.AF_INET6 if ":" in server else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as asker:
        asker.settimeout(20)
        asker.connect((server, 53))
        asker.send(query)
        return asker.recv(500)

def visit(host, port):
    with socket.create_connection((host, port), timeout=20) as there:
        there.sendall(b"GET /%s HTTP/1.1\\r\\nHost: h\\r\\nConnection: close\\r\\n\\r\\n" % sys.argv[2].encode())
        return there.recv(12)
"""


@needs_networks
@pytest.mark.skipif(not HAS_IPV6, reason="needs IPv6")
def test_ipv6(trace, ca_dir, certificates) -> None:
    """A server at ::1 by its address, and by an address that stands for a name."""
    script = ASK + """
# As a name, which has an IPv6 address everywhere.
answer = question(28, "2001:db8::53", b"::1")
assert question(28, "2001:db8::53", b"localhost")[3] & 15 == 0
assert answer[7] == 1 and answer[-16:][:6] == bytes.fromhex("fd7461706564"), answer
print(visit("::1", int(sys.argv[1])), visit(socket.inet_ntop(socket.AF_INET6, answer[-16:]), int(sys.argv[1])))
"""
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as server:
        threading.Thread(target=answer_all, args=(server,), daemon=True).start()
        port = server.getsockname()[1]
        said = isolated(trace, ca_dir, certificates, sys.executable, "-c", script, str(port), "six")
        assert said.split("\n")[0] == "b'HTTP/1.1 204' b'HTTP/1.1 204'"
        curled = isolated(trace, ca_dir, certificates, "curl", "-sS", "-g", "-w", "%{http_code}",
                          f"http://[::1]:{port}/curl")
        assert curled == "204"
    assert sql(trace, "SELECT host, port FROM leg WHERE peer = 1 ORDER BY id") == [
        ("::1", port)] * 3
    assert len(urls(trace)) == 3
    listed = tapedeck("ls", trace, f'url:"http://[::1]:{port}/curl"', "--json").stdout
    assert listed.count("\n") == 1, listed


def answer_all(server: socket.socket) -> None:
    """Answers each request with 204."""
    while True:
        try:
            client, _ = server.accept()
        except OSError:
            return
        with client:
            if client.recv(65536):
                client.sendall(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")


@needs_networks
def test_the_other_loopback(trace, ca_dir, certificates, origin) -> None:
    """A server that is at 127.0.0.1 alone is reached also by who tries ::1 first."""
    said = isolated(trace, ca_dir, certificates, "curl", "-sS", "-g", "-o", "/dev/null", "-w",
                    "%{http_code}", f"http://[::1]:{origin.port}/")
    assert said == "200"
    assert sql(trace, "SELECT detail FROM event WHERE kind = 'opened'") == [(origin.address,)]


@needs_networks
def test_datagrams(trace, ca_dir, certificates) -> None:
    """QUIC finds nobody, at once; names are answered, whatever the name server's address."""
    script = ASK + """
began = time.monotonic()
for place in sys.argv[2:]:
    with socket.socket(socket.AF_INET6 if ":" in place else socket.AF_INET, socket.SOCK_DGRAM) as there:
        there.settimeout(20)
        there.connect((place, 443))
        try:
            there.send(b"x" * 1200)
            print("answered", there.recv(100))
        except ConnectionRefusedError:
            print("refused")
print(time.monotonic() - began < 15, question(1, "192.0.2.53")[-4:-2].hex())
"""
    places = ["192.0.2.1", "198.18.1.1"] + (["2001:db8::1"] if HAS_IPV6 else [])
    said = isolated(trace, ca_dir, certificates, sys.executable, "-c", script, "0", *places)
    assert said.split() == ["refused"] * len(places) + ["True", "c612"]
