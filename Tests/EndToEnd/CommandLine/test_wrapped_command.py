"""Proves: `-- COMMAND` runs it with what it needs to reach and trust us, and passes on how it ended."""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import sys
from pathlib import Path

import pytest
from programs import DEADLINE, TAPEDECK, environment, sql, tapedeck

PYTHON = sys.executable
JAVA = """import java.net.*;
public class Get { public static void main(String[] a) throws Exception {
    var connection = (HttpURLConnection) new URL(a[0]).openConnection();
    System.out.println(connection.getResponseCode()); } }
"""
# What asks for a URL, by runtime; each prints the status.
RUNTIMES = {
    "curl": lambda url, _: ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}\n", url],
    "requests": lambda url, _: [
        PYTHON, "-c", f"import requests; print(requests.get('{url}').status_code)"],
    "urllib": lambda url, _: [
        PYTHON, "-c", f"import urllib.request as u; print(u.urlopen('{url}').status)"],
    "java": lambda url, folder: ["java", str(folder / "Get.java"), url],
}


def shell(*options: str | Path, script: str, command: str = "record", status: int = 0):
    """Runs a shell script as the command of `tapedeck`."""
    return tapedeck(*command.split(), *options, "--", "sh", "-c", script, status=status)


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_runtimes_come_through_the_proxy_and_trust_it(
        tmp_path, trace, ca_dir, tls_origin, certificates, runtime) -> None:
    """A local https server is asked through the proxy, whose certificate is accepted."""
    if runtime == "java" and not shutil.which("java"):
        pytest.skip("there is no java here")
    (tmp_path / "Get.java").write_text(JAVA)
    ended = tapedeck(
        "record", trace, "--ca-dir", ca_dir, "--server-ca", certificates.authority, "--",
        *RUNTIMES[runtime](f"{tls_origin.url}/a", tmp_path),
        env=environment(NO_PROXY="127.0.0.1", REQUESTS_CA_BUNDLE="/dev/null"))
    assert ended.stdout == "200\n"
    assert sql(trace, "SELECT status, substr(url, 1, 6) FROM exchange WHERE method <> 'CONNECT'") == [(200, "https:")]


@pytest.mark.skipif(not shutil.which("node"), reason="there is no node here")
def test_node_trusts_it(trace, ca_dir, origin) -> None:
    """As a server it speaks TLS, too, with a certificate that Node.js accepts."""
    ended = tapedeck(
        "record", trace, "--ca-dir", ca_dir, "--to", origin.url, "--", "node", "-e",
        "require('https').get(process.env.TAPEDECK_URL.replace('http:', 'https:') + '/a',"
        " answer => { console.log(answer.statusCode); process.exit(0) })")
    assert ended.stdout == "200\n"


def test_a_terminal_interrupts_the_command_once(trace, ca_dir) -> None:
    """Ctrl-C reaches the command from the terminal; it is not sent a second time, and kills nobody."""
    # A handler of Python's does not run where the signal comes just before a read begins.
    script = ("import select, signal, sys\n"
              "count = 0\n"
              "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})\n"
              "print('ready', flush=True)\n"
              "while not select.select([sys.stdin], [], [], 0)[0]:\n"
              "    if signal.sigtimedwait({signal.SIGINT}, 0.02):\n"
              "        count += 1\n"
              "        print('caught', count, flush=True)\n"
              "exit(count)\n")
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(TAPEDECK, ["tapedeck", "record", str(trace), "--ca-dir", str(ca_dir), "--",
                             PYTHON, "-c", script], environment())
    said = b""

    def until(text: bytes) -> None:
        nonlocal said
        while text not in said:
            assert select.select([terminal], [], [], DEADLINE)[0], said
            said += os.read(terminal, 65536)

    try:
        until(b"ready")
        for number in range(1, 5):
            os.write(terminal, b"\x03")
            until(b"caught %d" % number)
        os.write(terminal, b"end\n")
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    finally:
        os.close(terminal)
    assert status == 4, said


def test_the_output_is_the_commands(trace, ca_dir, origin) -> None:
    """Standard output has what the command printed and nothing else; ours is on standard error."""
    ended = shell(trace, "--ca-dir", ca_dir, "--to", origin.url,
                  script="curl -s $TAPEDECK_URL/status/204; echo done; read line || echo no input")
    assert ended.stdout == "done\nno input\n"
    assert "listening on 127.0.0.1:" in ended.stderr and "1 exchange," in ended.stderr


@pytest.mark.parametrize(("script", "status"), [
    ("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 128 + signal.SIGTERM),
    ("kill -KILL $$", 128 + signal.SIGKILL)])
@pytest.mark.parametrize("command", ["record TRACE --ca-dir FOLDER", "serve"])
def test_the_status_is_the_commands(trace, ca_dir, command, script, status) -> None:
    """Its exit status, or 128 and the number of the signal."""
    words = command.replace("TRACE", str(trace)).replace("FOLDER", str(ca_dir)).split()
    ended = tapedeck(*words, "--", "sh", "-c", script, status=status)
    assert ("tapedeck: sh " in ended.stderr) == (status != 0)


def test_no_such_command(trace, ca_dir) -> None:
    """Nothing is made for a command that is not there."""
    ended = tapedeck("record", trace, "--ca-dir", ca_dir, "--", "no-such-program", status=64)
    assert ended.stderr == "tapedeck: there is no program no-such-program; check the name after --\n"
    assert not trace.exists()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_signals_are_passed_on(program, trace, ca_dir, sent) -> None:
    """The command handles the signal and is waited for; its status is ours."""
    started = program(
        TAPEDECK, "record", trace, "--ca-dir", ca_dir, "--", PYTHON, "-c",
        "import signal, sys\n"
        "def catch(*_):\n"
        "    print('caught', flush=True)\n"
        "    sys.exit(5)\n"
        f"signal.signal({int(sent)}, catch)\n"
        "print('ready', flush=True)\n"
        "while True: signal.pause()", start_new_session=True)
    started.await_line("^ready$")
    assert started.stop(sent) == 5, started.said()
    assert started.output == ["ready", "caught"]


def test_a_command_that_ignores_signals_is_killed_by_the_third(program, trace, ca_dir) -> None:
    """Nobody has to look for its number."""
    started = program(
        TAPEDECK, "record", trace, "--ca-dir", ca_dir, "--", PYTHON, "-c",
        "import signal\n"
        "count = 0\n"
        "def ignore(*_):\n"
        "    global count\n"
        "    count += 1\n"
        "    print('ignored', count, flush=True)\n"
        "signal.signal(signal.SIGTERM, ignore)\n"
        "print('ready', flush=True)\n"
        "while True: signal.pause()", start_new_session=True)
    started.await_line("^ready$")
    for count in (1, 2):
        os.kill(started.pid, signal.SIGTERM)
        started.await_line(f"ignored {count}")
    os.kill(started.pid, signal.SIGTERM)
    assert started.wait(DEADLINE) == 128 + signal.SIGKILL, started.said()


def test_a_finding_fails_it(trace, ca_dir, serve) -> None:
    """With --diagnose a broken rule fails a command that succeeded, as --fail-on says."""
    server = serve()
    script = ("curl -s -u ada:x -H 'Content-Type: text/xml' --data '<data/>' "
              "-o /dev/null $TAPEDECK_URL/a/demo/receiver/")
    options = ["--ca-dir", ca_dir, "--to", server.url("", "http"), "--diagnose"]
    ended = shell(trace, *options, "--fail-on", "info", script=script, status=1)
    assert "finding" in ended.stderr.splitlines()[-1] and str(trace) in ended.stderr
    shell(trace, *options, "--fail-on", "never", script=script)
    # The command's own failure comes first.
    shell(trace, *options, "--fail-on", "info", script=script + "; exit 9", status=9)


def test_a_fault_without_recovery_fails_it(trace, ca_dir, origin) -> None:
    """A client that does not try again fails; one that does passes; a mock fails nobody."""
    options = ["--ca-dir", ca_dir, "--to", origin.url]
    fault = ["--fault", "path:/a => 400 first=1"]
    once, other = (f"curl -s -o /dev/null $TAPEDECK_URL/{path}" for path in "ab")
    ended = shell(trace, *options, *fault, script=f"{once}; {other}", status=1)
    assert ended.stderr.splitlines()[-1] == (
        f"tapedeck: 1 fault not recovered from in {trace}")
    shell(trace, *options, *fault, script=f"{once}; {once}")
    ended = shell(trace, *options, "--fault", "path:/a => answer body=mock",
                  script="curl -s $TAPEDECK_URL/a")
    assert ended.stdout == "mock"


# Sends a request while the proxy stands still, which goes on when this has ended: the end of the
# command and the connection that nobody has accepted come at once.
LAST = """import os, signal, socket, sys, urllib.parse
place = urllib.parse.urlparse(os.environ["TAPEDECK_URL"])
proxy, command = os.getppid(), os.getpid()
if sys.argv[1] == "unread":
    os.kill(proxy, signal.SIGSTOP)
    if os.fork() == 0:
        while os.getppid() == command:
            pass
        os.kill(proxy, signal.SIGCONT)
        os._exit(0)
peer = socket.create_connection((place.hostname, place.port))
peer.sendall(b"GET /last HTTP/1.1\\r\\nHost: " + place.netloc.encode() + b"\\r\\n\\r\\n")
"""


@pytest.mark.parametrize("proxy", ["reads", "unread"])
def test_what_is_sent_last_is_recorded(trace, ca_dir, origin, proxy) -> None:
    """A command that ends without reading the answer has sent its request."""
    tapedeck("record", trace, "--ca-dir", ca_dir, "--to", origin.url, "--", PYTHON, "-c", LAST, proxy)
    assert sql(trace, "SELECT method FROM exchange WHERE url LIKE '%/last'") == [("GET",)]


def test_no_file_of_ours_is_inherited(trace, ca_dir) -> None:
    """The command has the three standard files, and its listing."""
    ended = shell(trace, "--ca-dir", ca_dir,
                  script="python3 -c 'import os; print(sorted(map(int, os.listdir(\"/dev/fd\"))))'")
    assert ended.stdout == "[0, 1, 2, 3]\n"


def test_serve_and_replay(trace, ca_dir) -> None:
    """The same for a server of ours, its recording, and the replay of that."""
    ended = shell(command="serve", script=(
        f"{TAPEDECK} record {trace} --ca-dir {ca_dir} --to $TAPEDECK_URL -- "
        "sh -c 'curl -s -u ada:x -o /dev/null $TAPEDECK_URL/a/demo/phone/restore/?version=2.0'; "
        'curl -s -o /dev/null -w "%{http_code}" -H "Authorization: Bearer $TAPEDECK_ADMIN_TOKEN" '
        "$TAPEDECK_ADMIN_URL/connections"))
    assert ended.stdout == "200"
    asked = "curl -s -u ada:x -o /dev/null -w '%{http_code}' $TAPEDECK_URL"
    ended = shell(trace, "--ca-dir", ca_dir, command="replay server",
                  script=f"{asked}/a/demo/phone/restore/?version=2.0")
    assert ended.stdout == "200" and "satisfied" in ended.stderr
    ended = shell(trace, "--ca-dir", ca_dir, command="replay server", status=1,
                  script=f"{asked}/other")
    assert ended.stdout == "501"
