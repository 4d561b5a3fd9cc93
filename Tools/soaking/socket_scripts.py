"""Random conversations between a client and a server, and what each has to receive of the other.

A script is a list of steps. Who plays it through a proxy gets the bytes that were sent, apart from
the closed list of rewrites; `sent` is what a peer writes, `due` what the other one has to get of it.
"""

from __future__ import annotations

import random
import ssl
from dataclasses import dataclass, field

CLIENT, SERVER = "client", "server"
# How a client takes the proxy.
FORWARD, TUNNEL, NESTED, REVERSE, KEEP = "forward", "tunnel", "nested", "reverse", "keep-host"


@dataclass
class Step:
    """One thing that a peer does; `due` is waited for where `waits`."""

    who: str
    # send, end (half-close), close, reset, accept (the server has been connected to), see-end
    what: str
    sent: bytes = b""
    due: bytes = b""
    waits: bool = True


@dataclass
class Script:
    """What is played, and how it may end."""

    kind: str
    mode: str
    steps: list[Step] = field(default_factory=list)
    # What comes of the client's bytes is an answer of the proxy's own, with this status.
    status: int | None = None
    # After a reset a peer may have got less than was sent.
    is_cut: bool = False
    # No server listens.
    is_refused: bool = False

    def add(self, who: str, what: str, sent: bytes = b"", due: bytes | None = None,
            waits: bool = True) -> None:
        """Appends a step."""
        self.steps.append(Step(who, what, sent, sent if due is None else due, waits))


class Writer:
    """Writes the messages of one conversation."""

    def __init__(self, dice: random.Random, mode: str, proxy: str, server: str, is_tls: bool):
        self.dice, self.mode = dice, mode
        self.proxy, self.server = proxy.encode(), server.encode()
        self.is_tls = is_tls
        self.number = 0

    def text(self, size: int) -> bytes:
        """Bytes of any value."""
        return self.dice.randbytes(size)

    def size(self) -> int:
        """Mostly small, sometimes larger than what is read at once."""
        return self.dice.choice([0, 1, 2, 5, 17, 100, 1000, 5000, 40_000, 150_000])

    def body(self, data: bytes) -> tuple[bytes, bytes]:
        """Fields and bytes of a body, with its length or in chunks."""
        if self.dice.random() < 0.6:
            return b"Content-Length: %d\r\n" % len(data), data
        chunks, at = b"", 0
        while at < len(data):
            size = self.dice.randint(1, max(1, len(data) // 2))
            piece = data[at:at + size]
            extension = self.dice.choice([b"", b"", b";a=b", b' ; q="x y"'])
            chunks += b"%x%s\r\n%s\r\n" % (len(piece), extension, piece)
            at += size
        trailer = self.dice.choice([b"", b"X-Sum: 1\r\n"])
        return b"Transfer-Encoding: chunked\r\n", chunks + b"0\r\n" + trailer + b"\r\n"

    def request(self, method: bytes = b"", fields: bytes = b"", body: bytes | None = None,
                has_host: bool = True) -> tuple[bytes, bytes]:
        """A request as the client sends it and as the server gets it."""
        dice = self.dice
        self.number += 1
        method = method or dice.choice([b"GET", b"POST", b"PUT", b"DELETE", b"OPTIONS"])
        path = b"/%d%s" % (self.number, dice.choice([b"", b"?q=1&&z", b"/%7Ea/../b;c", b"/x?y#z"]))
        if body is None and method in (b"POST", b"PUT"):
            body = self.text(self.size())
        more, content = self.body(body) if body is not None else (b"", b"")
        host, host_due = self._hosts()
        target = b"http://" + self.server + path if self.mode == FORWARD else path
        odd = dice.choice([b"", b"", b"X-Odd:\t1 \r\nx-odd: \xff\xfe\r\n", b"X-Empty:\r\n",
                           b"Cookie: a=b; c=d\r\n"])
        origin = origin_due = b""
        if self.mode == REVERSE and has_host and dice.random() < 0.3:
            scheme = dice.choice([b"http://", b"https://"])
            origin = b"Origin: " + scheme + host + b"\r\n"
            origin_due = (b"Origin: " + (b"https://" if self.is_tls else b"http://") + host_due
                          + b"\r\n")
        hop = b"Proxy-Connection: keep-alive\r\n" if (
            self.mode == FORWARD and dice.random() < 0.3) else b""

        def made(target: bytes, host: bytes, origin: bytes, hop: bytes) -> bytes:
            named = b"Host: " + host + b"\r\n" if has_host else b""
            return (method + b" " + target + b" HTTP/1.1\r\n" + named + odd + origin + hop + fields
                    + more + b"\r\n" + content)

        return made(target, host, origin, hop), made(path, host_due, origin_due, b"")

    def _hosts(self) -> tuple[bytes, bytes]:
        if self.mode == REVERSE:
            return self.proxy, self.server
        if self.mode == KEEP:
            return b"app.example:81", b"app.example:81"
        return self.server, self.server

    def response(self, method: bytes = b"GET", status: bytes = b"200 OK",
                 fields: bytes = b"") -> tuple[bytes, bytes]:
        """A response as the server sends it and as the client gets it."""
        dice = self.dice
        location = location_due = b""
        if dice.random() < 0.2:
            location = b"Location: http%s://%s/there\r\n" % (
                b"s" if self.is_tls else b"", self.server)
            location_due = location
            if self.mode == REVERSE:
                location_due = b"Location: http%s://%s/there\r\n" % (
                    b"s" if self.is_client_tls else b"", self.proxy)
        if method == b"HEAD":
            more, content = b"Content-Length: 1000\r\n", b""
        elif dice.random() < 0.15:
            status, more, content = dice.choice([b"204 No Content", b"304 Not Modified"]), b"", b""
        else:
            more, content = self.body(self.text(self.size()))

        def made(location: bytes) -> bytes:
            return (b"HTTP/1.1 " + status + b"\r\nServer: soak\r\n" + location + fields + more
                    + b"\r\n" + content)

        return made(location), made(location_due)

    is_client_tls = False


def make(dice: random.Random, writer: Writer, has_tls: bool) -> Script:
    """A script of any kind that can be played in this mode."""
    kinds = [*ANYWHERE, *WHERE[writer.mode]]
    if has_tls:
        kinds = [made for made in kinds if made not in ONLY_PLAIN]
    made = dice.choice(kinds)
    script = Script(made.__name__, writer.mode)
    made(dice, writer, script)
    return script


def exchange(dice: random.Random, writer: Writer, script: Script) -> None:
    """One request and its answer, perhaps with others before the final one."""
    method = dice.choice([b"", b"", b"HEAD"])
    sent, due = writer.request(method, body=b"" if method == b"HEAD" else None)
    script.add(CLIENT, "send", sent, due)
    for _ in range(dice.choice([0, 0, 0, 1, 2])):
        script.add(SERVER, "send", dice.choice([
            b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
            b"HTTP/1.1 102 Processing\r\n\r\n"]))
    script.add(SERVER, "send", *writer.response(method))


def finish(dice: random.Random, script: Script) -> None:
    """Any end of a conversation in which nothing is under way."""
    kind = dice.choice(["client", "server", "client-resets", "server-resets"])
    if kind == "client":
        script.add(CLIENT, "close")
        script.add(SERVER, "see-end")
    elif kind == "server":
        script.add(SERVER, "close")
        script.add(CLIENT, "see-end")
    elif kind == "client-resets":
        script.add(CLIENT, "reset")
        script.add(SERVER, "see-end")
    else:
        script.add(SERVER, "reset")
        script.add(CLIENT, "see-end")


def exchanges(dice: random.Random, writer: Writer, script: Script) -> None:
    """Requests and answers in turn."""
    for _ in range(dice.randint(1, 5)):
        exchange(dice, writer, script)
    finish(dice, script)


def pipelining(dice: random.Random, writer: Writer, script: Script) -> None:
    """Several requests at once, answered at once or one by one."""
    made = [writer.request() for _ in range(dice.randint(2, 12))]
    script.add(CLIENT, "send", b"".join(sent for sent, _ in made), b"".join(due for _, due in made))
    answers = [writer.response() for _ in made]
    if dice.random() < 0.5:
        script.add(SERVER, "send", b"".join(sent for sent, _ in answers),
                   b"".join(due for _, due in answers))
    else:
        for sent, due in answers:
            script.add(SERVER, "send", sent, due)
    finish(dice, script)


def early_answer(dice: random.Random, writer: Writer, script: Script) -> None:
    """The server answers before the body is complete, and the client goes on with it."""
    data = writer.text(dice.randint(2, 3000))
    sent, due = writer.request(b"POST", body=data)
    head, head_due = sent.index(b"\r\n\r\n") + 4, due.index(b"\r\n\r\n") + 4
    cut = dice.randint(0, len(sent) - head - 1)
    script.add(CLIENT, "send", sent[:head + cut], due[:head_due + cut])
    script.add(SERVER, "send", *writer.response(status=b"413 Too Large"))
    script.add(CLIENT, "send", sent[head + cut:], due[head_due + cut:])
    if dice.random() < 0.5:
        exchange(dice, writer, script)
    finish(dice, script)


UPGRADE = (b"Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")


def upgrade_accepted(dice: random.Random, writer: Writer, script: Script) -> None:
    """101, with bytes right behind the request in some; then anything at all."""
    behind = writer.text(dice.choice([0, 0, 1, 50, 5000]))
    sent, due = writer.request(b"GET", dice.choice(
        [UPGRADE, b"Connection: Upgrade\r\nUpgrade: noise/2\r\n"]))
    script.add(CLIENT, "send", sent + behind, due)
    after = writer.text(dice.choice([0, 1, 300]))
    script.add(SERVER, "send", b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
               b"Upgrade: noise/2\r\n\r\n" + after)
    if behind:
        script.add(CLIENT, "send", b"", behind)
    chatter(dice, writer, script)
    finish(dice, script)


def upgrade_refused(dice: random.Random, writer: Writer, script: Script) -> None:
    """An answer that is no 101, and HTTP goes on; the next request may be there already."""
    sent, due = writer.request(b"GET", UPGRADE)
    status = dice.choice([b"200 OK", b"400 Bad Request", b"426 Upgrade Required"])
    answer = writer.response(status=status)
    if dice.random() < 0.5:
        later, later_due = writer.request()
        script.add(CLIENT, "send", sent + later, due)
        script.add(SERVER, "send", *answer)
        script.add(CLIENT, "send", b"", later_due)
        script.add(SERVER, "send", *writer.response())
    else:
        script.add(CLIENT, "send", sent, due)
        script.add(SERVER, "send", *answer)
        exchange(dice, writer, script)
    finish(dice, script)


def chatter(dice: random.Random, writer: Writer, script: Script) -> None:
    """Bytes of no protocol, from either side."""
    for _ in range(dice.randint(0, 6)):
        # What may become the start of a head is held where heads are rewritten.
        script.add(dice.choice([CLIENT, SERVER]), "send", b"\0" + writer.text(writer.size()))


def connect_inside(dice: random.Random, writer: Writer, script: Script) -> None:
    """CONNECT to a server that is a proxy itself: accepted or refused, with bytes behind it."""
    # The start of a request or of a TLS handshake would be held until it is whole.
    behind = dice.choice([b"", b"\0", b"\0" + writer.text(60), b"\0" + writer.text(4000)])
    head = b"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n"
    if dice.random() < 0.6:
        script.add(CLIENT, "send", head + behind, head)
        script.add(SERVER, "send", b"HTTP/1.1 200 Connection established\r\n\r\n")
        if behind:
            script.add(CLIENT, "send", b"", behind)
        chatter(dice, writer, script)
    else:
        later, later_due = writer.request()
        script.add(CLIENT, "send", head + later, head)
        script.add(SERVER, "send", dice.choice(
            [b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 3\r\n\r\nno!",
             b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"]))
        script.add(CLIENT, "send", b"", later_due)
        script.add(SERVER, "send", *writer.response())
    finish(dice, script)


def long_answer(dice: random.Random, writer: Writer, script: Script) -> None:
    """More than was announced, with what was announced."""
    script.add(CLIENT, "send", *writer.request())
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    more = writer.text(dice.randint(1, 200))
    # In a forward proxy the next request may be another server's: nobody may answer it beforehand, and
    # the server is hung up on.
    script.is_cut = script.mode == FORWARD
    script.add(SERVER, "send", answer + more, answer if script.mode == FORWARD else answer + more)
    script.add(SERVER, "close")
    script.add(CLIENT, "see-end")


def short_answer(dice: random.Random, writer: Writer, script: Script) -> None:
    """Less than was announced, or a body that lasts until the end."""
    script.add(CLIENT, "send", *writer.request())
    announced = dice.choice([b"Content-Length: 9000\r\n", b"", b"Transfer-Encoding: chunked\r\n"])
    script.add(SERVER, "send", b"HTTP/1.1 200 OK\r\n" + announced + b"\r\n"
               + (b"64\r\n" if b"chunked" in announced else b"") + writer.text(50))
    script.add(SERVER, "close")
    script.add(CLIENT, "see-end")


def server_gives_up(dice: random.Random, writer: Writer, script: Script) -> None:
    """The server resets the connection at any point of its answer."""
    script.is_cut = True
    script.add(CLIENT, "send", *writer.request())
    sent, due = writer.response()
    # The start of a head goes on as it came when no more comes.
    first = 0 if sent == due else sent.index(b"\r\n\r\n") + 4
    script.add(SERVER, "send", sent[:dice.randint(first, len(sent))], due, waits=False)
    script.add(SERVER, "reset")
    script.add(CLIENT, "see-end")


def client_gives_up(dice: random.Random, writer: Writer, script: Script) -> None:
    """The client resets or closes while an answer is under way."""
    script.is_cut = True
    script.add(CLIENT, "send", *writer.request())
    script.add(SERVER, "send", *writer.response(), waits=False)
    script.add(CLIENT, dice.choice(["reset", "close"]))
    script.add(SERVER, "see-end")


def answer_after_end(dice: random.Random, writer: Writer, script: Script) -> None:
    """The client half-closes behind its request, or within its body, and gets its answer."""
    sent, due = writer.request(b"POST", body=writer.text(500))
    cut = dice.choice([0, 0, 1, 100])
    script.add(CLIENT, "send", sent[:len(sent) - cut], due[:len(due) - cut])
    script.add(CLIENT, "end")
    script.add(SERVER, "see-end")
    script.add(SERVER, "send", *writer.response())
    script.add(SERVER, "close")
    script.add(CLIENT, "see-end")


def long_request(dice: random.Random, writer: Writer, script: Script) -> None:
    """A body longer than its length; the rest looks like the start of a head."""
    sent, due = writer.request(b"GET", b"Content-Length: 5\r\n")
    # The rest may wait for the end of that head, or not.
    script.add(CLIENT, "send", sent + b"hello and", due + b"hello and", waits=False)
    script.add(SERVER, "send", *writer.response())
    script.add(CLIENT, "end")
    script.add(SERVER, "see-end")
    script.add(SERVER, "close")
    script.add(CLIENT, "see-end")


def endless_head(dice: random.Random, writer: Writer, script: Script) -> None:
    """A head that never ends: when the client does, the server has all of it."""
    sent, _ = writer.request(has_host=False)
    sent = sent[:dice.randint(4, sent.index(b"\r\n\r\n") + 2)] + b"X: " + b"y" * dice.choice(
        [0, 10, 3000])
    script.add(CLIENT, "send", sent, sent, waits=False)
    script.add(CLIENT, "end")
    script.add(SERVER, "see-end")
    script.add(SERVER, "close")
    script.add(CLIENT, "see-end")


def garbage(dice: random.Random, writer: Writer, script: Script) -> None:
    """No HTTP and no TLS from the first byte on."""
    script.add(CLIENT, "send", dice.choice([b"\0", b"\xff", b"\x80", b"\x01"])
               + writer.text(dice.randint(0, 500)))
    chatter(dice, writer, script)
    finish(dice, script)


def old_http(dice: random.Random, writer: Writer, script: Script) -> None:
    """HTTP/0.9, and an answer without a head."""
    script.add(CLIENT, "send", dice.choice([b"GET /\r\n", b"GET /old\n", b"GET / \r\n\r\n"]))
    script.add(SERVER, "send", b"<html>old</html>" + writer.text(30))
    script.add(SERVER, "close")
    script.add(CLIENT, "see-end")


def bad_framing(dice: random.Random, writer: Writer, script: Script) -> None:
    """A request that no parser can frame for sure; what comes back is no better."""
    script.add(CLIENT, "send", dice.choice([
        b"PING\r\n", b"POST /a HTTP/1.1\r\nContent-Length: abc\r\n\r\nxyz",
        b"POST /a HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n",
        b"GET / HTTP/9.9.9\r\n\r\n", b"G\x01T / HTTP/1.1\r\n\r\n", b"GET  /  x  HTTP/1.1\r\n\r\n"]))
    script.add(SERVER, "send", dice.choice([
        b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", b"+PONG\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc", b"\x16\x03\x01 no HTTP\r\n\r\n"]))
    script.add(SERVER, "close")
    script.add(CLIENT, "see-end")


def server_speaks_first(dice: random.Random, writer: Writer, script: Script) -> None:
    """As SMTP does, in a tunnel."""
    script.add(SERVER, "send", b"220 ready\r\n" + writer.text(10))
    chatter(dice, writer, script)
    finish(dice, script)


def refused(dice: random.Random, writer: Writer, script: Script) -> None:
    """Nobody listens."""
    script.is_refused, script.status = True, 502
    script.add(CLIENT, "send", writer.request()[0], b"")
    script.add(CLIENT, "see-end")


def no_proxy_request(dice: random.Random, writer: Writer, script: Script) -> None:
    """What a forward proxy can send nowhere."""
    script.status = 400
    script.add(CLIENT, "send", dice.choice([
        b"\0\1\2", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"PING\r\n\r\n",
        b"GET /\r\n\r\n"]), b"")
    script.add(CLIENT, "see-end")


def half_a_hello(dice: random.Random, writer: Writer, script: Script) -> None:
    """The client begins a TLS handshake, and leaves within its first message."""
    script.is_cut = True
    sides = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        ssl.create_default_context().wrap_bio(*sides, server_hostname="a.example").do_handshake()
    except ssl.SSLWantReadError:
        pass
    hello = sides[1].read()
    script.add(CLIENT, "send", hello[:dice.randint(1, len(hello) - 1)], b"", waits=False)
    script.add(CLIENT, dice.choice(["close", "reset"]))


ANYWHERE = [exchanges, pipelining, early_answer, upgrade_accepted, upgrade_refused, long_answer,
            short_answer, server_gives_up, client_gives_up, answer_after_end]
# What needs a server that is known without a request.
FIXED = [endless_head, garbage, old_http, bad_framing, long_request]
WHERE = {
    FORWARD: [refused, no_proxy_request, half_a_hello],
    TUNNEL: [*FIXED, connect_inside, server_speaks_first, refused],
    NESTED: [*FIXED, connect_inside, server_speaks_first, refused],
    REVERSE: FIXED,
    KEEP: [*FIXED, connect_inside],
}
# What half-closes, or shows no TLS where TLS is expected.
ONLY_PLAIN = [answer_after_end, long_request, endless_head, server_speaks_first]
