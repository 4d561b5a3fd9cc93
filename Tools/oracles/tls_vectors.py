#!/usr/bin/env python3
"""Writes TLS sessions of OpenSSL as they are on the wire, with their secrets and what was said.

    python3 tls_vectors.py >../../Tests/CapturingTests/TLS/Vectors/tls.txt

Needs `openssl` 3 and a Python that is built with it. The sessions differ from run to run; the keys
of their certificates are thrown away. The file has sessions, each of lines:

    session NAME
    says TEXT            what the handshake shows, as Tapedeck puts it
    key LINE             a line of the key log
    client HEX           bytes on the wire, in the order in which they were sent
    server HEX
    plain client HEX     all application data of one side
    plain server HEX

Lines that begin with # are comments.
"""

import argparse
import contextlib
import io
import os
import select
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

HOST = "sync.example"
SUITES13 = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"]
# OpenSSL's name, IANA's name, the kind of certificate, whether CBC is encrypted first.
SUITES12 = [
    ("ECDHE-ECDSA-AES128-GCM-SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ec", True),
    ("ECDHE-RSA-AES256-GCM-SHA384", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "rsa", True),
    ("AES128-GCM-SHA256", "TLS_RSA_WITH_AES_128_GCM_SHA256", "rsa", True),
    ("DHE-RSA-AES128-GCM-SHA256", "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256", "rsa", True),
    ("ECDHE-ECDSA-CHACHA20-POLY1305", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ec", True),
    ("ECDHE-ECDSA-AES128-SHA", "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ec", True),
    ("ECDHE-ECDSA-AES256-SHA", "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ec", False),
    ("ECDHE-ECDSA-AES128-SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "ec", False),
    ("ECDHE-ECDSA-AES256-SHA384", "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384", "ec", True),
    ("AES256-SHA256", "TLS_RSA_WITH_AES_256_CBC_SHA256", "rsa", True),
    ("ECDHE-ECDSA-AES128-CCM", "TLS_ECDHE_ECDSA_WITH_AES_128_CCM", "ec", True),
]
NO_ENCRYPT_THEN_MAC = 1 << 19


def talk(long: int = 200) -> list[tuple[str, bytes]]:
    """What the two sides say: requests, and responses of many sizes."""
    lines = []
    for number in range(6):
        lines.append(("client", b"GET /%d HTTP/1.1\r\nHost: sync.example\r\n\r\n" % number))
        size = long if number == 4 else 30 * number
        body = bytes(65 + (number + index) % 26 for index in range(size))
        head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
        lines += [("server", head), ("server", body)] if body else [("server", head)]
    return lines


class Session:
    """One session: what was on the wire, and what it means."""

    def __init__(self, name: str, says: str):
        self.name, self.says = name, says
        self.keys = ""
        self.wire: list[tuple[str, bytes]] = []
        self.plain = {"client": b"", "server": b""}

    def sent(self, side: str, data: bytes) -> None:
        """Bytes that one side sent."""
        if data:
            self.wire.append((side, data))

    def print(self) -> None:
        """The lines of the session."""
        print("session", self.name)
        print("says", self.says)
        for line in self.keys.splitlines():
            if line and not line.startswith("#"):
                print("key", line)
        for side, data in self.wire:
            print(side, data.hex())
        for side, data in self.plain.items():
            print("plain", side, data.hex())


def openssl(folder: Path, *arguments: str) -> None:
    """Runs openssl to its end."""
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make_certificates(folder: Path) -> None:
    """Two certificates and parameters for DHE."""
    kinds = {"ec": ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"], "rsa": ["rsa:2048"]}
    for name, kind in kinds.items():
        openssl(folder, "req", "-x509", "-newkey", *kind, "-nodes", "-keyout", f"{name}.key",
                "-out", f"{name}.pem", "-days", "36500", "-subj", f"/CN={HOST}")
    openssl(folder, "genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt", "group:ffdhe2048",
            "-out", "dh.pem")


def contexts(folder: Path, kind: str, version: ssl.TLSVersion) -> dict[str, ssl.SSLContext]:
    """Contexts of both sides for one version."""
    both = {"client": ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            "server": ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)}
    for context in both.values():
        context.minimum_version = version
        context.maximum_version = version
        context.set_alpn_protocols(["http/1.1"])
    both["client"].check_hostname = False
    both["client"].verify_mode = ssl.CERT_NONE
    both["client"].keylog_filename = str(folder / "keys.txt")
    both["server"].load_cert_chain(folder / f"{kind}.pem", folder / f"{kind}.key")
    both["server"].load_dh_params(folder / "dh.pem")
    return both


def converse(session: Session, both: dict[str, ssl.SSLContext], folder: Path,
             lines: list[tuple[str, bytes]], resume: ssl.SSLSession | None = None):
    """Lets both sides say `lines` in memory; gives the client's session."""
    (folder / "keys.txt").write_text("")
    ins = {side: ssl.MemoryBIO() for side in both}
    outs = {side: ssl.MemoryBIO() for side in both}
    ends = {
        "client": both["client"].wrap_bio(ins["client"], outs["client"], server_hostname=HOST,
                                          session=resume),
        "server": both["server"].wrap_bio(ins["server"], outs["server"], server_side=True),
    }
    other = {"client": "server", "server": "client"}

    def carry() -> None:
        for side in ends:
            data = outs[side].read()
            session.sent(side, data)
            ins[other[side]].write(data)

    def attempt(step) -> bool:
        try:
            step()
        except ssl.SSLWantReadError:
            return False
        return True

    done: set[str] = set()
    while len(done) < 2:
        for side in ends:
            if side not in done and attempt(ends[side].do_handshake):
                done.add(side)
            carry()
    for side, data in lines:
        view = memoryview(data)
        while view:
            view = view[ends[side].write(view):]
        carry()
        got = b""
        while len(got) < len(data):
            got += ends[other[side]].read(65536)
        assert got == data
        session.plain[side] += data
    kept = ends["client"].session
    attempt(ends["client"].unwrap)
    carry()
    attempt(ends["server"].unwrap)
    carry()
    session.keys = (folder / "keys.txt").read_text()
    return kept


def version12(folder: Path) -> None:
    """Sessions of TLS 1.2 and 1.1 in memory."""
    for name, iana, kind, encrypts_first in SUITES12:
        both = contexts(folder, kind, ssl.TLSVersion.TLSv1_2)
        for context in both.values():
            context.set_ciphers(name + ":@SECLEVEL=0")
            if not encrypts_first:
                context.options |= NO_ENCRYPT_THEN_MAC
        session = Session(f"1.2 {iana}",
                          f"server name {HOST}, ALPN http/1.1, TLS 1.2, {iana}")
        if iana.endswith("CCM"):
            session.name = f"sealed {session.name}"
        long = 17000 if name == "ECDHE-ECDSA-AES128-GCM-SHA256" else 200
        kept = converse(session, both, folder, talk(long))
        session.print()
        if kind == "ec" and "CHACHA" in name:
            session = Session("1.2 resumed", session.says + ", resumed")
            converse(session, both, folder, talk(), kept)
            session.print()
    both = contexts(folder, "ec", ssl.TLSVersion.TLSv1_1)
    for context in both.values():
        context.set_ciphers("ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0")
    session = Session("sealed 1.1", f"server name {HOST}, ALPN http/1.1, TLS 1.1, "
                      "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA")
    converse(session, both, folder, talk())
    session.print()


def version13(folder: Path, suite: str) -> None:
    """Sessions of TLS 1.3 in memory, whose suite the configuration of OpenSSL fixes."""
    both = contexts(folder, "ec", ssl.TLSVersion.TLSv1_3)
    says = f"server name {HOST}, ALPN http/1.1, TLS 1.3, {suite}"
    session = Session(f"1.3 {suite}", says)
    kept = converse(session, both, folder, talk(17000 if "128" in suite else 200))
    session.print()
    if "256_GCM" in suite:
        session = Session("1.3 resumed", says + ", resumed")
        converse(session, both, folder, talk(), kept)
        session.print()
        both["server"].set_ecdh_curve("secp384r1")
        session = Session("1.3 retried", says + ", hello retried")
        converse(session, both, folder, talk())
        session.print()


class Relay:
    """Stands between one client and one server and notes what each sends."""

    def __init__(self, port: int, session: Session):
        self.session = session
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.to = port

    def accept(self) -> None:
        """Takes the client's connection."""
        client, _ = self.listener.accept()
        self.sockets = {"client": client,
                        "server": socket.create_connection(("127.0.0.1", self.to))}

    def carry(self, seconds: float) -> None:
        """Carries bytes until nothing came for so long."""
        other = {"client": "server", "server": "client"}
        while self.sockets:
            ready, _, _ = select.select(list(self.sockets.values()), [], [], seconds)
            if not ready:
                return
            for side, end in list(self.sockets.items()):
                if end in ready:
                    data = end.recv(65536)
                    self.session.sent(side, data)
                    if not data:
                        self.sockets.pop(side)
                    elif other[side] in self.sockets:
                        self.sockets[other[side]].sendall(data)


def free_port() -> int:
    """A port that nobody has."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def with_programs(folder: Path, session: Session, lines: list[str], server: list[str] = (),
                  client: list[str] = (), before: list[str] | None = None,
                  reverses: bool = True) -> None:
    """One session of `openssl s_server`, which answers each line reversed, and `s_client`.

    Lines of one letter are commands of s_client. Where keys change or early data is read, s_server
    answers late or not, and is made to say the reversed line itself.
    """
    port = free_port()
    keys = folder / "keys.txt"
    keys.write_text("")
    serving = subprocess.Popen(
        ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert", "ec.pem", "-key",
         "ec.key", *(["-rev"] if reverses else []), "-alpn", "http/1.1", *server], cwd=folder,
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    common = ["openssl", "s_client", "-servername", HOST, "-alpn", "http/1.1"]
    try:
        if before is not None:
            first = subprocess.Popen([*common, "-connect", f"127.0.0.1:{port}", *before],
                                     cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
            time.sleep(0.5)
            first.communicate(b"Q\n", timeout=5)
        relay = Relay(port, session)
        asking = subprocess.Popen(
            [*common, "-connect", f"127.0.0.1:{relay.port}", "-keylogfile", str(keys), *client],
            cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        relay.accept()
        relay.carry(0.5)
        for line in lines:
            asking.stdin.write(line.encode() + b"\n")
            asking.stdin.flush()
            relay.carry(0.3)
            if not reverses and len(line) > 1:
                serving.stdin.write(line[::-1].encode() + b"\n")
                serving.stdin.flush()
                relay.carry(0.3)
            if len(line) > 1:
                session.plain["client"] += line.encode() + b"\n"
                session.plain["server"] += line[::-1].encode() + b"\n"
        asking.stdin.write(b"Q\n")
        asking.stdin.close()
        relay.carry(0.3)
        asking.wait(5)
    finally:
        serving.kill()
        serving.wait()
    session.keys = keys.read_text()
    session.print()


def shared_keys(folder: Path) -> None:
    """Sessions of TLS 1.2 with a key that both sides have."""
    key = ["-psk", "00112233445566778899aabbccddeeff"]
    for name, iana in (
            ("PSK-AES128-GCM-SHA256", "TLS_PSK_WITH_AES_128_GCM_SHA256"),
            ("PSK-AES256-CBC-SHA384", "TLS_PSK_WITH_AES_256_CBC_SHA384"),
            ("ECDHE-PSK-AES128-CBC-SHA256", "TLS_ECDHE_PSK_WITH_AES_128_CBC_SHA256"),
            ("DHE-PSK-CHACHA20-POLY1305", "TLS_DHE_PSK_WITH_CHACHA20_POLY1305_SHA256")):
        session = Session(f"1.2 with a shared key {iana}",
                          f"server name {HOST}, ALPN http/1.1, TLS 1.2, {iana}")
        with_programs(folder, session, ["first line", "another line"],
                      ["-tls1_2", "-cipher", name, "-nocert", *key],
                      ["-tls1_2", "-cipher", name, *key])


def refused_early_data(folder: Path) -> None:
    """A server that was started again does not know the session, and takes no early data."""
    (folder / "early.txt").write_bytes(b"said before the server answered\n")
    session = Session("1.3 refused early data", f"server name {HOST}, ALPN http/1.1, TLS 1.3, "
                      "TLS_AES_256_GCM_SHA384, early data offered")
    with_programs(folder, session, ["said later"], [],
                  ["-sess_in", "s.pem", "-early_data", "early.txt"], reverses=False)


def programs(folder: Path) -> None:
    """What Python cannot do: new keys, padding, early data, renegotiation, shared keys."""
    says = f"server name {HOST}, ALPN http/1.1, TLS 1.3, TLS_AES_256_GCM_SHA384"
    with_programs(folder, Session("1.3 key update", says),
                  ["first line", "k", "second line", "K", "third line", "K", "k", "fourth line"],
                  reverses=False)
    with_programs(folder, Session("1.3 padding", says), ["short", "some more words", "last"],
                  ["-record_padding", "256"], ["-record_padding", "100"])
    early = b"said before the server answered\n"
    (folder / "early.txt").write_bytes(early)
    session = Session("1.3 early data", says + ", resumed, early data offered")
    session.plain["client"] = early
    with_programs(folder, session, ["said later"], ["-early_data"],
                  ["-sess_in", "s.pem", "-early_data", "early.txt"],
                  ["-sess_out", "s.pem"], reverses=False)
    refused_early_data(folder)
    shared_keys(folder)
    with_programs(
        folder,
        Session("renegotiated 1.2", f"server name {HOST}, ALPN http/1.1, TLS 1.2, "
                "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
        ["before it", "R", "after it"], ["-tls1_2", "-client_renegotiation"], ["-tls1_2"])


def more(folder: Path) -> None:
    """The sessions that were added last."""
    make_certificates(folder)
    with contextlib.redirect_stdout(io.StringIO()):
        with_programs(folder, Session("", ""), ["x"], ["-early_data"],
                      ["-sess_out", "s.pem"], reverses=False)
    refused_early_data(folder)
    shared_keys(folder)


def main() -> None:
    """Prints the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", help="sessions of TLS 1.3 with this suite alone")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--more", action="store_true",
                        help="only refused early data and shared keys, to be added to the file")
    options = parser.parse_args()
    if options.more:
        with tempfile.TemporaryDirectory() as name:
            more(Path(name))
        return
    if options.suite:
        version13(options.folder, options.suite)
        return
    # TLS 1.1 is what one of the sessions is about.
    warnings.simplefilter("ignore", DeprecationWarning)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_certificates(folder)
        print("# Made by Tools/oracles/tls_vectors.py with", ssl.OPENSSL_VERSION, flush=True)
        for suite in SUITES13:
            (folder / "openssl.cnf").write_text(
                "openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\n"
                f"Ciphersuites = {suite}\n")
            subprocess.run([sys.executable, __file__, "--suite", suite, "--folder", name],
                           check=True, env=os.environ | {"OPENSSL_CONF": f"{name}/openssl.cnf"})
        version12(folder)
        programs(folder)


main()
